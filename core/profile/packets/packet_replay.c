/* Writes the trace of a recorded program anew. */
#include "profile/packets/packet_tracer.h"

struct packet_replay {
    struct packet_tracer *tracer;
    struct packet_decoder decoder; /* of the recorded trace */
};

static void stop_at(struct packet_tracer *t, uint32_t address) {
    packets_disable(&t->writer, address);
    t->options.sampled(t->options.user, t);
}

static void sample_if_due(struct packet_replay *r, uint32_t at) {
    struct packet_tracer *t = r->tracer;
    const uint64_t now = r->decoder.instructions;
    if (now < t->due)
        return;
    stop_at(t, at);
    packets_enable(&t->writer, at);
    t->due += t->options.interval * (1 + (now - t->due) / t->options.interval);
}

static void write_begin(void *user, uint32_t at, bool handler, uint32_t from) {
    struct packet_replay *r = user;
    if (handler)
        packets_interrupt(&r->tracer->writer, from, at);
    else
        packets_enable(&r->tracer->writer, at);
}

static void write_resumption(void *user, uint32_t to) {
    struct packet_replay *r = user;
    packets_jump(&r->tracer->writer, to);
}

void packets_write_transfer(struct packet_writer *w, const struct code_insn *insn, uint32_t to,
                            bool taken, bool strays) {
    if (insn->kind == INSN_CALL || insn->kind == CODE_CALL_INDIRECT)
        packets_call(w, insn->next);
    if (!strays && insn->kind == INSN_BRANCH)
        packets_branch(w, taken, to);
    else if (!strays && insn->kind == INSN_RETURN)
        packets_return(w, to);
    else if (!strays && insn->kind != INSN_JUMP && insn->kind != INSN_CALL)
        packets_jump(w, to);
}

static void write_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                           bool strays, void **tag) {
    struct packet_replay *r = user;
    (void)tag;
    if (strays)
        packet_tracer_note(r->tracer, &(struct code_change){.insn = *insn, .once = true, .to = to});
    packets_write_transfer(&r->tracer->writer, insn, to, taken, strays);
    sample_if_due(r, to);
}

static void write_change(void *user, const struct code_insn *insn) {
    struct packet_replay *r = user;
    packet_tracer_note(r->tracer, &(struct code_change){.insn = *insn});
}

static const struct packet_events packet_replay_events = {.begins = write_begin,
                                                          .resumes = write_resumption,
                                                          .transfer = write_transfer,
                                                          .changes = write_change};

enum status packet_tracer_replay(struct packet_tracer **out, const struct program_trace *program,
                                 const struct packet_tracer_options *options, struct error *e) {
    struct packet_replay r = {.tracer = packet_tracer_new(options)};
    *out = NULL;
    if (r.tracer == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a trace");
    r.tracer->due = options->interval;
    for (size_t i = 0; i < program->insns.len; i++)
        packet_decoder_add(&r.tracer->decoder, program->insns.at[i]);
    const enum status status =
        program_trace_decode(program, &r.decoder, &packet_replay_events, &r, e);
    if (status == STATUS_OK && program->length > 0)
        stop_at(r.tracer, r.decoder.left_at);
    packet_decoder_free(&r.decoder);
    if (status != STATUS_OK)
        packet_tracer_free(r.tracer);
    else
        *out = r.tracer;
    return status;
}
