#include "report/draw/canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ORDER INK */
static const struct {
    const char *name;
    unsigned light, dark;
} PALETTE[INK_COUNT] = {
#define INK(name, light, dark) {#name, 0x##light, 0x##dark},
#include "report/draw/palette.def"
#undef INK
};

#define SVG_FONT  "system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif"
#define CODE_FONT "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"

static const char *const STROKES[] = {[STROKE_SOLID] = "",
                                      [STROKE_DASHED] = " stroke-dasharray='6 4'",
                                      [STROKE_DOTTED] =
                                          " stroke-dasharray='1.5 4' stroke-linecap='round'"};
static const char *const ANCHORS[] = {[ANCHOR_LEFT] = "",
                                      [ANCHOR_MIDDLE] = " text-anchor='middle'",
                                      [ANCHOR_RIGHT] = " text-anchor='end'"};

/* ---- text ---- */

void escape_markup(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\'')
            fputs("&#39;", out);
        else if (c >= 0x20 ? c != 0x7f : c == '\n' || c == '\t')
            fputc(c, out);
    }
}

/* ---- numbers: two decimals, without trailing zeros, so that files are small ---- */

static const char *number(double value, char room[32]) {
    if (!isfinite(value))
        value = 0;
    snprintf(room, 32, "%.2f", value);
    char *end = room + strlen(room);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
    return strcmp(room, "-0") == 0 ? "0" : room;
}

static void put(FILE *out, const char *before, double value, const char *behind) {
    char room[32];
    fprintf(out, "%s%s%s", before, number(value, room), behind);
}

/* ---- colours: a class, which a page defines for light and dark mode, and a plain colour for
 * viewers without CSS variables ---- */

static void fill(struct canvas *c, enum ink ink, const char *more) {
    fprintf(c->svg_file, " class='f-%s%s' fill='#%06x'", PALETTE[ink].name, more,
            PALETTE[ink].light);
}

static void stroke_with(struct canvas *c, enum ink ink) {
    fprintf(c->svg_file, " class='k-%s' fill='none' stroke='#%06x'", PALETTE[ink].name,
            PALETTE[ink].light);
}

/* ---- begin and end ---- */

void canvas_start(struct canvas *c, const char *id, double width, double height, const char *title,
                  const char *description) {
    *c = (struct canvas){.id = id, .width = width, .height = height};
    c->svg_file = open_memstream(&c->svg, &c->svg_size);
    if (c->svg_file == NULL) {
        c->failed = true;
        return;
    }
    FILE *out = c->svg_file;
    fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' role='img'",
            width, height);
    fprintf(out, " aria-labelledby='%s-t %s-d' class='fig%s'>\n<title id='%s-t'>", id, id,
            width > CANVAS_COLUMN ? " wide" : "", id);
    escape_markup(out, title);
    fprintf(out, "</title>\n<desc id='%s-d'>", id);
    escape_markup(out, description);
    fputs("</desc>\n", out);
}

bool canvas_finish(struct canvas *c) {
    if (c->svg_file != NULL) {
        fputs("</svg>\n", c->svg_file);
        c->failed |= fclose(c->svg_file) != 0;
    }
    c->svg_file = NULL;
    return !c->failed;
}

void canvas_free(struct canvas *c) {
    if (c->svg_file != NULL)
        fclose(c->svg_file);
    free(c->svg);
    *c = (struct canvas){0};
}

/* ---- clipping ---- */

static bool is_inside(const struct canvas *c, double x, double y) {
    return x >= 0 && x <= c->width && y >= 0 && y <= c->height; /* false for NAN */
}

/* Clips a line from (s[0], s[1]) to (s[2], s[3]) (Liang and Barsky 1984); false: nothing is
 * left. */
