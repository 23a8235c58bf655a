/* nes_follow(): the loop without observers that instrument, and cpu_follow(), which chooses a loop. */
#include "nes/cpu/cpu_followed.h"

#include "nes/cpu/deadline.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_followed(struct nes *n, struct following *f, uint64_t stop, uint64_t deadline)
#define MEETS()       false
#define MET()         ((void)0)
#define COUNT(how)    ((void)0)
#define LOOP_LOCALS() FOLLOWING()
#include "nes/cpu/cpu_followed_loop.h"

/* ---- instructions that the loop leaves to nes_step() ---- */

/* May it be executed here? What was noted before other ROM is mapped must be handed over first. */
static bool may_step(const struct nes *n, const struct following *f, uint64_t stop) {
    const uint8_t *const code = watch_code(n, n->cpu.r.pc);
    if (!is_served(n, f) || n->cpu.cycle >= stop || !is_followed(n->cpu.r.pc) || !code ||
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
    if (t->start < f->due) {
        f->before = t->start;
    } else {
        t->end = n->cpu.cycle;
        t->from = from;
        t->to = n->cpu.r.pc;
        t->untouched = !f->touched;
        t->loops = may_loop(n, t->from, t->to);
        (void)noted(n, f);
    }
    f->touched = false;
}

static void run_fast(struct nes *n, struct following *f, uint64_t stop) {
    const uint64_t deadline = engine_deadline(n, n->cpu.r.p & P_I);
    if (!is_followed(n->cpu.r.pc) || !is_served(n, f))
        return;
    if (!n->observed.watched) {
        cpu_run_followed(n, f, stop, deadline);
        return;
    }
    watch_follow_banks(n);
    cpu_run_followed_counted(n, f, stop, deadline);
}

/* It ends after a transfer, where translated code has blocks that begin, and not in the midst of one. */
bool cpu_follow(struct nes *n, uint64_t stop) {
    const struct follow_request *const request = n->observed.follow;
    struct watched_by *const by = n->observed.watch->follower;
    struct following f = {.request = request,
                          .at = n->observed.watch->followed,
                          .due = request->due > request->from ? request->due : request->from,
                          .left = request->least};
    run_fast(n, &f, stop);
    while (!f.enough && may_step(n, &f, stop)) {
        step_followed(n, &f);
        if (!f.enough)
            run_fast(n, &f, stop);
    }
    if (n->cpu.cycle < request->from)
        return false;
    watch_followed(n, by,
                   &(struct followed){.transfers = f.at,
                                      .count = f.count,
                                      .before = f.before >= request->from ? f.before : 0,
                                      .touched = f.touched,
                                      .banks = record_banks(n)});
    return true;
}
