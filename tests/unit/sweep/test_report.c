/* report: the paper's tables and the figures are rebuilt from a database alone. */
#include "db/db.h"
#include "report/draw/gnuplot.h"
#include "report/report.h"
#include "report/tables/table.h"

#include <math.h>
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
    char folder[64], db[96], out[96];
};

static void ok(enum status status, const struct error *e) {
    if (status != STATUS_OK)
        fail_msg("%s", e->text);
}

static const char *const LABELS[] = {"paper's best", "lowest thresholds", "highest thresholds"};
static const char *const GAMES[] = {"alpha_game", "beta"};
enum { MARK_COUNT = 8 };
static const int64_t MARKS[MARK_COUNT] = {10, 30, 100, 300, 1000, 3000, 10000, 30000};

static int64_t put_run(struct db *db) {
    struct error e = {0};
    struct db_run run;
    struct db_run_text text;
    db_start_run(&run, &text);
    run.version = run.source_commit = "0";
    run.host = run.compiler = "h";
    run.configuration_file = "paper.cfg";
    run.definition_hash = "d";
    run.jobs = 1;
    ok(db_put_run(db, &run, &e), &e);
    return run.run_id;
}

/* The paper's grid, four parameters of whatever name, and a fifth. */
struct grid {
    const char *technique, *names[5];
    int fifth; /* how many values it has */
};
static const struct grid PAPER = {
    "gaussian",
    {"bin_size", "stdev_threshold", "window_size", "recurrent_threshold", "builder"},
    1};

static void put_grid(struct db *db, const struct grid *grid,
                     struct db_experiment_configuration *m) {
    static const int64_t values[4][4] = {{8, 10, 13, 16}, {8, 10, 12, 15}, {6, 10, 13}, {5, 8, 12}};
    struct error e = {0};
    int count = 144 * grid->fifth;
    for (int i = 0; i <= count; i++) {
        int at = i % 144;
        int64_t v[5] = {values[0][at % 4], values[1][at / 4 % 4], values[2][at / 16 % 3],
                        values[3][at / 48], i / 144};
        char key[200];
        snprintf(key, sizeof key, "%s %s=%d %s=%d %s=%d %s=%d %s=%d", grid->technique,
                 grid->names[0], (int)v[0], grid->names[1], (int)v[1], grid->names[2], (int)v[2],
                 grid->names[3], (int)v[3], grid->names[4], (int)v[4]);
        struct db_configuration c = {.key = i < count ? key : "observed",
                                     .technique = i < count ? grid->technique : "observed"};
        ok(db_put_configuration(db, &c, &e), &e);
        for (int k = 0; k < 5 && i < count; k++) {
            struct db_configuration_value value = {
                c.configuration_id, grid->names[k], {.integer = v[k]}};
            ok(db_put_configuration_value(db, &value, &e), &e);
        }
        m[i] = (struct db_experiment_configuration){.configuration_id = c.configuration_id,
                                                    .number = i < count ? i : DB_NULL,
                                                    .baseline = i == count,
                                                    .label = i == count ? "observed"
                                                             : i == 45  ? LABELS[0]
                                                             : i == 0   ? LABELS[1]
                                                             : i == 143 ? LABELS[2]
                                                                        : NULL};
    }
}

/* Fills the row of the game, its stream and the stream's place in the experiment. */
static void put_stream(struct db *db, int64_t run, int game, struct db_experiment_stream *member) {
    struct error e = {0};
    struct db_game g = {
        .name = GAMES[game], .title = "A_title & more", .paper_game = game == 0 ? "Pac-Man" : NULL};
    struct db_sampling sampling = db_new_sampling();
    struct db_replay p = db_new_replay();
    struct db_stream s = db_new_stream();
    ok(db_put_game(db, &g, &e), &e);
    p.key = GAMES[game];
    p.frames = 18000;
    p.instructions = 150000000;
    p.blocks = p.busy_edges = p.weight = p.busy_weight = 0;
    p.edges = 900;
    p.hot_edges = 40;
    p.hot_edges_active = 60;
    p.exact_hash = "e";
    p.run_id = run;
    ok(db_put_replay(db, &p, &e), &e);
    sampling.key = "s";
    sampling.method = "time";
    sampling.interval_us = 3000;
    ok(db_put_sampling(db, &sampling, &e), &e);
    s.replay_id = p.replay_id;
    s.sampling_id = sampling.sampling_id;
    s.batch_length = 25;
    s.batches = 99000;
    s.samples = 99000 * 25;
    s.overruns = 0;
    s.hash = "s";
    s.run_id = run;
    ok(db_put_stream(db, &s, &e), &e);
    *member = (struct db_experiment_stream){.game_id = g.game_id,
                                            .stream_id = s.stream_id,
                                            .sampling_id = sampling.sampling_id,
                                            .variant = ""};
}

