#include "base/base.h"

#include <nettle/md5.h>
#include <nettle/sha1.h>

void sha1_hex(const void *data, size_t size, char hex[41]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA1_DIGEST_SIZE];
    struct sha1_ctx context;
    sha1_init(&context);
    sha1_update(&context, size, data);
    sha1_digest(&context, sizeof digest, digest);
    for (unsigned i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[40] = '\0';
}

void md5_bytes(const void *data, size_t size, const void *more, size_t more_size,
               uint8_t digest[16]) {
    struct md5_ctx context;
    md5_init(&context);
    md5_update(&context, size, data);
    md5_update(&context, more_size, more);
    md5_digest(&context, MD5_DIGEST_SIZE, digest);
}
