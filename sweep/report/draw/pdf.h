/*
 * pdf: diagrams as PDF for paper, converted from SVG by hotgraph-pdf, which is built and installed
 * with the program if librsvg is available.
 */
#ifndef HOTGRAPH_REPORT_PDF_H
#define HOTGRAPH_REPORT_PDF_H

#include "base/base.h"

bool pdf_is_there(void);
/* Converts FOLDER/NAME.svg to FOLDER/NAME.pdf for each name. `stopped`: as for child_run(). */
enum status pdf_draw(const char *folder, const char *const *names, size_t count,
                     int (*stopped)(void), struct error *e);

#endif
