/* Large libraries get their probes part by part, when they are first executed. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_EDGE_LATE_H
#define HOTGRAPH_NATIVE_EDGE_LATE_H

#include "base/base.h"

struct hotprobe;
/* Call it after edges_start() and session_settle(), before any code of late objects is executed. */
enum status late_open(struct hotprobe *h, struct error *e);
/* Until late_go_on() no part is inserted, so that patches and chunks of memory can be looked through. Signals
 * are blocked meanwhile: *mask is as it was. Does not call libc. */
void late_hold(uint64_t *mask);
void late_go_on(const uint64_t *mask);

#endif
