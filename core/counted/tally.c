/* Counts calls. The compiler inserts calls of the two functions below, which get only the
 * function's address. So the current tally is a file-scope variable, one for each thread. */
#include "counted/tally.h"

#include <stdlib.h>

#include "counted/counted.h"

enum { SLOTS = 1 << 13, UNKNOWN = UINT32_MAX };

static _Thread_local struct tally *now;

void tally_into(struct tally *t) {
    now = t;
}

bool tally_open(struct tally *t) {
    *t = (struct tally){.calls = calloc(counted_function_count, sizeof *t->calls),
                        .slots = calloc(SLOTS, sizeof *t->slots)};
    return t->calls && t->slots;
}

void tally_close(struct tally *t) {
    free(t->calls);
    free(t->slots);
    *t = (struct tally){0};
}

static uint32_t function_at(const void *at) {
    const int64_t offset = (int64_t)((uintptr_t)at - (uintptr_t)counted_replay);
    size_t low = 0, high = counted_function_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (counted_functions[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < counted_function_count && counted_functions[low].offset == offset ? (uint32_t)low
                                                                                   : UNKNOWN;
}

static uint32_t find(struct tally *t, const void *at) {
    size_t i = ((uintptr_t)at >> 4) % SLOTS; /* there are fewer functions than slots */
    while (t->slots[i].at && t->slots[i].at != at)
        i = (i + 1) % SLOTS;
    if (!t->slots[i].at) {
        t->slots[i].at = at;
        t->slots[i].function = function_at(at);
    }
    return t->slots[i].function;
}

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

void __cyg_profile_func_enter(void *function, void *from) {
    struct tally *const t = now;
    (void)from;
    if (!t)
        return;
    const uint32_t i = find(t, function);
    if (i == UNKNOWN)
        return;
    t->calls[i]++;
    if (counted_functions[i].of_profiler)
        t->handlers += t->depth++ == 0;
}

void __cyg_profile_func_exit(void *function, void *from) {
    struct tally *const t = now;
    (void)from;
    if (!t)
        return;
    const uint32_t i = find(t, function);
    if (i != UNKNOWN && counted_functions[i].of_profiler && t->depth > 0)
        t->depth--;
}
