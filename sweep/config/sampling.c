#include "config/sampling.h"

#include "config/fields.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_US = 1000000000, USUAL_SEED = 1 };
#define MOST_EVERY (INT64_C(1) << 48)

static const char *const weightings[] = {"none", "cycles", NULL};

struct sampler_options sampling_usual(void) {
    return (struct sampler_options){.interval_us = 3000, .batch_length = 25, .seed = USUAL_SEED};
}

/* The setting of that name, NULL without one. */
static const config_setting_t *member(const config_setting_t *group, const char *name) {
    return config_setting_get_member((config_setting_t *)group, name);
}

/* A key that would change nothing is a misunderstanding. */
static enum status refuse_key(const struct includes *from, const config_setting_t *group,
                              const char *name, const char *by, struct error *e) {
    const config_setting_t *setting = member(group, name);
    return setting == NULL
               ? STATUS_OK
               : fields_error(from, setting, e, "%s means nothing in sampling by %s", name, by);
}

static bool by_transfers(const struct sampler_options *s) {
    return s->by == SAMPLER_TRANSFERS || s->by == SAMPLER_ACTIVE;
}

static enum status check(const struct sampler_options *s, const struct includes *from,
                         const config_setting_t *group, struct error *e) {
    static const char *const of_time[] = {"interval_ms", "jitter_ms", "phase_cycles", "weighting"};
    static const char *const of_counts[] = {"every", "place"};
    const char *by = sampler_by_words[s->by];
    enum status status = STATUS_OK;
    if (s->by == SAMPLER_TIME) {
        for (size_t i = 0; status == STATUS_OK && i < sizeof of_counts / sizeof *of_counts; i++)
            status = refuse_key(from, group, of_counts[i], by, e);
        return status;
    }
    for (size_t i = 0; status == STATUS_OK && i < sizeof of_time / sizeof *of_time; i++)
        status = refuse_key(from, group, of_time[i], by, e);
    if (status == STATUS_OK && by_transfers(s))
        status = refuse_key(from, group, "batch", by, e);
    if (status == STATUS_OK && s->every == 0)
        status = fields_error(from, group, e, "sampling by %s needs every = N", by);
    if (status == STATUS_OK && s->place == SAMPLER_GOLDEN && !by_transfers(s))
        status = fields_error(from, member(group, "place"), e,
                              "golden places are those of transfers or active transfers");
    return status;
}

/* What does not matter is as usual: the seed where nothing is drawn, times where none is asked. */
static void settle(struct sampler_options *s) {
    const struct sampler_options usual = sampling_usual();
    if (s->by == SAMPLER_TIME && s->jitter_us == 0)
        s->seed = usual.seed;
    if (by_transfers(s))
        s->batch_length = 2; /* from and to */
}

/* The number of the word that the group has, 0 without one. */
static enum status read_word(const struct includes *from, const config_setting_t *group,
                             const char *name, const char *const *words, unsigned *out,
                             struct error *e) {
    const config_setting_t *setting = member(group, name);
    *out = 0;
    return setting != NULL ? fields_word(from, setting, words, out, e) : STATUS_OK;
}

static enum status read_words(struct sampler_options *s, const struct includes *from,
                              const config_setting_t *group, struct error *e) {
    unsigned by = 0, place = 0, weighting = 0;
    enum status status = read_word(from, group, "by", sampler_by_words, &by, e);
    if (status == STATUS_OK)
        status = read_word(from, group, "place", sampler_place_words, &place, e);
    if (status == STATUS_OK)
        status = read_word(from, group, "weighting", weightings, &weighting, e);
    s->by = (enum sampler_by)by;
    s->place = (enum sampler_place)place;
    s->weigh = weighting != 0;
    return status;
}

enum status sampling_read(struct sampler_options *s, const struct includes *from,
                          const config_setting_t *group, struct error *e) {
    config_setting_t *word; /* read_words finds them again */
    int64_t batch = s->batch_length, seed = (int64_t)s->seed, phase = 0, every = 0;
    const struct field fields[] = {
        {"by", FIELD_SETTING, &word, 0, 0},
        {"interval_ms", FIELD_MILLIS, &s->interval_us, 1, MOST_US},
        {"batch", FIELD_NUMBER, &batch, 1, SAMPLER_BATCH_MOST},
        {"jitter_ms", FIELD_MILLIS, &s->jitter_us, 0, MOST_US},
        {"weighting", FIELD_SETTING, &word, 0, 0},
        {"every", FIELD_NUMBER, &every, 1, MOST_EVERY},
        {"place", FIELD_SETTING, &word, 0, 0},
        {"seed", FIELD_NUMBER, &seed, 0, INT64_MAX},
        {"phase_cycles", FIELD_NUMBER, &phase, 0, INT64_MAX / 4},
        {0},
    };
    enum status status = fields_read(from, group, fields, e);
    s->batch_length = (unsigned)batch;
    s->seed = (uint64_t)seed;
    s->phase_cycles = (uint64_t)phase;
    s->every = (uint64_t)every;
    if (status == STATUS_OK)
        status = read_words(s, from, group, e);
    if (status == STATUS_OK)
        status = check(s, from, group, e);
    settle(s);
    return status;
}

void config_sampling_key(const struct sampler_options *s, char *out, size_t size) {
    char seed[40] = "", batch[40] = "";
    if (s->by != SAMPLER_TIME) {
        if (!by_transfers(s))
            snprintf(batch, sizeof batch, " batch=%u", s->batch_length);
        snprintf(out, size, "%s every=%" PRIu64 "%s place=%s seed=%" PRIu64,
                 sampler_by_words[s->by], s->every, batch, sampler_place_words[s->place], s->seed);
        return;
    }
    if (s->jitter_us > 0)
        snprintf(seed, sizeof seed, " seed=%" PRIu64, s->seed);
    snprintf(out, size,
             "time interval_us=%" PRIu64 " batch=%u jitter_us=%" PRIu64 "%s phase_cycles=%" PRIu64
             "%s",
             s->interval_us, s->batch_length, s->jitter_us, seed, s->phase_cycles,
             s->weigh ? " weighting=cycles" : "");
}
