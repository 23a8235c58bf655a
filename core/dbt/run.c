/* The engine: finds or makes the block for a pc, runs it, and sees to the way it was left. */
#include <stdlib.h>
#include <string.h>

#include "dbt/translator.h"

enum { USUAL_CACHE = 8 << 20 };

/* ---- forgetting ---- */

static void free_blocks(struct dbt *d) {
    for (size_t i = 0; i < d->blocks.len; i++) {
        free(d->blocks.at[i]->guest);
        free(d->blocks.at[i]);
    }
    for (size_t i = 0; i < d->waits.len; i++)
        free(d->waits.at[i]);
    d->blocks.len = d->waits.len = 0;
}

static void free_mappings(struct dbt *d) {
    for (unsigned i = 0; i < d->mapping_count; i++) {
        free(d->mappings[i].table);
        free(d->mappings[i].met);
        free(d->mappings[i].versions);
    }
    d->mapping_count = 0;
    d->mapping = NULL;
}

/* Starts over with an empty cache. What had been hot still is. */
static void flush(struct dbt *d) {
    for (size_t i = 0; i < d->blocks.len; i++) {
        const uint16_t pc = d->blocks.at[i]->pc;
        for (unsigned m = 0; m < d->mapping_count; m++)
            d->mappings[m].table[pc] = d->mappings[m].versions[pc] = 0;
    }
    free_blocks(d);
    d->exits.len = 1;
    d->cache.used = d->fixed_end;
    d->statistics.flushes++;
}

static void forget(void *self) {
    struct dbt *const d = self;
    if (d->blocks.len)
        flush(d);
    free_mappings(d);
}

/* ---- mappings ---- */

static bool new_mapping(struct dbt *d, const uint8_t *const pages[6]) {
    if (d->mapping_count == MAPPINGS)
        forget(d);
    struct mapping *const m = &d->mappings[d->mapping_count];
    memcpy(m->pages, pages, sizeof m->pages);
    m->table = calloc(0x10000, sizeof *m->table);
    m->met = calloc(0x10000, sizeof *m->met);
    m->versions = calloc(0x10000, sizeof *m->versions);
    d->mapping_count++;
    if (m->table && m->met && m->versions)
        return d->mapping = m, true;
    forget(d);
    return false;
}

/* Selects the blocks of what the processor sees now; false: out of memory. */
static bool select_mapping(struct dbt *d, const struct nes *n) {
    const uint8_t *const pages[6] = {n->rd[0x60], n->wr[0x60], n->rd[0x80],
                                     n->rd[0xa0], n->rd[0xc0], n->rd[0xe0]};
    d->epoch = n->map_epoch;
    for (unsigned i = 0; i < d->mapping_count; i++)
        if (!memcmp(d->mappings[i].pages, pages, sizeof pages))
            return d->mapping = &d->mappings[i], true;
    return new_mapping(d, pages);
}

/* ---- making blocks ---- */

/* Translates as much at pc as the cache has room for, after a flush if need be. */
static struct block *make(struct dbt *d, struct nes *n, struct guest_block *g) {
    const uint16_t pc = g->ops[0].pc;
    struct block *b = translate(d, n, g);
    if (!b && d->blocks.len) {
        flush(d);
        b = translate(d, n, g);
    }
    for (unsigned length = g->count / 2; !b && length > 0; length /= 2) {
        discover(n, pc, length, g);
        b = translate(d, n, g);
    }
    return b;
}

enum found { FOUND, COLD, SLOW };

/* The block at n's pc, translated when it is hot. */
static enum found find(struct dbt *d, struct nes *n, uint32_t *place) {
    struct mapping *const m = d->mapping;
    const uint16_t pc = n->cpu.pc;
    *place = m->table[pc];
    if (*place)
        return FOUND;
    if (m->met[pc] == SLOW_PLACE)
        return SLOW;
    if (++m->met[pc] < d->options.hot)
        return COLD;
    m->met[pc]--;
    struct guest_block g;
    discover(n, pc, d->options.block_length, &g);
    if (g.count == 0 && !g.in_ram)
        m->met[pc] = SLOW_PLACE; /* and stays so */
    const struct block *const b = g.count ? make(d, n, &g) : NULL;
    if (!b)
        return SLOW;
    m->table[pc] = *place = b->host;
    return FOUND;
}

