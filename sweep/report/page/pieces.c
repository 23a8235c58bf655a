/* The elements of a page: figures, queries, tables. */
#include "report/page/pieces.h"
#include "report/page/words.h"

#include <stdlib.h>
#include <string.h>

void page_text(struct page *p, const char *text) {
    escape_markup(p->out, text);
}

static enum status save_drawing(struct page *p, const struct canvas *c) {
    char *text = NULL, name[200];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    canvas_write_svg(c, out);
    snprintf(name, sizeof name, "figures/%s.svg", c->id);
    enum status status = fclose(out) == 0
                             ? report_save(p->r, name, text, size)
                             : error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    free(text);
    return status;
}

/* The ink whose name is between the two pointers, or INK_COUNT. */
static enum ink ink_between(const char *from, const char *to) {
    enum ink ink = 0;
    const size_t len = (size_t)(to - from);
    while (ink < INK_COUNT &&
           (strlen(palette_name(ink)) != len || memcmp(palette_name(ink), from, len) != 0))
        ink++;
    return ink;
}

/* A swatch follows light and dark mode, and is not separated from the preceding word. */
static void put_caption(struct page *p, const char *caption) {
    for (const char *at = caption; *at != '\0'; at++) {
        if (at[0] == ' ' && at[1] == '{') {
            fputs("&#160;", p->out);
            continue;
        }
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const enum ink ink = end != NULL ? ink_between(at + 1, end) : INK_COUNT;
        if (ink == INK_COUNT) {
            const char one[] = {*at, '\0'};
            page_text(p, one);
            continue;
        }
        fprintf(p->out, "<i class='swatch' style='background:var(--%s)'></i>", palette_name(ink));
        at = end;
    }
}

void page_place_figure(struct page *p, const char *id, bool wide, const char *svg,
                       const char *question, const char *caption) {
    fprintf(p->out, "<figure id='%s'%s>\n<h3>", id, wide ? " class='wide'" : "");
    page_text(p, question);
    fprintf(p->out, "</h3>\n<div class='pan'>%s</div><figcaption>", svg);
    put_caption(p, caption);
    if (p->about[0] != '\0') {
        fputs(" <span class='about'>", p->out);
        page_text(p, p->about);
        fputs("</span>", p->out);
    }
    fprintf(p->out, " <a href='figures/%s.svg'>SVG</a>", id);
    const bool by_gnuplot = strncmp(svg, PAGE_PLACE, strlen(PAGE_PLACE)) == 0;
    if (by_gnuplot || p->r->pdf)
        fprintf(p->out, " <a href='figures/%s.pdf'>PDF</a>", id);
    if (by_gnuplot)
        fprintf(p->out,
                " <a href='figures/%s.csv'>data</a> <a href='figures/%s.gp'>gnuplot script</a>", id,
                id);
    fputs("</figcaption>\n</figure>\n", p->out);
}

enum status page_figure(struct page *p, struct canvas *c, const char *question,
                        const char *caption) {
    char *name = strdup(c->id);
    enum status status = STATUS_OK;
    if (!canvas_finish(c) || name == NULL || !vec_push(&p->r->drawings, name)) {
        free(name);
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    } else if (!vec_push(&p->r->diagrams, name)) {
        status = error_set(p->r->e, STATUS_MEMORY, "out of memory for a figure");
    }
    if (status == STATUS_OK)
        status = save_drawing(p, c);
    if (status == STATUS_OK)
        page_place_figure(p, c->id, c->width > CANVAS_COLUMN, c->svg, question, caption);
    canvas_free(c);
    return status;
}

void page_query(struct page *p, const char *sql, const char *game) {
    char *text = page_fill_in(p, sql, game);
    fprintf(p->out, " <details class='query' id='q%u'><summary>query</summary><pre>", ++p->queries);
    page_text(p, text != NULL ? text : "");
    fputs("</pre></details>", p->out);
    free(text);
}

/* Copies a drawing that is a file into the page, without definitions that the page already has. */
static enum status put_drawing(struct report *r, FILE *out, const char *id, size_t len) {
    struct bytes file = {0};
    char *path = report_path(r, "figures/%.*s.svg", (int)len, id);
    enum status status = path != NULL ? file_read(&file, path, 1 << 26, r->e) : STATUS_MEMORY;
    const char *svg = (const char *)file.at, *size = NULL, *end = NULL, *rest = NULL;
    if (status == STATUS_OK && (size = strstr(svg, " width='")) != NULL &&
        (end = strchr(size, '>')) != NULL && (rest = strstr(end, "</style>\n<rect ")) != NULL &&
        (rest = strstr(rest, "/>\n")) != NULL)
        fprintf(out, "%.*s>%s", (int)(size - svg), svg, rest + 2);
    else if (status == STATUS_OK)
        status = error_set(r->e, STATUS_IO, "%s: gnuplot has not drawn it whole", path);
    bytes_free(&file);
    free(path);
    return status;
}

