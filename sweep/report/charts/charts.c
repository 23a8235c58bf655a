/* Figures over all games. */
#include "report/charts/charts.h"
#include "report/charts/charts_cost.h"
#include "report/charts/charts_ranks.h"
#include "report/charts/charts_study.h"
#include "report/charts/charts_windows.h"
#include "report/charts/charts_worth.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how the grid's configurations are distributed ---- */

static const char DISTRIBUTION_SQL[] =
    "WITH v AS (SELECT r.game, 100 * r.%s AS value, 100 * b.%s AS baseline,"
    " t.paper_worst_percent AS low, t.paper_best_percent AS high, t.paper_game FROM results r"
    " LEFT JOIN baseline b USING (experiment, game, variant, hot_permille)"
    " LEFT JOIN table2 t ON t.experiment = r.experiment AND t.game = r.game"
    " AND t.variant = r.variant AND t.hot_permille = r.hot_permille AND t.technique = r.technique"
    " WHERE r.experiment = ?1 AND r.number IS NOT NULL AND r.variant = '' AND r.hot_permille = ?3"
    " AND r.technique = ?5 AND r.%s IS NOT NULL),"
    " n AS (SELECT game, CAST(max(0, min(99, value)) AS INTEGER) AS percent,"
    " count(*) AS configurations, min(baseline) AS baseline, min(low) AS low, min(high) AS high,"
    " min(paper_game) AS paper_game FROM v GROUP BY 1, 2),"
    " f AS (SELECT *, row_number() OVER (PARTITION BY game ORDER BY percent) = 1 AS first FROM n)"
    " SELECT dense_rank() OVER (ORDER BY game) AS row, game, percent, configurations,"
    " round(1.0 * configurations / max(configurations) OVER (PARTITION BY game), 4) AS height,"
    " printf('%%d configuration%%s: %%d to %%d %%%%', configurations,"
    " iif(configurations = 1, '', 's'), percent, percent + 1) AS hint,"
    " iif(first, round(baseline, 3), NULL) AS baseline, iif(first AND baseline IS NOT NULL,"
    " printf('read directly off the samples: %%.1f %%%%', baseline), NULL) AS baseline_hint,"
    " iif(first AND high IS NOT NULL, low, NULL) AS paper_low, iif(first AND low IS NOT NULL, high,"
    " NULL) AS paper_high, iif(first AND low IS NOT NULL AND high IS NOT NULL,"
    " printf('%%s in the paper: %%.0f to %%.0f %%%%', paper_game, low, high), NULL) AS paper_hint"
    " FROM f ORDER BY row, percent";

extern const char distribution_gp[], effects_gp[];

/* Names and colours of the rows. */
static void name_games(const struct page *p, struct chart *c, const struct table *t) {
    const size_t rows = table_rows(t), games = (size_t)cell_number(t, rows - 1, 0);
    gnuplot_add(&c->set, "games = %zu\narray label[games]\narray ink[games]\n", games);
    for (size_t i = 0, row = 0; i < rows; i++) {
        if (i > 0 && strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) == 0)
            continue;
        char name[16], variable[40];
        short_name(cell_text(t, i, 1), 12, name);
        snprintf(variable, sizeof variable, "label[%zu]", ++row);
        gnuplot_quote(&c->set, variable, name);
        gnuplot_add(&c->set, "ink[%zu] = ink_%s\n", row,
                    palette_name(page_game_ink(p, cell_text(t, i, 1))));
    }
}

