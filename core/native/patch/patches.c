/* All patches, and those of the current batch. */
#include "native/patch/patches.h"
#include "native/session_state.h"

#include <string.h>

/* An earlier patch with the same bytes, not in use. */
static struct patch *old_patch(struct hotprobe *h, const struct patch *like) {
    struct patch *p = index_find(&h->homes, like->at);
    while (p != NULL && (p->in || p->length != like->length || p->strategy != like->strategy ||
                         p->slot != like->slot || memcmp(p->old, like->old, p->length) != 0))
        p = p->older;
    return p;
}

struct patch *patch_for(struct hotprobe *h, const struct patch *plan) {
    struct patch *p = old_patch(h, plan);
    if (p != NULL)
        return p;
    p = arena_get(&h->arena, sizeof *p);
    if (p == NULL)
        return NULL;
    memcpy(p, plan, sizeof *p);
    p->older = index_find(&h->homes, p->at);
    return index_set(h, &h->homes, p->at, p) && seq_push(&h->patches, p) ? p : NULL;
}

bool patch_claim(struct hotprobe *h, struct patch *p) {
    for (unsigned k = 0; k < p->length; k++)
        *mark_at(p->object, p->at + k) |= MARK_OURS;
    for (unsigned k = 0; k < p->count; k++) /* so that later requests of the batch find it */
        if (!index_set(h, &h->traps, p->at + p->offset[k], p))
            return false;
    return true;
}

bool patch_changed(struct hotprobe *h, struct patch *p) {
    if (p->changed)
        return true;
    p->changed = true;
    return seq_push(&h->batch, p);
}
