/* hotgraph init: writes a configuration, with comments, for the user's own games and programs. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "cli/cli.h"
#include "commands/command.h"
#include "nes/movie.h"
#include "nes/nes.h"
#include "qemu/qemu.h"

static const char details[] =
    "A ROM's movie is --game ROM=MOVIE, or the .fm2 file beside it with the same name.\n"
    "Without either, the configuration names one beside itself, and the command that\n"
    "makes it is printed. A program's COMMAND is split at blanks; quotation marks\n"
    "and backslashes protect blanks, as in a shell, which is not called. It will run in\n"
    "the current folder.\n"
    "\n"
    "The configuration samples as the paper did, and tries observed samples, samples\n"
    "repaired by flow, and the configurations of GFCGaussiano that the paper names. Its\n"
    "comments say what to change; docs/configuration.md has the rest.\n"
    "\n"
    "Examples:\n"
    "  hotgraph init --game roms/mygame.nes --out my.cfg\n"
    "  hotgraph init --program 'gzip -9 -c README.md' --out my.cfg\n";

enum { NAME_MOST = 40, WORDS_MOST = 256 };

struct init {
    const char *name, *out;
    struct option_list games, programs;
    struct file_writer *file;
    VEC(char *) names; /* of the entries so far */
    bool force, json;
    bool next_steps; /* something is left to do before the sweep */
};

static enum status out_of_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory");
}

/* ---- names and texts of a configuration ---- */

