/* gnuplot: runs a script through gnuplot. Pictures appear whole or not at all. */
#ifndef HOTGRAPH_GNUPLOT_H
#define HOTGRAPH_GNUPLOT_H

#include "base/base.h"

/* A script under construction. Zero is empty. */
struct gnuplot {
    VEC(char) script;
    VEC(char *) outputs;  /* final names; gnuplot draws into NAME.part */
    int (*stopped)(void); /* nonzero: gnuplot_run ends with STATUS_INTERRUPTED; may be NULL */
    bool out_of_memory;
};

bool program_is_there(const char *name); /* in $PATH */
bool gnuplot_is_there(void);
/* Appends text; gnuplot_quote assigns a string with gnuplot's quoting. */
void gnuplot_add(struct gnuplot *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gnuplot_quote(struct gnuplot *g, const char *variable, const char *value);
/* The same for a file name with any characters. */
void gnuplot_path(struct gnuplot *g, const char *variable, const char *path);
/* Draws `body` (a script of plots/) as path.svg and path.png, sizes in pixels. Variables set before
 * apply to it. */
void gnuplot_picture(struct gnuplot *g, const char *path, unsigned width, unsigned height,
                     const char *body);
/* Runs the script in one process and frees it. */
enum status gnuplot_run(struct gnuplot *g, struct error *e);
void gnuplot_free(struct gnuplot *g);

#endif
