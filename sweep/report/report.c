#include "report/report.h"
#include "report/draw/pdf.h"
#include "report/page/page.h"
#include "report/tables/tables.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders ---- */

enum status report_make_folder(const char *folder, struct error *e) {
    struct stat at;
    if (mkdir(folder, 0777) == 0 ||
        (errno == EEXIST && stat(folder, &at) == 0 && S_ISDIR(at.st_mode)))
        return STATUS_OK;
    return file_unmade(folder, "the folder cannot be made", errno, e);
}

static enum status make_folders(struct report *r) {
    enum status status = report_make_folder(r->folder, r->e);
    static const char *const parts[] = {"data", "figures"};
    for (size_t i = 0; status == STATUS_OK && i < 2; i++) {
        char *path = report_path(r, "%s", parts[i]);
        status = path != NULL ? report_make_folder(path, r->e) : STATUS_MEMORY;
        free(path);
    }
    return status;
}

static bool has_name(char *const *names, size_t count, const char *file, size_t len) {
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == len && memcmp(names[i], file, len) == 0)
            return true;
    return false;
}

/* Is this file of figures/ a drawing that this report does not have? Older reports wrote .eps. */
static bool is_stale_drawing(const struct report *r, const char *file) {
    const char *dot = strrchr(file, '.');
    static const char *const endings[] = {".svg", ".pdf", ".gp", ".csv", ".eps"};
    bool drawn = false;
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++)
        drawn |= strcmp(dot, endings[i]) == 0;
    return drawn && strcmp(file, "style.gp") != 0 &&
           !has_name(r->drawings.at, r->drawings.len, file, (size_t)(dot - file));
}

/* Is this a picture that an older report wrote beside the page or to data/? */
static bool is_stale(const struct report *r, const char *file) {
    const char *dot = strrchr(file, '.');
    (void)r;
    return (strncmp(file, "heatmap-", 8) == 0 || strncmp(file, "convergence-", 12) == 0) &&
           dot != NULL &&
           (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0 || strcmp(dot, ".csv") == 0);
}

static void remove_stale(struct report *r, const char *sub,
                         bool (*is_old)(const struct report *r, const char *file)) {
    char *folder = report_path(r, "%s", sub);
    DIR *dir = folder != NULL ? opendir(folder) : NULL;
    for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
        if (is_old(r, d->d_name))
            unlinkat(dirfd(dir), d->d_name, 0);
    if (dir != NULL)
        closedir(dir);
    free(folder);
}

/* ---- stamps: the inputs that a folder was written from ---- */

static enum status add_row(void *user, size_t columns, const char *const *names,
                           const char *const *values, struct error *e) {
    (void)names;
    (void)e;
    for (size_t i = 0; i < columns; i++)
        hash_add(user, "%s\t", values[i] != NULL ? values[i] : "-");
    return STATUS_OK;
}

