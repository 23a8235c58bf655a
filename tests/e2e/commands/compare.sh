# hotgraph compare on graphs that are small enough to compute by hand: if this fails, a profiler
# is judged by wrong numbers.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"

# H: three hot edges (600 + 250 + 100 of 1000 reach 90 %), one of them a busy-wait, and a cold one.
{
    printf '#block 0x10 0x12\n#block 0x20 0x24\n#block 0x30 0x30\n'
    printf '0x10\t0x10\t600\t1\n0x10\t0x20\t250\t0\n0x20\t0x30\t100\t0\n0x30\t0x10\t50\t0\n'
} >h.graph
# G: the busy-wait, one hot edge, and one that never was.
{
    printf '#block 0x10 0x12\n#block 0x20 0x24\n#block 0x30 0x30\n'
    printf '0x10\t0x10\t3\n0x10\t0x20\t1\n0x20\t0x10\t1\n'
} >g.graph

# says METRIC WHOLE ACTIVE
says() {
    grep -Eq "^$1 +$2 +$3\$" table || fail "$1 is not $2 and $3: $(cat table)"
}
"$hotgraph" compare g.graph h.graph >table
says similarity 0.6667 0.3333 # 2 of 3; without the wait 1 of the 3 that make up 90 % of 400
says precision 0.6667 0.5000
says coverage 0.8500 0.6250 # 850 of 1000; 250 of 400
says 'common edges' 2 1
"$hotgraph" compare --hot 0.6 g.graph h.graph >table
says similarity 1.0000 1.0000 # one edge is enough for 60 %: it is found
says 'hot edges' 1 1

"$hotgraph" compare --json g.graph h.graph >json
python3 - <<'END' || fail "JSON"
import json
r = json.load(open("json"))
assert r["hot"] == 0.9 and r["whole"]["hot_edges"] == 3, r
assert r["whole"]["similarity"] == 2 / 3 and r["active"]["similarity"] == 1 / 3, r
END

# The fair metrics: hot in G by its own weights are 3 of 5, 1 and 1; of H 600, 250 and 100.
"$hotgraph" compare g.graph h.graph | sed '1,/^fair$/d' >table
says hot_recall 0.6667 0.3333
says hot_precision 0.6667 0.5000
says overlap 0.8000 0.5000 # min(3/5, 600/1000) + min(1/5, 250/1000); min(1/2, 250/400)
says count_error 0.9970 1.0000 # 597 + 249 + 100 + 50 + 1; 249 + 100 + 50 + 1 of 400
python3 "$source/tests/e2e/commands/metrics_from_graphs.py" g.graph h.graph json || fail "JSON differs"

# Without blocks busy-waits are unknown, and the message says so.
grep -v '^#' g.graph >plain.graph
"$hotgraph" compare plain.graph h.graph >table 2>warned
grep -q 'warning: no fair metrics' warned || fail "no warning: $(cat warned)"
grep -q 'warning: no active metrics' warned || fail "no warning: $(cat warned)"
grep -Eq '^similarity +0.6667$' table || fail "$(cat table)"
printf '# nothing\n' >empty.graph
"$hotgraph" compare --json empty.graph h.graph >json
python3 - <<'END' || fail "a metric over an empty set is null"
import json
r = json.load(open("json"))
assert r["whole"]["precision"] is None and r["whole"]["similarity"] == 0, r
END

# Real graphs: all numbers equal those that an independent program computes from the two files by
# the definitions; also for a set, and for another share.
export HOTGRAPH_GAMES="$source/configs/games.cfg"
"$hotgraph" exact burrow --frames 900 --out exact.graph >/dev/null
"$hotgraph" sample burrow --frames 900 --out s.isampling >/dev/null
"$hotgraph" build s.isampling --technique observed --out observed.graph >/dev/null
"$hotgraph" build s.isampling --bin-size 10 --stdev-threshold 15 --window-size 13 \
    --recurrent-threshold 5 --out gaussian.graph >/dev/null
awk -F '\t' -v OFS='\t' '!/^#/ {$3 = 0} {print}' observed.graph >set.graph
for g in observed gaussian set exact; do
    for share in 0.9 0.35; do
        "$hotgraph" compare --json --hot "$share" $g.graph exact.graph >$g.$share
    done
    python3 "$source/tests/e2e/commands/metrics_from_graphs.py" $g.graph exact.graph $g.0.9 $g.0.35 ||
        fail "$g: the metrics differ"
done
# The check itself must be able to fail.
sed 's/"hot_f1": [0-9.]*/"hot_f1": 0.123/' observed.0.9 >wrong
if python3 "$source/tests/e2e/commands/metrics_from_graphs.py" observed.graph exact.graph wrong 2>said; then
    fail "a wrong hot_f1 is not noticed"
fi
grep -q 'whole.fair.hot_f1: 0.123' said || fail "$(cat said)"

