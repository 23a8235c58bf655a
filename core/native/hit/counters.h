/* Counters for each thread. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_COUNTERS_H
#define HOTGRAPH_NATIVE_COUNTERS_H

#include "native/hotprobe.h"

#include <sys/types.h>

struct hotprobe;

enum { THREAD_SLOTS = HOTPROBE_THREAD_SLOTS };
/* The counters of one thread. Blocks are added, and freed only when the session ends. */
struct thread_block {
    struct thread_block *next;
    uint64_t *at;
    pid_t thread; /* 0: the block of threads that have none of their own yet */
};
/* Has the process more than one thread? */
bool many_threads(void);
enum status thread_counters_open(struct hotprobe *h, struct error *e);
/* unused: no stub can run any more. */
void thread_counters_close(struct hotprobe *h, bool unused);
/* Call while there is one thread. From then on each thread counts in its own block, which %gs leads
 * to. False: impossible here, and nothing has changed. */
bool thread_counters_spread(struct hotprobe *h);
/* In the child of a fork: gives it counters of its own. */
void thread_counters_part(struct hotprobe *h);
uint64_t thread_counters_sum(const struct hotprobe *h, uint32_t slot);
void thread_counters_zero(struct hotprobe *h, uint32_t slot);
/* Offset from %fs of the pointer to the thread's block. */
int32_t thread_block_offset(void);

#endif
