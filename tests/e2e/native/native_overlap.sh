#!/bin/sh
# Instructions that overlap: a jump leads inside of another instruction. The program must not notice any probe there; the
# graph must be what `hotgraph record` counts, or is refused with the place, before the program runs.
. "$(dirname "$0")/../record_lib.sh"
"$hotgraph" help native >/dev/null 2>&1 || skip "no probes in this build"
failed=0
fail() { echo "FAILED: $*" >&2; failed=1; }
same=$(realpath "$source/tests/e2e/record/same_graph.py")

cat >calls.c <<'C'
#include <stdio.h>
long locked(long *to, long by, int alone);
long into_itself(long x);
long constant(long x, int how);
long apart(long x, int how);
int main(void) {
    long sum = 0, at = 5;
    for (int i = 0; i < 40; i++) sum += locked(&at, i, i % 3);
    for (int i = 0; i < 30; i++) sum += into_itself(i);
    for (int i = 0; i < 50; i++) sum = sum * 3 + constant(i, i % 4 == 1);
    for (int i = 0; i < 60; i++) sum = sum * 5 + apart(i, i % 5 < 2);
    printf("%ld %ld\n", sum, at);
    return 3;
}
C
cat >overlap.S <<'S'
    .text
    .macro begin name
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    .endm
    .macro finish name
    .cfi_endproc
    .size \name, . - \name
    .endm
# As old libcs have it: the prefix is jumped over. Both readings end at the return, and 5 bytes begin inside.
begin locked
    mov %rsi, %rax
    test %edx, %edx
    je 1f
    lock
1:  xadd %rax, (%rdi)
    ret
finish locked
# eb ff is a jump to its own second byte, where ff c0 is inc %eax.
begin into_itself
    lea 7(%rdi), %rax
    .byte 0xeb, 0xff, 0xc0
    add %rdi, %rax
    ret
finish into_itself
# The constant holds other code: add $3, %eax ; jmp 2f
begin constant
    mov %rdi, %rax
    test %esi, %esi
    jne 1f + 2
1:  movabs $0x3eb03c083, %rdx
    xor %rdx, %rax
2:  lea 1(%rax,%rax), %rax
    ret
finish constant
# Readings that meet after two instructions: mov $0x9005c083, %eax ; nop, and add $5, %eax ; nop ; nop
begin apart
    mov %edi, %eax
    test %esi, %esi
    jne 1f + 1
1:  .byte 0xb8, 0x83, 0xc0, 0x05, 0x90
    nop
    add %rdi, %rax
#ifdef RETURN
    test %esi, %esi
    jne 2f + 1
2:  .byte 0xb8, 0xc3, 0, 0, 0
#endif
    ret
finish apart
    .section .note.GNU-stack, "", @progbits
S
native() { env --default-signal -i LC_ALL=C PATH=/usr/bin:/bin "$hotgraph" native "$@"; }
traps=over-one,over-several,padding,reachable,constrained,trap
quiet() { # PROGRAM: no probe changes what it does
    "./$1" >alone.out
    for options in "" --blocks --instructions "--blocks --strategy $traps" "--instructions --strategy $traps"; do
        native $options --json "$1.json" -- "./$1" >n.out 2>n.err
        code=$?
        [ $code = 3 ] && cmp -s alone.out n.out || fail "$1 $options: status $code: $(cat n.err)"
    done
}
for flags in "" -no-pie; do
    gcc -O2 $flags calls.c overlap.S -o calls || { fail "gcc"; continue; }
    quiet calls
    # The prefix was executed 26 times, and its place can have a trap; what starts inside can have nothing.
    python3 - calls.json <<'P' || fail "counts of calls $flags"
import json, sys
sites = {(s["function"], s["offset"]): s for s in json.load(open(sys.argv[1], encoding="utf-8"))["sites"]}
assert sites["locked", 7]["count"] == 26 and sites["locked", 7]["strategy"] == "trap", sites["locked", 7]
assert sites["locked", 8]["reason"] == "the site is inside another instruction", sites["locked", 8]
assert sites["locked", 12]["count"] == 40, sites["locked", 12]
P
    "$hotgraph" record --graph r.graph --structure r.structure --meta r.meta --output r.out -- "$work/calls" >/dev/null 2>r.err
    native --graph n.graph --images r.structure -- "$work/calls" >n.out 2>n.err
    code=$?
    [ $code = 3 ] && cmp -s alone.out n.out || fail "--graph $flags: status $code: $(cat n.err)"
    python3 "$same" r.graph r.meta n.graph "$work/calls" || fail "--graph $flags: the graphs differ"
done

# A return inside another instruction leads to targets that nothing can count.
gcc -O2 -DRETURN calls.c overlap.S -o returns || fail "gcc"
quiet returns
rm -f n.graph
native --graph n.graph -- ./returns >n.out 2>n.err
code=$?
[ $code = 1 ] && [ ! -s n.out ] && [ ! -e n.graph ] || fail "a return inside: status $code: $(cat n.err)"
grep -q 'apart (0x[0-9a-f]* in the file): 1 probes of the graph cannot be placed, .*: the site is inside another instruction' n.err ||
    fail "a return inside: $(cat n.err)"
[ $failed = 0 ] || exit 1
