/*
 * config: what a sweep is asked to do, read from a libconfig file. configs/paper.cfg is the
 * annotated example of every key.
 *
 * Everything in the file is checked when it is read: an unknown key, a value of the wrong type or
 * out of range, a configuration that no technique accepts is an error with file and line.
 *
 * Paths in a file are relative to the folder of the file in which they are written, so included
 * files and files run from elsewhere mean the same.
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
#include "profile/profile.h"

/* Either a ROM (a path, an identity to look for, or both) with a movie, or a foreign pair. */
struct config_game {
    char *name;           /* lower-case letters, digits and dashes: it names files */
    char *title;          /* for people; the name where the file has none */
    char *rom;            /* path, or NULL: look for sha1 */
    char *sha1;           /* of PRG and CHR in lower-case hex, or NULL */
    char *movie;          /* path of the .fm2 */
    char *stream;         /* foreign pair: an .isampling file ... */
    char *graph;          /* ... and the exact .graph */
    char *paper_game;     /* name of the paper's game that it stands beside, or NULL */
    bool untested;        /* nobody has seen the movie play */
    uint64_t frames;      /* to play */
    int64_t instructions; /* that a foreign stream's program executed; -1: unknown */
    char *place;          /* "configs/games.cfg:12", for messages */
};

/* A technique with values for all its parameters. */
struct config_point {
    const struct technique *technique;
    int64_t values[TECHNIQUE_PARAMETERS];
    int number;  /* place in the grid; -1: a baseline */
    char *label; /* NULL unless its convergence is recorded */
    char *key;   /* "gaussian bin_size=8 ...": the same for equal points in any file */
};

struct config {
    char *path, *name; /* name: the experiment's; the file's stem where it has none */
    uint64_t frames;
    struct sampler_options sampling;
    VEC(struct config_point) points; /* by number; the observed baseline last */
    VEC(uint64_t) marks;             /* numbers of batches, ascending */
    VEC(struct config_game) games;
    char *roms;               /* where ROMs are looked for by identity; may be NULL */
    char definition_hash[33]; /* of sampling, points, labels and marks, not of the games */
};

/* Raised whenever a change to the machine, the sampler or a technique changes any result: rows of
 * an earlier method are then computed again and those in the database stay unused. */
enum { CONFIG_METHOD = 1 };

enum status config_load(struct config *out, const char *path, struct error *e);
void config_free(struct config *c);
/* NULL if there is none of that name. */
const struct config_game *config_find_game(const struct config *c, const char *name);

#endif
