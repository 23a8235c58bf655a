/*
 * fifo: a profile engine beside the processor (CrossBit: Yang, Guan, Liang 2010). At the entry of
 * each block, that is, at the target of a transfer and at the start of an interrupted context, one
 * store appends its address to a queue; an engine removes addresses at its own pace and counts them
 * in a table (fifo_model.h). An entry's count applies to all blocks up to the next transfer.
 *
 * The engine is modelled in guest cycles, so its results are the same everywhere; the guest is not
 * delayed. Busy-waits are executed entry by entry. A recorded program executes an instruction a cycle.
 *
 * result = flow: block counts, scaled by offered / accepted and repaired as by the technique flow.
 * Blocks whose entries did not fit into the table are unconstrained. result = pairs: two entries
 * that were accepted one after the other, with none dropped between, are one execution of the edge
 * between them, if the program has such an edge (else an interrupt was in between). Unscaled.
 *
 * Costs: records are slots in use; observed the accepted entries; probes those of the entries; a
 * step is a slot that the engine visited, or a step of the repair. Blocks and edges are those of
 * the structure, which is recorded in the same run.
 */
#include "profile/fifo/fifo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile/fifo/fifo_ring.h"
#include "profile/program/program_trace.h"

extern const struct technique technique_fifo;

enum { SLOT_BITS, DEPTH, CYCLES, WHEN_FULL, THRESHOLD, RESULT, COSTS };
enum { RESULT_FLOW, RESULT_PAIRS };

struct fifo {
    struct nes *nes;
    unsigned id;
    struct structure_recorder *recorder;
    struct fifo_model model;
    struct fifo_ring *ring; /* whose thread runs the model; NULL: the model runs here */
    bool wants_pairs;
    enum flow_model costs;
    uint32_t before;  /* the previous entry, ... */
    bool has_before;  /* ... and whether it was accepted */
    struct map pairs; /* (before << 32 | address) -> count */
    bool out_of_memory;
};

/* ---- during the replay ---- */

static void enter(struct fifo *f, uint32_t address, uint64_t cycle) {
    if (f->ring != NULL) {
        fifo_ring_put(f->ring, address);
        return;
    }
    const bool accepted = fifo_model_offer(&f->model, address, cycle);
    if (accepted && f->has_before && f->wants_pairs) {
        uint64_t *count = map_at(&f->pairs, (uint64_t)f->before << 32 | address);
        if (count != NULL)
            ++*count;
        else
            f->out_of_memory = true;
    }
    f->has_before = accepted;
    f->before = address;
}

static void arrives(void *user, const struct probe_event *event) {
    const struct fifo *f = user;
    enter(user, event->to, nes_cycle(f->nes));
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    const struct probe probe = {.kind = PROBE_CALL, .call = arrives, .user = self};
    switch ((enum insn_kind)insn->kind) {
    case INSN_BRANCH:
        probe_attach(site, PROBE_TAKEN, probe);
        probe_attach(site, PROBE_NEXT, probe);
        break;
    case INSN_JUMP:
    case INSN_CALL:
        probe_attach(site, PROBE_TAKEN, probe);
        break;
    case INSN_PLAIN:
        if (opcode_info(insn->bytes[0])->writes_memory) /* may switch the bank that it runs in */
            probe_attach(site, PROBE_INDIRECT, probe);
        break;
    case INSN_JAM:
        break;
    default:
        probe_attach(site, PROBE_INDIRECT, probe);
        break;
    }
}

static void thread_changes(void *self, const struct thread_event *event) {
    const struct fifo *f = self;
    if (event->change == THREAD_BEGINS)
        enter(self, event->address, nes_cycle(f->nes));
}

/* ---- after the replay ---- */

static size_t block_at(const struct structure *s, uint32_t entry) {
    const struct block *b = graph_find_block(&s->graph, entry);
    return b == NULL ? SIZE_MAX : (size_t)(b - s->graph.blocks);
}

