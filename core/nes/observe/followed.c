/* nes_follow(): what cpu_follow() has noted is handed over, and requests move when NMI handlers begin. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

static void move_request(struct follow_request *f, uint64_t cycle) {
    f->phase += f->shift;
    const uint64_t due = cycle + 1 + (uint64_t)((unsigned __int128)f->phase * f->every >> 64);
    const uint64_t by = due - f->due;
    f->due = due;
    f->from += by;
    f->until += by;
    f->over += by;
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
        move_request(&by->follow, n->cpu.cycle);
        watch_follow_changed(n, by);
    }
}

void watch_switched(struct nes *n, enum thread_cause cause) {
    struct watch *const w = n->observed.watch;
    for (unsigned left = w->moved; left; left &= left - 1)
        follow_through_switch(n, &w->observers[__builtin_ctz(left)], cause);
}

void watch_skipped(struct nes *n, uint64_t cycle) {
    watch_followed(n, n->observed.watch->follower, &(struct followed){.skipped = cycle});
}
