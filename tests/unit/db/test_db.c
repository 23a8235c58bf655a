/* db: no row is lost silently, tables agree with the rows, and only results change the digest. */
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

static enum status put_run(struct fixture *f, struct error *err) {
    struct db_run run;
    struct db_run_text text;
    db_start_run(&run, &text);
    run.version = "1";
    run.source_commit = "abc";
    run.host = "host";
    run.compiler = "gcc";
    run.configuration_file = "test.cfg";
    run.definition_hash = "hash";
    run.jobs = 2;
    enum status status = db_put_run(f->db, &run, err);
    f->run = run.run_id;
    return status;
}

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
    if (db_open(&f->db, f->path, DB_WRITE, &err) || put_run(f, &err)) {
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
    int64_t experiment, configurations[GRID + 1], streams[GAMES], replays[GAMES];
};

/* The ids to which rows of a game refer. */
static void name_game(struct ids *ids, int game, struct db_experiment_stream *member) {
    struct db_game g = {.name = game_names[game]};
    char key[40];
    snprintf(key, sizeof key, "played %s", game_names[game]);
    struct db_replay replay = {.key = key};
    struct db_sampling sampling = {.key = "sampled"};
    db_name_game(&g);
    db_name_replay(&replay);
    db_name_sampling(&sampling);
    struct db_stream stream = {.replay_id = replay.replay_id, .sampling_id = sampling.sampling_id};
    db_name_stream(&stream);
    ids->replays[game] = replay.replay_id;
    ids->streams[game] = stream.stream_id;
    *member = (struct db_experiment_stream){.game_id = g.game_id,
                                            .stream_id = stream.stream_id,
                                            .sampling_id = sampling.sampling_id,
                                            .variant = ""};
}

static void put_configuration(struct fixture *f, int i, int64_t *id) {
    static const char *const names[] = {"bin_size", "stdev_threshold", "window_size"};
    const int64_t values[] = {8 + 2 * (i % 2), 8 + 4 * (i / 2), 6};
    struct error err = {0};
    char key[64];
    snprintf(key, sizeof key, "gaussian configuration=%d", i);
    struct db_configuration c = {.key = i == GRID ? "observed" : key,
                                 .technique = i == GRID ? "observed" : "gaussian"};
    ok(db_put_configuration(f->db, &c, &err), &err);
    *id = c.configuration_id;
    for (int k = 0; k < 3 && i < GRID; k++) {
        struct db_configuration_value v = {
            .configuration_id = *id, .name = names[k], .value = {.integer = values[k]}};
        ok(db_put_configuration_value(f->db, &v, &err), &err);
    }
}

/* Configurations `first` to the last and the baseline; games `from` to the last. */
static void put_members(struct fixture *f, struct ids *ids, const char *name, int first, int from) {
    struct error err = {0};
    struct db_experiment_configuration members[GRID + 1];
    struct db_experiment_stream streams[GAMES];
    int64_t hot[] = {900}, marks[] = {10, 30};
    for (int game = 0; game < GAMES; game++) {
        struct db_game g = {.name = game_names[game],
                            .title = "A title",
                            .paper_game = game == 0 ? "Pac-Man" : NULL};
        struct db_sampling s = db_new_sampling();
        s.key = "sampled";
        s.method = "time";
        s.interval_us = 3000;
        ok(db_put_game(f->db, &g, &err), &err);
        ok(db_put_sampling(f->db, &s, &err), &err);
        name_game(ids, game, &streams[game]);
    }
    for (int i = 0; i <= GRID; i++) {
        put_configuration(f, i, &ids->configurations[i]);
        members[i] = db_new_experiment_configuration();
        members[i].configuration_id = ids->configurations[i];
        members[i].number = i == GRID ? DB_NULL : i;
        members[i].baseline = i == GRID;
        members[i].label = i == GRID ? "observed" : NULL;
    }
    struct db_members m = {.name = name,
                           .definition_hash = "hash",
                           .configurations = members + first,
                           .configuration_count = (size_t)(GRID + 1 - first),
                           .streams = streams + from,
                           .stream_count = (size_t)(GAMES - from),
                           .games = game_names + from,
                           .game_count = (size_t)(GAMES - from),
                           .marks = marks,
                           .mark_count = 2,
                           .hot = hot,
                           .hot_count = 1};
    ok(db_put_members(f->db, &m, &ids->experiment, &err), &err);
}

static void put_frame(struct fixture *f, struct ids *ids) {
    put_members(f, ids, "test", 0, 0);
}

