/* find: what configurations of one technique find in one stream: their results, and the curves of
 * those that have a label. Private to experiment. */
#ifndef HOTGRAPH_FIND_H
#define HOTGRAPH_FIND_H

#include "experiment/store/rows.h"
#include "experiment/work/source.h"

/* Where to look, and where to what is found. All is borrowed and only read, so any number of
 * threads may share one; the writer looks after itself. */
struct find {
    const struct config *config;
    const struct plan_game *game;
    struct engine_choice engine; /* for techniques that watch the game */
    const struct plan_stream *plan;
    const struct source *source;        /* of the game */
    const struct source_stream *stream; /* of the source's, that of the plan */
    struct rows_of_stream of;
    struct writer *writer;
    bool direct;          /* by the plain implementation of the technique's definition */
    int (*stopped)(void); /* nonzero: end with STATUS_INTERRUPTED; may be NULL */
};

/* Builds what is missing of some of the configuration's points, which are of one technique, fit to
 * the stream, and are built together as far as the technique can. One that watches by itself has a
 * replay of its own for each. */
enum status find_missing(const struct find *f, const size_t *points, size_t count, struct error *e);

#endif
