/* The summary: a headline, sentences that say how certain it is, and one picture. It covers one
 * study: the figures' hot share, the sampling configuration that most games share, and the
 * technique with the best configuration. */
#include "report/page/summary.h"
#include "report/page/pieces.h"
#include "report/page/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE " FROM quality_interval" SAMPLED " AND scope = 'whole'"
#define BEST                                                                                       \
    "WITH best AS (SELECT *" WHOLE " AND technique = ?5 AND number IS NOT NULL"                    \
    " ORDER BY mean_percent DESC, number LIMIT 1) "
#define SUBJECTS                                                                                   \
    "(SELECT CASE WHEN min(kind = 'program') THEN 'programs' WHEN max(kind = 'program') THEN"      \
    " 'games and programs' ELSE 'games' END FROM results JOIN replay USING (replay_id)" STUDIED    \
    " AND number IS NOT NULL)"

static const struct sentence HEADLINE[] = {
    {BEST "SELECT ?5, printf('%.1f', mean_percent), printf('%.1f', mean_percent - gain_points) FROM"
          " best WHERE gain_points IS NOT NULL",
     "The best configuration of {=0} finds {1} % of the hot edges; reading edges directly off the "
     "same samples finds {2} %."},
};

static const struct sentence SHORT[] = {
    {BEST "SELECT games || ' ' || " SUBJECTS ", low_percent, high_percent, abs(gain_points),"
          " iif(gain_points < 0, -gain_high, gain_low), iif(gain_points < 0, -gain_low, gain_high),"
          " iif(gain_points < 0, 'less', 'more') FROM best WHERE gain_low IS NOT NULL",
     "That is the mean over {0}, with a 95 % interval of {1} to {2} %; it is {3} points {=6} than "
     "reading directly (95 % interval: {4} to {5})."},
    {"SELECT count(*), ?5, printf('%.1f', min(mean_percent)), sum(gain_points > 0)" WHOLE
     " AND technique = ?5 AND number IS NOT NULL HAVING count(*) > 1",
     "Of its {0} configurations the worst finds {2} %; {3} find more than reading directly, in the "
     "mean."},
    {"SELECT round(min(sampled_percent), 2), round(max(sampled_percent), 2) FROM table1" SAMPLED,
     "For that, {0} to {1} % of the executed instructions were looked at."},
};

/* ---- the picture ---- */

/* The baseline, and the best and worst configuration of each technique. */
static const char MEANS_SQL[] =
    "WITH q AS (SELECT *, row_number() OVER (PARTITION BY technique ORDER BY mean_percent DESC,"
    " number) AS first, row_number() OVER (PARTITION BY technique ORDER BY mean_percent, number"
    " DESC) AS last" WHOLE " AND number IS NOT NULL)"
    " SELECT technique || iif(last = 1, '', ', best'), mean_percent, low_percent, high_percent, 0"
    " AS baseline FROM q WHERE first = 1 UNION ALL"
    " SELECT technique || ', worst', mean_percent, low_percent, high_percent, 0 FROM q"
    " WHERE last = 1 AND first > 1 UNION ALL"
    " SELECT 'read directly', mean_percent, low_percent, high_percent, 1" WHOLE
    " AND baseline = 1 ORDER BY mean_percent DESC, 1 LIMIT 12";

enum { ROW = 34, LEFT = 150, TOP = 12 };

static double across(double percent) {
    return LEFT + (CANVAS_COLUMN - 24 - LEFT) * percent / 100;
}

static void draw_scale(struct canvas *c, double bottom) {
    for (int percent = 0; percent <= 100; percent += 20) {
        const double x = across(percent);
        canvas_line(c, x, TOP, x, bottom, INK_GRID, 1, STROKE_SOLID);
        canvas_text(c, x, bottom + 18, ANCHOR_MIDDLE, INK_MUTED, "%d", percent);
    }
    canvas_text(c, across(50), bottom + 38, ANCHOR_MIDDLE, INK_MUTED, "hot edges found, %%");
}

