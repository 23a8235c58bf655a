/*
 * The description of a stream's samples: fields after the column names in the first line of its
 * file. Other tools treat that line as free text:
 *
 *     program=SHA1 timer=1 of=transfers active=1 population=N executed=N probes=N weighed=1
 *
 * timer=1: sampled at a timer of the machine, so another run gives other samples.
 * of=branches: batches differ in length; without it all are as long as the first.
 */
#include "profile/stream/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t origin_print(char *text, size_t room, const struct stream *s) {
    const bool known = s->program[0] != '\0';
    const size_t len = (size_t)snprintf(text, room, "%s%s%s%s", known ? "\tprogram=" : "",
                                        s->program, s->by_timer ? "\ttimer=1" : "",
                                        s->of == STREAM_OF_BRANCHES ? "\tof=branches" : "");
    if (s->population == 0)
        return len;
    return len + (size_t)snprintf(text + len, room - len,
                                  "%s%s\tpopulation=%" PRIu64 "\texecuted=%" PRIu64
                                  "\tprobes=%" PRIu64 "%s",
                                  s->of == STREAM_OF_TRANSFERS ? "\tof=transfers" : "",
                                  s->active ? "\tactive=1" : "", s->population, s->executed,
                                  s->probes, s->cycles != NULL ? "\tweighed=1" : "");
}

static bool field_is(const char *at, size_t len, const char *word) {
    return len == strlen(word) && memcmp(at, word, len) == 0;
}

static bool number_is(const char *at, size_t len, const char *name, uint64_t *out) {
    const size_t name_len = strlen(name);
    const char *digits = at + name_len;
    uint64_t value;
    if (len <= name_len || memcmp(at, name, name_len) != 0 ||
        !scan_decimal(&digits, at + len, INT64_MAX, &value) || digits != at + len)
        return false;
    *out = value;
    return true;
}

static bool take_program(struct stream *s, const char *at, size_t len) {
    static const char name[] = "program=";
    const size_t name_len = sizeof name - 1;
    if (len != name_len + 40 || memcmp(at, name, name_len) != 0)
        return false;
    for (size_t i = name_len; i < len; i++)
        if ((at[i] < '0' || at[i] > '9') && (at[i] < 'a' || at[i] > 'f'))
            return false;
    memcpy(s->program, at + name_len, 40);
    return true;
}

bool origin_scan(struct stream *s, const char *line, const char *end) {
    bool weighed = false;
    while (line < end) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        const size_t len = (size_t)((tab != NULL ? tab : end) - line);
        if (field_is(line, len, "of=transfers"))
            s->of = STREAM_OF_TRANSFERS;
        else if (field_is(line, len, "of=branches"))
            s->of = STREAM_OF_BRANCHES;
        else if (field_is(line, len, "active=1"))
            s->active = true;
        else if (field_is(line, len, "timer=1"))
            s->by_timer = true;
        else if (field_is(line, len, "weighed=1"))
            weighed = true;
        else if (!take_program(s, line, len) &&
                 !number_is(line, len, "population=", &s->population) &&
                 !number_is(line, len, "executed=", &s->executed))
            number_is(line, len, "probes=", &s->probes);
        line = tab != NULL ? tab + 1 : end;
    }
    return weighed;
}
