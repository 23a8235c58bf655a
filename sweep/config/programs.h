/* programs: entries of a configuration's list `programs`. Private to config. */
#ifndef HOTGRAPH_PROGRAMS_H
#define HOTGRAPH_PROGRAMS_H

#include <libconfig.h>

#include "config/config.h"

struct includes;

/* *out is to be freed after a failure, too; so are *name and *title. */
enum status program_read(struct config_program **out, const struct includes *from,
                         const config_setting_t *group, char **name, char **title, struct error *e);
void program_free(struct config_program *p); /* NULL is fine */

#endif
