/*
 * kernel: what a kernel answers otherwise each time, answered the same in every run: random bytes,
 * clocks, and how busy the machine and the process are; and what it answers otherwise on each
 * machine: its name and the user's, the size of a file system's blocks, when files were installed,
 * the order of a folder's entries. Private to the plugin.
 *
 * The guest's memory is overwritten when a system call has returned successfully; what a call
 * returns in a register (time, times) is answered in plugin.c, which QEMU calls in the C library's
 * place. The clock shows 1,700,000,000 s at the first instruction and one nanosecond more at each.
 */
#ifndef HOTGRAPH_QEMU_KERNEL_H
#define HOTGRAPH_QEMU_KERNEL_H

#include <stdint.h>

#include "qemu/target.h"

enum {
    KERNEL_CLOCK_START = 1700000000,
    KERNEL_TICKS = 100, /* a second, in times() */
    KERNEL_USER = 1000, /* and group */
};

struct kernel_call {
    int64_t number;
    uint64_t argument[5];
};

struct kernel {
    const struct target *target;
    uint64_t guest_base;  /* host address of the guest's address 0 */
    uint64_t random;      /* state of getrandom */
    uint32_t user, group; /* who records */
};

/* `executed`: instructions so far. */
void kernel_answer(struct kernel *k, const struct kernel_call *call, int64_t result,
                   uint64_t executed);

#endif
