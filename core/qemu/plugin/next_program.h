/*
 * next_program: what a guest's execve becomes when its process is followed: the same program under the same
 * emulator, with the plugin. Private to the plugin.
 *
 * QEMU itself hands execve to the kernel, which would run the program without QEMU.
 */
#ifndef HOTGRAPH_QEMU_NEXT_PROGRAM_H
#define HOTGRAPH_QEMU_NEXT_PROGRAM_H

#include <stdbool.h>

#include "base/base.h"
#include "qemu/plugin/kernel.h"
#include "qemu/recording.h"

/* The emulator's own command line, up to the plugin. */
struct exec_emulator {
    char *text; /* all words, each with a zero byte */
    VEC(char *) words;
    char *plugin;  /* the plugin's path, of its arguments */
    char *program; /* that was started */
};

struct exec_call {
    char *path;        /* the program's file; of a script, its interpreter's */
    VEC(char *) words; /* arguments, without the NULL at the end */
    VEC(char *) env;
    char reason[RECORDING_TROUBLE]; /* why it cannot be followed; "" if it can */
};

/* Reads /proc/self/cmdline. False: out of memory, or it is not as hotgraph writes it. */
bool exec_find_emulator(struct exec_emulator *out);
/* Reads the arguments of execve or execveat from the guest. False: the call will fail, or cannot be
 * understood, so nothing is to be done about it. */
bool exec_read(struct exec_call *out, const struct kernel_call *call, const struct kernel *k,
               const struct exec_emulator *emulator);
/* Path and arguments, each with a zero byte. NULL: out of memory. The caller frees it. */
char *exec_describe(const struct exec_call *call, size_t *size);
/* Becomes the program under the emulator; `arguments` are the plugin's. Returns if that failed. */
void exec_run(const struct exec_call *call, const struct exec_emulator *emulator,
              const char *arguments);
void exec_free(struct exec_call *call);

#endif
