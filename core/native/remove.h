/* Removal of probes. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_REMOVE_H
#define HOTGRAPH_NATIVE_REMOVE_H

#include "base/base.h"

struct hotprobe;
/* Removes all probes. */
enum status probes_remove(struct hotprobe *h, struct error *e);

#endif
