/*
 * play: games as commands open and play them, and what can be taken from a replay that is no
 * profile: pictures, traces, RAM at checkpoints, and movies made by seeded players.
 *
 *  - game: what GAME or ROM on a command line stands for
 *  - play: a game, its movie and a machine
 *  - pictures: frames as PNG files
 *  - trace: every executed instruction
 *  - checkpoints: RAM at a game's own steps
 *  - fingers: seeded input for any game
 *  - activity: whether a game is played, or stands still
 *  - players: those that know a game, each a file in players/
 */
#ifndef HOTGRAPH_PLAY_H
#define HOTGRAPH_PLAY_H

#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "cli/cli.h"
#include "nes/movie.h"
#include "nes/nes.h"
#include "play/player.h"

/* game: what GAME or ROM on a command line stands for. */

/* For manuals. */
#define GAME_OPERAND "GAME|ROM"
#define GAME_DETAILS                                                                               \
    "GAME is a name from configs/games.cfg (in the current folder or as installed) or from\n"      \
    "the file that $HOTGRAPH_GAMES names. ROM is the path of a .nes file. "

struct game_files {
    char *rom;                  /* path */
    char *movie;                /* path; NULL for a ROM given by its path */
    struct nes_console console; /* that the game is played on */
};

/* A word of lower-case letters, digits and dashes is a game's name, unless there is a file of that
 * name; everything else is a ROM's path. The caller frees with game_files_free(). */
enum status game_find(struct game_files *out, const char *word, struct error *e);
void game_files_free(struct game_files *f);
/* 0 where none of a command's outputs is the ROM or the movie of that game; else the exit status,
 * and it has been said. */
struct usage;
int game_spared(const struct usage *u, const char *word);

/*
 * play: a game, its movie and a machine, as the commands that replay open them.
 *
 * They share these options and their meaning:
 *
 *     struct play_options wish = {0};
 *     const struct option_spec options[] = {...its own...};
 *     const struct play_usage usage = {.command = "exact", ..., .options = options};
 *     int exit_status;
 *     const char *game = play_parse(&usage, &wish, argc, argv, &exit_status);
 *     if (game == NULL)
 *         return exit_status;
 *     return play_command(game, &wish, work, me);
 *
 * where work() attaches what it wants to see, plays, and writes what came of it:
 *
 *     enum status status = play_run(p, (struct play_hooks){.after = each_frame, .user = me}, e);
 */

struct play_options {
    const char *movie, *load_state;
    struct engine_choice engine;
    struct nes_console console;
    uint64_t frames;
    bool console_given; /* else it is the game's */
    bool frames_given, force, no_skip, no_fast;
    /* For the commands to set: */
    bool pictures; /* compute them */
    bool no_movie; /* something else is pressed: the game's own movie is not played */
    bool silent;   /* no progress bar: something else is printed */
    bool identify; /* the movie's SHA-1, for play_comments() */
};

enum {
    PLAY_OPTION_ROWS = 9,
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
    uint64_t first, end;           /* frames first..end-1 are to be played */
    uint64_t cycles, instructions; /* of the machine where they begin */
    struct nes_console console;
    double seconds; /* spent in play_run() */
    bool silent;
};

/* A command that plays one game. */
struct play_usage {
    const char *command, *summary, *details; /* as struct usage's */
    const struct option_spec *options;       /* its own */
    const char *const *out;                  /* what --out is stored into, where it is required */
};
/* Reads its command line: GAME|ROM, its own options and the shared ones. Returns the game, or NULL
 * when the command shall not run, and *exit_status is what to return. */
const char *play_parse(const struct play_usage *u, struct play_options *wish, int argc, char **argv,
                       int *exit_status);

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
/* Comments for a file that was made of a replay: "WHAT of NAME SHA1", and what was played. */
enum { PLAY_COMMENTS = 2 };
struct play_comments {
    char text[PLAY_COMMENTS][400];
    const char *at[PLAY_COMMENTS];
};
void play_comments(struct play_comments *out, const struct play *p, const char *what);
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

/* picture: frames as PNG files. */

