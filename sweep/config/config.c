#include "config/config.h"

#include "base/base.h"
#include "config/exec_technique.h"
#include "config/fields.h"
#include "config/includes.h"
#include "config/points.h"
#include "config/programs.h"
#include "config/sampling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_FRAMES = 100000000,
    USUAL_HOT = 900,
    MOST_HOT = 1000,
};

#define OUT_OF_MEMORY(c, e) error_set(e, STATUS_MEMORY, "%s: out of memory", (c)->path)

/* ---- games ---- */

static void game_free(struct config_game *g) {
    char *texts[] = {g->name,   g->title, g->rom,        g->sha1,  g->movie,
                     g->stream, g->graph, g->paper_game, g->place, g->other};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; g->further != NULL && g->further[i] != NULL; i++)
        free(g->further[i]);
    free(g->further);
    program_free(g->program);
}

static bool good_name(const char *name) {
    return strlen(name) <= 40 && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static enum status check_paper_game(const struct config *c, const config_setting_t *group,
                                    const char *name, struct error *e) {
    static const char *const games[] = {"1942",        "Balloon Fight",   "Dig Dug",
                                        "Donkey Kong", "Mario Bros",      "Pac-Man",
                                        "Popeye",      "Super Mario Bros"};
    enum { COUNT = sizeof games / sizeof *games };
    char list[200] = "";
    for (int i = 0; i < COUNT; i++) {
        if (name == NULL || strcmp(name, games[i]) == 0)
            return STATUS_OK;
        const size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "", games[i]);
    }
    return fields_error(c->from, group, e, "paper_game: the paper has no game '%s', only %s", name,
                        list);
}

static enum status check_name(const struct config *c, const config_setting_t *group,
                              const struct config_game *g, struct error *e) {
    if (g->name == NULL)
        return fields_error(c->from, group, e, "a %s without a name",
                            g->program != NULL ? "program" : "game");
    if (!good_name(g->name))
        return fields_error(c->from, group, e,
                            "the name '%s' must be made of at most 40 lower-case letters, digits "
                            "and dashes",
                            g->name);
    if (config_find_game(c, g->name) != NULL)
        return fields_error(c->from, group, e, "there are two games named '%s'", g->name);
    return STATUS_OK;
}

static enum status check_game(const struct config *c, const config_setting_t *group,
                              const struct config_game *g, struct error *e) {
    bool foreign = g->stream != NULL || g->graph != NULL;
    if (foreign && (g->stream == NULL || g->graph == NULL))
        return fields_error(c->from, group, e, "%s needs both a stream and a graph", g->name);
    if (foreign && (g->rom != NULL || g->sha1 != NULL || g->movie != NULL))
        return fields_error(c->from, group, e,
                            "%s has both a ROM and a foreign stream: give only one of them",
                            g->name);
    if (!foreign && g->rom == NULL && g->sha1 == NULL)
        return fields_error(c->from, group, e, "%s has neither rom nor sha1", g->name);
    if (!foreign && g->movie == NULL)
        return fields_error(c->from, group, e, "%s has no movie", g->name);
    if (foreign && g->other != NULL)
        return fields_error(c->from, group, e, "only games that are played have an other movie");
    if (!foreign && g->instructions >= 0)
        return fields_error(c->from, group, e, "instructions are given for foreign streams only");
    if (g->sha1 != NULL && (strlen(g->sha1) != 40 || strspn(g->sha1, "0123456789abcdef") != 40))
        return fields_error(c->from, group, e, "sha1 of %s must be 40 lower-case hex digits",
                            g->name);
    return check_paper_game(c, group, g->paper_game, e);
}

/* Completes the game that was read and adds it; frees it if `status` is a failure. */
static enum status push_game(struct config *c, const config_setting_t *group, struct config_game *g,
                             enum status status, struct error *e) {
    if (status == STATUS_OK && g->title == NULL && (g->title = strdup(g->name)) == NULL)
        status = OUT_OF_MEMORY(c, e);
    if (status == STATUS_OK &&
        asprintf(&g->place, "%s:%u", fields_file(c->from, group),
                 includes_line(c->from, config_setting_source_line(group))) < 0) {
        g->place = NULL;
        status = OUT_OF_MEMORY(c, e);
    }
    if (status == STATUS_OK && !vec_push(&c->games, *g))
        status = OUT_OF_MEMORY(c, e);
    if (status != STATUS_OK)
        game_free(g);
    return status;
}

