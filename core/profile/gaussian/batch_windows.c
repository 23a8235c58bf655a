/* Window statistics: sliding sums in integers. */
#include "profile/gaussian/batch_windows.h"

void window_means(uint32_t *means, const struct sample *batch, size_t batch_length, size_t window) {
    uint64_t sum = 0;
    for (size_t i = 0; i < window; i++)
        sum += batch[i].pc;
    for (size_t i = 0;; i++) {
        /* A 32-bit division is much cheaper, and suffices for 16-bit addresses. */
        means[i] = sum <= UINT32_MAX ? (uint32_t)sum / (uint32_t)window : (uint32_t)(sum / window);
        if (i + window == batch_length)
            return;
        sum += batch[i + window].pc;
        sum -= batch[i].pc;
    }
}

unsigned __int128 window_spread(const uint32_t *means, size_t count) {
    /* Subtracting one number from all means leaves the deviation unchanged. It keeps the squares
     * small, so that count * (sum of squares) - (square of the sum) is exact. */
    unsigned __int128 squares = 0;
    __int128 sum = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t m = (int64_t)means[i] - (int64_t)means[0];
        sum += m;
        uint64_t distance = (uint64_t)(m < 0 ? -m : m);
        squares += distance * distance;
    }
    return (unsigned __int128)count * squares - (unsigned __int128)(sum * sum);
}
