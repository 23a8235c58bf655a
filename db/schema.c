/* Puts rows, by the list of columns in tables.def. Every insert has a conflict clause for its key
 * only, so a row that violates another rule of the schema is an error, and is never dropped
 * silently. */
#include "db/schema.h"
#include "db/connection.h"
#include "db/row_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ---- */

/* clang-format off */

#define TABLE(t, p, n)                                                                             \
    static const struct table *list_##t(void) {                                                    \
        typedef struct db_##t row;                                                                 \
        static const char name[] = #t, note[] = n;                                                 \
        enum { POLICY = PUT_##p };                                                                 \
        static const struct column columns[] = {
#define ID(c)                     {#c, COLUMN_INTEGER, COLUMN_ID, offsetof(row, c), "", ""},
#define KEY(type, c, rule, note)  {#c, COLUMN_##type, COLUMN_KEY, offsetof(row, c), rule, note},
#define MUST(type, c, rule, note) {#c, COLUMN_##type, COLUMN_MUST, offsetof(row, c), rule, note},
#define SOME(type, c, rule, note) {#c, COLUMN_##type, COLUMN_SOME, offsetof(row, c), rule, note},
#define END(t)                                                                                     \
    }                                                                                              \
    ;                                                                                              \
    static const struct table table = {name, note, (enum put_policy)POLICY, columns,               \
                                       sizeof columns / sizeof *columns};                          \
    return &table;                                                                                 \
    }
#include "db/tables.def"
#undef TABLE
#undef ID
#undef KEY
#undef MUST
#undef SOME
#undef END

#define ID(c)
#define KEY(type, c, rule, note)
#define MUST(type, c, rule, note)
#define SOME(type, c, rule, note)
#define END(t)

const struct table *table_of(enum table_name name) {
    switch (name) {
#define TABLE(t, policy, note)                                                                     \
    case TABLE_##t:                                                                                \
        return list_##t();
#include "db/tables.def"
#undef TABLE
    case TABLE_COUNT:
        break;
    }
    return NULL;
}

/* clang-format on */

/* ---- SQL ---- */

char *column_schema(const struct column *c) {
    static const char *const types[] = {"INTEGER", "REAL", "TEXT", "BLOB", "ANY"};
    return sqlite3_mprintf("\"%w\" %s%s%s%s", c->name, types[c->type],
                           c->use == COLUMN_ID     ? " PRIMARY KEY"
                           : c->use == COLUMN_SOME ? ""
                                                   : " NOT NULL",
                           c->rule[0] != '\0' ? " " : "", c->rule);
}

/* Appends the names of the columns of one use, separated by commas. */
static void add_names(sqlite3_str *s, const struct table *t, enum column_use use) {
    const char *between = "";
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].use == use) {
            sqlite3_str_appendf(s, "%s\"%w\"", between, t->columns[i].name);
            between = ", ";
        }
}

char *table_schema(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    bool named = t->columns[0].use == COLUMN_ID;
    sqlite3_str_appendf(s, "CREATE TABLE %s ( -- %s\n", t->name, t->note);
    for (size_t i = 0; i < t->count; i++) {
        char *column = column_schema(&t->columns[i]);
        const char *note = t->columns[i].note;
        sqlite3_str_appendf(s, "    %s,%s%s\n", column, note[0] != '\0' ? " -- " : "", note);
        sqlite3_free(column);
    }
    sqlite3_str_appendf(s, "    %s (", named ? "UNIQUE" : "PRIMARY KEY");
    add_names(s, t, COLUMN_KEY);
    sqlite3_str_appendf(s, ")\n) STRICT%s", named ? "" : ", WITHOUT ROWID");
    return sqlite3_str_finish(s);
}

/* A query that returns a row if the put would change nothing. Column i is argument i + 1 in all
 * statements. */
static char *look_sql(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendf(s, "SELECT 1 FROM %s WHERE 1", t->name);
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];
        int n = (int)i + 1;
        if (c->use == COLUMN_KEY)
            sqlite3_str_appendf(s, " AND \"%w\" = ?%d", c->name, n);
        else if (c->use == COLUMN_SOME && t->policy == PUT_FILL)
            sqlite3_str_appendf(s, " AND (\"%w\" IS NOT NULL OR ?%d IS NULL)", c->name, n);
        else if (c->use != COLUMN_ID && t->policy == PUT_LATEST)
            sqlite3_str_appendf(s, " AND \"%w\" IS ?%d", c->name, n);
    }
    return sqlite3_str_finish(s);
}

