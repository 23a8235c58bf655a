/*
 * Figures and tables of the views in db/sql/questions.sql, which combine results of several games,
 * and what replays and techniques cost.
 */
#include "report/charts/charts_study.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- interactions of parameters ---- */

static const char INTERACTION_SQL[] =
    "WITH s AS MATERIALIZED (SELECT * FROM variance_share WHERE experiment = ?1"
    " AND hot_permille = ?3 AND way = ?4 AND technique = ?5 AND other IS NOT NULL),"
    " m AS (SELECT w.factor || ' with ' || iif(w.other = 'game' AND NOT EXISTS (SELECT 1 FROM"
    " completeness c JOIN stream USING (stream_id) JOIN replay p USING (replay_id) WHERE"
    " c.experiment = ?1 AND p.kind <> 'program'), 'program', w.other) AS factors,"
    " w.percent AS percent,"
    " a.percent AS percent_active, (SELECT count(*) FROM s WHERE scope = 'whole' AND NOT complete)"
    " AS undefined FROM s w LEFT JOIN s a ON a.scope = 'active'"
    " AND a.factor = w.factor AND a.other = w.other WHERE w.scope = 'whole' AND w.percent IS NOT"
    " NULL ORDER BY max(w.percent, coalesce(a.percent, 0)) DESC, 1 LIMIT 10)"
    " SELECT factors, round(percent, 4) AS percent, round(percent_active, 4) AS percent_active,"
    " undefined, printf('%s: %.2f %%; without busy-waits %s', factors, percent,"
    " iif(percent_active IS NULL, 'nothing', printf('%.2f %%', percent_active))) AS hint,"
    " 4 + 38 * row_number() OVER (ORDER BY max(percent, coalesce(percent_active, 0)) DESC, factors)"
    " AS y FROM m ORDER BY y";

extern const char interactions_gp[];

static enum status draw_interactions(struct page *p, const struct table *t, const char *question) {
    double most = 0;
    for (size_t i = 0; i < table_rows(t); i++)
        most = fmax(most, fmax(cell_number(t, i, 1), cell_number(t, i, 2)));
    const double bottom = 14 + 38.0 * (double)table_rows(t);
    const unsigned undefined = (unsigned)cell_number(t, 0, 3);
    char caption[400];
    const bool waits = chart_differs(t, 1, 2);
    int len = snprintf(caption, sizeof caption,
                       "What two explain together beyond what each explains alone. Discs {s0} on "
                       "stems: everything that was executed%s.",
                       waits ? "; diamonds {s1}: without busy-waits" : "");
    if (undefined > 0)
        snprintf(caption + len, sizeof caption - (size_t)len,
                 " Not defined for %u more, whose values are not combined equally often.",
                 undefined);
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, bottom + 44, "%s", page_id(p, "interactions").text);
    chart_frame(&c, 14, CANVAS_COLUMN - 20, 10, bottom, "share of the variation of similarity, %",
                "");
    chart_range(&c, 'x', 0, most);
    gnuplot_add(&c.set, "active = %d\n", waits ? 3 : 2);
    return chart_end(
        &c, p, t, interactions_gp,
        &(struct chart_words){
            question,
            "For each two parameters, or parameter and game, the share of all variation of the "
            "similarity that only both together explain; the largest ten.",
            caption});
}

