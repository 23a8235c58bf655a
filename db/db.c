/* Opening, migrating, transactions and queries. */
#include "db/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUSY_MILLISECONDS = 10000 };

enum status db_fail(const struct db *db, struct error *e) {
    const char *path = db->path;
    switch (sqlite3_errcode(db->handle) & 0xFF) {
    case SQLITE_NOMEM:
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    case SQLITE_READONLY:
        return error_set(e, STATUS_IO,
                         "%s: may not be written: make the file and its folder writable, or name "
                         "another file with --db",
                         path);
    case SQLITE_FULL:
        return error_set(e, STATUS_IO,
                         "%s: the disk is full: free some space and run the same command again; "
                         "what was committed is kept",
                         path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(e, STATUS_IO,
                         "%s: another program is writing to it: let that finish, or name another "
                         "file with --db",
                         path);
    case SQLITE_NOTADB:
        return error_set(e, STATUS_FORMAT,
                         "%s: is not a database: name another file with --db (this one is left as "
                         "it is)",
                         path);
    case SQLITE_CORRUPT:
        return error_set(e, STATUS_FORMAT,
                         "%s: is damaged (%s): move it away and run the sweep again, or save what "
                         "can be read with sqlite3's .recover",
                         path, sqlite3_errmsg(db->handle));
    case SQLITE_CANTOPEN:
        return error_set(e, STATUS_IO,
                         "%s: cannot be opened: see that its folder is there and that both may be "
                         "read and written",
                         path);
    case SQLITE_IOERR:
        return error_set(e, STATUS_IO,
                         "%s: cannot be read or written: %s (%s): run the same command again when "
                         "that is mended; what was committed is kept",
                         path, strerror(sqlite3_system_errno(db->handle)),
                         sqlite3_errmsg(db->handle));
    default:
        return error_set(e, STATUS_IO, "%s: %s", path, sqlite3_errmsg(db->handle));
    }
}

/* ---- statements ---- */

static sqlite3_stmt *statement(struct db *db, const char *sql) {
    for (size_t i = 0; i < db->statement_count; i++)
        if (db->statements[i].sql == sql)
            return db->statements[i].prepared;
    sqlite3_stmt *prepared = NULL;
    if (db->statement_count == DB_STATEMENTS ||
        sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, NULL) !=
            SQLITE_OK)
        return NULL;
    db->statements[db->statement_count].sql = sql;
    db->statements[db->statement_count++].prepared = prepared;
    return prepared;
}

struct binder db_bind(struct db *db, const char *sql) {
    return (struct binder){.db = db, .statement = statement(db, sql), .next = 1};
}

static void bound(struct binder *b, int code) {
    if (code != SQLITE_OK)
        b->statement = NULL;
}

void bind_integer(struct binder *b, int64_t value) {
    if (b->statement == NULL)
        return;
    bound(b, value == DB_NULL ? sqlite3_bind_null(b->statement, b->next)
                              : sqlite3_bind_int64(b->statement, b->next, value));
    b->next++;
}

/* SQLite stores a NaN as NULL by itself. */
void bind_real(struct binder *b, double value) {
    if (b->statement == NULL)
        return;
    bound(b, sqlite3_bind_double(b->statement, b->next++, value));
}

void bind_text(struct binder *b, const char *value) {
    if (b->statement == NULL)
        return;
    bound(b, sqlite3_bind_text(b->statement, b->next++, value, -1, SQLITE_TRANSIENT));
}

void bind_list(struct binder *b, const char *format, va_list values) {
    for (; *format != '\0'; format++) {
        if (*format == 'i')
            bind_integer(b, va_arg(values, int64_t));
        else if (*format == 'r')
            bind_real(b, va_arg(values, double));
        else
            bind_text(b, va_arg(values, const char *));
    }
}

enum status db_finish(struct binder *b, struct error *e) {
    if (b->statement == NULL)
        return db_fail(b->db, e);
    int code;
    while ((code = sqlite3_step(b->statement)) == SQLITE_ROW)
        ;
    enum status status = code == SQLITE_DONE ? STATUS_OK : db_fail(b->db, e);
    sqlite3_reset(b->statement);
    sqlite3_clear_bindings(b->statement);
    return status;
}

