/* The syntax of --engine, and that each option has the effect that its name says. */
#include "cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/tiny_rom.h"

/* ---- the text ---- */

static struct engine_choice parsed(const char *text) {
    struct engine_choice choice = {.translator = {.hot = 77, .perf_map = true}};
    struct error e = {0};
    if (engine_parse(&choice, text, &e) != STATUS_OK)
        fail_msg("%s: %s", text, e.text);
    return choice;
}

static void expect(const char *text, enum engine_kind kind, struct dbt_options want) {
    const struct engine_choice choice = parsed(text);
    const struct dbt_options is = choice.translator;
    if (choice.kind != kind || is.cache_bytes != want.cache_bytes || is.hot != want.hot ||
        is.block_length != want.block_length || is.no_chaining != want.no_chaining ||
        is.no_return_stack != want.no_return_stack || is.no_inline_cache != want.no_inline_cache ||
        is.count_blocks != want.count_blocks || is.perf_map != want.perf_map)
        fail_msg("%s is taken for something else", text);
}

/* Broken: a user measures the translator with other options than the given ones. */
static void texts_mean_what_they_say(void **state) {
    (void)state;
    expect("auto", ENGINE_AUTO, (struct dbt_options){0});
    expect("interp", ENGINE_INTERP, (struct dbt_options){0});
    expect("dbt", ENGINE_DBT, (struct dbt_options){0});
    expect("dbt:hot=1", ENGINE_DBT, (struct dbt_options){.hot = 1});
    expect("dbt:hot=200", ENGINE_DBT, (struct dbt_options){.hot = 200});
    expect("dbt:block=24", ENGINE_DBT, (struct dbt_options){.block_length = 24});
    expect("dbt:cache=4096", ENGINE_DBT, (struct dbt_options){.cache_bytes = 4096});
    expect("dbt:cache=4K", ENGINE_DBT, (struct dbt_options){.cache_bytes = 4096});
    expect("dbt:cache=3M", ENGINE_DBT, (struct dbt_options){.cache_bytes = 3 << 20});
    expect("dbt:cache=1024M", ENGINE_DBT, (struct dbt_options){.cache_bytes = 1 << 30});
    expect("dbt:paths=9", ENGINE_DBT, (struct dbt_options){.random_paths = 9});
    expect("dbt:adapt=9", ENGINE_DBT, (struct dbt_options){.random_adapt = 9});
    expect("dbt:no-return-stack", ENGINE_DBT, (struct dbt_options){.no_return_stack = true});
    expect("dbt:no-inline-cache", ENGINE_DBT, (struct dbt_options){.no_inline_cache = true});
    expect("dbt:perf-map,count", ENGINE_DBT,
           (struct dbt_options){.perf_map = true, .count_blocks = true});
    expect("dbt:hot=1,cache=5K,block=1,no-chaining", ENGINE_DBT,
           (struct dbt_options){
               .hot = 1, .cache_bytes = 5 << 10, .block_length = 1, .no_chaining = true});
    expect("dbt:hot=3,hot=4", ENGINE_DBT, (struct dbt_options){.hot = 4});
}

static void refuse(const char *text, const char *words) {
    struct engine_choice choice = {.translator = {.hot = 77}};
    struct error e = {0};
    if (engine_parse(&choice, text, &e) != STATUS_ARGUMENT)
        fail_msg("accepted: %s", text);
    if (strstr(e.text, words) == NULL)
        fail_msg("%s: expected '%s', got '%s'", text, words, e.text);
    assert_int_equal(choice.kind, ENGINE_AUTO);
    assert_int_equal(choice.translator.hot, 77);
}

/* Broken: a misspelt option is ignored. */
static void wrong_texts_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"", "jit", "db", "dbtx", "DBT", "interpreter", "=", ",dbt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refuse(names[i], "one of interp, dbt, auto");
    static const char *const options[] = {"dbt:",       "dbt:,",        "dbt:hot=1,", "dbt:,hot=1",
                                          "dbt:=",      "dbt:=1",       "dbt:ho=1",   "dbt:hott=1",
                                          "dbt: hot=1", "dbt:chaining", "dbt:hot:1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        refuse(options[i], "has no option");
    static const char *const numbers[] = {"hot",
                                          "hot=",
                                          "hot=0",
                                          "hot=201",
                                          "hot=-1",
                                          "hot=+1",
                                          "hot= 1",
                                          "hot=1 ",
                                          "hot=1x",
                                          "hot=0x1",
                                          "hot=1K",
                                          "hot=1=1",
                                          "hot=4294967297",
                                          "hot=18446744073709551617",
                                          "block=0",
                                          "block=25",
                                          "cache=0",
                                          "cache=4095",
                                          "cache=3K",
                                          "cache=4k",
                                          "cache=4KB",
                                          "cache=K",
                                          "cache=1025M",
                                          "cache=1073741825",
                                          "cache=1073741824M",
                                          "cache=17592186044417M"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64], words[64];
        snprintf(text, sizeof text, "dbt:%s,no-chaining", numbers[i]);
        snprintf(words, sizeof words, "%.*s takes a whole number from ",
                 (int)strcspn(numbers[i], "="), numbers[i]);
        refuse(text, words);
    }
    refuse("dbt:no-chaining=1", "no-chaining takes no value");
    refuse("interp:hot=1", "interp takes no options, but 'hot=1' is given");
    refuse("auto:hot=1", "auto takes no options");
    refuse("auto:", "auto takes no options");
    /* An error lists the options in one line; the manual explains them. */
    static const char *const all[] = {"hot",         "cache",           "block",
                                      "no-chaining", "no-return-stack", "count",
                                      "perf-map",    "paths",           "adapt"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        refuse("dbt:x", all[i]);
        refuse("interp:x", all[i]);
    }
    struct error e = {0};
    struct engine_choice choice = {0};
    engine_parse(&choice, "dbt:x", &e);
    assert_true(strlen(e.text) < 150);
}

