/*
 * The flow of the second period, as a circulation of least cost. Nodes are addresses, and the world, where
 * contexts come from and go to. An edge between them is fixed if it was counted, free if control goes on there,
 * or has the costs of its samples (flow_network.c).
 *
 * An RTS without counters leads to return points, one behind each call. If the call was counted, as many
 * return there. From a hub, to which each such RTS leads at a high cost, all return points can be reached:
 * in the second period a RTS may return behind a call that it has not returned to before. If other calls of the same
 * address are known to return from it, it costs no more than a return that has been seen.
 *
 * Engines may have met code that was never executed, beside what both have executed. Code that cannot be
 * reached by edges that were executed is left out, so the network is the same on every engine.
 */
#include "profile/flow/flow.h"
#include "profile/hybrid/hybrid.h"

#include <stdlib.h>

/* Vertices: code at an address, or the return point there. */
#define RETURN_POINT HYBRID_RETURN_POINT
#define HUB          (UINT64_C(1) << 33)
#define WORLD        (UINT64_C(1) << 34)

enum {
    UNLIKELY = 100, /* cost of an execution, in units of a transfer's rate */
    STRAY = 100000, /* of one that no link explains */
};

enum link_kind { FIXED, KNOWN, FREE, SAMPLED, COSTLY };

struct link {
    uint64_t from, to;
    enum link_kind kind;
    bool goes_on;                /* it is no transfer */
    uint64_t count;              /* FIXED, KNOWN */
    uint32_t tail, head;         /* numbers of its vertices */
    struct flow_measure measure; /* SAMPLED */
    struct flow_arcs arcs;
};

/* Samples of a pair. */
struct sampled_pair {
    uint64_t pair;
    double weights, squares;
};

/* An RTS without counters has returned behind a call of this address. */
struct returned_from {
    uint32_t called, rts;
};

struct solving {
    const struct hybrid_periods *p;
    VEC(struct link) links;
    struct map points;    /* return points: address -> 1 */
    struct map counted;   /* address -> counted executions of what leads from there */
    struct map returned;  /* the same of RTSs that lead there */
    struct map sampled;   /* addresses of instructions with an edge that is not counted -> 1 */
    struct map executed;  /* addresses of instructions that the first period executed -> 1 */
    struct map vertex_at; /* vertex -> 1 + number */
    size_t vertices;
    VEC(struct sampled_pair) pairs;
    struct map pair_at; /* pair -> 1 + index into `pairs` */
    VEC(struct returned_from) returned_from;
    double estimate; /* executions for a weight of 1 */
    double rate;     /* of sampling where nothing was sampled */
    bool out_of_memory;
};

static void note_at(struct solving *s, struct map *m, uint64_t key, uint64_t count) {
    uint64_t *const at = map_at(m, key);
    if (at != NULL)
        *at += count;
    s->out_of_memory |= at == NULL;
}

static uint64_t count_at(const struct map *m, uint64_t key) {
    const uint64_t *const at = map_find(m, key);
    return at != NULL ? *at : 0;
}

static void add_link(struct solving *s, struct link link) {
    s->out_of_memory |= !vec_push(&s->links, link);
}

/* ---- samples ---- */

static struct sampled_pair *pair_of(struct solving *s, uint64_t pair) {
    uint64_t *const at = map_at(&s->pair_at, pair);
    if (at != NULL && *at == 0 && vec_push(&s->pairs, ((struct sampled_pair){.pair = pair})))
        *at = s->pairs.len;
    s->out_of_memory |= at == NULL || *at == 0;
    return s->out_of_memory ? NULL : &s->pairs.at[*at - 1];
}

/* Weighted samples do not all say as much: see flow_samples.c. */
static void read_samples(struct solving *s) {
    const struct stream *const stream = s->p->samples;
    double weights = 0, squares = 0;
    for (size_t i = 0; i < stream->batch_count; i++) {
        const struct sample *const batch = stream_batch(stream, i);
        const double weight = 1.0 / stream->cycles[i];
        struct sampled_pair *const pair = pair_of(s, exact_pair_key(batch[0].pc, batch[1].pc));
        if (pair == NULL)
            return;
        pair->weights += weight;
        pair->squares += weight * weight;
        weights += weight;
        squares += weight * weight;
    }
    s->estimate = weights > 0 ? (double)stream->population / weights : 1;
    s->rate = squares > 0 ? weights / squares / s->estimate : 1;
}

