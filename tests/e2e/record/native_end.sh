# A program with probes is stopped from outside: if this fails, it outlives hotgraph native, a temporary folder stays
# behind, or the counts so far are lost.
set -u
. "$(dirname "$0")/../lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no native probes here"
cd "$work"
cat >work.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void on_signal(int number) { _exit(number + 1); }
__attribute__((noinline)) void turn(volatile unsigned *x) { ++*x; }
int main(int argc, char **argv) {
    volatile unsigned x = 0;
    if (argc > 1) for (int i = 1; i < 16; i++) signal(i, on_signal); /* it has its own way to end */
    for (int i = 0; i < 1000; i++) turn(&x);
    printf("%d\n", (int)getpid());
    fflush(stdout);
    for (;;) pause();
}
END
${CC:-cc} -O1 -o work work.c 2>/dev/null || skip "no compiler"
mkdir scratch
export TMPDIR=$work/scratch
id=
cleanup() { for pid in $id $(cat out 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done; }
start() {
    rm -f out r.json
    env --default-signal=INT,QUIT,HUP "$hotgraph" native --json r.json -- ./work "$@" >out 2>errors &
    id=$!
    begun test -s out
}
for signal in TERM:15 INT:2 HUP:1 QUIT:3; do
    number=${signal#*:}
    start
    kill -"${signal%:*}" $id
    wait $id 2>/dev/null
    got=$?
    test $got = $((128 + number)) || fail "SIG${signal%:*}: exit status $got: $(cat errors)"
    id=
    gone $(cat out)
    test -z "$(ls scratch)" || fail "left behind: $(ls scratch)"
    grep -q "work: stopped by signal $number (.*); the counts end there" errors || fail "nothing is said: $(cat errors)"
    grep -q '"function":"turn","offset":0,.*"count":1000}' r.json || fail "what was counted is lost: $(cat r.json)"
    # One that handles it ends as it likes.
    start handles
    kill -"${signal%:*}" $id
    wait $id 2>/dev/null
    got=$?
    test $got = $((number + 1)) || fail "SIG${signal%:*} is handled: exit status $got: $(cat errors)"
    id=
    grep -q "got signal $number (.*), and ended with exit status $got" errors || fail "nothing is said: $(cat errors)"
    test -z "$(ls scratch)" || fail "left behind: $(ls scratch)"
done
start
kill -9 $id
wait $id 2>/dev/null
id=
gone $(cat out)