static void put_game(struct fixture *f, struct ids *ids, int game, double seconds) {
    struct error err = {0};
    struct db_experiment_stream member;
    char key[40];
    name_game(ids, game, &member);
    snprintf(key, sizeof key, "played %s", game_names[game]);
    struct db_replay r = db_new_replay();
    r.key = key;
    r.kind = "game";
    r.frames = 100;
    r.instructions = 100000;
    r.cycles = 300000;
    r.engine = "interpreter";
    r.blocks = r.busy_edges = r.hot_edges_active = 0;
    r.weight = r.busy_weight = 90;
    r.edges = 20;
    r.hot_edges = 8;
    r.exact_hash = "e";
    r.seconds = seconds;
    r.run_id = f->run;
    ok(db_put_replay(f->db, &r, &err), &err);
    struct db_exact_edge edge = {r.replay_id, 0xC000, 0xC010, 90, 1, 1, 0};
    ok(db_put_exact_edge(f->db, &edge, &err), &err);
    struct db_stream s = db_new_stream();
    s.replay_id = r.replay_id;
    s.sampling_id = member.sampling_id;
    s.batch_length = 25;
    s.batches = 50;
    s.samples = 1250;
    s.overruns = 0;
    s.hash = "s";
    s.run_id = f->run;
    ok(db_put_stream(f->db, &s, &err), &err);
    assert_true(s.stream_id == ids->streams[game]);
}

/* The graph has one edge where the number is odd. */
static void put_graph(struct fixture *f, int number, int64_t *id) {
    struct error err = {0};
    struct edge edge = {0xC000, 0xC010, 7, false};
    struct block block = {0xC000, 0xC005};
    struct graph g = {.edges = &edge, .edge_count = number % 2, .blocks = &block, .block_count = 1};
    char hash[33];
    ok(graph_hash(&g, hash, &err), &err);
    ok(db_put_whole_graph(f->db, &g, hash, id, &err), &err);
}

static struct db_quality quality(struct fixture *f, const struct ids *ids, int game, int number,
                                 double similarity) {
    struct metrics whole = {
        similarity, 0.5, 0.5, 0.5, 0.5,
        0.5,        8,   30,  9,   {true, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 3, 4, 2, 0}};
    struct metrics active = {NAN, NAN, NAN, 0.5, 0.5, 0.5, 0, 20, 5, {0}};
    struct db_quality q = db_new_quality();
    q.stream_id = ids->streams[game];
    q.configuration_id = ids->configurations[number];
    q.part = "first";
    q.batches = 50;
    q.hot_permille = 900;
    q.bins = 10;
    q.blocks = 3;
    q.run_id = f->run;
    db_set_metrics(&q, &whole, &active);
    return q;
}

static void put_result(struct fixture *f, const struct ids *ids, int game, int number,
                       double seconds) {
    struct error err = {0};
    struct db_result r = db_new_result();
    r.stream_id = ids->streams[game];
    r.configuration_id = ids->configurations[number];
    r.bins = 10;
    r.low = r.high = 0;
    r.blocks = 3;
    r.edges = 30;
    put_graph(f, number, &r.graph_id);
    r.records = 1;
    r.probes = 2;
    r.observed = 3;
    r.steps = 4;
    r.seconds = seconds;
    r.run_id = f->run;
    ok(db_put_result(f->db, &r, &err), &err);
    struct db_quality q = quality(f, ids, game, number, similarities[game][number]);
    ok(db_put_quality(f->db, &q, &err), &err);
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
    char at[16000];
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
    ok(db_digest(f->db, "test", append_digest, t, &err), &err);
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

/* If this failed, a sweep could overwrite another program's file. */
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
    refuse(f, path, DB_READ, "there is no such file");

    /* SQLite gives these names a special meaning. */
    static const char *const special[] = {":memory:", "/dev/null", "/tmp", "file:x.db?mode=memory"};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        refuse(f, special[i], DB_WRITE, "a");
        refuse(f, special[i], DB_READ, "a");
    }
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

/* ---- version 1 ---- */

/* Unpacks the file of version 1 to f->folder/old.db. */
static void unpack_version1(struct fixture *f, char path[96]) {
    struct bytes data;
    struct error err = {0};
    snprintf(path, 96, "%s/old.db", f->folder);
    ok(file_read(&data, TEST_DATA "/db/version1.db.gz", 1 << 22, &err), &err);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data.at, 1, data.len, file), data.len);
    assert_int_equal(fclose(file), 0);
    bytes_free(&data);
}

static void copy_rows(sqlite3 *handle, const char *sql, struct text *out) {
    sqlite3_stmt *s;
    *out = (struct text){0};
    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &s, NULL), SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            char number[40];
            double value = sqlite3_column_double(s, i);
            for (int digits = 15; digits <= 17; digits++)
                if (snprintf(number, sizeof number, "%.*g", digits, value) > 0 &&
                    strtod(number, NULL) == value)
                    break;
            const char *text = sqlite3_column_type(s, i) == SQLITE_FLOAT
                                   ? number
                                   : (const char *)sqlite3_column_text(s, i);
            out->len += (size_t)snprintf(out->at + out->len, sizeof out->at - out->len, "%s%s",
                                         text != NULL ? text : "-",
                                         i + 1 < sqlite3_column_count(s) ? " " : "\n");
            assert_true(out->len < sizeof out->at);
        }
    sqlite3_finalize(s);
}

