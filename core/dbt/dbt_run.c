/* The engine: runs the block for a pc, and handles the exit it was left by. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dbt/block_table.h"
#include "dbt/host/cache_inspect.h"
#include "dbt/traced_blocks.h"

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"

enum { USUAL_CACHE = 8 << 20 };

/* An endless row of JSRs pushes 16 bytes each; a signal handler must still fit on the stack. */
enum { JSR_CYCLES = 6, JSR_PUSHES = 16, FOR_HANDLERS = 64 << 10 };
static_assert(LONGEST_RUN / 2 + SUPERBLOCK_LONGEST < 1 << BUDGET_SHIFT, "instructions of a run");
enum { KEPT_MOST = 4 << 10 /* bytes of the return stack that the next run goes on with */ };
static_assert(KEPT_MOST + LONGEST_RUN / JSR_CYCLES * JSR_PUSHES + FOR_HANDLERS <= CACHE_STACK,
              "too deep");

/* Puts entries that predict nothing at its bottom. Nothing pops them, since no RTS pulls such a value. */
static void begin_return_stack(struct frame *f, uint8_t *end) {
    enum { BYTES = RETURN_BOTTOM * RETURN_ENTRY };
    memset(end - BYTES, 0xff, BYTES);
    f->return_bottom = f->return_stack = (uintptr_t)end - BYTES;
}

/* Emits the fixed code at the start of the cache. */
static enum status begin_cache(struct dbt *d, struct error *e) {
    struct cache *const cache = &d->with.cache;
    struct emitter emitter = {
        .code = cache->code, .end = (uint32_t)cache->size, .encodings = &d->with.encodings};
    begin_return_stack(&d->frame, cache->stack);
    fixed_code(&d->with.fixed, &emitter);
    translator_forget(&d->with);
    return emitter.full ? error_set(e, STATUS_ARGUMENT, "a code cache of %zu bytes is too small",
                                    cache->size)
                        : STATUS_OK;
}

/* ---- running ---- */

/* Code that is left to the interpreter lies below $8000. It is interpreted until control leaves that, or all code is
 * if it has come again SOON after that OFTEN; but only for a while. The time doubles while hardly anything else is
 * executed. */
enum { INTERPRETED_FOR = 1000, INTERPRETED_LONGEST = 32000, SOON = 40 }; /* cycles */
enum { OFTEN = 8 };

/* Interprets up to d->interpreted_until. True: control has left such code, and the machine need not handle
 * anything first. */
static bool interpret_on(struct dbt *d, struct nes *n, uint64_t stop, uint64_t *deadline) {
    const uint64_t start = n->cpu.cycle, until = earlier(stop, d->interpreted_until);
    if (d->interprets_all)
        engine_interpreter.run(NULL, n, until, *deadline);
    else if (n->observed.watched)
        cpu_run_ram_watched(n, until, *deadline);
    else
        cpu_run_ram(n, until, *deadline);
    if (d->interprets_all || n->cpu.r.pc < 0x8000)
        return false;
    d->interpreted_until = n->cpu.cycle;
    *deadline = engine_deadline(n, n->cpu.r.p & P_I);
    return n->cpu.cycle != start && !n->idle.waiting && !n->observed.announced &&
           !(n->observed.watched && n->observed.attention);
}

static bool interpret_for_a_while(struct dbt *d, struct nes *n, uint64_t stop, uint64_t *deadline) {
    const bool soon = n->cpu.cycle - d->interpreted_until < SOON;
    d->came_soon = soon ? d->came_soon + (d->came_soon < OFTEN) : 0;
    d->interprets_all = d->came_soon == OFTEN;
    if (!d->interprets_all)
        d->interpreted_for = INTERPRETED_FOR;
    else if (d->interpreted_for < INTERPRETED_LONGEST)
        d->interpreted_for *= 2;
    d->interpreted_until = n->cpu.cycle + d->interpreted_for;
    return interpret_on(d, n, stop, deadline);
}

