# What would break: with --follow, a child process, a program after exec or a thread has no recording, another one's counts,
# or a name that depends on the scheduler; the first process's recording changes; a server that is stopped loses its
# recording or leaves a process or a file behind.
set -u
. "$(dirname "$0")/../record_lib.sh"
exec </dev/null
mkdir scratch
export TMPDIR="$work/scratch"
clean() { [ -z "$(ls "$TMPDIR")" ] || fail "$1: left in \$TMPDIR: $(ls "$TMPDIR")"; }

cat >work.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned x;
static void spin(int n) { for (int i = 0; i < n; i++) x += i; }
static void on_signal(int n) { x += n; }
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    struct timespec before, now;
    int status;
    spin(3000);
    if (strchr(what, 'k')) { /* two children, one of which has one, and one becomes another program */
        signal(SIGUSR1, on_signal);
        clock_gettime(CLOCK_REALTIME, &before);
        for (int k = 1; k <= 2; k++) {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                spin(10000 * k);
                if (k == 2) execl("/bin/echo", "/bin/echo", "hello", (char *)0);
                raise(SIGUSR1);
                clock_gettime(CLOCK_REALTIME, &now);
                if (now.tv_sec == before.tv_sec && now.tv_nsec < before.tv_nsec + 50000) _exit(9);
                if (fork() == 0) { spin(50000); _exit(6); }
                wait(&status);
                _exit(WEXITSTATUS(status) - 1);
            }
            waitpid(child, &status, 0);
            printf("%d\n", WEXITSTATUS(status));
        }
    }
    fflush(stdout);
    if (strchr(what, 'e')) execv("nowhere", argv);
    if (strchr(what, 'o')) execv("./other", argv);
    if (strchr(what, 's')) execv("./script", argv);
    if (strchr(what, 'K') && fork() == 0) raise(SIGKILL);
    if (strchr(what, 'l') && fork() == 0) { spin(1000000); puts("all of it"); return 0; }
    while (wait(NULL) > 0) ;
    return 4;
}
END
cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t all;
static void *run(void *n) { volatile long x = 0; pthread_barrier_wait(&all); for (long i = 0; i < (long)n; i++) x += i; return (void *)x; }
int main(void) {
    pthread_t t[3];
    pthread_barrier_init(&all, 0, 4);
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, run, (void *)(10000 * (i + 1)));
    run((void *)40000);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
END
cat >server.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static volatile sig_atomic_t asked;
static void on_signal(int n) { asked = n; }
static void serve(int c) { char b[256]; ssize_t n = read(c, b, sizeof b); for (ssize_t i = 0; i < n; i++) b[i] ^= 32; if (n > 0 && write(c, b, n) != n) _exit(9); close(c); }
int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    struct sockaddr_un a = {AF_UNIX, "socket"};
    unlink("socket");
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(s, (void *)&a, sizeof a) || listen(s, 5)) return 1;
    if (strchr(how, 'h')) { struct sigaction h = {.sa_handler = on_signal}; sigaction(SIGTERM, &h, 0); sigaction(SIGINT, &h, 0); }
    if (strchr(how, 'i')) { signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); }
    if (strchr(how, 'f')) signal(SIGCHLD, SIG_IGN);
    if (strchr(how, 'd') && daemon(1, 1)) return 1;
    FILE *f = fopen("out.new", "w"); fprintf(f, "%d\n", (int)getpid()); fclose(f); rename("out.new", "out");
    while (!asked) {
        int c = accept(s, 0, 0);
        if (c < 0) continue;
        if (!strchr(how, 'f')) serve(c);
        else if (fork() == 0) { serve(c); _exit(0); }
        else close(c);
    }
    unlink("socket");
    return 7;
}
END
for program in work threads server; do ${CC:-cc} -O1 -pthread -o $program $program.c 2>/dev/null || exit 77; done
printf '#!/bin/sh -e\necho "script $1"; cat <work.c >/dev/null; exit 8\n' >script; chmod +x script
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000' >other; head -c 100 /dev/zero >>other; chmod +x other

