/*
 * config: the description of a sweep, read from a libconfig file. configs/paper.cfg is the
 * annotated example of every key.
 *
 * Everything in the file is checked when it is read. An unknown key, a value of the wrong type or
 * out of range, and a configuration that no technique accepts are errors that name file and line.
 *
 * Paths in a file, including those of @include, are relative to that file's folder, so a
 * configuration means the same when it is included or run from another folder.
 *
 *     struct config config;
 *     if (config_load(&config, "configs/paper.cfg", &err) == STATUS_OK) {
 *         const struct config_game *game = config_find_game(&config, "mazewisp");
 *         ...
 *         config_free(&config);
 *     }
 */
#ifndef HOTGRAPH_CONFIG_H
#define HOTGRAPH_CONFIG_H

#include "base/base.h"
#include "nes/nes.h"
#include "profile/profile.h"

/* A sampling of programs: instructions in a row, single transfers, or the code between the last taken
 * branches. */
struct config_budget {
    bool transfers; /* `every` and `seed` are of transfers, or, with `stack`, of taken branches */
    uint64_t every;
    unsigned batch; /* instructions in a row; 0 for transfers and branches */
    uint64_t seed;
    unsigned stack; /* taken branches that are remembered; 0: these are not sampled */
};
enum { BUDGETS_MOST = 16 };

/* A Linux program to record under QEMU. */
struct config_program {
    char **command;       /* path (relative to `folder`) and arguments; ends with NULL */
    char *input;          /* standard input: a file, or NULL */
    char **other_command; /* another run: its exact graph is a profile of other input, for samplings
                             with input = "other" and for an optimiser; NULL: the same command. The
                             same program; ends with NULL */
    char *other_input;    /* its standard input; NULL: that of `input` */
    char *folder;         /* working directory; NULL: the current one */
    char **env;           /* additional "NAME=VALUE"; ends with NULL; may be NULL */
    char **images;  /* "HASH PATH" of all files whose code it executes (or the end of their paths)
                       when its digest belongs to them; ends with NULL, or NULL */
    char **without; /* names of techniques not to run on it; ends with NULL; may be NULL */
    struct config_budget own; /* unless the configuration has budgets */
    bool native; /* the exact graph is of its own code, counted by probes in a native run; samples
                       come from a recording all the same */
    bool
        sampled; /* `every` or `by` is given, or it is not native: it has a stream even without budgets */
};

/* Either a ROM (a path, an identity to look for, or both) with a movie, or a foreign pair. */
struct config_game {
    char *name;       /* lower-case letters, digits and dashes: it names files */
    char *title;      /* for display; defaults to the name */
    char *rom;        /* path; NULL: found by sha1 */
    char *sha1;       /* of PRG and CHR in lower-case hex, or NULL */
    char *movie;      /* path of the .fm2 */
    char *other;      /* a movie of the same game: live techniques may watch it instead;
                                       NULL: none */
    char **further;   /* more movies, each replayed separately; ends with NULL; may be
                                       NULL */
    char *stream;     /* foreign pair: an .isampling or .hgstream file ... */
    char *graph;      /* ... and the exact .graph */
    char *paper_game; /* the paper's game that it is compared with, or NULL */
    struct config_program *program; /* NULL for games; a program has only the names above */
    struct nes_console console;     /* on which the game is played */
    bool untested;                  /* the movie has not been checked to play to its end */
    uint64_t frames;                /* to play */
    int64_t instructions;           /* executed by a foreign stream's program; -1: unknown */
    char *place;                    /* "configs/games.cfg:12", for messages */
};

/* A technique with values for all its parameters. */
struct config_point {
    const struct technique *technique;
    int64_t values[TECHNIQUE_PARAMETERS];
    int number;  /* position in the grid; -1: a baseline */
    char *label; /* NULL if its convergence is not recorded */
    char *key;   /* "gaussian bin_size=8 ...": equal points have equal keys in every file; of a
                    program with the hash of its text */
};

/* A file that was read: the configuration itself or an included one. */
struct config_file {
    char *path, *text; /* text ends with an uncounted NUL */
    size_t length;
    char hash[33]; /* of the text; see base.h */
};

/* A sampling configuration, or, if live, what techniques watch without samples. */
struct config_sampling {
    struct sampler_options options; /* unless live */
    bool live;        /* nothing is sampled: each technique watches a replay of its own ... */
    bool other;       /* ... of the game's other input, though its graph is judged by this one */
    uint64_t seconds; /* ... for so long from the start; 0: to the end */
    char *variant;    /* "interval_ms=0.3 batch=10": what differs from the first; of that "" */
};

struct config_exec; /* a technique that is a program, with what the file gives it */

