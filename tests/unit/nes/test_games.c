/*
 * The bundled games' movies, checked in RAM: each is really played, from the title through
 * several levels and lost lives to the game's end, back to the title and into a new game. If this
 * failed, the experiment would measure a title screen or a corner case.
 *
 * Where each game keeps what is in its README.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dbt/dbt.h"
#include "nes/movie.h"
#include "nes/nes.h"

struct game {
    const char *name;
    /* Addresses in RAM. The score has two bytes, low first, or as many packed decimals as said
     * here, high first. */
    uint16_t state, level, lives, score, checkpoint;
    uint16_t best; /* like the score; 0 where it is shown between games only */
    uint8_t packed_decimals;
    uint8_t title, play, over; /* values of `state` */
    uint8_t lives_at_start, lives_at_end;
    /* Requirements on the first game in the movie. */
    uint8_t levels, lives_lost;
    uint16_t points; /* in the units of the score */
};
static const struct game GAMES[] = {
    {.name = "airmail",
     .state = 0x10,
     .level = 0x12,
     .lives = 0x13,
     .score = 0x14,
     .checkpoint = 0x11,
     .title = 0,
     .play = 2,
     .over = 5,
     .lives_at_start = 3,
     .levels = 6,
     .lives_lost = 4,
     .points = 900},
    {.name = "brindle",
     .state = 0x1a,
     .level = 0x12,
     .lives = 0x13,
     .score = 0x14,
     .best = 0x16,
     .checkpoint = 0x11,
     .title = 0,
     .play = 2,
     .over = 5,
     .lives_at_start = 3,
     .levels = 6,
     .lives_lost = 5,
     .points = 2000},
    {.name = "burrow",
     .state = 0x01,
     .level = 0x02,
     .lives = 0x03,
     .score = 0x04,
     .best = 0x08,
     .checkpoint = 0x00,
     .title = 1,
     .play = 3,
     .over = 6,
     .lives_at_start = 3,
     .levels = 7,
     .lives_lost = 3,
     .points = 1000},
    {.name = "fresnel",
     .state = 0x01,
     .level = 0x02,
     .lives = 0x03,
     .score = 0x04,
     .checkpoint = 0x00,
     .title = 1,
     .play = 4,
     .over = 7,
     .lives_at_start = 3,
     .levels = 9,
     .lives_lost = 5,
     .points = 2000},
    {.name = "mazewisp",
     .state = 0x10,
     .level = 0x12,
     .lives = 0x13,
     .score = 0x14,
     .best = 0x16,
     .checkpoint = 0x11,
     .title = 1,
     .play = 3,
     .over = 6,
     .lives_at_start = 3,
     .levels = 6,
     .lives_lost = 5,
     .points = 1000},
    {.name = "rumpus",
     .state = 0x10,
     .level = 0x12,
     .lives = 0x13,
     .score = 0x14,
     .best = 0x16,
     .checkpoint = 0x11,
     .title = 0,
     .play = 2,
     .over = 6,
     .lives_at_start = 3,
     .levels = 9,
     .lives_lost = 4,
     .points = 1300},
    {.name = "starling",
     .state = 0x10,
     .level = 0x11,
     .lives = 0x12,
     .score = 0x15,
     .checkpoint = 0x14,
     .title = 0,
     .play = 2,
     .over = 4,
     .lives_at_start = 3,
     .levels = 5,
     .lives_lost = 4,
     .points = 4000},
    {.name = "umbel",
     .state = 0x10,
     .level = 0x12,
     .lives = 0x13,
     .score = 0x14,
     .packed_decimals = 3,
     .best = 0x17,
     .checkpoint = 0x11,
     .title = 1,
     .play = 3,
     .over = 6,
     .lives_at_start = 3,
     .levels = 8,
     .lives_lost = 4,
     .points = 20000},
};

/* What the movie has reached so far. */
struct story {
    const struct game *game;
    unsigned frame;
    bool in_game;
    unsigned starts, ends, titles;
    unsigned highest, lost, points; /* of the first game */
    uint8_t level, lives, checkpoint, state;
    unsigned score, steps;
};

static void wrong(const struct story *s, const char *what, unsigned was, unsigned is) {
    fail_msg("%s, frame %u: %s goes from %u to %u", s->game->name, s->frame, what, was, is);
}

static void begin(struct story *s, uint8_t level, uint8_t lives, unsigned score) {
    if (level != 1 || lives != s->game->lives_at_start || score > 20)
        fail_msg("%s, frame %u: a game begins in level %u with %u lives and score %u",
                 s->game->name, s->frame, level, lives, score);
    s->in_game = true;
    s->starts++;
}

