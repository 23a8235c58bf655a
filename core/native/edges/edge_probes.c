/*
 * Which probes the edge graphs of the session's objects need. Each object has a graph of its own: what
 * comes from another object enters it as from other code, but cells name both ends. For a piece of straight-line code (text/code_pieces.h)
 *
 *  - that ends with an indirect jump or call, or a return: a probe there that counts each target by
 *    itself. Their sum is the piece's count;
 *  - that ends otherwise: a counter at one of its instructions, and after a conditional branch one
 *    of how often it was not taken, or how often it was. Most of these counts follow from others (edge_tree.h) and get no
 *    counter: those that find no room first, then those that are likely to be executed most. Code
 *    that is seldom executed keeps its counter nevertheless: it checks the others at little cost.
 *
 * A late object is planned part by part. Each part is a graph of its own: what may lead into it from another
 * part counts as entered, so that the parts together are a graph again.
 *
 * Where jumps lead to no stub, a trap does: slow, but right. Code before such places is executed in
 * stubs, which go from one to the next without the trap.
 */
#include "native/edges/edge_probes.h"
#include "native/call.h"
#include "native/direct.h"
#include "native/edges/edge_linkage.h"
#include "native/edges/edge_returns.h"
#include "native/edges/edge_weights.h"
#include "native/lines.h"
#include "native/patch/gate.h"
#include "native/session_state.h"

#include <stdio.h>
#include <string.h>

/* Of libc, for what has no cells until functions are left out. */
enum { SPARE_SITES = 1024 };

/* What parts of late objects need. */
struct late_plan {
    char folder[3000];
    struct linkage linkage;
    size_t sites; /* that have numbers */
};

/* What was inserted for a piece; offsets in the counters' file, 0: none. */
struct counted {
    uint64_t count, fall, taken; /* fall of a linkage stub: where it led last */
    uint32_t pairs;              /* number of the site, from 1; 0: none */
    uint32_t traps;              /* how many of its probes are traps */
};

/* What a request is for. */
struct wanted {
    size_t piece;
    uint32_t arc; /* TREE_NONE: pairs, or none */
    bool parked;  /* no jump serves it */
};

typedef VEC(struct counted) counted_list;

/* What is in for pieces that were found before, when fewer functions were other code. */
struct earlier_plan {
    piece_list pieces;
    counted_list counted;
};

struct edges {
    struct hotprobe *h;
    struct object *o;
    const struct placement *earlier; /* NULL: none of this object */
    const struct linkage *linkage;   /* NULL: linkage stubs lead to other code */
    char outside[300];               /* why the object is not counted; "": it is */
    piece_list pieces;
    VEC(struct tree_piece) tree;    /* the same pieces */
    VEC(uint8_t) node, fall, taken; /* their weights */
    VEC(uint8_t) stays;             /* linkage stubs that may lead to counted code */
    VEC(struct tree_arc) arcs;
    VEC(uint8_t) asked; /* of each arc: its counter is in, or a request */
    VEC(uint32_t) vertices, order;
    struct tree_work work;
    counted_list counted;
    struct earlier_plan before;
    VEC(struct hotprobe_request) requests;
    VEC(struct wanted) wanted;
    size_t sites; /* of pairs, of this object and those before it */
};

/* How the piece ends: session.h has the letters. */
static char end_letter(const struct piece *p) {
    switch ((enum flow)p->flow) {
    case FLOW_NEXT:
        return 'n';
    case FLOW_SYSTEM:
        return 'x';
    case FLOW_JUMP:
        return 'j';
    case FLOW_BRANCH:
    case FLOW_LOOP:
        return 'b';
    case FLOW_CALL:
        return 'c';
    case FLOW_CALL_AWAY:
    case FLOW_JUMP_AWAY:
    case FLOW_RETURN:
        return 'a';
    case FLOW_STOP:
    case FLOW_REFUSED:
        break;
    }
    return 's';
}

/* Mostly near piece number `from`. */
static uint32_t number_at(const struct edges *g, size_t from, uintptr_t start) {
    const struct piece *p = start != 0 ? piece_near(&g->pieces, from, start) : NULL;
    return p != NULL ? (uint32_t)(p - g->pieces.at) : TREE_NONE;
}

