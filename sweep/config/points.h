/* points: the configurations that a file asks for: its grids, the baseline, which of them have
 * their convergence recorded, and in which windows all are judged. Private to config. */
#ifndef HOTGRAPH_POINTS_H
#define HOTGRAPH_POINTS_H

#include <libconfig.h>

#include "config/config.h"

/* `grid`: a group or a list of groups; numbering continues across groups. */
enum status points_read_grid(struct config *c, const config_setting_t *setting, struct error *e);
/* Call it once, after the grids. */
enum status points_push_baseline(struct config *c, struct error *e);
/* `convergence`: marks, and labels for existing points. */
enum status points_read_convergence(struct config *c, const config_setting_t *group,
                                    struct error *e);
/* `windows`: the lengths of windows. */
enum status points_read_windows(struct config *c, const config_setting_t *group, struct error *e);

#endif
