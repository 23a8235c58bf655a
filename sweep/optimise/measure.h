/* measure: counts what a program executes. Private to optimise. */
#ifndef HOTGRAPH_OPTIMISE_MEASURE_H
#define HOTGRAPH_OPTIMISE_MEASURE_H

#include "config/config.h"
#include "optimise/bolt.h"
#include "qemu/qemu.h"

enum { PLACE_NAME = 5 };

/* A folder for one copy of a program: FOLDER/optimise/NAME/NNNN. */
struct place {
    char *folder;  /* the whole path */
    char *program; /* path of the copy, which has the original's file name */
    char *seen;    /* the same path below /proc/self/cwd, which the program sees */
    char *profile, *output;
};
/* name: of PLACE_NAME - 1 characters. Makes the folder. */
enum status place_make(struct place *out, const struct config_game *game, const char *name,
                       struct error *e);
/* Removes the folder with its files, and frees the paths. A zeroed place is fine. */
void place_remove(struct place *p);
/* Removes the empty folders above a program's places. Call when no thread has a place. */
void places_remove(const struct config_game *game);
/* Copies the original program there. */
enum status place_copy(const struct place *p, const struct config_game *game, struct error *e);

/* Records the program in its place. other: with its other input. */
struct recording_request {
    const struct config_game *game;
    const struct place *place;
    const char *plugin;
    const struct qemu_setting *settings;
    size_t setting_count;
    bool other;
    int (*stopped)(void);
};
enum status program_record(const struct recording_request *request, struct qemu_result *out,
                           struct error *e);

struct measured {
    uint64_t taken, jumps, instructions, bytes; /* as in the table bolt_layout */
    int64_t i1_misses;                          /* -1: not simulated */
    char hash[33], output[33];                  /* of the program's file; of its output */
};
enum status program_measure(struct measured *out, const struct recording_request *request,
                            const struct tools *tools, struct error *e);

#endif
