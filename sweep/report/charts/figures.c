/* Figures: a checked export in data/, then a picture of it. */
#include "report/charts/figures.h"
#include "report/draw/axis.h"
#include "report/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char heatmap_gp[], convergence_gp[];

/* What the experiment calls hot, as the paper does if it does: figures show one share. */
#define SHARE                                                                                      \
    " AND hot_permille = (SELECT hot_permille FROM experiment_hot JOIN experiment x"               \
    " USING (experiment_id) WHERE x.name = ?1 ORDER BY hot_permille <> 900, hot_permille LIMIT 1)"

struct figure {
    struct report *report;
    const char *game;      /* of its first or only stream */
    const char *technique; /* of a heatmap */
    char *name;            /* "heatmap-burrow": of all its files */
};

static enum status ask(struct figure *f, struct table *out, const char *sql) {
    const char *const args[] = {f->report->experiment, f->game};
    return table_query_list(out, f->report->db, sql, args, 2, f->report->e);
}

/* Writes the table into data/, and sets what every script wants. */
static enum status start_picture(struct figure *f, const struct table *t, const char *title) {
    struct report *r = f->report;
    char *csv = report_path(r, "data/%s.csv", f->name);
    if (csv == NULL)
        return STATUS_MEMORY;
    enum status status = report_csv(r, t, csv, "");
    gnuplot_path(&r->plots, "csv", csv);
    gnuplot_quote(&r->plots, "title", title);
    free(csv);
    return status;
}

static enum status end_picture(struct figure *f, unsigned width, unsigned height,
                               const char *body) {
    char *picture = report_path(f->report, "%s", f->name);
    if (picture == NULL)
        return STATUS_MEMORY;
    gnuplot_picture(&f->report->plots, picture, width, height, body);
    free(picture);
    return STATUS_OK;
}

/* ---- heatmaps ---- */

/* The parameter that an axis has inside (0: across, 1: down) or in groups (2, 3); NULL: a constant,
 * where the grid has fewer. */
static char *axis_value(const struct axes *a, size_t i) {
    char *out;
    int n = i < a->count ? asprintf(&out,
                                    "(SELECT value FROM configuration_value v WHERE"
                                    " v.configuration_id = r.configuration_id AND v.name = %s)",
                                    a->at[i].text)
                         : asprintf(&out, "NULL");
    return n < 0 ? NULL : out;
}

static char *heatmap_sql(const struct axes *a, const char *select) {
    char *value[4], *sql = NULL;
    bool ok = true;
    for (size_t i = 0; i < 4; i++)
        ok &= (value[i] = axis_value(a, i)) != NULL;
    if (ok && asprintf(&sql,
                       "WITH g AS (SELECT similarity, similarity_active, number, %s AS x_in,"
                       " %s AS y_in, %s AS x_out, %s AS y_out FROM results r"
                       " WHERE experiment = ?1 AND game = ?2 AND variant = ''"
                       " AND number IS NOT NULL AND technique = ?3" SHARE ") %s",
                       value[0], value[1], value[2], value[3], select) < 0)
        sql = NULL;
    for (size_t i = 0; i < 4; i++)
        free(value[i]);
    return sql;
}

static enum status ask_heatmap(struct figure *f, const struct axes *a, struct table *out,
                               const char *select) {
    char *sql = heatmap_sql(a, select);
    if (sql == NULL)
        return error_set(f->report->e, STATUS_MEMORY, "out of memory for a query");
    const char *const args[] = {f->report->experiment, f->game, f->technique};
    enum status status = table_query_list(out, f->report->db, sql, args, 3, f->report->e);
    free(sql);
    return status;
}

/* Tics along one side: inner values, and at the first of each group the outer value. */
static enum status grid_tics(struct figure *f, const struct axes *a, bool across) {
    struct gnuplot *g = &f->report->plots;
    struct table t;
    enum status status = ask_heatmap(f, a, &t,
                                     across ? "SELECT DISTINCT x_out, x_in FROM g ORDER BY 1, 2"
                                            : "SELECT DISTINCT y_out, y_in FROM g ORDER BY 1, 2");
    if (status != STATUS_OK)
        return status;
    char side = across ? 'x' : 'y';
    size_t cells = table_rows(&t);
    gnuplot_add(g, "array %ctic[%zu]\narray %cgroup[%zu]\narray %cfirst[%zu]\n", side, cells, side,
                cells, side, cells);
    for (size_t i = 0; i < cells; i++) {
        const char *outer = table_cell(&t, i, 0), *inner = table_cell(&t, i, 1);
        const char *before = i > 0 ? table_cell(&t, i - 1, 0) : NULL;
        bool first = i == 0 || (outer != NULL && strcmp(outer, before != NULL ? before : "") != 0);
        char variable[40];
        snprintf(variable, sizeof variable, "%ctic[%zu]", side, i + 1);
        gnuplot_quote(g, variable, inner != NULL ? inner : "");
        snprintf(variable, sizeof variable, "%cgroup[%zu]", side, i + 1);
        gnuplot_quote(g, variable, first && outer != NULL ? outer : "");
        gnuplot_add(g, "%cfirst[%zu] = %d\n", side, i + 1, first && i > 0);
    }
    gnuplot_add(g, "n%c = %zu\n", side, cells);
    table_free(&t);
    return STATUS_OK;
}

