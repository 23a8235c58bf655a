# Profiles for kcachegrind, pprof and flame graphs: if this fails, other tools show other costs or calls than were executed. They
# are compared with valgrind's own counts, and read by the tools where these are installed.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
export HOTGRAPH_GAMES="$source/configs/games.cfg" PYTHONPATH="$source/tests/support" PYTHONDONTWRITEBYTECODE=1
profiles() { # NAME: exports NAME.graph
    for format in callgrind folded; do
        "$hotgraph" export --format $format --structure "$1.structure" "$1.graph" --out "$1.$format"
    done
    "$hotgraph" export --format pprof --structure "$1.structure" "$1.graph" --out "$1.pb.gz"
    "$hotgraph" export --format pprof --structure "$1.structure" "$1.graph" >"$1.pb"
    gzip -dc "$1.pb.gz" | cmp - "$1.pb" || fail "$1: compressed and not are two profiles"
}

# ---- a game: functions are the targets of calls ----
"$hotgraph" structure umbel --frames 300 --out game.structure >/dev/null
"$hotgraph" exact umbel --frames 300 --out game.graph >/dev/null
profiles game
python3 - <<'END' || fail "of a game"
import collections, profiles
executed = next(int(line.split()[1]) for line in open("game.structure") if line.startswith("#executed"))
summary, costs, calls = profiles.callgrind("game.callgrind")
assert sum(costs.values()) == summary and abs(summary - executed) < 50, (summary, executed)
folded, (pprof, files) = profiles.folded("game.folded"), profiles.pprof("game.pb.gz")
assert folded == pprof and files == [], "stacks differ"
assert abs(sum(folded.values()) - summary) < 1e-4 * summary, (sum(folded.values()), summary)
# A function's own cost is the same in all of them.
by_function = collections.Counter()
for stack, value in folded.items():
    by_function[stack[-1]] += value
flat = collections.Counter()
for (_, name, _), value in costs.items():
    flat[name] += value
for name, value in flat.most_common(10):
    assert abs(by_function[name] - value) < .01 * summary, (name, value, by_function[name])
# Calls are those of the graph into the function's entry, and the reset's function is the outermost one.
into = collections.Counter()
for line in open("game.graph"):
    if line[0] != "#":
        into[int(line.split()[1], 16)] += int(line.split()[2])
called = collections.Counter()
for (_, callee), count in calls.items():
    called[callee] += count
exact = sum(count == into[int(callee, 16)] for callee, count in called.items())  # others are also entered by jumps
assert len(called) > 20 and exact > .8 * len(called), (exact, len(called))
assert any(len(stack) > 2 for stack in folded)
END
command -v callgrind_annotate >/dev/null && {
    callgrind_annotate game.callgrind >annotated || fail "callgrind_annotate refuses it: $(cat annotated)"
    total=$(sed -n 's/^summary: //p' game.callgrind)
    tr -d , <annotated | grep -q "^ *$total .*PROGRAM TOTALS" || fail "callgrind_annotate finds another total: $(grep TOTALS annotated)"
}
refuses 2 "--structure FILE.structure is missing" export --format pprof game.graph
refuses 2 "belong to --format dot" export --format folded --all --structure game.structure game.graph

# ---- a program: instruction by instruction what callgrind counts ----
command -v qemu-x86_64 >/dev/null && command -v "${CC:-cc}" >/dev/null && test "$(uname -m)" = x86_64 ||
    { echo "no qemu-x86_64, or no compiler: no program is recorded" && exit 0; }
cat >loop.c <<'END'
#include <stdio.h>
static int __attribute__((noinline)) leaf(int n) {
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}
static int __attribute__((noinline)) tree(int n) { return n < 2 ? leaf(n) : tree(n - 1) + tree(n - 2); }
int main(void) {
    int t = 0;
    for (int i = 0; i < 1000; i++)
        t += leaf(i % 7);
    printf("%d\n", t + tree(15));
    return 0;
}
END
"${CC:-cc}" -O1 -o loop loop.c
"$hotgraph" record --graph program.graph --structure program.structure --output /dev/null -- ./loop >/dev/null
profiles program
python3 - <<'END' || fail "of a program"
import profiles
summary, costs, calls = profiles.callgrind("program.callgrind")
assert calls["main", "leaf"] == 1000 and calls["tree", "tree"] == 2 * calls["tree", "leaf"] - 2, calls
stacks, files = profiles.pprof("program.pb.gz")
assert files[0].endswith("/loop") and len(files) == len(set(files)) > 2, files  # the first one is the program
assert stacks == profiles.folded("program.folded")
assert abs(sum(stacks.values()) - summary) < .01 * summary
leaf = sum(v for k, v in stacks.items() if k[-2:] == ("main", "leaf"))
assert leaf > 10000, leaf
END
# There and back: positions are addresses, here of a program whose addresses are not offsets. Its name is in no character set.
name=$(printf 'l\351p <"&>;\134')
"${CC:-cc}" -O1 -no-pie -s -o "$name" loop.c
"$hotgraph" record --graph odd.graph --structure odd.structure --output /dev/null -- "./$name" >/dev/null
profiles odd
"$hotgraph" import odd.callgrind --images odd.structure --graph back.graph --json >back.json
for format in json graphml dot; do "$hotgraph" export --format $format --all --structure odd.structure odd.graph --out odd.$format; done
python3 - <<'END' || fail "there and back, or a strange name"
import json, profiles, xml.dom.minidom
def edges(path):
    return {tuple(w[:2]): int(w[2]) for w in (line.split() for line in open(path, errors="replace") if line[0] != "#")}
exact, back = edges("odd.graph"), edges("back.graph")  # callgrind has no returns
assert len(back) > .8 * len(exact) and all(exact[edge] == count for edge, count in back.items())
assert json.load(open("back.json"))["instructions"] == sum(profiles.callgrind("odd.callgrind")[1].values())
names = {b.get("name") for b in json.load(open("odd.json", encoding="utf-8"))["blocks"]}
assert any(name.startswith('l?p <"&>;\\+0x') for name in names), len(names)
nodes = xml.dom.minidom.parse("odd.graphml").getElementsByTagName("data")
assert names <= {node.firstChild.data for node in nodes}
END
iconv -f UTF-8 -t UTF-8 odd.dot >/dev/null && grep -q 'l?p <\\"&>;\\\\+0x' odd.dot || fail "the name in DOT: $(grep -a 'l.p' odd.dot | head -3)"

command -v valgrind >/dev/null && ! sanitized && {
    valgrind -q --tool=callgrind --dump-instr=yes --skip-plt=no --callgrind-out-file=valgrind.callgrind ./loop >/dev/null 2>errors ||
        fail "valgrind: $(cat errors)"
    python3 - <<'END' || fail "not what callgrind counts"
import collections, profiles
sums, mine = collections.Counter(), {}
for (ob, fn, at), n in profiles.callgrind("valgrind.callgrind")[1].items():
    if ob and ob.endswith("/loop"):
        sums[at] += n  # there, recursive calls have functions of their own
for (ob, fn, at), n in profiles.callgrind("program.callgrind")[1].items():
    if fn in ("main", "leaf", "tree"):
        mine[fn, at] = n
assert len(mine) > 40
for (fn, at), n in mine.items():
    assert sums[at] == n, (fn, hex(at), n, sums[at])
END
}
command -v go >/dev/null && { HOME=$work go tool pprof -top -nodecount=5 program.pb.gz >top 2>errors || fail "pprof refuses it: $(cat errors)"; grep -q 'Type: instructions' top && grep -q '^File: loop$' top || fail "pprof: $(cat top)"; }
exit 0
