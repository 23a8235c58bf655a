/*
 * run_qemu: one run of QEMU: its files, its output, and its end. Private to core/qemu.
 */
#ifndef HOTGRAPH_QEMU_RUN_H
#define HOTGRAPH_QEMU_RUN_H

#include "qemu/process_tree.h"
#include "qemu/qemu.h"

struct run {
    const struct qemu_request *request;
    const char *emulator;
    const char *const *argv;
    char *const *env;
    int recording;             /* the descriptor of the file that the plugin writes */
    struct process_tree *tree; /* if other processes are followed; else NULL */

    /* The outcome. */
    int word;           /* as waitpid() says it */
    double seconds;     /* processor time */
    enum qemu_end told; /* QEMU_STOPPED or QEMU_TIMEOUT if it was ended; else QEMU_ENDED */
};

/* Runs the program until it has ended and its output is closed. If others are followed, waits for
 * them, too. */
enum status run_program(struct run *r, struct error *e);
/* True if it left a recording. */
bool run_is_recorded(const struct run *r);
/* Says why it left none. */
enum status run_explain(const struct run *r, struct error *e);

#endif
