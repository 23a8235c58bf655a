/* Temporary tables and views of this connection: materialised views, and a SELECT with a name. */
#include "db/connection.h"

/* The definition of the view: " AS SELECT ...", to be freed with sqlite3_free(); NULL if we have no
 * such view, or no longer. */
static enum status definition(struct db *db, const char *view, char **out, struct error *e) {
    sqlite3_stmt *prepared = NULL;
    *out = NULL;
    if (sqlite3_prepare_v2(db->handle,
                           "SELECT substr(sql, length('CREATE VIEW ' || name) + 1)"
                           " FROM temp.sqlite_schema WHERE type = 'view' AND name = ?",
                           -1, &prepared, NULL) != SQLITE_OK)
        return db_fail(db, e);
    sqlite3_bind_text(prepared, 1, view, -1, SQLITE_STATIC);
    const int code = sqlite3_step(prepared);
    if (code == SQLITE_ROW)
        *out = sqlite3_mprintf("%s", sqlite3_column_text(prepared, 0));
    sqlite3_finalize(prepared);
    if (code == SQLITE_ROW && *out == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
}

static enum status materialise(struct db *db, const struct db_view *view, struct error *e) {
    char *text;
    enum status status = definition(db, view->view, &text, e);
    if (status != STATUS_OK || text == NULL)
        return status;
    sqlite3_str *s = sqlite3_str_new(db->handle);
    sqlite3_str_appendf(s,
                        "SAVEPOINT materialise; DROP VIEW temp.\"%w\"; CREATE TEMP TABLE \"%w\"%s;",
                        view->view, view->view, text);
    if (view->index != NULL)
        sqlite3_str_appendf(s, "CREATE INDEX temp.\"index_of_%w\" ON \"%w\"(%s);", view->view,
                            view->view, view->index);
    sqlite3_str_appendall(s, "RELEASE materialise");
    char *sql = sqlite3_str_finish(s);
    sqlite3_free(text);
    if (sql == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if ((status = db_script(db, sql, e)) != STATUS_OK)
        sqlite3_exec(db->handle, "ROLLBACK TO materialise; RELEASE materialise", NULL, NULL, NULL);
    sqlite3_free(sql);
    return status;
}

/* A read-only connection may write its temporary tables, if it is told to. */
static enum status set_query_only(struct db *db, bool on, struct error *e) {
    return db_script(db, on ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF", e);
}

/* *only_reads, which must be 0, tells end_writing() whether the connection is read-only. */
static enum status begin_writing(struct db *db, int64_t *only_reads, struct error *e) {
    const enum status status = db_integer(db, "PRAGMA query_only", 0, only_reads, e, "");
    return status == STATUS_OK && *only_reads ? set_query_only(db, false, e) : status;
}

static void end_writing(struct db *db, int64_t only_reads) {
    if (only_reads)
        set_query_only(db, true, NULL);
}

enum status db_materialise(struct db *db, const struct db_view *views, size_t count,
                           struct error *e) {
    int64_t only_reads = 0;
    enum status status = begin_writing(db, &only_reads, e);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = materialise(db, &views[i], e);
    end_writing(db, only_reads);
    return status;
}

enum status db_name_select(struct db *db, const char *name, const char *select, struct error *e) {
    int64_t only_reads = 0;
    char *sql = sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS %s", name, select);
    if (sql == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = begin_writing(db, &only_reads, e);
    /* Only the first statement of `sql` is executed, and that creates a view. */
    if (status == STATUS_OK)
        status = db_query(db, sql, NULL, NULL, e, "");
    end_writing(db, only_reads);
    sqlite3_free(sql);
    return status;
}
