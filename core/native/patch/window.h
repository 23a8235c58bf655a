/* Chooses the bytes to overwrite for a probe, and says why a site is refused. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_WINDOW_H
#define HOTGRAPH_NATIVE_WINDOW_H

#include "native/patch/patches.h"

/* Plans a jump over whole instructions at `site`. Sets all of *p but its stub and probes. Returns
 * HOTPROBE_DONE, or why there is none. */
enum hotprobe_reason window_find(struct hotprobe *h, struct object *o, uintptr_t site,
                                 struct patch *p);
/* Plans strategy `how`, one of those that overwrite a single instruction. */
enum hotprobe_reason window_single(struct hotprobe *h, struct object *o, uintptr_t site,
                                   enum hotprobe_strategy how, struct patch *p);
/* Is the strategy switched on? */
bool strategy_on(const struct hotprobe *h, enum hotprobe_strategy s);

#endif
