# hotgraph flow: if this fails, our minimum-cost flows cannot be compared with those of another solver, or a
# malformed file is solved.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"

cat >ways.min <<'END'
c Four units from 1 to 4. By way of 2 a unit costs 3, for as many as two; by way of 3 it costs 5; from
c 2 to 3 one is paid: 1-2-3-4 costs 3 as well.
p min 4 6
n 1 4
n 4 -4
a 1 2 0 3 1
a 2 4 0 2 2
a 1 3 0 4 2
a 3 4 0 4 3
a 2 3 0 9 -1
a 2 3 0 9 7
END
for solver in simplex klein; do
    "$hotgraph" flow --solver $solver ways.min >out
    head -1 out | grep -qx 's 14' || fail "$solver: $(cat out)"
    test "$(grep -c '^f ' out)" = 6 || fail "an f line for each arc"
    tail -1 out | grep -qx 'f 2 3 0' || fail "parallel arcs in the file's order: $(cat out)"
done
"$hotgraph" flow --json ways.min >json
python3 - <<'END' || fail "JSON: $(cat json)"
import json
r = json.load(open("json"))
assert (r["cost"], r["nodes"], r["arcs"], r["optimal"], len(r["flow"])) == (14, 4, 6, True, 6), r
assert r["flow"][0] + r["flow"][2] == 4, r
END

# A network in which cancelling with GCC's limit ends too early, and says so.
python3 - <<'END' >cycles.min
print("p min 1200 2400")
for v in range(1, 1201):
    print("a", v, v % 1200 + 1, 0, v % 7 + 1, v % 13 - 6)
    print("a", v, (v * 7) % 1200 + 1, 0, v % 5 + 1, v % 11 - 5)
END
"$hotgraph" flow cycles.min >best
"$hotgraph" flow --solver klein cycles.min | head -1 >klein
head -1 best >best.cost
same best.cost klein
"$hotgraph" flow --solver klein --gcc-limit cycles.min 2>warned >limited
grep -q 'may not have minimum cost' warned || fail "the limit is not reported: $(cat warned)"
test "$(awk '/^s/ {print $2}' limited)" -gt "$(awk '/^s/ {print $2}' best)" || fail "no worse"

# The flow keeps the bounds, and is conserved at each node.
python3 - <<'END' || fail "not a flow"
arcs = [line.split() for line in open("cycles.min") if line[0] == "a"]
flows = [line.split() for line in open("best") if line[0] == "f"]
cost = int(open("best").readline().split()[1])
balance = {}
for (_, u, v, low, high, price), (_, a, b, flow) in zip(arcs, flows, strict=True):
    assert (u, v) == (a, b) and int(low) <= int(flow) <= int(high), (u, v, flow)
    balance[u] = balance.get(u, 0) - int(flow)
    balance[v] = balance.get(v, 0) + int(flow)
    cost -= int(price) * int(flow)
assert cost == 0 and not any(balance.values())
END

printf 'p min 2 1\na 1 3 0 1 1\n' >bad.min
refuses 1 'bad.min:2: expected "a FROM TO LOWER UPPER COST"' flow bad.min
printf 'p min 2 1\nn 1 3\na 1 2 0 1 1\n' >none.min
refuses 1 'none.min: no flow keeps all bounds and supplies' flow none.min
printf 'p min 1 1\na 1 1 0 9223372036854775807 -1\n' >falls.min
refuses 1 'falls.min: there is no least cost' flow falls.min
printf 'p min 2 1\na 1 2 0 1 9223372036854775807\n' >large.min
refuses 1 'large.min: the bounds or costs are so large' flow large.min
refuses 1 'nowhere.min' flow nowhere.min
refuses 2 "did you mean 'simplex'" flow --solver simple ways.min
refuses 2 '--gcc-limit needs --solver klein' flow --gcc-limit ways.min
