/* Figures that are graphs: the hot graph as several configurations found it, and a hot loop. */
#include "report/charts/game/charts_graph.h"
#include "report/charts/game/nodes.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROLES = 4, HOT_EDGES = 30, INVENTED_EDGES = 8, LOOP_LEAST = 3, LOOP_MOST = 8 };
static const char *const ROLE_NAMES[ROLES] = {"best", "median", "worst", "baseline"};

/* ---- the edges that are drawn: the heaviest hot ones, and the heaviest that do not exist ---- */

static const char HOT_SQL[] =
    "SELECT source, target, count, busy, in_best, in_median, in_worst, in_baseline FROM hot_edge"
    " WHERE experiment = ?1 AND game = ?2 AND variant = '' AND hot_permille = ?3 AND hot = 1"
    " ORDER BY count DESC, source, target";
enum { HOT_SOURCE, HOT_TARGET, HOT_COUNT, HOT_BUSY, HOT_ROLES };

static const char INVENTED_SQL[] =
    "SELECT printf('%04x', g.source), printf('%04x', g.target), g.count FROM kept_graph k"
    " JOIN stream s USING (stream_id) JOIN graph_edge g USING (graph_id)"
    " LEFT JOIN exact_edge x ON x.replay_id = s.replay_id AND x.source = g.source"
    " AND x.target = g.target WHERE k.experiment = ?1 AND k.game = ?2 AND k.variant = ''"
    " AND k.hot_permille = ?3 AND k.role = '%s' AND x.source IS NULL"
    " ORDER BY g.count DESC, g.source, g.target LIMIT 8";

struct hot_graph {
    struct table hot, invented[ROLES];
    size_t shown, shown_invented; /* hot edges that are shown; most invented edges shown for each
                                     role */
    struct nodes nodes;
};

static enum status ask_graph(struct page *p, const char *game, struct hot_graph *g) {
    *g = (struct hot_graph){0};
    enum status status = page_ask(p, &g->hot, HOT_SQL, game);
    for (size_t i = 0; status == STATUS_OK && i < ROLES; i++) {
        char *sql = strdup(INVENTED_SQL), *at = sql != NULL ? strstr(sql, "'%s'") : NULL;
        char *whole = NULL;
        if (at == NULL ||
            asprintf(&whole, "%.*s'%s'%s", (int)(at - sql), sql, ROLE_NAMES[i], at + 4) < 0)
            status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
        else
            status = page_ask(p, &g->invented[i], whole, game);
        free(whole);
        free(sql);
    }
    g->shown = table_rows(&g->hot) < HOT_EDGES ? table_rows(&g->hot) : HOT_EDGES;
    g->shown_invented = INVENTED_EDGES;
    return status;
}

/* Number of a role's invented edges that are shown. */
static size_t invented_of(const struct hot_graph *g, size_t role) {
    const size_t rows = table_rows(&g->invented[role]);
    return rows < g->shown_invented ? rows : g->shown_invented;
}

static void free_graph(struct hot_graph *g) {
    table_free(&g->hot);
    for (size_t i = 0; i < ROLES; i++)
        table_free(&g->invented[i]);
    nodes_free(&g->nodes);
}

static uint32_t address(const struct table *t, size_t row, size_t column) {
    return (uint32_t)strtoul(cell_text(t, row, column), NULL, 16);
}

/* All blocks of all rows, with their names. */
static enum status name_blocks(struct page *p, const char *game, struct hot_graph *g) {
    bool ok = true;
    for (size_t i = 0; i < g->shown; i++)
        ok &= nodes_add(&g->nodes, address(&g->hot, i, HOT_SOURCE)) &&
              nodes_add(&g->nodes, address(&g->hot, i, HOT_TARGET));
    for (size_t role = 0; role < ROLES; role++)
        for (size_t i = 0; i < table_rows(&g->invented[role]); i++)
            ok &= nodes_add(&g->nodes, address(&g->invented[role], i, 0)) &&
                  nodes_add(&g->nodes, address(&g->invented[role], i, 1));
    return ok ? nodes_name(&g->nodes, p, game, NODE_LETTERS)
              : error_set(p->r->e, STATUS_MEMORY, "out of memory for a graph");
}

/* ---- drawing what was laid out ---- */

static const char *block_name(const struct hot_graph *g, uint32_t block) {
    const struct drawn_node *node = nodes_find(&g->nodes, block);
    return node != NULL ? node->name : "";
}

/* Found edges are solid, missed ones dashed, invented ones dotted; edges of busy-waits have "wait"
 * beside their count. */
