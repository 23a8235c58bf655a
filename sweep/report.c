#include "sweep/report.h"

#include "db/db.h"
#include "sweep/gnuplot.h"
#include "sweep/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char table_gp[], heatmap_gp[], convergence_gp[];

struct table_spec {
    const char *name, *title, *sql;
    bool pictured;
};

/* A number with that many decimals, or NULL. */
#define FIXED(x, digits) "iif(" x " IS NULL, NULL, printf('%." digits "f', " x "))"

/* A game whose movie nobody has seen play says so wherever it is named. */
#define GAME "game || iif(untested, ' (untested)', '') AS game"

/* clang-format off */
#define PLACES(view)                                                                               \
    "SELECT " GAME ", place, number AS '#', bin_size AS bin, stdev_threshold AS stdev,"             \
    " window_size AS window, recurrent_threshold AS recurrent, bins, "                             \
    FIXED("similarity_percent", "1") " AS 'similarity %', "                                        \
    FIXED("baseline_percent", "1") " AS 'baseline %', "                                            \
    FIXED("similarity_active_percent", "1") " AS 'active %', "                                     \
    FIXED("baseline_active_percent", "1") " AS 'baseline active %',"                               \
    " paper_game AS \"paper's game\", paper_bin_size || '/' || paper_stdev_threshold || '/' ||"    \
    " paper_window_size || '/' || paper_recurrent_threshold AS \"paper's\","                       \
    " paper_bins AS \"paper's bins\", paper_similarity_percent AS \"paper's %\" FROM " view

#define RANKING(view)                                                                              \
    "SELECT place, number AS '#', bin_size AS bin, stdev_threshold AS stdev,"                      \
    " window_size AS window, recurrent_threshold AS recurrent, games, "                            \
    FIXED("mean_percent", "2") " AS 'mean %', "                                                    \
    FIXED("mean_active_percent", "2") " AS 'mean active %', mean_place AS 'mean place', "          \
    FIXED("baseline_mean_percent", "2") " AS 'baseline mean %', "                                  \
    FIXED("baseline_mean_active_percent", "2") " AS 'baseline mean active %'"                      \
    " FROM " view " WHERE place <= 10"

/* The views have machine-readable names; these are the headings that people read. */
static const struct table_spec TABLES[] = {
    {"table1", "Table 1: how much was sampled",
     "SELECT " GAME ", batches, instructions, "
     FIXED("sampled_percent", "2") " AS 'sampled %', "
     FIXED("baseline_percent", "1") " AS 'baseline %', "
     FIXED("baseline_active_percent", "1") " AS 'baseline active %',"
     " paper_game AS \"paper's game\", paper_batches AS \"paper's batches\","
     " paper_instructions AS \"paper's instructions\", "
     FIXED("paper_sampled_percent", "2") " AS \"paper's sampled %\" FROM table1",
     true},
    {"table2", "Table 2: best and worst similarity of the grid, and the observed baseline's",
     "SELECT " GAME ", hot_edges AS 'hot edges', "
     FIXED("best_percent", "1") " AS 'best %', " FIXED("worst_percent", "1") " AS 'worst %', "
     FIXED("baseline_percent", "1") " AS 'baseline %', hot_edges_active AS 'active hot edges', "
     FIXED("best_active_percent", "1") " AS 'best active %', "
     FIXED("worst_active_percent", "1") " AS 'worst active %', "
     FIXED("baseline_active_percent", "1") " AS 'baseline active %',"
     " paper_game AS \"paper's game\", paper_best_percent AS \"paper's best %\","
     " paper_worst_percent AS \"paper's worst %\" FROM table2",
     true},
    {"table3", "Table 3: the three best configurations of each game", PLACES("table3"), true},
    {"table4", "Table 4: the three worst configurations of each game, the worst first",
     PLACES("table4"), true},
    {"best_configuration", "The ten best configurations over all games",
     RANKING("best_configuration"), false},
    {"worst_configuration", "The ten worst configurations over all games",
     RANKING("worst_configuration"), false},
    {"parameter_effect", "Main effect of each parameter value, in percentage points of similarity",
     "SELECT parameter, value, results, "
     FIXED("mean_percent", "2") " AS 'mean %', " FIXED("effect_points", "2") " AS effect, "
     FIXED("mean_active_percent", "2") " AS 'mean active %', "
     FIXED("effect_active_points", "2") " AS 'effect active',"
     " (SELECT " FIXED("100 * avg(similarity)", "2") " FROM baseline) AS 'baseline mean %'"
     " FROM parameter_effect",
     false},
};
/* clang-format on */
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES, PAPER_TABLES = 4 };

