/*
 * report: the paper's tables and the figures, all from the database alone.
 *
 * In the folder: table1 .. table4 and the rankings as .txt, .csv and .tex; the tables, and for each
 * game a heatmap of the grid and the convergence curve, as .svg and .png; in data/ the checked CSV
 * that the figures were drawn from. A file appears whole or not at all. Without gnuplot everything
 * but the pictures is written, and a warning says so.
 */
#ifndef HOTGRAPH_REPORT_H
#define HOTGRAPH_REPORT_H

#include "base/base.h"

/* Makes the folder where it is missing. *warning gets one sentence, or stays "". */
enum status report_write(const char *db_path, const char *folder, struct error *warning,
                         struct error *e);
/* Prints tables 1 to 4 to standard output. */
enum status report_print_tables(const char *db_path, struct error *e);

#endif
