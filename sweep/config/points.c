#include "config/points.h"

#include "config/exec_technique.h"
#include "config/fields.h"
#include "config/includes.h"
#include "config/product.h"
#include "profile/exec/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 100000, MOST_WINDOWS = 16, MOST_WINDOW_SECONDS = 1000000 };
/* A part of a program is decoded, and each technique follows it. */
enum { LEAST_WINDOW_INSTRUCTIONS = 1000 };
#define MOST_WINDOW_INSTRUCTIONS (INT64_C(1) << 48)

#define OUT_OF_MEMORY(c, e) error_set(e, STATUS_MEMORY, "%s: out of memory", (c)->path)

/* ---- configurations ---- */

const char *config_word(const struct config_point *p, int parameter) {
    const struct parameter *of = &p->technique->parameters[parameter];
    return of->words != NULL ? of->words[p->values[parameter] - of->least] : NULL;
}

static char *point_key(const struct config_point *p) {
    const struct exec *exec = p->technique->exec;
    char text[1200];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", p->technique->name);
    for (int i = 0; i < TECHNIQUE_PARAMETERS && p->technique->parameters[i].name != NULL; i++) {
        const char *name = p->technique->parameters[i].name, *word = config_word(p, i);
        if (len < sizeof text)
            len += (size_t)(word != NULL
                                ? snprintf(text + len, sizeof text - len, " %s=%s", name, word)
                                : snprintf(text + len, sizeof text - len, " %s=%" PRId64, name,
                                           p->values[i]));
    }
    if (exec != NULL && len < sizeof text)
        snprintf(text + len, sizeof text - len, " program=%.16s", exec->hash);
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
    return fields_error(c->from, setting, e, "%s has no parameter '%s' (known here: %s)", t->name,
                        config_setting_name(setting), known);
}

/* The group's `technique` key; gaussian by default. */
static enum status read_technique(const struct config *c, const config_setting_t *group,
                                  const struct technique **out, struct error *e) {
    if (!config_setting_is_group(group))
        return fields_error(c->from, group, e, "a group in braces is expected here");
    const char *name = "gaussian";
    config_setting_t *setting = config_setting_get_member(group, "technique");
    if (setting != NULL && (name = config_setting_get_string(setting)) == NULL)
        return fields_error(c->from, setting, e, "technique must be a text in quotes");
    *out = technique_find(name);
    if (*out == NULL)
        *out = exec_technique_find(c, name);
    if (c->recorded && *out != NULL && (*out)->build != NULL)
        return STATUS_OK;
    for (size_t i = 0; *out != NULL && i < c->samplings.len; i++)
        if (config_applies(&c->samplings.at[i], *out))
            return STATUS_OK;
    if (c->live)
        return fields_error(c->from, setting != NULL ? setting : group, e,
                            "there is no technique '%s' that watches by itself%s", name,
                            *out != NULL ? ": it works on samples, so by = \"live\" is not for it"
                                         : "");
    return fields_error(c->from, setting != NULL ? setting : group, e,
                        "there is no technique '%s' that works on streams%s", name,
                        *out != NULL ? ": it watches by itself, with sampling = {by = "
                                       "\"live\";}"
                                     : "");
}

/* Reads one value: a number, or a name if the parameter's values have names. */
static enum status read_value(const struct config *c, const config_setting_t *setting,
                              const struct parameter *p, int64_t *out, struct error *e) {
    if (p->words == NULL)
        return fields_integer(c->from, setting, p->least, p->most, out, e);
    unsigned number;
    enum status status = fields_word(c->from, setting, p->words, &number, e);
    if (status == STATUS_OK)
        *out = p->least + number;
    return status;
}

/* A grid's keys are its technique's parameters. */
struct grid_keys {
    const struct config *config;
    const struct technique *technique;
};

static enum status find_key(void *user, const config_setting_t *setting, int *key,
                            struct error *e) {
    const struct grid_keys *g = user;
    *key = parameter_index(g->technique, config_setting_name(setting));
    return *key >= 0 ? STATUS_OK : unknown_parameter(g->config, setting, g->technique, e);
}

static enum status read_key(void *user, const config_setting_t *one, int key, int64_t *out,
                            struct error *e) {
    const struct grid_keys *g = user;
    return read_value(g->config, one, &g->technique->parameters[key], out, e);
}

