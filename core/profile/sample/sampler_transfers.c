/*
 * Single control transfers, one in every `every` executed ones; with SAMPLER_ACTIVE, of those
 * outside busy-waits. All transfers decrement one counter, and the one that brings it to its end is
 * recorded as a batch of two: the transfer and its destination.
 *
 * The first is drawn from the seed. Each further one follows at the same distance, or one is drawn
 * in each stratum.
 *
 * Golden: when the f-th NMI handler begins (f = 0 when the sampler was attached), the next sample
 * is put frac(u + f * 0.618...) of a stride ahead, with u from the seed. This sequence fills the
 * stride as evenly as any sequence can, for every number of frames. Programs repeat themselves from
 * frame to frame, so the transfers at one position of all frames are sampled in proportion, too.
 *
 * Calls: the same happens at each call and return as well. When control reaches address a by a call
 * or return for the n-th time, the next sample is put frac(u + n * 0.618...) of a stride ahead,
 * with u from the seed and a. The path from one NMI to the next is long and always different, so
 * positions soon become random. The path from one call or return to the next is short and mostly
 * the same. Each transfer is still sampled once in `every`, because every position in a stride is
 * equally likely, whatever the origin.
 */
#include "profile/sample/samplers.h"

#include "profile/structure/structure.h"

#include <stdlib.h>

static uint64_t key_of(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

uint64_t sampler_transfers_passed(const struct sampler *s) {
    return s->passed + (*s->count - s->set_to);
}

uint64_t sampler_transfers_probes(const struct sampler *s) {
    return sampler_transfers_passed(s) + s->arrived;
}

static void call_after(struct sampler *s, uint64_t transfers) {
    s->passed = sampler_transfers_passed(s);
    s->set_to = 0 - transfers;
    nes_counter_set(s->nes, s->counter, s->set_to);
}

uint64_t sampler_in_stride(const struct sampler *s, uint64_t at) {
    return (uint64_t)((unsigned __int128)at * s->options.every >> 64);
}

/* Position for the n-th occurrence of event `what`. */
static uint64_t golden_place(const struct sampler *s, uint64_t what, uint64_t n) {
    return sampler_in_stride(s, splitmix64(s->options.seed, what) + n * SAMPLER_GOLDEN_RATIO);
}

/* ---- recording ---- */

uint64_t sampler_transfers_distance(struct sampler *s) {
    if (s->options.place != SAMPLER_STRATIFIED)
        return s->options.every;
    const uint64_t place = sampler_place(s, ++s->next_batch);
    const uint64_t distance = s->options.every - s->place + place;
    s->place = place;
    return distance;
}

void sampler_transfers_next(struct sampler *s) {
    call_after(s, sampler_transfers_distance(s));
}

static void record(void *user, const struct probe_event *event) {
    const struct transfer_site *site = user;
    struct sampler *s = site->sampler;
    sampler_transfers_next(s);
    s->batch[0] = site->sample;
    s->batch[1] = sampler_landing(s->nes, event->to);
    sampler_keep(s);
}

static bool find_arrival(struct transfer_site *site, uint32_t to) {
    struct sampler *s = site->sampler;
    struct arrival *a = cells_at(&s->arrivals, to);
    if (a == NULL) {
        s->out_of_memory = true;
        return false;
    }
    if (!a->met)
        *a = (struct arrival){splitmix64(s->options.seed, (uint64_t)to + 1), true};
    site->arrival = a;
    site->to = to;
    return true;
}

/* Called most often of all callbacks: keep it short. */
static void arrive(void *user, const struct probe_event *event) {
    struct transfer_site *site = user;
    struct sampler *s = site->sampler;
    s->arrived++;
    if ((site->arrival == NULL || site->to != event->to) && !find_arrival(site, event->to))
        return;
    site->arrival->at += SAMPLER_GOLDEN_RATIO;
    call_after(s, sampler_in_stride(s, site->arrival->at) + 1);
}

/* ---- instrumenting ---- */

struct transfer_site *sampler_note_site(struct sampler *s, const struct guest_insn *insn) {
    struct transfer_site *kept = malloc(sizeof *kept);
    if (kept == NULL || !vec_push(&s->sites, kept)) {
        free(kept);
        s->out_of_memory = true;
        return NULL;
    }
    *kept = (struct transfer_site){.sampler = s,
                                   .sample = {.pc = insn->address,
                                              .target = insn->target,
                                              .size = insn->size,
                                              .kind = insn->kind,
                                              .opcode = insn->bytes[0]}};
    return kept;
}

static void watch(struct transfer_site *from, struct probe_site *site, enum probe_when when,
                  uint32_t to) {
    const struct sampler *s = from->sampler;
    if (s->options.by == SAMPLER_ACTIVE && when != PROBE_INDIRECT &&
        map_find(&s->waits, key_of(from->sample.pc, to)) != NULL)
        return;
    probe_attach(site, when,
                 (struct probe){.kind = PROBE_CALL_AT,
                                .counter = s->counter,
                                .value = 0,
                                .call = s->group != NULL ? s->due_for_group : record,
                                .user = from,
                                .quiet = true});
}

/* Attached after the sampling probes, so that the call itself is counted from its previous
 * position. */
static void watch_arrival(struct transfer_site *from, struct probe_site *site,
                          const struct guest_insn *insn) {
    const struct sampler *s = from->sampler;
    const struct probe probe = {.kind = PROBE_CALL,
                                .call = s->group != NULL ? s->arrives_for_group : arrive,
                                .user = from,
                                .quiet = true};
    if (s->options.place == SAMPLER_CALLS && insn->kind == INSN_CALL)
        probe_attach(site, PROBE_TAKEN, probe);
    else if (s->options.place == SAMPLER_CALLS && insn->kind == INSN_RETURN)
        probe_attach(site, PROBE_INDIRECT, probe);
}

static void instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct sampler *s = self;
    const bool plain = insn->kind == INSN_PLAIN || insn->kind == INSN_JAM;
    if (plain && !opcode_info(insn->bytes[0])->writes_memory)
        return;
    struct transfer_site *from = sampler_note_site(s, insn);
    if (from == NULL)
        return;
    switch ((enum insn_kind)insn->kind) {
    case INSN_BRANCH:
        watch(from, site, PROBE_TAKEN, insn->target);
        watch(from, site, PROBE_NEXT, insn->next);
        break;
    case INSN_JUMP:
    case INSN_CALL:
        watch(from, site, PROBE_TAKEN, insn->target);
        break;
    default: /* also a store that switches its own bank: the next pair is a transfer */
        watch(from, site, PROBE_INDIRECT, 0);
        break;
    }
    watch_arrival(from, site, insn);
}

