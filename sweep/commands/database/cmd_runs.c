/* hotgraph runs: lists the runs that computed a database, and their machines. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/database/results.h"
#include "db/db.h"
#include "report/tables/table.h"

static const char details[] =
    "Each line is a run: a sweep, or a shard of one, that had something to compute.\n"
    "'finished' is empty if the run was stopped. If the timings of a run are\n"
    "unreliable (a fixed workload took varying times, or other programs used the\n"
    "machine), a warning appears below the table.\n"
    "\n"
    "--json prints everything that is known: version, commit (-dirty: with\n"
    "uncommitted changes), compiler and flags, libraries, processor, arguments,\n"
    "hashes of the configuration and of each game's ROM and movie, Slurm's job and\n"
    "task. The database also contains the text of all configuration files: SELECT *\n"
    "FROM run_file JOIN text USING (text_id).\n"
    "\n"
    "Examples:\n"
    "  hotgraph runs results/hotgraph.db\n"
    "  hotgraph runs results/cluster/all.db --json\n";

static const char table_sql[] =
    "SELECT started, finished, host, cores, jobs AS threads, version || ' ' || source_commit AS"
    " program, experiment, shard, slurm_job || iif(slurm_task IS NULL, '', '_' || slurm_task) AS"
    " \"Slurm job\", replays, results, round(seconds, 1) AS \"CPU seconds\", round(100 * load) AS"
    " \"others %\", round(100 * spread) AS \"spread %\" FROM runs";
static const char warnings_sql[] = "SELECT started, host, warning FROM runs WHERE warning NOT NULL";

static void print_warnings(const struct table *warnings, size_t width, struct file_writer *w) {
    static const char title[] = "Unreliable timings";
    if (width == 0) {
        table_write_text(warnings, title, w);
        return;
    }
    table_write_wrapped(title, width, w);
    for (size_t row = 0; row < table_rows(warnings); row++) {
        file_printf(w, "\n");
        for (size_t i = 0; i < 3; i++) {
            const char *cell = table_cell(warnings, row, i);
            table_write_wrapped(cell != NULL ? cell : "-", width, w);
        }
    }
}

static enum status print_table(struct db *db, size_t width, struct error *e) {
    struct table runs, warnings = {0};
    struct file_writer *w = NULL;
    enum status status = table_query(&runs, db, table_sql, NULL, e);
    if (status != STATUS_OK)
        return status;
    fflush(stdout);
    status = table_query(&warnings, db, warnings_sql, NULL, e);
    if (status == STATUS_OK)
        status = file_open_fd(&w, STDOUT_FILENO, "standard output", e);
    if (status == STATUS_OK)
        table_write_fitting(&runs, "Runs", width, w);
    if (status == STATUS_OK && table_rows(&warnings) > 0) {
        file_printf(w, "\n");
        print_warnings(&warnings, width, w);
    }
    table_free(&runs);
    table_free(&warnings);
    return status == STATUS_OK ? file_commit(w, e) : status;
}

int command_runs(int argc, char **argv) {
    bool json = false, wide = false;
    const struct option_spec options[] = {
        {"json", NULL, "print everything that is known about each run, as JSON", OPTION_FLAG,
         .to = &json},
        wide_option(&wide),
        {0},
    };
    const struct usage usage = {
        .command = "runs",
        .operands = "DB",
        .least = 1,
        .most = 1,
        .summary = "Lists the runs that computed the results in a database.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    struct error e = {0};
    struct db *db = NULL;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    enum status status = db_open(&db, operands.at[0], DB_READ, &e);
    if (status == STATUS_OK)
        status = json ? results_print(db, "runs", NULL, true, &e)
                      : print_table(db, print_width(wide), &e);
    db_close(db);
    return status == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
