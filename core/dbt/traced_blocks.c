/*
 * Recordings (nes_record()) in translated code.
 *
 * Blocks that are recorded are a set of their own, a whole translator beside the usual one, which
 * the recorder is. Where such a block begins it pushes its number and how much of the budget is
 * left, onto the stack where others have their returns; so does each cycle that was not known when
 * it was translated. From one block's beginning to the next follows how many of its instructions
 * were executed, and when; so a recording begins and ends at an instruction's boundary although
 * blocks are executed whole, before it and behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "dbt/traced_blocks.h"

#include "nes/cpu/cpu_exec.h"

uint16_t traced_until(const struct record *r, uint64_t cycle) {
    const uint64_t left = r->count - (r->on ? r->met : 0);
    /* No instruction takes less than two cycles. */
    const uint64_t before = !r->on && r->from > cycle ? (r->from - cycle + 1) / 2 : 0;
    const uint64_t surely = (left + before + 2 * BLOCK_LONGEST) * LONGEST_INSTRUCTION;
    if (cycle + surely < r->by) /* it may be handed over a little late */
        return (uint16_t)earlier(left + before, LOGGED_MOST);
    return left > BLOCK_LONGEST ? (uint16_t)earlier(left - BLOCK_LONGEST, LOGGED_MOST) : 0;
}

/* ---- what blocks have noted ---- */

/* What is known of a recorded block beforehand. Place i lies before its instruction i. */
struct positions {
    struct recorded_run run;            /* of its code from the first instruction on */
    uint16_t behind;                    /* pc behind it */
    uint16_t cycles[BLOCK_LONGEST + 1]; /* from its beginning to each, as a rule, */
    uint8_t bytes[BLOCK_LONGEST + 1];   /* and bytes */
    bool decoded;                       /* when `banks` were mapped */
    uint64_t banks;
    struct guest_insn insns[BLOCK_LONGEST];
};

bool traced_keep(struct nes *n, struct block *b) {
    struct positions *const p = b->positions = calloc(1, sizeof *p);
    if (!p || !record_code(n, b->pc, b->guest, b->guest_bytes, &p->run))
        return false;
    p->behind = (uint16_t)(b->pc + b->guest_bytes);
    for (unsigned i = 0; i < b->count; i++) {
        const struct opcode_info *const info = opcode_info(b->guest[p->bytes[i]]);
        p->cycles[i + 1] = (uint16_t)(p->cycles[i] + info->cycles);
        p->bytes[i + 1] = (uint8_t)(p->bytes[i] + info->size);
    }
    return true;
}

/* A block that was executed. Its penalties are between where it begins and where another does. */
struct executed {
    const struct block *block;
    const struct logged *begin, *behind;
    unsigned count; /* instructions, at least one */
    uint64_t end;   /* cycle */
};

/* When it was at its place i. What its last instruction took is known as a whole: a branch may have
 * been taken. */
static uint64_t cycle_at(const struct executed *x, unsigned i) {
    const struct positions *const p = x->block->positions;
    if (i >= x->count)
        return x->end;
    uint64_t cycle = logged_cycle(x->begin) + p->cycles[i];
    for (const struct logged *at = x->begin - 1; at > x->behind; at--)
        cycle += -1 - at->what < x->block->pc + p->bytes[i];
    return cycle;
}

/* The recording begins in the block, if it does; returns which instruction is the first. */
static unsigned begin_in(struct record *r, const struct executed *x) {
    unsigned first = 0;
    if (x->end < r->from)
        return x->count;
    while (cycle_at(x, first) < r->from)
        first++;
    record_begin(r);
    return first;
}

/* A run begins, with what lies so many bytes behind the block's beginning. */
static void add_run(struct record *r, const struct positions *p, uint64_t banks, unsigned bytes) {
    struct recorded_run *const run = &r->runs[r->run_count++];
    *run = p->run;
    run->banks = banks;
    run->at = r->met & 0x7fffff;
    if (run->piece)
        run->opcode = bytes & 0xff;
    run->pc = (uint16_t)(run->pc + bytes);
}

