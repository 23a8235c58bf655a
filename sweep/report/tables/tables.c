/* Tables: the views under readable headings. */
#include "report/tables/tables.h"
#include "report/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char table_gp[];

struct table_spec {
    const char *name, *title;
    /* ?1: the experiment. {technique}, {parameters}, {share} and {way} stand for columns that
     * appear only if the experiment has several values: the technique, and the varied parameters
     * with it; the hot share, unless it is only the paper's; the sampling configuration. */
    const char *sql;
    bool pictured; /* the paper has this table, too: print BESIDE */
    bool rare;     /* left out of the page if it has no rows */
};

/* Printed once, in the caption. */
#define BESIDE                                                                                     \
    "The paper's columns are of its own games, other programs with other input, each beside ours " \
    "of the same kind; its percentages are cut off, ours rounded. They stand beside GFCGaussiano " \
    "with configurations of the paper's 144 and its hot share of 90 % only."

/* A number with that many decimals, or NULL. */
#define FIXED(x, digits) "iif(" x " IS NULL, NULL, printf('%." digits "f', " x "))"

/* A game's cell names the stream variant, marks movies that nobody has watched, and says how many
 * of the experiment's results exist if some are missing. */
#define GAME                                                                                       \
    "game || iif(variant <> '', ' (' || variant || ')', '')"                                       \
    " || iif(untested, ' (untested)', '')"                                                         \
    " || iif(missing > 0, printf(' (%d of %d results)', results, asked), '') AS "                  \
    "game{share}{way}"

/* Equal results share a place. */
#define PLACE "place || iif(shared > 1, '=', '') AS place"

/* clang-format off */
#define PLACES(view)                                                                               \
    "SELECT " GAME ", " PLACE ", number AS '#'{parameters}, bins, "                                \
    FIXED("similarity_percent", "1") " AS 'similarity %', "                                        \
    FIXED("baseline_percent", "1") " AS 'baseline %', "                                            \
    FIXED("similarity_active_percent", "1") " AS 'active %', "                                     \
    FIXED("baseline_active_percent", "1") " AS 'baseline active %', "                              \
    FIXED("precision_percent", "1") " AS 'precision %', "                                          \
    FIXED("coverage_percent", "1") " AS 'coverage %', "                                            \
    FIXED("overlap_percent", "1") " AS 'overlap %', "                                              \
    FIXED("baseline_overlap_percent", "1") " AS 'baseline overlap %',"                             \
    " iif(paper_bins IS NULL, NULL, paper_game) AS \"paper's game\", paper_bin_size || '/' ||"     \
    " paper_stdev_threshold || '/' || paper_window_size || '/' || paper_recurrent_threshold"       \
    " AS \"paper's\", paper_bins AS \"paper's bins\", paper_similarity_percent AS \"paper's %\""   \
    " FROM " view " t WHERE experiment = ?1"                                                       \
    " ORDER BY t.game, variant, hot_permille, technique, position"

#define RANKING(view)                                                                              \
    "SELECT " PLACE ", number AS '#'{parameters}{share}, games, "                                  \
    FIXED("mean_percent", "2") " AS 'mean %', "                                                    \
    FIXED("mean_active_percent", "2") " AS 'mean active %', mean_place AS 'mean place', "          \
    FIXED("baseline_mean_percent", "2") " AS 'baseline mean %', "                                  \
    FIXED("baseline_mean_active_percent", "2") " AS 'baseline mean active %'"                      \
    "{way} FROM " view " t WHERE experiment = ?1 AND position <= 10"                               \
    " ORDER BY hot_permille, way, technique, position"

