/* Watches a machine, and writes its trace. */
#include "profile/packets/packet_tracer.h"

#include <stdlib.h>

enum { WINDOW = 0x2000 };

/* An instruction as it was met, with what its address holds according to the decoder's program. */
struct version {
    struct packet_tracer *tracer;
    struct code_insn insn;
    uint32_t place;
    uint32_t other; /* number of the address's next version, counted from 1; 0: none */
};

/* ---- the program ---- */

void packet_tracer_note(struct packet_tracer *t, const struct code_change *change) {
    packets_flush(&t->writer);
    struct code_change noted = *change;
    noted.at = packets_written(&t->writer);
    packet_decoder_change(&t->decoder, noted);
}

/* The instruction is executed, and control goes on at `to`. */
static void present(struct version *v) {
    struct packet_tracer *t = v->tracer;
    struct place *place = &t->places.at[v->place];
    if (t->versions.at[place->noted - 1] == v)
        return;
    packet_tracer_note(t, &(struct code_change){.insn = v->insn});
    for (place->noted = place->first; t->versions.at[place->noted - 1] != v;)
        place->noted = t->versions.at[place->noted - 1]->other;
}

static bool same_code(const struct code_insn *a, const struct code_insn *b) {
    return a->kind == b->kind && a->next == b->next && a->target == b->target;
}

static struct place *place_of(struct packet_tracer *t, uint32_t address, uint32_t *number) {
    uint64_t *index = map_find(&t->place_at, address);
    if (index == NULL) {
        index = map_at(&t->place_at, address);
        if (index == NULL || !vec_push(&t->places, (struct place){0}))
            return NULL;
        *index = t->places.len - 1;
    }
    *number = (uint32_t)*index;
    return &t->places.at[*index];
}

/* NULL: out of memory. */
static struct version *version_of(struct packet_tracer *t, const struct guest_insn *insn) {
    const struct code_insn code = {insn->address, insn->next, insn->target, insn->kind};
    uint32_t number;
    struct place *place = place_of(t, insn->address, &number);
    if (place == NULL)
        return NULL;
    for (uint32_t i = place->first; i != 0; i = t->versions.at[i - 1]->other)
        if (same_code(&t->versions.at[i - 1]->insn, &code))
            return t->versions.at[i - 1];
    struct version *v = malloc(sizeof *v);
    if (v == NULL || !vec_push(&t->versions, v)) {
        free(v);
        return NULL;
    }
    *v = (struct version){.tracer = t, .insn = code, .place = number, .other = place->first};
    place->first = (uint32_t)t->versions.len;
    if (place->noted == 0) {
        place->noted = place->first;
        packet_decoder_add(&t->decoder, code);
    }
    return v;
}

/* What busy-waits are recognised by. */
static void note_insn(struct packet_tracer *t, const struct guest_insn *insn) {
    const struct opcode_info *op = opcode_info(insn->bytes[0]);
    const bool waits = opcode_may_wait(insn->bytes);
    uint64_t *known =
        map_at(&t->insn_at, (uint64_t)insn->address << 9 | insn->bytes[0] * 2u | waits);
    const struct flow_insn flow = {.address = insn->address,
                                   .size = insn->size,
                                   .waits = waits,
                                   .reads = op->reads,
                                   .writes = op->writes};
    if (known == NULL || (*known == 0 && !vec_push(&t->insns, flow)))
        t->out_of_memory = true;
    else
        *known = 1;
}

/* ---- what is executed ---- */

static void branch_taken(void *user, const struct probe_event *event) {
    struct version *v = user;
    present(v);
    packets_branch(&v->tracer->writer, true, event->to);
}

static void branch_not_taken(void *user, const struct probe_event *event) {
    struct version *v = user;
    present(v);
    packets_branch(&v->tracer->writer, false, event->to);
}

static void goes_on(void *user, const struct probe_event *event) {
    (void)event;
    present(user);
}

/* An instruction that is no indirect transfer went elsewhere. */
static void strays(void *user, const struct probe_event *event) {
    struct version *v = user;
    present(v);
    packet_tracer_note(v->tracer,
                       &(struct code_change){.insn = v->insn, .once = true, .to = event->to});
    if (v->insn.kind == INSN_CALL)
        packets_call(&v->tracer->writer, v->insn.next);
}

static void calls(void *user, const struct probe_event *event) {
    struct version *v = user;
    (void)event;
    present(v);
    packets_call(&v->tracer->writer, v->insn.next);
}

static void returns(void *user, const struct probe_event *event) {
    struct version *v = user;
    present(v);
    packets_return(&v->tracer->writer, event->to);
}

static void jumps(void *user, const struct probe_event *event) {
    struct version *v = user;
    present(v);
    packets_jump(&v->tracer->writer, event->to);
}

/* ---- watching ---- */

static void attach_call(struct probe_site *site, enum probe_when when, struct version *v,
                        void (*call)(void *user, const struct probe_event *event)) {
    probe_attach(site, when,
                 (struct probe){.kind = PROBE_CALL, .call = call, .user = v, .quiet = true});
}

