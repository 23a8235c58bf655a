/* sampling: a configuration's key `sampling`. Private to config. */
#ifndef HOTGRAPH_SAMPLING_H
#define HOTGRAPH_SAMPLING_H

#include <libconfig.h>

#include "config/config.h"

/* Adds to c->samplings what the setting says: a group, or a list of groups, in which each key may
 * have several values (product.h); NULL: what is usual. What does not matter is as usual, so that
 * equal samplings are equal; the same one twice is an error. `by = "live"` sets c->live. */
enum status sampling_read(struct config *c, const config_setting_t *setting, struct error *e);

#endif
