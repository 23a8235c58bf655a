/* Heatmaps: two parameters across and down, two more as groups of rows and columns, means over the
 * rest. */
#include "report/charts/game/charts_grid.h"
#include "report/charts/plot.h"
#include "report/grid.h"
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct heatmap {
    struct page *page;
    const char *game, *technique;
    struct axes axes;
    struct table cells, across, down; /* the values on either axis: of the group, of the cell */
    struct chart chart;
    double cell_width, cell_height;
    size_t labels; /* so far */
};

/* ---- the query ---- */

/* The parameter of an axis (0: across, 1: down) or of its groups (2, 3). NULL: none, because the
 * grid has fewer parameters. */
static char *axis_value(const struct axes *a, size_t i) {
    char *out;
    int n = i < a->count ? asprintf(&out,
                                    "(SELECT value FROM configuration_value v WHERE"
                                    " v.configuration_id = r.configuration_id AND v.name = %s)",
                                    a->at[i].text)
                         : asprintf(&out, "NULL");
    return n < 0 ? NULL : out;
}

static char *heatmap_sql(const struct heatmap *h, const char *select) {
    char *value[4], *sql = NULL;
    bool ok = true;
    for (size_t i = 0; i < 4; i++)
        ok &= (value[i] = axis_value(&h->axes, i)) != NULL;
    if (ok &&
        asprintf(&sql,
                 "WITH g AS (SELECT similarity, similarity_active, number, parameters,"
                 " %s AS x_in, %s AS y_in, %s AS x_out, %s AS y_out FROM results r"
                 " WHERE experiment = ?1 AND game = ?2 AND variant = ''"
                 " AND number IS NOT NULL AND technique = ?3 AND hot_permille = %lld) %s",
                 value[0], value[1], value[2], value[3], (long long)h->page->permille, select) < 0)
        sql = NULL;
    for (size_t i = 0; i < 4; i++)
        free(value[i]);
    return sql;
}

/* Names of parameters come from the database: values are bound, not put into the text. */
static enum status ask(const struct heatmap *h, struct table *out, const char *select) {
    struct report *r = h->page->r;
    char *sql = heatmap_sql(h, select);
    if (sql == NULL)
        return error_set(r->e, STATUS_MEMORY, "out of memory for a query");
    const char *const args[] = {r->experiment, h->game, h->technique};
    enum status status = table_query_list(out, r->db, sql, args, 3, r->e);
    free(sql);
    return status;
}

enum { CELL_X, CELL_Y, CELL_WHOLE, CELL_ACTIVE, CELL_NUMBER };
static const char CELLS_SQL[] =
    ", c AS (SELECT dense_rank() OVER (ORDER BY x_out, x_in) - 1 AS x,"
    " dense_rank() OVER (ORDER BY y_out, y_in) - 1 AS y, round(100 * avg(similarity), 3) AS whole,"
    " round(100 * avg(similarity_active), 3) AS active, min(number) AS number, iif(count(*) = 1,"
    " '#' || min(number) || ' ' || min(parameters), 'mean of ' || count(*)) AS what"
    " FROM g GROUP BY x_out, x_in, y_out, y_in)"
    " SELECT x, y, whole, active, number, iif(whole IS NULL, NULL, what ||"
    " printf(': %.2f %%', whole)) AS whole_hint, iif(active IS NULL, NULL, what ||"
    " printf(': %.2f %%', active)) AS active_hint FROM c ORDER BY y, x";

static enum status ask_all(struct heatmap *h) {
    enum status status = ask(h, &h->cells, CELLS_SQL);
    if (status == STATUS_OK)
        status = ask(h, &h->across, "SELECT DISTINCT x_out, x_in FROM g ORDER BY 1, 2");
    if (status == STATUS_OK)
        status = ask(h, &h->down, "SELECT DISTINCT y_out, y_in FROM g ORDER BY 1, 2");
    return status;
}

/* ---- texts beside the cells ---- */

