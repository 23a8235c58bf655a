/* What the kernel says about this process's threads and mappings. None of these functions calls libc, whose
 * code may be counted. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_TASKS_H
#define HOTGRAPH_NATIVE_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls it for each thread, until it returns false. False: it has, or the threads are not known. */
bool tasks_each(bool (*visit)(void *user, pid_t thread), void *user);
/* Has the process one thread? False also if that is not known. */
bool task_alone(void);
/* Is the thread asleep in the kernel? Then sets its program counter and stack pointer. */
bool task_asleep(pid_t thread, uint64_t *pc, uint64_t *stack);
/* The thread's processor time in ns; 0: not known. */
uint64_t task_time(pid_t thread);
/* The end of the mapping that holds the address; 0: there is none. */
uintptr_t mapping_end(uintptr_t at);
/* Sleeps, unless a signal's handler runs meanwhile. */
void task_pause(uint64_t ns);

#endif
