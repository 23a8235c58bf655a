#!/bin/sh
# hotgraph native --graph: the exact graph at native speed must be the one that `hotgraph record` counts
# under QEMU, block by block and edge by edge; if it cannot be exact, there must be none.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")

cat >twisted.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define LEAVE __attribute__((noinline, noclone))
volatile int sink;
static volatile sig_atomic_t caught;
static jmp_buf back;
LEAVE int add(int a, int b) { return a + b; }
LEAVE int sub(int a, int b) { return a - b; }
LEAVE int mix(int a, int b) { if (a > 5 || b < 3 || (a & b) == 1) sink++; else if (a == b) return 7; return sink & a; }
LEAVE int tail(int a, int b) { sink = a; return mix(b, a); }
static int (*const table[])(int, int) = {add, sub, mix, tail};
LEAVE int pick(int x) {
    switch (x) {
    case 0: sink = 5; return 11;
    case 1: sink = 6; /* fall through */
    case 2: return 17 + sink;
    case 3: sink++; break;
    case 4: return add(sink, 2);
    case 5: sink ^= 3; return 9;
    case 6: return -1;
    case 7: return tail(x, sink);
    }
    return x;
}
LEAVE int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
LEAVE void maybe(int x) { if (x & 1) return; sink += x; if (x & 2) return; sink -= x; }
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void handler(int n) { caught += n; }
LEAVE void deep(int n) { if (n == 0) longjmp(back, 1); deep(n - 1); sink = n; }
/* Computed jumps, as interpreters have them. */
LEAVE int run(const char *code) {
    static void *const to[] = {&&inc, &&dbl, &&loop, &&end};
    int acc = 1, turns = 3;
    const char *p = code;
    goto *to[(int)*p++];
inc: acc++; goto *to[(int)*p++];
dbl: acc *= 2; goto *to[(int)*p++];
loop: if (--turns > 0) p = code; goto *to[(int)*p++];
end: return acc;
}
int main(int argc, char **argv) {
    int numbers[200];
    long s = 0;
    signal(SIGUSR1, handler);
    for (int i = 0; i < 3000; i++) { s += pick(i % 11); s += table[i % 4](i, 5); maybe(i); }
    for (int i = 0; i < 200; i++) numbers[i] = (i * 7919) % 211;
    qsort(numbers, 200, sizeof *numbers, order);
    for (int i = 0; i < 5; i++) raise(SIGUSR1);
    for (volatile int i = 0; i < 3; i++) if (setjmp(back) == 0) deep(i + 2);
    s += fib(12) + run("\0\1\0\2\3") + numbers[100];
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { for (int i = 0; i < 100; i++) s += pick(i); _exit((int)(s & 1)); }
    waitpid(child, NULL, 0);
    printf("%ld %d %zu\n", s, (int)caught, strlen(argv[0]) > 0 ? (size_t)1 : 0);
    if (argc > 1) exit(atoi(argv[1]));
    return 3;
}
C
cat >thrown.cc <<'C'
#include <cstdio>
#include <stdexcept>
#include <vector>
struct guard { int &n; ~guard() { n++; } };
static int total;
__attribute__((noinline)) int risky(int i) { guard g{total}; if (i % 3 == 0) throw std::runtime_error("three"); return i; }
int main(int argc, char **) {
    std::vector<int> all;
    for (int i = 0; i < 50; i++)
        try { all.push_back(risky(i)); } catch (const std::exception &e) { total += e.what()[0]; }
    std::printf("%d %zu\n", total, all.size());
    std::fflush(stdout);
    return argc > 1 ? risky(9) : 0;
}
C