/* "bin_size, in groups of window_size" */
static void axis_label(struct gnuplot *g, const char *variable, const struct axes *a, size_t in) {
    char text[200] = "";
    if (in + 2 < a->count)
        snprintf(text, sizeof text, "%s, in groups of %s", a->at[in].name, a->at[in + 2].name);
    else if (in < a->count)
        snprintf(text, sizeof text, "%s", a->at[in].name);
    gnuplot_quote(g, variable, text);
}

/* The half's title: how large its hot set is, and what the baseline finds of it. */
static enum status heatmap_titles(struct figure *f) {
    struct table t;
    enum status status =
        ask(f, &t,
            "SELECT 'all edges (' || hot_edges || ' hot); observed baseline ' || "
            "ifnull(baseline_percent || ' %', '–'),"
            " 'without busy-waits (' || hot_edges_active || ' hot); observed baseline '"
            " || ifnull(baseline_active_percent || ' %', '–') FROM table2"
            " WHERE experiment = ?1 AND game = ?2 AND variant = ''" SHARE);
    if (status != STATUS_OK)
        return status;
    struct gnuplot *g = &f->report->plots;
    const char *whole = table_rows(&t) != 0 ? table_cell(&t, 0, 0) : NULL;
    const char *active = table_rows(&t) != 0 ? table_cell(&t, 0, 1) : NULL;
    gnuplot_quote(g, "base_whole", whole != NULL ? whole : "");
    gnuplot_quote(g, "base_active", active != NULL ? active : "");
    table_free(&t);
    return STATUS_OK;
}

/* More parameters than a plane has room for: the mean over them, and the title says so. */
static void heatmap_title(const struct figure *f, const struct axes *a, char *out, size_t size) {
    size_t len =
        (size_t)snprintf(out, size, "%s: similarity in %% of the grid's configurations", f->game);
    for (size_t i = 4; i < a->count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s", i == 4 ? "; means over " : ", ",
                                a->at[i].name);
}

static enum status heatmap(struct figure *f) {
    struct report *r = f->report;
    struct axes axes;
    struct table t = {0};
    enum status status = axes_find(&axes, r->db, r->experiment, f->technique, r->e);
    if (status == STATUS_OK)
        status =
            ask_heatmap(f, &axes, &t,
                        "SELECT dense_rank() OVER (ORDER BY x_out, x_in) - 1 AS x,"
                        " dense_rank() OVER (ORDER BY y_out, y_in) - 1 AS y,"
                        " round(100 * avg(similarity), 3) AS whole,"
                        " round(100 * avg(similarity_active), 3) AS active, min(number) AS number"
                        " FROM g GROUP BY x_out, x_in, y_out, y_in ORDER BY y, x");
    char title[400];
    heatmap_title(f, &axes, title, sizeof title);
    if (status == STATUS_OK && table_rows(&t) > 0) {
        status = start_picture(f, &t, title);
        axis_label(&r->plots, "xname", &axes, 0);
        axis_label(&r->plots, "yname", &axes, 1);
        if (status == STATUS_OK)
            status = grid_tics(f, &axes, true);
        if (status == STATUS_OK)
            status = grid_tics(f, &axes, false);
        if (status == STATUS_OK)
            status = heatmap_titles(f);
        if (status == STATUS_OK)
            status = end_picture(f, 1100, 560, heatmap_gp);
    }
    table_free(&t);
    axes_free(&axes);
    return status;
}

/* ---- convergence ---- */

/* Curves in the order of the legend: the baseline first. */
static const char CONVERGENCE_SQL[] =
    "SELECT dense_rank() OVER (ORDER BY number IS NOT NULL, number, label) AS curve, batches,"
    " round(100 * similarity, 3) AS whole, round(100 * similarity_active, 3) AS active, label,"
    " number FROM convergence_curve WHERE experiment = ?1 AND game = ?2 AND variant = ''" SHARE
    " ORDER BY 1, batches";

enum { LEGEND_COLUMNS = 3, LEGEND_LINE = 22, CURVES_HEIGHT = 416 };

