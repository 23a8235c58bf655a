/*
 * fifo_ring: the profiling engine of fifo_model.h as a thread on another core. The processor stores
 * addresses into a ring in memory, and the thread removes them. The storing side waits while the
 * ring is full, so nothing is dropped, and the table equals that of an engine that keeps up.
 * Private to core/profile; independent of machines.
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
/* The thread owns the model until fifo_ring_end(); its queue never fills (one cycle for each
 * entry). entries: at least 1. False if memory is out or the system refuses a thread. */
bool fifo_ring_begin(struct fifo_ring **out, struct fifo_model *model, size_t entries);
/* Call from one thread only. */
void fifo_ring_put(struct fifo_ring *ring, uint32_t address);
/* Waits until all entries are counted, and frees the ring; NULL is fine. */
void fifo_ring_end(struct fifo_ring *ring);

#endif
