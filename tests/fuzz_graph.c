/* Any bytes as a graph: refused with a sentence that names file and line, or a graph that survives
 * comparing with itself, its metrics being numbers from 0 to 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(double metric, bool empty) {
    if (isnan(metric) ? !empty : metric < 0 || metric > 1)
        abort();
}

/* Edges that were never taken may be all that is left: shares of no weight are no number. */
static bool has_idle_edge(const struct graph *g) {
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].count == 0)
            return true;
    return false;
}

static void compare_with_itself(const struct graph *g, bool active) {
    struct metrics m;
    struct error e = {0};
    if (graph_compare(&m, g, g, (struct compare_options){.active = active}, &e) != STATUS_OK) {
        if (!active || e.text[0] == 0)
            abort();
        return;
    }
    check(m.similarity, m.hot_edges == 0);
    check(m.precision, m.edges == 0);
    check(m.f1, m.hot_edges == 0 || m.edges == 0);
    check(m.coverage, m.hot_edges == 0);
    /* Where blocks overlap, an edge may run along a busy-wait and not be one itself. */
    const bool weightless = m.hot_edges == 0 || m.edges == 0 || has_idle_edge(g);
    check(m.overlap, weightless);
    check(m.block_overlap, weightless);
    if (!active && m.hot_edges > 0 && (m.similarity != 1 || m.coverage != 1 || m.overlap != 1))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct graph g;
    struct error e = {0};
    if (graph_parse(&g, (const char *)data, size, "fuzz.graph", &e) != STATUS_OK) {
        if (g.edges != NULL || strncmp(e.text, "fuzz.graph:", 11) != 0)
            abort();
        return 0;
    }
    compare_with_itself(&g, false);
    compare_with_itself(&g, true);
    graph_free(&g);
    return 0;
}