/* The setting is a path or a list of paths. */
static enum status read_movies(struct config *c, const config_setting_t *setting,
                               struct config_game *g, struct error *e) {
    if (!config_setting_is_array(setting) && !config_setting_is_list(setting))
        return fields_text(c->from, setting, true, &g->movie, e);
    const int count = config_setting_length(setting);
    if (count == 0)
        return fields_error(c->from, setting, e, "movie has no values");
    g->further = calloc((size_t)count, sizeof *g->further);
    enum status status = g->further != NULL ? STATUS_OK : OUT_OF_MEMORY(c, e);
    for (int i = 0; status == STATUS_OK && i < count; i++)
        status = fields_text(c->from, config_setting_get_elem(setting, (unsigned)i), true,
                             i == 0 ? &g->movie : &g->further[i - 1], e);
    return status;
}

/* The setting has the syntax of --console. */
static enum status read_console(struct config *c, const config_setting_t *setting,
                                struct nes_console *out, struct error *e) {
    const char *text = config_setting_get_string(setting);
    struct error why = {0};
    if (text == NULL)
        return fields_error(c->from, setting, e, "console must be a text in quotes");
    return nes_console_parse(out, text, &why) == STATUS_OK
               ? STATUS_OK
               : fields_error(c->from, setting, e, "console %s", why.text);
}

static enum status read_game(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_game g = {.instructions = -1};
    config_setting_t *movie = NULL, *console = NULL;
    int64_t frames = (int64_t)c->frames;
    const struct field fields[] = {
        {"name", FIELD_TEXT, &g.name, 0, 0},
        {"title", FIELD_TEXT, &g.title, 0, 0},
        {"rom", FIELD_PATH, &g.rom, 0, 0},
        {"sha1", FIELD_TEXT, &g.sha1, 0, 0},
        {"movie", FIELD_SETTING, &movie, 0, 0},
        {"other", FIELD_PATH, &g.other, 0, 0},
        {"console", FIELD_SETTING, &console, 0, 0},
        {"stream", FIELD_PATH, &g.stream, 0, 0},
        {"graph", FIELD_PATH, &g.graph, 0, 0},
        {"instructions", FIELD_NUMBER, &g.instructions, 0, INT64_MAX},
        {"paper_game", FIELD_TEXT, &g.paper_game, 0, 0},
        {"untested", FIELD_FLAG, &g.untested, 0, 0},
        {"frames", FIELD_NUMBER, &frames, 1, MOST_FRAMES},
        {0},
    };
    enum status status = fields_read(c->from, group, fields, e);
    g.frames = (uint64_t)frames;
    if (status == STATUS_OK && movie != NULL)
        status = read_movies(c, movie, &g, e);
    if (status == STATUS_OK && console != NULL)
        status = read_console(c, console, &g.console, e);
    if (status == STATUS_OK && console != NULL && movie == NULL)
        status = fields_error(c->from, console, e, "only games that are played have a console");
    if (status == STATUS_OK)
        status = check_name(c, group, &g, e);
    if (status == STATUS_OK)
        status = check_game(c, group, &g, e);
    return push_game(c, group, &g, status, e);
}

static enum status read_program(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_game g = {.instructions = -1};
    enum status status = program_read(&g.program, c->from, group, &g.name, &g.title, e);
    if (status == STATUS_OK)
        status = check_name(c, group, &g, e);
    return push_game(c, group, &g, status, e);
}

static enum status read_list(struct config *c, const config_setting_t *list, const char *what,
                             enum status (*read)(struct config *c, const config_setting_t *group,
                                                 struct error *e),
                             struct error *e) {
    if (!config_setting_is_list(list))
        return fields_error(c->from, list, e, "%s must be a list in parentheses", what);
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < config_setting_length(list); i++)
        status = read(c, config_setting_get_elem(list, (unsigned)i), e);
    return status;
}

const struct config_game *config_find_game(const struct config *c, const char *name) {
    for (size_t i = 0; i < c->games.len; i++)
        if (strcmp(c->games.at[i].name, name) == 0)
            return &c->games.at[i];
    return NULL;
}

/* ---- the whole ---- */

bool config_needs_structure(const struct config *c) {
    bool needs = false;
    for (size_t i = 0; i < c->samplings.len; i++)
        needs |= !c->samplings.at[i].live && c->samplings.at[i].options.by == SAMPLER_ACTIVE;
    for (size_t i = 0; i < c->points.len; i++)
        needs |= c->points.at[i].technique->needs_structure;
    return needs;
}

bool config_follows_program(const struct technique *t) {
    return t->replay != NULL && strcmp(t->name, "exact") != 0;
}

