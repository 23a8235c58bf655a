/* System calls without libc, whose own calls may have probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_RAW_H
#define HOTGRAPH_NATIVE_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Returns what the kernel does: an error is its number, negative. */
static inline long raw_call6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                             uint64_t e, uint64_t f) {
    register uint64_t r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long raw_call3(long number, uint64_t a, uint64_t b, uint64_t c) {
    return raw_call6(number, a, b, c, 0, 0, 0);
}

/* `bytes` is a multiple of eight. */
static inline void raw_clear(void *at, size_t bytes) {
    size_t words = bytes / 8;
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(0) : "memory");
}

#endif