/* Returns 1 + the edge by which each block falls through, 0 of one that ends with a transfer, and one 0 more at
 * the end; NULL: out of memory. */
static size_t *edges_on(const struct structure *s) {
    size_t *on = calloc(s->graph.block_count + 1, sizeof *on);
    for (size_t i = s->graph.edge_count; on != NULL && i-- > 0;)
        if (s->falls[i])
            on[block_at(s, s->graph.edges[i].source)] = i + 1;
    return on;
}

/* Visits the entry's block and all blocks that execution falls through to before the next transfer,
 * each with the edge that leads to it (SIZE_MAX for the first). visit may be NULL. Returns the last
 * block; SIZE_MAX: no block has this entry. */
static size_t each_block(const struct structure *s, const size_t *on, uint32_t entry,
                         void (*visit)(void *user, size_t block, size_t edge), void *user) {
    size_t block = block_at(s, entry), edge = SIZE_MAX, last = SIZE_MAX;
    for (size_t n = 0; block != SIZE_MAX && n < s->graph.block_count; n++) {
        if (visit != NULL)
            visit(user, block, edge);
        last = block;
        edge = on[block] - 1;
        if (edge == SIZE_MAX)
            break;
        block = block_at(s, s->graph.edges[edge].target);
    }
    return last;
}

struct counting {
    struct flow_input *in;
    int64_t *flow;
    uint64_t count;
};

static void count_block(void *user, size_t block, size_t edge) {
    const struct counting *c = user;
    (void)edge;
    c->in->blocks[block].samples += (double)c->count;
}

static void count_edge(void *user, size_t block, size_t edge) {
    const struct counting *c = user;
    (void)block;
    if (edge != SIZE_MAX)
        c->flow[edge] += (int64_t)c->count;
}

/* Calls each_block() for every slot in use. */
static void count_table(const struct fifo *f, const struct structure *s, const size_t *on,
                        struct counting *c, void (*visit)(void *user, size_t block, size_t edge)) {
    for (size_t i = 0; i < (size_t)1 << f->model.options.slot_bits; i++) {
        c->count = f->model.slots[i].count;
        if (c->count != 0)
            each_block(s, on, f->model.slots[i].address, visit, c);
    }
}

static enum status repair(struct profile *out, const struct fifo *f, const struct structure *s,
                          const size_t *on, struct error *e) {
    const struct fifo_model *m = &f->model;
    struct flow_input in = {
        .structure = s,
        .blocks = calloc(s->graph.block_count + 1, sizeof *in.blocks),
        .edges = calloc(s->graph.edge_count + 1, sizeof *in.edges),
        .rate = m->offered == 0 ? 1 : (double)m->accepted / (double)m->offered,
    };
    struct counting c = {.in = &in};
    struct flow_costs costs = flow_costs_standard;
    costs.model = f->costs;
    enum status status = STATUS_OK;
    if (in.blocks == NULL || in.edges == NULL) {
        status = error_set(e, STATUS_MEMORY, "out of memory for fifo");
    } else {
        count_table(f, s, on, &c, count_block);
        for (size_t b = 0; b < s->graph.block_count; b++) {
            in.blocks[b].rate = in.rate;
            in.blocks[b].measured = m->lost == 0 || in.blocks[b].samples > 0;
        }
        status = flow_repair(out, &in, &costs, (struct flow_solving){0}, e);
    }
    flow_input_free(&in);
    return status;
}