/* Was such code interrupted, by a deadline or an interrupt, and goes on? */
static bool is_interpreting(const struct dbt *d, const struct nes *n) {
    return n->cpu.cycle < d->interpreted_until &&
           d->interpreted_until - n->cpu.cycle < INTERPRETED_LONGEST &&
           (d->interprets_all || n->cpu.r.pc < 0x8000);
}

static void interpret(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline) {
    if (d->record)
        traced_interpret(d, n, stop, deadline, false);
    else if (n->observed.watched)
        cpu_run_watched(n, stop, deadline);
    else
        cpu_run_fast(n, stop, deadline, false);
}

/* A straight-line run of instructions: the last one may jump. */
struct stretch {
    unsigned count;
    unsigned before; /* minimal cycles of all but the last */
    uint16_t behind; /* pc after the last */
};

static struct stretch stretch_at(const struct nes *n, uint16_t pc) {
    struct stretch s = {.behind = pc};
    for (unsigned cycles = 0; s.count < BLOCK_LONGEST && n->memory.rd[s.behind >> 8]; s.count++) {
        const struct opcode_info *const info =
            opcode_info(n->memory.rd[s.behind >> 8][s.behind & 0xff]);
        s.behind = (uint16_t)(s.behind + info->size);
        s.before = cycles;
        cycles += info->cycles;
        if (info->kind != INSN_PLAIN) {
            s.count++;
            break;
        }
    }
    return s;
}

/* Interprets to the end of the basic block. False: the machine must handle something first. */
static bool interpret_block(struct dbt *d, struct nes *n, uint64_t stop, uint64_t *deadline) {
    const uint64_t last = last_start(stop, *deadline), start = n->cpu.cycle;
    if (d->record) {
        *deadline = traced_interpret(d, n, stop, *deadline, true);
        return n->cpu.cycle != start && !d->record->full && !n->idle.waiting;
    }
    const uint64_t end = n->cpu.instructions + BLOCK_LONGEST;
    while (n->cpu.instructions < end && n->cpu.cycle <= last) {
        const uint64_t cycle = n->cpu.cycle, met = n->cpu.instructions;
        const struct stretch s = stretch_at(n, n->cpu.r.pc);
        if (s.count == 0)
            return false;
        interpret(d, n, earlier(stop, cycle + s.before + 1), *deadline);
        if (n->cpu.cycle == cycle || n->idle.waiting || n->observed.announced ||
            (n->observed.watched && n->observed.attention))
            return false;
        if (n->cpu.instructions - met >= s.count && n->cpu.r.pc != s.behind)
            break;
    }
    return n->cpu.cycle <= last;
}

/* What is on the return stack stays right as long as the code and the banks do: an entry leads to the code for the value
 * that an RTS pulls, whoever has pushed it. But where RTSs miss, its entries may be those of calls that are over. */
static inline uint64_t return_stack_after(const struct dbt *d, const struct frame *f) {
    enum { MISSES = 4 };
    const bool kept =
        f->return_misses < MISSES && !d->record && f->return_bottom - f->called_at <= KEPT_MOST;
    return kept ? f->called_at : f->return_bottom;
}

static inline uint32_t execute_code(struct dbt *d, struct frame *f, uint32_t place) {
#ifdef HOTGRAPH_COUNTED
    return step_enter(&d->stepper, &d->with.cache, d->with.fixed.enter, f,
                      d->with.cache.run + place);
#else
    uint32_t (*const code)(struct frame *, const void *) = (uint32_t(*)(
        struct frame *, const void *))(uintptr_t)(d->with.cache.run + d->with.fixed.enter);
    return code(f, d->with.cache.run + place);
#endif
}

/* Runs translated code at `place`. last: last_start(stop, *deadline). Returns the number of the exit it was left by. Updates
 * the deadline. */
