/* open: what a plan's games are: ROMs and movies, recordings, programs; and the names of their
 * rows, which are known from that alone. */
#ifndef HOTGRAPH_OPEN_H
#define HOTGRAPH_OPEN_H

#include "experiment/experiment.h"

/* Paths of the ROMs that are named by identity only, in the order of the games; to be freed. */
enum status plan_find_roms(const struct config *config, char **paths, struct error *e);
/* A stream for each way of sampling, or one. */
enum status plan_make_streams(const struct config *config, struct plan_game *p, struct error *e);
/* Sets what is known of the game: is it present, and what are its rows called? rom: NULL where none
 * was found. A program that is gone is looked for in `db`. */
enum status plan_open_game(const struct config *config, struct plan_game *p, const char *rom,
                           struct db *db, struct error *e);

#endif