/* The bytes of the block that was left by this exit have changed: one more version of it. */
static bool renew(struct dbt *d, struct nes *n, uint32_t number) {
    struct mapping *const m = d->mapping;
    const uint16_t pc = n->cpu.pc;
    struct guest_block g;
    if (m->versions[pc] >= VERSIONS)
        return false;
    discover(n, pc, d->options.block_length, &g);
    const uint64_t flushes = d->statistics.flushes;
    const struct block *const b = g.count ? make(d, n, &g) : NULL;
    if (!b)
        return false;
    if (d->statistics.flushes != flushes)
        m->table[pc] = b->host;
    else
        exit_link(d, number, pc, b->host);
    m->versions[pc]++;
    d->statistics.stale++;
    return true;
}

/* ---- running ---- */

static void interpret(struct nes *n, uint64_t stop, uint64_t deadline) {
    if (n->watched)
        cpu_run_watched(n, stop, deadline);
    else
        cpu_run_fast(n, stop, deadline);
}

/* To the end of the basic block; false when the machine has something else to see to. */
static bool interpret_block(struct nes *n, uint64_t stop, uint64_t deadline) {
    const uint64_t last = last_start(stop, deadline);
    for (unsigned i = 0; i < BLOCK_LONGEST && n->cycle <= last; i++) {
        const uint64_t before = n->cycle;
        const uint16_t pc = n->cpu.pc;
        if (!n->rd[pc >> 8])
            return false;
        const unsigned size = opcode_info(n->rd[pc >> 8][pc & 0xff])->size;
        interpret(n, n->cycle + 1, deadline);
        if (n->cycle == before || n->waiting || n->announced || (n->watched && n->attention))
            return false;
        if (n->cpu.pc != (uint16_t)(pc + size))
            break;
    }
    return n->cycle <= last;
}

/* Runs translated code from `place` on; returns the number of the exit that it was left by. Moves
 * the deadline. */
static uint32_t enter(struct dbt *d, struct nes *n, uint32_t place, uint64_t stop,
                      uint64_t *deadline) {
    uint32_t (*const code)(struct frame *, const void *) =
        (uint32_t(*)(struct frame *, const void *))(uintptr_t)(d->cache.run + d->enter);
    struct frame *const f = &d->frame;
    f->nes = n;
    f->counters = n->counters;
    f->table = d->mapping->table;
    f->executed = f->return_misses = 0;
    f->instructions = n->instructions;
    f->stop = stop;
    f->deadline = *deadline;
    f->budget_end = last_start(stop, *deadline);
    f->epoch = d->epoch;
    f->moved = 0;
    f->budget = (int64_t)(f->budget_end - n->cycle);
    const uint32_t number = code(f, d->cache.run + place);
    n->cycle = f->budget_end - (uint64_t)f->budget;
    n->instructions = f->instructions + (f->executed >> EXECUTED_SHIFT);
    *deadline = f->deadline;
    const uint64_t blocks = f->executed & ((1u << EXECUTED_SHIFT) - 1);
    d->statistics.executed += blocks;
    d->statistics.dispatched += blocks > 0; /* the first of them; it may have been left early */
    d->statistics.return_misses += f->return_misses;
    return number;
}

/* What follows from an exit. */
enum next { GO_ON, GO_ON_LINKING, RENEW, INTERPRET_REST, RETURN };

static enum next left(struct nes *n, const struct exit *x) {
    if (x->leave != LEAVE_INDIRECT && x->leave != LEAVE_GUESS && x->leave != LEAVE_ATTENTION)
        n->cpu.pc = x->pc;
    switch ((enum leave)x->leave) {
    case LEAVE_INDIRECT:
    case LEAVE_GUESS:
    case LEAVE_ATTENTION:
        if (!n->rd[n->cpu.pc >> 8])
            n->bus = n->cpu.pc >> 8; /* the last byte that was read */
        return x->leave == LEAVE_GUESS       ? GO_ON_LINKING
               : x->leave == LEAVE_ATTENTION ? RETURN
                                             : GO_ON;
    case LEAVE_LINK:
        return GO_ON_LINKING;
    case LEAVE_STALE:
        return RENEW;
    case LEAVE_BUDGET:
    case LEAVE_TOUCHED:
        return INTERPRET_REST;
    case LEAVE_BOARD:
        if (n->watched && x->site)
            watch_went(n, x->site, WENT_NEXT);
        return n->watched && n->attention ? RETURN : GO_ON;
    case LEAVE_WAIT:
        n->waiting = x->wait;
        return RETURN;
    case LEAVE_SLOW:
        break;
    }
    return RETURN;
}

