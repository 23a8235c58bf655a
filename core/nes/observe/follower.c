/* Whose transfers cpu_follow() follows: the only observer that waits for anything, while no probe calls. And how it gets
 * what was followed. */
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

static bool waits(const struct watched_by *by) {
    return by->alarm != NEVER || by->steps != 0 || by->record.from != NEVER ||
           by->follow.from != NEVER;
}

static struct watched_by *find_follower(struct watch *w) {
    struct watched_by *only = NULL;
    for (unsigned left = w->callers ? 0 : w->used; left; left &= left - 1) {
        struct watched_by *const by = &w->observers[__builtin_ctz(left)];
        if (waits(by) && only)
            return NULL;
        only = waits(by) ? by : only;
    }
    return only;
}

void watch_choose_follower(struct nes *n) {
    struct watched_by *const by = n->observed.watch->follower = find_follower(n->observed.watch);
    n->observed.follow = by && !n->observed.stepping ? watch_follow_alone(by) : NULL;
}

void watch_stop_following(struct nes *n) {
    n->observed.watch->follower = NULL;
    n->observed.watch->asked = true;
    n->observed.follow = NULL;
}

void watch_hand_over_followed(const struct nes *n, struct watched_by *by,
                              struct followed *followed) {
    followed->due = by->follow.due;
    followed->moved = by->moved;
    followed->switched = n->observed.switched != by->switched ? n->observed.switched : 0;
    by->follow.from = NEVER;
    if (by->observer.followed)
        by->observer.followed(by->observer.self, followed);
}