static void put_quality(struct db *db, struct db_quality *q, double whole, double active) {
    struct error e = {0};
    struct metrics w = {whole, 0.5, 0.5, 0.5, 0.5, 0.5, 40, 300, 90, {0}};
    struct metrics a = {active, NAN, NAN, 0.5, 0.5, 0.5, 60, 200, 50, {0}};
    q->part = "first";
    q->hot_permille = 900;
    q->bins = 100;
    q->blocks = 0;
    db_set_metrics(q, &w, &a);
    ok(db_put_quality(db, q, &e), &e);
}

static void put_result(struct db *db, int64_t run, int64_t stream,
                       const struct db_experiment_configuration *m, double v, int game) {
    struct error e = {0};
    struct db_graph graph = {.hash = "g"};
    struct db_result row = db_new_result();
    ok(db_put_graph(db, &graph, &e), &e);
    row.stream_id = stream;
    row.configuration_id = m->configuration_id;
    row.graph_id = graph.graph_id;
    row.bins = 100;
    row.low = row.high = row.blocks = 0;
    row.edges = 300;
    row.records = row.probes = row.observed = row.steps = 0;
    row.seconds = 0.5;
    row.run_id = run;
    ok(db_put_result(db, &row, &e), &e);
    struct db_quality q = db_new_quality();
    q.stream_id = stream;
    q.configuration_id = m->configuration_id;
    q.run_id = run;
    q.batches = 99000;
    put_quality(db, &q, v, game == 0 ? v / 2 : NAN);
    for (size_t i = 0; m->label != NULL && i < MARK_COUNT; i++) {
        double at = v * (1 - 1 / log10((double)MARKS[i] * 10));
        q.batches = MARKS[i];
        put_quality(db, &q, at, at / 2);
    }
}

/* The grid over two games with made-up similarities; odd names test the quoting. */
static void fill(struct db *db, const char *name, const struct grid *grid, size_t games) {
    static struct db_experiment_configuration members[144 * 2 + 1];
    static const int64_t hot[] = {900};
    struct error e = {0};
    struct db_experiment_stream streams[2];
    int64_t run = put_run(db), experiment;
    int count = 144 * grid->fifth;
    put_grid(db, grid, members);
    for (int game = 0; game < (int)games; game++)
        put_stream(db, run, game, &streams[game]);
    struct db_members m = {.name = name,
                           .definition_hash = "hash",
                           .configurations = members,
                           .configuration_count = (size_t)count + 1,
                           .streams = streams,
                           .stream_count = games,
                           .games = GAMES,
                           .game_count = games,
                           .marks = MARKS,
                           .mark_count = MARK_COUNT,
                           .hot = hot,
                           .hot_count = 1};
    ok(db_put_members(db, &m, &experiment, &e), &e);
    for (int game = 0; game < (int)games; game++)
        for (int i = 0; i <= count; i++)
            put_result(db, run, streams[game].stream_id, &members[i],
                       i == count ? 1.0 : 0.3 + 0.4 * (double)((i * 37 + game * 11) % 100) / 100,
                       game);
    ok(db_commit(db, &e), &e);
}

