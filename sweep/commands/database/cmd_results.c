/* hotgraph results: everything that a database has, as CSV or JSON. */
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
    bool json;
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
                                    "technique_count",
                                    "technique_cost",
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
                                    "grid_worth",
                                    "native_fast_share",
                                    "native_cost",
                                    "native_whole",
                                    "native_mean",
                                    "native_calls",
                                    "native_published",
                                    "provenance",
                                    "provenance_summary",
                                    NULL};

static const char details[] =
    "Without --view it is 'results': a row a configuration and game, with its parameters, all\n"
    "metrics (..._active: without busy-waits) and all costs. Other views:\n"
    "  convergence_curve   similarity and more after so many batches\n"
    "  table1 to table4    the paper's tables\n"
    "  best_configuration  all configurations by their mean over games\n"
    "  worst_configuration the same, the worst first\n"
    "  ranked              all configurations of each game\n"
    "  left_out            the best over all games but one, and what it does on that\n"
    "  completeness        how many results are there, and how many are asked for\n"
    "  contender           which configurations compete; not_competing: which do not\n"
    "  parameter_effect    main effect of each value of each parameter\n"
    "  variance_share      how much of the variation each parameter explains\n"
    "  rank_agreement      whether games rank configurations alike; grid_pair: pairs\n"
    "  mean_rank           ranks over games; game_quality, game_rank: of each game\n"
    "  friedman            whether ranks over games differ by more than chance\n"
    "  quality_interval    means over games and their intervals\n"
    "  hot_edge            the exact graphs' edges, heaviest first\n"
    "  exact_rank          the same of each replay, with the weight before each edge\n"
    "  hot_set             games and programs side by side\n"
    "  budget_to_reach     after how many batches so much of the hot graph is found\n"
    "  share_to_reach      the least share of instructions to sample for so much\n"
    "  technique_quality   fair metrics, with the sampling and what it cost\n"
    "  technique_mean      the same over games and replicates\n"
    "  technique_table     that as it is printed\n"
    "  technique_at_budget the best technique that observes at most so much\n"
    "  technique_missing   what keeps some from being compared\n"
    "  technique_effort    observed, records, probes, steps, seconds\n"
    "  technique_count     what else techniques count\n"
    "  technique_cost      what they cost inside the machine\n"
    "  pareto              what no other beats in what it observes and what it finds\n"
    "  sampling_bias       intervals in frames, jitter, weights\n"
    "  paper_beside        costs that papers measured, beside ours\n"
    "  paper_study         which results are held against which paper\n"
    "  replicated          means and ranges over seeds, phases and movies; also\n"
    "                      table1_replicated, table2_replicated, ranked_replicated\n"
    "  named_edge          edges of recorded programs by the names of their functions\n"
    "  worth               what laying code out by each result gains\n"
    "  technique_worth     means of that over games\n"
    "  grid_worth          the configurations of a grid by it\n"
    "  native_fast_share   native programs: how many sites have a fast probe\n"
    "  native_cost         what probes and other tools cost there\n"
    "  native_whole        the same for whole programs, a line a program\n"
    "  native_mean         and over programs: geometric means, the least and the most\n"
    "  native_calls        functions whose calls are as other tools count them\n"
    "  native_published    published figures beside those of here\n"
    "  provenance          the run of each result\n"
    "  provenance_summary  what made all results, and in what the runs differ\n"
    "\n"
    "docs/questions.md has the columns.\n"
    "\n"
    "CSV is as RFC 4180 has it, with a line of names; NULL is empty; a text\n"
    "that a spreadsheet would execute (=, +, -, @) has an apostrophe before it. JSON is a\n"
    "list of objects.\n"
    "\n"
    "Examples:\n"
    "  hotgraph results results/hotgraph.db >results.csv\n"
    "  hotgraph results results/hotgraph.db --view convergence_curve --json\n";

/* "SELECT * FROM view", or only what is of one experiment; in the order of the first columns. */
static char *select_sql(const struct results_command *c) {
    static const char columns[] = " ORDER BY 1, 2, 3, 4, 5, 6, 7";
    char *sql = NULL;
    const bool own_order = strncmp(c->view, "table", 5) == 0;
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
                           "what %s has belongs to no experiment: leave --experiment out", c->view);
    char *sql = status == STATUS_OK ? select_sql(c) : NULL;
    db_each *const each = c->json ? print_row : print_csv_row;
    if (status == STATUS_OK && sql == NULL)
        status = out_of_memory(e);
    if (status == STATUS_OK) {
        print_begin(c);
        status = c->experiment != NULL ? db_query(c->db, sql, each, c, e, "t", c->experiment)
                                       : db_query(c->db, sql, each, c, e, "");
        fputs(c->json ? "]\n" : "", stdout);
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

/* A name that no experiment has is a mistake, not an empty table. */
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
        {"view", "NAME", "what to print (default: results)", OPTION_CHOICE, .to = &c.view,
         .choices = views},
        {"experiment", "NAME", "only what is of this experiment", OPTION_STRING,
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
        return usage_error("results", "--csv and --json are two forms: give one");
    if (c.experiment != NULL && strncmp(c.view, "native_", 7) == 0)
        return usage_error("results", "native programs belong to no experiment");
    struct error e = {0};
    return run(&c, operands.at[0], &e) == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}
