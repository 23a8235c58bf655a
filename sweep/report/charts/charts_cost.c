/* What techniques observe, cost and find, over all games. */
#include "report/charts/charts_cost.h"
#include "report/charts/plot.h"
#include "report/draw/placed_names.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char cost_gp[], frontier_gp[];

/* The length of most replays of the experiment. */
#define FRAMES                                                                                     \
    "(SELECT p.frames FROM experiment x JOIN experiment_stream USING (experiment_id)"              \
    " JOIN stream USING (stream_id) JOIN replay p USING (replay_id) WHERE x.name = ?1"             \
    " AND p.frames IS NOT NULL GROUP BY p.frames ORDER BY count(*) DESC, p.frames DESC LIMIT 1)"

/* ---- quality against the sampled share ---- */

static const char COST_SQL[] =
    "SELECT technique, round(100 * observed_share, 6) AS looked_at,"
    " round(100 * overlap_active, 4) AS overlap, max(round(100 * overlap_active, 4)) OVER"
    " (ORDER BY observed_share, overlap_active DESC, technique, parameters) AS best_so_far,"
    " dense_rank() OVER (ORDER BY technique) AS technique_number,"
    " printf('%s %s: %.4f %% sampled, overlap %.2f %%', technique, parameters,"
    " 100 * observed_share, 100 * overlap_active) AS hint, frames"
    " FROM technique_mean WHERE hot_permille = ?3 AND games = of_games AND observed_share > 0"
    " AND frames = " FRAMES
    " AND overlap_active IS NOT NULL AND configuration_id IN (SELECT configuration_id"
    " FROM experiment JOIN experiment_configuration USING (experiment_id) WHERE name = ?1)"
    " ORDER BY observed_share, overlap_active DESC, technique, parameters";
enum { COST_TECHNIQUE = 4, COST_FRAMES = 6 };

/* All techniques of the database: a technique has one colour and one kind of point in all charts. */
static const char TECHNIQUES_SQL[] =
    "SELECT DISTINCT technique FROM configuration ORDER BY technique";

static size_t number_of(const struct table *techniques, const char *name) {
    size_t i = 0;
    while (i < table_rows(techniques) && strcmp(cell_text(techniques, i, 0), name) != 0)
        i++;
    return i;
}

/* A square chart of columns 1 and 2. Its axes begin at powers of ten below all points and end at
 * 100 %. */
struct square {
    struct axis x, y;
};
static struct square square_of(struct chart *c, const struct table *t, const char *id,
                               const char *x_name, const char *y_name) {
    double least = 100, low = 1e9, high = 0;
    for (size_t i = 0; i < table_rows(t); i++) {
        least = fmin(least, cell_number(t, i, 2));
        low = fmin(low, cell_number(t, i, 1));
        high = fmax(high, cell_number(t, i, 1));
    }
    chart_start(c, CANVAS_COLUMN, 344, "%s", id);
    chart_frame(c, 52, CANVAS_COLUMN - 18, 34, 300, x_name, y_name);
    const struct axis x = chart_powers(c, low * 0.998, high * 1.002);
    return (struct square){x, chart_range(c, 'y', fmax(least, 0), 100)};
}

enum { NAMES_MOST = 32, LETTER = 8, LINE_OF_TEXT = 17, BASELINE = 5 };

/* The names of a square chart's techniques, and of its line if it has one. */
struct square_names {
    const struct table *t;
    struct chart *c;
    const struct axis *x, *y;
    size_t techniques;
    struct name names[NAMES_MOST + 1];
    size_t rows[NAMES_MOST]; /* one that has the technique */
    struct crowd crowd;
    struct anchor_point *points;
};

static const char *const line_words[] = {"exact profile of", "a second movie"};

