/* players: those that the build lists (sweep/meson.build), by name. */
#ifndef HOTGRAPH_PLAYERS_H
#define HOTGRAPH_PLAYERS_H

#include "player.h"

/* All players, sorted by name; the last is NULL. */
extern const struct player *const players[];
/* NULL if there is none of that name. */
const struct player *player_find(const char *name);

#endif
