/*
 * sampler_group: samplers by instructions, or by transfers, that share one observer. Each gets the same
 * stream as alone.
 *
 * Alone, each sampler counts all instructions or transfers with probes of its own. A group has one
 * counter and one probe at each place, which calls when the next sample of any member is due. `due` is
 * a number of the counted events, from 1 on. An arrival by call or return moves the samples of all
 * members at SAMPLER_CALLS in one loop.
 *
 * Instructions are counted by a probe before each of them. It knows the first instruction of a batch,
 * and the group steps over the others.
 */
#include "profile/sample/samplers.h"

#include <stdlib.h>

#define NEVER_DUE UINT64_MAX

struct group_batch {
    struct group_batch *next; /* that begins at the same site */
    struct sample landing;
    uint32_t numbers[]; /* of each member: 1 + the number in its stream; 0: not there yet */
};

struct sampler_group {
    struct nes *nes;
    struct sampler *leader; /* has the counter and the probes, and samples nothing */
    size_t count, calls;    /* members; the first `calls` of them are at SAMPLER_CALLS */
    struct sampler **members;
    size_t *order;         /* of each member: its index in the options given */
    uint64_t *due;         /* of each member */
    uint64_t *every;       /* of each member */
    VEC(size_t) open;      /* members whose batch is not complete; they are never due */
    struct cells arrivals; /* pointers to the positions of the members at SAMPLER_CALLS, in units
                                * of 2^-64 of their strides, of each address */
    VEC(uint64_t *) positions; /* all of them */
    bool out_of_memory;
};

static uint64_t events_before(const struct sampler_group *g) {
    return sampler_transfers_passed(g->leader);
}

/* Has the counter call at the first event that is due. */
static void group_await(struct sampler_group *g, uint64_t passed) {
    struct sampler *const leader = g->leader;
    uint64_t next = NEVER_DUE;
    for (size_t i = 0; i < g->count; i++)
        next = g->due[i] < next ? g->due[i] : next;
    leader->passed = passed;
    leader->set_to = passed - next;
    nes_counter_set(g->nes, leader->counter, leader->set_to);
}

/* ---- batches ---- */

static bool same_sample(const struct sample *a, const struct sample *b) {
    return a->pc == b->pc && a->target == b->target && a->size == b->size && a->kind == b->kind &&
           a->opcode == b->opcode;
}

/* The batch of a site and a landing, which becomes the site's first one; NULL: out of memory. */
static struct group_batch *batch_of(struct sampler_group *g, struct transfer_site *site,
                                    const struct sample *landing) {
    struct group_batch **at = &site->batches;
    while (*at != NULL && !same_sample(&(*at)->landing, landing))
        at = &(*at)->next;
    struct group_batch *batch = *at;
    if (batch != NULL) {
        *at = batch->next;
    } else {
        batch = calloc(1, sizeof *batch + g->count * sizeof *batch->numbers);
        if (batch == NULL) {
            g->out_of_memory = true;
            return NULL;
        }
        batch->landing = *landing;
    }
    batch->next = site->batches;
    return site->batches = batch;
}

/* Appends the batch to the stream of member `i`. */
static void keep(struct sampler_group *g, size_t i, const struct transfer_site *site,
                 struct group_batch *batch) {
    struct sampler *const member = g->members[i];
    if (batch->numbers[i] != 0) {
        member->out_of_memory |= !stream_add_again(&member->stream, batch->numbers[i] - 1);
        return;
    }
    member->batch[0] = site->sample;
    if (member->options.batch_length > 1)
        member->batch[1] = batch->landing;
    sampler_keep(member);
    if (member->options.take == NULL && !member->out_of_memory)
        batch->numbers[i] = sampler_kept_last(member) + 1;
}

/* ---- transfers ---- */

static void group_transfer(void *user, const struct probe_event *event) {
    struct transfer_site *const site = user;
    struct sampler_group *const g = site->sampler->group;
    const struct sample landing = sampler_landing(g->nes, event->to);
    const uint64_t now = events_before(g);
    struct group_batch *const batch = batch_of(g, site, &landing);
    if (batch == NULL)
        return;
    for (size_t i = 0; i < g->count; i++) {
        if (g->due[i] != now)
            continue;
        keep(g, i, site, batch);
        g->due[i] = now + sampler_transfers_distance(g->members[i]);
    }
    group_await(g, now);
}