enum { LEFT = 92, GAP = 30, BAR = 908, TOP = 46, LETTER = 9, LINE = 17 };

static void put(struct heatmap *h, double x, double y, enum anchor anchor, enum ink ink,
                const char *text) {
    char shown[140];
    snprintf(shown, sizeof shown, "%.130s", text);
    chart_label(&h->chart, ++h->labels, x, y, anchor, ink, shown);
}

static bool begins_group(const struct table *t, size_t i) {
    return i == 0 || strcmp(cell_text(t, i, 0), cell_text(t, i - 1, 0)) != 0;
}

/* The cells at which a group begins, except the first. */
static void set_groups(struct heatmap *h, const char *variable, const struct table *t) {
    gnuplot_add(&h->chart.set, "%s = '", variable);
    for (size_t i = 1; i < table_rows(t); i++)
        if (begins_group(t, i))
            gnuplot_add(&h->chart.set, " %zu", i);
    gnuplot_add(&h->chart.set, "'\n");
}

/* The width of a column of cells that has room for each of its values. */
static double widest_value(const struct heatmap *h) {
    size_t longest = 1;
    for (size_t i = 0; i < table_rows(&h->across); i++) {
        const size_t length = strlen(cell_text(&h->across, i, 1));
        longest = length > longest ? length : longest;
    }
    return (double)longest * LETTER + 4;
}

/* Writes the value of every cell, or of as many as there is room for, and below them those of the
 * groups. */
static void name_across(struct heatmap *h, double left) {
    size_t groups = 1;
    for (size_t i = 1; i < table_rows(&h->across); i++)
        groups += begins_group(&h->across, i);
    const size_t step = (size_t)ceil(widest_value(h) / h->cell_width);
    const double group = h->cell_width * (double)table_rows(&h->across) / (double)groups;
    for (size_t i = 0; i < table_rows(&h->across); i++) {
        const double x = left + h->cell_width * (double)i;
        const char *of = cell_text(&h->across, i, 0);
        if (i % step == 0)
            put(h, x + h->cell_width / 2, h->chart.bottom + LINE, ANCHOR_MIDDLE, INK_MUTED,
                cell_text(&h->across, i, 1));
        if (begins_group(&h->across, i) && (double)strlen(of) * LETTER < group)
            put(h, x + 4, h->chart.bottom + 2 * LINE, ANCHOR_LEFT, INK_TEXT, of);
    }
}

static void name_down(struct heatmap *h) {
    const size_t step = (size_t)ceil(LINE / h->cell_height);
    for (size_t i = 0; i < table_rows(&h->down); i++) {
        const double y = TOP + h->cell_height * ((double)i + 0.5) + 5;
        char text[16];
        short_name(cell_text(&h->down, i, 1), h->axes.count > 3 ? 4 : 9, text);
        if (i % step == 0)
            put(h, LEFT - 8, y, ANCHOR_RIGHT, INK_MUTED, text);
        short_name(cell_text(&h->down, i, 0), 4, text);
        if (begins_group(&h->down, i))
            put(h, 4, y, ANCHOR_LEFT, INK_TEXT, text);
    }
}

/* "bin_size, in groups of window_size" */
static void describe_axis(const struct axes *a, size_t in, char *out, size_t size) {
    if (in + 2 < a->count)
        snprintf(out, size, "%.40s, in groups of %.40s", a->at[in].name, a->at[in + 2].name);
    else
        snprintf(out, size, "%.40s", in < a->count ? a->at[in].name : "nothing");
}

/* The size of a half's hot set, and what the baseline finds of it. */
static const char TITLES_SQL[] =
    "SELECT 'all edges: ' || hot_edges || ' are hot',"
    " 'read off the samples: ' || coalesce(baseline_percent || ' %', 'nothing'),"
    " 'without busy-waits: ' || hot_edges_active || ' are hot',"
    " 'read off the samples: ' || coalesce(baseline_active_percent || ' %', 'nothing')"
    " FROM table2 WHERE experiment = ?1 AND game = ?2 AND variant = '' AND hot_permille = ?3";

