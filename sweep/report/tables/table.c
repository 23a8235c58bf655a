#include "report/tables/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- queries ---- */

static bool push_copy(struct table *t, bool name, const char *text) {
    char *copy = text != NULL ? strdup(text) : NULL;
    if (text != NULL && copy == NULL)
        return false;
    bool ok = name ? vec_push(&t->names, copy) : vec_push(&t->cells, copy);
    if (!ok)
        free(copy);
    return ok;
}

static enum status take_row(void *user, size_t columns, const char *const *names,
                            const char *const *values, struct error *e) {
    struct table *t = user;
    bool ok = true;
    for (size_t i = 0; ok && t->names.len < columns; i++)
        ok = push_copy(t, true, names[i]);
    for (size_t i = 0; ok && i < columns; i++)
        ok = push_copy(t, false, values[i]);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for a table");
}

enum status table_query_list(struct table *out, struct db *db, const char *sql,
                             const char *const *args, size_t count, struct error *e) {
    static const char formats[][4] = {"", "t", "tt", "ttt"};
    *out = (struct table){0};
    enum status status =
        db_query(db, sql, take_row, out, e, formats[count], count > 0 ? args[0] : NULL,
                 count > 1 ? args[1] : NULL, count > 2 ? args[2] : NULL);
    if (status != STATUS_OK)
        table_free(out);
    return status;
}

enum status table_query(struct table *out, struct db *db, const char *sql, const char *arg,
                        struct error *e) {
    return table_query_list(out, db, sql, &arg, arg != NULL, e);
}

void table_free(struct table *t) {
    for (size_t i = 0; i < t->names.len; i++)
        free(t->names.at[i]);
    for (size_t i = 0; i < t->cells.len; i++)
        free(t->cells.at[i]);
    vec_free(&t->names);
    vec_free(&t->cells);
}

size_t table_rows(const struct table *t) {
    return t->names.len != 0 ? t->cells.len / t->names.len : 0;
}

const char *table_cell(const struct table *t, size_t row, size_t column) {
    return t->cells.at[row * t->names.len + column];
}

const char *cell_text(const struct table *t, size_t row, size_t column) {
    const char *cell = table_cell(t, row, column);
    return cell != NULL ? cell : "";
}

double cell_number(const struct table *t, size_t row, size_t column) {
    const char *cell = table_cell(t, row, column);
    return cell != NULL ? strtod(cell, NULL) : __builtin_nan("");
}

/* ---- widths and types ---- */

static const char *shown(const char *cell) {
    return cell != NULL ? cell : "-";
}

/* Counts characters, not bytes: UTF-8 continuation bytes do not count. */
static size_t characters(const char *text) {
    size_t n = 0;
    for (; *text != 0; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

size_t table_width(const struct table *t, size_t column) {
    size_t width = characters(t->names.at[column]);
    for (size_t row = 0; row < table_rows(t); row++) {
        size_t n = characters(shown(table_cell(t, row, column)));
        width = n > width ? n : width;
    }
    return width;
}

bool table_is_numeric(const struct table *t, size_t column) {
    for (size_t row = 0; row < table_rows(t); row++) {
        const char *cell = table_cell(t, row, column);
        if (cell != NULL && cell[strspn(cell, "-+.0123456789e")] != 0)
            return false;
    }
    /* Names of games are text, even "1942". */
    return strcmp(t->names.at[column], "game") != 0 &&
           strcmp(t->names.at[column], "paper's game") != 0;
}

struct table_column *table_columns(const struct table *t) {
    struct table_column *const columns = calloc(t->names.len + 1, sizeof *columns);
    for (size_t i = 0; columns != NULL && i < t->names.len; i++)
        columns[i] = (struct table_column){table_width(t, i), table_is_numeric(t, i), false};
    return columns;
}

/* ---- text ---- */

/* Names come from the database, which is not trusted: they must not move the cursor of a terminal
 * or begin lines. C1 control characters have two bytes. */
static void plain(struct file_writer *w, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++) {
        const bool two = c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        file_printf(w, "%c", two || *c < 0x20 || *c == 0x7F ? ' ' : *c);
        c += two;
    }
}

static void pad(struct file_writer *w, const char *text, size_t width, bool right, bool last) {
    size_t n = characters(text), gap = width > n ? width - n : 0;
    file_printf(w, "%*s", right ? (int)gap : 0, "");
    plain(w, text);
    file_printf(w, "%*s", right || last ? 0 : (int)gap, "");
}

static void text_line(const struct table *t, char *const *cells, const struct table_column *columns,
                      struct file_writer *w) {
    size_t last = t->names.len - 1;
    while (columns[last].left_out)
        last--;
    for (size_t i = 0; i <= last; i++) {
        if (columns[i].left_out)
            continue;
        if (i != 0)
            file_printf(w, "  ");
        pad(w, shown(cells[i]), columns[i].width, columns[i].is_numeric, i == last);
    }
    file_printf(w, "\n");
}

static size_t line_width(const struct table *t, const struct table_column *columns) {
    size_t width = 0;
    for (size_t i = 0; i < t->names.len; i++)
        if (!columns[i].left_out)
            width += columns[i].width + (i != 0 ? 2 : 0);
    return width;
}

static bool is_same_everywhere(const struct table *t, size_t column) {
    for (size_t row = 1; row < table_rows(t); row++)
        if (strcmp(shown(table_cell(t, row, column)), shown(table_cell(t, 0, column))) != 0)
            return false;
    return table_rows(t) > 1;
}

static void leave_out(const struct table *t, struct table_column *columns, size_t width) {
    for (int all = 0; all < 2; all++)
        for (size_t i = t->names.len; i-- > 1 && line_width(t, columns) > width;)
            if (all || is_same_everywhere(t, i))
                columns[i].left_out = true;
}

void table_write_wrapped(const char *text, size_t width, struct file_writer *w) {
    size_t at = 0;
    for (const char *c = text; *c != 0;) {
        char word[200];
        size_t n = strcspn(c, " ");
        n = n < sizeof word ? n : sizeof word - 1;
        memcpy(word, c, n);
        word[n] = 0;
        const size_t length = characters(word);
        if (at != 0 && width != 0 && at + 1 + length > width) {
            file_printf(w, "\n");
            at = 0;
        }
        file_printf(w, at != 0 ? " " : "");
        plain(w, word);
        at += length + (at != 0);
        c += n + strspn(c + n, " ");
    }
    file_printf(w, "\n");
}

static void name_left_out(const struct table *t, const struct table_column *columns, size_t width,
                          struct file_writer *w) {
    char *text = NULL;
    size_t size = 0, count = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out != NULL && i < t->names.len; i++)
        if (columns[i].left_out)
            fprintf(out, "%s%s", count++ == 0 ? "left out (--wide shows all): " : ", ",
                    t->names.at[i]);
    if (out != NULL && fclose(out) == 0 && count > 0)
        table_write_wrapped(text, width, w);
    free(text);
}

