/* open: opens the games of a plan (ROMs and movies, recordings, programs) and computes the ids of
 * their rows, which depend on nothing else. */
#ifndef HOTGRAPH_OPEN_H
#define HOTGRAPH_OPEN_H

#include "experiment/experiment.h"

/* Finds the ROMs of games that name only a SHA-1, in the order of the games. The caller frees the
 * paths. */
enum status plan_find_roms(const struct config *config, char **paths, struct error *e);
/* Makes a stream for each sampling of the configuration; a pair or program has one. */
enum status plan_make_streams(const struct config *config, struct plan_game *p, struct error *e);
/* Finds out whether the game is present, and computes the ids of its rows. rom: NULL if none was
 * found. A program that no longer exists is looked up in `db`. */
enum status plan_open_game(const struct config *config, struct plan_game *p, const char *rom,
                           struct db *db, struct error *e);

#endif