static bool clip_line(const struct canvas *c, double s[4]) {
    const double x = s[0], y = s[1], dx = s[2] - x, dy = s[3] - y;
    const double towards[4] = {-dx, dx, -dy, dy}, room[4] = {x, c->width - x, y, c->height - y};
    double from = 0, to = 1;
    if (!isfinite(dx) || !isfinite(dy))
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (towards[i] < 0)
            from = fmax(from, room[i] / towards[i]);
        else if (towards[i] > 0)
            to = fmin(to, room[i] / towards[i]);
        else if (room[i] < 0)
            return false;
    }
    if (from > to)
        return false;
    if (to < 1) {
        s[2] = x + to * dx;
        s[3] = y + to * dy;
    }
    if (from > 0) {
        s[0] = x + from * dx;
        s[1] = y + from * dy;
    }
    return true;
}

/* ---- lines ---- */

static void end_path(struct canvas *c, enum ink ink, double width, enum stroke stroke) {
    fputs("'", c->svg_file);
    stroke_with(c, ink);
    put(c->svg_file, " stroke-width='", width, "'");
    fprintf(c->svg_file, "%s/>\n", STROKES[stroke]);
}

/* kind: an SVG path command; "" repeats the last one. */
static void path_point(struct canvas *c, const char *kind, double x, double y) {
    put(c->svg_file, kind, x, "");
    put(c->svg_file, " ", y, "");
}

static void draw_path(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                      enum stroke stroke) {
    bool any = false, joined = false; /* joined: the pen is at the start of the next line */
    for (size_t i = 1; !c->failed && i < n; i++) {
        double s[] = {xy[2 * i - 2], xy[2 * i - 1], xy[2 * i], xy[2 * i + 1]};
        if (!clip_line(c, s)) {
            joined = false;
            continue;
        }
        if (!joined)
            path_point(c, any ? "M" : "<path d='M", s[0], s[1]);
        path_point(c, "L", s[2], s[3]);
        any = true;
        joined = is_inside(c, xy[2 * i], xy[2 * i + 1]);
    }
    if (any)
        end_path(c, ink, width, stroke);
}

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
                 double width, enum stroke stroke) {
    const double xy[] = {x1, y1, x2, y2};
    draw_path(c, xy, 2, ink, width, stroke);
}

/* Splits a cubic Bezier curve at t, 0 to 1 (de Casteljau); left: control points of the first
 * part. */
static void split_curve(const double xy[8], double t, double left[8]) {
    double at[8];
    memcpy(at, xy, sizeof at);
    for (size_t k = 0; k < 4; k++) {
        left[2 * k] = at[0];
        left[2 * k + 1] = at[1];
        for (size_t i = 0; i < 6 - 2 * k; i++)
            at[i] += t * (at[i + 2] - at[i]);
    }
}

/* Draws a curve that leaves the drawing as clipped straight lines. */
static void clipped_curve(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                          enum stroke stroke) {
    enum { PIECES = 16 };
    for (size_t i = 0; i + 3 < n; i += 3) {
        double points[2 * (PIECES + 1)], left[8];
        for (size_t k = 0; k <= PIECES; k++) {
            split_curve(xy + 2 * i, (double)k / PIECES, left);
            points[2 * k] = left[6];
            points[2 * k + 1] = left[7];
        }
        draw_path(c, points, PIECES + 1, ink, width, stroke);
    }
}

static void draw_curve(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                       enum stroke stroke) {
    bool inside = true;
    for (size_t i = 0; i < n; i++)
        inside &= is_inside(c, xy[2 * i], xy[2 * i + 1]);
    if (c->failed || n < 4)
        return;
    if (!inside) {
        clipped_curve(c, xy, n, ink, width, stroke);
        return;
    }
    for (size_t i = 0; i < n; i++)
        path_point(c, i == 0 ? "<path d='M" : i == 1 ? "C" : " ", xy[2 * i], xy[2 * i + 1]);
    end_path(c, ink, width, stroke);
}

