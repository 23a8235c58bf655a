/* groups: which of a configuration's points are built together, on one thread. Private to
 * experiment. */
#ifndef HOTGRAPH_GROUPS_H
#define HOTGRAPH_GROUPS_H

#include "experiment/experiment.h"

struct group_of_points {
    size_t stream;  /* of the game */
    size_t *points; /* of the configuration; of one technique, rising */
    size_t count;
};
struct groups {
    VEC(struct group_of_points) list;
};

/* Divides the points of which something is missing, for each of a game's streams. They need not fit
 * to the stream, which may be unknown yet. together: those that a technique can build in one pass
 * are one group; otherwise each is one. */
enum status groups_make(struct groups *out, const struct plan *plan, const struct plan_game *game,
                        bool together, struct error *e);
void groups_free(struct groups *g);

#endif
