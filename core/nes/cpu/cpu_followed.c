/* The fast loop for nes_follow(): notes control transfers. The observer reads the bytes of their
 * instructions afterwards. So transfers of code in RAM are handed over at once, and so are those
 * before a write that may map other ROM. */
#include <assert.h>

#include "nes/cpu/deadline.h"
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
    unsigned left; /* transfers to come, from cycle request->due on */
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

static bool is_device(unsigned low, unsigned high) {
    return high >= 0x20 && high < 0x80 && (low | high << 8) != PPU_STATUS_ADDRESS;
}

/* The same of the instruction at pc. */
static bool touches_at(const struct nes *n, uint16_t pc) {
    const uint16_t low = (uint16_t)(pc + 1), high = (uint16_t)(pc + 2);
    const uint8_t what = touches[n->memory.rd[pc >> 8][pc & 0xff]];
    return what == TOUCHES ||
           (what == TOUCHES_OPERAND &&
            is_device(n->memory.rd[low >> 8][low & 0xff], n->memory.rd[high >> 8][high & 0xff]));
}

/* A JSR may overwrite itself in the stack. Zero page ends there. */
static bool is_followed(uint16_t pc) {
    return pc >= RAM_MIRRORS_END || pc % RAM_SIZE >= 0x200;
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
    f->enough = (t->loops && repeats(n, f, t)) || f->count == FOLLOWED_MOST || t->from < ROM ||
                t->to < ROM || (f->left == 0 && t->end >= f->request->until && !may_wait(n, f, t));
    return f->enough;
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
#define TOUCHED(low, high)                                                                         \
    (touches[OPCODE] == TOUCHES || (touches[OPCODE] == TOUCHES_OPERAND && is_device(low, high)))
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) == OUTCOME_NEXT && !IS_BRANCH) {                                                 \
            touched |= TOUCHED(ip[-2], ip[-1]);                                                    \
            break;                                                                                 \
        }                                                                                          \
        if (start >= from_cycle) {                                                                 \
            struct transfer *const t_ = &f->at[f->count];                                          \
            t_->start = start;                                                                     \
            t_->end = START();                                                                     \
            t_->from = (how) == OUTCOME_NEXT ? (uint16_t)(PC(0) - 2) : from_pc;                    \
            t_->to = PC(0);                                                                        \
            t_->untouched = !touched && !TOUCHED(PC(0) & 0xff, PC(0) >> 8); /* JMP's */            \
            t_->loops = may_loop(n, t_->from, t_->to, t_->untouched);                              \
            if (t_->loops)                                                                         \
                STORE_REGISTERS();                                                                 \
            if (noted(n, f))                                                                       \
                goto leave;                                                                        \
        }                                                                                          \
        touched = false;                                                                           \
        if (PC(0) < ROM && !is_followed(PC(0)))                                                    \
            goto leave;                                                                            \
    } while (0)
#define LEFT() ((void)(f->touched = touched))
#define LOOP_LOCALS()                                                                              \
    const uint64_t from_cycle = f->request->from;                                                  \
    uint64_t start = 0;                                                                            \
    bool touched = f->touched
#include "nes/cpu/cpu_loop.h"

/* ---- instructions that the loop leaves to nes_step() ---- */

/* May it be executed here? What was noted before other ROM is mapped must be handed over first. */
static bool may_step(const struct nes *n, const struct following *f, uint64_t stop) {
    const uint8_t *const code = watch_code(n, n->cpu.r.pc);
    if (f->enough || n->cpu.cycle >= stop || !is_followed(n->cpu.r.pc) || !code ||
        !may_run_fast(n, n->cpu.r.p & P_I))
        return false;
    const struct opcode_info *const info = opcode_info(*code);
    return info->kind < INSN_RTI && !(info->writes_memory && n->board.banked && f->count > 0);
}

static void step_followed(struct nes *n, struct following *f) {
    struct transfer *const t = &f->at[f->count];
    const uint16_t from = n->cpu.r.pc;
    const bool plain = opcode_info(*watch_code(n, from))->kind == INSN_PLAIN;
    f->touched |= touches_at(n, from);
    t->start = n->cpu.cycle;
    nes_step(n);
    if (plain)
        return;
    if (t->start >= f->request->from) {
        t->end = n->cpu.cycle;
        t->from = from;
        t->to = n->cpu.r.pc;
        t->untouched = !f->touched;
        t->loops = may_loop(n, t->from, t->to, t->untouched);
        (void)noted(n, f);
    }
    f->touched = false;
}

static void run_fast(struct nes *n, struct following *f, uint64_t stop) {
    if (is_followed(n->cpu.r.pc))
        run_followed(n, f, stop, engine_deadline(n, n->cpu.r.p & P_I));
}

/* It ends after a transfer, where translated code has blocks that begin, and not in the midst of one. */
bool cpu_follow(struct nes *n, uint64_t stop, uint64_t deadline) {
    const struct follow_request *const request = n->observed.follow;
    struct following f = {
        .request = request, .at = n->observed.watch->followed, .left = request->least};
    if (n->cpu.cycle < request->from) /* nothing is noted there */
        cpu_run_plain(n, earlier(stop, request->from), deadline);
    run_fast(n, &f, stop);
    while (may_step(n, &f, stop)) {
        step_followed(n, &f);
        if (!f.enough)
            run_fast(n, &f, stop);
    }
    if (n->cpu.cycle < request->from)
        return false;
    watch_followed(n, f.count, f.touched);
    return true;
}
