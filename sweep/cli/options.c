#include "cli/cli.h"
#include "cli/manual.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- suggestions ---- */

/* Edit distance with insertions, deletions, changes and transpositions; for short words. */
static unsigned distance(const char *a, const char *b) {
    enum { MOST = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MOST || m >= MOST)
        return MOST;
    unsigned d[MOST][MOST];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *nearest_word(const char *word, const char *const *words) {
    const char *best = NULL;
    unsigned least = ((unsigned)strlen(word) + 1) / 3;
    for (; *words != NULL; words++) {
        unsigned far = distance(word, *words);
        if (strlen(word) >= 3 && strncmp(word, *words, strlen(word)) == 0)
            far = 1;
        if (far < least || (far == least && best == NULL)) {
            least = far;
            best = *words;
        }
    }
    return best;
}

/* ---- values ---- */

static bool parse_signed(const char *text, int64_t *out) {
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == 0 &&
           (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

/* Parses "3" or "0.25" in thousandths; at most three places. */
static bool parse_thousandths(const char *text, int64_t *out) {
    size_t whole = strspn(text, "0123456789"), places = 0;
    if (text[whole] == '.')
        places = strspn(text + whole + 1, "0123456789");
    size_t used = whole + (text[whole] == '.' ? places + 1 : 0);
    if (whole == 0 || whole > 12 || places > 3 || text[used] != 0 ||
        (text[whole] == '.' && places == 0))
        return false;
    *out = strtoll(text, NULL, 10) * 1000;
    int64_t scale = 100;
    for (size_t i = 0; i < places; i++, scale /= 10)
        *out += (text[whole + 1 + i] - '0') * scale;
    return true;
}

static int bad_value(const struct usage *u, const struct option_spec *o, const char *value) {
    if (o->kind == OPTION_THOUSANDTHS)
        return usage_error(u->command,
                           "--%s takes a number from %g to %g with up to three places, not "
                           "'%s'",
                           o->name, (double)o->least / 1000, (double)o->most / 1000, value);
    return usage_error(u->command,
                       "--%s takes a whole number from %" PRId64 " to %" PRId64 ", not '%s'",
                       o->name, o->least, o->most, value);
}

static int store_choice(const struct usage *u, const struct option_spec *o, const char *value) {
    for (const char *const *c = o->choices; *c != NULL; c++)
        if (strcmp(*c, value) == 0) {
            *(const char **)o->to = *c;
            return 0;
        }
    const char *near = nearest_word(value, o->choices);
    char list[400] = "", hint[500];
    for (const char *const *c = o->choices; *c != NULL; c++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "", *c);
    if (list[0] == 0)
        return usage_error(u->command, "--%s: this build has none", o->name);
    if (o->hint != NULL && o->hint(value, hint, sizeof hint))
        return usage_error(u->command, "--%s takes one of %s, not '%s': %s", o->name, list, value,
                           hint);
    return usage_error(u->command, "--%s takes one of %s, not '%s'%s%s%s", o->name, list, value,
                       near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                       near != NULL ? "'?" : "");
}

enum status option_check_names(const char *value, struct error *e) {
    const size_t len = strlen(value);
    if (value[0] == ',' || value[len - 1] == ',' || strstr(value, ",,") != NULL)
        return error_set(e, STATUS_ARGUMENT, "takes names separated by commas, not '%s'", value);
    return STATUS_OK;
}

enum status words_split(struct words *out, const char *list, struct error *e) {
    if (list == NULL)
        return STATUS_OK;
    out->text = strdup(list);
    if (out->text == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    char *rest = out->text, *word;
    while ((word = strsep(&rest, ",")) != NULL)
        if (!vec_push(&out->at, (const char *)word))
            return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

void words_free(struct words *w) {
    vec_free(&w->at);
    free(w->text);
}

/* Returns 0, or the exit status. */
static int store(const struct usage *u, const struct option_spec *o, char *value) {
    int64_t number = 0;
    struct error e = {0};
    if (o->given != NULL)
        *o->given = true;
    if (o->kind != OPTION_FLAG && value[0] == 0)
        return usage_error(u->command, "--%s needs a non-empty value", o->name);
    if (o->check != NULL && o->check(value, &e) != STATUS_OK)
        return usage_error(u->command, "--%s %s", o->name, e.text);
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->to = true;
        return 0;
    case OPTION_STRING:
        *(const char **)o->to = value;
        return 0;
    case OPTION_LIST:
        if (!vec_push(&((struct option_list *)o->to)->items, value))
            return failure(&(struct error){.text = "out of memory"});
        return 0;
    case OPTION_CHOICE:
        return store_choice(u, o, value);
    case OPTION_PARSED:
        return o->parse(o->to, value, &e) == STATUS_OK
                   ? 0
                   : usage_error(u->command, "--%s %s", o->name, e.text);
    case OPTION_NUMBER:
    case OPTION_SIGNED:
    case OPTION_THOUSANDTHS:
        if (!(o->kind == OPTION_THOUSANDTHS ? parse_thousandths : parse_signed)(value, &number) ||
            number < o->least || number > o->most)
            return bad_value(u, o, value);
        if (o->kind == OPTION_SIGNED)
            *(int64_t *)o->to = number;
        else
            *(uint64_t *)o->to = (uint64_t)number;
        return 0;
    }
    return 0;
}

/* ---- parsing ---- */

static int unknown_option(const struct usage *u, const char *arg) {
    const char *names[OPTIONS_MOST + 1] = {0};
    const struct option_spec *all[OPTIONS_MOST];
    size_t n = usage_rows(u, all);
    for (size_t i = 0; i < n; i++)
        names[i] = all[i]->name;
    names[n] = "help";
    if (strncmp(arg, "--", 2) != 0)
        return usage_error(u->command,
                           "unknown option '%s': options other than -h are written out, as in --%s",
                           arg, n > 0 ? names[0] : "help");
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    const char *near = nearest_word(word, names);
    if (near == NULL)
        return usage_error(u->command, "unknown option '--%s'", word);
    return usage_error(u->command, "unknown option '--%s', did you mean '--%s'?", word, near);
}

/* Refuses two different values, one of which would be lost silently. */
static int check_once(const struct usage *u, const struct option_spec *o, const char **before,
                      const char *value) {
    if (o->kind == OPTION_FLAG || o->kind == OPTION_LIST)
        return 0;
    if (*before != NULL && strcmp(*before, value) != 0)
        return usage_error(u->command, "--%s is given twice, as '%s' and as '%s': give it once",
                           o->name, *before, value);
    *before = value;
    return 0;
}

static int parse_all(const struct usage *u, int argc, char **argv, bool *helped) {
    struct option longs[OPTIONS_MOST + 2] = {0};
    const struct option_spec *all[OPTIONS_MOST];
    int n = (int)usage_rows(u, all);
    for (int i = 0; i < n; i++)
        longs[i] = (struct option){all[i]->name,
                                   all[i]->kind == OPTION_FLAG ? no_argument : required_argument,
                                   NULL, 256 + i};
    longs[n] = (struct option){"help", optional_argument, NULL, 256 + n};
    const char *values[OPTIONS_MOST] = {0}; /* values given so far */
    opterr = 0;
    optind = 0; /* GNU: reset getopt */
    for (;;) {
        int c = getopt_long(argc, argv, ":h", longs, NULL);
        if (c == -1)
            return 0;
        if (c == ':')
            return usage_error(u->command, "%s needs a value", argv[optind - 1]);
        if (c == '?' && optopt >= 256)
            return usage_error(u->command, "%s takes no value", argv[optind - 1]);
        if (c == '?') {
            char letter[3] = {'-', (char)optopt, 0};
            return unknown_option(u, optopt != 0 ? letter : argv[optind - 1]);
        }
        if (c == 'h' || c == 256 + n) {
            *helped = true;
            return manual_print(u, c == 'h' ? NULL : optarg)
                       ? 0
                       : usage_error(u->command,
                                     "--help takes no value, 'man' or 'options', not '%s'", optarg);
        }
        int status = check_once(u, all[c - 256], &values[c - 256], optarg);
        if (status == 0)
            status = store(u, all[c - 256], optarg);
        if (status != 0)
            return status;
    }
}

static int check_files(const struct usage *u, const struct operands *given) {
    struct file_named *inputs = calloc(given->count + 1, sizeof *inputs);
    unsigned count = u->inputs < given->count ? u->inputs : given->count;
    if (inputs == NULL)
        return failure(&(struct error){.text = "out of memory"});
    for (unsigned i = 0; i < count; i++)
        inputs[i] = (struct file_named){"its input", given->at[i], FILE_READ};
    const int status = files_check_options(u, inputs, count);
    free(inputs);
    return status;
}

bool options_parse(const struct usage *u, int argc, char **argv, struct operands *out) {
    bool helped = false;
    *out = (struct operands){.exit_status = parse_all(u, argc, argv, &helped)};
    if (out->exit_status != 0 || helped)
        return false;
    out->at = argv + optind;
    out->count = (unsigned)(argc - optind);
    if (out->count < u->least)
        out->exit_status =
            usage_error(u->command, "%s missing: the command takes %s",
                        u->least == 1 ? "an operand is" : "operands are", u->operands);
    else if (out->count > u->most)
        out->exit_status =
            u->most == 0
                ? usage_error(u->command, "takes no operands, but '%s' is given", out->at[0])
                : usage_error(u->command, "one operand too many, '%s': the command takes %s",
                              out->at[u->most], u->operands);
    else
        out->exit_status = check_files(u, out);
    return out->exit_status == 0;
}
