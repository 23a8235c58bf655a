#include "config/sampling.h"

#include "config/fields.h"
#include "config/live_sampling.h"
#include "config/product.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_US = 1000000000, MOST_SAMPLINGS = 1000, KEY_SIZE = 200 };
#define MOST_EVERY (INT64_C(1) << 48)

static const char *const weightings[] = {"none", "cycles", NULL};

/* ---- keys ---- */

enum key {
    BY,
    INTERVAL,
    BATCH,
    JITTER,
    WEIGHTING,
    EVERY,
    PER_MILLION,
    PLACE,
    SEED,
    PHASE,
    NEXT,
    WINDOW,
    STACK,
    SKIP,
    KEYS
};

static const struct {
    const char *name;
    enum { NUMBER, MILLIS, WORD } kind;
    int64_t least, most, usual;
    const char *const *words;
} known[KEYS] = {
    [BY] = {"by", WORD, 0, 0, SAMPLER_TIME, sampler_by_words},
    [INTERVAL] = {"interval_ms", MILLIS, 1, MOST_US, 3000, NULL},
    [BATCH] = {"batch", NUMBER, 1, SAMPLER_BATCH_MOST, 25, NULL},
    [JITTER] = {"jitter_ms", MILLIS, 0, MOST_US, 0, NULL},
    [WEIGHTING] = {"weighting", WORD, 0, 0, 0, weightings},
    [EVERY] = {"every", NUMBER, 1, MOST_EVERY, 0, NULL},
    [PER_MILLION] = {"per_million", NUMBER, 1, 1000000, 0, NULL},
    [PLACE] = {"place", WORD, 0, 0, SAMPLER_REGULAR, sampler_place_words},
    [SEED] = {"seed", NUMBER, 0, INT64_MAX, 1, NULL},
    [PHASE] = {"phase_cycles", NUMBER, 0, INT64_MAX / 4, 0, NULL},
    [NEXT] = {"next", NUMBER, 1, SAMPLER_NEXT_MOST, 1, NULL},
    [WINDOW] = {"window", NUMBER, 0, SAMPLER_WINDOW_MOST, 0, NULL},
    [STACK] = {"stack", NUMBER, 2, SAMPLER_STACK_MOST, 16, NULL},
    [SKIP] = {"skip", NUMBER, 0, SAMPLER_STACK_MOST - 2, 0, NULL},
};

static enum status find_key(void *user, const config_setting_t *setting, int *key,
                            struct error *e) {
    const struct config *c = user;
    char list[200] = "";
    for (*key = 0; *key < KEYS; ++*key) {
        if (strcmp(known[*key].name, config_setting_name(setting)) == 0)
            return STATUS_OK;
        const size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", *key > 0 ? ", " : "", known[*key].name);
    }
    return fields_error(c->from, setting, e, "unknown key '%s' (known here: %s, zip, exclude)",
                        config_setting_name(setting), list);
}

static enum status read_key(void *user, const config_setting_t *one, int key, int64_t *out,
                            struct error *e) {
    const struct config *c = user;
    uint64_t us = 0;
    unsigned word = 0;
    enum status status;
    switch (known[key].kind) {
    case NUMBER:
        return fields_integer(c->from, one, known[key].least, known[key].most, out, e);
    case MILLIS:
        status = fields_millis(c->from, one, known[key].least, known[key].most, &us, e);
        *out = (int64_t)us;
        return status;
    case WORD:
        status = fields_word(c->from, one, known[key].words, &word, e);
        if (status != STATUS_OK && key == BY && e != NULL) {
            const size_t len = strlen(e->text); /* the list of words lacks "live" */
            snprintf(e->text + len, sizeof e->text - len, ", or \"live\"");
        }
        *out = word;
        return status;
    }
    return STATUS_OK;
}

/* ---- one sampling ---- */

/* State of expanding one group into samplings. */
struct group {
    struct config *config;
    const config_setting_t *setting;
    struct product product;
};

/* The key's setting, for error positions; the group itself if the key is nested deeper. */
static const config_setting_t *setting_of(const struct group *g, enum key key) {
    const config_setting_t *at =
        config_setting_get_member((config_setting_t *)g->setting, known[key].name);
    return at != NULL ? at : g->setting;
}

