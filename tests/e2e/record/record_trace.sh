# The trace of a program has the order of all transfers. If this fails, it does not execute what `record` counts edge by edge, techniques
# that follow transfers find something else in a program than in a game, or only our own decoder can read it.
set -eu
. "$(dirname "$0")/../record_lib.sh"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
# Signals, also within handlers and at faults in the midst of a block; code that is replaced; calls through pointers; recursion.
cat >prog.c <<'END_OF_C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static sigjmp_buf back;
static volatile unsigned caught;
static void on_other(int number) { caught += number; }
static void on_signal(int number) {
    for (int i = 0; i < 20; i++)
        caught += number & i;
    if (caught % 3 == 0)
        raise(SIGUSR2);
}
static void on_fault(int number) { caught += number; siglongjmp(back, 1); }
static unsigned depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
    static const unsigned char codes[2][8] = {{0xb8, 1, 0, 0, 0, 0xc3}, {0x90, 0x31, 0xc0, 0xeb, 0x00, 0x90, 0xc3}};
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int numbers[200], sum = 0;
    (void)argv;
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_other);
    signal(SIGSEGV, on_fault);
    for (int i = 0; i < 200; i++)
        numbers[i] = i * 7919 % 211;
    qsort(numbers, 200, sizeof *numbers, compare);
    for (int i = 0; i < 30; i++) {
        memcpy(code, codes[argc > 1 && i / 3 % 2], sizeof codes[0]);
        sum += ((int (*)(void))(void *)code)() + (int)depth(i % 9) + numbers[i];
        if (i % 4 == 1)
            raise(SIGUSR1);
        if (i % 10 == 3 && sigsetjmp(back, 1) == 0)
            sum += *(volatile int *)(long)(i % 2 * 4);
    }
    printf("%d %u\n", sum, caught);
    return 0;
}
END_OF_C
"${CC:-cc}" -O1 -o prog prog.c
record() { # NAME OPTION... -- PROGRAM...
    name=$1
    shift
    "$hotgraph" record --graph "$name.graph" --trace "$name.hgtrace" --output /dev/null "$@" 2>said || fail "record: $(cat said)"
}
edges() { grep -v '^#' "$1" | cut -f 1-3; }
profile() { # TRACE OPTION...
    trace=$1
    shift
    "$hotgraph" profile "$trace" --out found.graph "$@" >said 2>&1 || fail "profile: $(cat said)"
}
check() { # NAME TECHNIQUE...
    name=$1
    shift
    edges "$name.graph" >exact
    for technique; do
        profile "$name.hgtrace" --technique $technique
        edges found.graph >found
        cmp exact found || fail "$technique does not find in the trace what was counted"
    done
}
record b -- ./prog
check b exact paths
record a -- ./prog with-new-code
check a exact trace "trace --tnt long --psb 4 --returns whole --interval 1"
if command -v python3 >/dev/null; then
    python3 "$source/tests/e2e/play/packets.py" a.hgtrace a.graph >said 2>&1 || fail "decoded: $(cat said)"
    set --
    for one in 'entries share=900' 'decay threshold=40 period=1' 'bursts interval=13 burst=4 phase=7' 'fifo depth=4 cycles=6'; do
        profile a.hgtrace --technique $(echo "$one" | sed 's/ / --/g; s/=/ /g')
        mv found.graph "${one%% *}.graph"
        set -- "$@" $one
    done
    python3 "$source/tests/e2e/play/counters_from_trace.py" a.hgtrace a.graph "$@" >said 2>&1 || fail "counted: $(tail -3 said)"
fi
"$hotgraph" record --trace c.hgtrace.gz --graph c.graph --output /dev/null -- ./prog with-new-code 2>said || fail "$(cat said)"
zcat c.hgtrace.gz | cmp a.hgtrace - || fail "two traces of one program differ"
"$hotgraph" record --trace c.hgtrace --stream c.hgstream:lbr,every=997 --per-instruction --output /dev/null -- ./prog with-new-code 2>said || fail "$(cat said)"
check c exact

