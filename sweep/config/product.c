#include "config/product.h"

#include "config/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct product *product;
    const struct includes *from;
    const struct product_keys *keys;
};

static enum status out_of_memory(const struct reading *r, const config_setting_t *setting,
                                 struct error *e) {
    return error_set(e, STATUS_MEMORY, "%s: out of memory", fields_file(r->from, setting));
}

static bool is_many(const config_setting_t *setting) {
    return config_setting_is_array(setting) || config_setting_is_list(setting);
}

/* Values of a single key must differ; those of zipped keys may repeat. */
static enum status read_values(const struct reading *r, const config_setting_t *setting,
                               bool repeated, struct axis *axis, struct error *e) {
    const int count = is_many(setting) ? config_setting_length(setting) : 1;
    if (count == 0)
        return fields_error(r->from, setting, e, "%s has no values", config_setting_name(setting));
    for (int i = 0; i < count; i++) {
        int64_t value;
        const config_setting_t *one =
            is_many(setting) ? config_setting_get_elem(setting, (unsigned)i) : setting;
        enum status status = r->keys->read(r->keys->user, one, axis->key, &value, e);
        if (status != STATUS_OK)
            return status;
        for (size_t k = 0; !repeated && k < axis->values.len; k++)
            if (axis->values.at[k] == value)
                return fields_error(r->from, setting, e, "%s has the value %" PRId64 " twice",
                                    config_setting_name(setting), value);
        if (!vec_push(&axis->values, value))
            return out_of_memory(r, setting, e);
    }
    return STATUS_OK;
}

/* Reads a key of the group or of a zip into the last dimension. */
static enum status read_axis(const struct reading *r, const config_setting_t *setting,
                             bool repeated, struct error *e) {
    struct product *a = r->product;
    struct axis axis = {.dimension = a->sizes.len - 1};
    enum status status = r->keys->find(r->keys->user, setting, &axis.key, e);
    if (status == STATUS_OK && a->has[axis.key])
        status =
            fields_error(r->from, setting, e, "%s is here twice", config_setting_name(setting));
    if (status == STATUS_OK)
        status = read_values(r, setting, repeated, &axis, e);
    if (status == STATUS_OK && !vec_push(&a->list, axis))
        status = out_of_memory(r, setting, e);
    if (status != STATUS_OK) {
        vec_free(&axis.values);
        return status;
    }
    a->has[axis.key] = true;
    a->sizes.at[a->sizes.len - 1] = axis.values.len;
    return STATUS_OK;
}

static enum status check_group(const struct reading *r, const config_setting_t *group,
                               const char *what, struct error *e) {
    return config_setting_is_group(group) && config_setting_length(group) > 0
               ? STATUS_OK
               : fields_error(r->from, group, e,
                              "%s must be a group in braces, or a list of such groups in "
                              "parentheses",
                              what);
}

static enum status read_zip(const struct reading *r, const config_setting_t *group,
                            struct error *e) {
    struct product *a = r->product;
    enum status status = check_group(r, group, "zip", e);
    if (status == STATUS_OK && !vec_push(&a->sizes, (size_t)0))
        status = out_of_memory(r, group, e);
    for (int i = 0; status == STATUS_OK && i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const size_t before = a->sizes.at[a->sizes.len - 1];
        status = read_axis(r, setting, true, e);
        if (status == STATUS_OK && i > 0 && a->sizes.at[a->sizes.len - 1] != before)
            status = fields_error(r->from, setting, e,
                                  "keys of a zip advance together, so each needs as many values as "
                                  "the first, %zu, not %zu",
                                  before, a->sizes.at[a->sizes.len - 1]);
    }
    return status;
}

