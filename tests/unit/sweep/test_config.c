/* config: files that mean what they say, and errors that lead to the line. */
#include "config/config.h"

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

#define GAME(rest) "games = (\n{ name = \"a\"; " rest " });"

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
    assert_int_equal(c.samplings.at[0].options.interval_us, 3000);
    assert_int_equal(c.samplings.at[0].options.batch_length, 25);
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
    static const char *const names[] = {"paper.cfg",      "quick.cfg",    "golden.cfg", "games.cfg",
                                        "clock.cfg",      "sampling.cfg", "jitter.cfg", "wide.cfg",
                                        "replicates.cfg", "lbr.cfg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct config c;
        load_own(&c, names[i]);
        assert_non_null(config_find_game(&c, "umbel"));
        assert_null(config_find_game(&c, "umbe"));
        assert_memory_equal(c.name, names[i], strlen(names[i]) - strlen(".cfg"));
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
    snprintf(expected, sizeof expected, "%s/two.isampling.gz", f->folder);
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
                       "by = \"time\"; weighting = \"none\"; interval_ms = 3.0; seed = 9; };\nname "
                       "= \"b\"; frames = 5;";
    const char *others[] = {
        "sampling = { batch = 26; }; grid = { bin_size = [8, 10]; };",
        "sampling = { interval_ms = 3.001; }; grid = { bin_size = [8, 10]; };",
        "sampling = { jitter_ms = 1; }; grid = { bin_size = [8, 10]; };",
        "sampling = { jitter_ms = 1; seed = 9; }; grid = { bin_size = [8, 10]; };",
        "sampling = { phase_cycles = 1; }; grid = { bin_size = [8, 10]; };",
        "sampling = { weighting = \"cycles\"; }; grid = { bin_size = [8, 10]; };",
        "sampling = { by = \"instructions\"; every = 9; }; grid = { bin_size = [8, 10]; };",
        "sampling = { by = \"instructions\"; every = 8; }; grid = { bin_size = [8, 10]; };",
        "sampling = { by = \"instructions\"; every = 8; seed = 2; }; grid = { bin_size = [8, 10]; "
        "};",
        "sampling = { by = \"instructions\"; every = 8; place = \"stratified\"; };"
        "grid = { bin_size = [8, 10]; };",
        "grid = { bin_size = [10, 8]; };",
        "grid = { bin_size = [8, 10]; builder = 1; };",
        "grid = { bin_size = [8, 10]; }; convergence = { batches = [5]; };",
        "grid = { bin_size = [8, 10]; }; windows = { seconds = [5]; };",
        "grid = { bin_size = [8, 10]; }; paths = true; games = ({ name = \"a\"; rom = \"x\"; movie "
        "= "
        "\"y\"; });",
    };
    struct config c;
    char hash[33];
    load(f, &c, base);
    memcpy(hash, c.definition_hash, sizeof hash);
    config_free(&c);
    load(f, &c, same);
    assert_string_equal(c.definition_hash, hash);
    config_free(&c);
    char hashes[sizeof others / sizeof *others][33];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        load(f, &c, others[i]);
        assert_string_not_equal(c.definition_hash, hash);
        memcpy(hashes[i], c.definition_hash, sizeof *hashes);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hashes[k], hashes[i]);
        config_free(&c);
    }
}

static void expect_sampling(struct fixture *f, const char *sampling, const char *key) {
    struct config c;
    char text[400], found[200];
    snprintf(text, sizeof text, "sampling = { %s };", sampling);
    load(f, &c, text);
    config_sampling_key(&c.samplings.at[0].options, found, sizeof found);
    assert_string_equal(found, key);
    config_free(&c);
}

/* If this failed, other samples would be taken than the file asks for, or streams that are in
 * databases would not be found there any more. */
