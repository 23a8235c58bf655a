/*
 * program_parts: a recorded program's trace, cut into parts.
 *
 * A part ends with the first transfer of control at which at least so many instructions have been executed, and the
 * last one with the program. So each part but the first begins where a transfer led to.
 *
 *  - program_parts_flow: after each part, all that has been executed so far.
 *  - program_parts_each: a trace of each part, as if the program began there, and as if nothing else were known: what
 *    follows a trace can follow it. The contexts that are interrupted there begin with it.
 *
 *     const uint64_t at[] = {1000000, 2000000};    three parts
 *     const struct program_parts parts = {.trace = &t, .at = at, .cuts = 2, .each = take, .user = &u};
 *     status = program_parts_each(&parts, &e);
 */
#ifndef HOTGRAPH_PROGRAM_PARTS_H
#define HOTGRAPH_PROGRAM_PARTS_H

#include "profile/program/program_trace.h"

struct program_parts {
    const struct program_trace *trace;
    const uint64_t *at; /* instructions up to the end of each part but the last; rising */
    size_t cuts;        /* their number: one less than that of parts */
    bool from_start;    /* each part begins with the program, so that it contains all before it */
    /* Optional: false: nothing of the part is wanted. */
    bool (*wants)(void *user, size_t number);
    /* The part is the callee's until it returns; its structure is known. A status other than STATUS_OK ends all. */
    enum status (*each)(void *user, size_t number, const struct program_trace *part,
                        struct error *e);
    void *user;
};
enum status program_parts_each(const struct program_parts *parts, struct error *e);

/* The end of a part. */
struct program_mark {
    size_t number;
    uint64_t instructions, transfers; /* executed up to there, from the start of the program */
};
/* *flow: all that has been executed up to the mark; it is freed if each() does not move it. */
enum status program_parts_flow(const struct program_trace *trace, const uint64_t *at, size_t cuts,
                               enum status (*each)(void *user, const struct program_mark *mark,
                                                   struct flow *flow, struct error *e),
                               void *user, struct error *e);

#endif
