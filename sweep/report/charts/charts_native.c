/* Probes in native programs: what `make bench-native` measured, if the database has it. */
#include "report/charts/charts_native.h"
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last series of measurements: of make bench-native, or of make bench-peers, whose rows have the
 * time of a run with nothing to do. */
#define LAST_RUN(peers)                                                                            \
    "run_id = (SELECT run_id FROM native_time JOIN run USING (run_id) WHERE what = 'whole'"        \
    " AND (start_seconds IS NOT NULL) = " peers " ORDER BY started DESC, run_id LIMIT 1)"
#define LAST LAST_RUN("0")

/* Programs that end at once only measure their start; native_mean leaves them out, too. */
static const char COST_SQL[] =
    "SELECT dense_rank() OVER strategies AS line, c.strategy, c.program, round(c.ratio, 4) AS"
    " ratio, printf('%s, %s: %.3g', c.program, c.strategy, c.ratio) AS hint,"
    " iif(row_number() OVER line = 1, round(m.geometric_mean, 4), NULL) AS mean,"
    " iif(row_number() OVER line = 1, printf('%s: %.3g over programs', c.strategy,"
    " m.geometric_mean), NULL) AS mean_hint FROM native_cost c"
    " JOIN native_mean m USING (run_id, strategy)"
    " WHERE c.what = 'whole' AND c.base_seconds >= 0.02 AND c.ratio > 0"
    " AND " LAST " WINDOW strategies AS (ORDER BY m.geometric_mean, c.strategy),"
    " line AS (PARTITION BY c.strategy ORDER BY c.program) ORDER BY line, c.program";
enum { COST_LINE, COST_STRATEGY, COST_PROGRAM, COST_RATIO };

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

static const char PEERS_SQL[] =
    "SELECT program, tool, alone_ms AS 'alone, ms', ratio AS 'times alone', work_ratio AS"
    " 'without the start', edges, equal, wrong FROM native_peers"
    " WHERE " LAST_RUN("1") " ORDER BY program, tool";

static const char PEERS_MEAN_SQL[] =
    "SELECT tool, programs, ratio AS 'times alone', work_ratio AS 'without the start', edges,"
    " equal, wrong FROM native_peers_mean WHERE " LAST_RUN("1") " ORDER BY work_ratio";

extern const char native_gp[];
enum { LINE = 34 }; /* as in the script */

static enum status draw_costs(struct page *p, const struct table *t) {
    const size_t rows = table_rows(t), lines = (size_t)cell_number(t, rows - 1, COST_LINE);
    const double bottom = 24 + LINE * (double)lines;
    double least = 1, most = 10;
    struct chart c;
    chart_start(&c, CANVAS_COLUMN, bottom + 44, "native");
    chart_frame(&c, 14, CANVAS_COLUMN - 20, 10, bottom, "processor time, times that without", "");
    gnuplot_add(&c.set, "lines = %zu\narray names[%zu]\n", lines, lines);
    for (size_t i = 0; i < rows; i++) {
        char variable[40];
        snprintf(variable, sizeof variable, "names[%s]", cell_text(t, i, COST_LINE));
        if (i == 0 || strcmp(cell_text(t, i, COST_LINE), cell_text(t, i - 1, COST_LINE)) != 0)
            gnuplot_quote(&c.set, variable, cell_text(t, i, COST_STRATEGY));
        least = fmin(least, cell_number(t, i, COST_RATIO));
        most = fmax(most, cell_number(t, i, COST_RATIO));
    }
    gnuplot_add(&c.set, "x_low = %.9g; x_high = %.9g\n", least, pow(10, ceil(log10(most))));
    return chart_end(
        &c, p, t, native_gp,
        &(struct chart_words){
            "What does counting cost in native programs?",
            "One line for each tool: how many times as long programs take with it, one disc each, "
            "and the geometric mean over programs.",
            "Diamonds {s0}: geometric means over programs; discs {s1}: programs. Slow tools had "
            "less to do, so that their start weighs more."});
}

static enum status costs(struct page *p) {
    struct table t;
    enum status status = page_ask(p, &t, COST_SQL, NULL);
    if (status == STATUS_OK && table_rows(&t) > 0) {
        fputs("<div class='figures'>\n", p->out);
        status = draw_costs(p, &t);
        fputs("</div>\n", p->out);
    }
    table_free(&t);
    return status;
}

enum status page_native(struct page *p) {
    static const struct {
        const char *id, *title, *note, *sql;
        bool is_long;
    } tables[] = {
        {"native-whole", "Whole programs: times the time without", NULL, WHOLE_SQL, false},
        {"native-peers-mean", "Tools that count edges, over programs",
         "Processor time, times that of the program alone; edges in the program's own code, beside "
         "those that QEMU counts.",
         PEERS_MEAN_SQL, false},
        {"native-peers", "Tools that count edges, by program", NULL, PEERS_SQL, true},
        {"native-published", "Published figures, and ours", NULL, PUBLISHED_SQL, false},
        {"native-share", "Sites that are reached by jumps alone", NULL, SHARE_SQL, true},
    };
    bool any = false;
    enum status status = page_holds(p, "SELECT 1 FROM native_time WHERE what = 'whole'", &any);
    if (status == STATUS_OK && any)
        status = costs(p);
    for (size_t i = 0; status == STATUS_OK && any && i < sizeof tables / sizeof *tables; i++)
        status = page_answer(p, tables[i].id, tables[i].title, tables[i].note, tables[i].sql,
                             tables[i].is_long);
    return status;
}
