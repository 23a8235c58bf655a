/*
 * The observer that records a structure. A pair of instructions is remembered at its first
 * execution and costs nothing afterwards. Counted are only pairs that may belong to a busy-wait,
 * according to the code, and the destinations of indirect transfers. Contexts begin at interrupts
 * and resets. They may end at every RTI, at a JAM, and where the machine drops them.
 */
#include "profile/structure/structure.h"

#include <stdlib.h>
#include <string.h>

#include "profile/structure/structure_make.h"
#include "profile/structure/waiting.h"

struct pair {
    uint32_t a, b;
    uint32_t counter;
    bool transfer;
};

struct structure_recorder {
    struct nes *nes;
    unsigned id;
    VEC(struct flow_insn)
    insns;              /* may hold several for one address: its contents at different
                                    times */
    VEC(uint8_t) kinds; /* of insns */
    struct map insn_at; /* address -> 1 + index of its first entry in insns */
    VEC(struct pair) pairs;
    struct map pair_at[2]; /* (a << 32 | b) -> index; [transfer] */
    struct map begins;     /* address -> count */
    struct map ends;       /* addresses at which contexts were dropped */
    struct map stops;      /* address of an RTI or JAM -> its counter */
    struct map routines;   /* address of a JSR or RTS -> its kind; 0: the address also held
                              something else */
    bool out_of_memory;
};