# A sweep records the program once, and each technique follows its trace, as by hand.
cat >followed.cfg <<'END'
name = "followed";
sampling = { by = "live"; };
grid = ( { technique = "net"; threshold = 5; }, { technique = "paths"; }, { technique = "trace"; buffer = [0, 1]; interval = 1; },
    { technique = "entries"; }, { technique = "decay"; threshold = 40; }, { technique = "bursts"; interval = 13; burst = 4; }, { technique = "fifo"; },
    { technique = "hybrid"; } );
programs = ( {name = "prog"; folder = "."; command = ("./prog");} );
END
"$hotgraph" sweep followed.cfg --db f.db >said 2>&1 || fail "sweep: $(cat said)"
grep -q 'left out.*hybrid cannot follow.*translator' said || fail "a technique that needs a machine is left out without a word: $(cat said)"
"$hotgraph" sweep followed.cfg --db f.db | grep -q 'nothing to do' || fail "a second sweep finds something to do"
profile b.hgtrace --technique net --threshold 5
for name in traces trace_bytes transfers inside completed first_trace_cycle; do
    stored=$(sqlite3 f.db "SELECT value FROM technique_count WHERE technique = 'net' AND name = '$name'")
    grep -q " $name $stored\( \|$\)" found.graph || fail "net: $name is $stored in a sweep: $(head -4 found.graph)"
done
test "$(sqlite3 f.db "SELECT count(*) FROM technique_quality WHERE technique IN ('paths', 'trace') AND hot_f1 = 1 AND overlap = 1")" = 2 ||
    fail "whole traces are not the exact graph: $(sqlite3 f.db "SELECT technique, parameters, hot_f1, overlap FROM technique_quality")"
test "$(sqlite3 f.db "SELECT group_concat(technique) FROM (SELECT technique FROM worth WHERE technique IN ('entries', 'decay', 'bursts', 'fifo')
    AND benefit IS NOT NULL ORDER BY 1)")" = bursts,decay,entries,fifo || fail "benefits: $(sqlite3 f.db "SELECT technique, benefit FROM worth")"
test "$(sqlite3 f.db "SELECT count(*) FROM technique_quality WHERE technique IN ('bursts', 'fifo') AND overlap > 0.5")" = 2 ||
    fail "counts: $(sqlite3 f.db "SELECT technique, parameters, overlap FROM technique_quality")"
test "$(sqlite3 f.db "SELECT lost > 0.5 AND changes >= 0 FROM technique_packets WHERE parameters LIKE 'buffer=1 %'")" = 1 || fail "a ring of 1 KiB loses nothing"
test "$(sqlite3 f.db "SELECT first_seconds > 0 AND first_seconds < ninety_seconds AND ninety_seconds < 0.01 FROM technique_trace")" = 1 ||
    fail "times are not those of the program's clock: $(sqlite3 f.db "SELECT first_seconds, ninety_seconds FROM technique_trace")"

# What cannot be is refused with the reason, and leaves no file.
refused() { # WHAT-IT-SAYS COMMAND...
    wanted=$1
    shift
    ! "$hotgraph" "$@" >said 2>&1 || fail "$* is accepted"
    grep -q "$wanted" said || fail "$*: $(cat said)"
    test ! -e no || fail "$* left a file"
}
head -c 30000 a.hgtrace >short
refused 'short: a damaged trace' profile short --out no
refused 'cannot follow .*translator' profile a.hgtrace --technique hybrid --out no
refused 'cannot follow .*thread' profile a.hgtrace --technique fifo_thread --out no
refused 'works on samples: .*by instructions' profile a.hgtrace --technique observed --out no
refused 'does not fit' profile a.hgtrace --technique bursts --interval 5 --burst 5 --out no
refused 'are for games' profile a.hgtrace --frames 3 --out no
refused 'is of one process' record --follow --trace no -- ./prog
cat >threads.c <<'END_OF_C'
#include <pthread.h>
static void *nothing(void *p) { return p; }
int main(void) { pthread_t t; return pthread_create(&t, 0, nothing, 0) || pthread_join(t, 0); }
END_OF_C
"${CC:-cc}" -pthread -o threads threads.c
refused 'no stream or trace' record --trace no -- ./threads