/* ---- what it does ---- */

struct outcome {
    struct dbt_statistics statistics;
    uint64_t counted, hash;
};

static void count(void *user, const struct dbt_block *block) {
    *(uint64_t *)user += block->executions;
}

/* Runs a program that has loops, calls and code in RAM. */
static struct outcome run(const char *text) {
    const struct engine_choice choice = parsed(text);
    struct outcome out = {0};
    struct cartridge *cartridge = tiny_program();
    struct nes *nes;
    struct error e = {0};
    if (engine_create(&nes, &choice, &(struct nes_options){.cartridge = cartridge}, &e) !=
        STATUS_OK)
        fail_msg("%s: %s", text, e.text);
    for (int i = 0; i < 60; i++)
        assert_int_equal(nes_run_frame(nes, NULL), STATUS_OK);
    out.hash = nes_state_hash(nes);
    if (nes_engine(nes) == dbt_engine()) {
        dbt_statistics(nes, &out.statistics);
        dbt_each_block(nes, count, &out.counted);
    }
    nes_free(nes);
    cartridge_free(cartridge);
    return out;
}

static void need_translator(void) {
    if (dbt_engine() == NULL)
        skip();
}

/* Broken: an option is accepted and has no effect. */
static void options_reach_the_translator(void **state) {
    (void)state;
    need_translator();
    const struct outcome interp = run("interp"), usual = run("dbt"), hot = run("dbt:hot=1"),
                         cold = run("dbt:hot=200"), small = run("dbt:hot=1,cache=4K"),
                         big = run("dbt:cache=3M"), shorter = run("dbt:block=1"),
                         loose = run("dbt:no-chaining"), counted = run("dbt:count"),
                         looking_up = run("dbt:no-inline-cache"),
                         jumping = run("dbt:no-return-stack"), pathed = run("dbt:hot=1,paths=3");
    assert_int_equal(interp.statistics.blocks, 0);
    assert_true(usual.statistics.blocks > 0);
    assert_true(hot.statistics.blocks >= usual.statistics.blocks);
    assert_true(hot.statistics.executed > usual.statistics.executed); /* from the start */
    assert_true(cold.statistics.blocks < usual.statistics.blocks);
    assert_int_equal(small.statistics.cache_bytes, 4096);
    assert_int_equal(big.statistics.cache_bytes, 3 << 20);
    assert_true(shorter.statistics.blocks > 0);
    assert_int_equal(shorter.statistics.instructions, shorter.statistics.blocks);
    assert_true(usual.statistics.instructions > usual.statistics.blocks);
    assert_true(loose.statistics.links < usual.statistics.links);
    /* The only jumps lead to a block's next version. */
    assert_true(loose.statistics.dispatched > 2 * usual.statistics.dispatched);
    assert_int_equal(usual.counted, 0);
    assert_true(counted.counted > 0);
    assert_true(looking_up.statistics.host_bytes < usual.statistics.host_bytes);
    assert_true(usual.statistics.return_misses > 0);
    assert_int_equal(jumping.statistics.return_misses, 0);
    assert_int_equal(hot.statistics.superblocks, 0);
    assert_true(pathed.statistics.superblocks > 0);
    assert_true(pathed.statistics.followed > 0);
    const struct outcome *const all[] = {&looking_up, &jumping, &usual, &hot,     &cold,  &small,
                                         &big,        &shorter, &loose, &counted, &pathed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(all[i]->hash, interp.hash);
        assert_true(all[i]->statistics.dispatched <= all[i]->statistics.executed);
    }
}

static void perf_map_is_written(void **state) {
    (void)state;
    need_translator();
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    unlink(path);
    run("dbt");
    assert_int_not_equal(access(path, F_OK), 0);
    run("dbt:perf-map");
    assert_int_equal(unlink(path), 0);
}

/* Broken: auto leaves the translator unused, or interp uses it. */
static void names_choose_the_engine(void **state) {
    (void)state;
    need_translator();
    assert_true(run("auto").statistics.blocks > 0);
    struct cartridge *cartridge = tiny_program();
    static const struct {
        const char *text, *name;
    } choices[] = {{"interp", "interp"}, {"dbt", "dbt"}, {"auto", "dbt"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct engine_choice choice = parsed(choices[i].text);
        struct nes *nes;
        assert_int_equal(
            engine_create(&nes, &choice, &(struct nes_options){.cartridge = cartridge}, NULL),
            STATUS_OK);
        assert_string_equal(nes_engine(nes)->name, choices[i].name);
        nes_free(nes);
    }
    cartridge_free(cartridge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_mean_what_they_say),     cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(options_reach_the_translator), cmocka_unit_test(perf_map_is_written),
        cmocka_unit_test(names_choose_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
