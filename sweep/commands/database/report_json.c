#include "commands/database/report_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/database/results.h"
#include "report/tables/table.h"

/* ---- a report ---- */

static enum status print_tables(const struct report_said *q, const char *experiment,
                                struct error *e) {
    static const char *const views[] = {"table1", "table2", "table3", "table4"};
    enum status status = STATUS_OK;
    printf("{");
    for (size_t i = 0; status == STATUS_OK && i < sizeof views / sizeof *views; i++) {
        printf("%s\"%s\": ", i > 0 ? "  ," : "", views[i]);
        status = results_print(q->db, views[i], experiment, true, e);
    }
    printf(" }");
    return status;
}

static enum status print_folder(const struct report_said *q, const char *experiment,
                                struct error *e) {
    char *path = NULL, *own = report_folder_of(experiment);
    const bool alone = q->experiments->names.len == 1;
    enum status status = STATUS_OK;
    if (own == NULL || asprintf(&path, alone ? "%s" : "%s/%s", q->out, own) < 0) {
        path = NULL;
        status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    print_json_text("folder", path);
    free(path);
    free(own);
    return status;
}

static enum status print_report(const struct report_said *q, struct error *e) {
    enum status status = STATUS_OK;
    printf("{");
    print_json_text("database", q->path);
    printf(", \"index\": ");
    if (q->out == NULL) {
        printf("null");
    } else {
        char *index = NULL;
        if (asprintf(&index, "%s/index.html", q->out) < 0)
            return error_set(e, STATUS_MEMORY, "out of memory");
        print_json_string(index);
        free(index);
    }
    printf(", ");
    print_json_text("warning", q->warning);
    printf(",\n \"experiments\": [");
    for (size_t i = 0; status == STATUS_OK && i < q->experiments->names.len; i++) {
        const char *name = q->experiments->names.at[i];
        printf("%s\n {", i > 0 ? "," : "");
        print_json_text("name", name);
        printf(", ");
        if (q->out != NULL) {
            status = print_folder(q, name, e);
            printf(", \"tables\": null}");
        } else {
            printf("\"folder\": null, \"tables\": ");
            status = print_tables(q, name, e);
            printf("}");
        }
    }
    printf("]}\n");
    return status;
}

enum status report_json_print(const struct report_said *q, struct error *e) {
    struct held_output held;
    output_hold(&held);
    const enum status status = print_report(q, e);
    output_release(&held, status == STATUS_OK);
    return status;
}

/* ---- two databases ---- */

/* Numbers of columns that have nothing else are numbers; a dash is null. */
static void print_cell(const char *cell, bool numeric) {
    char *end;
    if (cell == NULL || strcmp(cell, "-") == 0) {
        printf("null");
        return;
    }
    const double value = strtod(cell, &end);
    if (numeric && end != cell && *end == '\0')
        printf("%.17g", value);
    else
        print_json_string(cell);
}

static void print_table(const char *name, const struct table *t) {
    printf(",\n \"%s\": [", name);
    for (size_t row = 0; row < table_rows(t); row++) {
        printf("%s{", row > 0 ? ",\n  " : "");
        for (size_t i = 0; i < t->names.len; i++) {
            printf("%s", i > 0 ? ", " : "");
            print_json_string(t->names.at[i]);
            printf(": ");
            print_cell(table_cell(t, row, i), table_is_numeric(t, i));
        }
        printf("}");
    }
    printf("]");
}

void report_json_compare(void *user, const struct report_compared *all) {
    const struct report_comparison *q = user;
    printf("{");
    print_json_text("a", q->path[0]);
    printf(", ");
    print_json_text("b", q->path[1]);
    printf(", \"compared\": %zu, \"differ\": %zu, \"only_a\": %zu, \"only_b\": %zu, ",
           all->compared, all->moved, all->only_a, all->only_b);
    print_json_text("games_only_a", all->alone[0]);
    printf(", ");
    print_json_text("games_only_b", all->alone[1]);
    print_table("settings", all->settings);
    print_table("games", all->games);
    print_table("moves", all->moves);
    print_table("ranking", all->ranking);
    printf("}\n");
}