/* The same query for both versions: first the one for version 1, then ours. */
static const char *const same_rows[][2] = {
    {"SELECT version, source_commit, host, compiler, configuration_file, definition_hash, jobs,"
     " started, finished FROM run ORDER BY started, configuration_file",
     "SELECT version, source_commit, host, compiler, configuration_file, definition_hash, jobs,"
     " started, finished FROM run ORDER BY started, configuration_file"},
    {"SELECT * FROM (SELECT name, title, untested, paper_game FROM game) ORDER BY name",
     "SELECT name, title, untested, paper_game FROM game ORDER BY name"},
    {"SELECT sha1, file, lines FROM movie", "SELECT sha1, file, lines FROM movie"},
    {"SELECT p.key, rom_sha1, m.sha1, frames, instructions, cycles, ram_hash, frames_hash, engine,"
     " blocks, edges, busy_edges, weight, busy_weight, hot_edges, hot_edges_active, exact_hash,"
     " exact_records, exact_probes, exact_observed, exact_steps, p.seconds, started"
     " FROM replay p LEFT JOIN movie m USING (movie_id) JOIN run USING (run_id) ORDER BY p.key",
     "SELECT p.key, rom_sha1, m.sha1, frames, instructions, cycles, ram_hash, frames_hash,"
     " p.engine, blocks, edges, busy_edges, weight, busy_weight, hot_edges, hot_edges_active,"
     " exact_hash, exact_records, exact_probes, exact_observed, exact_steps, p.seconds, started"
     " FROM replay p LEFT JOIN movie m USING (movie_id) JOIN run USING (run_id) ORDER BY p.key"},
    {"SELECT key, count(*), sum(source * target), sum(count), sum(busy), sum(hot), sum(hot_active)"
     " FROM exact_edge JOIN replay USING (replay_id) GROUP BY key ORDER BY key",
     "SELECT key, count(*), sum(source * e.target), sum(count), sum(busy), sum(hot),"
     " sum(hot_active) FROM exact_edge e JOIN replay USING (replay_id) GROUP BY key ORDER BY key"},
    {"SELECT p.key, interval_us, jitter_us, phase_cycles, batch_length, batches, samples, overruns,"
     " hash FROM stream s JOIN replay p USING (replay_id) ORDER BY p.key",
     "SELECT p.key, interval_us, jitter_us, phase_cycles, s.batch_length, batches, samples,"
     " overruns, hash FROM stream s JOIN replay p USING (replay_id)"
     " JOIN sampling USING (sampling_id) ORDER BY p.key"},
    {"SELECT key, technique, bin_size, stdev_threshold, window_size, recurrent_threshold, builder"
     " FROM configuration ORDER BY key",
     "SELECT DISTINCT technique || iif(parameters = '', '', ' ' || parameters) AS key, technique,"
     " bin_size, stdev_threshold, window_size, recurrent_threshold, builder FROM results"
     " ORDER BY key"},
    {"SELECT s.hash, c.key, r.bins, low, high, r.blocks, r.edges, common_edges, similarity,"
     " precision, f1, coverage, overlap, block_overlap, edges_active, common_edges_active,"
     " similarity_active, precision_active, f1_active, coverage_active, overlap_active,"
     " block_overlap_active, graph_hash, records, probes, observed, steps, r.seconds, started"
     " FROM result r JOIN stream s USING (stream_id) JOIN configuration c USING (configuration_id)"
     " JOIN run n ON n.run_id = r.run_id ORDER BY 1, 2",
     "SELECT s.hash, c.key, r.bins, low, high, r.blocks, r.edges, common_edges, similarity,"
     " precision, f1, coverage, overlap, block_overlap, edges_active, common_edges_active,"
     " similarity_active, precision_active, f1_active, coverage_active, overlap_active,"
     " block_overlap_active, g.hash, records, probes, r.observed, steps, r.seconds, started"
     " FROM result r JOIN stream s USING (stream_id) JOIN configuration c USING (configuration_id)"
     " JOIN run n ON n.run_id = r.run_id JOIN graph g USING (graph_id) JOIN quality q"
     " ON q.stream_id = r.stream_id AND q.configuration_id = r.configuration_id"
     " AND q.batches = s.batches AND hot_permille = 900 AND part = 'first' ORDER BY 1, 2"},
    {"SELECT s.hash, c.key, v.batches, bins, blocks, edges, similarity, precision, f1, coverage,"
     " overlap, block_overlap, similarity_active, precision_active, f1_active, coverage_active,"
     " overlap_active, block_overlap_active FROM convergence v JOIN stream s USING (stream_id)"
     " JOIN configuration c USING (configuration_id) ORDER BY 1, 2, 3",
     "SELECT s.hash, c.key, v.batches, bins, blocks, edges, similarity, precision, f1, coverage,"
     " overlap, block_overlap, similarity_active, precision_active, f1_active, coverage_active,"
     " overlap_active, block_overlap_active FROM quality v JOIN stream s USING (stream_id)"
     " JOIN configuration c USING (configuration_id) WHERE v.configuration_id IN"
     " (SELECT configuration_id FROM experiment_configuration WHERE label IS NOT NULL)"
     " ORDER BY 1, 2, 3"},
    {"SELECT s.hash, c.key, count(*), sum(source * target), sum(count) FROM graph_edge"
     " JOIN stream s USING (stream_id) JOIN configuration c USING (configuration_id)"
     " GROUP BY 1, 2 ORDER BY 1, 2",
     "SELECT s.hash, c.key, count(*), sum(source * target), sum(count) FROM graph_edge"
     " JOIN result USING (graph_id) JOIN stream s USING (stream_id)"
     " JOIN configuration c USING (configuration_id) WHERE (stream_id, configuration_id) IN"
     " (SELECT stream_id, configuration_id FROM role) GROUP BY 1, 2 ORDER BY 1, 2"},
    {"SELECT name, definition_hash FROM experiment ORDER BY name",
     "SELECT name, definition_hash FROM experiment ORDER BY name"},
    {"SELECT x.name, c.key, number, label FROM experiment_configuration"
     " JOIN experiment x USING (experiment_id) JOIN configuration c USING (configuration_id)"
     " ORDER BY 1, 2",
     "SELECT x.name, c.key, number, label FROM experiment_configuration"
     " JOIN experiment x USING (experiment_id) JOIN configuration c USING (configuration_id)"
     " ORDER BY 1, 2"},
    {"SELECT x.name, g.name, s.hash FROM experiment_stream JOIN experiment x USING (experiment_id)"
     " JOIN game g USING (game_id) JOIN stream s USING (stream_id) ORDER BY 1, 2",
     "SELECT x.name, g.name, s.hash FROM experiment_stream JOIN experiment x USING (experiment_id)"
     " JOIN game g USING (game_id) JOIN stream s USING (stream_id) ORDER BY 1, 2"},
};

