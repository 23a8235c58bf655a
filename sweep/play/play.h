/*
 * play: opens and plays games for commands, and produces everything from a replay that is not a
 * profile: pictures, traces, RAM at checkpoints, and movies made by seeded players.
 *
 *  - game: resolves GAME or ROM on a command line
 *  - play: a game, its movie and a machine
 *  - pictures: frames as PNG files
 *  - trace: every executed instruction
 *  - checkpoints: RAM at a game's own steps
 *  - fingers: makes seeded input for any game
 *  - activity: tells whether a game is played or stands still
 *  - players: play one game each; each is a file in players/
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

/* game: resolves GAME or ROM on a command line. */

/* Texts for manuals. */
#define GAME_OPERAND "GAME|ROM"
#define GAME_DETAILS                                                                               \
    "GAME is a name from configs/games.cfg (in the current folder or as installed) or from\n"      \
    "the file that $HOTGRAPH_GAMES names. ROM is the path of a .nes file. "

struct game_files {
    char *rom;                  /* path */
    char *movie;                /* path; NULL for a ROM given by its path */
    struct nes_console console; /* on which the game is played */
};

/* A word of lower-case letters, digits and dashes is a game's name, unless a file has that name;
 * everything else is a ROM's path. The caller calls game_files_free(). */
enum status game_find(struct game_files *out, const char *word, struct error *e);
void game_files_free(struct game_files *f);
/* Returns 0 if none of a command's outputs is the game's ROM or movie; else prints the error and
 * returns the exit status. */
struct usage;
int game_spared(const struct usage *u, const char *word);

/*
 * play: opens a game, its movie and a machine, for the commands that replay games.
 *
 * They share these options:
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
 * where work() attaches observers, plays, and writes the results:
 *
 *     enum status status = play_run(p, (struct play_hooks){.after = each_frame, .user = me}, e);
 */

struct graph;

struct play_options {
    const char *movie, *load_state;
    struct engine_choice engine;
    struct nes_console console;
    uint64_t frames;
    bool console_given; /* false: use the game's console */
    bool frames_given, force, no_skip, no_fast;
    /* Set by the command: */
    bool pictures; /* compute them */
    bool no_movie; /* the command supplies the input, so the game's own movie is not played */
    bool silent;   /* no progress bar, because the command prints */
    bool identify; /* compute the movie's SHA-1, for play_comments() */
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
    struct game_files files; /* movie: the one played; NULL: none */
    struct cartridge *cartridge;
    struct movie movie; /* empty if there is none */
    struct nes *nes;
    uint64_t first, end;           /* play frames first..end-1 */
    uint64_t cycles, instructions; /* of the machine at the first frame */
    struct nes_console console;
    double seconds; /* spent in play_run() */
    bool silent;
};

/* A command that plays one game. */
struct play_usage {
    const char *command, *summary, *details; /* as in struct usage */
    const struct option_spec *options;       /* its own */
    const char *const *out;                  /* the variable of --out if that is required; NULL: it
                                                is not */
};
/* Parses a command line: GAME|ROM, the command's own options and the shared ones. Returns the game;
 * or NULL, with *exit_status, if the command must not run. */
const char *play_parse(const struct play_usage *u, struct play_options *wish, int argc, char **argv,
                       int *exit_status);

/* Runs a command on a game: finds it, loads everything, creates the machine, calls work() to play
 * and use it, and frees everything. Prints any error; returns the exit status. */
int play_command(const char *game, const struct play_options *options,
                 enum status (*work)(void *self, struct play *p, struct error *e), void *self);
/* For commands that play several games: finds the game, loads everything, creates the machine. The
 * caller closes *p even after a failure. */
enum status play_open(struct play *p, const char *game, const struct play_options *options,
                      struct error *e);
void play_close(struct play *p);
/* Comments for a file made from a replay: "WHAT of NAME SHA1", and what was played. */
enum { PLAY_COMMENTS = 2 };
struct play_comments {
    char text[PLAY_COMMENTS][400];
    const char *at[PLAY_COMMENTS];
};
void play_comments(struct play_comments *out, const struct play *p, const char *what);
/* The translator's statistics; false: another engine runs. */
bool play_translation(const struct play *p, struct dbt_statistics *out);

/* Called before and after each frame; either may be NULL. A failure ends the replay. */
struct play_hooks {
    enum status (*before)(void *user, struct play *p, uint64_t frame, struct error *e);
    enum status (*after)(void *user, struct play *p, uint64_t frame, struct error *e);
    void *user;
};
/* Plays the frames from the machine's current one to p->end - 1. STATUS_INTERRUPTED: a signal asked
 * to stop. */
