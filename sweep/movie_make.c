/* hotgraph movie make: seeded input, or a player that looks at the game's RAM. */
#include "movie_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fingers.h"
#include "game.h"
#include "interrupt.h"
#include "nes/movie.h"
#include "options.h"
#include "players.h"

enum { FRAMES_STANDARD = 18000, FRAMES_MOST = 10000000, PLAYERS_MOST = 64 };

struct make {
    const char *game, *out, *player, *name, *md5;
    uint64_t seed, frames;
    struct game_files files;
    struct cartridge *cartridge; /* NULL without a ROM */
    struct movie movie;
};

static const char details[] = GAME_DETAILS
    "\n"
    "\n"
    "Without --player the input knows nothing of the game: Start presses first, then\n"
    "directions held and buttons pressed for as long as people do. It depends on the seed\n"
    "alone, so it can be made without the ROM; --name and --md5 then say which ROM it is\n"
    "for. A player looks at the game's RAM each frame and plays one game well; it needs\n"
    "the ROM, which is replayed while the movie is made.\n"
    "\n"
    "The movie has N lines, and line i+1 is what the program reads in frame i; so it plays\n"
    "N frames, with nothing pressed in the last.\n"
    "\n"
    "Examples:\n"
    "  hotgraph movie make game.nes --out game.fm2 --seed 7\n"
    "  hotgraph movie make mazewisp --player mazewisp --out m.fm2\n";

/* The player presses, the machine plays, and every line that is played becomes the movie's. */
static enum status let_play(struct make *m, const struct player *player, struct error *e) {
    struct nes *nes = NULL;
    interrupt_catch();
    void *mind = calloc(1, player->state_size > 0 ? player->state_size : 1);
    enum status status = mind != NULL
                             ? nes_create(&nes, &(struct nes_options){.cartridge = m->cartridge}, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK && player->start != NULL)
        player->start(mind, m->seed);
    for (size_t i = 1; i < m->movie.line_count && status == STATUS_OK; i++) {
        m->movie.lines[i].pads[0] = player->press(mind, nes_ram(nes), i - 1);
        status = movie_play_frame(&m->movie, nes, e);
        if (status != STATUS_OK)
            error_prefix(e, "%s", m->files.rom);
        else if (interrupt_signal() != 0)
            status = error_set(e, STATUS_INTERRUPTED, "%s: not made: stopped by signal %d", m->out,
                               interrupt_signal());
    }
    nes_free(nes);
    free(mind);
    return status;
}

static bool parse_md5(const char *text, uint8_t out[16]) {
    if (strlen(text) != 32 || strspn(text, "0123456789abcdefABCDEF") != 32)
        return false;
    for (int i = 0; i < 16; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static enum status describe_rom(struct make *m, struct error *e) {
    struct movie *movie = &m->movie;
    if (m->game != NULL) {
        enum status status = game_find(&m->files, m->game, e);
        if (status == STATUS_OK)
            status = cartridge_load(&m->cartridge, m->files.rom, e);
        if (status != STATUS_OK)
            return status;
        memcpy(movie->checksum, m->cartridge->md5, sizeof movie->checksum);
        movie->has_checksum = true;
    }
    if (m->md5 != NULL)
        movie->has_checksum = parse_md5(m->md5, movie->checksum);
    const char *name = m->name != NULL        ? m->name
                       : m->cartridge != NULL ? m->cartridge->name
                                              : "unknown";
    snprintf(movie->rom_filename, sizeof movie->rom_filename, "%s", name);
    movie->rom_filename[strcspn(movie->rom_filename, "\r\n")] = 0;
    return STATUS_OK;
}

static enum status make(struct make *m, struct error *e) {
    enum status status = describe_rom(m, e);
    if (status != STATUS_OK)
        return status;
    m->movie.lines = calloc(m->frames, sizeof *m->movie.lines);
    if (m->movie.lines == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", m->out);
    m->movie.line_count = m->frames;
    if (m->player != NULL)
        status = let_play(m, player_find(m->player), e);
    else
        fingers_fill(&m->movie, m->seed);
    return status == STATUS_OK ? movie_write(&m->movie, m->out, e) : status;
}

/* 0, or the exit status. */
static int check(const struct make *m) {
    uint8_t ignored[16];
    if (m->out == NULL)
        return usage_error("movie make", "--out FILE is missing");
    if (m->md5 != NULL && !parse_md5(m->md5, ignored))
        return usage_error("movie make", "--md5 takes 32 hexadecimal digits, not '%s'", m->md5);
    if (m->game != NULL && m->md5 != NULL)
        return usage_error("movie make", "--md5 is for movies made without the ROM");
    if (m->game == NULL && m->player != NULL)
        return usage_error("movie make", "a player needs the ROM: it is missing");
    return 0;
}

int movie_make(int argc, char **argv) {
    struct make m = {.seed = 1, .frames = FRAMES_STANDARD};
    const char *names[PLAYERS_MOST + 1] = {0};
    char player_help[600] = "let a player that knows the game play it:";
    for (size_t i = 0; players[i] != NULL && i < PLAYERS_MOST; i++) {
        size_t n = strlen(player_help);
        names[i] = players[i]->name;
        snprintf(player_help + n, sizeof player_help - n, "%s %s", i > 0 ? "," : "", names[i]);
    }
    const struct option_spec options[] = {
        {"out", "FILE.fm2", "the movie's file (required)", OPTION_STRING, .to = &m.out},
        {"player", "NAME", player_help, OPTION_CHOICE, .to = &m.player, .choices = names},
        {"seed", "N", "of the input (default 1)", OPTION_NUMBER, .to = &m.seed, .least = 0,
         .most = INT64_MAX},
        {"frames", "N", "how many lines (default 18000, five minutes)", OPTION_NUMBER,
         .to = &m.frames, .least = 1, .most = FRAMES_MOST},
        {"name", "TEXT", "the ROM's name in the movie (default: its file's)", OPTION_STRING,
         .to = &m.name},
        {"md5", "HEX", "MD5 of PRG and CHR, when the ROM is not at hand", OPTION_STRING,
         .to = &m.md5},
        {0},
    };
    const struct usage usage = {
        .command = "movie make",
        .operands = "[" GAME_OPERAND "]",
        .most = 1,
        .summary = "Makes a movie for a game. The same options make the same movie.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    m.game = operands.count > 0 ? operands.at[0] : NULL;
    int exit_status = check(&m);
    struct error e = {0};
    if (exit_status == 0 && make(&m, &e) != STATUS_OK)
        exit_status = failure(&e);
    movie_free(&m.movie);
    cartridge_free(m.cartridge);
    game_files_free(&m.files);
    return exit_status;
}
