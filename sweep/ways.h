/* ways: the ways to run a game that must make no difference, by name. */
#ifndef HOTGRAPH_WAYS_H
#define HOTGRAPH_WAYS_H

#include "lockstep.h"

/* The way that is called `name`: the first word of a line of ways_manual, and modifiers joined to
 * it by "+". STATUS_ARGUMENT when there is no such way, STATUS_UNSUPPORTED when this processor has
 * no translator. */
enum status way_find(struct way *out, const char *name, struct error *e);
extern const char ways_manual[];

/* All that are run unless somebody chooses. */
struct ways {
    VEC(struct way) list;
};
enum status ways_add(struct ways *w, const char *name, struct error *e);
enum status ways_add_standard(struct ways *w, struct error *e);

#endif