static struct flow_measure measured(const struct solving *s, uint64_t pair) {
    const uint64_t *const at = map_find(&s->pair_at, pair);
    if (at == NULL)
        return (struct flow_measure){.measured = true, .rate = s->rate};
    const struct sampled_pair *const of = &s->pairs.at[*at - 1];
    return (struct flow_measure){.measured = true,
                                 .samples = of->weights * of->weights / of->squares,
                                 .rate = of->weights / of->squares / s->estimate};
}

/* ---- links ---- */

static void add_counts(struct solving *s, const struct map *m, bool begin) {
    uint64_t address, count;
    for (size_t position = 0; map_next(m, &position, &address, &count);)
        add_link(s, (struct link){.from = begin ? WORLD : address,
                                  .to = begin ? address : WORLD,
                                  .kind = FIXED,
                                  .count = count});
}

static void add_counted(struct solving *s) {
    const struct exact *const x = s->p->second;
    for (size_t i = 0; i < x->counted.len; i++) {
        const struct counted *const c = &x->counted.at[i];
        const uint64_t count = exact_count(x, c);
        if (count == 0)
            continue;
        add_link(s, (struct link){.from = c->a,
                                  .to = c->b,
                                  .kind = FIXED,
                                  .goes_on = c->kind == GOES_ON,
                                  .count = count});
        note_at(s, &s->counted, c->a, count);
        if (c->kind == INDIRECT && exact_node(x, c->a)->kind == INSN_RETURN)
            note_at(s, &s->returned, c->b, count);
    }
}

static void add_derived_pairs(struct solving *s) {
    const struct exact *const x = s->p->second, *const first = s->p->first;
    for (size_t i = 0; i < x->nodes.len; i++)
        if (x->nodes.at[i].derived)
            add_link(s, (struct link){.from = x->nodes.at[i].insn.address,
                                      .to = x->nodes.at[i].to,
                                      .kind = FREE,
                                      .goes_on = !x->nodes.at[i].transfer});
    for (size_t i = 0; i < s->p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &s->p->flow->pairs.at[i];
        const struct node *const a = exact_node(first, pair->a);
        if (a != NULL && hybrid_derives(a, pair))
            add_link(s,
                     (struct link){
                         .from = pair->a, .to = pair->b, .kind = FREE, .goes_on = !pair->transfer});
    }
}

static void add_uncounted(struct solving *s) {
    uint64_t pair, one;
    for (size_t position = 0; map_next(&s->p->plan->uncounted, &position, &pair, &one);) {
        add_link(s, (struct link){.from = pair >> 32,
                                  .to = (uint32_t)pair,
                                  .kind = SAMPLED,
                                  .measure = measured(s, pair)});
        note_at(s, &s->sampled, pair >> 32, 1);
    }
}

/* RTIs that resume a context: all that return to no pair. */
static void add_resumed(struct solving *s, const struct exact *x, bool second) {
    for (size_t i = 0; i < x->nodes.len; i++) {
        const struct node *const a = &x->nodes.at[i];
        struct link link = {.from = a->insn.address, .to = WORLD, .kind = FREE};
        if (a->returns && !a->derived)
            add_link(s, link);
        if (!second || !a->executions)
            continue;
        link.kind = FIXED;
        link.count = nes_counters(x->nes)[a->executed];
        for (size_t k = 0; k < x->counted.len; k++)
            if (x->counted.at[k].kind == RETURN && x->counted.at[k].a == a->insn.address)
                link.count -= exact_count(x, &x->counted.at[k]);
        add_link(s, link);
    }
}

/* ---- returns ---- */

/* Of those that a call is before. */
static void add_point(struct solving *s, uint32_t address) {
    if (map_find(&s->points, address) != NULL)
        return;
    note_at(s, &s->points, address, 1);
    struct link link = {.from = address | RETURN_POINT, .to = address, .kind = FREE};
    if (map_find(&s->sampled, address - 3) == NULL) { /* the call was counted */
        const uint64_t calls = count_at(&s->counted, address - 3),
                       returned = count_at(&s->returned, address);
        link.kind = KNOWN;
        link.count = calls > returned ? calls - returned : 0;
    }
    add_link(s, link);
    add_link(s, (struct link){.from = HUB, .to = address | RETURN_POINT, .kind = FREE});
}

static void add_return(struct solving *s, uint64_t pair) {
    add_link(s, (struct link){.from = pair >> 32,
                              .to = (uint32_t)pair | RETURN_POINT,
                              .kind = SAMPLED,
                              .measure = measured(s, pair)});
    add_point(s, (uint32_t)pair);
}

