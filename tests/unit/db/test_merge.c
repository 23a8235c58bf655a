/* Merging: if this fails, a merged database depends on the order of its parts, a slower or newer
 * row wins, a contradiction goes unreported, or a damaged part is accepted. */
#include "db/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

struct fixture {
    char folder[64];
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-merge-XXXXXX");
    return mkdtemp(f->folder) != NULL && chdir(f->folder) == 0 ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int status = chdir("/") | system(command);
    free(f);
    return status;
}

static void ok(enum status status, const struct error *err) {
    if (status != STATUS_OK)
        fail_msg("%s", err->text);
}

/* ---- parts: one stream, and results of some of its configurations ---- */

struct part {
    const char *run;   /* its UUID; ids follow from it */
    const char *game;  /* NULL: "alpha" */
    const char *movie; /* NULL: "played" */
    const char *engine;
    int configuration; /* the result's */
    int64_t low;       /* what it found */
    int64_t structure; /* 0: not told */
    double seconds;
    const char *experiment; /* NULL: "x" */
};

static void put_stream(struct db *db, const struct part *p, int64_t run, struct db_stream *stream) {
    struct error e = {0};
    struct db_replay replay = db_new_replay();
    char key[60];
    snprintf(key, sizeof key, "%s %s", p->game != NULL ? p->game : "alpha",
             p->movie != NULL ? p->movie : "played");
    replay.key = key;
    replay.engine = p->engine;
    replay.exact_hash = "e";
    replay.seconds = p->seconds;
    replay.run_id = run;
    ok(db_put_replay(db, &replay, &e), &e);
    struct db_sampling sampling = db_new_sampling();
    sampling.key = "sampled";
    sampling.method = "time";
    ok(db_put_sampling(db, &sampling, &e), &e);
    *stream = db_new_stream();
    stream->replay_id = replay.replay_id;
    stream->sampling_id = sampling.sampling_id;
    stream->hash = "s";
    stream->run_id = run;
    ok(db_put_stream(db, stream, &e), &e);
    struct db_game game = {.name = p->game != NULL ? p->game : "alpha", .title = "A game"};
    ok(db_put_game(db, &game, &e), &e);
    struct db_experiment x = {.name = p->experiment != NULL ? p->experiment : "x",
                              .definition_hash = "d",
                              .judges_paths = DB_NULL};
    ok(db_put_experiment(db, &x, &e), &e);
    struct db_experiment_stream member = {.experiment_id = x.experiment_id,
                                          .game_id = game.game_id,
                                          .stream_id = stream->stream_id,
                                          .sampling_id = sampling.sampling_id,
                                          .variant = ""};
    ok(db_put_experiment_stream(db, &member, &e), &e);
}

static void make(const char *path, const struct part *p) {
    struct error e = {0};
    struct db *db;
    struct db_stream stream;
    struct db_run run = db_new_run();
    ok(db_open(&db, path, DB_WRITE, &e), &e);
    run.uuid = p->run;
    run.version = run.source_commit = run.compiler = "1";
    run.host = "node";
    run.configuration_file = "x.cfg";
    run.definition_hash = "d";
    run.jobs = 1;
    run.started = "2020-01-01T00:00:00Z";
    ok(db_put_run(db, &run, &e), &e);
    put_stream(db, p, run.run_id, &stream);
    struct edge edges[] = {{.source = 16, .target = 32, .count = 5}};
    struct graph g = {.edges = edges, .edge_count = 1};
    char hash[33], key[40];
    int64_t graph;
    ok(graph_hash(&g, hash, &e), &e);
    ok(db_put_whole_graph(db, &g, hash, &graph, &e), &e);
    snprintf(key, sizeof key, "gaussian number=%d", p->configuration);
    struct db_configuration c = {.key = key, .technique = "gaussian"};
    ok(db_put_configuration(db, &c, &e), &e);
    struct db_result result = db_new_result();
    result.stream_id = stream.stream_id;
    result.configuration_id = c.configuration_id;
    result.low = p->low;
    result.graph_id = graph;
    if (p->structure != 0)
        result.structure = p->structure;
    result.seconds = p->seconds;
    result.run_id = run.run_id;
    ok(db_put_result(db, &result, &e), &e);
    ok(db_commit(db, &e), &e);
    db_close(db);
}

