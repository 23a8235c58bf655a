/* hotgraph sql: answers a question of docs/questions.md, or a SELECT of the user's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/database/questions.h"
#include "commands/database/results.h"
#include "db/db.h"
#include "report/tables/table.h"

static const char details[] =
    "NAME is a question of docs/questions.md; without operands, the command lists all of\n"
    "them. SELECT is a statement of your own (it has blanks) on the tables of\n"
    "db/tables.def and the views that 'hotgraph results --help' names. The database is\n"
    "opened for reading only.\n"
    "\n"
    "Conditions apply to the columns of the answer, before its number of rows is limited.\n"
    "\n"
    "Examples:\n"
    "  hotgraph sql\n"
    "  hotgraph sql results/hotgraph.db found --where game=umbel\n"
    "  hotgraph sql results/hotgraph.db best_overall --limit 3 --csv\n"
    "  hotgraph sql results/hotgraph.db 'SELECT game, bins FROM results'\n";

struct sql_command {
    const struct question *question;
    struct option_list where;
    uint64_t limit;
    bool limited, csv, json, show, wide;
};

static const struct question *find(const char *name) {
    for (const struct question *q = questions; q->name != NULL; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

static int unknown(const char *name) {
    const char *names[128] = {0};
    for (size_t i = 0; questions[i].name != NULL && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = questions[i].name;
    const char *near = nearest_word(name, names);
    if (near != NULL)
        return usage_error("sql", "unknown question '%s', did you mean '%s'?", name, near);
    return usage_error("sql", "unknown question '%s'; 'hotgraph sql' lists all", name);
}

static int print_list(bool json) {
    printf("%s", json ? "[" : "");
    for (const struct question *q = questions; q->name != NULL; q++) {
        if (!json) {
            printf("%-24s%s\n", q->name, q->title);
            continue;
        }
        printf("%s{\"name\": ", q == questions ? "" : ",\n ");
        print_json_string(q->name);
        printf(", \"question\": ");
        print_json_string(q->title);
        printf(", \"sql\": ");
        print_json_string(q->sql);
        putchar('}');
    }
    printf("%s", json ? "]\n" : "");
    return EXIT_SUCCESS;
}

/* "COLUMN=VALUE" */
static enum status check_condition(const char *text, struct error *e) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return error_set(e, STATUS_ARGUMENT, "takes COLUMN=VALUE, not '%s'", text);
    return STATUS_OK;
}

/* ---- the answer is a temporary view, with conditions and limit in a second one ---- */

/* Quotes as SQL does: `quote` around, and each one within doubled. */
static void put_quoted(FILE *to, const char *text, size_t length, char quote) {
    fputc(quote, to);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == quote)
            fputc(quote, to);
        fputc(text[i], to);
    }
    fputc(quote, to);
}

/* An unknown column is an error that names the known ones. SQLite would take it for a text. */
static enum status check_columns(const struct sql_command *c, struct db *db, struct error *e) {
    struct table names = {0};
    enum status status =
        table_query(&names, db, "SELECT name FROM pragma_table_info('answer_all')", NULL, e);
    for (size_t i = 0; status == STATUS_OK && i < c->where.items.len; i++) {
        const char *text = c->where.items.at[i];
        const size_t length = strcspn(text, "=");
        char known[400] = "";
        bool found = false;
        for (size_t row = 0; row < table_rows(&names); row++) {
            const char *name = table_cell(&names, row, 0);
            found |= strlen(name) == length && strncmp(name, text, length) == 0;
            const size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", row > 0 ? ", " : "", name);
        }
        if (!found)
            status =
                error_set(e, STATUS_ARGUMENT, "--where: the answer has no column '%.*s', but %s",
                          (int)length, text, known);
    }
    table_free(&names);
    return status;
}

static char *condition_sql(const struct sql_command *c, uint64_t limit) {
    char *sql = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&sql, &size);
    if (to == NULL)
        return NULL;
    fputs("SELECT * FROM answer_all", to);
    for (size_t i = 0; i < c->where.items.len; i++) {
        const char *text = c->where.items.at[i];
        const size_t length = strcspn(text, "=");
        fputs(i == 0 ? " WHERE CAST(" : " AND CAST(", to);
        put_quoted(to, text, length, '"');
        fputs(" AS TEXT) = ", to);
        put_quoted(to, text + length + 1, strlen(text + length + 1), '\'');
    }
    if (limit > 0)
        fprintf(to, " LIMIT %llu", (unsigned long long)limit);
    if (fclose(to) != 0) {
        free(sql);
        return NULL;
    }
    return sql;
}

