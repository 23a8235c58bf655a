/* LSD radix sort of numeric keys (Knuth, "The Art of Computer Programming", volume 3, 5.2.5,
 * algorithm R). */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { DIGIT_BITS = 8, DIGITS = 32 / DIGIT_BITS, VALUES = 1 << DIGIT_BITS };

static unsigned digit(uint32_t key, unsigned i) {
    return key >> (i * DIGIT_BITS) & (VALUES - 1);
}

bool sort_by_key(uint32_t *order, const uint32_t *key, size_t count) {
    size_t places[DIGITS][VALUES] = {0};
    uint32_t *const scratch = count > 0 ? malloc(count * sizeof *scratch) : NULL;
    if (count == 0)
        return true;
    if (scratch == NULL)
        return false;
    for (size_t n = 0; n < count; n++)
        for (unsigned i = 0; i < DIGITS; i++)
            places[i][digit(key[n], i)]++;
    uint32_t *from = order, *to = scratch;
    for (unsigned i = 0; i < DIGITS; i++) {
        size_t *const place = places[i];
        size_t before = 0;
        if (place[digit(key[0], i)] == count)
            continue; /* all keys share this digit */
        for (unsigned value = 0; value < VALUES; value++) {
            const size_t many = place[value];
            place[value] = before;
            before += many;
        }
        for (size_t n = 0; n < count; n++)
            to[place[digit(key[from[n]], i)]++] = from[n];
        uint32_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
    free(scratch);
    return true;
}

uint32_t *sorted_order(const uint32_t *key, size_t count) {
    uint32_t *const order = count <= UINT32_MAX ? malloc((count + 1) * sizeof *order) : NULL;
    if (order == NULL)
        return NULL;
    for (size_t n = 0; n < count; n++)
        order[n] = (uint32_t)n;
    if (sort_by_key(order, key, count))
        return order;
    free(order);
    return NULL;
}