/* If this failed, results of an earlier version would be lost or changed. */
static void test_version1_keeps_every_row(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    char path[96];
    static struct text old, ours;
    enum { QUESTIONS = sizeof same_rows / sizeof *same_rows };
    unpack_version1(f, path);
    char *before[QUESTIONS];
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    for (size_t i = 0; i < QUESTIONS; i++) {
        copy_rows(handle, same_rows[i][0], &old);
        assert_true(old.len > 0);
        before[i] = strdup(old.at);
    }
    sqlite3_close(handle);

    struct bytes untouched, still;
    assert_int_equal(file_read(&untouched, path, 1 << 22, NULL), STATUS_OK);
    struct db *db;
    for (int writing = 0; writing < 2; writing++) {
        ok(db_open(&db, path, writing ? DB_WRITE : DB_READ, &err), &err);
        for (size_t i = 0; i < QUESTIONS; i++) {
            ours = (struct text){0};
            ok(db_query(db, same_rows[i][1], append, &ours, &err, ""), &err);
            if (i == 9) /* graphs that are no longer stored there, because the rule for roles has
                           changed */
                assert_true(ours.len > 0);
            else
                assert_string_equal(ours.at, before[i]);
        }
        db_close(db);
        if (!writing) {
            assert_int_equal(file_read(&still, path, 1 << 22, NULL), STATUS_OK);
            assert_int_equal(still.len, untouched.len);
            assert_memory_equal(still.at, untouched.at, still.len);
            bytes_free(&still);
        }
    }
    for (size_t i = 0; i < QUESTIONS; i++)
        free(before[i]);
    bytes_free(&untouched);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    copy_rows(handle, "PRAGMA foreign_key_check", &old);
    assert_string_equal(old.at, "");
    copy_rows(handle, "SELECT name FROM sqlite_schema WHERE name LIKE 'version1%'", &old);
    assert_string_equal(old.at, "");
    copy_rows(handle, "SELECT count(*) FROM graph_edge", &old);
    assert_string_equal(old.at, "1808\n");
    sqlite3_close(handle);
}

/* If this failed, naming a folder or a pipe would not be explained. */
static void test_what_is_no_file_is_named(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct db *db;
    assert_int_equal(db_open(&db, f->folder, DB_READ, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.text, "is a folder, where"));
    err = (struct error){0};
    assert_int_equal(db_open(&db, "/dev/null", DB_WRITE, &err), STATUS_ARGUMENT);
    assert_non_null(strstr(err.text, "is a device or a pipe, where"));
}

/* If this failed, the schema of a foreign file could do more than read its rows. */
static void test_schemas_are_not_trusted(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    int64_t value;
    put_all(f, &ids);
    ok(db_commit(f->db, &err), &err);
    db_close(f->db);
    write_with_sqlite(f->path, "CREATE VIEW sly AS SELECT count(*) FROM pragma_function_list");
    ok(db_open(&f->db, f->path, DB_READ, &err), &err);
    assert_int_not_equal(db_integer(f->db, "SELECT * FROM sly", -1, &value, &err, ""), STATUS_OK);
    assert_non_null(strstr(err.text, "unsafe"));
}

/* If this failed, queries would use views of another program, or of an attacker. */
static void test_views_are_the_programs(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_commit(f->db, &err), &err);
    write_with_sqlite(f->path, "DROP VIEW table1; CREATE VIEW table1 AS SELECT 'mine' AS game;"
                               "DROP VIEW table4; CREATE VIEW strange AS SELECT 1");
    db_close(f->db);
    ok(db_open(&f->db, f->path, DB_READ, &err), &err);
    expect_rows(f, "SELECT game FROM table1", "alpha\nbeta\n");
    assert_int_equal(ask(f, "SELECT count(*) FROM table4"), 6);
    db_close(f->db);
    ok(db_open(&f->db, f->path, DB_WRITE, &err), &err);
    expect_rows(f, "SELECT game FROM main.table1", "alpha\nbeta\n");
    assert_int_equal(ask(f, "SELECT count(*) FROM main.sqlite_schema WHERE name = 'strange'"), 0);
    /* The second time, nothing is upgraded. */
    db_close(f->db);
    ok(db_open(&f->db, f->path, DB_WRITE, &err), &err);
    assert_int_equal(ask(f, "SELECT total_changes()"), 0);
}

