/*
 * Single control transfers, one in each `every` of those that are executed; with SAMPLER_ACTIVE of
 * those that are no busy-wait's. All transfers count one counter down, and the one that brings it
 * to its end is recorded: as a batch of two, the transfer and where it went.
 *
 * The first is drawn from the seed and every further one follows at the same distance, or one is
 * drawn in each stratum. Golden: when the f-th handler of an NMI begins (f = 0 when the sampler was
 * attached), the next sample is put frac(u + f * 0.618...) of a stride ahead, u from the seed: a
 * sequence that fills the stride as evenly as any, at whatever number of frames it ends. Programs
 * repeat themselves from frame to frame; so what lies at one place in all of them is chosen in
 * proportion, too.
 *
 * Calls: the same happens at each call and return as well. When control comes to the address a by a
 * call or a return for the n-th time, the next sample is put frac(u + n * 0.618...) of a stride
 * ahead, u from the seed and a. The way from one NMI to the next is long and never the same, so
 * that it soon comes to its places at random; from one call or return to the next it is short, and
 * mostly the same. Still each transfer is chosen once in `every`: each place in a stride is as
 * likely as any other, wherever one begins to count.
 */
#include "profile/sample/samplers.h"

#include "profile/structure/structure.h"

#include <stdlib.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15) /* (sqrt(5) - 1) / 2 of 2^64 */

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

static uint64_t in_stride(const struct sampler *s, uint64_t at) {
    return (uint64_t)((unsigned __int128)at * s->options.every >> 64);
}

/* Of the n-th time at what is numbered `what`. */
static uint64_t golden_place(const struct sampler *s, uint64_t what, uint64_t n) {
    return in_stride(s, splitmix64(s->options.seed, what) + n * GOLDEN);
}

/* ---- recording ---- */

/* What lies where the transfer went. */
static struct sample landing(const struct nes *nes, uint32_t address) {
    const uint16_t pc = (uint16_t)address;
    const uint8_t bytes[3] = {nes_peek(nes, pc), nes_peek(nes, (uint16_t)(pc + 1)),
                              nes_peek(nes, (uint16_t)(pc + 2))};
    const struct opcode_info *op = opcode_info(bytes[0]);
    struct sample s = {.pc = address, .size = op->size, .kind = op->kind, .opcode = bytes[0]};
    if (op->kind == INSN_BRANCH)
        s.target = nes_code_address(nes, (uint16_t)(pc + 2 + (int8_t)bytes[1]));
    else if (op->kind == INSN_JUMP || op->kind == INSN_CALL)
        s.target = nes_code_address(nes, (uint16_t)(bytes[1] | bytes[2] << 8));
    return s;
}

static uint64_t next_distance(struct sampler *s) {
    if (s->options.place != SAMPLER_STRATIFIED)
        return s->options.every;
    const uint64_t place = sampler_place(s, ++s->next_batch);
    const uint64_t distance = s->options.every - s->place + place;
    s->place = place;
    return distance;
}

struct transfer_site { /* an instruction that is watched */
    struct sampler *sampler;
    struct sample sample;
    struct arrival *arrival; /* NULL, or of the address that a call or return last came to */
    uint32_t to;
};

static void record(void *user, const struct probe_event *event) {
    const struct transfer_site *site = user;
    struct sampler *s = site->sampler;
    call_after(s, next_distance(s));
    s->batch[0] = site->sample;
    s->batch[1] = landing(s->nes, event->to);
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

/* What programs do most of all that calls the sampler. */
static void arrive(void *user, const struct probe_event *event) {
    struct transfer_site *site = user;
    struct sampler *s = site->sampler;
    s->arrived++;
    if ((site->arrival == NULL || site->to != event->to) && !find_arrival(site, event->to))
        return;
    site->arrival->at += GOLDEN;
    call_after(s, in_stride(s, site->arrival->at) + 1);
}

/* ---- watching ---- */

static struct transfer_site *note_site(struct sampler *s, const struct guest_insn *insn) {
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
                                .call = record,
                                .user = from,
                                .quiet = true});
}

/* Behind the probes that sample: the call itself is still counted from where it came. */
static void watch_arrival(struct transfer_site *from, struct probe_site *site,
                          const struct guest_insn *insn) {
    const struct sampler *s = from->sampler;
    const struct probe probe = {.kind = PROBE_CALL, .call = arrive, .user = from, .quiet = true};
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
    struct transfer_site *from = note_site(s, insn);
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
    default: /* also a store that switches the bank it lies in: what comes then is a transfer */
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

/* ---- beginning and end ---- */

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

void sampler_transfers_begin(struct sampler *s) {
    s->place = s->options.place >= SAMPLER_GOLDEN ? golden_place(s, 0, 0) : sampler_place(s, 0);
    call_after(s, s->place + 1);
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
