# hotgraph results: if this fails, exported rows differ from those in the database.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sed 's/name = "one"; /name = "one"; title = "One, \\"or\\" another"; /' experiment.cfg >titled.cfg
sed 's/name = "paper"/name = "other"/; s/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10]/; s/name = "two"/name = "1942"/' titled.cfg >other.cfg
sweep titled.cfg --db x.db
sweep other.cfg --db x.db --games 1942,three
"$hotgraph" results x.db >all.csv
"$hotgraph" results x.db --json >all.json
"$hotgraph" results x.db --experiment other --csv >other.csv
"$hotgraph" results x.db --view convergence_curve --experiment paper --json >curve.json
for view in $("$hotgraph" results --help=options | sed -n 's/^--view\tchoice\t//p'); do
    "$hotgraph" results x.db --view "$view" >view.csv || fail "$view"
    # Pairs of files have no such rows: native_rows.sh, native_sweep.sh, profile_paths.sh, programs.sh, techniques.sh, windows.sh, worth.sh.
    case $view in native_* | program_time | named_edge | window_summary | phase | technique_[!q]* | path_knowledge | share_to_reach | pareto | sampling_bias | profiler_cost | frontier | *worth | *optimised | not_competing) continue ;; esac
    test "$(wc -l <view.csv)" -gt 1 || fail "$view has $(wc -l <view.csv) lines"
    case $view in friedman | provenance_summary | paper_study | contender | variance_share) continue ;; esac
    test "$(wc -l <view.csv)" -gt 3 || fail "$view has $(wc -l <view.csv) lines"
done
# Every view that docs/questions.md names can be printed; these two names are also something else: the first a column of every
# view, the second a command.
for view in $(ask x.db "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT IN ('baseline', 'runs')"); do
    ! grep -qw "$view" "$source/docs/questions.md" || "$hotgraph" results --help=options | grep -q "^--view	.*[	 ]$view\( \|$\)" ||
        fail "results --view $view is unknown, and docs/questions.md has it"
done
refuses 1 'the rows of technique_worth belong to no experiment' results x.db --view technique_worth --experiment paper
python3 - <<'END' || fail "CSV and JSON"
import csv, json
rows = list(csv.DictReader(open("all.csv", newline="")))
objects = json.load(open("all.json"))
other = list(csv.DictReader(open("other.csv", newline="")))
assert len(rows) == len(objects) >= 3 * 145 + len(other), (len(rows), len(objects), len(other))
assert len(other) == 3 * 73 and {r["experiment"] for r in other} == {"other"}, len(other)
assert other == [r for r in rows if r["experiment"] == "other"]
for row, o in zip(rows, objects):
    assert list(row) == list(o), (row, o)
    for name, text in row.items():
        value = o[name]
        if value is None:
            assert text == "", (name, text)
        elif isinstance(value, (int, float)):
            assert type(value)(text) == value, (name, text, value)
        else:
            assert text == value, (name, text, value)
assert {o["game"] for o in objects} == {"one", "two", "three", "1942"}
assert {o["title"] for o in objects if o["game"] == "one"} == {'One, "or" another'}
assert all(isinstance(o["edges"], int) and isinstance(o["game"], str) for o in objects)
curve = json.load(open("curve.json"))
assert {c["experiment"] for c in curve} == {"paper"} and all(0 <= c["similarity"] <= 1 for c in curve)
END
refuses 1 "x.db: has no experiment 'none'" results x.db --experiment none
refuses 1 'none.db: there is no such file' results none.db
refuses 2 "did you mean 'table1'" results x.db --view tabl1
refuses 2 'give either' results x.db --csv --json

# A cell that a spreadsheet would execute has an apostrophe before it; numbers have none.
cp x.db formula.db
for text in '=1+1' '@SUM(A1)' '+cmd' '-cmd'; do
    sqlite3 formula.db "UPDATE experiment_configuration SET label = '$text' WHERE label IS NOT NULL"
    "$hotgraph" results formula.db --view convergence_curve >cells.csv
    grep -qF ",'$text," cells.csv && ! grep -qF ",$text," cells.csv || fail "not guarded: $(head -2 cells.csv)"
    "$hotgraph" report formula.db --out formula >/dev/null
    ! grep -rqE "(^|,)\"?[=@+][A-Za-z1]|(^|,)-cmd" formula --include='*.csv' || fail "not guarded: $(grep -rE '(^|,)[=@+-][A-Za-z1=]' formula --include='*.csv' | head -3)"
    grep -rqF "'$text" formula --include='*.csv' || fail "no cell with $text in the report"
done
sqlite3 formula.db "UPDATE result SET low = -3"
"$hotgraph" results formula.db >cells.csv && grep -q ',-3,' cells.csv && ! grep -q ",'-3," cells.csv || fail "a number is guarded"
