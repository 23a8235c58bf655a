/* Benefit for code layout: over what was observed, and over the overlap (the view `worth`). */
#include "report/charts/charts_worth.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Values below LEAST are drawn at LEAST. */
#define LEAST "-0.25"
#define FAMILY                                                                                     \
    "iif(s.batch_length > 2, 'batches', 'transfers') AS family FROM worth w JOIN stream s USING"   \
    " (stream_id) JOIN sampling sa ON sa.sampling_id = s.sampling_id WHERE w.experiment = ?1"      \
    " AND sa.method <> 'live' AND w.benefit IS NOT NULL"

/* Means over games; for each technique and sampling, the best configuration. Only techniques with
 * several samplings that have the same number of games. A line skips points if a better one has
 * nearly the same share, so that no part of it is vertical. The points on the line come first,
 * because the others would interrupt it. */
static const char CURVE_SQL[] =
    "WITH w AS MATERIALIZED (SELECT w.*, " FAMILY " AND w.observed_share > 0),"
    " m AS (SELECT technique, family, sampling, parameters, configuration_id, avg(observed_share)"
    " AS share, round(avg(benefit), 12) AS benefit, avg(benefit_inferred) AS inferred, count("
    "DISTINCT game) AS games FROM w GROUP BY technique, family, sampling, configuration_id),"
    " n AS (SELECT *, max(games) OVER (PARTITION BY technique, family) AS of_games FROM m),"
    " b AS (SELECT *, row_number() OVER (PARTITION BY technique, family, sampling"
    " ORDER BY benefit DESC, configuration_id) AS first FROM n WHERE games = of_games),"
    " c AS MATERIALIZED (SELECT *, count(*) OVER (PARTITION BY technique, family) AS points FROM b"
    " WHERE first = 1),"
    " d AS (SELECT *, NOT EXISTS (SELECT 1 FROM c AS x WHERE x.technique = c.technique AND"
    " x.family = c.family AND x.share BETWEEN c.share / 1.1 AND c.share * 1.1 AND"
    " (x.benefit, -x.share, c.sampling) > (c.benefit, -c.share, x.sampling)) AS on_line FROM c)"
    " SELECT dense_rank() OVER (ORDER BY technique, family) AS series,"
    " technique || ', ' || family AS name, round(100 * share, 6) AS looked_at,"
    " round(benefit, 4) AS benefit, round(inferred, 4) AS inferred, games,"
    " max(round(benefit, 4), " LEAST ") AS y, max(round(inferred, 4), " LEAST ") AS y_inferred,"
    " trim(printf('%s %.60s', technique, parameters)) || printf(', %s: %.4f %% observed, benefit"
    " %.3f, with falls inferred %.3f', sampling, 100 * share, benefit, inferred) AS hint,"
    " on_line FROM d WHERE points > 1 ORDER BY series, on_line DESC, share, sampling";
enum { CURVE_SERIES, CURVE_NAME, CURVE_SHARE, CURVE_BENEFIT, CURVE_INFERRED, CURVE_GAMES, CURVE_Y };

/* An exact profile of other input, if the experiment has one. */
static const char LEVEL_SQL[] =
    "SELECT avg(benefit), count(DISTINCT game) FROM worth w JOIN sampling sa ON sa.sampling_id ="
    " w.sampling_id WHERE w.experiment = ?1 AND technique = 'exact' AND sa.other_input IS NOT NULL"
    " AND sa.first_seconds IS NULL AND benefit IS NOT NULL HAVING count(*) > 0";

