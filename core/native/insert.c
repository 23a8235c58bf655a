/* Insertion: the order in which strategies are tried for each site. */
#include "native/call.h"
#include "native/patch/free_bytes.h"
#include "native/patch/gate.h"
#include "native/patch/stub.h"
#include "native/patch/window.h"
#include "native/text/quick.h"

#include <string.h>
#include <unistd.h>

/* Is the object still mapped? Unmapped text cannot be read, and another object has different text.
 */
static bool object_alive(struct hotprobe *h, struct object *o) {
    uint8_t now[64];
    size_t n = o->text_end - o->text < sizeof now ? o->text_end - o->text : sizeof now;
    if (o == &h->objects.at[0] || o->late) /* libraries of the start stay */
        return true;
    if (o->mark == NULL) /* nothing is inserted there any more */
        return false;
    if (pread(h->mem, now, n, (off_t)o->text) != (ssize_t)n)
        return false;
    for (size_t k = 0; k < n; k++)
        if ((o->mark[k] & MARK_OURS) == 0 && now[k] != o->head[k])
            return false;
    return true;
}

static struct hotprobe_probe *probe_of(struct patch *p, unsigned boundary,
                                       const struct hotprobe_request *r) {
    for (struct hotprobe_probe *q = p->probes; q != NULL; q = q->next)
        if (q->boundary == boundary && !q->in && q->call == r->call && q->data == r->data &&
            q->threshold == r->threshold && q->flags == r->flags)
            return q;
    return NULL;
}

/* Gives the probe a shared counter, a slot in each thread's block, or both. With spread counters,
 * probes in libc get no slot, because a new thread executes libc's code before it has a block. */
static bool counter_give(struct hotprobe *h, const struct patch *p, struct hotprobe_probe *q,
                         const struct hotprobe_request *r) {
    if ((r->flags & (HOTPROBE_PAIRS | HOTPROBE_COVER)) != 0)
        return true;
    bool own = h->options.per_thread || (h->options.spread && !p->object->begins_threads);
    if (own && r->threshold == 0 && r->flags == 0 && h->slots_used < THREAD_SLOTS)
        q->slot = h->slots_used++;
    if (h->options.per_thread && q->slot != 0)
        return true;
    q->counter = pool_counter(h, p->at, &q->counter_offset);
    return q->counter != NULL;
}

/* The order of probes in a stub: those of a branch that falls through come after it. */
static unsigned probe_order(const struct hotprobe_probe *q) {
    return 3u * q->boundary + ((q->flags & HOTPROBE_FALL) != 0    ? 2u
                               : (q->flags & HOTPROBE_TAKEN) != 0 ? 1u
                                                                  : 0u);
}

static enum hotprobe_reason probe_add(struct hotprobe *h, struct patch *p, unsigned boundary,
                                      struct hotprobe_request *r) {
    struct hotprobe_probe *q = probe_of(p, boundary, r);
    if (q == NULL) {
        q = arena_get(&h->arena, sizeof *q);
        if (q == NULL)
            return HOTPROBE_NO_MEMORY;
        if (!counter_give(h, p, q, r))
            return pool_reason(h);
        q->session = h;
        q->patch = p;
        q->site = p->at + p->offset[boundary];
        q->threshold = r->threshold;
        q->call = r->call;
        q->data = r->data;
        q->flags = r->flags;
        q->boundary = (uint8_t)boundary;
        struct hotprobe_probe **at = &p->probes;
        while (*at != NULL && probe_order(*at) <= probe_order(q))
            at = &(*at)->next;
        q->next = *at;
        *at = q;
    }
    if (q->counter != NULL)
        __atomic_store_n(q->counter, 0 - q->threshold, __ATOMIC_RELAXED);
    if (q->slot != 0)
        thread_counters_zero(h, q->slot);
    q->in = true;
    q->asking = r;
    r->probe = q;
    r->counter = q->counter_offset;
    r->own = q->slot * sizeof(uint64_t);
    r->strategy = p->strategy;
    r->unproven = p->unproven;
    p->in = true;
    /* The new stub's address is in the slot, which may be in another patch's window. */
    const bool ok = patch_changed(h, p) && (p->host == NULL || patch_changed(h, p->host));
    return ok ? HOTPROBE_DONE : HOTPROBE_NO_MEMORY;
}

