/* Probes in native programs: what `make bench-native` measured, where the database has it. */
#include "report/charts/charts_native.h"
#include "report/draw/axis.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last series of measurements. */
#define LAST                                                                                       \
    "run_id = (SELECT run_id FROM native_time JOIN run USING (run_id) WHERE what = 'whole'"        \
    " ORDER BY started DESC, run_id LIMIT 1)"

/* What ends at once is all start, and not in native_mean either. */
static const char COST_SQL[] =
    "SELECT c.strategy, c.program, c.ratio, m.geometric_mean FROM native_cost c"
    " JOIN native_mean m USING (run_id, strategy)"
    " WHERE c.what = 'whole' AND c.base_seconds >= 0.02 AND c.ratio > 0"
    " AND " LAST " ORDER BY m.geometric_mean, c.strategy, c.program";

static const char WHOLE_SQL[] =
    "SELECT program, functions, with_threshold AS 'with a threshold', per_thread AS 'per thread',"
    " blocks, libraries, perf, pg AS '-pg', uftrace, callgrind, uprobe,"
    " longest_ms AS 'without, ms' FROM native_whole"
    " WHERE " LAST " ORDER BY program";

static const char SHARE_SQL[] =
    "SELECT program, kind, assignment, sites, fast_percent AS 'fast %', over_one_percent AS 'one "
    "%',"
    " over_several_percent AS 'several %', padding_percent AS 'padding %',"
    " reachable_percent AS 'reachable %', constrained_percent AS 'constrained %', trap, refused"
    " FROM native_fast_share";

static const char PUBLISHED_SQL[] =
    "SELECT paper, figure, unit, published_least AS 'published', published_most AS 'to',"
    " least_here AS 'here', most_here AS 'to ' FROM native_published";

enum { LINE = 34 };

static void draw_strategies(struct canvas *c, const struct table *t, const struct axis *x) {
    double y = 10;
    for (size_t i = 0; i < table_rows(t); i++) {
        const char *strategy = cell_text(t, i, 0);
        char hint[200];
        if (i == 0 || strcmp(strategy, cell_text(t, i - 1, 0)) != 0) {
            y += LINE;
            const double mean = cell_number(t, i, 3);
            snprintf(hint, sizeof hint, "%.80s: %.3g over programs", strategy, mean);
            canvas_text(c, x->from, y - 10, ANCHOR_LEFT, INK_TEXT, "%.40s", strategy);
            canvas_line(c, x->from, y, axis_at(x, mean), y, INK_SERIES, 2, STROKE_SOLID);
            canvas_dot(c, axis_at(x, mean), y, 5, 4, INK_SERIES, hint);
        }
        snprintf(hint, sizeof hint, "%.60s, %.80s: %.3g", cell_text(t, i, 1), strategy,
                 cell_number(t, i, 2));
        canvas_dot(c, axis_at(x, cell_number(t, i, 2)), y, 3, 0, INK_SERIES + 1, hint);
    }
}

static enum status draw_costs(struct page *p, const struct table *t) {
    static const char question[] = "What does it cost to count in native programs?";
    size_t strategies = 0;
    double least = 1, most = 10;
    for (size_t i = 0; i < table_rows(t); i++) {
        strategies += i == 0 || strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) != 0;
        least = fmin(least, cell_number(t, i, 2));
        most = fmax(most, cell_number(t, i, 2));
    }
    const double bottom = 24 + LINE * (double)strategies;
    const struct axis x = {.low = least,
                           .high = pow(10, ceil(log10(most))),
                           .from = 14,
                           .to = CANVAS_COLUMN - 20,
                           .logarithmic = true};
    struct canvas c;
    canvas_start(&c, "native", CANVAS_COLUMN, bottom + 44, question,
                 "A line a tool: how many times as long programs take with it, a disc each, and "
                 "the geometric mean over programs.");
    axis_across(&c, &x, 10, bottom, "processor time, times that without");
    draw_strategies(&c, t, &x);
    return page_figure(
        p, &c, question,
        "Diamonds {s0}: geometric means over programs; discs {s1}: programs. Slow tools had "
        "less to do, so that their start weighs more.");
}

enum status page_native(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, COST_SQL, NULL);
    if (status != STATUS_OK || table_rows(&t) == 0) {
        table_free(&t);
        return status;
    }
    fputs("<div class='figures'>\n", p->out);
    status = draw_costs(p, &t);
    fputs("</div>\n", p->out);
    table_free(&t);
    if (status == STATUS_OK)
        status = page_answer(p, "native-whole", "Whole programs: times the time without", NULL,
                             WHOLE_SQL, false);
    if (status == STATUS_OK)
        status = page_answer(p, "native-published", "Published figures, and those of here", NULL,
                             PUBLISHED_SQL, false);
    if (status == STATUS_OK)
        status = page_answer(p, "native-share", "Sites that are reached by jumps alone", NULL,
                             SHARE_SQL, true);
    return status;
}
