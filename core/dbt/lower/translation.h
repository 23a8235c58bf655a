/*
 * translation: a block while it is translated: what is known of its flags, what has happened but is
 * not counted yet, and what is to be left. Private to core/dbt. Place: above guest, host and fixed;
 * everything that emits a part of a block works on it.
 *
 * Lowering does not leave a block itself: it emits a jump and notes it as a stub, with all that is
 * known and uncounted there. exits.c makes code of the stubs, behind the block.
 */
#ifndef HOTGRAPH_DBT_TRANSLATION_H
#define HOTGRAPH_DBT_TRANSLATION_H

#include "dbt/guest/guest.h"
#include "dbt/lower/fixed.h"
#include "dbt/lower/returns.h"

/* What is known about the guest's flags at a place in a block. */
struct known_flags {
    uint8_t nz;     /* enum: where NZ is */
    uint8_t c;      /* enum: where C is */
    uint8_t host;   /* enum: what the host's flags say of NZ */
    uint8_t carry;  /* enum: and its carry of C */
    uint8_t v;      /* enum: what of ebp is V */
    uint8_t number; /* ..._LESS: what the register is compared with; ZERO_PAGE: where */
};
enum {
    NZ_HERE,
    NZ_IS_A,
    NZ_IS_X,
    NZ_IS_Y,
    NZ_IS_ZERO_PAGE, /* what is there */
    NZ_IS_BIT,       /* N is bit 7 of ebp; Z says whether A and ebp have no bit in common */
    NZ_IS_A_LESS,
    NZ_IS_X_LESS,
    NZ_IS_Y_LESS
};
enum { C_HERE, C_IS_0, C_IS_1 };
enum { V_HERE, V_IS_BIT_6 };
enum { HOST_NOTHING, HOST_HAS_NZ };
enum { CARRY_IS_NOTHING, CARRY_IS_C, CARRY_IS_NOT_C };

/* What has happened since counts were last brought up to date; less than nothing where more was
 * charged in advance. */
struct uncounted {
    int cycles, instructions;
    uint32_t fired[NES_OBSERVERS];
};

struct stub {
    uint32_t jump; /* that leads here */
    struct known_flags flags;
    struct uncounted uncounted;
    const struct guest_op *op;
    enum {
        STUB_SLOW,       /* `op` is nes_step's */
        STUB_TAKEN,      /* the branch `op` was taken */
        STUB_STALE,      /* the block's bytes, or what it relies on, have changed */
        STUB_ATTENTION,  /* a callback has asked for something; the place is in cpu.pc */
        STUB_AT_PC,      /* out of translated code at `pc`, for the reason `leave` */
        STUB_CYCLE_LESS, /* one cycle less, and back */
        STUB_CYCLE_MORE, /* one cycle more, and back */
        STUB_CARRY,   /* the pointer (in ecx) plus index (has been added to cl) carries; and back */
        STUB_OUTSIDE, /* pointer plus index leads elsewhere than was foretold; and back */
        STUB_PUSH_WRAPS, /* S is 1 or 0 at a JSR, and has been made less; and back */
        STUB_PULL_WRAPS, /* S is 0feh or 0ffh at an RTS, and has been made more */
        STUB_MISSED,     /* an RTS to elsewhere than was foretold */
        STUB_MMIO,       /* the access cannot be done in place; and back */
        STUB_ADD_TO,     /* a target (in ecx) that the counters in rdx do not know; and back */
        STUB_CALL_AT,    /* a counter has come to its value; and back */
        STUB_ONCE,       /* a PROBE_ONCE fires; and back */
    } kind;
    uint8_t leave; /* enum leave */
    uint16_t pc;
    uint32_t back;  /* place to go on at */
    bool announced; /* PROBE_BEFORE of `op` has been fired */
    /* CALL_AT: of these hooks number `hook`; the machine stands at `at`, as dbt_fire() has it. */
    const struct hooks *hooks;
    uint32_t hook;
    int at;
    const struct hook *once; /* ONCE */
};
enum { STUBS = BLOCK_LONGEST * 8 };

struct all_targets {
    VEC(struct targets *) all;
};

struct translation {
    struct nes *nes;
    struct emitter *e;
    unsigned certain; /* windows that the block may rely on */
    const struct fixed *fixed;
    const struct dbt_options *options;
    struct exits *exits; /* exits.h; nothing below it looks inside */
    struct known_flags flags;
    struct uncounted uncounted;
    const struct guest_op *op; /* being lowered */
    bool announced;            /* its PROBE_BEFORE has been fired */
    uint8_t carry_before;      /* enum: what the host's carry says of C where `op` takes it */
    bool out_of_memory;
    bool recorded; /* the block notes its number where it begins; see traced_blocks.c */
    uint32_t number;
    struct stub *stubs;
    unsigned stub_count;
    struct all_targets *targets; /* that code refers to */
    struct returns *returns;
};

static inline bool returns_are_predicted(const struct translation *t) {
    return !t->options->no_chaining && !t->options->no_return_stack;
}

/* The caller has just emitted `jump`. */
struct stub *dbt_add_stub(struct translation *t, uint32_t jump, int kind);
/* `jump` leaves the instruction to nes_step. */
void dbt_leave_to_step(struct translation *t, uint32_t jump);

/* Nothing is known of the host's flags any more. */
static inline void forget_host_flags(struct translation *t) {
    t->flags.host = t->flags.carry = 0;
}
/* C into edi, NZ into esi, V into ebp; the host's flags and eax may be lost. V takes NZ with it
 * where they share a register. */
void dbt_settle_c(struct emitter *e, struct known_flags *f);
void dbt_settle_nz(struct emitter *e, struct known_flags *f);
void dbt_settle_v(struct emitter *e, struct known_flags *f);
/* Counts are right after this; the host's flags are lost. */
void dbt_settle_counts(struct translation *t);
/* Takes back what dbt_settle_counts() counted: `u` is uncounted again. */
void dbt_restore_counts(struct translation *t, const struct uncounted *u);
/* Guest state, too, is in its registers. */
void dbt_settle(struct translation *t);
/* A recorded block notes something; see struct logged. */
void dbt_log(struct translation *t, int64_t what);
/* One cycle more than is known. */
void dbt_debit_cycle(struct translation *t);
/* Charges cycles that come, together with what is uncounted; the host's flags tell whether any of
 * the budget is left. */
void dbt_debit(struct translation *t, int cycles);

#endif
