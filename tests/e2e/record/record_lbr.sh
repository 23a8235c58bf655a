# The last taken branches of a program: if this fails, a stack of them has other branches or other code between them than were
# executed, or depends on how QEMU divides code. They are found again in the whole trace, instruction by instruction.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
cat >prog.c <<'END_OF_C'
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile unsigned caught;
static void on_signal(int number) { for (int i = 0; i < 100; i++) caught += number & i; }
static unsigned __attribute__((noinline)) mix(unsigned x) { return x % 7 ? x * 2654435761u : x ^ x >> 9; }
static unsigned __attribute__((noinline)) depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
int main(int argc, char **argv) {
    static char from[3000], to[3000];
    unsigned t = 0;
    (void)argv;
    signal(SIGUSR1, on_signal);
    for (unsigned i = 0; i < 3000; i++) {
        t += mix(t + i) & 15 ? 1 : depth(i % 9);
        if (i % 100 == 0)
            __asm__ volatile("rep movsb" : : "S"(from), "D"(to), "c"((long)i) : "memory");
        if (i % 50 == 0 || (i > 1000 && i < 1020)) /* long code without branches */
            __asm__ volatile(".rept 3000\n add $3, %0\n .endr" : "+r"(t));
        if (argc > 1 && i % 500 == 1)
            raise(SIGUSR1);
    }
    printf("%u %d %u\n", t, to[7], caught);
    return 0;
}
END_OF_C
"${CC:-cc}" -O1 -o prog prog.c
settings="--stream NAMEa.isampling:lbr,every=997 --stream NAMEb.isampling:lbr,every=3001,stack=32
    --stream NAMEc.isampling:lbr_taken,every=61,seed=3 --stream NAMEd.isampling:lbr_taken,every=400,stack=5,seed=4"
record() { # NAME OPTION... -- PROGRAM...
    name=$1
    shift
    "$hotgraph" record --structure "$name.structure" --graph "$name.graph" $(echo "$settings" | sed "s/NAME/$name/g") --output /dev/null "$@" 2>said ||
        fail "record: $(cat said)"
}
record whole -- ./prog
record each --per-instruction -- ./prog
for s in a b c d; do same whole$s.isampling each$s.isampling; done
# A stream beside others is the same as alone.
"$hotgraph" record --stream alone.isampling:lbr_taken,every=61,seed=3 --stream trace.isampling:every=1000,batch=1000 --output /dev/null -- ./prog 2>/dev/null
same alone.isampling wholec.isampling

cat >expect.py <<'END_OF_PYTHON'
"""The stacks, found in the trace of all instructions, which begins with instruction 1,000."""
import csv
START, MOST, MASK = 1000, 8192, (1 << 64) - 1

def rows(path):
    return [(int(r["pc"], 16), int(r["size"]), r["type"], int(r["batch"])) for r in csv.DictReader(open(path), delimiter="\t")]

def batches(path):
    found = {}
    for pc, _, _, batch in rows(path):
        found.setdefault(batch, []).append(pc)
    return list(found.values())

def splitmix(seed, n):
    z = (seed + (n + 1) * 0x9e3779b97f4a7c15) & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31

trace = rows("trace.isampling")
taken = [i for i in range(1, len(trace)) if "BRANCH" in trace[i - 1][2] and
         (" COND" not in trace[i - 1][2] or trace[i][0] != trace[i - 1][0] + trace[i - 1][1])]

def stack(newest, entries):  # newest: number in `taken`
    last = taken[newest]
    first = min(i for i in taken[max(0, newest - entries + 1):newest + 1] if last - i + 2 <= MOST)
    return [pc for pc, _, _, _ in trace[first - 1:last + 1]]

def by_instructions(path, every, entries):
    got, wanted, at = batches(path), [], 0
    for due in range(every, START + len(trace), every):
        while at < len(taken) and taken[at] <= due - START:
            at += 1
        wanted.append(stack(at - 1, entries) if at >= entries else None)  # None: it began before the trace
    assert abs(len(got) - len(wanted)) <= 1 and wanted.count(None) < 5, (len(got), len(wanted))
    assert all(w is None or g == w for g, w in zip(got, wanted)), path
    assert max(map(len, got)) > 3000, "none has the long code"

def by_branches(path, every, entries, seed):
    # How many branches were taken before the trace begins: as many as make all samples fit.
    got = batches(path)
    dues = [n * every + splitmix(seed, n) % every for n in range(len(got) + 1)]
    fits = []
    for before in range(0, 1000):
        known = [(g, d - before) for g, d in zip(got, dues) if entries <= d - before < len(taken)]
        if all(g == stack(d, entries) for g, d in known):
            fits.append(before)
    assert len(fits) == 1 and len(known) > 30, (path, len(got), fits)
    return fits[0]

by_instructions("wholea.isampling", 997, 16)
by_instructions("wholeb.isampling", 3001, 32)
assert by_branches("wholec.isampling", 61, 16, 3) == by_branches("wholed.isampling", 400, 5, 4)
END_OF_PYTHON
python3 expect.py || fail "see above"

# The techniques work on it, and `flow` knows that the code before a stack's first branch is not seen.
"$hotgraph" build wholec.isampling --technique observed --out observed.graph >/dev/null
"$hotgraph" build wholec.isampling --technique flow --structure whole.structure --out flow.graph >/dev/null
for g in observed flow; do
    "$hotgraph" compare $g.graph whole.graph --json >$g.json
    python3 -c 'import json, sys; o = json.load(open(sys.argv[1]))["whole"]["fair"]["overlap"]; assert o > .9, o' $g.json || fail "$g does not find the program"
done
refuses 1 "of one length" build wholec.isampling --technique gaussian --out x.graph
# In another context, as a signal handler's, a stack begins anew: no batch has code that did not run in sequence.
record signal -- ./prog x
record signal1 --per-instruction -- ./prog x
for s in a b c d; do same signal$s.isampling signal1$s.isampling; done
"$hotgraph" build signala.isampling --technique observed --out read.graph >/dev/null
python3 - <<'END_OF_PYTHON' || fail "a batch goes from one context to another"
def edges(path):
    lines = [line.split() for line in open(path)]
    last = {w[1]: w[2] for w in lines if w[0] == "#block"}
    return {(last[w[0]], w[1]) for w in lines if w[0][0] != "#"}
found, exact = edges("read.graph"), edges("signal.graph")
assert len(found) > 50 and found <= exact, sorted(found - exact)
END_OF_PYTHON

refuses 2 "give one of transfers, lbr and lbr_taken" record --stream x.isampling:lbr,transfers -- ./prog
refuses 2 "stack= belongs to lbr" record --stream x.isampling:stack=4 -- ./prog
refuses 2 "batch= is not allowed" record --stream x.isampling:lbr,batch=4 -- ./prog
refuses 2 "stack=N (2 to 64)" record --stream x.isampling:lbr,stack=65 -- ./prog
test ! -e x.isampling || fail "something was written"
