/*
 * pieces: what a page is made of: figures with captions, tables that sort and filter, queries that
 * unfold. A piece knows nothing of the page as a whole.
 */
#ifndef HOTGRAPH_REPORT_PIECES_H
#define HOTGRAPH_REPORT_PIECES_H

#include "report/page/ask.h"

/* Escaped text. */
void page_text(struct page *p, const char *text);
/* Takes a drawing: into the page, and as NAME.svg, of which NAME.pdf is made later, into figures/. Frees it. caption:
 * one sentence that says what to see. "{missed}" in it, an ink's name, becomes a swatch of that
 * colour, which follows light and dark; words say the same by shape or place, never by colour
 * alone. */
enum status page_figure(struct page *p, struct canvas *c, const char *question,
                        const char *caption);
/* The same of SVG text that is a file already, or of a place that page_fill fills in: PAGE_PLACE
 * "ID-->". */
#define PAGE_PLACE "<!--drawing "
void page_place_figure(struct page *p, const char *id, bool wide, const char *svg,
                       const char *question, const char *caption);
/* A page with the drawings in their places, to be freed; NULL with the error set. */
char *page_fill(struct report *r, const char *text, size_t *size);
/* A link to an SQL query that is shown when asked for; what ?1 and ?2 stand for is put in. */
void page_query(struct page *p, const char *sql, const char *game);

/* A table that sorts and filters; nothing where it has no rows. id, title and note come from the program. is_long: not printed.
 */
void page_table(struct page *p, const struct table *t, const char *id, const char *title,
                const char *note, bool is_long);
/* The same of what a query answers, and the query. */
enum status page_answer(struct page *p, const char *id, const char *title, const char *note,
                        const char *sql, bool is_long);

#endif