static void draw_mean(struct canvas *c, const struct table *t, size_t row) {
    const double y = TOP + ROW * ((double)row + 0.5), mean = cell_number(t, row, 1),
                 low = cell_number(t, row, 2), high = cell_number(t, row, 3);
    const bool direct = strcmp(cell_text(t, row, 4), "1") == 0;
    const enum ink ink = direct ? INK_TEXT : INK_FOUND;
    char hint[160];
    if (isfinite(low))
        snprintf(hint, sizeof hint, "%.80s: %.2f %%, 95 %% interval %.2f to %.2f %%",
                 cell_text(t, row, 0), mean, low, high);
    else
        snprintf(hint, sizeof hint, "%.80s: %.2f %%", cell_text(t, row, 0), mean);
    canvas_text(c, LEFT - 10, y + 5, ANCHOR_RIGHT, INK_TEXT, "%.22s", cell_text(t, row, 0));
    if (isfinite(low)) {
        canvas_line(c, across(low), y, across(high), y, ink, 3, STROKE_SOLID);
        canvas_line(c, across(low), y - 5, across(low), y + 5, ink, 1.5, STROKE_SOLID);
        canvas_line(c, across(high), y - 5, across(high), y + 5, ink, 1.5, STROKE_SOLID);
    }
    canvas_dot(c, across(mean), y, direct ? 7 : 6, direct ? 4 : 0, ink, hint);
}

static enum status put_picture(struct page *p) {
    static const char question[] = "How much of the hot graph is found, and how sure is that?";
    struct table t;
    enum status status = page_ask(p, &t, MEANS_SQL, NULL);
    const size_t rows = table_rows(&t);
    if (status != STATUS_OK || rows < 2) {
        table_free(&t);
        return status;
    }
    struct canvas c;
    const double bottom = TOP + ROW * (double)rows;
    bool sure = false;
    canvas_start(&c, "means", CANVAS_COLUMN, bottom + 48, question,
                 "A row each for reading directly off the samples and for the best and the worst "
                 "configuration of each technique: the mean, and its 95 % interval.");
    draw_scale(&c, bottom);
    for (size_t i = 0; i < rows; i++) {
        draw_mean(&c, &t, i);
        sure |= table_cell(&t, i, 2) != NULL;
    }
    table_free(&t);
    return page_figure(p, &c, question,
                       sure ? "Dots {found}: the mean over all that have results; bars: its 95 % "
                              "interval. Diamond {text}: what "
                              "can be read directly off the same samples."
                            : "Dots {found}: what is found. Diamond {text}: what can be read "
                              "directly off the same samples.");
}

/* ---- the summary ---- */

static const char WAY_SQL[] =
    "SELECT way FROM completeness WHERE experiment = ?1 AND results > 0 AND variant = ''"
    " GROUP BY way ORDER BY count(*) DESC, min(game), way LIMIT 1";
static const char TECHNIQUE_SQL[] =
    "SELECT technique" WHOLE
    " AND number IS NOT NULL ORDER BY mean_percent DESC, technique LIMIT 1";

static enum status put_study(struct page *p) {
    fputs("<section id='short' class='short'>\n<div>\n", p->out);
    enum status status = put_sentences(p, HEADLINE, 1, "h2");
    if (status == STATUS_OK)
        status = put_sentences(p, SHORT, sizeof SHORT / sizeof *SHORT, "p");
    page_speak_of(p, "");
    fputs("<p class='hint'>", p->out);
    page_text(p, p->about);
    fputs("</p>\n</div>\n", p->out);
    p->about[0] = '\0';
    p->technique = NULL;
    if (status == STATUS_OK)
        status = put_picture(p);
    fputs("</section>\n", p->out);
    return status;
}

enum status page_summary(struct page *p) {
    struct table way, technique = {0};
    enum status status = page_ask(p, &way, WAY_SQL, NULL);
    if (status == STATUS_OK && table_rows(&way) > 0) {
        p->way = cell_text(&way, 0, 0);
        status = page_ask(p, &technique, TECHNIQUE_SQL, NULL);
    }
    if (status == STATUS_OK && table_rows(&technique) > 0) {
        p->technique = cell_text(&technique, 0, 0);
        status = put_study(p);
    }
    p->way = p->technique = NULL;
    table_free(&way);
    table_free(&technique);
    return status;
}
