/*
 * A jump to a stub takes five bytes of its window. The rest of the window is then never executed,
 * so it is padding for a nearby site that has room only for a short jump:
 *
 *     host:   jmp stub                      site:  jmp short host + 5
 *             jmp stub of the site
 *
 * A window that is too short for both jumps is extended by the next instructions of its block,
 * unless a jump leads to them. This costs no further jump, because the stub executes these
 * instructions, too.
 *
 * All of this happens before the program starts: then no thread is inside a window that is
 * extended, and no probe is removed while its window holds another probe's jump.
 */
#include "native/patch/free_bytes.h"
#include "native/patch/patch.h"
#include "native/patch/stub.h"
#include "native/patch/window.h"
#include "native/session_state.h"

#include <string.h>

enum { JUMP = 5, SHORT_JUMP = 2, FARTHEST = 127 };

uintptr_t host_slot(const struct patch *host) {
    return host->at + JUMP;
}

bool patch_grow(struct hotprobe *h, struct object *o, struct patch *p, unsigned length, bool call) {
    struct patch before = *p;
    struct stub *stub = p->stub;
    if (!window_grow(h, o, p, length, call)) {
        *p = before;
        return false;
    }
    memcpy(p->old, before.old, before.length); /* the text may have the jump already */
    p->stub = p->spare = NULL;                 /* both were made for the shorter window */
    if ((stub != NULL && stub_make(h, p) != HOTPROBE_DONE) || !patch_claim(h, p) ||
        !patch_changed(h, p)) {
        *p = before;
        return false;
    }
    if (stub != NULL)
        pool_put(h, stub->at, stub->size);
    return true;
}

bool patch_can_grow(const struct patch *p) {
    bool jump = p->strategy == HOTPROBE_OVER_ONE || p->strategy == HOTPROBE_OVER_SEVERAL;
    return p->in && jump && !p->is_gate && p->guest == NULL &&
           (p->stub == NULL || !p->stub->pushed);
}

static bool can_host(struct hotprobe *h, struct object *o, struct patch *p) {
    if (!patch_can_grow(p) || p->stub == NULL)
        return false;
    return p->length >= 2 * JUMP || patch_grow(h, o, p, 2 * JUMP, false);
}

static struct patch *host_at(struct hotprobe *h, struct object *o, uintptr_t slot) {
    uintptr_t at = slot - JUMP;
    const uint8_t both = MARK_START | MARK_OURS;
    if (!in_part(o, at) || (*mark_at(o, at) & both) != both)
        return NULL;
    struct patch *p = index_find(&h->homes, at);
    return p != NULL && can_host(h, o, p) ? p : NULL;
}

struct patch *host_find(struct hotprobe *h, struct object *o, uintptr_t site, uintptr_t last) {
    struct patch plan, *p = NULL;
    if (!h->options.at_start || h->live ||
        window_single(h, o, site, last, HOTPROBE_PADDING, &plan) != HOTPROBE_DONE)
        return NULL;
    for (unsigned d = 0; d <= FARTHEST && p == NULL; d++) { /* nearest first */
        p = host_at(h, o, site + SHORT_JUMP + d);
        if (p == NULL)
            p = host_at(h, o, site + SHORT_JUMP - 1 - d);
    }
    return p;
}
