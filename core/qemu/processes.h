/*
 * processes: what was followed, after the run, as qemu.h gives it. Private to core/qemu.
 */
#ifndef HOTGRAPH_QEMU_PROCESSES_H
#define HOTGRAPH_QEMU_PROCESSES_H

#include "qemu/process_tree.h"
#include "qemu/qemu.h"
#include "qemu/read.h"

/* What all have in common with the first process. */
struct process_defaults {
    const char *path;
    const char *const *words; /* of its program; must live as long as what is made */
    const struct recording_setting *settings;
    size_t setting_count;
    const char *target;
};

/* Takes the tree over, but for its file, which may be closed. */
enum status processes_make(struct qemu_processes **out, struct process_tree *tree,
                           const struct process_defaults *first, struct error *e);
void processes_free(struct qemu_processes *p);
/* Stores the hash of the program in that file in the graph and the streams, so that those of two
 * programs are not mixed. */
enum status processes_name(struct qemu_result *r, const char *path, struct error *e);

#endif
