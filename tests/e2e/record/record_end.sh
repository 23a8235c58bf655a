# The end of a recorded program: if this fails, the program or its children outlive a stopped recording, files are left
# behind, Ctrl-C loses hours of work, or the graph of a partial run is taken for a complete one.
set -u
. "$(dirname "$0")/../record_lib.sh"
exec </dev/null
cat >work.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned x;
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 20000; i++) x += i;
    if (strchr(what, 'i')) /* nothing that a user sends ends it */
        for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
    if (strchr(what, 'b')) { /* nor does anything that it could block */
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
    }
    int more = strchr(what, 'f') ? fork() : -1; /* what it starts goes on for ever, too */
    if (more != 0) {
        printf("%d\n", (int)getpid());
        if (more > 0) printf("%d\n", more);
        fflush(stdout);
    }
    if (strchr(what, 'c')) *(volatile int *)8 = 3;
    if (strchr(what, 'a')) abort();
    if (strchr(what, 'k')) kill(getpid(), SIGKILL);
    if (strchr(what, 's')) for (;;) pause();
    if (strchr(what, 'l')) for (;;) x++;
    if (strchr(what, 'r')) { char line[99]; printf("%s", fgets(line, sizeof line, stdin) ? line : "nothing\n"); }
    if (strchr(what, 'q')) { if (fork() == 0) _exit(0); wait(NULL); }
    return strchr(what, '3') ? 3 : 0;
}
END
${CC:-cc} -O1 -o work work.c 2>/dev/null || exit 77
mkdir "scratch, a: b"
export TMPDIR="$work/scratch, a: b" # QEMU divides what it tells the plugin at commas
clean() { [ -z "$(ls "$TMPDIR")" ] || fail "$1: left in \$TMPDIR: $(ls "$TMPDIR")"; }

# record STATUS ARGUMENT...: writes all outputs; messages go to errors.
record() {
    want=$1; shift
    rm -f g.graph* s.isampling out
    "$hotgraph" record --graph g.graph --stream s.isampling:every=500 --output out "$@" >said 2>errors
    got=$?
    [ $got = "$want" ] || fail "exit status $got, not $want: record $*: $(cat errors)"
    clean "record $*"
}
partial() { # WHY: checks the three places that must say so
    grep -qx "# partial" g.graph && grep -qx "# $1" g.graph || fail "the graph does not say that it is partial: $(head -8 g.graph)"
    grep -qx "partial	$1" g.graph.meta || fail "meta does not say it: $(cat g.graph.meta)"
    grep -qF "$1: the recording covers what happened before that" errors || fail "nothing is said of it: $(cat errors)"
    [ "$(sed -n 's/^instructions	//p' g.graph.meta)" -gt 40000 ] || fail "what it did so far is not there: $(cat g.graph.meta)"
    [ -s s.isampling ] || fail "no stream"
}

# To its end: its exit status is printed, ours is 0; processes that it started are
# counted.
record 0 -- ./work 3
grep -q "exit status 3" errors && grep -qx "exit	3" g.graph.meta || fail "exit status 3: $(cat errors)"
grep -q "partial" g.graph g.graph.meta errors && fail "a whole run is partial"
record 0 -- ./work q
grep -q "; 1 child process is not in the graph" errors && grep -qx "processes	1" g.graph.meta || fail "a fork: $(cat errors)"
record 0 -- /bin/sh -c '/bin/true; /bin/true; exit 0'
grep -q "; 2 child processes are not" errors || fail "two processes: $(cat errors)"

# Standard input.
record 0 -- ./work r
grep -q warning errors && fail "there was no input: $(cat errors)"
tail -1 out | grep -qx nothing || fail "input out of nowhere: $(cat out)"
echo given | "$hotgraph" record --graph g.graph --output out -- ./work r 2>errors || fail "piped: $(cat errors)"
grep -q "standard input is empty.*--input -" errors || fail "nothing is said of piped input: $(cat errors)"
tail -1 out | grep -qx nothing || fail "piped input is read: $(cat out)"
for input in "-" "/dev/stdin"; do
    echo given | "$hotgraph" record --graph g.graph --output out --input $input -- ./work r 2>errors || fail "--input $input: $(cat errors)"
    grep -q warning errors && fail "--input $input: $(cat errors)"
    tail -1 out | grep -qx given || fail "--input $input is not read: $(cat out)"
done

# By a signal.
record 139 -- ./work c
partial "ended by signal 11 (Segmentation fault)"
record 134 -- ./work a
partial "ended by signal 6 (Aborted)"
"$hotgraph" record --json --output /dev/null -- ./work a >json 2>/dev/null
grep -q '"partial": "ended by signal 6 (Aborted)"' json || fail "JSON: $(cat json)"
record 1 -- ./work k
grep -q "ended by signal 9 (Killed), and it left no recording" errors || fail "$(cat errors)"
[ ! -e g.graph ] || fail "a graph out of nothing"

