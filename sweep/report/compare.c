/* Two databases side by side: what moved, by how much, and which ranks changed. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of both, in the same order, so that they can be walked together. */
static const char ROWS_SQL[] =
    "SELECT r.game || iif(r.variant <> '', ' (' || r.variant || ')', ''), r.technique || ' ' ||"
    " r.parameters, r.number, 100 * r.similarity, 100 * r.similarity_active,"
    " 100 * r.fair_overlap_active, k.place FROM results r LEFT JOIN ranked k ON k.experiment_id ="
    " r.experiment_id AND k.stream_id = r.stream_id AND k.game = r.game AND k.configuration_id ="
    " r.configuration_id AND k.hot_permille = r.hot_permille WHERE r.experiment = ?1"
    " AND r.hot_permille = ?3 ORDER BY 1, 2";
enum { GAME, CONFIGURATION, NUMBER, SIMILARITY, ACTIVE, OVERLAP, PLACE, METRICS = 3 };

/* A configuration on a game that both have. */
struct move {
    size_t a, b; /* rows */
    double by[METRICS];
};
struct moves {
    const struct table *a, *b;
    VEC(struct move) at;
    size_t only_a, only_b;
};

static int compare_rows(const struct table *a, size_t i, const struct table *b, size_t k) {
    const int order = strcmp(cell_text(a, i, GAME), cell_text(b, k, GAME));
    return order != 0 ? order
                      : strcmp(cell_text(a, i, CONFIGURATION), cell_text(b, k, CONFIGURATION));
}

