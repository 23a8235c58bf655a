/*
 * A structure's file: a graph file (graph.h) with further lines, which graph readers take for
 * comments:
 *
 *     #structure 1
 *     #insns ENTRY ADDRESS...    the instructions of a block after the first, in order; left out for
 *                                blocks of one instruction
 *     #begins ENTRY COUNT        contexts that began there
 *     #sink ENTRY                contexts may end in this block
 *     #ends ENTRY BYTES WORD     size of the block, and how its last instruction continues: none,
 *                                branch, jump, indirect, call, other; for each block, or for none in
 *                                files of earlier versions
 *     #region BASE               code from here on is laid out separately
 *     #memory BASE               code from here on is not laid out
 *     #image BASE HASH PATH      code from here on is that of this file; HASH: xxh3-128 of its bytes,
 *                                - if unknown
 *     #executed COUNT            instructions of the replay
 *     #transfers COUNT           control transfers of the replay
 */
#include "profile/structure/structure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_block(struct file_writer *w, const struct structure *s, size_t b) {
    const struct block *block = &s->graph.blocks[b];
    file_printf(w, "#block 0x%x 0x%x\n", block->entry, block->last);
    if (s->first[b + 1] - s->first[b] > 1) {
        file_printf(w, "#insns 0x%x", block->entry);
        for (size_t i = s->first[b] + 1; i < s->first[b + 1]; i++)
            file_printf(w, " 0x%x", s->insns[i]);
        file_printf(w, "\n");
    }
    if (s->begins[b] != 0)
        file_printf(w, "#begins 0x%x %" PRIu64 "\n", block->entry, s->begins[b]);
    if (s->sink[b])
        file_printf(w, "#sink 0x%x\n", block->entry);
    if (s->ends[b] != INSN_PLAIN)
        file_printf(w, "#%s 0x%x\n", s->ends[b] == INSN_CALL ? "call" : "return", block->entry);
    if (s->shapes.blocks != NULL)
        file_printf(w, "#ends 0x%x %" PRIu32 " %s\n", block->entry, s->shapes.blocks[b].size,
                    block_end_words[s->shapes.blocks[b].end]);
}

enum status structure_write(const struct structure *s, const char *path,
                            const char *const *comments, size_t comment_count, struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    file_printf(w, "#structure 1\n");
    for (size_t i = 0; i < comment_count; i++)
        file_printf(w, "# %s\n", comments[i]);
    if (s->graph.program[0] != '\0')
        file_printf(w, "# program %s\n", s->graph.program);
    if (s->transfers != 0)
        file_printf(w, "#executed %" PRIu64 "\n#transfers %" PRIu64 "\n", s->executed,
                    s->transfers);
    for (size_t i = 0; i < s->shapes.region_count; i++)
        file_printf(w, "#%s 0x%x\n", s->shapes.regions[i].memory ? "memory" : "region",
                    s->shapes.regions[i].base);
    for (size_t i = 0; i < s->image_count; i++)
        file_printf(w, "#image 0x%x %s %s\n", s->images[i].base,
                    s->images[i].hash[0] != '\0' ? s->images[i].hash : "-", s->images[i].path);
    for (size_t b = 0; b < s->graph.block_count; b++)
        write_block(w, s, b);
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *edge = &s->graph.edges[i];
        if (s->falls[i])
            file_printf(w, "#falls 0x%x 0x%x\n", edge->source, edge->target);
        file_printf(w, "0x%x\t0x%x\t%" PRIu64 "\t%d\n", edge->source, edge->target, edge->count,
                    edge->busy);
    }
    return file_commit(w, e);
}

/* ---- reading ---- */

struct parse {
    struct structure *s;
    const char *name;
    size_t line;
    const char *at, *end; /* rest of the line */
    uint32_t *insns;      /* further instructions of all blocks, in file order, */
    size_t used, room;
    size_t *from, *count; /* and start and number of those of each block */
    size_t shaped;        /* number of blocks with an #ends line */
    size_t regions_cap;
    struct error *e;
};