/* Adds the probe to a patch that is in and has an instruction at the site. */
static enum hotprobe_reason join(struct hotprobe *h, struct patch *p, uintptr_t site,
                                 struct hotprobe_request *r) {
    for (unsigned k = 0; k < p->count && !p->is_gate; k++)
        if (p->at + p->offset[k] == site)
            return probe_add(h, p, k, r);
    return HOTPROBE_OVERLAPS;
}

static enum hotprobe_reason put_in(struct hotprobe *h, const struct patch *plan, unsigned boundary,
                                   struct hotprobe_request *r) {
    struct patch *p = patch_for(h, plan);
    enum hotprobe_reason reason = p != NULL ? probe_add(h, p, boundary, r) : HOTPROBE_NO_MEMORY;
    if (reason != HOTPROBE_DONE)
        return reason;
    p->gate = plan->gate;
    p->host = plan->host;
    if (p->host != NULL) {
        p->host->guest = p;
        if (!patch_changed(h, p->host)) /* its window holds the slot, and may be in since before */
            return HOTPROBE_NO_MEMORY;
    }
    return patch_claim(h, p) ? HOTPROBE_DONE : HOTPROBE_NO_MEMORY;
}

/* Is the site inside another instruction? Old libcs jump over a lock prefix while there is one thread, so
 * code after the prefix is an instruction within another one. */
static bool inside_another(const struct object *o, uintptr_t site) {
    const size_t k = items_below(o->inside.at, o->inside.len, sizeof *o->inside.at, site);
    return k < o->inside.len && o->inside.at[k] == site;
}

/* The site, if there is code; NULL with a reason otherwise. */
static struct object *site_check(struct hotprobe *h, struct hotprobe_request *r, uintptr_t *site) {
    struct object *o = object_at(h, r->site);
    r->reason = HOTPROBE_NOT_CODE;
    if (o == NULL)
        return NULL;
    if (!o->alive || changed_at(o, r->site)) {
        r->reason = HOTPROBE_GONE;
        return NULL;
    }
    *site = after_endbr(o, r->site);
    if (!in_text(o, *site) || (*mark_at(o, *site) & MARK_START) == 0)
        return NULL;
    r->reason = HOTPROBE_TWO_READINGS;
    return inside_another(o, *site) ? NULL : o;
}

static enum hotprobe_reason try_jump(struct hotprobe *h, struct object *o, uintptr_t site,
                                     struct hotprobe_request *r) {
    struct patch plan;
    struct patch *p = index_find(&h->traps, site);
    if (p != NULL && p->in)
        return join(h, p, site, r);
    enum hotprobe_reason reason = window_find(h, o, site, &plan);
    return reason == HOTPROBE_DONE ? put_in(h, &plan, 0, r) : reason;
}

/* The instruction before `at`, if `at` is reached only from there, by falling through; 0: none. */
static uintptr_t step_back(struct hotprobe *h, const struct object *o, uintptr_t at) {
    uintptr_t p = at - 1;
    struct insn i;
    if ((*mark_at(o, at) & (MARK_TARGET | MARK_ENTRY)) != 0)
        return 0;
    while (p > o->text && at - p < 15 && (*mark_at(o, p) & MARK_START) == 0)
        p--;
    if (p < o->text || (*mark_at(o, p) & MARK_START) == 0)
        return 0;
    if ((*mark_at(o, p) & MARK_OURS) != 0) {
        const struct patch *q = index_find(&h->traps, p);
        return q != NULL && q->in && q->at + q->offset[q->count] == at ? p : 0;
    }
    if (!insn_outline(&i, p, o->text_end) || p + i.length != at)
        return 0;
    return i.flow == FLOW_NEXT || i.flow == FLOW_BRANCH || i.flow == FLOW_LOOP ? p : 0;
}

