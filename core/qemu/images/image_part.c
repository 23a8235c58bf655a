#include "qemu/qemu.h"

#include <stdlib.h>

static bool is_in(struct qemu_range r, uint32_t address) {
    return address >= r.first && address < r.end;
}

enum status qemu_image_part(struct graph *out, const struct graph *g, struct qemu_range range,
                            struct error *e) {
    *out = *g;
    out->edge_count = out->block_count = 0;
    out->edges = malloc((g->edge_count + 1) * sizeof *out->edges);
    out->blocks = malloc((g->block_count + 1) * sizeof *out->blocks);
    if (out->edges == NULL || out->blocks == NULL) {
        graph_free(out);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < g->edge_count; i++)
        if (is_in(range, g->edges[i].source) || is_in(range, g->edges[i].target))
            out->edges[out->edge_count++] = g->edges[i];
    for (size_t i = 0; i < g->block_count; i++)
        if (is_in(range, g->blocks[i].entry))
            out->blocks[out->block_count++] = g->blocks[i];
    return STATUS_OK;
}
