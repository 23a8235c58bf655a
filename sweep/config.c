#include "sweep/config.h"

#include "sweep/fields.h"
#include "sweep/hash.h"
#include "sweep/includes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_FRAMES = 100000000,
    MOST_POINTS = 10000,
    MOST_US = 1000000000,
};

#define OUT_OF_MEMORY(c, e) error_set(e, STATUS_MEMORY, "%s: out of memory", (c)->path)

/* ---- configurations ---- */

static char *point_key(const struct config_point *p) {
    char text[600];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", p->technique->name);
    for (int i = 0; i < TECHNIQUE_PARAMETERS && p->technique->parameters[i].name != NULL; i++)
        if (len < sizeof text)
            len += (size_t)snprintf(text + len, sizeof text - len, " %s=%" PRId64,
                                    p->technique->parameters[i].name, p->values[i]);
    return strdup(text);
}

static void standard_values(struct config_point *p) {
    for (int i = 0; i < TECHNIQUE_PARAMETERS && p->technique->parameters[i].name != NULL; i++)
        p->values[i] = p->technique->parameters[i].standard;
}

/* Index of a technique's parameter, -1 if it has none of that name. */
static int parameter_index(const struct technique *t, const char *name) {
    for (int i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++)
        if (strcmp(t->parameters[i].name, name) == 0)
            return i;
    return -1;
}

static enum status unknown_parameter(const struct config *c, const config_setting_t *setting,
                                     const struct technique *t, struct error *e) {
    char known[400] = "technique";
    size_t len = strlen(known);
    for (int i = 0; i < TECHNIQUE_PARAMETERS && t->parameters[i].name != NULL; i++)
        if (len < sizeof known)
            len += (size_t)snprintf(known + len, sizeof known - len, ", %s", t->parameters[i].name);
    return fields_error(c->path, setting, e, "%s has no parameter '%s' (known here: %s)", t->name,
                        config_setting_name(setting), known);
}

/* The `technique` key of a group; gaussian where it has none. */
static enum status read_technique(const struct config *c, const config_setting_t *group,
                                  const struct technique **out, struct error *e) {
    if (!config_setting_is_group(group))
        return fields_error(c->path, group, e, "a group in braces is expected here");
    const char *name = "gaussian";
    config_setting_t *setting = config_setting_get_member(group, "technique");
    if (setting != NULL && (name = config_setting_get_string(setting)) == NULL)
        return fields_error(c->path, setting, e, "technique must be a text in quotes");
    *out = technique_find(name);
    if (*out == NULL || (*out)->build == NULL)
        return fields_error(c->path, setting != NULL ? setting : group, e,
                            "there is no technique '%s' that works on streams", name);
    return STATUS_OK;
}

/* One parameter's values: a number or an array of different numbers. */
struct axis {
    int parameter;
    VEC(int64_t) values;
};

static enum status read_axis(const struct config *c, const config_setting_t *setting,
                             const struct technique *t, struct axis *axis, struct error *e) {
    axis->parameter = parameter_index(t, config_setting_name(setting));
    if (axis->parameter < 0)
        return unknown_parameter(c, setting, t, e);
    const struct parameter *p = &t->parameters[axis->parameter];
    bool many = config_setting_is_array(setting) || config_setting_is_list(setting);
    int count = many ? config_setting_length(setting) : 1;
    if (count == 0)
        return fields_error(c->path, setting, e, "%s has no values", p->name);
    for (int i = 0; i < count; i++) {
        int64_t value;
        const config_setting_t *one =
            many ? config_setting_get_elem(setting, (unsigned)i) : setting;
        enum status status = fields_integer(c->path, one, p->least, p->most, &value, e);
        if (status != STATUS_OK)
            return status;
        for (size_t k = 0; k < axis->values.len; k++)
            if (axis->values.at[k] == value)
                return fields_error(c->path, setting, e, "%s has the value %" PRId64 " twice",
                                    p->name, value);
        if (!vec_push(&axis->values, value))
            return OUT_OF_MEMORY(c, e);
    }
    return STATUS_OK;
}

