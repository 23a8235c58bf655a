/*
 * pieces: the elements of a page: figures with captions, sortable tables with filters, foldable
 * queries. An element does not depend on the whole page.
 */
#ifndef HOTGRAPH_REPORT_PIECES_H
#define HOTGRAPH_REPORT_PIECES_H

#include "report/page/ask.h"

/* Escaped text. */
void page_text(struct page *p, const char *text);
/* Adds a drawing to the page, writes it to figures/ as NAME.svg, from which NAME.pdf is made later,
 * and frees it. caption: one sentence on what to see. "{missed}" in it, an ink's name, becomes a
 * swatch of that colour in light and dark mode; the words must be sufficient without colour. */
enum status page_figure(struct page *p, struct canvas *c, const char *question,
                        const char *caption);
/* The same for SVG text that is already a file, or for a placeholder that page_fill replaces:
 * PAGE_PLACE "ID-->". */
#define PAGE_PLACE "<!--drawing "
void page_place_figure(struct page *p, const char *id, bool wide, const char *svg,
                       const char *question, const char *caption);
/* The page with the drawings in place of their placeholders. The caller frees it; NULL with the
 * error set. */
char *page_fill(struct report *r, const char *text, size_t *size);
/* A link that unfolds an SQL query, with the values of ?1 and ?2 filled in. */
void page_query(struct page *p, const char *sql, const char *game);

/* A table that sorts and filters; nothing if it has no rows. id, title and note come from the
 * program. is_long: omitted in print. If the paper has nothing to compare with, its columns and the
 * note on them are omitted. */
void page_table(struct page *p, const struct table *t, const char *id, const char *title,
                const char *note, bool is_long);
/* The same for the answer of a query, followed by the query. */
enum status page_answer(struct page *p, const char *id, const char *title, const char *note,
                        const char *sql, bool is_long);

#endif
