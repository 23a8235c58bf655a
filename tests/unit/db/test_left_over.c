/* db: a log left over from another file. If this fails, a new file gets the rows of a deleted one,
 * a sweep reports that only after hours, or the message is only "Success". */
#include "db/db.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64], path[96], log[100];
    pid_t other; /* a program that has the file open, with rows in its log */
};

/* Returns once the file is open; `line` is then written to. */
static _Noreturn void hold(const char *path, int line) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                     "INSERT INTO game (game_id, name, title, untested) VALUES (1, 'one', 'One', "
                     "0); BEGIN; SELECT * FROM game",
                     NULL, NULL, NULL) != SQLITE_OK ||
        write(line, "x", 1) != 1)
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    for (;;)
        pause();
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct db *db;
    struct db_game game = {.name = "two", .title = "Two"};
    struct error e = {0};
    int line[2];
    char ready;
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-db-XXXXXX");
    if (mkdtemp(f->folder) == NULL || pipe(line) != 0)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/x.db", f->folder);
    snprintf(f->log, sizeof f->log, "%s-wal", f->path);
    if (db_open(&db, f->path, DB_WRITE, &e) != STATUS_OK ||
        db_put_game(db, &game, &e) != STATUS_OK || db_commit(db, &e) != STATUS_OK) {
        print_error("%s\n", e.text);
        return -1;
    }
    db_close(db);
    f->other = fork();
    if (f->other == 0)
        hold(f->path, line[1]);
    close(line[1]);
    const bool good = read(line[0], &ready, 1) == 1;
    close(line[0]);
    return good ? 0 : -1;
}

static void end_other(struct fixture *f) {
    if (f->other > 0) {
        kill(f->other, SIGKILL);
        waitpid(f->other, NULL, 0);
    }
    f->other = 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    end_other(f);
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int status = system(command);
    free(f);
    return status;
}

static int64_t games(struct db *db) {
    struct error e = {0};
    int64_t count = -1;
    if (db_integer(db, "SELECT count(*) FROM game", -1, &count, &e, "") != STATUS_OK)
        fail_msg("%s", e.text);
    return count;
}

static void a_deleted_file_that_is_in_use(void **state) {
    struct fixture *f = *state;
    struct db *db = NULL;
    struct error e = {0};
    char process[40];
    snprintf(process, sizeof process, "process %d still has it open", (int)f->other);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(db_open(&db, f->path, DB_WRITE, &e), STATUS_IO);
    assert_ptr_equal(strstr(e.text, f->path), e.text);
    assert_non_null(strstr(e.text, process));
    assert_int_equal(access(f->path, F_OK), -1);
    /* Once that process has ended, its log has no effect. */
    end_other(f);
    assert_int_equal(access(f->log, F_OK), 0);
    if (db_open(&db, f->path, DB_WRITE, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(games(db), 0);
    db_close(db);
}

static void a_log_that_ends_too_early(void **state) {
    struct fixture *f = *state;
    struct db *db = NULL;
    struct error e = {0};
    int64_t count;
    assert_int_equal(truncate(f->log, 0), 0);
    enum status status = db_open(&db, f->path, DB_READ, &e);
    if (status == STATUS_OK)
        status = db_integer(db, "SELECT count(*) FROM game", -1, &count, &e, "");
    db_close(db);
    assert_int_equal(status, STATUS_IO);
    assert_ptr_equal(strstr(e.text, f->path), e.text);
    assert_non_null(strstr(e.text, f->log));
    assert_non_null(strstr(e.text, "run the same command again"));
    assert_null(strstr(e.text, "Success"));
}

/* A file in use at its own path is accepted. */
static void a_file_that_is_in_use(void **state) {
    struct fixture *f = *state;
    struct db *db = NULL;
    struct error e = {0};
    if (db_open(&db, f->path, DB_WRITE, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(games(db), 2);
    db_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_deleted_file_that_is_in_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_log_that_ends_too_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_in_use, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
