/*
 * Which probes an edge graph needs. Of a piece of straight-line code (text/code_pieces.h)
 *
 *  - that ends with an indirect jump or call, or a return: a probe there that counts each target by
 *    itself. Their sum is the piece's count;
 *  - that ends otherwise: a counter at one of its instructions;
 *  - that ends with a conditional branch: a second counter behind the branch, unless the next piece
 *    is reached from there only. The other arm's count is the difference.
 *
 * Where jumps lead to no stub, a trap does: slow, but right. Code before such places is executed in
 * stubs, which go from one to the next without the trap.
 */
#include "native/edge_probes.h"
#include "native/lines.h"
#include "native/session_state.h"
#include "native/text/code_pieces.h"

#include <stdio.h>
#include <string.h>

/* What was inserted for a piece; offsets in the counters' file, 0: none. */
struct counted {
    uint64_t count, fall;
    uint32_t pairs; /* number of the site, from 1; 0: none */
    uint32_t traps; /* how many of its probes are traps */
};

/* What a request is for. */
struct wanted {
    size_t piece;
    bool parked; /* no jump serves it */
};

struct edges {
    struct hotprobe *h;
    struct object *o;
    piece_list pieces;
    VEC(struct counted) counted;
    VEC(struct hotprobe_request) requests;
    VEC(struct wanted) wanted;
    size_t sites; /* of pairs */
};

static bool want(struct edges *g, size_t piece, uintptr_t site, unsigned flags) {
    struct hotprobe_request r = {.site = site, .flags = flags};
    if ((flags & HOTPROBE_PAIRS) != 0)
        r.data = (void *)(uintptr_t)(g->counted.at[piece].pairs = (uint32_t)++g->sites);
    return seq_push(&g->requests, r) && seq_push(&g->wanted, (struct wanted){.piece = piece});
}

/* A return of one byte that is a target has room for a trap only. What leads to it from a stub goes
 * to its own stub instead (direct.c). */
static bool lone_return(const struct edges *g, uintptr_t at) {
    const struct piece *p = piece_at(&g->pieces, at);
    return p != NULL && p->flow == FLOW_RETURN && p->end - p->start == 1 && p->led_to;
}

static bool leads_to_lone_return(const struct edges *g, const struct piece *p) {
    return !piece_ends_away(p) && (lone_return(g, p->end) || lone_return(g, p->target));
}

static bool want_all(struct edges *g) {
    bool ok = true;
    for (size_t i = 0; ok && i < g->pieces.len; i++) {
        const struct piece *p = &g->pieces.at[i];
        const struct piece *next = i + 1 < g->pieces.len ? p + 1 : NULL;
        const bool branch = p->flow == FLOW_BRANCH || p->flow == FLOW_LOOP;
        const bool only = next != NULL && next->start == p->end && !next->led_to;
        ok = seq_push(&g->counted, (struct counted){0});
        if (ok && piece_ends_away(p))
            ok = want(g, i, p->last, HOTPROBE_PAIRS);
        else if (ok)
            ok = want(g, i, p->start, 0);
        if (ok && branch && !only)
            ok = want(g, i, p->last, HOTPROBE_FALL);
        else if (ok && leads_to_lone_return(g, p))
            ok = want(g, i, p->last, HOTPROBE_COVER);
    }
    return ok;
}

