/*
 * pdf: diagrams as PDF for paper, made of their SVG by hotgraph-pdf, which is built and installed with
 * the program where librsvg is there.
 */
#ifndef HOTGRAPH_REPORT_PDF_H
#define HOTGRAPH_REPORT_PDF_H

#include "base/base.h"

bool pdf_is_there(void);
/* FOLDER/NAME.svg as FOLDER/NAME.pdf for each name. `stopped` as for child_run(). */
enum status pdf_draw(const char *folder, const char *const *names, size_t count,
                     int (*stopped)(void), struct error *e);

#endif
