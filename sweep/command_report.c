/* report: `hotgraph report DB --out DIR`. */
#include "sweep/command.h"
#include "sweep/options.h"
#include "sweep/report.h"

#include <stdio.h>
#include <stdlib.h>

int command_report(int argc, char **argv) {
    const char *out = NULL;
    const struct option_spec options[] = {
        {.name = "out",
         .value = "DIR",
         .help = "the folder to write into; made where it is missing. Without it, tables 1 to 4 "
                 "are printed",
         .kind = OPTION_STRING,
         .to = &out},
        {0},
    };
    const struct usage usage = {
        .command = "report",
        .operands = "DB",
        .least = 1,
        .most = 1,
        .summary = "Writes the paper's tables and the figures from a database alone.",
        .details =
            "DIR gets table1 to table4, the rankings over games and the parameters' main\n"
            "effects as .txt, .csv and .tex; the tables, a heatmap of the grid and a\n"
            "convergence curve for each game as .svg and .png; and in data/ the CSV that the\n"
            "figures are drawn from.",
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    struct error e = {0}, warned = {0};
    enum status status = out != NULL ? report_write(operands.at[0], out, &warned, &e)
                                     : report_print_tables(operands.at[0], &e);
    if (status != STATUS_OK)
        return failure(&e);
    if (warned.text[0] != 0)
        warning("%s", warned.text);
    return EXIT_SUCCESS;
}
