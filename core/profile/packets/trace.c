/*
 * trace: control flow as Intel PT traces it, and decoded again (Intel, Software Developer's Manual, volume 3,
 * chapter "Intel Processor Trace"). packets.h has the packets.
 *
 * The processor writes into a ring of `buffer` KiB (0: all is kept). Every `interval` milliseconds a sample
 * is taken: an interrupt pauses tracing, and what is in the ring is decoded. What was overwritten since the
 * last sample is lost, and so is what precedes the first synchronisation point in the ring, unless nothing
 * was overwritten. The graph has the counts of what was decoded. With `buffer` 0 it is the exact graph, but
 * for passes of loops that need no packet (packets_decode.c).
 *
 * The decoder reads the program as it was loaded. What changes it is noted beside the trace: code in writable
 * memory, banks that are switched so that a jump leads into another one, and a bank that is switched under
 * the running code.
 *
 * The processor writes packets beside the program, so probes are only the samples. Records are packets;
 * observed are decoded instructions; a step is a packet or an instruction of the decoder. Busy-waits are
 * traced like all code.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/packets/packet_tracer.h"
#include "profile/profile.h"

extern const struct technique technique_trace;

enum { BUFFER, INTERVAL, PSB, TNT, RETURNS };

struct trace {
    struct packet_tracer *tracer;
    uint64_t ring; /* bytes; 0: all */
    uint64_t samples;
};

/* ---- the technique ---- */

/* Decodes what is in the ring, and empties it. */
static void sampled(void *user, struct packet_tracer *tracer) {
    struct trace *t = user;
    struct packet_writer *w = &tracer->writer;
    const size_t kept = t->ring == 0 || w->out.len < t->ring ? w->out.len : t->ring;
    const size_t from = w->out.len - kept;
    packets_decode(&tracer->decoder, w->out.at + from, kept, w->removed + from);
    w->removed += w->out.len;
    w->out.len = 0;
    t->samples++;
}

static void abandon(void *self) {
    struct trace *t = self;
    if (t == NULL)
        return;
    packet_tracer_free(t->tracer);
    free(t);
}

/* interval: in the clock's units. */
static struct packet_tracer_options tracer_options(struct trace *t, const int64_t *values,
                                                   uint64_t interval) {
    return (struct packet_tracer_options){.interval = interval,
                                          .psb = (uint64_t)values[PSB] * 1024,
                                          .tnt_most =
                                              values[TNT] == 0 ? PACKET_TNT_SHORT : PACKET_TNT_LONG,
                                          .whole_returns = values[RETURNS] == 1,
                                          .sampled = sampled,
                                          .user = t};
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    *self = NULL;
    struct trace *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for trace");
    t->ring = (uint64_t)values[BUFFER] * 1024;
    const struct packet_tracer_options options = /* 39375000 / 22 Hz */
        tracer_options(t, values, (uint64_t)values[INTERVAL] * 39375000 / 22000);
    const enum status status = packet_tracer_attach(&t->tracer, nes, &options, e);
    if (status == STATUS_OK)
        *self = t;
    else
        free(t);
    return status;
}

static void tell(struct profile *out, const struct trace *t) {
    const struct packet_writer *w = &t->tracer->writer;
    const struct packet_decoder *d = &t->tracer->decoder;
    const struct named_count counts[] = {
        {"trace_bytes_written", packets_written(w)},
        {"tnt_packets", w->tnt},
        {"tip_packets", w->tip},
        {"fup_packets", w->fup},
        {"psb_packets", w->psbs},
        {"trace_bytes_lost", d->lost},
        {"trace_samples", t->samples},
        {"code_changes", d->changes.len},
        {"decoded_instructions", d->instructions},
        {"decoding_errors", d->errors},
    };
    _Static_assert(sizeof counts / sizeof *counts <= PROFILE_COUNTS, "room for them");
    out->count_count = sizeof counts / sizeof *counts;
    for (size_t i = 0; i < out->count_count; i++)
        out->counts[i] = counts[i];
    out->cost = (struct cost){.records = w->tnt + w->tip + w->fup + w->psbs + w->others,
                              .probes = t->samples,
                              .observed = d->instructions,
                              .steps = d->packets + d->instructions};
}

/* Makes the graph of all that was decoded. */
static enum status conclude(struct profile *out, const struct trace *t, struct error *e) {
    struct packet_tracer *tracer = t->tracer;
    struct flow flow = {0};
    *out = (struct profile){0};
    packet_decoder_flow(&tracer->decoder, &flow);
    for (size_t i = 0; i < tracer->insns.len; i++)
        tracer->out_of_memory |= !vec_push(&flow.insns, tracer->insns.at[i]);
    const bool out_of_memory =
        tracer->out_of_memory || tracer->writer.out_of_memory || tracer->decoder.out_of_memory;
    const enum status status = out_of_memory
                                   ? error_set(e, STATUS_MEMORY, "out of memory for trace")
                                   : graph_from_flow(&out->graph, &flow, true, e);
    if (status == STATUS_OK)
        tell(out, t);
    flow_free(&flow);
    return status;
}

static enum status finish(void *self, struct profile *out, struct error *e) {
    struct trace *t = self;
    packet_tracer_end(t->tracer);
    const enum status status = conclude(out, t, e);
    abandon(t);
    return status;
}

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    struct trace t = {.ring = (uint64_t)values[BUFFER] * 1024};
    const struct packet_tracer_options options =
        tracer_options(&t, values, (uint64_t)values[INTERVAL] * (PROGRAM_TICKS / 1000));
    enum status status = packet_tracer_replay(&t.tracer, program, &options, e);
    if (status == STATUS_OK)
        status = conclude(out, &t, e);
    if (status == STATUS_OK)
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    packet_tracer_free(t.tracer);
    return status;
}

static const char *const tnt_words[] = {"short", "long", NULL};
static const char *const return_words[] = {"compressed", "whole", NULL};

const struct technique technique_trace = {
    .name = "trace",
    .summary =
        "a processor's trace of its control flow, a bit a branch, sampled or whole, and decoded",
    .source = "Intel, Software Developer's Manual, volume 3, chapter Intel Processor Trace",
    .parameters =
        {
            {"buffer", "KiB that are kept at each sample; 0: all", 0, 1 << 16, 0, NULL},
            {"interval", "milliseconds from one sample to the next", 1, 3600000, 1000, NULL},
            {"psb", "KiB from one synchronisation point to the next", 2, 1 << 16, 2, NULL},
            {"tnt", "outcomes in a packet at most", 0, 1, 0, tnt_words},
            {"returns", "returns to the address after their call", 0, 1, 0, return_words},
        },
    .each_transfer = true,
    .in_hardware = true,
    .attach = attach,
    .finish = finish,
    .abandon = abandon,
    .replay = replay,
};
