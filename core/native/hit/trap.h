/* SIGTRAP: leads threads from a trap to the stub. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_TRAP_H
#define HOTGRAPH_NATIVE_TRAP_H

#include "base/base.h"

struct hotprobe;
enum status trap_open(struct hotprobe *h, struct error *e);
void trap_close(struct hotprobe *h);

#endif
