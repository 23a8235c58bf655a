/* The state of exact counting, for its files and for those that complete the flow in another way. Private
 * to core/profile. */
#ifndef HOTGRAPH_PROFILE_EXACT_STATE_H
#define HOTGRAPH_PROFILE_EXACT_STATE_H

#include "profile/exact.h"

/* A code address: a node of the flow. */
struct node {
    struct flow_insn insn; /* the first seen; other contents of the address are in `variants` */
    uint32_t to;
    bool derived;    /* N(address, to) is derived from conservation */
    bool transfer;   /* that pair is a transfer */
    bool in_cost;    /* that pair counts as probes and a record */
    bool returns;    /* holds an RTI, which may follow without a pair: executions are counted, or
                        nothing is derived */
    bool executions; /* executions of its RTI are counted, by counter `executed` */
    bool sides;      /* a forward branch with both directions counted; one of them may be derived
                        instead */
    uint32_t next, next_counter, to_counter;
    uint32_t executed;
    bool closed;            /* the plan has decided what is derived */
    bool fixed;             /* lies in memory that cannot be written, within one bank */
    uint8_t kind;           /* of the first instruction seen, as target and after */
    uint32_t target, after; /* its encoded target; the address after it */
};

enum kind {
    GOES_ON,
    DIRECT,
    INDIRECT,
    RETURN, /* an RTI that resumes no context */
    KINDS
};

struct counted { /* a pair with its own counter */
    uint32_t a, b;
    uint32_t counter;
    enum kind kind;
    uint64_t before; /* value of the counter when the period began */
};

/* What a second period need not count; see profile/exact.h. */
struct exact_plan {
    const struct exact *before; /* the period before */
    struct map uncounted;       /* pairs of branches, jumps and calls */
    struct map returns;         /* addresses of RTSs */
};

struct exact {
    struct nes *nes;
    const struct exact_plan *plan; /* NULL: everything is counted or derived */
    unsigned id;
    VEC(struct node) nodes;
    struct map node_at; /* address -> index into nodes */
    VEC(struct flow_insn) variants;
    struct map variant_at; /* address and kind -> 1: it is in `variants` */
    VEC(struct counted) counted;
    struct map counted_at[KINDS]; /* pair -> index into `counted` */
    struct map begins, ends;      /* address -> count */
    struct map resumes;           /* the same of exact_context_resumes() */
    struct map standing;          /* the same of where contexts are, while exact_flow() looks */
    struct again {                /* contexts that began at the same address as the last one; not
                                     yet in `begins` */
        uint32_t address;
        uint64_t count;
    } again;
    bool out_of_memory;
};

static inline uint64_t exact_pair_key(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}
/* The node of an instruction that was met; NULL: none was. */
const struct node *exact_node(const struct exact *x, uint32_t address);
/* How often it was counted in this period. */
static inline uint64_t exact_count(const struct exact *x, const struct counted *c) {
    return nes_counters(x->nes)[c->counter] - c->before;
}
/* Completes x->begins. */
void exact_settle_begins(struct exact *x);

#endif
