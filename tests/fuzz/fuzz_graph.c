/* Any bytes as a graph: refused with a sentence that names file and line, or a graph that survives
 * comparing with itself, its metrics being numbers from 0 to 1, and that is the same when written
 * and read again. */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

static void check(double metric, bool empty) {
    if (isnan(metric) ? !empty : metric < 0 || metric > 1)
        abort();
}

/* All remaining edges may have count 0; shares of a weight of 0 are undefined. */
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
    /* If blocks overlap, an edge may run along a busy-wait without being one itself. */
    const bool weightless = m.hot_edges == 0 || m.edges == 0 || has_idle_edge(g);
    check(m.overlap, weightless);
    check(m.block_overlap, weightless);
    if (!active && m.hot_edges > 0 && (m.similarity != 1 || m.coverage != 1 || m.overlap != 1))
        abort();
}

static void write_and_read(const struct graph *g) {
    static const char *const comments[] = {"a comment", "another"};
    const char *path = fuzz_path("again.graph");
    struct graph again;
    struct error e = {0};
    const struct graph_write_options options = {comments, 2, .with_busy = true};
    if (graph_write(g, path, options, &e) != STATUS_OK || graph_read(&again, path, &e) != STATUS_OK)
        abort();
    if (again.edge_count != g->edge_count || again.block_count != g->block_count)
        abort();
    for (size_t i = 0; i < g->edge_count; i++)
        if (again.edges[i].source != g->edges[i].source ||
            again.edges[i].target != g->edges[i].target ||
            again.edges[i].count != g->edges[i].count || again.edges[i].busy != g->edges[i].busy)
            abort();
    graph_free(&again);
    const char *other = fuzz_path("again.other"), *nowhere = fuzz_path("no-folder/again");
    for (enum graph_format format = GRAPH_DOT; format <= GRAPH_GRAPHML; format++) {
        const struct graph_export_options hot = {.format = format, .hot_permille = 900};
        const struct graph_export_options whole = {.format = format};
        if (graph_export(g, other, &hot, &e) != STATUS_OK ||
            graph_export(g, other, &whole, &e) != STATUS_OK ||
            graph_export(g, nowhere, &whole, &e) != STATUS_IO)
            abort();
    }
    if (graph_write(g, nowhere, (struct graph_write_options){0}, &e) != STATUS_IO)
        abort();
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct graph g;
        struct error e = {0};
        enum status status = graph_read(&g, path, &e);
        if (!fuzz_allocation_failed()) {
            graph_free(&g);
            return;
        }
        if (status != STATUS_MEMORY || g.edges != NULL || g.blocks != NULL)
            abort();
    }
}

static void look_thoroughly(const uint8_t *data, size_t size) {
    struct graph g;
    struct error e = {0};
    const char *path = fuzz_file("fuzz.graph", data, size);
    if (graph_read(&g, path, &e) == STATUS_OK)
        write_and_read(&g);
    else if (strncmp(e.text, path, strlen(path)) != 0)
        abort();
    graph_free(&g);
    if (size <= FUZZ_SHORT)
        try_without_memory(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct graph g;
    struct error e = {0};
    if (graph_parse(&g, (const char *)data, size, "fuzz.graph", &e) == STATUS_OK) {
        compare_with_itself(&g, false);
        compare_with_itself(&g, true);
    } else if (g.edges != NULL || strncmp(e.text, "fuzz.graph:", 11) != 0) {
        abort();
    }
    graph_free(&g);
    if (fuzz_thorough())
        look_thoroughly(data, size);
    return 0;
}
