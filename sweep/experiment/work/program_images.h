/*
 * images: stores the files whose code a recorded program executed, so that addresses in its graph
 * get names (view named_edge). Private to experiment.
 */
#ifndef HOTGRAPH_IMAGES_H
#define HOTGRAPH_IMAGES_H

#include "experiment/store/writer.h"
#include "experiment/work/source.h"

/* Queues a job that stores the images, their addresses, and their functions; of a native program also the
 * times of its runs. Call it after
 * rows_put_source, to whose replay the rows refer. Takes ownership of the source's recording and
 * symbols. */
enum status images_put(struct writer *w, int64_t run_id, const struct plan_game *game,
                       struct source *source, struct error *e);

#endif
