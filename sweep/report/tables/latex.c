/*
 * Tables for LaTeX's article class with the package booktabs. A table is set in the largest type in
 * which it fits the text width. Where that type would be too small to read, the table is split into
 * parts that repeat the first columns.
 */
#include "report/tables/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of article at 10 pt: slightly less than its 345 pt, since widths are estimates. */
#define TEXT_WIDTH 335.0

struct layout {
    const char *size;
    double scale, separation; /* relative to the widths at 10 pt; in pt */
};
static const struct layout layouts[] = {
    {"normalsize", 1, 6}, {"small", 0.93, 4}, {"footnotesize", 0.86, 3}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* ---- widths ---- */

static double letter_width(unsigned char c) {
    if (c >= 0x80) /* of a UTF-8 sequence, only the first byte counts */
        return c >= 0xC0 ? 7 : 0;
    if (strchr("%#&@mwMW=+<>", c) != NULL)
        return 8.4;
    if (strchr(" .,:;'ijl!|()-", c) != NULL)
        return 3.9;
    return isupper(c) ? 7.5 : 5.4;
}

static double text_width(const char *text, size_t len) {
    double width = 0;
    for (size_t i = 0; i < len; i++)
        width += letter_width((unsigned char)text[i]);
    return width;
}

/* Headings are broken after each word. */
static double head_width(const char *name) {
    double width = 0;
    for (const char *at = name; *at != 0;) {
        const size_t n = strcspn(at, " ");
        const double word = text_width(at, n);
        width = word > width ? word : width;
        at += n + (at[n] == ' ');
    }
    return width;
}

static double column_width(const struct table *t, size_t column) {
    double width = head_width(t->names.at[column]);
    for (size_t row = 0; row < table_rows(t); row++) {
        const char *cell = t->cells.at[row * t->names.len + column];
        const double own = cell != NULL ? text_width(cell, strlen(cell)) : 10;
        width = own > width ? own : width;
    }
    return width;
}

static double set_width(const struct table *t, const struct layout *l, size_t column) {
    return l->scale * column_width(t, column) + 2 * l->separation;
}

/* ---- columns ---- */

static bool same_cells(const struct table *t, size_t a, size_t b, size_t columns) {
    for (size_t i = 0; i < columns; i++) {
        const char *x = t->cells.at[a * t->names.len + i], *y = t->cells.at[b * t->names.len + i];
        if (strcmp(x != NULL ? x : "", y != NULL ? y : "") != 0)
            return false;
    }
    return true;
}

/* The number of columns at the left that distinguish the rows. */
static size_t key_columns(const struct table *t) {
    for (size_t columns = 1; columns < t->names.len && columns < 4; columns++) {
        bool apart = true;
        for (size_t a = 0; apart && a < table_rows(t); a++)
            for (size_t b = 0; apart && b < a; b++)
                apart = !same_cells(t, a, b, columns);
        if (apart)
            return columns;
    }
    return 1;
}

/* End of the part that begins at column `first`: as many columns as fit beside the key, at least
 * one. */
static size_t part_end(const struct table *t, const struct layout *l, size_t key, size_t first) {
    double width = 0;
    for (size_t i = 0; i < key; i++)
        width += set_width(t, l, i);
    size_t end = first;
    while (end < t->names.len) {
        width += set_width(t, l, end);
        if (width > TEXT_WIDTH && end > first)
            break;
        end++;
    }
    return end;
}

/* ---- text ---- */

static void put_text(const char *text, size_t len, struct file_writer *w) {
    for (size_t i = 0; i < len; i++) {
        if (strchr("&%$#_{}", text[i]) != NULL)
            file_printf(w, "\\%c", text[i]);
        else if (strchr("~^\\", text[i]) != NULL)
            file_printf(w, "\\char`\\%c{}", text[i]);
        else if (strchr("<>|", text[i]) != NULL)
            file_printf(w, "$%c$", text[i]);
        else
            file_printf(w, "%c", text[i]);
    }
}

static void put_head(const struct table *t, size_t column, struct file_writer *w) {
    const char *at = t->names.at[column];
    file_printf(w, "\\shortstack[%c]{", table_is_numeric(t, column) ? 'r' : 'l');
    while (*at != 0) {
        const size_t n = strcspn(at, " ");
        put_text(at, n, w);
        at += n + (at[n] == ' ');
        file_printf(w, "%s", *at != 0 ? "\\\\" : "");
    }
    file_printf(w, "}");
}

static void put_cell(const struct table *t, size_t row, size_t column, struct file_writer *w) {
    const char *cell = t->cells.at[row * t->names.len + column];
    if (cell != NULL)
        put_text(cell, strlen(cell), w);
    else
        file_printf(w, "--");
}

/* row: table_rows(t) for the headings. */
static void put_line(const struct table *t, size_t row, size_t key, size_t first, size_t end,
                     struct file_writer *w) {
    for (size_t i = 0; i < end; i = i + 1 == key ? first : i + 1) {
        file_printf(w, "%s", i != 0 ? " & " : "");
        if (row == table_rows(t))
            put_head(t, i, w);
        else
            put_cell(t, row, i, w);
    }
    file_printf(w, " \\\\\n");
}

/* Writes the key columns, then the columns first .. end - 1. */
static void put_part(const struct table *t, const struct layout *l, size_t key, size_t first,
                     size_t end, struct file_writer *w) {
    file_printf(w, "\\%s\\setlength{\\tabcolsep}{%gpt}\n\\begin{tabular}{", l->size, l->separation);
    for (size_t i = 0; i < end; i = i + 1 == key ? first : i + 1)
        file_printf(w, "%c", table_is_numeric(t, i) ? 'r' : 'l');
    file_printf(w, "}\n\\toprule\n");
    put_line(t, table_rows(t), key, first, end, w);
    file_printf(w, "\\midrule\n");
    for (size_t row = 0; row < table_rows(t); row++)
        put_line(t, row, key, first, end, w);
    file_printf(w, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

void table_write_latex(const struct table *t, const char *title, const char *note,
                       const char *label, struct file_writer *w) {
    if (t->names.len == 0) { /* the columns are known only from the first row */
        file_printf(w, "%% no rows\n");
        return;
    }
    file_printf(w, "%% \\usepackage{booktabs}\n");
    const size_t key = key_columns(t);
    const struct layout *l = layouts;
    while (l < layouts + LAYOUTS - 1 && part_end(t, l, key, key) < t->names.len)
        l++;
    unsigned parts = 0, part = 0;
    for (size_t first = key; first < t->names.len || parts == 0; parts++)
        first = part_end(t, l, key, first);
    for (size_t first = key; part < parts; part++) {
        const size_t end = part_end(t, l, key, first);
        file_printf(w, "\\begin{table}\n\\centering\n\\caption{");
        put_text(title, strlen(title), w);
        if (parts > 1)
            file_printf(w, " (%u of %u)", part + 1, parts);
        if (note != NULL && part == 0) {
            file_printf(w, ". ");
            put_text(note, strlen(note), w);
        }
        file_printf(w, part == 0 ? "}\n\\label{tab:%s}\n" : "}\n\\label{tab:%s-%u}\n", label,
                    part + 1);
        put_part(t, l, key, first, end, w);
        first = end;
    }
}
