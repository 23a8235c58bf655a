/* engines: which engine runs a machine, by the name that a user gives. */
#ifndef HOTGRAPH_ENGINES_H
#define HOTGRAPH_ENGINES_H

#include "nes/engine.h"

/* For OPTION_CHOICE; ends with NULL. */
extern const char *const engine_names[];
/* name: one of them; NULL is auto, the fastest there is. STATUS_UNSUPPORTED where this processor
 * has none. */
enum status engine_find(const struct engine **out, const char *name, struct error *e);

#endif
