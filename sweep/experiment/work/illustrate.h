/*
 * illustrate: makes the rows behind the drawings of how GFCGaussiano works (excerpt, bin_history,
 * path_count), for the configuration that the paper names most often, 10/15/13/5, if the experiment
 * has it. These rows measure nothing and are in no digest. Private to experiment.
 */
#ifndef HOTGRAPH_ILLUSTRATE_H
#define HOTGRAPH_ILLUSTRATE_H

#include "experiment/store/rows.h"

enum { ILLUSTRATED_FRAME = 3000, ILLUSTRATED_BATCH = 1000 };

/* Illustrates the game's first stream, if it was made. */
enum status illustrate(struct writer *w, const struct plan_game *game, const struct config *config,
                       const struct source *source, struct error *e);

#endif