enum status play_run(struct play *p, struct play_hooks hooks, struct error *e);

/*
 * likely: the likeliest paths of a found graph, for the translator.
 *
 *     if (likely_paths_read(&likely, "found.graph", e) == STATUS_OK)
 *         wish.engine.translator.profile = &likely.profile;
 */
struct likely_paths {
    struct dbt_profile profile;
    VEC(struct dbt_likely) likely;
    VEC(uint32_t) hot;
    char program[41]; /* SHA-1 of what the graph describes; "": unknown */
};
/* The paths of a graph with blocks. likely_paths_free() is safe after a failure. */
enum status likely_paths_of(struct likely_paths *out, const struct graph *g, struct error *e);
enum status likely_paths_read(struct likely_paths *out, const char *path, struct error *e);
void likely_paths_free(struct likely_paths *p);

/* picture: writes frames as PNG files. */

/* pixels: 256 x 240, as from nes_picture(). The file appears complete or not at all. */
enum status picture_write(const uint16_t *pixels, const char *path, struct error *e);

/*
 * trace: prints every executed instruction of some frames, one line each, complete enough to
 * compute the exact graph straight from its definition.
 *
 * An instruction, as it is about to be executed:
 *
 *     FRAME CYCLE ADDRESS BYTES DISASSEMBLY A:hh X:hh Y:hh S:hh P:hh
 *     12 357361 C0AF AD0220 LDA $2002 A:00 X:1F Y:00 S:FD P:24
 *
 * separated by tabs, registers together in the last column; FRAME and CYCLE are decimal, the rest
 * hexadecimal. ADDRESS is the code address: the processor's address, with the 8 KiB bank in the
 * upper 16 bits on cartridges that switch PRG. Changes of interrupted contexts are printed between
 * the instructions:
 *
 *     FRAME * CHANGE CAUSE ADDRESS S:hh
 *     12 * suspended NMI C0B2 S:FA      an NMI was taken; the context would continue at C0B2
 *     12 * begins NMI C123 S:FA         its handler starts a new context
 *     12 * resumes RTI C0B2 S:FD        the matching RTI: back in the old context
 *
 * CHANGE is begins, suspended, resumes or ends; CAUSE is start, reset, NMI, IRQ or RTI. The trace
 * starts with one "begins start" for the running context and each suspended one, and ends with one
 * "ends" for each.
 */

struct trace {
    struct nes *nes;
    FILE *out;
    unsigned id;
    bool attached;
};
/* Traces from the next instruction on. *t must not be moved until trace_end(). */
enum status trace_begin(struct trace *t, struct nes *nes, FILE *out, struct error *e);
void trace_end(struct trace *t); /* may be called twice, or without a begin */

/*
 * checkpoints: writes RAM right after each instruction that writes a given byte of it.
 *
 * Many games write some byte once per game step, when all their RAM is consistent. At that moment
 * the RAM of two emulators can be compared, even if the game computes across vertical blank.
 *
 * An instruction writes the byte if it writes memory and its operand's address is the byte's, or a
 * mirror of it; pushes are ignored. An instruction that writes twice (INC first writes back the old
 * value) counts once.
 */

struct checkpoints {
    struct nes *nes;
    struct file_writer *out;
    uint16_t address;
    bool writes; /* the current instruction writes the byte */
    unsigned id;
    bool attached;
};
/* From the next instruction on, writes the 2 KiB of RAM to `out` at each checkpoint. `address` is
 * below 2,048. *c must not be moved, and `out` must stay open, until checkpoints_end(). */
enum status checkpoints_begin(struct checkpoints *c, struct nes *nes, uint16_t address,
                              struct file_writer *out, struct error *e);
void checkpoints_end(struct checkpoints *c); /* may be called twice, or without a begin */

/*
 * fingers: seeded input that resembles a person's, for games without a player: directions and
 * buttons are held for as long as people hold them. It is a pure function of the seed and of when
 * it is asked to press Start.
 *
 * It knows nothing about the game. Start matters most, since most games pause with it: one press
 * too few or too many, and an unobserved game remains paused. So
 *
 *  - with the game, activity_play() presses Start only when the game stands still;
 *  - without it, fingers_fill() presses the console's reset button every minute, waits for the
 *    title, presses Start there, and twice half a minute later, when the game may be over. However
 *    a game handles Start, it is paused, or stays on its title, at most until the next reset.
 */

