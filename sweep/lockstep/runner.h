/* runner: a machine that runs a game in one way, and who watches it. Private to lockstep. */
#ifndef HOTGRAPH_RUNNER_H
#define HOTGRAPH_RUNNER_H

#include "lockstep/lockstep.h"
#include "profile/profile.h"

/* Sees every control transfer, and counts the other instructions. */
struct follower {
    struct nes *nes;
    uint32_t counter;
    uint64_t hash; /* of all that it saw, in order */
};

struct runner {
    struct nes *nes;
    enum watching watching;
    const struct technique *technique;
    void *exact;
    struct sampler *sampler;
    struct follower follower;
};

/* A new machine, watched as `way` says, which stands at power-on or at `state`. The runner must
 * stay where it is; runner_close() is safe after a failure. */
enum status runner_open(struct runner *r, const struct lockstep *l, const struct way *way,
                        const struct bytes *state, struct error *e);
void runner_close(struct runner *r);

/* Resets, if the movie has one here, and buttons of the frame that begins. */
void runner_begin_frame(struct runner *r, const struct movie *movie);
/* Plays whole frames until frame `end` begins. */
enum status runner_play(struct runner *r, const struct movie *movie, uint64_t end, struct error *e);
/* Whether the program has stopped for good. */
bool runner_stopped(const struct runner *r, const struct movie *movie);

/* Whether the observers of both, who must be of the same kind, have seen the same so far; if not,
 * `what` says what differs. Cheap. */
bool runner_same_sight(const struct runner *a, const struct runner *b, char what[200]);
/* What profilers have found; zero where there were none. */
struct findings {
    char failure[200]; /* why the exact graph cannot be right; "" where it may */
    struct profile profile;
    struct stream stream;
};
/* Takes the profilers away. findings_free() is safe after a failure. */
enum status runner_findings(struct runner *r, struct findings *out, struct error *e);
bool findings_same(const struct findings *a, const struct findings *b, char what[200]);
void findings_free(struct findings *f);

/* ---- lockstep_find.c ---- */

/* One way and the reference are known to differ at the end of frame d->frame, and at no earlier
 * one. Or, where `first` is given, in what profilers have found in frames *first to d->frame - 1.
 * Fills *d; where nothing can be located *d stays as it is, but for the frame. checkpoint: a state
 * of the reference from before that frame. */
enum status lockstep_find(const struct lockstep *l, const struct way *way,
                          const struct bytes *checkpoint, const uint64_t *first,
                          struct divergence *d, struct error *e);
/* Fills in how the machines stand, and which numbers of their states differ. */
void lockstep_describe(struct divergence *d, const struct nes *reference, const struct nes *other);

#endif
