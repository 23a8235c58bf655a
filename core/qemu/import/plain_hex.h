/* plain_hex: numbers as perf and BOLT write them. Private to core/qemu. */
#ifndef HOTGRAPH_QEMU_PLAIN_HEX_H
#define HOTGRAPH_QEMU_PLAIN_HEX_H

#include "base/base.h"

/* Reads lower-case hexadecimal digits without 0x. False: there are none, or more than 64 bits. */
static inline bool scan_plain_hex(const char **at, const char *end, uint64_t *out) {
    const char *c = *at;
    uint64_t value = 0;
    for (; c < end; c++) {
        const int digit = *c >= '0' && *c <= '9'   ? *c - '0'
                          : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10
                                                   : -1;
        if (digit < 0)
            break;
        if (value >> 60 != 0)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    if (c == *at)
        return false;
    *at = c;
    *out = value;
    return true;
}

#endif
