# QEMU's own log of executed blocks: if this fails, the imported graph has other edges than were executed, or a log that lacks
# something is believed. The graphs are compared with those of a recording, which a plugin makes in another way.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
logged() { # LOG PROGRAM [ARGUMENT...]: as record runs it
    log=$1
    shift
    env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/nonexistent TZ=UTC0 PYTHONHASHSEED=0 PERL_HASH_SEED=0 "$(command -v qemu-x86_64)" -cpu qemu64 \
        -s 8388608 -seed 1 -strace -d exec,nochain,in_asm,page -D "$log" "$@" >said || return $?
}
edges() { grep -v '^# ' "$1" | cut -f 1-3; } # without the mark of busy-waits, which only a recording has

# A program without libraries: every edge, block and sample.
cat >alone.c <<'END'
static unsigned __attribute__((noinline)) leaf(unsigned n) {
    volatile unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += i % 3 ? i : 7;
    return s;
}
static unsigned __attribute__((noinline)) tree(unsigned n) { return n < 2 ? leaf(n) : tree(n - 1) + tree(n - 2); }
static char from[300], to[300];
void _start(void) {
    unsigned t = 0;
    for (unsigned i = 0; i < 40; i++)
        t += leaf(i) + tree(i % 6);
    char *a = from, *b = to;
    unsigned long n = sizeof to;
    __asm__ volatile("rep movsb" : "+S"(a), "+D"(b), "+c"(n) : : "memory");
    __asm__ volatile("syscall" : : "a"(231), "D"(t & 1));
}
END
"${CC:-cc}" -O1 -static -nostdlib -o alone alone.c
"$hotgraph" record --graph exact.graph --structure exact.structure --stream exact.isampling --output /dev/null -- ./alone >/dev/null
logged alone.log ./alone || true
"$hotgraph" import alone.log --qemu ./alone --images exact.structure --graph log.graph --structure log.structure --stream log.isampling >out ||
    fail "alone.log: $(cat out)"
grep -q 'left out: 0 executed blocks in no file on this machine, 0 transfers' out || fail "something is left out: $(cat out)"
edges exact.graph >expected
edges log.graph | same expected -
test "$(wc -l <expected)" -gt 20 || fail "no graph to compare with"
grep -q '^# kind exact' log.graph || fail "it is not said to be exact"
cut -f 2-5 exact.isampling >expected
test "$(wc -l <expected)" -gt 100 || fail "no samples to compare with"
cut -f 2-5 log.isampling | tail -n +2 >found
tail -n +2 expected | same - found
"$hotgraph" compare log.graph exact.graph >compared || fail "they are of different programs: $(cat compared)"
"$hotgraph" build log.isampling --technique flow --structure log.structure --out flow.graph >/dev/null

# The log in the tree is what QEMU 7.2 writes of this program, whose code every gcc of Debian 12 compiles alike.
gzip -c alone.log >alone.log.gz
"$hotgraph" import alone.log.gz --qemu ./alone --images exact.structure --graph again.graph --json >json
same again.graph log.graph
python3 -c '
import json
o = json.load(open("json"))
assert o["from"] == "qemu" and o["exact"] and o["threads"] == 1 and o["samples"] is None and o["instructions"] > 4000, o'

# With libraries, in memory anywhere: all edges of the program's own functions, returns too.
cat >libraries.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int __attribute__((noinline)) odd(int x) { return x % 3 == 1 ? 5 : x; }
static int order(const void *a, const void *b) { return *(const int *)a - odd(*(const int *)b); }
int main(void) {
    int v[60], t = 0;
    for (int i = 0; i < 60; i++)
        v[i] = i * 7919 % 61;
    qsort(v, 60, sizeof *v, order);
    for (int i = 0; i < 60; i++)
        t += odd(v[i]);
    printf("%d\n", t);
    return 0;
}
END
"${CC:-cc}" -O1 -o "with libraries" libraries.c
"$hotgraph" record --graph exact.graph --structure exact.structure --output /dev/null -- "./with libraries" >/dev/null
logged lib.log "./with libraries"
"$hotgraph" import lib.log --qemu "with libraries" --images exact.structure --graph log.graph >out || fail "lib.log: $(cat out)"
grep -q 'left out: 0 executed blocks' out || fail "blocks in no file: $(cat out)"
cat >own.py <<'END'
import sys
images = sorted((int(w[1], 16), w[3].rstrip("\n")) for w in (line.split(" ", 3) for line in open("exact.structure") if line.startswith("#image")))
own = next(base for base, path in images if path.endswith("/" + sys.argv[2]))
for line in open(sys.argv[1]):
    w = line.split()
    if line[0] != "#" and all(own <= int(a, 16) < own + (1 << 24) for a in w[:2]):
        print(*w[:3])
END
for graph in exact log; do python3 own.py $graph.graph "with libraries" >$graph; done
test "$(wc -l <exact)" -gt 20 || fail "no edges of its own: $(cat exact)"
same exact log
"$hotgraph" compare log.graph exact.graph --json >compared
python3 -c '
import json
o = json.load(open("compared"))["whole"]
assert o["fair"]["overlap"] > .99, o' || fail "the libraries' graph is another one: $(cat compared)"