bool config_follows_programs(const struct config *c) {
    for (size_t i = 0; i < c->points.len; i++)
        if (config_follows_program(c->points.at[i].technique))
            return true;
    return false;
}

/* Recording the structure needs a run, and live techniques need a replay. Foreign pairs have
 * neither; programs have no replay. */
static enum status check_played(const struct config *c, struct error *e) {
    const struct technique *wants = NULL;
    for (size_t i = 0; i < c->points.len; i++)
        if (c->live || c->points.at[i].technique->needs_structure)
            wants = c->points.at[i].technique;
    for (size_t i = 0; wants != NULL && i < c->games.len; i++)
        if (c->games.at[i].movie == NULL && (c->live || c->games.at[i].program == NULL))
            return error_set(e, STATUS_FORMAT, "%s: %s %s; '%s' has none", c->games.at[i].place,
                             wants->name,
                             c->live ? "watches a replay, and only games with a movie have one"
                                     : "needs the program's structure, which is only known of "
                                       "games and programs that are run here",
                             c->games.at[i].name);
    return STATUS_OK;
}

bool config_has_trace(const struct config_program *p) {
    return p != NULL && !p->native;
}

bool config_has_other(const struct config_program *p) {
    return p->other_command != NULL || p->other_input != NULL;
}

/* A program that nobody samples, and nobody compares with another run, has no results. */
static enum status check_sampled(const struct config *c, struct error *e) {
    bool compared = c->budgets.len > 0;
    for (size_t i = 0; i < c->samplings.len; i++)
        compared |= c->samplings.at[i].other && c->samplings.at[i].seconds == 0;
    for (size_t i = 0; !compared && i < c->games.len; i++)
        if (c->games.at[i].program != NULL && !c->games.at[i].program->sampled)
            return error_set(e, STATUS_FORMAT,
                             "%s: nothing is compared with the exact graph of '%s': add every = N "
                             "for samples, which are recorded under QEMU, or another run and a "
                             "sampling with input = \"other\"",
                             c->games.at[i].place, c->games.at[i].name);
    return STATUS_OK;
}

/* If techniques watch the other input, each game and program must have one. */
static enum status check_others(const struct config *c, struct error *e) {
    bool other = false;
    for (size_t i = 0; i < c->samplings.len; i++)
        other |= c->samplings.at[i].other;
    for (size_t i = 0; other && i < c->games.len; i++) {
        const struct config_game *g = &c->games.at[i];
        if (g->movie != NULL && g->other == NULL)
            return error_set(e, STATUS_FORMAT,
                             "%s: '%s' has no other movie, which input = \"other\" needs: add "
                             "other = \"FILE.fm2\"",
                             g->place, g->name);
        if (g->program != NULL && !config_has_other(g->program))
            return error_set(e, STATUS_FORMAT,
                             "%s: '%s' has no other run, which input = \"other\" needs: add "
                             "other_input = \"FILE\" or other_command = (\"PROGRAM\", ...)",
                             g->place, g->name);
    }
    return STATUS_OK;
}

/* Paths are counted while a game is played, or in a program's trace. */
static enum status check_paths(const struct config *c, const config_setting_t *root,
                               struct error *e) {
    bool played = false;
    for (size_t i = 0; i < c->games.len; i++)
        played |= c->games.at[i].movie != NULL || config_has_trace(c->games.at[i].program);
    return played || !c->paths
               ? STATUS_OK
               : fields_error(c->from, config_setting_get_member(root, "paths"), e,
                              "paths are counted while a game is played or a program recorded, "
                              "and there is neither");
}

/* A live technique yields one graph, at the end, so it has no convergence curve. */
static enum status check_live(const struct config *c, const config_setting_t *convergence,
                              struct error *e) {
    if (convergence != NULL)
        return fields_error(c->from, convergence, e,
                            "convergence needs samples, and nothing is sampled here");
    return c->points.len > 0
               ? STATUS_OK
               : error_set(e, STATUS_FORMAT,
                           "%s: has no grid and no sampling, so there is nothing to compute",
                           c->path);
}

/* The paper's sampling hashes as it did when there was no other, so that old hashes stay valid. */
static void hash_sampling(struct hash *h, const struct config_sampling *sampling) {
    char key[200];
    const struct sampler_options *s = &sampling->options;
    if (!sampling->live && s->by == SAMPLER_TIME && !s->weigh) {
        hash_add(h,
                 "method %d interval %" PRIu64 " batch %u jitter %" PRIu64 " seed %" PRIu64
                 " phase %" PRIu64 "\n",
                 CONFIG_METHOD, s->interval_us, s->batch_length, s->jitter_us, s->seed,
                 s->phase_cycles);
        return;
    }
    config_key(sampling, key, sizeof key);
    hash_add(h, "method %d sampling %s\n", CONFIG_METHOD, key);
}

