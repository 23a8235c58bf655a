/* The report of `compare --structure`: what a graph is worth for code layout. */
#ifndef HOTGRAPH_COMMANDS_WORTH_H
#define HOTGRAPH_COMMANDS_WORTH_H

#include "graph/layout/layout.h"

struct worth_report {
    struct worth found;
    struct worth_exact exact;
};

/* path: of the structure. STATUS_ARGUMENT: it belongs to another program than h, or has no sizes of
 * blocks. */
enum status worth_report(struct worth_report *out, const char *path, const struct graph *g,
                         const struct graph *h, struct error *e);
void worth_report_print(const struct worth_report *r);
/* Prints members of a JSON object that is already open. */
void worth_report_print_json(const struct worth_report *r);

#endif