static bool find_moves(struct moves *m) {
    size_t i = 0, k = 0;
    bool ok = true;
    while (ok && (i < table_rows(m->a) || k < table_rows(m->b))) {
        const int order = i == table_rows(m->a)   ? 1
                          : k == table_rows(m->b) ? -1
                                                  : compare_rows(m->a, i, m->b, k);
        m->only_a += order < 0;
        m->only_b += order > 0;
        if (order == 0) {
            struct move move = {.a = i, .b = k};
            for (size_t n = 0; n < METRICS; n++)
                move.by[n] =
                    cell_number(m->b, k, SIMILARITY + n) - cell_number(m->a, i, SIMILARITY + n);
            ok = vec_push(&m->at, move);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return ok;
}

/* ---- tables of what was found ---- */

static bool add_cell(struct table *t, char *text) {
    if (text != NULL && vec_push(&t->cells, text))
        return true;
    free(text);
    return false;
}

static char *print_number(const char *format, double value) {
    char *text;
    if (!isfinite(value))
        return strdup("-");
    return asprintf(&text, format, value) < 0 ? NULL : text;
}

static bool set_names(struct table *t, const char *const *names, size_t count) {
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *copy = strdup(names[i]);
        ok = copy != NULL && vec_push(&t->names, copy);
        if (!ok)
            free(copy);
    }
    return ok;
}

/* "3 -> 5", or the one where they are the same. */
static char *print_places(const struct moves *m, const struct move *move) {
    const char *a = cell_text(m->a, move->a, PLACE), *b = cell_text(m->b, move->b, PLACE);
    char *text;
    if (strcmp(a, b) == 0)
        return strdup(a[0] != '\0' ? a : "-");
    return asprintf(&text, "%s -> %s", a[0] != '\0' ? a : "-", b[0] != '\0' ? b : "-") < 0 ? NULL
                                                                                           : text;
}

static bool has_moved(const struct moves *m, const struct move *move) {
    bool moved = strcmp(cell_text(m->a, move->a, PLACE), cell_text(m->b, move->b, PLACE)) != 0;
    for (size_t n = 0; n < METRICS; n++)
        moved |=
            fabs(move->by[n]) > 1e-9 || isfinite(cell_number(m->a, move->a, SIMILARITY + n)) !=
                                            isfinite(cell_number(m->b, move->b, SIMILARITY + n));
    return moved;
}

/* One row a game. */
static bool games_table(const struct moves *m, struct table *t) {
    static const char *const names[] = {"game",           "compared",     "moved",
                                        "places changed", "mean points",  "most down",
                                        "most up",        "active, mean", "overlap active, mean"};
    bool ok = set_names(t, names, sizeof names / sizeof *names);
    for (size_t first = 0, end; ok && first < m->at.len; first = end) {
        const char *game = cell_text(m->a, m->at.at[first].a, GAME);
        double sum[METRICS] = {0}, down = 0, up = 0;
        size_t moved = 0, places = 0;
        for (end = first;
             end < m->at.len && strcmp(cell_text(m->a, m->at.at[end].a, GAME), game) == 0; end++) {
            const struct move *move = &m->at.at[end];
            moved += has_moved(m, move);
            places += strcmp(cell_text(m->a, move->a, PLACE), cell_text(m->b, move->b, PLACE)) != 0;
            for (size_t n = 0; n < METRICS; n++)
                sum[n] += isfinite(move->by[n]) ? move->by[n] : 0;
            down = fmin(down, move->by[0]);
            up = fmax(up, move->by[0]);
        }
        const double n = (double)(end - first);
        ok = add_cell(t, strdup(game)) && add_cell(t, print_number("%.0f", n)) &&
             add_cell(t, print_number("%.0f", (double)moved)) &&
             add_cell(t, print_number("%.0f", (double)places)) &&
             add_cell(t, print_number("%+.2f", sum[0] / n)) &&
             add_cell(t, print_number("%+.2f", down)) && add_cell(t, print_number("%+.2f", up)) &&
             add_cell(t, print_number("%+.2f", sum[1] / n)) &&
             add_cell(t, print_number("%+.2f", sum[2] / n));
    }
    return ok;
}

static int by_size(const void *x, const void *y) {
    const struct move *a = x, *b = y;
    const double p = isfinite(a->by[0]) ? fabs(a->by[0]) : 1e9,
                 q = isfinite(b->by[0]) ? fabs(b->by[0]) : 1e9;
    return p != q ? (p > q ? -1 : 1) : (a->a > b->a) - (a->a < b->a);
}

enum { MOVES_SHOWN = 20 };

/* The largest moves, the largest first; sorts m->at. */
static bool moves_table(struct moves *m, struct table *t) {
    static const char *const names[] = {
        "game",   "configuration",  "#",    "A: similarity %", "B: similarity %",
        "points", "active, points", "place"};
    bool ok = set_names(t, names, sizeof names / sizeof *names);
    qsort(m->at.at, m->at.len, sizeof *m->at.at, by_size);
    for (size_t i = 0, shown = 0; ok && i < m->at.len && shown < MOVES_SHOWN; i++) {
        const struct move *move = &m->at.at[i];
        if (!has_moved(m, move))
            continue;
        shown++;
        const char *number = cell_text(m->a, move->a, NUMBER);
        ok = add_cell(t, strdup(cell_text(m->a, move->a, GAME))) &&
             add_cell(t, strdup(cell_text(m->a, move->a, CONFIGURATION))) &&
             add_cell(t, strdup(number[0] != '\0' ? number : "-")) &&
             add_cell(t, print_number("%.1f", cell_number(m->a, move->a, SIMILARITY))) &&
             add_cell(t, print_number("%.1f", cell_number(m->b, move->b, SIMILARITY))) &&
             add_cell(t, print_number("%+.2f", move->by[0])) &&
             add_cell(t, print_number("%+.2f", move->by[1])) && add_cell(t, print_places(m, move));
    }
    return ok;
}

/* ---- the ranking over games ---- */

static const char RANKING_SQL[] =
    "SELECT technique || ' ' || parameters || iif((SELECT count(DISTINCT way) FROM "
    "best_configuration"
    " WHERE experiment = ?1 AND hot_permille = ?3) > 1, ' (' || way || ')', ''), number, place, "
    "mean_percent FROM best_configuration"
    " WHERE experiment = ?1 AND hot_permille = ?3 ORDER BY way, position";
enum { RANK_KEY, RANK_NUMBER, RANK_PLACE, RANK_MEAN };

static size_t find_key(const struct table *t, const char *key) {
    size_t i = 0;
    while (i < table_rows(t) && strcmp(cell_text(t, i, RANK_KEY), key) != 0)
        i++;
    return i;
}

/* Configurations whose place over all games is another, in A's order. */
static bool ranking_table(const struct table *a, const struct table *b, struct table *t) {
    static const char *const names[] = {"#",        "configuration", "A: place",
                                        "B: place", "A: mean %",     "B: mean %"};
    bool ok = set_names(t, names, sizeof names / sizeof *names);
    for (size_t i = 0, shown = 0; ok && i < table_rows(a) && shown < MOVES_SHOWN; i++) {
        const size_t k = find_key(b, cell_text(a, i, RANK_KEY));
        if (k == table_rows(b) ||
            strcmp(cell_text(a, i, RANK_PLACE), cell_text(b, k, RANK_PLACE)) == 0)
            continue;
        shown++;
        ok = add_cell(t, strdup(cell_text(a, i, RANK_NUMBER))) &&
             add_cell(t, strdup(cell_text(a, i, RANK_KEY))) &&
             add_cell(t, strdup(cell_text(a, i, RANK_PLACE))) &&
             add_cell(t, strdup(cell_text(b, k, RANK_PLACE))) &&
             add_cell(t, print_number("%.2f", cell_number(a, i, RANK_MEAN))) &&
             add_cell(t, print_number("%.2f", cell_number(b, k, RANK_MEAN)));
    }
    return ok;
}

/* ---- what the runs have not in common ---- */

/* When and where somebody typed it is another in every run, and moves nothing. */
static const char SETTINGS_SQL[] =
    "SELECT what, group_concat(value, '; ') FROM (SELECT what, value, iif(what = 'program', 4, 5)"
    " AS place FROM provenance_summary WHERE experiment = ?1 AND what NOT IN ('started',"
    " 'finished', 'typed', 'timings') UNION SELECT 'games', group_concat(game, ' '), 1 FROM (SELECT"
    " DISTINCT game FROM completeness WHERE experiment = ?1 AND results > 0 ORDER BY game) UNION "
    "SELECT 'frames',"
    " p.frames, 2 FROM completeness JOIN stream s USING (stream_id) JOIN replay p USING (replay_id)"
    " WHERE experiment = ?1 UNION SELECT 'sampling', way, 3 FROM completeness WHERE experiment = ?1"
    " ORDER BY value) GROUP BY what ORDER BY place, what";
enum { SETTING, VALUE };

static const char *setting(const struct table *t, const char *name) {
    for (size_t i = 0; i < table_rows(t); i++)
        if (strcmp(cell_text(t, i, SETTING), name) == 0)
            return cell_text(t, i, VALUE);
    return "";
}

/* Both tables have the same settings, but for those that a database says nothing of. */
static bool settings_table(const struct table *a, const struct table *b, struct table *t) {
    static const char *const names[] = {"what", "A", "B"};
    bool ok = set_names(t, names, sizeof names / sizeof *names);
    for (size_t i = 0; ok && i < table_rows(a); i++) {
        const char *name = cell_text(a, i, SETTING), *of_a = cell_text(a, i, VALUE),
                   *of_b = setting(b, name);
        if (strcmp(of_a, of_b) != 0)
            ok =
                add_cell(t, strdup(name)) && add_cell(t, strdup(of_a)) && add_cell(t, strdup(of_b));
    }
    return ok;
}

/* ---- all of it ---- */

struct comparison {
    struct table settings, games, moves, ranking;
    size_t compared, moved, only_a, only_b;
};

static void free_comparison(struct comparison *c) {
    table_free(&c->settings);
    table_free(&c->games);
    table_free(&c->moves);
    table_free(&c->ranking);
}

static enum status compare(struct comparison *out, struct page *a, struct page *b) {
    struct table rows[2] = {0}, ranks[2] = {0}, settings[2] = {0};
    struct moves m = {.a = &rows[0], .b = &rows[1]};
    *out = (struct comparison){0};
    struct page *const pages[] = {a, b};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        status = page_ask(pages[i], &rows[i], ROWS_SQL, NULL);
        if (status == STATUS_OK)
            status = page_ask(pages[i], &ranks[i], RANKING_SQL, NULL);
        if (status == STATUS_OK)
            status = page_ask(pages[i], &settings[i], SETTINGS_SQL, NULL);
    }
    bool ok = status == STATUS_OK && find_moves(&m) && games_table(&m, &out->games);
    out->compared = m.at.len;
    out->only_a = m.only_a;
    out->only_b = m.only_b;
    for (size_t i = 0; i < m.at.len; i++)
        out->moved += has_moved(&m, &m.at.at[i]);
    ok = ok && moves_table(&m, &out->moves) && ranking_table(&ranks[0], &ranks[1], &out->ranking) &&
         settings_table(&settings[0], &settings[1], &out->settings);
    if (status == STATUS_OK && !ok)
        status = error_set(a->r->e, STATUS_MEMORY, "out of memory for a comparison");
    vec_free(&m.at);
    for (size_t i = 0; i < 2; i++) {
        table_free(&rows[i]);
        table_free(&ranks[i]);
        table_free(&settings[i]);
    }
    return status;
}

