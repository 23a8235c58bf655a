/*
 * The paper's figure 7: a hot loop with the routine that it calls, local transitions apart from
 * global ones. A call is the transfer out of a block whose last instruction calls (JSR); the block
 * behind that instruction is where it returns to, and stands for the routine when loops are looked
 * for.
 */
#include "report/charts/game/charts_call.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_MOST = 8, FAR = 512, LINES = 5, NONE = -1 };

/* Rows of the table: a block's instructions. */
struct piece {
    uint32_t entry;
    int first, last; /* NONE: its code is not known */
};
struct link {
    int source, target; /* pieces */
    double count;
    bool local; /* else it is a call, and `back` where it returns to, or NONE */
    int back;
};
struct code {
    struct table instructions, edges;
    VEC(struct piece) pieces; /* by entry */
    VEC(struct link) links;
};

enum { CODE_ADDRESS, CODE_SIZE, CODE_KIND, CODE_TEXT };
static const char CODE_SQL[] =
    "SELECT address, size, kind, text FROM instruction WHERE replay_id ="
    " (SELECT replay_id FROM stream WHERE " SHOWN_STREAM ") ORDER BY address";
static const char EDGES_SQL[] =
    "SELECT source, target, count, busy FROM exact_edge WHERE replay_id ="
    " (SELECT replay_id FROM stream WHERE " SHOWN_STREAM ") ORDER BY source, target";

static uint32_t address_of(const struct code *c, int row) {
    return (uint32_t)cell_number(&c->instructions, (size_t)row, CODE_ADDRESS);
}

static uint32_t end_of(const struct code *c, int row) {
    return address_of(c, row) + (uint32_t)cell_number(&c->instructions, (size_t)row, CODE_SIZE);
}

static const char *kind_of(const struct code *c, const struct piece *p) {
    return p->last == NONE ? "" : cell_text(&c->instructions, (size_t)p->last, CODE_KIND);
}

static bool is_kind(const struct code *c, int piece, const char *kind) {
    return strcmp(kind_of(c, &c->pieces.at[piece]), kind) == 0;
}

/* ---- blocks and the edges between them ---- */

static int by_entry(const void *a, const void *b) {
    const uint32_t x = ((const struct piece *)a)->entry, y = ((const struct piece *)b)->entry;
    return (x > y) - (x < y);
}

static int find_piece(const struct code *c, uint32_t entry) {
    const struct piece key = {.entry = entry};
    const struct piece *at = bsearch(&key, c->pieces.at, c->pieces.len, sizeof key, by_entry);
    return at != NULL ? (int)(at - c->pieces.at) : NONE;
}

/* A block ends with a transfer, before the next block, or before unknown code. */
static void find_code(struct code *c) {
    const int rows = (int)table_rows(&c->instructions);
    int row = 0;
    for (size_t i = 0; i < c->pieces.len; i++) {
        struct piece *p = &c->pieces.at[i];
        while (row < rows && address_of(c, row) < p->entry)
            row++;
        p->first = p->last = NONE;
        if (row == rows || address_of(c, row) != p->entry)
            continue;
        p->first = p->last = row;
        while (strcmp(kind_of(c, p), "plain") == 0 && p->last + 1 < rows &&
               address_of(c, p->last + 1) == end_of(c, p->last) &&
               find_piece(c, end_of(c, p->last)) == NONE)
            p->last++;
    }
}

static bool find_pieces(struct code *c) {
    size_t kept = 0;
    for (size_t i = 0; i < 2 * table_rows(&c->edges); i++)
        if (!vec_push(&c->pieces,
                      ((struct piece){(uint32_t)cell_number(&c->edges, i / 2, i % 2), NONE, NONE})))
            return false;
    if (c->pieces.len > 1)
        qsort(c->pieces.at, c->pieces.len, sizeof *c->pieces.at, by_entry);
    for (size_t i = 0; i < c->pieces.len; i++)
        if (kept == 0 || c->pieces.at[kept - 1].entry != c->pieces.at[i].entry)
            c->pieces.at[kept++] = c->pieces.at[i];
    c->pieces.len = kept;
    find_code(c);
    return true;
}