/* Is the instruction always the same, and what it leads to, too? */
static bool is_fixed(const struct guest_insn *insn, uint32_t to) {
    return insn->pc >= 0x8000 && (insn->address & ~(WINDOW - 1u)) == (to & ~(WINDOW - 1u)) &&
           (insn->pc & (WINDOW - 1)) + insn->size <= WINDOW;
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct packet_tracer *t = self;
    struct version *v = t->out_of_memory ? NULL : version_of(t, insn);
    if (v == NULL) {
        t->out_of_memory = true;
        return;
    }
    note_insn(t, insn);
    switch ((enum insn_kind)insn->kind) {
    case INSN_PLAIN:
        if (!is_fixed(insn, insn->next))
            attach_call(site, PROBE_NEXT, v, goes_on);
        if (opcode_info(insn->bytes[0])->writes_memory)
            attach_call(site, PROBE_INDIRECT, v, strays);
        break;
    case INSN_BRANCH:
        attach_call(site, PROBE_TAKEN, v, branch_taken);
        attach_call(site, PROBE_NEXT, v, branch_not_taken);
        break;
    case INSN_JUMP:
        if (!is_fixed(insn, insn->target))
            attach_call(site, PROBE_TAKEN, v, goes_on);
        break;
    case INSN_CALL:
        attach_call(site, PROBE_TAKEN, v, calls);
        attach_call(site, PROBE_INDIRECT, v, strays);
        break;
    case INSN_RETURN:
        attach_call(site, PROBE_INDIRECT, v, returns);
        break;
    case INSN_JUMP_INDIRECT:
    case INSN_RTI:
    case INSN_BRK:
        attach_call(site, PROBE_INDIRECT, v, jumps);
        break;
    case INSN_JAM:
        break;
    }
}

static void disable(struct packet_tracer *t, uint32_t address) {
    if (t->enabled)
        packets_disable(&t->writer, address);
    t->enabled = false;
}

static void enable(struct packet_tracer *t, uint32_t address) {
    packets_enable(&t->writer, address);
    t->enabled = true;
}

/* A context begins that no other one was suspended for. */
static void begin(struct packet_tracer *t, const struct thread_event *event) {
    if (event->cause == THREAD_START && t->enabled) /* a suspended one */
        t->decoder.complete = false;
    else if (event->cause == THREAD_START || event->cause == THREAD_RESET)
        enable(t, event->address);
    else
        packets_interrupt(&t->writer, t->interrupted, event->address);
}

static void context_changes(void *self, const struct thread_event *event) {
    struct packet_tracer *t = self;
    switch (event->change) {
    case THREAD_SUSPENDED:
        t->interrupted = event->address;
        break;
    case THREAD_BEGINS:
        begin(t, event);
        break;
    case THREAD_RESUMES:
        packets_jump(&t->writer, event->address);
        break;
    case THREAD_ENDS: /* of a reset, the running one comes first */
        if (event->cause == THREAD_RESET)
            disable(t, event->address);
        break;
    }
}

/* ---- samples ---- */

static uint32_t here(const struct packet_tracer *t) {
    return nes_code_address(t->nes, nes_registers(t->nes).pc);
}

static void sample(struct packet_tracer *t) {
    if (!t->enabled)
        return;
    disable(t, here(t));
    t->options.sampled(t->options.user, t);
}

static void sample_is_due(void *self, uint64_t cycle) {
    struct packet_tracer *t = self;
    if (t->enabled) {
        sample(t);
        enable(t, here(t));
    }
    t->due += t->options.interval * (1 + (cycle - t->due) / t->options.interval);
    nes_set_alarm(t->nes, t->id, t->due);
}

/* ---- life cycle ---- */

void packet_tracer_free(struct packet_tracer *t) {
    if (t == NULL)
        return;
    if (t->attached)
        nes_detach(t->nes, t->id);
    for (size_t i = 0; i < t->versions.len; i++)
        free(t->versions.at[i]);
    vec_free(&t->versions);
    vec_free(&t->places);
    map_free(&t->place_at);
    vec_free(&t->insns);
    map_free(&t->insn_at);
    packets_free(&t->writer);
    packet_decoder_free(&t->decoder);
    free(t);
}

struct packet_tracer *packet_tracer_new(const struct packet_tracer_options *options) {
    struct packet_tracer *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->options = *options;
    t->writer.psb = options->psb;
    t->writer.tnt_most = options->tnt_most;
    t->writer.whole_returns = options->whole_returns;
    t->decoder.complete = true;
    return t;
}

enum status packet_tracer_attach(struct packet_tracer **out, struct nes *nes,
                                 const struct packet_tracer_options *options, struct error *e) {
    *out = NULL;
    struct packet_tracer *t = packet_tracer_new(options);
    if (t == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a trace");
    t->nes = nes;
    const struct observer observer = {
        .self = t, .instrument = instrument, .thread = context_changes, .alarm = sample_is_due};
    const enum status status = nes_attach(nes, &observer, &t->id, e);
    if (status != STATUS_OK) {
        packet_tracer_free(t);
        return status;
    }
    t->attached = true;
    t->due = nes_cycle(nes) + options->interval;
    nes_set_alarm(nes, t->id, t->due);
    *out = t;
    return STATUS_OK;
}

void packet_tracer_end(struct packet_tracer *t) {
    sample(t);
    t->attached = false;
    nes_detach(t->nes, t->id);
}
