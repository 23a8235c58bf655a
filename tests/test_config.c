/* config: files that mean what they say, and errors that lead to the line. */
#include "sweep/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

struct fixture {
    char folder[64], path[96];
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/hotgraph-config-XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/test.cfg", f->folder);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int status = system(command);
    free(f);
    return status;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void load(struct fixture *f, struct config *c, const char *text) {
    struct error err = {0};
    write_file(f->path, text);
    if (config_load(c, f->path, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

/* The file must be refused at that line, in these words. */
static void refuse(struct fixture *f, const char *text, int line, const char *words) {
    struct config c;
    struct error err = {0};
    write_file(f->path, text);
    if (config_load(&c, f->path, &err) == STATUS_OK)
        fail_msg("accepted: %s", text);
    char where[128];
    snprintf(where, sizeof where, "%s:%d: ", f->path, line);
    if (strncmp(err.text, where, strlen(where)) != 0 || strstr(err.text, words) == NULL)
        fail_msg("expected '%s...%s', got '%s'", where, words, err.text);
    assert_null(c.path);
}

static void load_own(struct config *c, const char *name) {
    char path[512];
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", CONFIGS, name);
    if (config_load(c, path, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

static int64_t value_of(const struct config_point *p, const char *name) {
    for (int i = 0; p->technique->parameters[i].name != NULL; i++)
        if (strcmp(p->technique->parameters[i].name, name) == 0)
            return p->values[i];
    fail_msg("no parameter %s", name);
    return 0;
}

/* If this failed, our configuration 45 would not be the paper's. */
static void test_paper_grid_has_the_papers_numbers(void **state) {
    (void)state;
    struct config c;
    load_own(&c, "paper.cfg");
    assert_int_equal(c.points.len, 145);
    assert_int_equal(c.frames, 18000);
    assert_int_equal(c.sampling.interval_us, 3000);
    assert_int_equal(c.sampling.batch_length, 25);
    static const struct {
        int number, bin, stdev, window, recurrent;
    } expected[] = {
        {0, 8, 8, 6, 5},     {1, 10, 8, 6, 5}, {4, 8, 10, 6, 5},      {16, 8, 8, 10, 5},
        {45, 10, 15, 13, 5}, {48, 8, 8, 6, 8}, {143, 16, 15, 13, 12},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct config_point *p = &c.points.at[expected[i].number];
        assert_int_equal(p->number, expected[i].number);
        assert_int_equal(value_of(p, "bin_size"), expected[i].bin);
        assert_int_equal(value_of(p, "stdev_threshold"), expected[i].stdev);
        assert_int_equal(value_of(p, "window_size"), expected[i].window);
        assert_int_equal(value_of(p, "recurrent_threshold"), expected[i].recurrent);
        assert_int_equal(value_of(p, "builder"), 0);
    }
    assert_int_equal(c.points.at[144].number, -1);
    assert_string_equal(c.points.at[144].technique->name, "observed");
    size_t labels = 0;
    for (size_t i = 0; i < c.points.len; i++)
        labels += c.points.at[i].label != NULL;
    assert_int_equal(labels, 4);
    assert_int_equal(c.marks.at[0], 10);
    config_free(&c);
}

/* If this failed, the files we ship could not be swept. */
static void test_shipped_files_load(void **state) {
    (void)state;
    static const char *const names[] = {"paper.cfg", "quick.cfg", "games.cfg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct config c;
        load_own(&c, names[i]);
        assert_non_null(config_find_game(&c, "mazewisp"));
        assert_null(config_find_game(&c, "mazewis"));
        assert_string_equal(c.name, ((const char *[]){"paper", "quick", "games"})[i]);
        config_free(&c);
    }
}

/* If this failed, a game could not be added in four lines, or its files would be sought elsewhere
 * when the program runs in another folder. */
static void test_games_and_their_paths(void **state) {
    struct fixture *f = *state;
    char included[96], expected[160], folder[80];
    snprintf(folder, sizeof folder, "%s/sub", f->folder);
    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(included, sizeof included, "%s/sub/more.cfg", f->folder);
    write_file(
        included,
        "games = (\n"
        "  { name = \"one\"; title = \"One\"; rom = \"one.nes\"; movie = \"/m/one.fm2\"; },\n"
        "  { name = \"two\"; stream = \"../two.isampling.gz\"; graph = \"two.graph\";\n"
        "    instructions = 5000000000L; untested = true; frames = 7 }\n"
        ");\n");
    struct config c;
    load(f, &c, "frames = 300;\n@include \"sub/more.cfg\"\n");
    const struct config_game *one = config_find_game(&c, "one"), *two = config_find_game(&c, "two");
    assert_non_null(one);
    assert_non_null(two);
    snprintf(expected, sizeof expected, "%s/sub/one.nes", f->folder);
    assert_string_equal(one->rom, expected);
    assert_string_equal(one->movie, "/m/one.fm2");
    assert_int_equal(one->frames, 300);
    assert_false(one->untested);
    snprintf(expected, sizeof expected, "%s/sub/../two.isampling.gz", f->folder);
    assert_string_equal(two->stream, expected);
    assert_true(two->instructions == 5000000000);
    assert_int_equal(two->frames, 7);
    assert_true(two->untested);
    assert_string_equal(two->title, "two");
    snprintf(expected, sizeof expected, "%s:3", included);
    assert_string_equal(two->place, expected);
    config_free(&c);
}

/* If this failed, an edited file could pass for the experiment it no longer is, or reordering its
 * lines would throw results away. */
static void test_definition_hash_covers_what_decides_results(void **state) {
    struct fixture *f = *state;
    const char *base =
        "name = \"a\"; sampling = { batch = 25; interval_ms = 3; }; grid = { bin_size = "
        "[8, 10]; };";
    const char *same = "grid = { technique = \"gaussian\"; bin_size = [8, 10]; };\nsampling = { "
                       "interval_ms = 3.0; };\nname = \"b\"; frames = 5;";
    const char *others[] = {
        "sampling = { batch = 26; }; grid = { bin_size = [8, 10]; };",
        "sampling = { interval_ms = 3.001; }; grid = { bin_size = [8, 10]; };",
        "sampling = { jitter_ms = 1; }; grid = { bin_size = [8, 10]; };",
        "sampling = { seed = 9; }; grid = { bin_size = [8, 10]; };",
        "sampling = { phase_cycles = 1; }; grid = { bin_size = [8, 10]; };",
        "grid = { bin_size = [10, 8]; };",
        "grid = { bin_size = [8, 10]; builder = 1; };",
        "grid = { bin_size = [8, 10]; }; convergence = { batches = [5]; };",
    };
    struct config c;
    char hash[33];
    load(f, &c, base);
    memcpy(hash, c.definition_hash, sizeof hash);
    config_free(&c);
    load(f, &c, same);
    assert_string_equal(c.definition_hash, hash);
    config_free(&c);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        load(f, &c, others[i]);
        assert_string_not_equal(c.definition_hash, hash);
        config_free(&c);
    }
}

#define GAME(rest) "games = (\n{ name = \"a\"; " rest " });"

/* If one of these failed, a typing error would change an experiment in silence. */
static void test_mistakes_are_named_with_their_line(void **state) {
    struct fixture *f = *state;
    refuse(f, "frames = 100;\nfames = 3;\n", 2, "unknown key 'fames'");
    refuse(f, "\nframes = \"many\";", 2, "frames must be a whole number");
    refuse(f, "frames = 1.5;", 1, "frames must be a whole number");
    refuse(f, "frames = 0;", 1, "must be from 1");
    refuse(f, "name = 3;", 1, "name must be a text");
    refuse(f, "name = \"\";", 1, "name is empty");
    refuse(f, "frames = 100;\n\nname = \"open", 3, "syntax error");
    refuse(f, "frames = 1;\nframes = 2;", 2, "duplicate");
    refuse(f, "sampling = 3;", 1, "sampling must be a group");
    refuse(f, "sampling = {\n interval_ms = 0.0005; };", 2, "whole number of microseconds");
    refuse(f, "sampling = {\n interval_ms = 0; };", 2, "interval_ms must be from");
    refuse(f, "sampling = {\n interval = 3; };", 2, "unknown key 'interval'");
    refuse(f, "grid = {\n bins = [1]; };", 2, "gaussian has no parameter 'bins'");
    refuse(f, "grid = {\n bin_size = [8, 8]; };", 2, "value 8 twice");
    refuse(f, "grid = {\n bin_size = []; };", 2, "no values");
    refuse(f, "grid = {\n bin_size = [\"x\"]; };", 2, "whole number");
    refuse(f, "grid = {\n bin_size = -1; };", 2, "must be from");
    refuse(f, "grid = {\n technique = \"magic\"; };", 2, "no technique 'magic'");
    refuse(f, "sampling = { batch = 10; };\ngrid = { window_size = 13; };", 2,
           "larger than a batch");
    refuse(f, "convergence = {\n batches = [10, 10]; };", 2, "must rise");
    refuse(f,
           "convergence = { configurations = (\n{ label = \"x\"; bin_size = 999; }); };\n"
           "grid = { bin_size = 8; };",
           2, "not one of the grid's");
    refuse(f, "convergence = { configurations = (\n{ bin_size = 8; }); };", 2, "label");
    refuse(f, "games = {};", 1, "games must be a list");
    refuse(f, "games = (\n{ rom = \"a\"; movie = \"b\"; });", 2, "without a name");
    refuse(f, "games = (\n{ name = \"A b\"; rom = \"a\"; movie = \"b\"; });", 2, "lower-case");
    refuse(f, GAME("rom = \"x\";"), 2, "no movie");
    refuse(f, GAME("movie = \"x\";"), 2, "neither rom nor sha1");
    refuse(f, GAME("stream = \"x\";"), 2, "both a stream and a graph");
    refuse(f, GAME("stream = \"x\"; graph = \"y\"; rom = \"z\";"), 2, "only one");
    refuse(f, GAME("sha1 = \"abc\"; movie = \"x\";"), 2, "40 lower-case hex");
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; instructions = 5;"), 2, "foreign streams only");
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; untested = 1;"), 2, "true or false");
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; }, { name = \"a\"; rom = \"x\"; movie = \"y\";"), 2,
           "two games named 'a'");
}

/* If this failed, a wrong path would look like an empty experiment. */
static void test_files_that_are_not_there(void **state) {
    struct fixture *f = *state;
    struct config c;
    struct error err = {0};
    assert_int_equal(config_load(&c, f->path, &err), STATUS_IO);
    assert_non_null(strstr(err.text, f->path));
    assert_int_equal(config_load(&c, f->folder, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "folder"));
    refuse(f, "frames = 3;\n@include \"nowhere.cfg\"\n", 2, "include");
    refuse(f, "frames = 3;\n@include \".\"\n", 2, "no file");
    refuse(f, "@include \"test.cfg\"\n", 1, "include");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_grid_has_the_papers_numbers),
        cmocka_unit_test(test_shipped_files_load),
        cmocka_unit_test_setup_teardown(test_games_and_their_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_definition_hash_covers_what_decides_results, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_mistakes_are_named_with_their_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_that_are_not_there, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
