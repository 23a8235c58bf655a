/* What was counted and timed in native programs, as rows of a database. */
#ifndef HOTGRAPH_NATIVE_ROWS_H
#define HOTGRAPH_NATIVE_ROWS_H

#include "base/base.h"
#include "commands/native/native_report.h"
#include "db/db.h"

/* The program that name finds in PATH, as a shell would. STATUS_ARGUMENT: there is none. */
enum status native_find_program(const char *name, char *out, size_t size, struct error *e);

/* The row of the program at `path` with the arguments of argv (argv[0] apart; ends with NULL). */
enum status native_rows_program(struct db *db, const char *path, char *const *argv, int64_t *id,
                                struct error *e);

struct native_rows {
    const char *kind; /* of the sites: entry, leader, instruction */
    const char
        *assignment; /* as in native_share; NULL: not all of the program's sites were asked for */
};
/* Shares and, of entries, calls: of the program's own code, not its libraries'. */
enum status native_rows_put(struct db *db, const struct native_report *r, int64_t program_id,
                            const struct native_rows *what, struct error *e);

#endif