static struct edge_look look_of(const struct hot_graph *g, size_t role,
                                const struct layout_edge *edge) {
    struct edge_look look = {.ink = INK_INVENTED, .stroke = STROKE_DOTTED, .width = 2};
    const double most = fmax(1, cell_number(&g->hot, 0, HOT_COUNT));
    double count = 0;
    bool busy = false;
    char text[40];
    for (size_t i = 0; i < g->shown; i++) {
        if (address(&g->hot, i, HOT_SOURCE) != edge->source ||
            address(&g->hot, i, HOT_TARGET) != edge->target)
            continue;
        const bool found = strcmp(cell_text(&g->hot, i, HOT_ROLES + role), "1") == 0;
        count = cell_number(&g->hot, i, HOT_COUNT);
        busy = strcmp(cell_text(&g->hot, i, HOT_BUSY), "1") == 0;
        look.ink = found ? INK_FOUND : INK_MISSED;
        look.stroke = found ? STROKE_SOLID : STROKE_DASHED;
        look.width = 1.5 + 3.5 * count / most;
    }
    for (size_t i = 0; look.ink == INK_INVENTED && i < invented_of(g, role); i++)
        if (address(&g->invented[role], i, 0) == edge->source &&
            address(&g->invented[role], i, 1) == edge->target)
            count = cell_number(&g->invented[role], i, 2);
    short_count(count, look.label);
    long_count(count, text);
    snprintf(look.hint, sizeof look.hint, "%.80s to %.80s: %s, %s times%s",
             block_name(g, edge->source), block_name(g, edge->target),
             look.ink == INK_FOUND    ? "found"
             : look.ink == INK_MISSED ? "missed"
                                      : "invented",
             text, busy ? ", a busy-wait" : "");
    if (busy)
        memcpy(look.label, "wait", sizeof "wait");
    return look;
}

static void key(struct canvas *c, double y) {
    static const struct {
        const char *what;
        enum ink ink;
        enum stroke stroke;
    } kinds[] = {{"found", INK_FOUND, STROKE_SOLID},
                 {"missed", INK_MISSED, STROKE_DASHED},
                 {"invented", INK_INVENTED, STROKE_DOTTED}};
    for (size_t i = 0; i < 3; i++) {
        const double x = 10 + 130.0 * (double)i;
        canvas_line(c, x, y, x + 34, y, kinds[i].ink, 3, kinds[i].stroke);
        canvas_text(c, x + 42, y + 5, ANCHOR_LEFT, INK_TEXT, "%s", kinds[i].what);
    }
}

static enum status draw_role(struct page *p, const char *game, const struct hot_graph *g,
                             size_t role, const struct layout *l) {
    static const char question[] = "Which hot edges are found, missed and invented?";
    char id[140], caption[480];
    const double width = l->width + 20 <= CANVAS_COLUMN ? CANVAS_COLUMN : CANVAS_PAGE;
    const double left = l->width + 20 <= width ? (width - l->width) / 2 : 10, top = 40;
    snprintf(id, sizeof id, "hot-%s-%s", ROLE_NAMES[role], game);
    struct canvas c;
    canvas_start(&c, id, width, l->height + top + 12, question,
                 "Blocks by name; an arrow for each hot edge with how often it was taken.");
    key(&c, 16);
    for (size_t i = 0; i < l->edges.len; i++) {
        const struct edge_look look = look_of(g, role, &l->edges.at[i]);
        draw_edge(&c, &l->edges.at[i], &look, left, top);
    }
    draw_nodes(&c, l, &g->nodes, left, top);
    size_t found = 0;
    char of[2][40];
    for (size_t i = 0; i < table_rows(&g->hot); i++)
        found += strcmp(cell_text(&g->hot, i, HOT_ROLES + role), "1") == 0;
    long_count((double)found, of[0]);
    long_count((double)table_rows(&g->hot), of[1]);
    snprintf(
        caption, sizeof caption,
        "%.60s, the %s configuration%s: %s of %s hot edges found (solid {found}), the others "
        "missed (dashed {missed}). Shown: the %zu heaviest, how often each was taken, and up to "
        "%zu that it invented (dotted {invented}), how often they were counted; 'wait' marks "
        "busy-waits.",
        game, ROLE_NAMES[role], role == 3 ? " (read off the samples)" : "", of[0], of[1], g->shown,
        g->shown_invented);
    fprintf(p->out, "<div class='role' data-role='%s'>\n", ROLE_NAMES[role]);
    enum status status = page_figure(p, &c, question, caption);
    fputs("</div>\n", p->out);
    return status;
}