static void test_ways_of_sampling(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *sampling, *key;
    } cases[] = {
        {"", "time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0"},
        {"by = \"time\"; seed = 5;", "time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0"},
        {"jitter_ms = 1; seed = 5;",
         "time interval_us=3000 batch=25 jitter_us=1000 seed=5 phase_cycles=0"},
        {"weighting = \"cycles\";",
         "time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0 weighting=cycles"},
        {"by = \"instructions\"; every = 5000; batch = 1;",
         "instructions every=5000 batch=1 place=regular seed=1"},
        {"by = \"transfers\"; every = 300; place = \"stratified\"; seed = 8;",
         "transfers every=300 place=stratified seed=8"},
        {"by = \"active\"; every = 281474976710656; place = \"golden\";",
         "active every=281474976710656 place=golden seed=1"},
        {"by = \"clock\";", "clock interval_us=3000 next=1 seed=1"},
        {"by = \"clock\"; interval_ms = 4.7; next = 4; seed = 9;",
         "clock interval_us=4700 next=4 seed=9"},
        {"by = \"clock\"; window = 16;", "clock interval_us=3000 window=16 seed=1"},
        {"by = \"lbr\"; seed = 3;",
         "lbr interval_us=3000 stack=16 skip=0 jitter_us=0 phase_cycles=0"},
        {"by = \"lbr\"; interval_ms = 30; stack = 32; skip = 2; jitter_ms = 1; seed = 3; "
         "phase_cycles = 9;",
         "lbr interval_us=30000 stack=32 skip=2 jitter_us=1000 seed=3 phase_cycles=9"},
        {"by = \"lbr_taken\"; every = 700;",
         "lbr_taken every=700 stack=16 skip=0 place=regular seed=1"},
        {"by = \"lbr_taken\"; every = 700; stack = 2; place = \"stratified\"; seed = 4;",
         "lbr_taken every=700 stack=2 skip=0 place=stratified seed=4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_sampling(f, cases[i].sampling, cases[i].key);
    struct config c;
    load(f, &c, "sampling = { by = \"active\"; every = 300; place = \"golden\"; seed = 4; };");
    assert_int_equal(c.samplings.at[0].options.by, SAMPLER_ACTIVE);
    assert_int_equal(c.samplings.at[0].options.place, SAMPLER_GOLDEN);
    assert_int_equal(c.samplings.at[0].options.every, 300);
    assert_int_equal(c.samplings.at[0].options.seed, 4);
    assert_true(config_needs_structure(&c));
    config_free(&c);
    load(f, &c, "sampling = { by = \"transfers\"; every = 300; };");
    assert_false(config_needs_structure(&c));
    config_free(&c);
}

static void test_wrong_sampling(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *sampling, *words;
    } cases[] = {
        {"by = \"chance\";", "by must be one of \"time\", \"instructions\""},
        {"by = 3;", "by must be one of"},
        {"weighting = \"weight\";", "weighting must be one of \"none\", \"cycles\""},
        {"every = 5;", "every means nothing in sampling by time"},
        {"place = \"golden\";", "place means nothing in sampling by time"},
        {"by = \"transfers\"; every = 5; place =\n \"fixed\";", "place must be one of"},
        {"by = \"instructions\"; every = 5; place = \"golden\";", "golden positions are only for"},
        {"by = \"instructions\"; every = 0;", "every is 0"},
        {"by = \"instructions\"; every = 281474976710657;", "every is 281474976710657"},
        {"next = 2;", "next means nothing in sampling by time"},
        {"by = \"active\"; every = 5; window = 9;", "window means nothing in sampling by active"},
        {"by = \"clock\"; every = 5;", "every means nothing in sampling by clock"},
        {"by = \"clock\"; place = \"calls\";", "place means nothing in sampling by clock"},
        {"by = \"clock\"; jitter_ms = 1;", "jitter_ms means nothing in sampling by clock"},
        {"by = \"clock\"; window = 9; next = 2;", "next cannot limit them"},
        {"by = \"clock\"; interval_ms = 0.1;", "at least 200 us apart"},
        {"by = \"clock\"; skip = 1;", "skip means nothing in sampling by clock"},
        {"stack = 8;", "stack means nothing in sampling by time"},
        {"by = \"lbr\"; every = 5;", "every means nothing in sampling by lbr"},
        {"by = \"lbr\"; batch = 5;", "batch means nothing in sampling by lbr"},
        {"by = \"lbr\"; next = 5;", "next means nothing in sampling by lbr"},
        {"by = \"lbr\"; stack = 1;", "stack is 1"},
        {"by = \"lbr\"; stack = 4; skip = 3;", "at least 2 of 4 entries"},
        {"by = \"lbr_taken\"; every = 5; phase_cycles = 2;", "phase_cycles means nothing"},
        {"by = \"lbr_taken\"; per_million = 5;", "per_million means nothing"},
        {"by = \"lbr_taken\"; every = 5; place = \"calls\";", "golden positions are only for"},
        {"by = \"active\"; every = 5; batch = 2;", "batch means nothing in sampling by active"},
        {"by = \"active\"; every = 5; interval_ms = 2;", "interval_ms means nothing"},
        {"by = \"active\"; every = 5; jitter_ms = 2;", "jitter_ms means nothing"},
        {"by = \"active\"; every = 5; phase_cycles = 2;", "phase_cycles means nothing"},
        {"by = \"active\"; every = 5; weighting = \"cycles\";", "weighting means nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "sampling = {\n %s };", cases[i].sampling);
        refuse(f, text, 2, cases[i].words);
    }
    refuse(f, "\nsampling = { by = \"transfers\"; };", 2, "needs every = N, or per_million = N");
    refuse(f, "\nsampling = { by = \"transfers\"; every = 5; per_million = 5; };", 2,
           "needs every = N, or per_million = N");
    refuse(f, "\nsampling = { by = \"lbr_taken\"; };", 2, "needs every = N");
    refuse(f, "\nsampling = { per_million = 5; };", 2, "means nothing in sampling by time");
    refuse(f, "\nsampling = { by = \"active\"; per_million = 1000001; };", 2, "1000000");
    refuse(f, "sampling = { by = \"transfers\"; every = 9; };\ngrid = { window_size = 3; };", 2,
           "larger than a batch of 2");
}

/* If this failed, 2 would have to be written for "poisson". */
static void test_values_with_names(void **state) {
    struct fixture *f = *state;
    struct config c;
    load(f, &c,
         "grid = { technique = \"flow\"; costs = [\"poisson\", \"profi\"]; join = [0, 1]; };\n"
         "convergence = { configurations = ({ technique = \"flow\"; label = \"x\"; "
         "costs = \"profi\"; join = 1; }); };");
    assert_int_equal(c.points.len, 5);
    assert_int_equal(value_of(&c.points.at[0], "costs"), 2);
    assert_int_equal(value_of(&c.points.at[3], "costs"), 1);
    assert_string_equal(c.points.at[3].label, "x");
    assert_non_null(strstr(c.points.at[3].key, "flow costs=profi solver=simplex limit=0 "));
    assert_string_equal(config_word(&c.points.at[3], 0), "profi");
    assert_null(config_word(&c.points.at[3], 2));
    assert_true(config_needs_structure(&c));
    config_free(&c);
    refuse(f, "grid = { technique = \"flow\";\n costs = [\"poison\"]; };", 2,
           "costs must be one of \"gcc\", \"profi\", \"poisson\"");
    refuse(f, "grid = { technique = \"flow\";\n costs = 2; };", 2, "costs must be one of");
    refuse(f, "grid = { technique = \"flow\";\n costs = [\"gcc\", \"gcc\"]; };", 2, "twice");
    refuse(f,
           "grid = { technique = \"flow\"; };\n"
           "games = (\n{ name = \"a\"; stream = \"s\"; graph = \"g\"; });",
           3,
           "flow needs the program's structure, which is only known of games and "
           "programs that are run here; 'a' has none");
}

/* If this failed, techniques could be compared in as many experiments only. */
static void test_several_grids(void **state) {
    struct fixture *f = *state;
    struct config c;
    load(f, &c,
         "grid = ({ technique = \"flow\"; costs = [\"profi\", \"gcc\"]; },\n"
         "{ bin_size = [8, 10]; builder = 1; }, { bin_size = 8; });");
    static const char *const keys[] = {"flow costs=profi ",    "flow costs=gcc ",
                                       "gaussian bin_size=8 ", "gaussian bin_size=10 ",
                                       "gaussian bin_size=8 ", "observed"};
    assert_int_equal(c.points.len, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(strncmp(c.points.at[i].key, keys[i], strlen(keys[i])), 0);
        assert_int_equal(c.points.at[i].number, i < 5 ? i : -1);
    }
    config_free(&c);
    refuse(f, "grid = ({ bin_size = 8; },\n{ bin_size = [7, 8]; });", 2,
           "an earlier grid has a configuration of this one, 'gaussian bin_size=8 ");
    refuse(f, "grid = ({ bin_size = 8; },\n 7);", 2, "a group in braces");
    refuse(f, "grid = ({ bin_size = 8; },\n{ technique = \"observed\"; });", 2, "the baseline");
}

/* If this failed, programs would be sampled in another way than their configuration says. */
static void test_programs_sampled(void **state) {
    struct fixture *f = *state;
    struct config c;
    char text[BUDGET_KEY];
    load(f, &c,
         "programs = ({ name = \"a\"; command = (\"/a\"); },\n"
         "{ name = \"b\"; command = (\"/b\"); by = \"lbr_taken\"; every = 40; });\n"
         "budgets = ({ every = 90; batch = 9; }, { transfers = true; every = 7; },\n"
         "{ by = \"lbr\"; every = 50; stack = 32; }, { by = \"lbr_taken\"; every = 50; seed = 0; "
         "});");
    static const struct {
        const char *key, *name;
        enum stream_of of;
    } expected[] = {
        {"instructions every=90 batch=9", "every=90 batch=9", STREAM_OF_BATCHES},
        {"transfers every=7 seed=1", "transfers every=7 seed=1", STREAM_OF_TRANSFERS},
        {"lbr every=50 stack=32", "lbr every=50 stack=32", STREAM_OF_BRANCHES},
        {"lbr_taken every=50 stack=16 seed=0", "lbr_taken every=50 stack=16 seed=0",
         STREAM_OF_BRANCHES},
    };
    assert_int_equal(c.budgets.len, 4);
    for (size_t i = 0; i < 4; i++) {
        config_budget_key(&c.budgets.at[i], text, sizeof text);
        assert_string_equal(text, expected[i].key);
        config_budget_name(&c.budgets.at[i], text, sizeof text);
        assert_string_equal(text, expected[i].name);
        assert_int_equal(config_budget_of(&c.budgets.at[i]), expected[i].of);
    }
    config_budget_key(&c.games.at[0].program->own, text, sizeof text);
    assert_string_equal(text, "instructions every=1667 batch=25");
    config_budget_key(&c.games.at[1].program->own, text, sizeof text);
    assert_string_equal(text, "lbr_taken every=40 stack=16 seed=1");
    config_free(&c);
    refuse(f, "budgets = ({ by = \"lbr\";\n every = 9; seed = 2; });", 2, "nothing is random");
    refuse(f, "budgets = (\n{ by = \"lbr\"; every = 9; batch = 2; });", 2, "have no batch");
    refuse(f, "budgets = (\n{ every = 9; batch = 2; stack = 4; });", 2, "stack belongs to");
    refuse(f, "budgets = (\n{ by = \"lbr\"; transfers = true; every = 9; });", 2, "is not by =");
    refuse(f, "budgets = ({ every = 9;\n by = \"clock\"; });", 2, "by must be one of");
    refuse(f, "budgets = ({ every = 9; by = \"lbr\";\n stack = 65; });", 2, "from 2 to 64");
}

/* If this failed, a number with eleven digits would be another one, or refused. */
static void test_large_numbers(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *written;
        int64_t value;
    } numbers[] = {
        {"5000000000", 5000000000},         {"5000000000L", 5000000000},
        {"2147483647", 2147483647},         {"2147483648", 2147483648},
        {"4294967296", 4294967296},         {"+4294967297", 4294967297},
        {"0x100000000", 4294967296},        {"0xFFFFFFFF", 4294967295},
        {"9223372036854775807", INT64_MAX}, {"0x10", 16},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[200];
        struct config c;
        snprintf(text, sizeof text,
                 "games = ({ name = \"a-5000000000\"; title = \"6000000000\"; stream = \"x\"; "
                 "graph = \"y\"; instructions = %s; });",
                 numbers[i].written);
        load(f, &c, text);
        assert_true(c.games.at[0].instructions == numbers[i].value);
        assert_string_equal(c.games.at[0].name, "a-5000000000");
        assert_string_equal(c.games.at[0].title, "6000000000");
        config_free(&c);
    }
    refuse(f, "\nframes = 5000000000;", 2, "frames is 5000000000, but must be from 1");
    refuse(f, "\nframes = -5000000000;", 2, "frames is -5000000000, but must be from 1");
    refuse(f, "\nframes = 99999999999999999999;", 2, "too large");
    refuse(f, "\nframes = 0xFFFFFFFFFFFFFFFFF;", 2, "too large");
    refuse(f, "\nframes = 5000000000.0;", 2, "whole number");
    refuse(f, "grid = {\n bin_size = [4294967304]; };", 2, "bin_size is 4294967304");
    refuse(f, "sampling = {\n batch = 65537; };", 2, "must be from 1 to 65536");
}