/* A conditional branch of 6 bytes can lead to a counter. */
static bool branches_far(const struct object *o, const struct piece *p) {
    const uint8_t *at = o->text_file + (p->last - o->text);
    return p->flow == FLOW_BRANCH && p->end - p->last == 6 && at[0] == 0x0f;
}

static bool make_pieces(struct edges *g) {
    const size_t n = g->pieces.len;
    if (!seq_reserve(&g->tree, n) || !seq_reserve(&g->node, n) || !seq_reserve(&g->fall, n) ||
        !seq_reserve(&g->taken, n) || !seq_reserve(&g->stays, n + 1))
        return false;
    memset(g->stays.at, 0, n);
    for (size_t i = 0; i < n; i++) {
        const struct piece *p = &g->pieces.at[i];
        const bool follows = i + 1 < n && p[1].start == p->end,
                   overlaps = i + 1 < n && p[1].start < p->end;
        g->tree.at[i] = (struct tree_piece){.next = follows    ? (uint32_t)i + 1
                                                    : overlaps ? number_at(g, i, p->end)
                                                               : TREE_NONE,
                                            .target = number_at(g, i, p->target),
                                            .back = TREE_NONE,
                                            .arm_of = TREE_NONE,
                                            .ends = end_letter(p),
                                            .may_enter = p->entered,
                                            .far = branches_far(g->o, p)};
    }
    const struct weights weights = {g->node.at, g->fall.at, g->taken.at};
    return edges_weigh(g->o, &g->pieces, g->tree.at, g->earlier, &weights) &&
           edges_returns(g->o, &g->pieces, g->tree.at, g->node.at) &&
           (g->linkage == NULL ||
            linkage_find(g->linkage, g->h, g->o, &g->pieces, g->tree.at, g->stays.at));
}

/* Code that is seldom executed checks the others at little cost. */
static bool checks(const struct tree_arc *a) {
    return a->weight <= WEIGHT_CHECKED;
}

/* Without an earlier run little is known about what is seldom executed: one check for each function. */
static void choose_checks(struct edges *g) {
    const struct function *now = NULL;
    struct tree_arc *lightest = NULL;
    for (size_t k = 0; k <= g->arcs.len; k++) {
        struct tree_arc *a = k < g->arcs.len ? &g->arcs.at[k] : NULL;
        const struct function *f =
            a != NULL ? function_at(g->o, g->pieces.at[a->piece].start) : NULL;
        if ((a == NULL || f != now) && lightest != NULL)
            lightest->counted = true;
        if (f != now)
            lightest = NULL;
        now = f;
        if (a != NULL && tree_can_count(a) && !a->counted && checks(a) &&
            (lightest == NULL || a->weight < lightest->weight))
            lightest = a;
    }
}

/* The graph of all pieces, with a weight for each arc. Pairs are known without further counters. */
static bool make_arcs(struct edges *g) {
    const size_t n = g->pieces.len;
    if (!make_pieces(g) || !seq_reserve(&g->arcs, TREE_ARCS * n))
        return false;
    g->arcs.len = tree_arcs(g->tree.at, n, g->arcs.at);
    g->work.vertices = tree_vertices(n);
    if (!seq_reserve(&g->asked, g->arcs.len) || !seq_reserve(&g->order, g->arcs.len) ||
        !seq_reserve(&g->vertices, 2 * g->work.vertices))
        return false;
    memset(g->asked.at, 0, g->arcs.len);
    g->work.order = g->order.at;
    g->work.vertex = g->vertices.at;
    for (size_t k = 0; k < g->arcs.len; k++) {
        struct tree_arc *a = &g->arcs.at[k];
        a->weight = a->kind == TREE_FALL    ? g->fall.at[a->piece]
                    : a->kind == TREE_TAKEN ? g->taken.at[a->piece]
                                            : g->node.at[a->piece];
        const bool pairs = a->kind == TREE_NODE && g->tree.at[a->piece].ends == 'a';
        a->counted = pairs || (g->earlier->bytes > 0 && tree_can_count(a) && checks(a));
        g->asked.at[k] = pairs;
    }
    return true;
}

