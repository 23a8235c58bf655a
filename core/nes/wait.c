#include "nes/wait.h"

#include <string.h>

#include "nes/cpu_exec.h"
#include "nes/machine.h"
#include "nes/watch.h"

/* ---- what may be a busy-wait ---- */

struct examined {
    uint16_t read_first; /* registers and flags read before they are written in the pass */
    uint16_t written;
    bool status;
};

/* One instruction of the pass at pc; the last one is the jump at `end` itself. */
static bool waits(const struct nes *n, uint16_t pc, uint16_t end, struct examined *x) {
    uint8_t bytes[3];
    for (unsigned i = 0; i < 3; i++)
        bytes[i] = n->rd[(uint16_t)(pc + i) >> 8][(pc + i) & 0xff];
    const struct opcode_info *op = opcode_info(bytes[0]);
    if (!opcode_may_wait(bytes))
        return false;
    x->status |= op->mode == MODE_ABS && (bytes[1] | bytes[2] << 8) == PPU_STATUS_ADDRESS;
    if (op->kind == INSN_BRANCH && pc != end) {
        if ((uint16_t)(pc + 2 + (int8_t)bytes[1]) <= end)
            return false; /* the pass would not be straight */
    } else if (op->kind != INSN_PLAIN && pc != end) {
        return false;
    }
    x->read_first |= op->reads & ~x->written;
    x->written |= op->writes;
    return true;
}

void wait_examine(struct nes *n, struct wait *w, const uint8_t *from, uint16_t pc,
                  uint16_t target) {
    *w = (struct wait){.from = from, .pc = pc, .target = target};
    if (n->options.no_skip || target > pc || target < 0x8000 || pc - target > 3 * WAIT_LONGEST ||
        (target ^ (pc + 2)) >> 13 || n->wr[pc >> 8] || n->wr[target >> 8])
        return; /* over the edge of a bank the same jump could belong to other code later */
    struct examined x = {0};
    unsigned length = 0;
    uint16_t at = target;
    for (; at <= pc; at += opcode_info(n->rd[at >> 8][at & 0xff])->size, length++)
        if (length == WAIT_LONGEST || !waits(n, at, pc, &x))
            return;
    const uint8_t jump = opcode_info(*from)->size;
    if (at != pc + jump || x.read_first & x.written)
        return; /* J is not where the straight path ends, or a pass changes what it reads */
    w->status = x.status;
    w->length = (uint8_t)length;
}

/* ---- passing over ---- */

static bool same_registers(const struct nes *n, struct cpu_registers r) {
    const struct cpu_registers now = nes_registers(n);
    return now.pc == r.pc && now.a == r.a && now.x == r.x && now.y == r.y && now.s == r.s &&
           now.p == r.p;
}

/* One instruction; false where the machine has something else to see to first. */
static bool run_one(struct nes *n, uint64_t stop, uint64_t *deadline) {
    if (n->cycle >= stop || n->due || n->nmi_pending || n->attention ||
        n->cycle + LONGEST_INSTRUCTION > *deadline)
        return false;
    const uint64_t start = n->cycle;
    if (n->watched)
        cpu_run_watched(n, start + 1, *deadline);
    else
        cpu_run_fast(n, start + 1, *deadline);
    if (n->cycle == start || n->announced)
        nes_step(n);
    *deadline = earlier(n->event, n->dma_from);
    return true;
}

/* Probes of the pass, `times` over; with `times` 0 only says whether that is possible. */
static bool count_probes(struct nes *n, const struct wait *w, uint64_t times) {
    uint16_t pc = w->target;
    for (unsigned i = 0; i < w->length; i++) {
        const uint8_t *code = n->rd[pc >> 8] + (pc & 0xff);
        struct site *site = watch_find(n, pc, watch_slot(n, pc, code), code);
        const enum probe_when after = i + 1u == w->length ? PROBE_TAKEN : PROBE_NEXT;
        const struct hooks *const fired[2] = {&site->probes[PROBE_BEFORE], &site->probes[after]};
        for (unsigned k = 0; k < 2; k++)
            for (size_t h = 0; h < fired[k]->count; h++) {
                const struct hook *hook = &fired[k]->at[h];
                if (hook->probe.kind != PROBE_ADD && hook->probe.kind != PROBE_STORE)
                    return false;
                if (hook->probe.kind == PROBE_ADD)
                    n->counters[hook->probe.counter] += hook->probe.value * times;
                n->fired[hook->observer] += times;
            }
        pc = (uint16_t)(pc + site->insn.size);
    }
    return true;
}

/* How many more passes of `cost` cycles: each instruction of them starts before `stop`, ends at or
 * before `deadline`, and reads from $2002, before `change`, what the last pass has read. The last
 * pass before a change there is left to be executed, so that the PPU's bus remembers when it was
 * read. */
static uint64_t count_passes(const struct nes *n, bool status, uint64_t cost, uint64_t stop,
                             uint64_t deadline, uint64_t change) {
    uint64_t last = earlier(stop, deadline - LONGEST_INSTRUCTION);
    if (!status)
        return last > n->cycle ? (last - n->cycle) / cost : 0;
    last = earlier(last, change);
    return last > n->cycle + 2 * cost ? (last - n->cycle) / cost - 1 : 0;
}

/* The pass that has just been executed, `times` over. */
static void repeat_pass(struct nes *n, const struct wait *w, uint64_t cost, uint64_t times) {
    if (n->watched)
        count_probes(n, w, times);
    n->cycle += times * cost;
    n->instructions += times * w->length;
    n->skipped += times * w->length;
}

void wait_pass(struct nes *n, struct wait *candidate, uint64_t stop, uint64_t deadline) {
    const struct wait w = *candidate;
    const struct cpu_registers registers = nes_registers(n);
    if (n->stepping || (n->watched && !count_probes(n, &w, 0)))
        return;
    /* Asked before the pass: what its own read has seen must not have changed since. */
    const uint64_t change = w.status ? ppu_status_deadline(&n->ppu, n->cycle) : NEVER;
    const uint64_t start = n->cycle;
    bool straight = true;
    uint16_t pc = w.target;
    for (unsigned i = 0; straight && i < w.length; i++) {
        pc = (uint16_t)(pc + opcode_info(n->rd[pc >> 8][pc & 0xff])->size);
        straight = run_one(n, stop, &deadline) && (i + 1u == w.length || n->cpu.pc == pc);
    }
    const bool busy = n->due || n->nmi_pending || n->attention || (n->irq && !(n->cpu.p & P_I));
    if (straight && !busy && same_registers(n, registers) &&
        n->cycle + LONGEST_INSTRUCTION <= deadline)
        repeat_pass(n, &w, n->cycle - start,
                    count_passes(n, w.status, n->cycle - start, stop, deadline, change));
    n->waiting = NULL; /* the pass has come by here */
    candidate->executed = 0;
}

void wait_forget(struct nes *n) {
    memset(n->waits, 0, sizeof n->waits);
    n->waiting = NULL;
}
