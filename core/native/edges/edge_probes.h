/* Probes from which all edges between blocks of the session's objects follow. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_PROBES_H
#define HOTGRAPH_NATIVE_EDGE_PROBES_H

#include "native/text/object.h"

/* Inserts them, but in late objects, and writes the files `pieces` and `pairs` (session.h). An error names
 * the block that cannot be counted. Call it before the program has started. */
enum status edges_start(struct hotprobe *h, const char *folder, struct error *e);
/* Inserts those of a part of late object `number`, which no thread has executed, and adds it to the file
 * `pieces`. Call it after session_settle(), one thread at a time. */
enum status edges_part(struct hotprobe *h, size_t number, struct range part, struct error *e);
/* Late object `number` is other code after all. False: that cannot be written. */
bool edges_drop(struct hotprobe *h, size_t number, const char *why);

#endif