/* Transfers number `first` + 1 to `now`, in passes. */
static void transfers_passed(struct sampler_group *g, const struct passes *p, uint64_t first,
                             uint64_t now) {
    struct group_batch *batches[PASSED_MOST] = {NULL};
    for (size_t i = 0; i < g->count; i++)
        for (; g->due[i] <= now; g->due[i] += sampler_transfers_distance(g->members[i])) {
            const size_t k = (size_t)((g->due[i] - first - 1) % p->count);
            struct transfer_site *const site = p->at[k].user;
            if (batches[k] == NULL) {
                const struct sample landing = sampler_landing(g->nes, p->at[k].to);
                batches[k] = batch_of(g, site, &landing);
            }
            if (batches[k] != NULL)
                keep(g, i, site, batches[k]);
        }
}

/* The positions of an address; NULL: out of memory. */
static uint64_t *positions_of(struct sampler_group *g, uint32_t to) {
    uint64_t **const cell = cells_at(&g->arrivals, to);
    if (cell == NULL || *cell != NULL)
        return cell == NULL ? NULL : *cell;
    uint64_t *const positions = malloc(g->calls * sizeof *positions);
    if (positions == NULL || !vec_push(&g->positions, positions)) {
        free(positions);
        return NULL;
    }
    for (size_t i = 0; i < g->calls; i++)
        positions[i] = splitmix64(g->members[i]->options.seed, (uint64_t)to + 1);
    return *cell = positions;
}

static void group_arrival(void *user, const struct probe_event *event) {
    struct transfer_site *const site = user;
    struct sampler *const leader = site->sampler;
    struct sampler_group *const g = leader->group;
    leader->arrived++;
    if (site->positions == NULL || site->to != event->to) {
        site->positions = positions_of(g, event->to);
        site->to = event->to;
    }
    uint64_t *const positions = site->positions;
    if (positions == NULL) {
        g->out_of_memory = true;
        return;
    }
    const uint64_t passed = events_before(g);
    for (size_t i = 0; i < g->calls; i++) {
        positions[i] += SAMPLER_GOLDEN_RATIO;
        g->due[i] = passed + 1 + (uint64_t)((unsigned __int128)positions[i] * g->every[i] >> 64);
    }
    group_await(g, passed);
}

static void group_thread(void *self, const struct thread_event *event) {
    struct sampler_group *const g = ((struct sampler *)self)->group;
    if (event->change != THREAD_BEGINS || event->cause != THREAD_NMI)
        return;
    const uint64_t passed = events_before(g), n = ++g->leader->frames;
    for (size_t i = 0; i < g->count; i++) {
        const struct sampler *const member = g->members[i];
        const uint64_t at = splitmix64(member->options.seed, 0) + n * SAMPLER_GOLDEN_RATIO;
        if (member->options.place >= SAMPLER_GOLDEN)
            g->due[i] = passed + 1 + sampler_in_stride(member, at);
    }
    group_await(g, passed);
}

/* ---- instructions ---- */

/* When the member's next batch is due. Its last one ended after `done` instructions. */
static uint64_t due_after(struct sampler *member, uint64_t done) {
    uint64_t begin;
    while ((begin = sampler_instructions_begin_of(member, ++member->next_batch)) < done)
        member->overruns++;
    return begin + 1;
}

static void group_steps(struct sampler_group *g) {
    uint64_t most = 0;
    for (size_t i = 0; i < g->open.len; i++) {
        const struct sampler *const member = g->members[g->open.at[i]];
        const uint64_t missing = member->options.batch_length - member->taken;
        most = missing > most ? missing : most;
    }
    if (most > 0)
        nes_observe(g->nes, g->leader->id, most);
}

static void group_instruction(void *user, const struct probe_event *event) {
    struct transfer_site *const site = user;
    struct sampler_group *const g = site->sampler->group;
    const uint64_t now = events_before(g);
    const size_t open = g->open.len;
    struct group_batch *const alone = batch_of(g, site, &(struct sample){0});
    (void)event;
    if (alone == NULL)
        return;
    for (size_t i = 0; i < g->count; i++) {
        if (g->due[i] != now)
            continue;
        struct sampler *const member = g->members[i];
        if (member->options.batch_length == 1) {
            keep(g, i, site, alone);
            g->due[i] = due_after(member, now);
            continue;
        }
        member->batch[0] = site->sample;
        member->taken = 1;
        g->due[i] = NEVER_DUE;
        g->out_of_memory |= !vec_push(&g->open, i);
    }
    if (g->open.len > open)
        group_steps(g);
    group_await(g, now);
}