/* A window larger than a batch is refused by the techniques; better now than after the replay. */
static enum status check_windows(const struct config *c, const config_setting_t *group,
                                 struct error *e) {
    for (size_t i = 0; i < c->points.len; i++) {
        const struct config_point *p = &c->points.at[i];
        int window = parameter_index(p->technique, "window_size");
        if (window >= 0 && p->values[window] > (int64_t)c->sampling.batch_length)
            return fields_error(c->path, group, e,
                                "window_size %" PRId64 " is larger than a batch of %u instructions",
                                p->values[window], c->sampling.batch_length);
    }
    return STATUS_OK;
}

/* Takes the label over, also when it fails. */
static enum status push_point(struct config *c, struct config_point p, struct error *e) {
    p.key = point_key(&p);
    if (p.key != NULL && vec_push(&c->points, p))
        return STATUS_OK;
    free(p.label);
    free(p.key);
    return OUT_OF_MEMORY(c, e);
}

/* All combinations; the first axis of the file varies slowest. */
static enum status push_grid(struct config *c, const config_setting_t *group,
                             const struct technique *t, const struct axis *axes, int axis_count,
                             struct error *e) {
    size_t total = 1;
    for (int i = 0; i < axis_count; i++) {
        total *= axes[i].values.len;
        if (total > MOST_POINTS)
            return fields_error(c->path, group, e, "the grid has more than %d configurations",
                                MOST_POINTS);
    }
    for (size_t number = 0; number < total; number++) {
        struct config_point p = {.technique = t, .number = (int)number};
        standard_values(&p);
        size_t rest = number;
        for (int i = axis_count; i-- > 0;) {
            p.values[axes[i].parameter] = axes[i].values.at[rest % axes[i].values.len];
            rest /= axes[i].values.len;
        }
        enum status status = push_point(c, p, e);
        if (status != STATUS_OK)
            return status;
    }
    return check_windows(c, group, e);
}

static enum status read_grid(struct config *c, const config_setting_t *group, struct error *e) {
    const struct technique *t;
    enum status status = read_technique(c, group, &t, e);
    struct axis axes[TECHNIQUE_PARAMETERS] = {0};
    int count = 0;
    int length = status == STATUS_OK ? config_setting_length(group) : 0;
    for (int i = 0; status == STATUS_OK && i < length; i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        if (strcmp(config_setting_name(setting), "technique") == 0)
            continue;
        /* libconfig allows a name once a group, so there are no more axes than parameters. */
        status = count < TECHNIQUE_PARAMETERS ? read_axis(c, setting, t, &axes[count], e)
                                              : unknown_parameter(c, setting, t, e);
        count++;
    }
    if (status == STATUS_OK)
        status = push_grid(c, group, t, axes, count, e);
    for (int i = 0; i < TECHNIQUE_PARAMETERS; i++)
        vec_free(&axes[i].values);
    return status;
}

static enum status push_baseline(struct config *c, struct error *e) {
    struct config_point p = {.technique = technique_find("observed"), .number = -1};
    if (p.technique == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "this program was built without the technique "
                         "'observed', which every table needs");
    standard_values(&p);
    p.label = strdup("observed");
    return p.label != NULL ? push_point(c, p, e) : OUT_OF_MEMORY(c, e);
}

/* ---- convergence ---- */

static enum status read_marks(struct config *c, const config_setting_t *list, struct error *e) {
    if (!config_setting_is_array(list) && !config_setting_is_list(list))
        return fields_error(c->path, list, e, "batches must be an array of numbers");
    for (int i = 0; i < config_setting_length(list); i++) {
        int64_t mark;
        const config_setting_t *setting = config_setting_get_elem(list, (unsigned)i);
        enum status status = fields_integer(c->path, setting, 1, INT64_MAX / 2, &mark, e);
        if (status != STATUS_OK)
            return status;
        if (c->marks.len > 0 && (uint64_t)mark <= c->marks.at[c->marks.len - 1])
            return fields_error(c->path, list, e, "batches must rise from each to the next");
        if (!vec_push(&c->marks, (uint64_t)mark))
            return OUT_OF_MEMORY(c, e);
    }
    return STATUS_OK;
}

