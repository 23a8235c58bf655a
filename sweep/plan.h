/*
 * plan: what a configuration asks for, held against what the database has.
 *
 * Building a plan reads every ROM, movie and configuration that will be needed, so that what is
 * wrong with them is said before the work begins and not in its middle. It writes nothing.
 */
#ifndef HOTGRAPH_PLAN_H
#define HOTGRAPH_PLAN_H

#include "db/db.h"
#include "nes/movie.h"
#include "sweep/config.h"

enum { PLAN_KEY = 256 };

/* What the database knows of one configuration on one game's stream. */
struct plan_point {
    bool has_result, has_curve, has_graph;
    double similarity; /* with has_result; NAN over an empty set */
    uint64_t edges;
};

struct plan_game {
    const struct config_game *game;
    bool wanted;                 /* by --games, or all are */
    bool present;                /* its ROM was found; false: to be skipped */
    struct cartridge *cartridge; /* NULL for a foreign pair, or when not present */
    struct movie movie;
    char replay_key[PLAN_KEY], stream_key[PLAN_KEY];
    int64_t replay_id, stream_id;         /* 0: not in the database */
    char exact_hash[33], stream_hash[33]; /* "" or what the database has */
    uint64_t batches;                     /* of the stream in the database */
    struct plan_point *points;            /* one for each of the configuration's */
    size_t missing; /* results, curves and graphs to compute; 1 at least without a stream */
};

struct plan {
    const struct config *config; /* borrowed */
    struct plan_game *games;     /* one for each of the configuration's, in its order */
    size_t missing;              /* over all games that are wanted and present */
};

/* names: the games asked for, NULL for all; STATUS_ARGUMENT names one that the file does not have.
 * db may be NULL: nothing has been computed yet. */
enum status plan_make(struct plan *out, const struct config *config, const char *const *names,
                      size_t name_count, struct db *db, struct error *e);
void plan_free(struct plan *p);

/* The configurations whose graphs are kept, by index into points: best, median, worst by
 * similarity and the baseline (db/views.sql has the same in kept_graph). False while results are
 * missing. Without a grid all four are the baseline. */
enum { PLAN_ROLES = 4 };
bool plan_roles(const struct config *config, const struct plan_point *points,
                size_t roles[PLAN_ROLES]);

/* The marks of a stream of so many batches: the configuration's, and its end. The caller frees
 * *out. */
enum status plan_marks(const struct config *config, uint64_t batches, size_t **out, size_t *count,
                       struct error *e);

#endif
