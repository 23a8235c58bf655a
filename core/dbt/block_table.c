/* The table of blocks: finds, makes and forgets them, and keeps their versions. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dbt/block_table.h"
#include "dbt/host/cache_inspect.h"
#include "dbt/traced_blocks.h"

/* ---- forgetting ---- */

void blocks_free(struct dbt *d) {
    for (size_t i = 0; i < d->blocks.len; i++)
        block_free(d->blocks.at[i]);
    d->codes += d->blocks.len;
    d->blocks.len = d->moved.len = d->stale.len = 0;
    translator_forget(&d->with);
    d->frame.return_stack = d->frame.return_bottom; /* its entries lead to code that is gone */
}

/* Empties the cache. Execution counts stay, so hot code is translated again at once. */
static void flush(struct dbt *d) {
    returns_settle(&d->with.returns);
    loop_counts_settle(&d->with.loops);
    for (size_t i = 0; i < d->blocks.len; i++) {
        const struct block *const b = d->blocks.at[i];
        const unsigned at = b->pc % WINDOW_SIZE;
        b->home->table[at] = b->home->versions[at] = b->home->missed[at] = 0;
        if (b->home->met[at] == PLACE_INTERPRETED)
            b->home->met[at] = 0;
    }
    blocks_free(d);
    d->statistics.flushes++;
}

void blocks_forget(struct dbt *d) {
    if (d->blocks.len)
        flush(d);
    banks_forget(&d->banks);
    d->selected = false;
    if (d->recorder)
        blocks_forget(d->recorder); /* has no recorder itself: recursion ends */
}

bool blocks_select(struct dbt *d, const struct nes *n) {
    const enum selected selected = banks_select(&d->banks, n);
    if (selected == SELECT_FAILED)
        blocks_forget(d);
    else if (selected == SELECTED_AND_VOID && d->blocks.len)
        flush(d);
    d->epoch = n->memory.epoch;
    d->frame.return_stack =
        d->frame.return_bottom; /* its entries may lead to a bank that was switched away */
    d->adapts = d->hot.len != 0;
    d->stale_mapped = d->stale.len != 0;
    d->selected = selected != SELECT_FAILED;
    return d->selected;
}

/* ---- making blocks ---- */

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Translates a block and keeps it. NULL: the cache is full, or out of memory. */
static struct block *add_block(struct dbt *d, struct nes *n, const struct guest_block *g) {
    const uint64_t begun = nanoseconds();
    const struct cache_parts before = d->with.cache.parts;
    d->with.number = (uint32_t)d->blocks.len;
    if (d->blocks.len == 0)
        returns_begin(&d->with.returns, n);
    struct block *const b = dbt_translate(&d->with, n, g);
    if (!b)
        return NULL;
    if ((d->with.recorded && !traced_keep(n, b)) || !vec_push(&d->blocks, b)) {
        d->with.cache.parts = before;
        d->with.exits.all.len = b->first_exit;
        block_free(b);
        return NULL;
    }
    d->statistics.blocks++;
    d->statistics.instructions += g->count;
    d->statistics.guest_bytes += g->bytes;
    d->statistics.host_bytes += b->host_size + b->apart_size;
    d->statistics.superblocks += g->superblock;
    d->statistics.followed += g->superblock ? g->followed : 0;
    d->statistics.nanoseconds += nanoseconds() - begun;
    perf_map_add(d, b);
    return b;
}

/* An emitter after the last block that is not hot. */
static struct emitter cache_end(struct dbt *d) {
    struct cache *const cache = &d->with.cache;
    return (struct emitter){.code = cache->code,
                            .at = (uint32_t)cache->parts.usual.used,
                            .end = (uint32_t)cache->parts.usual.end,
                            .encodings = &d->with.encodings};
}

void blocks_chain(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place) {
    struct emitter e = cache_end(d);
    exit_link(&d->with.exits, &e, number, pc, place);
    if (!e.full)
        d->with.cache.parts.usual.used = e.at;
    d->statistics.links++;
}

static void discover_at(struct dbt *d, struct nes *n, uint16_t pc, unsigned length,
                        struct guest_block *g) {
    dbt_discover(n, pc, length, banks_certain(&d->banks, pc), g);
}