static enum status make_answer(const struct sql_command *c, struct db *db, struct error *e) {
    enum status status = db_name_select(db, "answer_all", c->question->sql, e);
    if (status == STATUS_OK)
        status = check_columns(c, db, e);
    if (status != STATUS_OK)
        return status;
    char *sql = condition_sql(c, c->limited ? c->limit : c->question->limit);
    if (sql == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    status = db_name_select(db, "answer", sql, e);
    free(sql);
    return status;
}

static enum status print_table(const struct sql_command *c, struct db *db, struct error *e) {
    struct table answer;
    struct file_writer *w = NULL;
    enum status status = table_query(&answer, db, "SELECT * FROM answer", NULL, e);
    if (status != STATUS_OK)
        return status;
    fflush(stdout);
    status = file_open_fd(&w, STDOUT_FILENO, "standard output", e);
    if (status == STATUS_OK && table_rows(&answer) == 0)
        file_printf(w, "%s\n\nNo rows.\n", c->question->title);
    else if (status == STATUS_OK)
        table_write_fitting(&answer, c->question->title, print_width(c->wide), w);
    table_free(&answer);
    return status == STATUS_OK ? file_commit(w, e) : status;
}

static enum status answer(const struct sql_command *c, const char *path, struct error *e) {
    struct db *db = NULL;
    enum status status = db_open(&db, path, DB_READ, e);
    if (status == STATUS_OK)
        status = make_answer(c, db, e);
    if (status == STATUS_OK && (c->csv || c->json))
        status = results_print_in_order(db, "answer", c->json, e);
    else if (status == STATUS_OK)
        status = print_table(c, db, e);
    db_close(db);
    return status;
}

static int run(struct sql_command *c, const struct operands *operands) {
    const char *name = operands->at[1];
    const struct question own = {.name = "SELECT", .title = "Answer", .sql = name};
    c->question = strpbrk(name, " \t\n") != NULL ? &own : find(name);
    if (c->question == NULL)
        return unknown(name);
    if (c->show) {
        printf("%s", c->question->sql);
        if (c->question->limit > 0)
            printf(" LIMIT %llu", (unsigned long long)c->question->limit);
        puts(";");
        return EXIT_SUCCESS;
    }
    struct error e = {0};
    return answer(c, operands->at[0], &e) == STATUS_OK ? EXIT_SUCCESS : failure(&e);
}

int command_sql(int argc, char **argv) {
    struct sql_command c = {0};
    const struct option_spec options[] = {
        {"where", "COLUMN=VALUE", "print only rows with this value; may be repeated", OPTION_LIST,
         .to = &c.where, .check = check_condition},
        {"limit", "N", "print at most N rows; 0: all (default: as docs/questions.md says)",
         OPTION_NUMBER, .to = &c.limit, .most = INT64_MAX, .given = &c.limited},
        {"csv", NULL, "print CSV", OPTION_FLAG, .to = &c.csv},
        {"json", NULL, "print JSON: a list of objects", OPTION_FLAG, .to = &c.json},
        {"show", NULL, "print the SELECT instead of its answer", OPTION_FLAG, .to = &c.show},
        wide_option(&c.wide),
        {0},
    };
    const struct usage usage = {
        .command = "sql",
        .operands = "[DB NAME|SELECT]",
        .least = 0,
        .most = 2,
        .summary = "Answers a question about a database.",
        .details = details,
        .options = options,
        .inputs = 1,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    int status;
    if (c.csv && c.json)
        status = usage_error("sql", "give either --csv or --json");
    else if (operands.count == 1)
        status = usage_error("sql",
                             "takes a database and a question; 'hotgraph sql' lists the questions");
    else
        status = operands.count == 0 ? print_list(c.json) : run(&c, &operands);
    vec_free(&c.where.items);
    return status;
}
