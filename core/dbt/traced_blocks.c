/*
 * Recordings (nes_record()) in translated code.
 *
 * A second translator, the recorder, makes traced blocks. A traced block logs its number and the
 * remaining budget when it begins, on the stack where other blocks keep return addresses. It also
 * logs each cycle that was unknown at translation. Two consecutive entries tell how many of a
 * block's instructions were executed, and when. So a recording begins and ends at any instruction,
 * although blocks are executed whole.
 */
#include <stdlib.h>
#include <string.h>

#include "dbt/traced_blocks.h"

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"

uint16_t traced_until(const struct record *r, uint64_t cycle) {
    const uint64_t left = r->count - (r->on ? r->met : 0);
    /* An instruction takes two cycles at least. */
    const uint64_t before = !r->on && r->from > cycle ? (r->from - cycle + 1) / 2 : 0;
    const uint64_t surely = (left + before + 2 * BLOCK_LONGEST) * LONGEST_INSTRUCTION;
    if (cycle + surely < r->by) /* it may end a little late */
        return (uint16_t)earlier(left + before, LOGGED_MOST);
    return left > BLOCK_LONGEST ? (uint16_t)earlier(left - BLOCK_LONGEST, LOGGED_MOST) : 0;
}

/* ---- reading the log ---- */

/* What translation knows of a traced block. Position i is before its instruction i. */
struct positions {
    struct recorded_run run; /* of the whole block */
    uint16_t behind;         /* pc after it */
    uint16_t
        cycles[BLOCK_LONGEST + 1];    /* from the start to each position, without unknown cycles */
    uint8_t bytes[BLOCK_LONGEST + 1]; /* from the start to each position */
    bool decoded;                     /* `insns` is valid for `banks` */
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

/* A block's execution. Log entries between `begin` and `behind` are its unknown cycles. */
struct executed {
    const struct block *block;
    const struct logged *begin, *behind;
    unsigned count; /* instructions, at least one */
    uint64_t end;   /* cycle */
};

/* The cycle at position i. The end comes from the log, because the last instruction may be a taken
 * branch. */
static uint64_t cycle_at(const struct executed *x, unsigned i) {
    const struct positions *const p = x->block->positions;
    if (i >= x->count)
        return x->end;
    uint64_t cycle = logged_cycle(x->begin) + p->cycles[i];
    for (const struct logged *at = x->begin - 1; at > x->behind; at--)
        cycle += -1 - at->what < x->block->pc + p->bytes[i];
    return cycle;
}

/* Begins the recording if it starts in this block. Returns the index of its first instruction. */
static unsigned begin_in(struct record *r, const struct executed *x) {
    unsigned first = 0;
    if (x->end < r->from)
        return x->count;
    while (cycle_at(x, first) < r->from)
        first++;
    record_begin(r);
    return first;
}

/* Adds a run that starts `bytes` bytes into the block. */
static void add_run(struct record *r, const struct positions *p, uint64_t banks, unsigned bytes) {
    struct recorded_run *const run = &r->runs[r->run_count++];
    *run = p->run;
    run->banks = banks;
    run->at = r->met & 0x7fffff;
    if (run->snapshot)
        run->opcode = bytes & 0xff;
    run->pc = (uint16_t)(run->pc + bytes);
}

/* add_run() for a whole block, in few instructions: only `banks` and `at` differ from p->run. */
static void add_whole(struct record *r, const struct positions *p, uint64_t banks) {
    struct recorded_run *const run = &r->runs[r->run_count++];
    uint32_t first;
    *run = p->run;
    run->banks = banks;
    memcpy(&first, (const char *)&p->run + sizeof run->banks, sizeof first);
    first |= r->met; /* `at` is in its low bits */
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

/* ---- the usual recording: begins and ends in one run of translated code ---- */

/* The log of such a run. */
struct log {
    const struct logged *last; /* the log grows downwards */
    unsigned all;              /* instructions executed */
    uint64_t end;              /* cycle */
};

/* The entry of the next block; below log->last: none. */
static const struct logged *next_begin(const struct log *log, const struct logged *at) {
    do
        at--;
    while (at >= log->last && at->what < 0);
    return at;
}

/* The execution that begins at entry `at`; the next block begins at `behind`. */
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

/* cycle_at(), fast if no unknown cycles were logged. */
static uint64_t position_at(const struct executed *x, unsigned i) {
    if (i >= x->count || x->behind != x->begin - 1)
        return cycle_at(x, i);
    return logged_cycle(x->begin) + x->block->positions->cycles[i];
}

/* The first position at cycle `from` or later. Requires x->end >= from. */
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

/* Writes the trace of r->count instructions of the log, from number `from` on. All are in the log;
 * the first is in the block that begins at `at`. */
static void write_trace(const struct dbt *d, struct record *r, const struct log *log,
                        const struct logged *at, unsigned from, uint64_t banks) {
    const unsigned end = from + r->count;
    const uint32_t codes = (uint32_t)d->codes;
    struct short_trace *const trace = r->trace;
    const struct logged *behind = next_begin(log, at);
    unsigned begun = logged_executed(at), next, parts = 0;
    trace->first = TRACE_OF_CODE | (from - begun);
    trace->banks = banks;
    while ((next = behind < log->last ? log->all : logged_executed(behind)) < end) {
        trace->parts[parts++] = (codes + (uint32_t)at->what) << TRACE_COUNT_BITS | (next - from);
        from = begun = next;
        at = behind;
        behind = next_begin(log, at);
    }
    trace->parts[parts++] = (codes + (uint32_t)at->what) << TRACE_COUNT_BITS | (end - from);
    trace->parts[parts] = 0;
    const struct executed x = executed_at(d, log, at, behind);
    r->end = position_at(&x, end - begun);
    r->trace_parts = parts;
}

/* False: not the usual case; nothing is changed. */
static bool read_at_once(const struct dbt *d, struct nes *n, struct record *r, unsigned all,
                         uint64_t banks) {
    const struct frame *const f = &d->frame;
    const struct logged *const bottom = (const struct logged *)(uintptr_t)f->return_bottom;
    const struct log log = {(const struct logged *)(uintptr_t)f->called_at, all, n->cpu.cycle};
    if (r->on || d->codes + d->blocks.len > TRACE_CODES)
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
    write_trace(d, r, &log, at, from, banks);
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

/* ---- any other recording ---- */

void traced_read(struct dbt *d, struct nes *n, uint64_t before, uint64_t banks) {
    struct record *const r = d->record;
    const struct frame *const f = &d->frame;
    const struct logged *at = (const struct logged *)(uintptr_t)f->return_bottom;
    const struct logged *const last = (const struct logged *)(uintptr_t)f->called_at;
    const unsigned all = (unsigned)(n->cpu.instructions - before);
    if (read_at_once(d, n, r, all, banks))
        return;
    int goes_on = -1; /* pc at which the last run can continue */
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
            if (p->run.pc != goes_on || p->run.snapshot)
                add_whole(r, p, banks);
            r->met += x.count;
        } else {
            x.end = at < last ? n->cpu.cycle : logged_cycle(at);
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
    if (!r->on && n->cpu.cycle < r->from)
        cpu_run_fast(n, earlier(stop, r->from), deadline, false);
    if (n->cpu.cycle < r->from || n->idle.waiting)
        return deadline;
    if (!r->on)
        record_begin(r);
    r->pauses = pause;
    cpu_run_recorded(n, stop, deadline);
    r->pauses = false;
    return engine_deadline(n, n->cpu.r.p & P_I);
}
