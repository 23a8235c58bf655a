/* Samples a native program at a timer: every few milliseconds of its processor time it is stopped, and a
 * batch of instructions executed one by one (ptrace). */
#ifndef HOTGRAPH_NATIVE_SAMPLE_H
#define HOTGRAPH_NATIVE_SAMPLE_H

#include <sys/types.h>

#include "base/base.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct native_sampling {
    const char *const *argv; /* ends with NULL */
    const char *path;        /* of the program */
    uint64_t interval_us;    /* of the processor time of all its threads */
    size_t batch_length;
    bool libraries;                 /* take batches of its libraries, too */
    const struct structure *images; /* gives files their addresses; may be NULL */
    void (*started)(pid_t id);      /* called before and (with 0) after it runs */
};

struct native_samples {
    struct stream stream;
    uint64_t outside;    /* batches that were not wholly in its own code */
    uint64_t unfinished; /* batches that a signal or the program's end cut off */
    bool ran;            /* the program ran, and has ended */
    int status;          /* as in waitpid */
};

/* Samples the program's first thread until it ends or becomes another program. STATUS_UNSUPPORTED: it
 * cannot be traced, or there is no batch. */
enum status native_sample(struct native_samples *out, const struct native_sampling *request,
                          struct error *e);
void native_samples_free(struct native_samples *s);

#endif
