/*
 * Converts samples to measurements. Single instructions measure blocks: a block's samples are
 * expected to be rate * executions * instructions, so its measurement is the mean over its
 * instructions. Transfers, and pairs of consecutive instructions in batches, measure the edges that
 * they follow. Samples that match no block or edge of the structure are ignored.
 *
 * Last taken branches: each batch begins with its oldest branch, so the code before that one is not
 * seen, and taken transfers are seen more often than falls. Both rates follow from the batches.
 *
 * Weighted transfers do not all say as much: if those of an edge have the sum of weights h1 and the
 * sum of squares h2, they are as good as h1^2 / h2 samples at a rate of h1 / h2.
 */
#include "profile/flow/flow.h"
#include "profile/technique.h"

#include <stdlib.h>

struct reading {
    struct flow_input *in;
    double *squares; /* of each edge: sum of the squares of its weights; NULL: weights are shares */
    struct insn_place *places;
    size_t insn_count;
    double taken_rate; /* of taken transfers, where it differs from that of falls; else 0 */
};

enum { NO_EDGE = UINT32_MAX };

/* Number of the edge that leads from instruction a to b; NO_EDGE: there is none. */
static uint32_t edge_of(const struct reading *r, uint32_t a, uint32_t b) {
    const struct graph *g = &r->in->structure->graph;
    size_t block = structure_block_of(r->places, r->insn_count, a);
    if (block == SIZE_MAX || g->blocks[block].last != a)
        return NO_EDGE;
    const struct edge *edge = graph_find_edge(g, g->blocks[block].entry, b);
    return edge == NULL ? NO_EDGE : (uint32_t)(edge - g->edges);
}

static bool is_taken(const struct sample *a, const struct sample *b) {
    return is_transfer(a) && b->pc != (uint32_t)(a->pc + a->size);
}

/* Two consecutive instructions of a batch. */
static void take_pair(const struct reading *r, const struct sample pair[2], uint32_t number,
                      double weight) {
    if (number == NO_EDGE)
        return;
    struct flow_measure *const edge = &r->in->edges[number];
    edge->samples += weight;
    if (r->taken_rate > 0 && is_taken(&pair[0], &pair[1]))
        edge->rate = r->taken_rate;
    if (r->squares != NULL)
        r->squares[number] += weight * weight;
}

static void take_batch(const struct reading *r, const struct sample *batch, size_t length,
                       double weight) {
    if (length == 1) {
        size_t block = structure_block_of(r->places, r->insn_count, batch[0].pc);
        if (block != SIZE_MAX)
            r->in->blocks[block].samples += weight;
    }
    for (size_t i = 0; i + 1 < length; i++)
        take_pair(r, &batch[i], edge_of(r, batch[i].pc, batch[i + 1].pc), weight);
}

/* How often a fall was looked at, and how much more often a taken transfer; 0: as often. */
struct looks {
    double falls, taken;
};

/* The code before the first branch of a batch is not in it: falls lack one look there. */
static struct looks looks_of_branches(const struct stream *stream, size_t batches) {
    double pairs = 0, taken = 0, alone = 0;
    for (size_t i = 0; i < batches; i++) {
        const struct sample *batch = stream_batch(stream, i);
        const size_t length = stream_batch_length(stream, i);
        for (size_t k = 0; k + 1 < length; k++)
            taken += is_taken(&batch[k], &batch[k + 1]);
        alone += length > 1 && is_taken(&batch[0], &batch[1]);
        pairs += (double)(length - 1);
    }
    return (struct looks){pairs - alone, taken > alone ? taken / (taken - alone) : 1};
}

/* Sets which blocks and edges were measured, and their sampling rates. */
static void set_rates(struct reading *r, const struct stream *stream, size_t batches) {
    struct flow_input *in = r->in;
    const struct structure *s = in->structure;
    const bool transfers = stream->of == STREAM_OF_TRANSFERS;
    const size_t length = stream->batch_length;
    struct looks looks = {0};
    if (stream->of == STREAM_OF_BRANCHES)
        looks = looks_of_branches(stream, batches);
    else
        looks.falls =
            transfers || length == 1 ? (double)batches : (double)batches * (double)(length - 1);
    if (looks.falls == 0)
        return; /* there are no samples */
    in->rate = looks.falls / (double)stream->population;
    r->taken_rate = in->rate * looks.taken;
    for (size_t b = 0; b < s->graph.block_count; b++)
        in->blocks[b] = (struct flow_measure){
            .measured = length == 1, .rate = in->rate * (double)(s->first[b + 1] - s->first[b])};
    for (size_t i = 0; i < s->graph.edge_count; i++)
        in->edges[i] = (struct flow_measure){.measured = length > 1 && !s->graph.edges[i].busy &&
                                                         !(transfers && s->falls[i]),
                                             .rate = in->rate};
}

/* Weights are divided by their mean, so that the weighted samples of all batches count as many as
 * there are batches. */
static double mean_weight(const struct stream *stream, size_t batches) {
    double sum = 0;
    for (size_t i = 0; i < batches; i++)
        sum += (double)stream_weight(stream, i);
    return batches == 0 ? 1 : sum / (double)batches;
}

