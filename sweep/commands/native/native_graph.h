/* The exact graph of a program's own code, and of its libraries, from the counts that its probes left. */
#ifndef HOTGRAPH_NATIVE_GRAPH_H
#define HOTGRAPH_NATIVE_GRAPH_H

#include "base/base.h"
#include "graph/graph.h"
#include "profile/structure/structure.h"

/* A file and why it was not counted. */
struct native_outside {
    char text[480];
};

struct native_graph {
    struct graph graph;
    struct structure structure; /* only on request */
    uint64_t instructions;      /* executed, of the code that was counted */
    uint64_t entered;           /* how often other code entered it */
    uint64_t probed;            /* executions of counters and cells */
    uint64_t traps;             /* executions of code whose probe is a trap; not all were trapped */
    size_t pieces,
        executed;     /* pieces of straight-line code, and those of them that were executed */
    size_t libraries; /* that were counted, too */
    VEC(struct native_outside) outside;
};

/* Code addresses are offsets in the program's file from here on; libraries follow. */
enum { NATIVE_GRAPH_BASE = 0x1000000 };

struct native_graph_request {
    const char *folder;             /* of the session (native/session.h) */
    const char *program;            /* as errors name it */
    int status;                     /* of its end, as in waitpid */
    const struct structure *images; /* gives the files other bases; may be NULL */
    bool structure;                 /* make the structure, too */
};

/* After native_report_refused(). STATUS_UNSUPPORTED with the place if the counts are no exact graph: each piece of code must be
 * entered as often as it is executed, and left as often. */
enum status native_graph_read(struct native_graph *out, const struct native_graph_request *request,
                              struct error *e);
/* Where the file begins: NATIVE_GRAPH_BASE, or where the structure has it. */
enum status native_graph_base(uint32_t *base, const struct structure *images, const char *path,
                              struct error *e);
void native_graph_free(struct native_graph *g);

#endif
