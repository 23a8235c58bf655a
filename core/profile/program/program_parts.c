/*
 * The trace is decoded once. What executes is written anew, part by part, with the instructions that are there when the
 * part begins.
 */
#include "profile/program/program_parts.h"

#include <stdlib.h>
#include <string.h>

enum { PSB = 1 << 16 }; /* bytes between synchronisation points */

/* Where the next part ends; both functions cut at the same transfers. */
struct cutting {
    struct packet_decoder decoder;
    const struct program_trace *trace;
    const uint64_t *at;
    size_t cuts, next; /* next: number of the current part */
    uint64_t transfers;
    enum status status;
    struct error *e;
};

static bool ends_part(const struct cutting *c) {
    return c->status == STATUS_OK && c->next < c->cuts && c->decoder.instructions >= c->at[c->next];
}

/* Decoding ends when the decoder is told that there is no memory. */
static void give_up(struct cutting *c, enum status status) {
    c->status = status;
    c->decoder.out_of_memory = true;
}

static enum status decode(struct cutting *c, const struct packet_events *events, void *user) {
    struct error said;
    const enum status status = program_trace_decode(c->trace, &c->decoder, events, user, &said);
    if (c->status != STATUS_OK)
        return c->status;
    if (status != STATUS_OK && c->e != NULL)
        *c->e = said;
    return status;
}

/* ---- all flow up to each mark ---- */

struct marking {
    struct cutting cutting; /* first */
    enum status (*each)(void *user, const struct program_mark *mark, struct flow *flow,
                        struct error *e);
    void *user;
};

static void mark_end(struct marking *m, uint64_t instructions) {
    struct cutting *c = &m->cutting;
    const struct program_mark here = {c->next++, instructions, c->transfers};
    struct flow flow = {0};
    packet_decoder_flow(&c->decoder, &flow);
    enum status status = c->decoder.out_of_memory
                             ? error_set(c->e, STATUS_MEMORY, "out of memory for parts of a trace")
                             : m->each(m->user, &here, &flow, c->e);
    flow_free(&flow);
    if (status != STATUS_OK)
        give_up(c, status);
}

static void mark_at_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                             bool strays, void **tag) {
    struct marking *m = user;
    (void)insn, (void)to, (void)taken, (void)strays, (void)tag;
    m->cutting.transfers++;
    while (ends_part(&m->cutting))
        mark_end(m, m->cutting.decoder.instructions);
}

static void nothing_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    (void)user, (void)at, (void)handler, (void)from;
}

enum status program_parts_flow(const struct program_trace *trace, const uint64_t *at, size_t cuts,
                               enum status (*each)(void *user, const struct program_mark *mark,
                                                   struct flow *flow, struct error *e),
                               void *user, struct error *e) {
    static const struct packet_events events = {.begins = nothing_begins,
                                                .transfer = mark_at_transfer};
    struct marking m = {{.trace = trace, .at = at, .cuts = cuts, .e = e}, each, user};
    enum status status = decode(&m.cutting, &events, &m);
    while (status == STATUS_OK && m.cutting.next <= cuts) {
        mark_end(&m, trace->instructions);
        status = m.cutting.status;
    }
    packet_decoder_free(&m.cutting.decoder);
    return status;
}

/* ---- a trace of each part ---- */

struct writing {
    struct cutting cutting; /* first */
    const struct program_parts *parts;
    VEC(struct code_insn) insns; /* that are there now, one at each address */
    struct map insn_at;          /* address -> 1 + index */
    bool on;                     /* the current part is written */
    struct packet_writer writer;
    struct program_trace part; /* its instructions and changes; images are borrowed */
    uint64_t begun;            /* instructions executed before it */
};

static bool out_of_memory(struct writing *w) {
    give_up(&w->cutting,
            error_set(w->cutting.e, STATUS_MEMORY, "out of memory for parts of a trace"));
    return false;
}

static bool place_insn(struct writing *w, const struct code_insn *insn, bool anew) {
    uint64_t *index = map_at(&w->insn_at, insn->address);
    if (index == NULL)
        return out_of_memory(w);
    if (*index != 0) {
        if (anew)
            w->insns.at[*index - 1] = *insn;
        return true;
    }
    if (!vec_push(&w->insns, *insn))
        return out_of_memory(w);
    *index = w->insns.len;
    return true;
}

static void note_change(struct writing *w, struct code_change change) {
    packets_flush(&w->writer);
    change.at = packets_written(&w->writer);
    if (!vec_push(&w->part.changes, change))
        out_of_memory(w);
}

static bool wants(const struct writing *w) {
    const struct program_parts *p = w->parts;
    return p->wants == NULL || p->wants(p->user, w->cutting.next);
}

