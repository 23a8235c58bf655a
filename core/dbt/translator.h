/*
 * translator: what the files of core/dbt share. Private to it.
 *
 * Registers while translated code runs:
 *
 *     r8  A      rbx  struct nes                        rax, rcx, rdx  scratch
 *     r9  X      r12  budget: how many cycles later an instruction may still start
 *     r10 Y      r13  instructions executed since run(), times 2^24, plus blocks executed
 *     r11 S      r14  counters of the probes
 *     esi NZ     r15  the mapping's table: pc -> place in the cache, 0 where there is no block
 *     edi C
 *     ebp V
 *
 * The host's stack is the return stack (see exits.c): rsp is a multiple of 16 in every block, and
 * [rsp + 8] is the pc that an RTS is guessed to go to.
 *
 * Guest registers and flags have the form of struct cpu, and their upper bits are zero. PC is known
 * when code is translated; I and D stay in struct cpu. Only at the edges of a block is everything
 * in its register: within it, NZ may be what A, X or Y hold and C may be a known constant.
 */
#ifndef HOTGRAPH_DBT_TRANSLATOR_H
#define HOTGRAPH_DBT_TRANSLATOR_H

#include <stdio.h>

#include "dbt/cache.h"
#include "dbt/dbt.h"
#include "dbt/emit.h"
#include "nes/machine.h"
#include "nes/watch.h"

/* ---- registers ---- */

#define A8       REG(R8B)
#define A32      REG(R8D)
#define X8       REG(R9B)
#define X32      REG(R9D)
#define Y8       REG(R10B)
#define Y32      REG(R10D)
#define S8       REG(R11B)
#define S32      REG(R11D)
#define NZ8      REG(SIL)
#define NZ16     REG(SI)
#define NZ32     REG(ESI)
#define C8       REG(DIL)
#define C32      REG(EDI)
#define V8       REG(BPL)
#define V32      REG(EBP)
#define BUDGET   REG(R12)
#define EXECUTED REG(R13)
#define NES      ZYDIS_REGISTER_RBX
#define COUNTERS ZYDIS_REGISTER_R14
#define TABLE    ZYDIS_REGISTER_R15
enum { EXECUTED_SHIFT = 24 }; /* run() ends within a frame: fewer blocks than 2^24 */
/* Fields as operands, as wide as they are: of struct nes, and of the struct frame at `base`. */
#define FIELD_OF_NES(field)                                                                        \
    mem((unsigned)sizeof(((struct nes *)0)->field), NES, (int64_t)offsetof(struct nes, field))
#define FRAME(base, field)                                                                         \
    mem((unsigned)sizeof(((struct frame *)0)->field), ZYDIS_REGISTER_##base,                       \
        (int64_t)offsetof(struct frame, field))
