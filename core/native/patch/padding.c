/*
 * Assigns padding to probes. A slot is five bytes of padding; a site reaches the slots within a
 * two-byte jump, an interval in order of address.
 *
 * The intervals begin in the order of the sites. Giving slots in order of address, each to the site
 * with the nearest interval end, serves the maximal number of sites (Glover 1967). "Local" does
 * that for one function at a time, with the slots that earlier functions left, and then moves each
 * site to the nearest free slot. "Greedy" gives each site in order the nearest free slot. "Exact"
 * searches augmenting paths over all sites; it is the reference for the others.
 */
#include "native/patch/padding.h"
#include "native/patch/gate.h"
#include "native/patch/window.h"
#include "native/session_state.h"

#include <string.h>

enum { SLOT = 5, SHORT_JUMP = 2 };

static bool in_reach(uintptr_t site, uintptr_t slot) {
    int64_t d = (int64_t)(slot - (site + SHORT_JUMP));
    return d >= -128 && d <= 127;
}

static size_t first_slot(const struct hotprobe_slot_problem *q, size_t i) {
    return items_below(q->slot, q->slots, sizeof *q->slot, q->site[i] + SHORT_JUMP - 128);
}

static uintptr_t distance(const struct hotprobe_slot_problem *q, size_t i, size_t j) {
    uintptr_t from = q->site[i] + SHORT_JUMP;
    return q->slot[j] > from ? q->slot[j] - from : from - q->slot[j];
}

/* The nearest free slot; -1: none. */
static int32_t nearest(const struct hotprobe_slot_problem *q, size_t i, const uint8_t *taken) {
    int32_t best = -1;
    for (size_t j = first_slot(q, i); j < q->slots && in_reach(q->site[i], q->slot[j]); j++)
        if (!taken[j] && (best < 0 || distance(q, i, j) < distance(q, i, (size_t)best)))
            best = (int32_t)j;
    return best;
}

static void greedy(const struct hotprobe_slot_problem *q, uint8_t *taken) {
    for (size_t i = 0; i < q->sites; i++) {
        q->chosen[i] = nearest(q, i, taken);
        if (q->chosen[i] >= 0)
            taken[q->chosen[i]] = 1;
    }
}

/* Sites [a, b): each slot in order goes to the first unserved site that reaches it. All intervals
 * have the same length, so the first site's also ends first. */
static void local(const struct hotprobe_slot_problem *q, uint8_t *taken, size_t a, size_t b) {
    size_t i = a;
    for (size_t j = first_slot(q, a); j < q->slots && i < b; j++) {
        if (taken[j])
            continue;
        while (i < b && q->slot[j] > q->site[i] + SHORT_JUMP && !in_reach(q->site[i], q->slot[j]))
            i++;
        if (i < b && in_reach(q->site[i], q->slot[j])) {
            taken[j] = 1;
            q->chosen[i++] = (int32_t)j;
        }
    }
    for (i = a; i < b; i++) {
        if (q->chosen[i] < 0)
            continue;
        taken[q->chosen[i]] = 0;
        q->chosen[i] = nearest(q, i, taken);
        taken[q->chosen[i]] = 1;
    }
}

struct augment {
    const struct hotprobe_slot_problem *q;
    int32_t *owner, *from; /* per slot: its site; the site that reached it in this search */
    uint32_t *round, now;
    size_t *queue;
};

/* Finds an augmenting path breadth-first, from a site without a slot to a slot without a site. */
static bool augment(struct augment *g, size_t site) {
    const struct hotprobe_slot_problem *q = g->q;
    size_t head = 0, tail = 0;
    g->now++;
    g->queue[tail++] = site;
    while (head < tail) {
        size_t i = g->queue[head++];
        for (size_t j = first_slot(q, i); j < q->slots && in_reach(q->site[i], q->slot[j]); j++) {
            if (g->round[j] == g->now)
                continue;
            g->round[j] = g->now;
            g->from[j] = (int32_t)i;
            if (g->owner[j] >= 0) {
                g->queue[tail++] = (size_t)g->owner[j];
                continue;
            }
            for (int32_t slot = (int32_t)j; slot >= 0;) {
                size_t taker = (size_t)g->from[slot];
                int32_t before = q->chosen[taker];
                q->chosen[taker] = slot;
                g->owner[slot] = (int32_t)taker;
                slot = before;
            }
            return true;
        }
    }
    return false;
}

static bool exact(const struct hotprobe_slot_problem *q) {
    struct arena arena = {0};
    struct augment g = {.q = q};
    size_t n = q->slots + 1;
    g.owner = arena_get(&arena, n * sizeof *g.owner);
    g.from = arena_get(&arena, n * sizeof *g.from);
    g.round = arena_get(&arena, n * sizeof *g.round);
    g.queue = arena_get(&arena, (q->sites + n) * sizeof *g.queue);
    bool ok = g.owner != NULL && g.from != NULL && g.round != NULL && g.queue != NULL;
    if (ok)
        memset(g.owner, 0xff, n * sizeof *g.owner);
    for (size_t i = 0; ok && i < q->sites; i++)
        augment(&g, i);
    arena_free(&arena);
    return ok;
}