static inline __attribute__((always_inline)) uint32_t enter(struct dbt *d, struct nes *n,
                                                            uint32_t place, uint64_t stop,
                                                            uint64_t last, uint64_t *deadline) {
    struct frame *const f = &d->frame;
    f->nes = n;
    f->counters = n->observed.counters;
    f->tables = d->banks.tables;
    f->prg = n->made.options.cartridge ? n->made.options.cartridge->prg : NULL;
    f->nobodys = (uintptr_t)d->with.returns.nobodys;
    f->return_misses = 0;
    f->instructions = n->cpu.instructions;
    f->stop = stop;
    f->deadline = *deadline;
    f->budget_end = last;
    f->epoch = d->epoch;
    f->moved = 0;
    f->budget = (int64_t)(f->budget_end - n->cpu.cycle) * (1 << BUDGET_SHIFT);
    f->status_read = NOT_READ;
    frame_update_stable(f);
    const uint64_t banks = d->record ? record_banks(n) : 0;
    const uint32_t number = execute_code(d, f, place);
    f->return_stack = return_stack_after(d, f);
    frame_report_status(f);
    n->cpu.cycle = frame_cycle(f);
    n->cpu.instructions = f->instructions + frame_executed(f);
    *deadline = f->deadline;
    if (d->record)
        traced_read(d, n, f->instructions, banks);
    d->statistics.executed += frame_executed(f);
    d->statistics.dispatched++;
    d->statistics.return_misses += f->return_misses;
    return number;
}

/* What to do after an exit. */
enum next { GO_ON, GO_ON_LINKING, RENEW, INTERPRET_REST, RETURN };

static inline __attribute__((always_inline)) enum next left(struct nes *n, const struct exit *x) {
    if (x->leave != LEAVE_INDIRECT && x->leave != LEAVE_CACHE_EMPTY && x->leave != LEAVE_ATTENTION)
        n->cpu.r.pc = x->pc;
    switch ((enum leave)x->leave) {
    case LEAVE_INDIRECT:
    case LEAVE_CACHE_EMPTY:
    case LEAVE_ATTENTION:
        if (!n->memory.rd[n->cpu.r.pc >> 8])
            n->memory.bus = n->cpu.r.pc >> 8; /* the last byte read */
        return x->leave == LEAVE_CACHE_EMPTY ? GO_ON_LINKING
               : x->leave == LEAVE_ATTENTION ? RETURN
                                             : GO_ON;
    case LEAVE_LINK:
        return GO_ON_LINKING;
    case LEAVE_STALE:
        return RENEW;
    case LEAVE_BUDGET:
    case LEAVE_MMIO:
        return INTERPRET_REST;
    case LEAVE_BOARD:
        if (n->observed.watched && x->site)
            watch_outcome(n, x->site, OUTCOME_NEXT);
        return n->observed.watched && n->observed.attention ? RETURN : GO_ON;
    case LEAVE_WAIT:
        n->idle.waiting = x->wait;
        return RETURN;
    case LEAVE_SLOW:
        break;
    }
    return RETURN;
}

enum coming {
    NOT_COMING,   /* the stop is not the start of a recording */
    COMING_STILL, /* return to the machine, perhaps within the recording */
    HANDED_OVER,  /* recorded; go on with a new stop and deadline */
};
/* Call when the run reaches its stop. If the stop is only the start of a recording, records. */
static enum coming recorded_coming(struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline);
/* The same, if the stop is only the start of nes_follow(). */
static enum coming followed_coming(const struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline);

/* Handles the exit *number. Keeps *number if the exit is to be linked, else sets 0. False: return
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
        const enum coming coming = n->observed.follow ? followed_coming(d, n, stop, deadline)
                                                      : recorded_coming(d, n, stop, deadline);
        if (coming == NOT_COMING)
            interpret(d, n, *stop, *deadline);
        return coming == HANDED_OVER;
    }
    if (next != RENEW)
        return next == GO_ON || next == GO_ON_LINKING;
    switch (blocks_renew(d, n, by)) {
    case RENEWED:
        return true;
    case NEVER_AGAIN:
        blocks_give_up(d, n);
        return true;
    case NOT_YET:
        break;
    }
    return interpret_block(d, n, *stop, deadline);
}

/* After a fork() the cache is shared with the parent, which may write to it: takes another one.
 * False: no memory. */
static bool become_ours(struct dbt *d) {
    struct error e;
    if (!d->with.cache.code)
        return false;
    blocks_forget(d);
    if (cache_renew(&d->with.cache, &e) != STATUS_OK || begin_cache(d, &e) != STATUS_OK)
        return false;
    if (d->perf_map) {
        fclose(d->perf_map);
        perf_map_open(d, &e); /* for the new process; without it perf shows no names */
    }
    return true;
}

