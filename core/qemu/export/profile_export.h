/*
 * profile_export: writes a graph in the formats of profilers: callgrind.out for kcachegrind and
 * callgrind_annotate, pprof's profile.proto, and folded stacks for flame graphs.
 *
 * All three contain functions and calls, so they need the program's structure. A graph has no
 * stacks, so the cost of a call is estimated as gprof does: it is the same whoever makes the call.
 */
#ifndef HOTGRAPH_QEMU_PROFILE_EXPORT_H
#define HOTGRAPH_QEMU_PROFILE_EXPORT_H

#include "graph/graph.h"
#include "profile/structure/structure.h"
#include "qemu/qemu.h"

enum profile_format { PROFILE_CALLGRIND, PROFILE_PPROF, PROFILE_FOLDED };

/* symbols NULL: functions are named by their addresses. path NULL: standard output; a path that ends
 * in .gz is compressed, as pprof usually has it. */
enum status profile_export(const struct structure *s, const struct graph *g,
                           const struct qemu_symbols *symbols, enum profile_format format,
                           const char *path, struct error *e);

#endif