/* Writes the report of an experiment of f->db. */
static enum status write_report(struct fixture *f, const char *experiment, const char *stamp,
                                const char *out, struct error *warned, struct error *e) {
    struct db *db;
    enum status status = db_open(&db, f->db, DB_READ, e);
    if (status != STATUS_OK)
        return status;
    struct report_request request = {
        .db = db, .experiment = experiment, .folder = out, .stamp = stamp};
    status = report_write(&request, warned, e);
    db_close(db);
    return status;
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    const char *keep = getenv("HOTGRAPH_KEEP_REPORT"); /* a folder to look at the pictures in */
    snprintf(f->folder, sizeof f->folder, "%s",
             keep != NULL ? keep : "/tmp/hotgraph-report-XXXXXX");
    if (keep == NULL && mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->db, sizeof f->db, "%s/test.db", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    struct db *db;
    struct error e = {0};
    ok(db_open(&db, f->db, DB_WRITE, &e), &e);
    fill(db, "test", &PAPER, 2);
    db_close(db);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", f->folder, f->folder);
    int status = getenv("HOTGRAPH_KEEP_REPORT") != NULL ? 0 : system(command);
    free(f);
    return status;
}

static char *slurp(const struct fixture *f, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->out, name);
    struct bytes b;
    struct error e = {0};
    ok(file_read(&b, path, 1 << 26, &e), &e);
    return (char *)b.at;
}

static void expect_in(const struct fixture *f, const char *name, const char *words) {
    char *text = slurp(f, name);
    if (strstr(text, words) == NULL)
        fail_msg("%s does not contain \"%s\":\n%s", name, words, text);
    free(text);
}

/* Tables that lack the paper's numbers or the baseline would not be honest ones. */
static void tables_carry_baseline_and_paper(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    expect_in(f, "table1.txt", "1.65"); /* 99000 * 25 / 150000000 */
    expect_in(f, "table1.csv",
              "alpha_game,99000,150000000,1.65,100.0,50.0,50.0,50.0,50.0,Pac-Man,92582,184049378,"
              "1.25");
    expect_in(f, "table2.csv", "100.0");
    expect_in(f, "table3.tex", "alpha\\_game");
    expect_in(f, "table3.tex", "8/15/13/5");
    expect_in(f, "table4.csv", "beta");
    expect_in(f, "best_configuration.txt", "mean %");
    expect_in(f, "figures/heatmap-alpha_game.csv", "x,y,whole,active,number,");
    expect_in(f, "figures/batches-beta.csv", "curve,batches");
}

/* A figure that changes from run to run cannot be checked in or compared. */
static void pictures_are_whole_and_repeatable(void **state) {
    struct fixture *f = *state;
    if (!gnuplot_is_there())
        skip();
    struct error e = {0}, warned = {0};
    static const char *const names[] = {"table1", "table3", "figures/heatmap-alpha_game",
                                        "figures/heatmap-beta", "figures/batches-beta"};
    static const char *const others[] = {"png", "png", "pdf", "pdf", "pdf"};
    char *second[5];
    char *first[5];
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    assert_string_equal(warned.text, "");
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.svg", names[i]);
        first[i] = slurp(f, name);
        assert_non_null(strstr(first[i], "</svg>"));
        snprintf(name, sizeof name, "%s.%s", names[i], others[i]);
        second[i] = slurp(f, name);
        assert_memory_equal(second[i], i < 2 ? "\x89PNG" : "%PDF", 4);
    }
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.svg", names[i]);
        char *again = slurp(f, name);
        assert_string_equal(again, first[i]);
        free(again);
        free(first[i]);
        snprintf(name, sizeof name, "%s.%s", names[i], others[i]);
        again = slurp(f, name);
        assert_string_equal(again, second[i]); /* as far as its first 0 */
        free(again);
        free(second[i]);
    }
}

/* Every cell of the grid is a labelled cell of the heatmap, and each label shows its own
 * configuration's value. */
static void heatmap_shows_every_configuration(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    char *text = slurp(f, "figures/heatmap-beta.csv");
    bool seen[12][12] = {0};
    char *line = strchr(text, '\n') + 1;
    int cells = 0;
    for (; *line != 0; line = strchr(line, '\n') + 1, cells++) {
        int x, y, number;
        double whole;
        assert_int_equal(sscanf(line, "%d,%d,%lf,,%d", &x, &y, &whole, &number),
                         4); /* no active value: empty */
        assert_false(seen[y][x]);
        seen[y][x] = true;
        assert_int_equal(x, number / 16 % 3 * 4 + number % 4);
        assert_int_equal(y, number / 48 * 4 + number / 4 % 4);
    }
    assert_int_equal(cells, 144);
    free(text);
}

