/*
 * Converts measurements to a circulation. A block is a node, or two nodes with an arc between them
 * if blocks were measured; edges are arcs between blocks. One more node is the world, where
 * contexts come from and go to. A flow that differs from a measurement w has a cost:
 *
 *   gcc      (Levin, Newman, Haber 2008, after Ramasamy and others 2008) one unit more costs
 *            b / ln(w + 2) and one unit less 50 b / ln(w + 2), with b the square root of the mean
 *            of w over all blocks
 *   profi    (He, Mestre, Pupyrev, Wang, Yu 2022) one unit more costs 10, one unit less 20; more of
 *            what was never seen 11; of a context's entry, more costs 40 and less 10
 *   poisson  negative log-likelihood: s samples where rate * f are expected cost
 *            rate * f - s ln f, which is convex in f, approximated by straight pieces
 *
 * Costs are integers in millionths of a unit or, with poisson, of the rate of one instruction or
 * transfer.
 */
#include "profile/flow/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct flow_costs flow_costs_standard = {
    .model = FLOW_POISSON,
    .raise = 10,
    .lower = 20,
    .raise_zero = 11,
    .raise_entry = 40,
    .lower_entry = 10,
    .lower_factor = 50,
    .known = 100,
};

enum { UNIT = 1000000 };
#define FLOW_MOST ((double)(INT64_C(1) << 50))

struct builder {
    struct flow_network *n;
    const struct flow_input *in;
    const struct flow_costs *costs;
    double base;  /* gcc: b */
    double known; /* cost of a deviation by one unit from an exact count */
    bool two;     /* blocks are split into two nodes */
    bool failed;  /* out of memory */
};