struct report {
    struct db *db;
    const char *folder;
    struct gnuplot plots;
    bool pictures;
    struct error *e;
};

/* folder/name, to be freed; NULL with the error set when memory is out. */
__attribute__((format(printf, 2, 3))) static char *path_in(struct report *r, const char *format,
                                                           ...) {
    char *name, *path = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&name, format, args);
    va_end(args);
    if (n < 0 || asprintf(&path, "%s/%s", r->folder, name) < 0)
        path = NULL;
    if (n >= 0)
        free(name);
    if (path == NULL)
        error_set(r->e, STATUS_MEMORY, "out of memory for a file name");
    return path;
}

/* ---- tables ---- */

enum table_format { TEXT, CSV, LATEX };

static enum status write_table(struct report *r, const struct table *t,
                               const struct table_spec *spec, enum table_format format) {
    static const char *const endings[] = {"txt", "csv", "tex"};
    char *path = path_in(r, "%s.%s", spec->name, endings[format]);
    if (path == NULL)
        return STATUS_MEMORY;
    struct file_writer *w;
    enum status status = file_open(&w, path, r->e);
    free(path);
    if (status != STATUS_OK)
        return status;
    if (format == TEXT)
        table_write_text(t, spec->title, w);
    else if (format == CSV)
        table_write_csv(t, "", w);
    else
        table_write_latex(
            t, strchr(spec->title, ':') != NULL ? strchr(spec->title, ':') + 2 : spec->title,
            spec->name, w);
    return file_commit(w, r->e);
}

static enum status export_csv(struct report *r, const struct table *t, const char *path,
                              const char *null_text) {
    struct file_writer *w;
    enum status status = file_open(&w, path, r->e);
    if (status != STATUS_OK)
        return status;
    table_write_csv(t, null_text, w);
    return file_commit(w, r->e);
}

/* Adds the table as a picture. Its CSV says "-" for NULL: gnuplot takes an empty last field for the
 * one above. */
static enum status picture_table(struct report *r, const struct table *t,
                                 const struct table_spec *spec) {
    struct gnuplot *g = &r->plots;
    char *csv = path_in(r, "data/%s.csv", spec->name), *picture = path_in(r, "%s", spec->name);
    if (csv == NULL || picture == NULL) {
        free(csv);
        free(picture);
        return STATUS_MEMORY;
    }
    size_t columns = t->names.len, left = 0;
    enum status status = export_csv(r, t, csv, "-");
    gnuplot_quote(g, "csv", csv);
    gnuplot_quote(g, "title", spec->title);
    gnuplot_add(g, "rows = %zu\narray at[%zu]\nlefts = ''\nrights = ''\n", table_rows(t), columns);
    for (size_t i = 0; i < columns; i++) {
        bool right = table_is_numeric(t, i);
        size_t width = table_width(t, i);
        const char *list = right ? "rights" : "lefts";
        gnuplot_add(g, "at[%zu] = %zu\n%s = %s.' %zu'\n", i + 1, right ? left + width : left, list,
                    list, i + 1);
        left += width + 2;
    }
    gnuplot_add(g, "total = %zu\n", left - 2);
    gnuplot_picture(g, picture, (unsigned)(left * 8 + 40), (unsigned)(table_rows(t) * 20 + 110),
                    table_gp);
    free(csv);
    free(picture);
    return status;
}

static enum status report_table(struct report *r, const struct table_spec *spec) {
    struct table t;
    enum status status = table_query(&t, r->db, spec->sql, NULL, r->e);
    for (enum table_format f = TEXT; status == STATUS_OK && f <= LATEX; f++)
        status = write_table(r, &t, spec, f);
    if (status == STATUS_OK && r->pictures && spec->pictured && table_rows(&t) != 0)
        status = picture_table(r, &t, spec);
    table_free(&t);
    return status;
}

/* ---- figures: a checked export in data/, then a picture of it ---- */

/* Tics along one side of the heatmap: 'inner' values, and under the first of each group the outer
 * value. */