static bool want(struct edges *g, size_t piece, uint32_t arc, uintptr_t site, unsigned flags) {
    struct hotprobe_request r = {.site = site, .flags = flags};
    if ((flags & HOTPROBE_PAIRS) != 0)
        r.data = (void *)(uintptr_t)(g->counted.at[piece].pairs = (uint32_t)(++g->sites));
    return seq_push(&g->requests, r) &&
           seq_push(&g->wanted,
                    ((struct wanted){.piece = piece,
                                     .arc = arc,
                                     .parked = arc != TREE_NONE &&
                                               g->arcs.at[arc].weight == WEIGHT_NO_ROOM}));
}

/* What is in for the same piece; NULL: it has been cut otherwise, or there was none. */
static const struct counted *kept(const struct edges *g, const struct piece *p) {
    const struct piece *old = piece_at(&g->before.pieces, p->start);
    return old != NULL && old->end == p->end && old->last == p->last
               ? &g->before.counted.at[old - g->before.pieces.at]
               : NULL;
}

/* Requests counters for the arcs that were chosen since. */
static bool want_arcs(struct edges *g) {
    for (uint32_t k = 0; k < g->arcs.len; k++) {
        const struct tree_arc *a = &g->arcs.at[k];
        const struct piece *p = &g->pieces.at[a->piece];
        if (!a->counted || g->asked.at[k])
            continue;
        g->asked.at[k] = true;
        const unsigned flags = a->kind == TREE_FALL    ? HOTPROBE_FALL
                               : a->kind == TREE_TAKEN ? HOTPROBE_TAKEN
                                                       : 0;
        if (!want(g, a->piece, k, flags != 0 ? p->last : p->start, flags))
            return false;
    }
    return true;
}

/* A return of one byte that is a target has room for a trap only. What leads to it from a stub goes
 * to its own stub instead (direct.c). */
static bool lone_return(const struct edges *g, uint32_t piece) {
    return piece != TREE_NONE && piece_is_lone(&g->pieces.at[piece]) &&
           g->tree.at[piece].ends == 'a';
}

static bool leads_to_lone_return(const struct edges *g, size_t i) {
    const struct tree_piece *p = &g->tree.at[i];
    return !piece_ends_away(&g->pieces.at[i]) &&
           (lone_return(g, p->next) || lone_return(g, p->target));
}

/* A jump through a table, as interpreters have it, mostly stays in its function: a map counts where it
 * leads. */
static bool want_map(struct edges *g, const struct piece *p) {
    const struct function *f = p->flow == FLOW_JUMP_AWAY && !g->o->is_libc && !g->o->late
                                   ? function_at(g->o, p->last)
                                   : NULL;
    bool dispatch = false;
    for (size_t k = 0; f != NULL && k < g->o->dispatches.len && !dispatch; k++)
        dispatch = g->o->dispatches.at[k] == p->last;
    return !dispatch || pairs_want_map(&g->h->pairs, g->sites, (struct range){f->start, f->end});
}

/* Pairs, and what leads to those that can only have traps. */
static bool want_pairs(struct edges *g) {
    bool ok = true;
    for (size_t i = 0; ok && i < g->pieces.len; i++) {
        const struct piece *p = &g->pieces.at[i];
        const struct counted *k = kept(g, p);
        ok = seq_push(&g->counted, k != NULL ? *k : (struct counted){0});
        if (ok && g->tree.at[i].ends == 'a')
            g->counted.at[i].count = 0;
        else if (ok)
            g->counted.at[i].pairs = 0;
        if (ok && g->counted.at[i].pairs != 0)
            continue;
        if (ok && g->tree.at[i].ends == 'a')
            ok = want(g, i, TREE_NONE, p->last, HOTPROBE_PAIRS) && want_map(g, p);
        else if (ok && g->stays.at[i] != 0 && g->counted.at[i].fall == 0)
            ok = want(g, i, TREE_NONE, p->last, HOTPROBE_SLOT);
        else if (ok && leads_to_lone_return(g, i))
            ok = want(g, i, TREE_NONE, p->last, HOTPROBE_COVER);
    }
    return ok;
}

static void done(struct edges *g, size_t i) {
    const struct hotprobe_request *r = &g->requests.at[i];
    struct counted *c = &g->counted.at[g->wanted.at[i].piece];
    c->traps += r->strategy == HOTPROBE_TRAP;
    if ((r->flags & (HOTPROBE_FALL | HOTPROBE_SLOT)) != 0)
        c->fall = r->counter;
    else if ((r->flags & HOTPROBE_TAKEN) != 0)
        c->taken = r->counter;
    else if (r->flags == 0)
        c->count = r->counter;
}

