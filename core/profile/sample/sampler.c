/*
 * sampler: records batches of consecutive executed instructions, or single control transfers. Each
 * method of choosing them has a file (sampler_time.c, sampler_instructions.c, sampler_transfers.c,
 * sampler_clock.c, sampler_lbr.c), which this one uses; they use sampler_recorded.c and sampler_batch.c.
 */
#include "profile/sample/samplers.h"

#include "profile/structure/structure.h"

#include <stdlib.h>

const char *const sampler_by_words[] = {"time",  "instructions", "transfers", "active",
                                        "clock", "lbr",          "lbr_taken", NULL};
const char *const sampler_place_words[] = {"regular", "stratified", "golden", "calls", NULL};

static bool by_transfers(const struct sampler_options *o) {
    return o->by == SAMPLER_TRANSFERS || o->by == SAMPLER_ACTIVE;
}

static bool by_interval(const struct sampler_options *o) {
    return o->by == SAMPLER_TIME || o->by == SAMPLER_CLOCK || o->by == SAMPLER_LBR;
}

static bool of_branches(const struct sampler_options *o) {
    return o->by == SAMPLER_LBR || o->by == SAMPLER_LBR_TAKEN;
}

/* Batches are a transfer and its destination. */
static bool of_transfers(const struct sampler_options *o) {
    return by_transfers(o) || o->by == SAMPLER_CLOCK;
}

/* Number of executed transfers of the sampled kind; 0: unknown. */
static uint64_t known_transfers(const struct sampler_options *o) {
    const struct structure *s = o->structure;
    if (s == NULL || s->transfers == 0 || o->by == SAMPLER_TRANSFERS)
        return s == NULL ? 0 : s->transfers;
    uint64_t busy = 0;
    for (size_t i = 0; i < s->graph.edge_count; i++)
        if (s->graph.edges[i].busy && !s->falls[i])
            busy += s->graph.edges[i].count;
    return s->transfers > busy ? s->transfers - busy : 0;
}

/* Strides until here are odd: see set_every(). A longer one rarely takes two samples from one execution of a
 * loop, because positions shift at interrupts and calls. */
enum { SMALL_STRIDE = 1000 };

/* Loops often have an even number of transfers in each pass. A fixed even stride would then sample the same half
 * of them in every pass. */
static bool resonates(const struct sampler_options *o) {
    return o->place != SAMPLER_STRATIFIED && o->every <= SMALL_STRIDE && o->every % 2 == 0;
}

/* Sets the smallest stride that observes at most per_million of all instructions, or the next one, which is odd. */
static enum status set_every(struct sampler_options *o, struct error *e) {
    unsigned __int128 of = by_transfers(o) ? known_transfers(o) : o->batch_length;
    unsigned __int128 most = o->per_million;
    if (by_transfers(o))
        most *= o->structure != NULL ? o->structure->executed : 0;
    if (of == 0 || most == 0)
        return error_set(e, STATUS_ARGUMENT,
                         "sampling transfers per million instructions needs a structure with the "
                         "number of transfers; record it again");
    const unsigned __int128 every = (of * 1000000 + most - 1) / most;
    o->every = every > UINT64_C(1) << 48 ? UINT64_C(1) << 48 : (uint64_t)every;
    o->every += resonates(o);
    return STATUS_OK;
}

static enum status check_every(struct sampler_options *o, struct error *e) {
    if (by_interval(o) && o->per_million != 0)
        return error_set(e, STATUS_ARGUMENT, "sampling by time needs an interval");
    if (by_interval(o))
        return STATUS_OK;
    if (o->every != 0 && o->per_million != 0)
        return error_set(e, STATUS_ARGUMENT, "give either one of every N, or N per million");
    if (o->per_million != 0 && of_branches(o))
        return error_set(e, STATUS_ARGUMENT,
                         "how many branches are taken is not known; sample one of every N");
    if (o->per_million > 1000000)
        return error_set(e, STATUS_ARGUMENT, "at most a million of every million can be sampled");
    if (o->per_million != 0)
        return set_every(o, e);
    if (o->every == 0 || o->every > UINT64_C(1) << 48)
        return error_set(e, STATUS_ARGUMENT,
                         "sampling by instructions or transfers takes one of every 1 to 2^48");
    return STATUS_OK;
}

