/*
 * translation: the state of a block's translation: where its flags are, what is not counted yet,
 * and its stubs. Private to core/dbt. Place: above guest, host and fixed; everything that emits a
 * part of a block works on it.
 *
 * Lowering does not leave a block itself: it emits a jump and adds a stub, with the state there.
 * exits.c emits the stubs' code after the block.
 */
#ifndef HOTGRAPH_DBT_TRANSLATION_H
#define HOTGRAPH_DBT_TRANSLATION_H

#include "dbt/guest/guest.h"
#include "dbt/lower/fixed.h"
#include "dbt/lower/loop_counts.h"
#include "dbt/lower/returns.h"

/* Where the guest's flags are at a point of a block. */
struct known_flags {
    uint8_t nz;     /* enum: where NZ is */
    uint8_t c;      /* enum: where C is */
    uint8_t host;   /* enum: do the host's flags hold NZ? */
    uint8_t carry;  /* enum: what the host's carry says of C */
    uint8_t v;      /* enum: which bit of ebp is V */
    uint8_t number; /* ..._LESS: the number compared with; ZERO_PAGE: the address */
};
enum {
    NZ_HERE,
    NZ_IS_A,
    NZ_IS_X,
    NZ_IS_Y,
    NZ_IS_ZERO_PAGE, /* the byte at `number` */
    NZ_IS_BIT,       /* N is bit 7 of ebp; Z says whether A and ebp have no bit in common */
    NZ_IS_A_LESS,
    NZ_IS_X_LESS,
    NZ_IS_Y_LESS
};
enum { C_HERE, C_IS_0, C_IS_1 };
enum { V_HERE, V_IS_BIT_6 };
enum { HOST_NOTHING, HOST_HAS_NZ };
enum { CARRY_IS_NOTHING, CARRY_IS_C, CARRY_IS_NOT_C };

/* What is not counted yet at a point of a block. Negative: debited in advance. */
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
        STUB_SLOW,          /* `op` is nes_step's */
        STUB_TAKEN,         /* the branch `op` was taken */
        STUB_STALE,         /* the block's bytes or banks have changed */
        STUB_ATTENTION,     /* a callback has a request; cpu.pc is set */
        STUB_AT_PC,         /* leave translated code at `pc`, for the reason `leave` */
        STUB_CYCLE_LESS,    /* one cycle less, and back */
        STUB_CYCLE_MORE,    /* one cycle more, and back */
        STUB_CARRY,         /* pointer (ecx) plus index (already added to cl) carries; and back */
        STUB_OUTSIDE,       /* pointer plus index is outside the predicted region; and back */
        STUB_PUSH_WRAPS,    /* S was 1 or 0 at a JSR, and is decremented; and back */
        STUB_PULL_WRAPS,    /* S was 0feh or 0ffh at an RTS, and is incremented */
        STUB_MISSED,        /* an RTS whose target was not predicted */
        STUB_NOT_TAKEN,     /* the branch `op`, which a superblock follows, was not taken */
        STUB_MISSED_INLINE, /* an RTS that does not return to the caller in its superblock */
        STUB_MMIO,          /* the MMIO access cannot be done in place; and back */
        STUB_ADD_TO,        /* the target (ecx) has no counter in rdx yet; and back */
        STUB_CALL_AT,       /* a counter has reached its value; and back */
        STUB_ONCE,          /* a PROBE_ONCE fires; and back */
    } kind;
    uint8_t leave; /* enum leave */
    uint16_t pc;
    uint32_t back;  /* offset in the cache to continue at */
    bool announced; /* PROBE_BEFORE of `op` has been fired */
    /* CALL_AT: hook number `hook` of `hooks`; `at` is the pc, as dbt_fire() has it. */
    const struct hooks *hooks;
    uint32_t hook;
    int at;
    const struct hook *once; /* ONCE */
    const struct loop_count *loop;
    const struct targets *targets; /* ADD_TO: to put into rdx; NULL: they are there */
};
enum { STUBS = SUPERBLOCK_LONGEST * 8 };

struct all_targets {
    VEC(struct targets *) all;
};

struct translation {
    struct nes *nes;
    struct emitter *e;
    struct emitter *apart; /* of the stubs of a hot block; NULL: they follow the block */
    unsigned certain;      /* windows whose content never changes */
    const struct fixed *fixed;
    const struct dbt_options *options;
    bool called;         /* a probe in the block calls its observer */
    struct exits *exits; /* only exits.h looks inside */
    struct known_flags flags;
    struct uncounted uncounted;
    const struct guest_op *op; /* the current instruction */
    bool announced;            /* its PROBE_BEFORE has been fired */
    uint8_t carry_before;      /* enum: what the host's carry says of C before `op` */
    bool out_of_memory;
    bool recorded; /* the block logs its number when it begins; see traced_blocks.c */
    uint32_t number;
    /* Of the block's indexed operands, a bit each in order: is a carry into the next page the rule?
     * carries_before: those of the block that this one replaces; NULL: none. */
    const uint64_t *carries_before;
    uint64_t carries;
    unsigned indexed; /* operands so far */
    struct stub *stubs;
    unsigned stub_count;
    struct all_targets *targets; /* owned; code refers to them */
    struct returns *returns;
    struct loop_counts *loops;
    /* Control is in this loop, before its branch back, and was counted as it came in; NULL: in none. */
    const struct loop_count *loop;
};

static inline bool returns_are_predicted(const struct translation *t) {
    return !t->options->no_chaining && !t->options->no_return_stack;
}

/* Adds a stub that `jump`, just emitted, leads to. */
struct stub *dbt_add_stub(struct translation *t, uint32_t jump, int kind);
/* Makes `jump` leave the current instruction to nes_step. */
void dbt_leave_to_step(struct translation *t, uint32_t jump);

/* The host's flags hold nothing of the guest's any more. */
static inline void forget_host_flags(struct translation *t) {
    t->flags.host = t->flags.carry = 0;
}
/* Moves C to edi, NZ to esi, V to ebp. May clobber the host's flags and eax. V moves NZ, too, if
 * they share a register. */
void dbt_settle_c(struct emitter *e, struct known_flags *f);
void dbt_settle_nz(struct emitter *e, struct known_flags *f);
void dbt_settle_v(struct emitter *e, struct known_flags *f);
/* Emits all pending counts; clobbers the host's flags. */
void dbt_settle_counts(struct translation *t);
/* Undoes dbt_settle_counts(): `u` is pending again. */
void dbt_restore_counts(struct translation *t, const struct uncounted *u);
/* Emits pending counts, and moves all flags to their registers. */
void dbt_settle(struct translation *t);
/* Logs `what` in a traced block; see struct logged. */
void dbt_log(struct translation *t, int64_t what);
/* Debits one cycle that was unknown at translation. */
void dbt_debit_cycle(struct translation *t);
/* Debits `cycles` in advance, together with pending counts. The host's sign flag tells whether the
 * budget is exhausted. */
void dbt_debit(struct translation *t, int cycles);

#endif
