/* Statements, queries and transactions. */
#include "db/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only the system's calls that fail leave a reason; a file that ends too early has none. */
static enum status fail_to_read(const struct db *db, struct error *e) {
    const char *path = db->path;
    const int code = sqlite3_system_errno(db->handle);
    if (sqlite3_extended_errcode(db->handle) == SQLITE_IOERR_SHORT_READ || code == 0)
        return error_set(e, STATUS_IO,
                         "%s: is not the file that %s-wal or %s-journal belong to: was it deleted "
                         "or replaced alone? Close every program that has it open, move the three "
                         "files away, and run the same command again",
                         path, path, path);
    return error_set(e, STATUS_IO,
                     "%s: cannot be read or written: %s (%s): run the same command again when that "
                     "is mended; what was committed is kept",
                     path, strerror(code), sqlite3_errmsg(db->handle));
}

enum status db_fail(const struct db *db, struct error *e) {
    const char *path = db->path;
    switch (sqlite3_errcode(db->handle) & 0xFF) {
    case SQLITE_NOMEM:
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    case SQLITE_READONLY:
        return error_set(e, STATUS_IO,
                         "%s: may not be written: make the file and its folder writable, or name "
                         "another file",
                         path);
    case SQLITE_FULL:
        return error_set(e, STATUS_IO,
                         "%s: the disk is full: free some space and run the same command again; "
                         "what was committed is kept",
                         path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(e, STATUS_IO,
                         "%s: another program holds it locked: let that finish, or name another "
                         "file",
                         path);
    case SQLITE_NOTADB:
        return error_set(e, STATUS_FORMAT,
                         "%s: is not a database: name another file (this one is left as it is)",
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
        return fail_to_read(db, e);
    case SQLITE_CONSTRAINT:
        return error_set(e, STATUS_FORMAT,
                         "%s: refuses the rows to be stored (%s): is it damaged, or filled "
                         "by another program? Name another file",
                         path, sqlite3_errmsg(db->handle));
    case SQLITE_INTERRUPT:
        return error_set(e, STATUS_INTERRUPTED, "stopped");
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

void db_bind_integer(struct binder *b, int64_t value) {
    if (b->statement == NULL)
        return;
    bound(b, value == DB_NULL ? sqlite3_bind_null(b->statement, b->next)
                              : sqlite3_bind_int64(b->statement, b->next, value));
    b->next++;
}

void db_bind_text(struct binder *b, const char *value) {
    if (b->statement == NULL)
        return;
    bound(b, sqlite3_bind_text(b->statement, b->next++, value, -1, SQLITE_TRANSIENT));
}

void db_bind_list(struct binder *b, const char *format, va_list values) {
    for (; *format != '\0'; format++) {
        if (*format == 'i')
            db_bind_integer(b, va_arg(values, int64_t));
        else
            db_bind_text(b, va_arg(values, const char *));
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
    db_bind_list(&b, format, values);
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

const char *db_library_version(void) {
    return sqlite3_libversion();
}

/* ---- queries ---- */

enum { QUERY_COLUMNS = 128 };

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
    db_bind_list(&b, format, values);
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
    db_bind_list(&b, format, values);
    va_end(values);
    int code = b.statement != NULL ? sqlite3_step(prepared) : SQLITE_ERROR;
    *out = otherwise;
    if (code == SQLITE_ROW && sqlite3_column_type(prepared, 0) != SQLITE_NULL)
        *out = sqlite3_column_int64(prepared, 0);
    enum status status = code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
    if (prepared != NULL) {
        sqlite3_reset(prepared);
        sqlite3_clear_bindings(prepared);
    }
    return status;
}

/* A merge may have replaced the file, or a command that put no row may have removed the file that
 * it had created. */

enum status db_script(struct db *db, const char *sql, struct error *e) {
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK
                                                                        : db_fail(db, e);
}

enum status db_ensure_transaction(struct db *db, struct error *e) {
    if (!sqlite3_get_autocommit(db->handle))
        return STATUS_OK;
    return db_execute(db, "BEGIN IMMEDIATE", e, "");
}

/* A merge may have put another file in its place, or a command that put no row may have removed the
 * file that it made. */
enum status db_check_in_place(const struct db *db, struct error *e) {
    int moved = 0;
    if (sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
        !moved)
        return STATUS_OK;
    return error_set(e, STATUS_IO,
                     "%s: another file was put in its place meanwhile: run the same command again",
                     db->path);
}

enum status db_commit(struct db *db, struct error *e) {
    if (sqlite3_get_autocommit(db->handle))
        return STATUS_OK;
    const enum status status = db_check_in_place(db, e);
    return status == STATUS_OK ? db_execute(db, "COMMIT", e, "") : status;
}