/* The stamp also covers titles and labels, which are shown but are not results. */
static enum status make_stamp(const struct report_request *q, const struct report *r,
                              char stamp[33], struct error *e) {
    struct hash *h = hash_start();
    hash_add(h, "%s\t%s\t%d%d\n", q->stamp, q->experiment, r->pictures, r->pdf);
    enum status status =
        db_query(q->db,
                 "SELECT g.name, g.title, g.untested, g.paper_game, xs.variant FROM experiment x"
                 " JOIN experiment_stream xs USING (experiment_id) JOIN game g USING (game_id)"
                 " WHERE x.name = ? ORDER BY g.name, xs.variant",
                 add_row, h, e, "t", q->experiment);
    if (status == STATUS_OK)
        status = db_query(q->db,
                          "SELECT number, label FROM experiment x JOIN experiment_configuration"
                          " USING (experiment_id) WHERE x.name = ? AND label IS NOT NULL"
                          " ORDER BY number, label",
                          add_row, h, e, "t", q->experiment);
    if (!hash_finish(h, stamp) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    return status;
}

/* stamp NULL: only removes the file. */
static enum status write_stamp(struct report *r, const char *stamp) {
    struct file_writer *w;
    char *path = report_path(r, "stamp.txt");
    if (path == NULL)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    if (stamp == NULL)
        unlink(path);
    else if ((status = file_open(&w, path, r->e)) == STATUS_OK) {
        file_printf(w, "%s\n", stamp);
        status = file_commit(w, r->e);
    }
    free(path);
    return status;
}

static bool has_stamp(struct report *r, const char *stamp) {
    char *path = report_path(r, "stamp.txt");
    struct bytes file = {0};
    bool same = path != NULL && file_read(&file, path, 1000, NULL) == STATUS_OK && file.len == 33 &&
                memcmp(file.at, stamp, 32) == 0;
    bytes_free(&file);
    free(path);
    return same;
}

/* ---- the report ---- */

/* Materialised first: most queries use these, and they are expensive. */
static const struct db_view MATERIALISED[] = {
    {"completeness", "experiment, game"},
    {"results", "experiment_id, stream_id, configuration_id, hot_permille"},
    {"contender", "experiment_id, configuration_id"},
    {"game_quality", "experiment_id, configuration_id"},
    {"grid_factor", "experiment_id, technique, configuration_id"},
    {"grid_pair", NULL},
    {"variance_share", NULL},
    {"rank_agreement", NULL},
    {"parameter_effect", NULL},
    {"table2", NULL},
    {"table3", NULL},
    {"table4", NULL},
    {"best_configuration", NULL},
    {"worst_configuration", NULL},
    {"quality_interval", NULL},
    {"technique_mean", NULL},
};

static enum status draw_pdf(struct report *r) {
    char *folder = report_path(r, "figures");
    enum status status =
        folder != NULL ? pdf_draw(folder, r->diagrams.at, r->diagrams.len, r->plots.stopped, r->e)
                       : STATUS_MEMORY;
    free(folder);
    return status;
}

static enum status write_all(struct report *r, const char *digest) {
    enum status status = report_check_names(r->db, r->experiment, r->e);
    if (status == STATUS_OK)
        status = make_folders(r);
    if (status == STATUS_OK)
        status = write_stamp(r, NULL);
    if (status == STATUS_OK)
        status =
            db_materialise(r->db, MATERIALISED, sizeof MATERIALISED / sizeof *MATERIALISED, r->e);
    if (status == STATUS_OK && r->experiment[0] != '\0')
        status = report_tables(r);
    if (status == STATUS_OK)
        status = report_page(r, digest);
    if (status == STATUS_OK && r->pictures)
        status = gnuplot_run(&r->plots, r->e);
    if (status == STATUS_OK && r->pdf)
        status = draw_pdf(r);
    if (status == STATUS_OK) {
        remove_stale(r, ".", is_stale);
        remove_stale(r, "data", is_stale);
        remove_stale(r, "figures", is_stale_drawing);
    }
    gnuplot_free(&r->plots);
    gnuplot_free(&r->charts);
    for (size_t i = 0; i < r->drawings.len; i++)
        free(r->drawings.at[i]);
    vec_free(&r->drawings);
    vec_free(&r->diagrams);
    return status;
}

enum status report_write(const struct report_request *q, struct error *warning, struct error *e) {
    struct report r = {.db = q->db,
                       .experiment = q->experiment,
                       .folder = q->folder,
                       .one_of_several = q->one_of_several,
                       .plots.stopped = q->stopped,
                       .charts.stopped = q->stopped,
                       .pictures = gnuplot_is_there(),
                       .pdf = pdf_is_there(),
                       .e = e};
    char stamp[33] = "";
    enum status status = q->stamp != NULL ? make_stamp(q, &r, stamp, e) : STATUS_OK;
    if (status != STATUS_OK || (q->stamp != NULL && has_stamp(&r, stamp)))
        return status;
    status = write_all(&r, q->digest);
    if (status == STATUS_OK && !r.pictures)
        error_set(warning, STATUS_OK,
                  "gnuplot is not installed: %s has the tables but no pictures; install "
                  "gnuplot-nox and run 'hotgraph report' on the database",
                  q->folder);
    return status == STATUS_OK && q->stamp != NULL ? write_stamp(&r, stamp) : status;
}

/* ---- selecting the experiment ---- */

static enum status add_name(void *user, size_t columns, const char *const *names,
                            const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct report_experiments *x = user;
    char *copy = strdup(values[0]);
    if (copy != NULL && vec_push(&x->names, copy))
        return STATUS_OK;
    free(copy);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

enum status report_experiments(struct report_experiments *out, struct db *db, const char *wanted,
                               struct error *e) {
    *out = (struct report_experiments){0};
    enum status status = db_query(db,
                                  "SELECT name FROM experiment WHERE name = ?1 OR ?1 IS NULL"
                                  " ORDER BY name",
                                  add_name, out, e, "t", wanted);
    if (status == STATUS_OK && out->names.len == 0)
        status = wanted != NULL
                     ? error_set(e, STATUS_ARGUMENT, "there is no experiment '%s'", wanted)
                     : error_set(e, STATUS_ARGUMENT, "there is no experiment in it yet");
    if (status != STATUS_OK)
        report_experiments_free(out);
    return status;
}

void report_experiments_free(struct report_experiments *x) {
    for (size_t i = 0; i < x->names.len; i++)
        free(x->names.at[i]);
    vec_free(&x->names);
}
