/* sampling: a configuration's key `sampling`. Private to config. */
#ifndef HOTGRAPH_SAMPLING_H
#define HOTGRAPH_SAMPLING_H

#include <libconfig.h>

#include "config/config.h"

struct includes;

/* What is sampled where the file does not say. */
struct sampler_options sampling_usual(void);

/* Changes what the group says; what does not matter then is as usual, so that equal samplings are
 * equal. */
enum status sampling_read(struct sampler_options *s, const struct includes *from,
                          const config_setting_t *group, struct error *e);

#endif