enum status db_execute(struct db *db, const char *sql, struct error *e, const char *format, ...) {
    struct binder b = db_bind(db, sql);
    va_list values;
    va_start(values, format);
    bind_list(&b, format, values);
    va_end(values);
    return db_finish(&b, e);
}

const char *db_text(sqlite3_stmt *prepared, int column, char room[40]) {
    switch (sqlite3_column_type(prepared, column)) {
    case SQLITE_NULL:
        return NULL;
    case SQLITE_INTEGER:
        snprintf(room, 40, "%" PRId64, (int64_t)sqlite3_column_int64(prepared, column));
        return room;
    case SQLITE_FLOAT: {
        double value = sqlite3_column_double(prepared, column);
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(room, 40, "%.*g", digits, value);
            if (strtod(room, NULL) == value)
                break;
        }
        return room;
    }
    default:
        return (const char *)sqlite3_column_text(prepared, column);
    }
}

/* ---- queries ---- */

enum { QUERY_COLUMNS = 64 };

static enum status hand_row(sqlite3_stmt *prepared, db_each *each, void *user, struct error *e) {
    char room[QUERY_COLUMNS][40];
    const char *names[QUERY_COLUMNS], *values[QUERY_COLUMNS];
    int columns = sqlite3_column_count(prepared);
    if (columns > QUERY_COLUMNS)
        return error_set(e, STATUS_ARGUMENT, "a query of more than %d columns", QUERY_COLUMNS);
    for (int i = 0; i < columns; i++) {
        names[i] = sqlite3_column_name(prepared, i);
        values[i] = db_text(prepared, i, room[i]);
    }
    return each(user, (size_t)columns, names, values, e);
}

static enum status run_query(struct db *db, sqlite3_stmt *prepared, db_each *each, void *user,
                             struct error *e) {
    int code = SQLITE_OK;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
        enum status status = each != NULL ? hand_row(prepared, each, user, e) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
}

enum status db_query(struct db *db, const char *sql, db_each *each, void *user, struct error *e,
                     const char *format, ...) {
    struct binder b = {.db = db, .next = 1};
    if (sqlite3_prepare_v2(db->handle, sql, -1, &b.statement, NULL) != SQLITE_OK)
        return db_fail(db, e);
    sqlite3_stmt *prepared = b.statement;
    va_list values;
    va_start(values, format);
    bind_list(&b, format, values);
    va_end(values);
    enum status status =
        b.statement != NULL ? run_query(db, prepared, each, user, e) : db_fail(db, e);
    sqlite3_finalize(prepared);
    return status;
}

enum status db_integer(struct db *db, const char *sql, int64_t otherwise, int64_t *out,
                       struct error *e, const char *format, ...) {
    struct binder b = db_bind(db, sql);
    sqlite3_stmt *prepared = b.statement;
    va_list values;
    va_start(values, format);
    bind_list(&b, format, values);
    va_end(values);
    int code = b.statement != NULL ? sqlite3_step(prepared) : SQLITE_ERROR;
    *out = otherwise;
    if (code == SQLITE_ROW && sqlite3_column_type(prepared, 0) != SQLITE_NULL)
        *out = sqlite3_column_int64(prepared, 0);
    enum status status = code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
    sqlite3_reset(prepared);
    sqlite3_clear_bindings(prepared);
    return status;
}

/* ---- transactions ---- */

enum status db_ensure_transaction(struct db *db, struct error *e) {
    if (!sqlite3_get_autocommit(db->handle))
        return STATUS_OK;
    return db_execute(db, "BEGIN IMMEDIATE", e, "");
}

enum status db_commit(struct db *db, struct error *e) {
    if (sqlite3_get_autocommit(db->handle))
        return STATUS_OK;
    return db_execute(db, "COMMIT", e, "");
}

/* ---- opening ---- */

static enum status script(struct db *db, const char *sql, struct error *e) {
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK
                                                                        : db_fail(db, e);
}

struct drops {
    VEC(char *) list; /* from sqlite3_mprintf */
};

