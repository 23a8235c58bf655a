/* The fast loop for nes_follow(): notes control transfers. It only follows code in ROM, whose bytes
 * tell the observer afterwards which instructions were executed, and no write that may map other
 * ROM. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

enum { ROM = 0x8000, BOARD = 0x4020 };

/* The loop's state. */
struct following {
    const struct follow_request *request;
    struct transfer *at; /* FOLLOWED_MOST */
    unsigned count;
    unsigned left;               /* transfers to come, from cycle request->due on */
    const struct transfer *near; /* the last one with registers; NULL: none */
};

static bool same_after(const struct transfer *a, const struct transfer *b) {
    return a->to == b->to && memcmp(&a->registers, &b->registers, sizeof a->registers) == 0;
}

/* True if the loop that this transfer closes has come to the same state again. Most likely it is a
 * busy-wait, which the observer has to recognise. */
static bool repeats(const struct nes *n, struct following *f, struct transfer *t) {
    const struct transfer *const before = f->near;
    const struct cpu_registers r = nes_registers(n);
    t->registers.a = r.a;
    t->registers.x = r.x;
    t->registers.y = r.y;
    t->registers.s = r.s;
    t->registers.p = r.p;
    f->near = t;
    return before && same_after(before, t);
}

/* The instruction at `from`, begun at cycle `start`, has gone to cpu.pc. True: enough. */
static bool note_transfer(const struct nes *n, struct following *f, uint16_t from, uint64_t start) {
    const uint16_t to = n->cpu.r.pc;
    if (start >= f->request->from) {
        struct transfer *const t = &f->at[f->count++];
        t->start = start;
        t->end = n->cpu.cycle;
        t->from = from;
        t->to = to;
        f->left -= f->left > 0 && start >= f->request->due;
        const bool near = (uint16_t)(from - to) < TRANSFER_NEAR;
        const bool again = near && repeats(n, f, t);
        const bool complete = f->left == 0 && n->cpu.cycle >= f->request->until && !near;
        if (again || complete || f->count == FOLLOWED_MOST)
            return true;
    }
    return to < ROM;
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
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) != OUTCOME_NEXT || IS_BRANCH) {                                                  \
            STORE_REGISTERS();                                                                     \
            if (note_transfer(n, f, (how) == OUTCOME_NEXT ? (uint16_t)(PC(0) - 2) : from_pc,       \
                              start))                                                              \
                goto leave;                                                                        \
        }                                                                                          \
    } while (0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() uint64_t start = 0
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