/* The probe before the instruction has not counted it yet. */
static void group_step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct sampler_group *const g = ((struct sampler *)self)->group;
    const uint64_t passed = events_before(g);
    const size_t open = g->open.len;
    size_t kept = 0;
    (void)cycle;
    for (size_t k = 0; k < open; k++) {
        const size_t i = g->open.at[k];
        struct sampler *const member = g->members[i];
        if (!sampler_take(member, insn)) {
            g->open.at[kept++] = i;
            continue;
        }
        member->taken = 0;
        g->due[i] = due_after(member, passed + 1);
    }
    g->open.len = kept;
    if (kept < open)
        group_await(g, passed);
}

/* The batch of member `i` that is due among the instructions number `first` + 1 to `now`, in passes. */
static void batch_passed(struct sampler_group *g, size_t i, const struct passes *p, uint64_t first,
                         uint64_t now) {
    struct sampler *const member = g->members[i];
    const uint64_t due = g->due[i];
    size_t k = (size_t)((due - first - 1) % p->count);
    if (member->options.batch_length == 1) {
        struct transfer_site *const site = p->at[k].user;
        struct group_batch *const alone = batch_of(g, site, &(struct sample){0});
        if (alone != NULL)
            keep(g, i, site, alone);
        g->due[i] = due_after(member, due);
        return;
    }
    const uint64_t left = now - due + 1, length = member->options.batch_length;
    for (; member->taken < left && member->taken < length; k = k + 1 < p->count ? k + 1 : 0)
        member->batch[member->taken++] = ((const struct transfer_site *)p->at[k].user)->sample;
    if (member->taken < length) {
        g->due[i] = NEVER_DUE;
        g->out_of_memory |= !vec_push(&g->open, i);
        return;
    }
    sampler_keep(member);
    member->taken = 0;
    g->due[i] = due_after(member, due + length - 1);
}

static void instructions_passed(struct sampler_group *g, const struct passes *p, uint64_t first,
                                uint64_t now) {
    const size_t open = g->open.len;
    for (size_t i = 0; i < g->count; i++)
        while (g->due[i] <= now)
            batch_passed(g, i, p, first, now);
    if (g->open.len > open)
        group_steps(g);
}

static void group_passed(void *self, const struct passes *p) {
    struct sampler_group *const g = ((struct sampler *)self)->group;
    const uint64_t now = events_before(g), first = now - p->times * p->count;
    if (g->leader->options.by == SAMPLER_INSTRUCTIONS)
        instructions_passed(g, p, first, now);
    else
        transfers_passed(g, p, first, now);
    group_await(g, now);
}

static void instrument_each(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct sampler *const leader = self;
    struct transfer_site *const from = sampler_note_site(leader, insn);
    if (from == NULL)
        return;
    probe_attach(site, PROBE_BEFORE,
                 (struct probe){.kind = PROBE_CALL_AT,
                                .counter = leader->counter,
                                .call = group_instruction,
                                .user = from,
                                .quiet = true});
}

/* ---- life cycle ---- */

bool sampler_may_share(const struct sampler_options *o) {
    return o->by == SAMPLER_INSTRUCTIONS || o->by == SAMPLER_TRANSFERS || o->by == SAMPLER_ACTIVE;
}

static enum status make_members(struct sampler_group *g, const struct sampler_options *options,
                                struct error *e) {
    enum status status = STATUS_OK;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; status == STATUS_OK && i < g->count; i++) {
            if ((options[i].place != SAMPLER_CALLS) != others)
                continue;
            const size_t number = g->calls;
            status = sampler_make(&g->members[number], g->nes, options[i], e);
            g->order[number] = i;
            g->calls += status == STATUS_OK;
        }
    }
    g->calls = 0;
    for (size_t i = 0; status == STATUS_OK && i < g->count; i++) {
        g->every[i] = g->members[i]->options.every;
        g->calls += g->members[i]->options.place == SAMPLER_CALLS;
    }
    return status;
}

static enum status make_leader(struct sampler_group *g, struct error *e) {
    const struct sampler_options *const like = &g->members[0]->options;
    struct sampler_options options = {
        .by = like->by, .every = like->every, .structure = like->structure, .batch_length = 1};
    const enum status status = sampler_make(&g->leader, g->nes, options, e);
    if (status != STATUS_OK)
        return status;
    g->leader->options.place = g->calls > 0 ? SAMPLER_CALLS : SAMPLER_REGULAR;
    g->leader->group = g;
    g->leader->due_for_group = group_transfer;
    g->leader->arrives_for_group = group_arrival;
    return sampler_transfers_prepare(g->leader, e);
}

