#include "commands/profile/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum colour { FOUND, MISSED, COLD, INVENTED, COLOURS };

static const struct {
    const char *name, *look;
} colours[COLOURS] = {
    [FOUND] = {"found", "color=\"#2e8b57\", fontcolor=\"#2e8b57\""},
    [MISSED] = {"missed", "color=\"#c0392b\", fontcolor=\"#c0392b\""},
    [COLD] = {"executed, but not hot", "color=\"#9a9a9a\", fontcolor=\"#9a9a9a\""},
    [INVENTED] = {"never executed", "color=\"#e08e0b\", fontcolor=\"#e08e0b\", style=dotted"},
};

struct drawing {
    const struct graph *g, *h;
    size_t *hot_g, *hot_h; /* indices of edges */
    size_t count_g, count_h;
    uint64_t most;
    size_t counts[COLOURS];
    struct file_writer *file;
};

static void put_count(struct drawing *d, uint64_t count) {
    if (count >= 1000000)
        file_printf(d->file, "%.1f M", (double)count / 1e6);
    else if (count >= 10000)
        file_printf(d->file, "%" PRIu64 " k", count / 1000);
    else
        file_printf(d->file, "%" PRIu64, count);
}

static void put_edge(struct drawing *d, const struct edge *edge, enum colour colour) {
    d->counts[colour]++;
    file_printf(d->file, "\t\"$%04" PRIX32 "\" -> \"$%04" PRIX32 "\" [%s", edge->source,
                edge->target, colours[colour].look);
    if (colour != INVENTED) {
        file_printf(d->file, ", label=\"");
        put_count(d, edge->count);
        file_printf(d->file, "\", penwidth=%.1f%s",
                    1 + 3.0 * (double)edge->count / (double)(d->most > 0 ? d->most : 1),
                    edge->busy ? ", style=dashed" : "");
    }
    file_printf(d->file, "]; // %s\n", colours[colour].name);
}

static bool is_hot(const struct drawing *d, const struct edge *edge) {
    for (size_t i = 0; i < d->count_h; i++)
        if (&d->h->edges[d->hot_h[i]] == edge)
            return true;
    return false;
}

static void put_edges(struct drawing *d) {
    for (size_t i = 0; i < d->count_h; i++) {
        const struct edge *edge = &d->h->edges[d->hot_h[i]];
        put_edge(d, edge,
                 graph_find_edge(d->g, edge->source, edge->target) != NULL ? FOUND : MISSED);
    }
    for (size_t i = 0; i < d->count_g; i++) {
        const struct edge *edge = &d->g->edges[d->hot_g[i]];
        const struct edge *exact = graph_find_edge(d->h, edge->source, edge->target);
        if (exact == NULL)
            put_edge(d, edge, INVENTED);
        else if (!is_hot(d, exact))
            put_edge(d, exact, COLD);
    }
}

static void put_drawing(struct drawing *d) {
    file_printf(d->file, "digraph hot {\n"
                         "\tnode [shape=box, fontname=\"DejaVu Sans Mono\", fontsize=11, "
                         "height=0.25, style=filled, fillcolor=\"#eef3fa\", color=\"#33557f\"];\n"
                         "\tedge [fontname=\"DejaVu Sans\", fontsize=10];\n");
    put_edges(d);
    file_printf(d->file, "\tfontname=\"DejaVu Sans\"; fontsize=11; labelloc=b;\n\tlabel=\"");
    for (int i = 0; i < COLOURS; i++)
        file_printf(d->file, "%s%zu %s", i > 0 ? "; " : "", d->counts[i], colours[i].name);
    file_printf(d->file, "\";\n}\n");
}

enum status draw_comparison(const struct graph *g, const struct graph *h, unsigned hot_permille,
                            const char *path, struct error *e) {
    struct drawing d = {.g = g,
                        .h = h,
                        .hot_g = calloc(g->edge_count + 1, sizeof *d.hot_g),
                        .hot_h = calloc(h->edge_count + 1, sizeof *d.hot_h)};
    enum status status = STATUS_OK;
    if (d.hot_g == NULL || d.hot_h == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (status == STATUS_OK)
        status = file_open(&d.file, path, e);
    if (status == STATUS_OK) {
        d.count_g = graph_hot(g, hot_permille, false, d.hot_g);
        d.count_h = graph_hot(h, hot_permille, false, d.hot_h);
        d.most = d.count_h > 0 ? h->edges[d.hot_h[0]].count : 0;
        put_drawing(&d);
        status = file_commit(d.file, e);
    }
    free(d.hot_g);
    free(d.hot_h);
    return status;
}
