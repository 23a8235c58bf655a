#include "play/play.h"

#include <string.h>

#define PLAYER(name) extern const struct player player_##name;
#include "player_list.h"
#undef PLAYER

#define PLAYER(name) &player_##name,
const struct player *const players[] = {
#include "player_list.h"
    NULL,
};
#undef PLAYER

const struct player *player_find(const char *name) {
    for (size_t i = 0; players[i] != NULL; i++)
        if (strcmp(players[i]->name, name) == 0)
            return players[i];
    return NULL;
}
