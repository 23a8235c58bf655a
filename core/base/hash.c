#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* struct hash is opaque storage for xxHash's state. */
static XXH3_state_t *state_of(struct hash *h) {
    return (XXH3_state_t *)h;
}

struct hash *hash_start(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state != NULL)
        XXH3_128bits_reset(state);
    return (struct hash *)state;
}

void hash_add_bytes(struct hash *h, const void *data, size_t size) {
    if (h != NULL)
        XXH3_128bits_update(state_of(h), data, size);
}

void hash_add(struct hash *h, const char *format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hash_add_bytes(h, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
}

bool hash_finish(struct hash *h, char hex[33]) {
    hex[0] = '\0';
    if (h == NULL)
        return false;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_of(h)));
    XXH3_freeState(state_of(h));
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", canonical.digest[i]);
    return true;
}

enum status hash_file(const char *path, char hex[33], struct error *e) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return file_unopened(path, errno, e);
    struct hash *h = hash_start();
    char buffer[1 << 15];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        hash_add_bytes(h, buffer, got);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (!hash_finish(h, hex))
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    return failed == 0 ? STATUS_OK
                       : error_set(e, STATUS_IO, "%s: cannot be read: %s", path, strerror(failed));
}
