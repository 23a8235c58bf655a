/* db: rows that are never lost in silence, tables that say what the rows say, a digest that only
 * results can change. */
#include "db/db.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64], path[96];
    struct db *db;
    int64_t run;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-db-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/test.db", f->folder);
    struct error err = {0};
    struct db_run run = {"1", "abc", "host", "gcc", "test.cfg", "hash", 2};
    if (db_open(&f->db, f->path, DB_WRITE, &err) || db_put_run(f->db, &run, &f->run, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
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

static void ok(enum status status, const struct error *err) {
    if (status != STATUS_OK)
        fail_msg("%s", err->text);
}

static int64_t ask(struct fixture *f, const char *sql) {
    struct error err = {0};
    int64_t value;
    ok(db_integer(f->db, sql, -1, &value, &err, ""), &err);
    return value;
}

/* ---- a small experiment: two games, a grid of four, the baseline ---- */

enum { GAMES = 2, GRID = 4 };
static const char *const game_names[GAMES] = {"alpha", "beta"};
/* Similarity by game and number; the last is the baseline's. */
static const double similarities[GAMES][GRID + 1] = {
    {0.25, 0.75, 0.75, 0.5, 1.0},
    {0.5, 1.0, 0.25, 0.125, 0.875},
};

struct ids {
    int64_t experiment, configurations[GRID + 1], streams[GAMES];
};

static void put_frame(struct fixture *f, struct ids *ids) {
    struct error err = {0};
    struct db_member members[GRID + 1];
    for (int i = 0; i <= GRID; i++) {
        char key[64];
        snprintf(key, sizeof key, "configuration %d", i);
        struct db_configuration c = {key, "gaussian", 8 + 2 * (i % 2), 8 + 4 * (i / 2), 6, 5, 0};
        if (i == GRID)
            c = (struct db_configuration){"observed", "observed", DB_NULL, DB_NULL,
                                          DB_NULL,    DB_NULL,    DB_NULL};
        ok(db_put_configuration(f->db, &c, &ids->configurations[i], &err), &err);
        members[i] = (struct db_member){ids->configurations[i], i == GRID ? DB_NULL : i,
                                        i == GRID ? "observed" : NULL};
    }
    ok(db_choose_experiment(f->db, "test", "hash", members, GRID + 1, &ids->experiment, &err),
       &err);
}

static void put_game(struct fixture *f, struct ids *ids, int game, double seconds) {
    struct error err = {0};
    int64_t id, replay;
    struct db_game g = {game_names[game], "A title", game == 0 ? "Pac-Man" : NULL, false};
    ok(db_put_game(f->db, &g, &id, &err), &err);
    struct db_replay r = {.game_id = id,
                          .key = "played",
                          .movie_id = DB_NULL,
                          .frames = 100,
                          .instructions = 100000,
                          .cycles = 300000,
                          .engine = "interpreter",
                          .edges = 20,
                          .hot_edges = 8,
                          .exact_hash = "e",
                          .seconds = seconds,
                          .run_id = f->run};
    ok(db_put_replay(f->db, &r, &replay, &err), &err);
    struct db_exact_edge edge = {0xC000, 0xC010, 90, true, true, false};
    ok(db_put_exact_edge(f->db, replay, &edge, &err), &err);
    struct db_stream s = {.replay_id = replay,
                          .key = "sampled",
                          .interval_us = 3000,
                          .batch_length = 25,
                          .batches = 50,
                          .samples = 1250,
                          .hash = "s",
                          .run_id = f->run};
    ok(db_put_stream(f->db, &s, &ids->streams[game], &err), &err);
    ok(db_choose_stream(f->db, ids->experiment, id, ids->streams[game], &err), &err);
}

static void put_result(struct fixture *f, const struct ids *ids, int game, int number,
                       double seconds) {
    struct error err = {0};
    double s = similarities[game][number];
    struct db_result r = {.stream_id = ids->streams[game],
                          .configuration_id = ids->configurations[number],
                          .bins = 10,
                          .whole = {s, 0.5, 0.5, 0.5, 0.5, 0.5, 8, 30, 9},
                          .active = {NAN, NAN, NAN, 0.5, 0.5, 0.5, 0, 20, 5},
                          .graph_hash = "g",
                          .cost = {1, 2, 3, 4},
                          .seconds = seconds,
                          .run_id = f->run};
    ok(db_put_result(f->db, &r, &err), &err);
}

static void put_all(struct fixture *f, struct ids *ids) {
    put_frame(f, ids);
    for (int game = 0; game < GAMES; game++)
        put_game(f, ids, game, 1.0);
    for (int game = 0; game < GAMES; game++)
        for (int number = 0; number <= GRID; number++)
            put_result(f, ids, game, number, 0.5);
}

struct text {
    char at[8000];
    size_t len;
};

static enum status append(void *user, size_t columns, const char *const *names,
                          const char *const *values, struct error *e) {
    (void)names;
    (void)e;
    struct text *t = user;
    for (size_t i = 0; i < columns; i++)
        t->len +=
            (size_t)snprintf(t->at + t->len, sizeof t->at - t->len, "%s%s",
                             values[i] != NULL ? values[i] : "-", i + 1 < columns ? " " : "\n");
    return STATUS_OK;
}

static void expect_rows(struct fixture *f, const char *sql, const char *rows) {
    struct error err = {0};
    struct text t = {0};
    ok(db_query(f->db, sql, append, &t, &err, ""), &err);
    assert_string_equal(t.at, rows);
}

static enum status append_digest(void *user, const char *key, const char hash[33],
                                 struct error *e) {
    (void)e;
    struct text *t = user;
    t->len += (size_t)snprintf(t->at + t->len, sizeof t->at - t->len, "%s %s\n", key, hash);
    return STATUS_OK;
}

static void take_digest(struct fixture *f, struct text *t) {
    struct error err = {0};
    *t = (struct text){0};
    ok(db_digest(f->db, NULL, 0, append_digest, t, &err), &err);
}

/* ---- opening ---- */

static void refuse(struct fixture *f, const char *path, enum db_mode mode, const char *words) {
    (void)f;
    struct error err = {0};
    struct db *db = NULL;
    assert_int_not_equal(db_open(&db, path, mode, &err), STATUS_OK);
    assert_null(db);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, words));
}