/* A counter may be at any instruction of the piece: goes to the next one. False: there is none. */
static bool step(const struct edges *g, size_t i) {
    struct hotprobe_request *r = &g->requests.at[i];
    const struct piece *p = &g->pieces.at[g->wanted.at[i].piece];
    if (r->flags != 0)
        return false;
    do
        r->site++;
    while (r->site <= p->last && (*mark_at(g->o, r->site) & MARK_START) == 0);
    return r->site <= p->last;
}

static void park(struct edges *g, size_t i) {
    g->wanted.at[i].parked = true;
    if (g->requests.at[i].flags == 0)
        g->requests.at[i].site = g->pieces.at[g->wanted.at[i].piece].start;
}

/* Inserts what is wanted and keeps the rest, with the next instructions of their pieces as sites. No
 * constrained jumps: they keep the next instruction's bytes, so that no probe could be there. */
static enum status insert_round(struct edges *g, bool trap, struct error *e) {
    g->h->options.without = 1u << HOTPROBE_CONSTRAINED | (trap ? 0 : 1u << HOTPROBE_TRAP);
    enum status s = hotprobe_insert(g->h, g->requests.at, g->requests.len, e);
    size_t kept = 0;
    for (size_t i = 0; s == STATUS_OK && i < g->requests.len; i++) {
        const bool in = g->requests.at[i].reason == HOTPROBE_DONE;
        if (in)
            done(g, i);
        else if (g->requests.at[i].flags != HOTPROBE_COVER) {
            if (!trap && !g->wanted.at[i].parked && !step(g, i))
                park(g, i);
            g->requests.at[kept] = g->requests.at[i];
            g->wanted.at[kept++] = g->wanted.at[i];
        }
    }
    g->requests.len = g->wanted.len = kept;
    return s;
}

static bool all_parked(const struct edges *g) {
    bool all = true;
    for (size_t i = 0; i < g->wanted.len; i++)
        all = all && g->wanted.at[i].parked;
    return all;
}

/* What no jump serves is derived, if other counters can take its place. Keeps the others. */
static bool choose_again(struct edges *g) {
    size_t kept = 0;
    for (size_t i = 0; i < g->wanted.len; i++) {
        struct tree_arc *a =
            g->wanted.at[i].arc != TREE_NONE ? &g->arcs.at[g->wanted.at[i].arc] : NULL;
        park(g, i);
        if (a != NULL) {
            a->counted = false;
            g->asked.at[g->wanted.at[i].arc] = 0;
            a->weight = WEIGHT_NO_ROOM;
        }
    }
    if (!tree_choose(g->arcs.at, g->arcs.len, &g->work))
        return false;
    for (size_t i = 0; i < g->wanted.len; i++) {
        const uint32_t arc = g->wanted.at[i].arc;
        if (arc != TREE_NONE && !g->arcs.at[arc].counted)
            continue;
        if (arc != TREE_NONE)
            g->asked.at[arc] = true;
        g->requests.at[kept] = g->requests.at[i];
        g->wanted.at[kept++] = g->wanted.at[i];
    }
    g->requests.len = g->wanted.len = kept;
    return true;
}

static enum status no_tree(const struct edges *g, struct error *e) {
    return error_set(e, STATUS_UNSUPPORTED,
                     "%.200s: edges without counters are a circle (--blocks needs no edges)",
                     g->o->path);
}

/* Names the first piece without a probe. */
static enum status refuse(const struct edges *g, struct error *e) {
    const struct hotprobe_request *r = &g->requests.at[0];
    const struct function *f = function_at(g->o, r->site);
    const char *name = f != NULL && f->name != NULL ? f->name : "code";
    return error_set(e, STATUS_UNSUPPORTED,
                     "%s (0x%llx in the file): %zu probes of the graph cannot be placed, this one "
                     "because: %s (without --graph, such places are left out)",
                     name, (unsigned long long)(r->site - g->o->bias), g->requests.len,
                     hotprobe_reason_text(r->reason));
}