/* Results that would overlap are one point. */
static const char SCATTER_SQL[] =
    "WITH w AS MATERIALIZED (SELECT technique, overlap_active AS x, benefit AS y FROM worth"
    " WHERE experiment = ?1 AND (baseline = 1 OR number IS NOT NULL) AND overlap_active IS NOT NULL"
    " AND benefit IS NOT NULL),"
    " k AS (SELECT technique, row_number() OVER (ORDER BY count(*) DESC, technique) AS series"
    " FROM w GROUP BY technique)"
    " SELECT series, technique AS name, round(avg(x), 4) AS overlap, round(avg(y), 4) AS benefit,"
    " count(*) AS results, max(round(avg(y), 4), " LEAST ") AS drawn, printf('%s%s: overlap %.3f,"
    " benefit %.3f', technique, iif(count(*) > 1, printf(', %d results', count(*)), ''), avg(x),"
    " avg(y)) AS hint FROM w JOIN k USING (technique)"
    " GROUP BY series, round(200 * x), round(100 * y) ORDER BY series, 3, 4";
enum { SCATTER_OVERLAP = 2, SCATTER_DRAWN = 5 };

/* The sums for Spearman's rank correlation; equal values get their mean rank. */
static const char RANKS_SQL[] =
    "WITH w AS MATERIALIZED (SELECT overlap_active AS x, benefit AS y FROM worth WHERE experiment ="
    " ?1 AND (baseline = 1 OR number IS NOT NULL) AND overlap_active IS NOT NULL AND benefit IS NOT"
    " NULL), r AS (SELECT rank() OVER (ORDER BY x) + 0.5 * count(*) OVER (PARTITION BY x) AS a,"
    " rank() OVER (ORDER BY y) + 0.5 * count(*) OVER (PARTITION BY y) AS b FROM w)"
    " SELECT avg(a * b) - avg(a) * avg(b), avg(a * a) - avg(a) * avg(a), avg(b * b) - avg(b) *"
    " avg(b), count(*) FROM r";

extern const char benefit_gp[], likeness_gp[];

static void name_series(struct chart *c, size_t n, enum ink ink, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void name_series(struct chart *c, size_t n, enum ink ink, const char *format, ...) {
    char name[60];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    chart_label(c, n + 1, 46 + 210 * (double)(n % 2), 18 + 19 * (double)(n / 2), ANCHOR_LEFT, ink,
                name);
}

/* Writes the names of all series above the picture, two in a line, with their points and colours,
 * and the level of other input. Returns where the picture may begin. */
static double put_legend(struct chart *c, const struct table *t, double level) {
    static const char *const points[] = {"●", "◆", "▲"}; /* as in the scripts */
    const size_t rows = table_rows(t), series = (size_t)cell_number(t, rows - 1, 0);
    const bool has_level = isfinite(level);
    gnuplot_add(&c->set, "series = %zu\narray ink[series]\nlevels = %d\nlevel = %.4f\n", series,
                has_level, has_level ? level : 0);
    chart_labels(c, series + has_level);
    for (size_t i = 0, n = 0; i < rows; i++) {
        const enum ink ink = INK_SERIES + (enum ink)(n % INK_SERIES_COUNT);
        if (i > 0 && strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) == 0)
            continue;
        name_series(c, n, ink, "%s %.28s", points[n % 3], cell_text(t, i, 1));
        gnuplot_add(&c->set, "ink[%zu] = ink_%s\n", ++n, palette_name(ink));
    }
    if (has_level)
        name_series(c, series, INK_TEXT, "┈ exact, other input: %.3f", level);
    return 56 + 19 * (double)((series + has_level - 1) / 2);
}

/* The axis: from below the worst value to above what the exact graph gains, in steps of a
 * quarter. */
static void put_benefits(struct chart *c, const struct table *t, size_t column) {
    double least = 0, most = 1;
    for (size_t i = 0; i < table_rows(t); i++) {
        least = fmin(least, cell_number(t, i, column));
        most = fmax(most, cell_number(t, i, column));
    }
    gnuplot_add(&c->set, "y_low = %.9g; y_high = %.9g; y_step = 0.25\n",
                floor(4 * least - 0.01) / 4, fmax(1.1, most + 0.05));
}

static enum status ask_level(struct page *p, double *level) {
    struct table t;
    enum status status = page_ask(p, &t, LEVEL_SQL, NULL);
    *level = status == STATUS_OK && table_rows(&t) > 0 ? cell_number(&t, 0, 0) : NAN;
    table_free(&t);
    return status;
}