static enum status read_pairs(struct profile *out, const struct fifo *f, const struct structure *s,
                              const size_t *on, uint64_t *interrupted, struct error *e) {
    struct counting c = {.flow = calloc(s->graph.edge_count + 1, sizeof *c.flow)};
    if (c.flow == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for fifo");
    count_table(f, s, on, &c, count_edge);
    uint64_t key, count;
    for (size_t at = 0; map_next(&f->pairs, &at, &key, &count);) {
        const size_t last = each_block(s, on, (uint32_t)(key >> 32), NULL, NULL);
        const struct edge *edge =
            last == SIZE_MAX
                ? NULL
                : graph_find_edge(&s->graph, s->graph.blocks[last].entry, (uint32_t)key);
        if (edge != NULL)
            c.flow[edge - s->graph.edges] += (int64_t)count;
        else
            *interrupted += count;
    }
    const enum status status = flow_graph(&out->graph, s, c.flow, e);
    free(c.flow);
    return status;
}

static void tell(struct profile *out, const struct fifo *f, uint64_t interrupted) {
    const struct fifo_model *m = &f->model;
    const struct named_count counts[] = {
        {"offered", m->offered}, {"accepted", m->accepted},    {"dropped", m->dropped},
        {"lost", m->lost},       {"stall_cycles", m->stalled}, {"reported", m->reported},
        {"slots_used", m->used}, {"interrupted", interrupted},
    };
    static_assert(sizeof counts / sizeof *counts <= PROFILE_COUNTS, "room for them");
    out->count_count = sizeof counts / sizeof *counts;
    for (size_t i = 0; i < out->count_count; i++)
        out->counts[i] = counts[i];
    out->cost.records = m->used;
    out->cost.observed = m->accepted;
    out->cost.steps += m->looks;
    out->cost.structure = true;
}

static enum status make_profile(struct profile *out, const struct fifo *f,
                                const struct structure *s, struct error *e) {
    uint64_t interrupted = 0;
    size_t *on = edges_on(s);
    enum status status = on == NULL || f->out_of_memory || f->model.out_of_memory
                             ? error_set(e, STATUS_MEMORY, "out of memory for fifo")
                         : f->wants_pairs ? read_pairs(out, f, s, on, &interrupted, e)
                                          : repair(out, f, s, on, e);
    free(on);
    if (status == STATUS_OK)
        tell(out, f, interrupted);
    return status;
}

/* ---- life cycle ---- */

static void release(struct fifo *f) {
    fifo_ring_end(f->ring);
    fifo_model_free(&f->model);
    map_free(&f->pairs);
    free(f);
}

void fifo_abandon(void *self) {
    struct fifo *f = self;
    if (f == NULL)
        return;
    structure_abandon(f->recorder);
    nes_detach(f->nes, f->id);
    release(f);
}

static enum status begin(struct fifo **out, struct nes *nes, const struct fifo_wish *wish,
                         struct error *e) {
    struct fifo *f = *out = calloc(1, sizeof *f);
    if (f == NULL || !fifo_model_init(&f->model, wish->model)) {
        free(f);
        return error_set(e, STATUS_MEMORY, "out of memory for fifo");
    }
    f->nes = nes;
    f->wants_pairs = wish->pairs;
    f->costs = wish->costs;
    if (wish->ring == 0 || fifo_ring_begin(&f->ring, &f->model, wish->ring))
        return STATUS_OK;
    release(f);
    return error_set(e, STATUS_MEMORY,
                     "out of memory for a ring of %zu entries, or the system refuses one more "
                     "thread",
                     wish->ring);
}

enum status fifo_attach(void **self, struct nes *nes, const struct fifo_wish *wish,
                        struct error *e) {
    struct fifo *f;
    *self = NULL;
    enum status status = begin(&f, nes, wish, e);
    if (status != STATUS_OK)
        return status;
    const struct observer observer = {
        .self = f, .instrument = instrument, .thread = thread_changes};
    status = nes_attach(nes, &observer, &f->id, e);
    if (status == STATUS_OK) {
        status = structure_attach(&f->recorder, nes, e);
        if (status != STATUS_OK)
            nes_detach(nes, f->id);
    }
    if (status != STATUS_OK) {
        release(f);
        return status;
    }
    *self = f;
    return STATUS_OK;
}

enum status fifo_finish(void *self, struct profile *out, struct error *e) {
    struct fifo *f = self;
    struct structure s;
    *out = (struct profile){0};
    const uint64_t probes = nes_probes_fired(f->nes, f->id);
    nes_detach(f->nes, f->id);
    fifo_ring_end(f->ring);
    f->ring = NULL;
    enum status status = structure_finish(f->recorder, &s, e);
    if (status == STATUS_OK)
        status = make_profile(out, f, &s, e);
    out->cost.probes = probes;
    if (status != STATUS_OK)
        profile_free(out);
    structure_free(&s);
    release(f);
    return status;
}

static struct fifo_wish wish_of(const int64_t *values) {
    return (struct fifo_wish){.model = {.slot_bits = (unsigned)values[SLOT_BITS],
                                        .depth = (uint64_t)values[DEPTH],
                                        .cycles = (uint64_t)values[CYCLES],
                                        .stall = values[WHEN_FULL] != 0,
                                        .threshold = (uint64_t)values[THRESHOLD]},
                              .pairs = values[RESULT] == RESULT_PAIRS,
                              .costs = (enum flow_model)values[COSTS]};
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    const struct fifo_wish wish = wish_of(values);
    return fifo_attach(self, nes, &wish, e);
}

/* ---- along a program's trace ---- */

struct following {
    struct fifo fifo;
    struct packet_decoder decoder;
};

static void context_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    struct following *f = user;
    (void)handler;
    (void)from;
    enter(&f->fifo, at, f->decoder.instructions);
}

