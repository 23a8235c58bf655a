#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

/* All options of "dbt:", one per line: its name, the manual's text after that, the field of struct
 * dbt_options *o, and the range of numbers. */
#define TRANSLATOR_OPTIONS(ROW)                                                                    \
    ROW("hot", "=N (translate a block at its Nth execution)", .count = &o->hot, .least = 1,        \
        .most = DBT_HOT_MOST)                                                                      \
    ROW("cache", "=BYTES (the size of the code cache, such as 4K or 64M)",                         \
        .bytes = &o->cache_bytes, .least = DBT_CACHE_LEAST, .most = DBT_CACHE_MOST)                \
    ROW("block", "=N (at most N instructions per block)", .count = &o->block_length, .least = 1,   \
        .most = DBT_BLOCK_MOST)                                                                    \
    ROW("no-chaining", " (every block returns to the dispatcher)", .flag = &o->no_chaining)        \
    ROW("no-return-stack", " (treat RTS like other indirect jumps)", .flag = &o->no_return_stack)  \
    ROW("no-inline-cache", " (look up the targets of indirect jumps)",                             \
        .flag = &o->no_inline_cache)                                                               \
    ROW("count", " (count the executions of blocks)", .flag = &o->count_blocks)                    \
    ROW("paths", "=SEED (superblocks along paths chosen at random)", .count = &o->random_paths,    \
        .least = 1, .most = 1000000)                                                               \
    ROW("adapt", "=SEED (the same, with other paths now and then)", .count = &o->random_adapt,     \
        .least = 1, .most = 1000000)                                                               \
    ROW("perf-map", " (write /tmp/perf-PID.map, so that perf(1) can name blocks)",                 \
        .flag = &o->perf_map)

#define AS_TEXT(name, help, ...) name help ", "
#define OPTIONS_TEXT                                                                               \
    "dbt takes " TRANSLATOR_OPTIONS(AS_TEXT) "separated by commas, as in dbt:hot=1,cache=4K"
/* Errors only list the names; the manual explains them. */
#define AS_NAME(name, help, ...) name ", "
#define OPTION_NAMES             "dbt takes " TRANSLATOR_OPTIONS(AS_NAME) "separated by commas"

/* ---- one option ---- */

/* Exactly one of the pointers is not NULL. */
struct translator_option {
    const char *name;
    bool *flag;
    unsigned *count;
    size_t *bytes;
    uint64_t least, most;
};

/* Parses a whole number; a number of bytes may end in K or M. */
static bool parse_number(const struct translator_option *option, const char *at, const char *end,
                         uint64_t *out) {
    if (!scan_decimal(&at, end, option->most, out))
        return false;
    if (option->bytes != NULL && at < end && (*at == 'K' || *at == 'M'))
        *out <<= *at++ == 'K' ? 10 : 20;
    return at == end && *out >= option->least && *out <= option->most;
}

/* value: the text from '=' to `end`; NULL if there is no '='. */
static enum status store(const struct translator_option *option, const char *value, const char *end,
                         struct error *e) {
    if (option->flag != NULL && value != NULL)
        return error_set(e, STATUS_ARGUMENT, "dbt: %s takes no value", option->name);
    if (option->flag != NULL) {
        *option->flag = true;
        return STATUS_OK;
    }
    uint64_t number;
    if (value == NULL || !parse_number(option, value, end, &number))
        return error_set(e, STATUS_ARGUMENT,
                         "dbt: %s takes a whole number from %" PRIu64 " to %" PRIu64
                         "%s, not '%.*s'",
                         option->name, option->least, option->most,
                         option->bytes != NULL ? " (K and M are units)" : "",
                         value != NULL ? (int)(end - value) : 0, value != NULL ? value : "");
    if (option->bytes != NULL)
        *option->bytes = (size_t)number;
    else
        *option->count = (unsigned)number;
    return STATUS_OK;
}