/* A configuration whose window exceeds the batch is skipped and reported later. A window that
 * exceeds every batch is an error now, not after the replay. */
static enum status check_windows(const struct config *c, size_t before,
                                 const config_setting_t *group, struct error *e) {
    unsigned longest = 0;
    for (size_t i = 0; i < c->samplings.len; i++)
        if (c->samplings.at[i].options.batch_length > longest)
            longest = c->samplings.at[i].options.batch_length;
    if (longest == 0) /* only programs are sampled, each in its own way */
        return STATUS_OK;
    for (size_t i = before; i < c->points.len; i++) {
        const struct config_point *p = &c->points.at[i];
        int window = p->technique->exec == NULL ? parameter_index(p->technique, "window_size") : -1;
        if (window >= 0 && p->values[window] > (int64_t)longest)
            return fields_error(c->from, group, e,
                                "window_size %" PRId64 " is larger than a batch of %u instructions",
                                p->values[window], longest);
    }
    return STATUS_OK;
}

/* Takes ownership of the label, even on failure. */
static enum status push_point(struct config *c, struct config_point p, struct error *e) {
    p.key = point_key(&p);
    if (p.key != NULL && vec_push(&c->points, p))
        return STATUS_OK;
    free(p.label);
    free(p.key);
    return OUT_OF_MEMORY(c, e);
}

/* `seen` maps the hash of each existing configuration's key to 1 + its index. */
static enum status refuse_twice(struct config *c, struct map *seen, size_t before,
                                const config_setting_t *group, struct error *e) {
    for (size_t i = before; i < c->points.len; i++) {
        const char *key = c->points.at[i].key;
        uint64_t *at = map_at(seen, fnv1a64(key, strlen(key)));
        if (at == NULL)
            return OUT_OF_MEMORY(c, e);
        if (*at != 0 && strcmp(c->points.at[*at - 1].key, key) == 0)
            return fields_error(c->from, group, e,
                                *at - 1 < before
                                    ? "an earlier grid has a configuration of this one, '%s'"
                                    : "the grid has the configuration '%s' twice",
                                key);
        *at = i + 1;
    }
    return STATUS_OK;
}

/* Adds all combinations that are not excluded; the file's first axis varies slowest. */
static enum status push_grid(struct config *c, const config_setting_t *group,
                             const struct technique *t, struct product *product, struct error *e) {
    const size_t most = MOST_POINTS - c->points.len, total = product_total(product, most);
    if (total > most)
        return fields_error(c->from, group, e, "the grid has more than %d configurations",
                            MOST_POINTS);
    enum status status = STATUS_OK;
    for (size_t number = 0; status == STATUS_OK && number < total; number++) {
        struct config_point p = {.technique = t, .number = (int)c->points.len};
        standard_values(&p);
        if (product_take(product, number, p.values))
            status = push_point(c, p, e);
    }
    return status == STATUS_OK ? product_check(product, c->from, e) : status;
}

/* Every experiment has the baseline exactly once, so a grid must not contain it. */
static enum status refuse_baseline(const struct config *c, const config_setting_t *group,
                                   struct error *e) {
    struct config_point baseline = {.technique = technique_find("observed")};
    if (baseline.technique == NULL)
        return STATUS_OK;
    standard_values(&baseline);
    for (size_t i = 0; i < c->points.len; i++)
        if (c->points.at[i].technique == baseline.technique &&
            memcmp(c->points.at[i].values, baseline.values, sizeof baseline.values) == 0)
            return fields_error(c->from, group, e,
                                "the grid has the baseline, 'observed', which is part of every "
                                "experiment without it");
    return STATUS_OK;
}