/* " DO UPDATE SET ..." of the columns that the policy may change, or " DO NOTHING". */
static void add_update(sqlite3_str *s, const struct table *t) {
    bool any = false;
    for (int pass = 0; pass < 2; pass++) {
        const char *between = "";
        for (size_t i = 0; i < t->count; i++) {
            const struct column *c = &t->columns[i];
            bool fill = t->policy == PUT_FILL && c->use == COLUMN_SOME;
            bool latest = t->policy == PUT_LATEST && c->use != COLUMN_KEY && c->use != COLUMN_ID;
            if (!fill && !latest)
                continue;
            if (!any)
                sqlite3_str_appendf(s, " DO UPDATE SET ");
            else if (pass == 1 && between[0] == '\0')
                sqlite3_str_appendf(s, " WHERE ");
            any = true;
            const char *form = pass == 0 ? (fill ? "%s\"%w\" = coalesce(\"%w\", excluded.\"%w\")"
                                                 : "%s\"%w\" = excluded.\"%w\"")
                                         : (fill ? "%s(\"%w\" IS NULL AND excluded.\"%w\" NOT NULL)"
                                                 : "%s\"%w\" IS NOT excluded.\"%w\"");
            sqlite3_str_appendf(s, form, between, c->name, c->name, c->name);
            between = pass == 0 ? ", " : " OR ";
        }
    }
    if (!any)
        sqlite3_str_appendf(s, " DO NOTHING");
}

static char *insert_sql(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendf(s, "INSERT INTO %s (", t->name);
    for (size_t i = 0; i < t->count; i++)
        sqlite3_str_appendf(s, "%s\"%w\"", i > 0 ? ", " : "", t->columns[i].name);
    sqlite3_str_appendf(s, ") VALUES (");
    for (size_t i = 0; i < t->count; i++)
        sqlite3_str_appendf(s, "%s?%d", i > 0 ? ", " : "", (int)i + 1);
    sqlite3_str_appendf(s, ") ON CONFLICT");
    add_update(s, t);
    return sqlite3_str_finish(s);
}

/* ---- values ---- */

static const void *member(const void *row, const struct column *c) {
    return (const char *)row + c->offset;
}

static int bind_column(sqlite3_stmt *s, int at, const void *value, enum column_type type) {
    switch (type) {
    case COLUMN_INTEGER: {
        int64_t integer = *(const int64_t *)value;
        return integer == DB_NULL ? sqlite3_bind_null(s, at) : sqlite3_bind_int64(s, at, integer);
    }
    case COLUMN_REAL: /* SQLite stores a NaN as NULL */
        return sqlite3_bind_double(s, at, *(const double *)value);
    case COLUMN_TEXT:
        return sqlite3_bind_text(s, at, *(const char *const *)value, -1, SQLITE_STATIC);
    case COLUMN_BLOB: {
        const struct db_blob *blob = value;
        return sqlite3_bind_blob64(s, at, blob->at, blob->len, SQLITE_STATIC);
    }
    case COLUMN_VALUE: {
        const struct db_value *v = value;
        return v->text != NULL ? sqlite3_bind_text(s, at, v->text, -1, SQLITE_STATIC)
                               : sqlite3_bind_int64(s, at, v->integer);
    }
    }
    return SQLITE_MISUSE;
}

static void clear_column(void *value, enum column_type type) {
    static const struct db_value no_value;
    static const struct db_blob no_blob;
    switch (type) {
    case COLUMN_INTEGER:
        *(int64_t *)value = DB_NULL;
        break;
    case COLUMN_REAL:
        *(double *)value = NAN;
        break;
    case COLUMN_TEXT:
        *(const char **)value = NULL;
        break;
    case COLUMN_BLOB:
        *(struct db_blob *)value = no_blob;
        break;
    case COLUMN_VALUE:
        *(struct db_value *)value = no_value;
        break;
    }
}

