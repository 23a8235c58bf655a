/*
 * Whether a game is being played or stands still. If this failed, a movie that stays in the pause
 * would be measured as if it were play.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "play/play.h"

struct table {
    struct cartridge *cartridge;
    struct nes *nes;
    struct movie movie;
    struct activity activity;
};

static void lay(struct table *t, const char *game) {
    char path[4096];
    struct error e = {0};
    *t = (struct table){0};
    snprintf(path, sizeof path, GAMES_FOLDER "/%s.nes", game);
    if (cartridge_load(&t->cartridge, path, &e) != STATUS_OK ||
        nes_create(&t->nes, &(struct nes_options){.cartridge = t->cartridge}, &e) != STATUS_OK ||
        activity_begin(&t->activity, t->cartridge, &e) != STATUS_OK)
        fail_msg("%s", e.text);
}

static void clear(struct table *t) {
    activity_end(&t->activity);
    movie_free(&t->movie);
    nes_free(t->nes);
    cartridge_free(t->cartridge);
}

static void load_movie(struct table *t, const char *game) {
    char path[4096];
    struct error e = {0};
    snprintf(path, sizeof path, MOVIES_FOLDER "/%s.fm2", game);
    if (movie_load(&t->movie, path, &e) != STATUS_OK)
        fail_msg("%s", e.text);
}

static void play(struct table *t, uint64_t frames) {
    struct error e = {0};
    while (nes_frame(t->nes) < frames)
        if (movie_play_frame(&t->movie, t->nes, &e) != STATUS_OK ||
            activity_look(&t->activity, t->nes, &e) != STATUS_OK)
            fail_msg("%s", e.text);
}

static void a_title_without_input_stands_still(void **state) {
    (void)state;
    struct table t;
    lay(&t, "rumpus");
    play(&t, ACTIVITY_EVERY * 10);
    assert_int_equal(activity_verdict(&t.activity), ACTIVITY_TOO_SHORT);
    play(&t, 1500);
    assert_int_equal(activity_verdict(&t.activity), ACTIVITY_STANDS);
    assert_int_equal(activity_still(&t.activity), 1500);
    assert_int_equal(t.activity.longest, 1500);
    assert_int_equal(t.activity.looks, 1500 / ACTIVITY_EVERY);
    assert_true(t.activity.fresh > 10); /* its guests walk about all the same */
    clear(&t);
}

static void a_bundled_movie_plays(void **state) {
    (void)state;
    struct table t;
    lay(&t, "mazewisp");
    load_movie(&t, "mazewisp");
    play(&t, 3000);
    assert_int_equal(activity_verdict(&t.activity), ACTIVITY_PLAYS);
    assert_true(t.activity.pixels > 0 && t.activity.bytes > 0);
    clear(&t);
}

/* One more Start during play: a pause that only the next Start ends. */
static void a_pause_is_a_standstill(void **state) {
    (void)state;
    struct table t;
    lay(&t, "mazewisp");
    load_movie(&t, "mazewisp");
    for (size_t i = 1201; i < t.movie.line_count; i++)
        t.movie.lines[i].pads[0] &= (uint8_t)~NES_START;
    for (size_t i = 1201; i < 1206; i++)
        t.movie.lines[i].pads[0] = NES_START;
    play(&t, 3600);
    assert_int_equal(activity_verdict(&t.activity), ACTIVITY_IN_PART);
    assert_in_range(t.activity.longest_from, 1200 - ACTIVITY_EVERY, 1200 + ACTIVITY_EVERY);
    assert_true(t.activity.longest >= 2360);
    clear(&t);
}

