/* Figures that gnuplot draws: a script, the rows that it reads, and a place on the page. */
#include "report/charts/plot.h"
#include "report/page/pieces.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const char style_gp[], svg_awk[];

static enum status save(struct report *r, const char *name, const char *text) {
    return report_save(r, name, text, strlen(text));
}

static enum status put_style(struct report *r) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return error_set(r->e, STATUS_MEMORY, "out of memory for a script");
    fputs(
        "# The colours of paper, and those of a dark screen, which figures/svg.awk gives to SVG.\n",
        out);
    for (enum ink i = 0; i < INK_COUNT; i++)
        fprintf(out, "ink_%s = 0x%06x # dark %06x\n", palette_name(i), palette_light(i),
                palette_dark(i));
    fputs(style_gp, out);
    enum status status = fclose(out) == 0 ? save(r, "figures/style.gp", text)
                                          : error_set(r->e, STATUS_MEMORY, "out of memory");
    free(text);
    return status == STATUS_OK ? save(r, "figures/svg.awk", svg_awk) : status;
}

/* Call before the first figure: writes what all scripts load, and where gnuplot runs them. */
static enum status begin_charts(struct report *r) {
    char *folder = report_path(r, ".");
    if (folder == NULL)
        return STATUS_MEMORY;
    gnuplot_path(&r->charts, "folder", folder);
    gnuplot_add(&r->charts, "cd folder\npart = '.part'\n");
    free(folder);
    return put_style(r);
}

static enum status add_output(struct report *r, const char *id, const char *ending) {
    char *path = report_path(r, "figures/%s.%s", id, ending);
    if (path != NULL && vec_push(&r->charts.outputs, path))
        return STATUS_OK;
    free(path);
    return error_set(r->e, STATUS_MEMORY, "out of memory for a figure");
}

void chart_start(struct chart *c, double width, double height, const char *format, ...) {
    *c = (struct chart){.width = width, .height = height};
    va_list args;
    va_start(args, format);
    vsnprintf(c->id, sizeof c->id, format, args);
    va_end(args);
}

void chart_frame(struct chart *c, double left, double right, double top, double bottom,
                 const char *x_name, const char *y_name) {
    gnuplot_add(&c->set, "left = %g; right = %g; top = %g; bottom = %g\n", left, right, top,
                bottom);
    gnuplot_quote(&c->set, "x_name", x_name);
    gnuplot_quote(&c->set, "y_name", y_name);
    c->left = left;
    c->right = right;
    c->top = top;
    c->bottom = bottom;
}

struct axis chart_range(struct chart *c, char axis, double least, double most) {
    const bool across = axis == 'x';
    const struct axis a =
        axis_around(least, most, across ? c->left : c->bottom, across ? c->right : c->top);
    gnuplot_add(&c->set, "%c_low = %.9g; %c_high = %.9g; %c_step = %.9g\n", axis, a.low, axis,
                a.high, axis, axis_step(&a));
    return a;
}

struct axis chart_powers(struct chart *c, double least, double most) {
    const struct axis a = {.low = pow(10, floor(log10(least) + 1e-9)),
                           .high = pow(10, ceil(log10(most) - 1e-9)),
                           .from = c->left,
                           .to = c->right,
                           .logarithmic = true};
    gnuplot_add(&c->set, "x_low = %.9g; x_high = %.9g\n", a.low, a.high);
    return a;
}