/* If this failed, a column that a later program adds would need a version of its own. */
static void test_missing_columns_and_tables_are_added(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_commit(f->db, &err), &err);
    db_close(f->db);
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle,
                                  "DROP VIEW technique_cost; DROP VIEW paper_beside; DROP TABLE "
                                  "bench; DROP VIEW provenance;"
                                  "DROP VIEW runs;"
                                  "ALTER TABLE run DROP COLUMN shard",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(handle);
    ok(db_open(&f->db, f->path, DB_READ, &err), &err);
    assert_int_equal(ask(f, "SELECT count(*) FROM bench"), 0);
    assert_int_equal(ask(f, "SELECT count(*) FROM run WHERE shard IS NULL"), 1);
    assert_int_equal(ask(f, "SELECT count(*) FROM results"), GAMES * (GRID + 1));
    db_close(f->db);
    ok(db_open(&f->db, f->path, DB_WRITE, &err), &err);
    assert_int_equal(ask(f, "SELECT count(*) FROM bench"), 0);
}

/* ---- graphs ---- */

/* If this failed, a stored graph could not be read back. */
static void test_graphs_come_back(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct edge edges[] = {{0, UINT32_MAX, 1, false},
                           {0xC000, 0x8000, UINT64_C(1) << 61, true},
                           {0xC000, 0xC000, 300, false},
                           {UINT32_MAX, 0, 0, true}};
    struct block blocks[] = {{0, 5}, {0xC000, 0xBFFF}, {UINT32_MAX, 0}};
    struct graph g = {.edges = edges, .edge_count = 4, .blocks = blocks, .block_count = 3}, back;
    int64_t id;
    ok(db_put_whole_graph(f->db, &g, "a graph", &id, &err), &err);
    ok(db_get_graph(f->db, id, &back, &err), &err);
    assert_int_equal(back.edge_count, 4);
    assert_int_equal(back.block_count, 3);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(back.edges[i].source, edges[i].source);
        assert_int_equal(back.edges[i].target, edges[i].target);
        assert_true(back.edges[i].count == edges[i].count && back.edges[i].busy == edges[i].busy);
    }
    assert_memory_equal(back.blocks, blocks, sizeof blocks);
    graph_free(&back);
    assert_int_equal(db_get_graph(f->db, 4711, &back, &err), STATUS_ARGUMENT);

    /* A blob that is truncated or changed anywhere gives an error, or a different valid graph. */
    struct bytes data;
    ok(db_pack_graph(&data, &g, &err), &err);
    for (size_t len = 0; len < data.len; len++)
        assert_int_equal(db_unpack_graph(&back, data.at, len, &err), STATUS_FORMAT);
    for (size_t i = 0; i < data.len * 8; i++) {
        data.at[i / 8] ^= (uint8_t)(1 << i % 8);
        if (db_unpack_graph(&back, data.at, data.len, &err) == STATUS_OK) {
            for (size_t k = 1; k < back.edge_count; k++)
                assert_true(back.edges[k - 1].source < back.edges[k].source ||
                            (back.edges[k - 1].source == back.edges[k].source &&
                             back.edges[k - 1].target < back.edges[k].target));
            assert_true(graph_weight(&back) <= GRAPH_WEIGHT_MAX);
            graph_free(&back);
        }
        data.at[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    bytes_free(&data);
}

/* If this failed, a blob of a foreign database could overflow a sum, or count an edge twice. */
static void test_graphs_that_break_rules_are_refused(void **state) {
    (void)state;
    struct error err = {0};
    static const uint64_t half = GRAPH_WEIGHT_MAX / 2 + 1;
    struct edge broken[][2] = {{{1, 2, 1, false}, {1, 2, 1, false}},
                               {{1, 3, 1, false}, {1, 2, 1, false}},
                               {{1, 2, half, false}, {1, 3, half, false}}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct graph g = {.edges = broken[i], .edge_count = 2}, back;
        struct bytes data;
        ok(db_pack_graph(&data, &g, &err), &err);
        assert_int_equal(db_unpack_graph(&back, data.at, data.len, &err), STATUS_FORMAT);
        bytes_free(&data);
        g.edge_count = 1; /* what is left keeps them */
        ok(db_pack_graph(&data, &g, &err), &err);
        ok(db_unpack_graph(&back, data.at, data.len, &err), &err);
        graph_free(&back);
        bytes_free(&data);
    }
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
    struct db_game g = {.name = "gamma", .title = "Third"};
    ok(db_put_game(f->db, &g, &err), &err);
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
    put_game(f, &ids, 0, 2.0);
    assert_int_equal(ask(f, "SELECT total_changes()"), before);
    /* And no lock was taken: another connection may write. */
    write_with_sqlite(f->path, "BEGIN IMMEDIATE; ROLLBACK");
}

/* If this failed, a row that violates a rule would vanish silently. */
static void test_broken_rows_are_errors(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_frame(f, &ids);
    put_game(f, &ids, 0, 1.0);
    struct db_result r = {
        .stream_id = 4711, .configuration_id = ids.configurations[0], .run_id = f->run};
    assert_int_equal(db_put_result(f->db, &r, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.text, "FOREIGN KEY"));
    struct db_game g = {.name = "delta"};
    assert_int_equal(db_put_game(f->db, &g, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.text, "NOT NULL"));
    struct db_game z = {.name = "delta", .title = "Delta", .untested = 2};
    assert_int_equal(db_put_game(f->db, &z, &err), STATUS_FORMAT);
    assert_non_null(strstr(err.text, "CHECK"));
}

/* If this failed, a game would keep an old title in every table. */
static void test_descriptions_follow_the_newest(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct db_game g = {.name = "alpha", .title = "Old", .untested = 1};
    ok(db_put_game(f->db, &g, &err), &err);
    g.title = "New";
    g.untested = 0;
    g.paper_game = "Popeye";
    ok(db_put_game(f->db, &g, &err), &err);
    expect_rows(f, "SELECT name, title, untested, paper_game FROM game", "alpha New 0 Popeye\n");
}

/* If this failed, what version 1 did not store could never be added to its rows. */
static void test_fill_adds_what_is_not_there(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct db_graph g = {.hash = "h", .edges = 1, .blocks = 1};
    ok(db_put_graph(f->db, &g, &err), &err);
    g.data = (struct db_blob){"abc", 3};
    ok(db_put_graph(f->db, &g, &err), &err);
    g.data = (struct db_blob){"other", 5};
    ok(db_put_graph(f->db, &g, &err), &err);
    expect_rows(f, "SELECT hash, data FROM graph", "h abc\n");
}

/* If this failed, databases could not be merged: equal rows would have different ids. */
static void test_names_come_from_content_alone(void **state) {
    struct fixture *f = *state;
    struct ids first, second;
    put_all(f, &first);
    int64_t run = f->run;
    expect_rows(f, "SELECT length(uuid), substr(uuid, 15, 1) FROM run", "36 4\n");
    tear_down(state);
    assert_int_equal(set_up(state), 0);
    f = *state;
    put_frame(f, &second);
    for (int game = GAMES; game-- > 0;)
        put_game(f, &second, game, 1.0);
    assert_memory_equal(&first, &second, sizeof first);
    assert_true(run != f->run);
}

/* ---- tables ---- */

/* If this failed, the paper's tables would name the wrong configurations. */
static void test_tables_rank_by_metric_then_number(void **state) {
    struct fixture *f = *state;
    struct ids ids;
    put_all(f, &ids);
    expect_rows(f,
                "SELECT game, place, shared, position, number, bin_size, stdev_threshold,"
                " similarity_percent, baseline_percent, similarity_active_percent, paper_game,"
                " paper_similarity_percent FROM table3 WHERE experiment = 'test'",
                "alpha 1 2 1 1 10 8 75 100 - Pac-Man 69\n"
                "alpha 1 2 2 2 8 12 75 100 - Pac-Man 69\n"
                "alpha 3 1 3 3 10 12 50 100 - Pac-Man 69\n"
                "beta 1 1 1 1 10 8 100 87.5 - - -\n"
                "beta 2 1 2 0 8 8 50 87.5 - - -\n"
                "beta 3 1 3 2 8 12 25 87.5 - - -\n");
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

/* If this failed, the best of many equal configurations would be the one with the lowest number.
 * Places are shared, and f1 without busy-waits decides before the number. */
static void test_ties_are_ties(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_query(
           f->db,
           "UPDATE quality SET similarity = 0.5, similarity_active = iif(configuration_id = ?1,"
           " 0.25, 0.75), f1_active = iif(configuration_id = ?2, 0.5, 0.25)"
           " WHERE configuration_id <> ?3",
           NULL, NULL, &err, "iii", ids.configurations[0], ids.configurations[2],
           ids.configurations[GRID]),
       &err);
    expect_rows(f, "SELECT place, shared, position, number FROM table3 WHERE game = 'beta'",
                "1 4 1 2\n1 4 2 1\n1 4 3 3\n");
    expect_rows(f, "SELECT place, shared, position, number FROM table4 WHERE game = 'beta'",
                "1 4 1 0\n1 4 2 1\n1 4 3 3\n");
    expect_rows(f, "SELECT place, shared, position, number FROM best_configuration",
                "1 4 1 2\n1 4 2 1\n1 4 3 3\n1 4 4 0\n");
    expect_rows(f, "SELECT DISTINCT tied_place, typeof(place), typeof(shared) FROM ranked",
                "2.5 integer integer\n");
}

/* If this failed, effects without busy-waits would be those with them. */
static void test_effects_have_an_active_half(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_query(f->db, "UPDATE quality SET similarity_active = (1 - similarity) / 2", NULL, NULL,
                &err, ""),
       &err);
    expect_rows(f,
                "SELECT value, typeof(value), mean_active_percent, effect_active_points FROM"
                " parameter_effect WHERE parameter = 'bin_size'",
                "8 integer 28.13 3.91\n10 integer 20.31 -3.91\n");
}

