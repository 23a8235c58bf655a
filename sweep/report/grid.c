/* Finds the parameters that an experiment varies. */
#include "report/grid.h"
#include "report/tables/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *report_quote(const char *text) {
    char *out = malloc(2 * strlen(text) + 3), *to = out;
    if (out == NULL)
        return NULL;
    *to++ = '\'';
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            *to++ = '\'';
        *to++ = *text;
    }
    strcpy(to, "'");
    return out;
}

/* Name, number of values, position in the technique's key. */
static const char AXES_SQL[] =
    "SELECT v.name, count(DISTINCT v.value) AS n, min(instr(c.key, ' ' || v.name || '=')) AS place"
    " FROM experiment x JOIN experiment_configuration xc USING (experiment_id)"
    " JOIN configuration c USING (configuration_id)"
    " JOIN configuration_value v USING (configuration_id)"
    " WHERE x.name = ?1 AND xc.number IS NOT NULL%s%s GROUP BY v.name ORDER BY place, v.name";

static enum status add_axis(struct axes *a, const char *name, struct error *e) {
    char *copy = strdup(name), *text = report_quote(name);
    if (copy == NULL || text == NULL) {
        free(copy);
        free(text);
        return error_set(e, STATUS_MEMORY, "out of memory for a query");
    }
    a->at[a->count].name = copy;
    a->at[a->count++].text = text;
    return STATUS_OK;
}

enum status axes_find(struct axes *out, struct db *db, const char *experiment,
                      const char *technique, struct error *e) {
    *out = (struct axes){0};
    struct table t = {0}, techniques = {0};
    char *sql = NULL, *quoted = technique != NULL ? report_quote(technique) : NULL;
    enum status status = STATUS_OK;
    if ((technique != NULL && quoted == NULL) ||
        asprintf(&sql, AXES_SQL, quoted != NULL ? " AND c.technique = " : "",
                 quoted != NULL ? quoted : "") < 0)
        status = error_set(e, STATUS_MEMORY, "out of memory for a query");
    if (status == STATUS_OK)
        status = table_query(&t, db, sql, experiment, e);
    bool varied = false;
    for (size_t i = 0; i < table_rows(&t); i++)
        varied |= strcmp(table_cell(&t, i, 1), "1") != 0;
    for (size_t i = 0; status == STATUS_OK && i < table_rows(&t) && out->count < AXES; i++)
        if (!varied || strcmp(table_cell(&t, i, 1), "1") != 0)
            status = add_axis(out, table_cell(&t, i, 0), e);
    if (status == STATUS_OK)
        status = table_query(&techniques, db,
                             "SELECT DISTINCT technique FROM experiment"
                             " JOIN experiment_configuration USING (experiment_id)"
                             " JOIN configuration USING (configuration_id)"
                             " WHERE name = ?1 AND number IS NOT NULL",
                             experiment, e);
    if (status == STATUS_OK && table_rows(&techniques) == 1)
        out->technique = strdup(table_cell(&techniques, 0, 0));
    table_free(&t);
    table_free(&techniques);
    free(sql);
    free(quoted);
    if (status != STATUS_OK)
        axes_free(out);
    return status;
}

void axes_free(struct axes *a) {
    for (size_t i = 0; i < a->count; i++) {
        free(a->at[i].name);
        free(a->at[i].text);
    }
    free(a->technique);
    *a = (struct axes){0};
}
