#!/bin/sh
# hotgraph native: a program with probes must have the same output, to the byte, as without, and the
# counts must be right.
hotgraph=$(realpath "$1")
root=$2
"$hotgraph" help native >/dev/null 2>&1 || exit 77
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }

# ---- known counts ----
cat >known.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>
#define LEAVE __attribute__((noinline, noclone))
volatile int sink;
LEAVE int leaf(int x) { sink = x; return x * 3 + 1; }
LEAVE int pick(int x) {
    switch (x & 7) {
    case 0: sink = 5; return 11;
    case 1: sink = 6; return leaf(1);
    case 2: return 17 + sink;
    case 3: sink++; return 4;
    case 4: return leaf(sink) + leaf(2);
    case 5: sink ^= 3; return 9;
    case 6: return -1;
    }
    return x;
}
LEAVE int fib(int n) { if (n < 2) return n; int a = fib(n - 1), b = fib(n - 2); sink = b; return a + b; }
LEAVE int child(void) { int s = 0; for (int i = 0; i < 100; i++) s += leaf(i); return s & 63; }
int main(int argc, char **argv) {
    long s = 0;
    for (int i = 0; i < 8000; i++) s += pick(i);
    s += fib(15);
    int status;
    fflush(stdout);
    pid_t p = fork();
    if (p == 0) _exit(child());
    waitpid(p, &status, 0);
    printf("%ld %d %s %s\n", s, WEXITSTATUS(status), getenv("LD_PRELOAD") ? "preload" : "clean",
           getenv("HOTPROBE_SESSION") ? "session" : "clean");
    if (argc > 1 && argv[1][0] == 'k') raise(SIGKILL);
    if (argc > 1 && argv[1][0] == 'a') abort();
    return argc > 1 ? atoi(argv[1]) : 0;
}
C
count() { sed -n 's/.*"function":"'"$1"'","offset":0,.*"count":\([0-9]*\)}.*/\1/p' "$2"; }
try() { # NAME KINDS COMPILER FLAGS...: entries, and more kinds of sites
    name=$1 kinds=$2 cc=$3
    shift 3
    command -v "$cc" >/dev/null || return 0
    "$cc" "$@" known.c -o known 2>cc.log || { cat cc.log; fail "$name: does not compile"; return; }
    ./known 7 >plain; plain=$?
    for kind in "" $kinds; do
        "$hotgraph" native $kind --threshold 1000 --json r.json -- ./known 7 >out
        status=$?
        cmp -s plain out && [ $status = $plain ] || fail "$name $kind: output or status differ"
        [ "$(count fib r.json)" = 1973 ] || fail "$name $kind: fib $(count fib r.json)"
        [ "$(count pick r.json)" = 8000 ] || fail "$name $kind: pick $(count pick r.json)"
        [ "$(count leaf r.json)" = 3000 ] || fail "$name $kind: leaf $(count leaf r.json) (a child's count?)"
        grep -q '"hot":\[[0-9]' r.json || fail "$name $kind: nothing became hot"
    done
}
for cc in gcc clang; do
    try "$cc -O0" --blocks $cc -O0
    try "$cc -O1" --instructions $cc -O1
    try "$cc -O2" "--blocks --instructions" $cc -O2
    try "$cc -Os" "--blocks --instructions" $cc -Os
    try "$cc cf-protection" --instructions $cc -O2 -fcf-protection=full
    try "$cc no alignment" --instructions $cc -O2 -fno-align-functions -fno-align-loops
    try "$cc non-PIE" --instructions $cc -O2 -no-pie -fno-pie
    try "$cc stripped" --blocks $cc -O2 -rdynamic -s
done

# ---- every option, and every strategy alone: it is used, and no other ----
gcc -O2 known.c -o known && ./known 7 >plain
for s in over-one over-several padding reachable constrained trap; do
    "$hotgraph" native --instructions --strategy $s --json r.json -- ./known 7 >out
    cmp -s plain out || fail "--strategy $s: output differs"
    used=$(sed -n 's/.*"strategy":"\([a-z-]*\)".*/\1/p' r.json | sort -u)
    [ "$used" = $s ] || [ "$s:$used" = reachable: ] || fail "--strategy $s uses '$used'" # no long NOP, perhaps
