/* gnuplot: runs one script through gnuplot and sees to it that pictures appear whole or not at all.
 */
#ifndef HOTGRAPH_GNUPLOT_H
#define HOTGRAPH_GNUPLOT_H

#include "base/base.h"

/* A script under construction. Zero is empty. */
struct gnuplot {
    VEC(char) script;
    VEC(char *) outputs;  /* final names; each is drawn into NAME.part first */
    int (*stopped)(void); /* other than 0: gnuplot_run ends with STATUS_INTERRUPTED; may be NULL */
    bool out_of_memory;
};

bool program_is_there(const char *name); /* in $PATH */
bool gnuplot_is_there(void);
/* Appends text; gnuplot_quote writes a string the way gnuplot reads one back unchanged. */
void gnuplot_add(struct gnuplot *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gnuplot_quote(struct gnuplot *g, const char *variable, const char *value);
/* The same of a file's name, whatever it holds. */
void gnuplot_path(struct gnuplot *g, const char *variable, const char *path);
/* Draws `body` (one of plots/) as path.svg and path.png, sizes in pixels; the variables set before
 * are in force. */
void gnuplot_picture(struct gnuplot *g, const char *path, unsigned width, unsigned height,
                     const char *body);
/* Runs it all in one process and frees the script. */
enum status gnuplot_run(struct gnuplot *g, struct error *e);
void gnuplot_free(struct gnuplot *g);

#endif
