# `profile --paths`: what the graph of any technique tells of the paths of the same replay. If this fails, a technique
# is said to know more of them, or less, than its edges say.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

for technique in paths exact bursts decay observed gaussian flow; do
    "$hotgraph" profile umbel --frames 900 --technique $technique --paths --json --out $technique.graph >$technique.json
done
"$hotgraph" profile umbel --frames 900 --technique exact --json --out again.graph >again.json
cmp exact.graph again.graph || fail "counting paths changes what a technique finds"
"$hotgraph" profile umbel --frames 900 --technique bursts --engine interp --paths --json --out again.graph >again-bursts.json
cmp bursts.json again-bursts.json >/dev/null || sed 's/again/bursts/' again-bursts.json | cmp - bursts.json || fail "engines differ"
python3 - <<'END' || fail "$(cat ./*.json)"
import json
said = {name: json.load(open(name + ".json")) for name in "paths exact bursts decay observed gaussian flow again".split()}
assert said.pop("again")["paths"] is None
counts, paths = said["paths"]["counts"], {name: s["paths"] for name, s in said.items()}
for name, p in paths.items():
    for total in "paths", "hot_paths", "path_flow", "hot_path_flow":
        assert p[total] == counts[total], (name, total)
    assert p["fixed_flow"] <= p["path_flow"] and p["edges_overlap"] <= p["hot_path_flow"] >= p["edges_matched"], name
    assert name in ("paths", "exact") or p["fixed_flow"] < paths["exact"]["fixed_flow"], name
# Exact counts of edges are those of the paths. A block in which the replay ended may pass one more on.
assert paths["paths"] == paths["exact"]
for name in "fixed_flow", "edges_overlap", "edges_matched":
    assert abs(paths["exact"][name] - counts[name]) <= 0.002 * counts["path_flow"], (name, paths["exact"], counts)
# Counts are worth more than a set of hot edges; repaired ones most.
for name in "bursts", "observed", "flow":
    assert paths[name]["edges_overlap"] > paths["decay"]["edges_overlap"], name
assert paths["flow"]["fixed_flow"] > paths["observed"]["fixed_flow"]
END
"$hotgraph" profile umbel --frames 900 --technique observed --paths --out o.graph >said
python3 - <<'END' || fail "printed: $(cat said)"
import json
p = json.load(open("observed.json"))["paths"]
text = open("said").read()
assert f"paths: {p['paths']} with decisions, {p['hot_paths']} of them hot" in text
assert f"fixes {100 * p['fixed_flow'] / p['path_flow']:.1f} % of the flow" in text
assert f"overlap {p['edges_overlap'] / p['hot_path_flow']:.3f}, matched {p['edges_matched'] / p['hot_path_flow']:.3f}" in text
END

# A sweep with `paths = true` asks the same of every result, and counts the paths once.
ask() { sqlite3 -readonly "$1" "$2"; }
# sweep ARGS...: sets $digest.
sweep() {
    "$hotgraph" sweep "$@" --games umbel >out 2>errors || fail "sweep $*: $(cat out errors)"
    digest=$(sed -n 's/^digest of this part (.*): //p' out)
}
# config KEYS
config() {
    printf '%s\n' 'name = "told"; frames = 900; sampling = ( { interval_ms = 3; batch = 25; }, { by = "live"; } );' \
        'grid = ( { technique = "gaussian"; }, { technique = "flow"; }, { technique = "exact"; }, { technique = "bursts"; },' \
        '{ technique = "decay"; }, { technique = "paths"; } );' "$1" "@include \"$source/configs/games.cfg\"" >told.cfg
}
config ''
sweep told.cfg --db told.db
plain=$digest
test "$(ask told.db 'SELECT count(*) FROM path_knowledge')" = 0 || fail "paths that nobody asked for"
# As in a file of a version without them.
for column in replay.paths replay.path_flow replay.hot_paths replay.hot_path_flow result.fixed_flow result.edges_overlap result.edges_matched \
    experiment.judges_paths; do
    sqlite3 told.db "$(ask told.db "SELECT 'DROP VIEW ' || name || ';' FROM sqlite_schema WHERE type = 'view'")
        ALTER TABLE ${column%.*} DROP COLUMN ${column#*.}"
done
config 'paths = true;'
"$hotgraph" sweep told.cfg --db told.db --games umbel --dry-run >plan
grep -q '7 results without paths' plan || fail "--dry-run: $(cat plan)"
sweep told.cfg --db told.db --jobs 2
expected=$digest
test "$expected" != "$plain" || fail "paths are not part of the digest"
"$hotgraph" results told.db --view path_knowledge --json >told.json
python3 - <<'END_OF_PYTHON' || fail "sweep: $(cat told.json)"
import json
rows = json.load(open("told.json"))
assert len(rows) == 7, len(rows)
for r in rows:
    p = json.load(open(r["technique"] + ".json"))["paths"]
    assert {name: r[name] for name in p} == p, (r, p)
    assert abs(r["fixed"] - p["fixed_flow"] / p["path_flow"]) < 1e-12 and abs(r["overlap"] - p["edges_overlap"] / p["hot_path_flow"]) < 1e-12
    assert abs(r["matched"] - p["edges_matched"] / p["hot_path_flow"]) < 1e-12
END_OF_PYTHON
test "$("$hotgraph" sql told.db paths_told --csv | sed 1d | wc -l)" = 7 || fail "sql paths_told: $("$hotgraph" sql told.db paths_told)"
# Lost values come back, nothing is done twice, and engines agree.
sweep told.cfg --db told.db
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
sqlite3 told.db "UPDATE result SET fixed_flow = NULL WHERE configuration_id % 2 = 0; UPDATE replay SET path_flow = NULL"
sweep told.cfg --db told.db --engine interp --jobs 1
test "$digest" = "$expected" || fail "after a loss, interpreted: $digest, not $expected"
# Who does not ask has none, whatever the database knows.
config ''
sweep told.cfg --db told.db
test "$digest" = "$plain" && test "$(ask told.db 'SELECT count(*) FROM path_knowledge')" = 0 || fail "without paths again: $digest, not $plain"
