/* ways: the ways to run a game that must make no difference, by name. */
#ifndef HOTGRAPH_WAYS_H
#define HOTGRAPH_WAYS_H

#include "sweep/lockstep.h"

/* The way that is called `name`: what --engine takes (engines.h), and modifiers that are joined to
 * it by "+". STATUS_ARGUMENT when there is no such way, STATUS_UNSUPPORTED when this processor has
 * no translator. */
enum status way_find(struct way *out, const char *name, struct error *e);
/* Says what modifiers there are, and which ways are standard. */
extern const char ways_manual[];

struct ways {
    VEC(struct way) list;
};
enum status ways_add(struct ways *w, const char *name, struct error *e);
/* Those that are run unless somebody chooses. */
enum status ways_add_standard(struct ways *w, struct error *e);

#endif