static void name_curves(struct gnuplot *g, const struct table *t) {
    size_t rows = table_rows(t);
    unsigned long curves = strtoul(table_cell(t, rows - 1, 0), NULL, 10);
    gnuplot_add(g, "curves = %lu\narray label[%lu]\n", curves, curves);
    for (size_t i = 0; i < rows; i++) {
        if (i != 0 && strcmp(table_cell(t, i, 0), table_cell(t, i - 1, 0)) == 0)
            continue;
        char variable[40], text[200];
        const char *label = table_cell(t, i, 4), *number = table_cell(t, i, 5);
        snprintf(variable, sizeof variable, "label[%lu]", strtoul(table_cell(t, i, 0), NULL, 10));
        snprintf(text, sizeof text, number != NULL ? "%.120s (#%.20s)" : "%.120s",
                 label != NULL ? label : "", number);
        gnuplot_quote(g, variable, text);
    }
    unsigned long lines = (curves + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
    lines = lines < 2 ? 2 : lines;
    gnuplot_add(g, "legend = %lu\nbottom = %lu / %lu.0\ntop = 1 - 69 / %lu.0\n", lines,
                94 + lines * LEGEND_LINE, CURVES_HEIGHT + lines * LEGEND_LINE,
                CURVES_HEIGHT + lines * LEGEND_LINE);
}

static enum status convergence(struct figure *f) {
    struct report *r = f->report;
    struct table t;
    enum status status = ask(f, &t, CONVERGENCE_SQL);
    char title[200];
    snprintf(title, sizeof title, "%.100s: similarity after the first batches", f->game);
    if (status == STATUS_OK && table_rows(&t) > 0) {
        status = start_picture(f, &t, title);
        name_curves(&r->plots, &t);
        unsigned long curves = strtoul(table_cell(&t, table_rows(&t) - 1, 0), NULL, 10);
        unsigned long lines = (curves + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
        if (status == STATUS_OK)
            status = end_picture(f, 1000,
                                 (unsigned)(CURVES_HEIGHT + (lines < 2 ? 2 : lines) * LEGEND_LINE),
                                 convergence_gp);
    }
    table_free(&t);
    return status;
}

/* ---- all of them ---- */

/* Draws one figure; suffix tells techniques apart where there are several. */
static enum status draw(struct report *r, const char *kind, const char *game, const char *technique,
                        const char *suffix, enum status (*figure)(struct figure *f)) {
    struct figure f = {.report = r, .game = game, .technique = technique};
    enum status status = report_check_name(game, r->e);
    if (status == STATUS_OK && suffix != NULL)
        status = report_check_name(suffix, r->e);
    if (status != STATUS_OK)
        return status;
    if (asprintf(&f.name, "%s-%s%s%s", kind, game, suffix != NULL ? "-" : "",
                 suffix != NULL ? suffix : "") < 0)
        return error_set(r->e, STATUS_MEMORY, "out of memory for a file name");
    if (!vec_push(&r->figures, f.name)) {
        free(f.name);
        return error_set(r->e, STATUS_MEMORY, "out of memory for a file name");
    }
    return figure(&f);
}

/* The scripts' colours: ink_text, ink_s0, ... */
static void name_inks(struct gnuplot *g) {
    for (enum ink i = 0; i < INK_COUNT; i++)
        gnuplot_add(g, "ink_%s = 0x%06x\n", palette_name(i), palette_light(i));
}

enum status report_figures(struct report *r) {
    name_inks(&r->plots);
    struct table games = {0}, techniques = {0};
    enum status status =
        table_query(&games, r->db,
                    "SELECT DISTINCT game FROM completeness WHERE experiment = ?1 AND results > 0"
                    " AND variant = '' ORDER BY 1",
                    r->experiment, r->e);
    if (status == STATUS_OK)
        status = table_query(&techniques, r->db,
                             "SELECT DISTINCT c.technique FROM experiment x"
                             " JOIN experiment_configuration xc USING (experiment_id)"
                             " JOIN configuration c USING (configuration_id)"
                             " WHERE x.name = ?1 AND xc.number IS NOT NULL ORDER BY 1",
                             r->experiment, r->e);
    size_t count = table_rows(&techniques);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&games); i++) {
        const char *game = table_cell(&games, i, 0);
        for (size_t k = 0; status == STATUS_OK && k < count; k++) {
            const char *technique = table_cell(&techniques, k, 0);
            status = draw(r, "heatmap", game, technique, count > 1 ? technique : NULL, heatmap);
        }
        if (status == STATUS_OK)
            status = draw(r, "convergence", game, NULL, NULL, convergence);
    }
    table_free(&games);
    table_free(&techniques);
    return status;
}
