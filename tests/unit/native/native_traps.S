# Functions that have every trap for a patcher. Each takes and returns rdi, rsi -> rax; the test calls
# them with and without probes on all of their instructions.
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

# A jump leads between the bytes that a jump over several would take.
begin trap_target_inside
    mov %rdi, %rax
    push %rcx
1:  inc %rax
    dec %rsi
    jg 1b
    pop %rcx
    ret
finish trap_target_inside

# A return of one byte behind one that is a target, and code after it: room for a short jump over both.
begin trap_short_return
    mov %rdi, %rax
    push %rcx
    test %rsi, %rsi
    jg 2f
1:  pop %rcx
    ret
2:  add %rsi, %rax
    inc %rax
    jmp 1b
finish trap_short_return

# As gcc writes a switch.
begin trap_jump_table
    and $3, %edi
    lea 9f(%rip), %rdx
    movslq (%rdx,%rdi,4), %rax
    add %rdx, %rax
    jmp *%rax
1:  lea 100(%rsi), %rax
    ret
2:  lea 200(%rsi), %rax
    ret
3:  xor %eax, %eax
    ret
4:  mov $7, %al
    movzbl %al, %eax
    ret
    .section .rodata
    .p2align 2
9:  .long 1b - 9b, 2b - 9b, 3b - 9b, 4b - 9b
    .text
finish trap_jump_table

begin trap_endbr
    endbr64
    lea 1(%rdi), %rax
    xor %rsi, %rax
    ret
finish trap_endbr

# Below rsp lives what a probe must not touch.
begin trap_red_zone
    mov %rdi, -8(%rsp)
    mov %rsi, -16(%rsp)
    mov %rdi, -120(%rsp)
    mov %rsi, -128(%rsp)
    cmp %rsi, %rdi
    mov -8(%rsp), %rax
    adc -16(%rsp), %rax
    rol $7, %rax
    xor -120(%rsp), %rax
    add -128(%rsp), %rax
    ret
finish trap_red_zone

# Every flag is read long after it was written.
begin trap_flags
    xor %eax, %eax
    cmp %rsi, %rdi
    mov %rdi, %rcx
    lea 3(%rcx), %rdx
    setb %al
    mov %rdx, %rcx
    jo 1f
    nop
    jp 2f
1:  lea 16(%rax), %rax
2:  mov %rsi, %rcx
    js 3f
    lea 64(%rax), %rax
3:  jz 4f
    lea 256(%rax), %rax
4:  lahf
    movzbl %ah, %ecx
    shl $20, %rcx
    add %rcx, %rax
    ret
finish trap_flags

# A carry that goes through all of it.
begin trap_carry
    mov $20, %ecx
    clc
    mov %rdi, %rax
1:  adc %rsi, %rax
    rcl $3, %rax
    adc $0, %rax
    dec %ecx
    jnz 1b
    sbb $0, %rax
    ret
finish trap_carry

begin trap_relative
    mov 8f(%rip), %rax
    add %rdi, 8f(%rip)
    cmpq $5, 8f(%rip)
    lea 8f(%rip), %rdx
    add (%rdx), %rax
    movl $77, 8f(%rip)
    mov %rsi, %rcx
    shlq $3, 8f(%rip)
    xor 8f(%rip), %rax
    movq $1000, 8f(%rip)
    movdqu 8f(%rip), %xmm0
    ret
    .data
    .p2align 4
8:  .quad 1000, 0
    .text
finish trap_relative

begin trap_loops
    mov %rdi, %rcx
    and $15, %ecx
    mov %rsi, %rax
    jrcxz 2f
1:  lea 5(%rax,%rax), %rax
    loop 1b
2:  mov $9, %ecx
3:  dec %rax
    test $3, %al
    loopne 3b
    mov $5, %ecx
4:  lea 1(%rax), %rax
    cmp %rax, %rax
    loope 4b
    mov $0, %rcx
    jecxz 5f
    mov $-1, %rax
5:  ret
finish trap_loops

# Who is called looks at where it was called from.
begin trap_where
    mov (%rsp), %rax
    ret
finish trap_where
begin trap_calls
    push %rbx
    xor %ebx, %ebx
    call trap_where
