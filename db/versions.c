/* Upgrades a database to this version: its tables, then its views. */
#include "db/versions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables and columns ---- */

static enum status has_table(struct db *db, const struct table *t, bool *has, struct error *e) {
    int64_t found;
    enum status status =
        db_integer(db, "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?", 0,
                   &found, e, "t", t->name);
    *has = found != 0;
    return status;
}

static enum status run_made(struct db *db, char *sql, struct error *e) {
    enum status status = sql != NULL ? db_script(db, sql, e)
                                     : error_set(e, STATUS_MEMORY, "%s: out of memory", db->path);
    sqlite3_free(sql);
    return status;
}

/* Counts the columns that the file lacks in *missing; adds them if `add`. */
static enum status look_at_columns(struct db *db, const struct table *t, bool add, size_t *missing,
                                   struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < t->count; i++) {
        int64_t found;
        status = db_integer(db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", 0, &found, e,
                            "tt", t->name, t->columns[i].name);
        if (status != STATUS_OK || found)
            continue;
        ++*missing;
        char *column = add ? column_schema(&t->columns[i]) : NULL;
        if (column != NULL)
            status =
                run_made(db, sqlite3_mprintf("ALTER TABLE %s ADD COLUMN %s", t->name, column), e);
        sqlite3_free(column);
    }
    return status;
}

/* True if one query can name all columns: the usual case, checked quickly. */
static bool is_whole(struct db *db, const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_stmt *statement = NULL;
    for (size_t i = 0; i < t->count; i++) /* brackets: a missing name in double quotes would be a
                                             string */
        sqlite3_str_appendf(s, "%s[%s]", i > 0 ? ", " : "SELECT ", t->columns[i].name);
    sqlite3_str_appendf(s, " FROM main.[%s]", t->name);
    char *sql = sqlite3_str_finish(s);
    const bool whole =
        sql != NULL && sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK;
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return whole;
}

static enum status complete_tables(struct db *db, bool add, size_t *missing, struct error *e) {
    enum status status = STATUS_OK;
    *missing = 0;
    for (int i = 0; status == STATUS_OK && i < TABLE_COUNT; i++) {
        const struct table *t = table_of((enum table_name)i);
        bool has;
        if ((status = has_table(db, t, &has, e)) != STATUS_OK)
            break;
        if (has && !is_whole(db, t)) {
            status = look_at_columns(db, t, add, missing, e);
        } else if (!has) {
            ++*missing;
            if (add)
                status = run_made(db, table_schema(t), e);
        }
    }
    return status;
}

enum status db_is_complete(struct db *db, bool *complete, struct error *e) {
    size_t missing;
    enum status status = complete_tables(db, false, &missing, e);
    *complete = missing == 0;
    return status;
}

/* ---- views ---- */

struct texts {
    VEC(char *) list;
};

static enum status note_text(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct texts *t = user;
    char *copy = values[0] != NULL ? strdup(values[0]) : NULL;
    if (copy != NULL && vec_push(&t->list, copy))
        return STATUS_OK;
    free(copy);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

/* Executes every text that a query returns. */
static enum status run_each(struct db *db, const char *query, struct error *e) {
    struct texts texts = {0};
    enum status status = db_query(db, query, note_text, &texts, e, "");
    for (size_t i = 0; i < texts.list.len; i++) {
        if (status == STATUS_OK)
            status = db_script(db, texts.list.at[i], e);
        free(texts.list.at[i]);
    }
    vec_free(&texts.list);
    return status;
}

static enum status drop_views(struct db *db, struct error *e) {
    return run_each(db,
                    "SELECT printf('DROP VIEW main.\"%w\"', name) FROM main.sqlite_schema"
                    " WHERE type = 'view'",
                    e);
}

/* Creates this version's views for this connection: their names take precedence over those in the
 * file. */
static enum status make_temporary_views(struct db *db, struct error *e) {
    static const char create[] = "CREATE VIEW ";
    sqlite3_str *s = sqlite3_str_new(NULL);
    const char *at = db_views_sql;
    for (const char *next; (next = strstr(at, create)) != NULL; at = next + sizeof create - 1)
        sqlite3_str_appendf(s, "%.*sCREATE TEMP VIEW ", (int)(next - at), at);
    sqlite3_str_appendall(s, at);
    return run_made(db, sqlite3_str_finish(s), e);
}

enum status db_renew_views(struct db *db, bool write, struct error *e) {
    int64_t differ = 0;
    enum status status = make_temporary_views(db, e);
    if (status == STATUS_OK && write)
        status = db_integer(db,
                            "SELECT count(*) FROM (SELECT * FROM"
                            " (SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'"
                            "  UNION ALL SELECT name, sql FROM temp.sqlite_schema)"
                            " GROUP BY name, sql HAVING count(*) <> 2)",
                            0, &differ, e, "");
    if (status != STATUS_OK || differ == 0)
        return status;
    if ((status = db_ensure_transaction(db, e)) || (status = drop_views(db, e)) ||
        (status = run_each(db, "SELECT sql FROM temp.sqlite_schema WHERE type = 'view'", e)))
        return status;
    return db_commit(db, e);
}

/* ---- upgrading ---- */

struct streams_of_experiments {
    VEC(int64_t) ids; /* experiment, stream, ... */
};

static enum status note_pair(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)names;
    struct streams_of_experiments *s = user;
    for (size_t i = 0; i < columns; i++)
        if (!vec_push(&s->ids, strtoll(values[i], NULL, 10)))
            return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

/* Version 1 had roles as a view. */
static enum status find_roles(struct db *db, struct error *e) {
    struct streams_of_experiments s = {0};
    enum status status = make_temporary_views(db, e);
    if (status == STATUS_OK)
        status = db_query(db, "SELECT experiment_id, stream_id FROM completeness WHERE missing = 0",
                          note_pair, &s, e, "");
    for (size_t i = 0; status == STATUS_OK && i + 1 < s.ids.len; i += 2)
        status = db_put_roles(db, s.ids.at[i], s.ids.at[i + 1], e);
    vec_free(&s.ids);
    if (status == STATUS_OK)
        status = run_each(db,
                          "SELECT printf('DROP VIEW temp.\"%w\"', name) FROM temp.sqlite_schema"
                          " WHERE type = 'view'",
                          e);
    return status;
}

/* Version 1's tables have names that ours use, too: they are renamed, copied and dropped. */
static enum status upgrade_version1(struct db *db, struct error *e) {
    enum status status = drop_views(db, e);
    size_t missing;
    if (status == STATUS_OK)
        status =
            run_each(db,
                     "SELECT printf('ALTER TABLE \"%w\" RENAME TO \"version1_%w\"', name, name)"
                     " FROM main.sqlite_schema"
                     " WHERE type = 'table' AND name NOT LIKE 'paper%'"
                     " AND name NOT LIKE 'sqlite%'",
                     e);
    if (status == STATUS_OK)
        status = complete_tables(db, true, &missing, e);
    return status == STATUS_OK ? db_script(db, db_version1_sql, e) : status;
}

enum status db_upgrade(struct db *db, int64_t version, struct error *e) {
    size_t missing;
    enum status status = db_script(db, db_paper_sql, e);
    if (status == STATUS_OK)
        status = version == 1 ? upgrade_version1(db, e) : complete_tables(db, true, &missing, e);
    char pragmas[100];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             DB_APPLICATION, DB_VERSION);
    if (status == STATUS_OK)
        status = db_script(db, pragmas, e);
    return status == STATUS_OK && version == 1 ? find_roles(db, e) : status;
}
