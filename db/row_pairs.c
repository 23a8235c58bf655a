/* Compares rows of two databases. */
#include "db/row_pairs.h"

#include <string.h>

/* ---- kinds of columns ---- */

bool row_is_name(const struct column *c) {
    return c->use == COLUMN_ID || c->use == COLUMN_KEY;
}

bool row_is_note(const struct table *t, const struct column *c) {
    static const struct {
        const char *table, *column;
    } notes[] = {
        {NULL, "run_id"},
        {NULL, "seconds"},
        {NULL, "base_seconds"},
        {NULL, "start_seconds"},
        {NULL, "base_start_seconds"},
        {"run", "finished"},
        {"game", "title"},
        {"game", "untested"},
        {"game", "paper_game"},
        {"movie", "file"},
        {"replay", "command"},
        {"replay", "engine"},
        {"replay", "engine_options"},
        {"image", "name"},
        {"replay_image", "path"},
        {"native_program", "name"},
        {"native_program", "command"},
    };
    if (row_is_name(c))
        return false;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].column, c->name) == 0 &&
            (notes[i].table == NULL || strcmp(notes[i].table, t->name) == 0))
            return true;
    return false;
}

/* ---- statements ---- */

char *row_select(const struct table *t, const char *behind) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    for (size_t i = 0; i < t->count; i++)
        sqlite3_str_appendf(s, "%s\"%w\"", i > 0 ? ", " : "SELECT ", t->columns[i].name);
    sqlite3_str_appendf(s, " FROM main.%s%s", t->name, behind);
    return sqlite3_str_finish(s);
}

char *row_where_key(const struct table *t) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    const char *between = " WHERE ";
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].use == COLUMN_KEY) {
            sqlite3_str_appendf(s, "%s\"%w\" = ?", between, t->columns[i].name);
            between = " AND ";
        }
    return sqlite3_str_finish(s);
}

sqlite3_stmt *row_prepare(struct db *db, char *sql) {
    sqlite3_stmt *prepared = NULL;
    if (sql != NULL)
        sqlite3_prepare_v2(db->handle, sql, -1, &prepared, NULL);
    sqlite3_free(sql);
    return prepared;
}

int row_bind_key(sqlite3_stmt *to, const struct table *t, sqlite3_stmt *from) {
    int code = SQLITE_OK, next = 1;
    for (size_t i = 0; code == SQLITE_OK && i < t->count; i++)
        if (t->columns[i].use == COLUMN_KEY)
            code = sqlite3_bind_value(to, next++, sqlite3_column_value(from, (int)i));
    return code;
}

/* ---- order ---- */

static int compare_bytes(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
    const void *at = sqlite3_column_blob(a, column), *bt = sqlite3_column_blob(b, column);
    int an = sqlite3_column_bytes(a, column), bn = sqlite3_column_bytes(b, column);
    int least = an < bn ? an : bn;
    int order = least > 0 ? memcmp(at, bt, (size_t)least) : 0;
    return order != 0 ? order : (an > bn) - (an < bn);
}

int row_compare(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
    int type = sqlite3_column_type(a, column), other = sqlite3_column_type(b, column);
    if (type != other) /* SQLITE_INTEGER, FLOAT, TEXT, BLOB, NULL are 1 to 5 */
        return type - other;
    if (type == SQLITE_INTEGER) {
        sqlite3_int64 x = sqlite3_column_int64(a, column), y = sqlite3_column_int64(b, column);
        return (x > y) - (x < y);
    }
    if (type == SQLITE_FLOAT) {
        double x = sqlite3_column_double(a, column), y = sqlite3_column_double(b, column);
        return (x > y) - (x < y);
    }
    return type == SQLITE_NULL ? 0 : compare_bytes(a, b, column);
}

/* ---- messages ---- */