/* Refuses keys that would have no effect: the author meant something else. */
static enum status refuse_keys(const struct group *g, const enum key *keys, size_t count,
                               const char *by, struct error *e) {
    for (size_t i = 0; i < count; i++)
        if (g->product.has[keys[i]])
            return fields_error(g->config->from, setting_of(g, keys[i]), e,
                                "%s means nothing in sampling by %s", known[keys[i]].name, by);
    return STATUS_OK;
}

static bool by_transfers(const struct sampler_options *s) {
    return s->by == SAMPLER_TRANSFERS || s->by == SAMPLER_ACTIVE;
}

static bool of_branches(const struct sampler_options *s) {
    return s->by == SAMPLER_LBR || s->by == SAMPLER_LBR_TAKEN;
}

static enum status check_clock(const struct group *g, const struct sampler_options *s,
                               const enum key *others, size_t count, struct error *e) {
    const enum status status = refuse_keys(g, others, count, sampler_by_words[SAMPLER_CLOCK], e);
    if (status != STATUS_OK)
        return status;
    if (s->window > 0 && s->next > 1)
        return fields_error(g->config->from, setting_of(g, NEXT), e,
                            "a window takes all its transfers; next cannot limit them");
    if (s->interval_us < SAMPLER_CLOCK_LEAST_US)
        return fields_error(g->config->from, setting_of(g, INTERVAL), e,
                            "by the clock, samples are at least %d us apart",
                            SAMPLER_CLOCK_LEAST_US);
    return STATUS_OK;
}

static enum status check_branches(const struct group *g, const struct sampler_options *s,
                                  struct error *e) {
    static const enum key not_of_either[] = {WEIGHTING, BATCH, PER_MILLION};
    static const enum key not_of_cycles[] = {EVERY, PLACE};
    static const enum key not_of_taken[] = {INTERVAL, JITTER, PHASE};
    const char *by = sampler_by_words[s->by];
    enum status status =
        refuse_keys(g, not_of_either, sizeof not_of_either / sizeof *not_of_either, by, e);
    if (status == STATUS_OK && s->by == SAMPLER_LBR)
        status = refuse_keys(g, not_of_cycles, sizeof not_of_cycles / sizeof *not_of_cycles, by, e);
    else if (status == STATUS_OK)
        status = refuse_keys(g, not_of_taken, sizeof not_of_taken / sizeof *not_of_taken, by, e);
    if (status != STATUS_OK)
        return status;
    if (s->by == SAMPLER_LBR_TAKEN && s->every == 0)
        return fields_error(g->config->from, g->setting, e, "sampling by %s needs every = N", by);
    if (s->place >= SAMPLER_GOLDEN)
        return fields_error(g->config->from, setting_of(g, PLACE), e,
                            "golden positions are only for transfers and active transfers");
    if (s->skip + 2 > s->stack)
        return fields_error(g->config->from, setting_of(g, SKIP), e,
                            "at least 2 of %u entries must not be skipped", s->stack);
    return STATUS_OK;
}

