/*
 * Which edges need no counter after a first period of counting.
 *
 * The flow into an instruction equals the flow out of it, so edges of a forest (without regard to their
 * directions) follow from all others. The forest of greatest weight leaves the fewest executions to be counted
 * (Knuth and Stevenson 1973; Ball and Larus 1994). Instructions that go on are edges of it in any case:
 * they have no counters.
 *
 * With sampling, all edges that were executed often are left out, and the forest is one of the others, between
 * the parts that those connect. So a rare edge is counted, or it is the only uncounted one between two parts,
 * and follows exactly from the counted ones. Rare calls are counted in any case: they say how often an RTS
 * returns behind them. So an RTS needs no counters if no other one returns behind the same calls; between two of
 * them the calls do not tell, and the rarer one is counted. In the forest a return point is a vertex of its own,
 * since the call gives what goes on from there.
 *
 * An edge that has no counter already gets none unless that costs half an execution a frame: code whose counters
 * stay need not be translated again.
 *
 * With sampling, edges of busy-waits are counted: the machine skips these with exact counts, and the sampler's clock
 * stands still in them. So is, always, every edge that the first period has not seen.
 */
#include "profile/hybrid/hybrid.h"

#include <stdlib.h>

/* A vertex is an address; number 0 is the world, where contexts come from and go to. */
struct forest {
    VEC(uint32_t) parent;
    struct map vertex_at;
    bool out_of_memory;
};

static uint32_t vertex(struct forest *f, uint64_t key) {
    uint64_t *const index = map_at(&f->vertex_at, key);
    if (index != NULL && *index != 0)
        return (uint32_t)*index;
    const uint32_t number = (uint32_t)f->parent.len;
    if (index == NULL || !vec_push(&f->parent, number)) {
        f->out_of_memory = true;
        return 0;
    }
    return (uint32_t)(*index = number);
}