# the environment and signals of `record`, so that the runs can be compared: gzip checks whether a signal is
# ignored
native() {
    env --default-signal -i PERL_HASH_SEED=0 PYTHONHASHSEED=0 TZ=UTC0 HOME=/nonexistent LC_ALL=C PATH=/usr/bin:/bin \
        "$hotgraph" native "$@"
}
check() { # NAME PROGRAM ARGUMENT...: both ways, with the file `in` as input
    name=$1
    shift
    "$@" <in >plain.out 2>plain.err
    wanted=$?
    "$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --input in --output r.out -- "$@" >/dev/null 2>r.err
    got=$?
    test $got = 0 || { test $got -gt 128 && test $got = $wanted; } || { cat r.err; fail "$name: record ends with $got"; return; }
    native --graph n.graph --images r.structure -- "$@" <in >n.out 2>n.err
    got=$?
    test $got = $wanted || { cat n.err; fail "$name: exit status $got, not $wanted"; }
    cmp -s r.out n.out || fail "$name: the output differs"
    python3 "$same" r.graph r.meta n.graph "$1" || fail "$name: the graphs differ"
}
: >in
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for flags in -O0 -O2 -Os "-O2 -fcf-protection=full" "-O2 -no-pie -fno-pie" "-O3 -s" \
        "-O2 -fno-align-functions -fno-align-loops -fno-align-jumps" "-O2 -Wl,-z,now" \
        "-O2 -s -Wl,-z,noseparate-code" "-O2 -s -no-pie -fno-pie -Wl,-z,noseparate-code"; do
        $cc $flags twisted.c -o twisted 2>cc.log || { cat cc.log; fail "$cc $flags: does not compile"; continue; }
        check "$cc $flags" "$work/twisted"
    done
done
check "exit" "$work/twisted" 9
if g++ -O2 thrown.cc -o thrown 2>cc.log; then
    check "exceptions" "$work/thrown"
    check "an exception that nobody catches" "$work/thrown" x
else cat cc.log; fail "thrown.cc"; fi
# frames and tables that lie in the executable segment
g++ -O2 -s -Wl,-z,noseparate-code thrown.cc -o thrown 2>cc.log && check "exceptions, one segment" "$work/thrown" || { cat cc.log; fail "thrown.cc, one segment"; }
# ---- code that is generated at run time is other code, and so are the entries from there; functions may be found by
# offsets, as V8 finds its builtins: no address of them is anywhere, though some are called directly, too ----
cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
__asm__(".text\n"
        ".type blob, @function\nblob: ret\n.size blob, . - blob\n.balign 32\n"
        ".type Builtins_One, @function\nBuiltins_One: lea 1(%rdi), %eax\nret\n.size Builtins_One, . - Builtins_One\n.balign 32\n"
        ".type Builtins_Two, @function\nBuiltins_Two: call Builtins_One\nlea 1(%rax), %eax\nret\n.size Builtins_Two, . - Builtins_Two\n.balign 32\n"
        ".type alone, @function\nalone: test $1, %dil\nje 1f\nlea 5(%rdi), %eax\nret\n1: lea 7(%rdi), %eax\nret\n.size alone, . - alone\n"
        ".section .rodata\n.balign 4\noffsets: .long Builtins_One - blob, Builtins_Two - blob, alone - blob\n.text\n");
extern const char blob[];
extern const int offsets[3];
static volatile int sink;
__attribute__((noinline)) static int back(int n) { return n & 1 ? sink += n : n; }
int main(void) {
    /* push %rbx; push %rdi; pop %rbx; mov %esi, %edi; call *%rbx; pop %rbx; ret */
    static const unsigned char code[] = {0x53, 0x57, 0x5b, 0x89, 0xf7, 0xff, 0xd3, 0x5b, 0xc3};
    void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int s = 0;
    if (page == MAP_FAILED) return 9;
    memcpy(page, code, sizeof code);
    for (int i = 0; i < 70; i++) {
        s += ((int (*)(int (*)(int), int))page)(back, i);
        s += ((int (*)(int (*)(int), int))page)((int (*)(int))(blob + offsets[i % 3]), i);
        s += ((int (*)(int))(blob + offsets[i % 2]))(i);
    }
    printf("%d\n", s);
    return 0;
}
C
gcc -O1 jit.c -o jit 2>cc.log && check "generated code" "$work/jit" || { cat cc.log; fail "jit.c"; }
# ---- what libc raises or ends finds the program in other code: nothing is open but calls of libc ----
cat >ends.c <<'C'
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) static int turn(int n) { return n & 1 ? sink += n : n; }
__attribute__((noinline)) static void last(int how) {
    sigset_t all;
    sigfillset(&all);
    turn(how);
    switch (how) {
    case 0: abort();
    case 1: assert(sink == -1); break;
    case 2: raise(SIGTERM); break;
    case 3: kill(getpid(), SIGUSR1); break;
    case 4: _exit(4);
    case 5: sigprocmask(SIG_BLOCK, &all, NULL); raise(SIGUSR1); turn(7); sigprocmask(SIG_UNBLOCK, &all, NULL); break;
    case 6: signal(SIGTERM, SIG_IGN); raise(SIGTERM); turn(9); _Exit(6);
    default: *(volatile int *)0 = 1;
    }
}
int main(int argc, char **argv) {
    for (int i = 0; i < 100; i++) turn(i);
    puts("done");
    fflush(stdout);
    if (argc > 1) last(atoi(argv[1]));
    return 0;
}
C
gcc -O1 ends.c -o ends || fail "ends.c"
for how in 4 6 0 1 2 3; do check "end $how" "$work/ends" $how; done
grep -qx '# partial' n.graph && grep -qx '# ended by signal 10 (User defined signal 1)' n.graph || fail "an end by a signal is not in the graph: $(head n.graph)"
gcc -O2 "$source/programs/kernels.c" -o kernels -lm && check "kernels" "$work/kernels"
head -c 200000 "$hotgraph" >in
for program in gzip bzip2 xz; do
    if path=$(command -v $program); then check $program "$(realpath "$path")" -c; fi
