/* Entries of a configuration's list `programs`: programs to record. */
#include "config/programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/fields.h"

enum { WORDS_MOST = 64, BATCH_MOST = 65536 };

/* ORDER how */
enum { HOW_RECORD, HOW_NATIVE };
static const char *const hows[] = {"record", "native", NULL};

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

/* ---- sampling ---- */

enum by { BY_INSTRUCTIONS, BY_TRANSFERS, BY_LBR, BY_LBR_TAKEN };
/* ORDER enum by */
static const char *const by_words[] = {"instructions", "transfers", "lbr", "lbr_taken", NULL};

/* The keys of a sampling; 0 and no setting: not given. */
struct budget_keys {
    config_setting_t *by, *seed;
    bool transfers;
    int64_t every, batch, stack;
};

enum { USUAL_EVERY = 1667, USUAL_BATCH = 25, USUAL_STACK = 16, USUAL_SEED = 1 };

static enum status check_keys(const struct includes *from, const config_setting_t *group,
                              const struct budget_keys *keys, enum by by, struct error *e) {
    if (keys->transfers && by != BY_TRANSFERS)
        return fields_error(from, group, e, "transfers = true is not by = \"%s\"", by_words[by]);
    if (keys->batch != 0 && by == BY_TRANSFERS)
        return fields_error(from, group, e, "transfers are sampled singly, without a batch");
    if (keys->batch != 0 && by != BY_INSTRUCTIONS)
        return fields_error(
            from, group, e,
            "the last taken branches have no batch: `stack` says how many they are");
    if (keys->stack != 0 && by != BY_LBR && by != BY_LBR_TAKEN)
        return fields_error(from, group, e, "stack belongs to by = \"lbr\" and by = \"lbr_taken\"");
    if (keys->seed != NULL && by != BY_TRANSFERS && by != BY_LBR_TAKEN)
        return fields_error(from, keys->seed, e, "nothing is random by = \"%s\", so it has no seed",
                            by_words[by]);
    return STATUS_OK;
}

/* keys->every is known. */
static enum status make_budget(const struct includes *from, const config_setting_t *group,
                               const struct budget_keys *keys, struct config_budget *out,
                               struct error *e) {
    unsigned by = keys->transfers ? BY_TRANSFERS : BY_INSTRUCTIONS;
    int64_t seed = USUAL_SEED;
    enum status status =
        keys->by != NULL ? fields_word(from, keys->by, by_words, &by, e) : STATUS_OK;
    if (status == STATUS_OK)
        status = check_keys(from, group, keys, (enum by)by, e);
    if (status == STATUS_OK && keys->seed != NULL)
        status = fields_integer(from, keys->seed, 0, INT64_MAX, &seed, e);
    if (status != STATUS_OK)
        return status;
    const bool random = by == BY_TRANSFERS || by == BY_LBR_TAKEN;
    *out = (struct config_budget){
        .transfers = random, .every = (uint64_t)keys->every, .seed = random ? (uint64_t)seed : 0};
    if (by == BY_INSTRUCTIONS)
        out->batch = keys->batch != 0 ? (unsigned)keys->batch : USUAL_BATCH;
    else if (by != BY_TRANSFERS)
        out->stack = keys->stack != 0 ? (unsigned)keys->stack : USUAL_STACK;
    return out->batch <= out->every
               ? STATUS_OK
               : fields_error(from, group, e, "a batch of %u does not fit between two of them: %u",
                              out->batch, (unsigned)out->every);
}

enum stream_of config_budget_of(const struct config_budget *b) {
    return b->stack > 0   ? STREAM_OF_BRANCHES
           : b->transfers ? STREAM_OF_TRANSFERS
                          : STREAM_OF_BATCHES;
}

void config_budget_key(const struct config_budget *b, char *out, size_t size) {
    char stack[30] = "", seed[40] = "";
    if (b->stack > 0)
        snprintf(stack, sizeof stack, " stack=%u", b->stack);
    if (b->transfers)
        snprintf(seed, sizeof seed, " seed=%" PRIu64, b->seed);
    if (b->stack == 0 && !b->transfers)
        snprintf(stack, sizeof stack, " batch=%u", b->batch);
    snprintf(out, size, "%s every=%" PRIu64 "%s%s",
             by_words[b->stack > 0 ? (b->transfers ? BY_LBR_TAKEN : BY_LBR)
                                   : (b->transfers ? BY_TRANSFERS : BY_INSTRUCTIONS)],
             b->every, stack, seed);
}