/* A point for each row. A name belongs to its technique's best point, or to the first. */
static void add_techniques(struct square_names *s, bool best) {
    bool met[NAMES_MOST] = {false};
    for (size_t i = 0; i < table_rows(s->t); i++) {
        const size_t place = (size_t)cell_number(s->t, i, COST_TECHNIQUE) - 1;
        s->points[i] = (struct anchor_point){.x = axis_at(s->x, cell_number(s->t, i, 1)),
                                             .y = axis_at(s->y, cell_number(s->t, i, 2)),
                                             .name = place,
                                             .is_drawn = true};
        if (place >= NAMES_MOST)
            continue;
        if (!met[place] ||
            (best && cell_number(s->t, i, 2) > cell_number(s->t, s->names[place].first, 2)))
            s->names[place].first = i;
        s->techniques += !met[place];
        met[place] = true;
        s->rows[place] = i;
    }
    for (size_t i = 0; i < s->techniques; i++) {
        s->names[i].width = (double)(LETTER * strlen(cell_text(s->t, s->rows[i], 0)));
        s->names[i].height = LINE_OF_TEXT;
    }
    s->crowd.count = table_rows(s->t);
}

/* The line's two words may stand above or below it anywhere, at its right end if there is room. */
enum { ON_LINE = 12 };
static void add_line(struct square_names *s, double value) {
    struct name *const name = &s->names[s->techniques];
    const double at = axis_at(s->y, value), right = s->x->to, left = s->x->from;
    name->width = (double)(LETTER * strlen(line_words[0]));
    name->height = 2 * LINE_OF_TEXT;
    name->first = s->crowd.count;
    for (size_t i = 0; i < ON_LINE; i++)
        s->points[s->crowd.count++] = (struct anchor_point){
            .x = right - name->width / 2 - (right - left - name->width) * (double)i / (ON_LINE - 1),
            .y = at,
            .name = s->techniques};
    s->crowd.line = (struct box){left, at - 1, right, at + 1};
}

static void write_name(const struct square_names *s, size_t i, const struct box *at, enum ink ink,
                       const char *text) {
    chart_label(s->c, i + 1, (at->left + at->right) / 2, (at->top + at->bottom) / 2 + BASELINE,
                ANCHOR_MIDDLE, ink, text);
}

static void write_names(const struct square_names *s, const struct table *techniques, bool line) {
    const size_t labels = s->techniques + (line ? 2 : 0);
    chart_labels(s->c, labels);
    gnuplot_add(&s->c->set, "array number[%zu]\n", labels);
    for (size_t i = 0; i < labels; i++) {
        const char *const text = i < s->techniques ? cell_text(s->t, s->rows[i], 0) : "";
        const size_t number = i < s->techniques ? number_of(techniques, text) : 0;
        gnuplot_add(&s->c->set, "number[%zu] = %zu\n", i + 1, number + 1);
        if (i < s->techniques)
            write_name(s, i, &s->names[i].at, INK_SERIES + (enum ink)(number % INK_SERIES_COUNT),
                       text);
    }
    if (!line)
        return;
    struct box upper = s->names[s->techniques].at, lower = upper;
    upper.bottom = lower.top = (upper.top + upper.bottom) / 2;
    write_name(s, s->techniques, &upper, INK_TEXT, line_words[0]);
    write_name(s, s->techniques + 1, &lower, INK_TEXT, line_words[1]);
}

/* Writes each technique's name once, with its colour and its kind of point, and that of a line at
 * *line if that is not NULL. An error frees the chart. */
static enum status name_techniques(struct chart *c, const struct table *t,
                                   const struct table *techniques, const struct square *at,
                                   bool best, const double *line, struct error *e) {
    struct square_names s = {.t = t, .c = c, .x = &at->x, .y = &at->y};
    s.points = calloc(table_rows(t) + ON_LINE, sizeof *s.points);
    if (!s.points) {
        gnuplot_free(&c->set);
        return error_set(e, STATUS_MEMORY, "out of memory for a chart");
    }
    s.crowd.points = s.points;
    s.crowd.frame = (struct box){at->x.from, at->y.to - 10, at->x.to, at->y.from};
    add_techniques(&s, best);
    if (line)
        add_line(&s, *line);
    place_names(s.names, s.techniques + (line ? 1 : 0), &s.crowd);
    write_names(&s, techniques, line != NULL);
    free(s.points);
    return STATUS_OK;
}

