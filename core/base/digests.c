#include "base/base.h"

#include <md5.h>
#include <sha1.h>

void sha1_hex(const void *data, size_t size, char hex[41]) {
    SHA1Data(data, size, hex);
}

void md5_bytes(const void *data, size_t size, const void *more, size_t more_size,
               uint8_t digest[16]) {
    MD5_CTX context;
    MD5Init(&context);
    MD5Update(&context, data, size);
    MD5Update(&context, more, more_size);
    MD5Final(digest, &context);
}
