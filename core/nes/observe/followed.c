/* nes_follow(): hands over what cpu_follow() has noted. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

void watch_followed(struct nes *n, unsigned count) {
    struct watch *const w = n->observed.watch;
    struct watched_by *const by = &w->observers[__builtin_ctz(w->used)];
    const struct followed followed = {w->followed, count, record_banks(n)};
    w->ringing = true;
    watch_hand_over_followed(by, &followed);
    w->ringing = false;
    if (watch_only_follows(n, by)) /* as usual */
        watch_expect_follow(n, by);
    else
        watch_requests_changed(n);
}