/* ---- the paper's figure 5: a hot loop, with counts in the blocks and on the edges ---- */

struct loop {
    size_t edges[64], edge_count; /* rows of the table */
    uint32_t blocks[LOOP_MOST];
    size_t block_count;
    double weight;
};

static bool in_loop(const struct loop *l, uint32_t block) {
    for (size_t i = 0; i < l->block_count; i++)
        if (l->blocks[i] == block)
            return true;
    return false;
}

/* The natural loop of the back edge in row `back` (Aho, Sethi and Ullman 1986): the blocks that
 * reach its source without passing its target. False if there are more blocks than may be shown. */
static bool natural_loop(const struct table *t, size_t back, struct loop *l) {
    *l = (struct loop){.blocks = {address(t, back, HOT_TARGET)}, .block_count = 1};
    if (!in_loop(l, address(t, back, HOT_SOURCE)))
        l->blocks[l->block_count++] = address(t, back, HOT_SOURCE);
    for (size_t next = 1; next < l->block_count; next++)
        for (size_t i = 0; i < table_rows(t); i++) {
            const uint32_t source = address(t, i, HOT_SOURCE);
            if (address(t, i, HOT_TARGET) != l->blocks[next] || in_loop(l, source))
                continue;
            if (l->block_count == LOOP_MOST)
                return false;
            l->blocks[l->block_count++] = source;
        }
    bool joins = false, entered[LOOP_MOST] = {false};
    for (size_t i = 0; i < table_rows(t) && l->edge_count < 64; i++) {
        if (!in_loop(l, address(t, i, HOT_SOURCE)) || !in_loop(l, address(t, i, HOT_TARGET)))
            continue;
        for (size_t k = 0; k < l->block_count; k++)
            entered[k] |= l->blocks[k] == address(t, i, HOT_TARGET);
        for (size_t k = 0; k < l->edge_count; k++)
            joins |= address(t, l->edges[k], HOT_TARGET) == address(t, i, HOT_TARGET);
        l->edges[l->edge_count++] = i;
        l->weight += cell_number(t, i, HOT_COUNT);
    }
    for (size_t k = 0; k < l->block_count; k++)
        joins &= entered[k]; /* else the edge enters the loop */
    return joins && l->block_count >= LOOP_LEAST;
}

static bool find_loop(const struct table *t, struct loop *best) {
    *best = (struct loop){0};
    for (size_t i = 0; i < table_rows(t); i++) {
        struct loop l;
        if (address(t, i, HOT_TARGET) <= address(t, i, HOT_SOURCE) && natural_loop(t, i, &l) &&
            l.weight > best->weight)
            *best = l;
    }
    return best->weight > 0;
}

/* The hottest only: a compiler has tens of thousands, and every pair is compared. */
enum { LOOP_EDGES = 1000 };
static const char LOOP_SQL[] =
    "SELECT source, target, count, busy FROM hot_edge WHERE experiment = ?1 AND game = ?2"
    " AND variant = '' AND hot_active = 1 ORDER BY count DESC, source, target LIMIT 1000";

/* A block's count: the sum of the edges to it. */
static void block_counts(struct canvas *c, const struct table *t, const struct loop *loop,
                         const struct layout *l, double left, double top) {
    for (size_t i = 0; i < l->nodes.len; i++) {
        const struct layout_node *n = &l->nodes.at[i];
        double count = 0;
        char text[16];
        for (size_t k = 0; k < loop->edge_count; k++)
            if (address(t, loop->edges[k], HOT_TARGET) == n->name)
                count += cell_number(t, loop->edges[k], HOT_COUNT);
        short_count(count, text);
        canvas_rect(c, n->x - n->width / 2 + left, n->y - n->height / 2 + top, n->width, n->height,
                    INK_SERIES, 0.2);
        canvas_text(c, n->x + left, n->y + top + 5, ANCHOR_MIDDLE, INK_TEXT, "%s", text);
    }
}

