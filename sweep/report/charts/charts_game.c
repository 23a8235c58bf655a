/* Figures of one game. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "KIND-GAME", the name of a figure; short enough for any name that passed as a file's. */
struct figure_name {
    char text[140];
};
static struct figure_name name_figure(const char *kind, const char *game) {
    struct figure_name n;
    snprintf(n.text, sizeof n.text, "%s-%s", kind, game);
    return n;
}

/* ---- convergence ---- */

static const char CURVE_SQL[] =
    "SELECT label, batches, 100 * similarity, number FROM convergence_curve WHERE experiment = ?1"
    " AND game = ?2 AND variant = '' AND hot_permille = ?3 AND similarity IS NOT NULL"
    " ORDER BY number IS NOT NULL, number, label, batches";

enum { MOST_CURVES = 16 };
struct curves {
    const struct table *t;
    size_t first[MOST_CURVES + 1], count; /* rows first[i] .. first[i + 1] - 1 */
};

static struct curves find_curves(const struct table *t) {
    struct curves v = {.t = t};
    const size_t rows = table_rows(t);
    size_t i = 0;
    for (; i < rows; i++) {
        if (i > 0 && strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) == 0 &&
            strcmp(cell_text(t, i, 3), cell_text(t, i - 1, 3)) == 0)
            continue;
        if (v.count == MOST_CURVES)
            break;
        v.first[v.count++] = i;
    }
    v.first[v.count] = i;
    return v;
}

/* Where the curve first reaches 50, 80, 95 and 99 %. */
static void mark_reached(struct canvas *c, const struct curves *v, size_t curve,
                         const struct axis *x, const struct axis *y, enum ink ink) {
    static const double levels[] = {50, 80, 95, 99};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = v->first[curve]; i < v->first[curve + 1]; i++) {
            const double value = cell_number(v->t, i, 2), batches = cell_number(v->t, i, 1);
            if (value < levels[k])
                continue;
            char hint[160];
            snprintf(hint, sizeof hint, "%.60s: %.0f %% and more after %.0f batches (%.1f %%)",
                     cell_text(v->t, i, 0), levels[k], batches, value);
            canvas_dot(c, axis_at(x, batches), axis_at(y, value), 5, 4, ink, hint);
            break;
        }
}

static void draw_curves(struct canvas *c, const struct curves *v, const struct axis *x,
                        const struct axis *y) {
    double ends[MOST_CURVES];
    for (size_t k = 0; k < v->count; k++) {
        const enum ink ink = INK_SERIES + (enum ink)(k % INK_SERIES_COUNT);
        const size_t n = v->first[k + 1] - v->first[k];
        double *xy = calloc(2 * n, sizeof *xy);
        if (xy == NULL) {
            c->failed = true;
            return;
        }
        for (size_t i = 0; i < n; i++) {
            xy[2 * i] = axis_at(x, cell_number(v->t, v->first[k] + i, 1));
            xy[2 * i + 1] = axis_at(y, cell_number(v->t, v->first[k] + i, 2));
        }
        canvas_path(c, xy, n, ink, 2, (enum stroke)(k % 3));
        ends[k] = xy[2 * n - 1];
        free(xy);
        mark_reached(c, v, k, x, y, ink);
    }
    spread(ends, v->count, 17, y->from - 8); /* not into the numbers of the axis across */
    for (size_t k = 0; k < v->count; k++) {
        const char *label = cell_text(v->t, v->first[k], 0);
        const char *number = cell_text(v->t, v->first[k], 3);
        canvas_text(c, x->to + 8, ends[k] + 5, ANCHOR_LEFT,
                    INK_SERIES + (enum ink)(k % INK_SERIES_COUNT), "%s%s%.16s",
                    number[0] != '\0' ? "#" : "", number, number[0] != '\0' ? "" : label);
    }
}