static enum status check(struct sampler_options *o, struct error *e) {
    if (o->interval_us == 0)
        o->interval_us = 3000;
    if (o->batch_length == 0)
        o->batch_length = 25;
    if (o->next == 0)
        o->next = 1;
    if (o->stack == 0)
        o->stack = 16;
    if (of_transfers(o) || of_branches(o))
        o->batch_length = 2;
    if (o->interval_us > 3600u * 1000000u || o->jitter_us > 3600u * 1000000u)
        return error_set(e, STATUS_ARGUMENT, "a sampling interval or jitter is at most one hour");
    if (o->batch_length > SAMPLER_BATCH_MOST)
        return error_set(e, STATUS_ARGUMENT, "a batch is at most %d instructions, not %u",
                         SAMPLER_BATCH_MOST, o->batch_length);
    if (o->next > SAMPLER_NEXT_MOST)
        return error_set(e, STATUS_ARGUMENT,
                         "at a due cycle at most %d transfers are taken, not %u", SAMPLER_NEXT_MOST,
                         o->next);
    if (o->window > SAMPLER_WINDOW_MOST || (o->window > 0 && o->next > 1))
        return error_set(e, STATUS_ARGUMENT,
                         "a window is at most %d cycles, and takes all transfers in it",
                         SAMPLER_WINDOW_MOST);
    if (o->by == SAMPLER_CLOCK && o->interval_us < SAMPLER_CLOCK_LEAST_US)
        return error_set(e, STATUS_ARGUMENT, "by the clock, samples are at least %d us apart",
                         SAMPLER_CLOCK_LEAST_US);
    if (o->by != SAMPLER_TIME && o->weigh)
        return error_set(e, STATUS_ARGUMENT, "only samples by time are biased and can be weighted");
    if (o->place != SAMPLER_REGULAR && by_interval(o))
        return error_set(e, STATUS_ARGUMENT, "samples by time are regular, or have a jitter");
    if (of_branches(o) && (o->stack < 2 || o->stack > SAMPLER_STACK_MOST ||
                           o->skip + 1 >= o->stack || o->take != NULL))
        return o->take != NULL
                   ? error_set(e, STATUS_ARGUMENT,
                               "last taken branches differ in length and cannot be handed over "
                               "batch by batch; record them")
                   : error_set(e, STATUS_ARGUMENT,
                               "a sample has 2 to %d last taken branches, of which at least 2 must "
                               "not be skipped",
                               SAMPLER_STACK_MOST);
    if (o->place >= SAMPLER_GOLDEN && !by_transfers(o))
        return error_set(e, STATUS_ARGUMENT, "golden positions are only for transfers");
    if (o->by == SAMPLER_ACTIVE && o->structure == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "sampling active transfers needs the structure, which knows busy-waits");
    return check_every(o, e);
}

enum status sampler_make(struct sampler **out, struct nes *nes, struct sampler_options options,
                         struct error *e) {
    *out = NULL;
    enum status status = check(&options, e);
    if (status != STATUS_OK)
        return status;
    struct sampler *s = calloc(1, sizeof *s);
    if (s == NULL || (s->batch = calloc(options.batch_length, sizeof *s->batch)) == NULL) {
        free(s);
        return error_set(e, STATUS_MEMORY, "out of memory for a sampler");
    }
    s->stream.stream.batch_length = options.batch_length;
    s->nes = nes;
    s->options = options;
    s->start = nes_instructions(nes);
    *out = s;
    return STATUS_OK;
}