static void write_with_sqlite(const char *path, const char *sql) {
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

/* If this failed, a sweep could overwrite a file that is somebody else's. */
static void test_foreign_files_are_refused_and_left_alone(void **state) {
    struct fixture *f = *state;
    char path[96];
    snprintf(path, sizeof path, "%s/notes.txt", f->folder);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 400; i++)
        fputs("nothing of yours\n", file);
    fclose(file);
    struct bytes before, after;
    assert_int_equal(file_read(&before, path, 1 << 20, NULL), STATUS_OK);
    refuse(f, path, DB_WRITE, "is not a database");
    refuse(f, path, DB_READ, "is not a database");
    assert_int_equal(file_read(&after, path, 1 << 20, NULL), STATUS_OK);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.at, after.at, before.len);
    bytes_free(&before);
    bytes_free(&after);

    snprintf(path, sizeof path, "%s/other.db", f->folder);
    write_with_sqlite(path, "CREATE TABLE diary (day TEXT)");
    refuse(f, path, DB_WRITE, "not one of hotgraph's");
    refuse(f, path, DB_READ, "not one of hotgraph's");

    snprintf(path, sizeof path, "%s/none/x.db", f->folder);
    refuse(f, path, DB_WRITE, "cannot be opened");
    refuse(f, path, DB_READ, "cannot be opened");
}

/* If this failed, an old program could damage what a newer one wrote. */
static void test_newer_version_is_refused(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    ok(db_commit(f->db, &err), &err);
    write_with_sqlite(f->path, "PRAGMA user_version = 99");
    refuse(f, f->path, DB_WRITE, "newer hotgraph");
    refuse(f, f->path, DB_READ, "newer hotgraph");
}

/* If this failed, a second sweep would not read what the first wrote. */
static void test_reopening_keeps_rows(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_commit(f->db, &err), &err);
    db_close(f->db);
    ok(db_open(&f->db, f->path, DB_READ, &err), &err);
    assert_int_equal(ask(f, "SELECT count(*) FROM result"), GAMES * (GRID + 1));
    assert_int_equal(ask(f, "PRAGMA user_version"), DB_VERSION);
    assert_int_equal(ask(f, "SELECT count(*) FROM paper_result"), 48);
}

/* ---- rows ---- */