static void done(struct edges *g, size_t i) {
    const struct hotprobe_request *r = &g->requests.at[i];
    struct counted *c = &g->counted.at[g->wanted.at[i].piece];
    c->traps += r->strategy == HOTPROBE_TRAP;
    if ((r->flags & HOTPROBE_FALL) != 0)
        c->fall = r->counter;
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

/* Inserts what is wanted and keeps the rest, with the next instructions of their pieces as sites. No
 * constrained jumps: they keep the next instruction's bytes, so that no probe could be there. */
static enum status insert_round(struct edges *g, bool trap, struct error *e) {
    g->h->options.without = 1u << HOTPROBE_CONSTRAINED | (trap ? 0 : 1u << HOTPROBE_TRAP);
    enum status s = hotprobe_insert(g->h, g->requests.at, g->requests.len, e);
    size_t kept = 0;
    for (size_t i = 0; s == STATUS_OK && i < g->requests.len; i++) {
        if (g->requests.at[i].flags == HOTPROBE_COVER && g->requests.at[i].reason != HOTPROBE_DONE)
            continue;
        if (g->requests.at[i].reason == HOTPROBE_DONE) {
            done(g, i);
            continue;
        }
        if (!trap && !g->wanted.at[i].parked && !step(g, i)) {
            g->wanted.at[i].parked = true;
            if (g->requests.at[i].flags == 0)
                g->requests.at[i].site = g->pieces.at[g->wanted.at[i].piece].start;
        }
        g->requests.at[kept] = g->requests.at[i];
        g->wanted.at[kept++] = g->wanted.at[i];
    }
    g->requests.len = g->wanted.len = kept;
    return s;
}

/* Names the first piece without a probe. */
static enum status refuse(const struct edges *g, struct error *e) {
    const struct hotprobe_request *r = &g->requests.at[0];
    const struct function *f = function_at(g->o, r->site);
    const char *name = f != NULL && f->name != NULL ? f->name : "code";
    return error_set(e, STATUS_UNSUPPORTED,
                     "%s (0x%llx in the file): %zu probes of the graph cannot be placed, this one "
                     "because: %s",
                     name, (unsigned long long)(r->site - g->o->bias), g->requests.len,
                     hotprobe_reason_text(r->reason));
}

static enum status insert_all(struct edges *g, struct error *e) {
    enum { ROUNDS = 6 };
    enum status s = STATUS_OK;
    for (int k = 0; s == STATUS_OK && k < ROUNDS && g->requests.len > 0; k++)
        s = insert_round(g, false, e);
    for (size_t i = 0; i < g->requests.len; i++)
        if (g->requests.at[i].flags == 0)
            g->requests.at[i].site = g->pieces.at[g->wanted.at[i].piece].start;
    if (s == STATUS_OK && g->requests.len > 0)
        s = insert_round(g, true, e);
    return s == STATUS_OK && g->requests.len > 0 ? refuse(g, e) : s;
}

/* ---- the file ---- */

static uint64_t in_file(const struct edges *g, uintptr_t at) {
    return at - g->o->text + (uint64_t)(g->o->text_file - g->o->file.at);
}

/* How the piece ends: session.h has the letters. */
static const char *end_letter(const struct piece *p) {
    switch ((enum flow)p->flow) {
    case FLOW_NEXT:
    case FLOW_SYSTEM:
        return "n";
    case FLOW_JUMP:
        return "j";
    case FLOW_BRANCH:
    case FLOW_LOOP:
        return "b";
    case FLOW_CALL:
        return "c";
    case FLOW_CALL_AWAY:
    case FLOW_JUMP_AWAY:
    case FLOW_RETURN:
        return "a";
    case FLOW_STOP:
    case FLOW_REFUSED:
        break;
    }
    return "s";
}

/* The instructions' lengths, a hexadecimal digit each. */
static void put_lengths(struct lines *l, const struct edges *g, const struct piece *p) {
    uintptr_t before = p->start;
    for (uintptr_t at = p->start + 1; at <= p->end; at++)
        if (at == p->end || (at <= p->last && (*mark_at(g->o, at) & MARK_START) != 0)) {
            lines_put(l, &"0123456789abcdef"[(at - before) & 15], 1);
            before = at;
        }
    lines_put(l, " ", 1);
}

static bool pieces_write(const struct edges *g, const char *folder) {
    struct lines l;
    if (!lines_open(&l, folder, "objects"))
        return false;
    lines_put(&l, g->o->path, strlen(g->o->path));
    lines_put(&l, "\n", 1);
    if (!lines_close(&l) || !lines_open(&l, folder, "pieces"))
        return false;
    lines_number(&l, g->o->text);
    lines_number(&l, g->o->text_end);
    lines_number(&l, in_file(g, g->o->text));
    lines_put(&l, "\n", 1);
    for (size_t i = 0; i < g->pieces.len; i++) {
        const struct piece *p = &g->pieces.at[i];
        const struct function *f = function_at(g->o, p->start);
        const char *name = f != NULL && f->name != NULL ? f->name : "-";
        lines_number(&l, in_file(g, p->start));
        lines_number(&l, p->target != 0 ? in_file(g, p->target) : 0);
        lines_put(&l, end_letter(p), 1);
        lines_put(&l, " ", 1);
        lines_number(&l, p->entered);
        lines_number(&l, g->counted.at[i].count);
        lines_number(&l, g->counted.at[i].fall);
        lines_number(&l, g->counted.at[i].pairs);
        lines_number(&l, g->counted.at[i].traps);
        put_lengths(&l, g, p);
        lines_put(&l, name, strlen(name));
        lines_put(&l, "\n", 1);
    }
    return lines_close(&l);
}

enum status edges_start(struct hotprobe *h, const char *folder, struct error *e) {
    char path[4096];
    struct edges g = {.h = h, .o = &h->objects.at[0]};
    snprintf(path, sizeof path, "%s/pairs", folder);
    enum status s = pieces_find(g.o, &g.pieces) && want_all(&g)
                        ? STATUS_OK
                        : error_set(e, STATUS_MEMORY, "out of memory");
    if (s == STATUS_OK)
        s = pairs_open(&h->pairs, path, g.sites, e);
    if (s == STATUS_OK)
        s = insert_all(&g, e);
    if (s == STATUS_OK && !pieces_write(&g, folder))
        s = error_set(e, STATUS_IO, "%s: cannot write", folder);
    seq_free(&g.pieces);
    seq_free(&g.counted);
    seq_free(&g.requests);
    seq_free(&g.wanted);
    return s;
}