enum { CHANGE_FIRST = 50 /* entries from the dispatcher */ };

/* For tests: all blocks that are there are to follow other paths, chosen at random. False: out of
 * memory. */
static bool change_paths(struct dbt *d) {
    struct dbt_options *const o = &d->with.options;
    d->change_at = CHANGE_FIRST + 2 * d->statistics.dispatched;
    o->random_paths = o->random_paths ? o->random_paths + 1 : o->random_adapt;
    cache_set_apart(&d->with.cache);
    d->hot.len = 0;
    for (size_t i = 0; i < d->blocks.len; i++)
        if (!vec_push(&d->hot, d->blocks.at[i]->address))
            return false;
    d->waits = 1;
    d->adapts = d->hot.len != 0;
    return true;
}

/* The code of the block at n's pc; 0: blocks_find() has to look for it. */
static inline uint32_t known_place(const struct dbt *d, const struct nes *n) {
    const struct content *const c = banks_at(&d->banks, n->cpu.r.pc);
    return c ? c->table[n->cpu.r.pc % WINDOW_SIZE] : 0;
}

/* number: an exit to link, or 0. */
static void run_from(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline,
                     uint32_t number) {
    if (n->cpu.cycle >= stop || n->cpu.cycle + LONGEST_INSTRUCTION > deadline ||
        !n->memory.rd[n->cpu.r.pc >> 8])
        return;
    if ((!d->with.cache.code || !cache_is_ours(&d->with.cache)) && !become_ours(d)) {
        interpret(d, n, stop, deadline);
        return;
    }
    if (is_interpreting(d, n) && !interpret_on(d, n, stop, &deadline))
        return;
    stop = earlier(stop, n->cpu.cycle + LONGEST_RUN);
    while (n->memory.rd[n->cpu.r.pc >> 8]) {
        const uint64_t last = last_start(stop, deadline);
        if (n->cpu.cycle > last)
            return;
        uint32_t place;
        const uint64_t flushes = d->statistics.flushes;
        if ((!d->selected || d->epoch != n->memory.epoch) && !blocks_select(d, n)) {
            interpret(d, n, stop, deadline);
            return;
        }
        if (d->with.options.random_adapt && !d->with.recorded &&
            d->statistics.dispatched >= d->change_at && !change_paths(d)) {
            interpret(d, n, stop, deadline);
            return;
        }
        if (d->again.len || d->adapts || d->stale_mapped) {
            blocks_make_again(d, n);
            number = 0; /* the exit may be freed */
        }
        if (d->record && !(d->frame.until = traced_until(d->record, n->cpu.cycle))) {
            interpret(d, n, stop, deadline);
            return;
        }
        place = known_place(d, n);
        const enum found found = place != 0 ? FOUND : blocks_find(d, n, &place);
        if ((found == COLD || (d->record && found != FOUND)) &&
            interpret_block(d, n, stop, &deadline)) {
            number = 0;
            continue;
        }
        if (found == INTERPRETED && !d->record && interpret_for_a_while(d, n, stop, &deadline)) {
            number = 0;
            continue;
        }
        if (found != FOUND)
            return;
        if (number && !d->with.options.no_chaining && d->statistics.flushes == flushes)
            blocks_chain(d, number, n->cpu.r.pc, place);
        number = enter(d, n, place, stop, last, &deadline);
        if (!go_on(d, n, &number, &stop, &deadline))
            return;
    }
}

static struct dbt *twin_of(struct dbt *d, struct nes *n);

static void run(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    struct dbt *const d = n->observed.watch->duplicate ? twin_of(self, n) : self;
    if (d)
        run_from(d, n, stop, deadline, 0);
    else
        engine_interpreter.run(NULL, n, stop, deadline);
}

static void forget(void *self) {
    struct dbt *const d = self;
    blocks_forget(d);
    if (d->twin)
        blocks_forget(d->twin);
}

static void forget_recorded(void *self) {
    struct dbt *const d = self;
    if (d->recorder)
        blocks_forget(d->recorder);
}

