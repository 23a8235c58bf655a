/*
 * Redirects direct calls and jumps to a probed instruction, in the text and in stubs, to its stub: a
 * hit then costs one jump instead of two, and no trap.
 *
 *     call f  ->  f: jmp stub          becomes          call stub
 *
 * The redirected instructions belong to no patch, so this is done once, when no probe will be
 * inserted or removed any more (session_settle). The site keeps its jump, for indirect calls and
 * fall-through.
 */
#include "native/direct.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"
#include "native/session_state.h"
#include "native/text/decode.h"

#include <string.h>

enum { SPAN = 4096, DISTANCE = 4 };

/* Collects nearby distances into one write. */
struct rewrite {
    uintptr_t at;
    size_t len;
    uint8_t bytes[SPAN];
};

static bool rewrite_flush(struct hotprobe *h, struct rewrite *w) {
    bool ok = w->len == 0 || text_write(h, w->at, w->bytes, w->len);
    w->len = 0;
    return ok;
}

static bool rewrite_put(struct hotprobe *h, struct rewrite *w, uintptr_t at, int32_t distance) {
    if (w->len > 0 && at + DISTANCE > w->at + SPAN && !rewrite_flush(h, w))
        return false;
    if (w->len == 0)
        w->at = at;
    size_t had = w->len, need = at + DISTANCE - w->at;
    memcpy(w->bytes + had, (const void *)(w->at + had), need - had);
    memcpy(w->bytes + need - DISTANCE, &distance, DISTANCE);
    w->len = need;
    return true;
}

/* Offset of the 32-bit distance in a call, jmp or jcc; 0: another instruction. */
static unsigned distance_offset(const uint8_t *bytes) {
    if (bytes[0] == 0xe8 || bytes[0] == 0xe9) /* call, jmp */
        return 1;
    return bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80 ? 2 : 0; /* jcc */
}

/* Is the instruction neither overwritten by a patch nor overlapped by another instruction? */
static bool alone(const struct object *o, uintptr_t at, unsigned length) {
    if (at + length > o->text_end)
        return false;
    for (unsigned k = 0; k < length; k++) {
        uint8_t m = *mark_at(o, at + k);
        if ((m & MARK_OURS) != 0 || (k > 0 && (m & (MARK_START | MARK_TARGET | MARK_ENTRY)) != 0))
            return false;
    }
    return true;
}

static const struct stub *stub_at(struct hotprobe *h, uintptr_t at) {
    const struct patch *p = index_find(&h->homes, at);
    while (p != NULL && !p->in)
        p = p->older;
    if (p == NULL || p->is_gate || p->stub->pushed || p->stub->taken != 0)
        return NULL;
    return p->stub;
}

/* The stub of the probe at the target of a direct jump or call; NULL: it has none. */
static const struct stub *stub_of_target(struct hotprobe *h, const struct object *o,
                                         uintptr_t target) {
    if (!in_text(o, target) || (*mark_at(o, target) & (MARK_OURS | MARK_ENTRY)) == 0)
        return NULL;
    return stub_at(h, after_endbr(o, target));
}

/* The same for the jumps and calls that are in stubs themselves. */
static void lead_stub(struct hotprobe *h, const struct patch *p) {
    const struct stub *s = p->stub;
    for (unsigned k = 0; k <= p->count; k++) {
        struct insn i = {.target = p->at + p->offset[k]};
        if (s->distance[k] == 0 ||
            (k < p->count && !insn_decode_copy(&i, p->old + p->offset[k], p->at + p->offset[k])))
            continue;
        const struct stub *to = stub_of_target(h, p->object, i.target);
        const uintptr_t at = s->at + s->distance[k];
        const int64_t d = to != NULL ? (int64_t)(to->at - (at + DISTANCE)) : 0;
        const int32_t distance = (int32_t)d;
        if (to != NULL && d == distance)
            pool_write(h, at, &distance, sizeof distance);
    }
}

static bool lead(struct hotprobe *h, struct rewrite *w, const struct object *o, uintptr_t at) {
    unsigned offset = distance_offset((const uint8_t *)at);
    int32_t distance;
    if (offset == 0 || !alone(o, at, offset + DISTANCE))
        return true;
    uintptr_t next = at + offset + DISTANCE;
    memcpy(&distance, (const void *)(at + offset), sizeof distance);
    uintptr_t target = next + (uint64_t)(int64_t)distance;
    const struct stub *s = stub_of_target(h, o, target);
    int64_t d = s != NULL ? (int64_t)(s->at - next) : 0;
    if (s == NULL || d != (int32_t)d)
        return true;
    return rewrite_put(h, w, at + offset, (int32_t)d);
}

bool direct_lead_part(struct hotprobe *h, const struct object *o, size_t patches) {
    static const unsigned last = 6; /* bytes that a jcc has */
    struct rewrite w = {0};
    for (uintptr_t at = o->part.start; at < o->part.end && at + last <= o->text_end; at++)
        if ((*mark_at(o, at) & (MARK_START | MARK_OURS)) == MARK_START &&
            distance_offset((const uint8_t *)at) != 0 && !lead(h, &w, o, at))
            return false;
    if (!rewrite_flush(h, &w))
        return false;
    for (size_t i = patches; i < h->patches.len; i++)
        if (h->patches.at[i]->in && !h->patches.at[i]->is_gate && h->patches.at[i]->stub != NULL)
            lead_stub(h, h->patches.at[i]);
    return pool_flush(h, h->mem);
}

bool direct_lead(struct hotprobe *h) {
    bool ok = true;
    for (size_t i = 0; ok && i < h->objects.len; i++)
        if (!h->objects.at[i].late)
            ok = direct_lead_part(h, &h->objects.at[i], h->patches.len);
    return ok && direct_lead_part(h, &(const struct object){0}, 0);
}
