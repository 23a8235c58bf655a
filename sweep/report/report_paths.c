/* The files of a report: their paths, and tables as CSV. */
#include "report/report_paths.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *report_path(struct report *r, const char *format, ...) {
    char *name, *path = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&name, format, args);
    va_end(args);
    /* gnuplot runs a name that begins with < or | as a command. */
    if (n < 0 || asprintf(&path, "%s%s/%s", strchr("<|", r->folder[0]) != NULL ? "./" : "",
                          r->folder, name) < 0)
        path = NULL;
    if (n >= 0)
        free(name);
    if (path == NULL)
        error_set(r->e, STATUS_MEMORY, "out of memory for a file name");
    return path;
}

enum status report_csv(struct report *r, const struct table *t, const char *path,
                       const char *null_text) {
    struct file_writer *w;
    enum status status = file_open(&w, path, r->e);
    if (status != STATUS_OK)
        return status;
    table_write_csv(t, null_text, w);
    return file_commit(w, r->e);
}

enum status report_save(struct report *r, const char *name, const char *text, size_t size) {
    struct file_writer *w;
    char *path = report_path(r, "%s", name);
    enum status status = path != NULL ? file_open(&w, path, r->e) : STATUS_MEMORY;
    free(path);
    if (status != STATUS_OK)
        return status;
    file_write(w, text, size);
    return file_commit(w, r->e);
}

char *report_folder_of(const char *experiment) {
    char *safe = NULL;
    if (file_good_name(experiment))
        return strdup(experiment);
    if (asprintf(&safe, "_%.60s-%08x", experiment,
                 (unsigned)fnv1a64(experiment, strlen(experiment))) < 0)
        return NULL;
    for (char *at = safe; *at != '\0'; at++)
        if (strchr(FILE_NAME_CHARACTERS, *at) == NULL)
            *at = '-';
    return safe;
}

enum status report_check_name(const char *name, struct error *e) {
    if (file_good_name(name)) /* the same set of characters */
        return STATUS_OK;
    return error_set(e, STATUS_FORMAT,
                     "the database has a name that cannot be a file's, '%s': it is damaged, or was "
                     "not written by this program",
                     name);
}

static enum status check_row(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)user;
    (void)columns;
    (void)names;
    return report_check_name(values[0] != NULL ? values[0] : "", e);
}

enum status report_check_names(struct db *db, const char *experiment, struct error *e) {
    return db_query(db,
                    "SELECT DISTINCT game FROM completeness WHERE experiment = ?1 AND results > 0"
                    " AND variant = '' UNION SELECT DISTINCT c.technique FROM experiment x"
                    " JOIN experiment_configuration xc USING (experiment_id)"
                    " JOIN configuration c USING (configuration_id)"
                    " WHERE x.name = ?1 AND xc.number IS NOT NULL ORDER BY 1",
                    check_row, NULL, e, "t", experiment);
}