/* The same from its beginning on, in few instructions: nothing but `banks` and `at` is to be set.
 */
static void add_whole(struct record *r, const struct positions *p, uint64_t banks) {
    struct recorded_run *const run = &r->runs[r->run_count++];
    uint32_t first;
    *run = p->run;
    run->banks = banks;
    memcpy(&first, (const char *)&p->run + sizeof run->banks, sizeof first);
    first |= r->met; /* `at` is its lower end */
    memcpy((char *)run + sizeof run->banks, &first, sizeof first);
}

/* A block where the recording begins or ends. */
static void read_end(struct nes *n, struct record *r, const struct executed *x, uint64_t banks) {
    const struct positions *const p = x->block->positions;
    const unsigned first = r->on ? 0 : begin_in(r, x);
    if (first == x->count)
        return;
    add_run(r, p, banks, p->bytes[first]);
    r->met += x->count - first;
    if (r->met < r->count)
        return;
    r->end = cycle_at(x, x->count - (r->met - r->count));
    r->met = r->count;
    record_complete(n, r);
}

/* ---- the usual recording, which begins and ends in one run through blocks ---- */

/* The log of such a run. */
struct log {
    const struct logged *last; /* of its entries, which go downwards */
    unsigned all;              /* instructions executed */
    uint64_t end;              /* cycle */
};

/* Where the next block begins; below log->last: none does. */
static const struct logged *next_begin(const struct log *log, const struct logged *at) {
    do
        at--;
    while (at >= log->last && at->what < 0);
    return at;
}

/* The block that begins at `at`, and the one behind it at `behind`. */
static struct executed executed_at(const struct dbt *d, const struct log *log,
                                   const struct logged *at, const struct logged *behind) {
    const bool is_last = behind < log->last;
    return (struct executed){
        .block = d->blocks.at[at->what],
        .begin = at,
        .behind = behind,
        .count = (is_last ? log->all : logged_executed(behind)) - logged_executed(at),
        .end = is_last ? log->end : logged_cycle(behind),
    };
}

/* cycle_at(), quick where there were no penalties. */
static uint64_t position_at(const struct executed *x, unsigned i) {
    if (i >= x->count || x->behind != x->begin - 1)
        return cycle_at(x, i);
    return logged_cycle(x->begin) + x->block->positions->cycles[i];
}

/* The first place that lies at `from` or later, which x->end does. */
static unsigned position_from(const struct executed *x, uint64_t from) {
    const uint64_t begin = logged_cycle(x->begin);
    unsigned i = 0;
    if (x->behind != x->begin - 1) {
        while (cycle_at(x, i) < from)
            i++;
        return i;
    }
    const uint16_t *const cycles = x->block->positions->cycles;
    while (i < x->count && begin + cycles[i] < from)
        i++;
    return i;
}

/* Of the instructions of the log those from number `from` on, `count` of them, which are all there;
 * the first is in the block that begins at `at`. */
static void write_way(const struct dbt *d, struct record *r, const struct log *log,
                      const struct logged *at, unsigned from, uint64_t banks) {
    const unsigned end = from + r->count;
    const uint32_t codes = (uint32_t)d->codes;
    struct way *const way = r->way;
    const struct logged *behind = next_begin(log, at);
    unsigned begun = logged_executed(at), next, parts = 0;
    way->first = WAY_OF_CODE | (from - begun);
    way->banks = banks;
    while ((next = behind < log->last ? log->all : logged_executed(behind)) < end) {
        way->parts[parts++] = (codes + (uint32_t)at->what) << WAY_COUNT | (next - from);
        from = begun = next;
        at = behind;
        behind = next_begin(log, at);
    }
    way->parts[parts++] = (codes + (uint32_t)at->what) << WAY_COUNT | (end - from);
    way->parts[parts] = 0;
    const struct executed x = executed_at(d, log, at, behind);
    r->end = position_at(&x, end - begun);
    r->way_parts = parts;
}