static enum status grid_tics(struct report *r, const char *game, const char *variable,
                             const char *outer, const char *inner, const char *letter) {
    struct gnuplot *g = &r->plots;
    char *sql;
    if (asprintf(&sql, "SELECT DISTINCT %s, %s FROM ranked WHERE game = ?1 ORDER BY 1, 2", outer,
                 inner) < 0)
        return error_set(r->e, STATUS_MEMORY, "out of memory for a query");
    struct table t;
    enum status status = table_query(&t, r->db, sql, game, r->e);
    free(sql);
    if (status != STATUS_OK)
        return status;
    bool across = variable[0] == 'x';
    size_t groups = 0;
    gnuplot_add(g, "%st = '", variable);
    for (size_t i = 0; i < table_rows(&t); i++) {
        const char *o = table_cell(&t, i, 0), *in = table_cell(&t, i, 1);
        bool first = i == 0 || strcmp(o, table_cell(&t, i - 1, 0)) != 0;
        groups += first;
        gnuplot_add(g, "%s\"", i != 0 ? ", " : "");
        if (across)
            gnuplot_add(g, first ? "%s\\n%s %s" : "%s", in, letter, o);
        else if (first)
            gnuplot_add(g, "%s %s   %s", letter, o, in);
        else
            gnuplot_add(g, "%s", in);
        gnuplot_add(g, "\" %zu", i);
    }
    size_t cells = table_rows(&t);
    gnuplot_add(g, "'\nn%s = %zu\n%sgroup = %zu\n", variable, cells, variable,
                groups != 0 ? cells / groups : cells);
    table_free(&t);
    return STATUS_OK;
}

/* The half's title: how large its hot set is, and what the baseline finds of it. */
static enum status heatmap_titles(struct report *r, const char *game) {
    struct table t;
    enum status status =
        table_query(&t, r->db,
                    "SELECT 'all edges (' || hot_edges || ' hot); observed baseline ' || "
                    "ifnull(baseline_percent || ' %', '–'),"
                    " 'without busy-waits (' || hot_edges_active || ' hot); observed baseline '"
                    " || ifnull(baseline_active_percent || ' %', '–') FROM table2 WHERE game = ?1",
                    game, r->e);
    if (status != STATUS_OK)
        return status;
    gnuplot_quote(&r->plots, "base_whole", table_rows(&t) != 0 ? table_cell(&t, 0, 0) : "");
    gnuplot_quote(&r->plots, "base_active", table_rows(&t) != 0 ? table_cell(&t, 0, 1) : "");
    table_free(&t);
    return STATUS_OK;
}

static const char HEATMAP_SQL[] =
    "SELECT dense_rank() OVER (ORDER BY window_size, bin_size) - 1 AS x,"
    " dense_rank() OVER (ORDER BY recurrent_threshold, stdev_threshold) - 1 AS y,"
    " round(100 * similarity, 3) AS whole, round(100 * similarity_active, 3) AS active, number"
    " FROM ranked WHERE game = ?1 ORDER BY y, x";

/* Curves in the order of the legend: the baseline first. */
static const char CONVERGENCE_SQL[] =
    "SELECT dense_rank() OVER (ORDER BY number IS NOT NULL, number, label) AS curve, batches,"
    " round(100 * similarity, 3) AS whole, round(100 * similarity_active, 3) AS active, label, "
    "number"
    " FROM convergence_curve WHERE game = ?1 ORDER BY 1, batches";

static enum status heatmap(struct report *r, const char *game, const struct table *t) {
    (void)t;
    enum status status = grid_tics(r, game, "x", "window_size", "bin_size", "w");
    if (status == STATUS_OK)
        status = grid_tics(r, game, "y", "recurrent_threshold", "stdev_threshold", "r");
    if (status == STATUS_OK)
        status = heatmap_titles(r, game);
    return status;
}

static enum status convergence(struct report *r, const char *game, const struct table *t) {
    (void)game;
    struct gnuplot *g = &r->plots;
    size_t rows = table_rows(t);
    const char *curves = table_cell(t, rows - 1, 0);
    gnuplot_add(g, "curves = %s\narray label[%s]\n", curves, curves);
    for (size_t i = 0; i < rows; i++) {
        if (i != 0 && strcmp(table_cell(t, i, 0), table_cell(t, i - 1, 0)) == 0)
            continue;
        char variable[40];
        snprintf(variable, sizeof variable, "label[%s]", table_cell(t, i, 0));
        const char *label = table_cell(t, i, 4), *number = table_cell(t, i, 5);
        char text[200];
        snprintf(text, sizeof text, number != NULL ? "%s (#%s)" : "%s", label != NULL ? label : "",
                 number);
        gnuplot_quote(g, variable, text);
    }
    return STATUS_OK;
}