/* Finds the superblock at pc, or else the block. */
static void discover(struct dbt *d, struct nes *n, uint16_t pc, struct guest_block *g) {
    const struct dbt_options *const o = &d->with.options;
    const bool hot = !d->with.recorded && dbt_is_hot(n, pc, o);
    if (!hot || !dbt_discover_superblock(n, pc, o, banks_certain(&d->banks, pc), g))
        discover_at(d, n, pc, o->block_length, g);
    g->hot = hot && !g->in_ram;
}

/* Translates as much of g, which is not empty, as fits into the cache, after a flush if needed.
 * NULL: no room. */
static struct block *make_from(struct dbt *d, struct nes *n, struct guest_block *g) {
    const struct dbt_options *const o = &d->with.options;
    const uint16_t pc = g->ops[0].pc;
    struct block *b = add_block(d, n, g);
    if (!b && d->blocks.len) {
        flush(d);
        b = add_block(d, n, g);
    }
    for (unsigned length = g->superblock ? o->block_length : g->count / 2; !b && length > 0;
         length /= 2) {
        discover_at(d, n, pc, length, g);
        b = add_block(d, n, g);
    }
    return b;
}

/* NULL: nothing can be translated, or no room. */
static struct block *make(struct dbt *d, struct nes *n, uint16_t pc, struct guest_block *g) {
    discover(d, n, pc, g);
    return g->count ? make_from(d, n, g) : NULL;
}

enum found blocks_find(struct dbt *d, struct nes *n, uint32_t *place) {
    struct content *c = banks_at(&d->banks, n->cpu.r.pc);
    const unsigned at = n->cpu.r.pc % WINDOW_SIZE;
    if (!c && !(c = banks_begin(&d->banks, n, n->cpu.r.pc)))
        return SLOW;
    *place = c->table[at];
    if (*place)
        return FOUND;
    if (c->met[at] >= PLACE_INTERPRETED)
        return c->met[at] == PLACE_SLOW ? SLOW : INTERPRETED;
    if (++c->met[at] < d->with.options.hot)
        return COLD;
    c->met[at]--;
    struct guest_block g;
    struct block *const b = make(d, n, n->cpu.r.pc, &g);
    if (g.count == 0 && !g.in_ram)
        c->met[at] = PLACE_SLOW; /* for good */
    if (!b)
        return SLOW;
    b->home = c;
    c->table[at] = *place = b->host;
    return FOUND;
}

/* ---- versions of a block ----
 *
 * Bytes in RAM change, and so may a block's probes. The versions of a block form a chain: each
 * compares the bytes, and jumps to the next if they differ. The first few contents get a version at
 * once, later ones only if they return; a block whose contents never return is interpreted. */

enum {
    VERSIONS_AT_ONCE = 8,
    VERSIONS_MOST = 32,
    AWAITED_FOR = 64 /* misses */,
    TIMES_ENOUGH = 8,
    CUT_MOST = 8
};

/* Is this the awaited content, after a different one in between, or for the TIMES_ENOUGH-th
 * time? */
static bool comes_again(struct dbt *d, struct nes *n, struct content *c) {
    const uint16_t pc = n->cpu.r.pc;
    const unsigned at = pc % WINDOW_SIZE;
    const uint8_t *const from = n->memory.rd[pc >> 8] + (pc & 0xff);
    const size_t left = (size_t)(n->memory.code_end[pc >> 8] - from);
    struct awaited *const a =
        &d->awaited[(pc ^ pc >> 7) % (sizeof d->awaited / sizeof *d->awaited)];
    if (a->of == c && a->at == at && c->missed[at] % AWAITED_FOR != 0) {
        if (memcmp(from, a->bytes, a->size < left ? a->size : left) == 0)
            return a->another || ++a->times == TIMES_ENOUGH;
        a->another = true;
    } else {
        struct guest_block g;
        discover_at(d, n, pc, d->with.options.block_length, &g);
        *a = (struct awaited){.of = c, .at = (uint16_t)at, .size = (uint8_t)g.bytes};
        memcpy(a->bytes, from, g.bytes);
    }
    c->missed[at]++;
    return false;
}

/* Should the block be interpreted because its observers do not know all of its code? They learn it
 * that way. Translating only the known part would split the block for good, and each part would
 * compare its bytes. */