/* The index of the site among the window's instructions; the window's count if it is not there. */
static unsigned boundary_of(const struct patch *p, uintptr_t site) {
    unsigned k = 0;
    while (k < p->count && p->at + p->offset[k] != site)
        k++;
    return k;
}

/* Jumps that end a block are short, but what comes before them has room: plans a window that begins
 * there and ends with the jump, or lengthens the one that is there. */
static enum hotprobe_reason try_cover(struct hotprobe *h, struct object *o, uintptr_t site,
                                      struct hotprobe_request *r) {
    struct insn end;
    struct patch plan;
    enum hotprobe_reason reason = try_jump(h, o, site, r);
    if (!h->options.at_start || reason == HOTPROBE_DONE || reason == HOTPROBE_OVERLAPS ||
        !strategy_on(h, HOTPROBE_OVER_SEVERAL) || !insn_outline(&end, site, o->text_end))
        return reason;
    for (uintptr_t at = step_back(h, o, site); at != 0; at = step_back(h, o, at)) {
        unsigned length = (unsigned)(site + end.length - at);
        if (length > WINDOW)
            break;
        if ((*mark_at(o, at) & MARK_OURS) != 0) {
            struct patch *p = index_find(&h->traps, at);
            if (!patch_can_grow(p) ||
                !patch_grow(h, o, p, (unsigned)(site + end.length - p->at), true))
                break;
            return probe_add(h, p, boundary_of(p, site), r);
        }
        if (window_find(h, o, at, &plan) != HOTPROBE_DONE ||
            (plan.offset[plan.count] < length && !window_grow(h, o, &plan, length, true)))
            continue;
        if (boundary_of(&plan, site) < plan.count)
            return put_in(h, &plan, boundary_of(&plan, site), r);
    }
    return reason;
}

/* A return of one byte has no room for a short jump. With the instruction before it there is room, if
 * that one alone leads to it. */
static uintptr_t short_start(struct hotprobe *h, struct object *o, uintptr_t site) {
    const struct function *f = function_at(o, site);
    struct insn end, before;
    if (!h->options.at_start || f == NULL || (f->unproven && !h->options.unproven) ||
        !insn_outline(&end, site, o->text_end) || end.length > 1)
        return site;
    const uintptr_t at = (*mark_at(o, site) & MARK_LEADER) == 0 ? step_back(h, o, site) : 0;
    return at != 0 && (*mark_at(o, at) & MARK_OURS) == 0 &&
                   insn_outline(&before, at, o->text_end) && before.flow == FLOW_NEXT
               ? at
               : site;
}

static enum hotprobe_reason try_single(struct hotprobe *h, const struct wish *w, uintptr_t slot,
                                       struct patch *host, enum hotprobe_strategy how,
                                       struct hotprobe_request *r) {
    struct patch plan;
    struct object *o = object_at(h, w->site);
    struct patch *p = index_find(&h->traps, w->site);
    if (p != NULL && p->in)
        return join(h, p, w->last, r);
    enum hotprobe_reason reason = window_single(h, o, w->site, w->last, how, &plan);
    if (reason != HOTPROBE_DONE)
        return reason;
    plan.slot = slot;
    plan.host = host;
    if (slot != 0) {
        bool reached;
        plan.gate = gate_open(h, o, slot, &reached);
        if (reached && plan.gate == NULL)
            return HOTPROBE_TOO_FAR;
        if (reached)
            plan.strategy = HOTPROBE_REACHABLE;
        memcpy(plan.slot_old, (const void *)slot, sizeof plan.slot_old);
        for (unsigned k = 0; k < sizeof plan.slot_old; k++)
            *mark_at(o, slot + k) |= MARK_OURS;
    }
    return put_in(h, &plan, boundary_of(&plan, w->last), r);
}

