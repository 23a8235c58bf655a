/* exec_technique: `technique = "exec"` in a grid: an external technique, with the parameters that
 * its group defines. Private to config. */
#ifndef HOTGRAPH_EXEC_TECHNIQUE_H
#define HOTGRAPH_EXEC_TECHNIQUE_H

#include <libconfig.h>

#include "config/config.h"
#include "config/product.h"

bool exec_technique_is(const config_setting_t *group); /* true if it says technique = "exec" */

/* Reads the group. *out belongs to the configuration. *product becomes the combinations of
 * parameters; the caller frees it in every case. */
enum status exec_technique_read(struct config *c, const config_setting_t *group,
                                const struct technique **out, struct product *product,
                                struct error *e);
/* The technique "exec-NAME", read before; NULL: there is none. */
const struct technique *exec_technique_find(const struct config *c, const char *name);
void exec_technique_free(struct config_exec *x);

#endif
