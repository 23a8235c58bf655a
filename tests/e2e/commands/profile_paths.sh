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
