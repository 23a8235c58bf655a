/*
 * fields: reads libconfig groups by a table of permitted fields; errors name file and line.
 *
 *     uint64_t frames = 18000;
 *     const struct field fields[] = {
 *         {"frames", FIELD_NUMBER, &frames, .least = 1, .most = 10000000},
 *         {0},
 *     };
 *     if (fields_read(&source, group, fields, &err)) ...
 */
#ifndef HOTGRAPH_FIELDS_H
#define HOTGRAPH_FIELDS_H

#include "base/base.h"
#include "config/includes.h"

#include <libconfig.h>

enum field_kind {
    FIELD_TEXT,    /* char **: owned by the caller; must not be empty */
    FIELD_PATH,    /* char **: the same, resolved against the folder of the file that contains it */
    FIELD_FLAG,    /* bool * */
    FIELD_NUMBER,  /* int64_t *: least..most */
    FIELD_SETTING, /* config_setting_t **: the caller reads it */
};

struct field {
    const char *name; /* a row without one ends the table */
    enum field_kind kind;
    void *to; /* unchanged if the file does not have the field */
    int64_t least, most;
};

/* Stores the group's fields. STATUS_FORMAT: an unknown name, a wrong type or a value out of range.
 * `from`: the text that libconfig read. */
enum status fields_read(const struct includes *from, const config_setting_t *group,
                        const struct field *fields, struct error *e);

/* One integer setting, or one element of an array, in least..most. */
enum status fields_integer(const struct includes *from, const config_setting_t *setting,
                           int64_t least, int64_t most, int64_t *out, struct error *e);

/* Index of a text setting, or of one element of an array, in `words`, which ends with NULL. */
enum status fields_word(const struct includes *from, const config_setting_t *setting,
                        const char *const *words, unsigned *out, struct error *e);

/* Milliseconds, possibly with a fraction; least..most and the stored value are in µs. */
enum status fields_millis(const struct includes *from, const config_setting_t *setting,
                          int64_t least, int64_t most, uint64_t *out, struct error *e);

/* One non-empty text; a path is resolved against the folder of its file. Frees the old *to. */
enum status fields_text(const struct includes *from, const config_setting_t *setting, bool path,
                        char **to, struct error *e);

/* Fails with "FILE:LINE: ...", the position of the setting. */
enum status fields_error(const struct includes *from, const config_setting_t *setting,
                         struct error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The file that contains the setting. */
const char *fields_file(const struct includes *from, const config_setting_t *setting);

#endif