static void speak_of_frames(struct page *p, const char *frames) {
    char games[60];
    snprintf(games, sizeof games, "All games of %.12s frames, with all samplings.", frames);
    page_speak_of(p, games);
}

static enum status draw_cost(struct page *p, const struct table *t, const struct table *techniques,
                             const char *question) {
    struct chart c;
    const struct square at = square_of(&c, t, "cost", "sampled instructions, % of those executed",
                                       "overlap with the exact graph without busy-waits, %");
    const enum status status = name_techniques(&c, t, techniques, &at, true, NULL, p->r->e);
    if (status != STATUS_OK)
        return status;
    gnuplot_add(&c.set, "rows = %zu\n", table_rows(t));
    speak_of_frames(p, cell_text(t, 0, COST_FRAMES));
    return chart_end(
        &c, p, t, cost_gp,
        &(struct chart_words){
            question,
            "One point for each technique and configuration: the share of the executed "
            "instructions in its samples, and how far its graph overlaps with the exact one; a "
            "dashed line along those that no other beats.",
            "Means over the games. Up and to the left is better; the dashed line joins those that "
            "no other beats. The sampled share is not a cost: 'hotgraph costs' counts the host "
            "instructions that a technique adds."});
}

static enum status looked_at(struct page *p, const struct table *techniques) {
    static const char question[] = "How much is found with how many samples?";
    struct table t;
    enum status status = page_ask(p, &t, COST_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 0)
        status = draw_cost(p, &t, techniques, question);
    table_free(&t);
    return status;
}

/* ---- quality against host instructions ---- */

/* other: what the exact profile of another movie reaches. Costs below a tenth of a percent are
 * drawn at a tenth. */
static const char FRONTIER_SQL[] =
    "WITH f AS MATERIALIZED (SELECT * FROM technique_frontier WHERE frames = " FRAMES "),"
    " t AS (SELECT *, %s AS quality, told = 'nothing' AS alone FROM f"
    " WHERE steady_cost_percent IS NOT NULL AND overlap_active IS NOT NULL AND games ="
    " (SELECT max(games) FROM f))"
    " SELECT technique, round(max(steady_cost_percent, 0.1), 4) AS added, round(100 * quality, 4)"
    " AS found, (SELECT round(100 * avg(%s), 4) FROM f WHERE technique = 'exact' AND sampling <> "
    "'')"
    " AS other, dense_rank() OVER (ORDER BY technique) AS technique_number,"
    " printf('%%s%%s: %%.1f %%%% added, %%.2f %%%% found; told: %%s', technique,"
    " iif(sampling = '', '', ' on ' || sampling), steady_cost_percent, 100 * quality, told) AS "
    "hint,"
    " alone, frames FROM t WHERE quality IS NOT NULL ORDER BY 2, 3 DESC, hint";
enum { FRONTIER_OTHER = 3, FRONTIER_FRAMES = 7 };

