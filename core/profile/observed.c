/*
 * observed: the graph of the sampled transitions, the baseline for all techniques. Applies the
 * block rule of the exact graph to consecutive samples of a batch.
 *
 * A conditional branch counts to its target or to pc + size, JMP and JSR to their target, RTS and
 * JMP (indirect) to the next sample; all others only to pc + size. Other transitions (RTI, BRK, an
 * interrupt in between) are ignored.
 *
 * Costs: records and observed are the samples of the batches; a step is one pair of consecutive
 * samples.
 */
#include "profile/profile.h"

#include <stdlib.h>

extern const struct technique technique_observed;

enum pair { PAIR_UNUSED, PAIR_STRAIGHT, PAIR_TRANSFER, PAIR_KINDS };

struct observed {
    struct map pairs[PAIR_KINDS]; /* (a << 32 | b) -> count */
    uint64_t steps;
};

static enum pair classify(const struct sample *a, uint32_t to) {
    /* The sum wraps at 32 bits, as code addresses do. */
    bool straight = to == (uint32_t)(a->pc + a->size);
    switch ((enum insn_kind)a->kind) {
    case INSN_PLAIN:
        return straight ? PAIR_STRAIGHT : PAIR_UNUSED;
    case INSN_BRANCH:
        return straight || to == a->target ? PAIR_TRANSFER : PAIR_UNUSED;
    case INSN_JUMP:
    case INSN_CALL:
        return to == a->target ? PAIR_TRANSFER : PAIR_UNUSED;
    case INSN_JUMP_INDIRECT:
    case INSN_RETURN:
        return PAIR_TRANSFER;
    default:
        return PAIR_UNUSED;
    }
}

static bool take_batch(struct observed *o, const struct sample *batch, size_t length,
                       uint64_t weight) {
    for (size_t i = 0; i + 1 < length; i++) {
        enum pair kind = classify(&batch[i], batch[i + 1].pc);
        if (kind == PAIR_UNUSED)
            continue;
        uint64_t *count = map_at(&o->pairs[kind], (uint64_t)batch[i].pc << 32 | batch[i + 1].pc);
        if (count == NULL)
            return false;
        *count += weight;
    }
    o->steps += length - 1;
    return true;
}

/* The first `batches` batches, each distinct one once. */
static bool take_distinct(struct observed *o, const struct stream *s, size_t batches) {
    uint64_t *const weights = stream_weights(s, batches);
    bool ok = weights != NULL;
    for (size_t i = 0; ok && i < s->distinct_count; i++)
        if (weights[i] > 0)
            ok = take_batch(o, stream_distinct(s, i), stream_distinct_length(s, i), weights[i]);
    free(weights);
    o->steps = stream_samples(s, batches) - batches;
    return ok;
}

static enum status make_profile(const struct observed *o, const struct stream *stream,
                                size_t batches, struct profile *out, struct error *e) {
    const uint64_t samples = stream_observed(stream, batches);
    struct flow flow = {0};
    enum status status = STATUS_OK;
    for (int kind = PAIR_STRAIGHT; kind < PAIR_KINDS; kind++) {
        uint64_t key, count;
        for (size_t at = 0; map_next(&o->pairs[kind], &at, &key, &count);) {
            struct flow_pair p = {(uint32_t)(key >> 32), (uint32_t)key, count,
                                  kind == PAIR_TRANSFER};
            if (!vec_push(&flow.pairs, p))
                status = error_set(e, STATUS_MEMORY, "out of memory for observed");
        }
    }
    *out = (struct profile){
        .cost = {
            .records = samples, .observed = samples, .probes = stream->probes, .steps = o->steps}};
    if (status == STATUS_OK)
        status = graph_from_flow(&out->graph, &flow, false, e);
    flow_free(&flow);
    return status;
}

static void observed_free(struct observed *o) {
    for (int kind = 0; kind < PAIR_KINDS; kind++)
        map_free(&o->pairs[kind]);
}

/* Takes the batches from *done to before `until`. */
static enum status advance(struct observed *o, const struct stream *s, size_t *done, size_t until,
                           struct error *e) {
    for (; *done < until; ++*done)
        if (!take_batch(o, stream_batch(s, *done), stream_batch_length(s, *done),
                        stream_weight(s, *done)))
            return error_set(e, STATUS_MEMORY, "out of memory for observed");
    return STATUS_OK;
}

static enum status observed_build_at(const struct stream *stream, const size_t *marks,
                                     size_t mark_count, const int64_t *values,
                                     enum status (*each)(void *user, size_t batches,
                                                         const struct profile *p, struct error *e),
                                     void *user, struct error *e) {
    (void)values;
    struct observed o = {0};
    size_t done = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < mark_count && status == STATUS_OK; i++) {
        struct profile p = {0};
        status = advance(&o, stream, &done, marks[i], e);
        if (status == STATUS_OK)
            status = make_profile(&o, stream, done, &p, e);
        if (status == STATUS_OK)
            status = each(user, done, &p, e);
        profile_free(&p);
    }
    observed_free(&o);
    return status;
}

static enum status observed_build(struct profile *out, const struct stream *stream, size_t batches,
                                  const int64_t *values, struct error *e) {
    (void)values;
    *out = (struct profile){0};
    struct observed o = {0};
    const size_t count = batches < stream->batch_count ? batches : stream->batch_count;
    size_t done = 0;
    enum status status = STATUS_OK;
    if (stream->order == NULL)
        status = advance(&o, stream, &done, count, e);
    else if (!take_distinct(&o, stream, count))
        status = error_set(e, STATUS_MEMORY, "out of memory for observed");
    if (status == STATUS_OK)
        status = make_profile(&o, stream, count, out, e);
    observed_free(&o);
    return status;
}

/* ---- incremental interface ---- */

struct growing_observed {
    struct observed observed;
    const struct stream *shape;
};

static enum status begin(void **self, const struct stream *shape, const int64_t *values,
                         struct error *e) {
    (void)values;
    struct growing_observed *g = *self = calloc(1, sizeof *g);
    if (g == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for observed");
    g->shape = shape;
    return STATUS_OK;
}

static bool take(void *self, const struct sample *batch, uint64_t weight) {
    struct growing_observed *g = self;
    return take_batch(&g->observed, batch, g->shape->batch_length, weight);
}

static enum status profile_now(void *self, size_t batches, uint64_t probes, struct profile *out,
                               struct error *e) {
    const struct growing_observed *g = self;
    const struct stream stream = {
        .batch_length = g->shape->batch_length, .of = g->shape->of, .probes = probes};
    return make_profile(&g->observed, &stream, batches, out, e);
}

static void end(void *self) {
    observed_free(&((struct growing_observed *)self)->observed);
    free(self);
}

static const struct technique_growing growing = {begin, take, profile_now, end};

const struct technique technique_observed = {
    .name = "observed",
    .summary = "the graph read directly off the samples: the baseline",
    .source = "definition: the canonical block rule on consecutive samples",
    .build = observed_build,
    .build_at = observed_build_at,
    .growing = &growing,
};
