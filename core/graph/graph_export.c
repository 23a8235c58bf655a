/* Writes graphs in the formats of other tools: Graphviz DOT, JSON and GraphML. */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 256 };

struct writing {
    const struct graph *g;
    const struct graph_export_options *options;
    size_t *chosen; /* indices of the edges to write, the heaviest first; NULL: all, as they are */
    size_t count;
    uint32_t *nodes; /* entries of the blocks to write, ascending */
    size_t node_count;
    uint64_t weight, most; /* of all edges; of the heaviest */
    struct file_writer *file;
};

static const struct edge *edge_at(const struct writing *w, size_t i) {
    return &w->g->edges[w->chosen != NULL ? w->chosen[i] : i];
}

/* ---- what is written ---- */

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The blocks of the chosen edges; with all edges every block. */
static void choose_nodes(struct writing *w) {
    for (size_t i = 0; i < w->count; i++) {
        w->nodes[w->node_count++] = edge_at(w, i)->source;
        w->nodes[w->node_count++] = edge_at(w, i)->target;
    }
    for (size_t i = 0; w->chosen == NULL && i < w->g->block_count; i++)
        w->nodes[w->node_count++] = w->g->blocks[i].entry;
    if (w->node_count == 0)
        return;
    qsort(w->nodes, w->node_count, sizeof *w->nodes, by_number);
    size_t kept = 1;
    for (size_t i = 1; i < w->node_count; i++)
        if (w->nodes[i] != w->nodes[kept - 1])
            w->nodes[kept++] = w->nodes[i];
    w->node_count = kept;
}

static enum status choose(struct writing *w, struct error *e) {
    const struct graph *g = w->g;
    w->count = g->edge_count;
    w->weight = graph_weight(g);
    w->nodes = malloc((2 * g->edge_count + g->block_count + 1) * sizeof *w->nodes);
    bool enough = w->nodes != NULL;
    if (w->options->hot_permille > 0 && !graph_is_set(g)) {
        w->chosen = malloc((g->edge_count + 1) * sizeof *w->chosen);
        enough &= w->chosen != NULL;
        if (enough)
            w->count = graph_hot(g, w->options->hot_permille, false, w->chosen);
    }
    if (!enough)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < w->count; i++)
        if (edge_at(w, i)->count > w->most)
            w->most = edge_at(w, i)->count;
    choose_nodes(w);
    return STATUS_OK;
}

/* The bytes of the character at c; 0: they are not UTF-8. */
static size_t utf8_length(const char *c) {
    const unsigned char *u = (const unsigned char *)c;
    const size_t length = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    /* longer than needed, surrogates, and beyond the last character */
    const bool none = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] >= 0xa0) ||
                      (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] >= 0x90) ||
                      u[0] > 0xf4;
    return none ? 0 : length;
}

