#include "qemu/kernel.h"

#include "base/base.h"

#include <string.h>

/* All targets are 64-bit: the structures below are Linux's for those. */

static void store(const struct kernel *k, uint64_t guest, const void *data, size_t size) {
    if (guest != 0)
        memcpy((void *)(uintptr_t)(k->guest_base + guest), data, size);
}

static void answer_random(struct kernel *k, uint64_t guest, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)splitmix64_next(&k->random);
        store(k, guest + i, &byte, 1);
    }
}

/* struct timespec, or timeval with microseconds */
static void answer_clock(const struct kernel *k, uint64_t guest, uint64_t executed,
                         uint64_t divisor) {
    int64_t time[2] = {KERNEL_CLOCK_START + (int64_t)(executed / 1000000000),
                       (int64_t)(executed % 1000000000 / divisor)};
    store(k, guest, time, sizeof time);
}

static void answer_rusage(const struct kernel *k, uint64_t guest, uint64_t executed) {
    int64_t usage[18] = {(int64_t)(executed / 1000000000), (int64_t)(executed % 1000000000 / 1000)};
    usage[4] = 10000; /* KiB that were ever resident */
    store(k, guest, usage, sizeof usage);
}

static void answer_sysinfo(const struct kernel *k, uint64_t guest, uint64_t executed) {
    struct {
        int64_t uptime;
        uint64_t loads[3], ram, free, shared, buffer, swap, swap_free;
        uint16_t processes, rest;
        uint64_t high, high_free;
        uint32_t unit;
    } info = {.uptime = 1000 + (int64_t)(executed / 1000000000),
              .ram = UINT64_C(8) << 30,
              .free = UINT64_C(4) << 30,
              .processes = 100,
              .unit = 1};
    store(k, guest, &info, sizeof info);
}

static void answer_times(const struct kernel *k, uint64_t guest, uint64_t executed) {
    int64_t times[4] = {(int64_t)(executed / (1000000000 / KERNEL_TICKS))};
    store(k, guest, times, sizeof times);
}

void kernel_answer(struct kernel *k, const struct kernel_call *call, int64_t result,
                   uint64_t executed) {
    const struct syscall_numbers *n = &k->target->syscalls;
    if (result < 0 || k->guest_base == UINT64_MAX)
        return;
    if (call->number == n->getrandom)
        answer_random(k, call->argument[0], (uint64_t)result);
    else if (call->number == n->clock_gettime)
        answer_clock(k, call->argument[1], executed, 1);
    else if (call->number == n->gettimeofday)
        answer_clock(k, call->argument[0], executed, 1000);
    else if (call->number == n->getrusage)
        answer_rusage(k, call->argument[1], executed);
    else if (call->number == n->sysinfo)
        answer_sysinfo(k, call->argument[0], executed);
    else if (call->number == n->times)
        answer_times(k, call->argument[0], executed);
}