static enum status merge_list(const char *out, const char *const *parts, struct db_merged *merged,
                              struct error *e) {
    struct db_merge request = {.out = out, .parts = parts};
    while (parts[request.count] != NULL)
        request.count++;
    return db_merge(&request, merged, e);
}

#define MERGE(out, merged, e, ...)                                                                 \
    merge_list(out, (const char *const[]){__VA_ARGS__, NULL}, merged, e)

static void merges(const char *out, const char *const *parts) {
    struct error e = {0};
    struct db_merged merged;
    ok(merge_list(out, parts, &merged, &e), &e);
}
#define MERGES(out, ...) merges(out, (const char *const[]){__VA_ARGS__, NULL})

static int64_t ask(const char *path, const char *sql) {
    struct error e = {0};
    struct db *db;
    int64_t value;
    ok(db_open(&db, path, DB_READ, &e), &e);
    ok(db_integer(db, sql, -1, &value, &e, ""), &e);
    db_close(db);
    return value;
}

static void change(const char *path, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void assert_same_file(const char *a, const char *b) {
    struct error e = {0};
    struct bytes one = {0}, other = {0};
    ok(file_read(&one, a, 64 << 20, &e), &e);
    ok(file_read(&other, b, 64 << 20, &e), &e);
    assert_int_equal(one.len, other.len);
    assert_memory_equal(one.at, other.at, one.len);
    bytes_free(&one);
    bytes_free(&other);
}

/* Only the files that a test made remain. */
static void assert_no_leftovers(void) {
    assert_int_not_equal(system("ls -d *.merge-* >/dev/null 2>&1"), 0);
}

/* ---- tests ---- */

static void order_changes_no_byte(void **state) {
    (void)state;
    make("a.db", &(struct part){.run = "a", .configuration = 1, .seconds = 1});
    make("b.db", &(struct part){.run = "b", .configuration = 2, .seconds = 2, .engine = "dbt"});
    make("c.db",
         &(struct part){
             .run = "c", .game = "beta", .configuration = 1, .seconds = 0.5, .experiment = "y"});
    MERGES("abc.db", "a.db", "b.db", "c.db");
    MERGES("cab.db", "c.db", "a.db", "b.db");
    MERGES("twice.db", "b.db", "c.db", "b.db", "a.db", "c.db");
    MERGES("ab.db", "b.db", "a.db");
    MERGES("steps.db", "c.db", "ab.db");
    assert_same_file("abc.db", "cab.db");
    assert_same_file("abc.db", "twice.db");
    assert_same_file("abc.db", "steps.db");
    assert_int_equal(ask("abc.db", "SELECT count(*) FROM result"), 3);
    assert_int_equal(ask("abc.db", "SELECT count(*) FROM run"), 3);
    assert_int_equal(ask("abc.db", "SELECT count(*) FROM experiment"), 2);
    assert_int_equal(ask("abc.db", "SELECT count(*) FROM replay"), 2);
    assert_no_leftovers();
}

static void a_file_that_is_there_joins(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    struct stat before, after;
    make("a.db", &(struct part){.run = "a", .configuration = 1});
    make("b.db", &(struct part){.run = "b", .configuration = 2});
    MERGES("ab.db", "a.db", "b.db");
    MERGES("out.db", "a.db");
    ok(MERGE("out.db", &merged, &e, "b.db"), &e);
    assert_true(merged.joined && !merged.unchanged);
    assert_same_file("out.db", "ab.db");
    assert_int_equal(stat("out.db", &before), 0);
    ok(MERGE("out.db", &merged, &e, "b.db", "out.db", "a.db"), &e);
    assert_true(merged.unchanged && !merged.joined);
    assert_int_equal(stat("out.db", &after), 0);
    assert_true(before.st_ino == after.st_ino); /* not even touched */
    /* A link stays a link; its target is replaced. */
    assert_int_equal(symlink("a.db", "link.db"), 0);
    MERGES("link.db", "b.db");
    assert_same_file("a.db", "ab.db");
    assert_int_equal(lstat("link.db", &after), 0);
    assert_true(S_ISLNK(after.st_mode));
}

static void the_fastest_row_stays(void **state) {
    (void)state;
    make("slow.db", &(struct part){.run = "s", .seconds = 3, .structure = 1, .engine = "interp"});
    make("fast.db", &(struct part){.run = "f", .seconds = 1, .engine = "dbt"});
    make("too.db", &(struct part){.run = "g", .seconds = 1});
    MERGES("one.db", "slow.db", "fast.db");
    MERGES("other.db", "fast.db", "slow.db");
    assert_same_file("one.db", "other.db");
    assert_int_equal(ask("one.db", "SELECT seconds = 1 AND uuid = 'f' FROM result"
                                   " JOIN run USING (run_id)"),
                     1);
    /* Completed with what only the other row has; its notes come from one row. */
    assert_int_equal(ask("one.db", "SELECT structure FROM result"), 1);
    assert_int_equal(ask("one.db", "SELECT engine = 'dbt' AND seconds = 1 FROM replay"), 1);
    /* Equally fast: the smaller run id. */
    MERGES("tie.db", "too.db", "fast.db");
    MERGES("eit.db", "fast.db", "too.db");
    assert_same_file("tie.db", "eit.db");
    assert_int_equal(ask("tie.db", "SELECT r.run_id = (SELECT min(run_id) FROM run) FROM result r"),
                     1);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    make("a.db", &(struct part){.run = "run-a", .low = 7});
    make("n.db", &(struct part){.run = "run-n", .configuration = 4});
    make("b.db", &(struct part){.run = "run-b", .low = 8});
    assert_int_equal(MERGE("out.db", &merged, &e, "n.db", "a.db", "b.db"), STATUS_ARGUMENT);
    static const char *const said[] = {"a.db and b.db contradict", "low is 7 in a.db (run run-a",
                                       "8 in b.db (run run-b",     "alpha",
                                       "gaussian number=0",        "node"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strstr(e.text, said[i]) == NULL)
            fail_msg("no '%s' in: %s", said[i], e.text);
    assert_int_not_equal(access("out.db", F_OK), 0);
    assert_no_leftovers();
    /* The target contradicts: it stays as it is. */
    MERGES("copy.db", "a.db");
    assert_int_equal(MERGE("a.db", &merged, &e, "b.db"), STATUS_ARGUMENT);
    MERGES("again.db", "a.db");
    assert_same_file("again.db", "copy.db");
    /* Another hash of the exact graph, of the stream; another definition. */
    static const char *const changes[][2] = {
        {"UPDATE replay SET exact_hash = 'other'", "exact_hash is 'e'"},
        {"UPDATE stream SET hash = 'other'", "hash is 's'"},
        {"UPDATE experiment SET definition_hash = 'other'", "definition_hash is 'd'"},
        {"UPDATE result SET structure = 0; ", "structure is 1"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unlink("p.db");
        unlink("q.db");
        make("p.db", &(struct part){.run = "p", .structure = 1});
        make("q.db", &(struct part){.run = "q", .structure = 1});
        change("q.db", changes[i][0]);
        assert_int_equal(MERGE("out.db", &merged, &e, "p.db", "q.db"), STATUS_ARGUMENT);
        if (strstr(e.text, changes[i][1]) == NULL)
            fail_msg("no '%s' in: %s", changes[i][1], e.text);
    }
}

static void a_changed_movie_is_told(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    make("a.db", &(struct part){.run = "a"});
    make("b.db", &(struct part){.run = "b", .movie = "played anew"});
    assert_int_equal(MERGE("out.db", &merged, &e, "a.db", "b.db"), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "game alpha of experiment x"));
    assert_non_null(strstr(e.text, "run a"));
    assert_non_null(strstr(e.text, "run b"));
    assert_non_null(strstr(e.text, "a.db"));
    assert_non_null(strstr(e.text, "b.db"));
    /* In two experiments it is valid. */
    make("c.db", &(struct part){.run = "c", .movie = "played anew", .experiment = "y"});
    MERGES("out.db", "a.db", "c.db");
    assert_int_equal(ask("out.db", "SELECT count(*) FROM stream"), 2);
}

static void damage_is_refused(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"UPDATE graph SET data = x'0102'", "cannot be read"},
        {"UPDATE graph SET data = x'010110200e00'", "edges that do not match its hash"},
        {"UPDATE configuration SET key = 'gaussian number=9'", "an id that does not match its key"},
        {"DELETE FROM replay", "leads nowhere"},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'result'",
         "damaged"},
        {"PRAGMA application_id = 1", "not one of hotgraph's"},
        {"PRAGMA user_version = 99", "newer hotgraph"},
    };
    struct error e = {0};
    struct db_merged merged;
    make("good.db", &(struct part){.run = "g", .configuration = 3});
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unlink("bad.db");
        make("bad.db", &(struct part){.run = "b"});
        change("bad.db", changes[i][0]);
        if (MERGE("out.db", &merged, &e, "good.db", "bad.db") == STATUS_OK)
            fail_msg("merged: %s", changes[i][0]);
        if (strstr(e.text, changes[i][1]) == NULL || strstr(e.text, "bad.db") == NULL)
            fail_msg("%s: %s", changes[i][0], e.text);
        assert_int_not_equal(access("out.db", F_OK), 0);
    }
    assert_no_leftovers();
}