/* Drops references to the caller's requests. */
static void asked(struct hotprobe_request *requests, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (requests[i].probe != NULL)
            requests[i].probe->asking = NULL;
}

static int by_site(const void *a, const void *b) {
    const struct request_at *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->request < y->request ? -1 : x->request > y->request;
}

struct insertion {
    struct hotprobe *h;
    struct hotprobe_request *requests;
    struct scratch *s;
};

/* True if a site has no probe because no address for its stub was found. */
static bool no_address(enum hotprobe_reason r) {
    return r == HOTPROBE_TOO_FAR || r == HOTPROBE_MAPPINGS;
}

/* Could another strategy do what a jump over whole instructions cannot? */
static bool may_try(enum hotprobe_reason r) {
    return r == HOTPROBE_SHORT || r == HOTPROBE_TARGET_INSIDE || r == HOTPROBE_CALL_INSIDE ||
           r == HOTPROBE_UNPROVEN_JUMPS || r == HOTPROBE_OVERLAPS || r == HOTPROBE_SWITCHED_OFF ||
           r == HOTPROBE_CANNOT_MOVE || no_address(r);
}

static bool pass_jump(struct insertion *n) {
    for (size_t i = 0; i < n->s->order.len; i++) {
        struct hotprobe_request *r = &n->requests[n->s->order.at[i].request];
        uintptr_t site = 0;
        struct object *o = site_check(n->h, r, &site);
        if (o == NULL)
            continue;
        n->s->order.at[i].site = site;
        const bool ends = (r->flags & (HOTPROBE_FALL | HOTPROBE_TAKEN | HOTPROBE_PAIRS |
                                       HOTPROBE_COVER | HOTPROBE_SLOT)) != 0;
        r->reason = ends ? try_cover(n->h, o, site, r) : try_jump(n->h, o, site, r);
        if (may_try(r->reason) &&
            !seq_push(&n->s->wishes, ((struct wish){ends ? short_start(n->h, o, site) : site,
                                                    n->s->order.at[i].request, site})))
            return false;
    }
    return true;
}

/* The wishes are in order of address: handles one object after the other. */
static bool pass_padding(struct insertion *n) {
    enum hotprobe_strategy how =
        strategy_on(n->h, HOTPROBE_PADDING) ? HOTPROBE_PADDING : HOTPROBE_REACHABLE;
    if (!strategy_on(n->h, HOTPROBE_PADDING) && !strategy_on(n->h, HOTPROBE_REACHABLE))
        return true;
    if (!seq_reserve(&n->s->slots, n->s->wishes.len + 1))
        return false;
    for (size_t i = 0; i < n->s->wishes.len;) {
        struct object *o = object_at(n->h, n->s->wishes.at[i].site);
        size_t k = i;
        while (k < n->s->wishes.len && in_text(o, n->s->wishes.at[k].site))
            k++;
        memset(n->s->slots.at, 0, (k - i) * sizeof *n->s->slots.at);
        if (!padding_give(n->h, o, &n->s->wishes.at[i], k - i, n->s->slots.at))
            return false;
        for (size_t j = i; j < k; j++) {
            struct hotprobe_request *r = &n->requests[n->s->wishes.at[j].request];
            if (n->s->slots.at[j - i] == 0 || r->reason == HOTPROBE_DONE)
                continue;
            enum hotprobe_reason reason =
                try_single(n->h, &n->s->wishes.at[j], n->s->slots.at[j - i], NULL, how, r);
            if (reason == HOTPROBE_DONE)
                r->reason = reason;
        }
        i = k;
    }
    return true;
}

