/* Compares two databases. Both are read in the order of their primary keys, so that rows with equal
 * keys meet. */
#include "db/row_pairs.h"

#include <string.h>

struct side {
    struct db *db;
    sqlite3_stmt *row;
    bool more; /* `row` is at a row */
};
struct comparison {
    const struct db_diff *request;
    const struct table *table;
    struct side sides[2];
    int64_t same, differ;
};

/* Leaves out runs and derived tables. */
static bool is_compared(const struct table *t) {
    static const enum table_name others[] = {TABLE_run,       TABLE_text,        TABLE_run_file,
                                             TABLE_run_input, TABLE_role,        TABLE_unfit,
                                             TABLE_bench,     TABLE_native_time, TABLE_program_run};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (t == table_of(others[i]))
            return false;
    return true;
}

/* In the order of the primary key, as row_compare(). Edge rows of graphs that are stored whole
 * exist only while these have a role, so they are left out. */
static char *ordered_sql(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    const char *between = " ORDER BY ";
    if (t == table_of(TABLE_graph_edge))
        sqlite3_str_appendall(s, " WHERE graph_id NOT IN"
                                 " (SELECT graph_id FROM main.graph WHERE data IS NOT NULL)");
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].use == COLUMN_ID ||
            (t->columns[0].use != COLUMN_ID && t->columns[i].use == COLUMN_KEY)) {
            sqlite3_str_appendf(s, "%s\"%w\"", between, t->columns[i].name);
            between = ", ";
        }
    char *behind = sqlite3_str_finish(s);
    char *sql = behind != NULL ? row_select(t, behind) : NULL;
    sqlite3_free(behind);
    return sql;
}

static enum status step(struct side *s, struct error *e) {
    int code = sqlite3_step(s->row);
    s->more = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : db_fail(s->db, e);
}

/* Order of the two rows; 0: equal keys. */
static int compare_keys(const struct comparison *c) {
    if (!c->sides[0].more || !c->sides[1].more)
        return c->sides[1].more - c->sides[0].more;
    int order = 0;
    for (size_t i = 0; order == 0 && i < c->table->count; i++)
        if (row_is_name(&c->table->columns[i]))
            order = row_compare(c->sides[0].row, c->sides[1].row, (int)i);
    return order;
}

/* The first column with a different result, or -1. */
static int differing_column(const struct comparison *c) {
    for (size_t i = 0; i < c->table->count; i++)
        if (!row_is_name(&c->table->columns[i]) && !row_is_note(c->table, &c->table->columns[i]) &&
            row_compare(c->sides[0].row, c->sides[1].row, (int)i) != 0)
            return (int)i;
    return -1;
}

/* Reports a difference: in `column`, or, if that is -1, a row that one database lacks; `order` says
 * which. */
static enum status tell(struct comparison *c, int order, int column, struct error *e) {
    if ((uint64_t)c->differ++ >= c->request->most)
        return STATUS_OK;
    const struct side *first = &c->sides[order > 0 ? 1 : 0];
    char *row = row_describe(first->db, c->table, first->row);
    char *values[2] = {NULL, NULL}, *runs[2] = {NULL, NULL};
    struct db_difference d = {.table = c->table->name,
                              .row = row,
                              .column = column >= 0 ? c->table->columns[column].name : NULL};
    for (int i = 0; i < 2; i++) {
        const struct side *s = &c->sides[i];
        if (column < 0 && s != first)
            continue;
        if (column >= 0)
            values[i] = row_value(s->db, c->table, s->row, column);
        runs[i] = row_run(s->db, c->table, s->row);
        d.value[i] = values[i];
        d.run[i] = runs[i];
    }
    enum status status = row != NULL ? c->request->each(c->request->user, &d, e)
                                     : error_set(e, STATUS_MEMORY, "out of memory");
    for (int i = 0; i < 2; i++) {
        sqlite3_free(values[i]);
        sqlite3_free(runs[i]);
    }
    sqlite3_free(row);
    return status;
}

static enum status compare_rows(struct comparison *c, struct error *e) {
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < 2; i++)
        status = step(&c->sides[i], e);
    while (status == STATUS_OK && (c->sides[0].more || c->sides[1].more)) {
        int order = compare_keys(c);
        int column = order == 0 ? differing_column(c) : -1;
        if (order != 0 || column >= 0)
            status = tell(c, order, column, e);
        else
            c->same++;
        if (status == STATUS_OK && order <= 0)
            status = step(&c->sides[0], e);
        if (status == STATUS_OK && order >= 0)
            status = step(&c->sides[1], e);
    }
    return status;
}

static enum status compare_table(const struct db_diff *request, struct db *const databases[2],
                                 const struct table *t, int64_t *differ, struct error *e) {
    struct comparison c = {.request = request, .table = t};
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < 2; i++) {
        c.sides[i].db = databases[i];
        c.sides[i].row = row_prepare(databases[i], ordered_sql(t));
        if (c.sides[i].row == NULL)
            status = db_fail(databases[i], e);
    }
    if (status == STATUS_OK)
        status = compare_rows(&c, e);
    if (status == STATUS_OK)
        status = request->table(request->user, t->name, c.same, c.differ, e);
    *differ += c.differ;
    for (int i = 0; i < 2; i++)
        sqlite3_finalize(c.sides[i].row);
    return status;
}

enum status db_diff(const struct db_diff *request, int64_t *differ, struct error *e) {
    struct db *databases[2] = {NULL, NULL};
    const char *paths[2] = {request->a, request->b};
    struct db_diff copy = *request;
    enum status status = STATUS_OK;
    *differ = 0;
    for (int i = 0; status == STATUS_OK && i < 2; i++) {
        status = db_open(&databases[i], paths[i], DB_READ, e);
        if (status == STATUS_OK)
            status = db_script(databases[i], "BEGIN", e); /* one state of it */
        if (status == STATUS_OK)
            db_stop_when(databases[i], request->stopped);
    }
    for (int i = 0; status == STATUS_OK && i < TABLE_COUNT; i++)
        if (is_compared(table_of((enum table_name)i)))
            status = compare_table(&copy, databases, table_of((enum table_name)i), differ, e);
    if (status != STATUS_OK && request->stopped != NULL && request->stopped() != 0)
        status = error_set(e, STATUS_INTERRUPTED, "stopped");
    db_close(databases[0]);
    db_close(databases[1]);
    return status;
}
