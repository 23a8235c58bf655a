/* The engine: finds or makes the block for a pc, runs it, and sees to the way it was left. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dbt/state.h"

#include "nes/cpu_exec.h"

enum { USUAL_CACHE = 8 << 20 };

/* What JSRs without an end push, 16 bytes each, leaves room for a signal's handler. */
enum { JSR_CYCLES = 6, JSR_PUSHES = 16, FOR_HANDLERS = 64 << 10 };
static_assert(LONGEST_RUN / 2 + BLOCK_LONGEST < 1 << BUDGET_SHIFT, "instructions of a run");
static_assert(LONGEST_RUN / JSR_CYCLES * JSR_PUSHES + FOR_HANDLERS <= CACHE_STACK, "too deep");

/* ---- forgetting ---- */

static void free_blocks(struct dbt *d) {
    for (size_t i = 0; i < d->blocks.len; i++)
        block_free(d->blocks.at[i]);
    d->codes += d->blocks.len;
    d->blocks.len = 0;
    translator_forget(&d->with);
}

/* Starts over with an empty cache. What had been hot still is. */
static void flush(struct dbt *d) {
    returns_settle(&d->with.returns);
    for (size_t i = 0; i < d->blocks.len; i++) {
        const struct block *const b = d->blocks.at[i];
        const unsigned at = b->pc % WINDOW_SIZE;
        b->home->table[at] = b->home->versions[at] = b->home->missed[at] = 0;
        if (b->home->met[at] == PLACE_INTERPRETED)
            b->home->met[at] = 0;
    }
    free_blocks(d);
    d->statistics.flushes++;
}

static void forget(void *self) {
    struct dbt *const d = self;
    if (d->blocks.len)
        flush(d);
    windows_forget(&d->windows);
    d->selected = false;
    if (d->recorder)
        forget(d->recorder); /* of that there is no other */
}

/* Selects the blocks of what the processor sees now; false: out of memory. */
static bool select_windows(struct dbt *d, const struct nes *n) {
    const enum selected selected = windows_select(&d->windows, n);
    if (selected == SELECT_FAILED)
        forget(d);
    else if (selected == SELECTED_AND_VOID && d->blocks.len)
        flush(d);
    d->epoch = n->map_epoch;
    d->selected = selected != SELECT_FAILED;
    return d->selected;
}

/* ---- making blocks ---- */

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Translates a block and keeps it; NULL when cache or memory are full. */
static struct block *add_block(struct dbt *d, struct nes *n, const struct guest_block *g) {
    const uint64_t begun = nanoseconds();
    const size_t used = d->with.cache.used;
    d->with.number = (uint32_t)d->blocks.len;
    if (d->blocks.len == 0)
        returns_begin(&d->with.returns, n);
    struct block *const b = translate(&d->with, n, g);
    if (!b)
        return NULL;
    if ((d->with.recorded && !recorded_keep(n, b)) || !vec_push(&d->blocks, b)) {
        d->with.cache.used = used;
        d->with.exits.all.len = b->first_exit;
        block_free(b);
        return NULL;
    }
    d->statistics.blocks++;
    d->statistics.instructions += g->count;
    d->statistics.guest_bytes += g->bytes;
    d->statistics.host_bytes += b->host_size;
    d->statistics.nanoseconds += nanoseconds() - begun;
    perf_map_add(d, b);
    return b;
}

/* To write behind all that is there. */
static struct emitter cache_end(struct dbt *d) {
    struct cache *const cache = &d->with.cache;
    return (struct emitter){.code = cache->code,
                            .at = (uint32_t)cache->used,
                            .end = (uint32_t)cache->size,
                            .encodings = &d->with.encodings};
}

static void chain(struct dbt *d, uint32_t number, uint16_t pc, uint32_t place) {
    struct emitter e = cache_end(d);
    exit_link(&d->with.exits, &e, number, pc, place);
    if (!e.full)
        d->with.cache.used = e.at;
    d->statistics.links++;
}