/* frexp() for positive normal numbers. */
static double split(double x, int *exponent) {
    enum { MANTISSA_BITS = 52, EXPONENT_OF_HALF = 1022 };
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_OF_HALF;
    bits &= (UINT64_C(1) << MANTISSA_BITS) - 1;
    bits |= (uint64_t)EXPONENT_OF_HALF << MANTISSA_BITS;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A logarithm of operations that round alike on every machine. The C library's may differ between
 * machines, and flows must not. */
static double natural_log(double x) {
    static const double ln2 = 0.69314718055994530942;
    int exponent;
    double m = split(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        exponent--;
    }
    const double t = (m - 1) / (m + 1), square = t * t;
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * ln2 + 2 * t * sum;
}

static int64_t rounded(double value) {
    return (int64_t)floor((value < FLOW_MOST ? value : FLOW_MOST) + 0.5);
}

static bool add_arc(struct flow_network *n, uint32_t from, uint32_t to, int64_t upper,
                    double cost) {
    const size_t len = n->circulation.arcs.len;
    if ((len == n->circulation.arcs.cap || len == n->back.cap) &&
        (!vec_reserve(&n->circulation.arcs, len + 1) || !vec_reserve(&n->back, len + 1)))
        return false;
    n->circulation.arcs.at[n->circulation.arcs.len++] =
        (struct arc){.from = from, .to = to, .upper = upper, .cost = rounded(cost * UNIT)};
    n->back.at[n->back.len++] = false;
    return true;
}

bool flow_arcs_free(struct flow_network *n, uint32_t from, uint32_t to, double cost) {
    return add_arc(n, from, to, ARC_UNBOUNDED, cost);
}

bool flow_arcs_fixed(struct flow_network *n, uint32_t from, uint32_t to, int64_t count) {
    if (!add_arc(n, from, to, count, 0))
        return false;
    n->circulation.arcs.at[n->circulation.arcs.len - 1].lower = count;
    return true;
}

/* Carries `count` at no cost, and each unit more or less at a cost. */
bool flow_arcs_known(struct flow_network *n, uint32_t from, uint32_t to, int64_t count,
                     double raise, double lower) {
    if (!flow_arcs_fixed(n, from, to, count) || !add_arc(n, from, to, ARC_UNBOUNDED, raise) ||
        !add_arc(n, to, from, count, lower))
        return false;
    n->back.at[n->back.len - 1] = true;
    return true;
}

/* ---- poisson ---- */

enum { BREAKS_MOST = 40 };
struct breaks {
    int64_t at[BREAKS_MOST];
    size_t count;
};

static void add_break(struct breaks *b, double flow) {
    const int64_t at = rounded(flow);
    if (at > 0 && (b->count == 0 || at > b->at[b->count - 1]))
        b->at[b->count++] = at;
}

static struct breaks poisson_breaks(double samples, double rate) {
    static const double k[] = {.06, .12, .2, .3, .42, .55, .7, .9, 1.15, 1.5, 2, 2.7, 3.6, 5, 8};
    enum { K = sizeof k / sizeof k[0] };
    const double expected = samples / rate, sigma = 1 / sqrt(samples);
    struct breaks b = {.count = 0};
    for (size_t i = K; i-- > 0;)
        add_break(&b, expected / (1 + k[i] * sigma));
    add_break(&b, expected);
    for (size_t i = 0; i < K; i++)
        add_break(&b, expected * (1 + k[i] * sigma));
    add_break(&b, expected * (1 + 20 * sigma));
    add_break(&b, expected * (1 + 60 * sigma));
    return b;
}

bool flow_arcs_poisson(struct flow_network *n, uint32_t from, uint32_t to, struct flow_measure m,
                       double unit) {
    if (m.samples <= 0)
        return add_arc(n, from, to, ARC_UNBOUNDED, m.rate / unit);
    const struct breaks breaks = poisson_breaks(m.samples, m.rate);
    double last = -INFINITY;
    for (size_t i = 0; i < breaks.count; i++) {
        const double x = i == 0 ? 0 : (double)breaks.at[i - 1], y = (double)breaks.at[i];
        const double gain = i == 0 ? natural_log(20) / y : natural_log(y / x) / (y - x);
        double slope = m.rate - m.samples * gain;
        slope = slope < last ? last : slope; /* rounded breaks must not make it concave */
        if (!add_arc(n, from, to, (int64_t)(y - x), slope / unit))
            return false;
        last = slope;
    }
    const double end = breaks.count == 0 ? 1 : (double)breaks.at[breaks.count - 1];
    double slope = m.rate - m.samples / end;
    slope = slope < last ? last : slope;
    return add_arc(n, from, to, ARC_UNBOUNDED, (slope < 0 ? 0 : slope) / unit);
}

/* ---- all cost models ---- */

static void add_measured(struct builder *b, uint32_t from, uint32_t to, struct flow_measure m,
                         bool entry) {
    const struct flow_costs *c = b->costs;
    if (!m.measured) {
        b->failed |= !flow_arcs_free(b->n, from, to, 0);
        return;
    }
    if (c->model == FLOW_POISSON) {
        b->failed |= !flow_arcs_poisson(b->n, from, to, m, b->in->rate);
        return;
    }
    const int64_t weight = rounded(m.samples / m.rate);
    if (c->model == FLOW_GCC) {
        const double unit = b->base / natural_log((double)weight + 2);
        b->failed |= !flow_arcs_known(b->n, from, to, weight, unit, c->lower_factor * unit);
    } else {
        b->failed |= !flow_arcs_known(b->n, from, to, weight,
                                      entry         ? c->raise_entry
                                      : weight == 0 ? c->raise_zero
                                                    : c->raise,
                                      entry ? c->lower_entry : c->lower);
    }
}

/* gcc: square root of the mean count, over all that was measured. */
static double base_cost(const struct flow_input *in) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < in->structure->graph.block_count; i++)
        if (in->blocks[i].measured) {
            sum += in->blocks[i].samples / in->blocks[i].rate;
            count++;
        }
    for (size_t i = 0; i < in->structure->graph.edge_count; i++)
        if (in->edges[i].measured) {
            sum += in->edges[i].samples / in->edges[i].rate;
            count++;
        }
    const double base = count == 0 ? 1 : sqrt(sum / count);
    return base < 1 ? 1 : base;
}

static uint32_t entry_node(const struct builder *b, size_t block) {
    return (uint32_t)(b->two ? 2 * block : block);
}

static uint32_t exit_node(const struct builder *b, size_t block) {
    return (uint32_t)(b->two ? 2 * block + 1 : block);
}