static enum status draw_distribution(struct page *p, const struct table *t, const char *kind,
                                     const char *question, const char *what) {
    struct chart c;
    const bool paper = chart_has(t, 8);
    const double bottom = 34 + 40.0 * cell_number(t, table_rows(t) - 1, 0);
    chart_start(&c, CANVAS_COLUMN, bottom + 44, "%s", page_id(p, kind).text);
    chart_frame(&c, 116, CANVAS_COLUMN - 14, 10, bottom, what, "");
    name_games(p, &c, t);
    gnuplot_add(&c.set, "baselines = %d\npapers = %d\n", chart_has(t, 6), paper);
    return chart_end(
        &c, p, t, distribution_gp,
        &(struct chart_words){
            question,
            "A row of bars for each game: how many configurations find how much; a diamond for "
            "reading directly off the samples; a band for the paper's range, if it has one.",
            paper ? "Bars: the grid's configurations, a percent wide. Diamond {text}: what can be "
                    "read "
                    "directly off the same samples. Band {band}: from the worst to the best result "
                    "of the "
                    "paper for its game of the same kind, another program with other input."
                  : "Bars: the grid's configurations, a percent wide. Diamond {text}: what can be "
                    "read "
                    "directly off the same samples."});
}

static enum status distribution(struct page *p, const char *kind, const char *metric,
                                const char *question, const char *what) {
    struct table t;
    char *sql;
    if (asprintf(&sql, DISTRIBUTION_SQL, metric, metric, metric) < 0)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
    enum status status = page_ask(p, &t, sql, NULL);
    free(sql);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw_distribution(p, &t, kind, question, what);
    table_free(&t);
    return status;
}

/* ---- main effects ---- */

static const char EFFECT_SQL[] =
    "WITH e AS MATERIALIZED (SELECT * FROM parameter_effect WHERE experiment = ?1"
    " AND hot_permille = ?3 AND way = ?4 AND technique = ?5)"
    " SELECT parameter, value, round(effect_points, 4) AS points,"
    " round(effect_active_points, 4) AS points_active,"
    " printf('%s = %s: %+.2f points; without busy-waits %s', parameter, value, effect_points,"
    " iif(effect_active_points IS NULL, 'nothing', printf('%+.2f', effect_active_points))) AS hint,"
    " 4 + 26 * dense_rank() OVER (ORDER BY parameter) + 19 * row_number() OVER (ORDER BY parameter,"
    " value) AS y, row_number() OVER (PARTITION BY parameter ORDER BY value) AS place,"
    " min(balanced) OVER () AS balanced FROM e"
    " WHERE parameter IN (SELECT parameter FROM e GROUP BY parameter"
    " HAVING count(DISTINCT value) > 1) ORDER BY y";

static double largest(const struct table *t, size_t column) {
    double most = 0;
    for (size_t i = 0; i < table_rows(t); i++) {
        const double value = fabs(cell_number(t, i, column));
        most = isfinite(value) ? fmax(most, value) : most;
    }
    return most;
}

static enum status draw_effects(struct page *p, const struct table *t, const char *question) {
    const double most = fmax(largest(t, 2), largest(t, 3)),
                 bottom = 16 + cell_number(t, table_rows(t) - 1, 5);
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, bottom + 44, "%s", page_id(p, "effects").text);
    chart_frame(&c, 150, CANVAS_COLUMN - 16, 10, bottom,
                "percentage points of similarity from the mean", "");
    chart_range(&c, 'x', -most, most);
    const bool waits = chart_differs(t, 2, 3);
    char caption[300];
    snprintf(caption, sizeof caption, "Discs {s0} on stems: everything that was executed%s. %s",
             waits ? "; diamonds {s1}: without busy-waits" : "",
             strcmp(cell_text(t, 0, 7), "1") == 0
                 ? "The longer the stem, the more the value matters."
                 : "Values of some parameters are not combined equally often with those of others "
                   "here, so a stem does not show the effect of its parameter alone.");
    gnuplot_add(&c.set, "active = %d\n", waits ? 4 : 3);
    return chart_end(
        &c, p, t, effects_gp,
        &(struct chart_words){
            question,
            "For each value of each parameter, the difference in percentage points between the "
            "mean over all other parameters and all games and the mean of everything.",
            caption});
}