static enum status insert_all(struct edges *g, struct error *e) {
    enum { TURNS = 4, ROUNDS = 6 };
    enum status s = STATUS_OK;
    for (int turn = 0; s == STATUS_OK && turn < TURNS; turn++) {
        if (turn > 0 && !choose_again(g))
            return no_tree(g, e);
        if (!want_arcs(g))
            return error_set(e, STATUS_MEMORY, "out of memory");
        if (all_parked(g))
            break;
        for (int k = 0; s == STATUS_OK && k < ROUNDS && !all_parked(g); k++)
            s = insert_round(g, false, e);
    }
    for (size_t i = 0; i < g->requests.len; i++)
        park(g, i);
    if (s == STATUS_OK && g->requests.len > 0 && !g->o->is_libc)
        s = insert_round(g, true, e);
    return s == STATUS_OK && g->requests.len > 0 ? refuse(g, e) : s;
}

/* ---- the file ---- */

/* The instructions' lengths, a hexadecimal digit each. If another instruction starts inside one, that is
 * a piece by itself. */
static void put_lengths(struct lines *l, const struct edges *g, const struct piece *p) {
    static const char digits[] = "0123456789abcdef";
    char text[64];
    size_t n = 0;
    uintptr_t before = p->start;
    for (uintptr_t at = p->start + 1; at <= p->last; at++) {
        if ((*mark_at(g->o, at) & MARK_START) == 0)
            continue;
        text[n++] = digits[(at - before) & 15];
        before = at;
        if (n == sizeof text) {
            lines_put(l, text, n);
            n = 0;
        }
    }
    lines_put(l, text, n);
    lines_put(l, &digits[(p->end - before) & 15], 1);
    lines_put(l, " ", 1);
}

static void put_piece(struct lines *l, const struct edges *g, size_t i) {
    const struct piece *p = &g->pieces.at[i];
    const struct tree_piece *t = &g->tree.at[i];
    const struct counted *c = &g->counted.at[i];
    const struct function *f = function_at(g->o, p->start);
    const char *name = f != NULL && f->name != NULL ? f->name : "-";
    lines_number(l, file_offset(g->o, p->start));
    lines_number(l, t->target != TREE_NONE ? file_offset(g->o, g->pieces.at[t->target].start)
                    : p->target != 0       ? file_offset(g->o, p->target)
                                           : 0);
    lines_put(l, &t->ends, 1);
    lines_put(l, " ", 1);
    lines_number(l, t->may_enter);
    lines_number(l, c->count);
    lines_number(l, c->fall);
    lines_number(l, c->taken);
    lines_number(l, c->pairs);
    lines_number(l, t->back != TREE_NONE ? t->back + 1 : 0);
    lines_number(l, t->arm_of != TREE_NONE ? t->arm_of + 1 : 0);
    lines_number(l, c->traps);
    put_lengths(l, g, p);
    lines_put(l, name, strlen(name));
    lines_put(l, "\n", 1);
}

static size_t outside_count(const struct object *o) {
    size_t n = 0;
    for (size_t k = 0; k < o->functions.len; k++)
        n += o->functions.at[k].outside;
    return n;
}

static void put_outside(struct lines *l, const struct object *o, bool counted) {
    for (size_t k = 0; counted && k < o->functions.len; k++) {
        const struct function *f = &o->functions.at[k];
        const char *name = f->name != NULL ? f->name : "-";
        if (!f->outside)
            continue;
        lines_number(l, file_offset(o, f->start));
        lines_number(l, file_offset(o, f->end));
        lines_put(l, name, strlen(name));
        lines_put(l, "\n", 1);
    }
}

static void put_object(struct lines *l, const struct edges *g) {
    const bool counted = g->outside[0] == 0;
    lines_number(l, g->o->text);
    lines_number(l, g->o->text_end);
    lines_number(l, file_offset(g->o, g->o->text));
    lines_number(l, g->sites);
    lines_number(l, counted ? g->pieces.len : 0);
    lines_number(l, counted ? outside_count(g->o) : 0);
    lines_number(l, g->o->is_libc);
    lines_put(l, g->outside, strlen(g->outside));
    lines_put(l, "\n", 1);
    put_outside(l, g->o, counted);
    for (size_t i = 0; counted && i < g->pieces.len; i++)
        put_piece(l, g, i);
}

/* ---- all objects ---- */

typedef VEC(struct edges) edges_list;

