/* hotgraph merge: merges databases into one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "db/db.h"

static const char details[] =
    "The same databases give the same file, byte for byte, in any order and even if\n"
    "one is named twice. If OUT.db exists, it is merged as well and keeps its\n"
    "results, so merging again changes nothing. Of equal results, the row with the\n"
    "smallest (seconds, run id) is kept. If two databases contradict each other,\n"
    "nothing is merged; the message names both rows, their files and their runs.\n"
    "Files of older versions are accepted.\n"
    "\n"
    "OUT.db appears complete or stays as it was. Temporary files are in a folder\n"
    "beside it (OUT.db.merge-...). Only 'kill -9' leaves that folder behind; you\n"
    "may remove it.\n"
    "\n"
    "Examples:\n"
    "  hotgraph merge results/all.db parts/*.db\n"
    "  hotgraph diff results/all.db results/hotgraph.db\n";

int command_merge(int argc, char **argv) {
    bool copying = false;
    const struct option_spec options[] = {
        {.name = "copy",
         .help = "copy a single IN.db to OUT.db, which must not exist; safe while a sweep writes "
                 "IN.db; unchecked, and ten times faster",
         .kind = OPTION_FLAG,
         .to = &copying},
        {0},
    };
    const struct usage usage = {
        .command = "merge",
        .operands = "OUT.db IN.db...",
        .least = 2,
        .most = (unsigned)argc + 2,
        .summary = "Merges databases into one.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (copying && operands.count != 2)
        return usage_error("merge", "--copy takes a single IN.db");
    interrupt_catch();
    struct error e = {0};
    if (copying)
        return db_copy(operands.at[1], operands.at[0], interrupt_signal, &e) == STATUS_OK
                   ? EXIT_SUCCESS
                   : failure(&e);
    struct db_merged merged;
    const struct db_merge request = {
        .out = operands.at[0],
        .parts = (const char *const *)(operands.at + 1),
        .count = operands.count - 1,
        .stopped = interrupt_signal,
    };
    if (db_merge(&request, &merged, &e) != STATUS_OK)
        return failure(&e);
    print_safe(stdout, operands.at[0]);
    if (merged.unchanged)
        printf(": unchanged, everything was already there: %" PRId64 " rows\n", merged.rows);
    else
        printf(": %" PRId64 " rows of %u database%s%s\n", merged.rows, operands.count - 1,
               operands.count == 2 ? "" : "s", merged.joined ? " and of what it already had" : "");
    return EXIT_SUCCESS;
}
