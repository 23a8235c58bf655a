/* Compares two databases: the differences of results and ranks. */
#include "report/page/page.h"
#include "report/page/pieces.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a database in an order that suits a merge join. A hot share other than the paper's is
 * part of the game's name. */
static const char ROWS_SQL[] =
    "SELECT r.game || iif(r.variant <> '', ' (' || r.variant || ')', '') || iif(r.hot_permille IN"
    " (SELECT value FROM paper_value WHERE name = 'hot_permille'), '', printf(' (hot %.1f %%)',"
    " r.hot_permille / 10.0)), r.technique || ' ' || r.parameters, r.number, 100 * r.similarity,"
    " 100 * r.similarity_active, 100 * r.fair_overlap_active, k.place, r.technique || ' by ' ||"
    " r.way || ' ' || r.hot_permille, r.way FROM results r LEFT JOIN ranked k ON k.experiment_id ="
    " r.experiment_id AND k.stream_id = r.stream_id AND k.game = r.game AND k.configuration_id ="
    " r.configuration_id AND k.hot_permille = r.hot_permille WHERE r.experiment = ?1"
    " ORDER BY 1, 2";
enum { GAME, CONFIGURATION, NUMBER, SIMILARITY, ACTIVE, OVERLAP, PLACE, STUDY, WAY, METRICS = 3 };

/* One configuration on one game, in both databases. */
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

/* ---- tables of the comparison ---- */

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

/* "3 -> 5", or one number where both are equal. */
static char *print_places(const struct moves *m, const struct move *move) {
    const char *a = cell_text(m->a, move->a, PLACE), *b = cell_text(m->b, move->b, PLACE);
    char *text;
    if (strcmp(a, b) == 0)
        return strdup(a[0] != '\0' ? a : "-");
    return asprintf(&text, "%s -> %s", a[0] != '\0' ? a : "-", b[0] != '\0' ? b : "-") < 0 ? NULL
                                                                                           : text;
}

/* In percentage points; smaller differences are rounding errors of sums. */
#define LEAST_MOVE 1e-9

static bool has_moved(const struct moves *m, const struct move *move) {
    bool moved = strcmp(cell_text(m->a, move->a, PLACE), cell_text(m->b, move->b, PLACE)) != 0;
    for (size_t n = 0; n < METRICS; n++)
        moved |= fabs(move->by[n]) > LEAST_MOVE ||
                 isfinite(cell_number(m->a, move->a, SIMILARITY + n)) !=
                     isfinite(cell_number(m->b, move->b, SIMILARITY + n));
    return moved;
}