/* If this failed, a file would include another one than it says, or one that is commented out. */
static void test_includes(void **state) {
    struct fixture *f = *state;
    char path[128], expected[160];
    snprintf(path, sizeof path, "%s/sub", f->folder);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/sub/deeper", f->folder);
    assert_int_equal(mkdir(path, 0755), 0);
    /* Each file stands in its own folder, and names the next from there; the last lacks a newline.
     */
    snprintf(path, sizeof path, "%s/sub/one.cfg", f->folder);
    write_file(path, "# one\n@include \"deeper/two.cfg\" grid = { bin_size = 8; };\n");
    snprintf(path, sizeof path, "%s/sub/deeper/two.cfg", f->folder);
    write_file(path, "@include \"../three.cfg\"\nframes = 11;");
    snprintf(path, sizeof path, "%s/sub/three.cfg", f->folder);
    write_file(path, "roms = \"here\";");
    const char *text = "/* not this:\n@include \"nowhere.cfg\"\n*/\n"
                       "# @include \"nowhere.cfg\"\n// @include \"nowhere.cfg\"\n"
                       " \t@include \"sub/one.cfg\"\n";
    struct config c;
    load(f, &c, text);
    assert_int_equal(c.frames, 11);
    assert_int_equal(c.points.len, 2);
    snprintf(expected, sizeof expected, "%s/sub/here", f->folder);
    assert_string_equal(c.roms, expected);
    assert_int_equal(c.files.len, 4);
    assert_string_equal(c.files.at[0].path, f->path);
    assert_string_equal(c.files.at[0].text, text);
    assert_string_equal(c.files.at[3].text, "roms = \"here\";");
    assert_string_not_equal(c.files.at[0].hash, c.files.at[3].hash);
    config_free(&c);

    /* An error in the middle leads to its own file and line, one behind it to the includer's. */
    snprintf(path, sizeof path, "%s/sub/deeper/two.cfg", f->folder);
    write_file(path, "\n\nfarmes = 11;\n");
    struct error e = {0};
    assert_int_equal(config_load(&c, f->path, &e), STATUS_FORMAT);
    snprintf(expected, sizeof expected, "%s/sub/deeper/two.cfg:3: unknown key 'farmes'", f->folder);
    assert_memory_equal(e.text, expected, strlen(expected));
    write_file(path, "\n\nframes = = 11;\n");
    assert_int_equal(config_load(&c, f->path, &e), STATUS_FORMAT);
    snprintf(expected, sizeof expected, "%s/sub/deeper/two.cfg:3: syntax error", f->folder);
    assert_memory_equal(e.text, expected, strlen(expected));
    write_file(path, "frames = 3;\n/* open\n");
    assert_int_equal(config_load(&c, f->path, &e), STATUS_FORMAT);
    snprintf(expected, sizeof expected, "%s/sub/deeper/two.cfg:2: syntax error", f->folder);
    assert_memory_equal(e.text, expected, strlen(expected));
    write_file(path, "frames = 3;");
    refuse(f, "name = \"@include \\\"a\\\" # /* //\n@include\";\n", 1,
           "the name '@include \"a\" # /* //\n@include'");
    refuse(f, "@include \"sub/one.cfg\"\nframes = 4;\n", 2, "duplicate");
    refuse(f, "frames = 3;\n@include sub\n", 2, "in quotes");
    refuse(f, "frames = 3;\nname = \"a", 2, "not closed");
}

