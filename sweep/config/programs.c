/* Entries of a configuration's list `programs`: programs to record. */
#include "config/programs.h"

#include <stdlib.h>
#include <string.h>

#include "config/fields.h"

enum { WORDS_MOST = 64, BATCH_MOST = 65536 };

/* ORDER how */
enum { HOW_RECORD, HOW_NATIVE };
static const char *const hows[] = {"record", "native", NULL};

enum { EVERY_USUAL = 1667 };
static const int64_t EVERY_MOST = INT64_C(1) << 50;

static void free_words(char **words) {
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
}

void program_free(struct config_program *p) {
    if (p == NULL)
        return;
    free_words(p->command);
    free_words(p->env);
    free_words(p->images);
    free_words(p->without);
    free_words(p->other_command);
    free(p->other_input);
    free(p->input);
    free(p->folder);
    free(p);
}

static enum status out_of_memory(const struct includes *from, const config_setting_t *setting,
                                 struct error *e) {
    return error_set(e, STATUS_MEMORY, "%s: out of memory", fields_file(from, setting));
}

/* Reads a list or array of texts into an array that ends with NULL. */
static enum status read_words(const struct includes *from, const config_setting_t *list,
                              const char *what, char ***out, struct error *e) {
    int count = config_setting_length(list);
    if ((!config_setting_is_list(list) && !config_setting_is_array(list)) || count == 0 ||
        count > WORDS_MOST)
        return fields_error(from, list, e, "%s must be a list of 1 to %d texts in parentheses",
                            what, WORDS_MOST);
    char **words = *out = calloc((size_t)count + 1, sizeof *words);
    for (int i = 0; words != NULL && i < count; i++) {
        const char *word = config_setting_get_string_elem(list, i);
        if (word == NULL)
            return fields_error(from, list, e, "%s must be a list of texts", what);
        if ((words[i] = strdup(word)) == NULL)
            words = NULL;
    }
    return words != NULL ? STATUS_OK : out_of_memory(from, list, e);
}

/* "HASH PATH" */
static bool good_image(const char *text) {
    return strspn(text, "0123456789abcdef") == 32 && text[32] == ' ' && text[33] != '\0';
}

static enum status check_program(const struct includes *from, const config_setting_t *group,
                                 const struct config_program *p, struct error *e) {
    if (p->command == NULL)
        return fields_error(from, group, e, "a program without its command");
    if (p->command[0][0] != '/' && p->folder == NULL)
        return fields_error(from, group, e,
                            "command: without a folder a program is named by its whole path, not "
                            "'%s'",
                            p->command[0]);
    if (p->other_command != NULL && strcmp(p->other_command[0], p->command[0]) != 0)
        return fields_error(from, group, e, "other_command: '%s' is another program than '%s'",
                            p->other_command[0], p->command[0]);
    if (p->batch > p->every)
        return fields_error(from, group, e, "a batch of %u does not fit between two of them: %u",
                            p->batch, (unsigned)p->every);
    for (size_t i = 0; p->env != NULL && p->env[i] != NULL; i++)
        if (strchr(p->env[i], '=') == NULL || p->env[i][0] == '=')
            return fields_error(from, group, e, "env: '%s' is not NAME=VALUE", p->env[i]);
    for (size_t i = 0; p->without != NULL && p->without[i] != NULL; i++)
        if (technique_find(p->without[i]) == NULL)
            return fields_error(from, group, e, "without: there is no technique '%s'",
                                p->without[i]);
    for (size_t i = 0; p->images != NULL && p->images[i] != NULL; i++)
        if (!good_image(p->images[i]))
            return fields_error(from, group, e,
                                "images: '%s' is not 32 hexadecimal digits, a space and a path",
                                p->images[i]);
    return STATUS_OK;
}

