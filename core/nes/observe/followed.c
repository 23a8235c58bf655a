/* nes_follow(): hands over what cpu_follow() has noted. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

void watch_followed(struct nes *n, struct watched_by *by, const struct followed *followed) {
    struct watch *const w = n->observed.watch;
    w->ringing = true;
    watch_hand_over_followed(by, followed);
    w->ringing = false;
    if (!w->asked && watch_only_follows(n, by)) /* as usual */
        watch_expect_follow(n, by);
    else
        watch_requests_changed(n);
}

void watch_skipped(struct nes *n, uint64_t cycle) {
    watch_followed(n, n->observed.watch->follower, &(struct followed){.skipped = cycle});
}