/* ---- weighted transfers ---- */

/* Until here an edge's samples are the sum of its weights, whose mean is 1, so that the rate of all
 * would be in->rate. Converts them to effective numbers. */
static void set_effective(const struct reading *r, double batches) {
    struct flow_input *in = r->in;
    const size_t count = in->structure->graph.edge_count;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += r->squares[i];
    const double usual = in->rate;
    in->rate = squares > 0 ? usual * batches / squares : usual;
    for (size_t i = 0; i < count; i++) {
        struct flow_measure *m = &in->edges[i];
        m->rate = m->samples > 0 ? usual * m->samples / r->squares[i] : in->rate;
        m->samples = m->samples > 0 ? m->samples * m->samples / r->squares[i] : 0;
    }
}

/* ---- pooling calls and returns ---- */

/* Samples of the call at a block's end, and of the returns to the block behind it. */
struct routine_use {
    double rate;       /* at which samples are counted here */
    double samples[2]; /* of the call, and of returns */
    size_t edges[2];
};

/* The samples that there would be at another rate. */
static double samples_at(const struct flow_measure *m, double rate) {
    return m->rate == rate ? m->samples : m->samples / m->rate * rate;
}

/* Edges that return, sorted by target. */
struct return_edges {
    uint32_t *edge, *target;
    size_t count;
};

static bool find_returns(struct return_edges *r, const struct structure *s) {
    const struct graph *g = &s->graph;
    uint32_t *edge = calloc(g->edge_count + 1, sizeof *edge), *order = NULL;
    uint32_t *target = calloc(g->edge_count + 1, sizeof *target);
    *r = (struct return_edges){.edge = calloc(g->edge_count + 1, sizeof *r->edge),
                               .target = calloc(g->edge_count + 1, sizeof *r->target)};
    bool ok = edge != NULL && target != NULL && r->edge != NULL && r->target != NULL;
    for (size_t i = 0, block = 0; ok && i < g->edge_count; i++) {
        while (block + 1 < g->block_count && g->blocks[block].entry < g->edges[i].source)
            block++; /* both are sorted */
        if (s->ends[block] != INSN_RETURN)
            continue;
        edge[r->count] = (uint32_t)i;
        target[r->count++] = g->edges[i].target;
    }
    if (ok)
        order = sorted_order(target, r->count);
    ok = order != NULL;
    for (size_t i = 0; ok && i < r->count; i++) {
        r->edge[i] = edge[order[i]];
        r->target[i] = target[order[i]];
    }
    free(order);
    free(edge);
    free(target);
    return ok;
}

/* The call at a block's end, and the block behind it. */
struct routine_call {
    size_t first, end; /* edges that leave the calling block */
    uint32_t behind;
};

/* Calls visit() for each edge of the call and each return edge to the block behind it. */
static void each_use(struct flow_input *in, const struct return_edges *r,
                     const struct routine_call *c,
                     void (*visit)(void *user, struct flow_measure *m, bool back), void *user) {
    for (size_t i = c->first; i < c->end; i++)
        visit(user, &in->edges[i], false);
    for (size_t i = sorted_from(r->target, r->count, c->behind);
         i < r->count && r->target[i] == c->behind; i++)
        visit(user, &in->edges[r->edge[i]], true);
}

static void add_use(void *user, struct flow_measure *m, bool back) {
    struct routine_use *u = user;
    u->samples[back] += samples_at(m, u->rate);
    u->edges[back]++;
}

static void share_use(void *user, struct flow_measure *m, bool back) {
    const struct routine_use *u = user;
    const double mean = (u->samples[0] + u->samples[1]) / 2;
    if (u->samples[back] > 0)
        m->samples *= mean / u->samples[back];
    else
        m->samples = mean / (double)u->edges[back];
}

/* A call and the returns to the block behind it are executed equally often, so both measure one
 * number and get their mean. If they differ by more than sampling noise, the program manipulates
 * its stack, and they are left alone. */
static void pool_with(struct flow_input *in, const struct return_edges *returns) {
    const struct structure *s = in->structure;
    const struct graph *g = &s->graph;
    struct routine_call c = {0};
    for (size_t b = 0; b < g->block_count; b++) {
        const uint32_t last = g->blocks[b].last;
        for (c.first = c.end;
             c.end < g->edge_count && g->edges[c.end].source == g->blocks[b].entry;)
            c.end++;
        c.behind = (last & 0xFFFF0000) | ((last + 3) & 0xFFFF);
        if (s->ends[b] != INSN_CALL || graph_find_block(g, c.behind) == NULL)
            continue;
        struct routine_use u = {.rate = in->rate};
        each_use(in, returns, &c, add_use, &u);
        const double apart = u.samples[0] - u.samples[1], sum = u.samples[0] + u.samples[1];
        if (u.edges[0] > 0 && u.edges[1] > 0 && apart * apart <= 16 * (sum + 1))
            each_use(in, returns, &c, share_use, &u);
    }
}

/* False: out of memory. */
static bool pool_routines(struct flow_input *in) {
    struct return_edges returns;
    const bool found = find_returns(&returns, in->structure);
    if (found)
        pool_with(in, &returns);
    free(returns.edge);
    free(returns.target);
    return found;
}

