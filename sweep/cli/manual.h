/*
 * manual: prints a command's table of options as help, for man(1), and for a shell's completion.
 */
#ifndef HOTGRAPH_MANUAL_H
#define HOTGRAPH_MANUAL_H

#include "cli/cli.h"

/* Collects the rows of both tables in order; returns their number. */
size_t usage_rows(const struct usage *u, const struct option_spec *rows[OPTIONS_MOST]);

/* form: NULL: help; "man": a page in roff; "options": one line per option, separated by tabs: the
 * name with dashes; flag, file, word or choice; and the permitted words. Lines "word NAME" list the
 * permitted first operands. False: unknown form. */
bool manual_print(const struct usage *u, const char *form);

#endif