void canvas_rect(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                 double strength) {
    if (x < 0) {
        width += x;
        x = 0;
    }
    if (y < 0) {
        height += y;
        y = 0;
    }
    if (x + width > c->width)
        width = c->width - x;
    if (y + height > c->height)
        height = c->height - y;
    if (c->failed || !is_inside(c, x, y) || !(width >= 0 && height >= 0))
        return;
    put(c->svg_file, "<rect x='", x, "'");
    put(c->svg_file, " y='", y, "'");
    put(c->svg_file, " width='", width, "'");
    put(c->svg_file, " height='", height, "'");
    fill(c, ink, "");
    if (strength < 1)
        put(c->svg_file, " fill-opacity='", strength, "'");
    fputs("/>\n", c->svg_file);
}

void canvas_frame(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                  double line) {
    const double xy[] = {x, y, x + width, y, x + width, y + height, x, y + height, x, y};
    draw_path(c, xy, 5, ink, line, STROKE_SOLID);
}

static void polygon(struct canvas *c, const double *xy, size_t n, enum ink ink) {
    fputs("<path d='", c->svg_file);
    for (size_t i = 0; i < n; i++) {
        put(c->svg_file, i == 0 ? "M" : "L", xy[2 * i], "");
        put(c->svg_file, " ", xy[2 * i + 1], "");
    }
    fputs("Z'", c->svg_file);
    fill(c, ink, "");
    fputs("/>\n", c->svg_file);
}

/* ---- arrows: the line ends where the head begins, so that they join in every direction ---- */

static double head_length(double width) {
    return fmax(7, 3 + 1.6 * width);
}

/* Draws a head from the middle of its base to its tip. */
static void head(struct canvas *c, const double from[2], const double to[2], double width,
                 enum ink ink) {
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double half = 0.5 * head_length(width) / length;
    const double dx = half * (to[0] - from[0]), dy = half * (to[1] - from[1]);
    const double xy[] = {to[0], to[1], from[0] - dy, from[1] + dx, from[0] + dy, from[1] - dx};
    if (length > 0 && is_inside(c, to[0], to[1]) && is_inside(c, from[0], from[1]))
        polygon(c, xy, 3, ink);
}

void canvas_path_arrow(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                       enum stroke stroke) {
    double *copy = n >= 2 ? calloc(2 * n, sizeof *copy) : NULL;
    c->failed |= n >= 2 && copy == NULL;
    if (c->failed || copy == NULL) {
        free(copy);
        return;
    }
    memcpy(copy, xy, 2 * n * sizeof *copy);
    double *end = copy + 2 * n - 2;
    const double *to = xy + 2 * n - 2, dx = to[0] - end[-2], dy = to[1] - end[-1];
    const double length = hypot(dx, dy), part = fmin(1, head_length(width) / length);
    if (length > 0) {
        end[0] -= part * dx;
        end[1] -= part * dy;
    }
    draw_path(c, copy, n, ink, width, stroke);
    head(c, end, to, width, ink);
    free(copy);
}

/* The parameter t at which a curve comes within the head's length of its end. */
static double before_head(const double xy[8], double length) {
    double from = 0, to = 1, left[8];
    if (hypot(xy[6] - xy[0], xy[7] - xy[1]) <= length)
        return 0;
    for (unsigned step = 0; step < 24; step++) {
        const double middle = (from + to) / 2;
        split_curve(xy, middle, left);
        if (hypot(xy[6] - left[6], xy[7] - left[7]) > length)
            from = middle;
        else
            to = middle;
    }
    return from;
}

void canvas_curve_arrow(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                        enum stroke stroke) {
    double *copy = n >= 4 ? calloc(2 * n, sizeof *copy) : NULL;
    c->failed |= n >= 4 && copy == NULL;
    if (c->failed || copy == NULL) {
        free(copy);
        return;
    }
    const double *to = xy + 2 * n - 2, length = head_length(width);
    memcpy(copy, xy, 2 * n * sizeof *copy);
    while (n > 4 && hypot(to[0] - xy[2 * n - 8], to[1] - xy[2 * n - 7]) <= length)
        n -= 3; /* the head is longer than the last curve */
    double last[8];
    memcpy(last, xy + 2 * n - 8, sizeof last);
    memcpy(last + 6, to, 2 * sizeof *to);
    split_curve(last, before_head(last, length), copy + 2 * n - 8);
    draw_curve(c, copy, n, ink, width, stroke);
    head(c, copy + 2 * n - 2, to, width, ink);
    free(copy);
}