void table_write_text(const struct table *t, const char *title, struct file_writer *w) {
    table_write_fitting(t, title, 0, w);
}

void table_write_fitting(const struct table *t, const char *title, size_t line,
                         struct file_writer *w) {
    table_write_wrapped(title, line, w);
    file_printf(w, "\n");
    if (table_rows(t) == 0) {
        file_printf(w, "(no rows)\n");
        return;
    }
    struct table_column *const columns = table_columns(t);
    if (columns == NULL) {
        file_printf(w, "(out of memory for the columns)\n");
        return;
    }
    if (line != 0)
        leave_out(t, columns, line);
    text_line(t, t->names.at, columns, w);
    const size_t width = line_width(t, columns);
    for (size_t i = 0; i < width; i++)
        file_printf(w, "-");
    file_printf(w, "\n");
    for (size_t row = 0; row < table_rows(t); row++)
        text_line(t, t->cells.at + row * t->names.len, columns, w);
    name_left_out(t, columns, line, w);
    free(columns);
}

/* ---- Markdown ---- */

/* Escapes characters with a meaning in Markdown. */
static void markdown_cell(const char *text, struct file_writer *w) {
    for (; *text != 0; text++)
        file_printf(w, strchr("\\|`*_[]<>&#", *text) != NULL ? "\\%c" : "%c",
                    (unsigned char)*text < 0x20 ? ' ' : *text);
}

static void markdown_line(char *const *cells, size_t columns, struct file_writer *w) {
    for (size_t i = 0; i < columns; i++) {
        file_printf(w, i == 0 ? "| " : " | ");
        markdown_cell(shown(cells[i]), w);
    }
    file_printf(w, " |\n");
}

void table_write_markdown(const struct table *t, const char *title, const char *note,
                          struct file_writer *w) {
    file_printf(w, "%s\n\n", title);
    if (table_rows(t) == 0) {
        file_printf(w, "(no rows)\n");
        return;
    }
    markdown_line(t->names.at, t->names.len, w);
    for (size_t i = 0; i < t->names.len; i++)
        file_printf(w, "|%s", table_is_numeric(t, i) ? "---:" : ":---");
    file_printf(w, "|\n");
    for (size_t row = 0; row < table_rows(t); row++)
        markdown_line(t->cells.at + row * t->names.len, t->names.len, w);
    if (note != NULL)
        file_printf(w, "\n%s\n", note);
}

/* ---- CSV (RFC 4180) ---- */

static void csv_line(char *const *cells, size_t columns, const char *null_text,
                     struct file_writer *w) {
    for (size_t i = 0; i < columns; i++) {
        const char *text = cells[i] != NULL ? cells[i] : null_text;
        if (i != 0)
            file_printf(w, ",");
        const char *guard = csv_is_formula(text) ? "'" : "";
        if (text[strcspn(text, ",\"\n\r")] == 0) {
            file_printf(w, "%s%s", guard, text);
            continue;
        }
        file_printf(w, "\"%s", guard);
        for (; *text != 0; text++)
            file_printf(w, *text == '"' ? "\"\"" : "%c", *text);
        file_printf(w, "\"");
    }
    file_printf(w, "\n");
}

void table_write_csv(const struct table *t, const char *null_text, struct file_writer *w) {
    csv_line(t->names.at, t->names.len, null_text, w);
    for (size_t row = 0; row < table_rows(t); row++)
        csv_line(t->cells.at + row * t->names.len, t->names.len, null_text, w);
}