static void any_number_of_parts(void **state) {
    (void)state;
    enum { PARTS = 40 };
    static char names[PARTS][12];
    const char *forward[PARTS + 1] = {0}, *backward[PARTS + 1] = {0};
    for (int i = 0; i < PARTS; i++) {
        snprintf(names[i], sizeof names[i], "%d.db", i);
        make(names[i], &(struct part){.run = names[i], .configuration = i, .seconds = i % 3});
        forward[i] = backward[PARTS - 1 - i] = names[i];
    }
    merges("forward.db", forward);
    merges("backward.db", backward);
    assert_same_file("forward.db", "backward.db");
    assert_int_equal(ask("forward.db", "SELECT count(*) FROM result"), PARTS);
    assert_int_equal(ask("forward.db", "SELECT count(*) FROM replay WHERE seconds = 0"), 1);
}

/* A sweep is using it, or had opened it before it was replaced. */
static void sweeps_and_merges_keep_apart(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    struct db *sweep;
    make("a.db", &(struct part){.run = "a"});
    make("b.db", &(struct part){.run = "b", .configuration = 1});
    ok(db_open(&sweep, "a.db", DB_WRITE, &e), &e);
    ok(db_reserve(sweep, &e), &e);
    assert_int_equal(MERGE("a.db", &merged, &e, "b.db"), STATUS_IO);
    assert_non_null(strstr(e.text, "another sweep"));
    ok(MERGE("out.db", &merged, &e, "a.db", "b.db"), &e); /* to be read, it is free */
    db_close(sweep);
    ok(db_open(&sweep, "a.db", DB_WRITE, &e), &e);
    MERGES("a.db", "b.db");
    assert_same_file("a.db", "out.db");
    assert_int_equal(db_reserve(sweep, &e), STATUS_IO);
    assert_non_null(strstr(e.text, "put in its place"));
    db_close(sweep);
    assert_same_file("a.db", "out.db");
}

