# From a game to repaired counts, as a user does it: structure, golden samples, flow, compare. If this
# fails, the project's own technique cannot be used.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

"$hotgraph" structure burrow --frames 1500 --out s.structure >said
grep -Eq '^s.structure: [0-9]+ blocks of [0-9]+ instructions' said || fail "$(cat said)"
"$hotgraph" structure burrow --frames 1500 --engine interp --out t.structure >/dev/null
same s.structure t.structure
"$hotgraph" exact burrow --frames 1500 --out h.graph >/dev/null
"$hotgraph" sample burrow --frames 1500 --by active --every 40 --place golden --structure s.structure \
    --out golden.isampling >said
grep -Eq '^golden.isampling: [0-9]+ of [0-9]+ active transfers, ' said || fail "$(cat said)"
"$hotgraph" build golden.isampling --technique flow --structure s.structure --out g.graph >/dev/null
"$hotgraph" compare --json g.graph h.graph >json
python3 - <<'END' || fail "repaired counts are far from the exact ones: $(cat json)"
import json
m = json.load(open("json"))
assert m["active"]["fair"]["overlap"] > 0.95 and m["whole"]["fair"]["overlap"] > 0.98, m
END
for costs in gcc profi; do
    "$hotgraph" build golden.isampling --technique flow --costs $costs --edges even --join 1 \
        --entries exact --structure s.structure --out $costs.graph >said
    grep -q "costs $costs solver simplex" said || fail "$(cat said)"
done
"$hotgraph" sample burrow --frames 300 --weigh --out w.isampling >/dev/null
head -1 w.isampling | grep -q 'weighed=1' || fail "$(head -1 w.isampling)"
"$hotgraph" build w.isampling --technique flow --structure s.structure --out w.graph >/dev/null

refuses 2 '--by active needs --every N' sample burrow --by active --out a
refuses 2 '--by active needs --structure' sample burrow --by active --every 9 --out a
refuses 2 '--every needs --by' sample burrow --every 9 --out a
refuses 2 '--interval-ms needs --by time' sample burrow --by transfers --every 9 --interval-ms 3 --out a
refuses 2 'samples by time are regular' sample burrow --place golden --out a
refuses 1 "h.graph:1: not a structure" sample burrow --by active --every 9 --structure h.graph --out a.isampling
refuses 1 "needs the program's structure" build golden.isampling --technique flow --out a
refuses 2 "did you mean 'poisson'" build golden.isampling --technique flow --costs poison --out a
sed '1s/population=[0-9]*//' golden.isampling >foreign.isampling
refuses 1 'of how many executions' build foreign.isampling --technique flow --structure s.structure --out a
test ! -e a || fail "a wrong call left a file"

# Live techniques, by name: `exact` gives the graph of the command of that name; a set has counts of 0.
"$hotgraph" profile burrow --frames 1500 --out p.graph >said
grep -v '^#' h.graph | cut -f1-3 >h.edges
grep -v '^#' p.graph >p.edges
same h.edges p.edges
"$hotgraph" profile burrow --frames 1500 --technique entries --share 990 --out e.graph >said
grep -q 'technique entries threshold 0 share 990; .* structure given' said || fail "$(cat said)"
"$hotgraph" profile burrow --frames 1500 --technique entries --share 990 --engine interp --out i.graph >/dev/null
same e.graph i.graph
"$hotgraph" compare --json e.graph h.graph >json
python3 - <<'END' || fail "a set has neither weights nor few edges: $(cat json)"
import json
m = json.load(open("json"))["active"]
assert m["fair"]["overlap"] is None and m["similarity"] > 0.5 > m["fair"]["hot_precision"], m
END
refuses 2 "did you mean 'entries'" profile burrow --technique entreis --out a
refuses 2 '--out FILE is missing' profile burrow
