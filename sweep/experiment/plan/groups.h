/* groups: divides a configuration's points into groups that one thread builds together. Private to
 * experiment. */
#ifndef HOTGRAPH_GROUPS_H
#define HOTGRAPH_GROUPS_H

#include "experiment/experiment.h"

struct group_of_points {
    size_t stream;  /* of the game */
    size_t *points; /* indices into the configuration's points, ascending; all belong to one
                       technique */
    size_t count;
};
struct groups {
    VEC(struct group_of_points) list;
};

/* Divides the points that lack results, for each of a game's streams. They need not fit the stream,
 * whose batches may still be unknown. together: points that the technique can build in one pass
 * form a group; otherwise each point is a group. */
enum status groups_make(struct groups *out, const struct plan *plan, const struct plan_game *game,
                        bool together, struct error *e);
void groups_free(struct groups *g);

#endif
