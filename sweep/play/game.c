#include "play/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "config/config.h"

/* The path of the list of games; the caller frees it. */
static char *games_file(void) {
    const char *named = getenv("HOTGRAPH_GAMES");
    return named != NULL && named[0] != 0 ? strdup(named) : data_find("configs/games.cfg");
}

static enum status unknown_game(const struct config *c, const char *word, struct error *e) {
    const char **names = calloc(c->games.len + 1, sizeof *names);
    const char *near = NULL;
    for (size_t i = 0; names != NULL && i < c->games.len; i++)
        names[i] = c->games.at[i].name;
    if (names != NULL)
        near = nearest_word(word, names);
    free(names);
    return error_set(e, STATUS_ARGUMENT, "%s: neither a file nor a game of %s%s%s%s", word, c->path,
                     near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'?" : "");
}

/* Finds the ROM with the game's SHA-1 anywhere in the folder for ROMs. */
static enum status find_by_identity(struct game_files *out, const struct config *c,
                                    const struct config_game *g, struct error *e) {
    struct rom_wish wish = {.sha1 = g->sha1};
    const char *folder = roms_folder(c->roms);
    enum status status = roms_find(folder, &wish, 1, e);
    if (status == STATUS_OK && wish.path == NULL)
        status = error_set(e, STATUS_IO,
                           "%s: %s has no ROM whose PRG and CHR have SHA-1 %s: put yours there, or "
                           "set $HOTGRAPH_ROMS to its folder",
                           g->name, folder, g->sha1);
    out->rom = wish.path;
    return status;
}

static enum status find_in(struct game_files *out, const struct config *c, const char *word,
                           struct error *e) {
    const struct config_game *g = config_find_game(c, word);
    if (g == NULL)
        return unknown_game(c, word, e);
    if (g->stream != NULL)
        return error_set(
            e, STATUS_ARGUMENT,
            "%s: %s: the game consists of a recorded stream and a graph, which cannot be played",
            g->place, word);
    enum status status = STATUS_OK;
    if (g->rom != NULL)
        out->rom = strdup(g->rom);
    else
        status = find_by_identity(out, c, g, e);
    out->movie = strdup(g->movie);
    out->console = g->console;
    if (status == STATUS_OK && (out->rom == NULL || out->movie == NULL))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", word);
    return status;
}

/* True if the path exists and is not a folder. */
static bool is_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

int game_spared(const struct usage *u, const char *word) {
    struct game_files files;
    if (!files_are_written(u))
        return 0; /* there is no output, so skip the search, which takes as long as 100 frames */
    if (game_find(&files, word, NULL) != STATUS_OK)
        return 0; /* opening it will report the error */
    struct file_named named[2];
    size_t count = 0;
    if (files.rom != NULL)
        named[count++] = (struct file_named){"the game's ROM", files.rom, FILE_READ};
    if (files.movie != NULL)
        named[count++] = (struct file_named){"the game's movie", files.movie, FILE_READ};
    const int status = files_check_options(u, named, count);
    game_files_free(&files);
    return status;
}

enum status game_find(struct game_files *out, const char *word, struct error *e) {
    *out = (struct game_files){0};
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (word[n] != 0 || word[0] == 0 || is_file(word)) {
        out->rom = strdup(word);
        return out->rom != NULL ? STATUS_OK
                                : error_set(e, STATUS_MEMORY, "%s: out of memory", word);
    }
    char *list = games_file();
    struct config config = {0};
    enum status status = STATUS_OK;
    if (list == NULL)
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", word);
    else if (access(list, F_OK) != 0)
        status = error_set(e, STATUS_IO,
                           "%s: there is no such file, and the list of games, %s, is missing: run "
                           "hotgraph in the project's folder, or set $HOTGRAPH_GAMES to the list",
                           word, list);
    if (status == STATUS_OK)
        status = config_load(&config, list, e);
    if (status == STATUS_OK) {
        status = find_in(out, &config, word, e);
        config_free(&config);
    }
    free(list);
    if (status != STATUS_OK)
        game_files_free(out);
    return status;
}

void game_files_free(struct game_files *f) {
    free(f->rom);
    free(f->movie);
    *f = (struct game_files){0};
}
