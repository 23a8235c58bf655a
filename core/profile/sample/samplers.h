/* Private to core/profile: the sampling methods of sampler_attach(). */
#ifndef HOTGRAPH_PROFILE_SAMPLERS_H
#define HOTGRAPH_PROFILE_SAMPLERS_H

#include "profile/cells.h"
#include "profile/profile.h"

struct sampler_group;
struct group_batch;    /* of a group: a batch, and what numbers it has in the members' streams */
struct transfer_site { /* an instrumented instruction */
    struct sampler *sampler;
    struct sample sample;
    struct arrival *arrival;     /* that of `to`, or NULL */
    uint64_t *positions;         /* the same for a group */
    struct group_batch *batches; /* the batches that began here, the latest one first */
    uint32_t to;
};
/* What a path between two interrupts advances by: (sqrt(5) - 1) / 2 of 2^64. */
#define SAMPLER_GOLDEN_RATIO UINT64_C(0x9E3779B97F4A7C15)

struct known_trace {
    size_t first; /* in traces */
    uint32_t length;
    uint32_t batch; /* number in the stream */
    uint32_t hash;
};

struct arrival { /* arrivals of control at an address, by call or return */
    uint64_t at; /* position in the stride, in units of 2^-64 */
    bool met;
};

/* by the clock: the state that a busy-wait returns to */
struct clock_state {
    uint16_t pc;
    uint8_t a, x, y, s, p;
};
enum { CLOCK_STATES = 4 };
/* by the clock: a followed transfer that was kept before; targets also depend on the banks */
struct clock_batch {
    uint64_t banks;
    uint64_t bytes;    /* of code in RAM: of both instructions */
    uint16_t from, to; /* pc */
    uint32_t number;   /* 1 + number in the stream; 0: none */
};
enum { CLOCK_KNOWN_BITS = 11, CLOCK_KNOWN = 1 << CLOCK_KNOWN_BITS };
/* by the clock: a transfer that was taken, but may be part of a busy-wait */
struct clock_held {
    struct sample samples[2]; /* valid if it is not known */
    uint64_t banks, bytes;    /* as in struct clock_batch */
    uint32_t number;          /* 1 + number in the stream if it is known; else 0 */
    uint16_t from, to;        /* pc */
    uint16_t gap;             /* as clock.gap */
    bool first;               /* weighted: the first one of its sample */
    bool stepped;             /* not followed */
};
enum { CLOCK_HELD = 136 };
struct clock {
    uint64_t every, due; /* cycles between due cycles; the next one */
    uint64_t previous;   /* start of the previous transfer, or of a context that began since */
    uint64_t start;      /* cycle at which `insn`, or the current transfer, started */
    uint64_t window_end; /* of the latest window */
    uint64_t inverse;    /* weighted: sum of the weights of first transfers */
    uint64_t taken;      /* windows: transfers kept */
    uint64_t kept;       /* transfers kept */
    struct guest_insn insn;
    bool pending;  /* `insn` has started, but its end was not seen */
    bool stepping; /* up to the sample's last transfer, where it cannot be followed */
    bool listens;  /* to changes of context */
    bool open;     /* the latest due cycle's sample is not complete, or may be a busy-wait */
    uint16_t gap;  /* of the current sample: cycles between the previous transfer and its first
                      one */
    unsigned left; /* of the current sample: transfers still to take */
    unsigned held_count, been_count;
    struct clock_held held[CLOCK_HELD];
    struct clock_state been[CLOCK_STATES]; /* states after transfers since the due cycle */
    uint64_t phase;                        /* of the first due cycle, in units of 2^-64 */
    uint64_t asked;                        /* from which cycle on transfers are followed */
    uint64_t banks;                        /* mapped where it was followed */
    struct clock_batch known[CLOCK_KNOWN];
};

/* last taken branches */
struct lbr_mark {
    size_t at;  /* in code */
    bool taken; /* it took a branch; else the next one did not follow it: an interrupt */
};
struct lbr {
    VEC(struct sample) code; /* since the sampler began to step */
    VEC(struct lbr_mark) marks;
    size_t taken; /* number of marks that are taken branches */
    uint64_t due; /* cycle of the next sample */
    uint64_t steps;
    struct guest_insn insn;
    bool pending;  /* insn, the last one of code, was not seen to be complete */
    bool stepping; /* towards a due cycle, or until the stack is full */
};

struct sampler {
    struct nes *nes;
    unsigned id;
    bool attached;
    struct sampler_options options;
    struct stream_maker stream;
    VEC(uint16_t) cycles; /* weighted: one for each batch */
    uint64_t overruns;
    struct sample *batch; /* the current one */
    unsigned taken;       /* samples of it; batch_length: its last instruction is executing */
    bool out_of_memory;
    /* Leads a group, which these are called for instead; both NULL: it does not. */
    struct sampler_group *group;
    void (*due_for_group)(void *user, const struct probe_event *event);
    void (*arrives_for_group)(void *user, const struct probe_event *event);

