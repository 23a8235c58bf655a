#include "report/canvas.h"

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
#include "report/palette.def"
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

/* In a PostScript string; Latin-1 has what we write, anything else becomes a question mark. */
static void escape_postscript(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++) {
        if (*c == '(' || *c == ')' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            fputc(' ', out);
        else if (*c < 0x80)
            fputc(*c, out);
        else if ((*c == 0xc2 || *c == 0xc3) && (c[1] & 0xc0) == 0x80)
            fprintf(out, "\\%03o", (unsigned)(*c == 0xc2 ? c[1] : c[1] + 0x40)), c++;
        else if (*c >= 0xc0)
            fputc('?', out);
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

static double px(const struct canvas *c, double x) {
    return x * c->scale;
}

static double py(const struct canvas *c, double y) {
    return (c->height - y) * c->scale;
}

/* "x y OPERATOR" */
static void eps_point(struct canvas *c, double x, double y, const char *operator) {
    put(c->eps_file, "", px(c, x), " ");
    put(c->eps_file, "", py(c, y), " ");
    fprintf(c->eps_file, "%s ", operator);
}

static void eps_ink(struct canvas *c, enum ink ink, double strength) {
    const unsigned rgb = PALETTE[ink].light;
    for (unsigned shift = 24; shift > 0;) {
        shift -= 8;
        const double own = (double)(rgb >> shift & 0xff) / 255;
        put(c->eps_file, "", 1 - strength * (1 - own), " ");
    }
    fputs("C ", c->eps_file);
}

static void eps_stroke(struct canvas *c, enum ink ink, double width, enum stroke stroke) {
    eps_ink(c, ink, 1);
    put(c->eps_file, "", px(c, width), " setlinewidth ");
    fputs(stroke == STROKE_SOLID    ? "[] 0 setdash S\n"
          : stroke == STROKE_DASHED ? "[3 2] 0 setdash S\n"
                                    : "[0.8 2] 0 setdash S\n",
          c->eps_file);
}

/* ---- colours: a class, which pages give the colours of either light, and the plain colour for
 * viewers that know no variables ---- */

static void fill(struct canvas *c, enum ink ink, const char *more) {
    fprintf(c->svg_file, " class='f-%s%s' fill='#%06x'", PALETTE[ink].name, more,
            PALETTE[ink].light);
}

static void stroke_with(struct canvas *c, enum ink ink) {
    fprintf(c->svg_file, " class='k-%s' fill='none' stroke='#%06x'", PALETTE[ink].name,
            PALETTE[ink].light);
}

/* ---- begin and end ---- */

static const char EPS_HEAD[] =
    "/Helvetica findfont dup length dict begin {1 index /FID ne {def} {pop pop} ifelse} forall\n"
    "/Encoding ISOLatin1Encoding def currentdict end /HgText exch definefont pop\n"
    "/F {findfont exch scalefont setfont} def /C {setrgbcolor} def /S {stroke} def\n"
    "/l {show} def /m {dup stringwidth pop 2 div neg 0 rmoveto show} def\n"
    "/r {dup stringwidth pop neg 0 rmoveto show} def\n";

void canvas_start(struct canvas *c, const char *id, double width, double height, const char *title,
                  const char *description) {
    *c = (struct canvas){.id = id,
                         .width = width,
                         .height = height,
                         .scale =
                             width <= CANVAS_COLUMN ? 252.0 / CANVAS_COLUMN : 516.0 / CANVAS_PAGE};
    c->svg_file = open_memstream(&c->svg, &c->svg_size);
    c->eps_file = open_memstream(&c->eps, &c->eps_size);
    if (c->svg_file == NULL || c->eps_file == NULL) {
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
    fprintf(c->eps_file, "%%!PS-Adobe-3.0 EPSF-3.0\n%%%%BoundingBox: 0 0 %.0f %.0f\n%%%%Title: (",
            ceil(width * c->scale), ceil(height * c->scale));
    escape_postscript(c->eps_file, title);
    fprintf(c->eps_file, ")\n%%%%Creator: hotgraph\n%%%%EndComments\n%s", EPS_HEAD);
}

bool canvas_finish(struct canvas *c) {
    if (c->svg_file != NULL) {
        fputs("</svg>\n", c->svg_file);
        c->failed |= fclose(c->svg_file) != 0;
    }
    if (c->eps_file != NULL) {
        fputs("showpage\n%%EOF\n", c->eps_file);
        c->failed |= fclose(c->eps_file) != 0;
    }
    c->svg_file = c->eps_file = NULL;
    return !c->failed;
}

void canvas_free(struct canvas *c) {
    if (c->svg_file != NULL)
        fclose(c->svg_file);
    if (c->eps_file != NULL)
        fclose(c->eps_file);
    free(c->svg);
    free(c->eps);
    *c = (struct canvas){0};
}

/* ---- shapes ---- */

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
                 double width, enum stroke stroke) {
    const double xy[] = {x1, y1, x2, y2};
    canvas_path(c, xy, 2, ink, width, stroke);
}

static void end_path(struct canvas *c, enum ink ink, double width, enum stroke stroke) {
    fputs("'", c->svg_file);
    stroke_with(c, ink);
    put(c->svg_file, " stroke-width='", width, "'");
    fprintf(c->svg_file, "%s/>\n", STROKES[stroke]);
    eps_stroke(c, ink, width, stroke);
}

void canvas_path(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                 enum stroke stroke) {
    if (c->failed || n < 2)
        return;
    fputs("<path d='", c->svg_file);
    for (size_t i = 0; i < n; i++) {
        put(c->svg_file, i == 0 ? "M" : "L", xy[2 * i], "");
        put(c->svg_file, " ", xy[2 * i + 1], "");
        eps_point(c, xy[2 * i], xy[2 * i + 1], i == 0 ? "moveto" : "lineto");
    }
    end_path(c, ink, width, stroke);
}

void canvas_curve(struct canvas *c, const double *xy, size_t n, enum ink ink, double width,
                  enum stroke stroke) {
    if (c->failed || n < 4)
        return;
    fputs("<path d='", c->svg_file);
    for (size_t i = 0; i < n; i++) {
        put(c->svg_file, i == 0 ? "M" : i == 1 ? "C" : " ", xy[2 * i], "");
        put(c->svg_file, " ", xy[2 * i + 1], "");
        eps_point(c, xy[2 * i], xy[2 * i + 1], i == 0 ? "moveto" : i % 3 == 0 ? "curveto" : "");
    }
    end_path(c, ink, width, stroke);
}

static void end_shape(struct canvas *c, const char *element, const char *hint) {
    if (hint != NULL) {
        fputs("><title>", c->svg_file);
        escape_markup(c->svg_file, hint);
        fprintf(c->svg_file, "</title></%s>\n", element);
    } else {
        fputs("/>\n", c->svg_file);
    }
}

void canvas_rect(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                 double strength, const char *hint) {
    if (c->failed)
        return;
    put(c->svg_file, "<rect x='", x, "'");
    put(c->svg_file, " y='", y, "'");
    put(c->svg_file, " width='", width, "'");
    put(c->svg_file, " height='", height, "'");
    fill(c, ink, "");
    if (strength < 1)
        put(c->svg_file, " fill-opacity='", strength, "'");
    end_shape(c, "rect", hint);
    eps_ink(c, ink, strength);
    put(c->eps_file, "", px(c, x), " ");
    put(c->eps_file, "", py(c, y + height), " ");
    put(c->eps_file, "", px(c, width), " ");
    put(c->eps_file, "", px(c, height), " rectfill\n");
}

void canvas_frame(struct canvas *c, double x, double y, double width, double height, enum ink ink,
                  double line) {
    const double xy[] = {x, y, x + width, y, x + width, y + height, x, y + height, x, y};
    canvas_path(c, xy, 5, ink, line, STROKE_SOLID);
}

static void polygon(struct canvas *c, const double *xy, size_t n, enum ink ink, const char *hint) {
    fputs("<path d='", c->svg_file);
    for (size_t i = 0; i < n; i++) {
        put(c->svg_file, i == 0 ? "M" : "L", xy[2 * i], "");
        put(c->svg_file, " ", xy[2 * i + 1], "");
    }
    fputs("Z'", c->svg_file);
    fill(c, ink, "");
    end_shape(c, "path", hint);
    eps_ink(c, ink, 1);
    for (size_t i = 0; i < n; i++)
        eps_point(c, xy[2 * i], xy[2 * i + 1], i == 0 ? "moveto" : "lineto");
    fputs("closepath fill\n", c->eps_file);
}

void canvas_dot(struct canvas *c, double x, double y, double radius, unsigned corners, enum ink ink,
                const char *hint) {
    if (c->failed)
        return;
    if (corners == 4 || corners == 3) {
        const double r = radius;
        const double diamond[] = {x, y - r, x + r, y, x, y + r, x - r, y};
        const double triangle[] = {x, y - r, x + r, y + 0.8 * r, x - r, y + 0.8 * r};
        polygon(c, corners == 4 ? diamond : triangle, corners, ink, hint);
        return;
    }
    put(c->svg_file, "<circle cx='", x, "'");
    put(c->svg_file, " cy='", y, "'");
    put(c->svg_file, " r='", radius, "'");
    fill(c, ink, "");
    end_shape(c, "circle", hint);
    eps_ink(c, ink, 1);
    eps_point(c, x, y, "");
    put(c->eps_file, "", px(c, radius), " 0 360 arc fill\n");
}

void canvas_arrow(struct canvas *c, double x, double y, double dx, double dy, enum ink ink) {
    const double length = hypot(dx, dy), size = 7;
    if (c->failed || length == 0)
        return;
    dx *= size / length;
    dy *= size / length;
    const double xy[] = {
        x, y, x - dx - 0.5 * dy, y - dy + 0.5 * dx, x - dx + 0.5 * dy, y - dy - 0.5 * dx};
    polygon(c, xy, 3, ink, NULL);
}

static void text(struct canvas *c, double x, double y, enum anchor anchor, enum ink ink, bool code,
                 const char *format, va_list args) {
    char *what;
    if (c->failed)
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
    eps_ink(c, ink, 1);
    put(c->eps_file, "", px(c, CANVAS_TEXT), code ? " /Courier F " : " /HgText F ");
    eps_point(c, x, y, "moveto");
    fputs("(", c->eps_file);
    escape_postscript(c->eps_file, what);
    fprintf(c->eps_file, ") %c\n", "lmr"[anchor]);
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

/* The drawing has its light colours; only a screen that is dark changes them. */
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