/* The paper's hot share alone is not hashed: definitions named none when there was no other. */
static bool is_usual_hot(const struct config *c) {
    return c->hot.len == 1 && c->hot.at[0] == USUAL_HOT;
}

static enum status hash_definition(struct config *c, struct error *e) {
    struct hash *h = hash_start();
    for (size_t i = 0; i < c->samplings.len; i++)
        hash_sampling(h, &c->samplings.at[i]);
    for (size_t i = 0; i < c->points.len; i++) {
        const struct config_point *p = &c->points.at[i];
        hash_add(h, "%d %s %d\n", p->number, p->key, p->label != NULL);
    }
    for (size_t i = 0; i < c->marks.len; i++)
        hash_add(h, "mark %" PRIu64 "\n", c->marks.at[i]);
    for (size_t i = 0; i < c->hot.len && !is_usual_hot(c); i++)
        hash_add(h, "hot %u\n", c->hot.at[i]);
    for (size_t i = 0; i < c->windows.len; i++)
        hash_add(h, "window %" PRIu64 "\n", c->windows.at[i]);
    for (size_t i = 0; i < c->program_windows.len; i++)
        hash_add(h, "window instructions %" PRIu64 "\n", c->program_windows.at[i]);
    if (c->paths)
        hash_add(h, "paths\n");
    return hash_finish(h, c->definition_hash) ? STATUS_OK : OUT_OF_MEMORY(c, e);
}

static char *stem(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *start = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    return strndup(start, dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start));
}

/* Replaces characters that an experiment's name may not contain with dashes. */
static enum status name_experiment(struct config *c, const config_setting_t *root,
                                   struct error *e) {
    if (c->name != NULL)
        return file_good_name(c->name)
                   ? STATUS_OK
                   : fields_error(c->from, config_setting_get_member(root, "name"), e,
                                  "the name '%s' must be 1 to 80 letters (a to z, A to Z), digits, "
                                  "underscores and dashes, not a dash first",
                                  c->name);
    if ((c->name = stem(c->path)) == NULL)
        return OUT_OF_MEMORY(c, e);
    for (char *at = c->name; *at != '\0'; at++)
        if (strchr(FILE_NAME_CHARACTERS, *at) == NULL || (at == c->name && *at == '-'))
            *at = at == c->name ? '_' : '-';
    if (strlen(c->name) > 80)
        c->name[80] = '\0';
    return STATUS_OK;
}

/* The setting is a share or a list of shares. */
static enum status read_hot(struct config *c, const config_setting_t *setting, struct error *e) {
    if (setting == NULL)
        return vec_push(&c->hot, (unsigned)USUAL_HOT) ? STATUS_OK : OUT_OF_MEMORY(c, e);
    const bool many = config_setting_is_array(setting) || config_setting_is_list(setting);
    const int count = many ? config_setting_length(setting) : 1;
    if (count == 0)
        return fields_error(c->from, setting, e, "hot_permille has no values");
    for (int i = 0; i < count; i++) {
        int64_t share;
        enum status status =
            fields_integer(c->from, many ? config_setting_get_elem(setting, (unsigned)i) : setting,
                           1, MOST_HOT, &share, e);
        if (status != STATUS_OK)
            return status;
        for (size_t k = 0; k < c->hot.len; k++)
            if (c->hot.at[k] == (unsigned)share)
                return fields_error(c->from, setting, e, "hot_permille has the value %u twice",
                                    c->hot.at[k]);
        if (!vec_push(&c->hot, (unsigned)share))
            return OUT_OF_MEMORY(c, e);
    }
    return STATUS_OK;
}

/* Games need `frames` and labels need the grid, so these are read first, whatever the file's
 * order. */
