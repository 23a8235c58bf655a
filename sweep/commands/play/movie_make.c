/* hotgraph movie make: makes a movie from seeded input, or with a player that reads the game's
 * RAM. */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "nes/movie.h"
#include "play/play.h"

enum { FRAMES_STANDARD = 18000, FRAMES_MOST = 10000000, PLAYERS_MOST = 64 };

struct make {
    const char *game, *out, *player, *name, *md5;
    uint64_t seed, frames;
    struct game_files files;
    struct cartridge *cartridge; /* NULL without a ROM */
    struct movie movie;
    struct activity activity; /* only with a ROM */
    bool force, json;
};

static const char details[] =
    GAME_DETAILS "Without --player, the input is random: directions and buttons are held for as\n"
                 "long as people hold them. The game is replayed meanwhile and examined as in\n"
                 "'hotgraph movie check'. When it stands still for four seconds (on its title,\n"
                 "in a pause, when it is over), Start is pressed once. Without the ROM this\n"
                 "cannot be seen: then the reset button is pressed every minute, and Start when\n"
                 "the title screen should appear; --name and --md5 identify the ROM.\n"
                 "\n"
                 "A player reads RAM in each frame and plays one game well; it needs the ROM.\n"
                 "\n"
                 "At the end it says whether the movie plays, as 'hotgraph movie check' does.\n"
                 "The exit status is 1 if the movie stands still or plays only in part; it is\n"
                 "written nevertheless.\n"
                 "\n"
                 "The program reads line i+1 in frame i. A line with a reset takes no frame. In\n"
                 "the last frame nothing is pressed.\n"
                 "\n"
                 "Examples:\n"
                 "  hotgraph movie make game.nes --out game.fm2 --seed 7\n"
                 "  hotgraph movie make mazewisp --player mazewisp --out m.fm2\n";

/* ---- playing ---- */