static bool pieces_write(const edges_list *all, const char *folder) {
    struct lines l;
    if (!lines_open(&l, folder, "objects"))
        return false;
    for (size_t i = 0; i < all->len; i++) {
        lines_put(&l, all->at[i].o->path, strlen(all->at[i].o->path));
        lines_put(&l, "\n", 1);
    }
    if (!lines_close(&l) || !lines_open(&l, folder, "pieces"))
        return false;
    for (size_t i = 0; i < all->len; i++)
        put_object(&l, &all->at[i]);
    return lines_close(&l);
}

/* xbegin, xabort: they cannot be moved. */
static bool is_transaction(const struct object *o, uintptr_t at) {
    const uint8_t *b = o->text_file + (at - o->text);
    return (*mark_at(o, at) & MARK_START) != 0 && (b[0] == 0xc6 || b[0] == 0xc7) && b[1] == 0xf8;
}

/* Counters that are in need not be chosen. */
static void set_kept(struct edges *g) {
    for (uint32_t k = 0; k < g->arcs.len; k++) {
        struct tree_arc *a = &g->arcs.at[k];
        const struct counted *c = &g->counted.at[a->piece];
        const bool in = a->kind == TREE_NODE    ? c->count != 0
                        : a->kind == TREE_FALL  ? c->fall != 0
                        : a->kind == TREE_TAKEN ? c->taken != 0
                                                : false;
        if (in)
            a->counted = true, g->asked.at[k] = 1;
    }
}

/* Of libc functions are left out in which not all places can have probes. */
static void set_outside(struct object *o) {
    for (size_t k = 0; k < o->functions.len && o->is_libc; k++)
        o->functions.at[k].outside |= o->functions.at[k].unproven;
    for (uintptr_t at = o->text; o->is_libc && at + 1 < o->text_end; at++)
        if (is_transaction(o, at)) {
            struct function *f = function_at(o, at);
            if (f != NULL)
                f->outside = true;
        }
}

static enum status edges_find(struct edges *g, struct error *e) {
    if (!g->o->late) {
        set_outside(g->o);
        pieces_enter(g->o);
    }
    if (!pieces_find(g->o, &g->pieces) || !make_arcs(g) || !want_pairs(g))
        return error_set(e, STATUS_MEMORY, "out of memory");
    set_kept(g);
    if (!tree_choose(g->arcs.at, g->arcs.len, &g->work))
        return no_tree(g, e);
    if (g->earlier->bytes == 0)
        choose_checks(g);
    return STATUS_OK;
}

/* A library whose code cannot be counted is other code; the program's own must be counted. */
static bool is_own(const struct edges *g) {
    return strcmp(g->o->path, g->h->objects.at[0].path) == 0;
}

static enum status allow(struct edges *g, enum status s, struct error *e) {
    if (s != STATUS_UNSUPPORTED || is_own(g))
        return s;
    snprintf(g->outside, sizeof g->outside, "%.299s", e->text);
    for (char *p = g->outside; *p != 0; p++)
        *p = *p == '\n' ? ' ' : *p;
    return STATUS_OK;
}

/* A library whose sites find no room is other code, too; the program's own are checked later. */
static void limit_sites(struct edges *g) {
    if (is_own(g) || g->sites <= SESSION_PAIRS_SITES)
        return;
    snprintf(g->outside, sizeof g->outside,
             "it has %zu indirect jumps, calls and returns, and together with those of the files "
             "before it at most %d can be counted",
             g->sites - g[-1].sites, SESSION_PAIRS_SITES);
    g->sites = g[-1].sites;
    pairs_drop_maps(&g->h->pairs, g->sites);
}

static enum status find_all(struct hotprobe *h, edges_list *all, const struct linkage *linkage,
                            const struct placement *earlier, struct error *e) {
    static const struct placement none;
    enum status s = seq_reserve(all, h->objects.len) ? STATUS_OK : STATUS_MEMORY;
    for (size_t i = 0; s == STATUS_OK && i < h->objects.len; i++) {
        struct edges *g = &all->at[i];
        *g = (struct edges){.h = h,
                            .o = &h->objects.at[i],
                            .earlier = i == 0 ? earlier : &none,
                            .linkage = h->objects.len > 1 ? linkage : NULL,
                            .sites = i > 0 ? g[-1].sites : 0};
        all->len++;
        if (g->o->late)
            continue;
        s = allow(g, edges_find(g, e), e);
        if (g->o->is_libc)
            g->sites += SPARE_SITES;
        limit_sites(g);
        if (g->o->is_libc) {
            h->pairs.early_from = i > 0 ? g[-1].sites : 0;
            h->pairs.early_to = g->sites;
        }
    }
    return s != STATUS_MEMORY ? s : error_set(e, STATUS_MEMORY, "out of memory");
}