static enum status malformed(struct parse *p, const char *what) {
    return error_set(p->e, STATUS_FORMAT, "%s:%zu: %s", p->name, p->line, what);
}

static bool word(struct parse *p, const char *text) {
    size_t len = strlen(text);
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, text, len) != 0)
        return false;
    p->at += len;
    return true;
}

static bool take_address(struct parse *p, uint32_t *out) {
    uint64_t value;
    if (p->at == p->end || *p->at != ' ')
        return false;
    p->at++;
    if (!scan_hex(&p->at, p->end, UINT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Returns the index of the block whose entry is the next number; SIZE_MAX: there is no such
 * block. */
static size_t take_block(struct parse *p) {
    uint32_t entry;
    const struct block *b = take_address(p, &entry) ? graph_find_block(&p->s->graph, entry) : NULL;
    return b == NULL ? SIZE_MAX : (size_t)(b - p->s->graph.blocks);
}

static bool reserve(struct parse *p) {
    return vec_reserve_(&p->insns, &p->room, p->used + 1, sizeof *p->insns);
}

static enum status parse_insns(struct parse *p) {
    size_t b = take_block(p);
    if (b == SIZE_MAX || p->count[b] != 0)
        return malformed(p, "expected \"#insns ENTRY ADDRESS...\", once a block");
    p->from[b] = p->used;
    uint32_t address = 0;
    while (p->at != p->end) {
        if (!take_address(p, &address))
            return malformed(p, "an address is a hexadecimal number with 0x of up to 32 bits");
        if (!reserve(p))
            return error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
        p->insns[p->used++] = address;
    }
    p->count[b] = p->used - p->from[b];
    if (p->count[b] == 0 || address != p->s->graph.blocks[b].last)
        return malformed(p, "the last of these is not the block's last instruction");
    return STATUS_OK;
}

static enum status parse_end(struct parse *p, enum insn_kind kind) {
    size_t b = take_block(p);
    if (b == SIZE_MAX || p->at != p->end)
        return malformed(p, "expected \"#call ENTRY\" or \"#return ENTRY\", the entry of a block");
    p->s->ends[b] = (uint8_t)kind;
    return STATUS_OK;
}

static enum status parse_shape(struct parse *p) {
    const size_t b = take_block(p);
    struct block_shape *const shapes = p->s->shapes.blocks;
    uint64_t size = 0;
    size_t end = BLOCK_ENDS;
    if (b != SIZE_MAX && p->at != p->end && *p->at++ == ' ' &&
        scan_decimal(&p->at, p->end, UINT32_MAX, &size) && p->at != p->end && *p->at++ == ' ')
        for (end = 0; end < BLOCK_ENDS; end++)
            if ((size_t)(p->end - p->at) == strlen(block_end_words[end]) &&
                memcmp(p->at, block_end_words[end], (size_t)(p->end - p->at)) == 0)
                break;
    if (end == BLOCK_ENDS || size == 0)
        return malformed(p, "expected \"#ends ENTRY BYTES WORD\", the entry of a block and none, "
                            "branch, jump, indirect, call or other");
    p->shaped += shapes[b].size == 0;
    shapes[b].size = (uint32_t)size;
    shapes[b].end = (uint8_t)end;
    return STATUS_OK;
}

static enum status parse_region(struct parse *p, bool memory) {
    struct shapes *s = &p->s->shapes;
    struct region region = {.memory = memory};
    if (!take_address(p, &region.base) || p->at != p->end ||
        (s->region_count > 0 && region.base <= s->regions[s->region_count - 1].base))
        return malformed(p,
                         "expected \"#region BASE\" or \"#memory BASE\", above the previous one");
    if (!vec_reserve_(&s->regions, &p->regions_cap, s->region_count + 1, sizeof *s->regions))
        return error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
    s->regions[s->region_count++] = region;
    return STATUS_OK;
}

static enum status parse_image(struct parse *p) {
    static const char expected[] = "expected \"#image BASE HASH PATH\", above the previous one";
    const struct structure *s = p->s;
    uint32_t base;
    char hash[33] = "";
    if (!take_address(p, &base) || p->at == p->end || *p->at++ != ' ' ||
        (s->image_count > 0 && base <= s->images[s->image_count - 1].base))
        return malformed(p, expected);
    const char *blank = memchr(p->at, ' ', (size_t)(p->end - p->at));
    const size_t len = blank != NULL ? (size_t)(blank - p->at) : 0;
    const bool known = len == sizeof hash - 1;
    if ((!known && (len != 1 || *p->at != '-')) || blank + 1 == p->end)
        return malformed(p, expected);
    if (known)
        memcpy(hash, p->at, len);
    p->at = p->end;
    return structure_add_image(p->s, base, hash, blank + 1, (size_t)(p->end - blank - 1))
               ? STATUS_OK
               : error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
}

static enum status parse_total(struct parse *p, uint64_t *out) {
    if (p->at == p->end || *p->at++ != ' ' ||
        !scan_decimal(&p->at, p->end, GRAPH_WEIGHT_MAX, out) || p->at != p->end)
        return malformed(p, "expected \"#executed COUNT\" or \"#transfers COUNT\"");
    return STATUS_OK;
}

static enum status parse_line(struct parse *p) {
    if (word(p, "#executed"))
        return parse_total(p, &p->s->executed);
    if (word(p, "#transfers"))
        return parse_total(p, &p->s->transfers);
    if (word(p, "#insns"))
        return parse_insns(p);
    if (word(p, "#ends"))
        return parse_shape(p);
    if (word(p, "#region"))
        return parse_region(p, false);
    if (word(p, "#memory"))
        return parse_region(p, true);
    if (word(p, "#image"))
        return parse_image(p);
    if (word(p, "#begins")) {
        size_t b = take_block(p);
        uint64_t count;
        if (b == SIZE_MAX || p->at == p->end || *p->at++ != ' ' ||
            !scan_decimal(&p->at, p->end, GRAPH_WEIGHT_MAX, &count) || p->at != p->end)
            return malformed(p, "expected \"#begins ENTRY COUNT\", the entry of a block");
        p->s->begins[b] = count;
    } else if (word(p, "#sink")) {
        size_t b = take_block(p);
        if (b == SIZE_MAX || p->at != p->end)
            return malformed(p, "expected \"#sink ENTRY\", the entry of a block");
        p->s->sink[b] = true;
    } else if (word(p, "#call")) {
        return parse_end(p, INSN_CALL);
    } else if (word(p, "#return")) {
        return parse_end(p, INSN_RETURN);
    } else if (word(p, "#falls")) {
        const struct graph *g = &p->s->graph;
        uint32_t source, target;
        const struct edge *edge = take_address(p, &source) && take_address(p, &target)
                                      ? graph_find_edge(g, source, target)
                                      : NULL;
        if (edge == NULL || p->at != p->end)
            return malformed(p, "expected \"#falls SOURCE TARGET\", an edge");
        p->s->falls[edge - g->edges] = true;
    }
    return STATUS_OK;
}

static bool next_line(struct parse *p, const char **next, const char *stop) {
    if (*next == stop)
        return false;
    const char *newline = memchr(*next, '\n', (size_t)(stop - *next));
    p->line++;
    p->at = *next;
    p->end = newline != NULL ? newline : stop;
    *next = newline != NULL ? newline + 1 : stop;
    if (p->end > p->at && p->end[-1] == '\r')
        p->end--;
    return true;
}

/* Checks that all blocks have a shape, or none. */
static enum status finish_shapes(struct parse *p) {
    struct structure *s = p->s;
    if (p->shaped != 0 && p->shaped != s->graph.block_count)
        return error_set(p->e, STATUS_FORMAT,
                         "%s: %zu of %zu blocks have a line #ends: either all need one, or none",
                         p->name, p->shaped, s->graph.block_count);
    for (size_t b = 0; b < s->graph.block_count; b++)
        s->shapes.blocks[b].insns = (uint32_t)(s->first[b + 1] - s->first[b]);
    if (p->shaped == 0)
        shapes_free(&s->shapes);
    return STATUS_OK;
}

/* Writes the instructions of each block, its entry first. */
static enum status put_insns(struct parse *p) {
    struct structure *s = p->s;
    s->insns = calloc(p->used + s->graph.block_count + 1, sizeof *s->insns);
    if (s->insns == NULL)
        return error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
    size_t n = 0;
    for (size_t b = 0; b < s->graph.block_count; b++) {
        if (p->count[b] == 0 && s->graph.blocks[b].entry != s->graph.blocks[b].last)
            return error_set(p->e, STATUS_FORMAT, "%s: block 0x%x has no line #insns", p->name,
                             s->graph.blocks[b].entry);
        s->insns[n++] = s->graph.blocks[b].entry;
        for (size_t i = 0; i < p->count[b]; i++)
            s->insns[n++] = p->insns[p->from[b] + i];
        s->first[b + 1] = n;
    }
    return STATUS_OK;
}

static enum status check_edges(struct parse *p) {
    const struct graph *g = &p->s->graph;
    for (size_t i = 0; i < g->edge_count; i++)
        if (graph_find_block(g, g->edges[i].source) == NULL ||
            graph_find_block(g, g->edges[i].target) == NULL)
            return error_set(p->e, STATUS_FORMAT,
                             "%s: the edge from 0x%x to 0x%x has no #block line for both", p->name,
                             g->edges[i].source, g->edges[i].target);
    return STATUS_OK;
}

static enum status parse_all(struct parse *p, const char *text, size_t len) {
    struct structure *s = p->s;
    const char *next = text, *stop = text + len;
    if (!next_line(p, &next, stop) || !word(p, "#structure 1") || p->at != p->end) {
        p->line = 1;
        return malformed(p, "not a structure: the first line is \"#structure 1\"");
    }
    enum status status = graph_parse(&s->graph, text, len, p->name, p->e);
    if (status != STATUS_OK)
        return status;
    size_t blocks = s->graph.block_count;
    s->first = calloc(blocks + 1, sizeof *s->first);
    s->begins = calloc(blocks + 1, sizeof *s->begins);
    s->sink = calloc(blocks + 1, sizeof *s->sink);
    s->falls = calloc(s->graph.edge_count + 1, sizeof *s->falls);
    s->ends = calloc(blocks + 1, sizeof *s->ends);
    s->shapes.blocks = calloc(blocks + 1, sizeof *s->shapes.blocks);
    p->from = calloc(blocks + 1, sizeof *p->from);
    p->count = calloc(blocks + 1, sizeof *p->count);
    if (s->first == NULL || s->begins == NULL || s->sink == NULL || s->falls == NULL ||
        s->ends == NULL || s->shapes.blocks == NULL || p->from == NULL || p->count == NULL)
        return error_set(p->e, STATUS_MEMORY, "%s: out of memory", p->name);
    while (status == STATUS_OK && next_line(p, &next, stop))
        status = parse_line(p);
    if (status == STATUS_OK)
        status = check_edges(p);
    if (status == STATUS_OK)
        status = put_insns(p);
    return status == STATUS_OK ? finish_shapes(p) : status;
}

enum status structure_parse(struct structure *out, const char *text, size_t len, const char *name,
                            struct error *e) {
    *out = (struct structure){0};
    struct parse p = {.s = out, .name = name, .e = e};
    enum status status = parse_all(&p, text, len);
    free(p.insns);
    free(p.from);
    free(p.count);
    if (status != STATUS_OK)
        structure_free(out);
    return status;
}

enum status structure_read(struct structure *out, const char *path, struct error *e) {
    *out = (struct structure){0};
    struct bytes text;
    enum status status = file_read(&text, path, (size_t)1 << 30, e);
    if (status != STATUS_OK)
        return status;
    status = structure_parse(out, (const char *)text.at, text.len, path, e);
    bytes_free(&text);
    return status;
}
