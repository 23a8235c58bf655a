/*
 * kernel: makes system calls answer the same in every run and on every machine. Answers that would
 * differ between runs: random bytes, clocks, and how busy machine and process are. Answers that
 * would differ between machines: the names of machine and user, block sizes of file systems, times
 * of installed files, the order of a folder's entries. Private to the plugin.
 *
 * The guest's memory is overwritten after a system call has returned successfully. Calls that
 * return their answer in a register (time, times) are answered in plugin.c, which QEMU calls
 * instead of the C library. The clock shows 1,700,000,000 s at the first instruction, and one
 * nanosecond more after each.
 */
#ifndef HOTGRAPH_QEMU_KERNEL_H
#define HOTGRAPH_QEMU_KERNEL_H

#include <stdint.h>

#include "qemu/target.h"

enum {
    KERNEL_CLOCK_START = 1700000000,
    KERNEL_TICKS = 100, /* ticks per second, for times() */
    KERNEL_USER = 1000, /* user id and group id */
};

struct kernel_call {
    int64_t number;
    uint64_t argument[5];
};

struct kernel {
    const struct target *target;
    uint64_t guest_base;  /* host address of the guest's address 0 */
    uint64_t random;      /* the recording user */
    uint32_t user, group; /* who records */
};

/* `executed`: instructions so far. */
void kernel_answer(struct kernel *k, const struct kernel_call *call, int64_t result,
                   uint64_t executed);

#endif