static enum status convergence(struct page *p, const char *game) {
    static const char question[] = "How much sampling is enough?";
    const struct figure_name id = name_figure("batches", game);
    struct table t;
    enum status status = page_ask(p, &t, CURVE_SQL, game);
    if (status != STATUS_OK)
        return status;
    const struct curves v = find_curves(&t);
    if (v.count == 0) {
        table_free(&t);
        page_lack(p, id.text, question, "No configuration with a label has results on this game.");
        return STATUS_OK;
    }
    double low = 1e12, high = 1;
    for (size_t i = 0; i < table_rows(&t); i++) {
        low = fmin(low, cell_number(&t, i, 1));
        high = fmax(high, cell_number(&t, i, 1));
    }
    const struct axis x = {.low = fmax(1, pow(10, floor(log10(fmax(1, low)) + 1e-9))),
                           .high = fmax(10, pow(10, ceil(log10(high) - 1e-9))),
                           .from = 46,
                           .to = CANVAS_COLUMN - 84,
                           .logarithmic = true};
    const struct axis y = {.low = 0, .high = 100, .from = 290, .to = 34};
    struct canvas c;
    canvas_start(&c, id.text, CANVAS_COLUMN, 334, question,
                 "A line a technique and configuration: the share of the hot edges found after so "
                 "many batches; diamonds where 50, 80, 95 and 99 % are first reached.");
    axis_across(&c, &x, y.to, y.from, "batches");
    axis_down(&c, &y, x.from, x.to, "similarity, %");
    draw_curves(&c, &v, &x, &y);
    char caption[400] =
        "Diamonds: the first mark at which 50, 80, 95 and 99 % are reached. A batch has 25 "
        "instructions where nothing else is said.";
    for (size_t k = 0; k < v.count; k++) {
        const char *number = cell_text(&t, v.first[k], 3);
        const size_t len = strlen(caption);
        if (number[0] != '\0')
            snprintf(caption + len, sizeof caption - len, " #%.12s: %.80s.", number,
                     cell_text(&t, v.first[k], 0));
    }
    table_free(&t);
    return page_figure(p, &c, question, caption);
}

/* ---- precision against similarity ---- */

static const char PRECISION_SQL[] =
    "SELECT number, round(100 * similarity, 3) AS similarity, round(100 * precision, 3) AS"
    " precision, number IS NULL AS baseline, printf('%s %s: similarity %.1f %%, precision %.1f %%',"
    " coalesce('#' || number, 'baseline'), parameters, 100 * similarity, 100 * precision) AS hint"
    " FROM results WHERE experiment = ?1 AND game = ?2 AND variant = '' AND hot_permille = ?3"
    " AND (number IS NOT NULL OR baseline = 1) AND similarity IS NOT NULL"
    " AND precision IS NOT NULL ORDER BY number IS NULL, number";

extern const char precision_gp[];

static enum status precision(struct page *p, const char *game) {
    const struct chart_words words = {
        "What is found, and how much of it is true?",
        "A disc a configuration, a diamond for reading directly off the samples: the share of the "
        "hot edges that it found, and the share of its edges that exist.",
        "Up and to the right is better. Discs: the grid's configurations; diamond: what can be "
        "read directly off the same samples."};
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
    if (status == STATUS_OK && rows == 0) {
        page_lack(p, c.id, words.question, "No configuration has found an edge on this game.");
    } else if (status == STATUS_OK) {
        chart_frame(&c, 46, CANVAS_COLUMN - 16, 34, 290, "similarity: hot edges that were found, %",
                    "precision: edges of the graph that exist, %");
        chart_range(&c, 'x', least[0], most[0]);
        chart_range(&c, 'y', least[1], most[1]);
        gnuplot_add(&c.set, "ink = ink_%s\n", palette_name(page_game_ink(p, game)));
        const size_t diamonds = strcmp(cell_text(&t, rows - 1, 3), "1") == 0;
        gnuplot_add(&c.set, "discs = %d\ndiamonds = %zu\n", rows > diamonds, diamonds);
        status = chart_end(&c, p, &t, precision_gp, &words);
    }
    table_free(&t);
    return status;
}

enum status page_game(struct page *p, const char *game) {
    enum status status = convergence(p, game);
    if (status == STATUS_OK)
        status = precision(p, game);
    if (status == STATUS_OK)
        status = page_graphs(p, game);
    if (status == STATUS_OK)
        status = page_calls(p, game);
    if (status == STATUS_OK)
        status = page_paper(p, game);
    return status == STATUS_OK ? page_bins(p, game) : status;
}
