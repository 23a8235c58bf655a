/* An earlier run's graph, as advice to the probe library: which code is executed often needs no counter. */
#ifndef HOTGRAPH_NATIVE_PLACEMENT_H
#define HOTGRAPH_NATIVE_PLACEMENT_H

#include "base/base.h"
#include "profile/structure/structure.h"

struct native_placement_request {
    const char *graph;              /* its file */
    const char *program;            /* whose graph it must be; of a script, its interpreter */
    const struct structure *images; /* gives the program's file its addresses; may be NULL */
};

/* Writes it to the session's folder (native/session.h). */
enum status native_placement_write(const char *folder,
                                   const struct native_placement_request *request, struct error *e);

#endif
