/*
 * includes: looks through a configuration and what it includes before libconfig reads it.
 *
 * libconfig 1.5 ends the process when it is to include a folder, reads devices without end, and
 * follows any number of includes. Here these are refused; all other errors are left to libconfig.
 */
#ifndef HOTGRAPH_INCLUDES_H
#define HOTGRAPH_INCLUDES_H

#include "base/base.h"

/* `path` is read, and every file that an @include at a line's start names; such names are relative
 * to `folder`. */
enum status includes_check(const char *path, const char *folder, struct error *e);

#endif
