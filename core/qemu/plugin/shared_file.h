/*
 * shared_file: where a process that is followed (recording.h: entries) stands in the tree of processes,
 * and how it appends to the file that all of them share. Private to the plugin.
 *
 * The file is open only while something is appended, because the guest shares our descriptors. A
 * process that is killed while it appends leaves the file as it was.
 */
#ifndef HOTGRAPH_QEMU_SHARED_FILE_H
#define HOTGRAPH_QEMU_SHARED_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "qemu/recording.h"

struct followed {
    char path[RECORDING_PATH];   /* "": only this process is recorded */
    char label[RECORDING_LABEL]; /* of this process; "" of the first one */
    unsigned forks, threads;     /* that it has started */
};

/* The label of what this one starts: its own and this word. False: it is too long. */
bool followed_label(const struct followed *f, const char *word, char label[RECORDING_LABEL]);

struct appending {
    int descriptor;
    uint64_t start;
};
/* Opens and locks the file, positioned after the entry's head. False, with errno: it failed. */
bool followed_open(struct appending *a, const struct followed *f);
/* Completes the entry, or, unless ok, leaves it out. False: it is not in the file. */
bool followed_close(const struct appending *a, bool ok, enum recording_entry_kind kind,
                    const char *label, pid_t process);
/* Appends an entry with these bytes. */
bool followed_append(const struct followed *f, enum recording_entry_kind kind, const char *label,
                     pid_t process, const void *data, size_t size);

#endif
