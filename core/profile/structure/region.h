/* region: the edges that are reached from some addresses. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_REGION_H
#define HOTGRAPH_PROFILE_REGION_H

#include "profile/profile.h"
#include "profile/structure/structure.h"

/* Fills out->graph with a set: all blocks of s, and each edge whose source is reached from one of
 * the block entries `heads` without entering callees, up to returns. Adds the visited blocks to
 * out->cost.steps. Heads that begin no block are left out. */
enum status region_set(struct profile *out, const struct structure *s, const uint32_t *heads,
                       size_t count, struct error *e);

#endif
