# What would break: the database and `compare` disagree about the benefit of a result, a file of an
# earlier version is never completed, or a pair without known code gets figures of benefit.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

cat >worth.cfg <<END
name = "worth-test";
frames = 900;
sampling = { interval_ms = 3; batch = 25; };
grid = ( { technique = "gaussian"; recurrent_threshold = [5, 12]; window_size = 13; stdev_threshold = 15; bin_size = 10; },
         { technique = "flow"; } );
games = ( { name = "airmail"; rom = "$source/games/airmail.nes"; movie = "$source/movies/airmail.fm2"; } );
END
sed '/^games/d; /technique = "flow"/d; s/^grid = .*/grid = { technique = "gaussian"; bin_size = 10; };/; s/"worth-test"/"of-pairs"/' \
    worth.cfg >pairs.cfg
{ echo "games = ("; pair one overlap-a; echo ");"; } >>pairs.cfg
sweep worth.cfg --db worth.db
expected=$digest

# The same numbers as `compare --structure`, for the exact graph and for a graph built from a stream
# of the same program.
cp "$source/games/airmail.nes" .
game="airmail.nes --movie $source/movies/airmail.fm2 --frames 900"
"$hotgraph" exact $game --out h.graph >step
"$hotgraph" structure $game --out s.structure >step
"$hotgraph" sample $game --out s.hgstream >step
"$hotgraph" build s.hgstream --technique observed --out observed.graph >step
"$hotgraph" build s.hgstream --bin-size 10 --recurrent-threshold 12 --out gaussian.graph >step
"$hotgraph" build s.hgstream --technique flow --structure s.structure --out flow.graph >step
for found in observed gaussian flow; do
    "$hotgraph" compare $found.graph h.graph --structure s.structure --json >$found.json
done
sqlite3 -readonly -json worth.db "SELECT w.*, r.*, p.local_weight, p.layable_weight, p.score_original, p.score_best
    FROM worth w JOIN result r USING (stream_id, configuration_id) JOIN replay p USING (replay_id)" >rows.json
python3 - <<'END' || fail "the database and compare differ"
import json, math
rows = json.load(open("rows.json"))
assert len(rows) == 4, len(rows)
def near(a, b):
    assert (a is None and b is None) or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12), (a, b)
checked = 0
for name in ("observed", "gaussian", "flow"):
    found = json.load(open(name + ".json"))["worth"]
    row, = [r for r in rows if r["technique"] == name and (name != "gaussian" or "recurrent_threshold=12" in r["parameters"])]
    for column in ("benefit", "fall_share", "hot_bytes", "successor"):
        near(row[column], found["as_found"][column])
        near(row[column + "_inferred"], found["inferred"][column])
        checked += row[column] is not None
    near(row["falls_give"], found["inferred"]["benefit"] - found["as_found"]["benefit"])
    near(row["lost"], found["lost"])
    assert row["placed"] == found["placed"]
    for column in ("local_weight", "layable_weight", "score_original", "score_best", "fall_share_original", "fall_share_best"):
        near(row[column], found["exact"][column])
assert checked == 12, checked
END

# The means over games, and the places of a grid.
test "$(ask worth.db "SELECT count(*), sum(games = 1 AND streams = 1) FROM technique_worth")" = '4|4' || fail "technique_worth"
test "$(ask worth.db "SELECT count(*), min(place), max(place), sum(baseline_benefit IS NOT NULL) FROM grid_worth")" = '3|1|3|3' ||
    fail "grid_worth"
for view in worth technique_worth grid_worth; do
    "$hotgraph" results worth.db --view $view >view.csv || fail "results --view $view"
    test "$(wc -l <view.csv)" -ge 4 || fail "results --view $view: $(cat view.csv)"
done

# A file of an earlier version lacks them: it can be read, and the next sweep completes it.
columns=$(ask worth.db "SELECT 'ALTER TABLE result DROP COLUMN ' || name || ';' FROM pragma_table_info('result')
    WHERE name IN ('placed', 'lost') OR name LIKE 'benefit%' OR name LIKE 'fall_share%' OR name LIKE 'hot_bytes%' OR name LIKE 'successor%'
    UNION ALL SELECT 'ALTER TABLE replay DROP COLUMN ' || name || ';' FROM pragma_table_info('replay')
    WHERE name IN ('local_weight', 'layable_weight') OR name LIKE 'score_%' OR name LIKE 'fall_share_%'")
test "$(echo "$columns" | wc -l)" = 16 || fail "columns: $columns"
cp worth.db old.db
views=$(ask old.db "SELECT 'DROP VIEW \"' || name || '\";' FROM sqlite_schema WHERE type = 'view'")
echo "$views $columns" | sqlite3 old.db || fail "an older file cannot be made"
cp old.db kept.db
"$hotgraph" results kept.db --view technique_quality >view.csv || fail "an older file cannot be read"
"$hotgraph" sweep worth.cfg --db old.db --dry-run >plan || fail "--dry-run: $(cat plan)"
grep -q 'airmail.*results missing' plan || fail "what is missing of an older file: $(cat plan)"
sweep worth.cfg --db old.db
test "$digest" = "$expected" || fail "an older file has digest $digest, a new one $expected"
"$hotgraph" diff worth.db old.db >difference || fail "an older file is completed to something else: $(cat difference)"
sweep worth.cfg --db old.db
grep -qi 'nothing' out errors || fail "an older file is computed twice: $(cat out)"

# The code of a pair is unknown.
sweep pairs.cfg --db pairs.db
test "$(ask pairs.db "SELECT count(*), count(placed), count(benefit) FROM result")" = '2|0|0' || fail "a pair is laid out"
test "$(ask pairs.db "SELECT count(*), count(local_weight) FROM replay")" = '1|0' || fail "a pair has a layout"
sweep pairs.cfg --db pairs.db
grep -qi 'nothing' out errors || fail "a pair is computed twice: $(cat out)"

# The questions of the docs have answers.
awk '/^```sql/ { sql = 1; next } /^```/ { sql = 0 } sql' "$source/docs/questions.md" | awk 'BEGIN { RS = ";\n" } /worth/ { print $0 ";" >("question" ++n ".sql") }'
test -f question3.sql || fail "the page asks less than three questions"
for i in 1 2 3; do
    sqlite3 -readonly -bail -csv worth.db <"question$i.sql" >answer || fail "no answer: $(cat "question$i.sql")"
    test -s answer || fail "an empty answer: $(cat "question$i.sql")"
done

# The report has a table of it.
"$hotgraph" report worth.db --out report >step 2>&1 || fail "report: $(cat step)"
grep -Eq '^airmail +[0-9.]+ +[0-9.]+ +[01]\.[0-9]{3} ' report/worth.txt || fail "the report's table: $(cat report/worth.txt)"