static void discover_at(struct dbt *d, struct nes *n, uint16_t pc, unsigned length,
                        struct guest_block *g) {
    discover(n, pc, length, windows_certain(&d->windows, pc), g);
}

/* Translates as much at pc as the cache has room for, after a flush if need be; NULL when there is
 * nothing to translate, or no room. */
static struct block *make(struct dbt *d, struct nes *n, uint16_t pc, struct guest_block *g) {
    discover_at(d, n, pc, d->with.options.block_length, g);
    if (g->count == 0)
        return NULL;
    struct block *b = add_block(d, n, g);
    if (!b && d->blocks.len) {
        flush(d);
        b = add_block(d, n, g);
    }
    for (unsigned length = g->count / 2; !b && length > 0; length /= 2) {
        discover_at(d, n, pc, length, g);
        b = add_block(d, n, g);
    }
    return b;
}

enum found { FOUND, COLD, SLOW, INTERPRETED };

/* The block at n's pc, translated when it is hot. */
static enum found find(struct dbt *d, struct nes *n, uint32_t *place) {
    struct content *c = windows_at(&d->windows, n->cpu.pc);
    const unsigned at = n->cpu.pc % WINDOW_SIZE;
    if (!c && !(c = windows_begin(&d->windows, n, n->cpu.pc)))
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
    struct block *const b = make(d, n, n->cpu.pc, &g);
    if (g.count == 0 && !g.in_ram)
        c->met[at] = PLACE_SLOW; /* and stays so */
    if (!b)
        return SLOW;
    b->home = c;
    c->table[at] = *place = b->host;
    return FOUND;
}

/* ---- versions of a block ----
 *
 * Bytes in RAM change, and so may what a block is told of. The versions of a block are a chain:
 * each compares, and goes on to the next. A few are made at once, more of contents that come again,
 * and a block whose contents do not is left to the interpreter. */

enum {
    VERSIONS_AT_ONCE = 8,
    VERSIONS_MOST = 32,
    AWAITED_FOR = 64 /* misses */,
    TIMES_ENOUGH = 8,
    CUT_MOST = 8
};

/* Whether this is the content that was awaited, and there was another one meanwhile; or it comes
 * very often, as the last one does that misses. */
