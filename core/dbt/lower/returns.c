#include "dbt/lower/returns.h"

#include <stdlib.h>
#include <string.h>

void returns_begin(struct returns *r, struct nes *n) {
    r->nes = n;
    if (n->observed.watched && !r->nobodys)
        r->nobodys = calloc(RETURNS_MOST, sizeof *r->nobodys);
    r->counted = n->observed.watched && r->nobodys;
}

int returns_column(struct returns *r, uint32_t to) {
    uint64_t *const at = map_at(&r->column_at, to);
    if (!at)
        return -1;
    if (*at == 0 && r->columns.len < RETURNS_MOST && vec_push(&r->columns, to))
        *at = r->columns.len;
    return (int)*at - 1;
}

uint64_t *returns_row(struct returns *r, const struct hook *hook, uint32_t from) {
    uint64_t *const at = map_at(&r->row_at, (uintptr_t)hook);
    if (at && *at && r->rows.at[*at - 1].from == from) /* else another site's probes were there */
        return r->rows.at[*at - 1].cells;
    struct return_row row = {hook, from, calloc(RETURNS_MOST, sizeof *row.cells)};
    if (!at || !row.cells || !vec_push(&r->rows, row)) {
        free(row.cells);
        return NULL;
    }
    *at = r->rows.len;
    return row.cells;
}

void returns_settle(struct returns *r) {
    for (size_t i = 0; i < r->rows.len; i++) {
        const struct return_row *const row = &r->rows.at[i];
        const struct probe *const probe = &row->hook->probe;
        for (size_t k = 0; k < r->columns.len; k++) {
            if (row->cells[k] == 0)
                continue;
            const struct probe_event event = {r->nes, row->from, r->columns.at[k]};
            const uint32_t counter = probe->counter_to(probe->user, &event);
            if (counter != UINT32_MAX)
                r->nes->observed.counters[counter] += probe->value * row->cells[k];
            row->cells[k] = 0;
        }
    }
}

void returns_forget(struct returns *r) {
    for (size_t i = 0; i < r->rows.len; i++)
        free(r->rows.at[i].cells);
    free(r->nobodys);
    vec_free(&r->rows);
    vec_free(&r->columns);
    map_free(&r->row_at);
    map_free(&r->column_at);
    *r = (struct returns){0};
}
