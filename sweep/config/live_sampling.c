#include "config/live_sampling.h"

#include "config/fields.h"
#include "config/product.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_SECONDS = 1000000,
    MOST_LIVE = 100,
    FRAMES_IN_10000_S = 600988, /* of the console */
};

/* ORDER config_sampling.other */
static const char *const inputs[] = {"same", "other", NULL};

enum key { INPUT, SECONDS };

static enum status find_key(void *user, const config_setting_t *setting, int *key,
                            struct error *e) {
    const struct config *c = user;
    const char *name = config_setting_name(setting);
    *key = strcmp(name, "input") == 0 ? INPUT : SECONDS;
    if (*key == INPUT || strcmp(name, "seconds") == 0)
        return STATUS_OK;
    return fields_error(
        c->from, setting, e,
        "%s is for samples, and nothing is sampled here (known here: input, seconds)", name);
}

static enum status read_key(void *user, const config_setting_t *one, int key, int64_t *out,
                            struct error *e) {
    const struct config *c = user;
    if (key == SECONDS)
        return fields_integer(c->from, one, 1, MOST_SECONDS, out, e);
    unsigned word = 0;
    enum status status = fields_word(c->from, one, inputs, &word, e);
    *out = word;
    return status;
}

bool live_is(const config_setting_t *group) {
    config_setting_t *by = group != NULL && config_setting_is_group(group)
                               ? config_setting_get_member((config_setting_t *)group, "by")
                               : NULL;
    const char *word = by != NULL ? config_setting_get_string(by) : NULL;
    return word != NULL && strcmp(word, "live") == 0;
}

enum status live_read(struct live_samplings *out, const struct config *c,
                      const config_setting_t *group, struct error *e) {
    const struct product_keys keys = {
        .user = (void *)c, .find = find_key, .read = read_key, .apart = "by"};
    struct product product = {0};
    enum status status = product_read(&product, c->from, group, &keys, e);
    const size_t total = status == STATUS_OK ? product_total(&product, MOST_LIVE) : 0;
    if (total > MOST_LIVE)
        status =
            fields_error(c->from, group, e, "these are more than %d live samplings", MOST_LIVE);
    for (size_t i = 0; status == STATUS_OK && i < total; i++) {
        int64_t values[PRODUCT_KEYS] = {0};
        if (!product_take(&product, i, values))
            continue;
        const struct config_sampling one = {
            .live = true, .other = values[INPUT] != 0, .seconds = (uint64_t)values[SECONDS]};
        if (!vec_push(&out->list, one))
            status = error_set(e, STATUS_MEMORY, "%s: out of memory", c->path);
    }
    if (status == STATUS_OK)
        status = product_check(&product, c->from, e);
    product_free(&product);
    return status;
}

size_t live_words(const struct config_sampling *s, struct sampling_word words[SAMPLING_WORDS]) {
    size_t count = 0;
    words[count] = (struct sampling_word){.name = "by"};
    snprintf(words[count++].value, sizeof words->value, CONFIG_LIVE_KEY);
    words[count] = (struct sampling_word){.name = "input"};
    snprintf(words[count++].value, sizeof words->value, "%s", inputs[s->other]);
    if (s->seconds > 0) {
        words[count] = (struct sampling_word){.name = "seconds"};
        snprintf(words[count++].value, sizeof words->value, "%" PRIu64, s->seconds);
    }
    return count;
}

void live_key(const struct config_sampling *s, char *out, size_t size) {
    char seconds[40] = "";
    if (s->seconds > 0)
        snprintf(seconds, sizeof seconds, " seconds=%" PRIu64, s->seconds);
    snprintf(out, size, CONFIG_LIVE_KEY "%s%s", s->other ? " input=other" : "", seconds);
}

bool config_applies(const struct config_sampling *s, const struct technique *t) {
    return s->live ? t->attach != NULL : t->build != NULL;
}

uint64_t config_frames(uint64_t seconds) {
    return seconds * FRAMES_IN_10000_S / 10000;
}

uint64_t config_watched(const struct config_sampling *s, uint64_t frames) {
    const uint64_t whole = config_frames(s->seconds);
    return s->seconds == 0 || whole > frames ? frames : whole;
}