static enum status draw_curve(struct page *p, const struct table *t, double level) {
    const size_t rows = table_rows(t);
    double low = 100, high = 0;
    for (size_t i = 0; i < rows; i++) {
        low = fmin(low, cell_number(t, i, CURVE_SHARE));
        high = fmax(high, cell_number(t, i, CURVE_SHARE));
    }
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 0, "benefit");
    const double top = put_legend(&c, t, level);
    c.height = top + 310;
    chart_frame(&c, 46, CANVAS_COLUMN - 18, top, top + 266,
                "sampled instructions, % of those executed", "benefit for code layout");
    gnuplot_add(&c.set, "x_low = %.9g; x_high = %.9g\n", low / 1.5, high * 1.5);
    put_benefits(&c, t, CURVE_Y);
    char caption[500];
    snprintf(
        caption, sizeof caption,
        "Means over %.12s %s; of a technique's configurations the best on each sampling. "
        "Lines join the best samplings at each share. Dashed: with falls inferred, the edges "
        "along which a block runs on into the next one.%s Benefits below −0.25 are drawn there.",
        cell_text(t, 0, CURVE_GAMES), page_subjects(p),
        isfinite(level) ? " Dotted: the level of an exact profile of other input." : "");
    p->about[0] = '\0';
    return chart_end(
        &c, p, t, benefit_gp,
        &(struct chart_words){
            "How much must be observed for faster code?",
            "A line for each technique and kind of samples: the benefit of a code layout by its "
            "graph, 0 as the code is and 1 by the exact graph, over the share of the executed "
            "instructions in the samples.",
            caption});
}

static enum status draw_scatter(struct page *p, const struct table *t, double level) {
    struct table terms;
    enum status status = page_ask(p, &terms, RANKS_SQL, NULL);
    if (status != STATUS_OK)
        return status;
    const double rho =
        cell_number(&terms, 0, 0) / sqrt(cell_number(&terms, 0, 1) * cell_number(&terms, 0, 2));
    double low = 1;
    for (size_t i = 0; i < table_rows(t); i++)
        low = fmin(low, cell_number(t, i, SCATTER_OVERLAP));
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, 0, "likeness");
    const double top = put_legend(&c, t, level);
    c.height = top + 350;
    chart_frame(&c, 46, CANVAS_COLUMN - 18, top, top + 306,
                "overlap with the exact graph, without busy-waits", "benefit for code layout");
    chart_range(&c, 'x', low, 1);
    put_benefits(&c, t, SCATTER_DRAWN);
    char caption[500], ranks[100] = "";
    if (isfinite(rho))
        snprintf(ranks, sizeof ranks, " Spearman's correlation of their ranks: %.2f.", rho);
    snprintf(caption, sizeof caption,
             "A disc for each of %.12s results; those that would lie on each other are one.%s 0: "
             "the code as it is; 1: laid out by the exact graph.%s Benefits below −0.25 are drawn "
             "there.",
             cell_text(&terms, 0, 3), ranks,
             isfinite(level) ? " Dotted: the level of an exact profile of other input." : "");
    table_free(&terms);
    p->about[0] = '\0';
    return chart_end(
        &c, p, t, likeness_gp,
        &(struct chart_words){
            "Do graphs closer to the exact one make code faster?",
            "A disc for each result, by technique: the benefit of a code layout by its "
            "graph over the overlap of the graph with the exact one.",
            caption});
}

enum status page_worth(struct page *p) {
    struct table t;
    double level;
    enum status status = ask_level(p, &level);
    if (status == STATUS_OK)
        status = page_ask(p, &t, CURVE_SQL, NULL);
    if (status != STATUS_OK)
        return status;
    if (table_rows(&t) > 0)
        status = draw_curve(p, &t, level);
    table_free(&t);
    if (status == STATUS_OK)
        status = page_ask(p, &t, SCATTER_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 1)
        status = draw_scatter(p, &t, level);
    table_free(&t);
    return status;
}