/* If this failed, SQLite would speak to users, long after the file was read. */
static void test_what_the_database_would_refuse(void **state) {
    struct fixture *f = *state;
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; paper_game = \"Zelda\";"), 2,
           "the paper has no game 'Zelda', only 1942, Balloon Fight");
    refuse(f, "\ngrid = { technique = \"observed\"; };", 2, "the grid has the baseline");
    struct config c;
    load(f, &c, GAME("rom = \"x\"; movie = \"y\"; paper_game = \"Super Mario Bros\";"));
    assert_string_equal(c.games.at[0].paper_game, "Super Mario Bros");
    config_free(&c);
}

/* A grid of values 1 to `values` on four axes. */
static void write_grid(char *text, size_t size, int values) {
    static const char *const axes[] = {"bin_size", "stdev_threshold", "window_size",
                                       "recurrent_threshold"};
    snprintf(text, size, "grid = {\n");
    for (int a = 0; a < 4; a++) {
        snprintf(text + strlen(text), size - strlen(text), "%s = [", axes[a]);
        for (int i = 1; i <= values; i++)
            snprintf(text + strlen(text), size - strlen(text), "%s%d", i > 1 ? ", " : "", i);
        snprintf(text + strlen(text), size - strlen(text), "];\n");
    }
    snprintf(text + strlen(text), size - strlen(text), "};\n");
}