/* One row per game; a dash where nothing moved in that direction or nothing is known. */
static bool games_table(const struct moves *m, struct table *t) {
    static const char *const names[] = {"game",           "compared",     "moved",
                                        "places changed", "mean points",  "most down",
                                        "most up",        "active, mean", "overlap active, mean"};
    bool ok = set_names(t, names, sizeof names / sizeof *names);
    for (size_t first = 0, end; ok && first < m->at.len; first = end) {
        const char *game = cell_text(m->a, m->at.at[first].a, GAME);
        double sum[METRICS] = {0}, known[METRICS] = {0}, down = INFINITY, up = -INFINITY;
        size_t moved = 0, places = 0;
        for (end = first;
             end < m->at.len && strcmp(cell_text(m->a, m->at.at[end].a, GAME), game) == 0; end++) {
            const struct move *move = &m->at.at[end];
            moved += has_moved(m, move);
            places += strcmp(cell_text(m->a, move->a, PLACE), cell_text(m->b, move->b, PLACE)) != 0;
            for (size_t n = 0; n < METRICS; n++) {
                sum[n] += isfinite(move->by[n]) ? move->by[n] : 0;
                known[n] += isfinite(move->by[n]);
            }
            down = move->by[0] < -LEAST_MOVE ? fmin(down, move->by[0]) : down;
            up = move->by[0] > LEAST_MOVE ? fmax(up, move->by[0]) : up;
        }
        const double n = (double)(end - first);
        ok = add_cell(t, strdup(game)) && add_cell(t, print_number("%.0f", n)) &&
             add_cell(t, print_number("%.0f", (double)moved)) &&
             add_cell(t, print_number("%.0f", (double)places)) &&
             add_cell(t, print_number("%+.2f", sum[0] / known[0])) &&
             add_cell(t, print_number("%+.2f", down)) && add_cell(t, print_number("%+.2f", up)) &&
             add_cell(t, print_number("%+.2f", sum[1] / known[1])) &&
             add_cell(t, print_number("%+.2f", sum[2] / known[2]));
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

/* The largest moves in descending order; sorts m->at. */
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

/* Orders by study (technique, sampling configuration and hot share, as in A), configuration,
 * game. */
static int by_study(const void *x, const void *y, void *table) {
    static const int columns[] = {STUDY, CONFIGURATION, GAME};
    const struct move *a = x, *b = y;
    int order = 0;
    for (size_t i = 0; order == 0 && i < 3; i++)
        order = strcmp(cell_text(table, a->a, (size_t)columns[i]),
                       cell_text(table, b->a, (size_t)columns[i]));
    return order;
}

/* A configuration with results on all common games in both databases. */
struct ranked {
    size_t row, games, place[2]; /* row: in A */
    double mean[2];
};
typedef VEC(struct ranked) ranking;

static bool same_cell(const struct moves *m, size_t i, size_t k, size_t column) {
    return strcmp(cell_text(m->a, m->at.at[i].a, column), cell_text(m->a, m->at.at[k].a, column)) ==
           0;
}

/* Counts the games in the moves first .. end - 1. */
static size_t count_games(const struct moves *m, size_t first, size_t end) {
    size_t games = 0;
    for (size_t i = first; i < end; i++) {
        size_t k = first;
        while (k < i && !same_cell(m, i, k, GAME))
            k++;
        games += k == i;
    }
    return games;
}

/* Adds the configuration of the moves first .. end - 1 if it has results on all games. */
static bool rank_one(const struct moves *m, size_t first, size_t end, size_t games, ranking *out) {
    struct ranked r = {.row = m->at.at[first].a, .games = games};
    double known = 0;
    for (size_t i = first; i < end; i++) {
        const double a = cell_number(m->a, m->at.at[i].a, SIMILARITY),
                     b = cell_number(m->b, m->at.at[i].b, SIMILARITY);
        if (!isfinite(a) || !isfinite(b))
            continue;
        r.mean[0] += a;
        r.mean[1] += b;
        known++;
    }
    for (size_t side = 0; side < 2; side++)
        r.mean[side] =
            round(1e9 * r.mean[side] / known) / 1e9; /* the sum depends on the order of its terms */
    return end - first != games || known == 0 || vec_push(out, r);
}

static int by_descending(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* Ranks the configurations from `first` on; equal ones share a place. */
static bool find_places(ranking *out, size_t first) {
    const size_t n = out->len - first;
    double *means = calloc(n + 1, sizeof *means);
    for (size_t side = 0; means != NULL && side < 2; side++) {
        for (size_t i = 0; i < n; i++)
            means[i] = out->at[first + i].mean[side];
        qsort(means, n, sizeof *means, by_descending);
        for (size_t i = 0; i < n; i++) {
            size_t low = 0, high = n;
            while (low < high) { /* the first that is not better */
                const size_t middle = (low + high) / 2;
                if (means[middle] > out->at[first + i].mean[side])
                    low = middle + 1;
                else
                    high = middle;
            }
            out->at[first + i].place[side] = low + 1;
        }
    }
    const bool ok = means != NULL;
    free(means);
    return ok;
}

/* Orders by place in A. */
static int by_place(const void *x, const void *y) {
    const struct ranked *a = x, *b = y;
    return a->place[0] != b->place[0] ? (a->place[0] > b->place[0] ? 1 : -1)
                                      : (a->row > b->row) - (a->row < b->row);
}

/* Ranks the configurations by their means over the common games; sorts m->at. */
static bool find_ranking(struct moves *m, ranking *out) {
    bool ok = true;
    qsort_r(m->at.at, m->at.len, sizeof *m->at.at, by_study, (void *)(uintptr_t)m->a);
    for (size_t first = 0, end; ok && first < m->at.len; first = end) {
        const size_t placed = out->len;
        for (end = first + 1; end < m->at.len && same_cell(m, first, end, STUDY);)
            end++;
        if (cell_text(m->a, m->at.at[first].a, NUMBER)[0] == '\0')
            continue; /* a baseline: not ranked */
        const size_t games = count_games(m, first, end);
        for (size_t i = first, next; ok && i < end; i = next) {
            for (next = i + 1; next < end && same_cell(m, i, next, CONFIGURATION);)
                next++;
            ok = rank_one(m, i, next, games, out);
        }
        ok = ok && find_places(out, placed);
        if (ok && out->len > placed)
            qsort(out->at + placed, out->len - placed, sizeof *out->at, by_place);
    }
    return ok;
}

static bool several_ways(const struct table *t) {
    for (size_t i = 1; i < table_rows(t); i++)
        if (strcmp(cell_text(t, i, WAY), cell_text(t, 0, WAY)) != 0)
            return true;
    return false;
}

static char *print_configuration(const struct table *a, size_t row, bool with_way) {
    char *text;
    return asprintf(&text, with_way ? "%s (%s)" : "%s", cell_text(a, row, CONFIGURATION),
                    cell_text(a, row, WAY)) < 0
               ? NULL
               : text;
}

/* Configurations whose place over all games changed. */
static bool ranking_table(struct moves *m, struct table *t) {
    static const char *const names[] = {"#",         "configuration", "A: place", "B: place",
                                        "A: mean %", "B: mean %",     "games"};
    ranking all = {0};
    const bool with_way = several_ways(m->a);
    bool ok = set_names(t, names, sizeof names / sizeof *names) && find_ranking(m, &all);
    for (size_t i = 0, shown = 0; ok && i < all.len && shown < MOVES_SHOWN; i++) {
        const struct ranked *r = &all.at[i];
        if (r->place[0] == r->place[1])
            continue;
        shown++;
        ok = add_cell(t, strdup(cell_text(m->a, r->row, NUMBER))) &&
             add_cell(t, print_configuration(m->a, r->row, with_way)) &&
             add_cell(t, print_number("%.0f", (double)r->place[0])) &&
             add_cell(t, print_number("%.0f", (double)r->place[1])) &&
             add_cell(t, print_number("%.2f", r->mean[0])) &&
             add_cell(t, print_number("%.2f", r->mean[1])) &&
             add_cell(t, print_number("%.0f", (double)r->games));
    }
    vec_free(&all);
    return ok;
}

/* ---- games in only one of the databases ---- */

static bool has_game(const struct table *t, const char *game) {
    for (size_t i = 0; i < table_rows(t); i++)
        if (strcmp(cell_text(t, i, GAME), game) == 0)
            return true;
    return false;
}

/* "one, two": the games of a that b lacks. The caller frees the text; NULL when out of memory. */
static char *games_alone(const struct table *a, const struct table *b) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0, n = 0; out != NULL && i < table_rows(a); i++) {
        const char *game = cell_text(a, i, GAME);
        if ((i > 0 && strcmp(game, cell_text(a, i - 1, GAME)) == 0) || has_game(b, game))
            continue;
        fprintf(out, "%s%s", n++ > 0 ? ", " : "", game);
    }
    if (out != NULL && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- different settings of the runs ---- */

/* When and by which command line a run was started differs always and affects no result. */
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

/* Lists the settings of `a` that differ in `b`, where one that is not recorded is "". */
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

/* ---- the comparison ---- */

struct comparison {
    struct table settings, games, moves, ranking;
    size_t compared, moved, only_a, only_b;
    char *alone[2]; /* games with results in A only, in B only */
};

static void free_comparison(struct comparison *c) {
    table_free(&c->settings);
    table_free(&c->games);
    table_free(&c->moves);
    table_free(&c->ranking);
    free(c->alone[0]);
    free(c->alone[1]);
}

static bool compare_rows_of(struct comparison *out, struct moves *m, const struct table *settings) {
    if (!find_moves(m) || !games_table(m, &out->games))
        return false;
    out->compared = m->at.len;
    out->only_a = m->only_a;
    out->only_b = m->only_b;
    for (size_t i = 0; i < m->at.len; i++)
        out->moved += has_moved(m, &m->at.at[i]);
    out->alone[0] = games_alone(m->a, m->b);
    out->alone[1] = games_alone(m->b, m->a);
    return out->alone[0] != NULL && out->alone[1] != NULL && ranking_table(m, &out->ranking) &&
           moves_table(m, &out->moves) &&
           settings_table(&settings[0], &settings[1], &out->settings);
}

static enum status compare(struct comparison *out, struct page *a, struct page *b) {
    struct table rows[2] = {0}, settings[2] = {0};
    struct moves m = {.a = &rows[0], .b = &rows[1]};
    *out = (struct comparison){0};
    struct page *const pages[] = {a, b};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        status = page_ask(pages[i], &rows[i], ROWS_SQL, NULL);
        if (status == STATUS_OK)
            status = page_ask(pages[i], &settings[i], SETTINGS_SQL, NULL);
    }
    if (status == STATUS_OK && !compare_rows_of(out, &m, settings))
        status = error_set(a->r->e, STATUS_MEMORY, "out of memory for a comparison");
    vec_free(&m.at);
    for (size_t i = 0; i < 2; i++) {
        table_free(&rows[i]);
        table_free(&settings[i]);
    }
    return status;
}

static const char SETTINGS_TITLE[] = "Settings that differ between the runs";
static const char GAMES_TITLE[] = "How far each game moved, in percentage points, B less A";
static const char MOVES_TITLE[] = "The largest moves of similarity";
static const char RANKING_TITLE[] = "Configurations whose rank over the games of both differs";

static void write_text(const struct comparison *c, const char *a, const char *b, size_t width,
                       struct file_writer *w) {
    file_printf(w,
                "A: %s\nB: %s\n%zu results in both, %zu of them differ; %zu only in A, %zu only in "
                "B\n",
                a, b, c->compared, c->moved, c->only_a, c->only_b);
    for (size_t i = 0; i < 2; i++)
        if (c->alone[i][0] != '\0')
            file_printf(w, "not compared, only in %c: %s\n", i == 0 ? 'A' : 'B', c->alone[i]);
    const struct table *const tables[] = {&c->settings, &c->games, &c->moves, &c->ranking};
    const char *const titles[] = {SETTINGS_TITLE, GAMES_TITLE, MOVES_TITLE, RANKING_TITLE};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        file_printf(w, "\n");
        /* Settings are shown on both sides, whatever their length. */
        table_write_fitting(tables[i], titles[i], i > 0 ? width : 0, w);
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
    for (size_t i = 0; i < 2; i++) {
        if (c->alone[i][0] == '\0')
            continue;
        fprintf(p->out, "<p>Not compared, only in %c: ", i == 0 ? 'A' : 'B');
        page_text(p, c->alone[i]);
        fputs("</p>\n", p->out);
    }
    page_table(p, &c->settings, "settings", SETTINGS_TITLE, NULL, false);
    page_table(p, &c->games, "games", GAMES_TITLE, NULL, false);
    page_table(p, &c->moves, "moves", MOVES_TITLE, NULL, false);
    page_table(p, &c->ranking, "ranking", RANKING_TITLE, NULL, false);
    page_foot(p);
    enum status status = fclose(p->out) == 0
                             ? report_save(p->r, "compare.html", text, size)
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
    }
    if (status == STATUS_OK)
        status = compare(&c, &pages[0], &pages[1]);
    fflush(stdout);
    if (status == STATUS_OK && q->folder != NULL &&
        (status = report_make_folder(q->folder, e)) == STATUS_OK)
        status = write_page(&c, &pages[0], q->path[0], q->path[1]);
    if (status == STATUS_OK && q->each != NULL)
        q->each(q->user, &(struct report_compared){c.compared,
                                                   c.moved,
                                                   c.only_a,
                                                   c.only_b,
                                                   {c.alone[0], c.alone[1]},
                                                   &c.settings,
                                                   &c.games,
                                                   &c.moves,
                                                   &c.ranking});
    else if (status == STATUS_OK)
        status = file_open_fd(&w, 1, "standard output", e);
    if (status == STATUS_OK && q->each == NULL) {
        write_text(&c, q->path[0], q->path[1], q->width, w);
        status = file_commit(w, e);
    }
    free_comparison(&c);
    return status;
}