/* If this failed, it would be unknown which hot edges a configuration misses. The median of four is
 * the second one; graphs with odd numbers have the edge. */
static void test_hot_edges_say_who_found_them(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    for (int game = 0; game < GAMES; game++)
        ok(db_put_roles(f->db, ids.experiment, ids.streams[game], &err), &err);
    expect_rows(f, "SELECT game, role, number FROM kept_graph ORDER BY game, role",
                "alpha baseline -\nalpha best 1\nalpha median 2\nalpha worst 0\n"
                "beta baseline -\nbeta best 1\nbeta median 0\nbeta worst 3\n");
    expect_rows(f,
                "SELECT game, source, target, count, hot, in_best, in_median, in_worst,"
                " in_baseline FROM hot_edge",
                "alpha c000 c010 90 1 1 0 0 0\nbeta c000 c010 90 1 1 0 1 0\n");
    /* A different median, which has the edge. */
    ok(db_query(f->db, "UPDATE quality SET similarity = 0.3 WHERE configuration_id = ?", NULL, NULL,
                &err, "i", ids.configurations[2]),
       &err);
    ok(db_put_roles(f->db, ids.experiment, ids.streams[0], &err), &err);
    expect_rows(f, "SELECT in_median FROM hot_edge WHERE game = 'alpha'", "1\n");
    int64_t before = ask(f, "SELECT total_changes()");
    ok(db_put_roles(f->db, ids.experiment, ids.streams[0], &err), &err);
    assert_int_equal(ask(f, "SELECT total_changes()"), before);
}

