#!/bin/sh
# hotgraph native --graph of programs that end in other ways than by exit() in their only thread: by exec, by signals
# that others send, in a handler, by a system call. If this fails, such a program, as most servers are, has no graph, or
# a wrong one.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")
cat >lasts.c <<'C'
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
volatile int sink;
static sem_t ready;
__attribute__((noinline)) static int turn(int n) { return n & 1 ? sink += n : n; }
static void leaves(int n) { turn(n); exit(3); }
static void quits(int n) { turn(n); _exit(4); }
static long inline_call(long number, long a) {
    __asm__ volatile("syscall" : "+a"(number) : "D"(a) : "rcx", "r11", "memory");
    return number;
}
__attribute__((noinline)) static int deep(int n) { const int k = n > 0 ? deep(n - 1) : (int)inline_call(SYS_exit_group, 8); return turn(k) + 1; }
static void *naps(void *p) { sem_post(&ready); for (;;) turn((int)inline_call(SYS_pause, 0)); return p; }
static void *waits(void *p) { for (int i = 0; i < 10; i++) turn(i); sem_post(&ready); for (;;) pause(); return p; }
static void *spins(void *p) { sem_post(&ready); for (;;) sink++; return p; }
static void *execs(void *path) { turn(5); execl(path, "echo", "new", NULL); return path; }
static void thread(void *(*f)(void *), void *p) { pthread_t t; if (pthread_create(&t, 0, f, p)) exit(9); sem_wait(&ready); }
/* Do all threads of the process sleep? The state stands behind the name in brackets. */
static int sleeps(int process) {
    char path[300], text[300], *state;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *d = opendir(path);
    int all = d != NULL;
    for (struct dirent *t; all && (t = readdir(d)) != NULL;) {
        if (t->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, t->d_name);
        FILE *f = fopen(path, "r");
        all = f != NULL && fgets(text, sizeof text, f) != NULL && (state = strrchr(text, ')')) != NULL && state[2] == 'S';
        if (f != NULL) fclose(f);
    }
    if (d != NULL) closedir(d);
    return all;
}
/* In the child: three times in a row its parent sleeps, or is busy for good. */
static void await(const char *how) {
    const int busy = strstr(how, "busy") || strstr(how, "spins"), parent = getppid();
    for (int times = 0; times < 3 && getppid() == parent;) { usleep(100000); times = busy || sleeps(parent) ? times + 1 : 0; }
}
int main(int argc, char **argv) {
    char *echo[] = {"echo", "new", NULL}, *none[] = {NULL};
    const char *how = argv[1], *path = argc > 2 ? argv[2] : "";
    sem_init(&ready, 0, 0);
    for (int i = 0; i < 100; i++) turn(i);
    printf("%s\n", how);
    fflush(stdout);
    if (strstr(how, "waits")) thread(waits, NULL);
    if (strstr(how, "naps")) thread(naps, NULL);
    if (strstr(how, "spins")) thread(spins, NULL);
    if (strstr(how, "leaves") && signal(SIGTERM, leaves) != SIG_DFL) return 7;
    if (strstr(how, "quits") && signal(SIGTERM, quits) != SIG_DFL) return 7;
    if (strstr(how, "restored") && (signal(SIGTERM, quits) != SIG_DFL || signal(SIGTERM, SIG_DFL) != quits)) return 7;
    if (strstr(how, "raw")) syscall(SYS_execve, path, echo, none);
    if (strstr(how, "le")) execle(path, "echo", "new", NULL, none);
    if (strstr(how, "vp")) execvp(path, echo);
    if (strstr(how, "execs")) { pthread_t t; pthread_create(&t, 0, execs, (void *)path); pthread_join(t, 0); }
    if (argc > 2) { turn(7); execl(path, "echo", "new", NULL); turn(9); _exit(0); }
    if (strstr(how, "inline")) return deep(5);
    if (strstr(how, "group")) syscall(SYS_exit_group, 6);
    if (strstr(how, "alarm")) alarm(1);
    if (strstr(how, "sent") && fork() == 0) { await(how); kill(getppid(), SIGTERM); _exit(0); }
    if (strstr(how, "busy")) for (;;) sink++;
    if (strstr(how, "pipe")) for (int i = 0;; i++) { turn(i); if (write(1, how, strlen(how)) < 0) return 5; }
    if (strstr(how, "sent") || strstr(how, "alarm")) for (;;) { turn(1); pause(); }
    return 0;
}
C
gcc -O1 -pthread lasts.c -o lasts 2>cc.log || { cat cc.log; fail "lasts.c"; }
native() { env --default-signal -i LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
ends() { # STATUS HOW...: output and status are as alone
    wanted=$1
    shift
    rm -f n.graph
    native --graph n.graph --json n.json $images -- "$work/lasts" "$@" >n.out 2>n.err
    got=$?
    test $got = "$wanted" || fail "$*: exit status $got, not $wanted: $(cat n.err)"
    "$work/lasts" "$@" >plain.out 2>/dev/null
    cmp -s plain.out n.out || fail "$*: the output differs"
}
equal() { # STATUS HOW: the graph is the one that `record` counts
    "$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --input /dev/null --output r.out -- "$work/lasts" "$2" >/dev/null 2>r.err
    images="--images r.structure"
    ends "$1" "$2"
    images=
    python3 "$same" r.graph r.meta n.graph "$work/lasts" || fail "$2: the graphs differ: $(cat r.err n.err)"
}
images=
equal 6 "group"
equal 6 "group waits"
equal 8 "inline"
equal 0 "naps"
equal 143 "sent"
equal 143 "sent, restored"
equal 143 "sent, waits"
grep -qx '# partial' n.graph && grep -qx '# ended by signal 15 (Terminated)' n.graph || fail "an end by a signal is not in the graph"
equal 3 "sent, leaves"
equal 4 "sent, quits, waits"
equal 142 "alarm"
# What libc has left on the stack looks like a handler's frame where the stack begins at some addresses.
if setarch -R true 2>/dev/null; then
    for pad in "" x xx xxx; do
        rm -f n.graph
        env --default-signal -i LC_ALL=C PATH=/usr/bin:/bin PAD="$(echo "$pad" | sed 's/x/0123456789abcdef/g')" \
            setarch -R "$hotgraph" native --graph n.graph -- "$work/lasts" "sent, quits" >/dev/null 2>n.err
        test -e n.graph || fail "sent, quits, $pad: $(cat n.err)"
    done
fi

# ---- exec: all edges are there that the same program has if there is no file of that name, but for those behind ----
for how in "l" "le" "vp" "raw" "l waits" "raw waits" "execs"; do
    native --graph whole.graph -- "$work/lasts" "$how" /bin/ecko >/dev/null 2>n.err || fail "$how, without the file: $(cat n.err)"
    ends 0 "$how" /bin/echo
    grep -qx new n.out || fail "$how: the other program did not run"
    ! grep -q partial n.graph || fail "$how: the graph is partial"
    python3 - whole.graph n.graph "$how" <<'PY' || fail "exec: $how"
import sys

def edges(path):
    rows = (line.split("\t") for line in open(path) if line.strip() and not line.startswith("#"))
    return {(r[0], r[1]): int(r[2]) for r in rows}

whole, until = edges(sys.argv[1]), edges(sys.argv[2])
wrong = {e: (n, whole.get(e)) for e, n in until.items() if n > whole.get(e, 0)}
behind = sum(whole.values()) - sum(until.values())
assert not wrong and len(until) > 25 and 0 < behind < 60, (wrong, len(until), behind)
PY
done

# ---- what is refused ----
refused() { # STATUS TEXT HOW...
    wanted=$1 text=$2
    shift 2
    ends "$wanted" "$@"
    grep -q "$text" n.err || fail "$*: '$(cat n.err)' does not say '$text'"
    test ! -e n.graph || fail "$*: there is a graph"
}
refused 143 "signal 15 .* not known where" "sent, busy"
refused 143 "another thread may have been" "sent, spins"
refused 6 "another thread may have been" "group spins"
refused 8 "without exit(), _exit() or abort()" "inline waits"
refused 125 "another thread may have been" "l spins" /bin/echo
refused 3 "handler ended the program.* had interrupted" "sent, leaves, busy"
refused 4 "handler ended the program.* had interrupted" "sent, quits, busy"

# ---- nobody reads on ----
(native --graph n.graph -- "$work/lasts" pipe 2>n.err; echo $? >status) | head -n 1 >/dev/null
test "$(cat status)" = 141 && grep -qx '# ended by signal 13 (Broken pipe)' n.graph || fail "SIGPIPE: exit status $(cat status): $(cat n.err)"
(trap '' PIPE; "$hotgraph" native --graph n.graph -- "$work/lasts" pipe 2>n.err; echo $? >status) | head -n 1 >/dev/null
test "$(cat status)" = 5 || fail "SIGPIPE, ignored: exit status $(cat status): $(cat n.err)"
exit $failed