/* True if the code from here to its next transfer was executed for certain: in the first period, or its
 * transfer was counted, or a context ended there. */
static bool surely_executed(const struct solving *s, uint32_t address) {
    const struct exact *const x = s->p->second;
    for (;;) {
        if (map_find(&s->executed, address) != NULL || map_find(&x->ends, address) != NULL ||
            count_at(&s->counted, address) > 0)
            return true;
        const struct node *const a = exact_node(x, address);
        if (a == NULL || !a->derived)
            return false;
        address = a->to;
    }
}

static void note_returned_from(struct solving *s, const struct flow_pair *pair) {
    const struct node *const call = exact_node(s->p->first, pair->b - 3);
    if (call != NULL && call->kind == INSN_CALL)
        s->out_of_memory |=
            !vec_push(&s->returned_from, ((struct returned_from){call->target, pair->a}));
}

/* The RTSs that return from there elsewhere may return to this point, too. */
static void add_new_point(struct solving *s, uint32_t called, uint32_t after) {
    if (map_find(&s->points, after) != NULL)
        return;
    for (size_t i = 0; i < s->returned_from.len; i++)
        if (s->returned_from.at[i].called == called)
            add_return(s, exact_pair_key(s->returned_from.at[i].rts, after));
    add_point(s, after);
}

/* Return points behind calls that were executed, to which none of these RTSs has been seen to return. */
static void add_new_points(struct solving *s, const struct exact *x) {
    for (size_t i = 0; i < x->nodes.len; i++) {
        const struct node *const call = &x->nodes.at[i];
        const uint32_t address = call->insn.address, after = call->after;
        if (call->kind != INSN_CALL || !call->fixed || after != address + 3 ||
            (map_find(&s->executed, address) == NULL && count_at(&s->counted, address) == 0))
            continue;
        if (surely_executed(s, after))
            add_new_point(s, call->target, after);
    }
}

static void add_returns(struct solving *s) {
    const struct map *const returns = &s->p->plan->returns;
    if (returns->len == 0)
        return;
    for (size_t i = 0; i < s->p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &s->p->flow->pairs.at[i];
        note_at(s, &s->executed, pair->b, 1);
        if (map_find(returns, pair->a) == NULL)
            continue;
        add_return(s, exact_pair_key(pair->a, pair->b));
        note_returned_from(s, pair);
    }
    for (size_t i = 0; i < s->pairs.len; i++) { /* new ones that were sampled */
        const uint64_t pair = s->pairs.at[i].pair;
        const struct node *const call = exact_node(s->p->second, (uint32_t)pair - 3);
        if (map_find(returns, pair >> 32) != NULL && call != NULL && call->kind == INSN_CALL)
            add_return(s, pair);
    }
    add_new_points(s, s->p->first);
    add_new_points(s, s->p->second);
    uint64_t address, one;
    for (size_t position = 0; map_next(returns, &position, &address, &one);)
        add_link(s, (struct link){.from = address, .to = HUB, .kind = COSTLY});
}

/* ---- order ---- */

static int by_ends(const void *a, const void *b) {
    const struct link *const x = a, *const y = b;
    if (x->from != y->from)
        return (x->from > y->from) - (x->from < y->from);
    if (x->to != y->to)
        return (x->to > y->to) - (x->to < y->to);
    if (x->goes_on != y->goes_on)
        return y->goes_on ? -1 : 1;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : (x->count > y->count) - (x->count < y->count);
}

static bool same_link(const struct link *x, const struct link *y) {
    return x->from == y->from && x->to == y->to && x->kind == y->kind && x->kind != FIXED;
}

static void sort_links(struct solving *s) {
    size_t kept = 0;
    if (s->links.len > 0)
        qsort(s->links.at, s->links.len, sizeof *s->links.at, by_ends);
    for (size_t i = 0; i < s->links.len; i++)
        if (kept == 0 || !same_link(&s->links.at[kept - 1], &s->links.at[i]))
            s->links.at[kept++] = s->links.at[i];
    s->links.len = kept;
}

static uint32_t number_of(struct solving *s, uint64_t vertex) {
    uint64_t *const at = map_at(&s->vertex_at, vertex);
    s->out_of_memory |= at == NULL;
    if (at != NULL && *at == 0)
        *at = ++s->vertices;
    return at != NULL ? (uint32_t)*at - 1 : 0;
}