/* If this failed, a report would differ from the views, or be slow again. */
static void test_materialised_views_say_what_they_said(void **state) {
    static const struct db_view views[] = {{"results", "experiment_id, stream_id"},
                                           {"table2", NULL}};
    static const char all[] = "SELECT * FROM results", best[] = "SELECT * FROM table3",
                      made[] = "SELECT type FROM temp.sqlite_schema WHERE name = 'results'";
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    ok(db_commit(f->db, &err), &err);
    struct db *reads;
    ok(db_open(&reads, f->path, DB_READ, &err), &err);
    struct text before[2] = {0}, after[2] = {0};
    ok(db_query(reads, all, append, &before[0], &err, ""), &err);
    ok(db_query(reads, best, append, &before[1], &err, ""), &err);
    for (int twice = 0; twice < 2; twice++)
        ok(db_materialise(reads, views, 2, &err), &err);
    ok(db_query(reads, all, append, &after[0], &err, ""), &err);
    ok(db_query(reads, best, append, &after[1], &err, ""), &err);
    for (int i = 0; i < 2; i++) {
        assert_true(before[i].len > 100);
        assert_string_equal(after[i].at, before[i].at);
    }
    struct text kind = {0};
    ok(db_query(reads, made, append, &kind, &err, ""), &err);
    assert_string_equal(kind.at, "table\n");
    /* Nothing else may be written, now as before. */
    assert_int_equal(db_query(reads, "DELETE FROM quality", NULL, NULL, &err, ""), STATUS_IO);
    db_close(reads);
    /* Others find the views as they were. */
    expect_rows(f, "SELECT type FROM main.sqlite_schema WHERE name = 'results'", "view\n");
}

/* If this failed, rows of one experiment would leak into the tables of another. */
static void test_experiments_stand_side_by_side(void **state) {
    struct fixture *f = *state;
    struct ids ids, other;
    put_all(f, &ids);
    put_members(f, &other, "other", 3, 1);
    expect_rows(f, "SELECT game, number, similarity_percent FROM table3 WHERE experiment = 'other'",
                "beta 3 12.5\n");
    assert_int_equal(ask(f, "SELECT count(*) FROM table3 WHERE experiment = 'test'"), 6);
    struct text both, alone;
    take_digest(f, &both);
    assert_null(strstr(both.at, "other"));
    put_members(f, &ids, "test", 0, 1); /* without alpha now */
    take_digest(f, &alone);
    assert_int_equal(ask(f, "SELECT count(*) FROM table3 WHERE experiment = 'test'"), 3);
    assert_int_equal(ask(f, "SELECT count(*) FROM result"), GAMES * (GRID + 1));
    assert_string_equal(strstr(both.at, "beta/"), alone.at);
}