/* If this failed, SQLite would write the pages of another file's journal into the merged one. */
static void journals_of_others_stay(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    make("a.db", &(struct part){.run = "a"});
    make("b.db", &(struct part){.run = "b", .configuration = 1});
    static const char *const names[] = {"out.db-wal", "out.db-journal"};
    for (size_t i = 0; i < 2; i++) {
        FILE *f = fopen(names[i], "w");
        assert_non_null(f);
        fclose(f);
        assert_int_equal(MERGE("out.db", &merged, &e, "a.db", "b.db"), STATUS_IO);
        assert_non_null(strstr(e.text, names[i] + strlen("out.db-")));
        assert_int_not_equal(access("out.db", F_OK), 0);
        assert_int_equal(unlink(names[i]), 0);
    }
    MERGES("out.db", "a.db", "b.db");
}

/* A file of version 1 is merged as if it had been upgraded first. */
static void version1_joins(void **state) {
    (void)state;
    struct error e = {0};
    struct bytes old = {0};
    ok(file_read(&old, TEST_DATA "/db/version1.db.gz", 1 << 22, &e), &e);
    FILE *f = fopen("old.db", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(old.at, 1, old.len, f), old.len);
    assert_int_equal(fclose(f), 0);
    bytes_free(&old);
    assert_int_equal(system("cp old.db upgraded.db"), 0);
    struct db *db;
    ok(db_open(&db, "upgraded.db", DB_WRITE, &e), &e);
    db_close(db);
    make("a.db", &(struct part){.run = "a"});
    MERGES("one.db", "old.db", "a.db");
    MERGES("other.db", "a.db", "upgraded.db", "old.db");
    assert_same_file("one.db", "other.db");
    assert_int_equal(system("test \"$(sqlite3 old.db 'PRAGMA user_version')\" = 1"), 0);
    assert_true(ask("one.db", "SELECT count(*) FROM result") > 1);
}

