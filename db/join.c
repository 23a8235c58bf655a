/* Merges one table of one part: inserts new rows, joins existing ones, and reports
 * contradictions. */
#include "db/row_pairs.h"

#include <string.h>

/* ---- statements ---- */

struct copier {
    struct db *to;
    const char *const *parts;
    const struct table *table;
    size_t part;
    struct db *from;
    sqlite3_stmt *row;    /* of the part; after the columns, the name that the key gives */
    sqlite3_stmt *insert; /* into the merged database; column i is argument i + 1, also in
                             `update` */
    sqlite3_stmt *look, *update;
};

static char *from_sql(const struct table *t) {
    if (t->columns[0].use != COLUMN_ID)
        return row_select(t, "");
    sqlite3_str *s = sqlite3_str_new(NULL);
    for (size_t i = 0; i < t->count; i++)
        sqlite3_str_appendf(s, "%s\"%w\"", i > 0 ? ", " : "SELECT ", t->columns[i].name);
    sqlite3_str_appendf(s, ", row_id('%q'", t->name);
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].use == COLUMN_KEY)
            sqlite3_str_appendf(s, ", \"%w\"", t->columns[i].name);
    sqlite3_str_appendf(s, ") FROM main.%s", t->name);
    return sqlite3_str_finish(s);
}

static char *insert_sql(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendf(s, "INSERT INTO main.%s VALUES (", t->name);
    for (size_t i = 0; i < t->count; i++)
        sqlite3_str_appendf(s, "%s?%d", i > 0 ? ", " : "", (int)i + 1);
    sqlite3_str_appendf(s, ") ON CONFLICT DO NOTHING");
    return sqlite3_str_finish(s);
}

/* NULL if all columns are part of the key. */
static char *update_sql(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    for (int pass = 0; pass < 2; pass++) {
        const char *between = pass == 0 ? " SET " : " WHERE ";
        if (pass == 0)
            sqlite3_str_appendf(s, "UPDATE main.%s", t->name);
        for (size_t i = 0; i < t->count; i++) {
            const struct column *c = &t->columns[i];
            if (pass == 0 ? row_is_name(c) : c->use != COLUMN_KEY)
                continue;
            sqlite3_str_appendf(s, "%s\"%w\" = ?%d", between, c->name, (int)i + 1);
            between = pass == 0 ? ", " : " AND ";
        }
    }
    return sqlite3_str_finish(s);
}

static bool has_values(const struct table *t) {
    for (size_t i = 0; i < t->count; i++)
        if (!row_is_name(&t->columns[i]))
            return true;
    return false;
}

static enum status prepare_copier(struct copier *c, struct error *e) {
    char *where = row_where_key(c->table);
    if (where == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    c->row = row_prepare(c->from, from_sql(c->table));
    c->insert = row_prepare(c->to, insert_sql(c->table));
    c->look = row_prepare(c->to, row_select(c->table, where));
    if (has_values(c->table))
        c->update = row_prepare(c->to, update_sql(c->table));
    sqlite3_free(where);
    if (c->row == NULL)
        return db_fail(c->from, e);
    if (c->insert == NULL || c->look == NULL || (has_values(c->table) && c->update == NULL))
        return db_fail(c->to, e);
    return STATUS_OK;
}

/* ---- contradictions ---- */

/* The statement of one file. */
struct witness {
    const char *path;
    char *row, *value, *run;
};

static void free_witness(struct witness *w) {
    sqlite3_free(w->row);
    sqlite3_free(w->value);
    sqlite3_free(w->run);
}

static void hear(struct witness *w, const char *path, struct db *db, const struct table *t,
                 sqlite3_stmt *row, int column) {
    *w = (struct witness){path, row_describe(db, t, row), row_value(db, t, row, column),
                          row_run(db, t, row)};
}

/* Looks for the row with the copier's key in the earlier parts: one of them contradicts. The parts
 * are opened again, because this is rarely needed. */
static enum status find_other(const struct copier *c, int column, struct witness *w,
                              struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && w->path == NULL && i < c->part; i++) {
        struct db *db = NULL;
        char *where = row_where_key(c->table);
        sqlite3_stmt *look = NULL;
        status = db_open(&db, c->parts[i], DB_ROWS, e);
        if (status == STATUS_OK && where != NULL)
            look = row_prepare(db, row_select(c->table, where));
        if (look != NULL && row_bind_key(look, c->table, c->row) == SQLITE_OK &&
            sqlite3_step(look) == SQLITE_ROW && sqlite3_column_type(look, column) != SQLITE_NULL &&
            row_compare(look, c->row, column) != 0)
            hear(w, c->parts[i], db, c->table, look, column);
        sqlite3_finalize(look);
        sqlite3_free(where);
        db_close(db);
    }
    return status;
}

static enum status contradiction(const struct copier *c, int column, struct error *e) {
    struct witness one = {0}, two = {0};
    const char *name = c->table->columns[column].name;
    enum status status = find_other(c, column, &one, e);
    if (status == STATUS_OK && one.path == NULL) /* it has changed meanwhile */
        hear(&one, "a part before it", c->to, c->table, c->look, column);
    hear(&two, c->parts[c->part], c->from, c->table, c->row, column);
    if (status == STATUS_OK)
        status =
            error_set(e, STATUS_ARGUMENT,
                      "%s and %s contradict each other, and nothing is merged ('hotgraph diff' "
                      "shows all that differs): %s is %s in %s (%s) and %s in %s (%s): %s",
                      one.path, two.path, name, one.value, one.path, one.run, two.value, two.path,
                      two.run, two.row);
    free_witness(&one);
    free_witness(&two);
    return status;
}

