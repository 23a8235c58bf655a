/*
 * program: computes the ids of a real program's rows from its file, its command, its input and its
 * sampling.
 */
#ifndef EXPERIMENT_PROGRAM_H
#define EXPERIMENT_PROGRAM_H

#include "experiment/experiment.h"

/* Fills in the keys of p->game->program. A program that does not exist, or cannot be recorded here,
 * is not `present`, and p->absent says why. A missing input is an error only if the program
 * exists. */
enum status program_open(struct plan_game *p, struct error *e);

/* How this stream of a program's own is sampled. */
struct config_budget program_budget(const struct config_program *p, const struct plan_stream *s);

/* Finds the row ids of a program that is not present: rows in `db` of the same command with the
 * same input, whatever the file. If there are none, uses ids that no row has, so that rows of an
 * earlier definition are not mistaken for this one's. `experiment`: its rows are preferred. */
enum status program_find_absent(struct plan_game *p, const char *experiment, struct db *db,
                                struct error *e);

#endif
