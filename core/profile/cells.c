#include "profile/cells.h"

#include <stdlib.h>

uint8_t *cells_leaf(struct cells *c, uint32_t address) {
    if (c->top == NULL && (c->top = calloc(CELLS_TOP, sizeof *c->top)) == NULL)
        return NULL;
    uint8_t ***middle = &c->top[address >> 20];
    if (*middle == NULL && (*middle = calloc(CELLS_MIDDLE, sizeof **middle)) == NULL)
        return NULL;
    uint8_t **leaf = &(*middle)[address >> 8 & (CELLS_MIDDLE - 1)];
    if (*leaf == NULL && (*leaf = calloc(CELLS_LEAF, c->cell_size)) == NULL)
        return NULL;
    c->last = *leaf;
    c->last_tag = (address >> 8) + 1;
    return *leaf;
}

void cells_free(struct cells *c) {
    for (size_t i = 0; c->top != NULL && i < CELLS_TOP; i++) {
        for (size_t k = 0; c->top[i] != NULL && k < CELLS_MIDDLE; k++)
            free(c->top[i][k]);
        free(c->top[i]);
    }
    free(c->top);
    *c = (struct cells){.cell_size = c->cell_size};
}
