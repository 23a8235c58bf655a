#include "graph/graph.h"

#include <inttypes.h>

enum status graph_hash(const struct graph *g, char hex[33], struct error *e) {
    struct hash *h = hash_start();
    for (size_t i = 0; i < g->edge_count; i++)
        hash_add(h, "%" PRIx32 "\t%" PRIx32 "\t%" PRIu64 "\n", g->edges[i].source,
                 g->edges[i].target, g->edges[i].count);
    for (size_t i = 0; i < g->block_count; i++)
        hash_add(h, "#%" PRIx32 "\t%" PRIx32 "\n", g->blocks[i].entry, g->blocks[i].last);
    return hash_finish(h, hex) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}
