/*
 * manual: the manual of a command from its table of options: for people, for man(1), and for a
 * shell that completes words.
 */
#ifndef HOTGRAPH_MANUAL_H
#define HOTGRAPH_MANUAL_H

#include "cli/cli.h"

/* The rows of both tables, in their order; returns how many. */
size_t usage_rows(const struct usage *u, const struct option_spec *rows[OPTIONS_MOST]);

/* form: NULL for people; "man": a page in roff; "options": a line an option, divided by tabs: the
 * name with its dashes, flag, file, word or choice, and what may be chosen; and lines "word NAME"
 * for what the first operand may be. False when there is no such form. */
bool manual_print(const struct usage *u, const char *form);

#endif
