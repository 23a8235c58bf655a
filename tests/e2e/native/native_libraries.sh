#!/bin/sh
# hotgraph native --graph --libraries: the program's libraries are counted, too, with the edges between the files.
# The graph must be what `hotgraph record` counts in the same files, also of what libraries do before main.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")

cat >first.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#define LEAVE __attribute__((noinline, noclone))
static volatile int sink;
static int steps[4];
__attribute__((constructor)) static void begin(void) { for (int i = 0; i < 4; i++) steps[i] = i * i; }
__attribute__((destructor)) static void end(void) { for (int i = 0; i < 3; i++) sink += i; }
LEAVE int other(int x) { return x * 3; }
/* Called through the linkage table, because the program may define another one. */
LEAVE int shared(int x) { return other(x) + steps[x & 3]; }
LEAVE int kind(int x) { switch (x % 7) { case 0: return shared(x); case 1: sink++; case 2: return 4; case 3: return other(x) + 1; case 4: return -x; case 5: sink--; } return x; }
LEAVE int each(const int *at, int n, int (*call)(int)) { int s = 0; for (int i = 0; i < n; i++) s += call(at[i]); return s; }
static LEAVE int mine(int x) { return x & 1 ? kind(x) : (int)strlen("four") + x; }
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int work(int *at, int n, int (*call)(int)) { qsort(at, (size_t)n, sizeof *at, order); return each(at, n, call) + each(at, n, mine); }
void *run_here(void *p) { for (;;) sink++; return p; }
/* Waits in a system call of its own. */
void *wait_here(void *p) { long r; __asm__ volatile("syscall" : "=a"(r) : "0"(SYS_pause) : "rcx", "r11", "memory"); return p; }
C
cat >second.c <<'C'
int shared(int x);
int more(int x) { int s = 0; for (int i = 0; i < x; i++) s ^= shared(i); return s; }
C
cat >uses.c <<'C'
#include <stdio.h>
int work(int *at, int n, int (*call)(int));
int more(int x);
int kind(int x);
static int own(int x) { return x > 20 ? kind(x) : x; }
int main(void) {
    int at[60], s = 0;
    for (int i = 0; i < 60; i++) at[i] = (i * 37) % 61;
    for (int i = 0; i < 20; i++) s += work(at, 60, i & 1 ? own : kind) + more(i);
    printf("%d\n", s);
    return 0;
}
C
native() { env --default-signal -i TZ=UTC0 HOME=/nonexistent LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
check() { # NAME LIBRARY... : the program ./uses both ways
    name=$1
    shift
    "$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --output r.out -- "$work/uses" >/dev/null 2>r.err ||
        { cat r.err; fail "$name: record"; return; }
    native --graph n.graph --images r.structure --libraries -- "$work/uses" >n.out 2>n.err || fail "$name: $(cat n.err)"
    cmp -s r.out n.out || fail "$name: the output differs"
    python3 "$same" r.graph r.meta n.graph "$work/uses" "$@" || fail "$name: the graphs differ"
}
for flags in "-O2 -Wl,-z,lazy" "-O1 -Wl,-z,now"; do
    gcc $flags -shared -fPIC first.c -o libfirst.so && gcc $flags -shared -fPIC second.c -o libsecond.so -L. -lfirst &&
        gcc $flags uses.c -o uses -L. -lsecond -lfirst "-Wl,-rpath,$work" || { fail "$flags: does not compile"; continue; }
    check "$flags" "$work/libfirst.so" "$work/libsecond.so"
done
grep -q 'of its own and of 3 libraries, ' n.err || fail "the summary: $(cat n.err)"
grep -q '^# exact graph of .*with libraries, native' n.graph || fail "the graph's header: $(head -1 n.graph)"

# ---- without a recording: libraries follow the program, and the structure names them ----
native --graph a.graph --structure a.structure --libraries -- ./uses >/dev/null 2>a.err || fail "$(cat a.err)"
[ "$(grep -c '^#image 0x1[0-9a-f]*00000 .*/\(uses\|lib\(first\|second\)\.so\)$' a.structure)" = 3 ] || fail "the structure: $(grep '^#image' a.structure)"
# libc compares strings by their addresses, which differ.
edges() { # STRUCTURE GRAPH: how many, but of libc
    awk 'FNR == NR { if ($1 == "#image") { if (from != "" && to == "") to = $2; if ($4 ~ /\/libc\.so\.6$/) from = $2 } next }
        !/^#/ && ($1 < from || (to != "" && $1 >= to)) && ($2 < from || (to != "" && $2 >= to)) { n++ } END { print n }' "$1" "$2"
}
[ "$(edges a.structure a.graph)" -gt 20 ] && [ "$(edges a.structure a.graph)" = "$(edges r.structure n.graph)" ] ||
    fail "other edges without a recording: $(edges a.structure a.graph), $(edges r.structure n.graph)"

# ---- what cannot be counted ----
# A return inside another instruction can have no probe, so this library is other code.
cat >odd.s <<'S'
    .text
    .globl odd
    .type odd, @function
odd:
    .byte 0x31, 0xc0, 0x85, 0xff, 0x74, 0x01, 0xb8, 0xc3, 0x00, 0x00, 0x00, 0xc3
    .size odd, . - odd
    .section .note.GNU-stack,"",@progbits
S
cat >main.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
int odd(int x);
void *wait_here(void *p), *run_here(void *p);
int main(int argc, char **argv) {
    pthread_t t;
    (void)argv;
    if (argc > 1) { if (pthread_create(&t, 0, argc > 2 ? run_here : wait_here, 0)) return 9; usleep(20000); return 0; }
    printf("%d %d\n", odd(0), odd(1));
    return 0;
}
C
gcc -shared odd.s -o libodd.so && gcc -O1 main.c -o main -pthread -L. -lodd -lfirst "-Wl,-rpath,$work" || fail "main.c"
native --graph o.graph --libraries -- ./main >o.out 2>o.err || fail "other code: $(cat o.err)"
[ "$(cat o.out)" = "0 195" ] || fail "output with other code: $(cat o.out)"
grep -q 'of its own and of 2 libraries' o.err && grep -q 'counts as other code: .*/libodd.so: odd (0x' o.err || fail "other code: $(cat o.err)"
# So is one with more returns than there is room for.
cat >many.s <<'S'
    .text
    .globl last
    .type last, @function
last:
    leal 1(%rdi), %eax
returns:
    .fill 1050000, 1, 0xc3
    .size last, . - last
    .section .data.rel.ro,"aw"
    n = 0
    .rept 1050000
    .quad returns + n
    n = n + 1
    .endr
    .section .note.GNU-stack,"",@progbits
S
echo 'int last(int x); int main(void) { return last(2); }' >calls.c
gcc -shared many.s -o libmany.so && gcc -O1 calls.c -o calls -L. -lmany "-Wl,-rpath,$work" || fail "many.s"
native --graph m.graph --libraries -- ./calls 2>m.err
[ $? = 3 ] && grep -q 'of its own and of 1 libraries' m.err && grep -q 'libmany.so: it has 105[0-9]* indirect jumps' m.err || fail "too many returns: $(cat m.err)"
# More than one table of cells has room for are counted: the last one, too.
cat >many.s <<'S'
    .altmacro
    .macro one
    LOCAL at
at: leal 1(%rdi), %eax
    ret
    .pushsection .data.rel.ro,"aw"
    .quad at
    .popsection
    .endm
    .text
    .globl first
    .type first, @function
first:
    .rept 132000
    one
    .endr
    .size first, . - first
    .globl last
    .type last, @function
last:
    leal 1(%rdi), %eax
    ret
    .size last, . - last
    .section .note.GNU-stack,"",@progbits
S
gcc -shared many.s -o libmany.so || fail "many.s"
native --graph m.graph --structure m.structure --libraries -- ./calls 2>m.err
[ $? = 3 ] && grep -q 'of its own and of 2 libraries' m.err || fail "many returns: $(cat m.err)"
[ "$(awk 'FNR == NR { if ($1 == "#image") { if (from != "" && to == "") to = $2; if ($4 ~ /libmany/) from = $2 } next }
    !/^#/ && $1 >= from && (to == "" || $1 < to) && $2 < "0x1100000" { n++; c += $3 } END { print n, c }' m.structure m.graph)" = "1 1" ] || fail "the last return: $(cat m.graph)"
# A thread that waits in a library's own system call has ended a path there; one that runs in the library has left it open.
native --graph t.graph --libraries -- ./main x >/dev/null 2>t.err || fail "a thread that waits in a library: $(cat t.err)"
grep -q 'of its own and of 2 libraries' t.err || fail "a thread that waits in a library: $(cat t.err)"
rm -f t.graph
native --graph t.graph --libraries -- ./main x x >/dev/null 2>t.err
[ $? = 125 ] && grep -q 'another thread may have been' t.err && [ ! -e t.graph ] || fail "a thread in a library: $(cat t.err)"
native --graph t.graph -- ./main x x >/dev/null 2>t.err
[ $? = 125 ] || fail "the same, without libraries, where it runs: $(cat t.err)"
native --graph t.graph -- ./main x >/dev/null 2>t.err || fail "the same, without libraries, where it waits: $(cat t.err)"
exit $failed
