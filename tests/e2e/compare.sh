# hotgraph compare on graphs small enough to work out by hand: if this fails, what a user is told
# about a profiler is wrong.
set -eu
. "$(dirname "$0")/lib.sh"
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

# Without blocks nothing can be said of busy-waits, and that is said.
grep -v '^#' g.graph >plain.graph
"$hotgraph" compare plain.graph h.graph >table 2>warned
grep -q 'warning: no active metrics' warned || fail "no warning: $(cat warned)"
grep -Eq '^similarity +0.6667$' table || fail "$(cat table)"
printf '# nothing\n' >empty.graph
"$hotgraph" compare --json empty.graph h.graph >json
python3 - <<'END' || fail "a metric over an empty set is null"
import json
r = json.load(open("json"))
assert r["whole"]["precision"] is None and r["whole"]["similarity"] == 0, r
END