struct figure_spec {
    const char *name, *title, *sql, *body;
    unsigned width, height;
    enum status (*prepare)(struct report *r, const char *game, const struct table *t);
};
static const struct figure_spec FIGURES[] = {
    {"heatmap", "similarity in % of the grid's configurations", HEATMAP_SQL, heatmap_gp, 1100, 560,
     heatmap},
    {"convergence", "similarity after the first batches", CONVERGENCE_SQL, convergence_gp, 1000,
     460, convergence},
};

static enum status report_figure(struct report *r, const struct figure_spec *spec,
                                 const char *game) {
    struct table t;
    enum status status = table_query(&t, r->db, spec->sql, game, r->e);
    char *csv = path_in(r, "data/%s-%s.csv", spec->name, game);
    char *picture = path_in(r, "%s-%s", spec->name, game);
    if (csv == NULL || picture == NULL)
        status = STATUS_MEMORY;
    if (status == STATUS_OK)
        status = export_csv(r, &t, csv, "");
    if (status == STATUS_OK && r->pictures && table_rows(&t) != 0) {
        char title[300];
        snprintf(title, sizeof title, "%s: %s", game, spec->title);
        gnuplot_quote(&r->plots, "csv", csv);
        gnuplot_quote(&r->plots, "title", title);
        status = spec->prepare(r, game, &t);
        if (status == STATUS_OK)
            gnuplot_picture(&r->plots, picture, spec->width, spec->height, spec->body);
    }
    free(csv);
    free(picture);
    table_free(&t);
    return status;
}

/* ---- all of it ---- */

static enum status make_folder(const char *path, struct error *e) {
    struct stat at;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &at) == 0 && S_ISDIR(at.st_mode)))
        return STATUS_OK;
    return error_set(e, STATUS_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
}

static enum status make_folders(struct report *r) {
    enum status status = make_folder(r->folder, r->e);
    char *data = path_in(r, "data");
    if (status == STATUS_OK)
        status = data != NULL ? make_folder(data, r->e) : STATUS_MEMORY;
    free(data);
    return status;
}

static enum status report_games(struct report *r) {
    struct table games;
    enum status status =
        table_query(&games, r->db, "SELECT DISTINCT game FROM ranked ORDER BY 1", NULL, r->e);
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&games); i++)
        for (size_t k = 0; status == STATUS_OK && k < sizeof FIGURES / sizeof *FIGURES; k++)
            status = report_figure(r, &FIGURES[k], table_cell(&games, i, 0));
    table_free(&games);
    return status;
}

enum status report_write(const char *db_path, const char *folder, struct error *warning,
                         struct error *e) {
    struct report r = {.folder = folder, .pictures = gnuplot_is_there(), .e = e};
    enum status status = db_open(&r.db, db_path, DB_READ, e);
    if (status == STATUS_OK)
        status = make_folders(&r);
    for (size_t i = 0; status == STATUS_OK && i < TABLE_COUNT; i++)
        status = report_table(&r, &TABLES[i]);
    if (status == STATUS_OK)
        status = report_games(&r);
    if (status == STATUS_OK && r.pictures)
        status = gnuplot_run(&r.plots, e);
    gnuplot_free(&r.plots);
    db_close(r.db);
    if (status == STATUS_OK && !r.pictures)
        error_set(warning, STATUS_OK,
                  "gnuplot is not installed: %s has the tables but no pictures; install "
                  "gnuplot-nox and run "
                  "'hotgraph report %s --out %s'",
                  folder, db_path, folder);
    return status;
}

enum status report_print_tables(const char *db_path, struct error *e) {
    struct db *db;
    enum status status = db_open(&db, db_path, DB_READ, e);
    struct file_writer *w = NULL;
    fflush(stdout);
    if (status == STATUS_OK)
        status = file_open_fd(&w, STDOUT_FILENO, "standard output", e);
    for (size_t i = 0; status == STATUS_OK && i < PAPER_TABLES; i++) {
        struct table t;
        status = table_query(&t, db, TABLES[i].sql, NULL, e);
        if (status == STATUS_OK) {
            table_write_text(&t, TABLES[i].title, w);
            file_printf(w, "\n");
            table_free(&t);
        }
    }
    db_close(db);
    if (status != STATUS_OK) {
        file_abort(w);
        return status;
    }
    return file_commit(w, e);
}