/* Parses "NAME" or "NAME=VALUE", which ends before `end`. */
static enum status parse_option(struct dbt_options *o, const char *text, const char *end,
                                struct error *e) {
#define AS_ROW(option_name, help, ...) {.name = option_name, __VA_ARGS__},
    const struct translator_option all[] = {TRANSLATOR_OPTIONS(AS_ROW)};
    const char *const equals = memchr(text, '=', (size_t)(end - text));
    const size_t len = (size_t)((equals != NULL ? equals : end) - text);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == len && memcmp(all[i].name, text, len) == 0)
            return store(&all[i], equals != NULL ? equals + 1 : NULL, end, e);
    return error_set(e, STATUS_ARGUMENT, "dbt has no option '%.*s'; %s", (int)len, text,
                     OPTION_NAMES);
}

/* ---- all of it ---- */

enum status engine_parse(struct engine_choice *out, const char *text, struct error *e) {
    static const struct {
        const char *name;
        enum engine_kind kind;
    } engines[] = {{"interp", ENGINE_INTERP}, {"dbt", ENGINE_DBT}, {"auto", ENGINE_AUTO}};
    const size_t len = strcspn(text, ":"), count = sizeof engines / sizeof *engines;
    size_t which = 0;
    while (which < count &&
           (strlen(engines[which].name) != len || memcmp(engines[which].name, text, len) != 0))
        which++;
    if (which == count)
        return error_set(e, STATUS_ARGUMENT, "takes one of interp, dbt, auto, not '%.*s'", (int)len,
                         text);
    struct engine_choice choice = {.kind = engines[which].kind};
    if (text[len] != 0 && choice.kind != ENGINE_DBT)
        return error_set(e, STATUS_ARGUMENT, "%s takes no options, but '%s' is given; %s",
                         engines[which].name, text + len + 1, OPTION_NAMES);
    for (const char *at = text + len; *at != 0;) {
        const char *const option = at + 1; /* after ':' or ',' */
        at = option + strcspn(option, ",");
        const enum status status = parse_option(&choice.translator, option, at, e);
        if (status != STATUS_OK)
            return status;
    }
    *out = choice;
    return STATUS_OK;
}

static enum status parse(void *to, const char *text, struct error *e) {
    return engine_parse(to, text, e);
}

struct option_spec engine_option(struct engine_choice *to) {
    static const char *const names[] = {"interp", "dbt", "auto", NULL};
    return (struct option_spec){
        "engine",
        "NAME[:OPTIONS]",
        "the engine: interp (interpreter), dbt (translator to x86-64) or auto (default: dbt where "
        "it is available); the results are the same. " OPTIONS_TEXT,
        OPTION_PARSED,
        .to = to,
        .choices = names,
        .parse = parse};
}

static enum status parse_console(void *to, const char *text, struct error *e) {
    return nes_console_parse(to, text, e);
}

struct option_spec console_option(struct nes_console *to) {
    return (struct option_spec){
        "console",
        "KIND",
        "the console's variant: warmup=on (default: the PPU ignores $2000 and some other registers "
        "until the end of the first frame) or warmup=off; alignment=N: the PPU is N dots ahead at "
        "power-on, 0 (default) to 340",
        OPTION_PARSED,
        .to = to,
        .parse = parse_console};
}

enum status engine_create(struct nes **out, const struct engine_choice *choice,
                          const struct nes_options *options, struct error *e) {
    struct nes_options with = *options;
    const bool forced = choice->kind == ENGINE_DBT;
    with.engine = choice->kind == ENGINE_INTERP ? NULL : dbt_engine();
    with.engine_options = &choice->translator;
    if (forced && with.engine == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "--engine dbt: the translator only generates x86-64 code, and this is "
                         "another processor; --engine auto uses the interpreter here");
    if (forced || with.engine == NULL)
        return nes_create(out, &with, e);
    if (nes_create(out, &with, NULL) == STATUS_OK)
        return STATUS_OK;
    with.engine = NULL;
    return nes_create(out, &with, e);
}