enum status page_interactions(struct page *p) {
    char question[100];
    snprintf(question, sizeof question,
             "Which parameters matter only together, or only in some %s?", page_subjects(p));
    struct table t;
    enum status status = page_ask(p, &t, INTERACTION_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw_interactions(p, &t, question);
    table_free(&t);
    return status;
}

/* ---- do games agree? ---- */

/* A square for each pair of games; its colour is never so strong that the text on it cannot be
 * read. */
static const char AGREEMENT_SQL[] =
    "WITH g AS (SELECT game, row_number() OVER (ORDER BY game) AS n FROM (SELECT DISTINCT game"
    " FROM results WHERE experiment = ?1 AND hot_permille = ?3 AND way = ?4 AND technique = ?5"
    " AND number IS NOT NULL)), a AS (SELECT * FROM rank_agreement WHERE experiment = ?1"
    " AND hot_permille = ?3 AND scope = 'whole' AND way = ?4 AND technique = ?5)"
    " SELECT d.n AS row, r.n AS column, d.game AS other, r.game, round(tau, 4) AS tau,"
    " round(coalesce(0.08 + 0.47 * abs(tau), 0.02), 4) AS strength, coalesce(tau < 0, 0) AS"
    " contradicts, iif(tau IS NULL,"
    " printf('%s and %s: nothing to compare', d.game, r.game), printf('%s and %s: tau %.2f', "
    "d.game,"
    " r.game, tau)) AS hint"
    " FROM g d JOIN g r ON r.n < d.n LEFT JOIN a ON a.other = d.game AND a.game = r.game"
    " WHERE EXISTS (SELECT 1 FROM a) ORDER BY 1, 2";
enum { AGREEMENT_ROW, AGREEMENT_COLUMN, AGREEMENT_OTHER, AGREEMENT_GAME, AGREEMENT_TAU };

/* The names of the games: at the left, and below if there is room. */
static void name_squares(struct chart *c, const struct table *t, size_t games, double cell) {
    const double left = c->left;
    const bool below = cell > 30;
    char name[16];
    chart_labels(c, games + (below ? games - 1 : 0) + 1);
    for (size_t i = 0, row = 0; i < games; i++) {
        short_name(i == 0 ? cell_text(t, 0, AGREEMENT_GAME) : cell_text(t, row, AGREEMENT_OTHER),
                   12, name);
        row += i;
        chart_label(c, i + 1, left - 8, c->top + cell * ((double)i + 0.5) + 5, ANCHOR_RIGHT,
                    INK_TEXT, name);
    }
    for (size_t k = 0; below && k + 1 < games; k++) {
        short_name(cell_text(t, table_rows(t) - games + 1 + k, AGREEMENT_GAME), 9, name);
        chart_label(c, games + k + 1, left + cell * ((double)k + 0.5),
                    c->bottom + 14 + 17.0 * (double)(k % 2), ANCHOR_MIDDLE, INK_TEXT, name);
    }
    chart_label(c, games + (below ? games - 1 : 0) + 1, CANVAS_COLUMN - 8, 22, ANCHOR_RIGHT,
                INK_MUTED, "Kendall's tau-b, no unit");
}

extern const char agreement_gp[];

static enum status draw_agreement(struct page *p, const struct table *t, const char *question) {
    struct chart c;
    const size_t games = (size_t)cell_number(t, table_rows(t) - 1, AGREEMENT_ROW);
    const double cell = games <= 8 ? 44 : 352.0 / (double)games, side = cell * (double)games;
    chart_start(&c, CANVAS_COLUMN, side + 70, "%s", page_id(p, "agreement").text);
    chart_frame(&c, 116, 116 + side, 12, 12 + side, "", "");
    name_squares(&c, t, games, cell);
    bool agree = false, contradict = false;
    for (size_t i = 0; i < table_rows(t); i++) {
        agree |= cell_number(t, i, AGREEMENT_TAU) >= 0;
        contradict |= cell_number(t, i, AGREEMENT_TAU) < 0;
    }
    char caption[400];
    snprintf(caption, sizeof caption, "%s%sSeveral replays of a game count as their mean.",
             agree ? "Above 0 {s0}: rankings of the configurations agree; a stronger colour means "
                     "more agreement. "
                   : "",
             contradict ? "Below 0 {s1}: rankings that contradict each other. " : "");
    gnuplot_add(&c.set, "games = %zu\nnumbers = %d\n", games,
                cell > 30 && chart_has(t, AGREEMENT_TAU));
    return chart_end(
        &c, p, t, agreement_gp,
        &(struct chart_words){question,
                              "A square for each pair: Kendall's tau between their rankings of the "
                              "configurations, 1 for the same order, 0 for none.",
                              caption});
}

enum status page_agreement(struct page *p) {
    char question[100];
    snprintf(question, sizeof question,
             "Would one %s have been enough to find the best configuration?", page_subject(p));
    struct table t;
    enum status status = page_ask(p, &t, AGREEMENT_SQL, NULL);
    if (status == STATUS_OK && chart_has(&t, AGREEMENT_TAU)) /* else no two rankings compare */
        status = draw_agreement(p, &t, question);
    table_free(&t);
    return status;
}

/* ---- what replays and techniques cost ---- */

static const char BENCH_SQL[] =
    "WITH speed AS (SELECT game, configuration, engine, mode, frames,"
    " round(sum(frames) / sum(base_seconds)) AS speed FROM bench"
    " GROUP BY game, configuration, engine, mode, frames)"
    " SELECT game, engine, configuration, mode, frames, rounds,"
    " CAST(speed AS INTEGER) AS 'frames a second without', slowdown AS 'times as long with',"
    " slowdown_least AS 'least', slowdown_most AS 'most', us_batch AS 'us a batch'"
    " FROM technique_cost JOIN speed USING (game, configuration, engine, mode, frames)"
    " WHERE game IN (SELECT game FROM completeness WHERE experiment = ?1)"
    " ORDER BY game, engine, configuration, mode, frames";

enum status page_costs(struct page *p) {
    return page_answer(
        p, "bench", "How fast is a replay, and how much slower with a technique?",
        "These measurements vary from run to run: a difference that is smaller than that between "
        "least and most means nothing, nor does one between machines. Each replay with a technique "
        "alternates with one without, so the load of the machine affects a ratio less than a "
        "speed. With a single round, least and most are equal. A console shows 60 frames a "
        "second.",
        BENCH_SQL, false);
}

/* ---- techniques by what they may observe ---- */

static const char TECHNIQUES_SQL[] =
    "SELECT 1 FROM experiment x JOIN experiment_configuration USING (experiment_id)"
    " JOIN configuration USING (configuration_id) WHERE x.name = ?1 AND number IS NOT NULL"
    " GROUP BY x.name HAVING count(DISTINCT technique) > 1";

#define POINTS(column, name) "round(100 * " column ", 2) AS '" name "'"
/* clang-format off */
static const char BUDGET_SQL[] =
    "SELECT frames AS 'games of, frames', hot_permille / 10.0 AS 'hot %',"
    " round(budget_percent, 6) AS 'observed at most, %', iif(structure_allowed, 'yes', 'no') AS"
    " 'knows the structure', technique, parameters, sampling, games, replicates, "
    POINTS("overlap_active", "overlap, %") ", " POINTS("overlap_active_lowest", "least") ", "
    POINTS("overlap_active_highest", "most") ", " POINTS("overlap_active_least", "worst game") ", "
    POINTS("hot_f1_active", "hot f1, %") ", " POINTS("overlap", "overlap with busy-waits, %")
    ", told AS 'told of this run', round(of_active_percent, 3) AS 'observed, % of active transfers',"
    " round(steady_cost_percent, 1) AS 'host instructions added, %'"
    " FROM technique_at_budget WHERE technique IS NOT NULL AND hot_permille IN (SELECT hot_permille"
    " FROM experiment x JOIN experiment_hot USING (experiment_id) WHERE x.name = ?1)"
    " AND frames IN (SELECT p.frames FROM experiment x JOIN experiment_stream USING (experiment_id)"
    " JOIN stream s USING (stream_id) JOIN replay p USING (replay_id) WHERE x.name = ?1)";
/* clang-format on */

enum status page_budgets(struct page *p) {
    bool several;
    enum status status = page_holds(p, TECHNIQUES_SQL, &several);
    if (!several)
        return status;
    return page_answer(
        p, "budgets",
        "Which technique finds most within a sampling budget, with and without the structure?",
        "The best on average over all games in the database that were played for this number of "
        "frames, among all samplings, without busy-waits. Programs have no frames and are left "
        "out. Equal ones have a row each. Least and most are the means of the worst and the best "
        "replicate; the worst game is taken over all replicates. The cost of a "
        "technique is not what it observes but the host instructions that it adds, shown where "
        "'hotgraph costs' has counted them.",
        BUDGET_SQL, false);
}