/* Sets which vertices are reached from the world. */
static void reach(const struct solving *s, uint32_t world, bool *reached) {
    reached[world] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < s->links.len; i++) {
            const struct link *const link = &s->links.at[i];
            const bool new = reached[link->tail] && !reached[link->head];
            reached[link->head] |= new;
            more |= new;
        }
    }
}

static uint32_t renumber(uint32_t *numbers, size_t *count, uint32_t number) {
    if (numbers[number] == 0) {
        *count += 1;
        numbers[number] = (uint32_t)*count;
    }
    return numbers[number] - 1;
}

/* Removes links whose beginning is reached by none, and numbers the vertices of the others. */
static void drop_unreached(struct solving *s) {
    const uint32_t world = number_of(s, WORLD);
    for (size_t i = 0; i < s->links.len; i++) {
        s->links.at[i].tail = number_of(s, s->links.at[i].from);
        s->links.at[i].head = number_of(s, s->links.at[i].to);
    }
    bool *const reached = calloc(s->vertices, sizeof *reached);
    uint32_t *const numbers = calloc(s->vertices, sizeof *numbers);
    s->out_of_memory |= reached == NULL || numbers == NULL;
    size_t kept = 0, count = 0;
    if (!s->out_of_memory)
        reach(s, world, reached);
    for (size_t i = 0; !s->out_of_memory && i < s->links.len; i++) {
        struct link link = s->links.at[i];
        if (!reached[link.tail] && link.kind != FIXED)
            continue;
        link.tail = renumber(numbers, &count, link.tail);
        link.head = renumber(numbers, &count, link.head);
        s->links.at[kept++] = link;
    }
    s->links.len = kept;
    s->vertices = count;
    free(reached);
    free(numbers);
}

static void make_links(struct solving *s) {
    const struct exact *const x = s->p->second;
    s->estimate = s->rate = 1;
    read_samples(s);
    add_counts(s, &x->begins, true);
    add_counts(s, &x->resumes, true);
    add_counts(s, &x->ends, false);
    add_counted(s);
    add_derived_pairs(s);
    add_uncounted(s);
    add_resumed(s, s->p->first, false);
    add_resumed(s, x, true);
    add_returns(s);
    sort_links(s);
    drop_unreached(s);
}

/* ---- solving ---- */

static bool add_arcs(const struct solving *s, struct flow_network *n, const struct link *link) {
    const uint32_t from = link->tail, to = link->head;
    switch (link->kind) {
    case FIXED:
        return flow_arcs_fixed(n, from, to, (int64_t)link->count);
    case KNOWN:
        return flow_arcs_known(n, from, to, (int64_t)link->count, UNLIKELY, UNLIKELY);
    case SAMPLED:
        return flow_arcs_poisson(n, from, to, link->measure, s->rate);
    case COSTLY:
        return flow_arcs_free(n, from, to, UNLIKELY);
    case FREE:
        break;
    }
    return flow_arcs_free(n, from, to, 0);
}

/* Control came to each vertex, or left it, without a link. */
static void add_strays(struct solving *s, struct flow_network *n) {
    uint32_t world = 0;
    for (size_t i = 0; i < s->links.len; i++)
        if (s->links.at[i].from == WORLD)
            world = s->links.at[i].tail;
    for (uint32_t v = 0; v < s->vertices; v++)
        s->out_of_memory |= v != world && (!flow_arcs_free(n, world, v, STRAY) ||
                                           !flow_arcs_free(n, v, world, STRAY));
}

static enum status solve_once(struct solving *s, struct flow_network *n, bool strays,
                              uint64_t *steps, struct error *e) {
    struct circulation_result result = {0};
    n->circulation.nodes = s->vertices;
    for (size_t i = 0; i < s->links.len; i++) {
        struct link *const link = &s->links.at[i];
        link->arcs.first = n->circulation.arcs.len;
        s->out_of_memory |= !add_arcs(s, n, link);
        link->arcs.count = n->circulation.arcs.len - link->arcs.first;
    }
    if (strays)
        add_strays(s, n);
    if (s->out_of_memory)
        return error_set(e, STATUS_MEMORY, "out of memory for the flow of the second period");
    const enum status status =
        circulation_solve(&n->circulation, (struct circulation_options){0}, &result, e);
    *steps += result.steps;
    return status;
}

/* A program that runs wild, into registers for example, executes what no link leads to: then no flow
 * has all counts, and as little as possible strays. */
