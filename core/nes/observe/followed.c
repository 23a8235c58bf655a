/* nes_follow(): hands over what cpu_follow() has noted. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

static void hand_over(struct nes *n, const struct followed *followed) {
    struct watch *const w = n->observed.watch;
    struct watched_by *const by = &w->observers[__builtin_ctz(w->used)];
    w->ringing = true;
    watch_hand_over_followed(by, followed);
    w->ringing = false;
    if (watch_only_follows(n, by)) /* as usual */
        watch_expect_follow(n, by);
    else
        watch_requests_changed(n);
}

void watch_followed(struct nes *n, unsigned count, bool touched) {
    hand_over(n,
              &(struct followed){n->observed.watch->followed, count, touched, record_banks(n), 0});
}

void watch_skipped(struct nes *n, uint64_t cycle) {
    hand_over(n, &(struct followed){.skipped = cycle});
}