static enum status read_values(const struct config *c, const config_setting_t *group,
                               struct config_point *p, struct error *e) {
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (strcmp(name, "technique") == 0 || strcmp(name, "label") == 0)
            continue;
        int k = parameter_index(p->technique, name);
        if (k < 0)
            return unknown_parameter(c, setting, p->technique, e);
        const struct parameter *parameter = &p->technique->parameters[k];
        enum status status =
            fields_integer(c->path, setting, parameter->least, parameter->most, &p->values[k], e);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Gives a configuration of the grid its label. */
static enum status label_point(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_point wanted = {.number = -1};
    enum status status = read_technique(c, group, &wanted.technique, e);
    if (status != STATUS_OK)
        return status;
    standard_values(&wanted);
    config_setting_t *label = config_setting_get_member(group, "label");
    const char *text = label != NULL ? config_setting_get_string(label) : NULL;
    if (text == NULL || text[0] == '\0')
        return fields_error(c->path, group, e, "a label in quotes is missing here");
    if ((status = read_values(c, group, &wanted, e)))
        return status;
    for (size_t i = 0; i < c->points.len; i++)
        if (c->points.at[i].label != NULL && strcmp(c->points.at[i].label, text) == 0)
            return fields_error(c->path, label, e, "the label '%s' is taken", text);
    for (size_t i = 0; i < c->points.len; i++) {
        struct config_point *p = &c->points.at[i];
        if (p->number < 0 || p->technique != wanted.technique ||
            memcmp(p->values, wanted.values, sizeof p->values) != 0)
            continue;
        if (p->label != NULL)
            return fields_error(c->path, group, e, "this configuration is '%s' already", p->label);
        p->label = strdup(text);
        return p->label != NULL ? STATUS_OK : OUT_OF_MEMORY(c, e);
    }
    return fields_error(c->path, group, e, "this configuration is not one of the grid's");
}

static enum status read_convergence(struct config *c, const config_setting_t *group,
                                    struct error *e) {
    config_setting_t *marks = NULL, *list = NULL;
    const struct field fields[] = {
        {"batches", FIELD_SETTING, &marks, 0, 0},
        {"configurations", FIELD_SETTING, &list, 0, 0},
        {0},
    };
    enum status status = fields_read(c->path, group, fields, e);
    if (status == STATUS_OK && marks != NULL)
        status = read_marks(c, marks, e);
    if (status == STATUS_OK && list != NULL && !config_setting_is_list(list))
        status = fields_error(c->path, list, e, "configurations must be a list in parentheses");
    for (int i = 0; status == STATUS_OK && list != NULL && i < config_setting_length(list); i++)
        status = label_point(c, config_setting_get_elem(list, (unsigned)i), e);
    return status;
}

/* ---- games ---- */

static void game_free(struct config_game *g) {
    char *texts[] = {g->name,   g->title, g->rom,        g->sha1, g->movie,
                     g->stream, g->graph, g->paper_game, g->place};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

static bool good_name(const char *name) {
    return strlen(name) <= 40 && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static enum status check_game(const struct config *c, const config_setting_t *group,
                              const struct config_game *g, struct error *e) {
    bool foreign = g->stream != NULL || g->graph != NULL;
    if (g->name == NULL)
        return fields_error(c->path, group, e, "a game without a name");
    if (!good_name(g->name))
        return fields_error(c->path, group, e,
                            "the name '%s' must be made of at most 40 lower-case letters, digits "
                            "and dashes",
                            g->name);
    if (config_find_game(c, g->name) != NULL)
        return fields_error(c->path, group, e, "there are two games named '%s'", g->name);
    if (foreign && (g->stream == NULL || g->graph == NULL))
        return fields_error(c->path, group, e, "%s needs both a stream and a graph", g->name);
    if (foreign && (g->rom != NULL || g->sha1 != NULL || g->movie != NULL))
        return fields_error(c->path, group, e,
                            "%s has a ROM and a foreign stream: it can be only one of them",
                            g->name);
    if (!foreign && g->rom == NULL && g->sha1 == NULL)
        return fields_error(c->path, group, e, "%s has neither rom nor sha1", g->name);
    if (!foreign && g->movie == NULL)
        return fields_error(c->path, group, e, "%s has no movie", g->name);
    if (!foreign && g->instructions >= 0)
        return fields_error(c->path, group, e, "instructions are given for foreign streams only");
    if (g->sha1 != NULL && (strlen(g->sha1) != 40 || strspn(g->sha1, "0123456789abcdef") != 40))
        return fields_error(c->path, group, e, "sha1 of %s must be 40 lower-case hex digits",
                            g->name);
    return STATUS_OK;
}

static enum status read_game(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_game g = {.instructions = -1};
    int64_t frames = (int64_t)c->frames;
    const struct field fields[] = {
        {"name", FIELD_TEXT, &g.name, 0, 0},
        {"title", FIELD_TEXT, &g.title, 0, 0},
        {"rom", FIELD_PATH, &g.rom, 0, 0},
        {"sha1", FIELD_TEXT, &g.sha1, 0, 0},
        {"movie", FIELD_PATH, &g.movie, 0, 0},
        {"stream", FIELD_PATH, &g.stream, 0, 0},
        {"graph", FIELD_PATH, &g.graph, 0, 0},
        {"instructions", FIELD_NUMBER, &g.instructions, 0, INT64_MAX},
        {"paper_game", FIELD_TEXT, &g.paper_game, 0, 0},
        {"untested", FIELD_FLAG, &g.untested, 0, 0},
        {"frames", FIELD_NUMBER, &frames, 1, MOST_FRAMES},
        {0},
    };
    enum status status = fields_read(c->path, group, fields, e);
    g.frames = (uint64_t)frames;
    if (status == STATUS_OK)
        status = check_game(c, group, &g, e);
    if (status == STATUS_OK && g.title == NULL && (g.title = strdup(g.name)) == NULL)
        status = OUT_OF_MEMORY(c, e);
    char file[FIELDS_PATH];
    fields_file(c->path, config_setting_source_file(group), file);
    if (status == STATUS_OK &&
        asprintf(&g.place, "%s:%u", file, config_setting_source_line(group)) < 0) {
        g.place = NULL;
        status = OUT_OF_MEMORY(c, e);
    }
    if (status == STATUS_OK && !vec_push(&c->games, g))
        status = OUT_OF_MEMORY(c, e);
    if (status != STATUS_OK)
        game_free(&g);
    return status;
}

static enum status read_games(struct config *c, const config_setting_t *list, struct error *e) {
    if (!config_setting_is_list(list))
        return fields_error(c->path, list, e, "games must be a list in parentheses");
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < config_setting_length(list); i++)
        status = read_game(c, config_setting_get_elem(list, (unsigned)i), e);
    return status;
}

const struct config_game *config_find_game(const struct config *c, const char *name) {
    for (size_t i = 0; i < c->games.len; i++)
        if (strcmp(c->games.at[i].name, name) == 0)
            return &c->games.at[i];
    return NULL;
}

/* ---- the whole ---- */

static enum status read_sampling(struct config *c, const config_setting_t *group, struct error *e) {
    int64_t batch = c->sampling.batch_length, seed = 0, phase = 0;
    const struct field fields[] = {
        {"interval_ms", FIELD_MILLIS, &c->sampling.interval_us, 1, MOST_US},
        {"batch", FIELD_NUMBER, &batch, 1, 1000000},
        {"jitter_ms", FIELD_MILLIS, &c->sampling.jitter_us, 0, MOST_US},
        {"seed", FIELD_NUMBER, &seed, 0, INT64_MAX},
        {"phase_cycles", FIELD_NUMBER, &phase, 0, INT64_MAX / 4},
        {0},
    };
    enum status status = fields_read(c->path, group, fields, e);
    c->sampling.batch_length = (unsigned)batch;
    c->sampling.seed = (uint64_t)seed;
    c->sampling.phase_cycles = (uint64_t)phase;
    return status;
}

static enum status hash_definition(struct config *c, struct error *e) {
    struct hash *h = hash_start();
    hash_add(h,
             "method %d interval %" PRIu64 " batch %u jitter %" PRIu64 " seed %" PRIu64
             " phase %" PRIu64 "\n",
             CONFIG_METHOD, c->sampling.interval_us, c->sampling.batch_length,
             c->sampling.jitter_us, c->sampling.seed, c->sampling.phase_cycles);
    for (size_t i = 0; i < c->points.len; i++) {
        const struct config_point *p = &c->points.at[i];
        hash_add(h, "%d %s %d\n", p->number, p->key, p->label != NULL);
    }
    for (size_t i = 0; i < c->marks.len; i++)
        hash_add(h, "mark %" PRIu64 "\n", c->marks.at[i]);
    return hash_finish(h, c->definition_hash) ? STATUS_OK : OUT_OF_MEMORY(c, e);
}

static char *stem(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *start = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    return strndup(start, dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start));
}

/* Games come after frames, labels after the grid, whatever their order in the file. */
static enum status read_root(struct config *c, const config_setting_t *root, struct error *e) {
    config_setting_t *sampling = NULL, *grid = NULL, *convergence = NULL, *games = NULL;
    int64_t frames = (int64_t)c->frames;
    const struct field fields[] = {
        {"name", FIELD_TEXT, &c->name, 0, 0},
        {"frames", FIELD_NUMBER, &frames, 1, MOST_FRAMES},
        {"sampling", FIELD_SETTING, &sampling, 0, 0},
        {"grid", FIELD_SETTING, &grid, 0, 0},
        {"convergence", FIELD_SETTING, &convergence, 0, 0},
        {"roms", FIELD_PATH, &c->roms, 0, 0},
        {"games", FIELD_SETTING, &games, 0, 0},
        {0},
    };
    enum status status = fields_read(c->path, root, fields, e);
    c->frames = (uint64_t)frames;
    if (status == STATUS_OK && c->name == NULL && (c->name = stem(c->path)) == NULL)
        status = OUT_OF_MEMORY(c, e);
    if (status == STATUS_OK && sampling != NULL)
        status = read_sampling(c, sampling, e);
    if (status == STATUS_OK && grid != NULL)
        status = read_grid(c, grid, e);
    if (status == STATUS_OK)
        status = push_baseline(c, e);
    if (status == STATUS_OK && convergence != NULL)
        status = read_convergence(c, convergence, e);
    if (status == STATUS_OK && games != NULL)
        status = read_games(c, games, e);
    return status != STATUS_OK ? status : hash_definition(c, e);
}

static enum status parse_file(struct config *c, config_t *file, struct error *e) {
    struct stat info;
    if (stat(c->path, &info) == 0 && S_ISDIR(info.st_mode))
        return error_set(e, STATUS_IO, "%s: is a folder, not a configuration file", c->path);
    const char *slash = strrchr(c->path, '/');
    char *folder = slash != NULL ? strndup(c->path, (size_t)(slash - c->path)) : strdup(".");
    if (folder == NULL)
        return OUT_OF_MEMORY(c, e);
    const char *from = folder[0] != '\0' ? folder : "/";
    config_set_include_dir(file, from);
    enum status status = includes_check(c->path, from, e);
    free(folder);
    if (status != STATUS_OK)
        return status;
    if (config_read_file(file, c->path) == CONFIG_TRUE)
        return STATUS_OK;
    if (config_error_type(file) == CONFIG_ERR_FILE_IO)
        return error_set(e, STATUS_IO, "%s: cannot be read", c->path);
    char where[FIELDS_PATH];
    fields_file(c->path, config_error_file(file), where);
    return error_set(e, STATUS_FORMAT, "%s:%d: %s", where, config_error_line(file),
                     config_error_text(file));
}

enum status config_load(struct config *out, const char *path, struct error *e) {
    struct config c = {.frames = 18000, .sampling = {.interval_us = 3000, .batch_length = 25}};
    config_t file;
    config_init(&file);
    c.path = strdup(path);
    enum status status = c.path != NULL ? parse_file(&c, &file, e)
                                        : error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (status == STATUS_OK)
        status = read_root(&c, config_root_setting(&file), e);
    config_destroy(&file);
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
    for (size_t i = 0; i < c->games.len; i++)
        game_free(&c->games.at[i]);
    vec_free(&c->points);
    vec_free(&c->marks);
    vec_free(&c->games);
    free(c->path);
    free(c->name);
    free(c->roms);
    *c = (struct config){0};
}