void config_budget_name(const struct config_budget *b, char *out, size_t size) {
    char key[BUDGET_KEY];
    config_budget_key(b, key, sizeof key);
    const size_t skipped = b->batch > 0 ? strlen(by_words[BY_INSTRUCTIONS]) + 1 : 0;
    snprintf(out, size, "%s", key + skipped);
}

/* ---- programs ---- */

enum status program_read(struct config_program **out, const struct includes *from,
                         const config_setting_t *group, char **name, char **title,
                         struct error *e) {
    struct config_program *p = *out = calloc(1, sizeof *p);
    if (p == NULL)
        return out_of_memory(from, group, e);
    config_setting_t *command = NULL, *other = NULL, *env = NULL, *images = NULL, *without = NULL,
                     *how = NULL;
    struct budget_keys keys = {0};
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
        {"by", FIELD_SETTING, &keys.by, 0, 0},
        {"every", FIELD_NUMBER, &keys.every, 1, EVERY_MOST},
        {"batch", FIELD_NUMBER, &keys.batch, 1, BATCH_MOST},
        {"stack", FIELD_NUMBER, &keys.stack, 2, SAMPLER_STACK_MOST},
        {"seed", FIELD_SETTING, &keys.seed, 0, 0},
        {"without", FIELD_SETTING, &without, 0, 0},
        {"images", FIELD_SETTING, &images, 0, 0},
        {0},
    };
    enum status status = fields_read(from, group, fields, e);
    unsigned word = 0;
    if (status == STATUS_OK && how != NULL)
        status = fields_word(from, how, hows, &word, e);
    p->native = word == HOW_NATIVE;
    p->sampled = keys.every != 0 || keys.by != NULL || !p->native;
    if (keys.every == 0)
        keys.every = USUAL_EVERY;
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
    if (status == STATUS_OK)
        status = make_budget(from, group, &keys, &p->own, e);
    return status == STATUS_OK ? check_program(from, group, p, e) : status;
}

/* ---- budgets ---- */

static enum status check_budget(const struct config *c, const config_setting_t *group,
                                const struct config_budget *b, struct error *e) {
    for (size_t i = 0; i < c->budgets.len; i++) {
        const struct config_budget *a = &c->budgets.at[i];
        if (a->transfers == b->transfers && a->every == b->every && a->batch == b->batch &&
            a->stack == b->stack && a->seed == b->seed)
            return fields_error(c->from, group, e, "this budget is there twice");
    }
    return c->budgets.len < BUDGETS_MOST
               ? STATUS_OK
               : fields_error(c->from, group, e, "there are more than %d budgets", BUDGETS_MOST);
}

enum status budget_read(struct config *c, const config_setting_t *group, struct error *e) {
    struct config_budget b = {0};
    struct budget_keys keys = {0};
    const struct field fields[] = {
        {"by", FIELD_SETTING, &keys.by, 0, 0},
        {"transfers", FIELD_FLAG, &keys.transfers, 0, 0},
        {"every", FIELD_NUMBER, &keys.every, 1, EVERY_MOST},
        {"batch", FIELD_NUMBER, &keys.batch, 1, BATCH_MOST},
        {"stack", FIELD_NUMBER, &keys.stack, 2, SAMPLER_STACK_MOST},
        {"seed", FIELD_SETTING, &keys.seed, 0, 0},
        {0},
    };
    enum status status = fields_read(c->from, group, fields, e);
    if (status == STATUS_OK && keys.every == 0)
        status = fields_error(c->from, group, e, "a budget without `every`");
    if (status == STATUS_OK)
        status = make_budget(c->from, group, &keys, &b, e);
    if (status == STATUS_OK)
        status = check_budget(c, group, &b, e);
    if (status == STATUS_OK && !vec_push(&c->budgets, b))
        status = out_of_memory(c->from, group, e);
    return status;
}
