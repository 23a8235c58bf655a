/* Reads, prints and writes the counts of a program that ran with probes. */
#ifndef HOTGRAPH_NATIVE_REPORT_H
#define HOTGRAPH_NATIVE_REPORT_H

#include <stdio.h>

#include "base/base.h"
#include "commands/native/native_graph.h"
#include "native/hotprobe.h"

struct native_site {
    const char *object, *function; /* function NULL: it has no symbol */
    uint64_t address, start;       /* of the site, of its function; both in the file */
    uint64_t count;
    enum hotprobe_strategy strategy;
    enum hotprobe_reason reason;
    bool unproven;
    size_t number; /* index in the file */
};

struct native_report {
    const char *program;
    int status; /* as in waitpid */
    uint64_t threshold;
    VEC(struct native_site) sites;
    VEC(size_t) hot;
    VEC(const char *) objects;
    struct bytes sites_text, objects_text;
};

/* STATUS_UNSUPPORTED with the reason if the library has ended the process before the program ran. */
enum status native_report_refused(const char *program, const char *folder, struct error *e);
enum status native_report_read(struct native_report *r, const char *folder, uint64_t threshold,
                               struct error *e);
void native_report_print(struct native_report *r, FILE *to, uint64_t top);
enum status native_report_json(const struct native_report *r, const char *path, struct error *e);
void native_report_free(struct native_report *r);

/* The summary of a graph: what was counted, and what that took. */
void native_graph_print(const struct native_graph *g, const char *program, bool libraries,
                        FILE *to);
enum status native_graph_json(const struct native_graph *g,
                              const struct native_graph_request *request, const char *graph,
                              const char *path, struct error *e);

#endif
