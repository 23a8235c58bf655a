/* Figures of one game. */
#include "report/charts/game/charts_game.h"
#include "report/charts/game/charts_bins.h"
#include "report/charts/game/charts_call.h"
#include "report/charts/game/charts_graph.h"
#include "report/charts/game/charts_grid.h"
#include "report/charts/game/charts_paper.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- convergence ---- */

/* reached: the highest of 50, 80, 95 and 99 % that the curve reaches here for the first time. */
#define CURVE_SQL(similarity)                                                                      \
    "WITH c AS (SELECT dense_rank() OVER (ORDER BY number IS NOT NULL, number, label) AS curve,"   \
    " batches, round(100 * " similarity                                                            \
    ", 4) AS percent, label, number, CASE WHEN 100 * " similarity                                  \
    " >= 99 THEN 99 WHEN 100 * " similarity " >= 95 THEN 95 WHEN 100 * " similarity                \
    " >= 80 THEN 80 WHEN 100 * " similarity " >= 50 THEN 50 END AS level FROM convergence_curve"   \
    " WHERE experiment = ?1 AND game = ?2 AND variant = '' AND hot_permille = ?3"                  \
    " AND " similarity " IS NOT NULL), m AS (SELECT *, level > coalesce(max(level) OVER"           \
    " (PARTITION BY curve ORDER BY batches ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"  \
    " AS first FROM c WHERE curve <= 16)"                                                          \
    " SELECT curve, batches, percent, label, number, iif(first, level, NULL) AS reached,"          \
    " iif(first, printf('%s: %d %% and more after %d batches (%.1f %%)', label, level, batches,"   \
    " percent), NULL) AS hint FROM m ORDER BY curve, batches"
enum { CURVE_LABEL = 3, CURVE_NUMBER, CURVE_REACHED };

enum { MOST_CURVES = 16 };
struct curves {
    const struct table *t;
    size_t first[MOST_CURVES + 1], count; /* rows first[i] .. first[i + 1] - 1 */
};

static struct curves find_curves(const struct table *t) {
    struct curves v = {.t = t};
    const size_t rows = table_rows(t);
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) != 0)
            v.first[v.count++] = i;
    v.first[v.count] = rows;
    return v;
}

/* Writes each curve's name at its end; marked: the curves that have diamonds. */
static void name_curves(struct chart *c, const struct curves *v, const struct axis *y) {
    double ends[MOST_CURVES];
    for (size_t k = 0; k < v->count; k++)
        ends[k] = axis_at(y, cell_number(v->t, v->first[k + 1] - 1, 2));
    spread(ends, v->count, 17, y->to,
           y->from - 8); /* must not overlap the numbers of the horizontal
                                                axis */
    chart_labels(c, v->count);
    for (size_t k = 0; k < v->count; k++) {
        const char *label = cell_text(v->t, v->first[k], CURVE_LABEL);
        const char *number = cell_text(v->t, v->first[k], CURVE_NUMBER);
        char name[40];
        snprintf(name, sizeof name, "%s%.16s", number[0] != '\0' ? "#" : "",
                 number[0] != '\0' ? number : label);
        chart_label(c, k + 1, CANVAS_COLUMN - 76, ends[k] + 5, ANCHOR_LEFT,
                    INK_SERIES + (enum ink)(k % INK_SERIES_COUNT), name);
    }
    gnuplot_add(&c->set, "marked = '");
    for (size_t k = 0; k < v->count; k++)
        for (size_t i = v->first[k]; i < v->first[k + 1]; i++)
            if (table_cell(v->t, i, CURVE_REACHED) != NULL) {
                gnuplot_add(&c->set, " %zu", k + 1);
                break;
            }
    gnuplot_add(&c->set, "'\n");
}

extern const char batches_gp[], precision_gp[];

static enum status draw_curves(struct page *p, struct chart *c, const struct table *t,
                               const char *question, const char *what) {
    const struct curves v = find_curves(t);
    double low = 1e12, high = 1;
    for (size_t i = 0; i < table_rows(t); i++) {
        low = fmin(low, cell_number(t, i, 1));
        high = fmax(high, cell_number(t, i, 1));
    }
    chart_frame(c, 46, CANVAS_COLUMN - 84, 34, 290, "batches", what);
    chart_powers(c, fmax(1, low), fmax(10, high));
    const struct axis y = chart_range(c, 'y', 0, 100);
    name_curves(c, &v, &y);
    char caption[400] =
        "Diamonds: the first mark at which 50, 80, 95 and 99 % are reached. A batch has 25 "
        "instructions unless the sampling says otherwise.";
    for (size_t k = 0; k < v.count; k++) {
        const char *number = cell_text(t, v.first[k], CURVE_NUMBER);
        const size_t len = strlen(caption);
        if (number[0] != '\0')
            snprintf(caption + len, sizeof caption - len, " #%.12s: %.80s.", number,
                     cell_text(t, v.first[k], CURVE_LABEL));
    }
    return chart_end(
        c, p, t, batches_gp,
        &(struct chart_words){
            question,
            "A line for each technique and configuration: the share of the hot edges found, by the "
            "number of batches; diamonds where 50, 80, 95 and 99 % are first reached.",
            caption});
}

