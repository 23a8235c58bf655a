/* Traces of a recorded program: its transfers and contexts, decoded from its trace. */
#include "profile/trace/traces.h"

#include <string.h>

static uint64_t instructions_of(const void *decoder) {
    return ((const struct packet_decoder *)decoder)->instructions;
}

static void context_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    if (handler)
        traces_context_changes(user, &(struct thread_event){.change = THREAD_SUSPENDED,
                                                            .cause = THREAD_IRQ,
                                                            .address = from});
    traces_context_changes(user,
                           &(struct thread_event){.change = THREAD_BEGINS,
                                                  .cause = handler ? THREAD_IRQ : THREAD_START,
                                                  .address = at});
}

static void context_resumes(void *user, uint32_t to) {
    traces_context_changes(
        user, &(struct thread_event){.change = THREAD_RESUMES, .cause = THREAD_RTI, .address = to});
}

/* An indirect call is a call here. */
static void follow_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                            bool strays, void **tag) {
    struct traces *t = user;
    const uint8_t kind = insn->kind == CODE_CALL_INDIRECT ? INSN_CALL : insn->kind;
    (void)strays;
    if (*tag == NULL)
        *tag = traces_site(t, insn->address, insn->target, kind);
    if (*tag != NULL)
        traces_pass(*tag, to, taken);
}

static void code_changes(void *user, const struct code_insn *insn) {
    traces_note_next(user, insn->address, insn->next);
}

static const struct packet_events events = {.begins = context_begins,
                                            .resumes = context_resumes,
                                            .transfer = follow_transfer,
                                            .changes = code_changes};

/* The program has ended, and with it the contexts that were suspended. */
static void end_all(struct traces *t, uint32_t address) {
    struct thread_event ends = {.change = THREAD_ENDS, .cause = THREAD_START, .address = address};
    traces_context_changes(t, &ends);
    while (t->depth > 0) {
        ends.address = t->contexts[0].address;
        traces_context_changes(t, &ends);
    }
}

enum status traces_replay(struct profile *out, const struct program_trace *program,
                          const struct trace_policy *policy, const int64_t *values,
                          struct error *e) {
    return traces_replay_prepared(out, program, policy, values, NULL, e);
}

enum status traces_replay_prepared(struct profile *out, const struct program_trace *program,
                                   const struct trace_policy *policy, const int64_t *values,
                                   const struct traces_preparation *preparation, struct error *e) {
    struct packet_decoder d = {0};
    struct traces *t;
    const struct trace_clock clock = {instructions_of, &d, PROGRAM_TICKS};
    *out = (struct profile){.cost.structure = true};
    enum status status = traces_new(&t, policy, &clock, values, e);
    if (status != STATUS_OK)
        return status;
    if (preparation != NULL)
        preparation->prepare(t->own, preparation->user);
    for (size_t i = program->insns.len;
         i-- > 0;) /* of an address's, the first one is it at first */
        traces_note_next(t, program->insns.at[i].address, program->insns.at[i].next);
    status = program_trace_decode(program, &d, &events, t, e);
    if (status == STATUS_OK)
        end_all(t, d.left_at);
    if (status == STATUS_OK)
        status = traces_result(out, t, &program->structure, e);
    if (status == STATUS_OK)
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    packet_decoder_free(&d);
    traces_free(t);
    return status;
}