/* False: it is not such a one, and nothing has been done. */
static bool read_at_once(const struct dbt *d, struct nes *n, struct record *r, unsigned all,
                         uint64_t banks) {
    const struct frame *const f = &d->frame;
    const struct logged *const bottom =
        (const struct logged *)(uintptr_t)(f->return_stack - RETURN_BOTTOM);
    const struct log log = {(const struct logged *)(uintptr_t)f->called_at, all, n->cycle};
    if (r->on || d->codes + d->blocks.len > WAY_CODES)
        return false;
    const struct logged *at = bottom - 1, *behind = next_begin(&log, at);
    while (behind >= log.last && logged_cycle(behind) < r->from) {
        at = behind;
        behind = next_begin(&log, at);
    }
    if (behind < log.last)
        return false; /* it may begin in the last block, or later */
    const struct executed x = executed_at(d, &log, at, behind);
    const unsigned first = position_from(&x, r->from);
    const unsigned from = logged_executed(at) + first;
    if (from + (uint64_t)r->count > all)
        return false;
    if (first == x.count)
        at = behind;
    record_begin(r);
    write_way(d, r, &log, at, from, banks);
    r->met = r->count;
    record_complete(n, r);
    return true;
}

const struct guest_insn *traced_code(const struct dbt *d, const struct nes *n, uint32_t code,
                                     uint64_t banks) {
    const struct block *const b = d->blocks.at[code - d->codes];
    struct positions *const p = b->positions;
    if (p->decoded && p->banks == banks)
        return p->insns;
    for (unsigned i = 0; i < b->count; i++) {
        uint8_t bytes[3] = {0};
        memcpy(bytes, b->guest + p->bytes[i], p->bytes[i + 1] - p->bytes[i]);
        p->insns[i] = watch_decode(n, banks, (uint16_t)(b->pc + p->bytes[i]), bytes);
    }
    p->decoded = true;
    p->banks = banks;
    return p->insns;
}

/* ---- any other ---- */

void traced_read(struct dbt *d, struct nes *n, uint64_t before, uint64_t banks) {
    struct record *const r = d->record;
    const struct frame *const f = &d->frame;
    const struct logged *at = (const struct logged *)(uintptr_t)(f->return_stack - RETURN_BOTTOM);
    const struct logged *const last = (const struct logged *)(uintptr_t)f->called_at;
    const unsigned all = (unsigned)(n->instructions - before);
    if (read_at_once(d, n, r, all, banks))
        return;
    int goes_on = -1; /* where the last run may be continued */
    for (struct executed x = {.begin = --at}; x.begin >= last; x.begin = at) {
        do
            at--;
        while (at >= last && at->what < 0);
        const unsigned begun = logged_executed(x.begin);
        x.block = d->blocks.at[x.begin->what];
        x.behind = at;
        x.count = (at < last ? all : logged_executed(at)) - begun;
        if (x.count == 0)
            continue;
        const struct positions *const p = x.block->positions;
        if (r->on && r->met + x.count < r->count) {
            if (p->run.pc != goes_on || p->run.piece)
                add_whole(r, p, banks);
            r->met += x.count;
        } else {
            x.end = at < last ? n->cycle : logged_cycle(at);
            read_end(n, r, &x, banks);
            if (r->full)
                return;
            if (!r->on || r->met == 0)
                continue;
        }
        goes_on = x.count == x.block->count ? p->behind : -1;
    }
}

uint64_t traced_interpret(struct dbt *d, struct nes *n, uint64_t stop, uint64_t deadline,
                          bool pause) {
    struct record *const r = d->record;
    if (!r->on && n->cycle < r->from)
        cpu_run_fast(n, earlier(stop, r->from), deadline, false);
    if (n->cycle < r->from || n->waiting)
        return deadline;
    if (!r->on)
        record_begin(r);
    r->pauses = pause;
    cpu_run_recorded(n, stop, deadline);
    r->pauses = false;
    return engine_deadline(n, n->cpu.p & P_I);
}
