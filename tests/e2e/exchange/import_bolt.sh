# What a program counts that BOLT has instrumented: if this fails, the imported graph has other edges than BOLT counted, or says that
# it is exact when it is not. The counts are compared with those of a recording, which another program made in another way.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null && command -v nm >/dev/null || skip "no C compiler"
flags="-O1 -fno-reorder-blocks-and-partition -Wl,--emit-relocs"
cat >own.py <<'END_OF_PYTHON'
"""own.py PROGRAM EXACT IMPORTED: in the program's own functions, every edge but those of returns, with equal counts."""
import subprocess, sys
program, exact, imported = sys.argv[1:]
(base,) = [int(line.split()[1], 16) for line in open(program + ".structure") if line.startswith("#image") and line.rstrip().endswith("/" + program)]
symbols = [line.split() for line in subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines()]
own = [(int(w[0], 16), int(w[1], 16)) for w in symbols if len(w) == 4 and w[2] in "tT" and w[3] != "_start"]
code, place = open(program, "rb").read(), lambda address: int(address, 16) - base
def edges(path):
    lines = [line.split() for line in open(path)]
    last = {w[1]: w[2] for w in lines if w[0] == "#block"}
    is_own = lambda address: any(start <= place(address) < start + size for start, size in own)
    return {(place(last[w[0]]), place(w[1])): int(w[2]) for w in lines if w[0][0] != "#" and is_own(w[0]) and is_own(w[1])}
ours = {key: count for key, count in edges(exact).items() if code[key[0]] != 0xc3}
theirs = edges(imported)
assert len(ours) > 10 and max(ours.values()) > 500 and ours == theirs, sorted(ours.items() ^ theirs.items())
END_OF_PYTHON
cp "$source/tests/data/bolt/prog.c" .
"${CC:-cc}" $flags -o prog prog.c
"$hotgraph" record --graph exact.graph --structure prog.structure --output /dev/null -- ./prog 2>/dev/null

# There and back: what BOLT would get of the exact graph.
"$hotgraph" export --bolt prog --structure prog.structure --rare 0 exact.graph --out prog.fdata 2>/dev/null
"$hotgraph" import prog.fdata --bolt prog --images prog.structure --graph back.graph >out 2>errors || fail "import: $(cat errors)"
test ! -s errors || fail "exact counts are doubted: $(cat errors)"
grep -q '^# kind exact' back.graph || fail "it is not said to be exact"
python3 own.py prog exact.graph back.graph || fail "back from BOLT's format it is another graph"
# The instructions between branches are counted, too: all of the program's own functions.
"$hotgraph" import prog.fdata --bolt prog --graph json.graph --structure back.structure --json >json
python3 - <<'END_OF_PYTHON' || fail "--json: $(cat json)"
import json
o = json.load(open("json"))
assert o["from"] == "bolt" and o["exact"] and o["samples"] is None and 2900000 < o["instructions"] < 3300000, o
END_OF_PYTHON
grep -q '^#image .*/prog$' back.structure || fail "the structure does not name the program"
# A profile of samples is not exact, and that is said.
"$hotgraph" record --stream s.isampling:every=997 --output /dev/null -- ./prog 2>/dev/null
"$hotgraph" build s.isampling --technique observed --out sampled.graph >/dev/null
"$hotgraph" export --bolt prog --structure prog.structure --rare 0 sampled.graph --out sampled.fdata 2>/dev/null
"$hotgraph" import sampled.fdata --bolt prog --graph x.graph >out 2>errors
grep -q 'so this is no exact profile' errors || fail "samples are taken for counts: $(cat out errors)"
grep -q '^# kind built' x.graph || fail "samples are said to be exact"
rm x.graph

refuses 1 "name its program with --bolt" import prog.fdata --graph x.graph
refuses 1 "BOLT counts and has no samples" import prog.fdata --bolt prog --stream x.isampling
refuses 1 "has no branches" import /dev/null --bolt prog --graph x.graph
echo "1 nobody 0 1 nobody 1 0 1" >other.fdata
refuses 1 "none of its branches is in prog" import other.fdata --bolt prog --graph x.graph
sed 's/ main [0-9a-f]* 0 /&x/' prog.fdata >bad.fdata
refuses 1 "a line ends with two decimal numbers" import bad.fdata --bolt prog --graph x.graph
printf 'boltedcollection\n1 main 0 1 main 3 0 1\n' >bolted.fdata
refuses 1 "a program that BOLT has laid out" import bolted.fdata --bolt prog --graph x.graph
refuses 1 "absent: there is no such file" import prog.fdata --bolt absent --graph x.graph
test ! -e x.graph && test ! -e x.isampling || fail "something was written"

