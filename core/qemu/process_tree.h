/*
 * process_tree: what the plugin tells of processes, programs and threads that are followed
 * (recording.h: entries), during the run and after it. Private to core/qemu.
 */
#ifndef HOTGRAPH_QEMU_PROCESS_TREE_H
#define HOTGRAPH_QEMU_PROCESS_TREE_H

#include "base/base.h"
#include "qemu/recording.h"

struct tree_node {
    char label[RECORDING_LABEL];
    int end;       /* poll() finds it readable once the process has ended; -1: it has */
    char *command; /* path and arguments, each with a zero byte; NULL: as its parent's */
    size_t command_size;
    uint64_t at, size; /* of the recording in the file; size 0: there is none */
    char *reason;      /* why there is none; NULL: it left none */
};

struct process_tree {
    int file;      /* an unnamed file, to which the plugin appends */
    uint64_t read; /* bytes so far */
    VEC(struct tree_node) nodes;
};

/* Takes in what was appended since the last call. */
enum status tree_look(struct process_tree *t, struct error *e);
/* True if all processes that were told of have ended, or were recorded to their end. */
bool tree_is_over(const struct process_tree *t);
void tree_signal(const struct process_tree *t, int number);
/* Sorts the nodes: a process before what it started, in the order in which it did. */
void tree_sort(struct process_tree *t);
/* The node that started this one, or whose program it runs on; NULL: the first process. */
const struct tree_node *tree_parent(const struct process_tree *t, const struct tree_node *node);
/* Is it a thread, and not a process? */
bool tree_is_thread(const struct tree_node *node);
/* Does not close the file. */
void tree_free(struct process_tree *t);

#endif