/* The player that knows nothing starts each game, and all it does is a function of the seed. */
static void seeded_play_goes_on(void **state) {
    (void)state;
    static const char *const games[] = {"mazewisp", "rumpus", "umbel"};
    for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
        struct movie_line *lines[2];
        struct table t[2];
        struct error e = {0};
        for (unsigned i = 0; i < 2; i++) {
            lay(&t[i], games[g]);
            lines[i] = calloc(3000, sizeof *lines[i]);
            assert_non_null(lines[i]);
            t[i].movie.lines = lines[i];
            t[i].movie.line_count = 3000;
            if (activity_play(&t[i].activity, &t[i].movie, t[i].nes, 7, &e) != STATUS_OK)
                fail_msg("%s", e.text);
            if (activity_verdict(&t[i].activity) != ACTIVITY_PLAYS)
                fail_msg("%s: %s", games[g], activity_word(activity_verdict(&t[i].activity)));
        }
        assert_memory_equal(lines[0], lines[1], 3000 * sizeof *lines[0]);
        clear(&t[0]);
        clear(&t[1]);
    }
}

/* Once a minute Start is pressed whatever the game does, for titles that move: in a game that is
 * being played that makes a pause, and the next Start ends it. */
static void it_leaves_its_own_pause(void **state) {
    (void)state;
    struct table t;
    struct error e = {0};
    lay(&t, "mazewisp");
    t.movie.line_count = 4500;
    t.movie.lines = calloc(t.movie.line_count, sizeof *t.movie.lines);
    assert_non_null(t.movie.lines);
    if (activity_play(&t.activity, &t.movie, t.nes, 2, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    unsigned starts = 0, late = 0;
    for (size_t i = 1; i < t.movie.line_count; i++)
        if (t.movie.lines[i].pads[0] == NES_START && t.movie.lines[i - 1].pads[0] != NES_START) {
            starts++;
            late += i > 3600;
        }
    assert_true(starts >= 3 && late >= 2);
    assert_true(t.activity.longest < 720);
    assert_int_equal(activity_verdict(&t.activity), ACTIVITY_PLAYS);
    clear(&t);
}

/* Looking runs ahead on other machines; this one must not notice. */
static void looking_changes_nothing(void **state) {
    (void)state;
    struct table seen, alone;
    struct error e = {0};
    lay(&seen, "airmail");
    lay(&alone, "airmail");
    load_movie(&seen, "airmail");
    load_movie(&alone, "airmail");
    play(&seen, 600);
    while (nes_frame(alone.nes) < 600)
        assert_int_equal(movie_play_frame(&alone.movie, alone.nes, &e), STATUS_OK);
    assert_int_equal(nes_state_hash(seen.nes), nes_state_hash(alone.nes));
    clear(&seen);
    clear(&alone);
}

/* Input without the game: a reset each minute, Start after it, nothing before the title. */
static void blind_input_starts_over(void **state) {
    (void)state;
    struct movie m = {0};
    struct error e = {0};
    assert_int_equal(fingers_fill(&m, 18000, 42, &e), STATUS_OK);
    assert_int_equal(movie_frames(&m), 18000);
    assert_int_equal(m.reset_count, 4);
    unsigned rounds = 0;
    for (uint64_t frame = 0; frame < 18000; frame++) {
        const struct movie_line line = movie_line_at(&m, frame);
        const uint64_t since = frame % 3600;
        assert_int_equal(line.command, since == 0 && frame > 0 ? MOVIE_SOFT_RESET : 0);
        if (since < 330)
            assert_int_equal(line.pads[0], 0);
        const uint8_t before = frame > 0 ? movie_line_at(&m, frame - 1).pads[0] : 0;
        rounds += since < 450 && line.pads[0] == NES_START && before != NES_START;
        if (since > 450 && since < 1900)
            assert_int_equal(line.pads[0] & NES_START, 0);
    }
    assert_int_equal(rounds, 1 + 2 + 1 + 2 + 1);
    movie_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_title_without_input_stands_still),
        cmocka_unit_test(a_bundled_movie_plays),
        cmocka_unit_test(a_pause_is_a_standstill),
        cmocka_unit_test(seeded_play_goes_on),
        cmocka_unit_test(it_leaves_its_own_pause),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(blind_input_starts_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
