/* child: a program that draws for us, fed on its standard input. */
#ifndef HOTGRAPH_CHILD_H
#define HOTGRAPH_CHILD_H

#include "base/base.h"

#include <stdio.h>

/* Runs words[0], found in $PATH, with the words as its arguments (NULL behind the last) and len
 * bytes of input. What it writes to descriptor said_from (1 or 2) goes to `said`. *exit_status: as
 * a shell says it. When stopped, which may be NULL, returns other than 0, the child is ended with
 * SIGTERM, and the result is STATUS_INTERRUPTED. */
enum status child_run(const char *const *words, const char *input, size_t len, int said_from,
                      FILE *said, int (*stopped)(void), int *exit_status, struct error *e);

#endif
