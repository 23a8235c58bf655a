#include "qemu/qemu.h"

#include <stdlib.h>
#include <string.h>

/* Two files of one hash are the same code; the first that is not taken yet matches. */
static size_t find_image(const struct qemu_image *image, const struct qemu_image *to, size_t count,
                         const bool *taken) {
    for (size_t i = 0; i < count; i++)
        if (!taken[i] && strcmp(to[i].hash, image->hash) == 0)
            return i;
    return count;
}

/* Fills in a new base for each image. */
static enum status match(uint32_t *bases, const struct qemu_image *from, size_t from_count,
                         const struct qemu_image *to, size_t to_count, bool *taken,
                         struct error *e) {
    uint64_t next = UINT64_C(1) << 24; /* after all images of `to` */
    for (size_t i = 0; i < to_count; i++)
        if (to[i].base + (uint64_t)to[i].room > next)
            next = to[i].base + (uint64_t)to[i].room;
    for (size_t i = 0; i < from_count; i++) {
        const size_t found = find_image(&from[i], to, to_count, taken);
        if (found < to_count) {
            taken[found] = true;
            bases[i] = to[found].base;
            continue;
        }
        if (next + from[i].room > UINT32_MAX)
            return error_set(e, STATUS_UNSUPPORTED,
                             "two runs of the program have so many images "
                             "that 32 bits do not hold their addresses");
        bases[i] = (uint32_t)next;
        next += from[i].room;
    }
    return STATUS_OK;
}

static uint32_t move(uint32_t address, const struct qemu_image *from, size_t count,
                     const uint32_t *bases) {
    for (size_t i = 0; i < count; i++)
        if (address - from[i].base < from[i].room)
            return address - from[i].base + bases[i];
    return address;
}

enum status qemu_align(struct graph *g, const struct qemu_image *from, size_t from_count,
                       const struct qemu_image *to, size_t to_count, struct error *e) {
    uint32_t *bases = calloc(from_count + 1, sizeof *bases);
    bool *taken = calloc(to_count + 1, sizeof *taken);
    enum status status = bases != NULL && taken != NULL
                             ? match(bases, from, from_count, to, to_count, taken, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < g->edge_count; i++) {
        g->edges[i].source = move(g->edges[i].source, from, from_count, bases);
        g->edges[i].target = move(g->edges[i].target, from, from_count, bases);
    }
    for (size_t i = 0; status == STATUS_OK && i < g->block_count; i++) {
        g->blocks[i].entry = move(g->blocks[i].entry, from, from_count, bases);
        g->blocks[i].last = move(g->blocks[i].last, from, from_count, bases);
    }
    if (status == STATUS_OK)
        graph_sort(g);
    free(bases);
    free(taken);
    return status;
}