/* Programs have no busy-waits, and some games do not wait in their hot edges. */
static enum status waits_matter(struct page *p, const char *game, bool *out) {
    static const char sql[] =
        "SELECT 1 FROM convergence_curve WHERE experiment = ?1 AND game = ?2 AND variant = ''"
        " AND hot_permille = ?3 AND similarity_active IS NOT similarity LIMIT 1";
    struct table t;
    enum status status = page_ask(p, &t, sql, game);
    *out = status == STATUS_OK && table_rows(&t) > 0;
    table_free(&t);
    return status;
}

/* A stream that ends before the second mark has points, but no curve. */
static bool has_curve(const struct table *t) {
    const struct curves v = find_curves(t);
    bool any = false;
    for (size_t k = 0; k < v.count; k++)
        any |= v.first[k + 1] - v.first[k] > 1;
    return any;
}

/* kind: the start of the figure's name; what: the quantity. */
static enum status convergence(struct page *p, const char *game, const char *kind, const char *sql,
                               const char *question, const char *what) {
    struct table t;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 334, "%s-%s", kind, game);
    enum status status = page_ask(p, &t, sql, game);
    if (status == STATUS_OK && has_curve(&t))
        status = draw_curves(p, &c, &t, question, what);
    table_free(&t);
    return status;
}

/* ---- precision against similarity ---- */

static const char PRECISION_SQL[] =
    "SELECT number, round(100 * similarity, 3) AS similarity, round(100 * precision, 3) AS"
    " precision, number IS NULL AS baseline, printf('%s %s: similarity %.1f %%, precision %.1f %%',"
    " coalesce('#' || number, 'baseline'), parameters, 100 * similarity, 100 * precision) AS hint"
    " FROM results WHERE experiment = ?1 AND game = ?2 AND variant = '' AND hot_permille = ?3"
    " AND (number IS NOT NULL OR baseline = 1) AND similarity IS NOT NULL"
    " AND precision IS NOT NULL ORDER BY number IS NULL, number";

static enum status precision(struct page *p, const char *game) {
    struct chart_words words = {
        "What is found, and how much of it is true?",
        "A disc for each configuration and a diamond for reading directly off the samples: the "
        "share of the hot edges that it found, and the share of its edges that exist.",
        NULL};
    struct chart c;
    struct table t;
    chart_start(&c, CANVAS_COLUMN, 334, "precision-%s", game);
    enum status status = page_ask(p, &t, PRECISION_SQL, game);
    const size_t rows = table_rows(&t);
    double least[2] = {100, 100}, most[2] = {0, 0};
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < 2; k++) {
            least[k] = fmin(least[k], cell_number(&t, i, 1 + k));
            most[k] = fmax(most[k], cell_number(&t, i, 1 + k));
        }
    if (status == STATUS_OK && rows > 0) {
        chart_frame(&c, 46, CANVAS_COLUMN - 16, 34, 290, "similarity: hot edges that were found, %",
                    "precision: edges of the graph that exist, %");
        chart_range(&c, 'x', least[0], most[0]);
        chart_range(&c, 'y', least[1], most[1]);
        gnuplot_add(&c.set, "ink = ink_%s\n", palette_name(page_game_ink(p, game)));
        const size_t diamonds = strcmp(cell_text(&t, rows - 1, 3), "1") == 0;
        gnuplot_add(&c.set, "discs = %d\ndiamonds = %zu\n", rows > diamonds, diamonds);
        words.caption = diamonds
                            ? "Up and to the right is better. Discs: the grid's configurations. "
                              "Diamond {text}: what can be read directly off the same samples."
                            : "Up and to the right is better. Discs: the grid's configurations.";
        status = chart_end(&c, p, &t, precision_gp, &words);
    }
    table_free(&t);
    return status;
}

enum status page_game(struct page *p, const char *game) {
    enum status status = convergence(p, game, "batches", CURVE_SQL("similarity"),
                                     "How much sampling is enough?", "similarity, %");
    bool waits = false;
    if (status == STATUS_OK)
        status = waits_matter(p, game, &waits);
    if (waits)
        status = convergence(p, game, "batches-active", CURVE_SQL("similarity_active"),
                             "And when waiting for the next frame does not count?",
                             "similarity without busy-waits, %");
    if (status == STATUS_OK)
        status = precision(p, game);
    if (status == STATUS_OK)
        status = page_heatmaps(p, game);
    if (status == STATUS_OK)
        status = page_graphs(p, game);
    if (status == STATUS_OK)
        status = page_calls(p, game);
    if (status == STATUS_OK)
        status = page_paper(p, game);
    return status == STATUS_OK ? page_bins(p, game) : status;
}
