/*
 * play: a game, its movie and a machine, as the commands that replay open them.
 *
 * replay, sample, exact and blocks share these options and their meaning:
 *
 *     struct play_options wish = {0};
 *     struct option_spec rows[PLAY_OPTION_ROWS];
 *     const struct usage usage = {..., .more = play_option_rows(&wish, rows)};
 *     ...
 *     return play_command(operands.at[0], &wish, work, me);
 *
 * where work() attaches what it wants to see, plays, and writes what came of it:
 *
 *     enum status status = play_run(p, (struct play_hooks){.after = each_frame, .user = me}, e);
 */
#ifndef HOTGRAPH_PLAY_H
#define HOTGRAPH_PLAY_H

#include "engines.h"
#include "game.h"
#include "nes/movie.h"
#include "options.h"

struct play_options {
    const char *movie, *load_state;
    struct engine_choice engine;
    uint64_t frames;
    bool frames_given, force, no_skip, no_fast;
    /* For the commands to set: */
    bool pictures; /* compute them */
    bool silent;   /* no progress bar: something else is printed */
};

enum {
    PLAY_OPTION_ROWS = 8,
    PLAY_FRAMES_STANDARD = 18000, /* five minutes, as in Napoli 2015 */
    PLAY_FRAMES_MOST = 166000000, /* 32 days */
};

/* Fills rows with the shared options; they store into *o. Returns rows. */
const struct option_spec *play_option_rows(struct play_options *o,
                                           struct option_spec rows[PLAY_OPTION_ROWS]);

struct play {
    struct game_files files; /* movie: the one that is played, NULL without */
    struct cartridge *cartridge;
    struct movie movie; /* empty without one */
    struct nes *nes;
    uint64_t first, end; /* frames first..end-1 are to be played */
    double seconds;      /* spent in play_run() */
    bool silent;
};

/* All that a command does with a game: finds it (game.h), loads everything, builds the machine,
 * has work() play and use it, and frees it again. Prints the error when there is one; returns the
 * exit status. */
int play_command(const char *game, const struct play_options *options,
                 enum status (*work)(void *self, struct play *p, struct error *e), void *self);
/* For commands that play several games: finds the game, loads everything, builds the machine. *p is
 * to be closed after a failure, too. */
enum status play_open(struct play *p, const char *game, const struct play_options *options,
                      struct error *e);
void play_close(struct play *p);
/* What the translator has done; false when another engine runs. */
bool play_translation(const struct play *p, struct dbt_statistics *out);

/* Called before and after each frame; either may be NULL. A failure ends the replay. */
struct play_hooks {
    enum status (*before)(void *user, struct play *p, uint64_t frame, struct error *e);
    enum status (*after)(void *user, struct play *p, uint64_t frame, struct error *e);
    void *user;
};
/* Plays the frames from the machine's current one to p->end - 1. STATUS_INTERRUPTED when a signal
 * asked to stop. */
enum status play_run(struct play *p, struct play_hooks hooks, struct error *e);

#endif
