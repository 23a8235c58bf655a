/* hotgraph merge: one database of several. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "db/db.h"

static const char details[] =
    "The same databases in any order, also given twice, make the same file, byte by byte.\n"
    "A file that OUT.db names already is one more of them: its results stay, merging again\n"
    "changes nothing. Of equal results the row with the smallest (seconds, run id) stays.\n"
    "Where two databases say different things of the same key, nothing is merged, and both\n"
    "rows, their files and their runs are named. Files of older versions are read as they are.\n"
    "\n"
    "OUT.db appears whole or stays as it was. What is in the making is in a folder beside it\n"
    "(OUT.db.merge-...), which is only left behind by kill -9 and may then be removed.\n"
    "\n"
    "Examples:\n"
    "  hotgraph merge results/all.db parts/*.db\n"
    "  hotgraph diff results/all.db results/hotgraph.db\n";

int command_merge(int argc, char **argv) {
    bool copying = false;
    const struct option_spec options[] = {
        {.name = "copy",
         .help = "OUT.db, which must not be there, becomes what the one IN.db is at this moment, "
                 "though a sweep may be writing it: unchecked, and in a tenth of the time",
         .kind = OPTION_FLAG,
         .to = &copying},
        {0},
    };
    const struct usage usage = {
        .command = "merge",
        .operands = "OUT.db IN.db...",
        .least = 2,
        .most = (unsigned)argc + 2,
        .summary = "Joins databases into one.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (copying && operands.count != 2)
        return usage_error("merge", "--copy takes one database");
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
        printf(": unchanged, all of it was there: %" PRId64 " rows\n", merged.rows);
    else
        printf(": %" PRId64 " rows of %u database%s%s\n", merged.rows, operands.count - 1,
               operands.count == 2 ? "" : "s",
               merged.joined ? " and of what was there before" : "");
    return EXIT_SUCCESS;
}
