/*
 * Samples of a recorded program, taken from its trace: those that `record` takes while it runs.
 *
 * In a trace an interrupt comes before the last instruction of the interrupted context, which the recorder has
 * counted by then: so each interrupted context is one instruction ahead here.
 */
#include "profile/program/program_trace.h"

#include <stdlib.h>
#include <string.h>

struct sampling {
    const struct program_sampling *how;
    struct packet_decoder decoder;
    struct map insn_at; /* address -> index of the instruction that is there now */
    VEC(struct code_insn) insns;
    uint32_t at;        /* the next instruction, */
    uint64_t executed;  /* and how many were executed before it, as the recorder counts */
    uint64_t transfers; /* executed */
    uint64_t due;       /* number of the instruction or transfer with which the next batch begins */
    uint64_t stratum;
    struct sample *batch;
    unsigned taken; /* samples of it */
    struct stream_maker stream;
    bool out_of_memory, unknown;
};

/* ---- the program ---- */

static void note_insn(struct sampling *s, const struct code_insn *insn, bool anew) {
    uint64_t *index = map_at(&s->insn_at, insn->address);
    if (index == NULL) {
        s->out_of_memory = true;
    } else if (*index == 0) {
        s->out_of_memory |= !vec_push(&s->insns, *insn);
        *index = s->insns.len;
    } else if (anew) {
        s->insns.at[*index - 1] = *insn;
    }
}

static const struct code_insn *insn_at(struct sampling *s, uint32_t address) {
    const uint64_t *index = map_find(&s->insn_at, address);
    s->unknown |= index == NULL || *index == 0;
    return s->unknown ? NULL : &s->insns.at[*index - 1];
}

/* As recordings have it: indirect calls are indirect jumps, and a system call ends a handler. */
static struct sample sample_of_insn(const struct code_insn *insn) {
    const uint8_t kind = insn->kind == CODE_CALL_INDIRECT ? INSN_JUMP_INDIRECT
                         : insn->kind == INSN_RTI         ? INSN_PLAIN
                                                          : insn->kind;
    return (struct sample){.pc = insn->address,
                           .target = insn->target,
                           .size = (uint8_t)(insn->next - insn->address),
                           .kind = kind};
}

/* ---- batches ---- */

static void take(struct sampling *s, const struct code_insn *insn) {
    const unsigned length = program_sampling_length(s->how);
    s->batch[s->taken++] = sample_of_insn(insn);
    if (s->taken < length)
        return;
    s->out_of_memory |= !stream_add(&s->stream, s->batch);
    s->taken = 0;
}

/* One random transfer in each stratum of `every`, like the recorder. */
static void next_transfer(struct sampling *s) {
    s->due = program_sampling_due(s->how, s->stratum++);
}

/* The instruction at `at` is known: it is the destination of a sampled transfer. */
static void take_landing(struct sampling *s) {
    const struct code_insn *insn = s->how->transfers && s->taken > 0 ? insn_at(s, s->at) : NULL;
    if (insn != NULL)
        take(s, insn);
}

/* Is an instruction sampled before so many were executed? */
static bool samples_before(const struct sampling *s, uint64_t executed) {
    return !s->how->transfers && s->executed < executed && (s->taken > 0 || s->due < executed);
}

/* Straight code has been executed from `at` on, up to `executed` instructions in all. */
static void go_on(struct sampling *s, uint64_t executed) {
    take_landing(s);
    for (uint32_t address = s->at; samples_before(s, executed); s->executed++) {
        const struct code_insn *insn = insn_at(s, address);
        if (insn == NULL)
            return;
        const bool begins = s->taken == 0 && s->executed == s->due;
        s->due += begins ? s->how->every : 0;
        if (begins || s->taken > 0)
            take(s, insn);
        address = insn->next;
    }
    s->executed = executed > s->executed ? executed : s->executed;
}

/* ---- what is executed ---- */

static uint64_t executed_by(const struct sampling *s) {
    return s->decoder.instructions + s->decoder.contexts.len;
}

static void context_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    struct sampling *s = user;
    (void)handler, (void)from;
    go_on(s, executed_by(s));
    s->at = at;
}

static void context_resumes(void *user, uint32_t to) {
    struct sampling *s = user;
    go_on(s, executed_by(s) + 1);
    const struct code_insn *insn = insn_at(s, to); /* it was executed before the interrupt */
    s->at = insn != NULL ? insn->next : to;
}

static void follow_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                            bool strays, void **tag) {
    struct sampling *s = user;
    (void)taken, (void)strays, (void)tag;
    go_on(s, executed_by(s));
    s->at = to;
    if (s->how->transfers && s->transfers == s->due) {
        take(s, insn);
        next_transfer(s);
    }
    s->transfers++;
}

static void code_changes(void *user, const struct code_insn *insn) {
    struct sampling *s = user;
    if (s->executed < executed_by(s))
        go_on(s, executed_by(s));
    s->at = s->executed > executed_by(s) ? insn->next : insn->address;
    note_insn(s, insn, true);
}

static const struct packet_events events = {.begins = context_begins,
                                            .resumes = context_resumes,
                                            .transfer = follow_transfer,
                                            .changes = code_changes};

/* ---- all ---- */

unsigned program_sampling_length(const struct program_sampling *how) {
    return how->transfers ? 2 : how->batch;
}

uint64_t program_sampling_due(const struct program_sampling *how, uint64_t number) {
    return how->transfers ? number * how->every + splitmix64(how->seed, number) % how->every
                          : (number + 1) * how->every;
}

static void fill(struct stream *out, const struct sampling *s, const struct program_trace *t) {
    out->executed = t->instructions;
    out->population = s->how->transfers ? s->transfers : t->instructions;
    out->structure = &t->structure;
    memcpy(out->program, t->program, sizeof out->program);
}

/* A trace ends before the last instruction. */
static void end(struct sampling *s, const struct program_trace *t) {
    if (t->length > 0 && executed_by(s) < t->instructions)
        go_on(s, executed_by(s) + 1);
}

enum status program_trace_sample(struct stream *out, const struct program_trace *t,
                                 const struct program_sampling *how, struct error *e) {
    struct sampling s = {.how = how, .due = how->every};
    const unsigned length = program_sampling_length(how);
    *out = (struct stream){0};
    s.stream.stream.batch_length = length;
    s.stream.stream.of = how->transfers ? STREAM_OF_TRANSFERS : STREAM_OF_BATCHES;
    s.batch = calloc(length, sizeof *s.batch);
    s.out_of_memory = s.batch == NULL;
    if (how->transfers)
        next_transfer(&s);
    for (size_t i = 0; i < t->insns.len; i++)
        note_insn(&s, &t->insns.at[i], false);
    enum status status =
        s.out_of_memory ? STATUS_OK : program_trace_decode(t, &s.decoder, &events, &s, e);
    if (status == STATUS_OK)
        end(&s, t);
    if (status == STATUS_OK && s.out_of_memory)
        status = error_set(e, STATUS_MEMORY, "out of memory for samples of a trace");
    if (status == STATUS_OK && s.unknown)
        status = error_set(e, STATUS_FORMAT, "the trace lacks an instruction that it executes");
    if (status == STATUS_OK) {
        *out = stream_made(&s.stream);
        out->batch_length = length;
        fill(out, &s, t);
    }
    stream_unmake(&s.stream);
    packet_decoder_free(&s.decoder);
    map_free(&s.insn_at);
    vec_free(&s.insns);
    free(s.batch);
    return status;
}
