/*
 * fifo_ring: the profile engine of fifo_model.h as a thread on another core: a ring in memory, into
 * which the processor stores addresses and out of which the thread takes them. Whoever stores waits
 * while the ring is full, so that nothing is dropped, and the table is what one that keeps up would
 * have filled. Private to core/profile; knows nothing of machines.
 *
 *     struct fifo_ring *ring;
 *     if (fifo_ring_begin(&ring, &model, 4096)) ...
 *     each block entry: fifo_ring_put(ring, address);
 *     fifo_ring_end(ring);      the model holds all that was put
 */
#ifndef HOTGRAPH_FIFO_RING_H
#define HOTGRAPH_FIFO_RING_H

#include "profile/fifo/fifo_model.h"

struct fifo_ring;
/* The model, whose queue never fills (a cycle an entry), is the thread's until fifo_ring_end().
 * entries: at least 1. False when memory is out or the system refuses a thread. */
bool fifo_ring_begin(struct fifo_ring **out, struct fifo_model *model, size_t entries);
/* From one thread only. */
void fifo_ring_put(struct fifo_ring *ring, uint32_t address);
/* Waits until all is counted, and frees; NULL is fine. */
void fifo_ring_end(struct fifo_ring *ring);

#endif