static enum status put_titles(struct heatmap *h, const double lefts[2], size_t panels) {
    struct table t;
    enum status status = page_ask(h->page, &t, TITLES_SQL, h->game);
    for (size_t i = 0; status == STATUS_OK && i < 2 * panels; i++)
        put(h, lefts[i / 2], i % 2 == 0 ? 16 : 35, ANCHOR_LEFT, i % 2 == 0 ? INK_TEXT : INK_MUTED,
            table_rows(&t) > 0 ? cell_text(&t, 0, i) : "");
    table_free(&t);
    return status;
}

/* Round percents around all values. */
static void find_range(const struct table *t, double *low, double *high) {
    *low = 90;
    *high = 10;
    for (size_t i = 0; i < table_rows(t); i++)
        for (size_t k = CELL_WHOLE; k <= CELL_ACTIVE; k++) {
            const double value = cell_number(t, i, k);
            if (isfinite(value)) {
                *low = fmin(*low, 10 * floor(value / 10));
                *high = fmax(*high, 10 * ceil(value / 10));
            }
        }
    *high = fmax(*high, *low + 10);
}

/* All texts of the picture, and what the colours mean. */
static enum status put_texts(struct heatmap *h, const double lefts[2], size_t panels) {
    char across[100], down[100], text[240];
    const double bottom = h->chart.bottom;
    double low, high;
    find_range(&h->cells, &low, &high);
    gnuplot_add(&h->chart.set, "low = %g; high = %g\n", low, high);
    const size_t most = 2 * panels * (table_rows(&h->across) + 1) + 2 * table_rows(&h->down) + 4;
    chart_labels(&h->chart, most);
    gnuplot_add(&h->chart.set, "do for [i = 1:labels] { label_text[i] = ''; label_x[i] = 0; "
                               "label_y[i] = 0; label_side[i] = 'left'; label_ink[i] = ink_text; "
                               "label_font[i] = '' }\n");
    describe_axis(&h->axes, 0, across, sizeof across);
    describe_axis(&h->axes, 1, down, sizeof down);
    if (h->axes.count > 1)
        snprintf(text, sizeof text, "across: %s; down: %s", across, down);
    else
        snprintf(text, sizeof text, "across: %s", across);
    for (size_t i = 0; i < panels; i++)
        name_across(h, lefts[i]);
    name_down(h);
    put(h, LEFT, bottom + 3 * LINE + 4, ANCHOR_LEFT, INK_MUTED, text);
    snprintf(text, sizeof text, "%.0f %%", high);
    put(h, BAR + 21, TOP + 10, ANCHOR_LEFT, INK_MUTED, text);
    snprintf(text, sizeof text, "%.0f %%", low);
    put(h, BAR + 21, bottom, ANCHOR_LEFT, INK_MUTED, text);
    enum status status = put_titles(h, lefts, panels);
    gnuplot_add(&h->chart.set, "labels = %zu\n", h->labels);
    return status;
}

/* ---- the chart ---- */

/* Among equal ones, the lowest number. */
static void mark_best(struct heatmap *h, size_t panel) {
    const struct table *t = &h->cells;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < table_rows(t); i++) {
        const double value = cell_number(t, i, CELL_WHOLE + panel);
        const double most = best != SIZE_MAX ? cell_number(t, best, CELL_WHOLE + panel) : -INFINITY;
        if (value > most ||
            (value == most && cell_number(t, i, CELL_NUMBER) < cell_number(t, best, CELL_NUMBER)))
            best = i;
    }
    gnuplot_add(&h->chart.set, "best_x[%zu] = %s; best_y[%zu] = %s\n", panel + 1,
                best != SIZE_MAX ? cell_text(t, best, CELL_X) : "-1", panel + 1,
                best != SIZE_MAX ? cell_text(t, best, CELL_Y) : "-1");
}