#define CPU(field)            FIELD_OF_NES(cpu.field)
#define COUNTER(i)            mem(8, COUNTERS, (int64_t)(i)*8)
#define MEMORY(offset_in_ram) mem(1, NES, (int64_t)offsetof(struct nes, ram) + (offset_in_ram))
#define MEMORY_AT(index, offset_in_ram)                                                            \
    memx(1, NES, ZYDIS_REGISTER_##index, 1, (int64_t)offsetof(struct nes, ram) + (offset_in_ram))
#define PAGE_OF(table, index)                                                                      \
    memx(8, NES, ZYDIS_REGISTER_##index, 8, (int64_t)offsetof(struct nes, table))

/* ---- what a block is made of ---- */

enum {
#define MNEMONIC(name, kind, reads, writes) DO_##name,
#include "nes/ops.def"
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
    USUAL_HOT = 4,
    LONGEST_RUN = 1 << 16, /* cycles; the least that is always enough for a frame */
    VERSIONS = 8,          /* of a block whose bytes change: more are interpreted */
};

/* One guest instruction of a block. */
struct guest_op {
    uint16_t pc;
    uint8_t bytes[3];
    uint8_t mnemonic, access, reach; /* DO_..., enum access, enum reach */
    bool in_one_piece;               /* index or not, its operand is in memory that is known */
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
    const uint8_t *from;
};
/* Decodes the block at pc, which may be empty. `length`: most instructions. */
void discover(struct nes *n, uint16_t pc, unsigned length, struct guest_block *out);

struct block {
    uint16_t pc;
    uint16_t guest_bytes;
    uint8_t count; /* instructions */
    uint32_t address;
    uint32_t host, host_size; /* place in the cache */
    uint64_t executions;
    uint8_t *guest; /* copy of the bytes */
    uint32_t first_exit, exits;
};

/* Ways out of translated code. */
enum leave {
    LEAVE_INDIRECT,  /* to a pc without a block; it is in cpu.pc */
    LEAVE_LINK,      /* to `pc`; the jump may be bound to its block */
    LEAVE_GUESS,     /* from an inline cache that is empty; the pc is in cpu.pc */
    LEAVE_BUDGET,    /* at the entry of a block that could reach the deadline */
    LEAVE_TOUCHED,   /* the same in its middle: a device has moved the deadline */
    LEAVE_BOARD,     /* behind a write to the board that has moved the code; probes are to fire */
    LEAVE_SLOW,      /* at an instruction that is nes_step's */
    LEAVE_STALE,     /* at the entry of a block whose bytes have changed */
    LEAVE_WAIT,      /* at the start of a busy-wait */
    LEAVE_ATTENTION, /* where a callback has asked for something; the place is in cpu.pc */
};
struct exit {
    uint8_t leave;
    bool linked;
    uint16_t pc;
    uint32_t jump; /* LINK, STALE, GUESS: where its displacement is */
    struct wait *wait;
    struct site *site; /* BOARD: of the instruction behind which it is; NULL: nobody watches */
};

/* What translated code is entered with, and gives back. */
struct frame {
    struct nes *nes;
    uint64_t *counters;
    const uint32_t *table;
    int64_t budget;
    uint64_t executed;       /* as r13 */
    uint64_t instructions;   /* nes->instructions at r13 = 0 */
    uint64_t budget_end;     /* nes->cycle at budget 0 */
    uint64_t stop, deadline; /* see engine.h; a touch of a device moves the deadline */
    uint32_t epoch, moved;   /* map_epoch that is translated; whether it has ended */
    uint64_t return_misses;  /* so many */
    uint64_t host_stack;     /* rsp to leave with */
};

/* The pages of the cartridge that the processor sees: one set of blocks for each arrangement. */
struct mapping {
    const uint8_t *pages[6];
    uint32_t *table;   /* by pc: place in the cache, or 0 */
    uint8_t *met;      /* by pc: executions before it was hot; SLOW_PLACE: nothing to translate */
    uint8_t *versions; /* by pc */
};
enum { MAPPINGS = 64, SLOW_PLACE = 255 };

struct dbt {
    struct dbt_options options;
    struct cache cache;
    struct encodings encodings;
    struct frame frame;
    /* Places of the fixed code. */
    uint32_t leave, leave_indirect, enter, call_probe, touch_read, touch_write, return_miss;
    uint32_t fixed_end;
    struct mapping mappings[MAPPINGS];
    unsigned mapping_count;
    struct mapping *mapping; /* current, for map_epoch `epoch` */
    uint32_t epoch;
    VEC(struct block *) blocks;
    VEC(struct exit) exits; /* number 0 is LEAVE_INDIRECT */
    VEC(struct wait *) waits;
    struct dbt_statistics statistics;
    FILE *perf_map; /* NULL: not asked for */
};

/* ---- inspect.c ---- */

enum status perf_map_open(struct dbt *d, struct error *e);
void perf_map_add(const struct dbt *d, const struct block *b);

/* ---- fixed.c ---- */

/* Writes the code that every block leans on to the start of the cache. */
enum status fixed_code(struct dbt *d, struct error *e);
/* to = the frame */
void frame_in(struct dbt *d, struct emitter *e, ZydisRegister to);
/* A callback of a probe, from translated code; cpu holds the registers. */
void dbt_call_probe(struct frame *frame, const struct hook *hook, uint32_t from);

/* ---- translate.c ---- */

/* Translates a block and adds it to d->blocks; NULL when cache or memory are full. */
struct block *translate(struct dbt *d, struct nes *n, const struct guest_block *g);

/* ---- lower.c: one guest instruction ---- */

/* What is known about the guest's flags at a place in a block. */
struct known_flags {
    uint8_t nz;    /* enum: where NZ is */
    uint8_t c;     /* enum: where C is */
    uint8_t host;  /* enum: what the host's flags say of NZ */
    uint8_t carry; /* enum: and its carry of C */
};
enum { NZ_HERE, NZ_IS_A, NZ_IS_X, NZ_IS_Y };
enum { C_HERE, C_IS_0, C_IS_1 };
enum { HOST_NOTHING, HOST_HAS_NZ };
enum { CARRY_IS_NOTHING, CARRY_IS_C, CARRY_IS_NOT_C };

struct translation;
/* A way out of the middle of a block, to leave the instruction `op` to nes_step: the caller has
 * just emitted `jump`. */
void leave_at(struct translation *t, uint32_t jump);
/* Emits everything of the current instruction but its flow and its counts. */
void lower(struct translation *t, const struct guest_op *op);
/* C into edi, NZ into esi. */
void settle_c(struct emitter *e, struct known_flags *f);
void settle_nz(struct emitter *e, struct known_flags *f);
/* The guest's memory at `at` + index (which may be ZYDIS_REGISTER_NONE); may use rax. */
operand lower_memory_at(struct translation *t, const uint8_t *at, ZydisRegister index);

/* ---- touch.c: devices ---- */

/* Accesses to devices, from translated code. `where`: address, and in the upper half how many
 * cycles after the budget's place the access is. They move budget and deadline. */
uint32_t dbt_touch_read(struct frame *frame, uint32_t where);
void dbt_touch_write(struct frame *frame, uint32_t where, uint32_t value);
/* Emits the access that the instruction ends with; what is read is in al. Before it the instruction
 * may be left to nes_step. */
void touch_read(struct translation *t, const struct guest_op *op);
void touch_write(struct translation *t, const struct guest_op *op, operand value);

/* ---- lower_flow.c ---- */

/* What JSR pushes. */
void lower_call(struct translation *t, const struct guest_op *op);
/* A jump taken when the branch `op` is; returns where its displacement is. */
uint32_t lower_condition(struct translation *t, const struct guest_op *op);
/* The target of RTS or JMP (indirect) in ecx. */
void lower_target(struct translation *t, const struct guest_op *op);

/* ---- exits.c ---- */

/* Guest state and counts are in their registers after this; the host's flags are lost. */
void settle(struct translation *t);
/* Out of translated code. */
void leave_by(struct translation *t, struct exit exit);
/* To the block at a pc that is known; the same, coming back to the block at `back`; to the one at
 * the pc in ecx, and the same for RTS. */
void go_to(struct translation *t, uint16_t pc);
void go_and_return(struct translation *t, uint16_t pc, uint16_t back);
void go_indirect(struct translation *t);
void go_back(struct translation *t);
/* The end of both: whatever the table says of the pc in ecx. */
void emit_look_up(struct emitter *e);
/* Stops at the target of a jump backwards when it has gone round a busy-wait once; see nes/wait.h.
 */
void look_for_wait(struct translation *t, const struct guest_op *op, uint16_t target);
/* Binds an exit that was left by to the block of its pc, at `place`. */
void exit_link(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place);

/* ---- instrument.c ---- */

/* Does a probe at the site call somebody, who may look at the machine? */
bool calls_back(const struct site *site);
enum { PC_IN_ECX = -1 };
/* Fires the probes of the instruction for `when`; the machine stands at `pc` (or PC_IN_ECX, which
 * stays there). After a callback that has asked for something the block is left. */
void fire(struct translation *t, enum probe_when when, int pc);

/* ---- translate.c: stubs, what a block seldom does and what comes behind it ---- */

struct stub {
    uint32_t jump; /* that leads here */
    struct known_flags flags;
    unsigned cycles, count;
    uint32_t fired[NES_OBSERVERS];
    const struct guest_op *op;
    enum { STUB_SLOW, STUB_TAKEN, STUB_STALE, STUB_ATTENTION, STUB_AT_PC } kind;
    uint8_t leave; /* STUB_AT_PC: enum leave, and where */
    uint16_t pc;
    bool announced;
};
/* With what is known and not yet counted at `jump`. */
struct stub *add_stub(struct translation *t, uint32_t jump, int kind);

struct translation {
    struct dbt *dbt;
    struct nes *nes;
    struct emitter *e;
    struct known_flags flags;
    /* Not yet added: */
    unsigned cycles, count;
    uint32_t fired[NES_OBSERVERS];
    const struct guest_op *op; /* being lowered */
    bool announced;            /* its PROBE_BEFORE has been fired */
    struct stub *stubs;
    unsigned stub_count;
    bool out_of_memory;
};

#endif