/* Lets the player press buttons on the running machine; every played line becomes the movie's. */
static enum status let_play(struct make *m, const struct player *player, struct nes *nes,
                            struct error *e) {
    enum status status = STATUS_OK;
    void *mind = calloc(1, player->state_size > 0 ? player->state_size : 1);
    if (mind == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (player->start != NULL)
        player->start(mind, m->seed);
    for (size_t i = 1; i < m->movie.line_count && status == STATUS_OK; i++) {
        m->movie.lines[i].pads[0] = player->press(mind, nes_ram(nes), i - 1);
        status = movie_play_frame(&m->movie, nes, e);
        if (status == STATUS_OK)
            status = activity_look(&m->activity, nes, e);
        if (status == STATUS_OK && interrupt_signal() != 0)
            status = error_set(e, STATUS_INTERRUPTED, "stopped by signal %d", interrupt_signal());
    }
    free(mind);
    return status;
}

/* A player cannot play another game. The list of games, if there is one, tells which is its own. */
static enum status check_player(const struct make *m, struct error *e) {
    struct game_files own;
    struct cartridge *cartridge = NULL;
    if (m->force || game_find(&own, m->player, NULL) != STATUS_OK)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (cartridge_load(&cartridge, own.rom, NULL) == STATUS_OK &&
        strcmp(cartridge->sha1, m->cartridge->sha1) != 0)
        status = error_set(e, STATUS_ARGUMENT,
                           "%s: the player %s only knows the game %s, and this is another ROM; "
                           "--force lets it try",
                           m->files.rom, m->player, own.rom);
    cartridge_free(cartridge);
    game_files_free(&own);
    return status;
}

static enum status play_with_rom(struct make *m, struct error *e) {
    struct nes *nes = NULL;
    if (m->player != NULL && check_player(m, e) != STATUS_OK)
        return e->status;
    m->movie.lines = calloc(m->frames, sizeof *m->movie.lines);
    if (m->movie.lines == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", m->out);
    m->movie.line_count = m->frames;
    interrupt_catch();
    enum status status = activity_begin(&m->activity, m->cartridge, e);
    if (status == STATUS_OK)
        status = engine_create(
            &nes, &(struct engine_choice){0},
            &(struct nes_options){.cartridge = m->cartridge, .console = m->files.console}, e);
    if (status == STATUS_OK && m->player != NULL)
        status = let_play(m, player_find(m->player), nes, e);
    else if (status == STATUS_OK)
        status = activity_play(&m->activity, &m->movie, nes, m->seed, e);
    nes_free(nes);
    if (status == STATUS_INTERRUPTED)
        error_prefix(e, "%s: not made", m->out);
    else if (status != STATUS_OK)
        error_prefix(e, "%s", m->files.rom);
    return status;
}

/* ---- the ROM ---- */

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
        cartridge_md5(m->cartridge, movie->checksum);
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
    if (status == STATUS_OK && m->cartridge != NULL)
        status = play_with_rom(m, e);
    else if (status == STATUS_OK)
        status = fingers_fill(&m->movie, m->frames, m->seed, e);
    return status == STATUS_OK ? movie_write(&m->movie, m->out, e) : status;
}

static void print_result(const struct make *m) {
    if (m->json) {
        printf("{\"movie\": ");
        print_json_string(m->out);
        printf(", \"rom\": ");
        if (m->cartridge != NULL) {
            print_json_string(m->files.rom);
            printf(",\n ");
            activity_print(&m->activity, true);
            printf("}\n");
        } else {
            printf("null, \"frames\": %" PRIu64 ", \"verdict\": null}\n", movie_frames(&m->movie));
        }
    } else if (m->cartridge != NULL) {
        printf("%s\n", m->out);
        activity_print(&m->activity, false);
    } else {
        printf("%s\nverdict       none: this cannot be checked without the ROM\n", m->out);
    }
}

/* The exit status for the movie's verdict. */
static int exit_status_of(const struct make *m) {
    const enum activity_verdict verdict = activity_verdict(&m->activity);
    return verdict == ACTIVITY_STANDS || verdict == ACTIVITY_IN_PART ? EXIT_FAILURE : 0;
}

/* Returns 0, or the exit status. */
static int check(const struct make *m) {
    uint8_t ignored[16];
    if (m->out == NULL)
        return usage_error("movie make", "--out FILE is missing");
    if (m->md5 != NULL && !parse_md5(m->md5, ignored))
        return usage_error("movie make", "--md5 takes 32 hexadecimal digits, not '%s'", m->md5);
    if (m->game != NULL && m->md5 != NULL)
        return usage_error("movie make", "--md5 is for movies made without the ROM");
    if (m->game == NULL && m->player != NULL)
        return usage_error("movie make", "--player needs the ROM: name the game or its ROM");
    return 0;
}

int command_movie_make(int argc, char **argv) {
    struct make m = {.seed = 1, .frames = FRAMES_STANDARD};
    const char *names[PLAYERS_MOST + 1] = {0};
    char player_help[600] = "let a player for that game play it:";
    for (size_t i = 0; players[i] != NULL && i < PLAYERS_MOST; i++) {
        size_t n = strlen(player_help);
        names[i] = players[i]->name;
        snprintf(player_help + n, sizeof player_help - n, "%s %s", i > 0 ? "," : "", names[i]);
    }
    const struct option_spec options[] = {
        {"out", "FILE.fm2", "the movie's file (required)", OPTION_STRING, .to = &m.out,
         .file = FILE_WRITTEN},
        {"player", "NAME", player_help, OPTION_CHOICE, .to = &m.player, .choices = names},
        {"seed", "N", "the seed of the random input (default 1)", OPTION_NUMBER, .to = &m.seed,
         .least = 0, .most = INT64_MAX},
        {"frames", "N", "the movie's length (default 18000, five minutes)", OPTION_NUMBER,
         .to = &m.frames, .least = 1, .most = FRAMES_MOST},
        {"name", "TEXT", "the ROM's name in the movie (default: its file name)", OPTION_STRING,
         .to = &m.name},
        {"md5", "HEX", "MD5 of PRG and CHR, if you do not have the ROM", OPTION_STRING,
         .to = &m.md5},
        {"force", NULL, "let a player try a game that is not its own", OPTION_FLAG, .to = &m.force},
        {"json", NULL, "print the result as JSON", OPTION_FLAG, .to = &m.json},
        {0},
    };
    const struct usage usage = {
        .command = "movie make",
        .operands = "[" GAME_OPERAND "]",
        .inputs = 1,
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
    if (exit_status == 0 && m.game != NULL)
        exit_status = game_spared(&usage, m.game);
    struct error e = {0};
    if (exit_status == 0 && make(&m, &e) != STATUS_OK)
        exit_status = failure(&e);
    else if (exit_status == 0) {
        print_result(&m);
        exit_status = exit_status_of(&m);
    }
    activity_end(&m.activity);
    movie_free(&m.movie);
    cartridge_free(m.cartridge);
    game_files_free(&m.files);
    return exit_status;
}
