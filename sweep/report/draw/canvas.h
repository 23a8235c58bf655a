/*
 * canvas: one diagram without axes as SVG, which hotgraph-pdf converts to PDF for paper. Charts with
 * axes are gnuplot's (report/charts/plot.h).
 *
 * Sizes and positions are in SVG pixels, y downwards. On paper the width becomes that of a column
 * (CANVAS_COLUMN pixels: 252 pt, IEEE's) or of a page (CANVAS_PAGE: 516 pt), so text of CANVAS_TEXT
 * pixels has at least 7 pt there. Colours are named by their meaning; palette_css defines them for
 * a page, light and dark. All text is escaped. Equal calls give equal bytes.
 *
 * No coordinate in a file is outside the drawing: lines and boxes are clipped to its edge, and a text
 * or an arrowhead is left out if its position is outside or not a number.
 *
 *     struct canvas c;
 *     canvas_start(&c, "paths", CANVAS_COLUMN, 300, "Where do samples go?", "A flow chart.");
 *     canvas_rect(&c, 10, 10, 100, 20, INK_SERIES, 1);
 *     canvas_finish(&c);              svg is its text then
 *     canvas_free(&c);
 */
#ifndef HOTGRAPH_CANVAS_H
#define HOTGRAPH_CANVAS_H

#include "base/base.h"

#include <stdio.h>

enum { CANVAS_COLUMN = 480, CANVAS_PAGE = 980, CANVAS_TEXT = 14 };

/* Points per pixel on paper, for a drawing of that width. */
static inline double canvas_scale(double width) {
    return width <= CANVAS_COLUMN ? 252.0 / CANVAS_COLUMN : 516.0 / CANVAS_PAGE;
}

/* ORDER INK: as in palette.def */
enum ink {
    INK_TEXT,
    INK_MUTED,
    INK_GRID,
    INK_BAND,
    INK_PAPER,
    INK_FOUND,
    INK_MISSED,
    INK_INVENTED,
    INK_COLD,
    INK_SERIES, /* the first of INK_SERIES_COUNT */
    INK_COUNT = INK_SERIES + 8
};
enum { INK_SERIES_COUNT = INK_COUNT - INK_SERIES };

enum anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };
enum stroke { STROKE_SOLID, STROKE_DASHED, STROKE_DOTTED };

struct canvas {
    const char *id;
    double width, height;
    FILE *svg_file;
    char *svg; /* set by canvas_finish; for a page only, see canvas_write_svg */
    size_t svg_size;
    bool failed; /* out of memory */
};

/* title: the question that the drawing answers; description: its content, for screen readers. */
void canvas_start(struct canvas *c, const char *id, double width, double height, const char *title,
                  const char *description);
bool canvas_finish(struct canvas *c); /* false: out of memory */
void canvas_free(struct canvas *c);

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
                 double width, enum stroke stroke);
/* Lines and cubic Bezier curves with an arrowhead whose tip is the last point. xy: x and y of n
 * points; n = 3 k + 1 for curves. */
void canvas_path_arrow(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                       enum stroke stroke);
void canvas_curve_arrow(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                        enum stroke stroke);
/* strength: from 1, the ink, to 0, the paper. */
void canvas_rect(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                 double strength);
void canvas_frame(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                  double line);
/* Everything drawn between these two calls has the hint as its tooltip. */
void canvas_hint(struct canvas *c, const char *hint);
void canvas_hint_end(struct canvas *c);
void canvas_text(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
void canvas_code(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Prints the colours as CSS variables and classes, for light and dark mode. */
void palette_css(FILE *out);
/* An ink's name, and its colours in light and dark mode, 0xRRGGBB. */
const char *palette_name(enum ink ink);
unsigned palette_light(enum ink ink);
unsigned palette_dark(enum ink ink);
/* Prints text escaped for HTML and XML, without control characters. */
void escape_markup(FILE *out, const char *text);
/* Writes a finished drawing as a file of its own. */
void canvas_write_svg(const struct canvas *c, FILE *out);

#endif