1:  lea 1b(%rip), %rcx
    sub %rcx, %rax
    add %rax, %rbx
    lea trap_where(%rip), %rdx
    call *%rdx
2:  lea 2b(%rip), %rcx
    sub %rcx, %rax
    add %rax, %rbx
    push %rdx
    push %rdx
    call *8(%rsp)
3:  lea 3b(%rip), %rcx
    sub %rcx, %rax
    add %rax, %rbx
    call *(%rsp)
4:  lea 4b(%rip), %rcx
    sub %rcx, %rax
    add %rax, %rbx
    pop %rdx
    pop %rdx
    call 5f
5:  pop %rax
    lea 5b(%rip), %rcx
    sub %rcx, %rax
    add %rax, %rbx
    call *7f(%rip)
6:  lea 6b(%rip), %rcx
    sub %rcx, %rax
    lea (%rax,%rbx), %rax
    pop %rbx
    ret
    .data
7:  .quad trap_where
    .text
finish trap_calls

# libc does this: the prefix is jumped over where there is one thread.
begin trap_lock_prefix
    mov %rdi, -8(%rsp)
    mov %rsi, %rax
    test $1, %sil
    je 1f
    lock
1:  xadd %rax, -8(%rsp)
    add -8(%rsp), %rax
    ret
finish trap_lock_prefix

# Functions of one to four bytes.
    .globl trap_one, trap_two, trap_three, trap_four
    .type trap_one, @function
    .type trap_two, @function
    .type trap_three, @function
    .type trap_four, @function
trap_one:
    ret
    .size trap_one, . - trap_one
trap_two:
    cld
    ret
    .size trap_two, . - trap_two
trap_three:
    push %rax
    pop %rax
    ret
    .size trap_three, . - trap_three
trap_four:
    mov %rdi, %rax
    ret
    .size trap_four, . - trap_four
    .p2align 4

# Short jumps whose targets are far for a stub, and a block of two bytes that needs padding.
begin trap_short
    test %rdi, %rdi
    js 2f
    jmp 1f
    .p2align 4
1:  cmp %rsi, %rdi
    jb 3f
2:  sub %rsi, %rdi
    jmp 4f
    .p2align 4
3:  xchg %rsi, %rdi
4:  mov %rdi, %rax
    jmp 5f
    .p2align 5
5:  ret
finish trap_short

begin trap_strings
    push %rbx
    sub $64, %rsp
    mov %rsp, %rbx
    mov %rdi, %rax
    mov $8, %ecx
    mov %rbx, %rdi
    rep stosq
    mov $64, %ecx
    mov %rbx, %rdi
    mov %sil, %al
    repne scasb
    mov %rcx, %rax
    enter $32, $0
    lea 3(%rax), %rax
    leave
    add $64, %rsp
    pop %rbx
    ret
finish trap_strings

# NOPs in front of loops' heads, on the way in: one has room for a jump, one for two.
begin trap_reachable
    mov %rdi, %rax
    and $63, %esi
    .byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
1:  lea 3(%rax), %rax
    xor %rsi, %rax
    rol $5, %rax
    dec %esi
    jg 1b
    mov $9, %ecx
    cmp %edi, %ecx
    .byte 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
2:  adc %rcx, %rax
    dec %ecx
    jnz 2b
    ret
finish trap_reachable

# Addresses as pushes and returns make them.
begin trap_computed
    lea 1f(%rip), %rax
    push %rax
    test %rdi, %rdi
    ret
1:  lea (%rdi,%rsi,2), %rax
    ret
finish trap_computed

# Nothing but short instructions, so that who is interrupted stands inside a window.
begin trap_straight
    mov %rdi, %rax
    .rept 40
    add %esi, %eax
    rol $3, %eax
    xor %edi, %eax
    inc %eax
    push %rax
    pop %rcx
    .endr
    ret
finish trap_straight

# Sleeps for the time at rdi, with the system call inside of it.
begin trap_sleep
    mov $35, %eax
    xor %esi, %esi
    syscall
    inc %eax
    cltq
    ret
finish trap_sleep
    .section .note.GNU-stack, "", @progbits