static const char SETTINGS_TITLE[] = "What the runs have not in common";
static const char GAMES_TITLE[] = "How far each game moved, in percentage points, B less A";
static const char MOVES_TITLE[] = "The largest moves of similarity";
static const char RANKING_TITLE[] = "Whose place over all games is another";

static void write_text(const struct comparison *c, const char *a, const char *b,
                       struct file_writer *w) {
    file_printf(w,
                "A: %s\nB: %s\n%zu results in both, %zu of them differ; %zu only in A, %zu only in "
                "B\n",
                a, b, c->compared, c->moved, c->only_a, c->only_b);
    const struct table *const tables[] = {&c->settings, &c->games, &c->moves, &c->ranking};
    const char *const titles[] = {SETTINGS_TITLE, GAMES_TITLE, MOVES_TITLE, RANKING_TITLE};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        file_printf(w, "\n");
        table_write_text(tables[i], titles[i], w);
    }
}

static enum status write_page(const struct comparison *c, struct page *p, const char *a,
                              const char *b) {
    char *text = NULL;
    size_t size = 0;
    if ((p->out = open_memstream(&text, &size)) == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    page_head(p, "two runs side by side");
    fputs("</header>\n<p>A: ", p->out);
    page_text(p, a);
    fputs("<br>B: ", p->out);
    page_text(p, b);
    fprintf(p->out,
            "</p>\n<p>%zu results in both, %zu of them differ; %zu only in A, %zu only in B.</p>\n",
            c->compared, c->moved, c->only_a, c->only_b);
    page_table(p, &c->settings, "settings", SETTINGS_TITLE, NULL, false);
    page_table(p, &c->games, "games", GAMES_TITLE, NULL, false);
    page_table(p, &c->moves, "moves", MOVES_TITLE, NULL, false);
    page_table(p, &c->ranking, "ranking", RANKING_TITLE, NULL, false);
    page_foot(p);
    enum status status = fclose(p->out) == 0
                             ? page_save(p->r, "compare.html", text, size)
                             : error_set(p->r->e, STATUS_MEMORY, "out of memory for a page");
    free(text);
    return status;
}

enum status report_compare(const struct report_comparison *q, struct error *e) {
    struct report reports[2];
    struct page pages[2];
    struct comparison c = {0};
    struct file_writer *w = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        reports[i] = (struct report){
            .db = q->db[i], .experiment = q->experiment[i], .folder = q->folder, .e = e};
        pages[i] = (struct page){.r = &reports[i]};
        status = page_hot_share(&pages[i]);
    }
    if (status == STATUS_OK)
        status = compare(&c, &pages[0], &pages[1]);
    fflush(stdout);
    if (status == STATUS_OK && q->folder != NULL &&
        (status = report_make_folder(q->folder, e)) == STATUS_OK)
        status = write_page(&c, &pages[0], q->path[0], q->path[1]);
    if (status == STATUS_OK)
        status = file_open_fd(&w, 1, "standard output", e);
    if (status == STATUS_OK) {
        write_text(&c, q->path[0], q->path[1], w);
        status = file_commit(w, e);
    }
    free_comparison(&c);
    return status;
}