/* pixels: 256 x 240 as nes_picture() gives them. The file appears whole or not at all. */
enum status picture_write(const uint16_t *pixels, const char *path, struct error *e);

/*
 * trace: every executed instruction of some frames, one line each, complete enough to compute the
 * exact graph straight from its definition.
 *
 * An instruction, as it is about to be executed:
 *
 *     FRAME CYCLE ADDRESS BYTES DISASSEMBLY A:hh X:hh Y:hh S:hh P:hh
 *     12 357361 C0AF AD0220 LDA $2002 A:00 X:1F Y:00 S:FD P:24
 *
 * separated by tabs, registers together in the last column; FRAME and CYCLE are decimal, the rest
 * hexadecimal. ADDRESS is the code address: the processor's, with the 8 KiB bank in the upper 16
 * bits on cartridges that switch PRG. What happens to threads stands between the instructions that
 * it came between:
 *
 *     FRAME * CHANGE CAUSE ADDRESS S:hh
 *     12 * suspended NMI C0B2 S:FA      an NMI was taken; the thread would go on at C0B2
 *     12 * begins NMI C123 S:FA         its handler starts a thread of its own
 *     12 * resumes RTI C0B2 S:FD        the RTI that belongs to it: back in the old thread
 *
 * CHANGE is begins, suspended, resumes or ends; CAUSE is start, reset, NMI, IRQ or RTI. The trace
 * starts with one "begins start" for the running thread and each suspended one, and ends with one
 * "ends" for each.
 */

struct trace {
    struct nes *nes;
    FILE *out;
    unsigned id;
    bool attached;
};
/* Traces from the next instruction on. *t must stay where it is until trace_end(). */
enum status trace_begin(struct trace *t, struct nes *nes, FILE *out, struct error *e);
void trace_end(struct trace *t); /* twice or without a begin is fine */

/*
 * checkpoints: RAM right after each instruction that writes a given byte of it.
 *
 * Many games write some byte once a game step, at a moment when all their RAM is consistent: there
 * the RAM of two emulators can be compared even where the game computes across vertical blank.
 *
 * An instruction writes the byte when it writes memory and its operand's address is the byte's, or
 * a mirror of it; pushes are not looked at. One that writes twice (INC writes the old value back
 * first) counts once.
 */

struct checkpoints {
    struct nes *nes;
    struct file_writer *out;
    uint16_t address;
    bool writes; /* the instruction that is being executed writes the byte */
    unsigned id;
    bool attached;
};
/* From the next instruction on, writes the 2 KiB of RAM to `out` at each checkpoint. `address` is
 * below 2,048. *c must stay where it is, and `out` open, until checkpoints_end(). */
enum status checkpoints_begin(struct checkpoints *c, struct nes *nes, uint16_t address,
                              struct file_writer *out, struct error *e);
void checkpoints_end(struct checkpoints *c); /* twice or without a begin is fine */

/*
 * fingers: seeded input that looks like a person's, for games nobody has written a player for:
 * directions held and buttons pressed for as long as people do. A pure function of the seed and of
 * when it is told to press Start.
 *
 * It knows nothing of the game. Start is what matters most, since most games pause with it: one
 * press too few or too many, and a game that is not looked at stays in its pause. So
 *
 *  - with the game, activity_play() presses Start only when the game stands still;
 *  - without it, fingers_fill() presses the console's reset button every minute, waits for the
 *    title, presses Start there, and twice half a minute later, when the game may be over. However
 *    a game takes its Starts, it cannot be paused, or left on its title, for longer than until the
 *    next reset.
 */

struct fingers {
    uint64_t seed, drawn; /* how many random numbers were used */
    struct {
        uint64_t from; /* frame of the first press */
        unsigned taps; /* 0: not yet told */
        unsigned gap;  /* frames from one to the next */
    } start;
    struct {
        uint64_t until; /* frame at which what is held now ends */
        uint8_t held;
    } pad, a, b;
};

void fingers_begin(struct fingers *f, uint64_t seed);
/* Start is to be pressed `taps` times from this frame on, which is not yet played, `gap` frames
 * from one to the next; nothing is pressed before it. */