static bool comes_again(struct dbt *d, struct nes *n, struct content *c) {
    const uint16_t pc = n->cpu.pc;
    const unsigned at = pc % WINDOW_SIZE;
    const uint8_t *const from = n->rd[pc >> 8] + (pc & 0xff);
    const size_t left = (size_t)(n->code_end[pc >> 8] - from);
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

/* Observers do not know all of the block as it is now: they will when it has been interpreted,
 * which is worth a few times. To translate what they know would leave it in pieces for good, each
 * of which compares. */
static bool cut_now(struct dbt *d, struct nes *n, const struct content *c) {
    const uint16_t pc = n->cpu.pc;
    struct guest_block g;
    if (!n->watched)
        return false;
    discover_at(d, n, pc, d->with.options.block_length, &g);
    if (!g.cut)
        return false;
    struct cut *const cut = &d->cut[pc % (sizeof d->cut / sizeof *d->cut)];
    if (cut->of != c || cut->pc != pc)
        *cut = (struct cut){.of = c, .pc = pc};
    return cut->times < CUT_MOST && ++cut->times;
}

enum renewed { RENEWED, NOT_YET, NEVER_AGAIN };

/* No version of the block that was left by this exit is for what is there now. */
static enum renewed renew(struct dbt *d, struct nes *n, uint32_t number) {
    const uint16_t pc = n->cpu.pc;
    struct content *const c = windows_at(&d->windows, pc);
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
        chain(d, number, pc, b->host);
    c->versions[at]++;
    c->missed[at] = 0;
    d->statistics.stale++;
    return RENEWED;
}

/* Whoever comes to the block leaves translated code from now on. */
static void give_up(struct dbt *d, struct nes *n) {
    const uint16_t pc = n->cpu.pc;
    struct content *const c = windows_at(&d->windows, pc);
    struct emitter e = {.code = d->with.cache.code, .encodings = &d->with.encodings};
    exit_always(&e, c->table[pc % WINDOW_SIZE], pc);
    c->table[pc % WINDOW_SIZE] = 0;
    c->met[pc % WINDOW_SIZE] = PLACE_INTERPRETED;
}

/* ---- blocks that are asked for again ---- */

static void retranslate(void *self, struct nes *n, uint32_t address) {
    struct dbt *const d = self;
    (void)n;
    (void)vec_push(&d->again, address); /* without memory the block stays as it is */
}

/* In place of the block that begins there, if there is one and the processor sees it. */
static void make_again(struct dbt *d, struct nes *n, uint32_t address) {
    const uint16_t pc = (uint16_t)address;
    if (!n->rd[pc >> 8] || nes_code_address(n, pc) != address)
        return;
    struct content *const c = windows_at(&d->windows, pc);
    const uint32_t before = c ? c->table[pc % WINDOW_SIZE] : 0;
    const uint64_t flushes = d->statistics.flushes;
    struct guest_block g;
    struct block *const b = before ? make(d, n, pc, &g) : NULL;
    if (!b)
        return;
    b->home = c;
    c->table[pc % WINDOW_SIZE] = b->host;
    d->statistics.retranslated++;
    struct emitter e = {.code = d->with.cache.code, .encodings = &d->with.encodings};
    if (d->statistics.flushes == flushes && !entry_replace(&e, before, b->host))
        flush(d);
}

static void make_all_again(struct dbt *d, struct nes *n) {
    for (size_t i = 0; i < d->again.len; i++)
        make_again(d, n, d->again.at[i]);
    d->again.len = 0;
}

/* The code that everything leans on. */
static enum status begin_cache(struct dbt *d, struct error *e) {
    struct cache *const cache = &d->with.cache;
    struct emitter emitter = {
        .code = cache->code, .end = (uint32_t)cache->size, .encodings = &d->with.encodings};
    d->frame.return_stack = (uintptr_t)cache->stack;
    fixed_code(&d->with.fixed, &emitter);
    cache->used = d->with.fixed.end;
    return emitter.full ? error_set(e, STATUS_ARGUMENT, "a code cache of %zu bytes is too small",
                                    cache->size)
                        : STATUS_OK;
}

/* ---- running ---- */

/* What is left to the interpreter is so for a while. Where there is hardly anything else, it is for
 * longer and longer. */
enum { INTERPRETED_FOR = 1000, INTERPRETED_LONGEST = 32000 }; /* cycles */

static void interpret_for_a_while(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline) {
    if (n->cycle - d->interpreted_until >= d->interpreted_for / 8)
        d->interpreted_for = INTERPRETED_FOR;
    else if (d->interpreted_for < INTERPRETED_LONGEST)
        d->interpreted_for *= 2;
    d->interpreted_until = n->cycle + d->interpreted_for;
    engine_interpreter.run(NULL, n, earlier(stop, d->interpreted_until), deadline);
}

static void interpret(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline) {
    if (d->record)
        recorded_interpret(d, n, stop, deadline, false);
    else if (n->watched)
        cpu_run_watched(n, stop, deadline);
    else
        cpu_run_fast(n, stop, deadline, false);
}

/* To the end of the basic block; false when the machine has something else to see to. */
static bool interpret_block(struct dbt *d, struct nes *n, uint64_t stop, uint64_t *deadline) {
    const uint64_t last = last_start(stop, *deadline), start = n->cycle;
    if (d->record) {
        *deadline = recorded_interpret(d, n, stop, *deadline, true);
        return n->cycle != start && !d->record->full && !n->waiting;
    }
    for (unsigned i = 0; i < BLOCK_LONGEST && n->cycle <= last; i++) {
        const uint64_t before = n->cycle;
        const uint16_t pc = n->cpu.pc;
        if (!n->rd[pc >> 8])
            return false;
        const unsigned size = opcode_info(n->rd[pc >> 8][pc & 0xff])->size;
        interpret(d, n, n->cycle + 1, *deadline);
        if (n->cycle == before || n->waiting || n->announced || (n->watched && n->attention))
            return false;
        if (n->cpu.pc != (uint16_t)(pc + size))
            break;
    }
    return n->cycle <= last;
}

/* Runs translated code from `place` on; returns the number of the exit that it was left by. Moves
 * the deadline. */
static inline __attribute__((always_inline)) uint32_t
enter(struct dbt *d, struct nes *n, uint32_t place, uint64_t stop, uint64_t *deadline) {
    uint32_t (*const code)(struct frame *, const void *) = (uint32_t(*)(
        struct frame *, const void *))(uintptr_t)(d->with.cache.run + d->with.fixed.enter);
    struct frame *const f = &d->frame;
    f->nes = n;
    f->counters = n->counters;
    f->tables = d->windows.tables;
    f->prg = n->options.cartridge ? n->options.cartridge->prg : NULL;
    f->nobodys = (uintptr_t)d->with.returns.nobodys;
    f->return_misses = 0;
    f->instructions = n->instructions;
    f->stop = stop;
    f->deadline = *deadline;
    f->budget_end = last_start(stop, *deadline);
    f->epoch = d->epoch;
    f->moved = 0;
    f->budget = (int64_t)(f->budget_end - n->cycle) * (1 << BUDGET_SHIFT);
    f->status_read = NOT_READ;
    frame_calm(f);
    const uint64_t banks = d->record ? record_banks(n) : 0;
    const uint32_t number = code(f, d->with.cache.run + place);
    frame_tell_status(f);
    n->cycle = frame_cycle(f);
    n->instructions = f->instructions + frame_executed(f);
    *deadline = f->deadline;
    if (d->record)
        recorded_read(d, n, f->instructions, banks);
    d->statistics.executed += frame_executed(f);
    d->statistics.dispatched++;
    d->statistics.return_misses += f->return_misses;
    return number;
}

/* What follows from an exit. */
enum next { GO_ON, GO_ON_LINKING, RENEW, INTERPRET_REST, RETURN };

static inline __attribute__((always_inline)) enum next left(struct nes *n, const struct exit *x) {
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

enum coming {
    NOT_COMING,   /* the stop is not for a recording */
    COMING_STILL, /* the machine has to see to something, perhaps in its midst */
    HANDED_OVER,  /* it is done, and what comes behind it has a stop and a deadline of its own */
};
/* The run comes to its stop; where that is for a recording and for nothing else, records it. */
static enum coming recorded_coming(struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline);

/* After translated code was left by *number, which stays when the exit is to be linked; false: back
 * to the machine. */
static inline __attribute__((always_inline)) bool
go_on(struct dbt *d, struct nes *n, uint32_t *number, uint64_t *stop, uint64_t *deadline) {
    const uint32_t by = *number;
    const enum next next = left(n, &d->with.exits.all.at[by]);
    *number = next == GO_ON_LINKING ? by : 0;
    if (d->record && d->record->full)
        return false;
    if (d->record && next == INTERPRET_REST && frame_executed(&d->frame) >= d->frame.until)
        return true;
    if (next == INTERPRET_REST) {
        const enum coming coming = recorded_coming(d, n, stop, deadline);
        if (coming == NOT_COMING)
            interpret(d, n, *stop, *deadline);
        return coming == HANDED_OVER;
    }
    if (next != RENEW)
        return next == GO_ON || next == GO_ON_LINKING;
    switch (renew(d, n, by)) {
    case RENEWED:
        return true;
    case NEVER_AGAIN:
        give_up(d, n);
        return true;
    case NOT_YET:
        break;
    }
    return interpret_block(d, n, *stop, deadline);
}

/* After a fork(): the parent may write what we would run. False: there is no other memory. */
static bool become_ours(struct dbt *d) {
    struct error e;
    if (!d->with.cache.code)
        return false;
    forget(d);
    if (cache_renew(&d->with.cache, &e) != STATUS_OK || begin_cache(d, &e) != STATUS_OK)
        return false;
    if (d->perf_map) {
        fclose(d->perf_map);
        perf_map_open(d, &e); /* of another process now; without it there are no names */
    }
    return true;
}

/* number: of an exit to be linked, or 0. */
static void run_from(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline,
                     uint32_t number) {
    if (n->cycle >= stop || n->cycle + LONGEST_INSTRUCTION > deadline || !n->rd[n->cpu.pc >> 8])
        return;
    if ((!d->with.cache.code || !cache_is_ours(&d->with.cache)) && !become_ours(d)) {
        interpret(d, n, stop, deadline);
        return;
    }
    if (n->cycle < d->interpreted_until &&
        d->interpreted_until - n->cycle < INTERPRETED_LONGEST) { /* a deadline was in between */
        engine_interpreter.run(NULL, n, earlier(stop, d->interpreted_until), deadline);
        return;
    }
    stop = earlier(stop, n->cycle + LONGEST_RUN);
    while (n->cycle <= last_start(stop, deadline) && n->rd[n->cpu.pc >> 8]) {
        uint32_t place;
        const uint64_t flushes = d->statistics.flushes;
        if ((!d->selected || d->epoch != n->map_epoch) && !select_windows(d, n)) {
            interpret(d, n, stop, deadline);
            return;
        }
        if (d->again.len) {
            make_all_again(d, n);
            number = 0; /* the exit may be gone */
        }
        if (d->record && !(d->frame.until = recorded_until(d->record, n->cycle))) {
            interpret(d, n, stop, deadline);
            return;
        }
        const enum found found = find(d, n, &place);
        if ((found == COLD || (d->record && found != FOUND)) &&
            interpret_block(d, n, stop, &deadline)) {
            number = 0;
            continue;
        }
        if (found == INTERPRETED && !d->record)
            interpret_for_a_while(d, n, stop, deadline);
        if (found != FOUND)
            return;
        if (number && !d->with.options.no_chaining && d->statistics.flushes == flushes)
            chain(d, number, n->cpu.pc, place);
        number = enter(d, n, place, stop, &deadline);
        if (!go_on(d, n, &number, &stop, &deadline))
            return;
    }
}

static void run(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    run_from(self, n, stop, deadline, 0);
}

static void settle_counters(void *self) {
    struct dbt *const d = self;
    returns_settle(&d->with.returns);
}

/* ---- the engine ---- */

static void destroy(void *self) {
    struct dbt *const d = self;
    if (!d)
        return;
    destroy(d->recorder);
    free_blocks(d);
    windows_forget(&d->windows);
    vec_free(&d->blocks);
    vec_free(&d->again);
    translator_close(&d->with);
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
    if (!d || !exits_open(&d->with.exits))
        return error_set(e, STATUS_MEMORY, "out of memory for the translator");
    struct dbt_options *const options = &d->with.options;
    *options = options_of(n);
    enum status status = cache_open(&d->with.cache, options->cache_bytes, options->perf_map, e);
    if (status == STATUS_OK && options->perf_map)
        status = perf_map_open(d, e);
    return status == STATUS_OK ? begin_cache(d, e) : status;
}

/* ---- recordings: the recorder runs its own blocks ---- */

enum {
    COMING_SOON = 256, /* cycles */
    RECORDED_HOT = 4,  /* executions before a block is translated for recording */
};

static struct dbt *recorder_of(struct dbt *d, struct nes *n) {
    struct error e;
    void *recorder = NULL;
    if (d->recorder || d->no_recorder)
        return d->recorder;
    if (create(&recorder, n, &e) != STATUS_OK) {
        destroy(recorder);
        d->no_recorder = true;
        return NULL;
    }
    d->recorder = recorder;
    d->recorder->with.recorded = true;
    d->recorder->with.encodings = d->with.encodings; /* so that it need not make its own */
    struct dbt_options *const options = &d->recorder->with.options;
    options->no_return_stack = true; /* what blocks note is there */
    options->hot = options->hot == 1 ? 1 : RECORDED_HOT;
    return d->recorder;
}

/* What run_from() does first, as a rule: the block is there, and nothing is to be seen to. False:
 * it is not so. */
static bool enter_at_once(struct dbt *d, struct nes *n, uint32_t *number, uint64_t stop,
                          uint64_t *deadline) {
    const struct content *const c = windows_at(&d->windows, n->cpu.pc);
    const uint32_t place = c ? c->table[n->cpu.pc % WINDOW_SIZE] : 0;
    stop = earlier(stop, n->cycle + LONGEST_RUN);
    if (place == 0 || !d->selected || d->epoch != n->map_epoch || d->again.len ||
        !cache_is_ours(&d->with.cache) || n->cycle > last_start(stop, *deadline))
        return false;
    d->frame.until = recorded_until(d->record, n->cycle);
    if (d->frame.until == 0)
        return false;
    *number = enter(d, n, place, stop, deadline);
    return true;
}

/* Records r, which has begun or is to begin at r->from; it may have come to its end or not. */
static void run_recorder(struct dbt *d, struct nes *n, struct record *r, uint64_t stop,
                         uint64_t deadline) {
    const bool watched = n->watched;
    n->watched = false; /* by nobody else */
    n->recorder = d->record = r;
    uint32_t number = 0;
    if (!enter_at_once(d, n, &number, stop, &deadline) || go_on(d, n, &number, &stop, &deadline))
        run_from(d, n, stop, deadline, number);
    d->record = NULL;
    n->watched = watched;
}

static void record(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    struct dbt *const d = recorder_of(self, n);
    if (d)
        run_recorder(d, n, n->recorder, stop, deadline);
    else
        cpu_run_recorded(n, stop, deadline);
}

static const struct guest_insn *code_recorded(void *self, const struct nes *n, uint32_t code,
                                              uint64_t banks) {
    const struct dbt *const d = self;
    return recorded_code(d->recorder, n, code, banks);
}

static enum coming recorded_coming(struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline) {
    struct record *const r = n->coming;
    if (d->record || !r || r->from != *stop || n->cycle + COMING_SOON < *stop)
        return NOT_COMING;
    struct dbt *const recorder = recorder_of(d, n);
    if (!recorder)
        return NOT_COMING;
    run_recorder(recorder, n, r, n->stop_behind, *deadline);
    if (r->full && !n->waiting) {
        watch_recorded(n);
        *stop = earlier(earlier(n->stop_behind, n->alarm), n->cycle + LONGEST_RUN);
        *deadline = engine_deadline(n, n->cpu.p & P_I);
        return n->watched ? COMING_STILL : HANDED_OVER;
    }
    if (r->on)
        watch_requests_changed(n);
    else if (!r->full)
        n->recorder = NULL;
    return COMING_STILL;
}

const struct engine *dbt_engine(void) {
    static const struct engine engine = {.name = "dbt",
                                         .create = create,
                                         .destroy = destroy,
                                         .run = run,
                                         .forget = forget,
                                         .record = record,
                                         .recorded_code = code_recorded,
                                         .settle = settle_counters,
                                         .retranslate = retranslate};
    return &engine;
}

void dbt_statistics(const struct nes *n, struct dbt_statistics *out) {
    const struct dbt *const d = n->engine_self;
    *out = d->statistics;
    out->cache_bytes = d->with.cache.size;
    out->cache_used = d->with.cache.used;
}