static enum status check(const struct group *g, const struct sampler_options *s, struct error *e) {
    static const enum key of_lbr[] = {STACK, SKIP};
    static const enum key of_time[] = {INTERVAL, JITTER, PHASE, WEIGHTING};
    static const enum key of_clock[] = {NEXT, WINDOW};
    static const enum key not_of_clock[] = {JITTER, PHASE, WEIGHTING, BATCH};
    static const enum key of_counts[] = {EVERY, PER_MILLION, PLACE};
    static const enum key of_batches[] = {BATCH};
    const char *by = sampler_by_words[s->by];
    enum status status = STATUS_OK;
    if (s->by != SAMPLER_CLOCK)
        status = refuse_keys(g, of_clock, sizeof of_clock / sizeof *of_clock, by, e);
    if (status == STATUS_OK && of_branches(s))
        return check_branches(g, s, e);
    if (status == STATUS_OK)
        status = refuse_keys(g, of_lbr, sizeof of_lbr / sizeof *of_lbr, by, e);
    if (status == STATUS_OK && (s->by == SAMPLER_TIME || s->by == SAMPLER_CLOCK))
        status = refuse_keys(g, of_counts, sizeof of_counts / sizeof *of_counts, by, e);
    if (s->by == SAMPLER_TIME || status != STATUS_OK)
        return status;
    if (s->by == SAMPLER_CLOCK)
        return check_clock(g, s, not_of_clock, sizeof not_of_clock / sizeof *not_of_clock, e);
    status = refuse_keys(g, of_time, sizeof of_time / sizeof *of_time, by, e);
    if (status == STATUS_OK && by_transfers(s))
        status = refuse_keys(g, of_batches, sizeof of_batches / sizeof *of_batches, by, e);
    if (status == STATUS_OK && (s->every == 0) == (s->per_million == 0))
        status = fields_error(g->config->from, g->setting, e,
                              "sampling by %s needs every = N, or per_million = N", by);
    if (status == STATUS_OK && s->place >= SAMPLER_GOLDEN && !by_transfers(s))
        status = fields_error(g->config->from, setting_of(g, PLACE), e,
                              "golden positions are only for transfers and active transfers");
    return status;
}

/* Parameters without effect keep their defaults: the seed if nothing is random, times if nothing is
 * sampled by time. */
static struct sampler_options make_options(const int64_t values[KEYS]) {
    struct sampler_options s = {
        .interval_us = (uint64_t)values[INTERVAL],
        .batch_length = (unsigned)values[BATCH],
        .jitter_us = (uint64_t)values[JITTER],
        .seed = (uint64_t)values[SEED],
        .phase_cycles = (uint64_t)values[PHASE],
        .weigh = values[WEIGHTING] != 0,
        .by = (enum sampler_by)values[BY],
        .place = (enum sampler_place)values[PLACE],
        .every = (uint64_t)values[EVERY],
        .per_million = (uint64_t)values[PER_MILLION],
        .next = (unsigned)values[NEXT],
        .window = (unsigned)values[WINDOW],
        .stack = (unsigned)values[STACK],
        .skip = (unsigned)values[SKIP],
    };
    if ((s.by == SAMPLER_TIME || s.by == SAMPLER_LBR) && s.jitter_us == 0)
        s.seed = (uint64_t)known[SEED].usual;
    if (by_transfers(&s) || s.by == SAMPLER_CLOCK || of_branches(&s))
        s.batch_length = 2; /* from and to */
    return s;
}

/* ---- words ---- */

static void add_word(struct sampling_word *words, size_t *count, const char *name, uint64_t value) {
    words[*count].name = name;
    snprintf(words[(*count)++].value, sizeof words->value, "%" PRIu64, value);
}