/* If this failed, a killed and resumed sweep would double rows or lose what was committed. */
static void test_puts_are_repeatable_and_commits_last(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids first, second;
    put_all(f, &first);
    ok(db_commit(f->db, &err), &err);
    put_all(f, &second);
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(ask(f, "SELECT count(*) FROM result"), GAMES * (GRID + 1));
    struct db_game g = {"gamma", "Third", NULL, false};
    int64_t id;
    ok(db_put_game(f->db, &g, &id, &err), &err);
    db_close(f->db); /* as if killed: gamma was not committed */
    ok(db_open(&f->db, f->path, DB_WRITE, &err), &err);
    assert_int_equal(ask(f, "SELECT count(*) FROM game"), GAMES);
    assert_int_equal(ask(f, "SELECT count(*) FROM result"), GAMES * (GRID + 1));
}

/* If this failed, `make sweep` with nothing to do would still write to a shared database. */
static void test_nothing_new_writes_nothing(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_frame(f, &ids);
    put_game(f, &ids, 0, 1.0);
    ok(db_commit(f->db, &err), &err);
    int64_t before = ask(f, "SELECT total_changes()");
    put_frame(f, &ids);
    const char *names[] = {"alpha"};
    ok(db_keep_games(f->db, ids.experiment, names, 1, &err), &err);
    ok(db_choose_stream(f->db, ids.experiment, 1, ids.streams[0], &err), &err);
    assert_int_equal(ask(f, "SELECT total_changes()"), before);
}

/* If this failed, a row that breaks a rule would vanish without a word. */
static void test_broken_rows_are_errors(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_frame(f, &ids);
    put_game(f, &ids, 0, 1.0);
    struct db_result r = {.stream_id = 4711,
                          .configuration_id = ids.configurations[0],
                          .graph_hash = "g",
                          .run_id = f->run};
    assert_int_equal(db_put_result(f->db, &r, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "FOREIGN KEY"));
    struct db_game g = {"delta", NULL, NULL, false};
    int64_t id;
    assert_int_equal(db_put_game(f->db, &g, &id, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "NOT NULL"));
}

/* ---- tables ---- */

/* If this failed, the paper's tables would name the wrong configurations. */
static void test_tables_rank_by_metric_then_number(void **state) {
    struct fixture *f = *state;
    struct ids ids;
    put_all(f, &ids);
    expect_rows(f,
                "SELECT game, place, number, bin_size, stdev_threshold, similarity_percent,"
                " baseline_percent, similarity_active_percent, paper_game,"
                " paper_similarity_percent FROM table3",
                "alpha 1 1 10 8 75 100 - Pac-Man 69\n"
                "alpha 2 2 8 12 75 100 - Pac-Man 69\n"
                "alpha 3 3 10 12 50 100 - Pac-Man 69\n"
                "beta 1 1 10 8 100 87.5 - - -\n"
                "beta 2 0 8 8 50 87.5 - - -\n"
                "beta 3 2 8 12 25 87.5 - - -\n");
    expect_rows(f, "SELECT game, place, number, similarity_percent, paper_bin_size FROM table4",
                "alpha 1 0 25 10\nalpha 2 3 50 10\nalpha 3 1 75 10\n"
                "beta 1 3 12.5 -\nbeta 2 2 25 -\nbeta 3 0 50 -\n");
    expect_rows(f,
                "SELECT game, batches, instructions, sampled_percent, baseline_percent,"
                " paper_batches FROM table1",
                "alpha 50 100000 1.25 100 92582\nbeta 50 100000 1.25 87.5 -\n");
    expect_rows(f,
                "SELECT game, hot_edges, best_percent, worst_percent, baseline_percent,"
                " best_active_percent, paper_worst_percent FROM table2",
                "alpha 8 75 25 100 - 28\nbeta 8 100 12.5 87.5 - -\n");
}

/* If this failed, the recommended configuration would be the wrong one. */
static void test_ranking_over_games_and_effects(void **state) {
    struct fixture *f = *state;
    struct ids ids;
    put_all(f, &ids);
    expect_rows(f,
                "SELECT place, number, games, mean_percent, mean_place, games_won,"
                " baseline_mean_percent FROM best_configuration",
                "1 1 2 87.5 1.25 2 93.75\n"
                "2 2 2 50 2.25 1 93.75\n"
                "3 0 2 37.5 3 0 93.75\n"
                "4 3 2 31.25 3.5 0 93.75\n");
    expect_rows(f, "SELECT place, number FROM worst_configuration", "1 3\n2 0\n3 2\n4 1\n");
    expect_rows(f,
                "SELECT parameter, value, results, mean_percent, effect_points FROM"
                " parameter_effect WHERE parameter IN ('bin_size', 'stdev_threshold')",
                "bin_size 8 4 43.75 -7.81\nbin_size 10 4 59.38 7.81\n"
                "stdev_threshold 8 4 62.5 10.94\nstdev_threshold 12 4 40.63 -10.94\n");
}

