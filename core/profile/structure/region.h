/* region: watchers of hot addresses, and the edges that are reached from these. Private to
 * core/profile. */
#ifndef HOTGRAPH_PROFILE_REGION_H
#define HOTGRAPH_PROFILE_REGION_H

#include "profile/profile.h"
#include "profile/structure/structure.h"

/* Fills out->graph with a set: all blocks of s, and each edge whose source is reached from one of
 * the block entries `heads` without entering callees, up to returns. Adds the visited blocks to
 * out->cost.steps. Heads that begin no block are left out. */
enum status region_set(struct profile *out, const struct structure *s, const uint32_t *heads,
                       size_t count, struct error *e);

/* The same of a program outside the machine, whose shapes tell calls and returns. */
enum status region_set_of_program(struct profile *out, const struct structure *s,
                                  const uint32_t *heads, size_t count, struct error *e);

/* Fills out->graph with a set: all blocks of s, and those of its edges that are marked. */
enum status region_of_edges(struct profile *out, const struct structure *s, const bool *edges,
                            struct error *e);

/* A watcher that finds hot addresses while the structure is recorded beside it. */
struct region_watch {
    struct nes *nes;
    unsigned id; /* of the observer */
    struct structure_recorder *recorder;
};
/* Attaches the observer and a recorder of the structure; on failure neither is attached. */
enum status region_attach(struct region_watch *w, struct nes *nes, const struct observer *observer,
                          struct error *e);
void region_abandon(struct region_watch *w); /* detaches both, without a result */
/* Detaches both. Fills the structure, which the caller frees in any case, and the costs of the probes
 * in *out, which is otherwise empty. */
enum status region_detach(struct region_watch *w, struct profile *out, struct structure *s,
                          struct error *e);
/* Fills out->graph with the set that is reached from the addresses in heads up to now; both go on. */
enum status region_now(struct region_watch *w, struct profile *out, const uint32_t *heads,
                       size_t count, struct error *e);
/* The same as region_detach(), and fills *out with the set that is reached from the addresses in heads; on failure *out is
 * empty. */
enum status region_finish(struct region_watch *w, struct profile *out, const uint32_t *heads,
                          size_t count, struct error *e);

#endif
