/* Counters at heads, along a program's trace. */
#include "profile/program/program_heads.h"

#include <stdlib.h>
#include <string.h>

#include "profile/structure/region.h"

/* 1 + the index of the head at `address`; 0: out of memory. */
static size_t find_head(struct program_heads *h, uint32_t address) {
    uint64_t *index = map_at(&h->head_at, address);
    const struct program_head fresh = {.address = address};
    if (index == NULL || (*index == 0 && !vec_push(&h->heads, fresh))) {
        h->out_of_memory = true;
        return 0;
    }
    if (*index == 0)
        *index = h->heads.len;
    return *index;
}

/* `executed`: instructions before the one that counts. */
static void halve_up_to(struct program_heads *h, uint64_t executed) {
    for (; h->options.period != 0 && h->due <= executed; h->due += h->options.period) {
        for (size_t i = 0; i < h->heads.len; i++) {
            h->heads.at[i].hit |= h->heads.at[i].count != 0;
            h->heads.at[i].count /= 2;
        }
        h->halvings++;
    }
}

static void count_head(struct program_heads *h, size_t head, uint64_t executed) {
    struct program_head *const at = &h->heads.at[head - 1];
    if (++at->count != h->options.threshold || at->hot)
        return;
    at->hot = true;
    h->first_hot = h->hot++ == 0 ? executed : h->first_hot;
}

static void context_begins(void *user, uint32_t at, bool handler, uint32_t from) {
    struct program_heads *h = user;
    const uint64_t executed = h->decoder->instructions;
    (void)handler;
    (void)from;
    halve_up_to(h, executed);
    const size_t head = find_head(h, at);
    if (head != 0)
        count_head(h, head, executed);
}

static bool leads_to_head(const struct program_heads *h, const struct code_insn *insn) {
    switch (insn->kind) {
    case INSN_CALL:
    case CODE_CALL_INDIRECT:
        return true;
    case INSN_BRANCH:
    case INSN_JUMP:
        return h->options.loops && insn->target <= insn->address;
    default:
        return false;
    }
}

/* The tag is the head of an instruction that has only one. */
static void follow_transfer(void *user, const struct code_insn *insn, uint32_t to, bool taken,
                            bool strays, void **tag) {
    struct program_heads *h = user;
    if (!taken || strays || !leads_to_head(h, insn))
        return;
    const uint64_t executed = h->decoder->instructions - 1;
    halve_up_to(h, executed);
    const size_t head = *tag != NULL ? (size_t)(uintptr_t)*tag : find_head(h, to);
    if (head == 0)
        return;
    if (insn->kind != CODE_CALL_INDIRECT)
        *tag = (void *)(uintptr_t)head;
    h->transfers++;
    count_head(h, head, executed);
}

static const struct packet_events events = {.begins = context_begins, .transfer = follow_transfer};

enum status program_heads_follow(struct program_heads *h, const struct program_trace *program,
                                 struct program_heads_options options, struct error *e) {
    struct packet_decoder d = {0};
    *h = (struct program_heads){.options = options, .due = options.period, .decoder = &d};
    enum status status = program_trace_decode(program, &d, &events, h, e);
    halve_up_to(h, d.instructions);
    h->decoder = NULL;
    packet_decoder_free(&d);
    return status == STATUS_OK && h->out_of_memory
               ? error_set(e, STATUS_MEMORY, "out of memory for a program's counters")
               : status;
}

void program_heads_free(struct program_heads *h) {
    vec_free(&h->heads);
    map_free(&h->head_at);
}

enum status program_heads_profile(struct profile *out, const struct program_heads *h,
                                  const struct program_trace *program, const uint32_t *hot,
                                  size_t count, struct error *e) {
    *out = (struct profile){.cost = {.probes = h->transfers, .structure = true}};
    for (size_t i = 0; i < h->heads.len; i++)
        out->cost.records += h->heads.at[i].hit || h->heads.at[i].count != 0;
    const enum status status = region_set_of_program(out, &program->structure, hot, count, e);
    if (status != STATUS_OK)
        profile_free(out);
    else
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    return status;
}
