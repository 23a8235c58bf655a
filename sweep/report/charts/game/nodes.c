#include "report/charts/game/nodes.h"
#include "report/charts/game/disassembly.h"
#include "report/page/words.h"

#include <stdlib.h>
#include <string.h>

/* Pixels: the width of a letter of code, and the space between text and box, both sides
 * together. */
static const double LETTER = 0.602 * CANVAS_TEXT;
enum { AROUND = 14, BOX = 22, SECOND_LINE = 16 };

void nodes_free(struct nodes *b) {
    for (size_t i = 0; i < b->list.len; i++) {
        free(b->list.at[i].name);
        free(b->list.at[i].code);
    }
    vec_free(&b->list);
}

/* ---- names ---- */

static int by_address(const void *a, const void *b) {
    const uint32_t x = ((const struct drawn_node *)a)->address,
                   y = ((const struct drawn_node *)b)->address;
    return (x > y) - (x < y);
}

bool nodes_add(struct nodes *b, uint32_t address) {
    return vec_push(&b->list, (struct drawn_node){.address = address});
}

static struct drawn_node *find(const struct nodes *b, uint32_t address) {
    const struct drawn_node key = {.address = address};
    return bsearch(&key, b->list.at, b->list.len, sizeof key, by_address);
}

const struct drawn_node *nodes_find(const struct nodes *b, uint32_t address) {
    return find(b, address);
}

static void keep_one_each(struct nodes *b) {
    size_t kept = 0;
    if (b->list.len > 1)
        qsort(b->list.at, b->list.len, sizeof *b->list.at, by_address);
    for (size_t i = 0; i < b->list.len; i++)
        if (kept == 0 || b->list.at[kept - 1].address != b->list.at[i].address)
            b->list.at[kept++] = b->list.at[i];
    b->list.len = kept;
}

/* Names of ?, a list of addresses, as the view named_edge has them; no row for a game's. */
static const char NAMES_SQL[] =
    ") SELECT a.address, coalesce((SELECT iif(f.size = 0 OR a.address - i.base < f.offset + f.size,"
    " f.name || printf('+0x%x', a.address - i.base - f.offset), NULL) FROM symbol f"
    " WHERE f.image_id = i.image_id AND f.offset <= a.address - i.base"
    " ORDER BY f.offset DESC, f.name LIMIT 1), m.name || printf('+0x%x', a.address - i.base))"
    " FROM a JOIN replay_image i ON i.replay_id = (SELECT replay_id FROM stream WHERE " SHOWN_STREAM
    ") AND i.base = (SELECT max(base) FROM replay_image o WHERE o.replay_id = i.replay_id"
    " AND o.base <= a.address) JOIN image m USING (image_id)";

/* The code of the blocks that begin at ?, at most twelve instructions each: up to the first
 * transfer, or to the beginning of another block. */
static const char CODE_SQL[] =
    "), r(replay_id) AS (SELECT replay_id FROM stream WHERE " SHOWN_STREAM
    "), leader(address) AS MATERIALIZED (SELECT source FROM exact_edge JOIN r USING (replay_id)"
    " UNION SELECT target FROM exact_edge JOIN r USING (replay_id)),"
    " code(block, next, kind, text, n) AS (SELECT i.address, i.address + i.size, i.kind, i.text, 1"
    " FROM a JOIN instruction i USING (address) JOIN r USING (replay_id) UNION ALL"
    " SELECT c.block, i.address + i.size, i.kind, c.text || '; ' || i.text, c.n + 1 FROM code c"
    " CROSS JOIN r JOIN instruction i ON i.replay_id = r.replay_id AND i.address = c.next"
    " WHERE c.kind = 'plain' AND c.n < 12 AND i.address NOT IN (SELECT address FROM leader))"
    " SELECT block, text FROM code c WHERE n = (SELECT max(n) FROM code m WHERE m.block = c.block)";

/* Where the code of a program's blocks at ? is: file, its hash, offset, and the distance to the
 * next block. */
