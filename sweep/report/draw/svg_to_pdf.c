/*
 * hotgraph-pdf FOLDER NAME...: converts each FOLDER/NAME.svg to FOLDER/NAME.pdf, as wide as a column
 * or a page of a paper (canvas.h).
 *
 * It is a separate program so that hotgraph itself need not load librsvg and its dependencies. Equal
 * SVG gives equal bytes: a PDF has no date. The exit status is 1 if a drawing could not be read or
 * written; standard error names it.
 */
#include "report/draw/canvas.h"

#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <stdlib.h>

static bool failed(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    return false;
}

/* Draws one page, scaled to `width` by `height` points. */
static bool draw_page(RsvgHandle *svg, const char *path, double width, double height) {
    cairo_surface_t *page = cairo_pdf_surface_create(path, width, height);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_t *pen = cairo_create(page);
    const RsvgRectangle whole = {0, 0, width, height};
    GError *e = NULL;
    const bool drawn = rsvg_handle_render_document(svg, pen, &whole, &e);
    cairo_show_page(pen);
    cairo_status_t status = cairo_status(pen);
    cairo_destroy(pen);
    cairo_surface_finish(page);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(page);
    cairo_surface_destroy(page);
    if (!drawn)
        failed(path, e->message);
    else if (status != CAIRO_STATUS_SUCCESS)
        failed(path, cairo_status_to_string(status));
    g_clear_error(&e);
    return drawn && status == CAIRO_STATUS_SUCCESS;
}

static bool convert(const char *from, const char *to) {
    GError *e = NULL;
    RsvgHandle *svg = rsvg_handle_new_from_file(from, &e);
    if (svg == NULL) {
        failed(from, e->message);
        g_clear_error(&e);
        return false;
    }
    gboolean has_box = FALSE;
    RsvgRectangle box = {0};
    rsvg_handle_get_intrinsic_dimensions(svg, NULL, NULL, NULL, NULL, &has_box, &box);
    bool done = false;
    if (!has_box || !(box.width > 0 && box.height > 0)) {
        failed(from, "has no size");
    } else {
        const double scale = canvas_scale(box.width);
        done = draw_page(svg, to, box.width * scale, box.height * scale);
    }
    g_object_unref(svg);
    return done;
}

/* Writes to a temporary name first, so that an interrupt leaves no truncated file. */
static bool convert_named(const char *folder, const char *name) {
    char *from = g_strdup_printf("%s/%s.svg", folder, name);
    char *to = g_strdup_printf("%s/%s.pdf", folder, name), *part = g_strdup_printf("%s.part", to);
    bool done = convert(from, part);
    if (done && rename(part, to) != 0)
        done = failed(to, "cannot be given its name");
    if (!done)
        remove(part);
    g_free(from);
    g_free(to);
    g_free(part);
    return done;
}

int main(int count, char **words) {
    if (count < 2) {
        fputs("Usage: hotgraph-pdf FOLDER NAME...\n", stderr);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < count; i++)
        if (!convert_named(words[1], words[i]))
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
