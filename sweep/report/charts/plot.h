/*
 * plot: charts that gnuplot draws, each with a script, its rows as CSV, SVG and PDF in figures/.
 */
#ifndef HOTGRAPH_REPORT_PLOT_H
#define HOTGRAPH_REPORT_PLOT_H

#include "report/draw/axis.h"
#include "report/page/ask.h"

struct chart {
    char id[140];
    double width, height; /* pixels, as for a canvas */
    double left, right, top, bottom;
    struct gnuplot set; /* variables of its script */
};
struct chart_words {
    const char *question, *description, *caption; /* as for canvas_start and page_figure */
};
void chart_start(struct chart *c, double width, double height, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Where the plot is, in pixels, and what its axes say. */
void chart_frame(struct chart *c, double left, double right, double top, double bottom,
                 const char *x_name, const char *y_name);
/* x_low, x_high and x_step (or y): round numbers around least .. most; returns where values lie. */
struct axis chart_range(struct chart *c, char axis, double least, double most);
/* x_low and x_high: powers of ten around least .. most, of a logarithmic axis. */
struct axis chart_powers(struct chart *c, double least, double most);
/* Texts at places of the picture: how many, and the i-th of them, from 1. */
void chart_labels(struct chart *c, size_t count);
void chart_label(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                 const char *text);
/* The same in the letters of code. */
void chart_code(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                const char *text);
/* Has any row of a column a value? */
bool chart_has(const struct table *t, size_t column);
/* Has any row a value in column b that is not that of column a? */
bool chart_differs(const struct table *t, size_t a, size_t b);
/* rows: what the script reads; body: one of plots/. Frees the chart. */
enum status chart_end(struct chart *c, struct page *p, const struct table *rows, const char *body,
                      const struct chart_words *words);

#endif