static enum status read_exclusion(const struct reading *r, const config_setting_t *group,
                                  struct error *e) {
    struct product *a = r->product;
    struct exclusion x = {.setting = group, .first = a->excluded.len};
    enum status status = check_group(r, group, "exclude", e);
    for (int i = 0; status == STATUS_OK && i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        struct axis axis = {0};
        status = r->keys->find(r->keys->user, setting, &axis.key, e);
        if (status == STATUS_OK)
            status = read_values(r, setting, false, &axis, e);
        if (status == STATUS_OK && !vec_push(&a->excluded, axis))
            status = out_of_memory(r, setting, e);
        if (status != STATUS_OK)
            vec_free(&axis.values);
    }
    x.count = a->excluded.len - x.first;
    if (status == STATUS_OK && !vec_push(&a->exclusions, x))
        status = out_of_memory(r, group, e);
    return status;
}

/* Reads a group, or each group of a list. */
static enum status read_groups(const struct reading *r, const config_setting_t *setting,
                               enum status (*read)(const struct reading *r,
                                                   const config_setting_t *group, struct error *e),
                               struct error *e) {
    enum status status = STATUS_OK;
    if (!config_setting_is_list(setting))
        return read(r, setting, e);
    for (int i = 0; status == STATUS_OK && i < config_setting_length(setting); i++)
        status = read(r, config_setting_get_elem(setting, (unsigned)i), e);
    return status;
}

enum status product_read(struct product *out, const struct includes *from,
                         const config_setting_t *group, const struct product_keys *keys,
                         struct error *e) {
    *out = (struct product){0};
    const struct reading r = {.product = out, .from = from, .keys = keys};
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (strcmp(name, "zip") == 0)
            status = read_groups(&r, setting, read_zip, e);
        else if (strcmp(name, "exclude") == 0)
            status = read_groups(&r, setting, read_exclusion, e);
        else if (keys->apart == NULL || strcmp(name, keys->apart) != 0)
            status = vec_push(&out->sizes, (size_t)0) ? read_axis(&r, setting, false, e)
                                                      : out_of_memory(&r, setting, e);
    }
    return status;
}

void product_free(struct product *a) {
    for (size_t i = 0; i < a->list.len; i++)
        vec_free(&a->list.at[i].values);
    for (size_t i = 0; i < a->excluded.len; i++)
        vec_free(&a->excluded.at[i].values);
    vec_free(&a->list);
    vec_free(&a->sizes);
    vec_free(&a->excluded);
    vec_free(&a->exclusions);
    *a = (struct product){0};
}

size_t product_total(const struct product *a, size_t most) {
    size_t total = 1;
    for (size_t i = 0; i < a->sizes.len; i++) {
        if (a->sizes.at[i] > most / total)
            return SIZE_MAX;
        total *= a->sizes.at[i];
    }
    return total;
}

static bool has_value(const struct axis *axis, int64_t value) {
    for (size_t i = 0; i < axis->values.len; i++)
        if (axis->values.at[i] == value)
            return true;
    return false;
}

static bool is_left_out(struct product *a, const int64_t *values) {
    for (size_t i = 0; i < a->exclusions.len; i++) {
        struct exclusion *x = &a->exclusions.at[i];
        size_t met = 0;
        while (met < x->count && has_value(&a->excluded.at[x->first + met],
                                           values[a->excluded.at[x->first + met].key]))
            met++;
        if (met < x->count)
            continue;
        x->used = true;
        return true;
    }
    return false;
}

bool product_take(struct product *a, size_t number, int64_t *values) {
    size_t rest = number;
    for (size_t d = a->sizes.len; d-- > 0;) {
        for (size_t i = 0; i < a->list.len; i++)
            if (a->list.at[i].dimension == d)
                values[a->list.at[i].key] = a->list.at[i].values.at[rest % a->sizes.at[d]];
        rest /= a->sizes.at[d];
    }
    return !is_left_out(a, values);
}

enum status product_check(const struct product *a, const struct includes *from, struct error *e) {
    for (size_t i = 0; i < a->exclusions.len; i++)
        if (!a->exclusions.at[i].used)
            return fields_error(from, a->exclusions.at[i].setting, e,
                                "this leaves nothing out: no combination has these values");
    return STATUS_OK;
}
