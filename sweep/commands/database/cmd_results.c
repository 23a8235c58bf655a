/* hotgraph results: a view of a database as CSV or JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/database/results.h"
#include "db/db.h"

struct column {
    char *name;
    bool text;
};

struct results_command {
    const char *view, *experiment;
    bool json, in_order;
    struct db *db;
    VEC(struct column) columns;
    size_t rows;
};

static const char *const views[] = {"results",
                                    "convergence_curve",
                                    "table1",
                                    "table2",
                                    "table3",
                                    "table4",
                                    "best_configuration",
                                    "worst_configuration",
                                    "ranked",
                                    "left_out",
                                    "completeness",
                                    "contender",
                                    "not_competing",
                                    "parameter_effect",
                                    "variance_share",
                                    "rank_agreement",
                                    "grid_pair",
                                    "game_quality",
                                    "game_rank",
                                    "mean_rank",
                                    "friedman",
                                    "quality_interval",
                                    "hot_edge",
                                    "hot_set",
                                    "exact_rank",
                                    "budget_to_reach",
                                    "share_to_reach",
                                    "technique_quality",
                                    "technique_mean",
                                    "technique_table",
                                    "technique_at_budget",
                                    "technique_missing",
                                    "technique_effort",
                                    "profiler_cost",
                                    "technique_frontier",
                                    "technique_host",
                                    "frontier",
                                    "technique_count",
                                    "technique_trace",
                                    "technique_packets",
                                    "technique_path",
                                    "path_knowledge",
                                    "technique_path_knowledge",
                                    "technique_cost",
                                    "window_summary",
                                    "technique_window",
                                    "phase",
                                    "technique_phase",
                                    "pareto",
                                    "sampling_bias",
                                    "paper_beside",
                                    "paper_study",
                                    "replicated",
                                    "table1_replicated",
                                    "table2_replicated",
                                    "ranked_replicated",
                                    "named_edge",
                                    "worth",
                                    "technique_worth",
                                    "optimised",
                                    "technique_optimised",
                                    "grid_worth",
                                    "native_fast_share",
                                    "native_cost",
                                    "native_whole",
                                    "native_mean",
                                    "native_calls",
                                    "native_published",
                                    "native_peers",
                                    "native_peers_mean",
                                    "program_time",
                                    "provenance",
                                    "provenance_summary",
                                    NULL};

static const char details[] =
    "The default view, 'results', has one row for each configuration and game, with\n"
    "its parameters, all metrics (..._active: without busy-waits) and all costs.\n"
    "Other views:\n"
    "  convergence_curve    metrics after each number of batches\n"
    "  table1 to table4     the paper's tables\n"
    "  best_configuration   all configurations, ranked by their mean over games\n"
    "  worst_configuration  the same, the worst first\n"
    "  ranked               all configurations of each game, ranked\n"
    "  left_out             the best over all games but one, with its result there\n"
    "  completeness         how many results exist, and how many are wanted\n"
    "  contender            the competing configurations; not_competing: the others\n"
    "  parameter_effect     the main effect of each value of each parameter\n"
    "  variance_share       how much of the variation each parameter explains\n"
    "  rank_agreement       whether games rank configurations alike; grid_pair: pairs\n"
    "  mean_rank            ranks over games; game_quality, game_rank: in each game\n"
    "  friedman             whether ranks over games differ by more than chance\n"
    "  quality_interval     means over games with confidence intervals\n"
    "  hot_edge             the exact graphs' edges, heaviest first\n"
    "  exact_rank           the same for each replay, with cumulative weights\n"
    "  hot_set              games and programs side by side\n"
    "  budget_to_reach      the batches needed to find a given share of the hot graph\n"
    "  share_to_reach       the share of instructions to sample for that\n"
    "  technique_quality    fair metrics, with the sampling and its cost\n"
    "  technique_mean       the same, averaged over games and replicates\n"
    "  technique_table      technique_mean as the report prints it\n"
    "  technique_at_budget  the best technique for each sampling budget\n"
    "  technique_missing    why some techniques cannot be compared\n"
    "  technique_effort     observed instructions, records, probes, steps, seconds\n"
    "  technique_count      further counts of each technique\n"
    "  technique_trace      traces: what is executed in them, and how soon\n"
    "  technique_packets    a processor's trace: bytes, packets, what is lost\n"
    "  technique_path       hot paths: what samples and edges tell of them\n"
    "  path_knowledge       what each result tells of them, if the experiment asks;\n"
    "                       technique_path_knowledge: the same over games\n"
    "  technique_cost       the cost of techniques inside the running machine\n"
    "  window_summary       windows of some length, on each stream\n"
    "  technique_window     the same over games: mean, and worst window\n"
    "  phase                phases of the exact graph\n"
    "  technique_phase      how soon a phase is found, and how often never\n"
    "  pareto               results that no other beats in both budget and quality\n"
    "  sampling_bias        sampling intervals in frames, jitter, weights\n"
    "  paper_beside         costs published in papers beside those measured here\n"
    "  paper_study          which results are compared with which paper\n"
    "  replicated           means and ranges over seeds, phases and movies\n"
    "  table1_replicated    table 1 with ranges; also table2_replicated\n"
    "  ranked_replicated    the ranking with ranges\n"
    "  named_edge           edges of recorded programs, with function names\n"
    "  worth                the gain of a code layout based on each result\n"
    "  technique_worth      the same, averaged over games\n"
    "  grid_worth           the configurations of a grid, ranked by that gain\n"
    "  native_fast_share    native programs: the share of sites with a fast probe\n"
    "  native_cost          the cost of probes and of other tools\n"
    "  native_whole         the cost for whole programs, one line per program\n"
    "  native_mean          over programs: geometric mean, minimum and maximum\n"
    "  native_calls         functions with the same number of calls in other tools\n"
    "  native_published     published figures beside those measured here\n"
    "  native_peers         tools that count edges: time, start, and edges that are exact\n"
    "  native_peers_mean    the same over programs\n"
    "  program_time         native programs in a sweep: time alone, with probes, in QEMU\n"
    "  provenance           the run of each result\n"
    "  provenance_summary   what computed all results, and how the runs differ\n"
    "\n"
    "docs/questions.md describes the columns.\n"
    "\n"
    "CSV follows RFC 4180 and has a header line. NULL is empty. A text that a\n"
    "spreadsheet would execute (it begins with =, +, - or @) is preceded by an\n"
    "apostrophe. JSON is a list of objects.\n"
    "\n"
    "Examples:\n"
    "  hotgraph results results/hotgraph.db >results.csv\n"
    "  hotgraph results results/hotgraph.db --view convergence_curve --json\n";

/* "SELECT * FROM view", limited to the experiment if there is one, sorted by the first columns. */
static char *select_sql(const struct results_command *c) {
    static const char columns[] = " ORDER BY 1, 2, 3, 4, 5, 6, 7";
    char *sql = NULL;
    const bool own_order = c->in_order || strncmp(c->view, "table", 5) == 0;
    const size_t most = c->columns.len < 7 ? c->columns.len : 7;
    return asprintf(&sql, "SELECT * FROM %s%s%.*s", c->view,
                    c->experiment != NULL ? " WHERE experiment = ?" : "",
                    own_order ? 0 : (int)(sizeof " ORDER BY 1" - 1 + 3 * (most - 1)), columns) >= 0
               ? sql
               : NULL;
}