static void errors_name_the_file(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    assert_int_equal(write_report(f, "test", NULL, "/dev/null/out", &warned, &e), STATUS_IO);
    assert_non_null(strstr(e.text, "/dev/null/out"));
    struct db *db;
    struct report_experiments x;
    ok(db_open(&db, f->db, DB_READ, &e), &e);
    assert_int_equal(report_experiments(&x, db, "none", &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "'none'"));
    db_close(db);
}

/* ---- hostile databases ---- */

static void change(struct fixture *f, const char *sql) {
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(f->db, &handle), SQLITE_OK);
    if (sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(handle));
    sqlite3_close(handle);
}

/* A level that is hit to the digit is reached. */
static void levels_are_reached(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    expect_in(f, "index.html", "observed: 50 % and more after 10 batches (50.0 %)");
}

static bool exists(const struct fixture *f, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return access(path, F_OK) == 0;
}

/* If this failed, a database that somebody sends could run programs. */
static void text_is_never_a_command(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    char sql[1000];
    snprintf(sql, sizeof sql,
             "UPDATE experiment_configuration SET label = 'a''' || char(10) || 'system \"touch"
             " %s/label\"' WHERE number = 0;"
             "UPDATE experiment_configuration SET label = 'a' || char(10) || 'system \"touch"
             " %s/label\"' || char(10) WHERE number = 45;"
             "UPDATE configuration_value SET value = 'x\")''' || char(10) || '; system \"touch"
             " %s/value\" #' WHERE value = 13 AND name = 'bin_size';"
             "UPDATE configuration_value SET value = 'y`touch %s/value`' WHERE value = 6;"
             "UPDATE configuration_value SET name = 'n' || char(10) || 'system \"touch %s/name\"'"
             " WHERE name = 'stdev_threshold'",
             f->folder, f->folder, f->folder, f->folder, f->folder);
    change(f, sql);
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    assert_false(exists(f, "label"));
    assert_false(exists(f, "value"));
    assert_false(exists(f, "name"));
    if (gnuplot_is_there())
        expect_in(f, "index.html", "#45: a\nsystem &quot;touch");
}

/* If this failed, a database could write outside the folder that it is given. */
static void names_stay_in_the_folder(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    static const char *const names[] = {"../../escaped", "a/b", "-x", "", "a.b", "a\nb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "UPDATE game SET name = '%s' WHERE title LIKE 'A%%' AND game_id ="
                 " (SELECT min(game_id) FROM game)",
                 names[i]);
        change(f, sql);
        assert_int_equal(write_report(f, "test", NULL, f->out, &warned, &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "cannot be a file's"));
        assert_non_null(strstr(e.text, names[i]));     /* so that it can be looked for */
        assert_int_not_equal(access(f->out, F_OK), 0); /* nothing half written */
    }
}

/* If this failed, gnuplot would take the folder's name for a command. */
static void folders_are_never_commands(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f->folder), 0);
    ok(write_report(f, "test", NULL, "<touch piped", &warned, &e), &e);
    ok(write_report(f, "test", NULL, "|touch piped", &warned, &e), &e);
    assert_int_equal(chdir(here), 0);
    assert_false(exists(f, "piped"));
    assert_true(exists(f, "<touch piped/table1.txt"));
    assert_true(!gnuplot_is_there() || exists(f, "|touch piped/figures/heatmap-beta.svg"));
}

/* ---- other grids ---- */