char *page_fill(struct report *r, const char *text, size_t *size) {
    static const char place[] = PAGE_PLACE;
    char *whole = NULL;
    FILE *out = open_memstream(&whole, size);
    enum status status = out != NULL ? STATUS_OK : STATUS_MEMORY;
    for (const char *at; status == STATUS_OK && (at = strstr(text, place)) != NULL;) {
        const char *id = at + sizeof place - 1, *end = strstr(id, "-->\n");
        fwrite(text, 1, (size_t)(at - text), out);
        status = put_drawing(r, out, id, (size_t)(end - id));
        text = end + strlen("-->\n");
    }
    if (out != NULL)
        fputs(text, out);
    if (out == NULL || fclose(out) != 0 || status == STATUS_MEMORY)
        status = error_set(r->e, STATUS_MEMORY, "out of memory for a page");
    if (status == STATUS_OK)
        return whole;
    free(whole);
    return NULL;
}

/* ---- tables ---- */

static bool is_of_paper(const struct table *t, size_t column) {
    static const char of[] = "paper's";
    return strncmp(t->names.at[column], of, sizeof of - 1) == 0;
}

/* True if the table has columns of the paper, and all of them are empty: they are not shown then. */
static bool lacks_paper(const struct table *t) {
    bool any = false;
    for (size_t i = 0; i < t->names.len; i++) {
        any = any || is_of_paper(t, i);
        for (size_t row = 0; is_of_paper(t, i) && row < table_rows(t); row++)
            if (table_cell(t, row, i) != NULL)
                return false;
    }
    return any;
}

static void html_row(struct page *p, const struct table *t, const struct table_column *columns,
                     bool no_paper, size_t row) {
    fputs("<tr>", p->out);
    for (size_t i = 0; i < t->names.len; i++) {
        const char *cell = table_cell(t, row, i);
        if (no_paper && is_of_paper(t, i))
            continue;
        char grouped[40];
        fputs(columns[i].is_numeric ? "<td class='r'>" : "<td>", p->out);
        /* A configuration's number is a name, so it is not grouped by thousands. */
        if (cell != NULL && columns[i].is_numeric && strcmp(t->names.at[i], "#") != 0 &&
            group_thousands(cell, grouped))
            cell = grouped;
        page_text(p, cell != NULL ? cell : "–");
        fputs("</td>", p->out);
    }
    fputs("</tr>\n", p->out);
}

void page_table(struct page *p, const struct table *t, const char *id, const char *title,
                const char *note, bool is_long) {
    if (table_rows(t) == 0)
        return;
    fprintf(p->out, "<div class='table%s' id='%s'>\n<h3>%s</h3>\n", is_long ? " long" : "", id,
            title);
    const bool no_paper = lacks_paper(t);
    struct table_column *const columns = table_columns(t);
    if (columns == NULL) {
        fputs("<p class='lack'>No memory was left for it.</p>\n</div>\n", p->out);
        return;
    }
    fprintf(p->out,
            "<div class='tools'><label>Filter <input type='search' data-table='%s-t'></label>"
            "<span class='hint' id='%s-t-n'></span><span class='hint scrolls'>more columns: scroll "
            "&#8594;</span></div>\n<div class='scroll'><table id='%s-t'>\n"
            "<thead><tr>",
            id, id, id);
    for (size_t i = 0; i < t->names.len; i++) {
        if (no_paper && is_of_paper(t, i))
            continue;
        fprintf(p->out, "<th scope='col'%s><button type='button'>",
                columns[i].is_numeric ? " class='r'" : "");
        page_text(p, t->names.at[i]);
        fputs("</button></th>", p->out);
    }
    fputs("</tr></thead>\n<tbody>\n", p->out);
    for (size_t row = 0; row < table_rows(t); row++)
        html_row(p, t, columns, no_paper, row);
    free(columns);
    fprintf(p->out, "</tbody></table></div>\n<p class='hint'>%s</p>\n</div>\n",
            note != NULL && !no_paper ? note : "");
}

enum status page_answer(struct page *p, const char *id, const char *title, const char *note,
                        const char *sql, bool is_long) {
    struct table t;
    enum status status = page_ask(p, &t, sql, NULL);
    if (status == STATUS_OK && table_rows(&t) > 0) {
        page_table(p, &t, id, title, note, is_long);
        page_query(p, sql, NULL);
    }
    table_free(&t);
    return status;
}