# ---- the headers of the files ----
one=0123456789012345678901234567890123456789 two=1123456789012345678901234567890123456789
{ printf '# kind exact\n# program %s\n' $one; cat h.graph; } >exact.graph
{ printf '# kind built\n# program %s\n' $one; cat g.graph; } >built.graph
{ printf '# kind built\n# program %s\n' $two; cat g.graph; } >other.graph
"$hotgraph" compare built.graph exact.graph >table2 2>errors || fail "$(cat errors)"
test ! -s errors || fail "a right comparison is warned of: $(cat errors)"
refuses 1 'exact.graph is an exact graph and built.graph was found by a technique' compare exact.graph built.graph
refuses 1 'h.graph is an exact graph' compare h.graph built.graph # by its fourth column
refuses 1 'belong to different programs (11234567..., 01234567...)' compare other.graph exact.graph
"$hotgraph" compare --force other.graph exact.graph >table3
same table2 table3
"$hotgraph" compare g.graph exact.graph >table3 # a file without a header
same table2 table3
"$hotgraph" compare built.graph built.graph 2>errors >/dev/null
grep -q 'warning: built.graph is not an exact graph' errors || fail "$(cat errors)"

# As the commands write them: exact, sample and build know the program, and say so in JSON, too.
rom="$source/games/mazewisp.nes"
"$hotgraph" exact "$rom" --frames 60 --out m.graph --json >exact.json
"$hotgraph" sample "$rom" --frames 60 --out m.isampling.gz --json >sample.json
"$hotgraph" build m.isampling.gz --technique observed --out m.observed --json >build.json
"$hotgraph" build m.isampling.gz --out m.gaussian --window-size 10 --json >gaussian.json
"$hotgraph" techniques --json >techniques.json
"$hotgraph" compare m.observed m.graph >/dev/null 2>errors
test ! -s errors || fail "$(cat errors)"
refuses 1 'm.graph is an exact graph and m.observed' compare m.graph m.observed
"$hotgraph" exact "$source/games/burrow.nes" --frames 60 --out b.graph >/dev/null
refuses 1 'belong to different programs' compare m.observed b.graph
grep -q '^# program [0-9a-f]*$' m.graph || fail "the exact graph does not name its program"
"$hotgraph" testrom "$rom" "$source/games/burrow.nes" m.graph --frames 5 --json >testrom.json 2>errors && fail "testrom passes games"
python3 - <<'END' || fail "JSON of exact, sample, build, techniques, testrom"
import gzip, json
load = lambda name: json.load(open(name + ".json"))
exact, sample, build, gaussian = load("exact"), load("sample"), load("build"), load("gaussian")
lines = [l for l in open("m.graph") if not l.startswith("#")]
assert exact["out"] == "m.graph" and exact["edges"] == len(lines), exact
assert exact["transitions"] == sum(int(l.split("\t")[2]) for l in lines), exact
assert len({exact["program"], sample["program"], build["program"]}) == 1 and len(exact["program"]) == 40
rows = gzip.open("m.isampling.gz", "rt").read().splitlines()[1:]
assert sample["batches"] * sample["batch"] == len(rows) == sample["sampled"] and sample["executed"] > len(rows), sample
assert build["technique"] == "observed" and build["edges"] == sum(not l.startswith("#") for l in open("m.observed"))
assert build["batches"] == sample["batches"]
assert gaussian["parameters"]["window_size"] == 10 and gaussian["technique"] == "gaussian"
assert gaussian["low"] + gaussian["high"] == sample["batches"], gaussian
names = {t["name"]: t for t in load("techniques")}
assert names["exact"]["on"] == "machine" and names["observed"]["on"] == "stream"
assert any(p["name"] == "window_size" and p["least"] <= p["default"] <= p["most"] for p in names["gaussian"]["parameters"])
t = load("testrom")
assert len(t["roms"]) == 3 and not t["good"] and sum(t["counts"].values()) == 3, t
assert [r["outcome"] for r in t["roms"]] == ["unknown", "unknown", "refused"] and t["roms"][0]["frames"] == 5, t
END

# ---- drawn: found, missed, executed but cold, invented ----
# H's hot edges are 10-10 (busy), 10-20, 20-30; G's are 10-10, 10-20 and 20-10, which never was.
"$hotgraph" compare built.graph exact.graph --dot hot.dot >/dev/null
drawn() { # COLOUR EDGE...: edges drawn as that
    colour=$1
    shift
    got=$(sed -n "s|^.\"\$\(.*\)\" -> \"\$\(.*\)\" .*// $colour\$|\1-\2|p" hot.dot | sort | tr '\n' ' ')
    test "$got" = "$*${1:+ }" || fail "$colour: '$got', not '$*': $(cat hot.dot)"
}
drawn found 0010-0010 0010-0020
drawn missed 0020-0030
drawn 'never executed' 0020-0010
drawn 'executed, but not hot'
grep -q '0010" -> "$0010" .*style=dashed' hot.dot || fail "a busy-wait is not dashed"
grep -q 'label="2 found; 1 missed; 0 executed, but not hot; 1 never executed"' hot.dot || fail "$(cat hot.dot)"
"$hotgraph" compare built.graph exact.graph --hot 0.6 --dot hot.dot >/dev/null
drawn found 0010-0010
drawn missed
# An edge is only found in its own direction: this graph has 20-10, the reverse of a hot edge.
{
    printf '#block 0x10 0x12\n#block 0x20 0x24\n#block 0x30 0x30\n'
    printf '0x20\t0x10\t3\n0x20\t0x30\t1\n'
} >back.graph
"$hotgraph" compare back.graph exact.graph --dot hot.dot >/dev/null 2>&1
drawn found 0020-0030
drawn missed 0010-0010 0010-0020
drawn 'never executed' 0020-0010
if command -v dot >/dev/null; then
    dot -Tsvg hot.dot -o hot.svg && grep -q '$0010' hot.svg || fail "Graphviz does not take it"
fi
