/* Chooses the bytes to overwrite for a probe, and says why a site is refused. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_WINDOW_H
#define HOTGRAPH_NATIVE_WINDOW_H

#include "native/patch/patches.h"

/* Plans a jump over whole instructions at `site`. Sets all of *p but its stub and probes. Returns
 * HOTPROBE_DONE, or why there is none. */
enum hotprobe_reason window_find(struct hotprobe *h, struct object *o, uintptr_t site,
                                 struct patch *p);
/* Plans strategy `how`, one of those that overwrite a single instruction at `site`. If another
 * instruction is the last one, a short jump at `site` leads to a stub with all up to that. */
enum hotprobe_reason window_single(struct hotprobe *h, struct object *o, uintptr_t site,
                                   uintptr_t last, enum hotprobe_strategy how, struct patch *p);
/* Extends the window of a plain jump to at least `length` bytes, by the next instructions of its
 * block; `call`: the last one may be a call. False: impossible; *p may have changed. */
bool window_grow(struct hotprobe *h, struct object *o, struct patch *p, unsigned length, bool call);
/* Is the strategy switched on? */
bool strategy_on(const struct hotprobe *h, enum hotprobe_strategy s);

#endif
