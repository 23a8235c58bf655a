/* The fast loop for nes_follow(): notes control transfers. It only follows code in ROM, whose bytes
 * tell the observer afterwards which instructions were executed, and no write that may map other
 * ROM. */
#include <assert.h>

#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { ROM = 0x8000, BOARD = 0x4020 };

enum { STATES = 4 }; /* an observer remembers to find a busy-wait */

/* The loop's state. */
struct following {
    const struct follow_request *request;
    struct transfer *at; /* FOLLOWED_MOST */
    unsigned count;
    unsigned left; /* transfers to come, from cycle request->due on */
    /* Since something was touched: number of near transfers, and the last one. */
    unsigned nears;
    const struct transfer *near;
};

/* ---- what an instruction touches, as in opcode_may_wait() ---- */

enum { NONE, READ, WRITE, MODIFY, MANGLE, STACK, FLOW };
/* An absolute operand is a device unless it is in RAM or PRG. */
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

static bool is_device(unsigned high) {
    return high >= 0x20 && high < 0x80;
}

/* The same of the instruction at pc. */
static bool touches_at(const struct nes *n, uint16_t pc) {
    const uint16_t high = (uint16_t)(pc + 2);
    const uint8_t what = touches[n->memory.rd[pc >> 8][pc & 0xff]];
    return what == TOUCHES ||
           (what == TOUCHES_OPERAND && is_device(n->memory.rd[high >> 8][high & 0xff]));
}

/* ---- transfers ---- */

/* See struct transfer. */
static bool may_loop(const struct nes *n, uint16_t from, uint16_t to, bool untouched) {
    return (uint16_t)(from - to) < TRANSFER_NEAR && (untouched || to < ROM || !touches_at(n, to));
}

static bool same_after(const struct transfer *a, const struct transfer *b) {
    return a->to == b->to && memcmp(&a->registers, &b->registers, sizeof a->registers) == 0;
}

/* Adds the registers, which are stored. True if the loop that this transfer closes has come to the
 * same state again: a busy-wait, which the observer has to recognise. */
static bool repeats(const struct nes *n, struct following *f, struct transfer *t) {
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
static bool may_wait(const struct nes *n, const struct following *f, const struct transfer *t) {
    return f->near && f->nears < STATES && !(t->loops && t->to >= ROM && touches_at(n, t->to));
}

/* Completes transfer number f->count, which is noted; true: enough. */
static bool noted(const struct nes *n, struct following *f) {
    struct transfer *const t = &f->at[f->count++];
    f->left -= f->left > 0 && t->start >= f->request->due;
    if (!t->untouched) {
        f->near = NULL;
        f->nears = 0;
    }
    if ((t->loops && repeats(n, f, t)) || f->count == FOLLOWED_MOST)
        return true;
    return f->left == 0 && t->end >= f->request->until && !may_wait(n, f, t);
}

#define LOOP_FUNCTION                                                                              \
    static void run_followed(struct nes *n, struct following *f, uint64_t stop, uint64_t deadline)
#define LOOP_SKIPS      false
#define LOOP_STOPS      false
#define LOOP_READS(at)  true
#define LOOP_WRITES(at) ((at) < BOARD)
#define LOOP_ENDS_ONCE  0
/* Only notes where the instruction begins. */
#define MEETS()   (start = START(), false)
#define MET()     ((void)0)
#define IS_BRANCH ((OPCODE & 0x1f) == 0x10)
#define TOUCHED(high)                                                                              \
    (touches[OPCODE] == TOUCHES || (touches[OPCODE] == TOUCHES_OPERAND && is_device(high)))
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_NEXT && !IS_BRANCH) {                                                 \
            touched |= TOUCHED(ip[-1]);                                                            \
            break;                                                                                 \
        }                                                                                          \
        if (start >= from_cycle) {                                                                 \
            struct transfer *const t_ = &f->at[f->count];                                          \
            t_->start = start;                                                                     \
            t_->end = START();                                                                     \
            t_->from = (how) == OUTCOME_NEXT ? (uint16_t)(PC(0) - 2) : from_pc;                    \
            t_->to = PC(0);                                                                        \
            t_->untouched = !touched && !TOUCHED(PC(0) >> 8); /* JMP's operand */                  \
            t_->loops = may_loop(n, t_->from, t_->to, t_->untouched);                              \
            if (t_->loops)                                                                         \
                STORE_REGISTERS();                                                                 \
            if (noted(n, f))                                                                       \
                goto leave;                                                                        \
        }                                                                                          \
        touched = false;                                                                           \
        if ((how) != OUTCOME_NEXT && PC(0) < ROM)                                                  \
            goto leave;                                                                            \
    } while (0)
#define LEFT() ((void)0)
#define LOOP_LOCALS()                                                                              \
    const uint64_t from_cycle = f->request->from;                                                  \
    uint64_t start = 0;                                                                            \
    bool touched = false
#include "nes/cpu/cpu_loop.h"

bool cpu_follow(struct nes *n, uint64_t stop, uint64_t deadline) {
    const struct follow_request *const request = n->observed.follow;
    struct following f = {
        .request = request, .at = n->observed.watch->followed, .left = request->least};
    if (n->cpu.r.pc >= ROM)
        run_followed(n, &f, stop, deadline);
    if (n->cpu.cycle < request->from)
        return false;
    watch_followed(n, f.count);
    return true;
}
