/*
 * guest: which guest instructions a block is made of, and what of each is known before it is
 * translated. Private to core/dbt. Place: above banks, knows nothing of host code.
 */
#ifndef HOTGRAPH_DBT_GUEST_H
#define HOTGRAPH_DBT_GUEST_H

#include "dbt/dbt.h"
#include "dbt/guest/banks.h"
#include "nes/observe/watch.h"

enum {
#define MNEMONIC(name, kind, reads, writes) DO_##name,
#include "nes/isa/ops.def"
};
enum access { NONE, READ, WRITE, MODIFY, MANGLE, STACK, FLOW };
/* What the operand of an instruction reaches. */
enum reach {
    REACH_NOTHING, /* that translated code can */
    REACH_MEMORY,  /* and where it turns out to be no memory, the instruction is nes_step's */
    REACH_DEVICE,  /* in the instruction's last cycle */
    REACH_BOARD,   /* the same: the board's registers, so the code may be another behind it */
};
enum { BOARD_FROM = 0x4020 };

enum {
    BLOCK_LONGEST = DBT_BLOCK_MOST,
    BLOCK_BRANCHES = 2, /* conditional branches that a block goes on behind */
};

/* One guest instruction of a block. */
struct guest_op {
    uint16_t pc;
    uint8_t bytes[3];
    uint8_t mnemonic, access, reach; /* DO_..., enum access, enum reach */
    bool in_one_piece;               /* index or not, its operand is in memory that is known */
    bool passes_carry;               /* the next instruction alone asks for its C, and at once */
    uint16_t needed;                 /* FLAG_... that someone may ask for behind it */
    const struct opcode_info *info;
    const uint8_t *from; /* where it lies */
    struct site *site;   /* NULL: nobody watches */
};

struct guest_block {
    struct guest_op ops[BLOCK_LONGEST];
    unsigned count;
    unsigned bytes; /* from the first to behind the last, contiguous */
    bool in_ram;    /* they may change */
    bool cut;       /* observers do not know what follows, or it would be longer */
    const uint8_t *from;
    unsigned certain; /* windows that it may rely on; see banks.h */
    unsigned guarded; /* windows that its sites name, but which are not certain */
    unsigned unasked; /* FLAG_... that nobody asks for as they are where it begins */
    bool steady;      /* executing it changes neither its bytes nor what it relies on */
};

/* Decodes the block at pc, which may be empty. `length`: most instructions; `certain`: windows that
 * it may rely on. */
void dbt_discover(struct nes *n, uint16_t pc, unsigned length, unsigned certain,
                  struct guest_block *out);

/* Is its operand found without touching the host's flags? */
bool dbt_finds_quietly(const struct guest_op *op);

/* Do these probes call somebody, who may look at the machine? And any at the site? */
bool dbt_hooks_call(const struct hooks *hooks);
bool dbt_calls_back(const struct site *site);

/* Is C added to its result, or shifted into it? */
static inline bool takes_carry(const struct guest_op *op) {
    return op->mnemonic == DO_ADC || op->mnemonic == DO_SBC || op->mnemonic == DO_ROL ||
           op->mnemonic == DO_ROR;
}

static inline uint16_t operand_of(const struct guest_op *op) {
    return (uint16_t)(op->bytes[1] | op->bytes[2] << 8);
}
static inline uint16_t branch_target(const struct guest_op *op) {
    return (uint16_t)(op->pc + 2 + (int8_t)op->bytes[1]);
}
static inline uint16_t next_pc(const struct guest_op *op) {
    return (uint16_t)(op->pc + op->info->size);
}

#endif
