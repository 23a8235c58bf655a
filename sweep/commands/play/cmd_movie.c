/* hotgraph movie: describes FM2 movies; movie_make.c makes them, movie_check.c checks them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "nes/movie.h"
#include "play/play.h"

/* ---- info ---- */

struct info {
    const char *path, *rom;
    struct movie movie;
    struct cartridge *cartridge; /* NULL without a ROM */
    bool matches;
    uint64_t presses[2][8]; /* presses of each button, from A to Right */
    uint64_t pressed_frames, soft_resets, hard_resets;
};

static const char *const button_names[8] = {"A",  "B",    "Select", "Start",
                                            "Up", "Down", "Left",   "Right"};

static void survey(struct info *info) {
    uint8_t before[2] = {0};
    for (size_t i = 0; i < info->movie.line_count; i++) {
        const struct movie_line *line = &info->movie.lines[i];
        for (unsigned port = 0; port < 2; port++) {
            uint8_t down = line->pads[port] & (uint8_t)~before[port];
            for (unsigned b = 0; b < 8; b++)
                info->presses[port][b] += down >> b & 1;
            before[port] = line->pads[port];
        }
        info->pressed_frames += (line->pads[0] | line->pads[1]) != 0;
        info->soft_resets += (line->command & MOVIE_SOFT_RESET) != 0;
        info->hard_resets += (line->command & MOVIE_HARD_RESET) != 0;
    }
}

static void print_presses(const struct info *info, unsigned port, bool json) {
    bool any = false;
    for (unsigned b = 0; b < 8; b++) {
        if (json)
            printf("%s\"%s\": %" PRIu64, b == 0 ? "" : ", ", button_names[b],
                   info->presses[port][b]);
        else if (info->presses[port][b] != 0)
            printf("%s%s %" PRIu64, any ? ", " : "", button_names[b], info->presses[port][b]);
        any = any || info->presses[port][b] != 0;
    }
    if (!json && !any)
        printf("nothing");
}

static void checksum_hex(const struct info *info, char out[33]) {
    for (unsigned i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", info->movie.checksum[i]);
}

static void print_text(const struct info *info) {
    const struct movie *m = &info->movie;
    printf("%s\n", info->path);
    printf("SHA-1         %s\n", m->sha1);
    printf("frames        %zu (%.1f s)\n", m->line_count, (double)m->line_count / 60.0988);
    printf("pressed in    %" PRIu64 " frames\n", info->pressed_frames);
    for (unsigned port = 0; port < 2; port++) {
        printf("pad %u         ", port + 1);
        print_presses(info, port, false);
        putchar('\n');
    }
    printf("resets        %" PRIu64 " soft, %" PRIu64 " hard\n", info->soft_resets,
           info->hard_resets);
    printf("made with     %s\n", m->rom_filename[0] != 0 ? m->rom_filename : "(no name)");
    if (m->has_checksum) {
        char hex[33];
        checksum_hex(info, hex);
        printf("ROM's MD5     %s\n", hex);
    }
    if (info->cartridge != NULL)
        printf("%s %s\n", info->rom,
               !m->has_checksum ? "cannot be checked: the movie has no checksum"
               : info->matches  ? "is the ROM with which it was made"
                                : "is not the ROM with which it was made");
}

static void print_json(const struct info *info) {
    const struct movie *m = &info->movie;
    char hex[33];
    checksum_hex(info, hex);
    printf("{\"movie\": ");
    print_json_string(info->path);
    printf(", \"sha1\": \"%s\", \"frames\": %zu, \"pressed_frames\": %" PRIu64
           ",\n \"soft_resets\": %" PRIu64 ", \"hard_resets\": %" PRIu64 ", \"presses\": [{",
           m->sha1, m->line_count, info->pressed_frames, info->soft_resets, info->hard_resets);
    print_presses(info, 0, true);
    printf("}, {");
    print_presses(info, 1, true);
    printf("}],\n \"rom_filename\": ");
    print_json_string(m->rom_filename);
    printf(", \"rom_md5\": %s%s%s, \"matches\": %s}\n", m->has_checksum ? "\"" : "",
           m->has_checksum ? hex : "null", m->has_checksum ? "\"" : "",
           info->cartridge == NULL || !m->has_checksum ? "null"
           : info->matches                             ? "true"
                                                       : "false");
}

static const char info_details[] =
    "If you name a ROM, it also says whether the movie was made with that ROM; if\n"
    "not, the exit status is 1.\n"
    "\n"
    "Example:\n"
    "  hotgraph movie info movies/mazewisp.fm2 games/mazewisp.nes\n";

static int movie_info(int argc, char **argv) {
    bool json = false;
    const struct option_spec options[] = {{"json", NULL, "print JSON", OPTION_FLAG, .to = &json},
                                          {0}};
    const struct usage usage = {
        .command = "movie info",
        .operands = "FILE.fm2 [ROM]",
        .least = 1,
        .most = 2,
        .summary = "Describes a movie: its length, its input, its resets, and the ROM with which "
                   "it was made.",
        .details = info_details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    struct info info = {.path = operands.at[0], .rom = operands.count > 1 ? operands.at[1] : NULL};
    struct error e = {0};
    enum status status = movie_load(&info.movie, info.path, &e);
    if (status == STATUS_OK && info.rom != NULL)
        status = cartridge_load(&info.cartridge, info.rom, &e);
    int exit_status = status == STATUS_OK ? 0 : failure(&e);
    if (status == STATUS_OK) {
        survey(&info);
        info.matches =
            info.cartridge == NULL || movie_matches(&info.movie, info.cartridge, &e) == STATUS_OK;
        json ? print_json(&info) : print_text(&info);
        exit_status = info.matches ? 0 : 1;
    }
    movie_free(&info.movie);
    cartridge_free(info.cartridge);
    return exit_status;
}

/* ---- dispatch ---- */

static const char *const words[] = {"info", "check", "make", NULL};

/* Handles `movie --help` and other options before the subcommand. */
static int movie_options(int argc, char **argv) {
    const struct option_spec options[] = {{.name = NULL}};
    const struct usage usage = {
        .command = "movie",
        .operands = "info|check|make ...",
        .least = 1,
        .most = 1,
        .summary = "Describes movies, checks whether they play their game, or makes them: recorded "
                   "input in FCEUX's text format, FM2 version 3.",
        .details = "  hotgraph movie info FILE.fm2 [ROM]\n"
                   "  hotgraph movie check GAME|ROM [--movie FILE.fm2] [OPTION]...\n"
                   "  hotgraph movie make [GAME|ROM] --out FILE.fm2 [OPTION]...\n"
                   "\n"
                   "See 'hotgraph movie info --help' and so on.\n",
        .options = options,
        .words = words,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    return usage_error("movie", "info, check or make is missing");
}

int command_movie(int argc, char **argv) {
    if (argc < 2)
        return usage_error("movie", "info, check or make is missing");
    if (argv[1][0] == '-')
        return movie_options(argc, argv);
    if (strcmp(argv[1], "info") == 0)
        return movie_info(argc - 1, argv + 1);
    if (strcmp(argv[1], "check") == 0)
        return command_movie_check(argc - 1, argv + 1);
    if (strcmp(argv[1], "make") == 0)
        return command_movie_make(argc - 1, argv + 1);
    const char *near = nearest_word(argv[1], words);
    return usage_error("movie", "'%s' is neither info, check nor make%s%s%s", argv[1],
                       near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
}
