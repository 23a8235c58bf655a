#include "config/exec_technique.h"

#include "config/fields.h"
#include "config/includes.h"
#include "profile/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 31, LONGEST_WORD = 60, MOST_WORDS = 1000 };

/* The first value of a parameter decides what kind all its values have. */
enum values { VALUES_UNKNOWN, VALUES_NUMBERS, VALUES_WORDS };

struct config_exec {
    struct exec exec;
    char *names[TECHNIQUE_PARAMETERS];
    enum values kinds[TECHNIQUE_PARAMETERS];
    VEC(const char *) words[TECHNIQUE_PARAMETERS];
};

void exec_technique_free(struct config_exec *x) {
    if (x == NULL)
        return;
    for (int i = 0; i < TECHNIQUE_PARAMETERS; i++) {
        for (size_t k = 0; k < x->words[i].len; k++)
            free((char *)x->words[i].at[k]);
        vec_free(&x->words[i]);
        free(x->names[i]);
    }
    exec_free(&x->exec);
    free(x);
}

bool exec_technique_is(const config_setting_t *group) {
    const char *name = NULL;
    return config_setting_is_group(group) &&
           config_setting_lookup_string(group, "technique", &name) == CONFIG_TRUE &&
           strcmp(name, "exec") == 0;
}

const struct technique *exec_technique_find(const struct config *c, const char *name) {
    for (size_t i = 0; i < c->execs.len; i++)
        if (strcmp(c->execs.at[i]->exec.technique.name, name) == 0)
            return &c->execs.at[i]->exec.technique;
    return NULL;
}

/* ---- parameters: their names and values are the file's ---- */

struct reading {
    const struct config *config;
    struct config_exec *to;
    int count;
};

static enum status out_of_memory(const struct reading *r, struct error *e) {
    return error_set(e, STATUS_MEMORY, "%s: out of memory", r->config->path);
}

static enum status find_key(void *user, const config_setting_t *setting, int *key,
                            struct error *e) {
    struct reading *r = user;
    const char *name = config_setting_name(setting);
    for (*key = 0; *key < r->count; ++*key)
        if (strcmp(r->to->names[*key], name) == 0)
            return STATUS_OK;
    if (r->count == TECHNIQUE_PARAMETERS)
        return fields_error(r->config->from, setting, e, "a technique has at most %d parameters",
                            TECHNIQUE_PARAMETERS);
    if (strlen(name) > LONGEST_NAME || strcmp(name, "structure") == 0)
        return fields_error(r->config->from, setting, e,
                            "a parameter's name has at most %d characters and is not 'structure'",
                            LONGEST_NAME);
    r->to->names[r->count] = strdup(name);
    return r->to->names[r->count++] != NULL ? STATUS_OK : out_of_memory(r, e);
}

/* The text of a value that is not a whole number. */
static const char *word_of(const config_setting_t *one, char room[32]) {
    if (config_setting_type(one) == CONFIG_TYPE_FLOAT)
        snprintf(room, 32, "%.15g", config_setting_get_float(one));
    else if (config_setting_type(one) == CONFIG_TYPE_BOOL)
        snprintf(room, 32, "%s", config_setting_get_bool(one) ? "true" : "false");
    else
        return config_setting_get_string(one);
    return room;
}

static enum status read_word(const struct reading *r, const config_setting_t *one, int key,
                             int64_t *out, struct error *e) {
    char room[32];
    const char *word = word_of(one, room);
    if (word == NULL || word[0] == '\0' || strlen(word) > LONGEST_WORD ||
        strpbrk(word, " \t\r\n=") != NULL)
        return fields_error(r->config->from, one, e,
                            "a value is a number, true, false, or a text of 1 to %d characters "
                            "without blanks and '='",
                            LONGEST_WORD);
    size_t at = 0;
    while (at < r->to->words[key].len && strcmp(r->to->words[key].at[at], word) != 0)
        at++;
    if (at == MOST_WORDS)
        return fields_error(r->config->from, one, e, "a parameter has at most %d texts",
                            MOST_WORDS);
    *out = (int64_t)at;
    if (at < r->to->words[key].len)
        return STATUS_OK;
    char *copy = strdup(word);
    if (copy != NULL && vec_push(&r->to->words[key], copy))
        return STATUS_OK;
    free(copy);
    return out_of_memory(r, e);
}