static void thread_changes(void *self, const struct thread_event *event) {
    struct sampler *s = self;
    if (event->change != THREAD_BEGINS || event->cause != THREAD_NMI ||
        s->options.place < SAMPLER_GOLDEN)
        return;
    call_after(s, golden_place(s, 0, ++s->frames) + 1);
}

/* ---- life cycle ---- */

enum status sampler_transfers_prepare(struct sampler *s, struct error *e) {
    s->counter = nes_counters_add(s->nes, 1);
    s->arrivals.cell_size = sizeof(struct arrival);
    bool ok = s->counter != UINT32_MAX;
    s->count = ok ? &nes_counters(s->nes)[s->counter] : NULL;
    const struct graph *g = s->options.structure != NULL ? &s->options.structure->graph : NULL;
    for (size_t i = 0; ok && g != NULL && i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        if (edge->busy)
            ok = map_at(&s->waits, key_of(graph_find_block(g, edge->source)->last, edge->target)) !=
                 NULL;
    }
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for a sampler");
}

uint64_t sampler_first_place(struct sampler *s) {
    return s->place =
               s->options.place >= SAMPLER_GOLDEN ? golden_place(s, 0, 0) : sampler_place(s, 0);
}

void sampler_transfers_begin(struct sampler *s) {
    call_after(s, sampler_first_place(s) + 1);
    s->passed = 0;
}

void sampler_transfers_release(struct sampler *s) {
    for (size_t i = 0; i < s->sites.len; i++)
        free(s->sites.at[i]);
    vec_free(&s->sites);
    cells_free(&s->arrivals);
    map_free(&s->waits);
}

const struct observer sampler_by_transfers = {.instrument = instrument, .thread = thread_changes};