done
for how in "--assign greedy" "--assign exact" --unproven --atomic "--atomic --threshold 9"; do
    "$hotgraph" native $how --json r.json -- ./known 7 >out
    cmp -s plain out || fail "$how: output differs"
    [ "$(count fib r.json) $(count pick r.json)" = "1973 8000" ] || fail "$how: counts"
done
"$hotgraph" native --functions 'p*k' --json r.json -- ./known 7 >out
[ "$(count pick r.json) $(count fib r.json)" = "8000 " ] || fail "--functions: others are counted, too"
"$hotgraph" native --top 1 -- ./known 7 2>err >out
grep -q ' 8000  pick$' err && grep -q 'more; --top 0' err || fail "--top 1 says $(cat err)"

# ---- processes, threads, signals and libraries work as without probes ----
cat >busy.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#define LEAVE __attribute__((noinline, noclone))
static volatile sig_atomic_t traps;
static int turns = 50000;
LEAVE void on_trap(int n) { traps += n; }
LEAVE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x * 3 + 1; }
LEAVE void *work(void *p) { long s = 0; for (int i = 0; i < turns; i++) s += leaf(i); return (char *)p + s; }
LEAVE int work11(void *p) { return leaf(p != NULL); }
LEAVE void signals(void) {
    struct sigaction a = {.sa_handler = on_trap}, old;
    sigset_t set, was;
    sigaction(SIGTRAP, &a, NULL);
    raise(SIGTRAP);
    __asm__ volatile("int3");
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    sigprocmask(SIG_BLOCK, &set, &was);
    raise(SIGTRAP);
    leaf(1); /* whose probe may be a trap itself */
    printf("%d pending %d", (int)traps, sigpending(&set) == 0 && sigismember(&set, SIGTRAP));
    sigprocmask(SIG_SETMASK, &was, NULL);
    sigaction(SIGTRAP, NULL, &old);
    printf(" then %d, %s\n", (int)traps, old.sa_handler == on_trap ? "its own" : "another's");
}
LEAVE void processes(void) {
    int status;
    fflush(stdout);
    if (vfork() == 0) { leaf(2); execl("/bin/echo", "echo", "after vfork and exec", (char *)NULL); _exit(1); }
    wait(&status);
    printf("%d\n", status);
}
LEAVE void libraries(void) {
    for (int i = 0; i < 3; i++) {
        void *m = dlopen("libz.so.1", RTLD_NOW);
        const char *(*version)(void) = m != NULL ? (const char *(*)(void))dlsym(m, "zlibVersion") : NULL;
        printf("%s\n", version != NULL ? version() : "none");
        if (m != NULL) dlclose(m);
    }
}
LEAVE void threads(void) {
    for (int k = 0; k < 3; k++) {
        pthread_t t[4];
        thrd_t c;
        long s = 0;
        int r;
        void *p;
        for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i);
        thrd_create(&c, work11, &s);
        for (int i = 0; i < 4; i++) { pthread_join(t[i], &p); s += (long)p; }
        thrd_join(c, &r);
        printf("%ld %d\n", s, r);
    }
}
int main(int argc, char **argv) {
    if (getenv("TURNS") != NULL) turns = atoi(getenv("TURNS"));
    if (argc < 2) signals();
    processes();
    libraries();
    threads();
    return 0 * (argv == NULL);
}
C
if gcc -O1 -pthread busy.c -o busy; then
    for how in "" --blocks --instructions "--strategy over-one,trap" "--strategy trap" --per-thread "--per-thread --blocks"; do
        turns=50000
        case $how in *trap*) turns=5000 ;; esac # each takes two microseconds
        TURNS=$turns ./busy >plain
        TURNS=$turns "$hotgraph" native $how --json r.json -- ./busy >out || fail "busy $how: status"
        # With traps, the library keeps pending signals itself and does not ask the kernel.
        case $how in *trap*) sed 's/pending [01]/pending 1/' out >out1; mv out1 out ;; esac
        cmp -s plain out || fail "busy $how: output differs: $(diff plain out)"
        [ "$(count leaf r.json)" -ge $((turns * 12 + 4)) ] && [ "$(count leaf r.json)" -le $((turns * 12 + 5)) ] ||
            fail "busy $how: leaf $(count leaf r.json)"
        [ "$(count work r.json)" = 12 ] || fail "busy $how: work $(count work r.json)"
    done
    ./busy quiet >plain
    for how in --libraries "--libraries --per-thread"; do
        "$hotgraph" native $how --json r.json -- ./busy quiet >out || fail "busy $how: status"
        cmp -s plain out || fail "busy $how: output differs"
        [ "$(count thrd_create r.json)" = 3 ] || fail "busy $how: thrd_create $(count thrd_create r.json)"
        [ "$(count leaf r.json)" = 600004 ] || fail "busy $how: leaf $(count leaf r.json)"
    done
