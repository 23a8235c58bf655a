/*
 * record_files: what `record` writes of recordings, and says of them.
 */
#ifndef HOTGRAPH_RECORD_FILES_H
#define HOTGRAPH_RECORD_FILES_H

#include "base/base.h"
#include "qemu/qemu.h"

/* Paths; NULL: not written. */
struct record_files {
    const char *graph, *structure, *trace, *dot, *meta;
    char *const *streams; /* one for each of the recording's */
    const char *folder;   /* where the program ran; NULL: here */
    bool all;             /* the drawing is of everything, not of the hot part of the program's own
                             code */
};

/* What is said of a recording. */
struct record_summary {
    struct qemu_process process; /* label "": the first process */
    struct qemu_result counts;   /* nothing that would have to be freed */
    size_t blocks, edges;
    uint64_t transitions;
    char program[sizeof((struct graph){0}).program];
    char how[200];       /* it ended; "" if it did so by itself */
    struct error doubts; /* "": another run is the same */
};

struct record_summaries {
    VEC(struct record_summary) of; /* the first process, then what was followed */
};

/* Writes the files of the first process, whose program was started with these words, and of all
 * that was followed, with the label before each file's extension. The caller frees out->of also
 * after an error; it points to `r` and `words`. */
enum status record_files_write(const struct record_files *f, const struct qemu_result *r,
                               char *const *words, struct record_summaries *out, struct error *e);
/* Prints the summaries as JSON, or says them on standard error. */
void record_print(const struct record_summaries *s, const struct qemu_result *r, bool json);

#endif