static void add_millis(struct sampling_word *words, size_t *count, const char *name, uint64_t us) {
    words[*count].name = name;
    int len = snprintf(words[*count].value, sizeof words->value, "%" PRIu64 ".%03u", us / 1000,
                       (unsigned)(us % 1000));
    char *end = words[(*count)++].value + len;
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

static void add_text(struct sampling_word *words, size_t *count, const char *name,
                     const char *value) {
    words[*count].name = name;
    snprintf(words[(*count)++].value, sizeof words->value, "%s", value);
}

static void add_stride(struct sampling_word *words, size_t *count,
                       const struct sampler_options *s) {
    if (s->per_million != 0)
        add_word(words, count, "per_million", s->per_million);
    else
        add_word(words, count, "every", s->every);
}

static void add_times(struct sampling_word *words, size_t *count, const struct sampler_options *s) {
    add_millis(words, count, "jitter_ms", s->jitter_us);
    if (s->jitter_us > 0)
        add_word(words, count, "seed", s->seed);
    add_word(words, count, "phase_cycles", s->phase_cycles);
}

static size_t branch_words(const struct sampler_options *s, struct sampling_word *words,
                           size_t count) {
    if (s->by == SAMPLER_LBR)
        add_millis(words, &count, "interval_ms", s->interval_us);
    else
        add_word(words, &count, "every", s->every);
    add_word(words, &count, "stack", s->stack);
    add_word(words, &count, "skip", s->skip);
    if (s->by == SAMPLER_LBR) {
        add_times(words, &count, s);
    } else {
        add_text(words, &count, "place", sampler_place_words[s->place]);
        add_word(words, &count, "seed", s->seed);
    }
    return count;
}

size_t config_sampling_words(const struct sampler_options *s,
                             struct sampling_word words[SAMPLING_WORDS]) {
    size_t count = 0;
    add_text(words, &count, "by", sampler_by_words[s->by]);
    if (of_branches(s))
        return branch_words(s, words, count);
    if (s->by == SAMPLER_CLOCK) {
        add_millis(words, &count, "interval_ms", s->interval_us);
        add_word(words, &count, s->window > 0 ? "window" : "next",
                 s->window > 0 ? s->window : s->next);
        add_word(words, &count, "seed", s->seed);
        return count;
    }
    if (s->by != SAMPLER_TIME) {
        add_stride(words, &count, s);
        if (!by_transfers(s))
            add_word(words, &count, "batch", s->batch_length);
        add_text(words, &count, "place", sampler_place_words[s->place]);
        add_word(words, &count, "seed", s->seed);
        return count;
    }
    add_millis(words, &count, "interval_ms", s->interval_us);
    add_word(words, &count, "batch", s->batch_length);
    add_times(words, &count, s);
    add_text(words, &count, "weighting", weightings[s->weigh]);
    return count;
}

size_t config_words(const struct config_sampling *s, struct sampling_word words[SAMPLING_WORDS]) {
    return s->live ? live_words(s, words) : config_sampling_words(&s->options, words);
}

/* The words of `s` that `first` lacks or has with another value. */
static char *make_variant(const struct config_sampling *first, const struct config_sampling *s) {
    struct sampling_word ours[SAMPLING_WORDS], others[SAMPLING_WORDS];
    const size_t our_count = config_words(s, ours), other_count = config_words(first, others);
    char text[SAMPLING_WORDS * 48] = "";
    size_t len = 0;
    for (size_t i = 0; i < our_count; i++) {
        bool same = false;
        for (size_t k = 0; k < other_count; k++)
            same |= strcmp(ours[i].name, others[k].name) == 0 &&
                    strcmp(ours[i].value, others[k].value) == 0;
        if (!same)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s=%s", len > 0 ? " " : "",
                                    ours[i].name, ours[i].value);
    }
    return strdup(text);
}

/* ---- all ---- */

#define OUT_OF_MEMORY(c, e) error_set(e, STATUS_MEMORY, "%s: out of memory", (c)->path)

/* setting: where it is, for messages. */
static enum status push_sampling(struct config *c, const config_setting_t *setting,
                                 struct config_sampling one, struct error *e) {
    char key[KEY_SIZE], other[KEY_SIZE];
    config_key(&one, key, sizeof key);
    for (size_t i = 0; i < c->samplings.len; i++) {
        config_key(&c->samplings.at[i], other, sizeof other);
        if (strcmp(key, other) == 0)
            return fields_error(c->from, setting, e, "the same sampling is here twice: %s", key);
    }
    one.variant = c->samplings.len > 0 ? make_variant(&c->samplings.at[0], &one) : strdup("");
    if (one.variant != NULL && vec_push(&c->samplings, one))
        return STATUS_OK;
    free(one.variant);
    return OUT_OF_MEMORY(c, e);
}

static enum status push_samplings(struct group *g, struct error *e) {
    const size_t most = MOST_SAMPLINGS - g->config->samplings.len,
                 total = product_total(&g->product, most);
    enum status status = STATUS_OK;
    if (total > most)
        return fields_error(g->config->from, g->setting, e, "these are more than %d samplings",
                            MOST_SAMPLINGS);
    for (size_t number = 0; status == STATUS_OK && number < total; number++) {
        int64_t values[PRODUCT_KEYS] = {0};
        for (int k = 0; k < KEYS; k++)
            values[k] = known[k].usual;
        if (!product_take(&g->product, number, values))
            continue;
        const struct sampler_options s = make_options(values);
        status = check(g, &s, e);
        if (status == STATUS_OK)
            status =
                push_sampling(g->config, g->setting, (struct config_sampling){.options = s}, e);
    }
    return status == STATUS_OK ? product_check(&g->product, g->config->from, e) : status;
}

