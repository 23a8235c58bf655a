/* cells: a sparse array with one fixed-size cell for each 32-bit address, zero at first. Three
 * levels of tables: code clusters, so no hashing is needed. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_CELLS_H
#define HOTGRAPH_PROFILE_CELLS_H

#include "base/base.h"

enum { CELLS_TOP = 1 << 12, CELLS_MIDDLE = 1 << 12, CELLS_LEAF = 1 << 8 };

/* Zero, but for cell_size, is empty. */
struct cells {
    size_t cell_size;
    uint8_t ***top;    /* [address >> 20][address >> 8 & 0xFFF] -> leaf of CELLS_LEAF cells */
    uint8_t *last;     /* the leaf used last */
    uint32_t last_tag; /* 1 + its address >> 8 */
};
/* The leaf of an address, made if needed; NULL: out of memory. */
uint8_t *cells_leaf(struct cells *c, uint32_t address);
void cells_free(struct cells *c);

/* The cell of an address; NULL: out of memory. A cell never moves. */
static inline void *cells_at(struct cells *c, uint32_t address) {
    uint8_t *leaf = c->last_tag == (address >> 8) + 1 ? c->last : cells_leaf(c, address);
    return leaf == NULL ? NULL : leaf + (address & (CELLS_LEAF - 1)) * c->cell_size;
}

#endif