static const char FILES_SQL[] =
    "), r(replay_id) AS (SELECT replay_id FROM stream WHERE " SHOWN_STREAM
    "), leader(address) AS MATERIALIZED (SELECT source FROM exact_edge JOIN r USING (replay_id)"
    " UNION SELECT target FROM exact_edge JOIN r USING (replay_id))"
    " SELECT a.address, i.path, m.hash, a.address - i.base, (SELECT min(l.address) FROM leader l"
    " WHERE l.address > a.address) - a.address FROM a JOIN r JOIN replay_image i ON i.replay_id ="
    " r.replay_id AND i.base = (SELECT max(base) FROM replay_image o WHERE o.replay_id ="
    " i.replay_id AND o.base <= a.address) JOIN image m USING (image_id)"
    " ORDER BY i.place, a.address";

/* The answer of a query about all addresses. */
static enum status ask_about_all(const struct nodes *b, struct page *p, const char *game,
                                 const char *question, struct table *t) {
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (out == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
    fputs("WITH RECURSIVE a(address) AS (VALUES ", out);
    for (size_t i = 0; i < b->list.len; i++)
        fprintf(out, "%s(%u)", i > 0 ? "," : "", b->list.at[i].address);
    fputs(question, out);
    enum status status = fclose(out) == 0
                             ? page_ask(p, t, sql, game)
                             : error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
    free(sql);
    return status;
}

/* Stores what the query returns for each address: its name, or its code. */
static enum status ask_of_each(struct nodes *b, struct page *p, const char *game,
                               const char *question, bool is_code) {
    struct table t = {0};
    enum status status = ask_about_all(b, p, game, question, &t);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        struct drawn_node *block = find(b, (uint32_t)cell_number(&t, i, 0));
        char *text = block != NULL ? strdup(cell_text(&t, i, 1)) : NULL;
        if (block != NULL && text == NULL)
            status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a name");
        else if (block != NULL && is_code)
            block->code = text;
        else if (block != NULL)
            block->name = text;
    }
    table_free(&t);
    return status;
}

/* A game's code is in the database; a program's may still be in its files. */
static enum status find_program_code(struct nodes *b, struct page *p, const char *game) {
    struct table t = {0};
    struct code_file file = {0};
    enum status status = ask_about_all(b, p, game, FILES_SQL, &t);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        struct drawn_node *block = find(b, (uint32_t)cell_number(&t, i, 0));
        const char *length = table_cell(&t, i, 4);
        if (block != NULL && block->code == NULL)
            block->code = code_of_block(&file, cell_text(&t, i, 1), cell_text(&t, i, 2),
                                        strtoull(cell_text(&t, i, 3), NULL, 10),
                                        length != NULL ? strtoull(length, NULL, 10) : UINT64_MAX);
    }
    code_file_free(&file);
    table_free(&t);
    return status;
}

/* "function+0x12" in one line, or the offset in a second one. */
static void set_lines(struct drawn_node *b, unsigned letters) {
    const char *plus = strrchr(b->name, '+');
    const size_t whole = strlen(b->name), len = plus != NULL ? (size_t)(plus - b->name) : whole;
    const size_t tail = (letters - 2) / 2, start = letters - 2 - tail;
    const bool two = plus != NULL && whole > letters * 2 / 3;
    char first[NODE_LETTERS + 4];
    const size_t shown = two ? len : whole;
    if (shown <= letters)
        snprintf(first, sizeof first, "%.*s", (int)shown, b->name);
    else
        snprintf(first, sizeof first, "%.*s..%.*s", (int)start, b->name, (int)tail,
                 b->name + shown - tail);
    memcpy(b->lines[0], first, sizeof first);
    snprintf(b->lines[1], sizeof b->lines[1], "%.*s", (int)letters, two ? plus : "");
    const size_t widest =
        strlen(b->lines[0]) > strlen(b->lines[1]) ? strlen(b->lines[0]) : strlen(b->lines[1]);
    b->width = LETTER * (double)widest + AROUND;
    b->height = BOX + (two ? SECOND_LINE : 0);
}