/* Without weights sums are whole numbers, so equal batches can be taken together. */
static bool take_distinct(const struct reading *r, const struct stream *stream, size_t count) {
    uint64_t *const times = stream_weights(stream, count);
    const bool taken = times != NULL;
    for (size_t i = 0; taken && i < stream->distinct_count; i++)
        if (times[i] > 0)
            take_batch(r, stream_distinct(stream, i), stream_distinct_length(stream, i),
                       (double)times[i]);
    free(times);
    return taken;
}

static void take_each(const struct reading *r, const struct stream *stream, size_t count) {
    const double mean = mean_weight(stream, count);
    for (size_t i = 0; i < count; i++)
        take_batch(r, stream_batch(stream, i), stream_batch_length(stream, i),
                   (double)stream_weight(stream, i) / mean);
}

/* Edges of the distinct batches, found when they first occur. */
struct batch_edges {
    uint32_t *edges; /* of batch number d: edges[d * pairs .. (d + 1) * pairs) */
    bool *found;     /* of each batch */
    size_t pairs;
};

static const uint32_t *edges_of(struct batch_edges *b, const struct reading *r,
                                const struct stream *stream, size_t number) {
    uint32_t *const edges = &b->edges[number * b->pairs];
    const struct sample *const batch = stream_distinct(stream, number);
    for (size_t k = 0; k < b->pairs && !b->found[number]; k++)
        edges[k] = edge_of(r, batch[k].pc, batch[k + 1].pc);
    b->found[number] = true;
    return edges;
}

/* take_each() for batches of two and more instructions that repeat. Sums of weights are not whole
 * numbers, so they are added up in the same order. */
static bool take_each_known(const struct reading *r, const struct stream *stream, size_t count) {
    const double mean = mean_weight(stream, count);
    const size_t pairs = stream->batch_length - 1, distinct = stream->distinct_count;
    struct batch_edges b = {.edges = calloc(distinct * pairs + 1, sizeof *b.edges),
                            .found = calloc(distinct + 1, sizeof *b.found),
                            .pairs = pairs};
    const bool ok = b.edges != NULL && b.found != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const struct sample *const batch = stream_batch(stream, i);
        const uint32_t *const edges = edges_of(&b, r, stream, stream->order[i]);
        const double weight = (double)stream_weight(stream, i) / mean;
        for (size_t k = 0; k < pairs; k++)
            take_pair(r, &batch[k], edges[k], weight);
    }
    free(b.edges);
    free(b.found);
    return ok;
}

/* False: out of memory. */
static bool take_all(const struct reading *r, const struct stream *stream, size_t count) {
    if (stream->order != NULL && stream->cycles == NULL)
        return take_distinct(r, stream, count);
    if (stream->order != NULL && stream->first == NULL && stream->batch_length > 1)
        return take_each_known(r, stream, count);
    take_each(r, stream, count);
    return true;
}

/* False: out of memory. */
static bool read_samples(struct reading *r, const struct stream *stream, size_t count, bool pool) {
    set_rates(r, stream, count);
    if (!take_all(r, stream, count))
        return false;
    if (r->squares != NULL && count > 0)
        set_effective(r, (double)count);
    return !pool || stream->batch_length <= 1 || pool_routines(r->in);
}

enum status flow_input_make(struct flow_input *in, const struct stream *stream, size_t batches,
                            bool pool, struct error *e) {
    *in = (struct flow_input){.structure = stream->structure};
    if (stream->structure == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "flow needs the program's structure beside the samples (hotgraph "
                         "structure; --structure FILE)");
    if (stream->population == 0 && stream->batch_count > 0)
        return error_set(e, STATUS_ARGUMENT,
                         "flow needs to know of how many executions this is a sample; streams that "
                         "this program has recorded say so in their first line");
    const size_t count = batches < stream->batch_count ? batches : stream->batch_count;
    struct reading r = {.in = in, .insn_count = structure_insn_count(stream->structure)};
    const size_t edges = stream->structure->graph.edge_count + 1;
    const bool effective = stream->cycles != NULL && stream->of == STREAM_OF_TRANSFERS;
    in->blocks = calloc(stream->structure->graph.block_count + 1, sizeof *in->blocks);
    in->edges = calloc(edges, sizeof *in->edges);
    r.squares = effective ? calloc(edges, sizeof *r.squares) : NULL;
    if (in->blocks == NULL || in->edges == NULL || (effective && r.squares == NULL)) {
        free(r.squares);
        return error_set(e, STATUS_MEMORY, "out of memory for flow");
    }
    enum status status = structure_places(&r.places, stream->structure, e);
    if (status == STATUS_OK) {
        if (!read_samples(&r, stream, count, pool))
            status = error_set(e, STATUS_MEMORY, "out of memory for flow");
        in->records = in->observed = stream_observed(stream, count);
        free(r.places);
    }
    free(r.squares);
    return status;
}

void flow_input_free(struct flow_input *in) {
    free(in->blocks);
    free(in->edges);
    *in = (struct flow_input){0};
}