/* The views have machine-readable names; these are the headings that people read. */
static const struct table_spec TABLES[] = {
    {"table1", "Table 1: how much was sampled, and what can be read off the samples",
     "SELECT " GAME ", batches, instructions, "
     FIXED("sampled_percent", "2") " AS 'sampled %', "
     FIXED("baseline_percent", "1") " AS 'baseline %', "
     FIXED("baseline_active_percent", "1") " AS 'baseline active %', "
     FIXED("baseline_precision_percent", "1") " AS 'precision %', "
     FIXED("baseline_coverage_percent", "1") " AS 'coverage %', "
     FIXED("baseline_overlap_percent", "1") " AS 'overlap %',"
     " paper_game AS \"paper's game\", paper_batches AS \"paper's batches\","
     " paper_instructions AS \"paper's instructions\", "
     FIXED("paper_sampled_percent", "2") " AS \"paper's sampled %\" FROM table1"
     " WHERE experiment = ?1",
     true, false},
    {"table2", "Table 2: best and worst similarity of the grid, and the observed baseline's",
     "SELECT " GAME "{technique}, hot_edges AS 'hot edges', "
     FIXED("best_percent", "1") " AS 'best %', " FIXED("worst_percent", "1") " AS 'worst %', "
     FIXED("baseline_percent", "1") " AS 'baseline %', hot_edges_active AS 'active hot edges', "
     FIXED("best_active_percent", "1") " AS 'best active %', "
     FIXED("worst_active_percent", "1") " AS 'worst active %', "
     FIXED("baseline_active_percent", "1") " AS 'baseline active %', "
     FIXED("best_precision_percent", "1") " AS 'best precision %', "
     FIXED("baseline_precision_percent", "1") " AS 'baseline precision %', "
     FIXED("best_overlap_percent", "1") " AS 'best overlap %', "
     FIXED("baseline_overlap_percent", "1") " AS 'baseline overlap %',"
     " paper_game AS \"paper's game\", paper_best_percent AS \"paper's best %\","
     " paper_worst_percent AS \"paper's worst %\" FROM table2 WHERE experiment = ?1",
     true, false},
    {"table3", "Table 3: the three best configurations of each game (=: equals share the place)",
     PLACES("table3"), true, false},
    {"table4", "Table 4: the three worst configurations of each game, the worst first (=: shared)",
     PLACES("table4"), true, false},
    {"best_configuration", "The ten best configurations over all games",
     RANKING("best_configuration"), false, false},
    {"worst_configuration", "The ten worst configurations over all games",
     RANKING("worst_configuration"), false, false},
    {"not_competing",
     "Configurations that lack results on some games, and have no part in what is over all games",
     "SELECT number AS '#'{parameters}{share}{way}, streams || ' of ' || of_streams AS streams,"
     " lacks AS 'lacks results on' FROM not_competing t WHERE experiment = ?1",
     false, true},
    {"worth", "What laying code out by each game's graphs gains: 0 as the code is, 1 by the exact graph",
     "SELECT game || iif(variant <> '', ' (' || variant || ')', '') AS game, "
     FIXED("100 * min(fall_share_original)", "1") " AS 'falls as it is %', "
     FIXED("100 * min(fall_share_best)", "1") " AS 'by exact %', "
     FIXED("max(iif(baseline = 1, benefit, NULL))", "3") " AS baseline, "
     FIXED("max(iif(number IS NULL, NULL, benefit))", "3") " AS best, "
     FIXED("avg(iif(number IS NULL, NULL, benefit))", "3") " AS mean, "
     FIXED("min(iif(number IS NULL, NULL, benefit))", "3") " AS worst, "
     FIXED("avg(iif(number IS NULL, NULL, benefit_inferred))", "3") " AS 'mean, falls inferred'"
     " FROM worth WHERE experiment = ?1 GROUP BY game, variant ORDER BY game, variant",
     false, true},
    {"path_knowledge",
     "What edge profiles tell of acyclic paths: means over games, and the worst game",
     "SELECT iif(baseline = 1, 'baseline', number) AS '#'{parameters}{way}, games, "
     FIXED("100 * fixed", "1") " AS 'flow fixed %', " FIXED("100 * fixed_worst", "1") " AS worst, "
     FIXED("100 * overlap", "1") " AS 'overlap of hot paths %', "
     FIXED("100 * overlap_worst", "1") " AS 'worst overlap', "
     FIXED("100 * matched", "1") " AS 'hot paths matched %', "
     FIXED("100 * matched_worst", "1") " AS 'worst matched'"
     " FROM technique_path_knowledge t WHERE experiment = ?1"
     " ORDER BY overlap DESC, technique, number, way",
     false, true},
    {"parameter_effect", "Main effect of each parameter value, in percentage points of similarity",
     "WITH parameter_values AS MATERIALIZED (SELECT technique, parameter, count(DISTINCT value) AS n"
     " FROM parameter_effect WHERE experiment = ?1 GROUP BY 1, 2)"
     " SELECT parameter, value{technique}{share}, results, "
     FIXED("mean_percent", "2") " AS 'mean %', " FIXED("effect_points", "2") " AS effect, "
     FIXED("mean_active_percent", "2") " AS 'mean active %', "
     FIXED("effect_active_points", "2") " AS 'effect active', "
     FIXED("baseline_mean_percent", "2") " AS 'baseline mean %',"
     " iif(balanced, 'yes', 'no') AS 'balanced'{way}"
     " FROM parameter_effect e WHERE experiment = ?1"
     /* A parameter with one value has no effect; list it only if all parameters are so. */
     " AND ((SELECT max(n) FROM parameter_values) = 1 OR (SELECT n FROM parameter_values v"
     " WHERE v.technique = e.technique AND v.parameter = e.parameter) > 1)"
     " ORDER BY hot_permille, way, technique, parameter, value",
     false, false},
};
/* clang-format on */
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES, PAPER_TABLES = 4 };