void chart_labels(struct chart *c, size_t count) {
    gnuplot_add(&c->set, "labels = %zu\n", count);
    static const char *const lists[] = {"text", "x", "y", "side", "ink", "font"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        gnuplot_add(&c->set, "array label_%s[%zu]\n", lists[i], count + 1);
}

void chart_label(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                 const char *text) {
    static const char *const sides[] = {"left", "center", "right"};
    char variable[40];
    snprintf(variable, sizeof variable, "label_text[%zu]", i);
    gnuplot_quote(&c->set, variable, text);
    gnuplot_add(&c->set, "label_x[%zu] = %.6g; label_y[%zu] = %.6g; label_side[%zu] = '%s'; ", i, x,
                i, y, i, sides[anchor]);
    gnuplot_add(&c->set, "label_font[%zu] = 'DejaVu Sans,14'; label_ink[%zu] = ink_%s\n", i, i,
                palette_name(ink));
}

void chart_code(struct chart *c, size_t i, double x, double y, enum anchor anchor, enum ink ink,
                const char *text) {
    chart_label(c, i, x, y, anchor, ink, text);
    gnuplot_add(&c->set, "label_font[%zu] = 'DejaVu Sans Mono,14'\n", i);
}

bool chart_differs(const struct table *t, size_t a, size_t b) {
    for (size_t i = 0; i < table_rows(t); i++)
        if (table_cell(t, i, b) != NULL && strcmp(cell_text(t, i, a), cell_text(t, i, b)) != 0)
            return true;
    return false;
}

bool chart_has(const struct table *t, size_t column) {
    for (size_t i = 0; i < table_rows(t); i++)
        if (table_cell(t, i, column) != NULL)
            return true;
    return false;
}

/* The script contains everything that it needs; body: one of plots/. */
static char *script_of(const struct chart *c, const struct chart_words *words, const char *body) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL || c->set.out_of_memory)
        return NULL;
    fprintf(out,
            "# figures/%s.svg and .pdf, from figures/%s.csv; run it in the report's folder:\n"
            "#     gnuplot figures/%s.gp\n# id: %s\n# title: ",
            c->id, c->id, c->id, c->id);
    escape_markup(out, words->question);
    fputs("\n# description: ", out);
    escape_markup(out, words->description);
    fprintf(out, "\nname = '%s'\nwidth = %.0f\nheight = %.0f\ncsv = 'figures/%s.csv'\n", c->id,
            c->width, c->height, c->id);
    fprintf(out, "load 'figures/style.gp'\n%.*s", (int)c->set.script.len, c->set.script.at);
    fprintf(out, "do for [format in 'svg pdf'] {\neval start(format)\n%s", body);
    fputs("eval finish(format)\n}\n", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static enum status save_script(struct page *p, const struct chart *c,
                               const struct chart_words *words, const char *body) {
    char *text = script_of(c, words, body), name[200];
    if (text == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a script");
    snprintf(name, sizeof name, "figures/%s.gp", c->id);
    enum status status = save(p->r, name, text);
    free(text);
    return status;
}

static enum status add_chart(struct page *p, struct chart *c, const struct table *rows,
                             const char *body, const struct chart_words *words) {
    struct report *r = p->r;
    char *csv = report_path(r, "figures/%s.csv", c->id), *name = strdup(c->id);
    enum status status = STATUS_OK;
    if (csv == NULL || name == NULL || !vec_push(&r->drawings, name)) {
        free(name);
        status = error_set(r->e, STATUS_MEMORY, "out of memory for a figure");
    }
    if (status == STATUS_OK && r->charts.script.len == 0)
        status = begin_charts(r);
    if (status == STATUS_OK)
        status = report_csv(r, rows, csv, "");
    if (status == STATUS_OK)
        status = save_script(p, c, words, body);
    gnuplot_add(&r->charts, "load 'figures/%s.gp'\n", c->id);
    if (status == STATUS_OK)
        status = add_output(r, c->id, "svg");
    if (status == STATUS_OK)
        status = add_output(r, c->id, "pdf");
    free(csv);
    return status;
}

/* page_fill replaces this placeholder by the drawing, once it exists. */
enum status chart_end(struct chart *c, struct page *p, const struct table *rows, const char *body,
                      const struct chart_words *words) {
    enum status status = STATUS_OK;
    if (p->r->pictures) {
        status = add_chart(p, c, rows, body, words);
        if (status == STATUS_OK) {
            char place[200];
            snprintf(place, sizeof place, PAGE_PLACE "%s-->\n", c->id);
            page_place_figure(p, c->id, c->width > CANVAS_COLUMN, place, words->question,
                              words->caption);
        }
    }
    gnuplot_free(&c->set);
    return status;
}