static enum status read_key(void *user, const config_setting_t *one, int key, int64_t *out,
                            struct error *e) {
    const struct reading *r = user;
    const int type = config_setting_type(one);
    const enum values kind =
        type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ? VALUES_NUMBERS : VALUES_WORDS;
    if (r->to->kinds[key] == VALUES_UNKNOWN)
        r->to->kinds[key] = kind;
    if (r->to->kinds[key] != kind)
        return fields_error(r->config->from, one, e,
                            "the values of %s must all be whole numbers, or none of them",
                            r->to->names[key]);
    return kind == VALUES_NUMBERS
               ? fields_integer(r->config->from, one, INT64_MIN, INT64_MAX, out, e)
               : read_word(r, one, key, out, e);
}

static enum status describe(struct reading *r, const struct product *product,
                            const config_setting_t *group, struct error *e) {
    for (int i = 0; i < r->count; i++) {
        struct parameter *p = &r->to->exec.technique.parameters[i];
        if (!product->has[i])
            return fields_error(r->config->from, group, e, "%s has no values", r->to->names[i]);
        *p = (struct parameter){.name = r->to->names[i],
                                .help = "of the program",
                                .least = INT64_MIN,
                                .most = INT64_MAX};
        if (r->to->kinds[i] != VALUES_WORDS)
            continue;
        if (!vec_push(&r->to->words[i], NULL))
            return out_of_memory(r, e);
        r->to->words[i].len--; /* the end is not counted */
        p->least = 0;
        p->most = (int64_t)r->to->words[i].len - 1;
        p->words = r->to->words[i].at;
    }
    return STATUS_OK;
}

static enum status read_parameters(struct config *c, struct config_exec *x,
                                   const config_setting_t *group, struct product *product,
                                   struct error *e) {
    if (group == NULL)
        return STATUS_OK;
    struct reading r = {.config = c, .to = x};
    const struct product_keys keys = {.user = &r, .find = find_key, .read = read_key};
    if (!config_setting_is_group(group))
        return fields_error(c->from, group, e, "parameters must be a group in braces");
    const enum status status = product_read(product, c->from, group, &keys, e);
    return status == STATUS_OK ? describe(&r, product, group, e) : status;
}

/* ---- the program ---- */