static enum status draw_frontier(struct page *p, const struct table *t,
                                 const struct table *techniques, const char *id,
                                 const char *question, const char *y_name) {
    const bool other = chart_has(t, FRONTIER_OTHER);
    struct chart c;
    const struct square at = square_of(&c, t, id, "host instructions added, %", y_name);
    const double reached = other ? cell_number(t, 0, FRONTIER_OTHER) : 0;
    const enum status status =
        name_techniques(&c, t, techniques, &at, false, other ? &reached : NULL, p->r->e);
    if (status != STATUS_OK)
        return status;
    gnuplot_add(&c.set, "rows = %zu\nothers = %d\n", table_rows(t), other);
    if (other)
        gnuplot_add(&c.set, "other = %.9g\n", reached);
    speak_of_frames(p, cell_text(t, 0, FRONTIER_FRAMES));
    return chart_end(
        &c, p, t, frontier_gp,
        &(struct chart_words){
            question,
            "One point for each technique and sampling: the host instructions that it adds to "
            "the translator in the steady state, in all replays that it needs, and what it finds.",
            other ? "Means over the games. Up and to the left is better. Strong: told nothing of "
                    "this run beforehand; pale: told its busy-waits or its structure. The dashed "
                    "line is the exact profile of another movie of the same game: a result above "
                    "it is more exact than a user with other input can make use of."
                  : "Means over the games. Up and to the left is better. Strong: told nothing of "
                    "this run beforehand; pale: told its busy-waits or its structure."});
}

static enum status frontier(struct page *p, const struct table *techniques, const char *id,
                            const char *quality, const char *question, const char *y_name) {
    struct table t;
    char *sql;
    if (asprintf(&sql, FRONTIER_SQL, quality, quality) < 0)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a query");
    enum status status = page_ask(p, &t, sql, NULL);
    free(sql);
    if (status == STATUS_OK && table_rows(&t) > 1)
        status = draw_frontier(p, &t, techniques, id, question, y_name);
    table_free(&t);
    return status;
}

/* clang-format off */
#define PERCENT(column, name) "round(" column ", 2) AS '" name "'"
static const char TABLE_SQL[] =
    "WITH f AS MATERIALIZED (SELECT * FROM technique_frontier WHERE frames = " FRAMES ")"
    " SELECT technique, parameters, sampling, told, replays, games, "
    PERCENT("steady_cost_percent", "added, steady, %") ", " PERCENT("cost_percent", "whole run, %") ", "
    PERCENT("cost_percent_worst", "worst game, %") ", "
    "round(added_a_steady_frame) AS 'host instructions a frame, steady', "
    "round(added_a_frame) AS 'whole run', round(probes_a_frame, 1) AS 'events a frame', "
    "round(handlers_a_frame, 1) AS 'calls', round(samples_a_frame, 2) AS 'samples', "
    "round(observed_percent, 4) AS 'observed, % of instructions', "
    "round(of_active_percent, 3) AS '% of active transfers', round(added_kib) AS 'memory, KiB', "
    PERCENT("100 * overlap_active", "overlap, %") ", " PERCENT("100 * overlap_active_worst", "worst overlap, %") ", "
    PERCENT("100 * overlap", "with busy-waits, %") ", " PERCENT("100 * benefit", "benefit, %")
    " FROM f WHERE EXISTS (SELECT 1 FROM f WHERE steady_cost_percent IS NOT NULL)"
    " ORDER BY steady_cost_percent IS NULL, steady_cost_percent, technique, sampling";
/* clang-format on */

enum status page_frontier(struct page *p) {
    return page_answer(
        p, "frontier-table", "What does each technique add to the program, and what does it find?",
        "Host instructions counted in the translator, beyond those of a replay without observers; "
        "the same on every machine. For techniques that know the structure they include recording "
        "it, but not the additional run that this takes. Cells are empty if nothing was counted: "
        "for techniques that watched another movie, and on machines without the translator.",
        TABLE_SQL, false);
}

enum status page_cost_charts(struct page *p) {
    struct table techniques;
    enum status status = page_ask(p, &techniques, TECHNIQUES_SQL, NULL);
    if (status == STATUS_OK)
        status = looked_at(p, &techniques);
    if (status == STATUS_OK)
        status = frontier(p, &techniques, "frontier", "overlap_active",
                          "How much is found, and what does it cost?",
                          "overlap with the exact graph without busy-waits, %");
    if (status == STATUS_OK)
        status = frontier(p, &techniques, "frontier-benefit", "min(benefit, 1)",
                          "And what is it worth for code layout?", "benefit of the code layout, %");
    table_free(&techniques);
    return status;
}