static bool cut_now(struct dbt *d, struct nes *n, const struct content *c) {
    const uint16_t pc = n->cpu.r.pc;
    struct guest_block g;
    if (!n->observed.watched)
        return false;
    discover_at(d, n, pc, d->with.options.block_length, &g);
    if (!g.cut)
        return false;
    struct cut *const cut = &d->cut[pc % (sizeof d->cut / sizeof *d->cut)];
    if (cut->of != c || cut->pc != pc)
        *cut = (struct cut){.of = c, .pc = pc};
    return cut->times < CUT_MOST && ++cut->times;
}

enum renewed blocks_renew(struct dbt *d, struct nes *n, uint32_t number) {
    const uint16_t pc = n->cpu.r.pc;
    struct content *const c = banks_at(&d->banks, pc);
    const unsigned at = pc % WINDOW_SIZE;
    if (c->versions[at] >= VERSIONS_AT_ONCE && !comes_again(d, n, c))
        return c->missed[at] == UINT8_MAX ? NEVER_AGAIN : NOT_YET;
    if (c->versions[at] == VERSIONS_MOST)
        return ++c->missed[at] == UINT8_MAX ? NEVER_AGAIN : NOT_YET;
    if (cut_now(d, n, c))
        return NOT_YET;
    struct guest_block g;
    const uint64_t flushes = d->statistics.flushes;
    struct block *const b = make(d, n, pc, &g);
    if (!b)
        return NOT_YET;
    b->home = c;
    if (d->statistics.flushes != flushes)
        c->table[at] = b->host;
    else
        blocks_chain(d, number, pc, b->host);
    c->versions[at]++;
    c->missed[at] = 0;
    d->statistics.stale++;
    return RENEWED;
}

void blocks_give_up(struct dbt *d, struct nes *n) {
    const uint16_t pc = n->cpu.r.pc;
    struct content *const c = banks_at(&d->banks, pc);
    struct emitter e = {.code = d->with.cache.code, .encodings = &d->with.encodings};
    exit_always(&e, c->table[pc % WINDOW_SIZE], pc);
    c->table[pc % WINDOW_SIZE] = 0;
    c->met[pc % WINDOW_SIZE] = PLACE_INTERPRETED;
}

/* ---- retranslation ---- */

/* Translates g in place of the block at its pc, whose place is `before`. */
static void replace(struct dbt *d, struct nes *n, struct content *c, uint32_t before,
                    struct guest_block *g) {
    const uint64_t flushes = d->statistics.flushes;
    struct block *const b = make_from(d, n, g);
    if (!b)
        return;
    b->home = c;
    c->table[b->pc % WINDOW_SIZE] = b->host;
    d->statistics.retranslated++;
    if (d->statistics.flushes != flushes)
        return; /* the old one is gone */
    struct emitter e = {.code = d->with.cache.code, .encodings = &d->with.encodings};
    entry_replace(&e, before, b->host);
    if (!vec_push(&d->moved, ((struct moved){before, b->host})))
        flush(d);
}

/* The table that has the block at this address, and its place. NULL: there is none, or its bank is
 * not mapped. */
static struct content *block_at(const struct dbt *d, const struct nes *n, uint32_t address,
                                uint32_t *place) {
    const uint16_t pc = (uint16_t)address;
    if (!n->memory.rd[pc >> 8] || nes_code_address(n, pc) != address)
        return NULL;
    struct content *const c = banks_at(&d->banks, pc);
    *place = c ? c->table[pc % WINDOW_SIZE] : 0;
    return *place ? c : NULL;
}

static void make_again(struct dbt *d, struct nes *n, uint32_t address) {
    uint32_t before;
    struct guest_block g;
    struct content *const c = block_at(d, n, address, &before);
    if (!c)
        return;
    discover(d, n, (uint16_t)address, &g);
    if (g.count)
        replace(d, n, c, before, &g);
}

/* Makes a superblock of the hot block at this address if it can, and places it among hot code.
 * False: its bank is not mapped. */
static bool make_hot(struct dbt *d, struct nes *n, uint32_t address) {
    uint32_t before;
    struct guest_block g;
    const uint16_t pc = (uint16_t)address;
    if (!n->memory.rd[pc >> 8] || nes_code_address(n, pc) != address)
        return false;
    struct content *const c = block_at(d, n, address, &before);
    if (!c)
        return true;
    discover(d, n, pc, &g);
    if (g.count && g.hot)
        replace(d, n, c, before, &g);
    return true;
}

