/*
 * plugin_state: the plugin's state, which plugin.c holds, and its recordings. Private to the plugin.
 */
#ifndef HOTGRAPH_QEMU_PLUGIN_STATE_H
#define HOTGRAPH_QEMU_PLUGIN_STATE_H

#include <pthread.h>
#include <sys/types.h>

#include "qemu/plugin/kernel.h"
#include "qemu/plugin/mapped_images.h"
#include "qemu/plugin/next_program.h"
#include "qemu/plugin/recorder.h"
#include "qemu/plugin/shared_file.h"

#define EXPORT __attribute__((visibility("default")))

/* A thread after the first one, if threads are followed. */
struct thread {
    struct recorder *recorder; /* NULL: the first thread's, or shared by all */
    unsigned number;
};

enum { PLUGIN_ARGUMENTS = 2048 };

struct plugin {
    bool installed;
    pid_t process; /* the process that is recorded */
    char out[RECORDING_PATH];
    bool each;
    bool locked; /* several threads run: take the lock */
    pthread_mutex_t lock;
    struct recorder recorder;
    struct images images;
    struct kernel kernel;
    VEC(struct cpu *) cpus;
    VEC(struct kernel_call) calls; /* the call in progress on each processor */
    VEC(struct thread) threads;    /* on each processor */

    struct followed followed;
    struct exec_emulator emulator;
    char arguments[PLUGIN_ARGUMENTS]; /* the plugin's, for programs after exec */
    uint64_t limit;                   /* of instructions, for each process */
    uint64_t clock_before;            /* instructions before this process and program began */
    uint64_t clock_beside;            /* instructions of threads after the first one */
    bool written;                     /* the recording is complete, the process goes on */
};
__attribute__((visibility("hidden"))) extern struct plugin plugin;

static inline bool plugin_follows(void) {
    return plugin.followed.path[0] != '\0';
}

/* The guest's clock: instructions of this process, and of those before the fork or exec. */
static inline uint64_t plugin_clock(void) {
    return plugin.clock_before + plugin.recorder.clock + plugin.clock_beside;
}

/* Writes the recordings of this process, unless they are complete. Other threads wait: nothing
 * counted from here on is recorded. */
void plugin_write(struct recording_outcome end);
void plugin_write_thread(const struct thread *t, struct recording_outcome end);
/* Says, with errno, that a file cannot be written. */
void plugin_complain(const char *path);

#endif
