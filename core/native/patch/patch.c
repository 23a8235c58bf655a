/*
 * Lock and Load. While other threads may run through what is overwritten:
 *
 *   1. a trap on the first byte and on every inner instruction: threads at the site, or inside, are
 *      led to the stub, which has an entry for each overwritten instruction;
 *   2. the bytes that start no instruction;
 *   3. on removal, the first bytes of inner instructions (on insertion they stay traps);
 *   4. the first byte.
 *
 * The bytes of a step do not depend on each other, and all cores are serialised between the steps;
 * so the units in which the kernel writes them do not matter. A batch does each step once.
 */
#include "native/patch/patch.h"
#include "native/patch/gate.h"
#include "native/patch/write_text.h"
#include "native/session_state.h"

#include <string.h>

enum { PAGE = 4096 };

static int by_address(const void *a, const void *b) {
    const struct edit *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Writes each page once; bytes between the edits are rewritten unchanged. A window that spans two
 * pages is still one write, because this code uses libc, which may have probes itself. */
static bool edits_write(struct hotprobe *h, const edit_list *edits) {
    uint8_t page[PAGE + 4 * WINDOW];
    bool sorted = true;
    for (size_t i = 1; i < edits->len && sorted; i++)
        sorted = edits->at[i - 1].at <= edits->at[i].at;
    if (!sorted)
        sort_items(edits->at, edits->len, sizeof *edits->at, by_address);
    for (size_t i = 0; i < edits->len;) {
        uintptr_t first = edits->at[i].at, stop = (first & ~(uintptr_t)(PAGE - 1)) + PAGE;
        size_t k = i;
        while (k + 1 < edits->len &&
               (edits->at[k + 1].at < stop || (edits->at[k + 1].at - edits->at[k].at < WINDOW &&
                                               edits->at[k + 1].at - first < sizeof page)))
            k++;
        size_t n = edits->at[k].at - first + 1;
        memcpy(page, (const void *)first, n);
        for (; i <= k; i++)
            page[edits->at[i].at - first] = edits->at[i].byte;
        if (!text_write(h, first, page, n))
            return false;
    }
    return true;
}

static bool is_boundary(const struct patch *p, unsigned k) {
    for (unsigned i = 1; i < p->count; i++)
        if (p->offset[i] == k)
            return true;
    return false;
}

enum step { LOCK, TAIL, INNER, LOAD, ALL_AT_ONCE, STEPS };

/* Collects the bytes that a step writes for one patch. A patch of one byte needs no lock. */
static bool collect(edit_list *edits, const struct patch *p, enum step step) {
    const uint8_t *want = p->in ? p->now : p->old;
    for (unsigned k = 0; k < p->length; k++) {
        bool boundary = is_boundary(p, k);
        uint8_t byte = want[k];
        bool now = false;
        switch (step) {
        case LOCK:
            now = p->length > 1 && (k == 0 || boundary);
            byte = 0xcc;
            break;
        case TAIL:
            now = k > 0 && !boundary;
            break;
        case INNER:
            now = boundary;
            break;
        case LOAD:
            now = k == 0;
            break;
        default:
            now = true;
        }
        if (now && *(const uint8_t *)(p->at + k) != byte &&
            !seq_push(edits, ((struct edit){p->at + k, byte})))
            return false;
    }
    return true;
}

/* On insertion slots are written first: no thread executes them yet, once their gates are open.
 * After removal a thread may still be on one: they are restored later. */
static bool slots_write(struct hotprobe *h, bool insertion) {
    for (size_t i = 0; i < h->batch.len; i++) {
        struct patch *p = h->batch.at[i];
        if (p->slot == 0 || p->in != insertion)
            continue;
        if (insertion && p->host != NULL) {
            p->restored = false; /* written together with the host's window */
        } else if (insertion) {
            if (memcmp((const void *)p->slot, p->slot_now, 5) != 0 &&
                !text_write(h, p->slot, p->slot_now, 5))
                return false;
            p->restored = false;
        } else if (h->live) {
            grace_retire(h, NULL, p);
        } else if (!slot_restore(h, p)) {
            return false;
        }
    }
    return true;
}

static void mark(struct patch *p) {
    for (unsigned k = 0; k < p->length; k++) {
        uint8_t *m = mark_at(p->object, p->at + k);
        *m = (uint8_t)(p->in ? *m | MARK_OURS : *m & ~MARK_OURS);
    }
    for (unsigned k = 0; k < 5 && p->slot != 0; k++)
        *mark_at(p->object, p->slot + k) |= MARK_OURS;
}

static void marks_set(struct hotprobe *h) {
    for (size_t i = 0; i < h->batch.len; i++)
        mark(h->batch.at[i]);
}

/* Targets of jumps are written before the jumps. */
enum order { GATES, HOSTS, OTHERS };
static enum order order_of(const struct patch *p) {
    return p->is_gate ? GATES : p->guest != NULL ? HOSTS : OTHERS;
}

static bool steps_write(struct hotprobe *h, edit_list *edits, enum order which) {
    enum step first = h->live ? LOCK : ALL_AT_ONCE, last = h->live ? LOAD : ALL_AT_ONCE;
    for (enum step step = first; step <= last; step++) {
        edits->len = 0;
        for (size_t i = 0; i < h->batch.len; i++)
            if (order_of(h->batch.at[i]) == which && !collect(edits, h->batch.at[i], step))
                return false;
        if (edits->len > 0 && (!edits_write(h, edits) || (h->live && !cores_serialise())))
            return false;
    }
    return true;
}

enum status patches_write(struct hotprobe *h, struct error *e) {
    edit_list *edits = &h->scratch.edits;
    /* Reserve memory first: nothing may fail between the steps. */
    marks_set(h);
    bool ok = seq_reserve(edits, h->batch.len * WINDOW + 1) && pool_flush(h, h->mem) &&
              steps_write(h, edits, GATES) && slots_write(h, true) &&
              steps_write(h, edits, HOSTS) && steps_write(h, edits, OTHERS) &&
              slots_write(h, false) && (h->live || h->options.at_start || gates_close(h));
    edits->len = 0;
    for (size_t i = 0; i < h->batch.len; i++)
        h->batch.at[i]->changed = false;
    h->batch.len = 0;
    return ok ? STATUS_OK : error_set(e, STATUS_IO, "writing to the program's text failed");
}