static void retranslate(void *self, struct nes *n, uint32_t address) {
    struct dbt *const d = self;
    (void)n;
    (void)vec_push(&d->again, address); /* out of memory: the block stays as it is */
}

static void probes_changed(void *self, const bool at_pc[0x10000]) {
    struct dbt *const d = self;
    blocks_probes_changed(d, at_pc);
    if (d->twin)
        blocks_probes_changed(d->twin, at_pc);
}

static void settle_counters(void *self) {
    struct dbt *const d = self;
    returns_settle(&d->with.returns);
    loop_counts_settle(&d->with.loops);
    if (d->twin)
        settle_counters(d->twin);
}

/* ---- the engine ---- */

static void destroy(void *self) {
    struct dbt *const d = self;
    if (!d)
        return;
    destroy(d->recorder);
    destroy(d->twin);
    blocks_free(d);
    banks_forget(&d->banks);
    vec_free(&d->blocks);
    vec_free(&d->again);
    vec_free(&d->stale);
    vec_free(&d->hot);
    vec_free(&d->moved);
    translator_close(&d->with);
#ifdef HOTGRAPH_COUNTED
    stepper_close(&d->stepper);
#endif
    if (d->perf_map)
        fclose(d->perf_map);
    free(d);
}

static struct dbt_options options_of(const struct nes *n) {
    const struct dbt_options *const given = n->made.options.engine_options;
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
    if (!d || !translator_open(&d->with))
        return error_set(e, STATUS_MEMORY, "out of memory for the translator");
#ifdef HOTGRAPH_COUNTED
    if (!stepper_open(&d->stepper))
        return error_set(e, STATUS_MEMORY, "out of memory for counting host instructions");
#endif
    struct dbt_options *const options = &d->with.options;
    *options = options_of(n);
    d->change_at = CHANGE_FIRST;
    enum status status = cache_open(&d->with.cache, options->cache_bytes, options->perf_map, e);
    if (status == STATUS_OK && options->perf_map)
        status = perf_map_open(d, e);
    return status == STATUS_OK ? begin_cache(d, e) : status;
}

static struct dbt *twin_of(struct dbt *d, struct nes *n) {
    struct error e;
    void *twin = NULL;
    if (d->twin || d->no_twin)
        return d->twin;
    if (create(&twin, n, &e) != STATUS_OK) {
        destroy(twin);
        d->no_twin = true;
        return NULL;
    }
    d->twin = twin;
    d->twin->with.encodings = d->with.encodings; /* saves encoding them again */
    return d->twin;
}

/* ---- recordings: the recorder runs its own blocks ---- */

enum { COMING_SOON = 256 /* cycles */ };

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
    d->recorder->with.encodings = d->with.encodings; /* saves encoding them again */
    struct dbt_options *const options = &d->recorder->with.options;
    options->no_return_stack = true; /* the log is on that stack */
    options->hot = 1;                /* recordings repeat: nearly all their code is hot */
    return d->recorder;
}

/* The usual case of run_from(): the block exists and nothing else is pending. False: another
 * case. */
static bool enter_at_once(struct dbt *d, struct nes *n, uint32_t *number, uint64_t stop,
                          uint64_t *deadline) {
    const uint32_t place = known_place(d, n);
    stop = earlier(stop, n->cpu.cycle + LONGEST_RUN);
    const uint64_t last = last_start(stop, *deadline);
    if (place == 0 || !d->selected || d->epoch != n->memory.epoch || d->again.len ||
        !cache_is_ours(&d->with.cache) || n->cpu.cycle > last)
        return false;
    d->frame.until = traced_until(d->record, n->cpu.cycle);
    if (d->frame.until == 0)
        return false;
    *number = enter(d, n, place, stop, last, deadline);
    return true;
}

