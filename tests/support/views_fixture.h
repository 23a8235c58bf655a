/* A database with our tables and views but no rows, and helpers that put rows and read views. */
#ifndef HOTGRAPH_VIEWS_FIXTURE_H
#define HOTGRAPH_VIEWS_FIXTURE_H

#include "db/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64], path[96];
    sqlite3 *db;
};

static inline int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-views-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/test.db", f->folder);
    struct error err = {0};
    struct db *db;
    FILE *file =
        fopen(f->path, "w"); /* db_close() removes a file that db_open() made, without rows */
    if (file == NULL || fclose(file) != 0)
        return -1;
    if (db_open(&db, f->path, DB_WRITE, &err) || db_commit(db, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    db_close(db);
    return sqlite3_open(f->path, &f->db) == SQLITE_OK ? 0 : -1;
}

static inline int tear_down(void **state) {
    struct fixture *f = *state;
    sqlite3_close(f->db);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int status = system(command);
    free(f);
    return status;
}

static inline void run(struct fixture *f, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(f->db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", message, sql);
}

struct text {
    char at[4000];
    size_t len;
};

static inline int append(void *user, int columns, char **values, char **names) {
    (void)names;
    struct text *t = user;
    for (int i = 0; i < columns; i++)
        t->len +=
            (size_t)snprintf(t->at + t->len, sizeof t->at - t->len, "%s%s",
                             values[i] != NULL ? values[i] : "-", i + 1 < columns ? "|" : "\n");
    return 0;
}

static inline void expect(struct fixture *f, const char *sql, const char *rows) {
    struct text t = {0};
    char *message = NULL;
    if (sqlite3_exec(f->db, sql, append, &t, &message) != SQLITE_OK)
        fail_msg("%s: %s", message, sql);
    assert_string_equal(t.at, rows);
}

#endif