static void add_blocks(struct builder *b) {
    const struct structure *s = b->in->structure;
    const uint32_t world = (uint32_t)b->n->circulation.nodes - 1;
    for (size_t i = 0; i < s->graph.block_count; i++) {
        if (b->two)
            add_measured(b, entry_node(b, i), exit_node(b, i), b->in->blocks[i], s->begins[i] != 0);
        if (s->begins[i] != 0 && b->costs->exact_entries)
            b->failed |= !flow_arcs_known(b->n, world, entry_node(b, i), (int64_t)s->begins[i],
                                          b->known, b->known);
        else if (s->begins[i] != 0)
            b->failed |= !flow_arcs_free(b->n, world, entry_node(b, i), 0);
        if (s->sink[i])
            b->failed |= !flow_arcs_free(b->n, exit_node(b, i), world, 0);
    }
}

/* gcc: an edge that was not measured is estimated as an even share of its source. */
static struct flow_measure guess(const struct builder *b, size_t source, size_t successors) {
    struct flow_measure m = b->in->blocks[source];
    m.samples /= (double)successors;
    return m;
}

static void add_edges(struct builder *b) {
    const struct graph *g = &b->in->structure->graph;
    for (size_t i = 0, successors = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        const size_t source = (size_t)(graph_find_block(g, edge->source) - g->blocks);
        const size_t target = (size_t)(graph_find_block(g, edge->target) - g->blocks);
        if (i == 0 || g->edges[i - 1].source != edge->source)
            for (successors = 0;
                 i + successors < g->edge_count && g->edges[i + successors].source == edge->source;)
                successors++;
        const uint32_t from = exit_node(b, source), to = entry_node(b, target);
        b->n->edges[i].first = b->n->circulation.arcs.len;
        if (edge->busy)
            b->failed |= !flow_arcs_known(b->n, from, to, (int64_t)edge->count, b->known, b->known);
        else if (!b->in->edges[i].measured && b->costs->even_split &&
                 b->in->blocks[source].measured)
            add_measured(b, from, to, guess(b, source, successors), false);
        else
            add_measured(b, from, to, b->in->edges[i], false);
        b->n->edges[i].count = b->n->circulation.arcs.len - b->n->edges[i].first;
    }
}

enum status flow_network_make(struct flow_network *n, const struct flow_input *in,
                              const struct flow_costs *costs, struct error *e) {
    const struct structure *s = in->structure;
    *n = (struct flow_network){.edges = calloc(s->graph.edge_count + 1, sizeof *n->edges)};
    struct builder b = {.n = n, .in = in, .costs = costs, .base = base_cost(in)};
    for (size_t i = 0; i < s->graph.block_count; i++)
        b.two |= in->blocks[i].measured;
    b.known = costs->known;
    n->circulation.nodes = (b.two ? 2 : 1) * s->graph.block_count + 1;
    if (n->edges != NULL) {
        add_blocks(&b);
        add_edges(&b);
    }
    return n->edges != NULL && !b.failed ? STATUS_OK
                                         : error_set(e, STATUS_MEMORY, "out of memory for flow");
}

uint64_t *flow_network_names(const struct flow_network *n, const struct structure *s) {
    const size_t blocks = s->graph.block_count, nodes = n->circulation.nodes;
    uint64_t *names = calloc(nodes, sizeof *names);
    for (size_t i = 0; names != NULL && i < blocks; i++) {
        const uint64_t name = (uint64_t)s->graph.blocks[i].entry << 1;
        if (nodes == blocks + 1) {
            names[i] = name;
        } else {
            names[2 * i] = name;
            names[2 * i + 1] = name + 1;
        }
    }
    if (names != NULL)
        names[nodes - 1] = UINT64_MAX;
    return names;
}

int64_t flow_of_arcs(const struct flow_network *n, struct flow_arcs arcs) {
    int64_t flow = 0;
    for (size_t i = arcs.first; i < arcs.first + arcs.count; i++)
        flow += n->back.at[i] ? -n->circulation.arcs.at[i].flow : n->circulation.arcs.at[i].flow;
    return flow;
}

void flow_network_free(struct flow_network *n) {
    circulation_free(&n->circulation);
    vec_free(&n->back);
    free(n->edges);
    *n = (struct flow_network){0};
}
