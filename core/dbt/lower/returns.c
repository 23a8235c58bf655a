#include "dbt/lower/returns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void returns_begin(struct returns *r, struct nes *n) {
    r->nes = n;
    if (r->clash) {
        returns_settle(r);
        returns_forget(r);
        *r = (struct returns){.by_jsr = true, .nes = n};
    }
    if (n->observed.watched && r->by_jsr && !r->nobodys)
        r->nobodys = calloc(RETURNS_MOST, sizeof *r->nobodys);
    r->counted = n->observed.watched && (r->nobodys || !r->by_jsr);
}

/* False: another JSR pushes the value, in another bank; or out of memory. */
static bool reserve_value(struct returns *r, uint16_t value, uint32_t to) {
    uint64_t *const at = map_at(&r->value_at, value);
    if (!at)
        return false;
    if (*at == 0)
        *at = UINT64_C(1) + to;
    r->clash |= *at != UINT64_C(1) + to;
    return !r->clash;
}

int returns_column(struct returns *r, uint16_t value, uint32_t to) {
    if (!r->by_jsr && !reserve_value(r, value, to))
        return -1;
    uint64_t *const at = map_at(&r->column_at, to);
    if (!at)
        return -1;
    if (*at == 0 && r->columns.len < RETURNS_MOST &&
        vec_push(&r->columns, ((struct return_column){to, value})))
        *at = r->columns.len;
    return (int)*at - 1;
}

bool returns_target(struct returns *r, uint64_t *row, uint16_t pc, uint32_t address) {
    const bool known = returns_column(r, (uint16_t)(pc - 1), address) >= 0;
    if (!known)
        row[pc] = 0;
    return known;
}

static size_t cells_of_row(const struct returns *r) {
    return r->by_jsr ? RETURNS_MOST : CELL_OF_VALUE + VALUES;
}

static size_t bytes_of_room(const struct returns *r) {
    return ROWS_OF_ROOM * cells_of_row(r) * sizeof(uint64_t);
}

/* Can all of the room be addressed from the counters, with a displacement of 32 bits? */
static bool is_close(const struct returns *r, const uint64_t *room) {
    const int64_t from = (intptr_t)room - (intptr_t)r->nes->observed.counters;
    return from >= INT32_MIN && from + (int64_t)bytes_of_room(r) <= INT32_MAX;
}

/* The system zeroes pages when they are first written, which few of a row's are. It places maps
 * side by side, so rooms are close to the counters. */
static bool add_room(struct returns *r) {
    uint64_t *const room = mmap(NULL, bytes_of_room(r), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    if ((r->by_jsr || is_close(r, room)) && vec_push(&r->rooms, room))
        return true;
    munmap(room, bytes_of_room(r));
    return false;
}

static uint64_t *new_cells(struct returns *r) {
    if (r->rooms.len == 0 || r->used == ROWS_OF_ROOM) {
        if (!add_room(r))
            return NULL;
        r->used = 0;
    }
    return r->rooms.at[r->rooms.len - 1] + cells_of_row(r) * r->used++;
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

/* How often the row's instruction went there; resets it. */
static uint64_t take_count(const struct returns *r, uint64_t *cells, size_t number) {
    const struct return_column *const column = &r->columns.at[number];
    uint64_t *const cell = &cells[r->by_jsr ? number : (size_t)CELL_OF_VALUE + column->value];
    uint64_t count = *cell;
    if (count != 0)
        *cell = 0;
    if (r->by_jsr)
        return count;
    if (column->value == VALUES - 1 && cells[0] != 0) { /* pc 0 */
        count += cells[0];
        cells[0] = 0;
    }
    return 0 - count;
}

void returns_settle(struct returns *r) {
    for (size_t i = 0; i < r->rows.len; i++) {
        const struct return_row *const row = &r->rows.at[i];
        const struct probe *const probe = &row->hook->probe;
        for (size_t k = 0; k < r->columns.len; k++) {
            const struct return_column *const column = &r->columns.at[k];
            const uint64_t count = take_count(r, row->cells, k);
            if (count == 0)
                continue;
            const struct probe_event event = {r->nes, row->from, column->to};
            const uint32_t counter = probe->counter_to(probe->user, &event);
            if (counter != UINT32_MAX)
                r->nes->observed.counters[counter] += probe->value * count;
        }
    }
}

void returns_forget(struct returns *r) {
    for (size_t i = 0; i < r->rooms.len; i++)
        munmap(r->rooms.at[i], bytes_of_room(r));
    vec_free(&r->rooms);
    free(r->nobodys);
    vec_free(&r->rows);
    vec_free(&r->columns);
    map_free(&r->row_at);
    map_free(&r->column_at);
    map_free(&r->value_at);
    *r = (struct returns){.by_jsr = r->by_jsr, .clash = r->clash};
}