enum status nodes_name(struct nodes *b, struct page *p, const char *game, unsigned letters) {
    keep_one_each(b);
    enum status status = b->list.len > 0 ? ask_of_each(b, p, game, NAMES_SQL, false) : STATUS_OK;
    if (status == STATUS_OK && b->list.len > 0)
        status = ask_of_each(b, p, game, CODE_SQL, true);
    if (status == STATUS_OK && b->list.len > 0)
        status = find_program_code(b, p, game);
    for (size_t i = 0; status == STATUS_OK && i < b->list.len; i++) {
        struct drawn_node *block = &b->list.at[i];
        if (block->name == NULL && asprintf(&block->name, "%04X", block->address) < 0) {
            block->name = NULL;
            return error_set(p->r->e, STATUS_MEMORY, "out of memory for a name");
        }
        set_lines(block, letters);
    }
    return status;
}

/* ---- for Graphviz ---- */

void nodes_begin(struct nodes *b, FILE *dot, const char *direction) {
    for (size_t i = 0; i < b->list.len; i++)
        b->list.at[i].placed = false;
    fprintf(dot,
            "digraph g {\nrankdir=%s; nodesep=0.2; ranksep=0.3;\n"
            "node [shape=box, fixedsize=true, label=\"\"];\n"
            "edge [arrowhead=none, fontname=\"DejaVu Sans\", fontsize=%d];\n",
            direction, CANVAS_TEXT);
}

static void place(struct nodes *b, FILE *dot, uint32_t address) {
    struct drawn_node *block = find(b, address);
    if (block == NULL || block->placed)
        return;
    block->placed = true;
    fprintf(dot, "x%x [width=%.4f, height=%.4f];\n", address, block->width / LAYOUT_INCH,
            block->height / LAYOUT_INCH);
}

void nodes_edge(struct nodes *b, FILE *dot, uint32_t source, uint32_t target, double count) {
    char label[16];
    short_count(count, label);
    place(b, dot, source);
    place(b, dot, target);
    /* Blanks keep the label off its line. */
    fprintf(dot, "x%x -> x%x [label=\" %s \"];\n", source, target, label);
}

void nodes_end(FILE *dot) {
    fputs("}\n", dot);
}

/* ---- drawing what was laid out ---- */

void draw_edge(struct canvas *c, const struct layout_edge *edge, const struct edge_look *look,
               double left, double top) {
    double *xy = calloc(2 * edge->points + 1, sizeof *xy);
    if (xy == NULL || edge->points < 4) {
        c->failed |= xy == NULL;
        free(xy);
        return;
    }
    for (size_t i = 0; i < edge->points; i++) {
        xy[2 * i] = edge->xy[2 * i] + left;
        xy[2 * i + 1] = edge->xy[2 * i + 1] + top;
    }
    if (look->hint[0] != '\0')
        canvas_hint(c, look->hint);
    canvas_curve_arrow(c, xy, edge->points, look->ink, look->width, look->stroke);
    if (edge->labelled && look->label[0] != '\0')
        canvas_text(c, edge->label_x + left, edge->label_y + top + 5, ANCHOR_MIDDLE, look->ink,
                    "%s", look->label);
    if (look->hint[0] != '\0')
        canvas_hint_end(c);
    free(xy);
}

void draw_nodes(struct canvas *c, const struct layout *l, const struct nodes *b, double left,
                double top) {
    for (size_t i = 0; i < l->nodes.len; i++) {
        const struct layout_node *n = &l->nodes.at[i];
        const struct drawn_node *block = nodes_find(b, n->name);
        const double x = n->x - n->width / 2 + left, y = n->y - n->height / 2 + top;
        if (block == NULL)
            continue;
        const bool two = block->lines[1][0] != '\0', hinted = two || block->code != NULL;
        char hint[700];
        snprintf(hint, sizeof hint, "%.200s%s%.480s", block->name, block->code != NULL ? ": " : "",
                 block->code != NULL ? block->code : "");
        if (hinted)
            canvas_hint(c, hint);
        canvas_rect(c, x, y, n->width, n->height, INK_BAND, 1);
        canvas_frame(c, x, y, n->width, n->height, INK_COLD, 1);
        canvas_code(c, n->x + left, y + 16, ANCHOR_MIDDLE, INK_TEXT, "%s", block->lines[0]);
        if (two)
            canvas_code(c, n->x + left, y + 16 + SECOND_LINE, ANCHOR_MIDDLE, INK_MUTED, "%s",
                        block->lines[1]);
        if (hinted)
            canvas_hint_end(c);
    }
}
