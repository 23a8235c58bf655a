#include "dbt/lower/loop_counts.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BYTES_OF_ROOM = LOOPS_MOST * STEERED_VALUES * sizeof(int64_t) };

/* Close enough to the counters to be addressed from them with a displacement of 32 bits, and too far for one of 8. */
static bool lies_near(const struct loop_counts *l, const int64_t *room) {
    const int64_t from = (intptr_t)room - (intptr_t)l->nes->observed.counters;
    return from >= INT32_MIN && from + BYTES_OF_ROOM <= INT32_MAX &&
           (from > INT16_MAX || from + BYTES_OF_ROOM < INT16_MIN);
}

/* The system zeroes pages when they are first written, and places maps side by side. */
static bool open_room(struct loop_counts *l) {
    if (l->room)
        return true;
    void *const room = mmap(NULL, BYTES_OF_ROOM, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    if (lies_near(l, room)) {
        l->room = room;
        return true;
    }
    munmap(room, BYTES_OF_ROOM);
    return false;
}

/* The branch's only probe, if it may be counted late. */
static const struct probe *late_probe(const struct guest_block *g, uint16_t back) {
    for (unsigned i = 0; i < g->count; i++) {
        const struct site *const site = g->ops[i].pc == back ? g->ops[i].site : NULL;
        const struct hooks *const hooks = site ? &site->probes[PROBE_TAKEN] : NULL;
        if (hooks && hooks->count == 1 && hooks->at->probe.kind == PROBE_ADD &&
            hooks->at->probe.late && hooks->at->probe.quiet)
            return &hooks->at->probe;
    }
    return NULL;
}

/* NULL: out of memory, or not worth it. */
static struct loop_count *new_loop(struct loop_counts *l, const struct steered *loop,
                                   const struct probe *probe) {
    enum { WORTH_IT = 1 }; /* passes after the one that begins now */
    const struct registers *const r = &l->nes->cpu.r;
    struct loop_count *const new = malloc(sizeof *new);
    if (!new)
        return NULL;
    *new = (struct loop_count){.loop = *loop, .counter = probe->counter, .value = probe->value};
    if (!steered_passes(loop, new->passes) || new->passes[loop->by_y ? r->y : r->x] < WORTH_IT ||
        !open_room(l) || !vec_push(&l->all, new)) {
        free(new);
        return NULL;
    }
    new->cells = l->room + (l->all.len - 1) * STEERED_VALUES;
    new->at = (int32_t)((intptr_t) new->cells - (intptr_t)l->nes->observed.counters);
    return new;
}

struct loop_count *loop_count_of(struct loop_counts *l, struct nes *n,
                                 const struct guest_block *g) {
    struct steered loop;
    if (!n->observed.watched || g->called || !steered_find(n, g, &loop))
        return NULL;
    const struct probe *const probe = late_probe(g, loop.back);
    if (!probe)
        return NULL;
    l->nes = n;
    const uint64_t key = (uint64_t)nes_code_address(n, loop.back) << 32 | probe->counter;
    uint64_t *const number = map_at(&l->number_at, key);
    if (!number)
        return NULL;
    if (*number == 0)
        *number = l->all.len < LOOPS_MOST && new_loop(l, &loop, probe) ? l->all.len : UINT64_MAX;
    return *number <= l->all.len ? l->all.at[*number - 1] : NULL;
}

void loop_counts_settle(struct loop_counts *l) {
    for (size_t i = 0; i < l->all.len; i++) {
        const struct loop_count *const loop = l->all.at[i];
        int64_t taken = 0;
        for (unsigned value = 0; value < STEERED_VALUES; value++) {
            taken += loop->cells[value] * loop->passes[value];
            if (loop->cells[value] != 0)
                loop->cells[value] = 0;
        }
        l->nes->observed.counters[loop->counter] += (uint64_t)taken * loop->value;
    }
}

void loop_counts_forget(struct loop_counts *l) {
    for (size_t i = 0; i < l->all.len; i++)
        free(l->all.at[i]);
    if (l->room)
        munmap(l->room, BYTES_OF_ROOM);
    vec_free(&l->all);
    map_free(&l->number_at);
    *l = (struct loop_counts){0};
}

void emit_loop(struct emitter *e, const struct loop_count *loop, bool enters) {
    const uint32_t from = emit_here(e);
    const operand cell =
        memx(8, COUNTERS, loop->loop.by_y ? ZYDIS_REGISTER_R10 : ZYDIS_REGISTER_R9, 8, loop->at);
    if (enters)
        EMIT(e, ADD, cell, imm(1)); /* add qword [r14 + r9*8 + cells], 1 */
    else
        EMIT(e, SUB, cell, imm(1)); /* sub qword [r14 + r9*8 + cells], 1 */
    assert(e->full || emit_here(e) == from + LOOP_SIZE);
    (void)from;
}
