/* A bounded queue of batches and jobs from one thread to another. Private to core/profile. */
#ifndef HOTGRAPH_LIVE_QUEUE_H
#define HOTGRAPH_LIVE_QUEUE_H

#include <pthread.h>

#include "profile/profile.h"

struct live_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    size_t room, batch_length, head, count; /* head: index of the oldest of `count` items */
    struct live_item *items;
    struct sample *samples; /* batch_length for each item */
    bool closed, taker_waits, putter_waits;
    size_t longest;
    uint64_t held;
};
struct live_item {
    uint16_t cycles;
    void *job; /* NULL: a batch */
};

bool live_queue_init(struct live_queue *q, size_t room, size_t batch_length);
void live_queue_free(struct live_queue *q);
/* Waits for room. batch: batch_length samples, copied; NULL with a job. */
void live_queue_put(struct live_queue *q, struct live_item item, const struct sample *batch);
/* No further items will be put. */
void live_queue_close(struct live_queue *q);
/* Waits for the oldest item and copies it; false: the queue is closed and empty. */
bool live_queue_take(struct live_queue *q, struct live_item *item, struct sample *batch);

#endif