static enum status out_of_memory(struct error *e) {
    return error_set(e, STATUS_MEMORY, "out of memory");
}

/* ---- JSON: columns that hold texts are strings, all others numbers ---- */

static enum status note_column(void *user, size_t columns, const char *const *names,
                               const char *const *values, struct error *e) {
    struct results_command *c = user;
    (void)columns;
    (void)names;
    char *name = strdup(values[0]);
    if (name != NULL && vec_push(&c->columns, ((struct column){.name = name})))
        return STATUS_OK;
    free(name);
    return out_of_memory(e);
}

static enum status note_texts(void *user, size_t columns, const char *const *names,
                              const char *const *values, struct error *e) {
    struct results_command *c = user;
    (void)names;
    (void)e;
    for (size_t i = 0; i < columns; i++)
        c->columns.at[i].text = values[i] != NULL && strcmp(values[i], "1") == 0;
    return STATUS_OK;
}

static enum status print_row(void *user, size_t columns, const char *const *names,
                             const char *const *values, struct error *e) {
    struct results_command *c = user;
    (void)e;
    printf("%s{", c->rows++ > 0 ? ",\n " : "");
    for (size_t i = 0; i < columns; i++) {
        printf("%s", i > 0 ? ", " : "");
        print_json_string(names[i]);
        printf(": ");
        if (values[i] == NULL)
            printf("null");
        else if (c->columns.at[i].text)
            print_json_string(values[i]);
        else
            printf("%s", values[i]);
    }
    putchar('}');
    return STATUS_OK;
}

/* `max(typeof(a) = 'text'), max(typeof(b) = 'text'), ...` */
static char *ask_for_texts(const struct results_command *c) {
    char *list = NULL;
    for (size_t i = 0; i < c->columns.len; i++) {
        char *longer = NULL;
        if (asprintf(&longer, "%s%smax(typeof(\"%s\") = 'text')", list != NULL ? list : "SELECT ",
                     i > 0 ? ", " : "", c->columns.at[i].name) < 0)
            longer = NULL;
        free(list);
        if ((list = longer) == NULL)
            return NULL;
    }
    char *sql = NULL;
    if (list != NULL && asprintf(&sql, "%s FROM %s", list, c->view) < 0)
        sql = NULL;
    free(list);
    return sql;
}