enum status program_read(struct config_program **out, const struct includes *from,
                         const config_setting_t *group, char **name, char **title,
                         struct error *e) {
    struct config_program *p = *out = calloc(1, sizeof *p);
    if (p == NULL)
        return out_of_memory(from, group, e);
    config_setting_t *command = NULL, *other = NULL, *env = NULL, *images = NULL, *without = NULL,
                     *how = NULL;
    int64_t every = 0, batch = 25;
    const struct field fields[] = {
        {"name", FIELD_TEXT, name, 0, 0},
        {"title", FIELD_TEXT, title, 0, 0},
        {"how", FIELD_SETTING, &how, 0, 0},
        {"command", FIELD_SETTING, &command, 0, 0},
        {"input", FIELD_PATH, &p->input, 0, 0},
        {"other_command", FIELD_SETTING, &other, 0, 0},
        {"other_input", FIELD_PATH, &p->other_input, 0, 0},
        {"folder", FIELD_PATH, &p->folder, 0, 0},
        {"env", FIELD_SETTING, &env, 0, 0},
        {"every", FIELD_NUMBER, &every, 1, EVERY_MOST},
        {"batch", FIELD_NUMBER, &batch, 1, BATCH_MOST},
        {"without", FIELD_SETTING, &without, 0, 0},
        {"images", FIELD_SETTING, &images, 0, 0},
        {0},
    };
    enum status status = fields_read(from, group, fields, e);
    unsigned word = 0;
    if (status == STATUS_OK && how != NULL)
        status = fields_word(from, how, hows, &word, e);
    p->native = word == HOW_NATIVE;
    p->sampled = every != 0 || !p->native;
    p->every = every != 0 ? (uint64_t)every : EVERY_USUAL;
    p->batch = (unsigned)batch;
    if (status == STATUS_OK && command != NULL)
        status = read_words(from, command, "command", &p->command, e);
    if (status == STATUS_OK && other != NULL)
        status = read_words(from, other, "other_command", &p->other_command, e);
    if (status == STATUS_OK && env != NULL)
        status = read_words(from, env, "env", &p->env, e);
    if (status == STATUS_OK && without != NULL)
        status = read_words(from, without, "without", &p->without, e);
    if (status == STATUS_OK && images != NULL)
        status = read_words(from, images, "images", &p->images, e);
    return status == STATUS_OK ? check_program(from, group, p, e) : status;
}

/* ---- budgets ---- */

static enum status check_budget(const struct config *c, const config_setting_t *group,
                                const struct config_budget *b, struct error *e) {
    if (b->batch > b->every)
        return fields_error(c->from, group, e, "a batch of %u does not fit between two of them: %u",
                            b->batch, (unsigned)b->every);
    for (size_t i = 0; i < c->budgets.len; i++) {
        const struct config_budget *a = &c->budgets.at[i];
        if (a->transfers == b->transfers && a->every == b->every && a->batch == b->batch &&
            a->seed == b->seed)
            return fields_error(c->from, group, e, "this budget is there twice");
    }
    return c->budgets.len < BUDGETS_MOST
               ? STATUS_OK
               : fields_error(c->from, group, e, "there are more than %d budgets", BUDGETS_MOST);
}

enum status budget_read(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_budget b = {0};
    int64_t every = 0, batch = 0, seed = 1;
    const struct field fields[] = {
        {"transfers", FIELD_FLAG, &b.transfers, 0, 0},
        {"every", FIELD_NUMBER, &every, 1, EVERY_MOST},
        {"batch", FIELD_NUMBER, &batch, 1, BATCH_MOST},
        {"seed", FIELD_NUMBER, &seed, 0, INT64_MAX},
        {0},
    };
    enum status status = fields_read(c->from, group, fields, e);
    if (status == STATUS_OK && every == 0)
        status = fields_error(c->from, group, e, "a budget without `every`");
    if (status == STATUS_OK && b.transfers && batch != 0)
        status = fields_error(c->from, group, e, "transfers are sampled singly, without a batch");
    b.every = (uint64_t)every;
    b.batch = b.transfers ? 0 : batch != 0 ? (unsigned)batch : 25;
    b.seed = b.transfers ? (uint64_t)seed : 0;
    if (status == STATUS_OK)
        status = check_budget(c, group, &b, e);
    if (status == STATUS_OK && !vec_push(&c->budgets, b))
        status = out_of_memory(c->from, group, e);
    return status;
}
