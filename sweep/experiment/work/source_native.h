/* source_native: the exact graph of a native program, counted by probes while it runs on this machine.
 * Private to source. */
#ifndef HOTGRAPH_SOURCE_NATIVE_H
#define HOTGRAPH_SOURCE_NATIVE_H

#include "experiment/work/source.h"

/* Runs the program with the environment that a recording has: first alone, for its time, then with
 * probes; its other run with probes only, and without `times`. Fills the graph of its own code, its
 * structure and its file as if it had been recorded. STATUS_GUEST: its graph is not exact, and the message says where. */
enum status native_count(struct qemu_result *out, const struct config_program *program, bool other,
                         const struct source_hooks *hooks, struct source_times *times,
                         struct error *e);

/* Moves the samples of the program's own code from a recording of the same run: the batches that are
 * wholly in it. If the recording's graph of that code is another one, *warning says where. */
enum status native_take_samples(struct qemu_result *to, struct qemu_result *recorded,
                                struct error *warning, struct error *e);

#endif
