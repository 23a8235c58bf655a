/* runner: a machine that runs a game in one way, with its observers. Private to lockstep. */
#ifndef HOTGRAPH_RUNNER_H
#define HOTGRAPH_RUNNER_H

#include "lockstep/lockstep.h"
#include "profile/profile.h"

/* Observes every control transfer, and counts the other instructions. */
struct follower {
    struct nes *nes;
    uint32_t counter;
    uint64_t hash; /* of everything observed, in order */
};

struct runner {
    struct nes *nes;
    enum watching watching;
    const struct technique *technique;
    void *exact;
    struct sampler *sampler;
    struct follower follower;
};

/* Creates a machine with the observers of `way`, at power-on or at `state`. The runner must not be
 * moved. runner_close() is safe after a failure. */
enum status runner_open(struct runner *r, const struct lockstep *l, const struct way *way,
                        const struct bytes *state, struct error *e);
void runner_close(struct runner *r);

/* Applies the movie's reset, if any, and the buttons of the frame that begins. */
void runner_begin_frame(struct runner *r, const struct movie *movie);
/* Plays whole frames until frame `end` begins. */
enum status runner_play(struct runner *r, const struct movie *movie, uint64_t end, struct error *e);
/* True if the program has jammed. */
bool runner_stopped(const struct runner *r, const struct movie *movie);

/* True if both machines' observers, which must be of the same kind, have seen the same so far; if
 * not, `what` describes the difference. Cheap. */
bool runner_same_sight(const struct runner *a, const struct runner *b, char what[200]);
/* The profilers' results; zero without profilers. */
struct findings {
    char failure[200]; /* why the exact graph is impossible; "": it is not */
    struct profile profile;
    struct stream stream;
};
/* Detaches the profilers. findings_free() is safe after a failure. */
enum status runner_findings(struct runner *r, struct findings *out, struct error *e);
bool findings_same(const struct findings *a, const struct findings *b, char what[200]);
void findings_free(struct findings *f);

/* ---- lockstep_find.c ---- */

/* Locates a difference. The way and the reference differ at the end of frame d->frame, and at no
 * earlier one; or, if `first` is given, in the profilers' results for frames *first to d->frame -
 * 1. Fills *d; if nothing can be located, only its frame changes. checkpoint: a state of the
 * reference before that frame. */
enum status lockstep_find(const struct lockstep *l, const struct way *way,
                          const struct bytes *checkpoint, const uint64_t *first,
                          struct divergence *d, struct error *e);
/* Fills in the machines' positions, and which numbers of their states differ. */
void lockstep_describe(struct divergence *d, const struct nes *reference, const struct nes *other);

#endif