static enum status note_view(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    (void)columns;
    (void)names;
    struct drops *drops = user;
    char *sql = sqlite3_mprintf("DROP VIEW \"%w\"", values[0]);
    if (sql == NULL || !vec_push(&drops->list, sql))
        return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

/* Views carry no data: the ones of an older program are replaced by ours. */
static enum status renew_views(struct db *db, struct error *e) {
    struct drops drops = {0};
    enum status status = db_query(db, "SELECT name FROM sqlite_master WHERE type = 'view'",
                                  note_view, &drops, e, "");
    for (size_t i = 0; i < drops.list.len; i++) {
        if (status == STATUS_OK)
            status = script(db, drops.list.at[i], e);
        sqlite3_free(drops.list.at[i]);
    }
    vec_free(&drops.list);
    return status != STATUS_OK ? status : script(db, db_views_sql, e);
}

/* migrations[v] takes a database of version v to v + 1. */
static const char *const migrations[DB_VERSION] = {db_schema_sql};

static enum status migrate(struct db *db, int64_t version, struct error *e) {
    for (; version < DB_VERSION; version++) {
        enum status status = script(db, migrations[version], e);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = renew_views(db, e);
    if (status != STATUS_OK)
        return status;
    char pragmas[100];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             DB_APPLICATION, DB_VERSION);
    return script(db, pragmas, e);
}

/* Fails unless the file is ours and not newer than we are; fills its version, 0 for an empty one.
 */
static enum status check_version(struct db *db, int64_t *version, struct error *e) {
    int64_t application, objects;
    enum status status;
    if ((status = db_integer(db, "PRAGMA application_id", 0, &application, e, "")) ||
        (status = db_integer(db, "PRAGMA user_version", 0, version, e, "")) ||
        (status = db_integer(db, "SELECT count(*) FROM sqlite_master", 0, &objects, e, "")))
        return status;
    bool empty = application == 0 && *version == 0 && objects == 0;
    if (application != DB_APPLICATION && !empty)
        return error_set(e, STATUS_FORMAT,
                         "%s: is an SQLite database, but not one of hotgraph's: name another file "
                         "with --db (this one is left as it is)",
                         db->path);
    if (*version > DB_VERSION)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: was written by a newer hotgraph (version %" PRId64
                         " of the schema, this program knows %d): use that one",
                         db->path, *version, DB_VERSION);
    return STATUS_OK;
}

static enum status prepare_file(struct db *db, enum db_mode mode, struct error *e) {
    int64_t version;
    enum status status = check_version(db, &version, e);
    if (status != STATUS_OK || version == DB_VERSION)
        return status;
    if (mode == DB_READ)
        return error_set(e, version == 0 ? STATUS_FORMAT : STATUS_UNSUPPORTED,
                         version == 0 ? "%s: is empty: let a sweep fill it first"
                                      : "%s: was written by an older hotgraph: the next sweep into "
                                        "it brings it up to date",
                         db->path);
    /* Another program may have migrated it between our look and our lock. */
    if ((status = db_ensure_transaction(db, e)) || (status = check_version(db, &version, e)) ||
        (status = migrate(db, version, e)))
        return status;
    return db_commit(db, e);
}

enum status db_open(struct db **out, const char *path, enum db_mode mode, struct error *e) {
    *out = NULL;
    struct db *db = calloc(1, sizeof *db);
    if (db == NULL || (db->path = strdup(path)) == NULL) {
        free(db);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    int flags = mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    enum status status = STATUS_OK;
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK)
        status = db_fail(db, e);
    sqlite3_busy_timeout(db->handle, BUSY_MILLISECONDS);
    if (status == STATUS_OK)
        status = script(db, "PRAGMA foreign_keys = ON", e);
    if (status == STATUS_OK)
        status = prepare_file(db, mode, e);
    if (status != STATUS_OK) {
        db_close(db);
        return status;
    }
    *out = db;
    return STATUS_OK;
}

void db_close(struct db *db) {
    if (db == NULL)
        return;
    for (size_t i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].prepared);
    sqlite3_close(db->handle);
    free(db->path);
    free(db);
}