static enum status read_root(struct config *c, const config_setting_t *root, struct error *e) {
    config_setting_t *sampling = NULL, *hot = NULL, *grid = NULL, *convergence = NULL,
                     *windows = NULL, *games = NULL, *programs = NULL, *budgets = NULL;
    int64_t frames = (int64_t)c->frames;
    const struct field fields[] = {
        {"name", FIELD_TEXT, &c->name, 0, 0},
        {"frames", FIELD_NUMBER, &frames, 1, MOST_FRAMES},
        {"sampling", FIELD_SETTING, &sampling, 0, 0},
        {"hot_permille", FIELD_SETTING, &hot, 0, 0},
        {"grid", FIELD_SETTING, &grid, 0, 0},
        {"convergence", FIELD_SETTING, &convergence, 0, 0},
        {"windows", FIELD_SETTING, &windows, 0, 0},
        {"paths", FIELD_FLAG, &c->paths, 0, 0},
        {"roms", FIELD_PATH, &c->roms, 0, 0},
        {"games", FIELD_SETTING, &games, 0, 0},
        {"programs", FIELD_SETTING, &programs, 0, 0},
        {"budgets", FIELD_SETTING, &budgets, 0, 0},
        {0},
    };
    enum status status = fields_read(c->from, root, fields, e);
    c->frames = (uint64_t)frames;
    if (status == STATUS_OK)
        status = name_experiment(c, root, e);
    if (status == STATUS_OK)
        status = sampling_read(c, sampling, e);
    c->recorded = programs != NULL;
    c->live &= !c->recorded;
    if (status == STATUS_OK)
        status = read_hot(c, hot, e);
    if (status == STATUS_OK && grid != NULL)
        status = points_read_grid(c, grid, e);
    if (status == STATUS_OK && c->live)
        status = check_live(c, convergence, e);
    else if (status == STATUS_OK)
        status = points_push_baseline(c, e);
    if (status == STATUS_OK && convergence != NULL)
        status = points_read_convergence(c, convergence, e);
    if (status == STATUS_OK && windows != NULL)
        status = points_read_windows(c, windows, e);
    if (status == STATUS_OK && games != NULL)
        status = read_list(c, games, "games", read_game, e);
    if (status == STATUS_OK && programs != NULL)
        status = read_list(c, programs, "programs", read_program, e);
    if (status == STATUS_OK && budgets != NULL)
        status = read_list(c, budgets, "budgets", budget_read, e);
    if (status == STATUS_OK)
        status = check_played(c, e);
    if (status == STATUS_OK)
        status = check_paths(c, root, e);
    if (status == STATUS_OK)
        status = check_others(c, e);
    if (status == STATUS_OK)
        status = check_sampled(c, e);
    return status != STATUS_OK ? status : hash_definition(c, e);
}

static enum status parse_file(struct config *c, config_t *file, struct includes *from,
                              struct error *e) {
    struct stat info;
    if (stat(c->path, &info) == 0 && S_ISDIR(info.st_mode))
        return error_set(e, STATUS_IO, "%s: is a folder, not a configuration file", c->path);
    if (access(c->path, R_OK) != 0)
        return file_unopened(c->path, errno, e);
    enum status status = includes_read(from, c->path, e);
    if (status != STATUS_OK || config_read_string(file, from->text) == CONFIG_TRUE)
        return status;
    const unsigned line = (unsigned)config_error_line(file);
    return error_set(e, STATUS_FORMAT, "%s:%u: %s", includes_file(from, line),
                     includes_line(from, line), config_error_text(file));
}

enum status config_load(struct config *out, const char *path, struct error *e) {
    struct config c = {.frames = 18000};
    struct includes from = {0};
    config_t file;
    config_init(&file);
    c.path = strdup(path);
    c.from = &from;
    enum status status = c.path != NULL ? parse_file(&c, &file, &from, e)
                                        : error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (status == STATUS_OK)
        status = read_root(&c, config_root_setting(&file), e);
    config_destroy(&file);
    memcpy(&c.files, &from.files, sizeof c.files); /* c owns them now */
    memset(&from.files, 0, sizeof from.files);
    includes_free(&from);
    c.from = NULL;
    if (status != STATUS_OK)
        config_free(&c);
    *out = c;
    return status;
}

void config_free(struct config *c) {
    for (size_t i = 0; i < c->points.len; i++) {
        free(c->points.at[i].label);
        free(c->points.at[i].key);
    }
    for (size_t i = 0; i < c->execs.len; i++)
        exec_technique_free(c->execs.at[i]);
    for (size_t i = 0; i < c->samplings.len; i++)
        free(c->samplings.at[i].variant);
    for (size_t i = 0; i < c->games.len; i++)
        game_free(&c->games.at[i]);
    for (size_t i = 0; i < c->files.len; i++) {
        free(c->files.at[i].path);
        free(c->files.at[i].text);
    }
    vec_free(&c->files);
    vec_free(&c->samplings);
    vec_free(&c->hot);
    vec_free(&c->points);
    vec_free(&c->execs);
    vec_free(&c->marks);
    vec_free(&c->windows);
    vec_free(&c->program_windows);
    vec_free(&c->games);
    vec_free(&c->budgets);
    free(c->path);
    free(c->name);
    free(c->roms);
    *c = (struct config){0};
}