static enum status read_grid(struct config *c, const config_setting_t *group, struct map *seen,
                             struct error *e) {
    struct grid_keys grid = {.config = c};
    const struct product_keys keys = {
        .user = &grid, .find = find_key, .read = read_key, .apart = "technique"};
    const size_t before = c->points.len;
    struct product product = {0};
    enum status status;
    if (exec_technique_is(group)) {
        status = exec_technique_read(c, group, &grid.technique, &product, e);
    } else {
        status = read_technique(c, group, &grid.technique, e);
        if (status == STATUS_OK)
            status = product_read(&product, c->from, group, &keys, e);
    }
    if (status == STATUS_OK)
        status = push_grid(c, group, grid.technique, &product, e);
    if (status == STATUS_OK)
        status = refuse_twice(c, seen, before, group, e);
    if (status == STATUS_OK)
        status = check_windows(c, before, group, e);
    if (status == STATUS_OK)
        status = refuse_baseline(c, group, e);
    product_free(&product);
    return status;
}

/* The setting is a grid or a list of grids; numbering continues across grids. */
enum status points_read_grid(struct config *c, const config_setting_t *setting, struct error *e) {
    struct map seen = {0};
    enum status status = STATUS_OK;
    if (!config_setting_is_list(setting))
        status = read_grid(c, setting, &seen, e);
    else
        for (int i = 0; status == STATUS_OK && i < config_setting_length(setting); i++)
            status = read_grid(c, config_setting_get_elem(setting, (unsigned)i), &seen, e);
    map_free(&seen);
    return status;
}

enum status points_push_baseline(struct config *c, struct error *e) {
    struct config_point p = {.technique = technique_find("observed"), .number = -1};
    if (p.technique == NULL)
        return error_set(
            e, STATUS_UNSUPPORTED,
            "this program was built without the technique 'observed', which every table needs");
    standard_values(&p);
    p.label = strdup("observed");
    return p.label != NULL ? push_point(c, p, e) : OUT_OF_MEMORY(c, e);
}

/* ---- convergence ---- */