static void run(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    struct dbt *const d = self;
    if (n->cycle >= stop || n->cycle + LONGEST_INSTRUCTION > deadline || !n->rd[n->cpu.pc >> 8])
        return;
    stop = earlier(stop, n->cycle + LONGEST_RUN);
    uint32_t number = 0; /* of an exit to be linked */
    while (n->cycle <= last_start(stop, deadline) && n->rd[n->cpu.pc >> 8]) {
        uint32_t place;
        if ((!d->mapping || d->epoch != n->map_epoch) && !select_mapping(d, n)) {
            interpret(n, stop, deadline);
            return;
        }
        const uint64_t flushes = d->statistics.flushes;
        const enum found found = find(d, n, &place);
        if (found == SLOW)
            return;
        if (found == COLD) {
            number = 0;
            if (!interpret_block(n, stop, deadline))
                return;
            continue;
        }
        if (number && !d->options.no_chaining && d->statistics.flushes == flushes)
            exit_link(d, number, n->cpu.pc, place);
        number = enter(d, n, place, stop, &deadline);
        const enum next next = left(n, &d->exits.at[number]);
        if (next == RETURN)
            return;
        if (next == INTERPRET_REST) {
            interpret(n, stop, deadline);
            return;
        }
        if (next == RENEW && !renew(d, n, number) && !interpret_block(n, stop, deadline))
            return;
        if (next != GO_ON_LINKING)
            number = 0;
    }
}

/* ---- the engine ---- */

static void destroy(void *self) {
    struct dbt *const d = self;
    if (!d)
        return;
    free_blocks(d);
    free_mappings(d);
    vec_free(&d->blocks);
    vec_free(&d->waits);
    vec_free(&d->exits);
    cache_close(&d->cache);
    if (d->perf_map)
        fclose(d->perf_map);
    free(d);
}

static struct dbt_options options_of(const struct nes *n) {
    const struct dbt_options *const given = n->options.engine_options;
    struct dbt_options o = given ? *given : (struct dbt_options){0};
    o.cache_bytes = o.cache_bytes == 0                ? USUAL_CACHE
                    : o.cache_bytes < DBT_CACHE_LEAST ? DBT_CACHE_LEAST
                    : o.cache_bytes > DBT_CACHE_MOST  ? DBT_CACHE_MOST
                                                      : o.cache_bytes;
    o.hot = o.hot == 0 ? USUAL_HOT : o.hot > DBT_HOT_MOST ? DBT_HOT_MOST : o.hot;
    if (o.block_length == 0 || o.block_length > BLOCK_LONGEST)
        o.block_length = BLOCK_LONGEST;
    return o;
}

static enum status create(void **self, struct nes *n, struct error *e) {
    struct dbt *const d = *self = calloc(1, sizeof *d);
    if (!d || !vec_push(&d->exits, (struct exit){.leave = LEAVE_INDIRECT}))
        return error_set(e, STATUS_MEMORY, "out of memory for the translator");
    d->options = options_of(n);
    enum status status = cache_open(&d->cache, d->options.cache_bytes, d->options.perf_map, e);
    if (status == STATUS_OK && d->options.perf_map)
        status = perf_map_open(d, e);
    return status == STATUS_OK ? fixed_code(d, e) : status;
}

const struct engine *dbt_engine(void) {
    static const struct engine engine = {
        .name = "dbt", .create = create, .destroy = destroy, .run = run, .forget = forget};
    return &engine;
}

void dbt_statistics(const struct nes *n, struct dbt_statistics *out) {
    const struct dbt *const d = n->engine_self;
    *out = d->statistics;
    out->cache_bytes = d->cache.size;
    out->cache_used = d->cache.used;
}