struct config {
    char *path, *name; /* name: of the experiment; defaults to the file's stem */
    uint64_t frames;
    VEC(struct config_sampling)
    samplings;         /* at least one; games are sampled with all of them, programs
                                        with their own */
    bool recorded;     /* there are programs, which have samplings of their own */
    bool live;         /* all samplings are live, and there are no programs: there is no baseline */
    VEC(unsigned) hot; /* hot shares in permille; at least one */
    VEC(struct config_point) points; /* by number; the observed baseline last */
    VEC(struct config_exec *) execs; /* of points whose technique is a program */
    VEC(uint64_t) marks;             /* batch counts, ascending */
    VEC(uint64_t)
    windows; /* of games: their lengths in seconds, ascending multiples of the first;
                              none: no windows */
    VEC(uint64_t) program_windows; /* the same of recorded programs, in instructions */
    bool
        paths; /* what each graph tells of the paths is wanted, too: of games and recorded programs */
    VEC(struct config_game) games;
    VEC(struct config_budget)
    budgets;                       /* programs are sampled with all of them; none: each with its
                                          own sampling */
    VEC(struct config_file) files; /* the first is `path`; in the order in which they are used */
    const struct includes *from;   /* while the files are read; NULL afterwards */
    char *roms;                    /* folder in which ROMs are found by SHA-1; may be NULL */
    char definition_hash[33]; /* covers samplings, points, labels, marks, shares, windows and paths,
                                 but not games */
};

/* Increment this whenever a change to the machine, the sampler or a technique changes any result.
 * Rows of an earlier method are then ignored and computed again. */
enum { CONFIG_METHOD = 1 };

enum status config_load(struct config *out, const char *path, struct error *e);
void config_free(struct config *c);
/* True if a sampling or a technique needs the program's structure. */
bool config_needs_structure(const struct config *c);
/* True if a technique is one that follows recorded programs, from their traces. */
bool config_follows_programs(const struct config *c);
/* The same of one technique. `exact` follows them, too, but finds what they are compared with. */
bool config_follows_program(const struct technique *t);
/* The name of the parameter's value; NULL if it is a number. */
const char *config_word(const struct config_point *p, int parameter);
/* Writes the sampling's key: all parameters that determine its result, and no others. */
void config_sampling_key(const struct sampler_options *s, char *out, size_t size);
#define CONFIG_LIVE_KEY "live" /* begins the key of live samplings */
/* The same for a sampling of a configuration, which may be live. */
void config_key(const struct config_sampling *s, char *out, size_t size);

/* The same as pairs of key and value in a configuration's syntax: "interval_ms" and "0.3". */
enum { SAMPLING_WORDS = 8 };
struct sampling_word {
    const char *name;
    char value[32];
};
/* Returns the number of pairs. */
size_t config_sampling_words(const struct sampler_options *s,
                             struct sampling_word words[SAMPLING_WORDS]);
size_t config_words(const struct config_sampling *s, struct sampling_word words[SAMPLING_WORDS]);
/* True if the technique can work with the sampling, whatever the length of its batches: live ones
 * watch by themselves, others work on samples. */
bool config_applies(const struct config_sampling *s, const struct technique *t);
/* Frames that end within so many seconds. */
uint64_t config_frames(uint64_t seconds);
/* The frames that a live technique watches, of `frames`. */
uint64_t config_watched(const struct config_sampling *s, uint64_t frames);
/* True if it is a program whose transfers can be followed in their order: one that is recorded. NULL is
 * none. */
bool config_has_trace(const struct config_program *p);
/* True if the program has another run: other_command, other_input, or both. */
bool config_has_other(const struct config_program *p);
/* What its batches are. */
enum stream_of config_budget_of(const struct config_budget *b);
/* Writes the key of a sampling of programs, as above: BUDGET_KEY is enough for it. */
enum { BUDGET_KEY = 100 };
void config_budget_key(const struct config_budget *b, char *out, size_t size);
/* The same for people: "every=1667 batch=25", or the key. */
void config_budget_name(const struct config_budget *b, char *out, size_t size);
/* NULL if no game has that name. */
const struct config_game *config_find_game(const struct config *c, const char *name);

/* roms: finds ROMs in a folder by their hash, not by their name. */

struct rom_wish {
    const char *sha1; /* of PRG and CHR without the header, lower-case hex */
    char *path;       /* output, freed by the caller; stays NULL if no ROM matches */
};

/* Searches the folder and its subfolders for .nes files, in the order of their names. A missing
 * folder has no ROMs. Files that are not valid ROMs are skipped. */
enum status roms_find(const char *folder, struct rom_wish *wishes, size_t count, struct error *e);

/* The folder to search: $HOTGRAPH_ROMS, else the configuration's, else "roms". */
const char *roms_folder(const char *configured);

#endif