/* What is in functions that are outside after all. */
static bool leave_out(struct edges *g) {
    bool more = g->requests.len > 0;
    for (size_t i = 0; i < g->requests.len; i++) {
        struct function *f = function_at(g->o, g->requests.at[i].site);
        more = more && f != NULL && !f->outside;
        if (f != NULL)
            f->outside = true;
    }
    return more;
}

/* Finds everything anew, but for the probes that are in. */
static enum status find_again(struct edges *g, struct error *e) {
    seq_free(&g->before.pieces);
    seq_free(&g->before.counted);
    g->before = (struct earlier_plan){g->pieces, g->counted};
    g->pieces = (piece_list){0};
    g->counted = (counted_list){0};
    g->tree.len = g->arcs.len = 0;
    g->requests.len = g->wanted.len = 0;
    return edges_find(g, e);
}

/* Goes on without functions in which something found no room. Their probes count for nothing. The text is
 * patched last, so that it can be read again. */
static enum status insert_libc(struct edges *g, struct error *e) {
    enum { TRIES = 3 };
    const size_t most = g->sites;
    g->h->deferred = true;
    enum status s = insert_all(g, e);
    g->sites = most - SPARE_SITES;
    for (int k = 1; k < TRIES && s == STATUS_UNSUPPORTED && leave_out(g); k++) {
        s = find_again(g, e);
        if (s == STATUS_OK && g->sites > most)
            s = error_set(e, STATUS_UNSUPPORTED, "%.200s: too many indirect jumps", g->o->path);
        if (s == STATUS_OK)
            s = insert_all(g, e);
    }
    g->sites = most;
    g->h->deferred = false;
    const enum status written = hotprobe_insert(g->h, NULL, 0, s == STATUS_OK ? e : NULL);
    return s != STATUS_OK ? s : written;
}

/* What put_object() does not need. Large code has more of that than of the rest. */
static void edges_placed(struct edges *g) {
    seq_free(&g->node);
    seq_free(&g->fall);
    seq_free(&g->taken);
    seq_free(&g->stays);
    seq_free(&g->arcs);
    seq_free(&g->asked);
    seq_free(&g->vertices);
    seq_free(&g->order);
    seq_free(&g->before.pieces);
    seq_free(&g->before.counted);
    seq_free(&g->requests);
    seq_free(&g->wanted);
}

static void edges_free(struct edges *g) {
    edges_placed(g);
    seq_free(&g->pieces);
    seq_free(&g->tree);
    seq_free(&g->counted);
}

static enum status count_libc(edges_list *all, struct error *e) {
    enum status s = STATUS_OK;
    for (size_t i = 0; i < all->len; i++)
        if (all->at[i].o->is_libc && all->at[i].outside[0] == 0)
            s = allow(&all->at[i], insert_libc(&all->at[i], e), e);
    return s;
}

static enum status count_all(struct hotprobe *h, edges_list *all, const char *folder,
                             struct error *e) {
    char path[4096];
    snprintf(path, sizeof path, "%s/pairs", folder);
    const size_t sites = all->at[all->len - 1].sites;
    enum status s = pairs_open(&h->pairs, path, h->plan != NULL ? SESSION_PAIRS_SITES : sites, e);
    if (s == STATUS_OK)
        s = count_libc(all, e);
    h->pairs.early_chunks = h->pool.counters.len;
    for (size_t i = 0; s == STATUS_OK && i < all->len; i++) {
        if (all->at[i].outside[0] == 0 && !all->at[i].o->is_libc && !all->at[i].o->late)
            s = allow(&all->at[i], insert_all(&all->at[i], e), e);
        edges_placed(&all->at[i]);
    }
    if (s == STATUS_OK && !pieces_write(all, folder))
        s = error_set(e, STATUS_IO, "%s: cannot write", folder);
    return s;
}

