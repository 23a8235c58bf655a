/* groups: which of a configuration's points are built together, on one thread. Private to
 * experiment. */
#ifndef HOTGRAPH_GROUPS_H
#define HOTGRAPH_GROUPS_H

#include "experiment/experiment.h"

struct group_of_points {
    size_t *points; /* of the configuration; of one technique, rising */
    size_t count;
};
struct groups {
    VEC(struct group_of_points) list;
};

/* Divides the points of a game of which something is missing. They need not fit to its stream,
 * which may be unknown yet. together: those that a technique can build in one pass are one group;
 * otherwise each is one. */
enum status groups_make(struct groups *out, const struct config *config,
                        const struct plan_game *game, bool together, struct error *e);
void groups_free(struct groups *g);

/* Is there something left to find of a point? */
bool point_is_missing(const struct config *config, const struct plan_game *game, size_t point);

#endif
