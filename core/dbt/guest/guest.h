/*
 * guest: the guest instructions of a block, and what is known of each before translation. Private
 * to core/dbt. Place: above banks; independent of host code.
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
/* What the operand of an instruction can access. */
enum reach {
    REACH_NOTHING, /* translated code cannot do the access */
    REACH_MEMORY,  /* memory; nes_step does the instruction if it is not */
    REACH_DEVICE,  /* a device, in the instruction's last cycle */
    REACH_BOARD,   /* the board's registers, in the last cycle: may remap the code */
};
enum { BOARD_FROM = 0x4020 };
/* Where a superblock goes on after a transfer. */
enum likely {
    LIKELY_UNKNOWN, /* nowhere: it ends */
    LIKELY_TAKEN,   /* at its target */
    LIKELY_NEXT     /* at the instruction that follows: it is an untaken branch */
};

enum {
    BLOCK_LONGEST = DBT_BLOCK_MOST,
    BLOCK_BRANCHES = 2, /* conditional branches within a block */
    SUPERBLOCK_LONGEST = 64,
};

/* One guest instruction of a block. */
struct guest_op {
    uint16_t pc;
    uint8_t bytes[3];
    uint8_t mnemonic, access, reach; /* DO_..., enum access, enum reach */
    bool contiguous;                 /* its operand is in known contiguous memory for any index */
    bool passes_carry;               /* only the next instruction reads its C */
    uint16_t needed;                 /* FLAG_... that may be read after it */
    uint8_t likely;                  /* enum likely; of a superblock's transfer */
    const struct opcode_info *info;
    const uint8_t *from; /* its bytes */
    struct site *site;   /* NULL: no observers */
    /* The JSR whose callee it belongs to, in the same superblock; NULL: none. */
    const struct guest_op *caller;
};

struct guest_block {
    struct guest_op ops[SUPERBLOCK_LONGEST];
    unsigned count;
    unsigned bytes;    /* of all instructions; contiguous, unless it is a superblock */
    uint16_t end;      /* pc after the last instruction */
    bool superblock;   /* it follows a path */
    bool hot;          /* by the profile, and in ROM: its code is placed among hot code */
    unsigned followed; /* transfers on it that do not fall through */
    bool in_ram;       /* the bytes may change */
    bool cut;          /* ends early: observers do not know the code that follows */
    const uint8_t *from;
    unsigned certain; /* windows that it relies on; see banks.h */
    unsigned guarded; /* windows that its sites depend on, but which are not certain */
    unsigned unasked; /* FLAG_... that it overwrites before they are read */
    bool called;      /* a probe in it calls its observer, which sees all flags */
    bool steady;      /* its execution changes neither its bytes nor its banks */
};

/* Decodes the block at pc, which may be empty. length: maximal instructions; certain: windows that
 * it may rely on. */
void dbt_discover(struct nes *n, uint16_t pc, unsigned length, unsigned certain,
                  struct guest_block *out);
/* Do `options` call the code at pc hot? */
bool dbt_is_hot(const struct nes *n, uint16_t pc, const struct dbt_options *options);
/* Decodes the superblock at pc, which is hot and in ROM, along the path that `options` choose. False: there is none. */
bool dbt_discover_superblock(struct nes *n, uint16_t pc, const struct dbt_options *options,
                             unsigned certain, struct guest_block *out);

/* ---- for path.c ---- */

/* Adds the instruction at pc, in ROM. False: the block ends before it. */
bool guest_add(struct nes *n, uint16_t pc, struct guest_block *g);
/* To be called when all instructions are there. */
void guest_find_needed(struct guest_block *g);

/* Is its operand found without changing the host's flags? */
bool dbt_finds_quietly(const struct guest_op *op);

/* May these probes call a function, which may observe the machine? And any probe of the site? */
bool dbt_hooks_call(const struct hooks *hooks);
bool dbt_calls_back(const struct site *site);

/* Does it read C as an operand? */
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