# With a limit of instructions: at most this number is recorded, and always the same ones.
for way in "" --per-instruction; do
    record 0 --max-instructions 50000 $way -- ./work l
    partial "stopped at its limit of instructions"
    executed=$(sed -n 's/^instructions	//p' g.graph.meta)
    [ "$executed" -le 50000 ] && [ "$executed" -gt 49000 ] || fail "$executed of 50,000 instructions $way"
    cp g.graph first; cp s.isampling first.isampling
    record 0 --max-instructions 50000 $way -- ./work l
    same first g.graph; same first.isampling s.isampling
done
[ "$executed" = 50000 ] || fail "one by one: $executed instructions, not 50000"
record 0 --max-instructions 50000 -- ./work fl
partial "stopped at its limit of instructions"
record 0 --max-instructions 1000000000 -- ./work
grep -q partial g.graph && fail "a limit that it did not reach"

# With a time limit. A machine that is too slow to start it within that time
# gets more.
limit=1 got=
until [ -s out ] && grep -q "^instructions	[0-9]\{6\}" g.graph.meta 2>/dev/null && [ "$got" = 124 ]; do
    rm -f g.graph* s.isampling out
    "$hotgraph" record --graph g.graph --stream s.isampling:every=500 --output out --timeout $limit -- ./work fl >said 2>errors
    got=$?
    [ $got = 124 ] || [ $got = 1 ] || fail "exit status $got, not 124: $(cat errors)"
    limit=$((limit * 2))
    [ $limit -lt 1000 ] || fail "never: $(cat errors)"
done
partial "stopped at its timeout"
gone $(cat out)
refuses 2 "--timeout takes" record --graph g.graph --timeout 0 -- ./work
refuses 2 "--max-instructions takes" record --graph g.graph --max-instructions 0 -- ./work

# A partial graph cannot be swept, and is only compared with a warning.
cat >pair.cfg <<'END'
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};
games = ({name = "part"; stream = "s.isampling"; graph = "g.graph";});
END
refuses 1 "g.graph: covers only part of a run" sweep pair.cfg --db x.db
"$hotgraph" build s.isampling --out b.graph 2>/dev/null || fail "build"
"$hotgraph" compare b.graph g.graph >/dev/null 2>errors || fail "compare: $(cat errors)"
grep -q "warning: g.graph: covers only part of a run" errors || fail "compare does not warn: $(cat errors)"
cat >program.cfg <<'END'
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};
programs = ({name = "crash"; folder = "."; command = ("./work", "c");});
END
refuses 1 "ended by signal 11 (Segmentation fault): only whole runs are recorded" sweep program.cfg --db y.db

# Stopped: the program and its children end with us, and the recording so far is kept. A second signal would end us at
# once.
id=
cleanup() { for pid in $id $(cat out 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done; }
start() { # ARGUMENT
    rm -f g.graph* s.isampling out said
    env --default-signal=INT,HUP "$hotgraph" record --graph g.graph --stream s.isampling:every=500 --output out -- ./work "$1" >said 2>errors &
    id=$!
    begun test -s out
}
for signal in INT:130 TERM:143 HUP:129; do
    for what in fl is bl; do
        start $what
        kill -"${signal%:*}" $id
        wait $id
        got=$?
        [ $got = "${signal#*:}" ] || fail "SIG${signal%:*}: exit status $got: $(cat errors)"
        id=
        gone $(cat out)
        partial "$(grep -o 'stopped by signal [0-9]* ([A-Za-z]*)' errors)"
        clean "SIG${signal%:*}"
    done
done
# SIGKILL cannot be handled, but the started programs must end.
for what in fl ifs; do
    start $what
    kill -9 $id
    wait $id 2>/dev/null
    id=
    gone $(cat out)
    clean SIGKILL
done

# The same for programs of a sweep.
cat >sweep.cfg <<'END'
grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5];};
programs = ({name = "long"; folder = "."; command = ("./long");});
END
cat >long.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile unsigned x;
int main(void) {
    int more = fork();
    if (more != 0) {
        FILE *f = fopen("pids", "w");
        fprintf(f, "%d %d\n", (int)getpid(), more);
        fclose(f);
    }
    for (;;) x++;
}
END
${CC:-cc} -O1 -o long long.c || fail "cc"
for signal in TERM:143 KILL:137; do
    rm -f pids
    "$hotgraph" sweep sweep.cfg --db z.db >said 2>errors &
    id=$!
    : >out
    begun test -s pids
    kill -"${signal%:*}" $id
    wait $id 2>/dev/null
    got=$?
    [ $got = "${signal#*:}" ] || fail "a sweep and SIG${signal%:*}: exit status $got: $(cat errors)"
    id=
    gone $(cat pids)
    clean "a sweep and SIG${signal%:*}"
done
echo "all of them came to their end"
