/* The summary: a headline, sentences that say how certain it is, and one picture. It covers one
 * study: the figures' hot share, the sampling configuration that most games share, and the
 * technique with the best configuration. */
#include "report/page/summary.h"
#include "report/charts/plot.h"
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
     "The worst of its {0} configurations finds {2} %; {3} find more than reading directly, on "
     "average."},
    {"SELECT round(min(sampled_percent), 2), round(max(sampled_percent), 2) FROM table1" SAMPLED
     " AND way NOT LIKE 'live%' HAVING min(sampled_percent) IS NOT NULL",
     "The samples have {0} to {1} % of the executed instructions."},
};

/* ---- the picture ---- */

/* The baseline, and the best and worst configuration of each technique. */
static const char MEANS_SQL[] =
    "WITH q AS (SELECT *, row_number() OVER (PARTITION BY technique ORDER BY mean_percent DESC,"
    " number) AS first, row_number() OVER (PARTITION BY technique ORDER BY mean_percent, number"
    " DESC) AS last" WHOLE " AND number IS NOT NULL),"
    " m AS (SELECT technique || iif(last = 1, '', ', best') AS name, mean_percent, low_percent,"
    " high_percent, 0 AS direct FROM q WHERE first = 1 UNION ALL"
    " SELECT technique || ', worst', mean_percent, low_percent, high_percent, 0 FROM q"
    " WHERE last = 1 AND first > 1 UNION ALL"
    " SELECT 'read directly', mean_percent, low_percent, high_percent, 1" WHOLE
    " AND baseline = 1 ORDER BY mean_percent DESC, 1 LIMIT 12)"
    " SELECT substr(name, 1, 22) AS name, mean_percent AS mean, low_percent AS low, high_percent "
    "AS high, direct,"
    " printf('%s: %.2f %%', name, mean_percent) || iif(low_percent IS NULL, '',"
    " printf(', 95 %% interval %.2f to %.2f %%', low_percent, high_percent)) AS hint,"
    " 34 * row_number() OVER (ORDER BY mean_percent DESC, name) - 5 AS y FROM m ORDER BY y";
enum { MEAN_LOW = 2, MEAN_DIRECT = 4, MEAN_Y = 6 };

extern const char means_gp[];

static enum status draw_means(struct page *p, const struct table *t, const char *question) {
    const double bottom = cell_number(t, table_rows(t) - 1, MEAN_Y) + 17;
    const bool sure = chart_has(t, MEAN_LOW);
    size_t direct = 0;
    for (size_t i = 0; i < table_rows(t); i++)
        direct += cell_number(t, i, MEAN_DIRECT) != 0;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, bottom + 48, "means");
    chart_frame(&c, 150, CANVAS_COLUMN - 24, 12, bottom, "hot edges found, %", "");
    gnuplot_add(&c.set, "sures = %d\ndirects = %d\nothers = %d\n", sure, direct > 0,
                direct < table_rows(t));
    return chart_end(
        &c, p, t, means_gp,
        &(struct chart_words){
            question,
            "A row each for reading directly off the samples and for the best and the worst "
            "configuration of each technique: the mean, and its 95 % interval.",
            sure ? "Dots {found}: the mean over all that have results; bars: its 95 % interval. "
                   "Diamond {text}: what can be read directly off the same samples."
                 : "Dots {found}: what is found. Diamond {text}: what can be read directly off "
                   "the same samples."});
}

static enum status put_picture(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, MEANS_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 1)
        status = draw_means(p, &t, "How much of the hot graph is found, and how sure is that?");
    table_free(&t);
    return status;
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
