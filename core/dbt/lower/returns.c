#include "dbt/lower/returns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM_BYTES = ROWS_OF_ROOM * RETURNS_MOST * 8 };

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

/* The system zeroes pages when they are first written, which few of a row's are. */
static uint64_t *new_cells(struct returns *r) {
    if (r->rooms.len == 0 || r->used == ROWS_OF_ROOM) {
        uint64_t *const room = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED)
            return NULL;
        if (!vec_push(&r->rooms, room)) {
            munmap(room, ROOM_BYTES);
            return NULL;
        }
        r->used = 0;
    }
    return r->rooms.at[r->rooms.len - 1] + RETURNS_MOST * r->used++;
}

uint64_t *returns_row(struct returns *r, const struct hook *hook, uint32_t from) {
    uint64_t *const at = map_at(&r->row_at, (uintptr_t)hook);
    if (at && *at && r->rows.at[*at - 1].from == from) /* else another site's probes were there */
        return r->rows.at[*at - 1].cells;
    const struct return_row row = {hook, from, new_cells(r)};
    if (!at || !row.cells || !vec_push(&r->rows, row))
        return NULL;
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
    for (size_t i = 0; i < r->rooms.len; i++)
        munmap(r->rooms.at[i], ROOM_BYTES);
    vec_free(&r->rooms);
    free(r->nobodys);
    vec_free(&r->rows);
    vec_free(&r->columns);
    map_free(&r->row_at);
    map_free(&r->column_at);
    *r = (struct returns){0};
}