/* Draws (a) and (b) side by side, or one below the other if they are too wide. */
static enum status draw_loop(struct page *p, const char *game, const struct table *t,
                             const struct loop *loop, const struct layout *l,
                             const struct nodes *b) {
    static const char question[] = "Why count edges and not blocks?";
    char id[140], caption[480];
    snprintf(id, sizeof id, "loop-%s", game);
    const bool beside = 2 * l->width + 60 <= CANVAS_PAGE;
    const double least = beside ? fmax(2 * l->width + 60, 460) : l->width + 20;
    const double width = least <= CANVAS_COLUMN ? CANVAS_COLUMN : CANVAS_PAGE;
    const double left = ((beside ? width / 2 : width) - l->width) / 2, top = 40;
    const double right = left + (beside ? width / 2 : 0), below = beside ? 0 : l->height + 44;
    struct canvas c;
    canvas_start(&c, id, width, l->height + top + below + 12, question,
                 "One hot loop twice: first counts in the blocks, then on the edges.");
    canvas_text(&c, 8, 18, ANCHOR_LEFT, INK_MUTED, "(a) counted in the blocks");
    canvas_text(&c, beside ? width / 2 + 8 : 8, 18 + below, ANCHOR_LEFT, INK_MUTED,
                "(b) counted on the edges");
    for (size_t i = 0; i < l->edges.len; i++) {
        struct edge_look look = {.ink = INK_SERIES, .width = 1.5};
        draw_edge(&c, &l->edges.at[i], &look, left, top);
        for (size_t k = 0; k < loop->edge_count; k++)
            if (address(t, loop->edges[k], HOT_SOURCE) == l->edges.at[i].source &&
                address(t, loop->edges[k], HOT_TARGET) == l->edges.at[i].target)
                short_count(cell_number(t, loop->edges[k], HOT_COUNT), look.label);
        draw_edge(&c, &l->edges.at[i], &look, right, top + below);
    }
    block_counts(&c, t, loop, l, left, top);
    draw_nodes(&c, l, b, right, top + below);
    snprintf(
        caption, sizeof caption,
        "The counts of the blocks (entries from within the loop) follow from those of the edges, "
        "not the other way round. The heaviest hot loop of %d to %d blocks of which one has two "
        "predecessors%s. After the "
        "paper's figure 5; %.80s, the whole replay.",
        LOOP_LEAST, LOOP_MOST,
        table_rows(t) == LOOP_EDGES ? ", within the thousand hottest edges outside busy-waits" : "",
        game);
    return page_figure(p, &c, question, caption);
}

/* ---- each graph is laid out downwards and to the right, and the better layout is drawn ---- */

enum { DOWN, ACROSS, DIRECTIONS };
static const char *const DIRECTION_NAMES[DIRECTIONS] = {"TB", "LR"};

static void role_dot(FILE *dot, struct hot_graph *g, size_t role, const char *direction) {
    nodes_begin(&g->nodes, dot, direction);
    for (size_t i = 0; i < g->shown; i++)
        nodes_edge(&g->nodes, dot, address(&g->hot, i, HOT_SOURCE), address(&g->hot, i, HOT_TARGET),
                   cell_number(&g->hot, i, HOT_COUNT));
    for (size_t i = 0; i < invented_of(g, role); i++)
        nodes_edge(&g->nodes, dot, address(&g->invented[role], i, 0),
                   address(&g->invented[role], i, 1), cell_number(&g->invented[role], i, 2));
    nodes_end(dot);
}

/* The lowest of the layouts that fit into this width, packed; NULL: none fits. */
static struct layout *lowest(struct layout layouts[DIRECTIONS], double width) {
    struct layout *best = NULL;
    for (size_t d = 0; d < DIRECTIONS; d++)
        if (layout_pack(&layouts[d], width) && (best == NULL || layouts[d].height < best->height))
            best = &layouts[d];
    return best;
}

/* Moves the chosen layout to *out. One column of the page is enough if the graph is not tall there,
 * or if the whole width would leave most of the page empty, because one tall part determines the
 * height. False: no layout fits the page. */
static bool choose(struct layout layouts[DIRECTIONS], struct layout *out) {
    enum { COLUMN = CANVAS_COLUMN - 20, PAGE = CANVAS_PAGE - 20, NOT_LONG = 640 };
    const struct layout *const narrow = lowest(layouts, COLUMN);
    const double height = narrow != NULL ? narrow->height : INFINITY;
    struct layout *best = height > NOT_LONG ? lowest(layouts, PAGE) : NULL;
    if (best == NULL || height <= 1.25 * best->height)
        best = lowest(layouts, COLUMN);
    if (best == NULL)
        return false;
    *out = *best;
    *best = (struct layout){0};
    return true;
}

