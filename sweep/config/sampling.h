/* sampling: a configuration's key `sampling`. Private to config. */
#ifndef HOTGRAPH_SAMPLING_H
#define HOTGRAPH_SAMPLING_H

#include <libconfig.h>

#include "config/config.h"

/* Adds the setting's samplings to c->samplings. It is a group or a list of groups, in which each
 * key may have several values (product.h); NULL: the default sampling. Parameters without effect
 * keep their defaults, so that equivalent samplings compare equal; duplicates are an error. Sets c->live. */
enum status sampling_read(struct config *c, const config_setting_t *setting, struct error *e);

#endif
