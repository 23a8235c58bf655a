#!/bin/sh
# Large libraries get their probes part by part, when they are first executed (core/native/edges/edge_late.c). The graph
# must be the one that all probes give from the start (HOTGRAPH_LATE=0), and that `hotgraph record` counts.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")

# ---- a library of many parts: each function calls two others, far away, and has a cold half ----
awk 'BEGIN {
    n = 600
    print "#include <setjmp.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>"
    print "#define ALONE __attribute__((noinline, noclone))\nextern jmp_buf place;\nint depth;\n__attribute__((cold, noinline)) int odd(int x) { return x * 5; }"
    for (i = 0; i < n; i++) printf "ALONE int wide%d(int x);\n", i
    for (i = 0; i < n; i++) {
        printf "ALONE int wide%d(int x) {\n    int s = x ^ %d;\n", i, i
        printf "    for (int k = 0; k < (x & 3); k++) s += k * %d;\n", i % 17
        printf "    if (__builtin_expect(x %% 11 == %d, 0)) { s += odd(s); if (s & 4) s ^= odd(x); }\n", i % 11
        printf "    switch (x & 7) { case 0: s += 3; break; case 1: s ^= 5; break; case 2: s -= x; break; case 3: s *= 3; break; case 4: s += odd(x); break; case 5: s = ~s; break; default: s++; }\n"
        if (i % 40 == 7) printf "    if (x < 0) longjmp(place, x & 15);\n"
        if (i > 2) printf "    if (x > 1) s += wide%d(x / 2) - wide%d(x / 3);\n", (i * 7) % i, i - 1 - (i * 13) % (i / 2 + 1)
        printf "    return s;\n}\n"
    }
    printf "typedef int (*wide)(int);\nwide const all[] = {"
    for (i = 0; i < n; i++) printf "wide%d, ", i
    print "};\nconst int count = sizeof all / sizeof *all;"
    # Far from what it is used by:
    print "volatile sig_atomic_t heard;\nvoid hear(int number) { heard += wide501(number & 3); }"
    print "void *run(void *p) { long s = 0; for (int i = 0; i < count; i += 3) s += all[i](i & 31); (void)p; return (void *)s; }"
    print "int branch(int from, int to) { int s = 0, status = 0; pid_t id = fork(); if (id == 0) { for (int i = from; i < to; i++) s += all[i](5); _exit(s & 31); } waitpid(id, &status, 0); return WEXITSTATUS(status); }"
}' >wide.c
cat >uses.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef int (*wide)(int);
extern wide const all[];
extern const int count;
void hear(int number);
void *run(void *p);
int branch(int from, int to);
extern volatile sig_atomic_t heard;
jmp_buf place;
static pthread_barrier_t together;
static void *begin(void *p) { long s = 0; for (int k = 0; k < 4; k++) { pthread_barrier_wait(&together); s += (long)run(p) * (k + 1); } return (void *)s; }
static void threads(void) {
    pthread_t t[6];
    long s = 0;
    pthread_barrier_init(&together, 0, 6);
    for (int i = 0; i < 6; i++) if (pthread_create(&t[i], 0, begin, 0)) exit(9);
    for (int i = 0; i < 6; i++) { void *r; pthread_join(t[i], &r); s += (long)r; }
    printf("threads %ld\n", s);
}
static void blocked(void) { /* all signals, while new code is executed, and in a handler */
    sigset_t most;
    struct sigaction act = {.sa_handler = hear};
    sigfillset(&most);
    sigfillset(&act.sa_mask);
    sigprocmask(SIG_SETMASK, &most, 0);
    int s = all[77](9);
    sigprocmask(SIG_SETMASK, 0, &most);
    s += sigismember(&most, SIGSEGV);
    sigemptyset(&most);
    sigprocmask(SIG_SETMASK, &most, 0);
    sigaction(SIGUSR1, &act, 0);
    raise(SIGUSR1);
    raise(SIGUSR1);
    printf("signals %d %d\n", s, (int)heard);
}
static sigjmp_buf out;
static void fault(int number) { siglongjmp(out, number); }
/* Faults that are the program's own: from its data, from a page that it made, and one that it sends. */
static void faults(void) {
    int s = 0;
    struct sigaction act = {.sa_handler = fault}, old;
    sigaction(SIGSEGV, &act, &old);
    s += old.sa_handler == SIG_DFL;
    if (sigsetjmp(out, 1) == 0) *(volatile int *)16 = 1; else s += 2;
    if (sigsetjmp(out, 1) == 0) ((void (*)(void))(uintptr_t)4096)(); else s += 4;
    if (sigsetjmp(out, 1) == 0) raise(SIGSEGV); else s += 8;
    sigaction(SIGSEGV, 0, &old);
    s += 16 * (old.sa_handler == fault);
    printf("faults %d %d\n", s, all[60](3));
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "plain";
    int s = 0;
    if (!strcmp(what, "threads")) threads();
    if (!strcmp(what, "signals")) blocked();
    if (!strcmp(what, "faults")) faults();
    if (!strcmp(what, "ends")) { signal(SIGSEGV, SIG_DFL); s = all[50](4); fflush(stdout); *(volatile int *)16 = s; }
    if (!strcmp(what, "fork")) { s = all[300](7); printf("child %d", branch(400, 500)); s += all[550](4); printf(" %d\n", s); }
    for (int i = 3; i < count; i += 31) s += all[i](i & 63);
    const int back = setjmp(place);
    if (back == 0) s += all[327](-7);
    void *other = dlopen("./libother.so", RTLD_NOW);
    int (*more)(int) = other != 0 ? (int (*)(int))dlsym(other, "more") : 0;
    if (more != 0) s += more(3);
    if (other != 0) dlclose(other);
    printf("%s %d %d\n", what, s, back);
    fwrite((const void *)all[590], 1, 8, stdout); /* code that was not executed can be read */
    puts("");
    return 0;
}
C
echo 'int wide44(int x); int more(int x) { return wide44(x) + x; }' >other.c
native() { env --default-signal -i ${late:+HOTGRAPH_LATE="$late"} ${linked:+LD_BIND_NOW="$linked"} TZ=UTC0 HOME=/nonexistent LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
cat >parts.py <<'P'
"""parts.py STRUCTURE GRAPH NAME...: the graph's blocks and edges that lie in these files, by their offsets in them."""
import sys
spans = []
with open(sys.argv[1]) as lines:
    images = sorted((int(row.split()[1], 16), row.split()[-1]) for row in lines if row.startswith("#image"))
for (start, path), end in zip(images, [base for base, _ in images[1:]] + [1 << 32]):
    if path.rsplit("/", 1)[-1] in sys.argv[3:]:
        spans.append((start, end))
def name(at):
    return next((f"{k}+{at - start:#x}" for k, (start, end) in enumerate(spans) if start <= at < end), None)
rows = []
with open(sys.argv[2]) as lines:
    for row in lines:
        words = row.split()
        if row.startswith("#block"):
            words = words[1:] + ["block"]
        elif row.startswith("#") or not words:
            continue
        ends = name(int(words[0], 16)), name(int(words[1], 16))
        if None not in ends:
            rows.append(" ".join((*ends, *words[2:3])))
print("\n".join(sorted(rows)))
P
linked=
both() { # WHAT: output, exit status and graph, late and from the start
    # Threads that call through a stub for the first time at once link it once or twice: different from run to run.
    [ "$1" != threads ] || linked=1
    for late in 0 1; do
        native --graph $late.graph --structure $late.structure --libraries -- ./uses "$1" >$late.out 2>$late.err
        echo $? >$late.status
        python3 parts.py $late.structure $late.graph uses libwide.so >$late.rows || fail "$1: $(cat $late.err)"
    done
    linked=
    [ "$(cat 0.status)" = 0 ] || fail "$1: exit status $(cat 0.status): $(cat 0.err)"
    [ "$(wc -l <0.rows)" -gt 1000 ] || fail "$1: only $(wc -l <0.rows) rows"
    cmp -s 0.status 1.status && cmp -s 0.out 1.out && cmp -s plain.out 0.out || fail "$1: other output or exit status when late: $(cat 1.err)"
    cmp -s 0.rows 1.rows || fail "$1: the graphs differ when late: $(diff 0.rows 1.rows | head -10)"
    echo "$1: $(wc -l <0.rows) edges and blocks equal"
}
for flags in "gcc -O2 -Wl,-z,lazy" "clang -O1 -Wl,-z,now"; do
    command -v "${flags%% *}" >/dev/null || continue
    $flags -w -shared -fPIC wide.c -o libwide.so -Wl,--unresolved-symbols=ignore-all &&
        $flags -w -shared -fPIC other.c -o libother.so -Wl,--unresolved-symbols=ignore-all &&
        $flags uses.c -o uses -rdynamic -pthread -L. -lwide -ldl "-Wl,-rpath,$work" || { fail "$flags: does not compile"; continue; }
    for what in plain signals fork threads; do
        ./uses $what >plain.out 2>/dev/null
        both $what
    done
    # Its own faults reach the program, and end it if it has no handler. Then there is no graph.
    late=1
    ./uses faults >plain.out
    native --graph f.graph --libraries -- ./uses faults >f.out 2>f.err
    cmp -s plain.out f.out && grep -q '^faults 31 ' f.out || fail "$flags: faults of the program: $(cat f.out f.err)"
    native --graph g.graph --libraries -- ./uses ends >/dev/null 2>g.err
    [ $? = 139 ] && [ ! -e g.graph ] && grep -q 'signal 11' g.err || fail "$flags: a fault ends the program: $(cat g.err)"
done

# ---- as under QEMU ----
"$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --output r.out -- "$work/uses" >/dev/null 2>r.err || fail "record: $(cat r.err)"
late=1
native --graph n.graph --images r.structure --libraries -- "$work/uses" >n.out 2>n.err || fail "$(cat n.err)"
python3 "$same" r.graph r.meta n.graph "$work/uses" "$work/libwide.so" || fail "the recorded graph differs"

# ---- only what was executed has probes ----
mkdir folder
cat >look.c <<'C'
#include <stdio.h>
#include <string.h>
/* How many bytes of the library are executable? */
int wide3(int x);
int main(void) {
    char line[4096], how[8];
    unsigned long from, to, open = 0, all = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    int s = wide3(1);
    while (f != 0 && fgets(line, sizeof line, f) != 0)
        if (strstr(line, "/libwide.so") && sscanf(line, "%lx-%lx %7s", &from, &to, how) == 3) { all += to - from; open += how[2] == 'x' ? to - from : 0; }
    printf("%d %d\n", s == 12345, open > 0 && open < all / 4);
    return 0;
}
C
gcc -O1 look.c -o look -rdynamic -L. -lwide "-Wl,-rpath,$work" -Wl,--unresolved-symbols=ignore-all || fail "look.c"
sed 's/extern jmp_buf place/jmp_buf place/' wide.c >whole.c && gcc -O2 -w -shared -fPIC whole.c -o libwide.so || fail "whole.c"
[ "$(native --graph l.graph --libraries -- ./look 2>l.err)" = "0 1" ] || fail "all of the library is executable: $(cat l.err)"
late=0
[ "$(native --graph l.graph --libraries -- ./look 2>l.err)" = "0 0" ] || fail "HOTGRAPH_LATE=0: $(cat l.err)"

# ---- wrong ones ----
late=many
native --graph w.graph --libraries -- ./look >w.out 2>w.err
[ $? = 1 ] && grep -q "HOTGRAPH_LATE is 'many'" w.err && [ ! -s w.out ] || fail "HOTGRAPH_LATE=many: $(cat w.err)"
exit $failed
