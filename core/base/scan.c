/* Parsing of numbers. */
#include "base/base.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool scan_hex(const char **at, const char *end, uint64_t most, uint64_t *out) {
    const char *p = *at;
    if (end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X') || hex_digit(p[2]) < 0)
        return false;
    uint64_t value = 0;
    for (p += 2; p < end && hex_digit(*p) >= 0; p++) {
        if (value > most >> 4)
            return false;
        value = value << 4 | (uint64_t)hex_digit(*p);
    }
    if (value > most)
        return false;
    *out = value;
    *at = p;
    return true;
}

bool scan_decimal(const char **at, const char *end, uint64_t most, uint64_t *out) {
    const char *p = *at;
    uint64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (p == *at)
        return false;
    *out = value;
    *at = p;
    return true;
}