/* Halves the path on its way (Tarjan and van Leeuwen 1984). */
static uint32_t root_of(const struct forest *f, uint32_t v) {
    uint32_t *const parent = f->parent.at;
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Connects two vertices; false if they were connected already. */
static bool join(struct forest *f, uint32_t a, uint32_t b) {
    const uint32_t x = root_of(f, a), y = root_of(f, b);
    f->parent.at[x < y ? y : x] = x < y ? x : y;
    return x != y;
}

struct rare_edge {
    uint64_t pair, weight;
};

/* An RTS and where it returned to. */
struct rare_return {
    uint64_t executed; /* the RTS, wherever it returned to */
    uint32_t rts, to;
};

struct planning {
    struct exact_plan *plan;
    const struct exact *first;
    const struct flow *flow;
    uint64_t rare, worth, sampled; /* worth: executions that a counter's move must save */
    struct forest forest;
    struct map busy;     /* pairs; without sampling none */
    struct map executed; /* RTSs: how often */
    struct map sides;    /* forward branches: executions of the more frequent direction */
    VEC(struct rare_edge) rare_edges;
    VEC(struct rare_return) rare_returns;
    bool out_of_memory;
};

static void note_at(struct planning *p, struct map *m, uint64_t key, uint64_t count) {
    uint64_t *const at = map_at(m, key);
    if (at != NULL)
        *at += count;
    p->out_of_memory |= at == NULL;
}

/* The pairs of busy-waits. */
static enum status find_busy(struct planning *p, struct error *e) {
    struct graph g;
    const enum status status = graph_from_flow(&g, p->flow, true, e);
    for (size_t i = 0; status == STATUS_OK && i < g.edge_count; i++)
        if (g.edges[i].busy)
            note_at(
                p, &p->busy,
                exact_pair_key(graph_find_block(&g, g.edges[i].source)->last, g.edges[i].target),
                1);
    if (status == STATUS_OK)
        graph_free(&g);
    return status;
}

bool hybrid_derives(const struct node *a, const struct flow_pair *pair) {
    return a->derived && a->to == pair->b && pair->transfer == a->transfer &&
           (!a->transfer || !a->fixed);
}

/* A transfer whose counter is one of its own, at an instruction that cannot change. */
static bool is_direct(const struct exact *x, const struct node *a, const struct flow_pair *pair) {
    const bool has_target = a->kind == INSN_BRANCH || a->kind == INSN_JUMP || a->kind == INSN_CALL;
    return a->fixed && has_target && pair->transfer &&
           map_find(&x->counted_at[INDIRECT], exact_pair_key(pair->a, pair->b)) == NULL;
}

/* Is b behind a call? */
static bool follows_call(const struct exact *x, uint32_t b) {
    const struct node *const call = exact_node(x, b - 3);
    return call != NULL && call->fixed && call->kind == INSN_CALL && call->after == b;
}

/* RTSs that always returned behind a call: those that are frequent are left out. */
static void choose_returns(struct planning *p) {
    struct map odd = {0};
    for (size_t i = 0; i < p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &p->flow->pairs.at[i];
        const struct node *const a = exact_node(p->first, pair->a);
        if (a == NULL || !a->fixed || a->kind != INSN_RETURN)
            continue;
        note_at(p, &p->executed, pair->a, pair->count);
        if (!follows_call(p->first, pair->b))
            note_at(p, &odd, pair->a, 1);
    }
    uint64_t address, count;
    for (size_t position = 0; map_next(&p->executed, &position, &address, &count);)
        if (count > p->rare && map_find(&odd, address) == NULL) {
            note_at(p, &p->plan->returns, address, 1);
            p->sampled++;
        }
    for (size_t i = 0; i < p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &p->flow->pairs.at[i];
        const uint64_t *const all = map_find(&p->executed, pair->a);
        if (all != NULL && *all <= p->rare && map_find(&odd, pair->a) == NULL) {
            const struct rare_return rare = {*all, pair->a, pair->b};
            p->out_of_memory |= !vec_push(&p->rare_returns, rare);
        }
    }
    map_free(&odd);
}

/* A forward branch counts both directions, or only the less frequent one. */
static bool is_side(const struct node *a) {
    return a->sides && a->fixed;
}

static void note_sides(struct planning *p) {
    for (size_t i = 0; i < p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &p->flow->pairs.at[i];
        const struct node *const a = exact_node(p->first, pair->a);
        uint64_t *const most = a != NULL && is_side(a) ? map_at(&p->sides, pair->a) : NULL;
        if (most != NULL && pair->count > *most)
            *most = pair->count;
        p->out_of_memory |= a != NULL && is_side(a) && most == NULL;
    }
}

/* Has this edge most likely no counter now? It must not depend on the engine. */
static bool is_left_out(const struct planning *p, const struct node *a,
                        const struct flow_pair *pair) {
    if (is_side(a))
        return *map_find(&p->sides, pair->a) == pair->count;
    return a->derived && a->to == pair->b && a->transfer;
}

/* What a counter there costs. */
static uint64_t weight_of(const struct planning *p, const struct node *a,
                          const struct flow_pair *pair) {
    return pair->count + (is_left_out(p, a, pair) ? p->worth : 0);
}

static void connect(struct planning *p, uint64_t a, uint64_t b) {
    join(&p->forest, vertex(&p->forest, a), vertex(&p->forest, b));
}

/* A call that is sampled does not say how often the RTSs behind it return: see hybrid_network.c. */
static void connect_uncounted_pair(struct planning *p, const struct node *a,
                                   const struct flow_pair *pair) {
    connect(p, pair->a, pair->b);
    if (a->kind == INSN_CALL)
        connect(p, a->after | HYBRID_RETURN_POINT, a->after);
}

/* Connects what has no counter, and collects the rare edges. */
static void connect_uncounted(struct planning *p) {
    for (size_t i = 0; i < p->flow->pairs.len; i++) {
        const struct flow_pair *const pair = &p->flow->pairs.at[i];
        const struct node *const a = exact_node(p->first, pair->a);
        const uint64_t key = exact_pair_key(pair->a, pair->b);
        if (a == NULL)
            continue;
        if (map_find(&p->plan->returns, pair->a) != NULL) {
            connect(p, pair->a, pair->b | HYBRID_RETURN_POINT);
        } else if (hybrid_derives(a, pair)) {
            connect(p, pair->a, pair->b);
        } else if (!is_direct(p->first, a, pair) || map_find(&p->busy, key) != NULL) {
            continue;
        } else if (pair->count > p->rare) {
            note_at(p, &p->plan->uncounted, key, 1);
            p->sampled++;
            connect_uncounted_pair(p, a, pair);
        } else if (a->kind != INSN_CALL || p->rare == UINT64_MAX) {
            const struct rare_edge edge = {key, weight_of(p, a, pair)};
            p->out_of_memory |= !vec_push(&p->rare_edges, edge);
        }
    }
}

/* An RTI that resumes a context leads out of the flow, uncounted. */
static void connect_returns_from_interrupts(struct planning *p) {
    for (size_t i = 0; i < p->first->nodes.len; i++) {
        const struct node *const a = &p->first->nodes.at[i];
        if (a->returns && !a->derived)
            join(&p->forest, vertex(&p->forest, a->insn.address), 0);
    }
}

static int by_executions(const void *a, const void *b) {
    const struct rare_return *const x = a, *const y = b;
    if (x->executed != y->executed)
        return (x->executed < y->executed) - (x->executed > y->executed);
    return x->rts != y->rts ? (x->rts > y->rts) - (x->rts < y->rts)
                            : (x->to > y->to) - (x->to < y->to);
}

/* True if the counts of these pairs of one RTS follow from those of its calls: then they are connected. Pairs
 * before the one that does not follow stay connected: this costs a counter elsewhere at most. */
static bool returns_follow(struct planning *p, const struct rare_return *at, size_t count) {
    struct forest *const f = &p->forest;
    for (size_t i = 0; i < count; i++)
        if (!join(f, vertex(f, at[i].rts), vertex(f, at[i].to | HYBRID_RETURN_POINT)))
            return false;
    return true;
}

/* Rare RTSs need no counter where they are the only ones behind their calls, which are counted. */
static void choose_rare_returns(struct planning *p) {
    const struct rare_return *const at = p->rare_returns.at;
    const size_t all = p->rare_returns.len;
    if (all > 0)
        qsort(p->rare_returns.at, all, sizeof *at, by_executions);
    for (size_t i = 0, next; i < all; i = next) {
        for (next = i + 1; next < all && at[next].rts == at[i].rts; next++)
            continue;
        if (returns_follow(p, &at[i], next - i))
            note_at(p, &p->plan->returns, at[i].rts, 1);
    }
}

static int by_weight(const void *a, const void *b) {
    const struct rare_edge *const x = a, *const y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->pair > y->pair) - (x->pair < y->pair);
}