/* Lays out the number of edges that `g` says; *fit: whether they fit the page. */
static enum status try_layouts(struct page *p, struct hot_graph *g, struct layout out[ROLES],
                               bool *fit) {
    struct layout layouts[ROLES][DIRECTIONS] = {0};
    char *text = NULL;
    size_t size;
    FILE *dot = open_memstream(&text, &size);
    if (dot == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a graph");
    for (size_t role = 0; role < ROLES; role++)
        for (size_t d = 0; d < DIRECTIONS; d++)
            role_dot(dot, g, role, DIRECTION_NAMES[d]);
    enum status status =
        fclose(dot) == 0
            ? layout_make(layouts[0], ROLES * DIRECTIONS, text, p->r->plots.stopped, p->r->e)
            : error_set(p->r->e, STATUS_MEMORY, "out of memory for a graph");
    *fit = status == STATUS_OK;
    for (size_t role = 0; role < ROLES; role++) {
        layout_free(&out[role]);
        *fit = *fit && choose(layouts[role], &out[role]);
        for (size_t d = 0; d < DIRECTIONS; d++)
            layout_free(&layouts[role][d]);
    }
    free(text);
    return status;
}

/* Draws all edges, or, if these would be wider than the page, only the heaviest. */
static enum status lay_out_hot(struct page *p, const char *game, struct hot_graph *g,
                               struct layout out[ROLES]) {
    bool fit = false;
    enum status status = name_blocks(p, game, g);
    while (status == STATUS_OK && !fit) {
        status = try_layouts(p, g, out, &fit);
        if (fit || g->shown + g->shown_invented <= 2)
            break;
        g->shown -= (g->shown + 3) / 4 - (g->shown == 1);
        g->shown_invented -= (g->shown_invented + 3) / 4 - (g->shown_invented == 1);
    }
    return status;
}

/* Downwards if two of them then fit side by side; else the direction that is less wide. */
static enum status lay_out_loop(struct page *p, const char *game, const struct table *active,
                                const struct loop *loop, struct nodes *b, struct layout *out) {
    enum { LETTERS = 16 };
    struct layout layouts[DIRECTIONS] = {0};
    char *text = NULL;
    size_t size;
    bool ok = true;
    for (size_t i = 0; i < loop->block_count; i++)
        ok &= nodes_add(b, loop->blocks[i]);
    enum status status = ok ? nodes_name(b, p, game, LETTERS) : STATUS_MEMORY;
    FILE *dot = open_memstream(&text, &size);
    if (dot == NULL || !ok)
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a graph");
    for (size_t d = 0; status == STATUS_OK && d < DIRECTIONS; d++) {
        nodes_begin(b, dot, DIRECTION_NAMES[d]);
        for (size_t i = 0; i < loop->edge_count; i++)
            nodes_edge(b, dot, address(active, loop->edges[i], HOT_SOURCE),
                       address(active, loop->edges[i], HOT_TARGET),
                       cell_number(active, loop->edges[i], HOT_COUNT));
        nodes_end(dot);
    }
    if (dot != NULL && fclose(dot) != 0 && status == STATUS_OK)
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a graph");
    if (status == STATUS_OK)
        status = layout_make(layouts, DIRECTIONS, text, p->r->plots.stopped, p->r->e);
    const bool down = layouts[DOWN].width <= (CANVAS_PAGE - 60) / 2.0 ||
                      layouts[DOWN].width <= layouts[ACROSS].width;
    *out = layouts[down ? DOWN : ACROSS];
    layout_free(&layouts[down ? ACROSS : DOWN]);
    free(text);
    return status;
}

/* ---- both ---- */

static enum status page_hot(struct page *p, const char *game, struct hot_graph *g) {
    struct layout layouts[ROLES] = {0};
    enum status status = lay_out_hot(p, game, g, layouts);
    for (size_t i = 0; status == STATUS_OK && i < ROLES; i++)
        status = draw_role(p, game, g, i, &layouts[i]);
    for (size_t i = 0; i < ROLES; i++)
        layout_free(&layouts[i]);
    return status;
}

static enum status page_loop(struct page *p, const char *game) {
    struct table active = {0};
    struct layout layout = {0};
    struct nodes nodes = {0};
    struct loop loop;
    enum status status = page_ask(p, &active, LOOP_SQL, game);
    if (status == STATUS_OK && find_loop(&active, &loop)) {
        status = lay_out_loop(p, game, &active, &loop, &nodes, &layout);
        if (status == STATUS_OK)
            status = draw_loop(p, game, &active, &loop, &layout, &nodes);
    }
    layout_free(&layout);
    nodes_free(&nodes);
    table_free(&active);
    return status;
}

enum status page_graphs(struct page *p, const char *game) {
    struct hot_graph g;
    if (!p->graphviz)
        return STATUS_OK;
    enum status status = ask_graph(p, game, &g);
    if (status == STATUS_OK && table_rows(&g.hot) > 0) {
        status = page_hot(p, game, &g);
        if (status == STATUS_OK)
            status = page_loop(p, game);
    }
    free_graph(&g);
    return status;
}
