/*
 * Graph files hold lines of `source target count`: tab-separated, with hexadecimal addresses that
 * start with 0x. Exact graphs have a fourth column, which is 1 for busy-wait edges. `#block entry
 * last` describes a block; `# kind exact` or `# kind built`, `# partial` and `# program SHA1`
 * describe the graph. All other lines that start with # are comments. Graphs are written sorted.
 * They are read in any order, with each edge and each block at most once.
 */
#include "graph/graph_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum status graph_write(const struct graph *g, const char *path, struct graph_write_options options,
                        struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < options.comment_count; i++)
        file_printf(w, "# %s\n", options.comments[i]);
    if (g->kind != GRAPH_UNKNOWN)
        file_printf(w, "# kind %s\n", g->kind == GRAPH_EXACT ? "exact" : "built");
    if (g->partial)
        file_printf(w, "# partial\n");
    if (g->program[0] != '\0')
        file_printf(w, "# program %s\n", g->program);
    for (size_t i = 0; i < g->block_count; i++)
        file_printf(w, "#block 0x%x 0x%x\n", g->blocks[i].entry, g->blocks[i].last);
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *edge = &g->edges[i];
        file_printf(w, "0x%x\t0x%x\t%" PRIu64 "%s\n", edge->source, edge->target, edge->count,
                    !options.with_busy ? ""
                    : edge->busy       ? "\t1"
                                       : "\t0");
    }
    return file_commit(w, e);
}

/* ---- reading ---- */

struct numbered_edge { /* with its line, for messages about duplicates */
    struct edge edge;
    size_t line;
};
struct numbered_block {
    struct block block;
    size_t line;
};

struct parse {
    const char *name; /* for messages */
    size_t line;
    const char *at, *end; /* rest of the line */
    VEC(struct numbered_edge) edges;
    VEC(struct numbered_block) blocks;
    uint64_t weight;
    enum graph_kind kind;
    char program[41];
    bool partial;
    struct error *e;
};

static enum status malformed(struct parse *p, const char *what) {
    return error_set(p->e, STATUS_FORMAT, "%s:%zu: %s", p->name, p->line, what);
}

