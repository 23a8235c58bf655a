/* find: builds and scores the configurations of one technique on one stream: their results, and the
 * curves of those with a label. Private to experiment. */
#ifndef HOTGRAPH_FIND_H
#define HOTGRAPH_FIND_H

#include "experiment/store/rows.h"
#include "experiment/work/source.h"

/* The inputs, and the writer for the results. All is borrowed and read-only, so any number of
 * threads may share one; the writer does its own locking. */
struct find {
    const struct config *config;
    const struct plan_game *game;
    struct engine_choice engine; /* for live techniques */
    const struct plan_stream *plan;
    const struct source *source;        /* of the game */
    const struct source_stream *stream; /* the source's stream for that of the plan */
    struct rows_of_stream of;
    struct writer *writer;
    bool direct;          /* use the technique's plain reference implementation */
    int (*stopped)(void); /* nonzero: end with STATUS_INTERRUPTED; may be NULL */
    /* Receives the lines that a technique's program writes to standard error; may be NULL. */
    void (*said)(void *user, const char *line);
    void *user;
};

/* Computes what the given points lack. They must belong to one technique and fit the stream. They
 * are built together if the technique can do that; a live technique replays the game for each of
 * them. STATUS_GUEST of a technique by `exec`: its program failed. */
enum status find_missing(const struct find *f, const size_t *points, size_t count, struct error *e);

#endif
