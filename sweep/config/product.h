/*
 * product: the Cartesian product of a configuration's group, in which each key has one or more
 * values. Zipped keys advance together; excluded combinations are left out. Private to config.
 *
 *     { recurrent_threshold = [5, 8, 12];
 *       zip = { window_size = [6, 10, 13]; stdev_threshold = [8, 10, 12]; };
 *       exclude = ( { window_size = 13; recurrent_threshold = [5, 8]; } ); }
 *
 * gives nine combinations less two. The group's first key varies slowest; a zip counts at its own
 * position. `zip` and `exclude` are a group or a list of groups each. Values are integers here; the
 * owner of the keys maps texts and fractions to them.
 */
#ifndef HOTGRAPH_PRODUCT_H
#define HOTGRAPH_PRODUCT_H

#include "config/includes.h"

#include <libconfig.h>

enum { PRODUCT_KEYS = 16 };

/* The owner of the keys. */
struct product_keys {
    void *user;
    /* Finds the key's number, below PRODUCT_KEYS. STATUS_FORMAT: unknown name. */
    enum status (*find)(void *user, const config_setting_t *setting, int *key, struct error *e);
    /* Reads one value of that key. */
    enum status (*read)(void *user, const config_setting_t *one, int key, int64_t *out,
                        struct error *e);
    const char *apart; /* a key of the group to ignore, read elsewhere; may be NULL */
};

struct axis {
    int key;
    size_t dimension; /* axes of one dimension advance together */
    VEC(int64_t) values;
};

struct exclusion {
    const config_setting_t *setting;
    size_t first, count; /* in `excluded` */
    bool used;           /* it has excluded something */
};

struct product {
    VEC(struct axis) list;
    VEC(size_t) sizes;         /* of the dimensions */
    VEC(struct axis) excluded; /* excluded values, exclusion by exclusion */
    VEC(struct exclusion) exclusions;
    bool has[PRODUCT_KEYS]; /* true for the group's keys */
};

/* The caller must call product_free() in every case. */
enum status product_read(struct product *out, const struct includes *from,
                         const config_setting_t *group, const struct product_keys *keys,
                         struct error *e);
void product_free(struct product *a);

/* The number of combinations including excluded ones; SIZE_MAX: more than `most`. */
size_t product_total(const struct product *a, size_t most);
/* Sets values[key] of the group's keys to those of combination `number`; other elements keep their
 * defaults. False: it is excluded. */
bool product_take(struct product *a, size_t number, int64_t *values);
/* Call it after taking all combinations. STATUS_FORMAT: an exclusion excluded nothing. */
enum status product_check(const struct product *a, const struct includes *from, struct error *e);

#endif
