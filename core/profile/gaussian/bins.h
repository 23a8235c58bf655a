/* bins: clusters of window means, for GFCGaussiano. They depend on window_size, stdev_threshold and
 * bin_size. Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_BINS_H
#define HOTGRAPH_PROFILE_BINS_H

#include "profile/cells.h"

struct bin {
    uint32_t address; /* the mean that created it */
    uint32_t id;      /* in order of creation, from 1 */
    uint64_t count;   /* of means put into it */
    uint64_t sum;     /* of its distinct means */
    uint64_t means;   /* number of distinct means */
};

struct bins {
    uint64_t bin_size;
    struct bin *at;   /* sorted by address */
    double *centroid; /* of at[i] in centroid[i + 1]; infinite before the first, and twice after
                         the last */
    size_t count, cap;
    uint32_t version;   /* rises with every change of a centroid */
    struct cells cells; /* struct bin_cell */
    struct map members; /* (id << 32 | mean) of every mean in every bin's set */
};
bool bins_init(struct bins *b, uint64_t bin_size);
void bins_free(struct bins *b);
/* nearest(): the bin of an address; NULL: no bins, or out of memory, which sets *lost. Valid until
 * the next bins_put(). */
const struct bin *bins_nearest(struct bins *b, uint32_t address, bool *lost);
/* Puts a window mean into the nearest bin within bin_size, or into a new one. False: out of
 * memory. */
bool bins_put(struct bins *b, uint32_t mean);

#endif
