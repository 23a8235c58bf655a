/* report: `hotgraph report DB --out DIR`. */
#include "report/report.h"
#include "cli/cli.h"
#include "commands/command.h"

#include <stdio.h>
#include <stdlib.h>

static enum status print_all(struct db *db, const struct report_experiments *x, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < x->names.len; i++) {
        if (x->names.len > 1)
            printf("%sExperiment %s\n\n", i > 0 ? "\n" : "", x->names.at[i]);
        status = report_print_tables(db, x->names.at[i], e);
    }
    return status;
}

static enum status several(const struct report_experiments *x, const char *path, struct error *e) {
    char names[500] = "";
    size_t len = 0;
    for (size_t i = 0; i < x->names.len && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? ", " : "",
                                x->names.at[i]);
    return error_set(e, STATUS_ARGUMENT,
                     "%s: has several experiments: choose one of them with --experiment: %s", path,
                     names);
}

static enum status report(const char *path, const char *out, const char *experiment,
                          struct error *warned, struct error *e) {
    struct db *db = NULL;
    struct report_experiments x = {0};
    enum status status = db_open(&db, path, DB_READ, e);
    if (status == STATUS_OK && (status = report_experiments(&x, db, experiment, e)))
        error_prefix(e, "%s", path);
    if (status == STATUS_OK && out == NULL) {
        status = print_all(db, &x, e);
    } else if (status == STATUS_OK && x.names.len > 1) {
        status = several(&x, path, e);
    } else if (status == STATUS_OK) {
        struct report_request request = {.db = db, .experiment = x.names.at[0], .folder = out};
        status = report_write(&request, warned, e);
    }
    report_experiments_free(&x);
    db_close(db);
    return status;
}

int command_report(int argc, char **argv) {
    const char *out = NULL, *experiment = NULL;
    const struct option_spec options[] = {
        {.name = "out",
         .value = "DIR",
         .help = "the folder to write into; made where it is missing. Without it, tables 1 to 4 "
                 "are printed",
         .kind = OPTION_STRING,
         .to = &out},
        {.name = "experiment",
         .value = "NAME",
         .help = "of several in the database, this one; without it all are printed",
         .kind = OPTION_STRING,
         .to = &experiment},
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
    enum status status = report(operands.at[0], out, experiment, &warned, &e);
    if (status != STATUS_OK)
        return failure(&e);
    if (warned.text[0] != 0)
        warning("%s", warned.text);
    return EXIT_SUCCESS;
}
