/*
 * program_heads: counters at the heads of a recorded program's routines and loops, as entries.c and decay.c have
 * them on a machine. Private to core/profile.
 *
 * A head is the target of a call, direct or not, an address at which a context begins, and with `loops` the target
 * of a backward branch or jump. A transfer that leads elsewhere than its instruction says, as at a fault, counts
 * nothing. A head whose counter reaches the threshold is hot for good.
 */
#ifndef HOTGRAPH_PROGRAM_HEADS_H
#define HOTGRAPH_PROGRAM_HEADS_H

#include "profile/profile.h"
#include "profile/program/program_trace.h"

struct program_head {
    uint32_t address;
    uint64_t count;
    bool hit; /* it was counted before the last halving */
    bool hot;
};

struct program_heads_options {
    bool loops;
    uint64_t threshold; /* 0: nothing becomes hot */
    uint64_t
        period; /* executed instructions from one halving of all counters to the next; 0: none */
};

struct program_heads {
    struct program_heads_options options;
    VEC(struct program_head) heads;
    struct map head_at; /* address -> index */
    uint64_t transfers; /* counted ones; the others are begins of contexts */
    uint64_t halvings, due;
    uint64_t hot;       /* heads that became hot, */
    uint64_t first_hot; /* and the number of instructions executed before the first of them */
    const struct packet_decoder *decoder; /* while it is decoded */
    bool out_of_memory;
};
/* The caller frees *out, also after an error. */
enum status program_heads_follow(struct program_heads *out, const struct program_trace *program,
                                 struct program_heads_options options, struct error *e);
void program_heads_free(struct program_heads *h);
/* Fills *out with the set of edges that is reached from the `count` addresses in `hot`, and with the costs of the
 * counters; on failure it is empty. */
enum status program_heads_profile(struct profile *out, const struct program_heads *h,
                                  const struct program_trace *program, const uint32_t *hot,
                                  size_t count, struct error *e);

#endif
