/* The function that stubs call: saves all registers that a C function may change, and calls it. */
#include "native/hit/hit.h"
#include "native/session_state.h"

#include <cpuid.h>
#include <errno.h>

/* Frame: registers 0..15 (rsp is filled in below), flags, return address, the stub's argument.
 * Vector and x87 state is stored by xsave, 64-byte aligned; 0xe7 is x87, SSE, AVX and the three
 * parts of AVX-512, 2688 bytes at most. */
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden hotprobe_hit_entry\n"
        ".globl hotprobe_hit_entry\n"
        ".type hotprobe_hit_entry, @function\n"
        "hotprobe_hit_entry:\n"
        "    pushfq\n"
        "    push %r15\n    push %r14\n    push %r13\n    push %r12\n"
        "    push %r11\n    push %r10\n    push %r9\n    push %r8\n"
        "    push %rdi\n    push %rsi\n    push %rbp\n    push %rsp\n"
        "    push %rbx\n    push %rdx\n    push %rcx\n    push %rax\n"
        "    mov %rsp, %rbx\n"
        "    cld\n"
        "    mov 144(%rbx), %rdi\n"
        "    mov %rbx, %rsi\n"
        "    sub $2816, %rsp\n"
        "    and $-64, %rsp\n"
        "    xor %eax, %eax\n"
        "    mov %rax, 512(%rsp)\n    mov %rax, 520(%rsp)\n    mov %rax, 528(%rsp)\n"
        "    mov %rax, 536(%rsp)\n    mov %rax, 544(%rsp)\n    mov %rax, 552(%rsp)\n"
        "    mov %rax, 560(%rsp)\n    mov %rax, 568(%rsp)\n"
        "    mov $0xe7, %eax\n"
        "    xor %edx, %edx\n"
        "    xsave64 (%rsp)\n"
        "    call hotprobe_hit_call\n"
        "    mov $0xe7, %eax\n"
        "    xor %edx, %edx\n"
        "    xrstor64 (%rsp)\n"
        "    mov %rbx, %rsp\n"
        "    pop %rax\n    pop %rcx\n    pop %rdx\n    pop %rbx\n"
        "    lea 8(%rsp), %rsp\n    pop %rbp\n    pop %rsi\n    pop %rdi\n"
        "    pop %r8\n    pop %r9\n    pop %r10\n    pop %r11\n"
        "    pop %r12\n    pop %r13\n    pop %r14\n    pop %r15\n"
        "    popfq\n"
        "    ret\n"
        ".size hotprobe_hit_entry, . - hotprobe_hit_entry\n");

void hotprobe_hit_entry(void);
__attribute__((visibility("hidden"))) void hotprobe_hit_call(uintptr_t pushed, uint64_t *frame);

/* A called function may run through probes itself. HOTPROBE_EVERY probes are ignored then: one of
 * them might be its own. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

enum { REGISTERS = 16, ABOVE = REGISTERS + 2, RED_ZONE = 128, SAVED = 1, PUSHED = 2 };

void hotprobe_hit_call(uintptr_t pushed, uint64_t *frame) {
    struct hotprobe_probe *p = (struct hotprobe_probe *)(pushed & ~(uintptr_t)(SAVED | PUSHED));
    if ((p->flags & HOTPROBE_PAIRS) != 0) { /* not a call of libc, errno's neither: it has pairs */
        atomic_fetch_add(&p->session->entered, 1);
        pairs_hit(p->session, &(struct hotprobe_hit){p->site, 0, frame, p->data});
        atomic_fetch_add(&p->session->left, 1);
        return;
    }
    bool nested = inside;
    if (nested && (p->flags & HOTPROBE_EVERY) != 0)
        return;
    inside = true;
    atomic_fetch_add(&p->session->entered, 1);
    int error = errno;
    uint64_t rax = frame[0]; /* holds the flags, if they were saved */
    uintptr_t stack = (uintptr_t)&frame[ABOVE + 1] + RED_ZONE;
    if ((pushed & SAVED) != 0) {
        frame[0] = *(uint64_t *)stack; /* the program's rax */
        stack += 8 + RED_ZONE;
    }
    frame[4] = stack + ((pushed & PUSHED) != 0 ? 8 : 0);
    struct hotprobe_hit hit = {p->site, (p->flags & HOTPROBE_EVERY) != 0 ? 0 : p->threshold, frame,
                               p->data};
    if (p->call != NULL)
        p->call(&hit);
    frame[0] = rax;
    errno = error;
    atomic_fetch_add(&p->session->left, 1);
    inside = nested;
}

uintptr_t hit_entry(void) {
    return (uintptr_t)hotprobe_hit_entry;
}