/* A list of texts, which point into the file's settings; the caller frees the array. */
static enum status read_texts(const struct config *c, const config_setting_t *list,
                              const char ***out, struct error *e) {
    const bool many = config_setting_is_array(list) || config_setting_is_list(list);
    const int count = many ? config_setting_length(list) : 1;
    *out = calloc((size_t)count + 1, sizeof **out);
    if (*out == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", c->path);
    for (int i = 0; i < count; i++) {
        const config_setting_t *one = many ? config_setting_get_elem(list, (unsigned)i) : list;
        (*out)[i] = config_setting_get_string(one);
        if ((*out)[i] == NULL || (*out)[i][0] == '\0')
            return fields_error(c->from, one, e, "a text in quotes is expected here");
    }
    return count > 0 ? STATUS_OK : fields_error(c->from, list, e, "the list is empty");
}

static enum status read_command(struct config *c, struct config_exec *x,
                                const config_setting_t *command, const config_setting_t *files,
                                struct error *e) {
    const char **words = NULL, **further = NULL;
    struct error why = {0};
    enum status status = read_texts(c, command, &words, e);
    if (status == STATUS_OK && files != NULL)
        status = read_texts(c, files, &further, e);
    if (status == STATUS_OK) {
        status = exec_command(&x->exec, words, further, fields_file(c->from, command), &why);
        if (status == STATUS_MEMORY)
            error_set(e, status, "%s: out of memory", c->path);
        else if (status != STATUS_OK)
            status = fields_error(c->from, command, e, "%s", why.text);
    }
    free(words);
    free(further);
    return status;
}

static enum status set_name(struct config *c, struct config_exec *x, const config_setting_t *group,
                            const char *given, struct error *e) {
    char name[EXEC_NAME + 1], whole[EXEC_NAME + 8];
    if (given == NULL)
        exec_usual_name(&x->exec, name);
    else if (!file_good_name(given) || strlen(given) > EXEC_NAME)
        return fields_error(c->from, group, e,
                            "the name '%s' must be 1 to %d letters, digits, dashes and underscores",
                            given, EXEC_NAME);
    else
        snprintf(name, sizeof name, "%s", given);
    snprintf(whole, sizeof whole, "exec-%s", name);
    if (exec_technique_find(c, whole) != NULL)
        return fields_error(c->from, group, e,
                            "an earlier grid is '%s', too: give this one another name", whole);
    exec_name(&x->exec, name);
    return STATUS_OK;
}

static enum status read_group(struct config *c, struct config_exec *x,
                              const config_setting_t *group, struct product *product,
                              struct error *e) {
    config_setting_t *command = NULL, *files = NULL, *parameters = NULL, *format = NULL;
    int64_t seconds = EXEC_SECONDS, memory = EXEC_MEMORY_MIB;
    char *name = NULL, *technique = NULL;
    const struct field fields[] = {
        {"technique", FIELD_TEXT, &technique, 0, 0},
        {"command", FIELD_SETTING, &command, 0, 0},
        {"files", FIELD_SETTING, &files, 0, 0},
        {"name", FIELD_TEXT, &name, 0, 0},
        {"parameters", FIELD_SETTING, &parameters, 0, 0},
        {"structure", FIELD_FLAG, &x->exec.technique.needs_structure, 0, 0},
        {"format", FIELD_SETTING, &format, 0, 0},
        {"seconds", FIELD_NUMBER, &seconds, 1, EXEC_SECONDS_MOST},
        {"memory_mib", FIELD_NUMBER, &memory, EXEC_MEMORY_MIB_LEAST, EXEC_MEMORY_MIB_MOST},
        {0},
    };
    unsigned json = 0;
    enum status status = fields_read(c->from, group, fields, e);
    if (status == STATUS_OK && command == NULL)
        status = fields_error(c->from, group, e, "exec needs a command: [\"python3\", \"my.py\"]");
    if (status == STATUS_OK && format != NULL)
        status = fields_word(c->from, format, exec_format_words, &json, e);
    x->exec.json = json == 1;
    x->exec.seconds = (unsigned)seconds;
    x->exec.memory = (uint64_t)memory << 20;
    if (status == STATUS_OK)
        status = read_command(c, x, command, files, e);
    if (status == STATUS_OK)
        status = set_name(c, x, group, name, e);
    if (status == STATUS_OK)
        status = read_parameters(c, x, parameters, product, e);
    free(name);
    free(technique);
    return status;
}

enum status exec_technique_read(struct config *c, const config_setting_t *group,
                                const struct technique **out, struct product *product,
                                struct error *e) {
    struct config_exec *x = calloc(1, sizeof *x);
    enum status status = x != NULL ? read_group(c, x, group, product, e)
                                   : error_set(e, STATUS_MEMORY, "%s: out of memory", c->path);
    if (status == STATUS_OK && c->live)
        status = fields_error(c->from, group, e, "exec works on samples, not with by = \"live\"");
    if (status == STATUS_OK && !vec_push(&c->execs, x))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", c->path);
    if (status != STATUS_OK) {
        exec_technique_free(x);
        return status;
    }
    *out = &x->exec.technique;
    return STATUS_OK;
}