    /* by time, and by instructions */
    uint64_t jitter_cycles;
    uint64_t next_batch; /* k of the batch that alarm() or recorded() waits for */
    uint64_t next_due;   /* k of the batch that alarm() or recorded() expects */
    uint64_t start;      /* recording: when the next batch is due */
    uint64_t to_pass;    /* instructions executed before it was attached */
    uint64_t due;        /* weighting: the batch begins at the first boundary from here on, */
    uint64_t boundary;   /* and this was the last one seen */
    bool waiting;        /* weighting: stepping towards it */
    bool comes_near;     /* weighting: the next alarm is LEAD cycles before it */

    VEC(uint32_t) numbered;        /* by number of a trace: 1 + number of its batch; 0: unknown */
    VEC(uint64_t) traces;          /* other traces of batches, concatenated */
    VEC(struct known_trace) known; /* each of them, with its batch */
    uint32_t *known_at;            /* by hash: 1 + index into known, 0: none */
    size_t known_cap;              /* a power of two */

    struct clock clock; /* by the clock */
    struct lbr lbr;     /* last taken branches */

    /* by transfers */
    uint32_t counter;                  /* a PROBE_CALL_AT fires when it reaches 0 */
    const uint64_t *count;             /* its value */
    uint64_t set_to;                   /* its last reset value */
    uint64_t passed;                   /* transfers before that reset */
    uint64_t arrived;                  /* calls: number of arrivals by call or return */
    uint64_t place;                    /* stratified: offset of the sample in the current stratum */
    uint64_t frames;                   /* golden, clock: number of NMI handlers begun */
    struct cells arrivals;             /* calls: struct arrival of each address */
    struct map waits;                  /* (a << 32 | b) of busy-wait transfers */
    VEC(struct transfer_site *) sites; /* user pointers of the probes */
};

extern const struct observer sampler_by_time, sampler_by_instructions, sampler_by_transfers,
    sampler_by_clock, sampler_by_lbr;
/* Start sampling; the observer is attached. */
void sampler_time_begin(struct sampler *s);
void sampler_instructions_begin(struct sampler *s);
void sampler_clock_begin(struct sampler *s);
void sampler_lbr_begin(struct sampler *s);
void sampler_lbr_release(struct sampler *s);
/* Instructions stepped over, and taken branches that were counted. */
uint64_t sampler_lbr_probes(const struct sampler *s);
/* sampler_time.c: the cycle at which batch k is due; that of the first batch from now on, whose
 * number becomes next_batch. */
uint64_t sampler_due_cycle(const struct sampler *s, uint64_t k);
uint64_t sampler_time_first(struct sampler *s);
/* Estimated number of transfers outside the busy-waits that the sampler has found. */
uint64_t sampler_clock_population(const struct sampler *s);
/* Microseconds in cycles, rounded down. */
uint64_t sampler_cycles_of_us(uint64_t us);
enum status sampler_transfers_prepare(struct sampler *s, struct error *e);
void sampler_transfers_begin(struct sampler *s);
/* Sets the counter to the next sample. For its probe's callback. */
void sampler_transfers_next(struct sampler *s);
/* Number of transfers so far. */
uint64_t sampler_transfers_passed(const struct sampler *s);
/* Number of probes that have fired: one for each transfer and one for each arrival. (They are
 * quiet.) */
uint64_t sampler_transfers_probes(const struct sampler *s);
void sampler_transfers_release(struct sampler *s);
/* Distance from a sample to the next one, which becomes the current one. */
uint64_t sampler_transfers_distance(struct sampler *s);
/* The offset in a stride of a position in units of 2^-64. */
uint64_t sampler_in_stride(const struct sampler *s, uint64_t at);
/* Offset of the first sample. */
uint64_t sampler_first_place(struct sampler *s);
/* sampler_instructions.c: number of the first instruction of batch k. */
uint64_t sampler_instructions_begin_of(const struct sampler *s, uint64_t k);
/* Keeps what is known of an instruction that is sampled; NULL: out of memory. */
struct transfer_site *sampler_note_site(struct sampler *s, const struct guest_insn *insn);
/* sampler.c: completes the options and checks them; a sampler that is not attached. */
enum status sampler_make(struct sampler **out, struct nes *nes, struct sampler_options options,
                         struct error *e);

/* sampler_batch.c: the instruction at the destination of a transfer. */
struct sample sampler_landing(const struct nes *nes, uint32_t address);
/* Appends an executed instruction to the batch; true if it was the last one. */
bool sampler_take(struct sampler *s, const struct guest_insn *insn);
/* The same for consecutive instructions, no more than the batch lacks. */
bool sampler_take_some(struct sampler *s, const struct guest_insn *insns, uint32_t count);
/* sampler_recorded.c: keeps a recorded batch, or passes it to options.take. */
void sampler_keep_recording(struct sampler *s, const struct recording *r);
/* Number of the batch that was kept last. */
uint32_t sampler_kept_last(const struct sampler *s);
void sampler_forget_traces(struct sampler *s);
/* Keeps a complete batch, or passes it to options.take. */
void sampler_keep(struct sampler *s);
/* Offset of the sample in stratum k, which is options.every long. */
uint64_t sampler_place(const struct sampler *s, uint64_t k);

#endif
