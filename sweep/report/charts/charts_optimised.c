/* Programs laid out by BOLT: what `hotgraph optimise` measured, if the database has it. */
#include "report/charts/charts_optimised.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <string.h>

/* Values below LEAST are drawn at LEAST. `series` is a colour of the script. */
#define LEAST "-0.25"
static const char POINTS_SQL[] =
    "SELECT CASE WHEN kind <> 'found' THEN 4 WHEN technique LIKE 'flow %' THEN 1"
    " WHEN technique LIKE 'observed%' THEN 2 ELSE 3 END AS series,"
    " round(benefit_predicted, 4) AS predicted, round(benefit_measured, 4) AS measured,"
    " round(max(benefit_predicted, " LEAST "), 4) AS x, round(max(benefit_measured, " LEAST
    "), 4) AS y,"
    " printf('%s, %s%s%s%s: predicted %.3f, measured %.3f', program, iif(kind = 'found', technique,"
    " kind), iif(kind = 'found', ', ', ''), sampling, iif(inferred, ', falls inferred', ''),"
    " benefit_predicted, benefit_measured) AS hint FROM optimised"
    " WHERE benefit_predicted IS NOT NULL AND benefit_measured IS NOT NULL AND kind <> 'exact'"
    " ORDER BY series, program, kind, technique, inferred, sampling";
enum { POINT_SERIES, POINT_X = 3, POINT_Y };

static const char MEANS_SQL[] =
    "SELECT iif(kind = 'found', technique, kind) AS profile, sampling, inferred AS 'falls "
    "inferred',"
    " programs, round(100 * observed_share, 4) AS 'observed, %', round(overlap, 3) AS overlap,"
    " round(benefit_predicted, 3) AS predicted, round(benefit_measured, 3) AS measured,"
    " round(benefit_least, 3) AS 'worst program', round(distance, 3) AS distance,"
    " round(100 * taken_saved, 1) AS 'fewer taken, %',"
    " round(100 * instructions_saved, 2) AS 'fewer instructions, %' FROM technique_optimised"
    " WHERE kind <> 'original' ORDER BY benefit_measured DESC, kind, technique, sampling, inferred";

static const char PROGRAMS_SQL[] =
    "SELECT program, iif(kind = 'found', technique, kind) AS profile, sampling,"
    " inferred AS 'falls inferred', round(100 * observed_share, 4) AS 'observed, %',"
    " round(benefit_predicted, 3) AS predicted, round(benefit_measured, 3) AS measured, taken, "
    "jumps,"
    " instructions, bytes, i1_misses AS 'I1 misses', stale FROM optimised"
    " ORDER BY program, benefit_measured DESC, kind, technique, sampling, inferred";

extern const char optimised_gp[];

static enum status draw_points(struct page *p, const struct table *t) {
    static const enum ink inks[] = {INK_SERIES, INK_SERIES + 1, INK_SERIES + 2, INK_COLD};
    static const char *const names[] = {"flow", "observed", "GFCGaussiano", "other input, random"};
    const size_t rows = table_rows(t);
    double least = 0, most = 1;
    struct chart c;
    for (size_t i = 0; i < rows; i++) {
        least = fmin(least, fmin(cell_number(t, i, POINT_X), cell_number(t, i, POINT_Y)));
        most = fmax(most, fmax(cell_number(t, i, POINT_X), cell_number(t, i, POINT_Y)));
    }
    chart_start(&c, CANVAS_COLUMN, 474, "optimised");
    chart_frame(&c, 46, CANVAS_COLUMN - 16, 54, 430, "benefit, as the graph predicts it",
                "benefit, as measured");
    chart_range(&c, 'x', least, most);
    chart_range(&c, 'y', least, most);
    chart_labels(&c, 4);
    for (size_t i = 0; i < 4; i++)
        chart_label(&c, i + 1, 46 + (double[]){0, 50, 140, 265}[i], 18, ANCHOR_LEFT, inks[i],
                    names[i]);
    return chart_end(
        &c, p, t, optimised_gp,
        &(struct chart_words){
            "Does a real optimiser gain what the graph predicts?",
            "A disc for each program and profile: the benefit that the graph alone predicts, and "
            "the one that BOLT reached, by taken branches and jumps.",
            "0: the program as it was built; 1: laid out by the exact profile. On the line, the "
            "prediction is right. Profiles by {s0} flow, {s1} observed, {s2} GFCGaussiano; {cold} "
            "an exact profile of another input, or random counts. Benefits below −0.25 are "
            "drawn there."});
}

enum status page_optimised(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, POINTS_SQL, NULL);
    if (status != STATUS_OK || table_rows(&t) == 0) {
        table_free(&t);
        return status;
    }
    fputs("<div class='figures'>\n", p->out);
    status = draw_points(p, &t);
    fputs("</div>\n", p->out);
    table_free(&t);
    if (status == STATUS_OK)
        status = page_answer(p, "optimised-means", "Profiles, means over programs", NULL, MEANS_SQL,
                             false);
    if (status == STATUS_OK)
        status = page_answer(p, "optimised", "Layouts by BOLT", NULL, PROGRAMS_SQL, true);
    return status;
}