# record STATUS NAME OPTION... -- PROGRAM [ARGUMENT]...
record() {
    want=$1 name=$2; shift 2
    rm -f "$name".*
    "$hotgraph" record --follow --graph "$name.graph" --structure "$name.structure" --stream "$name.isampling.gz:every=500" \
        --stream "$name.tr.hgstream:transfers,every=50,seed=3" \
        --stream "$name.lbr.hgstream:lbr_taken,every=300,seed=4" --output "$name.out" "$@" 2>"$name.err"
    got=$?
    [ $got = "$want" ] || fail "exit status $got, not $want: record $*: $(cat "$name.err")"
    clean "record $*"
}
labels() { # NAME WANT: those of its graphs
    got=$(ls "$1".*graph | sed "s/^$1[.]//; s/[.]\{0,1\}graph$//" | sort | paste -sd' ')
    [ "$got" = "$2" ] || fail "$1: the labels are '$got', not '$2': $(cat "$1.err")"
}
followed() { # NAME LABEL HOW PATH
    awk -F'\t' -v l="$2" -v h="$3" -v p="$4" '$1 == "followed" && $2 == l && $4 == h && $5 == p {ok = 1} END {exit !ok}' "$1.graph.meta" ||
        fail "$1: no process $2 ($3) of $4: $(grep followed "$1.graph.meta")"
}
instructions() { sed -n 's/^instructions	//p' "$1.graph.meta"; }

# Children, and a program after exec: files with labels, always the same ones, whichever way they are counted.
record 0 a -- ./work k
labels a " 1 1.1 2 2.x"
printf '5\nhello\n0\n' | diff - a.out || fail "it ran otherwise"
followed a 1 "exit status 5" ./work; followed a 1.1 "exit status 6" ./work; followed a 2 "became another program (exec)" ./work
followed a 2.x "exit status 0" "$(realpath /bin/echo)"
grep -q "not in the graph" a.err && fail "they are in no graph: $(cat a.err)"
for way in --single-step --per-instruction ""; do
    record 0 b $way -- ./work k
    for file in a.*[hmz]; do same "$file" "b.${file#a.}"; done
done
[ "$(ls a.*.isampling.gz a.tr.*.hgstream a.*.structure | wc -l)" = 12 ] || fail "not all files: $(ls a.*)"
# What each did: twice the loop is twice the instructions, and nothing of its parent's.
spun() { awk -F'\t' '!/^#/ && $3 > most {most = $3} END {print most}' "$1.graph"; }
[ "$(spun a.1) $(spun a.1.1) $(spun a.2)" = "9999 49999 19999" ] || fail "loops: $(spun a.1) $(spun a.1.1) $(spun a.2)"
grep -q "^signals	1" a.1.graph.meta && grep -q "^signals	0" a.graph.meta || fail "the signal is the child's"
grep -qx "# program $(sha1sum /bin/echo | cut -c1-40)" a.2.x.graph || fail "whose graph is it: $(head -4 a.2.x.graph)"
# The first process, and the program after exec, are recorded as without --follow.
"$hotgraph" record --graph alone.graph --structure alone.structure --stream alone.isampling.gz:every=500 --output out -- ./work k 2>/dev/null || fail "alone"
same a.graph alone.graph; same a.structure alone.structure; same a.isampling.gz alone.isampling.gz
"$hotgraph" record --graph alone.graph --output out -- /bin/echo hello 2>/dev/null || fail "echo"
grep -v '^#' alone.graph >alone; grep -v '^#' a.2.x.graph | diff - alone >/dev/null || fail "echo is another one after exec"
# A pair is used as any other.
"$hotgraph" build a.1.1.isampling.gz --technique flow --structure a.1.1.structure --out built.graph 2>/dev/null || fail "build"
"$hotgraph" compare built.graph a.1.1.graph >/dev/null || fail "compare"

# A script's interpreter, and programs that it starts.
record 0 s -- ./work s
labels s " x x.1 x.1.x"
followed s x "exit status 8" "$(realpath /bin/sh)"; followed s x.1.x "exit status 0" "$(realpath /bin/cat)"
grep -qx "command	/bin/sh	-e	./script	s" s.x.graph.meta && grep -qx "script s" s.out || fail "a script: $(cat s.out s.x.graph.meta)"
# exec that fails: the process goes on, and all of it is recorded.
for what in e o; do
    record 0 f -- ./work $what
    labels f ""
    grep -q "^exit	4" f.graph.meta && [ "$(grep -c followed f.graph.meta)" = 0 ] || fail "$what: $(cat f.graph.meta)"
done
# Nothing is made up for a process that was killed.
record 0 f -- ./work K
labels f ""
followed f 1 "it left no recording" ./work
grep -q "1: ./work: not recorded: it left no recording" f.err || fail "$(cat f.err)"
# A limit is each process's own; a child goes on without a recorder.
record 0 f --max-instructions 300000 -- ./work l
followed f 1 "stopped at its limit of instructions" ./work
grep -qx "# partial" f.1.graph && [ "$(instructions f.1)" -le 300000 ] && [ "$(instructions f.1)" -gt 299000 ] || fail "limit: $(cat f.1.graph.meta)"
grep -q "^exit	4" f.graph.meta && grep -qx "all of it" f.out || fail "the child ends at its limit: $(cat f.out)"
"$hotgraph" record --follow --json --output out -- ./work k 2>/dev/null | python3 -c '
import json, sys
of = json.load(sys.stdin)["followed"]
print(*(f["label"] + ":" + str(f["exit_status"]) for f in of))' >json || fail "JSON"
grep -qx "1:5 1.1:6 2:None 2.x:0" json || fail "JSON: $(cat json)"