static enum status attach_leader(struct sampler_group *g, struct error *e) {
    struct sampler *const leader = g->leader;
    const bool instructions = leader->options.by == SAMPLER_INSTRUCTIONS;
    const struct observer observer = {
        .self = leader,
        .instrument = instructions ? instrument_each : sampler_by_transfers.instrument,
        .thread = instructions ? NULL : group_thread,
        .step = instructions ? group_step : NULL,
        .passed = group_passed,
    };
    const enum status status = nes_attach(g->nes, &observer, &leader->id, e);
    leader->attached = status == STATUS_OK;
    return status;
}

static enum status check_group(const struct sampler_options *options, size_t count,
                               struct error *e) {
    bool ok = count > 0;
    for (size_t i = 0; ok && i < count; i++)
        ok = sampler_may_share(&options[i]) && options[i].by == options->by &&
             options[i].structure == options->structure;
    return ok ? STATUS_OK
              : error_set(e, STATUS_ARGUMENT,
                          "samplers share an observer only if all count the same: instructions, "
                          "transfers, or active ones by one structure");
}

enum status sampler_group_attach(struct sampler_group **out, struct nes *nes,
                                 const struct sampler_options *options, size_t count,
                                 struct error *e) {
    *out = NULL;
    enum status status = check_group(options, count, e);
    if (status != STATUS_OK)
        return status;
    struct sampler_group *const g = calloc(1, sizeof *g);
    if (g == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for samplers");
    *g = (struct sampler_group){.nes = nes,
                                .count = count,
                                .members = calloc(count, sizeof *g->members),
                                .order = calloc(count, sizeof *g->order),
                                .due = calloc(count, sizeof *g->due),
                                .every = calloc(count, sizeof *g->every),
                                .arrivals.cell_size = sizeof(uint64_t *)};
    if (g->members == NULL || g->order == NULL || g->due == NULL || g->every == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory for samplers");
    if (status == STATUS_OK)
        status = make_members(g, options, e);
    if (status == STATUS_OK)
        status = make_leader(g, e);
    if (status == STATUS_OK)
        status = attach_leader(g, e);
    if (status != STATUS_OK) {
        sampler_group_free(g);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        g->due[i] = 1 + sampler_first_place(g->members[i]);
    group_await(g, 0);
    *out = g;
    return STATUS_OK;
}

/* Gives the member the counts that it would have alone. */
static void lend_counts(const struct sampler_group *g, struct sampler *member) {
    member->id = g->leader->id;
    member->count = g->leader->count;
    member->passed = g->leader->passed;
    member->set_to = g->leader->set_to;
    member->arrived = member->options.place == SAMPLER_CALLS ? g->leader->arrived : 0;
    member->out_of_memory |= g->out_of_memory | g->leader->out_of_memory;
}

void sampler_group_describe(const struct sampler_group *g, size_t number, struct stream *out) {
    size_t i = 0;
    while (g->order[i] != number)
        i++;
    lend_counts(g, g->members[i]);
    sampler_describe(g->members[i], out);
}

enum status sampler_group_finish(struct sampler_group *g, struct stream *out, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < g->count; i++) {
        lend_counts(g, g->members[i]);
        status = sampler_finish(g->members[i], &out[g->order[i]], e);
        g->members[i] = NULL;
    }
    sampler_group_free(g);
    return status;
}

static void free_batches(struct transfer_site *site) {
    for (struct group_batch *batch = site->batches, *next; batch != NULL; batch = next) {
        next = batch->next;
        free(batch);
    }
}

void sampler_group_free(struct sampler_group *g) {
    if (g == NULL)
        return;
    for (size_t i = 0; g->leader != NULL && i < g->leader->sites.len; i++)
        free_batches(g->leader->sites.at[i]);
    sampler_free(g->leader);
    for (size_t i = 0; g->members != NULL && i < g->count; i++)
        sampler_free(g->members[i]);
    for (size_t i = 0; i < g->positions.len; i++)
        free(g->positions.at[i]);
    vec_free(&g->positions);
    vec_free(&g->open);
    cells_free(&g->arrivals);
    free(g->members);
    free(g->order);
    free(g->due);
    free(g->every);
    free(g);
}
