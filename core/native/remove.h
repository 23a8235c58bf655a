/* Removal of probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_REMOVE_H
#define HOTGRAPH_NATIVE_REMOVE_H

#include "base/base.h"

struct hotprobe;
/* Removes all probes. */
enum status probes_remove(struct hotprobe *h, struct error *e);
/* The same; no later probe uses what was planned for them. No other thread may run. */
enum status probes_forget(struct hotprobe *h, struct error *e);

#endif
