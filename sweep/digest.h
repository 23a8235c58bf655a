/*
 * digest: whether a sweep found what it should: a hash for each row or group of rows, kept in a
 * text file beside the configuration and compared game by game.
 *
 *     # comment
 *     definition <tab> hash of the experiment's definition
 *     GAME/KIND/NUMBER <tab> hash
 */
#ifndef HOTGRAPH_DIGEST_H
#define HOTGRAPH_DIGEST_H

#include "db/db.h"

struct digest_line {
    char *key;
    char hash[33];
};

struct digest {
    char definition[33]; /* "" where unknown */
    char total[33];      /* over all lines */
    VEC(struct digest_line) lines;
};

/* Of the current experiment's rows; games as in db_digest. */
enum status digest_take(struct digest *out, struct db *db, const char *const *games,
                        size_t game_count, struct error *e);
enum status digest_read(struct digest *out, const char *path, struct error *e);
enum status digest_write(const struct digest *d, const char *path, const char *experiment,
                         struct error *e);
void digest_free(struct digest *d);

enum digest_verdict {
    DIGEST_SAME,
    DIGEST_CHANGED,    /* *key has another hash */
    DIGEST_MISSING,    /* *key is expected, but not here */
    DIGEST_UNEXPECTED, /* *key is here, but not expected */
};
/* Compares the games that both have; *compared gets their number, *others that of games that only
 * `ours` has. On a difference, *key is the first, borrowed from either. */
enum digest_verdict digest_compare(const struct digest *ours, const struct digest *expected,
                                   const char **key, size_t *compared, size_t *others);

#endif
