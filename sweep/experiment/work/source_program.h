/* source_program: streams and exact graphs of a Linux program, recorded under QEMU or
 * counted in a native run. Private to source. */
#ifndef HOTGRAPH_SOURCE_PROGRAM_H
#define HOTGRAPH_SOURCE_PROGRAM_H

#include "experiment/work/source.h"

/* Records the program once for all its streams, and once more with its other input if a stream of
 * that lacks something: out->other gets that run's exact graph. */
enum status source_record(struct source *out, const struct plan_game *game,
                          const struct config *config, const struct source_hooks *hooks,
                          struct error *e);

#endif