/* A block's name in UTF-8 without control characters; "" if names are unknown. */
static const char *name_of(const struct writing *w, uint32_t address, char text[NAME_MOST]) {
    text[0] = '\0';
    if (w->options->names != NULL)
        w->options->names->name(w->options->names->user, address, text, NAME_MOST);
    for (char *c = text; *c != '\0';) {
        const size_t length = utf8_length(c);
        if (length == 0 || (unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
        c += length > 0 ? length : 1;
    }
    return text;
}

/* Writes a name as the format wants it: with a backslash before quotes, or as XML. */
static void put_name(struct writing *w, const char *name) {
    for (const char *c = name; *c != '\0'; c++) {
        const bool xml = w->options->format == GRAPH_GRAPHML;
        if (xml && (*c == '<' || *c == '>' || *c == '&'))
            file_printf(w->file, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
        else if (!xml && (*c == '"' || *c == '\\'))
            file_printf(w->file, "\\%c", *c);
        else
            file_write(w->file, c, 1);
    }
}

static double percent(const struct writing *w, uint64_t count) {
    return w->weight > 0 ? 100.0 * (double)count / (double)w->weight : 0;
}

/* ---- the formats ---- */

static void put_dot(struct writing *w) {
    char name[NAME_MOST];
    file_printf(w->file, "digraph {\n");
    if (w->chosen != NULL)
        file_printf(w->file, "\t// %zu of %zu edges: %u.%u %% of the weight\n", w->count,
                    w->g->edge_count, w->options->hot_permille / 10, w->options->hot_permille % 10);
    file_printf(w->file, "\tnode [shape=box, fontname=\"DejaVu Sans Mono\"];\n");
    for (size_t i = 0; i < w->node_count; i++) {
        file_printf(w->file, "\t_0x%x", w->nodes[i]);
        if (name_of(w, w->nodes[i], name)[0] != '\0') {
            file_printf(w->file, " [label=\"");
            put_name(w, name);
            file_printf(w->file, "\"]");
        }
        file_printf(w->file, "\n");
    }
    for (size_t i = 0; i < w->count; i++) {
        const struct edge *edge = edge_at(w, i);
        file_printf(w->file, "\t_0x%x -> _0x%x [label=\"%" PRIu64 "\"", edge->source, edge->target,
                    edge->count);
        if (w->most > 0)
            file_printf(w->file, ", penwidth=%.1f", 1 + 3 * (double)edge->count / (double)w->most);
        file_printf(w->file, "%s]\n", edge->busy ? ", style=dashed" : "");
    }
    file_printf(w->file, "}\n");
}

static void put_json(struct writing *w) {
    static const char *const kinds[] = {
        [GRAPH_UNKNOWN] = "unknown", [GRAPH_EXACT] = "exact", [GRAPH_BUILT] = "built"};
    char name[NAME_MOST];
    file_printf(w->file, "{\"kind\": \"%s\", \"program\": \"%s\", \"partial\": %s,\n",
                kinds[w->g->kind], w->g->program, w->g->partial ? "true" : "false");
    file_printf(w->file, " \"edge_count\": %zu, \"weight\": %" PRIu64 ",\n \"blocks\": [",
                w->g->edge_count, w->weight);
    for (size_t i = 0; i < w->node_count; i++) {
        const struct block *block = graph_find_block(w->g, w->nodes[i]);
        file_printf(w->file, "%s\n  {\"entry\": %" PRIu32, i > 0 ? "," : "", w->nodes[i]);
        if (block != NULL)
            file_printf(w->file, ", \"last\": %" PRIu32, block->last);
        if (name_of(w, w->nodes[i], name)[0] != '\0') {
            file_printf(w->file, ", \"name\": \"");
            put_name(w, name);
            file_printf(w->file, "\"");
        }
        file_printf(w->file, "}");
    }
    file_printf(w->file, "],\n \"edges\": [");
    for (size_t i = 0; i < w->count; i++) {
        const struct edge *edge = edge_at(w, i);
        file_printf(w->file,
                    "%s\n  {\"source\": %" PRIu32 ", \"target\": %" PRIu32 ", \"count\": %" PRIu64
                    ", \"busy\": %s}",
                    i > 0 ? "," : "", edge->source, edge->target, edge->count,
                    edge->busy ? "true" : "false");
    }
    file_printf(w->file, "]}\n");
}

static void put_graphml(struct writing *w) {
    char name[NAME_MOST];
    file_printf(w->file,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                " <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
                " <key id=\"last\" for=\"node\" attr.name=\"last\" attr.type=\"string\"/>\n"
                " <key id=\"count\" for=\"edge\" attr.name=\"count\" attr.type=\"long\"/>\n"
                " <key id=\"percent\" for=\"edge\" attr.name=\"percent\" attr.type=\"double\"/>\n"
                " <key id=\"busy\" for=\"edge\" attr.name=\"busy\" attr.type=\"boolean\"/>\n"
                " <graph edgedefault=\"directed\">\n");
    for (size_t i = 0; i < w->node_count; i++) {
        const struct block *block = graph_find_block(w->g, w->nodes[i]);
        file_printf(w->file, "  <node id=\"0x%x\">", w->nodes[i]);
        if (name_of(w, w->nodes[i], name)[0] != '\0') {
            file_printf(w->file, "<data key=\"name\">");
            put_name(w, name);
            file_printf(w->file, "</data>");
        }
        if (block != NULL)
            file_printf(w->file, "<data key=\"last\">0x%x</data>", block->last);
        file_printf(w->file, "</node>\n");
    }
    for (size_t i = 0; i < w->count; i++) {
        const struct edge *edge = edge_at(w, i);
        file_printf(w->file,
                    "  <edge source=\"0x%x\" target=\"0x%x\"><data key=\"count\">%" PRIu64
                    "</data><data key=\"percent\">%.6g</data><data key=\"busy\">%s</data></edge>\n",
                    edge->source, edge->target, edge->count, percent(w, edge->count),
                    edge->busy ? "true" : "false");
    }
    file_printf(w->file, " </graph>\n</graphml>\n");
}

enum status graph_export(const struct graph *g, const char *path,
                         const struct graph_export_options *options, struct error *e) {
    struct writing w = {.g = g, .options = options};
    enum status status = choose(&w, e);
    if (status == STATUS_OK)
        status = path != NULL ? file_open(&w.file, path, e)
                              : file_open_fd(&w.file, 1, "standard output", e);
    if (status == STATUS_OK) {
        if (options->format == GRAPH_JSON)
            put_json(&w);
        else if (options->format == GRAPH_GRAPHML)
            put_graphml(&w);
        else
            put_dot(&w);
        status = file_commit(w.file, e);
    }
    free(w.chosen);
    free(w.nodes);
    return status;
}