static enum status solve(struct solving *s, struct flow_network *n, uint64_t *steps,
                         struct error *e) {
    enum status status = solve_once(s, n, false, steps, e);
    if (status != STATUS_ARGUMENT)
        return status;
    flow_network_free(n);
    *n = (struct flow_network){0};
    return solve_once(s, n, true, steps, e);
}

/* ---- the flow ---- */

static void add_pair(struct solving *s, uint64_t from, uint64_t to, uint64_t count, bool goes_on) {
    const struct flow_pair pair = {(uint32_t)from, (uint32_t)to, count, !goes_on};
    s->out_of_memory |= !vec_push(&s->p->flow->pairs, pair);
}

/* Assigns what went through the hub: which RTS returned where is not known, so in order. */
static void add_through_hub(struct solving *s, const struct flow_network *n) {
    int64_t left = 0;
    size_t at = 0;
    for (size_t i = 0; i < s->links.len; i++) {
        if (s->links.at[i].to != HUB)
            continue;
        for (int64_t flow = flow_of_arcs(n, s->links.at[i].arcs); flow > 0;) {
            while (left == 0 && at < s->links.len) {
                if (s->links.at[at].from == HUB)
                    left = flow_of_arcs(n, s->links.at[at].arcs);
                at += left == 0;
            }
            if (left == 0)
                break;
            const int64_t some = flow < left ? flow : left;
            add_pair(s, s->links.at[i].from, s->links.at[at].to, (uint64_t)some, false);
            flow -= some;
            left -= some;
            at += left == 0;
        }
    }
}

static void add_flow(struct solving *s, const struct flow_network *n, struct cost *cost) {
    for (size_t i = 0; i < s->links.len; i++) {
        const struct link *const link = &s->links.at[i];
        const int64_t flow = flow_of_arcs(n, link->arcs);
        if (flow <= 0 || link->from > UINT32_MAX || link->to >= HUB)
            continue;
        add_pair(s, link->from, link->to, (uint64_t)flow, link->goes_on);
        cost->records += link->kind == FIXED;
        cost->probes += link->kind == FIXED ? (uint64_t)flow : 0;
    }
    add_through_hub(s, n);
}

/* Instructions that were executed in the second period. */
static void add_insns(struct solving *s, size_t from) {
    struct flow *const out = s->p->flow;
    const struct exact *const x = s->p->second;
    struct map executed = {0};
    for (size_t i = from; i < out->pairs.len; i++) {
        note_at(s, &executed, out->pairs.at[i].a, 1);
        note_at(s, &executed, out->pairs.at[i].b, 1);
    }
    for (size_t i = 0; i < x->nodes.len; i++)
        if (map_find(&executed, x->nodes.at[i].insn.address) != NULL)
            s->out_of_memory |= !vec_push(&out->insns, x->nodes.at[i].insn);
    for (size_t i = 0; i < x->variants.len; i++)
        s->out_of_memory |= !vec_push(&out->insns, x->variants.at[i]);
    map_free(&executed);
    uint64_t address, count;
    for (size_t position = 0; map_next(&x->begins, &position, &address, &count);)
        s->out_of_memory |= !vec_push(&out->entries, (uint32_t)address);
}

static void release(struct solving *s) {
    vec_free(&s->links);
    vec_free(&s->pairs);
    vec_free(&s->returned_from);
    map_free(&s->pair_at);
    map_free(&s->points);
    map_free(&s->counted);
    map_free(&s->returned);
    map_free(&s->sampled);
    map_free(&s->executed);
    map_free(&s->vertex_at);
}

enum status hybrid_complete(const struct hybrid_periods *p, struct cost *cost, struct error *e) {
    struct solving s = {.p = p};
    struct flow_network network = {0};
    uint64_t steps = 0;
    const size_t before = p->flow->pairs.len;
    exact_settle_begins(p->second);
    make_links(&s);
    enum status status = p->second->out_of_memory || s.out_of_memory
                             ? error_set(e, STATUS_MEMORY, "out of memory for the second period")
                             : solve(&s, &network, &steps, e);
    if (status == STATUS_OK) {
        add_flow(&s, &network, cost);
        add_insns(&s, before);
        cost->steps += steps;
        cost->records += p->samples->batch_count;
        cost->observed += p->samples->batch_count;
        if (s.out_of_memory)
            status = error_set(e, STATUS_MEMORY, "out of memory for the second period");
    }
    flow_network_free(&network);
    release(&s);
    return status;
}