/* If this failed, another technique's parameters would be dashes, and its heatmap broken. */
static void other_techniques_have_their_parameters(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    static const struct grid other = {"other", {"depth", "slots", "cycles", "share", "phase"}, 1};
    struct db *db;
    ok(db_open(&db, f->db, DB_WRITE, &e), &e);
    fill(db, "other", &other, 1);
    db_close(db);
    ok(write_report(f, "other", NULL, f->out, &warned, &e), &e);
    expect_in(f, "table3.csv", "game,place,#,depth,slots,cycles,share,bins,");
    expect_in(f, "parameter_effect.txt", "slots");
    char *text = slurp(f, "table3.csv");
    /* Nothing is empty but the paper's columns, which are GFCGaussiano's alone. */
    for (char *line = strtok(strchr(text, '\n') + 1, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        assert_string_equal(line + strlen(line) - 4, ",,,,");
        assert_true(strstr(line, ",,") == line + strlen(line) - 4);
    }
    free(text);
    text = slurp(f, "index.html");
    assert_null(strstr(text, "Compared with the paper's game"));
    assert_null(strstr(text, "in the paper:"));
    free(text);
    if (gnuplot_is_there())
        expect_in(f, "figures/heatmap-alpha_game.svg", "depth, in groups of cycles");
}

/* If this failed, configurations would be drawn over each other. */
static void a_fifth_parameter_is_a_mean(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    static const struct grid five = {"five", {"a", "b", "c", "d", "e"}, 2};
    struct db *db;
    ok(db_open(&db, f->db, DB_WRITE, &e), &e);
    fill(db, "five", &five, 1);
    ok(db_query(db,
                "UPDATE quality SET similarity = 0.25 WHERE configuration_id IN (SELECT"
                " configuration_id FROM experiment_configuration WHERE number IN (7, 151))"
                " AND batches = 99000",
                NULL, NULL, &e, ""),
       &e);
    ok(db_query(db,
                "UPDATE quality SET similarity = 0.75 WHERE configuration_id IN (SELECT"
                " configuration_id FROM experiment_configuration WHERE number = 151)"
                " AND batches = 99000",
                NULL, NULL, &e, ""),
       &e);
    ok(db_commit(db, &e), &e);
    db_close(db);
    ok(write_report(f, "five", NULL, f->out, &warned, &e), &e);
    expect_in(f, "figures/heatmap-alpha_game.csv", "\n3,1,50,"); /* the mean of 25 and 75 */
    if (gnuplot_is_there())
        expect_in(f, "figures/heatmap-alpha_game.svg", "means over e");
}

/* If this failed, a sixth labelled configuration would cost all pictures. */
static void any_number_of_labels(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    if (!gnuplot_is_there())
        skip();
    change(f,
           "UPDATE experiment_configuration SET label = 'curve ' || number WHERE number % 11 = 1;"
           "INSERT OR IGNORE INTO quality SELECT stream_id, q.configuration_id, part, 10, "
           "hot_permille,"
           " bins, blocks, edges, common_edges, hot_edges, similarity / 2, precision, f1,"
           " coverage, overlap, block_overlap, edges_active, common_edges_active,"
           " hot_edges_active, similarity_active, precision_active, f1_active, coverage_active,"
           " overlap_active, block_overlap_active, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
           " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, run_id FROM quality q"
           " WHERE batches = 99000 AND configuration_id IN (SELECT configuration_id FROM"
           " experiment_configuration WHERE number % 11 = 1)");
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    for (int number = 1; number < 144; number += 11) {
        char label[40];
        snprintf(label, sizeof label, ">#%d<", number);
        expect_in(f, "figures/batches-beta.svg", label);
    }
}

/* If this failed, pictures of games that are in the experiment no more would pass for results; and
 * somebody's own files would go. */
static void pictures_of_games_that_left_go(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    char path[256];
    snprintf(path, sizeof path, "%s/heatmap-mine.txt", f->out);
    FILE *mine = fopen(path, "w");
    assert_int_equal(fclose(mine), 0);
    change(f, "DELETE FROM experiment_stream WHERE game_id IN (SELECT game_id FROM game WHERE"
              " name = 'beta')");
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    assert_false(exists(f, "out/figures/heatmap-beta.csv"));
    assert_false(exists(f, "out/figures/batches-beta.svg"));
    assert_true(exists(f, "out/figures/heatmap-alpha_game.csv"));
    assert_true(exists(f, "out/heatmap-mine.txt"));
}

/* If this failed, a report would stay behind when titles or labels change; or be drawn each time.
 */
static void a_stamp_knows_titles_and_labels(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    static const char *const changes[] = {
        "UPDATE game SET title = 'New'", "UPDATE game SET untested = 1 WHERE name = 'beta'",
        "UPDATE experiment_configuration SET label = 'new' WHERE number = 45", NULL};
    ok(write_report(f, "test", "same", f->out, &warned, &e), &e);
    for (size_t i = 0; changes[i] != NULL; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/table1.txt", f->out);
        assert_int_equal(unlink(path), 0);
        ok(write_report(f, "test", "same", f->out, &warned, &e), &e);
        assert_false(exists(f, "out/table1.txt"));
        change(f, changes[i]);
        ok(write_report(f, "test", "same", f->out, &warned, &e), &e);
        assert_true(exists(f, "out/table1.txt"));
    }
    char path[256];
    snprintf(path, sizeof path, "%s/table1.txt", f->out);
    assert_int_equal(unlink(path), 0);
    ok(write_report(f, "test", "another program", f->out, &warned, &e), &e);
    assert_true(exists(f, "out/table1.txt"));
}

/* If this failed, a comma or a quote in a label would shift every column of a CSV. */
static void csv_is_quoted(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    change(f, "UPDATE experiment_configuration SET label = 'one, \"two\"' WHERE number = 45");
    ok(write_report(f, "test", NULL, f->out, &warned, &e), &e);
    expect_in(f, "figures/batches-beta.csv", ",\"one, \"\"two\"\"\",45,");
}

/* If this failed, a database from somebody else could control the terminal that shows it. */
/* A title that somebody sends is text, wherever a table goes. */
static void tables_escape_markup(void **state) {
    struct fixture *f = *state;
    struct error e = {0};
    char *names[] = {"game"}, *cells[] = {"a|b<i>`c`$x_1$&%#{}~^\\d"};
    const struct table t = {.names = {.at = names, .len = 1}, .cells = {.at = cells, .len = 1}};
    char path[2][128];
    struct file_writer *w;
    assert_int_equal(mkdir(f->out, 0777), 0);
    snprintf(path[0], sizeof path[0], "%s/t.md", f->out);
    ok(file_open(&w, path[0], &e), &e);
    table_write_markdown(&t, "T", NULL, w);
    ok(file_commit(w, &e), &e);
    expect_in(f, "t.md", "| a\\|b\\<i\\>\\`c\\`$x\\_1$\\&%\\#{}~^\\\\d |");
    snprintf(path[1], sizeof path[1], "%s/t.tex", f->out);
    ok(file_open(&w, path[1], &e), &e);
    table_write_latex(&t, "T", NULL, "t", w);
    ok(file_commit(w, &e), &e);
    expect_in(f, "t.tex",
              "a$|$b$<$i$>$`c`\\$x\\_1\\$\\&\\%\\#\\{\\}\\char`\\~{}\\char`\\^{}\\char`\\\\{}d");
}

static void tables_have_no_controls(void **state) {
    struct fixture *f = *state;
    struct error e = {0};
    char *names[] = {"game", "n"}, *cells[] = {"a\033[2J\n\177\302\233b\303\251", "10"};
    const struct table t = {.names = {.at = names, .len = 2}, .cells = {.at = cells, .len = 2}};
    char path[128];
    struct file_writer *w;
    assert_int_equal(mkdir(f->out, 0777), 0);
    snprintf(path, sizeof path, "%s/plain.txt", f->out);
    ok(file_open(&w, path, &e), &e);
    table_write_text(&t, "T", w);
    ok(file_commit(w, &e), &e);
    expect_in(f, "plain.txt", "game         n\n--------------\na [2J   b\303\251  10\n");
}

/* NAME: only tests named so (* stands for anything). */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_carry_baseline_and_paper, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pictures_are_whole_and_repeatable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(heatmap_shows_every_configuration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(levels_are_reached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_is_never_a_command, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_stay_in_the_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_never_commands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_techniques_have_their_parameters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fifth_parameter_is_a_mean, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pictures_of_games_that_left_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stamp_knows_titles_and_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_is_quoted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_escape_markup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_have_no_controls, set_up, tear_down),
    };
    if (argc == 2)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
