/*
 * product: a group of a configuration in which each key has one value or several: all combinations
 * of them, but for keys that rise together and combinations that are left out. Private to config.
 *
 *     { recurrent_threshold = [5, 8, 12];
 *       zip = { window_size = [6, 10, 13]; stdev_threshold = [8, 10, 12]; };
 *       exclude = ( { window_size = 13; recurrent_threshold = [5, 8]; } ); }
 *
 * are nine combinations of two values less two. The first key of the group varies slowest; a zip
 * counts where it stands. `zip` and `exclude` are a group or a list of groups each. Values are
 * integers here; what texts and fractions mean, the keys' owner says.
 */
#ifndef HOTGRAPH_PRODUCT_H
#define HOTGRAPH_PRODUCT_H

#include "config/includes.h"

#include <libconfig.h>

enum { PRODUCT_KEYS = 16 };

/* Whose keys they are. */
struct product_keys {
    void *user;
    /* Gives the key's number, below PRODUCT_KEYS; STATUS_FORMAT when there is none of that name. */
    enum status (*find)(void *user, const config_setting_t *setting, int *key, struct error *e);
    /* Reads one value of that key. */
    enum status (*read)(void *user, const config_setting_t *one, int key, int64_t *out,
                        struct error *e);
    const char *apart; /* a key of the group that somebody else reads; may be NULL */
};

struct axis {
    int key;
    size_t dimension; /* axes of one dimension rise together */
    VEC(int64_t) values;
};

struct exclusion {
    const config_setting_t *setting;
    size_t first, count; /* in `excluded` */
    bool used;           /* something was left out by it */
};

struct product {
    VEC(struct axis) list;
    VEC(size_t) sizes;         /* of the dimensions */
    VEC(struct axis) excluded; /* values that are left out, exclusion by exclusion */
    VEC(struct exclusion) exclusions;
    bool has[PRODUCT_KEYS]; /* keys that the group has */
};

/* In any case product_free() is due. */
enum status product_read(struct product *out, const struct includes *from,
                         const config_setting_t *group, const struct product_keys *keys,
                         struct error *e);
void product_free(struct product *a);

/* How many combinations there are with those that are left out; SIZE_MAX: more than `most`. */
size_t product_total(const struct product *a, size_t most);
/* Sets values[key] of the group's keys as combination `number` has them; the others say what is
 * usual. False: it is left out. */
bool product_take(struct product *a, size_t number, int64_t *values);
/* After all were taken: STATUS_FORMAT when an exclusion left nothing out. */
enum status product_check(const struct product *a, const struct includes *from, struct error *e);

#endif
