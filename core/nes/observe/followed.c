/* nes_follow(): what cpu_follow() has noted is handed over, and requests move when NMI handlers begin and busy-waits are
 * skipped. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

static void move_request(struct follow_request *f, uint64_t by) {
    f->from += by;
    f->due += by;
    f->until += by;
    f->over += by;
}

/* An NMI handler has begun at this cycle. */
static void begin_phase(struct follow_request *f, uint64_t cycle) {
    f->phase += f->shift;
    move_request(f, cycle + 1 + (uint64_t)((unsigned __int128)f->phase * f->every >> 64) - f->due);
}

void nes_follow_again(struct nes *n, unsigned id, uint64_t from, uint64_t later) {
    struct watched_by *const by = &n->observed.watch->observers[id];
    move_request(&by->follow, later);
    by->follow.from = from;
    by->moved = 0;
    by->switched = n->observed.switched; /* watch.ringing: the caller sees to the rest */
}

void watch_followed(struct nes *n, struct watched_by *by, struct followed *followed) {
    struct watch *const w = n->observed.watch;
    w->ringing = true;
    watch_hand_over_followed(n, by, followed);
    w->ringing = false;
    if (!w->asked && watch_only_follows(n, by)) /* as usual */
        watch_expect_follow(n, by);
    else
        watch_requests_changed(n);
}

static void follow_through_switch(struct nes *n, struct watched_by *by, enum thread_cause cause) {
    if (by->follow.from == NEVER || by->switched == n->observed.switched) /* asked just now */
        return;
    if (n->cpu.cycle >= by->follow.due) {
        watch_followed(n, by, &(struct followed){.changes = true, .cause = cause});
        n->observed.attention = true;
    } else if (cause == THREAD_NMI) {
        by->moved++;
        begin_phase(&by->follow, n->cpu.cycle);
        watch_follow_changed(n, by);
    }
}

void watch_switched(struct nes *n, enum thread_cause cause) {
    struct watch *const w = n->observed.watch;
    for (unsigned left = w->moved; left; left &= left - 1)
        follow_through_switch(n, &w->observers[__builtin_ctz(left)], cause);
}

void watch_skipped(struct nes *n, uint64_t cycle) {
    struct follow_request *const f = n->observed.follow;
    move_request(f, ((cycle - f->over) / f->every + 1) * f->every);
    n->observed.alarm = f->from;
}
