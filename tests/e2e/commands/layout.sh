# hotgraph compare --structure: if this fails, the stated benefit of a technique for code layout is
# wrong. The figures for airmail come from an independent implementation.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$source"

"$hotgraph" exact airmail --out "$work/h.graph" >"$work/out"
"$hotgraph" structure airmail --out "$work/s.structure" >"$work/out"
"$hotgraph" sample airmail --out "$work/paper.hgstream" >"$work/out"
"$hotgraph" sample airmail --by active --place calls --per-million 60 --structure "$work/s.structure" \
    --out "$work/calls.hgstream" >"$work/out"
"$hotgraph" sample airmail --by transfers --per-million 1500 --structure "$work/s.structure" \
    --out "$work/single.hgstream" >"$work/out"
cd "$work"
"$hotgraph" build paper.hgstream --technique observed --out observed.graph >out
"$hotgraph" build paper.hgstream --bin-size 10 --stdev-threshold 15 --window-size 13 --recurrent-threshold 5 \
    --out gaussian.graph >out
"$hotgraph" build calls.hgstream --technique flow --structure s.structure --out flow.graph >out
"$hotgraph" build single.hgstream --technique observed --out single.graph >out
for found in observed gaussian flow single h; do
    "$hotgraph" compare $found.graph h.graph --structure s.structure --json >$found.json
done
python3 - <<'END' || fail "airmail is not laid out as it should be"
import json
def read(name):
    return json.load(open(name + ".json"))["worth"]
def near(value, expected, by=.01):
    assert abs(value - expected) <= by, (value, expected)
exact = read("h")["exact"]
near(exact["fall_share_original"], .4007)
near(exact["fall_share_best"], .6009)
near(exact["score_original"], .4575)
near(exact["score_best"], .6376)
near(read("observed")["as_found"]["benefit"], 1.001)
near(read("gaussian")["as_found"]["benefit"], .507)
near(read("flow")["as_found"]["benefit"], .982)
assert read("h")["as_found"]["benefit"] == read("h")["inferred"]["benefit"] == 1
assert read("h")["lost"] == 0 and read("h")["as_found"]["successor"] == 1
# Single transfers do not show blocks that end without a transfer.
single = read("single")
assert single["inferred"]["benefit"] > single["as_found"]["benefit"] + .1, single
assert single["inferred"]["benefit"] > .95, single
END

"$hotgraph" compare observed.graph h.graph --structure s.structure >table
grep -Eq '^laid out +as found  inferred$' table || fail "no table of layouts: $(cat table)"
grep -Eq '^benefit +1\.00[0-9]{2} +1\.00[0-9]{2}$' table || fail "no benefit: $(cat table)"

# A structure of an earlier version, one of another game, and none at all.
grep -v '^#ends' s.structure >old.structure
refuses 1 "has no sizes of blocks" compare observed.graph h.graph --structure old.structure
sed 's/^# program .*/# program 0123456789012345678901234567890123456789/' s.structure >other.structure
refuses 1 "other.structure belongs to another program" compare observed.graph h.graph --structure other.structure
refuses 1 "not a structure" compare observed.graph h.graph --structure h.graph
grep -v '^#block' observed.graph >bare.graph
refuses 1 "#block" compare bare.graph h.graph --structure s.structure
