/* batch_windows: window statistics of a batch, for GFCGaussiano. They depend on window_size alone.
 * Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_BATCH_WINDOWS_H
#define HOTGRAPH_PROFILE_BATCH_WINDOWS_H

#include "profile/profile.h"

/* Computes the batch_length - window + 1 sums of `window` consecutive pcs, each divided by
 * `window`, rounded down. */
void window_means(uint32_t *means, const struct sample *batch, size_t batch_length, size_t window);
/* The square of count times the population standard deviation of the means. */
unsigned __int128 window_spread(const uint32_t *means, size_t count);
/* Is the standard deviation <= threshold? Exact, in integers: ties occur. */
static inline bool spread_is_low(unsigned __int128 spread, size_t count, uint64_t threshold) {
    const unsigned __int128 limit = (unsigned __int128)count * threshold;
    return spread <= limit * limit;
}

#endif
