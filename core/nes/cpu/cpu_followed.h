/*
 * cpu_followed: what the loops for nes_follow() note of control transfers. The observer reads the bytes of
 * their instructions afterwards. So transfers of code in RAM are handed over at once, and so are those
 * before a write that may map other ROM. Private to core/nes.
 */
#ifndef HOTGRAPH_CPU_FOLLOWED_H
#define HOTGRAPH_CPU_FOLLOWED_H

#include <assert.h>

#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { RAM_MIRRORS_END = 0x2000, BOARD = 0x4020, ROM = 0x8000 };

enum { STATES = 4 }; /* an observer remembers to find a busy-wait */

/* The loop's state. */
struct following {
    const struct follow_request *request;
    struct transfer *at; /* FOLLOWED_MOST */
    unsigned count;
    bool touched; /* since the last transfer */
    bool enough;
    uint64_t due;    /* notes transfers from this cycle on */
    unsigned left;   /* transfers to come */
    uint64_t before; /* start of the last transfer before `due`; 0: there was none */
    /* Since something was touched: number of near transfers, and the last one. */
    unsigned nears;
    const struct transfer *near;
};

/* ---- what an instruction touches, as in opcode_may_wait() ---- */

enum { NONE, READ, WRITE, MODIFY, MANGLE, STACK, FLOW };
/* An absolute operand is a device unless it is in RAM or PRG, or $2002, which a busy-wait may poll. */
enum { TOUCHES_NOTHING, TOUCHES_OPERAND, TOUCHES };
enum { JSR = 0x20 };
#define IN_CODE(mode)   (MODE_##mode <= MODE_IMM || MODE_##mode == MODE_REL)
#define RETURNS(mode)   (MODE_##mode == MODE_IMP) /* of FLOW */
#define CHANGES(access) (access == WRITE || access == MODIFY || access == MANGLE)
static const uint8_t touches[256] = {
#define OP(code, name, mode, access, cycles, status)                                               \
    [code] = access == STACK || code == JSR || (access == FLOW && RETURNS(mode)) ? TOUCHES         \
             : IN_CODE(mode)                                                     ? TOUCHES_NOTHING \
             : CHANGES(access)                                                   ? TOUCHES         \
             : MODE_##mode == MODE_ZP                                            ? TOUCHES_NOTHING \
             : MODE_##mode == MODE_ABS                                           ? TOUCHES_OPERAND \
                                                                                 : TOUCHES,
#include "nes/isa/ops.def"
};
static_assert(MODE_IMP == 0 && MODE_ACC == 1 && MODE_IMM == 2, "modes without an address");

static inline bool is_device(unsigned low, unsigned high) {
    return high >= 0x20 && high < 0x80 && (low | high << 8) != PPU_STATUS_ADDRESS;
}

/* The same of the instruction at pc. */
static inline bool touches_at(const struct nes *n, uint16_t pc) {
    const uint16_t low = (uint16_t)(pc + 1), high = (uint16_t)(pc + 2);
    const uint8_t what = touches[n->memory.rd[pc >> 8][pc & 0xff]];
    return what == TOUCHES ||
           (what == TOUCHES_OPERAND &&
            is_device(n->memory.rd[low >> 8][low & 0xff], n->memory.rd[high >> 8][high & 0xff]));
}

/* A JSR may overwrite itself in the stack. Zero page ends there. */
static inline bool is_followed(uint16_t pc) {
    return pc >= RAM_MIRRORS_END || pc % RAM_SIZE >= 0x200;
}

/* False: a probe that calls has come. */
static inline bool is_served(const struct nes *n, const struct following *f) {
    return n->observed.follow == f->request;
}

/* ---- transfers ---- */

static inline bool leads_near(uint16_t from, uint16_t to) {
    return (uint16_t)(from - to) < TRANSFER_NEAR;
}

/* See struct transfer. */
static inline bool may_loop(const struct nes *n, uint16_t from, uint16_t to) {
    return leads_near(from, to) && (to < ROM || !touches_at(n, to));
}

static inline bool same_after(const struct transfer *a, const struct transfer *b) {
    return a->to == b->to && memcmp(&a->registers, &b->registers, sizeof a->registers) == 0;
}

/* Adds the registers, which are stored. True if the loop that this transfer closes has come to the
 * same state again: a busy-wait, which the observer has to recognise. */
static inline bool repeats(const struct nes *n, struct following *f, struct transfer *t) {
    const struct transfer *const before = f->near;
    const struct registers *const r = &n->cpu.r;
    t->registers.a = r->a;
    t->registers.x = r->x;
    t->registers.y = r->y;
    t->registers.s = r->s;
    t->registers.p = cpu_flags(r);
    f->near = t;
    f->nears++;
    return before && same_after(before, t);
}

/* True if the loop may still prove to be a busy-wait. */
static inline bool loop_may_wait(const struct following *f, const struct transfer *t) {
    return f->near && f->nears < STATES && (t->loops || !leads_near(t->from, t->to));
}

/* Completes transfer number f->count, which is noted; true: enough. */
static inline bool noted(const struct nes *n, struct following *f) {
    struct transfer *const t = &f->at[f->count++];
    f->left -= f->left > 0;
    if (!t->untouched) {
        f->near = NULL;
        f->nears = 0;
    }
    f->enough = (t->loops && repeats(n, f, t)) || f->count == FOLLOWED_MOST || t->from < ROM ||
                t->to < ROM ||
                (f->left == 0 && t->end >= f->request->until && !loop_may_wait(f, t));
    return f->enough;
}

/* The loops: without observers that instrument, and with observers that only count. The second one leaves
 * instructions without a tally to nes_step(). */
void cpu_run_followed(struct nes *n, struct following *f, uint64_t stop, uint64_t deadline);
void cpu_run_followed_counted(struct nes *n, struct following *f, uint64_t stop, uint64_t deadline);

#endif
