#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status error_set(struct error *e, enum status status, const char *format, ...) {
    if (e == NULL)
        return status;
    va_list args;
    va_start(args, format);
    e->status = status;
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return status;
}

void error_prefix(struct error *e, const char *format, ...) {
    if (e == NULL)
        return;
    char *const text = e->text;
    char old[sizeof e->text];
    memcpy(old, text, sizeof old);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof e->text, format, args);
    va_end(args);
    const size_t len = strlen(text), room = sizeof e->text - 1 - len;
    /* What does not fit is the end of the earlier text. */
    if (room > 2) {
        memcpy(text + len, ": ", 2);
        const size_t kept = strnlen(old, room - 2);
        memcpy(text + len + 2, old, kept);
        text[len + 2 + kept] = '\0';
    }
}

bool vec_reserve_(void *at_pointer, size_t *cap, size_t need, size_t size) {
    if (need <= *cap)
        return true;
    size_t grown = *cap < 8 ? 8 : *cap;
    while (grown < need) {
        if (grown > SIZE_MAX / 2 / size)
            return false;
        grown *= 2;
    }
    void *old;
    memcpy(&old, at_pointer, sizeof old);
    void *at = realloc(old, grown * size);
    if (at == NULL)
        return false;
    memcpy(at_pointer, &at, sizeof at);
    *cap = grown;
    return true;
}

uint64_t splitmix64_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t splitmix64(uint64_t seed, uint64_t k) {
    uint64_t state = seed + k * 0x9E3779B97F4A7C15u;
    return splitmix64_next(&state);
}

uint64_t fnv1a64(const void *data, size_t size) {
    const uint8_t *p = data;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 0x100000001B3u;
    return hash;
}