void fingers_start(struct fingers *f, uint64_t frame, unsigned taps, unsigned gap);
/* The next of the seed's random numbers, in least..most. */
unsigned fingers_draw(struct fingers *f, unsigned least, unsigned most);
/* The buttons of frame `frame` (NES_A ...); to be asked for frame 0, 1, 2, ... */
uint8_t fingers_press(struct fingers *f, uint64_t frame);
/* Makes the lines of a movie of `frames` frames; *m has none yet. What is pressed depends on the
 * seed alone. */
enum status fingers_fill(struct movie *m, uint64_t frames, uint64_t seed, struct error *e);

/*
 * activity: whether a game that is replayed is being played, or stands still: in a pause, on a
 * title that waits for Start, in a menu, or for good.
 *
 *     struct activity a;
 *     activity_begin(&a, cartridge, &e);
 *     each frame: movie_play_frame(...), activity_look(&a, nes, &e);
 *     if (activity_verdict(&a) == ACTIVITY_PLAYS) ...
 *     activity_end(&a);
 *
 * Every ACTIVITY_EVERY frames it looks:
 *
 *  - The picture is fresh when it is none of the last ACTIVITY_PICTURES that were looked at: a
 *    text that blinks, or a cursor that goes to and fro, is not.
 *  - The game listens when directions and buttons (but Start and Select) matter: from where it is,
 *    it is run ahead on another console, once with nothing pressed and once with something, then
 *    for some frames with nothing, after which RAM differs in more than what may remember the pads.
 *    Not asked where the picture is not fresh.
 *
 * It is active when both hold. From one active look to the next it stands still. Looking changes
 * nothing in the machine that is looked at, and all of it is a function of its states.
 */
enum { ACTIVITY_EVERY = 30, ACTIVITY_PICTURES = 8 };

enum activity_verdict {
    ACTIVITY_PLAYS,    /* active half of the time, and never still for a quarter of it */
    ACTIVITY_IN_PART,  /* neither this nor the next */
    ACTIVITY_STANDS,   /* active less than a tenth of the time */
    ACTIVITY_TOO_SHORT /* less than ten seconds: nobody can tell */
};

struct activity {
    const struct cartridge *cartridge;
    struct nes *eye, *ear; /* consoles to run ahead on: with pictures, without */
    struct bytes state;
    uint64_t looks, fresh, active;
    uint64_t frames;                      /* seen so far */
    uint64_t active_at;                   /* frame after the last active look */
    uint64_t longest, longest_from;       /* standstill, frames */
    uint64_t pictures[ACTIVITY_PICTURES]; /* hashes, in turn */
    uint16_t *picture;                    /* the last one */
    uint64_t pixels, bytes; /* sums over looks of what has changed since the one before */
    uint8_t ram[2048];
    bool changed[2048]; /* since the first look */
    unsigned way;       /* of pressing that was heard last */
};

enum status activity_begin(struct activity *a, const struct cartridge *c, struct error *e);
/* To be called after every frame of `nes`, a machine with that cartridge. */
enum status activity_look(struct activity *a, const struct nes *nes, struct error *e);
void activity_end(struct activity *a); /* after a failed begin, too; twice is fine */
/* How long it stands still by now, in frames. */
uint64_t activity_still(const struct activity *a);
enum activity_verdict activity_verdict(const struct activity *a);
/* "plays", "plays in part", "stands still", "too short to tell" */
const char *activity_word(enum activity_verdict v);
/* Several lines for people, or the members of a JSON object (without its braces). */
void activity_print(const struct activity *a, bool json);
/* Plays a game that nobody knows: `fingers`, with Start when the game stands still. What is
 * pressed becomes the lines of *m, whose line_count says how many. STATUS_INTERRUPTED when a signal
 * asked to stop. */
enum status activity_play(struct activity *a, struct movie *m, struct nes *nes, uint64_t seed,
                          struct error *e);

/* players: those that the build lists (sweep/play/meson.build), by name. */

/* All players, sorted by name; the last is NULL. */
extern const struct player *const players[];
/* NULL if there is none of that name. */
const struct player *player_find(const char *name);

#endif