enum status sampler_attach(struct sampler **out, struct nes *nes, struct sampler_options given,
                           struct error *e) {
    struct sampler *s;
    enum status status = sampler_make(&s, nes, given, e);
    *out = NULL;
    if (status != STATUS_OK)
        return status;
    const struct sampler_options options = s->options;
    if (by_transfers(&options) || options.by == SAMPLER_LBR_TAKEN)
        status = sampler_transfers_prepare(s, e);
    struct observer observer = by_transfers(&options)               ? sampler_by_transfers
                               : of_branches(&options)              ? sampler_by_lbr
                               : options.by == SAMPLER_CLOCK        ? sampler_by_clock
                               : options.by == SAMPLER_INSTRUCTIONS ? sampler_by_instructions
                                                                    : sampler_by_time;
    observer.self = s;
    if (status == STATUS_OK)
        status = nes_attach(nes, &observer, &s->id, e);
    s->attached = status == STATUS_OK;
    if (status != STATUS_OK) {
        sampler_free(s);
        return status;
    }
    if (by_transfers(&options))
        sampler_transfers_begin(s);
    else if (of_branches(&options))
        sampler_lbr_begin(s);
    else if (options.by == SAMPLER_INSTRUCTIONS)
        sampler_instructions_begin(s);
    else if (options.by == SAMPLER_CLOCK)
        sampler_clock_begin(s);
    else
        sampler_time_begin(s);
    *out = s;
    return STATUS_OK;
}

void sampler_describe(const struct sampler *s, struct stream *out) {
    const uint64_t executed = nes_instructions(s->nes) - s->start;
    const bool transfers = by_transfers(&s->options), clock = s->options.by == SAMPLER_CLOCK;
    *out = (struct stream){.batch_length = s->options.batch_length,
                           .batch_count = s->stream.stream.batch_count,
                           .overruns = s->overruns,
                           .of = of_branches(&s->options)    ? STREAM_OF_BRANCHES
                                 : of_transfers(&s->options) ? STREAM_OF_TRANSFERS
                                                             : STREAM_OF_BATCHES,
                           .active = s->options.by == SAMPLER_ACTIVE,
                           .population = transfers ? sampler_transfers_passed(s)
                                         : clock   ? sampler_clock_population(s)
                                                   : executed,
                           .executed = executed,
                           .probes = transfers                  ? sampler_transfers_probes(s)
                                     : clock                    ? s->clock.kept
                                     : of_branches(&s->options) ? sampler_lbr_probes(s)
                                                                : nes_probes_fired(s->nes, s->id)};
}

enum status sampler_finish(struct sampler *s, struct stream *out, struct error *e) {
    *out = (struct stream){0};
    enum status status = STATUS_OK;
    if (s->out_of_memory) {
        status = error_set(e, STATUS_MEMORY, "out of memory after %zu batches",
                           s->stream.stream.batch_count);
    } else {
        sampler_describe(s, out);
        const struct stream made = stream_made(&s->stream);
        if (out->of == STREAM_OF_BRANCHES)
            out->batch_length = made.batch_count > 0 ? made.batch_length : 1;
        out->batches = made.batches;
        out->first = made.first;
        out->distinct_count = made.distinct_count;
        out->order = made.order;
        out->cycles = s->cycles.at;
        s->cycles.at = NULL;
    }
    sampler_free(s);
    return status;
}

enum status sampler_attach_counting(struct sampler **out, struct nes *nes, struct error *e) {
    const struct sampler_options never = {.by = SAMPLER_TRANSFERS, .every = UINT64_C(1) << 48};
    return sampler_attach(out, nes, never, e);
}

enum status sampler_finish_counting(struct sampler *c, struct structure *s, struct error *e) {
    struct stream none;
    const enum status status = sampler_finish(c, &none, e);
    if (status == STATUS_OK) {
        s->executed = none.executed;
        s->transfers = none.population;
    }
    stream_free(&none);
    return status;
}

void sampler_free(struct sampler *s) {
    if (s == NULL)
        return;
    if (s->attached)
        nes_detach(s->nes, s->id);
    sampler_transfers_release(s);
    sampler_lbr_release(s);
    stream_unmake(&s->stream);
    vec_free(&s->cycles);
    sampler_forget_traces(s);
    free(s->batch);
    free(s);
}