static int by_place(const void *a, const void *b) {
    const struct moved *const x = a, *const y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The latest version of the block at this place, which may have moved several times. */
static uint32_t latest(const struct dbt *d, uint32_t place) {
    const struct moved *moved;
    do {
        const struct moved key = {.from = place};
        moved = bsearch(&key, d->moved.at, d->moved.len, sizeof key, by_place);
        place = moved ? moved->to : place;
    } while (moved);
    return place;
}

/* Binds all edges to blocks that have moved to their new versions: one pass for all of them. */
static void bind_moved(struct dbt *d) {
    const struct emitter e = cache_end(d);
    struct exits *const exits = &d->with.exits;
    if (d->moved.len == 0)
        return;
    qsort(d->moved.at, d->moved.len, sizeof *d->moved.at, by_place);
    for (uint32_t i = 1; i < exits->all.len; i++) {
        const struct exit *const x = &exits->all.at[i];
        if (!x->linked || (x->leave != LEAVE_LINK && x->leave != LEAVE_CACHE_EMPTY))
            continue;
        const uint32_t to = latest(d, x->to);
        if (to != x->to)
            exit_move(exits, i, &e, to);
    }
    d->moved.len = 0;
}

static void adapt(struct dbt *d, struct nes *n) {
    size_t left = 0;
    for (size_t i = 0; i < d->hot.len; i++)
        if (!make_hot(d, n, d->hot.at[i]))
            d->hot.at[left++] = d->hot.at[i];
    d->hot.len = left;
    d->adapts = false;
    if (d->waits-- == 0)
        d->hot.len = 0;
}

static bool has_changed(const struct block *b, const bool at_pc[0x10000]) {
    for (unsigned i = 0; i < b->guest_bytes; i++)
        if (at_pc[(uint16_t)(b->pc + i)])
            return true;
    return false;
}

void blocks_probes_changed(struct dbt *d, const bool at_pc[0x10000]) {
    /* A superblock's instructions are not contiguous. */
    bool all = d->with.options.profile || d->with.options.random_paths;
    for (size_t i = 0; !all && i < d->blocks.len; i++)
        if (has_changed(d->blocks.at[i], at_pc))
            all = !vec_push(&d->stale, d->blocks.at[i]);
    if (all && d->blocks.len)
        flush(d);
    d->stale_mapped = d->stale.len != 0;
    if (d->recorder)
        blocks_forget(d->recorder);
}

/* Replaces all versions of the block. Registers are not those at its start. */
static void make_stale_again(struct dbt *d, struct nes *n, const struct block *b) {
    struct content *const c = b->home;
    const uint64_t carries = b->carries;
    const unsigned at = b->pc % WINDOW_SIZE;
    const uint32_t before = c->table[at];
    struct guest_block g;
    if (before == 0 || (before != b->host && c->versions[at] == 0))
        return; /* it is interpreted now, or has been replaced */
    discover(d, n, b->pc, &g);
    if (g.count == 0) {
        flush(d);
        return;
    }
    c->versions[at] = c->missed[at] = 0;
    d->with.carries_before = &carries;
    replace(d, n, c, before, &g);
    d->with.carries_before = NULL;
}

static void renew_stale(struct dbt *d, struct nes *n) {
    const uint64_t flushes = d->statistics.flushes;
    size_t left = 0;
    d->stale_mapped = false;
    for (size_t i = 0; i < d->stale.len; i++) {
        struct block *const b = d->stale.at[i];
        if (banks_at(&d->banks, b->pc) != b->home)
            d->stale.at[left++] = b;
        else
            make_stale_again(d, n, b);
        if (d->statistics.flushes != flushes)
            return; /* none is left */
    }
    d->stale.len = left;
}

void blocks_make_again(struct dbt *d, struct nes *n) {
    if (d->stale_mapped)
        renew_stale(d, n);
    for (size_t i = 0; i < d->again.len; i++)
        make_again(d, n, d->again.at[i]);
    d->again.len = 0;
    if (d->adapts)
        adapt(d, n);
    bind_moved(d);
}
