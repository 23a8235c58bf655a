/*
 * tally: counts the calls of functions that were compiled with -finstrument-functions. Private to
 * core/counted.
 */
#ifndef HOTGRAPH_COUNTED_TALLY_H
#define HOTGRAPH_COUNTED_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the counted object; the build writes the list (core/counted/object.py). */
struct counted_function {
    int64_t offset; /* from counted_replay() */
    const char *name;
    uint32_t price; /* price of a call in thousandths of a host instruction, from costs.def */
    bool priced, of_profiler;
};
extern const struct counted_function counted_functions[]; /* by offset */
extern const size_t counted_function_count;

struct tally {
    uint64_t *calls;   /* of each function */
    uint64_t handlers; /* entries into profilers from other code */
    unsigned depth;    /* nesting depth of profilers' functions */
    struct {
        const void *at;
        uint32_t function;
    } * slots; /* a hash table: functions met */
};
/* Counts calls by this thread from now on; NULL: stops. */
void tally_into(struct tally *t);
/* False: out of memory. */
bool tally_open(struct tally *t);
void tally_close(struct tally *t);

#endif