static enum status effects(struct page *p) {
    static const char question[] = "Which parameter matters, and which way?";
    struct table t;
    enum status status = page_ask(p, &t, EFFECT_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw_effects(p, &t, question);
    table_free(&t);
    return status;
}

/* ---- all of them ---- */

/* The techniques of the grid, those with more configurations first. */
static const char TECHNIQUES_SQL[] =
    "SELECT c.technique, count(*) FROM experiment x JOIN experiment_configuration xc USING"
    " (experiment_id) JOIN configuration c USING (configuration_id) WHERE x.name = ?1 AND "
    "xc.number IS NOT NULL"
    " GROUP BY c.technique ORDER BY count(*) DESC, c.technique";
/* Does it make a difference whether busy-waits count? */
static const char WAITS_SQL[] =
    "SELECT 1 FROM results WHERE experiment = ?1 AND number IS NOT NULL AND variant = ''"
    " AND hot_permille = ?3 AND technique = ?5 AND similarity_active IS NOT similarity LIMIT 1";

static enum status distributions(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, TECHNIQUES_SQL, NULL);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++) {
        if (i > 0 && strcmp(cell_text(&t, i, 1), "1") == 0)
            continue; /* one configuration has no distribution */
        p->technique = cell_text(&t, i, 0);
        p->study = (unsigned)i;
        page_speak_of(p, "Each game or program with its first sampling.");
        status = distribution(p, "distribution", "similarity",
                              "How much of the hot graph does each configuration find?",
                              "similarity, %");
        bool waits = false;
        if (status == STATUS_OK)
            status = page_holds(p, WAITS_SQL, &waits);
        if (waits)
            status = distribution(p, "distribution-active", "similarity_active",
                                  "And when waiting for the next frame does not count?",
                                  "similarity without busy-waits, %");
    }
    p->technique = NULL;
    p->study = 0;
    table_free(&t);
    return status;
}

/* Studies of the games' first streams: a technique on what is sampled in one way. */
static const char STUDIES_SQL[] =
    "SELECT k.way, c.technique, iif(count(DISTINCT k.game) < 9, 'On ' ||"
    " replace(group_concat(DISTINCT k.game), ',', ', ') || '.', 'On ' || count(DISTINCT k.game) ||"
    " ' games or programs.'), count(DISTINCT c.configuration_id)"
    " FROM completeness k JOIN experiment_configuration xc USING (experiment_id)"
    " JOIN configuration c USING (configuration_id) WHERE k.experiment = ?1 AND k.variant = ''"
    " AND k.results > 0 AND xc.number IS NOT NULL GROUP BY k.way, c.technique"
    " ORDER BY min(k.game), count(DISTINCT c.configuration_id) DESC, k.way, c.technique";

static enum status studies(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, STUDIES_SQL, NULL);
    for (size_t i = 0; status == STATUS_OK && (i < table_rows(&t) || i == 0); i++) {
        if (i > 0 && strcmp(cell_text(&t, i, 3), "1") == 0)
            continue; /* a single configuration has nothing to be compared with */
        const bool any = i < table_rows(&t);
        p->way = any ? cell_text(&t, i, 0) : NULL;
        p->technique = any ? cell_text(&t, i, 1) : NULL;
        p->study = (unsigned)i;
        page_speak_of(p, any ? cell_text(&t, i, 2) : "");
        status = effects(p);
        if (status == STATUS_OK)
            status = page_interactions(p);
        if (status == STATUS_OK)
            status = page_agreement(p);
    }
    p->way = p->technique = NULL;
    p->study = 0;
    table_free(&t);
    return status;
}

enum status page_charts(struct page *p) {
    enum status status = distributions(p);
    if (status == STATUS_OK)
        status = page_ranks(p);
    if (status == STATUS_OK)
        status = studies(p);
    if (status == STATUS_OK)
        status = page_cost_charts(p);
    if (status == STATUS_OK)
        status = page_windows(p);
    if (status == STATUS_OK)
        status = page_worth(p);
    p->about[0] = '\0';
    return status;
}
