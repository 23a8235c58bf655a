/* No stdio: it is the program's. */
#include "native/lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void lines_flush(struct lines *l) {
    l->failed |= write(l->fd, l->text, l->len) != (ssize_t)l->len;
    l->len = 0;
}

void lines_put(struct lines *l, const char *text, size_t n) {
    while (n > 0) {
        if (l->len == sizeof l->text)
            lines_flush(l);
        const size_t room = sizeof l->text - l->len, k = n < room ? n : room;
        memcpy(l->text + l->len, text, k);
        l->len += k;
        text += k;
        n -= k;
    }
}

void lines_number(struct lines *l, uint64_t v) {
    char digits[24];
    size_t k = sizeof digits;
    digits[--k] = ' ';
    do
        digits[--k] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    lines_put(l, digits + k, sizeof digits - k);
}

static bool open_file(struct lines *l, const char *folder, const char *name, int how) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    l->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0600);
    l->len = 0;
    l->failed = false;
    return l->fd >= 0;
}

bool lines_open(struct lines *l, const char *folder, const char *name) {
    return open_file(l, folder, name, O_TRUNC);
}

bool lines_append(struct lines *l, const char *folder, const char *name) {
    return open_file(l, folder, name, O_APPEND);
}

bool lines_close(struct lines *l) {
    lines_flush(l);
    return close(l->fd) == 0 && !l->failed;
}