struct fingers {
    uint64_t seed, drawn; /* number of random numbers used */
    struct {
        uint64_t from; /* frame of the first press */
        unsigned taps; /* 0: not set yet */
        unsigned gap;  /* frames from one to the next */
    } start;
    struct {
        uint64_t until; /* frame at which the current buttons are released */
        uint8_t held;
    } pad, a, b;
};

void fingers_begin(struct fingers *f, uint64_t seed);
/* Asks for `taps` presses of Start, `gap` frames apart, from this frame on, which must not have
 * been played yet. Nothing is pressed before it. */
void fingers_start(struct fingers *f, uint64_t frame, unsigned taps, unsigned gap);
/* The seed's next random number, in least..most. */
unsigned fingers_draw(struct fingers *f, unsigned least, unsigned most);
/* The buttons of a frame (NES_A ...); call it for frames 0, 1, 2, ... in order. */
uint8_t fingers_press(struct fingers *f, uint64_t frame);
/* Makes the lines of a movie of `frames` frames; *m must have none yet. The input depends only on
 * the seed. */
enum status fingers_fill(struct movie *m, uint64_t frames, uint64_t seed, struct error *e);

/*
 * activity: tells whether a replayed game is being played or stands still: in a pause, on a title
 * that waits for Start, in a menu, or forever.
 *
 *     struct activity a;
 *     activity_begin(&a, cartridge, &e);
 *     each frame: movie_play_frame(...), activity_look(&a, nes, &e);
 *     if (activity_verdict(&a) == ACTIVITY_PLAYS) ...
 *     activity_end(&a);
 *
 * Every ACTIVITY_EVERY frames it examines the game:
 *
 *  - The picture is fresh if it differs from the last ACTIVITY_PICTURES examined ones. A blinking
 *    text, or a cursor that moves back and forth, is not fresh.
 *  - The game listens if directions and buttons (except Start and Select) matter: a copy runs
 *    ahead, once with nothing and once with something pressed, then for some frames with nothing;
 *    afterwards RAM differs in more bytes than may store the pads. This is only tested if the
 *    picture is fresh.
 *
 * The game is active if both hold. Between two active moments it stands still. The examination does
 * not change the machine, and depends only on its states.
 */
enum { ACTIVITY_EVERY = 30, ACTIVITY_PICTURES = 8 };

enum activity_verdict {
    ACTIVITY_PLAYS,    /* active half of the time, and never still for a quarter of it */
    ACTIVITY_IN_PART,  /* neither this nor the next */
    ACTIVITY_STANDS,   /* active less than a tenth of the time */
    ACTIVITY_TOO_SHORT /* less than ten seconds: impossible to tell */
};

struct activity {
    const struct cartridge *cartridge;
    struct nes *eye, *ear; /* consoles that run ahead, with and without pictures */
    struct bytes state;
    uint64_t looks, fresh, active;
    uint64_t frames;                      /* seen so far */
    uint64_t active_at;                   /* frame after the last active moment */
    uint64_t longest, longest_from;       /* of a standstill, in frames */
    uint64_t pictures[ACTIVITY_PICTURES]; /* ring of hashes */
    uint16_t *picture;                    /* the last picture */
    uint64_t pixels, bytes;               /* sums of changes since the previous examination */
    uint8_t ram[2048];
    bool changed[2048]; /* since the first examination */
    unsigned way;       /* the input to which the game reacted last */
};

enum status activity_begin(struct activity *a, const struct cartridge *c, struct error *e);
/* Call it after every frame of `nes`, a machine with that cartridge. */
enum status activity_look(struct activity *a, const struct nes *nes, struct error *e);
void activity_end(struct activity *a); /* also after a failed begin; may be called twice */
/* The length of the current standstill, in frames. */
uint64_t activity_still(const struct activity *a);
enum activity_verdict activity_verdict(const struct activity *a);
/* "plays", "plays in part", "stands still", "too short to tell" */
const char *activity_word(enum activity_verdict v);
/* Prints several lines, or the members of a JSON object (without its braces). */
void activity_print(const struct activity *a, bool json);
/* Plays an unknown game with `fingers`, pressing Start when the game stands still. The input
 * becomes the lines of *m, whose line_count is given. STATUS_INTERRUPTED: a signal asked to
 * stop. */
enum status activity_play(struct activity *a, struct movie *m, struct nes *nes, uint64_t seed,
                          struct error *e);

/* players: the players listed in sweep/play/meson.build, by name. */

/* All players, sorted by name; the last is NULL. */
extern const struct player *const players[];
/* The player with that name, or NULL. */
const struct player *player_find(const char *name);

#endif
