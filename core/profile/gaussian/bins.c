/*
 * Bins: clusters of window means, identified by the address that created them, compared by
 * centroid.
 *
 * The same few thousand addresses are looked up again and again while bins seldom change, so each
 * address caches three things: its nearest bin, with the version of the bins for which it is valid;
 * its lower bound, which only a new bin invalidates; and the last bin whose set is known to contain
 * it, because most means are already in the set that they are put into.
 */
#include "profile/gaussian/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bin_cell {
    uint32_t version;  /* version of the bins for which nearest and near are valid; 0: none */
    uint32_t nearest;  /* index of the nearest bin */
    uint32_t stamp;    /* 1 + number of bins for which position is valid */
    uint32_t position; /* lower bound */
    uint32_t member;   /* id of a bin whose set contains this address */
    bool near;         /* the nearest bin is within bin_size; false if there are no bins */
};

bool bins_init(struct bins *b, uint64_t bin_size) {
    *b = (struct bins){.bin_size = bin_size,
                       .cells = {.cell_size = sizeof(struct bin_cell)},
                       .cap = 64,
                       .version = 1};
    b->at = calloc(b->cap, sizeof *b->at);
    b->centroid = calloc(b->cap + 3, sizeof *b->centroid);
    if (b->at == NULL || b->centroid == NULL) {
        bins_free(b);
        return false;
    }
    b->centroid[0] = b->centroid[1] = b->centroid[2] = INFINITY;
    return true;
}

void bins_free(struct bins *b) {
    free(b->at);
    free(b->centroid);
    cells_free(&b->cells);
    map_free(&b->members);
    *b = (struct bins){0};
}

/* Returns the index of the first bin with address >= a. */
static size_t lower_bound(const struct bins *b, uint32_t a) {
    size_t low = 0, high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->at[middle].address < a)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The prototype's rule: the nearer of the two neighbours (the later one on a tie), replaced by the
 * bin at the lower bound only if that is strictly nearer. A missing bin is infinitely far away. */
static void find_nearest(struct bins *b, uint32_t a, struct bin_cell *cell) {
    if (cell->stamp != b->count + 1) {
        cell->position = (uint32_t)lower_bound(b, a);
        cell->stamp = (uint32_t)b->count + 1;
    }
    const double *c = b->centroid + cell->position;
    double before = fabs(c[0] - a), here = fabs(c[1] - a), after = fabs(c[2] - a);
    double distance = before < after ? before : after;
    cell->nearest = before < after ? cell->position - 1 : cell->position + 1;
    if (here < distance) {
        distance = here;
        cell->nearest = cell->position;
    }
    cell->near = distance <= (double)b->bin_size;
    cell->version = b->version;
}

/* Returns the up-to-date cell of an address; NULL: out of memory. */
static inline struct bin_cell *located(struct bins *b, uint32_t a) {
    struct bin_cell *cell = cells_at(&b->cells, a);
    if (cell != NULL && cell->version != b->version)
        find_nearest(b, a, cell);
    return cell;
}

const struct bin *bins_nearest(struct bins *b, uint32_t address, bool *lost) {
    if (b->count == 0)
        return NULL;
    const struct bin_cell *cell = located(b, address);
    *lost |= cell == NULL;
    return cell == NULL ? NULL : &b->at[cell->nearest];
}

/* Adds `mean` to the set of the bin at index i and updates its centroid. */
static bool add_member(struct bins *b, size_t i, struct bin_cell *cell, uint32_t mean) {
    struct bin *bin = &b->at[i];
    if (cell->member == bin->id)
        return true;
    uint64_t *known = map_at(&b->members, (uint64_t)bin->id << 32 | mean);
    if (known == NULL)
        return false;
    cell->member = bin->id;
    if (*known)
        return true;
    *known = 1;
    bin->sum += mean;
    bin->means++;
    b->centroid[i + 1] = (double)bin->sum / (double)bin->means;
    b->version++;
    return true;
}

static bool insert_bin(struct bins *b, size_t i, uint32_t address) {
    if (b->count == b->cap) {
        struct bin *at = realloc(b->at, 2 * b->cap * sizeof *at);
        if (at == NULL)
            return false;
        b->at = at;
        double *centroid = realloc(b->centroid, (2 * b->cap + 3) * sizeof *centroid);
        if (centroid == NULL)
            return false;
        b->centroid = centroid;
        b->cap *= 2;
    }
    memmove(b->at + i + 1, b->at + i, (b->count - i) * sizeof *b->at);
    memmove(b->centroid + i + 2, b->centroid + i + 1, (b->count - i + 2) * sizeof *b->centroid);
    b->count++;
    b->at[i] = (struct bin){.address = address, .id = (uint32_t)b->count, .count = 1};
    return true;
}

bool bins_put(struct bins *b, uint32_t mean) {
    struct bin_cell *cell = located(b, mean);
    if (cell == NULL)
        return false;
    size_t i = cell->near ? cell->nearest : cell->position;
    if (cell->near)
        b->at[i].count++;
    else if (!insert_bin(b, i, mean))
        return false;
    return add_member(b, i, cell, mean);
}
