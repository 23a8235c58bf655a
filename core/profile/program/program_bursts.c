/* Bursts along a program's trace. */
#include "profile/program/program_bursts.h"

#include <stdlib.h>
#include <string.h>

struct following {
    struct program_bursts_options options;
    struct program_bursts_result result;
    uint64_t left;              /* checks up to the next time that control goes over */
    bool inside;                /* a burst runs, */
    uint32_t from;              /* and this is where its straight run began */
    struct map transfers, runs; /* first << 32 | last address -> count */
    struct map straight;        /* pairs of the runs that were settled */
    struct map entries;
    struct map code; /* address -> next address << 8 | kind */
    bool out_of_memory;
};

static void count(struct following *f, struct map *m, uint32_t a, uint32_t b, uint64_t times) {
    uint64_t *at = map_at(m, (uint64_t)a << 32 | b);
    if (at == NULL)
        f->out_of_memory = true;
    else
        *at += times;
}

/* ---- straight runs ---- */

/* The address after a plain instruction; false: it is another one. */
static bool next_of(const struct following *f, uint32_t address, uint32_t *next) {
    const uint64_t *insn = map_find(&f->code, address);
    *next = insn == NULL ? 0 : (uint32_t)(*insn >> 8);
    return insn != NULL && (*insn & 0xFF) == INSN_PLAIN;
}

/* Puts the runs' counts on their pairs, while the code is what they executed. */
static void settle_runs(struct following *f) {
    uint64_t key, times;
    for (size_t i = 0; map_next(&f->runs, &i, &key, &times);) {
        uint32_t at = (uint32_t)(key >> 32), next;
        for (; at != (uint32_t)key && next_of(f, at, &next); at = next)
            count(f, &f->straight, at, next, times);
    }
    map_free(&f->runs);
}

static void know_insn(struct following *f, const struct code_insn *insn) {
    uint64_t *at = map_at(&f->code, insn->address);
    if (at == NULL)
        f->out_of_memory = true;
    else
        *at = (uint64_t)insn->next << 8 | insn->kind;
}

/* The straight run ended before the instruction at `last`. */
static void end_run(struct following *f, uint32_t last) {
    if (f->inside && f->from != last)
        count(f, &f->runs, f->from, last, 1);
}

/* ---- bursts ---- */

/* An executed check, which leads to `to`. */
static void check(struct following *f, uint32_t to) {
    f->result.checks++;
    if (--f->left > 0)
        return;
    f->inside = !f->inside;
    f->left = f->inside ? f->options.burst : f->options.interval - f->options.burst;
    if (!f->inside)
        return;
    f->result.bursts++;
    f->from = to;
    count(f, &f->entries, 0, to, 1);
}

static bool is_check(const struct code_insn *insn, bool taken) {
    switch (insn->kind) {
    case INSN_CALL:
    case CODE_CALL_INDIRECT:
    case INSN_JUMP_INDIRECT:
        return true;
    case INSN_BRANCH:
    case INSN_JUMP:
        return taken && insn->target <= insn->address;
    default:
        return false;
    }
}

/* ---- the trace ---- */

/* The first context is there before anything is counted. */
static void context_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    struct following *f = user;
    if (!handler)
        return;
    if (f->inside) {
        end_run(f, from);
        f->from = at;
        count(f, &f->entries, 0, at, 1);
    }
    check(f, at);
}

/* The handler's last instruction is the first on its way that is not plain. */
static void context_resumes(void *user, uint32_t to) {
    struct following *f = user;
    uint32_t last = f->from, next;
    while (f->inside && next_of(f, last, &next))
        last = next;
    end_run(f, last);
    f->from = to;
}

static void follow_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                            bool strays, void **tag) {
    struct following *f = user;
    (void)tag;
    if (f->inside) {
        end_run(f, insn->address);
        count(f, &f->transfers, insn->address, to, 1);
        f->from = to;
    }
    if (!strays && is_check(insn, taken))
        check(f, to);
}

static void code_changes(void *user, const struct code_insn *insn) {
    settle_runs(user);
    know_insn(user, insn);
}

static const struct packet_events events = {.begins = context_begins,
                                            .resumes = context_resumes,
                                            .transfer = follow_transfer,
                                            .changes = code_changes};

/* ---- the graph ---- */

static void list_pairs(struct following *f, struct flow *flow, const struct map *pairs,
                       bool transfer) {
    uint64_t key, times;
    for (size_t i = 0; map_next(pairs, &i, &key, &times);) {
        const struct flow_pair pair = {(uint32_t)(key >> 32), (uint32_t)key, times, transfer};
        f->out_of_memory |= !vec_push(&flow->pairs, pair);
    }
}

static enum status make_graph(struct profile *out, struct following *f, struct error *e) {
    struct flow flow = {0};
    uint64_t key, times;
    *out = (struct profile){0};
    settle_runs(f);
    list_pairs(f, &flow, &f->transfers, true);
    out->cost.records = flow.pairs.len;
    for (size_t i = 0; i < flow.pairs.len; i++)
        out->cost.observed += flow.pairs.at[i].count;
    list_pairs(f, &flow, &f->straight, false);
    out->cost.steps = flow.pairs.len;
    out->cost.probes = out->cost.observed + f->result.checks;
    for (size_t i = 0; map_next(&f->entries, &i, &key, &times);)
        f->out_of_memory |= !vec_push(&flow.entries, (uint32_t)key);
    const enum status status = f->out_of_memory
                                   ? error_set(e, STATUS_MEMORY, "out of memory for bursts")
                                   : graph_from_flow(&out->graph, &flow, false, e);
    if (status != STATUS_OK)
        profile_free(out);
    flow_free(&flow);
    return status;
}

static void free_maps(struct following *f) {
    map_free(&f->transfers);
    map_free(&f->runs);
    map_free(&f->straight);
    map_free(&f->entries);
    map_free(&f->code);
}

enum status program_bursts(struct profile *out, struct program_bursts_result *result,
                           const struct program_trace *program,
                           const struct program_bursts_options *options, struct error *e) {
    struct following f = {.options = *options, .left = options->phase + 1};
    struct packet_decoder d = {0};
    *out = (struct profile){0};
    for (size_t i = program->insns.len; i-- > 0;) /* of an address's, the first is it at first */
        know_insn(&f, &program->insns.at[i]);
    enum status status = program_trace_decode(program, &d, &events, &f, e);
    if (status == STATUS_OK) {
        end_run(&f, d.left_at);
        status = make_graph(out, &f, e);
    }
    if (status == STATUS_OK)
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    *result = f.result;
    packet_decoder_free(&d);
    free_maps(&f);
    return status;
}