# BOLT itself. Debian's llvm-bolt-19 does not find its runtime library under its name in /usr/bin.
bolt=/usr/lib/llvm-19/bin/llvm-bolt
test -e /usr/lib/llvm-19/lib/libbolt_rt_instr.a || { echo "no bolt-19: no program is instrumented" && exit 0; }
count() { # PROGRAM OPTION...: writes PROGRAM.fdata
    name=$1
    shift
    $bolt "$name" --instrument "$@" --instrumentation-file="$work/$name.fdata" -o "$name.counting" >bolted 2>&1 || fail "BOLT: $(cat bolted)"
    "./$name.counting" >/dev/null
}
count prog
"$hotgraph" import prog.fdata --bolt prog --images prog.structure --graph counted.graph >out 2>errors || fail "import: $(cat errors)"
test ! -s errors || fail "BOLT's counts are doubted: $(cat errors)"
python3 own.py prog exact.graph counted.graph || fail "BOLT counts something else"
cut -d' ' -f2,5 "$source/tests/data/bolt/prog.fdata" | sort -u >known
cut -d' ' -f2,5 prog.fdata | sort -u | same known -

# Exceptions, tables of jumps, calls by address, calls that do not return, or twice.
command -v "${CXX:-c++}" >/dev/null || { echo "no C++ compiler" && exit 0; }
cat >more.cc <<'END_OF_CXX'
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
static jmp_buf back;
struct Guard { int &n; Guard(int &x) : n(x) {} ~Guard() { n++; } };
static int __attribute__((noinline)) risky(int i, int &n) { Guard g(n); if (i % 7 == 3) throw i; return i * 3; }
static int __attribute__((noinline)) choose(int x) {
    switch (x) { case 0: return 7; case 1: return 11; case 2: return x * 5 + 1; case 3: return 19 ^ x; case 4: return x << 3; case 5: return 5; case 6: return x * x; default: return 1; }
}
static int compare(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : 1; }
static int __attribute__((noinline)) tail(int x) { return choose(x & 7); }
static void __attribute__((noinline)) jumps(int i) { if (i % 5 == 0) longjmp(back, i + 1); }
int main(int argc, char **) {
    int n = 0, t = 0, v[500];
    for (int i = 0; i < 1000; i++) {
        try { t += risky(i, n); } catch (int e) { t ^= e; }
        t += choose(i % 9) + tail(i);
    }
    for (int i = 0; i < 500; i++) v[i] = (i * 7919) % 503;
    qsort(v, 500, sizeof *v, compare);
    volatile int k = 0;
    for (volatile int i = 1; i < LONGJMPS; i++) { if (setjmp(back) == 0) { jumps(i); k++; } else k += 100; }
    printf("%d %d %d %d\n", n, t, v[17], k);
    if (argc == 1) exit(0);
    return 3;
}
END_OF_CXX
for name in plain jumping; do
    "${CXX:-c++}" $flags -DLONGJMPS=$([ $name = plain ] && echo 0 || echo 50) -o $name more.cc
    "$hotgraph" record --graph $name.exact --structure $name.structure --output /dev/null -- ./$name 2>/dev/null
    count $name --conservative-instrumentation
    "$hotgraph" import $name.fdata --bolt $name --images $name.structure --graph $name.graph >out 2>errors || fail "$name: $(cat errors)"
    test ! -s errors || fail "$name: BOLT's counts are doubted: $(cat errors)"
    python3 own.py $name $name.exact $name.graph || fail "$name: BOLT counts something else"
done
# By default BOLT counts some branches only, and infers the others as if every call returned once.
count jumping
"$hotgraph" import jumping.fdata --bolt jumping --graph y.graph >out 2>errors
grep -q 'so this is no exact profile' errors || fail "nobody notices that BOLT's counts are wrong: $(cat out)"
