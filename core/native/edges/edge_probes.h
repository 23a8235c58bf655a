/* Probes from which all edges between blocks of the session's objects follow. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_PROBES_H
#define HOTGRAPH_NATIVE_EDGE_PROBES_H

#include "native/hotprobe.h"

/* Inserts them and writes the files `pieces` and `pairs` (session.h). An error names the block that
 * cannot be counted. Call it before the program has started. */
enum status edges_start(struct hotprobe *h, const char *folder, struct error *e);

#endif
