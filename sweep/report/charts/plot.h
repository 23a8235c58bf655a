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
/* Sets the plot's area, in pixels, and the titles of its axes. */
void chart_frame(struct chart *c, double left, double right, double top, double bottom,
                 const char *x_name, const char *y_name);
/* Sets x_low, x_high and x_step (or y): round numbers around least .. most. Returns the axis. */
struct axis chart_range(struct chart *c, char axis, double least, double most);
/* Sets x_low and x_high of a logarithmic axis: powers of ten around least .. most. */
struct axis chart_powers(struct chart *c, double least, double most);
/* Sets the number of labels in the picture, and label i, from 1. */
void chart_labels(struct chart *c, size_t count);
void chart_label(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                 const char *text);
/* The same in the font of code. */
void chart_code(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                const char *text);
/* True if any row has a value in that column. */
bool chart_has(const struct table *t, size_t column);
/* True if columns a and b differ in any row that has a value in b. */
bool chart_differs(const struct table *t, size_t a, size_t b);
/* rows: what the script reads; body: one of plots/. Frees the chart. */
enum status chart_end(struct chart *c, struct page *p, const struct table *rows, const char *body,
                      const struct chart_words *words);

#endif