/* If this failed, a slip of a finger could ask for more configurations than any table can hold. */
static void test_limit_of_configurations(void **state) {
    struct fixture *f = *state;
    char text[4000];
    struct config c;
    write_grid(text, sizeof text, 10);
    load(f, &c, text);
    assert_int_equal(c.points.len, 10001);
    config_free(&c);
    write_grid(text, sizeof text, 18);
    refuse(f, text, 1, "more than 100000 configurations");
    refuse(
        f,
        "sampling = { phase_cycles = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];"
        " batch = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]; interval_ms = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]; "
        "};",
        1, "more than 1000 samplings");
}

static void expect_points(struct fixture *f, const char *grid, const char *const *keys) {
    struct config c;
    load(f, &c, grid);
    for (size_t i = 0; i + 1 < c.points.len; i++) { /* the last is the baseline */
        assert_non_null(keys[i]);
        assert_string_equal(c.points.at[i].key, keys[i]);
        assert_int_equal(c.points.at[i].number, (int)i);
    }
    assert_null(keys[c.points.len - 1]);
    config_free(&c);
}

/* If this failed, a study would compute configurations that its file does not name, or number them
 * differently. */
static void test_zips_and_exclusions(void **state) {
    struct fixture *f = *state;
#define POINT(bin, stdev, window)                                                                  \
    "gaussian bin_size=" #bin " stdev_threshold=" #stdev " window_size=" #window                   \
    " recurrent_threshold=5 builder=0"
#define REST "recurrent_threshold = 5; builder = 0; };"
    expect_points(f,
                  "grid = { bin_size = [8, 10]; zip = { window_size = [6, 6, 13]; stdev_threshold ="
                  " [1, 2, 3]; }; exclude = ( { bin_size = 8; stdev_threshold = [2, 3]; } ); " REST,
                  (const char *const[]){POINT(8, 1, 6), POINT(10, 1, 6), POINT(10, 2, 6),
                                        POINT(10, 3, 13), NULL});
    /* A zip stands in the order of the keys, and there may be several of either kind. */
    expect_points(f,
                  "grid = { zip = ( { bin_size = [8, 9]; window_size = [6, 7]; } ); stdev_threshold"
                  " = [1, 2]; exclude = ( { window_size = 6; stdev_threshold = 1; }, { bin_size = "
                  "9; stdev_threshold = 2; } ); " REST,
                  (const char *const[]){POINT(8, 2, 6), POINT(9, 1, 7), NULL});
    static const struct {
        const char *grid, *words;
    } wrong[] = {
        {"zip = { bin_size = [8, 9]; window_size = 6; };", "as many values as the first, 2, not 1"},
        {"bin_size = 8; zip = { bin_size = [8, 9]; };", "bin_size is here twice"},
        {"zip = 3;", "zip must be a group in braces"},
        {"exclude = ( { } );", "exclude must be a group in braces"},
        {"exclude = { colour = 3; };", "has no parameter 'colour'"},
        {"bin_size = [8, 9]; exclude = { bin_size = 10; };", "this leaves nothing out"},
        {"zip = { bin_size = [8, 8]; window_size = [6, 6]; };", "twice"},
        {"bin_size = [8, 8];", "bin_size has the value 8 twice"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[300];
        snprintf(text, sizeof text, "grid = { %s };", wrong[i].grid);
        refuse(f, text, 1, wrong[i].words);
    }
}

/* If this failed, streams of one game could not be told apart, or would change their names when one
 * more is asked for. */
static void test_several_samplings(void **state) {
    struct fixture *f = *state;
    struct config c;
    load(f, &c,
         "sampling = ( { interval_ms = (3, 0.3); zip = { batch = [25, 10]; phase_cycles = [0, 7]; }"
         " ; }, { by = \"transfers\"; every = 305; } ); hot_permille = [900, 950];");
    static const char *const variants[] = {"", "batch=10 phase_cycles=7", "interval_ms=0.3",
                                           "interval_ms=0.3 batch=10 phase_cycles=7",
                                           "by=transfers every=305 place=regular seed=1"};
    assert_int_equal(c.samplings.len, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(c.samplings.at[i].variant, variants[i]);
    assert_int_equal(c.samplings.at[3].options.interval_us, 300);
    assert_int_equal(c.samplings.at[3].options.batch_length, 10);
    assert_int_equal(c.hot.len, 2);
    assert_int_equal(c.hot.at[1], 950);
    char hash[33];
    memcpy(hash, c.definition_hash, sizeof hash);
    config_free(&c);
    load(f, &c, "sampling = { interval_ms = 3; }; hot_permille = 900;");
    assert_int_equal(c.samplings.len, 1);
    assert_string_not_equal(c.definition_hash, hash);
    memcpy(hash, c.definition_hash, sizeof hash);
    config_free(&c);
    load(f, &c, "frames = 9;"); /* what is usual needs not be said */
    assert_string_equal(c.definition_hash, hash);
    config_free(&c);
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"sampling = ( { interval_ms = 3; }, { batch = 25; } );",
         "the same sampling is here twice"},
        {"sampling = ();", "all of it is left out"},
        {"sampling = { colour = 3; };", "unknown key 'colour'"},
        {"sampling = { interval_ms = (1, 0.0001); };", "whole number of microseconds"},
        {"hot_permille = [900, 900];", "hot_permille has the value 900 twice"},
        {"hot_permille = [];", "hot_permille has no values"},
        {"hot_permille = 1001;", "must be from 1 to 1000"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(f, wrong[i].text, 1, wrong[i].words);
}

static void test_movies_and_consoles(void **state) {
    struct fixture *f = *state;
    struct config c;
    char expected[500];
    load(f, &c, GAME("rom = \"x\"; movie = [\"a.fm2\", \"b.fm2\", \"c.fm2\"];"));
    snprintf(expected, sizeof expected, "%s/b.fm2", f->folder);
    assert_string_equal(c.games.at[0].further[0], expected);
    assert_null(c.games.at[0].further[2]);
    assert_string_equal(strrchr(c.games.at[0].movie, '/'), "/a.fm2");
    config_free(&c);
    load(f, &c, GAME("rom = \"x\"; movie = \"y\"; console = \"alignment=9\";"));
    assert_int_equal(c.games.at[0].console.alignment, 9);
    assert_false(c.games.at[0].console.no_warmup);
    config_free(&c);
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; console = 3;"), 2, "console must be a text");
    refuse(f, GAME("rom = \"x\"; movie = \"y\"; console = \"alignment=341\";"), 2, "console ");
    refuse(f, GAME("stream = \"x\"; graph = \"y\"; console = \"alignment=9\";"), 2,
           "only games that are played have a console");
    refuse(f, GAME("rom = \"x\"; movie = [];"), 2, "movie has no values");
    refuse(f, GAME("rom = \"x\"; movie = (\"a\", 3);"), 2, "movie must be a text in quotes");
}

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
    refuse(f, "grid = { window_size = [6, 0]; };", 1, "window_size is 0, but must be from 1");
    refuse(f, "sampling = { batch = 10; };\ngrid = { window_size = 13; };", 2,
           "larger than a batch");
    refuse(f, "convergence = {\n batches = [10, 10]; };", 2, "must rise");
    refuse(f,
           "convergence = { configurations = (\n{ label = \"x\"; bin_size = 999; }); };\n"
           "grid = { bin_size = 8; };",
           2, "not one of the grid's");
    refuse(f, "convergence = { configurations = (\n{ bin_size = 8; }); };", 2, "label");
    refuse(f, "windows = {\n seconds = []; };", 2, "seconds = [1, 5, 30]");
    refuse(f, "windows = {};", 1, "seconds = [1, 5, 30]");
    refuse(f, "windows = {\n seconds = 5; };", 2, "seconds = [1, 5, 30]");
    refuse(f, "windows = {\n seconds = [0]; };", 2, "from 1 to");
    refuse(f, "windows = {\n seconds = [5, 5]; };", 2, "must rise");
    refuse(f, "windows = {\n seconds = [2, 5]; };", 2, "make it a multiple");
    refuse(f, "windows = {\n minutes = [1]; };", 2, "unknown key 'minutes'");
    refuse(
        f,
        "windows = {\n seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]; };",
        2, "more than 16");
    refuse(f, "windows = {\n instructions = [999]; };", 2, "from 1000 to");
    refuse(f, "windows = {\n instructions = [2000, 3000]; };", 2, "make it a multiple");
    refuse(f, "windows = {\n instructions = [3000, 3000]; };", 2, "must rise");
    refuse(f, "windows = { seconds = [1000, 2000];\n instructions = [2000]; };", 2,
           "the same number as one in seconds");
    refuse(f, "\npaths = true;", 2, "there is neither");
    refuse(f, "\npaths = 1;", 2, "true or false");
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
    refuse(f, "frames = 3;\n@include \".\"\n", 2, "not a file");
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
        cmocka_unit_test_setup_teardown(test_large_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ways_of_sampling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_sampling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values_with_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_programs_sampled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_grids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_includes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_the_database_would_refuse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_of_configurations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zips_and_exclusions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_samplings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_movies_and_consoles, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