/* ---- columns that only some experiments have ---- */

struct columns {
    char *parameters; /* ", (the value) AS 'bin', ..." for each varied parameter */
    const char *technique, *share, *way;
};

/* NULL: out of memory. */
static char *parameter_columns(const struct axes *axes) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    if (axes->technique == NULL)
        fprintf(out, ", technique");
    for (size_t i = 0; i < axes->count; i++) {
        /* 'bin_size' gets the heading 'bin' to save space. */
        const char *quoted = axes->at[i].text, *end = strstr(quoted, "_size'");
        end = end != NULL ? end : strstr(quoted, "_threshold'");
        fprintf(out,
                ", (SELECT value FROM configuration_value v WHERE v.configuration_id ="
                " t.configuration_id AND v.name = %s) AS %.*s%s",
                quoted, end != NULL ? (int)(end - quoted) : (int)strlen(quoted), quoted,
                end != NULL ? "'" : "");
    }
    return fclose(out) == 0 ? text : NULL;
}

static const char WAYS_SQL[] =
    "SELECT count(DISTINCT way) FROM experiment x JOIN experiment_stream USING (experiment_id)"
    " JOIN sampling_way USING (sampling_id) WHERE x.name = ?";

/* Hot shares other than the default. */
static const char SHARES_SQL[] =
    "SELECT count(*) FROM experiment x JOIN experiment_hot USING (experiment_id) WHERE x.name = ?"
    " AND hot_permille NOT IN (SELECT value FROM paper_value WHERE name = 'hot_permille')";

