/* live_sampling: samplings with `by = "live"`, in which nothing is sampled: each technique watches a replay
 * of its own. Private to config. */
#ifndef HOTGRAPH_LIVE_SAMPLING_H
#define HOTGRAPH_LIVE_SAMPLING_H

#include <libconfig.h>

#include "config/config.h"

bool live_is(const config_setting_t *group); /* true if it says by = "live"; NULL is fine */

struct live_samplings {
    VEC(struct config_sampling) list; /* without variants */
};
/* Appends the group's samplings: all combinations of the values of `input` and `seconds`. The
 * caller frees the list in every case. */
enum status live_read(struct live_samplings *out, const struct config *c,
                      const config_setting_t *group, struct error *e);

/* As config_words() and config_key(), of live samplings. */
size_t live_words(const struct config_sampling *s, struct sampling_word words[SAMPLING_WORDS]);
void live_key(const struct config_sampling *s, char *out, size_t size);

#endif