/* If this failed, one could not see which hot edges a configuration misses. */
static void test_hot_edges_say_who_found_them(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    struct edge edge = {0xC000, 0xC010, 7, false};
    ok(db_put_graph_edge(f->db, ids.streams[0], ids.configurations[1], &edge, &err), &err);
    ok(db_put_graph_edge(f->db, ids.streams[0], ids.configurations[GRID], &edge, &err), &err);
    expect_rows(f, "SELECT * FROM hot_edge",
                "alpha c000 c010 90 1 1 0 1 0 0 1\nbeta c000 c010 90 1 1 0 0 0 0 0\n");
}

/* If this failed, rows of an earlier experiment would leak into the tables of a later one. */
static void test_views_show_the_last_experiment(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    struct db_member members[] = {{ids.configurations[3], 0, NULL},
                                  {ids.configurations[GRID], DB_NULL, "observed"}};
    int64_t other;
    ok(db_choose_experiment(f->db, "other", "hash2", members, 2, &other, &err), &err);
    ok(db_choose_stream(f->db, other, 2, ids.streams[1], &err), &err);
    expect_rows(f, "SELECT game, number, similarity_percent FROM table3", "beta 0 12.5\n");
    put_frame(f, &ids);
    assert_int_equal(ask(f, "SELECT count(*) FROM table3"), 6);
    const char *names[] = {"beta"};
    ok(db_keep_games(f->db, ids.experiment, names, 1, &err), &err);
    assert_int_equal(ask(f, "SELECT count(*) FROM table3"), 3);
    assert_int_equal(ask(f, "SELECT count(*) FROM result"), GAMES * (GRID + 1));
}

/* ---- digest ---- */

/* If this failed, "reproduced" would depend on how many threads ran, or on the clock. */
static void test_digest_ignores_order_and_time(void **state) {
    struct fixture *f = *state;
    struct ids ids;
    put_all(f, &ids);
    struct text first, second;
    take_digest(f, &first);
    assert_non_null(strstr(first.at, "alpha/replay "));
    assert_non_null(strstr(first.at, "beta/result/0003 "));
    assert_non_null(strstr(first.at, "beta/result/baseline "));

    tear_down(state);
    assert_int_equal(set_up(state), 0);
    f = *state;
    put_frame(f, &ids);
    for (int game = GAMES; game-- > 0;) {
        put_game(f, &ids, game, 77.0);
        for (int number = GRID + 1; number-- > 0;)
            put_result(f, &ids, game, number, 3.25);
    }
    take_digest(f, &second);
    assert_string_equal(first.at, second.at);
}

/* If this failed, a changed result would pass for a reproduced one. */
static void test_digest_notices_every_result_column(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    struct text before, after;
    take_digest(f, &before);
    static const char *const columns[] = {"bins",           "edges",      "similarity",
                                          "overlap_active", "graph_hash", "steps"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "UPDATE result SET %s = %s WHERE stream_id = %" PRId64
                 " AND configuration_id = %" PRId64,
                 columns[i], strcmp(columns[i], "graph_hash") == 0 ? "'changed'" : "17",
                 ids.streams[1], ids.configurations[2]);
        ok(db_query(f->db, sql, NULL, NULL, &err, ""), &err);
        take_digest(f, &after);
        char *line = strstr(before.at, "beta/result/0002"),
             *same = strstr(after.at, "beta/result/");
        assert_non_null(line);
        assert_non_null(same);
        assert_string_not_equal(before.at, after.at);
        assert_memory_equal(before.at, after.at, (size_t)(line - before.at));
        before = after;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_foreign_files_are_refused_and_left_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_newer_version_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reopening_keeps_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_puts_are_repeatable_and_commits_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_new_writes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_rows_are_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tables_rank_by_metric_then_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranking_over_games_and_effects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hot_edges_say_who_found_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_views_show_the_last_experiment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_ignores_order_and_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_notices_every_result_column, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("db", tests, NULL, NULL);
}
