/* report: the paper's tables and the figures are rebuilt from a database alone. */
#include "db/db.h"
#include "sweep/gnuplot.h"
#include "sweep/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char folder[64], db[96], out[96];
};

static void ok(enum status status, const struct error *e) {
    if (status != STATUS_OK)
        fail_msg("%s", e->text);
}

static const char *const LABELS[] = {"paper's best", "lowest thresholds", "highest thresholds"};

/* The grid of 144 over two games with made-up similarities; odd names test the quoting. */
static void fill(struct db *db) {
    struct error e = {0};
    int64_t run, experiment, configurations[145];
    struct db_member members[145];
    struct db_run r = {"0", "0", "h", "c", "paper.cfg", "d", 1};
    ok(db_put_run(db, &r, &run, &e), &e);
    for (int i = 0; i <= 144; i++) {
        char key[64];
        snprintf(key, sizeof key, "c%d", i);
        static const int bin[] = {8, 10, 13, 16}, stdev[] = {8, 10, 12, 15}, window[] = {6, 10, 13},
                         recurrent[] = {5, 8, 12};
        struct db_configuration c = {key,
                                     i < 144 ? "gaussian" : "observed",
                                     i < 144 ? bin[i % 4] : DB_NULL,
                                     i < 144 ? stdev[i / 4 % 4] : DB_NULL,
                                     i < 144 ? window[i / 16 % 3] : DB_NULL,
                                     i < 144 ? recurrent[i / 48] : DB_NULL,
                                     i < 144 ? 0 : DB_NULL};
        ok(db_put_configuration(db, &c, &configurations[i], &e), &e);
        members[i] = (struct db_member){configurations[i], i < 144 ? i : DB_NULL,
                                        i == 144   ? "observed"
                                        : i == 45  ? LABELS[0]
                                        : i == 0   ? LABELS[1]
                                        : i == 143 ? LABELS[2]
                                                   : NULL};
    }
    ok(db_choose_experiment(db, "test", "hash", members, 145, &experiment, &e), &e);
    for (int game = 0; game < 2; game++) {
        int64_t id, replay, stream;
        struct db_game g = {game == 0 ? "alpha_game" : "beta", "A_title & more",
                            game == 0 ? "Pac-Man" : NULL, false};
        ok(db_put_game(db, &g, &id, &e), &e);
        struct db_replay p = {.game_id = id,
                              .key = "k",
                              .movie_id = DB_NULL,
                              .frames = 18000,
                              .instructions = 150000000,
                              .cycles = 1,
                              .engine = "interpreter",
                              .edges = 900,
                              .hot_edges = 40,
                              .hot_edges_active = 60,
                              .exact_hash = "e",
                              .seconds = 1,
                              .run_id = run};
        ok(db_put_replay(db, &p, &replay, &e), &e);
        struct db_stream s = {.replay_id = replay,
                              .key = "s",
                              .interval_us = 3000,
                              .batch_length = 25,
                              .batches = 99000,
                              .samples = 99000 * 25,
                              .hash = "s",
                              .run_id = run};
        ok(db_put_stream(db, &s, &stream, &e), &e);
        ok(db_choose_stream(db, experiment, id, stream, &e), &e);
        for (int i = 0; i <= 144; i++) {
            double v = i == 144 ? 1.0 : 0.3 + 0.4 * (double)((i * 37 + game * 11) % 100) / 100;
            struct db_result row = {
                .stream_id = stream,
                .configuration_id = configurations[i],
                .bins = 100,
                .whole = {v, 0.5, 0.5, 0.5, 0.5, 0.5, 40, 300, 90},
                .active = {game == 0 ? v / 2 : NAN, NAN, NAN, 0.5, 0.5, 0.5, 60, 200, 50},
                .graph_hash = "g",
                .seconds = 0.5,
                .run_id = run};
            ok(db_put_result(db, &row, &e), &e);
            if (members[i].label == NULL)
                continue;
            for (uint64_t n = 10; n <= 100000; n = n * 3 / 10 * 10 == n * 3 ? n * 3 : n * 10 / 3) {
                double at = v * (1 - 1 / log10((double)n * 10));
                struct db_convergence c = {.stream_id = stream,
                                           .configuration_id = configurations[i],
                                           .batches = n,
                                           .whole = {at, 0, 0, 0, 0, 0, 1, 1, 1},
                                           .active = {at / 2, 0, 0, 0, 0, 0, 1, 1, 1},
                                           .run_id = run};
                ok(db_put_convergence(db, &c, &e), &e);
                if (n > 60000)
                    break;
            }
        }
    }
    ok(db_commit(db, &e), &e);
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
    fill(db);
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
    ok(report_write(f->db, f->out, &warned, &e), &e);
    expect_in(f, "table1.txt", "1.65"); /* 99000 * 25 / 150000000 */
    expect_in(f, "table1.csv",
              "alpha_game,99000,150000000,1.65,100.0,50.0,Pac-Man,92582,184049378,1.25");
    expect_in(f, "table2.csv", "100.0");
    expect_in(f, "table3.tex", "alpha\\_game");
    expect_in(f, "table3.tex", "8/15/13/5");
    expect_in(f, "table4.csv", "beta");
    expect_in(f, "best_configuration.txt", "mean %");
    expect_in(f, "data/heatmap-alpha_game.csv", "x,y,whole,active,number\n0,0,");
    expect_in(f, "data/convergence-beta.csv", "curve,batches");
}

/* A figure that changes from run to run cannot be checked in or compared. */
static void pictures_are_whole_and_repeatable(void **state) {
    struct fixture *f = *state;
    if (!gnuplot_is_there())
        skip();
    struct error e = {0}, warned = {0};
    static const char *const names[] = {"table1", "table3", "heatmap-alpha_game", "heatmap-beta",
                                        "convergence-beta"};
    char *first[5];
    ok(report_write(f->db, f->out, &warned, &e), &e);
    assert_string_equal(warned.text, "");
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.svg", names[i]);
        first[i] = slurp(f, name);
        assert_non_null(strstr(first[i], "</svg>"));
        snprintf(name, sizeof name, "%s.png", names[i]);
        char *png = slurp(f, name);
        assert_memory_equal(png, "\x89PNG", 4);
        free(png);
    }
    ok(report_write(f->db, f->out, &warned, &e), &e);
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.svg", names[i]);
        char *again = slurp(f, name);
        assert_string_equal(again, first[i]);
        free(again);
        free(first[i]);
    }
}

/* Every cell of the grid is a labelled cell of the heatmap, and each label shows its own
 * configuration's value. */
static void heatmap_shows_every_configuration(void **state) {
    struct fixture *f = *state;
    struct error e = {0}, warned = {0};
    ok(report_write(f->db, f->out, &warned, &e), &e);
    char *text = slurp(f, "data/heatmap-beta.csv");
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
    assert_int_not_equal(report_write("/nonexistent/x.db", f->out, &warned, &e), STATUS_OK);
    assert_non_null(strstr(e.text, "/nonexistent/x.db"));
    assert_int_equal(report_write(f->db, "/dev/null/out", &warned, &e), STATUS_IO);
    assert_non_null(strstr(e.text, "/dev/null/out"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_carry_baseline_and_paper, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pictures_are_whole_and_repeatable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(heatmap_shows_every_configuration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