static uint64_t key_of(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

static void add(struct structure_recorder *r, struct map *m, uint64_t key, uint64_t n) {
    uint64_t *at = map_at(m, key);
    if (at != NULL)
        *at += n;
    else
        r->out_of_memory = true;
}

/* ---- during the replay ---- */

static bool same_insn(const struct flow_insn *a, const struct flow_insn *b) {
    return a->address == b->address && a->size == b->size && a->waits == b->waits &&
           a->reads == b->reads && a->writes == b->writes;
}

static void note_insn(struct structure_recorder *r, const struct guest_insn *insn) {
    const struct opcode_info *op = opcode_info(insn->bytes[0]);
    const struct flow_insn flow_insn = {.address = insn->address,
                                        .size = insn->size,
                                        .waits = opcode_may_wait(insn->bytes),
                                        .reads = op->reads,
                                        .writes = op->writes};
    uint64_t *first = map_at(&r->insn_at, insn->address);
    if (first == NULL) {
        r->out_of_memory = true;
        return;
    }
    if (*first == 0)
        *first = r->insns.len + 1;
    else
        for (size_t i = (size_t)*first - 1; i < r->insns.len; i++)
            if (same_insn(&r->insns.at[i], &flow_insn))
                return;
    if (!vec_push(&r->insns, flow_insn) || !vec_push(&r->kinds, insn->kind))
        r->out_of_memory = true;
}

static void note_kind(struct structure_recorder *r, const struct guest_insn *insn) {
    const bool routine = insn->kind == INSN_CALL || insn->kind == INSN_RETURN;
    const bool known = map_find(&r->routines, insn->address) != NULL;
    if (!routine && !known)
        return;
    uint64_t *kind = map_at(&r->routines, insn->address);
    if (kind == NULL)
        r->out_of_memory = true;
    else
        *kind = routine && (!known || *kind == insn->kind) ? insn->kind : INSN_PLAIN;
}

/* Returns the pair's counter, which is reserved at the first call. */
static uint32_t counter_of(struct structure_recorder *r, uint32_t a, uint32_t b, bool transfer) {
    uint64_t *index = map_find(&r->pair_at[transfer], key_of(a, b));
    if (index != NULL)
        return r->pairs.at[*index].counter;
    struct pair pair = {a, b, nes_counters_add(r->nes, 1), transfer};
    index = pair.counter == UINT32_MAX ? NULL : map_at(&r->pair_at[transfer], key_of(a, b));
    if (index == NULL || !vec_push(&r->pairs, pair)) {
        r->out_of_memory = true;
        return UINT32_MAX;
    }
    *index = r->pairs.len - 1;
    return pair.counter;
}

static void watch_pair(struct structure_recorder *r, struct probe_site *site, enum probe_when when,
                       const struct guest_insn *insn, uint16_t pc) {
    const uint32_t to = when == PROBE_TAKEN ? insn->target : insn->next;
    /* Code that runs on into the next 8 KiB window is sequential, whatever bank is mapped there. */
    const bool transfer = insn->kind != INSN_PLAIN;
    const uint32_t counter = counter_of(r, insn->address, to, transfer);
    if (counter == UINT32_MAX)
        return;
    enum probe_kind kind = waiting_is_possible(r->nes, insn, pc) ? PROBE_ADD : PROBE_ONCE;
    probe_attach(site, when, (struct probe){.kind = kind, .counter = counter, .value = 1});
}

static uint32_t counter_to(void *user, const struct probe_event *event) {
    return counter_of(user, event->from, event->to, true);
}

static void watch_stop(struct structure_recorder *r, struct probe_site *site, uint32_t address) {
    uint64_t *counter = map_at(&r->stops, address);
    uint32_t fresh = counter != NULL && *counter == 0 ? nes_counters_add(r->nes, 1) : 0;
    if (counter == NULL || fresh == UINT32_MAX) {
        r->out_of_memory = true;
        return;
    }
    if (*counter == 0)
        *counter = (uint64_t)fresh + 1;
    probe_attach(site, PROBE_BEFORE,
                 (struct probe){.kind = PROBE_ONCE, .counter = (uint32_t)(*counter - 1)});
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct structure_recorder *r = self;
    const struct probe indirect = {
        .kind = PROBE_ADD_TO, .value = 1, .counter_to = counter_to, .user = r};
    const uint16_t next = (uint16_t)(insn->pc + insn->size);
    const uint8_t *const operand = insn->bytes + 1;
    note_insn(r, insn);
    note_kind(r, insn);
    switch ((enum insn_kind)insn->kind) {
    case INSN_BRANCH:
        watch_pair(r, site, PROBE_TAKEN, insn, (uint16_t)(next + (int8_t)operand[0]));
        watch_pair(r, site, PROBE_NEXT, insn, next);
        break;
    case INSN_JUMP:
    case INSN_CALL:
        watch_pair(r, site, PROBE_TAKEN, insn, (uint16_t)(operand[0] | operand[1] << 8));
        break;
    case INSN_RTI:
        watch_stop(r, site, insn->address);
        probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_JUMP_INDIRECT:
    case INSN_RETURN:
    case INSN_BRK:
        probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_PLAIN:
        watch_pair(r, site, PROBE_NEXT, insn, next);
        if (opcode_info(insn->bytes[0])->writes_memory) /* may switch the bank that it runs in */
            probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_JAM:
        watch_stop(r, site, insn->address);
        break;
    }
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct structure_recorder *r = self;
    if (event->change == THREAD_BEGINS)
        add(r, &r->begins, event->address, 1);
    else if (event->change == THREAD_ENDS)
        add(r, &r->ends, event->address, 1);
}

/* ---- after the replay ---- */

static void collect_flow(struct structure_recorder *r, struct flow *flow) {
    const uint64_t *counters = nes_counters(r->nes);
    bool ok = true;
    for (size_t i = 0; i < r->pairs.len; i++) {
        const struct pair *p = &r->pairs.at[i];
        struct flow_pair pair = {p->a, p->b, counters[p->counter], p->transfer};
        ok &= pair.count == 0 || vec_push(&flow->pairs, pair);
    }
    uint64_t key, count;
    for (size_t at = 0; map_next(&r->begins, &at, &key, &count);)
        ok &= vec_push(&flow->entries, (uint32_t)key);
    for (size_t i = 0; i < r->insns.len; i++)
        ok &= vec_push(&flow->insns, r->insns.at[i]);
    r->out_of_memory |= !ok;
}

static void mark_ends(struct structure *s, const struct structure_recorder *r) {
    for (size_t b = 0; b < s->graph.block_count; b++) {
        const uint64_t *kind = map_find(&r->routines, s->graph.blocks[b].last);
        s->ends[b] = kind != NULL ? (uint8_t)*kind : INSN_PLAIN;
    }
}

static bool shape_insn(const void *user, uint32_t address, struct shape_insn *out) {
    const struct structure_recorder *r = user;
    const uint64_t *first = map_find(&r->insn_at, address);
    if (first == NULL)
        return false;
    *out = (struct shape_insn){r->insns.at[*first - 1].size, shape_end_of(r->kinds.at[*first - 1])};
    return true;
}

static enum status mark_threads(struct structure *s, const struct structure_recorder *r,
                                struct error *e) {
    struct insn_place *places;
    enum status status = structure_places(&places, s, e);
    if (status != STATUS_OK)
        return status;
    const size_t count = structure_insn_count(s);
    uint64_t address, n;
    for (size_t at = 0; map_next(&r->begins, &at, &address, &n);)
        s->begins[structure_block_of(places, count, (uint32_t)address)] += n;
    for (size_t at = 0; map_next(&r->ends, &at, &address, &n);) {
        size_t block = structure_block_of(places, count, (uint32_t)address);
        if (block != SIZE_MAX)
            s->sink[block] = true;
    }
    for (size_t at = 0; map_next(&r->stops, &at, &address, &n);) {
        size_t block = structure_block_of(places, count, (uint32_t)address);
        if (block != SIZE_MAX && nes_counters(r->nes)[n - 1] != 0)
            s->sink[block] = true;
    }
    free(places);
    return STATUS_OK;
}

static void release(struct structure_recorder *r) {
    vec_free(&r->insns);
    vec_free(&r->kinds);
    vec_free(&r->pairs);
    map_free(&r->insn_at);
    map_free(&r->pair_at[0]);
    map_free(&r->pair_at[1]);
    map_free(&r->begins);
    map_free(&r->ends);
    map_free(&r->stops);
    map_free(&r->routines);
    free(r);
}

void structure_abandon(struct structure_recorder *r) {
    if (r == NULL)
        return;
    nes_detach(r->nes, r->id);
    release(r);
}

enum status structure_attach(struct structure_recorder **out, struct nes *nes, struct error *e) {
    *out = NULL;
    struct structure_recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the structure");
    r->nes = nes;
    const struct observer observer = {
        .self = r, .instrument = instrument, .thread = thread_changes};
    enum status status = nes_attach(nes, &observer, &r->id, e);
    if (status != STATUS_OK) {
        free(r);
        return status;
    }
    *out = r;
    return STATUS_OK;
}

static enum status make(struct structure *s, struct structure_recorder *r, struct error *e) {
    struct flow flow = {0};
    collect_flow(r, &flow);
    enum status status = r->out_of_memory
                             ? error_set(e, STATUS_MEMORY, "out of memory for the structure")
                             : graph_from_flow(&s->graph, &flow, true, e);
    if (status == STATUS_OK)
        status = structure_of_blocks(s, &flow, e);
    if (status == STATUS_OK) {
        mark_ends(s, r);
        status = mark_threads(s, r, e);
    }
    if (status == STATUS_OK)
        status = shapes_of_game(&s->shapes, &s->graph, e);
    if (status == STATUS_OK) {
        const struct shape_source source = {.insn = shape_insn, .user = r, .banked = true};
        status = shapes_of_blocks(&s->shapes, &s->graph, source, e);
    }
    flow_free(&flow);
    return status;
}

enum status structure_finish(struct structure_recorder *r, struct structure *out, struct error *e) {
    *out = (struct structure){.probes = nes_probes_fired(r->nes, r->id)};
    nes_detach(r->nes, r->id); /* reports where the running contexts would resume */
    enum status status = make(out, r, e);
    release(r);
    if (status != STATUS_OK)
        structure_free(out);
    return status;
}

enum status structure_now(struct structure_recorder *r, struct structure *out, struct error *e) {
    nes_settle(r->nes); /* may find pairs */
    struct structure_recorder ending = *r;
    *out = (struct structure){.probes = nes_probes_fired(r->nes, r->id)};
    ending.ends = (struct map){0};
    uint64_t address, n;
    for (size_t at = 0; map_next(&r->ends, &at, &address, &n);)
        add(&ending, &ending.ends, address, n);
    nes_notify_threads(r->nes, &(struct observer){.self = &ending, .thread = thread_changes},
                       THREAD_ENDS);
    const enum status status = make(out, &ending, e);
    map_free(&ending.ends);
    if (status != STATUS_OK)
        structure_free(out);
    return status;
}

/* ---- queries ---- */

static bool sort_places(struct insn_place *places, const uint32_t *addresses, size_t count) {
    struct insn_place *unsorted = malloc((count + 1) * sizeof *unsorted);
    uint32_t *order = sorted_order(addresses, count);
    const bool ok = unsorted != NULL && order != NULL;
    if (ok)
        memcpy(unsorted, places, count * sizeof *places);
    for (size_t i = 0; ok && i < count; i++)
        places[i] = unsorted[order[i]];
    free(unsorted);
    free(order);
    return ok;
}

enum status structure_places(struct insn_place **out, const struct structure *s, struct error *e) {
    const size_t count = structure_insn_count(s);
    struct insn_place *places = calloc(count + 1, sizeof *places);
    *out = places;
    for (size_t b = 0; places != NULL && b < s->graph.block_count; b++)
        for (size_t i = s->first[b]; i < s->first[b + 1]; i++)
            places[i] = (struct insn_place){s->insns[i], (uint32_t)b};
    if (places != NULL && sort_places(places, s->insns, count))
        return STATUS_OK;
    free(places);
    *out = NULL;
    return error_set(e, STATUS_MEMORY, "out of memory for the structure");
}

size_t structure_block_of(const struct insn_place *places, size_t insn_count, uint32_t address) {
    size_t low = 0, high = insn_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (places[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < insn_count && places[low].address == address ? places[low].block : SIZE_MAX;
}