static void choose_rare(struct planning *p) {
    if (p->rare_edges.len > 0)
        qsort(p->rare_edges.at, p->rare_edges.len, sizeof *p->rare_edges.at, by_weight);
    for (size_t i = 0; i < p->rare_edges.len; i++) {
        const uint64_t pair = p->rare_edges.at[i].pair;
        if (join(&p->forest, vertex(&p->forest, (uint32_t)(pair >> 32)),
                 vertex(&p->forest, (uint32_t)pair)))
            note_at(p, &p->plan->uncounted, pair, 1);
    }
}

enum status hybrid_plan_make(struct exact_plan *out, const struct exact *first,
                             const struct flow *flow, const struct hybrid_options *options,
                             uint64_t *sampled, struct error *e) {
    *out = (struct exact_plan){.before = first};
    struct planning p = {.plan = out,
                         .first = first,
                         .flow = flow,
                         .rare = options->rare,
                         .worth = options->frames / 2};
    enum status status = p.rare == UINT64_MAX ? STATUS_OK : find_busy(&p, e);
    p.out_of_memory |= !vec_push(&p.forest.parent, 0);
    if (status == STATUS_OK && !p.out_of_memory) {
        note_sides(&p);
        choose_returns(&p);
        connect_uncounted(&p);
        connect_returns_from_interrupts(&p);
        if (p.sampled > 0)
            choose_rare_returns(&p);
        choose_rare(&p);
    }
    if (status == STATUS_OK && (p.out_of_memory || p.forest.out_of_memory))
        status = error_set(e, STATUS_MEMORY, "out of memory for choosing counters");
    *sampled = p.sampled;
    vec_free(&p.forest.parent);
    map_free(&p.forest.vertex_at);
    map_free(&p.busy);
    map_free(&p.executed);
    map_free(&p.sides);
    vec_free(&p.rare_edges);
    vec_free(&p.rare_returns);
    return status;
}

void hybrid_plan_free(struct exact_plan *plan) {
    map_free(&plan->uncounted);
    map_free(&plan->returns);
}