/* If this failed, a half-filled experiment would look like a whole one. */
static void test_tables_say_what_is_missing(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_frame(f, &ids);
    put_game(f, &ids, 0, 1.0);
    for (int number = 1; number <= GRID; number++)
        put_result(f, &ids, 0, number, 0.5);
    static const char sql[] = "SELECT game, sampled, results, missing FROM completeness";
    expect_rows(f, sql, "alpha 1 3 2\nbeta 0 0 5\n"); /* the baseline's curve is not there */
    for (int64_t batches = 10; batches <= 30; batches += 20) {
        struct db_quality q = quality(f, &ids, 0, GRID, 0.5);
        q.batches = batches;
        ok(db_put_quality(f->db, &q, &err), &err);
    }
    expect_rows(f, sql, "alpha 1 4 1\nbeta 0 0 5\n");
    /* An incomplete result does not count: one of the two hot shares has no rows. */
    ok(db_put_experiment_hot(f->db, &(struct db_experiment_hot){ids.experiment, 950}, &err), &err);
    expect_rows(f, sql, "alpha 1 0 5\nbeta 0 0 5\n");
    ok(db_query(f->db, "DELETE FROM experiment_hot WHERE hot_permille = 950", NULL, NULL, &err, ""),
       &err);
    ok(db_query(f->db, "DELETE FROM quality WHERE configuration_id = ?", NULL, NULL, &err, "i",
                ids.configurations[2]),
       &err);
    expect_rows(f, sql, "alpha 1 3 2\nbeta 0 0 5\n");
    put_result(f, &ids, 0, 2, 0.5);
    expect_rows(f, "SELECT game, batches, missing FROM table1", "alpha 50 1\nbeta - 5\n");
    expect_rows(f, "SELECT game, best_percent, missing FROM table2", "alpha 75 1\nbeta - 5\n");
    expect_rows(f, "SELECT DISTINCT game, missing FROM table3", "alpha 1\n");
}

/* If this failed, a complete sweep with windows that exceed some batches would seem to lack results
 * for ever, or a stored list of such configurations would never be corrected. */
static void test_what_does_not_fit_is_not_missing(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_frame(f, &ids);
    put_game(f, &ids, 0, 1.0);
    put_result(f, &ids, 0, 1, 0.5);
    static const char sql[] = "SELECT game, results, unfit, missing FROM completeness";
    expect_rows(f, sql, "alpha 1 0 4\nbeta 0 0 5\n");
    ok(db_put_unfit_of(f->db, ids.experiment, ids.streams[0], &ids.configurations[2], 2, &err),
       &err);
    expect_rows(f, sql, "alpha 1 2 2\nbeta 0 0 5\n");
    ok(db_put_unfit_of(f->db, ids.experiment, ids.streams[0], &ids.configurations[1], 2, &err),
       &err); /* no longer the third; the first has a result */
    expect_rows(f, sql, "alpha 1 1 3\nbeta 0 0 5\n");
    ok(db_put_unfit_of(f->db, ids.experiment, ids.streams[0], NULL, 0, &err), &err);
    expect_rows(f, sql, "alpha 1 0 4\nbeta 0 0 5\n");
}

/* If this failed, marks of an earlier list would stay in curves, figures and digest for ever. */
static void test_curves_have_the_marks_of_their_experiment(void **state) {
    struct fixture *f = *state;
    struct error err = {0};
    struct ids ids;
    put_all(f, &ids);
    struct text before, after;
    take_digest(f, &before);
    static const int64_t batches[] = {20, 100, 10};
    for (size_t i = 0; i < 3; i++) {
        struct db_quality q = quality(f, &ids, 0, GRID, 0.5);
        q.batches = batches[i];
        ok(db_put_quality(f->db, &q, &err), &err);
        take_digest(f, &after);
        assert_int_equal(strcmp(before.at, after.at) == 0, batches[i] != 10);
    }
    expect_rows(f, "SELECT batches FROM convergence_curve WHERE game = 'alpha'", "10\n50\n");
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
    static const char *const columns[] = {"steps",          "edges",  "similarity",
                                          "overlap_active", "hot_f1", "count_error"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "UPDATE %s SET %s = 17 WHERE stream_id = %" PRId64
                 " AND configuration_id = %" PRId64,
                 i < 2 ? "result" : "quality", columns[i], ids.streams[1], ids.configurations[2]);
        ok(db_query(f->db, sql, NULL, NULL, &err, ""), &err);
        take_digest(f, &after);
        const char *key = i < 4 ? "beta/result/0002 " : "beta/fair/0002 ";
        char *line = strstr(before.at, key), *same = strstr(after.at, key);
        assert_non_null(line);
        assert_non_null(same);
        assert_string_not_equal(before.at, after.at);
        assert_memory_equal(before.at, after.at, (size_t)(line - before.at));
        assert_memory_not_equal(line, same, strlen(key) + 32);
        before = after;
    }
    ok(db_query(f->db, "UPDATE exact_edge SET source = source + 100000", NULL, NULL, &err, ""),
       &err);
    take_digest(f, &after);
    assert_string_not_equal(before.at, after.at);
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
        cmocka_unit_test_setup_teardown(test_descriptions_follow_the_newest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fill_adds_what_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_come_from_content_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version1_keeps_every_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_file_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_schemas_are_not_trusted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_views_are_the_programs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_columns_and_tables_are_added, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_graphs_come_back, set_up, tear_down),
        cmocka_unit_test(test_graphs_that_break_rules_are_refused),
        cmocka_unit_test_setup_teardown(test_ties_are_ties, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_effects_have_an_active_half, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tables_say_what_is_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit_is_not_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_curves_have_the_marks_of_their_experiment, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_materialised_views_say_what_they_said, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_experiments_stand_side_by_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_ignores_order_and_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_digest_notices_every_result_column, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("db", tests, NULL, NULL);
}