/* Runs recording r, which has begun or begins at r->from. It need not be complete on return. */
static void run_recorder(struct dbt *d, struct nes *n, struct record *r, uint64_t stop,
                         uint64_t deadline) {
    const bool watched = n->observed.watched;
    n->observed.watched = false; /* the recorder is the only observer */
    n->observed.recorder = d->record = r;
    uint32_t number = 0;
    if (!enter_at_once(d, n, &number, stop, &deadline) || go_on(d, n, &number, &stop, &deadline))
        run_from(d, n, stop, deadline, number);
    d->record = NULL;
    n->observed.watched = watched;
}

static void record(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    struct dbt *const d = recorder_of(self, n);
    if (d)
        run_recorder(d, n, n->observed.recorder, stop, deadline);
    else
        cpu_run_recorded(n, stop, deadline);
}

static const struct guest_insn *code_recorded(void *self, const struct nes *n, uint32_t code,
                                              uint64_t banks) {
    const struct dbt *const d = self;
    return traced_code(d->recorder, n, code, banks);
}

static enum coming recorded_coming(struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline) {
    struct record *const r = n->observed.coming;
    if (d->record || !r || r->from != *stop || n->cpu.cycle + COMING_SOON < *stop)
        return NOT_COMING;
    struct dbt *const recorder = recorder_of(d, n);
    if (!recorder)
        return NOT_COMING;
    run_recorder(recorder, n, r, n->observed.later_stop, *deadline);
    if (r->full && !n->idle.waiting) {
        watch_recorded(n);
        *stop =
            earlier(earlier(n->observed.later_stop, n->observed.alarm), n->cpu.cycle + LONGEST_RUN);
        *deadline = engine_deadline(n, n->cpu.r.p & P_I);
        return n->observed.watched ? COMING_STILL : HANDED_OVER;
    }
    if (r->on)
        watch_requests_changed(n);
    else if (!r->full)
        n->observed.recorder = NULL;
    return COMING_STILL;
}

static enum coming followed_coming(const struct dbt *d, struct nes *n, uint64_t *stop,
                                   uint64_t *deadline) {
    if (d->record || n->observed.announced || n->observed.follow->from != *stop ||
        n->cpu.cycle + COMING_SOON < *stop)
        return NOT_COMING;
    const uint64_t later = n->observed.later_stop;
    if (!cpu_follow(n, later) || n->observed.stepping || n->cpu.due)
        return COMING_STILL;
    *stop = earlier(earlier(later, n->observed.alarm), n->cpu.cycle + LONGEST_RUN);
    *deadline = engine_deadline(n, n->cpu.r.p & P_I);
    return HANDED_OVER;
}

const struct engine *dbt_engine(void) {
    static const struct engine engine = {.name = "dbt",
                                         .create = create,
                                         .destroy = destroy,
                                         .run = run,
                                         .forget = forget,
                                         .record = record,
                                         .recorded_code = code_recorded,
                                         .forget_recorded = forget_recorded,
                                         .probes_changed = probes_changed,
                                         .settle = settle_counters,
                                         .retranslate = retranslate};
    return &engine;
}

enum { WAITS_FOR_BANKS = 1000 };

enum status dbt_use_profile(struct nes *nes, const struct dbt_profile *profile, struct error *e) {
    struct dbt *const d = nes->made.engine_self;
    d->with.options.profile = profile;
    d->hot.len = 0;
    if (profile)
        cache_set_apart(&d->with.cache);
    for (size_t i = 0; profile && i < profile->hot_count; i++)
        if (!vec_push(&d->hot, profile->hot[i]))
            return error_set(e, STATUS_MEMORY, "out of memory");
    d->waits = WAITS_FOR_BANKS;
    d->adapts = d->hot.len != 0;
    return STATUS_OK;
}

void dbt_statistics(const struct nes *n, struct dbt_statistics *out) {
    const struct dbt *const d = n->made.engine_self;
    *out = d->statistics;
    out->loops = d->with.loops.all.len;
    out->cache_bytes = d->with.cache.size;
    out->cache_used = cache_used(&d->with.cache);
}

#ifdef HOTGRAPH_COUNTED
uint64_t dbt_host_executed(const struct nes *n) {
    const struct dbt *const d = n->made.engine_self;
    return d->stepper.executed + (d->recorder ? d->recorder->stepper.executed : 0) +
           (d->twin ? d->twin->stepper.executed : 0);
}
#endif
