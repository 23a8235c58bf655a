#include "report/charts/charts_windows.h"
#include "report/charts/plot.h"

#include <math.h>
#include <string.h>

extern const char windowed_gp[];

/* A curve for each technique: of its configurations and samplings that have windows of all lengths
 * on all games, or on all programs, the one with the largest mean. The baseline first, then those that find most. */
#define WINDOWED_SQL(unit, length, hint)                                                           \
    "WITH w AS MATERIALIZED (SELECT *, max(games) OVER () AS of_games, " hint " AS said"           \
    " FROM technique_window WHERE experiment = ?1 AND hot_permille = ?3 AND unit = '" unit         \
    "' AND hot_f1_active IS NOT NULL),"                                                            \
    " m AS (SELECT *, round(avg(hot_f1_active) OVER c, 12) AS mean, count(*) OVER c AS spans"      \
    " FROM w WHERE games = of_games WINDOW c AS (PARTITION BY way, configuration_id)),"            \
    " b AS (SELECT *, dense_rank() OVER (PARTITION BY technique ORDER BY spans DESC, mean DESC,"   \
    " number, configuration, way) AS place FROM m),"                                               \
    " k AS (SELECT *, dense_rank() OVER (ORDER BY baseline DESC, spans DESC, mean DESC,"           \
    " technique) AS curve FROM b WHERE place = 1)"                                                 \
    " SELECT curve, " length ", round(100 * hot_f1_active, 3) AS mean,"                            \
    " round(100 * hot_f1_active_worst, 3) AS worst, technique, number,"                            \
    " printf('%s%s, windows of %s: %.1f %% in the mean of %d; %s', technique, coalesce(' #' ||"    \
    " number, ''), said, 100 * hot_f1_active, windows, way) AS mean_hint,"                         \
    " printf('%s%s, windows of %s: %.1f %% in the worst of %d; %s', technique, coalesce(' #' ||"   \
    " number, ''), said, 100 * hot_f1_active_worst, windows, way) AS worst_hint"                   \
    " FROM k WHERE curve <= 8 ORDER BY curve, span"

/* Windows of games and those of programs have a figure each. */
static const struct windowed {
    const char *id, *sql, *axis, *title, *of;
} WINDOWED[] = {
    {"windowed", WINDOWED_SQL("seconds", "span AS seconds", "span || ' s'"), "seconds in a window",
     "How much is found within a few seconds?", "All games, with all samplings."},
    {"windowed_programs",
     WINDOWED_SQL("instructions", "span / 1e6 AS millions", "printf('%,d instructions', span)"),
     "millions of instructions in a window", "How much is found in a part of a program's run?",
     "All programs, with all samplings."},
};
enum { CURVE, SECONDS, MEAN, WORST, TECHNIQUE };

enum { MOST_CURVES = 8, MOST_LETTERS = 24, LETTER = 9 };

/* Names each curve at its right end. */
static void name_curves(struct chart *c, const struct table *t, const struct axis *x,
                        const struct axis *y) {
    double at[MOST_CURVES];
    size_t last[MOST_CURVES], n = 0;
    for (size_t i = 0; i < table_rows(t); i++) {
        n = (size_t)cell_number(t, i, CURVE);
        last[n - 1] = i;
    }
    for (size_t i = 0; i < n; i++)
        at[i] = axis_at(y, cell_number(t, last[i], MEAN));
    spread(at, n, 17, y->to, y->from - 8); /* must not overlap the numbers of the horizontal axis */
    chart_labels(c, n);
    for (size_t i = 0; i < n; i++) {
        char name[MOST_LETTERS + 1];
        snprintf(name, sizeof name, "%.*s", MOST_LETTERS, cell_text(t, last[i], TECHNIQUE));
        chart_label(c, i + 1, axis_at(x, cell_number(t, last[i], SECONDS)) + 10, at[i] + 5,
                    ANCHOR_LEFT, INK_SERIES + (enum ink)(i % INK_SERIES_COUNT), name);
    }
}

/* A logarithmic axis with a mark at each length, but where two would touch. */
static struct axis lengths(struct chart *c, const struct table *t) {
    enum { APART = 22 };
    double low = 1e9, high = 0;
    for (size_t i = 0; i < table_rows(t); i++) {
        low = fmin(low, cell_number(t, i, SECONDS));
        high = fmax(high, cell_number(t, i, SECONDS));
    }
    const double wider = low < high ? 1 : 2; /* a single length is in the middle */
    const struct axis x = {low / wider, high * wider, c->left, c->right, .logarithmic = true};
    gnuplot_add(&c->set, "x_low = %.9g; x_high = %.9g\nmarks = '", x.low, x.high);
    double before = -APART;
    for (double mark = low; mark < INFINITY;) {
        if (axis_at(&x, mark) - before >= APART) {
            gnuplot_add(&c->set, "%s%.9g", before < 0 ? "" : ", ", mark);
            before = axis_at(&x, mark);
        }
        double next = INFINITY;
        for (size_t i = 0; i < table_rows(t); i++)
            if (cell_number(t, i, SECONDS) > mark)
                next = fmin(next, cell_number(t, i, SECONDS));
        mark = next;
    }
    gnuplot_add(&c->set, "'\n");
    return x;
}

static enum status draw(struct page *p, const struct windowed *w, const struct table *t) {
    size_t letters = 0;
    for (size_t i = 0; i < table_rows(t); i++)
        letters = (size_t)fmax((double)letters, (double)strlen(cell_text(t, i, TECHNIQUE)));
    letters = letters < MOST_LETTERS ? letters : MOST_LETTERS;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 344, "%s", w->id);
    chart_frame(&c, 46, CANVAS_COLUMN - 14 - (double)(LETTER * letters), 34, 300, w->axis,
                "F1 of the hot set without busy-waits, %");
    const struct axis x = lengths(&c, t), y = chart_range(&c, 'y', 0, 100);
    name_curves(&c, t, &x, &y);
    page_speak_of(p, w->of);
    return chart_end(
        &c, p, t, windowed_gp,
        &(struct chart_words){
            w->title,
            "A curve for each technique: the F1 of the hot set that it finds in windows of several "
            "lengths, on average and in the worst window.",
            "Each window is compared with its own exact graph. A technique has the samples of that "
            "window alone; a live one starts anew in each. Discs: means; dashed, "
            "diamonds: the worst window of all. The configuration and sampling of each technique "
            "that find most, of at most eight techniques."});
}

enum status page_windows(struct page *p) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof WINDOWED / sizeof *WINDOWED; i++) {
        struct table t;
        status = page_ask(p, &t, WINDOWED[i].sql, NULL);
        if (status == STATUS_OK && table_rows(&t) > 0)
            status = draw(p, &WINDOWED[i], &t);
        table_free(&t);
    }
    return status;
}