/* Returns get no link: the link of the call knows where it returns to. */
static bool find_links(struct code *c) {
    for (size_t i = 0; i < table_rows(&c->edges); i++) {
        const int source = find_piece(c, (uint32_t)cell_number(&c->edges, i, 0));
        struct link link = {source, find_piece(c, (uint32_t)cell_number(&c->edges, i, 1)),
                            cell_number(&c->edges, i, 2), !is_kind(c, source, "call"), NONE};
        if (cell_number(&c->edges, i, 3) != 0 || is_kind(c, source, "return") ||
            is_kind(c, source, "rti") || is_kind(c, source, "brk"))
            continue;
        if (!link.local)
            link.back = find_piece(c, end_of(c, c->pieces.at[source].last));
        if (!vec_push(&c->links, link))
            return false;
    }
    return true;
}

/* ---- the loop ---- */

struct loop {
    int at[LOOP_MOST]; /* pieces, ascending */
    size_t count;
    double weight; /* of its local edges */
};

static bool has(const struct loop *l, int piece) {
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i] == piece)
            return true;
    return false;
}

/* The link's successor within the routine: for a call, where it returns to. */
static int goes_to(const struct link *link) {
    return link->local ? link->target : link->back;
}

static bool is_far(const struct code *c, const struct link *link) {
    const int call = c->pieces.at[link->source].last;
    if (link->local || call == NONE)
        return false;
    return fabs((double)c->pieces.at[link->target].entry - address_of(c, call)) >= FAR;
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* The natural loop of a back edge (Aho, Sethi and Ullman 1986). Accepted if it is small enough to
 * be shown, its code is known, and it calls a distant routine. */
static bool natural_loop(const struct code *c, const struct link *back, struct loop *l) {
    *l = (struct loop){.at = {goes_to(back)}, .count = 1};
    if (!has(l, back->source))
        l->at[l->count++] = back->source;
    for (size_t next = 1; next < l->count; next++)
        for (size_t i = 0; i < c->links.len; i++) {
            const struct link *link = &c->links.at[i];
            if (goes_to(link) != l->at[next] || has(l, link->source))
                continue;
            if (l->count == LOOP_MOST)
                return false;
            l->at[l->count++] = link->source;
        }
    bool far = false, known = true;
    for (size_t i = 0; i < l->count; i++)
        known &= c->pieces.at[l->at[i]].first != NONE;
    for (size_t i = 0; i < c->links.len; i++) {
        const struct link *link = &c->links.at[i];
        if (!has(l, link->source) || !has(l, goes_to(link)))
            continue;
        far |= is_far(c, link);
        l->weight += link->local ? link->count : 0;
    }
    qsort(l->at, l->count, sizeof *l->at, by_number);
    return far && known;
}

static bool find_loop(const struct code *c, struct loop *best) {
    *best = (struct loop){0};
    for (size_t i = 0; i < c->links.len; i++) {
        const struct link *back = &c->links.at[i];
        struct loop l;
        if (goes_to(back) != NONE && goes_to(back) <= back->source && natural_loop(c, back, &l) &&
            l.weight > best->weight)
            *best = l;
    }
    return best->weight > 0;
}

/* ---- drawing ---- */

enum { LINE = 18, BOX_LEFT = 62, BOX_WIDTH = 204, ROUTINE_LEFT = 312, ROUTINE_WIDTH = 162 };

/* A box of code and the positions of its lines. */
struct box {
    int piece, returns; /* returns: the row of the instruction with which it returns, or NONE */
    double top, height;
    double returned; /* of a routine: number of returns to the blocks that are drawn */
};

static unsigned lines_of(const struct code *c, const struct box *b) {
    const struct piece *p = &c->pieces.at[b->piece];
    const unsigned all = (unsigned)(p->last - p->first + 1);
    return (all < LINES ? all : LINES) + (b->returns == NONE || b->returns == p->last ? 0 : 2);
}

static double last_line(const struct box *b) {
    return b->top + b->height - 7;
}

static void draw_line(struct canvas *c, const struct code *code, int row, double x, double y) {
    canvas_code(c, x + 6, y, ANCHOR_LEFT, INK_TEXT, "%04X %.20s", address_of(code, row),
                cell_text(&code->instructions, (size_t)row, CODE_TEXT));
}

/* Draws a block's lines; of a long one, the first ones and the last. */
static void draw_box(struct canvas *c, const struct code *code, const struct box *b, double x,
                     double width, bool routine) {
    const struct piece *p = &code->pieces.at[b->piece];
    const int all = p->last - p->first + 1;
    double y = b->top + LINE - 3;
    canvas_rect(c, x, b->top, width, b->height, routine ? INK_BAND : INK_SERIES,
                routine ? 1 : 0.12);
    canvas_frame(c, x, b->top, width, b->height, INK_COLD, 1);
    for (int i = 0; i < all; i++) {
        if (all > LINES && i == LINES - 2) {
            canvas_text(c, x + 6, y, ANCHOR_LEFT, INK_MUTED, "... %d more", all - LINES + 1);
            i = all - 2;
        } else {
            draw_line(c, code, p->first + i, x, y);
        }
        y += LINE;
    }
    if (b->returns != NONE && b->returns != p->last) {
        canvas_text(c, x + 6, y, ANCHOR_LEFT, INK_MUTED, "... and at the end");
        draw_line(c, code, b->returns, x, y + LINE);
    }
}

struct drawing {
    struct box blocks[LOOP_MOST], routines[LOOP_MOST];
    size_t routine_count;
    double height;
};

static void put_count(struct canvas *c, double x, double y, double count) {
    char text[16];
    short_count(count, text);
    canvas_text(c, x, y, ANCHOR_RIGHT, INK_MUTED, "%s", text);
}

/* The instruction that most often returns to that block (a row; NONE: none); *count: all returns to
 * it. */
static int find_return(const struct code *c, int back, double *count) {
    double most = 0;
    int row = NONE;
    *count = 0;
    for (size_t i = 0; i < table_rows(&c->edges); i++) {
        const int source = find_piece(c, (uint32_t)cell_number(&c->edges, i, 0));
        const double times = cell_number(&c->edges, i, 2);
        if (find_piece(c, (uint32_t)cell_number(&c->edges, i, 1)) != back ||
            !is_kind(c, source, "return"))
            continue;
        *count += times;
        if (times > most) {
            most = times;
            row = c->pieces.at[source].last;
        }
    }
    return row;
}

static size_t place_routine(const struct code *c, struct drawing *d, const struct link *call,
                            double wish) {
    double count;
    for (size_t i = 0; i < d->routine_count; i++)
        if (d->routines[i].piece == call->target)
            return i;
    struct box *b = &d->routines[d->routine_count];
    *b = (struct box){.piece = call->target, .returns = find_return(c, call->back, &count)};
    b->height = LINE * lines_of(c, b) + 6;
    b->top = wish;
    if (d->routine_count > 0)
        b->top = fmax(wish, b[-1].top + b[-1].height + 16);
    d->height = fmax(d->height, b->top + b->height);
    return d->routine_count++;
}

static void lay_out(const struct code *c, const struct loop *l, struct drawing *d) {
    double top = 34;
    *d = (struct drawing){0};
    for (size_t i = 0; i < l->count; i++) {
        struct box *b = &d->blocks[i];
        *b = (struct box){.piece = l->at[i], .returns = NONE, .top = top};
        b->height = LINE * lines_of(c, b) + 6;
        top = b->top + b->height + 24;
    }
    d->height = top - 24;
    for (size_t i = 0; i < l->count; i++)
        for (size_t k = 0; k < c->links.len; k++) {
            const struct link *link = &c->links.at[k];
            if (link->source == l->at[i] && !link->local && link->target != NONE &&
                c->pieces.at[link->target].first != NONE && has(l, link->back))
                place_routine(c, d, link, last_line(&d->blocks[i]) - LINE);
        }
}

static size_t place_of(const struct loop *l, int piece) {
    size_t i = 0;
    while (i < l->count && l->at[i] != piece)
        i++;
    return i;
}

/* An arrow: straight to the next box below, along the left side to others. */
static void draw_local(struct canvas *c, const struct code *code, const struct loop *l,
                       const struct drawing *d, const struct link *link, unsigned *lane) {
    const size_t from = place_of(l, link->source), to = place_of(l, link->target);
    const struct box *a = &d->blocks[from], *b = &d->blocks[to];
    const bool falls = to == from + 1 && code->pieces.at[link->target].entry ==
                                             end_of(code, code->pieces.at[link->source].last);
    if (falls) {
        const double x = BOX_LEFT + 24;
        const double xy[] = {x, a->top + a->height, x, b->top};
        canvas_path_arrow(c, xy, 2, INK_TEXT, 1.5, STROKE_DASHED);
        put_count(c, x + 52, b->top - 7, link->count);
        return;
    }
    const double x = BOX_LEFT - 14 - 8.0 * (*lane)++, y1 = last_line(a) - 5, y2 = b->top + 10;
    const double xy[] = {BOX_LEFT, y1, x, y1, x, y2, BOX_LEFT, y2};
    canvas_path_arrow(c, xy, 4, INK_TEXT, 1.5, STROKE_DASHED);
    put_count(c, BOX_LEFT + BOX_WIDTH - 6, last_line(a), link->count);
}

static void draw_call(struct canvas *c, const struct code *code, const struct loop *l,
                      struct drawing *d, const struct link *call) {
    const struct box *a = &d->blocks[place_of(l, call->source)],
                     *b = &d->blocks[place_of(l, call->back)];
    struct box *r = &d->routines[place_routine(code, d, call, 0)];
    const double right = BOX_LEFT + BOX_WIDTH, y1 = last_line(a) - 5, y2 = r->top + 10,
                 y3 = last_line(r) - 5, y4 = b->top + 10;
    double count;
    const double there[] = {right, y1, ROUTINE_LEFT, y2};
    canvas_path_arrow(c, there, 2, INK_SERIES + 1, 2, STROKE_DOTTED);
    put_count(c, right - 6, last_line(a), call->count);
    if (find_return(code, call->back, &count) == NONE)
        return;
    const double back[] = {ROUTINE_LEFT, y3, right, y4};
    canvas_path_arrow(c, back, 2, INK_SERIES + 1, 2, STROKE_DOTTED);
    r->returned += count;
}

static enum status draw(struct page *p, const char *game, const struct code *code,
                        const struct loop *l, const char *id, const char *question) {
    struct drawing d;
    struct canvas c;
    char caption[500];
    unsigned lane = 0;
    lay_out(code, l, &d);
    canvas_start(&c, id, CANVAS_COLUMN, d.height + 14, question,
                 "On the left the blocks of a loop with their instructions, dashed arrows between "
                 "them; on the right the routines that it calls, dotted arrows to them and back.");
    canvas_text(&c, BOX_LEFT, 20, ANCHOR_LEFT, INK_TEXT, "the loop: local, dashed");
    canvas_text(&c, ROUTINE_LEFT + ROUTINE_WIDTH, 20, ANCHOR_RIGHT, INK_SERIES + 1,
                "calls: global, dotted");
    for (size_t i = 0; i < l->count; i++)
        draw_box(&c, code, &d.blocks[i], BOX_LEFT, BOX_WIDTH, false);
    for (size_t i = 0; i < d.routine_count; i++)
        draw_box(&c, code, &d.routines[i], ROUTINE_LEFT, ROUTINE_WIDTH, true);
    for (size_t i = 0; i < code->links.len; i++) {
        const struct link *link = &code->links.at[i];
        if (!has(l, link->source) || !has(l, goes_to(link)))
            continue;
        if (link->local)
            draw_local(&c, code, l, &d, link, &lane);
        else if (link->target != NONE && code->pieces.at[link->target].first != NONE)
            draw_call(&c, code, l, &d, link);
    }
    for (size_t i = 0; i < d.routine_count; i++)
        if (d.routines[i].returned > 0)
            put_count(&c, ROUTINE_LEFT + ROUTINE_WIDTH - 6, last_line(&d.routines[i]),
                      d.routines[i].returned);
    snprintf(
        caption, sizeof caption,
        "Numbers: how often each was executed. Shown is the heaviest loop of at most %d blocks "
        "that calls a routine at least %d bytes away, and of the routine its first block and "
        "the instruction that returns. After the paper's figure 7; %.80s, the whole replay.",
        LOOP_MOST, FAR, game);
    return page_figure(p, &c, question, caption);
}

enum status page_calls(struct page *p, const char *game) {
    static const char question[] = "Which transfers stay in a loop, and which lead far away?";
    struct code code = {0};
    struct loop loop;
    char id[140];
    snprintf(id, sizeof id, "calls-%s", game);
    enum status status = page_ask(p, &code.instructions, CODE_SQL, game);
    if (status == STATUS_OK)
        status = page_ask(p, &code.edges, EDGES_SQL, game);
    if (status == STATUS_OK && (!find_pieces(&code) || !find_links(&code)))
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    if (status == STATUS_OK && table_rows(&code.instructions) > 0 && find_loop(&code, &loop))
        status = draw(p, game, &code, &loop, id, question);
    vec_free(&code.pieces);
    vec_free(&code.links);
    table_free(&code.instructions);
    table_free(&code.edges);
    return status;
}