enum status hotprobe_assign(const struct hotprobe_slot_problem *q, enum hotprobe_assignment how,
                            size_t *served) {
    struct arena arena = {0};
    uint8_t *taken = arena_get(&arena, q->slots + 1);
    for (size_t i = 0; i < q->sites; i++)
        q->chosen[i] = -1;
    bool ok = taken != NULL;
    if (ok && how == HOTPROBE_EXACT)
        ok = exact(q);
    else if (ok && how == HOTPROBE_GREEDY)
        greedy(q, taken);
    else if (ok)
        for (size_t a = 0, b; a < q->sites; a = b) {
            for (b = a; b < q->sites && q->group[b] == q->group[a];)
                b++;
            local(q, taken, a, b);
        }
    arena_free(&arena);
    *served = 0;
    for (size_t i = 0; i < q->sites; i++)
        *served += q->chosen[i] >= 0;
    return ok ? STATUS_OK : STATUS_MEMORY;
}

/* ---- finding padding ---- */

typedef VEC(uintptr_t) address_list;

static bool free_pad(const struct object *o, uintptr_t at) {
    return in_part(o, at) && (*mark_at(o, at) & (MARK_PAD | MARK_OURS)) == MARK_PAD;
}

static bool slots_near(struct hotprobe *h, const struct object *o, uintptr_t from, uintptr_t to,
                       address_list *out) {
    bool unreached = strategy_on(h, HOTPROBE_PADDING), reached = strategy_on(h, HOTPROBE_REACHABLE);
    for (uintptr_t at = from; at < to;) {
        uintptr_t slot[GATE_SLOTS];
        unsigned n = 0, length = 0;
        while (unreached && n < SLOT && free_pad(o, at + n))
            n++;
        size_t inside = reached && n == 0 ? gate_slots(h, o, at, slot, &length) : 0;
        if (n == SLOT && !seq_push(out, at))
            return false;
        for (size_t k = 0; k < inside; k++)
            if (!seq_push(out, slot[k]))
                return false;
        at += n == SLOT ? SLOT : length != 0 ? length : 1;
    }
    return true;
}

/* Lists the slots around the wishes, each once. */
static bool slots_find(struct hotprobe *h, const struct object *o, const struct wish *w, size_t n,
                       address_list *out) {
    uintptr_t done = o->part.start;
    for (size_t i = 0; i < n; i++) {
        uintptr_t from = w[i].site - 126, to = w[i].site + 129 + 1;
        if (from < done || from > w[i].site)
            from = done;
        /* Do not start in the middle of a run or of a NOP. */
        while (from > o->part.start && from <= w[i].site - 126 && from + 16 > w[i].site - 126 &&
               (*mark_at(o, from - 1) & (MARK_PAD | MARK_NOP)) != 0)
            from--;
        if (from < done)
            from = done;
        if (to > o->part.end)
            to = o->part.end;
        if (from >= to)
            continue;
        if (!slots_near(h, o, from, to, out))
            return false;
        done =
            out->len > 0 && out->at[out->len - 1] + SLOT > to ? out->at[out->len - 1] + SLOT : to;
    }
    return true;
}

bool padding_give(struct hotprobe *h, struct object *o, const struct wish *w, size_t n,
                  uintptr_t *slot) {
    address_list slots = {0}, sites = {0};
    VEC(uint32_t) group = {0};
    VEC(int32_t) chosen = {0};
    VEC(size_t) who = {0};
    size_t served = 0;
    bool ok = slots_find(h, o, w, n, &slots);
    for (size_t i = 0; i < n && ok; i++) {
        struct patch plan;
        if (window_single(h, o, w[i].site, w[i].last,
                          strategy_on(h, HOTPROBE_PADDING) ? HOTPROBE_PADDING : HOTPROBE_REACHABLE,
                          &plan) != HOTPROBE_DONE)
            continue;
        uintptr_t own[GATE_SLOTS];
        unsigned length;
        if (gate_slots(h, o, w[i].site, own, &length) > 0 || length != 0)
            continue; /* a gate, or its slot would be within itself */
        const struct function *f = function_at(o, w[i].site);
        ok = seq_push(&sites, w[i].site) && seq_push(&who, i) && seq_push(&chosen, -1) &&
             seq_push(&group, f != NULL ? (uint32_t)(f - o->functions.at) : UINT32_MAX);
    }
    if (ok && sites.len > 0 && slots.len > 0) {
        struct hotprobe_slot_problem q = {.sites = sites.len,
                                          .slots = slots.len,
                                          .site = sites.at,
                                          .group = group.at,
                                          .slot = slots.at,
                                          .chosen = chosen.at};
        ok = hotprobe_assign(&q, h->options.assign, &served) == STATUS_OK;
        for (size_t i = 0; i < sites.len && ok; i++)
            if (chosen.at[i] >= 0)
                slot[who.at[i]] = slots.at[chosen.at[i]];
    }
    seq_free(&slots);
    seq_free(&sites);
    seq_free(&group);
    seq_free(&chosen);
    seq_free(&who);
    return ok;
}