static void clear_row(const struct table *t, void *row) {
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].use == COLUMN_SOME)
            clear_column((char *)row + t->columns[i].offset, t->columns[i].type);
}

/* ---- names ---- */

struct row_name row_name_start(const char *table) {
    struct row_name n = {hash_start()};
    hash_add_bytes(n.hash, table, strlen(table));
    return n;
}

void row_name_add(struct row_name *n, const char *value) {
    hash_add_bytes(n->hash, "\t", 1);
    hash_add_bytes(n->hash, value, strlen(value));
}

int64_t row_name_finish(struct row_name *n) {
    char hex[33];
    hash_finish(n->hash, hex);
    hex[16] = '\0';
    int64_t id = (int64_t)(strtoull(hex, NULL, 16) >> 1);
    return id != 0 ? id : 1;
}

static void name_row(const struct table *t, void *row) {
    struct row_name n = row_name_start(t->name);
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];
        char room[24];
        if (c->use != COLUMN_KEY)
            continue;
        if (c->type == COLUMN_INTEGER)
            snprintf(room, sizeof room, "%" PRId64, *(const int64_t *)member(row, c));
        const char *text = c->type == COLUMN_INTEGER ? room : *(const char *const *)member(row, c);
        row_name_add(&n, text != NULL ? text : "");
    }
    *(int64_t *)((char *)row + t->columns[0].offset) = row_name_finish(&n);
}

/* ---- putting ---- */

static sqlite3_stmt *prepare_put(struct db *db, char *sql) {
    sqlite3_stmt *prepared = NULL;
    if (sql != NULL)
        sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, NULL);
    sqlite3_free(sql);
    return prepared;
}

/* Runs one of the table's statements; *code becomes the result of its first step. */
static enum status run_put(struct db *db, sqlite3_stmt *s, const struct table *t, const void *row,
                           int *code, struct error *e) {
    *code = s != NULL ? SQLITE_OK : SQLITE_ERROR;
    for (size_t i = 0; *code == SQLITE_OK && i < t->count; i++)
        if ((int)i < sqlite3_bind_parameter_count(s))
            *code = bind_column(s, (int)i + 1, member(row, &t->columns[i]), t->columns[i].type);
    if (*code == SQLITE_OK)
        *code = sqlite3_step(s);
    enum status status = *code == SQLITE_ROW || *code == SQLITE_DONE ? STATUS_OK : db_fail(db, e);
    if (status != STATUS_OK)
        error_prefix(e, "a row of %s", t->name);
    if (s != NULL) {
        sqlite3_reset(s);
        sqlite3_clear_bindings(s);
    }
    return status;
}

enum status table_put(struct db *db, enum table_name name, void *row, struct error *e) {
    const struct table *t = table_of(name);
    int code;
    if (t->columns[0].use == COLUMN_ID)
        name_row(t, row);
    if (sqlite3_get_autocommit(db->handle)) {
        if (db->puts[name].look == NULL)
            db->puts[name].look = prepare_put(db, look_sql(t));
        enum status status = run_put(db, db->puts[name].look, t, row, &code, e);
        if (status != STATUS_OK || code == SQLITE_ROW ||
            (status = db_ensure_transaction(db, e)) != STATUS_OK)
            return status;
    }
    if (db->puts[name].insert == NULL)
        db->puts[name].insert = prepare_put(db, insert_sql(t));
    return run_put(db, db->puts[name].insert, t, row, &code, e);
}

#define TABLE(t, policy, note)                                                                     \
    struct db_##t db_new_##t(void) {                                                               \
        struct db_##t row = {0};                                                                   \
        clear_row(list_##t(), &row);                                                               \
        return row;                                                                                \
    }                                                                                              \
    void db_name_##t(struct db_##t *row) {                                                         \
        if (list_##t()->columns[0].use == COLUMN_ID)                                               \
            name_row(list_##t(), row);                                                             \
    }                                                                                              \
    enum status db_put_##t(struct db *db, struct db_##t *row, struct error *e) {                   \
        return table_put(db, TABLE_##t, row, e);                                                   \
    }
#include "db/tables.def"
#undef TABLE
