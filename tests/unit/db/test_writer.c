/* writer: rows reach the disk while others compute, and a write that fails ends everything. */
#include "experiment/store/writer.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64], path[96];
    struct db *db;
};

static void ok(enum status status, const struct error *err) {
    if (status != STATUS_OK)
        fail_msg("%s", err->text);
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct error err = {0};
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-writer-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/test.db", f->folder);
    ok(db_open(&f->db, f->path, DB_WRITE, &err), &err);
    ok(db_begin_work(f->db, &err), &err);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    db_close(f->db);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int status = system(command);
    free(f);
    return status;
}

static enum status put_movie(struct db *db, void *job, struct error *e) {
    struct db_movie row = {.sha1 = job, .file = "f", .lines = 1};
    return db_put_movie(db, &row, e);
}

static enum status break_a_rule(struct db *db, void *job, struct error *e) {
    (void)job;
    struct db_movie row = {.sha1 = "x", .lines = 1};
    return db_put_movie(db, &row, e);
}

/* The number of rows that another connection sees. */
static int count_movies(const char *path) {
    sqlite3 *handle;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(handle, "SELECT count(*) FROM movie", -1, &s, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int count = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(handle);
    return count;
}

/* Waits until another connection sees this number of rows; false after a minute. */
static bool seen(const struct fixture *f, int count) {
    for (int i = 0; i < 1200; i++) {
        if (count_movies(f->path) == count)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return false;
}

/* If this failed, a killed sweep would lose everything instead of the last second. */
static void rows_are_committed_on_the_way(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct writer *w;
    ok(writer_start(&w, f->db, &err), &err);
    ok(writer_put(w, strdup("one"), put_movie, free), &err);
    assert_true(seen(f, 1)); /* without a further job, and before the end */
    ok(writer_put(w, strdup("two"), put_movie, free), &err);
    ok(writer_finish(w, &err), &err);
    assert_int_equal(count_movies(f->path), 2);
}

/* If this failed, a sweep would compute results for hours that cannot be stored. */
static void a_failed_write_ends_it(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct writer *w;
    ok(writer_start(&w, f->db, &err), &err);
    ok(writer_put(w, strdup("one"), put_movie, free), &err);
    ok(writer_put(w, NULL, break_a_rule, free), &err);
    enum status status = STATUS_OK;
    for (int i = 0; i < 1200 && status == STATUS_OK; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        status = writer_put(w, strdup("two"), put_movie, free);
    }
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(writer_finish(w, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.text, "NOT NULL"));
}

struct reader {
    const char *path;
    sqlite3 *handle;
};

static void begin_reading(struct reader *r) {
    assert_int_equal(sqlite3_open(r->path, &r->handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(r->handle, "BEGIN; SELECT count(*) FROM movie", NULL, NULL, NULL),
                     SQLITE_OK);
}

/* If this failed, a notebook that is left open would end a sweep, or hold it up. */
static void readers_do_not_stop_it(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct writer *w;
    struct reader r = {.path = f->path};
    begin_reading(&r);
    ok(writer_start(&w, f->db, &err), &err);
    ok(writer_put(w, strdup("one"), put_movie, free), &err);
    ok(writer_finish(w, &err), &err);
    assert_int_equal(count_movies(f->path), 1);
    sqlite3_close(r.handle);
}

static int count_calls(void *user, double seconds) {
    int *calls = user;
    (void)seconds;
    return ++*calls > 20;
}

/* If this failed, a sweep that waits for a lock could not be stopped, or it would not wait. */
static void locks_are_waited_for(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    int calls = 0;
    struct reader r = {.path = f->path};
    assert_int_equal(sqlite3_open(r.path, &r.handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(r.handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    db_on_wait(f->db, count_calls, &calls);
    assert_int_equal(put_movie(f->db, "one", &err), STATUS_IO);
    assert_non_null(strstr(err.text, "holds it locked"));
    assert_int_equal(calls, 21);
    sqlite3_close(r.handle);
    ok(put_movie(f->db, "one", &err), &err);

    /* And so is the turn of another sweep. */
    struct db *other;
    ok(db_commit(f->db, &err), &err);
    ok(db_reserve(f->db, &err), &err);
    ok(db_open(&other, f->path, DB_WRITE, &err), &err);
    calls = 0;
    db_on_wait(other, count_calls, &calls);
    assert_int_equal(db_reserve(other, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "another sweep"));
    assert_int_equal(calls, 21);
    db_close(f->db);
    calls = 0;
    ok(db_reserve(other, &err), &err);
    assert_int_equal(calls, 0);
    f->db = other;
}

/* If this failed, a database would remain in three files, or would not open on a read-only disk. */
static void it_is_one_file_afterwards(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    char log[110];
    ok(put_movie(f->db, "one", &err), &err);
    ok(db_commit(f->db, &err), &err);
    db_close(f->db);
    f->db = NULL;
    for (int i = 0; i < 2; i++) {
        snprintf(log, sizeof log, "%s%s", f->path, i == 0 ? "-wal" : "-shm");
        FILE *file = fopen(log, "r");
        assert_null(file);
    }
    struct bytes header;
    ok(file_read(&header, f->path, 1 << 24, &err), &err);
    assert_int_equal(header.at[18], 1); /* no write-ahead log */
    bytes_free(&header);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_committed_on_the_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_write_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(readers_do_not_stop_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(locks_are_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_one_file_afterwards, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