static enum status read_group(struct config *c, const config_setting_t *setting, struct error *e) {
    const struct product_keys keys = {.user = c, .find = find_key, .read = read_key};
    struct group g = {.config = c, .setting = setting};
    if (!config_setting_is_group(setting))
        return fields_error(c->from, setting, e,
                            "sampling must be a group in braces, or a list of such groups in "
                            "parentheses");
    enum status status = product_read(&g.product, c->from, setting, &keys, e);
    if (status == STATUS_OK)
        status = push_samplings(&g, e);
    product_free(&g.product);
    return status;
}

static enum status read_live(struct config *c, const config_setting_t *setting, struct error *e) {
    struct live_samplings live = {0};
    enum status status = live_read(&live, c, setting, e);
    for (size_t i = 0; status == STATUS_OK && i < live.list.len; i++)
        status = push_sampling(c, setting, live.list.at[i], e);
    vec_free(&live.list);
    return status;
}

static enum status read_any(struct config *c, const config_setting_t *setting, struct error *e) {
    return live_is(setting) ? read_live(c, setting, e) : read_group(c, setting, e);
}

enum status sampling_read(struct config *c, const config_setting_t *setting, struct error *e) {
    struct group usual = {.config = c};
    enum status status = STATUS_OK;
    if (setting == NULL)
        status = push_samplings(&usual, e);
    else if (!config_setting_is_list(setting))
        status = read_any(c, setting, e);
    else
        for (int i = 0; status == STATUS_OK && i < config_setting_length(setting); i++)
            status = read_any(c, config_setting_get_elem(setting, (unsigned)i), e);
    if (status == STATUS_OK && c->samplings.len == 0)
        status = fields_error(c->from, setting, e, "sampling: all of it is left out");
    c->live = true;
    for (size_t i = 0; i < c->samplings.len; i++)
        c->live &= c->samplings.at[i].live;
    return status;
}

void config_key(const struct config_sampling *s, char *out, size_t size) {
    if (s->live)
        live_key(s, out, size);
    else
        config_sampling_key(&s->options, out, size);
}

/* Of the last taken branches. */
static void branch_key(const struct sampler_options *s, char *out, size_t size) {
    char seed[40] = "";
    if (s->by == SAMPLER_LBR_TAKEN) {
        snprintf(out, size, "lbr_taken every=%" PRIu64 " stack=%u skip=%u place=%s seed=%" PRIu64,
                 s->every, s->stack, s->skip, sampler_place_words[s->place], s->seed);
        return;
    }
    if (s->jitter_us > 0)
        snprintf(seed, sizeof seed, " seed=%" PRIu64, s->seed);
    snprintf(out, size,
             "lbr interval_us=%" PRIu64 " stack=%u skip=%u jitter_us=%" PRIu64
             "%s phase_cycles=%" PRIu64,
             s->interval_us, s->stack, s->skip, s->jitter_us, seed, s->phase_cycles);
}

void config_sampling_key(const struct sampler_options *s, char *out, size_t size) {
    char seed[40] = "", batch[40] = "";
    if (of_branches(s)) {
        branch_key(s, out, size);
        return;
    }
    if (s->by == SAMPLER_CLOCK) {
        snprintf(out, size, "clock interval_us=%" PRIu64 " %s=%u seed=%" PRIu64, s->interval_us,
                 s->window > 0 ? "window" : "next", s->window > 0 ? s->window : s->next, s->seed);
        return;
    }
    if (s->by != SAMPLER_TIME) {
        if (!by_transfers(s))
            snprintf(batch, sizeof batch, " batch=%u", s->batch_length);
        snprintf(out, size, "%s %s=%" PRIu64 "%s place=%s seed=%" PRIu64, sampler_by_words[s->by],
                 s->per_million != 0 ? "per_million" : "every",
                 s->per_million != 0 ? s->per_million : s->every, batch,
                 sampler_place_words[s->place], s->seed);
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