static void pass_single(struct insertion *n, enum hotprobe_strategy how) {
    for (size_t j = 0; j < n->s->wishes.len && strategy_on(n->h, how); j++) {
        struct hotprobe_request *r = &n->requests[n->s->wishes.at[j].request];
        if (r->reason == HOTPROBE_DONE)
            continue;
        struct wish w = n->s->wishes.at[j];
        w.site = w.last;
        enum hotprobe_reason reason = try_single(n->h, &w, 0, NULL, how, r);
        if (reason == HOTPROBE_DONE)
            r->reason = reason;
    }
}

/* Sites that have room only for a short jump, with no padding in reach. */
static void pass_hosts(struct insertion *n) {
    for (size_t j = 0; j < n->s->wishes.len && strategy_on(n->h, HOTPROBE_PADDING); j++) {
        struct hotprobe_request *r = &n->requests[n->s->wishes.at[j].request];
        const struct wish *w = &n->s->wishes.at[j];
        struct object *o = object_at(n->h, w->site);
        if (r->reason == HOTPROBE_DONE)
            continue;
        struct patch *p = index_find(&n->h->traps, w->site);
        bool in = p != NULL && p->in; /* true: its window has grown */
        struct patch *host = in ? NULL : host_find(n->h, o, w->site, w->last);
        if (!in && host == NULL)
            continue;
        uintptr_t slot = host != NULL ? host_slot(host) : 0;
        enum hotprobe_reason reason = try_single(n->h, w, slot, host, HOTPROBE_PADDING, r);
        if (reason == HOTPROBE_DONE)
            r->reason = reason;
    }
}

/* If no address for a site's stub was found, the other strategies are tried, which need other
 * addresses. Constrained jumps come late, because an address for one is the hardest to find. */
static bool insertion_plan(struct insertion *n) {
    if (!pass_jump(n))
        return false;
    stubs_make(n->h);
    for (size_t i = 0; i < n->s->order.len; i++) {
        struct hotprobe_request *r = &n->requests[n->s->order.at[i].request];
        if (no_address(r->reason) &&
            !seq_push(&n->s->wishes,
                      ((struct wish){n->s->order.at[i].site, n->s->order.at[i].request,
                                     n->s->order.at[i].site})))
            return false;
    }
    sort_items(n->s->wishes.at, n->s->wishes.len, sizeof *n->s->wishes.at, by_site);
    if (!pass_padding(n))
        return false;
    pass_single(n, HOTPROBE_CONSTRAINED);
    stubs_make(n->h);
    pass_hosts(n);
    stubs_make(n->h);
    pass_single(n, HOTPROBE_TRAP);
    stubs_make(n->h);
    return true;
}

static bool insertion_sort(struct insertion *n, size_t count) {
    for (size_t i = 0; i < count; i++) {
        n->requests[i].reason = HOTPROBE_NO_MEMORY;
        n->requests[i].probe = NULL;
        if (!seq_push(&n->s->order, ((struct request_at){n->requests[i].site, i})))
            return false;
    }
    sort_items(n->s->order.at, count, sizeof *n->s->order.at, by_site);
    return true;
}

enum status hotprobe_insert(struct hotprobe *h, struct hotprobe_request *requests, size_t count,
                            struct error *e) {
    struct insertion n = {.h = h, .requests = requests, .s = &h->scratch};
    enum status s = session_begin(h, e);
    for (size_t i = 0; s == STATUS_OK && i < h->objects.len; i++)
        h->objects.at[i].alive = object_alive(h, &h->objects.at[i]);
    if (s == STATUS_OK && (!insertion_sort(&n, count) || !insertion_plan(&n)))
        s = error_set(e, STATUS_MEMORY, "out of memory");
    if (s == STATUS_OK && !h->deferred)
        s = patches_write(h, e);
    asked(requests, count);
    n.s->order.len = n.s->wishes.len = 0;
    session_end(h);
    return s;
}
