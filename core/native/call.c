/* How each call on a session begins and ends. */
#include "native/call.h"
#include "native/hit/forking.h"
#include "native/hit/signals.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum status session_begin(struct hotprobe *h, struct error *e) {
    pthread_mutex_lock(&h->lock);
    h->live = !h->late && many_threads();
    h->pool.space.stale = true; /* the program may have unmapped something */
    h->mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    enum status s = STATUS_OK;
    if (h->mem < 0)
        s = error_set(e, STATUS_IO, "/proc/self/mem: %s", strerror(errno));
    else if (h->live && h->options.at_start)
        s = error_set(e, STATUS_ARGUMENT,
                      "this session inserts probes only at the start, before there are threads");
    else if (h->live) {
        s = live_register(h, e);
        locks_set(h);
    }
    return s;
}

void scratch_free(struct scratch *s) {
    seq_free(&s->order);
    seq_free(&s->wishes);
    seq_free(&s->slots);
    seq_free(&s->edits);
}

void session_end(struct hotprobe *h) {
    if (h->mem >= 0)
        close(h->mem);
    h->mem = -1;
    pthread_mutex_unlock(&h->lock);
}

void locks_set(struct hotprobe *h) {
    if (h->atomic)
        return;
    h->atomic = true;
    /* The whole instruction changes: no other thread may execute it. */
    bool spread = h->options.spread && !many_threads() && thread_counters_spread(h);
    for (size_t i = 0; i < h->patches.len; i++) {
        struct patch *p = h->patches.at[i];
        struct stub *s = p->stub;
        if (spread)
            stub_spread(h, p);
        for (unsigned k = 0; s != NULL && !spread && k < s->lock_count; k++)
            pool_write(h, s->at + s->lock[k], "\xf0", 1);
        if (s != NULL)
            s->key = stub_key(h, p);
    }
    (void)pool_flush(h, h->mem);
}

/* No signal's handler runs meanwhile: what it counts would be forgotten. */
void session_threads(struct hotprobe *h) {
    if (h->atomic)
        return;
    const uint64_t all = UINT64_MAX;
    uint64_t mask = 0;
    (void)mask_set(SIG_SETMASK, &all, &mask);
    aside_begin(h);
    pthread_mutex_lock(&h->lock);
    int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    h->mem = mem;
    if (mem >= 0) {
        locks_set(h);
        close(mem);
    }
    h->mem = -1;
    pthread_mutex_unlock(&h->lock);
    aside_end(h);
    pairs_threads(&h->pairs, mem >= 0 ? SESSION_THREADS_MORE : SESSION_THREADS_UNSAFE);
    (void)mask_set(SIG_SETMASK, &mask, NULL);
}
