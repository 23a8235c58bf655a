/* What `compare --structure` says of a graph's use. */
#ifndef HOTGRAPH_COMMANDS_WORTH_H
#define HOTGRAPH_COMMANDS_WORTH_H

#include "graph/layout/layout.h"

struct worth_report {
    struct worth found;
    struct worth_exact exact;
};

/* path: the structure's. STATUS_ARGUMENT where it is of another program than h, or was written
 * without the sizes of blocks. */
enum status worth_report(struct worth_report *out, const char *path, const struct graph *g,
                         const struct graph *h, struct error *e);
void worth_report_print(const struct worth_report *r);
/* Continues an object. */
void worth_report_print_json(const struct worth_report *r);

#endif