/* ---- joining two rows ---- */

/* Compares notes: less than 0 if the part's row is kept. seconds, then run_id decide; the other
 * notes only matter if one run has stored two versions. */
static int compare_notes(const struct copier *c) {
    static const char *const first[] = {"seconds", "run_id"};
    int order = 0;
    for (size_t k = 0; order == 0 && k < sizeof first / sizeof *first; k++)
        for (size_t i = 0; order == 0 && i < c->table->count; i++)
            if (row_is_note(c->table, &c->table->columns[i]) &&
                strcmp(c->table->columns[i].name, first[k]) == 0)
                order = row_compare(c->row, c->look, (int)i);
    for (size_t i = 0; order == 0 && i < c->table->count; i++)
        if (row_is_note(c->table, &c->table->columns[i]))
            order = row_compare(c->row, c->look, (int)i);
    return order;
}

/* c->look is at the row that was merged before. */
static enum status join_row(struct copier *c, struct error *e) {
    const struct table *t = c->table;
    bool newer = compare_notes(c) < 0, changed = newer;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < t->count; i++) {
        const struct column *column = &t->columns[i];
        int at = (int)i;
        bool take = row_is_note(t, column) && newer;
        if (!row_is_name(column) && !row_is_note(t, column)) {
            bool here = sqlite3_column_type(c->row, at) != SQLITE_NULL;
            take = here && sqlite3_column_type(c->look, at) == SQLITE_NULL;
            if (here && !take && row_compare(c->row, c->look, at) != 0)
                return contradiction(c, at, e);
            changed |= take;
        }
        if (c->update != NULL && column->use != COLUMN_ID)
            code = sqlite3_bind_value(c->update, at + 1,
                                      sqlite3_column_value(take ? c->row : c->look, at));
    }
    if (!changed)
        return STATUS_OK;
    sqlite3_reset(c->look); /* a row must not be changed while it is being read */
    if (code == SQLITE_OK)
        code = sqlite3_step(c->update);
    sqlite3_reset(c->update);
    return code == SQLITE_DONE ? STATUS_OK : db_fail(c->to, e);
}

static enum status damaged(const struct copier *c, const char *what, struct error *e) {
    char *row = row_describe(c->from, c->table, c->row);
    error_set(
        e, STATUS_FORMAT,
        "%s: is damaged, or was filled by another program: %s %s: leave it out, or compute it "
        "again",
        c->parts[c->part], row, what);
    sqlite3_free(row);
    return STATUS_FORMAT;
}

/* A graph's name must be the hash of its content. */
static enum status check_graph(const struct copier *c, struct error *e) {
    enum { HASH = 1, DATA = 4 };
    struct graph g;
    char hash[33];
    if (sqlite3_column_type(c->row, DATA) != SQLITE_BLOB)
        return STATUS_OK;
    enum status status = db_unpack_graph(&g, sqlite3_column_blob(c->row, DATA),
                                         (size_t)sqlite3_column_bytes(c->row, DATA), e);
    if (status == STATUS_FORMAT)
        return damaged(c, "cannot be read", e);
    if (status == STATUS_OK)
        status = graph_hash(&g, hash, e);
    bool same =
        status == STATUS_OK && strcmp(hash, (const char *)sqlite3_column_text(c->row, HASH)) == 0;
    graph_free(&g);
    return status != STATUS_OK || same ? status
                                       : damaged(c, "has edges that do not match its hash", e);
}

static enum status copy_row(struct copier *c, struct error *e) {
    const struct table *t = c->table;
    if (t->columns[0].use == COLUMN_ID &&
        sqlite3_column_int64(c->row, 0) != sqlite3_column_int64(c->row, (int)t->count))
        return damaged(c, "has an id that does not match its key", e);
    enum status status = t == table_of(TABLE_graph) ? check_graph(c, e) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < t->count; i++)
        code = sqlite3_bind_value(c->insert, (int)i + 1, sqlite3_column_value(c->row, (int)i));
    if (code == SQLITE_OK)
        code = sqlite3_step(c->insert);
    sqlite3_reset(c->insert);
    if (code != SQLITE_DONE)
        return db_fail(c->to, e);
    if (sqlite3_changes(c->to->handle) != 0)
        return STATUS_OK;
    if (row_bind_key(c->look, t, c->row) != SQLITE_OK)
        return db_fail(c->to, e);
    code = sqlite3_step(c->look);
    if (code == SQLITE_ROW)
        status = join_row(c, e);
    else
        status =
            code == SQLITE_DONE ? damaged(c, "has the id of another row", e) : db_fail(c->to, e);
    sqlite3_reset(c->look);
    return status;
}

enum status join_table(struct db *to, const char *const *parts, size_t part, struct db *from,
                       const struct table *t, struct error *e) {
    struct copier c = {.to = to, .parts = parts, .table = t, .part = part, .from = from};
    enum status status = prepare_copier(&c, e);
    int code = SQLITE_DONE;
    while (status == STATUS_OK && (code = sqlite3_step(c.row)) == SQLITE_ROW)
        status = copy_row(&c, e);
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = db_fail(from, e);
    sqlite3_finalize(c.row);
    sqlite3_finalize(c.insert);
    sqlite3_finalize(c.look);
    sqlite3_finalize(c.update);
    return status;
}
