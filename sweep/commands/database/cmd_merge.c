/* hotgraph merge: merges databases into one. */
#include <inttypes.h>
#include <math.h>
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

static void print_text(const struct db_merge *q, const struct db_merged *m) {
    print_safe(stdout, q->out);
    if (m->unchanged)
        printf(": unchanged, everything was already there: %" PRId64 " rows\n", m->rows);
    else
        printf(": %" PRId64 " rows of %zu database%s%s\n", m->rows, q->count,
               q->count == 1 ? "" : "s", m->joined ? " and of what it already had" : "");
}

/* A copy is not counted. */
static void print_json(const struct db_merge *q, const struct db_merged *m, bool copied) {
    printf("{");
    print_json_text("out", q->out);
    printf(", \"databases\": %zu, \"copied\": %s, \"joined\": %s, \"unchanged\": %s, ", q->count,
           copied ? "true" : "false", m->joined ? "true" : "false",
           m->unchanged ? "true" : "false");
    print_json_number("rows", copied ? NAN : (double)m->rows);
    printf("}\n");
}

int command_merge(int argc, char **argv) {
    bool copying = false, json = false;
    const struct option_spec options[] = {
        {.name = "copy",
         .help = "copy a single IN.db to OUT.db, which must not exist; safe while a sweep writes "
                 "IN.db; unchecked, and ten times faster",
         .kind = OPTION_FLAG,
         .to = &copying},
        json_option(&json),
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
    struct db_merged merged = {0};
    const struct db_merge request = {
        .out = operands.at[0],
        .parts = (const char *const *)(operands.at + 1),
        .count = operands.count - 1,
        .stopped = interrupt_signal,
    };
    const enum status status = copying
                                   ? db_copy(operands.at[1], operands.at[0], interrupt_signal, &e)
                                   : db_merge(&request, &merged, &e);
    if (status != STATUS_OK)
        return failure(&e);
    if (json)
        print_json(&request, &merged, copying);
    else if (!copying)
        print_text(&request, &merged);
    return EXIT_SUCCESS;
}