/* libconfig's string: quotation marks and backslashes have a backslash. */
static void put_string(struct init *c, const char *text) {
    file_printf(c->file, "\"");
    for (; *text != '\0'; text++)
        file_printf(c->file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    file_printf(c->file, "\"");
}

/* A path below the configuration's folder is relative to it; others are absolute. Neither needs to
 * exist, but its folder does. */
static enum status put_path(struct init *c, const char *path, struct error *e) {
    char *folder = file_beside(path, "", 0), *own = file_beside(c->out, "", 0);
    char real[PATH_MAX], base[PATH_MAX];
    const char *slash = strrchr(path, '/'), *leaf = slash != NULL ? slash + 1 : path;
    enum status status = STATUS_OK;
    if (folder == NULL || own == NULL)
        status = out_of_memory(e);
    else if (realpath(folder[0] != '\0' ? folder : ".", real) == NULL ||
             realpath(own[0] != '\0' ? own : ".", base) == NULL)
        status = error_set(e, STATUS_IO, "%s: its folder does not exist", path);
    free(folder);
    free(own);
    if (status != STATUS_OK)
        return status;
    const size_t length = strlen(base);
    char text[2 * PATH_MAX];
    if (strncmp(real, base, length) == 0 && real[length] == '/')
        snprintf(text, sizeof text, "%s/%s", real + length + 1, leaf);
    else if (strcmp(real, base) == 0)
        snprintf(text, sizeof text, "%s", leaf);
    else
        snprintf(text, sizeof text, "%s/%s", strcmp(real, "/") == 0 ? "" : real, leaf);
    put_string(c, text);
    return STATUS_OK;
}

static bool name_taken(const struct init *c, const char *name) {
    for (size_t i = 0; i < c->names.len; i++)
        if (strcmp(c->names.at[i], name) == 0)
            return true;
    return false;
}

/* Makes the file's name a game's name: lower-case letters, digits and dashes, unique. */
static enum status make_name(struct init *c, const char *path, char out[NAME_MOST + 1],
                             struct error *e) {
    const char *slash = strrchr(path, '/'), *leaf = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(leaf, '.');
    const size_t length = dot != NULL && dot > leaf ? (size_t)(dot - leaf) : strlen(leaf);
    size_t n = 0;
    for (size_t i = 0; i < length && n < NAME_MOST - 4; i++) {
        const unsigned char x = (unsigned char)leaf[i];
        if (isalnum(x))
            out[n++] = (char)tolower(x);
        else if (n > 0 && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n > 0 && out[n - 1] == '-')
        n--;
    if (n == 0)
        out[n++] = 'x';
    out[n] = '\0';
    for (unsigned i = 2; name_taken(c, out) && i < 1000; i++)
        snprintf(out + n, (size_t)(NAME_MOST + 1) - n, "-%u", i);
    char *copy = strdup(out);
    if (copy != NULL && vec_push(&c->names, copy))
        return STATUS_OK;
    free(copy);
    return out_of_memory(e);
}

/* ---- games ---- */

/* Finds the movie of "ROM" or "ROM=MOVIE". *rom and *movie are to be freed; *missing: the movie does
 * not exist yet. */
static enum status find_movie(const struct init *c, const char *text, const char *name, char **rom,
                              char **movie, bool *missing, struct error *e) {
    const char *equals = strrchr(text, '=');
    *rom = equals != NULL ? strndup(text, (size_t)(equals - text)) : strdup(text);
    *movie = NULL;
    *missing = false;
    if (*rom == NULL)
        return out_of_memory(e);
    if (equals != NULL) {
        *movie = strdup(equals + 1);
        return *movie != NULL ? STATUS_OK : out_of_memory(e);
    }
    const char *dot = strrchr(*rom, '.'), *slash = strrchr(*rom, '/');
    const size_t stem =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - *rom) : strlen(*rom);
    if (asprintf(movie, "%.*s.fm2", (int)stem, *rom) < 0)
        *movie = NULL;
    if (*movie == NULL || access(*movie, F_OK) == 0)
        return *movie != NULL ? STATUS_OK : out_of_memory(e);
    free(*movie);
    *missing = true;
    char leaf[NAME_MOST + 8];
    snprintf(leaf, sizeof leaf, "%s.fm2", name);
    *movie = file_beside(c->out, leaf, strlen(leaf));
    return *movie != NULL ? STATUS_OK : out_of_memory(e);
}

static enum status check_game(const char *rom, const char *movie, bool missing, struct error *e) {
    struct cartridge *cartridge = NULL;
    struct movie loaded = {0};
    enum status status = cartridge_load(&cartridge, rom, e);
    if (status == STATUS_OK && !missing)
        status = movie_load(&loaded, movie, e);
    movie_free(&loaded);
    cartridge_free(cartridge);
    return status;
}

static enum status put_game(struct init *c, const char *text, struct error *e) {
    char name[NAME_MOST + 1], *rom = NULL, *movie = NULL;
    bool missing = false;
    const char *equals = strrchr(text, '=');
    char *path = strndup(text, equals != NULL ? (size_t)(equals - text) : strlen(text));
    enum status status = path != NULL ? make_name(c, path, name, e) : out_of_memory(e);
    free(path);
    if (status == STATUS_OK)
        status = find_movie(c, text, name, &rom, &movie, &missing, e);
    if (status == STATUS_OK)
        status = check_game(rom, movie, missing, e);
    if (status == STATUS_OK) {
        file_printf(c->file, "    { name = \"%s\"; rom = ", name);
        status = put_path(c, rom, e);
    }
    if (status == STATUS_OK) {
        file_printf(c->file, ";\n      movie = ");
        status = put_path(c, movie, e);
    }
    if (status == STATUS_OK)
        file_printf(c->file, "; }");
    if (status == STATUS_OK && missing) {
        fprintf(stderr,
                "%s has no movie yet; make one of random input:\n"
                "  hotgraph movie make '%s' --out '%s'\n",
                name, rom, movie);
        c->next_steps = true;
    }
    free(rom);
    free(movie);
    return status;
}

/* ---- programs ---- */

/* Splits at blanks, as a shell does, within `text`. Returns the number of words; 0: a quotation mark
 * is open, or there are too many. */
static unsigned split(char *text, char *words[WORDS_MOST]) {
    unsigned count = 0;
    char *to = text, quote = '\0';
    bool inside = false;
    for (const char *at = text; *at != '\0'; at++) {
        if (quote == '\0' && isspace((unsigned char)*at)) {
            if (inside)
                *to++ = '\0';
            inside = false;
            continue;
        }
        if (!inside && count == WORDS_MOST)
            return 0;
        if (!inside)
            words[count++] = to;
        inside = true;
        if (quote == '\0' && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (quote != '\0' && *at == quote)
            quote = '\0';
        else if (*at == '\\' && quote != '\'' && at[1] != '\0')
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *to = '\0';
    return quote == '\0' ? count : 0;
}

static enum status put_words(struct init *c, const char *command, char *const *words,
                             unsigned count, struct error *e) {
    char name[NAME_MOST + 1], path[PATH_MAX], folder[PATH_MAX];
    if (!child_find(words[0], path, sizeof path))
        return error_set(e, STATUS_IO, "--program %s: there is no program '%s' in $PATH", command,
                         words[0]);
    enum status status = qemu_can_record(path, e);
    if (status == STATUS_OK)
        status = make_name(c, words[0], name, e);
    if (status == STATUS_OK && getcwd(folder, sizeof folder) == NULL)
        status = error_set(e, STATUS_IO, "the current folder has no path");
    if (status != STATUS_OK)
        return status;
    file_printf(c->file, "    { name = \"%s\"; folder = ", name);
    put_string(c, folder);
    file_printf(c->file, "; every = 16661;\n      command = (");
    for (unsigned i = 0; i < count; i++) {
        file_printf(c->file, "%s", i > 0 ? ", " : "");
        put_string(c, i == 0 ? path : words[i]);
    }
    file_printf(c->file, "); }");
    return STATUS_OK;
}

static enum status put_program(struct init *c, const char *command, struct error *e) {
    char *words[WORDS_MOST], *copy = strdup(command);
    if (copy == NULL)
        return out_of_memory(e);
    const unsigned count = split(copy, words);
    const enum status status =
        count > 0
            ? put_words(c, command, words, count, e)
            : error_set(e, STATUS_ARGUMENT,
                        "--program %s: has no words, too many, or an open quotation mark", command);
    free(copy);
    return status;
}

/* ---- the whole ---- */

static const char head[] =
    "# An experiment, made by `hotgraph init`. Run it, and again after each change:\n"
    "#\n"
    "#     hotgraph sweep THIS-FILE --db results.db && hotgraph report results.db --out report\n"
    "#\n"
    "# Paths are relative to this file's folder.\n"
    "\n";
static const char body[] =
    "\n"
    "# Frames of each game to play: 18000 are five minutes. Longer runs find more.\n"
    "frames = 18000;\n"
    "\n"
    "# What a sampler sees: 25 instructions, every 3 ms. Lists of values give several streams:\n"
    "# interval_ms = [3, 30]. Other samplers: by = \"instructions\", \"transfers\", \"active\".\n"
    "sampling = { interval_ms = 3; batch = 25; };\n"
    "\n"
    "# Techniques and parameters; lists of values are combined. `hotgraph techniques` lists them. "
    "What\n"
    "# can be read off the samples alone (`observed`) is always there as the baseline.\n"
    "grid = (\n"
    "    { technique = \"gaussian\"; bin_size = [8, 10, 16]; stdev_threshold = [8, 15]; "
    "window_size = [6, 13];\n"
    "      recurrent_threshold = [5, 12]; },\n"
    "    { technique = \"flow\"; }\n"
    ");\n";

static enum status put_list(struct init *c, const char *key, const struct option_list *list,
                            enum status (*put)(struct init *, const char *, struct error *),
                            const char *comment, struct error *e) {
    if (list->items.len == 0)
        return STATUS_OK;
    file_printf(c->file, "\n%s%s = (\n", comment, key);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < list->items.len; i++) {
        status = put(c, list->items.at[i], e);
        file_printf(c->file, i + 1 < list->items.len ? ",\n" : "\n);\n");
    }
    return status;
}

static enum status write_all(struct init *c, struct error *e) {
    enum status status = file_open(&c->file, c->out, e);
    if (status != STATUS_OK)
        return status;
    file_printf(c->file, "%sname = \"%s\";\n%s", head, c->name, body);
    status = put_list(c, "games", &c->games, put_game,
                      "# More keys of a game: title, frames, several movies (movie = [\"a.fm2\", "
                      "\"b.fm2\"]), console.\n",
                      e);
    if (status == STATUS_OK)
        status =
            put_list(c, "programs", &c->programs, put_program,
                     "# A batch begins at every 16661st instruction: 0.15 % of them are observed. "
                     "More keys: input (a file\n"
                     "# for standard input), env, without (techniques to leave out), batch.\n",
                     e);
    if (status == STATUS_OK)
        return file_commit(c->file, e);
    file_abort(c->file);
    return status;
}

static enum status check_game_option(const char *text, struct error *e) {
    return text[0] != '=' ? STATUS_OK
                          : error_set(e, STATUS_ARGUMENT, "takes ROM or ROM=MOVIE, not '%s'", text);
}

static enum status check_name(const char *name, struct error *e) {
    return file_good_name(name)
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT,
                           "takes 1 to 80 letters, digits, dashes and underscores, not '%s'", name);
}

/* The games come first. */
static void print_json(const struct init *c) {
    const size_t games = c->games.items.len;
    printf("{");
    print_json_text("out", c->out);
    printf(", ");
    print_json_text("experiment", c->name);
    printf(", \"games\": [");
    for (size_t i = 0; i < c->names.len; i++) {
        printf("%s", i == games ? "], \"programs\": [" : i > 0 ? ", " : "");
        print_json_string(c->names.at[i]);
    }
    printf("%s], \"movies_missing\": %s}\n", c->names.len == games ? "], \"programs\": [" : "",
           c->next_steps ? "true" : "false");
}

static int run(struct init *c) {
    struct error e = {0};
    if (c->games.items.len + c->programs.items.len == 0)
        return usage_error("init", "name at least one --game ROM or --program COMMAND");
    if (!c->force && access(c->out, F_OK) == 0) {
        error_set(&e, STATUS_ARGUMENT,
                  "%s: exists already; name another file, or replace it with --force", c->out);
        return failure(&e);
    }
    const enum status status = write_all(c, &e);
    if (status == STATUS_OK && c->json)
        print_json(c);
    else if (status == STATUS_OK)
        printf(
            "%s is written.%s hotgraph sweep runs it, with --dry-run it says what it would do.\n",
            c->out, c->next_steps ? " Make the movies first; then" : "");
    for (size_t i = 0; i < c->names.len; i++)
        free(c->names.at[i]);
    vec_free(&c->names);
    return status == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}

int command_init(int argc, char **argv) {
    struct init c = {.name = "own", .out = NULL};
    const struct option_spec options[] = {
        {"out", "FILE", "the configuration to write", OPTION_STRING, .to = &c.out,
         .file = FILE_WRITTEN},
        {"game", "ROM[=MOVIE]", "a game; may be repeated", OPTION_LIST, .to = &c.games,
         .check = check_game_option},
        {"program", "COMMAND", "a Linux program with its arguments; may be repeated", OPTION_LIST,
         .to = &c.programs},
        {"name", "NAME", "the experiment's name (default: own)", OPTION_STRING, .to = &c.name,
         .check = check_name},
        {"force", NULL, "replace FILE if it exists", OPTION_FLAG, .to = &c.force},
        json_option(&c.json),
        {0},
    };
    const struct usage usage = {
        .command = "init",
        .operands = "",
        .summary = "Writes a configuration for your own games and programs.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    const int status = c.out != NULL ? run(&c) : usage_error("init", "--out FILE is missing");
    vec_free(&c.games.items);
    vec_free(&c.programs.items);
    return status;
}