static void follow_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                            bool strays, void **tag) {
    struct following *f = user;
    (void)insn;
    (void)taken;
    (void)strays;
    (void)tag;
    enter(&f->fifo, to, f->decoder.instructions);
}

static const struct packet_events events = {.begins = context_begins, .transfer = follow_transfer};

static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    const struct fifo_wish wish = wish_of(values);
    struct following f = {.fifo = {.wants_pairs = wish.pairs, .costs = wish.costs}};
    struct fifo_model *const model = &f.fifo.model;
    *out = (struct profile){0};
    enum status status = fifo_model_init(model, wish.model)
                             ? program_trace_decode(program, &f.decoder, &events, &f, e)
                             : error_set(e, STATUS_MEMORY, "out of memory for fifo");
    if (status == STATUS_OK)
        status = make_profile(out, &f.fifo, &program->structure, e);
    if (status == STATUS_OK)
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    out->cost.probes = model->offered;
    if (status != STATUS_OK)
        profile_free(out);
    fifo_model_free(model);
    map_free(&f.fifo.pairs);
    packet_decoder_free(&f.decoder);
    return status;
}

static const char *const full_words[] = {"drop", "stall", NULL};
static const char *const result_words[] = {"flow", "pairs", NULL};
static const char *const cost_words[] = {"gcc", "profi", "poisson", NULL};

const struct technique technique_fifo = {
    .name = "fifo",
    .summary = "block entries through a queue to a profile engine with a table of counters",
    .source = "CrossBit: Yang, Guan, Liang (2010)",
    .parameters =
        {
            {"slot_bits", "bits of a slot's number: the table has 2^slot_bits slots", 6, 16, 11,
             NULL},
            {"depth", "entries that the queue holds", 1, 1 << 20, 256, NULL},
            {"cycles", "cycles of the guest that the engine takes for an entry", 1, 1 << 20, 4,
             NULL},
            {"when_full", "what happens to an entry that finds the queue full", 0, 1, 0,
             full_words},
            {"threshold", "count at which a block is reported as hot; 0: never", 0,
             INT64_C(1) << 40, 0, NULL},
            {"result", "the graph: counts repaired by flow, or edges from pairs of entries", 0, 1,
             0, result_words},
            {"costs", "with flow, the cost of a count that differs from the sampled one", 0, 2, 1,
             cost_words},
        },
    .each_transfer = true,
    .attach = attach,
    .finish = fifo_finish,
    .abandon = fifo_abandon,
    .replay = replay,
};
