/* hotgraph diff: compares the results in two databases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "db/db.h"

/* As in diff(1) and cmp(1). */
enum { EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 };

struct diff_command {
    const char *paths[2];
    uint64_t most;
    bool json;
    size_t shown;  /* differences of this table */
    size_t tables; /* with differences */
    bool begun;    /* the JSON */
    int64_t same;  /* equal rows */
};

static const char details[] =
    "Compares what was executed, sampled and found, and the definitions of the\n"
    "experiments. Ignores timings, runs, engines, titles, file names, and whatever\n"
    "can be computed from the rest.\n"
    "\n"
    "Exit status: 0 if the results are equal, 1 if they differ, 2 if the databases\n"
    "cannot be compared.\n"
    "\n"
    "Example:\n"
    "  hotgraph diff a.db b.db --most 20\n";

/* ---- text ---- */

static void print_line(const char *text) {
    print_safe(stdout, text);
    putchar('\n');
}

static enum status print_difference(void *user, const struct db_difference *d, struct error *e) {
    struct diff_command *c = user;
    (void)e;
    if (c->shown++ == 0)
        printf("%s:\n", d->table);
    printf("  ");
    print_line(d->row);
    for (int i = 0; i < 2; i++) {
        if (d->run[i] == NULL)
            continue;
        printf("    %s", d->column != NULL ? "" : "only in ");
        print_safe(stdout, c->paths[i]);
        if (d->column != NULL) {
            printf(": %s ", d->column);
            print_safe(stdout, d->value[i] != NULL ? d->value[i] : "NULL");
        }
        printf(" (");
        print_safe(stdout, d->run[i]);
        printf(")\n");
    }
    return STATUS_OK;
}

static enum status print_table(void *user, const char *name, int64_t same, int64_t differ,
                               struct error *e) {
    struct diff_command *c = user;
    (void)name;
    (void)e;
    c->same += same;
    c->tables += differ > 0;
    c->shown = 0;
    if (differ > 0)
        printf("  %" PRId64 " rows differ, %" PRId64 " are equal\n", differ, same);
    return STATUS_OK;
}

/* ---- JSON ---- */

static void print_pair(const char *name, const char *const values[2]) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < 2; i++) {
        printf("%s", i > 0 ? ", " : "");
        print_json_string(values[i]);
    }
    putchar(']');
}

static void begin(struct diff_command *c) {
    if (!c->begun)
        printf("{\"tables\": [");
    c->begun = true;
}

static enum status print_json_difference(void *user, const struct db_difference *d,
                                         struct error *e) {
    struct diff_command *c = user;
    (void)e;
    begin(c);
    if (c->shown++ == 0)
        printf("%s\n  {\"name\": \"%s\", \"first\": [", c->tables > 0 ? "," : "", d->table);
    else
        putchar(',');
    printf("\n    {");
    print_json_text("row", d->row);
    printf(", ");
    print_json_text("column", d->column);
    print_pair("values", d->value);
    print_pair("runs", d->run);
    putchar('}');
    return STATUS_OK;
}

static enum status print_json_table(void *user, const char *name, int64_t same, int64_t differ,
                                    struct error *e) {
    struct diff_command *c = user;
    (void)e;
    (void)name;
    c->same += same;
    if (differ > 0) {
        printf("],\n   \"differ\": %" PRId64 ", \"same\": %" PRId64 "}", differ, same);
        c->tables++;
    }
    c->shown = 0;
    return STATUS_OK;
}

/* ---- both ---- */

static int compare(struct diff_command *c) {
    const struct db_diff request = {
        .a = c->paths[0],
        .b = c->paths[1],
        .most = c->most,
        .each = c->json ? print_json_difference : print_difference,
        .table = c->json ? print_json_table : print_table,
        .user = c,
        .stopped = interrupt_signal,
    };
    struct error e = {0};
    int64_t differ;
    if (db_diff(&request, &differ, &e) != STATUS_OK) {
        int status = failure(&e);
        return status == EXIT_FAILURE ? EXIT_TROUBLE : status;
    }
    if (c->json) {
        begin(c);
        printf("],\n \"equal\": %s, \"differ\": %" PRId64 ", \"same\": %" PRId64 "}\n",
               differ == 0 ? "true" : "false", differ, c->same);
    } else if (differ == 0)
        printf("equal results: %" PRId64 " rows\n", c->same);
    return differ == 0 ? EXIT_SUCCESS : EXIT_DIFFERENT;
}

int command_diff(int argc, char **argv) {
    struct diff_command c = {.most = 5};
    const struct option_spec options[] = {
        {"most", "N", "show the first N differing rows of each table (default 5)", OPTION_NUMBER,
         .to = &c.most, .least = 1, .most = 1000000000},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    const struct usage usage = {
        .command = "diff",
        .operands = "A.db B.db",
        .least = 2,
        .most = 2,
        .summary = "Compares the results in two databases.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    c.paths[0] = operands.at[0];
    c.paths[1] = operands.at[1];
    interrupt_catch();
    return compare(&c);
}
