/*
 * config: what a sweep is asked to do, read from a libconfig file. configs/paper.cfg is the
 * annotated example of every key.
 *
 * Everything in the file is checked when it is read: an unknown key, a value of the wrong type or
 * out of range, a configuration that no technique accepts is an error with file and line.
 *
 * Paths in a file, also those of @include, are relative to the folder of the file in which they are
 * written, so included files and files run from elsewhere mean the same.
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

/* A Linux program, to be recorded under QEMU. */
struct config_program {
    char **command; /* path (a relative one begins at folder) and arguments; ends with NULL */
    char *input;    /* file that is its standard input, or NULL */
    char *folder;   /* to run in, or NULL: the current one */
    char **env;     /* "NAME=VALUE" beside the usual; ends with NULL, or NULL */
    char **images;  /* "HASH PATH" of all files whose code it executes (or the end of their paths)
                       when its digest belongs to them; ends with NULL, or NULL */
    char **without; /* names of techniques that are not for it; ends with NULL, or NULL */
    uint64_t every; /* instructions from batch to batch */
    unsigned batch; /* instructions a batch */
};

/* Either a ROM (a path, an identity to look for, or both) with a movie, or a foreign pair. */
struct config_game {
    char *name;                     /* lower-case letters, digits and dashes: it names files */
    char *title;                    /* for people; the name where the file has none */
    char *rom;                      /* path, or NULL: look for sha1 */
    char *sha1;                     /* of PRG and CHR in lower-case hex, or NULL */
    char *movie;                    /* path of the .fm2 */
    char **further;                 /* more movies, each with a replay of its own; ends with NULL,
                                       or NULL: none */
    char *stream;                   /* foreign pair: an .isampling or .hgstream file ... */
    char *graph;                    /* ... and the exact .graph */
    char *paper_game;               /* name of the paper's game that it stands beside, or NULL */
    struct config_program *program; /* NULL unless it is one: then nothing of the above but names */
    struct nes_console console;     /* that the game is played on */
    bool untested;                  /* nobody has seen the movie play */
    uint64_t frames;                /* to play */
    int64_t instructions;           /* that a foreign stream's program executed; -1: unknown */
    char *place;                    /* "configs/games.cfg:12", for messages */
};

/* A technique with values for all its parameters. */
struct config_point {
    const struct technique *technique;
    int64_t values[TECHNIQUE_PARAMETERS];
    int number;  /* place in the grid; -1: a baseline */
    char *label; /* NULL unless its convergence is recorded */
    char *key;   /* "gaussian bin_size=8 ...": the same for equal points in any file */
};

/* A file that was read: the configuration itself or one that it includes. */
struct config_file {
    char *path, *text; /* text ends with a NUL that is not counted */
    size_t length;
    char hash[33]; /* of the text, as base.h's */
};

/* One way of sampling; of several, `variant` tells it from the first, of which it is "". */
struct config_sampling {
    struct sampler_options options;
    char *variant; /* "interval_ms=0.3 batch=10": what is not as in the first */
};

struct config {
    char *path, *name; /* name: the experiment's; the file's stem where it has none */
    uint64_t frames;
    VEC(struct config_sampling)
    samplings;                       /* one at least; each game is sampled in all these ways,
                                        a program in its own */
    bool live;                       /* nothing is sampled: techniques watch by themselves, each in
                                        a replay of its own; there is no baseline, and the one
                                        sampling stands for none */
    VEC(unsigned) hot;               /* shares that are called hot, in permille; one at least */
    VEC(struct config_point) points; /* by number; the observed baseline last */
    VEC(uint64_t) marks;             /* numbers of batches, ascending */
    VEC(struct config_game) games;
    VEC(struct config_file) files; /* the first is `path`; in the order in which they are used */
    const struct includes *from;   /* while the files are read; NULL afterwards */
    char *roms;                    /* where ROMs are looked for by identity; may be NULL */
    char definition_hash[33]; /* of samplings, points, labels, marks and shares, not of games */
};

/* Raised whenever a change to the machine, the sampler or a technique changes any result: rows of
 * an earlier method are then computed again and those in the database stay unused. */
enum { CONFIG_METHOD = 1 };

enum status config_load(struct config *out, const char *path, struct error *e);
void config_free(struct config *c);
/* Whether what is sampled, or a technique, needs the program's structure. */
bool config_needs_structure(const struct config *c);
/* The word for the value of that parameter; NULL where it is a number. */
const char *config_word(const struct config_point *p, int parameter);
/* All that determines a sampling, and nothing else, in words. */
void config_sampling_key(const struct sampler_options *s, char *out, size_t size);
#define CONFIG_LIVE_KEY "live" /* where nothing is sampled */

/* The same as a configuration says it: "interval_ms" and "0.3". */
enum { SAMPLING_WORDS = 8 };
struct sampling_word {
    const char *name;
    char value[32];
};
/* Returns how many. */
size_t config_sampling_words(const struct sampler_options *s,
                             struct sampling_word words[SAMPLING_WORDS]);
/* NULL if there is none of that name. */
const struct config_game *config_find_game(const struct config *c, const char *name);

/* roms: ROMs in a folder, found by what they are and not by what they are called. */

struct rom_wish {
    const char *sha1; /* of PRG and CHR without the header, lower-case hex */
    char *path;       /* filled: the caller frees it; stays NULL where there is none */
};

/* Looks through the .nes files of the folder and those below it, in the order of their names. A
 * folder that is not there has no ROMs; files that cannot be read as one are passed over. */
enum status roms_find(const char *folder, struct rom_wish *wishes, size_t count, struct error *e);

/* Where to look: $HOTGRAPH_ROMS, else what the configuration says, else "roms". */
const char *roms_folder(const char *configured);

#endif
