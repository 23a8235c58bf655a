/*
 * The queue is not stored. Its entries leave at known times, one every `cycles` cycles, the last
 * one at free_at. A processor that stalls on a full queue runs late by the sum of all stalls, so
 * cycles are counted as on a processor that never stalls, and the stalls are added.
 *
 * The preferred slot is address & 0xFFFF & (slots - 1); if it is taken, the next free one. Slots
 * are never freed. So an address keeps its slot, and an address that found the table full will
 * always find it full.
 */
#include "profile/fifo/fifo_model.h"

#include <stdlib.h>

#define FIFO_LOST UINT32_MAX

bool fifo_model_init(struct fifo_model *m, struct fifo_options options) {
    *m = (struct fifo_model){.options = options, .known = {.cell_size = sizeof(uint32_t)}};
    m->slots = calloc((size_t)1 << options.slot_bits, sizeof *m->slots);
    return m->slots != NULL;
}

void fifo_model_free(struct fifo_model *m) {
    free(m->slots);
    cells_free(&m->known);
    *m = (struct fifo_model){0};
}

static size_t home_of(const struct fifo_model *m, uint32_t address) {
    return address & 0xFFFF & (((size_t)1 << m->options.slot_bits) - 1);
}

/* Finds a slot for an address seen for the first time. Returns 1 + its number, or FIFO_LOST if the
 * table is full. */
static uint32_t find_slot(struct fifo_model *m, uint32_t address) {
    const size_t count = (size_t)1 << m->options.slot_bits;
    if (m->used == count)
        return FIFO_LOST;
    size_t at = home_of(m, address);
    while (m->slots[at].count != 0)
        at = (at + 1) & (count - 1);
    m->used++;
    m->slots[at].address = address;
    return (uint32_t)at + 1;
}

/* Counts one entry that leaves the queue. */
static void take(struct fifo_model *m, uint32_t address) {
    const size_t count = (size_t)1 << m->options.slot_bits;
    uint32_t *slot = cells_at(&m->known, address);
    if (slot == NULL) {
        m->out_of_memory = true;
        return;
    }
    if (*slot == 0)
        *slot = find_slot(m, address);
    if (*slot == FIFO_LOST) {
        m->lost++;
        m->looks += count;
        return;
    }
    const size_t at = *slot - 1;
    m->looks += ((at - home_of(m, address)) & (count - 1)) + 1;
    m->reported += ++m->slots[at].count == m->options.threshold;
}

bool fifo_model_offer(struct fifo_model *m, uint32_t address, uint64_t cycle) {
    const struct fifo_options *o = &m->options;
    uint64_t now = cycle + m->stalled;
    m->offered++;
    const uint64_t work = m->free_at > now ? m->free_at - now : 0;
    const uint64_t waiting = work / o->cycles + (work % o->cycles != 0);
    if (waiting >= o->depth) {
        if (!o->stall) {
            m->dropped++;
            return false;
        }
        const uint64_t hold = work - (o->depth - 1) * o->cycles;
        m->stalled += hold;
        now += hold;
    }
    m->free_at = (m->free_at > now ? m->free_at : now) + o->cycles;
    m->accepted++;
    take(m, address);
    return true;
}