# The same for another processor, with its libraries.
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null && test -e /usr/aarch64-linux-gnu/lib/libc.so.6; then
    aarch64-linux-gnu-gcc -O1 -o foreign libraries.c
    "$hotgraph" record --sysroot /usr/aarch64-linux-gnu --graph exact.graph --structure exact.structure --output /dev/null -- ./foreign >/dev/null
    qemu-aarch64 -L /usr/aarch64-linux-gnu -strace -d exec,nochain,in_asm,page -D foreign.log ./foreign >said
    "$hotgraph" import foreign.log --qemu ./foreign --sysroot /usr/aarch64-linux-gnu --images exact.structure --graph log.graph >out ||
        fail "foreign.log: $(cat out)"
    grep -q 'left out: 0 executed blocks' out || fail "aarch64: blocks in no file: $(cat out)"
    for graph in exact log; do python3 own.py $graph.graph foreign >$graph; done
    test "$(wc -l <exact)" -gt 20 || fail "no edges of its own: $(cat exact)"
    same exact log
fi

# Signals interrupt blocks and system calls; no edge leads into a handler.
cat >signals.c <<'END'
#include <signal.h>
#include <sys/time.h>
static volatile int alarms, raised;
static void on_alarm(int s) { (void)s; alarms++; }
static void on_raise(int s) { (void)s; raised++; }
int main(void) {
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    signal(SIGUSR1, on_raise);
    setitimer(ITIMER_REAL, &often, 0);
    for (unsigned x = 1; alarms < 3; x = x * 3 + 1)
        ;
    setitimer(ITIMER_REAL, &never, 0);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    return raised + (alarms > 2) - 6;
}
END
"${CC:-cc}" -O1 -static -o signals signals.c
logged signals.log ./signals
"$hotgraph" import signals.log --qemu ./signals --graph signals.graph --structure signals.structure >out || fail "signals.log: $(cat out)"
grep -q '0 executed blocks in no file on this machine, 0 transfers by signals' out || fail "signals: $(cat out)"
handler=$(nm signals | sed -n 's/ t on_raise$//p')
python3 - "$handler" <<'END' || fail "an edge leads into a handler, or it was never seen"
import re, sys
(base,) = [int(line.split()[1], 16) for line in open("signals.structure") if line.startswith("#image")]
# The file's offsets are the addresses less those of its first byte.
offset = int(sys.argv[1], 16) - 0x400000 + base
text = open("signals.graph").read()
assert re.search(f"^#block {offset:#x} ", text, re.M), hex(offset)
assert not re.search(f"\t{offset:#x}\t", text), hex(offset)
END

# What a log lacks, and what is none.
refuses 1 "name its program with --qemu" import alone.log --graph x.graph
refuses 1 "is ./signals the program, unchanged" import alone.log --qemu ./signals --graph x.graph
refuses 1 "absent: there is no such file" import alone.log --qemu absent --graph x.graph
refuses 2 "give --bolt or --qemu" import alone.log --qemu ./alone --bolt ./alone --graph x.graph
refuses 2 "give --qemu" import alone.log --sysroot / --graph x.graph
grep -v '^0x' alone.log >noasm.log
refuses 1 "its instructions are not in the log (-d in_asm" import noasm.log --qemu ./alone --graph x.graph
grep -v '^Trace' alone.log >noexec.log
refuses 1 "has no executed blocks" import noexec.log --qemu ./alone --graph x.graph
sed 's,/00000200],/00000000],' alone.log >chained.log
refuses 1 "blocks that QEMU has chained" import chained.log --qemu ./alone --graph x.graph
grep -v 'start_code\|entry' alone.log >nopage.log
refuses 1 "has no address of the program (-d page)" import nopage.log --qemu ./alone --graph x.graph
grep -v exit_group alone.log >nocalls.log
refuses 1 "has no system calls" import nocalls.log --qemu ./alone --graph x.graph
{ cat alone.log && echo '99 exit_group(0)'; } >two.log
refuses 1 "a second process begins" import two.log --qemu ./alone --graph x.graph
sed 's/^Trace 0: 0x[^ ]* .*leaf/&/; /^Trace/s/Trace 0/Trace 1/;t' alone.log | sed '0,/^Trace 1/s//Trace 0/' >threads.log
refuses 1 "has 2 threads" import threads.log --qemu ./alone --stream x.isampling
{ cat alone.log && echo '--- SIGSEGV {si_signo=SIGSEGV} ---'; } >fault.log
"$hotgraph" import fault.log --qemu ./alone --graph fault.graph >out 2>errors
grep -q 'the graph is marked as built' errors && grep -q '^# kind built' fault.graph || fail "a fault is not noticed: $(cat errors)"
test ! -e x.graph && test ! -e x.isampling || fail "something was written"
"$hotgraph" import "$source/tests/data/qemu/ten.log" --qemu ./alone --graph x.graph >out 2>errors && fail "the log of another program is believed"
"${CC:-cc}" -O1 -static -nostdlib -o ten "$source/tests/data/callgrind/ten.c"
"$hotgraph" import "$source/tests/data/qemu/ten.log" --qemu ./ten --graph ten.graph >out || { echo "this compiler makes other code of ten.c" && exit 0; }
grep -q "^0x[0-9a-f]*11	0x[0-9a-f]*11	11" ten.graph || fail "ten passes of the loop: $(cat ten.graph)"