/* Begins the current part's trace, without any context yet. */
static void open_part(struct writing *w) {
    packets_free(&w->writer);
    w->writer = (struct packet_writer){.tnt_most = PACKET_TNT_LONG, .psb = PSB};
    w->part.insns.len = w->part.changes.len = 0;
    w->begun = w->cutting.decoder.instructions;
    w->on = w->parts->from_start || wants(w);
    if (!w->on)
        return;
    if (!vec_reserve(&w->part.insns, w->insns.len + 1)) {
        out_of_memory(w);
        return;
    }
    memcpy(w->part.insns.at, w->insns.at, w->insns.len * sizeof *w->insns.at);
    w->part.insns.len = w->insns.len;
}

/* Those that are interrupted begin in their order, where they will go on. */
static void begin_contexts(struct writing *w, uint32_t at) {
    const struct packet_decoder *d = &w->cutting.decoder;
    for (size_t i = 0; i <= d->contexts.len; i++) {
        const uint32_t start = i < d->contexts.len ? d->contexts.at[i] : at;
        if (i == 0)
            packets_enable(&w->writer, start);
        else
            packets_interrupt(&w->writer, d->contexts.at[i - 1], start);
    }
}

static enum status hand_over(struct writing *w, uint64_t instructions) {
    struct program_trace *part = &w->part;
    const struct program_parts *p = w->parts;
    if (w->writer.out_of_memory)
        return error_set(w->cutting.e, STATUS_MEMORY, "out of memory for parts of a trace");
    part->packets = w->writer.out.at;
    part->length = w->writer.out.len;
    part->instructions = instructions - w->begun;
    memcpy(part->program, w->cutting.trace->program, sizeof part->program);
    enum status status = program_trace_learn(part, w->cutting.e);
    if (status == STATUS_OK)
        status = p->each(p->user, w->cutting.next, part, w->cutting.e);
    structure_free(&part->structure);
    part->structure = (struct structure){0};
    return status;
}

/* The current part ends before `at`, and the next one begins there. */
static void cut(struct writing *w, uint32_t at, uint64_t instructions) {
    enum status status = STATUS_OK;
    if (w->on)
        packets_disable(&w->writer, at);
    if (w->on && wants(w))
        status = hand_over(w, instructions);
    if (status != STATUS_OK)
        give_up(&w->cutting, status);
    if (++w->cutting.next > w->cutting.cuts)
        return;
    if (w->parts->from_start) {
        packets_enable(&w->writer, at);
        return;
    }
    open_part(w);
    if (w->on)
        begin_contexts(w, at);
}

/* ---- what is executed ---- */

static void write_begin(void *user, uint32_t at, bool handler, uint32_t from) {
    struct writing *w = user;
    if (w->on && handler)
        packets_interrupt(&w->writer, from, at);
    else if (w->on)
        packets_enable(&w->writer, at);
}

static void write_resumption(void *user, uint32_t to) {
    struct writing *w = user;
    if (w->on)
        packets_jump(&w->writer, to);
}

static void write_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                           bool strays, void **tag) {
    struct writing *w = user;
    (void)tag;
    if (w->on && strays)
        note_change(w, (struct code_change){.insn = *insn, .once = true, .to = to});
    if (w->on)
        packets_write_transfer(&w->writer, insn, to, taken, strays);
    while (ends_part(&w->cutting))
        cut(w, to, w->cutting.decoder.instructions);
}

static void write_change(void *user, const struct code_insn *insn) {
    struct writing *w = user;
    if (place_insn(w, insn, true) && w->on)
        note_change(w, (struct code_change){.insn = *insn});
}

static enum status write_all(struct writing *w) {
    static const struct packet_events events = {.begins = write_begin,
                                                .resumes = write_resumption,
                                                .transfer = write_transfer,
                                                .changes = write_change};
    const struct program_trace *t = w->cutting.trace;
    for (size_t i = 0; i < t->insns.len; i++)
        if (!place_insn(w, &t->insns.at[i], false))
            return w->cutting.status;
    open_part(w);
    enum status status = decode(&w->cutting, &events, w);
    while (status == STATUS_OK && w->cutting.next <= w->cutting.cuts) {
        cut(w, w->cutting.decoder.left_at, t->instructions);
        status = w->cutting.status;
    }
    return status;
}

enum status program_parts_each(const struct program_parts *parts, struct error *e) {
    struct writing w = {
        .cutting = {.trace = parts->trace, .at = parts->at, .cuts = parts->cuts, .e = e},
        .parts = parts};
    memcpy(&w.part.images, &parts->trace->images, sizeof w.part.images);
    const enum status status = write_all(&w);
    packet_decoder_free(&w.cutting.decoder);
    packets_free(&w.writer);
    vec_free(&w.insns);
    map_free(&w.insn_at);
    vec_free(&w.part.insns);
    vec_free(&w.part.changes);
    return status;
}
