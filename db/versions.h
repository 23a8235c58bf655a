/* versions: upgrades of older databases, and their views. Private to db. */
#ifndef HOTGRAPH_DB_VERSIONS_H
#define HOTGRAPH_DB_VERSIONS_H

#include "db/connection.h"

/* Upgrades an open database to this version. Needs an open transaction. */
enum status db_upgrade(struct db *db, int64_t version, struct error *e);
/* Has the database all tables and columns of this version? */
enum status db_is_complete(struct db *db, bool *complete, struct error *e);
/* Replaces views that differ from this version's. If the file is read-only (not `write`), temporary
 * views shadow them. */
enum status db_renew_views(struct db *db, bool write, struct error *e);

/* The .sql files as text, in a generated source. */
extern const char db_paper_sql[], db_views_sql[], db_version1_sql[];

#endif