# Threads: each has what it executed itself, and its own stream.
record 0 t -- ./threads
labels t " t1 t2 t3"
[ "$(spun t.t1) $(spun t.t2) $(spun t.t3) $(spun t)" = "9999 19999 29999 39999" ] || fail "threads: $(spun t.t1) $(spun t.t2) $(spun t.t3) $(spun t)"
for thread in t1 t2 t3; do
    batches=$(awk -F'\t' '$1 == "stream" && $2 ~ /isampling/ {print $3}' t.$thread.graph.meta)
    [ "$batches" = $((($(instructions t.$thread) - 25) / 500)) ] || fail "$thread: $batches batches of $(instructions t.$thread) instructions"
done
"$hotgraph" record --graph whole.graph --output out -- ./threads 2>/dev/null || fail "threads together"
for n in 9999 19999 29999 39999; do grep -q "	$n$" whole.graph && fail "without --follow threads are apart"; done

# Servers: whoever ends one, what it did stays.
cat >ask.py <<'END'
import socket
for _ in range(2):
    s = socket.socket(socket.AF_UNIX)
    s.connect("socket")
    s.sendall(b"hello")
    assert s.recv(99) == b"HELLO"
END
id=
cleanup() { for pid in $id $(cat out 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done; }
# served WANT WHO SIGNAL HOW [OPTION]...: its or hotgraph's end by the signal, after it has served.
served() {
    want=$1 who=$2 signal=$3 how=$4; shift 4
    rm -f g.* out
    env --default-signal=INT,HUP "$hotgraph" record "$@" --graph g.graph --stream g.isampling:every=500 -- ./server "$how" >said 2>errors &
    id=$!
    begun test -s out
    python3 ask.py || fail "it does not answer"
    [ $who = it ] && kill -"$signal" "$(cat out)" || kill -"$signal" $id
    wait $id
    got=$?
    id=
    [ $got = "$want" ] || fail "exit status $got, not $want: $who $signal $how $*: $(cat errors)"
    gone $(cat out)
    clean "a server"
    [ -s g.graph ] && [ -s g.isampling ] && [ -s g.graph.meta ] || fail "no recording: $(ls)"
}
partial() { grep -qx "# partial" "$1.graph" && grep -qx "partial	$2" "$1.graph.meta" || fail "not partial by $2: $(cat "$1.graph.meta")"; }
whole() { grep -q "partial" "$1.graph" "$1.graph.meta" && fail "partial: $(cat "$1.graph.meta")"; grep -qx "exit	$2" "$1.graph.meta" || fail "$(cat "$1.graph.meta")"; }
served 143 it TERM ""; partial g "ended by signal 15 (Terminated)"; grep -qx "exit	143" g.graph.meta || fail "exit status"
served 0 it TERM h; whole g 7
served 143 hotgraph TERM h; partial g "stopped by signal 15 (Terminated)"
served 130 hotgraph INT ""; partial g "stopped by signal 2 (Interrupt)"
served 0 hotgraph TERM h --pass-signals; whole g 7
served 0 hotgraph INT h --pass-signals; whole g 7
served 143 hotgraph TERM "" --pass-signals; partial g "ended by signal 15 (Terminated)"
served 143 hotgraph TERM i --pass-signals; partial g "stopped by signal 15 (Terminated)"
served 143 it TERM f --follow; followed g 2 "exit status 0" ./server; partial g "ended by signal 15 (Terminated)"
served 143 hotgraph TERM f --follow; followed g 2 "exit status 0" ./server; partial g "stopped by signal 15 (Terminated)"
# A daemon outlives the process that started it, and hotgraph waits for it.
served 0 it TERM d --follow; whole g 0; partial g.1 "ended by signal 15 (Terminated)"
served 0 it TERM hd --follow; followed g 1 "exit status 7" ./server; whole g.1 7
served 143 hotgraph TERM d --follow; partial g.1 "stopped by signal 15 (Terminated)"
served 0 hotgraph TERM hd --follow --pass-signals; whole g.1 7
echo "all of them were followed"
