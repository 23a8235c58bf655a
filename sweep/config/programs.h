/* programs: entries of a configuration's list `programs`. Private to config. */
#ifndef HOTGRAPH_PROGRAMS_H
#define HOTGRAPH_PROGRAMS_H

#include <libconfig.h>

#include "config/config.h"

struct includes;

/* The caller frees *out, *name and *title, even after a failure. */
enum status program_read(struct config_program **out, const struct includes *from,
                         const config_setting_t *group, char **name, char **title, struct error *e);
void program_free(struct config_program *p); /* p may be NULL */
/* Adds an entry of the list `budgets`. */
enum status budget_read(struct config *c, const config_setting_t *group, struct error *e);

#endif
