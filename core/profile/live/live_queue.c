#include "profile/live/live_queue.h"

#include <stdlib.h>
#include <string.h>

bool live_queue_init(struct live_queue *q, size_t room, size_t batch_length) {
    *q = (struct live_queue){.room = room,
                             .batch_length = batch_length,
                             .items = calloc(room, sizeof *q->items),
                             .samples = calloc(room * batch_length, sizeof *q->samples)};
    if (q->items == NULL || q->samples == NULL) {
        free(q->items);
        free(q->samples);
        return false;
    }
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    pthread_cond_init(&q->emptied, NULL);
    return true;
}

void live_queue_free(struct live_queue *q) {
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->filled);
    pthread_cond_destroy(&q->emptied);
    free(q->items);
    free(q->samples);
}

void live_queue_put(struct live_queue *q, struct live_item item, const struct sample *batch) {
    pthread_mutex_lock(&q->lock);
    q->held += q->count == q->room;
    while (q->count == q->room) {
        q->putter_waits = true;
        pthread_cond_wait(&q->emptied, &q->lock);
    }
    const size_t at = (q->head + q->count) % q->room;
    q->items[at] = item;
    if (batch != NULL)
        memcpy(q->samples + at * q->batch_length, batch, q->batch_length * sizeof *batch);
    q->longest = ++q->count > q->longest ? q->count : q->longest;
    if (q->taker_waits)
        pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

void live_queue_close(struct live_queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

bool live_queue_take(struct live_queue *q, struct live_item *item, struct sample *batch) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed) {
        q->taker_waits = true;
        pthread_cond_wait(&q->filled, &q->lock);
        q->taker_waits = false;
    }
    const bool any = q->count > 0;
    if (any) {
        *item = q->items[q->head];
        memcpy(batch, q->samples + q->head * q->batch_length, q->batch_length * sizeof *batch);
        q->head = (q->head + 1) % q->room;
        q->count--;
    }
    /* A producer that waits for room wakes only when half of the queue is free. */
    if (q->putter_waits && q->count <= q->room / 2) {
        q->putter_waits = false;
        pthread_cond_signal(&q->emptied);
    }
    pthread_mutex_unlock(&q->lock);
    return any;
}