/* mark: the frame's, on a page. */
static void write_caption(const struct heatmap *h, const char *mark, char *out, size_t size) {
    size_t len = (size_t)snprintf(out, size,
                                  "Similarity in %% of each configuration of %.40s; framed%s: "
                                  "the best, or the first of equal ones.",
                                  h->technique, mark);
    for (size_t i = 4; i < h->axes.count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%.40s",
                                i == 4 ? " Shown are means over " : ", ", h->axes.at[i].name);
    if (h->axes.count > 4 && len < size)
        snprintf(out + len, size - len, ".");
}

extern const char heatmap_gp[];

static enum status draw(struct heatmap *h) {
    const size_t across = table_rows(&h->across), down = table_rows(&h->down);
    /* Programs have no busy-waits: both halves would be the same. */
    const size_t panels = chart_differs(&h->cells, CELL_WHOLE, CELL_ACTIVE) ? 2 : 1;
    const double room = panels == 2 ? (BAR - GAP - LEFT - GAP) / 2.0 : BAR - GAP - LEFT;
    h->cell_width = fmin(fmax(60, widest_value(h)), room / (double)across);
    h->cell_height = down <= 16 ? 24 : 384.0 / (double)down;
    const double wide = h->cell_width * (double)across;
    const double bottom = TOP + h->cell_height * (double)down;
    const double lefts[2] = {LEFT, LEFT + (BAR - LEFT) / 2.0};
    chart_frame(&h->chart, LEFT, LEFT + wide, TOP, bottom, "", "");
    h->chart.height = bottom + 3 * LINE + 18;
    gnuplot_add(&h->chart.set,
                "panels = %zu; nx = %zu; ny = %zu; wide = %g; numbers = %d\narray lefts[2]\n"
                "array best_x[2]\narray best_y[2]\nlefts[1] = %g; lefts[2] = %g\n",
                panels, across, down, wide, h->cell_width >= 30 && h->cell_height >= LINE, lefts[0],
                lefts[1]);
    set_groups(h, "columns", &h->across);
    set_groups(h, "rows", &h->down);
    for (size_t i = 0; i < panels; i++)
        mark_best(h, i);
    enum status status = put_texts(h, lefts, panels);
    char caption[400], description[400];
    write_caption(h, " {s1}", caption, sizeof caption);
    write_caption(h, "", description, sizeof description);
    if (status == STATUS_OK)
        status = chart_end(
            &h->chart, h->page, &h->cells, heatmap_gp,
            &(struct chart_words){"Which configuration finds most?", description, caption});
    return status;
}

static enum status heatmap(struct page *p, const char *game, const char *technique, bool several) {
    struct heatmap h = {.page = p, .game = game, .technique = technique};
    struct report *r = p->r;
    chart_start(&h.chart, CANVAS_PAGE, 0, "heatmap-%s%s%s", game, several ? "-" : "",
                several ? technique : "");
    enum status status = axes_find(&h.axes, r->db, r->experiment, technique, r->e);
    if (status == STATUS_OK)
        status = ask_all(&h);
    if (status == STATUS_OK && table_rows(&h.cells) > 1 && chart_has(&h.cells, CELL_WHOLE))
        status = draw(&h);
    gnuplot_free(&h.chart.set);
    table_free(&h.cells);
    table_free(&h.across);
    table_free(&h.down);
    axes_free(&h.axes);
    return status;
}

static const char TECHNIQUES_SQL[] =
    "SELECT DISTINCT c.technique FROM experiment x JOIN experiment_configuration xc"
    " USING (experiment_id) JOIN configuration c USING (configuration_id)"
    " WHERE x.name = ?1 AND xc.number IS NOT NULL ORDER BY 1";

enum status page_heatmaps(struct page *p, const char *game) {
    struct table t;
    enum status status = page_ask(p, &t, TECHNIQUES_SQL, NULL);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t); i++)
        status = heatmap(p, game, cell_text(&t, i, 0), table_rows(&t) > 1);
    table_free(&t);
    return status;
}
