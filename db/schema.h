/* schema: the tables of tables.def, their columns and rules. Private to db. */
#ifndef HOTGRAPH_DB_SCHEMA_H
#define HOTGRAPH_DB_SCHEMA_H

#include "db/db.h"

enum column_type { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT, COLUMN_BLOB, COLUMN_VALUE };
enum column_use { COLUMN_ID, COLUMN_KEY, COLUMN_MUST, COLUMN_SOME };
enum put_policy { PUT_KEEP, PUT_FILL, PUT_LATEST };

struct column {
    const char *name;
    enum column_type type;
    enum column_use use;
    size_t offset; /* in the row's struct */
    const char *rule, *note;
};
struct table {
    const char *name, *note;
    enum put_policy policy;
    const struct column *columns;
    size_t count;
};
/* clang-format off */
enum table_name {
#define TABLE(t, policy, note) TABLE_##t,
#define ID(c)
#define KEY(type, c, rule, note)
#define MUST(type, c, rule, note)
#define SOME(type, c, rule, note)
#define END(t)
#include "db/tables.def"
#undef TABLE
#undef ID
#undef KEY
#undef MUST
#undef SOME
#undef END
    TABLE_COUNT,
};
/* clang-format on */
const struct table *table_of(enum table_name name);
/* "CREATE TABLE ..." and "name TYPE rule", to be freed with sqlite3_free(); NULL: out of memory. */
char *table_schema(const struct table *t);
char *column_schema(const struct column *c);
enum status table_put(struct db *db, enum table_name name, void *row, struct error *e);

#endif