static bool skip(struct parse *p, char c) {
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool scan_address(struct parse *p, uint32_t *out) {
    uint64_t value = 0;
    bool ok = scan_hex(&p->at, p->end, UINT32_MAX, &value);
    *out = (uint32_t)value;
    return ok;
}

static enum status parse_block(struct parse *p) {
    struct numbered_block b = {.line = p->line};
    p->at += strlen("#block");
    if ((!skip(p, ' ') && !skip(p, '\t')) || !scan_address(p, &b.block.entry) ||
        (!skip(p, ' ') && !skip(p, '\t')) || !scan_address(p, &b.block.last) || p->at != p->end)
        return malformed(p, "expected \"#block 0xENTRY 0xLAST\", addresses of up to 32 bits");
    return vec_push(&p->blocks, b) ? STATUS_OK : error_set(p->e, STATUS_MEMORY, "out of memory");
}

static enum status parse_edge(struct parse *p) {
    struct numbered_edge n = {.line = p->line};
    if (!scan_address(p, &n.edge.source) || !skip(p, '\t') || !scan_address(p, &n.edge.target) ||
        !skip(p, '\t') || !scan_decimal(&p->at, p->end, UINT64_MAX, &n.edge.count))
        return malformed(p, "expected source, target and count, tab-separated, the addresses in "
                            "hexadecimal with 0x and up to 32 bits");
    if (skip(p, '\t')) {
        p->kind = GRAPH_EXACT;
        if (p->at == p->end || (*p->at != '0' && *p->at != '1'))
            return malformed(p, "the fourth column is 1 for busy-wait edges, else 0");
        n.edge.busy = *p->at++ == '1';
    }
    if (p->at != p->end)
        return malformed(p, "unexpected text after the edge");
    if (n.edge.count > GRAPH_WEIGHT_MAX - p->weight)
        return malformed(p, "the counts sum to more than 2^62");
    p->weight += n.edge.count;
    return vec_push(&p->edges, n) ? STATUS_OK : error_set(p->e, STATUS_MEMORY, "out of memory");
}

static bool is_block_line(const struct parse *p) {
    static const char word[] = "#block";
    size_t len = sizeof word - 1;
    return (size_t)(p->end - p->at) > len && memcmp(p->at, word, len) == 0 &&
           (p->at[len] == ' ' || p->at[len] == '\t');
}

/* True for 40 lower-case hexadecimal digits. Text may follow without a null byte. */
static bool is_sha1(const char *at) {
    size_t digits = 0;
    while (digits < 40 && at[digits] != '\0' && strchr("0123456789abcdef", at[digits]) != NULL)
        digits++;
    return digits == 40;
}

/* Parses the comments that describe the graph. */
static void parse_comment(struct parse *p) {
    static const char program[] = "# program ";
    const size_t len = (size_t)(p->end - p->at), head = sizeof program - 1;
    if (len == 12 && memcmp(p->at, "# kind exact", len) == 0)
        p->kind = GRAPH_EXACT;
    else if (len == 12 && memcmp(p->at, "# kind built", len) == 0)
        p->kind = GRAPH_BUILT;
    else if (len == 9 && memcmp(p->at, "# partial", len) == 0)
        p->partial = true;
    else if (len == head + 40 && memcmp(p->at, program, head) == 0 && is_sha1(p->at + head))
        memcpy(p->program, p->at + head, 40);
}

static enum status parse_lines(struct parse *p, const char *text, size_t len) {
    enum status status = STATUS_OK;
    for (const char *next = text, *stop = text + len; status == STATUS_OK && next < stop;) {
        const char *newline = memchr(next, '\n', (size_t)(stop - next));
        p->line++;
        p->at = next;
        p->end = newline != NULL ? newline : stop;
        next = newline != NULL ? newline + 1 : stop;
        if (p->end > p->at && p->end[-1] == '\r')
            p->end--;
        if (is_block_line(p))
            status = parse_block(p);
        else if (p->at == p->end || *p->at != '#')
            status = parse_edge(p);
        else
            parse_comment(p);
    }
    return status;
}

/* Equal edges are sorted by line, so that the message names the later one. */
static int numbered_edge_compare(const void *a, const void *b) {
    const struct numbered_edge *x = a, *y = b;
    int order = edge_compare(&x->edge, &y->edge);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static int numbered_block_compare(const void *a, const void *b) {
    const struct numbered_block *x = a, *y = b;
    int order = block_compare(&x->block, &y->block);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static enum status take_edges(struct graph *g, struct parse *p) {
    if (p->edges.len > 0)
        qsort(p->edges.at, p->edges.len, sizeof *p->edges.at, numbered_edge_compare);
    g->edges = calloc(p->edges.len + 1, sizeof *g->edges);
    if (g->edges == NULL)
        return error_set(p->e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < p->edges.len; i++) {
        p->line = p->edges.at[i].line;
        if (i > 0 && edge_compare(&p->edges.at[i - 1].edge, &p->edges.at[i].edge) == 0)
            return malformed(p, "this edge is there already");
        g->edges[g->edge_count++] = p->edges.at[i].edge;
    }
    return STATUS_OK;
}

static enum status take_blocks(struct graph *g, struct parse *p) {
    if (p->blocks.len > 0)
        qsort(p->blocks.at, p->blocks.len, sizeof *p->blocks.at, numbered_block_compare);
    g->blocks = calloc(p->blocks.len + 1, sizeof *g->blocks);
    if (g->blocks == NULL)
        return error_set(p->e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < p->blocks.len; i++) {
        p->line = p->blocks.at[i].line;
        if (i > 0 && p->blocks.at[i - 1].block.entry == p->blocks.at[i].block.entry)
            return malformed(p, "a block with this entry is there already");
        g->blocks[g->block_count++] = p->blocks.at[i].block;
    }
    return STATUS_OK;
}

enum status graph_parse(struct graph *out, const char *text, size_t len, const char *name,
                        struct error *e) {
    *out = (struct graph){0};
    struct parse p = {.name = name, .e = e};
    struct graph g = {0};
    enum status status = parse_lines(&p, text, len);
    if (status == STATUS_OK)
        status = take_edges(&g, &p);
    if (status == STATUS_OK)
        status = take_blocks(&g, &p);
    vec_free(&p.edges);
    vec_free(&p.blocks);
    g.kind = p.kind;
    g.partial = p.partial;
    memcpy(g.program, p.program, sizeof g.program);
    if (status == STATUS_OK)
        *out = g;
    else
        graph_free(&g);
    return status;
}

enum status graph_read(struct graph *out, const char *path, struct error *e) {
    *out = (struct graph){0};
    struct bytes text;
    enum status status = file_read(&text, path, (size_t)1 << 30, e);
    if (status != STATUS_OK)
        return status;
    status = graph_parse(out, (const char *)text.at, text.len, path, e);
    bytes_free(&text);
    return status;
}