/* Late objects need the names and numbers later. */
static bool late_plan_open(struct hotprobe *h, const char *folder) {
    bool any = false;
    for (size_t i = 0; i < h->objects.len; i++)
        any |= h->objects.at[i].late;
    h->plan = any ? arena_get(&h->arena, sizeof *h->plan) : NULL;
    if (h->plan != NULL) {
        snprintf(h->plan->folder, sizeof h->plan->folder, "%s", folder);
        h->plan->linkage = (struct linkage){0};
    }
    return !any || h->plan != NULL;
}

static void late_plan_keep(struct hotprobe *h, const edges_list *all, struct linkage *linkage) {
    if (h->plan == NULL)
        return;
    h->plan->sites = all->len > 0 ? all->at[all->len - 1].sites : 0;
    h->plan->linkage = *linkage;
    *linkage = (struct linkage){0};
}

enum status edges_start(struct hotprobe *h, const char *folder, struct error *e) {
    struct placement earlier;
    struct linkage linkage;
    edges_list all = {0};
    enum status s = placement_open(&earlier, folder, e);
    if ((!linkage_open(&linkage, h) || !late_plan_open(h, folder)) && s == STATUS_OK)
        s = error_set(e, STATUS_MEMORY, "out of memory");
    if (s == STATUS_OK)
        s = find_all(h, &all, &linkage, &earlier, e);
    if (s == STATUS_OK)
        s = count_all(h, &all, folder, e);
    late_plan_keep(h, &all, &linkage);
    for (size_t i = 0; i < all.len; i++)
        edges_free(&all.at[i]);
    seq_free(&all);
    linkage_close(&linkage);
    placement_close(&earlier);
    return s;
}

/* ---- parts of late objects ---- */

static bool part_write(const struct edges *g, size_t number) {
    struct lines l;
    if (!lines_append(&l, g->h->plan->folder, "pieces"))
        return false;
    lines_put(&l, "+ ", 2);
    lines_number(&l, number);
    lines_number(&l, g->sites);
    lines_number(&l, g->pieces.len);
    lines_put(&l, "\n", 1);
    for (size_t i = 0; i < g->pieces.len; i++)
        put_piece(&l, g, i);
    return lines_close(&l);
}

static enum status part_insert(struct edges *g, struct error *e) {
    struct hotprobe *h = g->h;
    const size_t before = h->patches.len;
    enum status s = edges_find(g, e);
    if (s == STATUS_OK && g->sites > SESSION_PAIRS_SITES)
        s = error_set(e, STATUS_UNSUPPORTED,
                      "together with the files before it, more than %d indirect jumps, calls and "
                      "returns were executed or are near such code",
                      SESSION_PAIRS_SITES);
    if (s == STATUS_OK)
        s = insert_all(g, e);
    if (s != STATUS_OK)
        return s;
    s = session_begin(h, e);
    if (s == STATUS_OK && (!gates_close(h) || !direct_lead_part(h, g->o, before)))
        s = error_set(e, STATUS_IO, "writing to the program's text failed");
    session_end(h);
    h->settled = h->patches.len;
    h->gates.len = 0;
    return s;
}

enum status edges_part(struct hotprobe *h, size_t number, struct range part, struct error *e) {
    static const struct placement none;
    struct edges g = {.h = h,
                      .o = &h->objects.at[number],
                      .earlier = &none,
                      .linkage = &h->plan->linkage,
                      .sites = h->plan->sites};
    part_set(g.o, part);
    h->late = true;
    enum status s = pairs_again(&h->pairs, e);
    if (s == STATUS_OK)
        s = part_insert(&g, e);
    pairs_settle(&h->pairs);
    h->late = false;
    if (s == STATUS_OK && !part_write(&g, number))
        s = error_set(e, STATUS_IO, "%s: cannot write", h->plan->folder);
    h->plan->sites = g.sites <= SESSION_PAIRS_SITES ? g.sites : h->plan->sites;
    edges_free(&g);
    return s;
}

bool edges_drop(struct hotprobe *h, size_t number, const char *why) {
    struct lines l;
    if (!lines_append(&l, h->plan->folder, "pieces"))
        return false;
    lines_put(&l, "- ", 2);
    lines_number(&l, number);
    for (; *why != 0; why++)
        lines_put(&l, *why == '\n' ? " " : why, 1);
    lines_put(&l, "\n", 1);
    return lines_close(&l);
}
