/* Instrumented instructions (sites), their probes, and firing them. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "nes/observe/watch.h"

/* The counters are one reservation of address space, 8 MiB, so they never move; the system provides
 * pages at first access. */
enum { FIRST_BUCKETS = 1 << 10 };
/* An instruction below this address is followed by one in memory that no board switches with PRG. */
enum { RAM_CODE = 0x8000 - 3 };

#ifndef WATCH_VOLATILE
#define WATCH_VOLATILE (1 << 15) /* most sites kept in RAM, about 8 MiB */
#endif

enum status watch_create(struct nes *n, struct error *e) {
    struct watch *w = n->observed.watch = calloc(1, sizeof *w);
    if (!w)
        return error_set(e, STATUS_MEMORY, "out of memory for observers");
    w->slot_count = 0x8000 + n->made.options.cartridge->prg_size;
    w->bucket_count = FIRST_BUCKETS;
    w->tallies = &w->no_tally;
    w->runs = &w->no_run;
    w->slots = w->all_slots[false] = calloc(w->slot_count, sizeof *w->slots);
    w->buckets = calloc(w->bucket_count, sizeof *w->buckets);
    void *counters = mmap(NULL, NOBODYS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (counters != MAP_FAILED)
        n->observed.counters = counters;
    n->observed.alarm = NEVER;
    if (!n->observed.counters)
        return error_set(e, STATUS_MEMORY,
                         "a machine needs %zu MiB of address space for the counters of its probes, "
                         "and the system refuses them: %s (see ulimit -v)",
                         (WATCH_COUNTERS * sizeof(uint64_t)) >> 20, strerror(errno));
    return w->slots && w->buckets ? STATUS_OK
                                  : error_set(e, STATUS_MEMORY, "out of memory for observers");
}

static void free_site(struct site *site) {
    for (unsigned when = 0; when < PROBE_WHEN_COUNT; when++)
        free(site->probes[when].at);
    free(site);
}

void watch_free(struct nes *n) {
    struct watch *w = n->observed.watch;
    if (n->observed.counters)
        munmap(n->observed.counters, NOBODYS * sizeof(uint64_t));
    if (!w)
        return;
    for (unsigned i = 0; i < NES_OBSERVERS; i++)
        record_free(&w->observers[i].record);
    for (size_t i = 0; w->buckets && i < w->bucket_count; i++)
        for (struct site *site = w->buckets[i], *next; site; site = next) {
            next = site->next;
            free_site(site);
        }
    free(w->buckets);
    free(w->all_slots[false]);
    free(w->all_slots[true]);
    watch_unsettle(n);
    map_free(&w->left_out);
    vec_free(&w->snapshots);
    map_free(&w->snapshot_at);
    free(w);
}

/* ---- sites ---- */

static uint64_t hash_insn(const struct guest_insn *insn) {
    const uint64_t bytes =
        insn->bytes[0] | (uint64_t)insn->bytes[1] << 8 | (uint64_t)insn->bytes[2] << 16;
    return ((uint64_t)insn->address << 24 ^ bytes) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static bool same_insn(const struct guest_insn *a, const struct guest_insn *b) {
    return a->address == b->address && a->next == b->next && a->target == b->target &&
           !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

static uint32_t bank_at(uint64_t banks, uint16_t pc) {
    return (uint32_t)(banks >> 16 * ((pc >> 13) - 4) & 0xffff);
}

static uint32_t address_in(const struct nes *n, uint64_t banks, uint16_t pc) {
    return pc < 0x8000 || !n->board.banked ? pc : bank_at(banks, pc) << 16 | pc;
}

struct guest_insn watch_decode(const struct nes *n, uint64_t banks, uint16_t pc,
                               const uint8_t bytes[3]) {
    const struct opcode_info *info = opcode_info(bytes[0]);
    struct guest_insn insn = {
        .address = address_in(n, banks, pc),
        .next = address_in(n, banks, (uint16_t)(pc + info->size)),
        .pc = pc,
        .size = info->size,
        .kind = info->kind,
    };
    memcpy(insn.bytes, bytes, info->size);
    if (info->kind == INSN_BRANCH)
        insn.target = address_in(n, banks, (uint16_t)(pc + 2 + (int8_t)bytes[1]));
    else if (info->kind == INSN_JUMP || info->kind == INSN_CALL)
        insn.target = address_in(n, banks, (uint16_t)(bytes[1] | bytes[2] << 8));
    return insn;
}

static void grow(struct watch *w) {
    const size_t count = w->bucket_count * 2;
    struct site **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return; /* slower, but correct */
    for (size_t i = 0; i < w->bucket_count; i++)
        for (struct site *site = w->buckets[i], *next; site; site = next) {
            next = site->next;
            struct site **head = &buckets[hash_insn(&site->insn) & (count - 1)];
            site->next = *head;
            *head = site;
        }
    free(w->buckets);
    w->buckets = buckets;
    w->bucket_count = count;
}

static struct site **bucket_of(const struct watch *w, const struct guest_insn *insn) {
    return &w->buckets[hash_insn(insn) & (w->bucket_count - 1)];
}

static struct site *find_insn(const struct watch *w, const struct guest_insn *insn) {
    struct site *site = *bucket_of(w, insn);
    while (site && (site->duplicate != w->duplicate || !same_insn(&site->insn, insn)))
        site = site->next;
    return site;
}

/* NULL: out of memory. */
static struct site *add_site(struct watch *w, const struct guest_insn *insn) {
    struct site **const head = bucket_of(w, insn);
    struct site *const site = calloc(1, sizeof *site);
    if (!site)
        return NULL;
    site->insn = *insn;
    site->duplicate = w->duplicate;
    site->volatile_bytes = insn->pc < 0x8000 || insn->pc + insn->size > 0x10000;
    site->next = *head;
    *head = site;
    w->volatile_count += site->volatile_bytes;
    if (++w->site_count > w->bucket_count)
        grow(w);
    return site;
}

static void forget_volatile(struct site **slots, size_t count) {
    for (size_t i = 0; slots && i < count; i++)
        if (slots[i] && slots[i]->volatile_bytes)
            slots[i] = NULL;
}

void watch_trim(struct nes *n) {
    struct watch *w = n->observed.watch;
    if (w->volatile_count <= WATCH_VOLATILE)
        return;
    if (n->made.engine->forget)
        n->made.engine->forget(n->made.engine_self); /* it may have cached sites */
    forget_volatile(w->all_slots[false], w->slot_count);
    forget_volatile(w->all_slots[true], w->slot_count);
    for (size_t i = 0; i < w->bucket_count; i++)
        for (struct site **at = &w->buckets[i], *site; (site = *at);) {
            if (!site->volatile_bytes) {
                at = &site->next;
                continue;
            }
            *at = site->next;
            free_site(site);
            w->site_count--;
        }
    w->volatile_count = 0;
}

struct probe_site {
    struct watch *watch;
    struct site *site;
    unsigned observer;
};

static void hooks_changed(struct hooks *hooks) {
    hooks->simple = hooks->count == 1 && hooks->at->probe.kind == PROBE_ADD;
    hooks->fires = hooks->count > 0;
}

void probe_attach(struct probe_site *at, enum probe_when when, struct probe probe) {
    struct hooks *hooks = &at->site->probes[when];
    if (!vec_reserve_(&hooks->at, &hooks->cap, hooks->count + 1, sizeof *hooks->at)) {
        at->watch->out_of_memory = true;
        return;
    }
    hooks->at[hooks->count++] = (struct hook){.probe = probe, .observer = at->observer};
    if (probe.kind == PROBE_CALL || probe.kind == PROBE_CALL_AT)
        at->watch->callers |= 1u << at->observer;
    hooks_changed(hooks);
}

bool probe_in_duplicate(const struct probe_site *at) {
    return at->site->duplicate;
}

void watch_instrument(struct nes *n, struct site *site) {
    struct watch *w = n->observed.watch;
    for (unsigned i = 0; i < NES_OBSERVERS; i++) {
        const struct watched_by *by = &w->observers[i];
        if (!by->used || site->instrumented & 1u << i)
            continue;
        site->instrumented |= (uint8_t)(1u << i);
        struct probe_site at = {w, site, i};
        if (by->observer.instrument)
            by->observer.instrument(by->observer.self, &at, &site->insn);
    }
    if (w->callers && w->follower)
        watch_stop_following(n);
}

/* ---- tallies ---- */

enum { CODE_SPACE = 0x10000, RUN_TRIES = 8 };

static void choose(struct watch *w, const struct tallies *t) {
    w->tallies = t ? t->at : &w->no_tally;
    w->runs = t ? t->runs : &w->no_run;
    w->tally_mask = t ? CODE_SPACE - 1 : 0;
}

void watch_unsettle(struct nes *n) {
    struct watch *w = n->observed.watch;
    w->probes_epoch++;
    while (w->tallied > 0)
        free(w->all_tallies[--w->tallied].at);
    choose(w, NULL);
}

void watch_choose_tallies(struct nes *n) {
    struct watch *const w = n->observed.watch;
    const uint64_t banks = record_banks(n);
    unsigned i = 0;
    while (i < w->tallied &&
           (w->all_tallies[i].banks != banks || w->all_tallies[i].duplicate != w->duplicate))
        i++;
    choose(w, i < w->tallied ? &w->all_tallies[i] : NULL);
    w->tally_epoch = n->memory.epoch;
}

/* For the banks that are mapped, where there are none yet. */
static bool make_tallies(struct nes *n) {
    struct watch *const w = n->observed.watch;
    struct tally *const at = w->tallied < TALLIES_MOST ? calloc(CODE_SPACE, sizeof *at + 1) : NULL;
    if (!at)
        return false; /* slower, but correct */
    w->all_tallies[w->tallied] =
        (struct tallies){record_banks(n), w->duplicate, at, (uint8_t *)(at + CODE_SPACE)};
    choose(w, &w->all_tallies[w->tallied++]);
    return true;
}

/* 1 + the counter of what fires there; NOBODYS: nothing does; 0: more than a count fires. */
static uint32_t tallied(const struct hooks *hooks) {
    if (!hooks->fires)
        return NOBODYS;
    const struct probe *const probe = &hooks->at->probe;
    return hooks->simple && probe->quiet && probe->value == 1 ? probe->counter + 1 : 0;
}

static struct tally tally_of(const struct site *site) {
    const enum insn_kind kind = (enum insn_kind)site->insn.kind;
    const struct tally tally = {
        {tallied(&site->probes[PROBE_NEXT]), tallied(&site->probes[PROBE_TAKEN])}};
    const bool as_told = kind == INSN_PLAIN || kind == INSN_BRANCH || !site->volatile_bytes;
    return as_told && !site->probes[PROBE_BEFORE].fires && tally.counter[0] && tally.counter[1]
               ? tally
               : (struct tally){{0, 0}};
}

static void note_tally(struct nes *n, struct site *site) {
    const struct watch *const w = n->observed.watch;
    site->tally = tally_of(site);
    watch_follow_banks(n);
    if (site->tally.counter[0] && !site->volatile_bytes && (w->tally_mask != 0 || make_tallies(n)))
        w->tallies[site->insn.pc] = site->tally;
}

/* See watch_run_known(). */
static bool run_is_known(const struct nes *n, uint16_t pc) {
    const struct watch *const w = n->observed.watch;
    for (unsigned at = pc; at < CODE_SPACE;) {
        const struct opcode_info *const info = opcode_info(*watch_code(n, (uint16_t)at));
        if (info->kind >= INSN_RTI)
            return true; /* nes_step() executes it */
        if (!w->tallies[at].counter[0])
            return false;
        if (info->kind != INSN_PLAIN)
            return true;
        if (w->tallies[at].counter[0] != NOBODYS)
            return false;
        at += info->size;
    }
    return false;
}

bool watch_learn_run(struct nes *n, uint16_t pc) {
    struct watch *w = n->observed.watch;
    uint8_t *const run = &w->runs[pc & w->tally_mask];
    if (*run == RUN_TRIES || !watch_tally(n, pc))
        return false;
    *run = run_is_known(n, pc) ? RUN_KNOWN : *run + 1;
    return *run == RUN_KNOWN;
}

/* The counter of an `either` probe that is the only one there; NULL: none is. */
static const uint32_t *either_counter(const struct hooks *hooks) {
    return hooks->count == 1 && hooks->at->probe.either ? &hooks->at->probe.counter : NULL;
}

void watch_choose_side(struct nes *n, struct site *site) {
    struct hooks *const taken = &site->probes[PROBE_TAKEN], *const next = &site->probes[PROBE_NEXT];
    const uint32_t *const a = either_counter(taken), *const b = either_counter(next);
    if (!a || !b)
        return;
    struct hooks *const out = n->observed.counters[*a] >= n->observed.counters[*b] ? taken : next;
    if (!map_at(&n->observed.watch->left_out, out->at->probe.counter))
        return;     /* slower, but correct */
    out->count = 0; /* counts that the interpreter adds from now on are meaningless */
    hooks_changed(out);
}

/* What an instruction in RAM means does not depend on the banks, but for where a transfer leads. */
static bool leads_there(const struct nes *n, const struct guest_insn *insn) {
    const bool targeted =
        insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP || insn->kind == INSN_CALL;
    return !targeted || nes_code_address(n, (uint16_t)insn->target) == insn->target;
}

/* The instrumented site of an instruction in RAM that had these bytes before; NULL: there is none. Programs
 * change operands all the time. */
static struct site *met_in_ram(const struct nes *n, uint16_t pc, const uint8_t bytes[3]) {
    const struct watch *const w = n->observed.watch;
    struct guest_insn insn = {.address = pc};
    memcpy(insn.bytes, bytes, opcode_info(bytes[0])->size);
    struct site *site = *bucket_of(w, &insn);
    while (site && (site->insn.address != pc || site->duplicate != w->duplicate ||
                    memcmp(site->insn.bytes, insn.bytes, sizeof insn.bytes) != 0 ||
                    !leads_there(n, &site->insn)))
        site = site->next;
    return site && (w->instrumenters & ~site->instrumented) == 0 ? site : NULL;
}

/* A site whose meaning is the same with the banks that are mapped now is current again. */
static struct site *current_again(struct nes *n, struct site *site) {
    if (site->tally.counter[0] == 0)
        site->tally = tally_of(site);
    site->epoch = n->memory.epoch;
    return site;
}

struct site *watch_meet(struct nes *n, uint16_t pc, size_t slot, const uint8_t bytes[3]) {
    struct watch *w = n->observed.watch;
    if (pc < RAM_CODE) {
        struct site *const met = met_in_ram(n, pc, bytes);
        if (met)
            return w->slots[slot] = current_again(n, met);
    }
    const struct guest_insn insn = watch_decode(n, record_banks(n), pc, bytes);
    struct site *site = find_insn(w, &insn);
    if (site && !(w->instrumenters & ~site->instrumented) && site->epoch == n->memory.epoch)
        return w->slots[slot] = site; /* its bytes are shown at two addresses */
    if (!site)
        site = add_site(w, &insn);
    if (!site) {
        w->out_of_memory = true;
        w->spare = (struct site){.insn = insn};
        return &w->spare;
    }
    watch_instrument(n, site);
    note_tally(n, site);
    site->epoch = n->memory.epoch;
    w->slots[slot] = site;
    return site;
}

bool watch_stands(struct nes *n, struct site *site) {
    const struct guest_insn *const insn = &site->insn;
    if (n->observed.watch->instrumenters & ~site->instrumented ||
        (insn->pc ^ (insn->pc + insn->size - 1)) >> 13 || !leads_there(n, insn))
        return false;
    if (insn->pc < RAM_CODE) {
        current_again(n, site);
        return true;
    }
    if (nes_code_address(n, (uint16_t)(insn->pc + insn->size)) != insn->next)
        return false;
    site->epoch = n->memory.epoch;
    note_tally(n, site);
    return true;
}

/* ---- going by opcodes ---- */

/* Does opcode_may_wait() depend on the operand? */
static bool wait_is_in_operand(const uint8_t *bytes) {
    const struct opcode_info *const info = opcode_info(bytes[0]);
    return info->mode == MODE_ABS && !info->writes_memory;
}

/* Do observers that go by opcodes not distinguish the instruction from that of the site? */
static bool is_alike(const struct watch *w, const struct site *site, const uint8_t *bytes) {
    if (!site || site->insn.bytes[0] != bytes[0])
        return false;
    return site->by_opcode == w->probes_epoch ||
           (site->by_opcode_and_wait == w->probes_epoch &&
            opcode_may_wait(site->insn.bytes) == opcode_may_wait(bytes));
}

bool watch_find_by_opcode(struct nes *n, struct site **site, uint16_t pc, const uint8_t *bytes) {
    const struct watch *const w = n->observed.watch;
    if (is_alike(w, *site, bytes))
        return true;
    struct site *const found = *site = watch_find(n, pc, pc, bytes);
    const bool transfers = found->insn.kind != INSN_PLAIN && found->insn.kind != INSN_BRANCH;
    if (found->probes[PROBE_BEFORE].fires || w->precise != 0 || pc >= RAM_CODE)
        return false;
    if (transfers || found->tally.counter[0] == 0)
        return transfers;
    if (found->insn.kind == INSN_PLAIN)
        *(wait_is_in_operand(bytes) ? &found->by_opcode_and_wait : &found->by_opcode) =
            w->probes_epoch;
    return true;
}

bool watch_knows(const struct nes *n, uint16_t pc, const uint8_t bytes[3]) {
    if (pc < RAM_CODE && n->observed.watch->precise == 0 &&
        is_alike(n->observed.watch, n->observed.watch->slots[pc], bytes))
        return true;
    const struct guest_insn insn = watch_decode(n, record_banks(n), pc, bytes);
    const struct site *const site = find_insn(n->observed.watch, &insn);
    return site && (n->observed.watch->instrumenters & ~site->instrumented) == 0;
}

/* ---- firing ---- */

void watch_fire(struct nes *n, struct hooks *hooks, uint32_t from, uint32_t to) {
    const struct probe_event event = {n, from, to};
    bool again = false;
    for (size_t i = 0; i < hooks->count; i++) {
        struct hook *const hook = &hooks->at[i];
        const struct probe *const probe = &hook->probe;
        if (probe->kind == PROBE_ONCE) {
            watch_once(n, &hooks->at[i]);
            continue;
        }
        again = true;
        watch_count(n, &hooks->at[i], 1);
        switch (probe->kind) {
        case PROBE_ONCE:
            break;
        case PROBE_ADD:
            n->observed.counters[probe->counter] += probe->value;
            break;
        case PROBE_STORE:
            n->observed.counters[probe->counter] = probe->value;
            break;
        case PROBE_CALL:
            probe->call(probe->user, &event);
            break;
        case PROBE_CALL_AT:
            if (++n->observed.counters[probe->counter] == probe->value)
                probe->call(probe->user, &event);
            break;
        case PROBE_ADD_TO:
            watch_add_to(n, hook, &event);
            break;
        }
    }
    hooks->fires = again;
}

/* Index of the lowest bit of a set, which is not empty. */
static unsigned first_of(unsigned set) {
    return (unsigned)__builtin_ctz(set);
}

/* The recording that the observer waits for, if it waits for nothing else. */
static struct record *record_alone(struct watched_by *by) {
    struct record *const r = &by->record;
    return by->alarm == NEVER && r->from != NEVER && !r->on && !r->full ? r : NULL;
}

void watch_requests_changed(struct nes *n) {
    struct watch *w = n->observed.watch;
    w->asked = true;
    if (w->ringing)
        return;
    const bool instruments = w->instrumenters != 0;
    w->asked = false;
    w->steppers = w->recorders = 0;
    n->observed.alarm = NEVER;
    n->observed.recorder = n->observed.coming = NULL;
    for (unsigned left = w->used; left; left &= left - 1) {
        const unsigned i = first_of(left);
        struct watched_by *by = &w->observers[i];
        const struct record *record = &by->record;
        w->steppers |= (unsigned)(by->steps != 0 && by->observer.step != NULL) << i;
        w->recorders |= (unsigned)record->on << i;
        n->observed.alarm = earlier(n->observed.alarm, earlier(by->alarm, by->follow.from));
        if (!record->on)
            n->observed.alarm = record->full ? 0 : earlier(n->observed.alarm, record->from);
        else if (w->recorders == 1u << i)
            n->observed.recorder = &by->record;
    }
    n->observed.stepping = (w->steppers | w->recorders) != 0;
    if (instruments || w->steppers || (w->recorders & (w->recorders - 1)))
        n->observed.recorder = NULL;
    n->observed.watched = instruments || n->observed.stepping;
    n->observed.attention = true;
    watch_choose_follower(n);
    if (!n->observed.watched && w->used != 0 && (w->used & (w->used - 1)) == 0)
        n->observed.coming = record_alone(&w->observers[first_of(w->used)]);
}

static void step(struct nes *n, const struct site *site, uint64_t cycle) {
    struct watch *w = n->observed.watch;
    bool last = false;
    for (unsigned left = w->recorders; left; left &= left - 1) {
        struct record *record = &w->observers[first_of(left)].record;
        record_insn(n, record, site);
        last |= record->full;
    }
    for (unsigned left = w->steppers; left; left &= left - 1) {
        struct watched_by *by = &w->observers[first_of(left)];
        if (by->steps == 0)
            continue; /* an earlier callback has ended its steps */
        if (by->steps != UINT64_MAX)
            last |= --by->steps == 0;
        by->observer.step(by->observer.self, &site->insn, cycle);
    }
    if (last)
        watch_requests_changed(n);
}

void watch_before(struct nes *n, struct site *site, uint64_t cycle) {
    if (n->observed.stepping)
        step(n, site, cycle);
    if (site->probes[PROBE_BEFORE].fires)
        watch_fire(n, &site->probes[PROBE_BEFORE], site->insn.address, site->insn.address);
}

/* Reads the bytes of the instruction at pc; false unless it lies in plain memory. */
static bool bytes_at(const struct nes *n, uint16_t pc, uint8_t bytes[3]) {
    unsigned size = 1;
    for (unsigned i = 0; i < size; i++) {
        const uint16_t at = (uint16_t)(pc + i);
        const uint8_t *page = n->memory.rd[at >> 8];
        if (!page)
            return false;
        bytes[i] = page[at & 0xff];
        size = i == 0 ? opcode_info(bytes[0])->size : size;
    }
    return true;
}

/* The site at pc; NULL if its bytes are unknown. */
static struct site *site_at(struct nes *n, uint16_t pc) {
    const uint8_t *const code = watch_code(n, pc);
    if (code && code < n->memory.code_end[pc >> 8])
        return watch_mapped(n, pc);
    uint8_t bytes[3] = {0};
    return bytes_at(n, pc, bytes) ? watch_find(n, pc, watch_slot(n, pc, code), bytes) : NULL;
}

struct site *watch_announce(struct nes *n) {
    struct site *const site = site_at(n, n->cpu.r.pc);
    if (!site)
        return NULL;
    if (n->observed.announced)
        n->observed.announced = false;
    else if (n->observed.stepping || site->probes[PROBE_BEFORE].fires)
        watch_before(n, site, n->cpu.cycle);
    return site;
}

struct site *watch_announce_late(struct nes *n, uint16_t pc, const uint8_t bytes[3],
                                 uint64_t cycle) {
    struct site *site = watch_find(n, pc, pc, bytes); /* PRG is always mapped, so pc is below
                                                         $8000 */
    watch_before(n, site, cycle);
    return site;
}

void watch_outcome(struct nes *n, struct site *site, enum insn_outcome outcome) {
    const uint32_t to = nes_code_address(n, n->cpu.r.pc);
    if ((outcome == OUTCOME_NEXT && to != site->insn.next) ||
        (outcome == OUTCOME_TARGET && to != site->insn.target))
        outcome = OUTCOME_ELSEWHERE; /* the bank under the code was switched */
    struct hooks *hooks = &site->probes[watch_when(outcome)];
    if (hooks->simple)
        watch_add(n, hooks);
    else if (hooks->fires)
        watch_fire(n, hooks, site->insn.address, to);
}

void watch_left_elsewhere(struct nes *n, uint16_t pc) {
    watch_outcome(n, watch_mapped(n, pc), OUTCOME_ELSEWHERE);
}

void watch_begins(struct nes *n, enum thread_cause cause) {
    struct watch *const w = n->observed.watch;
    const uint32_t address = nes_code_address(n, n->cpu.r.pc);
    if (w->begun_count != 0 && w->begun.address == address && w->begun.s == n->cpu.r.s &&
        w->begun.cause == cause) {
        w->begun_count++;
        return;
    }
    const struct thread_event event = {THREAD_BEGINS, cause, address, n->cpu.r.s, 0};
    watch_tell_begun(n);
    if ((w->listeners & ~w->counting) != 0) {
        watch_thread_event(n, &event);
        return;
    }
    w->begun = event;
    w->begun_count = 1;
}

void watch_tell_begun(struct nes *n) {
    struct watch *const w = n->observed.watch;
    if (w->begun_count == 0)
        return;
    struct thread_event event = w->begun;
    event.more = w->begun_count - 1;
    w->begun_count = 0;
    watch_thread_event(n, &event);
}

void watch_thread_event(struct nes *n, const struct thread_event *event) {
    watch_tell_begun(n);
    const struct watch *w = n->observed.watch;
    const bool lasts = event->change == THREAD_SUSPENDED || event->change == THREAD_RESUMES;
    for (unsigned left = lasts ? w->followers : w->listeners; left; left &= left - 1) {
        const struct observer *const o = &w->observers[first_of(left)].observer;
        o->thread(o->self, event);
    }
}

void watch_alarms(struct nes *n) {
    struct watch *w = n->observed.watch;
    w->ringing = true;
    for (unsigned left = w->used; left; left &= left - 1) {
        struct watched_by *by = &w->observers[first_of(left)];
        if (by->record.full)
            record_hand_over(n, by);
        if (by->alarm <= n->cpu.cycle) {
            by->alarm = NEVER;
            if (by->observer.alarm)
                by->observer.alarm(by->observer.self, n->cpu.cycle);
        }
        if (!by->used) /* an alarm has detached it */
            continue;
        if (by->follow.from <= n->cpu.cycle)
            watch_hand_over_followed(n, by, &(struct followed){0});
        if (by->record.from <= n->cpu.cycle && !by->record.on)
            record_begin(&by->record);
    }
    w->ringing = false;
    watch_requests_changed(n);
}

void watch_recorded(struct nes *n) {
    struct watch *const w = n->observed.watch;
    struct watched_by *const by = &w->observers[first_of(w->used)];
    w->ringing = true;
    record_hand_over(n, by);
    w->ringing = false;
    struct record *const next = record_alone(by);
    if (n->observed.watched || !next) {
        watch_requests_changed(n);
        return;
    }
    n->observed.coming = next; /* usually nothing else has changed */
    n->observed.recorder = NULL;
    n->observed.alarm = next->from;
}

void watch_notify(struct nes *n, const struct observer *o, enum thread_change change) {
    watch_tell_begun(n);
    if (!o->thread)
        return;
    if (n->cpu.phase != PHASE_RESET)
        o->thread(o->self, &(struct thread_event){change, THREAD_START,
                                                  nes_code_address(n, n->cpu.r.pc), n->cpu.r.s, 0});
    for (unsigned i = n->contexts.count; i-- > 0;)
        o->thread(o->self, &(struct thread_event){change, THREAD_START, n->contexts.at[i].address,
                                                  n->contexts.at[i].s, 0});
}

void watch_notify_all(struct nes *n, enum thread_change change) {
    for (unsigned i = 0; i < NES_OBSERVERS; i++)
        if (n->observed.watch->observers[i].used)
            watch_notify(n, &n->observed.watch->observers[i].observer, change);
}

void watch_remove_hooks(struct site *site, unsigned id) {
    site->instrumented &= (uint8_t) ~(1u << id);
    for (unsigned when = 0; when < PROBE_WHEN_COUNT; when++) {
        struct hooks *hooks = &site->probes[when];
        size_t kept = 0;
        for (size_t i = 0; i < hooks->count; i++)
            if (hooks->at[i].observer != id)
                hooks->at[kept++] = hooks->at[i];
        hooks->count = kept;
        hooks_changed(hooks);
    }
    site->tally = tally_of(site);
}
