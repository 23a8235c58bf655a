/* game: what GAME or ROM on a command line stands for. */
#ifndef HOTGRAPH_GAME_H
#define HOTGRAPH_GAME_H

#include "base/base.h"

/* For manuals. */
#define GAME_OPERAND "GAME|ROM"
#define GAME_DETAILS                                                                               \
    "GAME is a name from configs/games.cfg in the current folder, or from the file that\n"         \
    "$HOTGRAPH_GAMES names; ROM is the path of a .nes file. "

struct game_files {
    char *rom;   /* path */
    char *movie; /* path; NULL for a ROM given by its path */
};

/* A word of lower-case letters, digits and dashes is a game's name, unless there is a file of that
 * name; everything else is a ROM's path. The caller frees with game_files_free(). */
enum status game_find(struct game_files *out, const char *word, struct error *e);
void game_files_free(struct game_files *f);

#endif
