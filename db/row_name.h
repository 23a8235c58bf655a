/* row_name: names of rows, which are the same in every database. Private to db. */
#ifndef HOTGRAPH_DB_ROW_NAME_H
#define HOTGRAPH_DB_ROW_NAME_H

#include "db/db.h"

/* A name is 63 bits of a hash; never 0. */
struct row_name {
    struct hash *hash;
};
struct row_name row_name_start(const char *table);
void row_name_add(struct row_name *n, const char *value);
int64_t row_name_finish(struct row_name *n);

#endif
