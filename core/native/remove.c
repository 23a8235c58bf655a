/* Removal of probes, and what remains of removed ones. */
#include "native/remove.h"
#include "native/call.h"
#include "native/patch/gate.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"

#include <string.h>
#include <unistd.h>

static enum status take_out(struct hotprobe *h, struct hotprobe_probe *q, struct error *e) {
    struct patch *p = q->patch;
    if (!q->in)
        return STATUS_OK;
    q->in = false;
    if (!p->changed && !text_is(h, p->at, p->now, p->length)) {
        p->in = false; /* unloaded: nothing is left to restore */
        return STATUS_OK;
    }
    p->in = false;
    for (const struct hotprobe_probe *k = p->probes; k != NULL; k = k->next)
        p->in |= k->in;
    return patch_changed(h, p) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

enum status hotprobe_remove(struct hotprobe *h, const struct hotprobe_request *requests, size_t n,
                            struct error *e) {
    enum status s = session_begin(h, e);
    if (s == STATUS_OK && h->options.at_start)
        s = error_set(
            e, STATUS_UNSUPPORTED,
            "a session that inserts probes only at the start removes them when it is closed");
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        if (requests[i].reason == HOTPROBE_DONE && requests[i].probe != NULL)
            s = take_out(h, requests[i].probe, e);
    if (s == STATUS_OK) {
        stubs_make(h);
        s = patches_write(h, e);
    }
    session_end(h);
    return s;
}

uint64_t hotprobe_count(const struct hotprobe *h, const struct hotprobe_request *r) {
    if (r->probe == NULL)
        return 0;
    const struct hotprobe_probe *q = r->probe;
    uint64_t own = q->slot != 0 ? thread_counters_sum(h, q->slot) : 0;
    return q->counter == NULL ? own
                              : own + q->threshold + __atomic_load_n(q->counter, __ATOMIC_RELAXED);
}

/* Retires stubs of removed patches, which were kept for reuse. */
static void retire_unused(struct hotprobe *h) {
    for (size_t i = 0; i < h->patches.len; i++) {
        struct patch *p = h->patches.at[i];
        if (p->spare != NULL)
            grace_retire(h, p->spare, NULL);
        p->spare = NULL;
        struct stub *s = p->stub;
        if (p->in || s == NULL)
            continue;
        p->stub = NULL;
        grace_retire(h, s, NULL);
    }
}

size_t hotprobe_reclaim(struct hotprobe *h) {
    size_t left = 0;
    if (session_begin(h, NULL) == STATUS_OK) {
        retire_unused(h);
        grace_reclaim(h);
        if (!gates_close(h))
            left = 1;
        retire_unused(h); /* those of the gates */
        left += grace_left(h);
    }
    session_end(h);
    return left;
}

enum status probes_remove(struct hotprobe *h, struct error *e) {
    enum status s = session_begin(h, e);
    for (size_t i = 0; s == STATUS_OK && i < h->patches.len; i++)
        for (struct hotprobe_probe *q = h->patches.at[i]->probes; q != NULL; q = q->next)
            if (s == STATUS_OK)
                s = take_out(h, q, e);
    if (s == STATUS_OK)
        s = patches_write(h, e);
    session_end(h);
    return s;
}
