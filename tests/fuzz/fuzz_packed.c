/* Any bytes as a packed graph, as databases that somebody sends have them: refused, with nothing
 * left behind, or a graph whose rules hold and that is the same when it is packed and unpacked
 * again.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "graph/graph.h"

static void check_rules(const struct graph *g) {
    uint64_t weight = 0;
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i], *before = edge - 1;
        if (i > 0 && (before->source > edge->source ||
                      (before->source == edge->source && before->target >= edge->target)))
            abort();
        if (edge->count > GRAPH_WEIGHT_MAX - weight)
            abort();
        weight += edge->count;
    }
    for (size_t i = 1; i < g->block_count; i++)
        if (g->blocks[i - 1].entry >= g->blocks[i].entry)
            abort();
}

static bool is_same(const struct graph *a, const struct graph *b) {
    if (a->edge_count != b->edge_count || a->block_count != b->block_count)
        return false;
    for (size_t i = 0; i < a->edge_count; i++)
        if (a->edges[i].source != b->edges[i].source || a->edges[i].target != b->edges[i].target ||
            a->edges[i].count != b->edges[i].count || a->edges[i].busy != b->edges[i].busy)
            return false;
    for (size_t i = 0; i < a->block_count; i++)
        if (a->blocks[i].entry != b->blocks[i].entry || a->blocks[i].last != b->blocks[i].last)
            return false;
    return true;
}

static void pack_again(const struct graph *g) {
    struct bytes packed;
    struct graph again;
    struct error e = {0};
    if (db_pack_graph(&packed, g, &e) != STATUS_OK ||
        db_unpack_graph(&again, packed.at, packed.len, &e) != STATUS_OK || !is_same(g, &again))
        abort();
    /* Any truncation is noticed. */
    graph_free(&again);
    if (db_unpack_graph(&again, packed.at, packed.len - 1, &e) != STATUS_FORMAT)
        abort();
    bytes_free(&packed);
}

static void try_without_memory(const uint8_t *data, size_t size) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct graph g;
        struct bytes packed = {0};
        struct error e = {0};
        enum status status = db_unpack_graph(&g, data, size, &e);
        if (status == STATUS_OK)
            status = db_pack_graph(&packed, &g, &e);
        const bool failed = fuzz_allocation_failed();
        if (failed && (status != STATUS_MEMORY || packed.at != NULL))
            abort();
        bytes_free(&packed);
        graph_free(&g);
        if (!failed)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct graph g;
    struct error e = {0};
    enum status status = db_unpack_graph(&g, data, size, &e);
    if (status == STATUS_OK) {
        check_rules(&g);
        pack_again(&g);
        if (fuzz_thorough() && size <= FUZZ_SHORT)
            try_without_memory(data, size);
    } else if (status != STATUS_FORMAT || e.text[0] == '\0' || g.edges != NULL ||
               g.blocks != NULL) {
        abort();
    }
    graph_free(&g);
    return 0;
}