static enum status read_marks(struct config *c, const config_setting_t *list, struct error *e) {
    if (!config_setting_is_array(list) && !config_setting_is_list(list))
        return fields_error(c->from, list, e, "batches must be an array of numbers");
    for (int i = 0; i < config_setting_length(list); i++) {
        int64_t mark;
        const config_setting_t *setting = config_setting_get_elem(list, (unsigned)i);
        enum status status = fields_integer(c->from, setting, 1, INT64_MAX / 2, &mark, e);
        if (status != STATUS_OK)
            return status;
        if (c->marks.len > 0 && (uint64_t)mark <= c->marks.at[c->marks.len - 1])
            return fields_error(c->from, list, e, "batches must rise from each to the next");
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
        enum status status = read_value(c, setting, parameter, &p->values[k], e);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Labels a configuration of the grid. */
static enum status label_point(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_point wanted = {.number = -1};
    enum status status = read_technique(c, group, &wanted.technique, e);
    if (status != STATUS_OK)
        return status;
    standard_values(&wanted);
    config_setting_t *label = config_setting_get_member(group, "label");
    const char *text = label != NULL ? config_setting_get_string(label) : NULL;
    if (text == NULL || text[0] == '\0')
        return fields_error(c->from, group, e, "a label in quotes is missing here");
    if ((status = read_values(c, group, &wanted, e)))
        return status;
    for (size_t i = 0; i < c->points.len; i++)
        if (c->points.at[i].label != NULL && strcmp(c->points.at[i].label, text) == 0)
            return fields_error(c->from, label, e, "the label '%s' is taken", text);
    for (size_t i = 0; i < c->points.len; i++) {
        struct config_point *p = &c->points.at[i];
        if (p->number < 0 || p->technique != wanted.technique ||
            memcmp(p->values, wanted.values, sizeof p->values) != 0)
            continue;
        if (p->label != NULL)
            return fields_error(c->from, group, e, "this configuration is '%s' already", p->label);
        p->label = strdup(text);
        return p->label != NULL ? STATUS_OK : OUT_OF_MEMORY(c, e);
    }
    return fields_error(c->from, group, e, "this configuration is not one of the grid's");
}

enum status points_read_convergence(struct config *c, const config_setting_t *group,
                                    struct error *e) {
    config_setting_t *marks = NULL, *list = NULL;
    const struct field fields[] = {
        {"batches", FIELD_SETTING, &marks, 0, 0},
        {"configurations", FIELD_SETTING, &list, 0, 0},
        {0},
    };
    enum status status = fields_read(c->from, group, fields, e);
    if (status == STATUS_OK && marks != NULL)
        status = read_marks(c, marks, e);
    if (status == STATUS_OK && list != NULL && !config_setting_is_list(list))
        status = fields_error(c->from, list, e, "configurations must be a list in parentheses");
    for (int i = 0; status == STATUS_OK && list != NULL && i < config_setting_length(list); i++)
        status = label_point(c, config_setting_get_elem(list, (unsigned)i), e);
    return status;
}

/* ---- windows ---- */

/* Lengths of windows in one unit. */
struct lengths {
    const char *name; /* of the setting, and of the unit */
    uint64_t least, most;
    uint64_t *at;
    size_t count;
};

static enum status read_length(const struct config *c, struct lengths *l,
                               const config_setting_t *setting, struct error *e) {
    int64_t length;
    const enum status status =
        fields_integer(c->from, setting, (int64_t)l->least, (int64_t)l->most, &length, e);
    if (status != STATUS_OK)
        return status;
    if (l->count > 0 && (uint64_t)length <= l->at[l->count - 1])
        return fields_error(c->from, setting, e, "%s must rise from each to the next", l->name);
    if (l->count > 0 && (uint64_t)length % l->at[0] != 0)
        return fields_error(c->from, setting, e,
                            "a window of %" PRId64
                            " %s is not made of the shortest ones, of %" PRIu64
                            ": make it a multiple",
                            length, l->name, l->at[0]);
    l->at[l->count++] = (uint64_t)length;
    return STATUS_OK;
}

/* Windows of games and of programs are told apart by their lengths, too. */
static bool has_length(const struct config *c, uint64_t length) {
    for (size_t i = 0; i < c->windows.len; i++)
        if (c->windows.at[i] == length)
            return true;
    return false;
}

static enum status read_lengths(const struct config *c, const config_setting_t *list,
                                struct lengths *l, struct error *e) {
    if (!config_setting_is_array(list) || config_setting_length(list) == 0)
        return fields_error(c->from, list, e,
                            "windows need their lengths, as seconds = [1, 5, 30]");
    if (config_setting_length(list) > MOST_WINDOWS)
        return fields_error(c->from, list, e, "there are more than %d lengths of windows",
                            MOST_WINDOWS);
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < config_setting_length(list); i++)
        status = read_length(c, l, config_setting_get_elem(list, (unsigned)i), e);
    for (size_t i = 0; status == STATUS_OK && i < l->count; i++)
        if (has_length(c, l->at[i]))
            return fields_error(c->from, list, e,
                                "a window of %" PRIu64 " %s has the same number as one in seconds",
                                l->at[i], l->name);
    return status;
}

enum status points_read_windows(struct config *c, const config_setting_t *group, struct error *e) {
    config_setting_t *seconds = NULL, *instructions = NULL;
    uint64_t at[2][MOST_WINDOWS];
    struct lengths of_games = {"seconds", 1, MOST_WINDOW_SECONDS, at[0], 0},
                   of_programs = {"instructions", LEAST_WINDOW_INSTRUCTIONS,
                                  MOST_WINDOW_INSTRUCTIONS, at[1], 0};
    const struct field fields[] = {
        {"seconds", FIELD_SETTING, &seconds, 0, 0},
        {"instructions", FIELD_SETTING, &instructions, 0, 0},
        {0},
    };
    enum status status = fields_read(c->from, group, fields, e);
    if (status == STATUS_OK && seconds == NULL && instructions == NULL)
        return fields_error(c->from, group, e,
                            "windows need their lengths, as seconds = [1, 5, 30] of games, or "
                            "instructions = [1000000, 5000000] of programs");
    if (status == STATUS_OK && seconds != NULL)
        status = read_lengths(c, seconds, &of_games, e);
    for (size_t i = 0; status == STATUS_OK && i < of_games.count; i++)
        if (!vec_push(&c->windows, at[0][i]))
            status = OUT_OF_MEMORY(c, e);
    if (status == STATUS_OK && instructions != NULL)
        status = read_lengths(c, instructions, &of_programs, e);
    for (size_t i = 0; status == STATUS_OK && i < of_programs.count; i++)
        if (!vec_push(&c->program_windows, at[1][i]))
            status = OUT_OF_MEMORY(c, e);
    return status;
}
