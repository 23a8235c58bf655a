#include "config/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fields_file(const struct includes *from, const config_setting_t *setting) {
    return includes_file(from, config_setting_source_line(setting));
}

enum status fields_error(const struct includes *from, const config_setting_t *setting,
                         struct error *e, const char *format, ...) {
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(e, STATUS_FORMAT, "%s:%u: %s", fields_file(from, setting),
                     includes_line(from, config_setting_source_line(setting)), text);
}

/* Elements of an array have no name; messages use the array's. */
static const char *name_of(const config_setting_t *setting) {
    const char *name = config_setting_name(setting);
    const config_setting_t *parent = config_setting_parent(setting);
    if (name == NULL && parent != NULL)
        name = config_setting_name(parent);
    return name != NULL ? name : "the file";
}

enum status fields_integer(const struct includes *from, const config_setting_t *setting,
                           int64_t least, int64_t most, int64_t *out, struct error *e) {
    int type = config_setting_type(setting);
    if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
        return fields_error(from, setting, e, "%s must be a whole number", name_of(setting));
    int64_t value = config_setting_get_int64(setting);
    if (value < least || value > most)
        return fields_error(from, setting, e,
                            "%s is %" PRId64 ", but must be from %" PRId64 " to %" PRId64,
                            name_of(setting), value, least, most);
    *out = value;
    return STATUS_OK;
}

enum status fields_word(const struct includes *from, const config_setting_t *setting,
                        const char *const *words, unsigned *out, struct error *e) {
    const char *word = config_setting_get_string(setting);
    char known[300] = "";
    size_t len = 0;
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (word != NULL && strcmp(words[i], word) == 0) {
            *out = i;
            return STATUS_OK;
        }
        if (len < sizeof known)
            len += (size_t)snprintf(known + len, sizeof known - len, "%s\"%s\"", i > 0 ? ", " : "",
                                    words[i]);
    }
    return fields_error(from, setting, e, "%s must be one of %s", name_of(setting), known);
}

enum status fields_millis(const struct includes *from, const config_setting_t *setting,
                          int64_t least, int64_t most, uint64_t *out, struct error *e) {
    double us = 0;
    int type = config_setting_type(setting);
    if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
        us = (double)config_setting_get_int64(setting) * 1000;
    else if (type == CONFIG_TYPE_FLOAT)
        us = config_setting_get_float(setting) * 1000;
    else
        return fields_error(from, setting, e, "%s must be a number of milliseconds",
                            name_of(setting));
    /* 0.001 ms has no exact double: round to the nearest microsecond, but refuse real fractions. */
    if (!(fabs(us - nearbyint(us)) < 1e-6))
        return fields_error(from, setting, e, "%s must be a whole number of microseconds",
                            name_of(setting));
    if (us < (double)least || us > (double)most)
        return fields_error(from, setting, e, "%s must be from %g to %g milliseconds",
                            name_of(setting), (double)least / 1000, (double)most / 1000);
    *out = (uint64_t)nearbyint(us);
    return STATUS_OK;
}

enum status fields_text(const struct includes *from, const config_setting_t *setting, bool path,
                        char **to, struct error *e) {
    const char *text = config_setting_get_string(setting);
    if (text == NULL)
        return fields_error(from, setting, e, "%s must be a text in quotes", name_of(setting));
    if (text[0] == '\0')
        return fields_error(from, setting, e, "%s is empty", name_of(setting));
    const char *file = fields_file(from, setting);
    char *copy = path ? file_beside(file, text, strlen(text)) : strdup(text);
    if (copy == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", file);
    free(*to);
    *to = copy;
    return STATUS_OK;
}

static enum status read_field(const struct includes *from, config_setting_t *setting,
                              const struct field *field, struct error *e) {
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_PATH:
        return fields_text(from, setting, field->kind == FIELD_PATH, field->to, e);
    case FIELD_FLAG:
        if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
            return fields_error(from, setting, e, "%s must be true or false", field->name);
        *(bool *)field->to = config_setting_get_bool(setting);
        return STATUS_OK;
    case FIELD_NUMBER:
        return fields_integer(from, setting, field->least, field->most, field->to, e);
    case FIELD_SETTING:
        *(config_setting_t **)field->to = setting;
        return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status unknown(const struct includes *from, const config_setting_t *setting,
                           const struct field *fields, struct error *e) {
    char known[600] = "";
    size_t len = 0;
    for (const struct field *f = fields; f->name != NULL && len < sizeof known; f++)
        len +=
            (size_t)snprintf(known + len, sizeof known - len, "%s%s", len > 0 ? ", " : "", f->name);
    return fields_error(from, setting, e, "unknown key '%s' (known here: %s)", name_of(setting),
                        known);
}

enum status fields_read(const struct includes *from, const config_setting_t *group,
                        const struct field *fields, struct error *e) {
    if (!config_setting_is_group(group))
        return fields_error(from, group, e, "%s must be a group in braces", name_of(group));
    for (int i = 0; i < config_setting_length(group); i++) {
        config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const struct field *field = fields;
        while (field->name != NULL && strcmp(field->name, config_setting_name(setting)) != 0)
            field++;
        enum status status = field->name != NULL ? read_field(from, setting, field, e)
                                                 : unknown(from, setting, fields, e);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