static enum status find_columns(struct db *db, const char *experiment, struct columns *out,
                                struct error *e) {
    struct axes axes;
    int64_t ways = 0, shares = 0;
    *out = (struct columns){0};
    enum status status = axes_find(&axes, db, experiment, NULL, e);
    if (status != STATUS_OK)
        return status;
    status = db_integer(db, WAYS_SQL, 0, &ways, e, "t", experiment);
    if (status == STATUS_OK)
        status = db_integer(db, SHARES_SQL, 0, &shares, e, "t", experiment);
    out->technique = axes.technique == NULL ? ", technique" : "";
    out->share = shares > 0 ? ", hot_permille / 10.0 AS 'hot %'" : "";
    out->way = ways > 1 ? ", way AS 'sampled by'" : "";
    if (status == STATUS_OK && (out->parameters = parameter_columns(&axes)) == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory for a query");
    axes_free(&axes);
    return status;
}

/* Replaces the placeholders. The caller frees the query; NULL when out of memory. */
static char *put_columns(const char *sql, const struct columns *columns) {
    const struct {
        const char *name, *text;
    } marks[] = {{"{parameters}", columns->parameters},
                 {"{technique}", columns->technique},
                 {"{share}", columns->share},
                 {"{way}", columns->way}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    while (out != NULL && *sql != '\0') {
        size_t i = 0;
        while (i < 4 && strncmp(sql, marks[i].name, strlen(marks[i].name)) != 0)
            i++;
        if (i < 4)
            fputs(marks[i].text, out);
        else
            fputc(*sql, out);
        sql += i < 4 ? strlen(marks[i].name) : 1;
    }
    if (out != NULL && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static enum status query_table(struct table *t, struct db *db, const char *experiment,
                               const struct table_spec *spec, const struct columns *columns,
                               struct error *e) {
    char *sql = put_columns(spec->sql, columns);
    if (sql == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a query");
    enum status status = table_query(t, db, sql, experiment, e);
    free(sql);
    return status;
}

enum table_format { TEXT, MARKDOWN, CSV, LATEX };

static enum status write_table(struct report *r, const struct table *t,
                               const struct table_spec *spec, enum table_format format) {
    static const char *const endings[] = {"txt", "md", "csv", "tex"};
    char *path = report_path(r, "%s.%s", spec->name, endings[format]);
    if (path == NULL)
        return STATUS_MEMORY;
    struct file_writer *w;
    enum status status = file_open(&w, path, r->e);
    free(path);
    if (status != STATUS_OK)
        return status;
    if (format == TEXT)
        table_write_text(t, spec->title, w);
    else if (format == MARKDOWN)
        table_write_markdown(t, spec->title, spec->pictured ? BESIDE : NULL, w);
    else if (format == CSV)
        table_write_csv(t, "", w);
    else
        table_write_latex(
            t, strchr(spec->title, ':') != NULL ? strchr(spec->title, ':') + 2 : spec->title,
            spec->pictured ? BESIDE : NULL, spec->name, w);
    return file_commit(w, r->e);
}

/* Longer tables get no picture: it would be unreadable, and cairo is limited to 32,767 pixels. */
enum { PICTURE_ROWS = 400 };

/* Adds the table as a picture. Its CSV has "-" for NULL, because gnuplot repeats the previous row's
 * value for an empty last field. */
static enum status picture_table(struct report *r, const struct table *t,
                                 const struct table_spec *spec) {
    struct gnuplot *g = &r->plots;
    char *csv = report_path(r, "data/%s.csv", spec->name),
         *picture = report_path(r, "%s", spec->name);
    if (csv == NULL || picture == NULL) {
        free(csv);
        free(picture);
        return STATUS_MEMORY;
    }
    size_t columns = t->names.len, left = 0;
    enum status status = report_csv(r, t, csv, "-");
    gnuplot_path(g, "csv", csv);
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

static enum status report_table(struct report *r, const struct table_spec *spec,
                                const struct columns *columns) {
    struct table t;
    enum status status = query_table(&t, r->db, r->experiment, spec, columns, r->e);
    for (enum table_format f = TEXT; status == STATUS_OK && f <= LATEX; f++)
        status = write_table(r, &t, spec, f);
    if (status == STATUS_OK && r->pictures && spec->pictured && table_rows(&t) != 0 &&
        table_rows(&t) <= PICTURE_ROWS)
        status = picture_table(r, &t, spec);
    table_free(&t);
    return status;
}

enum status report_tables(struct report *r) {
    struct columns columns;
    enum status status = find_columns(r->db, r->experiment, &columns, r->e);
    for (size_t i = 0; status == STATUS_OK && i < TABLE_COUNT; i++)
        status = report_table(r, &TABLES[i], &columns);
    free(columns.parameters);
    return status;
}

enum status report_each_table(struct report *r,
                              enum status (*each)(void *user, const char *name, const char *title,
                                                  const char *note, const struct table *t),
                              void *user) {
    struct columns columns;
    enum status status = find_columns(r->db, r->experiment, &columns, r->e);
    for (size_t i = 0; status == STATUS_OK && i < TABLE_COUNT; i++) {
        struct table t;
        status = query_table(&t, r->db, r->experiment, &TABLES[i], &columns, r->e);
        if (status == STATUS_OK && (!TABLES[i].rare || table_rows(&t) > 0))
            status =
                each(user, TABLES[i].name, TABLES[i].title, TABLES[i].pictured ? BESIDE : NULL, &t);
        table_free(&t);
    }
    free(columns.parameters);
    return status;
}

static void print_table(struct file_writer *w, const struct table *t, const char *title,
                        size_t width) {
    table_write_fitting(t, title, width, w);
    file_printf(w, "\n");
}

enum status report_print_tables(struct db *db, const char *experiment, size_t width,
                                struct error *e) {
    struct file_writer *w = NULL;
    struct columns columns;
    fflush(stdout);
    enum status status = find_columns(db, experiment, &columns, e);
    if (status == STATUS_OK)
        status = file_open_fd(&w, STDOUT_FILENO, "standard output", e);
    for (size_t i = 0; status == STATUS_OK && i < PAPER_TABLES; i++) {
        struct table t;
        status = query_table(&t, db, experiment, &TABLES[i], &columns, e);
        if (status == STATUS_OK) {
            print_table(w, &t, TABLES[i].title, width);
            table_free(&t);
        }
    }
    free(columns.parameters);
    if (status != STATUS_OK) {
        file_abort(w);
        return status;
    }
    return file_commit(w, e);
}