static enum status find_texts(struct results_command *c, struct error *e) {
    enum status status =
        db_query(c->db, "SELECT name FROM pragma_table_info(?)", note_column, c, e, "t", c->view);
    char *sql = status == STATUS_OK ? ask_for_texts(c) : NULL;
    if (status == STATUS_OK)
        status = sql != NULL ? db_query(c->db, sql, note_texts, c, e, "") : out_of_memory(e);
    free(sql);
    return status;
}

/* ---- CSV ---- */

static void print_csv_text(const char *text, bool last) {
    const bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    fputs(quoted ? "\"" : "", stdout);
    fputs(csv_is_formula(text) ? "'" : "", stdout);
    for (; *text != '\0'; text++)
        if (*text == '"')
            fputs("\"\"", stdout);
        else
            putchar(*text);
    printf("%s%s", quoted ? "\"" : "", last ? "\n" : ",");
}

static enum status print_csv_row(void *user, size_t columns, const char *const *names,
                                 const char *const *values, struct error *e) {
    (void)user;
    (void)names;
    (void)e;
    for (size_t i = 0; i < columns; i++)
        print_csv_text(values[i] != NULL ? values[i] : "", i + 1 == columns);
    return STATUS_OK;
}

/* ---- both ---- */

static void print_begin(const struct results_command *c) {
    if (c->json)
        putchar('[');
    for (size_t i = 0; !c->json && i < c->columns.len; i++)
        print_csv_text(c->columns.at[i].name, i + 1 == c->columns.len);
}

static bool has_experiments(const struct results_command *c) {
    for (size_t i = 0; i < c->columns.len; i++)
        if (strcmp(c->columns.at[i].name, "experiment") == 0)
            return true;
    return false;
}

static enum status print_view(struct results_command *c, struct error *e) {
    enum status status = find_texts(c, e);
    if (status == STATUS_OK && c->experiment != NULL && !has_experiments(c))
        status = error_set(e, STATUS_ARGUMENT,
                           "the rows of %s belong to no experiment: omit --experiment", c->view);
    char *sql = status == STATUS_OK ? select_sql(c) : NULL;
    db_each *const each = c->json ? print_row : print_csv_row;
    if (status == STATUS_OK && sql == NULL)
        status = out_of_memory(e);
    if (status == STATUS_OK) {
        struct held_output held;
        if (c->json)
            output_hold(&held);
        print_begin(c);
        status = c->experiment != NULL ? db_query(c->db, sql, each, c, e, "t", c->experiment)
                                       : db_query(c->db, sql, each, c, e, "");
        fputs(c->json ? "]\n" : "", stdout);
        if (c->json)
            output_release(&held, status == STATUS_OK);
    }
    for (size_t i = 0; i < c->columns.len; i++)
        free(c->columns.at[i].name);
    vec_free(&c->columns);
    free(sql);
    return status;
}

enum status results_print(struct db *db, const char *view, const char *experiment, bool json,
                          struct error *e) {
    struct results_command c = {.db = db, .view = view, .experiment = experiment, .json = json};
    return print_view(&c, e);
}

enum status results_print_in_order(struct db *db, const char *view, bool json, struct error *e) {
    struct results_command c = {.db = db, .view = view, .json = json, .in_order = true};
    return print_view(&c, e);
}

/* An unknown experiment is an error, not an empty table. */
static enum status check_experiment(const struct results_command *c, const char *path,
                                    struct error *e) {
    int64_t count = 1;
    enum status status = STATUS_OK;
    if (c->experiment != NULL)
        status = db_integer(c->db, "SELECT count(*) FROM experiment WHERE name = ?", 0, &count, e,
                            "t", c->experiment);
    if (status == STATUS_OK && count == 0)
        status = error_set(e, STATUS_ARGUMENT, "%s: has no experiment '%s'", path, c->experiment);
    return status;
}

static enum status run(struct results_command *c, const char *path, struct error *e) {
    enum status status = db_open(&c->db, path, DB_READ, e);
    if (status == STATUS_OK)
        status = check_experiment(c, path, e);
    if (status == STATUS_OK)
        status = print_view(c, e);
    db_close(c->db);
    return status;
}

int command_results(int argc, char **argv) {
    struct results_command c = {.view = "results"};
    bool csv = false;
    const struct option_spec options[] = {
        {"view", "NAME", "the view to print (default: results)", OPTION_CHOICE, .to = &c.view,
         .choices = views},
        {"experiment", "NAME", "print only the rows of this experiment", OPTION_STRING,
         .to = &c.experiment},
        {"csv", NULL, "print CSV (the default)", OPTION_FLAG, .to = &csv},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    const struct usage usage = {
        .command = "results",
        .operands = "DB",
        .least = 1,
        .most = 1,
        .summary = "Prints the results of a database as CSV or JSON.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    if (csv && c.json)
        return usage_error("results", "give either --csv or --json");
    if (c.experiment != NULL && strncmp(c.view, "native_", 7) == 0)
        return usage_error("results", "--experiment: views of native programs have no experiments");
    struct error e = {0};
    return run(&c, operands.at[0], &e) == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