static int column_named(const struct table *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The table whose id the column holds; NULL: none. */
static const struct table *referenced(const struct column *c) {
    static const char start[] = "REFERENCES ";
    for (int i = 0; i < TABLE_COUNT; i++) {
        const struct table *t = table_of((enum table_name)i);
        if (t->columns[0].use != COLUMN_ID || c->use == COLUMN_ID)
            continue;
        if ((strncmp(c->rule, start, sizeof start - 1) == 0 &&
             strcmp(c->rule + sizeof start - 1, t->name) == 0) ||
            (c->rule[0] == '\0' && strcmp(c->name, t->columns[0].name) == 0))
            return t;
    }
    return NULL;
}

/* The first row of the query `sql` for the id, ready to be read; NULL: none. */
static sqlite3_stmt *first_row(struct db *db, char *sql, sqlite3_int64 id) {
    sqlite3_stmt *s = row_prepare(db, sql);
    if (s != NULL && sqlite3_bind_int64(s, 1, id) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        return s;
    sqlite3_finalize(s);
    return NULL;
}

static void add_value(sqlite3_str *s, sqlite3_stmt *row, int column) {
    char room[40];
    int type = sqlite3_column_type(row, column);
    if (type == SQLITE_BLOB)
        sqlite3_str_appendf(s, "%d bytes", sqlite3_column_bytes(row, column));
    else if (type == SQLITE_NULL)
        sqlite3_str_appendall(s, "NULL");
    else
        sqlite3_str_appendf(s, type == SQLITE_TEXT ? "'%.200s'" : "%s", db_text(row, column, room));
}

/* Keys of replays are hashes; messages name the games. */
static void add_game(sqlite3_str *s, struct db *db, const struct table *t, sqlite3_int64 id) {
    static const char of_stream[] = "SELECT min(g.name) FROM experiment_stream JOIN game g"
                                    " USING (game_id) WHERE stream_id = ?";
    static const char of_replay[] =
        "SELECT min(g.name) FROM stream JOIN experiment_stream USING (stream_id)"
        " JOIN game g USING (game_id) WHERE replay_id = ?";
    bool replay = strcmp(t->name, "replay") == 0;
    if (!replay && strcmp(t->name, "stream") != 0)
        return;
    sqlite3_stmt *game = first_row(db, sqlite3_mprintf("%s", replay ? of_replay : of_stream), id);
    if (game != NULL && sqlite3_column_type(game, 0) == SQLITE_TEXT)
        sqlite3_str_appendf(s, " of game %s", sqlite3_column_text(game, 0));
    sqlite3_finalize(game);
}

static void add_row(sqlite3_str *s, struct db *db, const struct table *t, sqlite3_stmt *row);

/* Appends the description of the row that the column's id names, or the value. References only lead
 * to tables further down in the list. */
static void add_meaning(sqlite3_str *s, struct db *db, const struct table *t, sqlite3_stmt *row,
                        int column) {
    const struct table *to = referenced(&t->columns[column]);
    sqlite3_stmt *found = NULL;
    if (to != NULL && to != t && sqlite3_column_type(row, column) == SQLITE_INTEGER) {
        char *behind = sqlite3_mprintf(" WHERE \"%w\" = ?", to->columns[0].name);
        found = behind == NULL
                    ? NULL
                    : first_row(db, row_select(to, behind), sqlite3_column_int64(row, column));
        sqlite3_free(behind);
    }
    if (found != NULL)
        add_row(s, db, to, found);
    else
        add_value(s, row, column);
    sqlite3_finalize(found);
}

static void add_row(sqlite3_str *s, struct db *db, const struct table *t, sqlite3_stmt *row) {
    const char *between = " (";
    sqlite3_str_appendall(s, t->name);
    if (t->columns[0].use == COLUMN_ID)
        add_game(s, db, t, sqlite3_column_int64(row, 0));
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];
        if (c->use != COLUMN_KEY)
            continue;
        sqlite3_str_appendall(s, between);
        if (referenced(c) == NULL)
            sqlite3_str_appendf(s, "%s ", c->name);
        add_meaning(s, db, t, row, (int)i);
        between = ", ";
    }
    sqlite3_str_appendall(s, ")");
}

char *row_describe(struct db *db, const struct table *t, sqlite3_stmt *row) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    add_row(s, db, t, row);
    return sqlite3_str_finish(s);
}

char *row_value(struct db *db, const struct table *t, sqlite3_stmt *row, int column) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    add_meaning(s, db, t, row, column);
    return sqlite3_str_finish(s);
}

char *row_run(struct db *db, const struct table *t, sqlite3_stmt *row) {
    static const struct {
        const char *column, *run;
    } ways[] = {
        {"run_id", "?"},
        {"stream_id", "(SELECT run_id FROM stream WHERE stream_id = ?)"},
        {"replay_id", "(SELECT run_id FROM replay WHERE replay_id = ?)"},
        {"graph_id", "(SELECT min(run_id) FROM result WHERE graph_id = ?)"},
        {"configuration_id", "(SELECT min(run_id) FROM result WHERE configuration_id = ?)"},
        {"experiment_id", "(SELECT run_id FROM run WHERE experiment = (SELECT name FROM experiment"
                          " WHERE experiment_id = ?) ORDER BY started DESC, run_id LIMIT 1)"},
    };
    sqlite3_stmt *run = NULL;
    for (size_t i = 0; run == NULL && i < sizeof ways / sizeof *ways; i++) {
        int column = column_named(t, ways[i].column);
        if (column >= 0)
            run = first_row(db,
                            sqlite3_mprintf("SELECT uuid, started, host FROM run WHERE run_id = %s",
                                            ways[i].run),
                            sqlite3_column_int64(row, column));
    }
    char *text = run == NULL
                     ? sqlite3_mprintf("no run")
                     : sqlite3_mprintf("run %s, started %s on %s", sqlite3_column_text(run, 0),
                                       sqlite3_column_text(run, 1), sqlite3_column_text(run, 2));
    sqlite3_finalize(run);
    return text;
}