/* ---- text ---- */

void canvas_hint(struct canvas *c, const char *hint) {
    if (c->failed)
        return;
    fputs("<g><title>", c->svg_file);
    escape_markup(c->svg_file, hint);
    fputs("</title>\n", c->svg_file);
}

void canvas_hint_end(struct canvas *c) {
    if (!c->failed)
        fputs("</g>\n", c->svg_file);
}

static void text(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink, bool code,
                 const char *format, va_list args) {
    char *what;
    if (c->failed || !is_inside(c, x, y))
        return;
    if (vasprintf(&what, format, args) < 0) {
        c->failed = true;
        return;
    }
    put(c->svg_file, "<text x='", x, "'");
    put(c->svg_file, " y='", y, "'");
    fputs(ANCHORS[anchor], c->svg_file);
    fill(c, ink, code ? " code" : "");
    fputs(">", c->svg_file);
    escape_markup(c->svg_file, what);
    fputs("</text>\n", c->svg_file);
    free(what);
}

void canvas_text(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink,
                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    text(c, x, y, anchor, ink, false, format, args);
    va_end(args);
}

void canvas_code(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink,
                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    text(c, x, y, anchor, ink, true, format, args);
    va_end(args);
}

/* ---- colours ---- */

static void palette_variables(FILE *out, bool dark) {
    for (size_t i = 0; i < INK_COUNT; i++)
        fprintf(out, "--%s:#%06x;", PALETTE[i].name, dark ? PALETTE[i].dark : PALETTE[i].light);
}

const char *palette_name(enum ink ink) {
    return PALETTE[ink].name;
}

unsigned palette_light(enum ink ink) {
    return PALETTE[ink].light;
}

unsigned palette_dark(enum ink ink) {
    return PALETTE[ink].dark;
}

void palette_css(FILE *out) {
    fputs(":root{color-scheme:light dark;", out);
    palette_variables(out, false);
    fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", out);
    palette_variables(out, true);
    fputs("}}\n", out);
    for (size_t i = 0; i < INK_COUNT; i++)
        fprintf(out, ".f-%s{fill:var(--%s)}.k-%s{stroke:var(--%s);fill:none}\n", PALETTE[i].name,
                PALETTE[i].name, PALETTE[i].name, PALETTE[i].name);
    fprintf(out, ".fig text{font:%dpx " SVG_FONT "}.fig text.code{font-family:" CODE_FONT "}\n",
            CANVAS_TEXT);
}

/* The SVG has its light colours; a style sheet in it replaces them in dark mode. */
void canvas_write_svg(const struct canvas *c, FILE *out) {
    const char *head = strchr(c->svg, '>'); /* of <svg ...> */
    fwrite(c->svg, 1, (size_t)(head - c->svg), out);
    fprintf(out, " width='%.0f' height='%.0f' font-size='%d' font-family=\"" SVG_FONT "\">\n",
            c->width, c->height, CANVAS_TEXT);
    fputs("<style>\n:root{color-scheme:light dark}.code{font-family:" CODE_FONT "}\n"
          "@media screen and (prefers-color-scheme:dark){\n",
          out);
    for (size_t i = 0; i < INK_COUNT; i++)
        fprintf(out, ".f-%s{fill:#%06x}.k-%s{stroke:#%06x}\n", PALETTE[i].name, PALETTE[i].dark,
                PALETTE[i].name, PALETTE[i].dark);
    fprintf(out, "}\n</style>\n<rect width='100%%' height='100%%' class='f-paper' fill='#%06x'/>",
            PALETTE[INK_PAPER].light);
    fputs(head + 1, out);
}