fi

# ---- exceptions, through frames and in them ----
cat >throw.cc <<'C'
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int *n; ~Guard() { ++*n; } };
__attribute__((noinline)) int deep(int n, int *ended) {
    Guard g{ended};
    if (n == 0) throw std::runtime_error("bottom");
    return deep(n - 1, ended) + n;
}
__attribute__((noinline)) int catcher(int n, int *ended) {
    try { return deep(n, ended); }
    catch (const std::runtime_error &e) { return (int)std::string(e.what()).size(); }
}
int main() {
    int ended = 0; long sum = 0;
    for (int i = 0; i < 300; i++) sum += catcher(i % 20, &ended);
    try { std::vector<int>(3).at(7); } catch (const std::out_of_range &) { sum += 1000; }
    std::printf("%ld %d\n", sum, ended);
}
C
for cc in g++ clang++; do
    command -v $cc >/dev/null && $cc -O2 throw.cc -o throw 2>/dev/null || continue
    ./throw >plain
    for how in --blocks --instructions "--libraries --blocks"; do
        [ "$cc $how" = "clang++ --libraries --blocks" ] && continue # the same libraries
        "$hotgraph" native $how --json r.json -- ./throw >out || fail "$cc exceptions $how: status"
        cmp -s plain out || fail "$cc exceptions $how: output differs"
    done
done

# ---- the program ends as without probes ----
gcc -O1 known.c -o known
"$hotgraph" native --json r.json -- ./known k >/dev/null; [ $? = 137 ] || fail "SIGKILL is not passed on"
[ "$(count fib r.json)" = 1973 ] || fail "counts of a killed program"
(ulimit -c 0; "$hotgraph" native --json r.json -- ./known a >/dev/null 2>&1; [ $? = 134 ]) || fail "SIGABRT"
LD_PRELOAD=/nonexistent.so "$hotgraph" native --json r.json -- sh -c 'echo "$LD_PRELOAD"' >out 2>/dev/null
[ "$(cat out)" = /nonexistent.so ] || fail "LD_PRELOAD is not what it was: $(cat out)"

# ---- programs of the system ----
seq 1 30000 >in.txt
cat >t.sql <<'S'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i < 3000) insert into t select i, 'x'||(i*7919%1000), i*0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like 'x1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
S
cat >t.lua <<'L'
local t = {} for i = 1, tonumber(arg[1]) do t[i] = (i * 7919) % 10007 end table.sort(t)
local s = 0 for i, v in ipairs(t) do s = s + v * i % 7 end print(s, pcall(error, "x"), ("ab"):rep(10):gsub("a", "c"))
L
same() { # WAYS COMMAND...: "none" is all functions
    ways=$1
    shift
    command -v "$1" >/dev/null || return 0
    "$@" >plain 2>&1 </dev/null
    for how in $ways; do
        case $how in none) how= ;; traps) how="--strategy over-one,trap" ;; esac
        "$hotgraph" native $how --json r.json -- "$@" >out 2>&1 </dev/null
        cmp -s plain out || fail "$1 $how: output differs"
    done
}
ways="none --blocks --instructions"
same "$ways" gzip -c in.txt
same "$ways" bzip2 -c in.txt
same "$ways" sqlite3 :memory: ".read t.sql"
same "$ways" lua5.4 t.lua 20000
same "$ways" pigz -p3 -c in.txt
same "$ways" xz -T2 -1 -c in.txt
same "$ways" gawk '{ s += $1 * $1 } END { print s }' in.txt
seq 1 2000 >few.txt
same traps gzip -c few.txt
same traps bzip2 -c few.txt
same traps sqlite3 :memory: ".read t.sql"
same traps lua5.4 t.lua 1000
same traps pigz -p3 -c few.txt
same traps gawk '{ s += $1 * $1 } END { print s }' few.txt
for p in gzip pigz; do
    command -v $p >/dev/null || continue
    $p -c in.txt >plain
    "$hotgraph" native --libraries --blocks --json r.json -- $p -c in.txt >out || fail "$p with libraries"
    cmp -s plain out || fail "$p with libraries: output differs"