done
: >in
if path=$(command -v gawk); then check gawk "$(realpath "$path")" 'BEGIN { for (i = 0; i < 3000; i++) a[i % 97] += i; print a[7] }'; fi
if path=$(command -v mawk); then check mawk "$(realpath "$path")" 'BEGIN { for (i = 0; i < 300; i++) a[i % 97] += length(i "x"); print a[7] }'; fi
if path=$(command -v dash); then check dash "$(realpath "$path")" -c 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); case $i in *7) x=$i;; esac; done; echo $x'; fi

# ---- threads: the same counters and cells are incremented by several at once ----
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int (*volatile pick[2])(int);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t together;
static long total;
__attribute__((noinline)) static int odd(int n) { return n * 3 + 1; }
__attribute__((noinline)) static int even(int n) { return n / 2; }
__attribute__((noinline)) static int steps(int n) { int s = 0; while (n != 1 && s < 300) { n = pick[n & 1](n) & 0xffff; s++; } return s; }
__attribute__((noinline)) static int kind(int n) { switch (n % 6) { case 0: return 3; case 1: return steps(n + 1); case 2: return n ^ 5; case 3: return 9; case 4: return steps(n / 2 + 1); default: return 1; } }
static void *work(void *p) {
    long s = 0;
    pthread_barrier_wait(&together);
    for (int from = *(int *)p, i = from; i < from + 60000; i++) s += kind(i + 1);
    pthread_mutex_lock(&lock); total += s; pthread_mutex_unlock(&lock);
    return p;
}
/* Only its wait releases the lock, so the others cannot end before it waits. */
static void *waits(void *p) { pthread_mutex_lock(&lock); pthread_barrier_wait(&together); for (;;) pthread_cond_wait(&never, &lock); return p; }
int main(void) {
    pthread_t t[4], w;
    int from[4];
    pick[0] = even; pick[1] = odd;
    pthread_barrier_init(&together, 0, 5);
    if (pthread_create(&w, 0, waits, 0)) return 9;
    for (int i = 0; i < 4; i++) { from[i] = i * 60000; if (pthread_create(&t[i], 0, work, &from[i])) return 9; }
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    for (volatile int i = 0; i < 1000; i++) total++;
    printf("%ld\n", total);
    return 0;
}
C
cat >spins.c <<'C'
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int started;
static void *spin(void *p) { for (;;) started = 1; return p; }
int main(int argc, char **argv) { pthread_t t; (void)argv; if (pthread_create(&t, 0, spin, 0)) return 9; while (!started) {} if (argc > 2) __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory"); if (argc > 1) _exit(7); return 0; }
C
for flags in -O0 -O2 "-O2 -s"; do
    # Linked at the start: else several threads may meet a stub before one of them has linked it, or only one.
    gcc $flags -Wl,-z,now -pthread threads.c -o threads 2>cc.log || { cat cc.log; fail "threads.c"; continue; }
    check "threads $flags" "$work/threads"
done

# ---- the graph is the one that `record` writes ----
native --graph n.graph -- ./kernels >/dev/null 2>n.err || fail "without --images"
grep -q '^# kind exact' n.graph && grep -q "^# program $(sha1sum kernels | cut -d' ' -f1)" n.graph ||
    fail "the graph's header"
grep -q '^0x1[0-9a-f]\{6\}	0x1' n.graph || fail "addresses begin at 0x1000000"
grep -q 'instructions of its own, .* blocks, .* edges; .* executions of probes, at most [0-9]* of these by traps$' n.err || fail "the summary: $(cat n.err)"
native --graph j.graph --json j.json -- ./kernels >/dev/null 2>j.err && [ ! -s j.err ] || fail "--graph with --json: $(cat j.err)"
python3 - j.json n.err <<'PY' || fail "the summary as JSON: $(cat j.json) beside $(cat n.err)"
import json, re, sys
j, said = json.load(open(sys.argv[1])), list(map(int, re.findall(r" (\d+)", open(sys.argv[2]).read().split(":", 1)[1])))
assert [j[k] for k in ("instructions", "blocks", "edges", "entered", "probed", "traps")] == said and j["exit"] == 0
assert j["program"].endswith("kernels") and j["libraries"] == 0 and j["other_code"] == []
PY
"$hotgraph" compare n.graph n.graph >/dev/null || fail "compare does not take the graph"

# ---- a graph that would not be exact is refused, and leaves no file; the program's failure stays its own ----
refused() { # STATUS TEXT PROGRAM ARGUMENT...
    wanted=$1
    text=$2
    shift 2
    rm -f no.graph
    native --graph no.graph -- "$@" >/dev/null 2>no.err
    got=$?
    test $got = "$wanted" || fail "$*: exit status $got, not $wanted: $(cat no.err)"
    grep -q "$text" no.err || fail "$*: '$(cat no.err)' does not say '$text'"
    test ! -e no.graph || fail "$*: there is a graph"
}
gcc -O1 -pthread spins.c -o spins && refused 125 "another thread may have been" ./spins
refused 7 "another thread may have been" ./spins x
refused 125 "ended without exit" ./spins x y
refused 139 "signal 11 .* not known where" ./ends 7
refused 138 "signal 10 .* not known where" ./ends 5
cat >leaves.c <<'C'
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int n) { siglongjmp(back, n); }
volatile int *volatile nowhere, one = 1, zero;
__attribute__((noinline)) int reads(int x) { int v = *nowhere + x; if (v == one) zero++; while (x-- > 0) zero += v; return v; }
int main(void) { signal(SIGSEGV, handler); return sigsetjmp(back, 1) == 0 ? reads(3) : 0; }
C
gcc -O1 leaves.c -o leaves && refused 125 "no exact graph: .* (reads) was" ./leaves
(ulimit -f 4000; refused 1 "ulimit -f" ./kernels; exit $failed) || failed=1
gcc -O2 -static "$source/programs/kernels.c" -o fixed -lm 2>/dev/null && refused 1 "static" ./fixed
cat >go.c <<'C'
__asm__(".section .note.go.buildid,\"a\",@note\n.long 4, 4, 4\n.asciz \"Go\\0\"\n.long 7\n.text\n");
int main(void) { return 0; }
C
gcc go.c -o go && refused 1 "is a Go program" ./go
"$hotgraph" record --structure other.structure --output /dev/null -- "$work/threads" >/dev/null 2>&1
native --graph no.graph --images other.structure -- ./kernels >/dev/null 2>no.err
test $? = 1 && grep -q "not a file of the structure" no.err || fail "foreign images: $(cat no.err)"
for options in "--blocks" "--threshold 5" "--db x.db" "--functions main"; do
    native --graph no.graph $options -- ./kernels >/dev/null 2>no.err
    test $? = 2 || fail "--graph $options: exit status"
done
native --images other.structure -- ./kernels >/dev/null 2>&1
test $? = 2 || fail "--images without --graph"
exit $failed