static int asked;
static int stop_at_once(void) {
    return ++asked;
}

static void a_stop_leaves_nothing(void **state) {
    (void)state;
    struct error e = {0};
    struct db_merged merged;
    make("a.db", &(struct part){.run = "a"});
    struct db_merge request = {.out = "out.db",
                               .parts = (const char *const[]){"a.db"},
                               .count = 1,
                               .stopped = stop_at_once};
    assert_int_equal(db_merge(&request, &merged, &e), STATUS_INTERRUPTED);
    assert_int_not_equal(access("out.db", F_OK), 0);
    assert_no_leftovers();
}

/* ---- diff ---- */

struct found {
    int64_t told, differ;
    char text[4000];
};

static enum status note(void *user, const struct db_difference *d, struct error *e) {
    struct found *f = user;
    (void)e;
    f->told++;
    size_t len = strlen(f->text);
    snprintf(f->text + len, sizeof f->text - len, "%s|%s|%s|%s|%s\n", d->table,
             d->column != NULL ? d->column : "-", d->value[0] != NULL ? d->value[0] : "-",
             d->value[1] != NULL ? d->value[1] : "-",
             d->run[0] == NULL   ? "b"
             : d->run[1] == NULL ? "a"
                                 : "both");
    return STATUS_OK;
}

static enum status note_table(void *user, const char *name, int64_t same, int64_t differ,
                              struct error *e) {
    struct found *f = user;
    (void)name;
    (void)same;
    (void)e;
    f->differ += differ;
    return STATUS_OK;
}

static struct found differences(const char *a, const char *b, uint64_t most) {
    struct found f = {0};
    struct error e = {0};
    int64_t differ;
    struct db_diff request = {
        .a = a, .b = b, .most = most, .each = note, .table = note_table, .user = &f};
    ok(db_diff(&request, &differ, &e), &e);
    assert_int_equal(differ, f.differ);
    return f;
}

static void diff_tells_what_differs(void **state) {
    (void)state;
    make("a.db", &(struct part){.run = "a", .low = 1, .seconds = 1, .engine = "dbt"});
    make("b.db", &(struct part){.run = "b", .low = 1, .seconds = 2, .engine = "interp"});
    assert_int_equal(differences("a.db", "b.db", 5).differ, 0);
    change("b.db", "UPDATE result SET low = 2; UPDATE replay SET exact_hash = 'other'");
    struct found f = differences("a.db", "b.db", 5);
    assert_int_equal(f.differ, 2);
    assert_string_equal(f.text, "replay|exact_hash|'e'|'other'|both\nresult|low|1|2|both\n");
    make("c.db", &(struct part){.run = "c", .low = 1, .configuration = 1});
    MERGES("ac.db", "a.db", "c.db");
    f = differences("ac.db", "a.db", 5);
    assert_string_equal(f.text, "configuration|-|-|-|a\nresult|-|-|-|a\n");
    f = differences("a.db", "ac.db", 5);
    assert_string_equal(f.text, "configuration|-|-|-|b\nresult|-|-|-|b\n");
    assert_int_equal(f.differ, 2);
    make("d.db", &(struct part){.run = "d", .configuration = 2, .game = "beta"});
    f = differences("a.db", "d.db", 1);
    assert_true(f.differ > f.told);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(order_changes_no_byte),
        TEST(a_file_that_is_there_joins),
        TEST(the_fastest_row_stays),
        TEST(contradictions_are_refused),
        TEST(a_changed_movie_is_told),
        TEST(damage_is_refused),
        TEST(any_number_of_parts),
        TEST(a_stop_leaves_nothing),
        TEST(sweeps_and_merges_keep_apart),
        TEST(journals_of_others_stay),
        TEST(version1_joins),
        TEST(diff_tells_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