done

# What the kernel returns to after a signal handler has an FDE that begins one byte early.
for how in "" --blocks --instructions; do
    "$hotgraph" native --libraries $how --json r.json -- sh -c 'trap "echo caught" USR1; kill -USR1 $$; echo done' >out 2>err
    [ "$(cat out)" = "caught
done" ] || fail "a signal handler with --libraries $how: $(cat out err)"
done
# A script that env(1) starts: its interpreter has the probes, and it sees the same arguments.
printf '#!/usr/bin/env sh\necho "$0 $# $1"\n' >by-env && chmod +x by-env
"$hotgraph" native --json r.json -- ./by-env 'a b' c >out 2>err
[ "$(cat out)" = "./by-env 2 a b" ] || fail "a script of env: $(cat out err)"
grep -q '"program":"[^"]*/\(da\|ba\|\)sh"' r.json || fail "env is counted, not the interpreter: $(head -c 200 r.json)"
# SIGPIPE is ignored in a program if, and only if, it is where hotgraph was called.
(trap '' PIPE; exec "$hotgraph" native --json r.json -- grep SigIgn /proc/self/status) >out
(trap '' PIPE; exec grep SigIgn /proc/self/status) >plain
cmp -s plain out || fail "SIGPIPE was ignored: $(cat plain out)"
"$hotgraph" native --json r.json -- grep SigIgn /proc/self/status >out
grep SigIgn /proc/self/status >plain
cmp -s plain out || fail "SIGPIPE was not ignored: $(cat plain out)"

# ---- unsupported programs are refused with a reason ----
says() { # PATTERN COMMAND...
    pattern=$1
    shift
    "$hotgraph" native "$@" >out 2>err && fail "$*: succeeded"
    grep -q "$pattern" err || fail "$*: says '$(cat err)'"
}
says "program not found" -- nosuchprogram
printf 'int main(void) { return 0; }' >m.c
gcc -static m.c -o static 2>/dev/null && says "statically linked" -- ./static
gcc -static-pie m.c -o staticpie 2>/dev/null && says "statically linked" -- ./staticpie
gcc m.c -o dynamic && cp dynamic other && chmod u+s other && says "setuid" -- ./other
printf '\177ELF\001\001\001%0100d' 0 >narrow && chmod +x narrow && says "32-bit" -- ./narrow
printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\002\0\267\0%0100d' 0 >arm && chmod +x arm && says "not for x86-64" -- ./arm
sed 's|/lib64/ld-linux-x86-64.so.2|/lib/ld-musl-x86_64.so.1\x00|' dynamic >musl && chmod +x musl && says "another C library" -- ./musl
echo hello >text && chmod +x text && says "not an ELF" -- ./text
strip -R .eh_frame -R .eh_frame_hdr -o bare dynamic && says "bare: no function was found" -- ./bare
says "excludes --atomic and --threshold" --per-thread --threshold 5 -- ./dynamic
says "matches" --functions 'nothing_*' -- ./dynamic
says "a trap ends the process there" --libraries --blocks --strategy trap -- ./dynamic
printf '#!/usr/bin/env -S A=1 sh\n' >variables && chmod +x variables && says "env with options or variables" -- ./variables
says "there is no strategy" --strategy fast -- ./dynamic
if unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
    unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$0" native -- ./dynamic' "$hotgraph" >out 2>err && fail "no /proc: succeeded"
    grep -q "/proc must be mounted" err || fail "no /proc: says '$(cat err)'"
fi
gcc -fsanitize=address m.c -o asan 2>/dev/null && says "needs libasan" -- ./asan
(ulimit -f 20 && says "ulimit -f" -- ./dynamic; exit $failed) || failed=1
(ulimit -f 800 && says "sites need [0-9]*: raise the limit" --libraries --blocks -- ./dynamic; exit $failed) || failed=1
exit $failed
