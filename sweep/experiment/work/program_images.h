/*
 * images: the files that a program's recording executed, as rows, so that addresses in its graph
 * have names (view named_edge). Private to experiment.
 */
#ifndef HOTGRAPH_IMAGES_H
#define HOTGRAPH_IMAGES_H

#include "experiment/store/writer.h"
#include "experiment/work/source.h"

/* Hands a job to the writer that puts the images, where they lay, and the functions in them; to be
 * called behind rows_put_source, whose replay the rows refer to. Takes the source's recording and
 * symbols over. */
enum status images_put(struct writer *w, const struct plan_game *game, struct source *source,
                       struct error *e);

#endif
