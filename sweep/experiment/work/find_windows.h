/* find_windows: what configurations find in each window, and how long after a phase began they find
 * its hot set. Private to experiment. */
#ifndef HOTGRAPH_FIND_WINDOWS_H
#define HOTGRAPH_FIND_WINDOWS_H

#include "experiment/work/find.h"

/* Those of the points that lack it; like find_missing(). */
enum status find_windows(const struct find *f, const size_t *numbers, size_t count,
                         struct error *e);

#endif
