/*
 * fork_exec: follows a recorded process into those that it forks, into the program that it becomes,
 * and to the end of each thread. Private to the plugin.
 */
#ifndef HOTGRAPH_QEMU_FORK_EXEC_H
#define HOTGRAPH_QEMU_FORK_EXEC_H

#include "qemu/plugin/kernel.h"

/* To be called before each system call of a processor. */
void plugin_follow_call(unsigned vcpu, const struct kernel_call *call);
/* To be called after each system call that has returned. */
void plugin_follow_failure(int64_t number);

#endif