static void end(struct story *s, uint8_t lives) {
    if (lives != s->game->lives_at_end)
        wrong(s, "the game ends, lives", s->game->lives_at_end, lives);
    s->in_game = false;
    s->ends++;
}

/* During a game, score and level never fall, and all counters change by single steps. */
static void follow(struct story *s, uint8_t level, uint8_t lives, unsigned score) {
    if (level < s->level || level > s->level + 1)
        wrong(s, "level", s->level, level);
    if (lives + 1 < s->lives || lives > s->lives + 1)
        wrong(s, "lives", s->lives, lives);
    if (score < s->score)
        wrong(s, "score", s->score, score);
    if (s->starts == 1) {
        s->highest = level > s->highest ? level : s->highest;
        s->lost += lives < s->lives;
        s->points = score;
    }
}

static unsigned score_at(const struct game *g, const uint8_t *ram, uint16_t at) {
    unsigned score = 0;
    if (!g->packed_decimals)
        return ram[at] | (unsigned)ram[at + 1] << 8;
    for (unsigned i = 0; i < g->packed_decimals; i++) {
        const unsigned tens = ram[at + i] >> 4, ones = ram[at + i] & 15;
        score = 100 * score + 10 * tens + ones;
    }
    return score;
}

static void look(struct story *s, const uint8_t *ram) {
    const struct game *g = s->game;
    const uint8_t state = ram[g->state], level = ram[g->level], lives = ram[g->lives];
    const unsigned score = score_at(g, ram, g->score);
    const uint8_t steps = (uint8_t)(ram[g->checkpoint] - s->checkpoint);
    if (steps > 2 && s->frame > 60)
        wrong(s, "checkpoint", s->checkpoint, ram[g->checkpoint]);
    s->steps += steps;
    if (s->in_game)
        follow(s, level, lives, score);
    if (s->in_game && g->best != 0 && score_at(g, ram, g->best) < score)
        wrong(s, "the best score lags behind the score, which", s->score, score);
    if (!s->in_game && state == g->play)
        begin(s, level, lives, score);
    else if (s->in_game && state == g->over)
        end(s, lives);
    s->titles += state == g->title && s->state != g->title;
    s->level = level;
    s->lives = lives;
    s->score = score;
    s->state = state;
    s->checkpoint = ram[g->checkpoint];
}

static void play(const struct game *g) {
    char rom[4096], path[4096];
    struct cartridge *cartridge;
    struct movie movie;
    struct error e = {0};
    struct nes *nes;
    snprintf(rom, sizeof rom, GAMES_FOLDER "/%s.nes", g->name);
    snprintf(path, sizeof path, MOVIES_FOLDER "/%s.fm2", g->name);
    if (cartridge_load(&cartridge, rom, &e) != STATUS_OK ||
        movie_load(&movie, path, &e) != STATUS_OK ||
        movie_matches(&movie, cartridge, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(movie_frames(&movie), 18000);
    const struct nes_options options = {.cartridge = cartridge, .engine = dbt_engine()};
    assert_int_equal(nes_create(&nes, &options, &e), STATUS_OK);
    struct story s = {.game = g, .state = 0xff};
    for (; s.frame < 18000; s.frame++) {
        if (movie_play_frame(&movie, nes, &e) != STATUS_OK)
            fail_msg("%s: %s", path, e.text);
        look(&s, nes_ram(nes));
    }
    print_message("%s: %u starts, %u ends; first game: level %u, %u lives lost, score %u; "
                  "%u steps\n",
                  g->name, s.starts, s.ends, s.highest, s.lost, s.points, s.steps);
    assert_true(s.titles >= 2 && s.starts >= 2 && s.ends >= 1);
    assert_true(s.highest >= g->levels && s.lost >= g->lives_lost && s.points >= g->points);
    assert_true(s.steps > 5000);
    nes_free(nes);
    movie_free(&movie);
    cartridge_free(cartridge);
}

static void movies_are_really_played(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof GAMES / sizeof *GAMES; i++)
        play(&GAMES[i]);
}

/* Broken: the tree has a game that no check covers. */
static void every_game_is_known(void **state) {
    (void)state;
    glob_t games;
    assert_int_equal(glob(GAMES_FOLDER "/*.nes", 0, NULL, &games), 0);
    for (size_t i = 0; i < games.gl_pathc; i++) {
        const char *const name = strrchr(games.gl_pathv[i], '/') + 1;
        bool known = false;
        for (size_t k = 0; k < sizeof GAMES / sizeof *GAMES; k++)
            known |= strncmp(GAMES[k].name, name, strcspn(name, ".")) == 0;
        if (!known)
            fail_msg("%s is not in the table of this test", name);
    }
    globfree(&games);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_game_is_known),
                                       cmocka_unit_test(movies_are_really_played)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
