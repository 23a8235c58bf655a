#!/bin/sh
# Code that only an address leads to: labels that a function takes itself (__builtin_setjmp, as ruby's interpreter has it), and
# arms of a table whose index is compared with something else than its last one (as Rust's compiler does). The program must not
# notice any probe there, and the graph must be what `hotgraph record` counts.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")

cat >calls.c <<'C'
#include <stdio.h>
struct node { unsigned kind; struct node *inner; };
long kind(const struct node *n, long x);
static void *back[5];
#define LEAVE __attribute__((noinline, noclone))
LEAVE static void deep(int n) {
    if (n > 0) { deep(n - 1); __asm__ volatile(""); } else __builtin_longjmp(back, 1);
}
LEAVE static int caught(int n) {
    volatile int kept = n;
    if (__builtin_setjmp(back) == 0) { deep(kept); return 0; }
    return kept + 1;
}
int main(void) {
    long sum = 0;
    struct node other = {.kind = 4}, wrapped = {.kind = 2, .inner = &other};
    for (int i = 0; i < 20; i++) sum += caught(i % 4);
    for (unsigned i = 0; i < 60; i++) {
        other.kind = i % 5 == 2 ? 4 : i % 5;
        sum = sum * 3 + kind(i % 3 == 0 ? &wrapped : &other, sum);
    }
    printf("%ld\n", sum);
    return 3;
}
C
# Kinds 0 to 4; 2 is followed first, so the table has more entries than the comparison says. The last arms begin within the 5
# bytes of the one before.
cat >table.S <<'S'
    .text
    .globl kind
    .type kind, @function
kind:
    .cfi_startproc
    mov %rsi, %rax
    cmp $1000, %rsi
    jg 4f
    jmp 2f
1:  mov 8(%rdi), %rdi
2:  mov (%rdi), %ecx
    cmp $2, %rcx
    je 1b
    lea 9f(%rip), %rdx
    movslq (%rdx,%rcx,4), %rcx
    add %rdx, %rcx
    jmp *%rcx
3:  lea 100(%rax), %rax
    ret
4:  add $7, %rax
5:  inc %rax
6:  add %rax, %rax
    ret
    .cfi_endproc
    .size kind, . - kind
    .section .rodata
    .p2align 2
9:  .long 3b - 9b, 4b - 9b, 3b - 9b, 5b - 9b, 6b - 9b
    .section .note.GNU-stack, "", @progbits
S
native() { env --default-signal -i LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
for flags in -O0 -O2 "-O2 -no-pie" "-O2 -s"; do
    gcc $flags calls.c table.S -o calls || { fail "gcc $flags"; continue; }
    ./calls >alone.out
    for options in "" --blocks --instructions; do
        native $options --json n.json -- ./calls >n.out 2>n.err
        code=$?
        [ $code = 3 ] && cmp -s alone.out n.out || fail "$flags $options: status $code: $(cat n.err)"
    done
    "$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --output r.out -- "$work/calls" >/dev/null 2>r.err
    native --graph n.graph --images r.structure -- "$work/calls" >n.out 2>n.err
    code=$?
    [ $code = 3 ] && cmp -s alone.out n.out || fail "$flags --graph: status $code: $(cat n.err)"
    python3 "$same" r.graph r.meta n.graph "$work/calls" || fail "$flags: the graphs differ"
done
[ $failed = 0 ] || exit 1
