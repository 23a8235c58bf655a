/*
 * program: what names the rows of a real program: its file, its command, its input, how it is
 * sampled.
 */
#ifndef EXPERIMENT_PROGRAM_H
#define EXPERIMENT_PROGRAM_H

#include "experiment/experiment.h"

/* Fills in the keys of p->game->program. One that is not there, or cannot be recorded here, is not
 * `present`, and p->absent says why; an input that is missing is an error only where the
 * program is there. */
enum status program_open(struct plan_game *p, struct error *e);

/* Names the rows of a program that is not present: those in `db` that the same command with the
 * same input gave, of whichever file; else rows that nobody has, so that what an earlier definition
 * gave is not taken for what this one asks for. `experiment`: whose rows are preferred. */
enum status program_find_absent(struct plan_game *p, const char *experiment, struct db *db,
                                struct error *e);

#endif
