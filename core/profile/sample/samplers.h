/* Private to core/profile: the sampling methods of sampler_attach(). */
#ifndef HOTGRAPH_PROFILE_SAMPLERS_H
#define HOTGRAPH_PROFILE_SAMPLERS_H

#include "profile/cells.h"
#include "profile/profile.h"

struct transfer_site;

struct known_way {
    size_t first; /* in ways */
    uint32_t length;
    uint32_t batch; /* number in the stream */
    uint32_t hash;
};

struct arrival { /* of control at an address, by calls and returns */
    uint64_t at; /* in the stride, of 2^64 */
    bool met;
};

struct sampler {
    struct nes *nes;
    unsigned id;
    bool attached;
    struct sampler_options options;
    struct stream_maker stream;
    VEC(uint16_t) cycles; /* weighting: one a batch */
    uint64_t overruns;
    struct sample *batch; /* under way */
    unsigned taken;       /* samples of it; batch_length: its last instruction is executing */
    bool out_of_memory;

    /* by time, and by instructions */
    uint64_t jitter_cycles;
    uint64_t next_batch; /* k of the batch that alarm() or recorded() waits for */
    uint64_t next_due;   /* recording: when the one behind it is due */
    uint64_t start;      /* instructions executed when it was attached */
    uint64_t to_pass;    /* instructions to step over before the batch begins */
    uint64_t due;        /* weighting: the batch begins at the first boundary from here on, */
    uint64_t boundary;   /* and this was the last one seen */
    bool waiting;        /* weighting: stepping towards it */

    VEC(uint32_t) numbered;      /* by number of a way: 1 + which batch it is; 0: not known */
    VEC(uint64_t) ways;          /* others that batches went, one after the other */
    VEC(struct known_way) known; /* of these, and which batches they are */
    uint32_t *known_at;          /* by hash: 1 + index into known, 0: none */
    size_t known_cap;            /* of it, a power of two */

    /* by transfers */
    uint32_t counter;                  /* a PROBE_CALL_AT calls when it comes to 0 */
    const uint64_t *count;             /* its value */
    uint64_t set_to;                   /* what it was set to last */
    uint64_t passed;                   /* transfers before that */
    uint64_t arrived;                  /* calls: how often control came by one, or a return */
    uint64_t place;                    /* stratified: of the present stratum's sample */
    uint64_t frames;                   /* golden: handlers of NMIs begun */
    struct cells arrivals;             /* calls: struct arrival of each address */
    struct map waits;                  /* (a << 32 | b) of busy-wait transfers */
    VEC(struct transfer_site *) sites; /* what probes point at */
};

extern const struct observer sampler_by_time, sampler_by_instructions, sampler_by_transfers;
/* Begins; the observer is attached. */
void sampler_time_begin(struct sampler *s);
void sampler_instructions_begin(struct sampler *s);
enum status sampler_transfers_prepare(struct sampler *s, struct error *e);
void sampler_transfers_begin(struct sampler *s);
/* How many transfers there have been. */
uint64_t sampler_transfers_passed(const struct sampler *s);
/* Its probes are quiet: one has fired for each of these, and one for each arrival. */
uint64_t sampler_transfers_probes(const struct sampler *s);
void sampler_transfers_release(struct sampler *s);

/* sampler_batch.c: puts an executed instruction into the batch; true when that is its last. */
bool sampler_take(struct sampler *s, const struct guest_insn *insn);
/* The same of some that follow each other, which are no more than it takes. */
bool sampler_take_some(struct sampler *s, const struct guest_insn *insns, uint32_t count);
/* sampler_recorded.c: keeps a recorded batch, or hands it on. */
void sampler_keep_recording(struct sampler *s, const struct recording *r);
void sampler_forget_ways(struct sampler *s);
/* Keeps a complete batch, or hands it on. */
void sampler_keep(struct sampler *s);
/* Where in stratum k, of options.every, the sample lies. */
uint64_t sampler_place(const struct sampler *s, uint64_t k);

#endif
