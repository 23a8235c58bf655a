#include "qemu/plugin/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool followed_label(const struct followed *f, const char *word, char label[RECORDING_LABEL]) {
    const int len =
        snprintf(label, RECORDING_LABEL, "%s%s%s", f->label, f->label[0] != '\0' ? "." : "", word);
    return len < RECORDING_LABEL;
}

static bool write_all(int descriptor, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        const ssize_t n = write(descriptor, from, size);
        if (n < 0 && errno != EINTR)
            return false;
        from += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool lock_file(int descriptor) {
    int status;
    while ((status = flock(descriptor, LOCK_EX)) != 0 && errno == EINTR)
        ;
    return status == 0;
}

bool followed_open(struct appending *a, const struct followed *f) {
    a->descriptor = open(f->path, O_RDWR | O_CLOEXEC);
    if (a->descriptor < 0)
        return false;
    a->start = 0;
    bool ok = lock_file(a->descriptor) && pread(a->descriptor, &a->start, sizeof a->start, 0) >= 0;
    if (a->start == 0)
        a->start = sizeof a->start;
    const off_t at = (off_t)(a->start + sizeof(struct recording_entry));
    ok = ok && lseek(a->descriptor, at, SEEK_SET) == at;
    if (!ok)
        close(a->descriptor);
    return ok;
}

bool followed_close(const struct appending *a, bool ok, enum recording_entry_kind kind,
                    const char *label, pid_t process) {
    enum { UNIT = sizeof(uint64_t) };
    static const char zeros[UNIT];
    struct recording_entry entry = {.kind = (uint32_t)kind, .process = (uint32_t)process};
    snprintf(entry.label, sizeof entry.label, "%s", label);
    const off_t at = lseek(a->descriptor, 0, SEEK_CUR);
    const size_t rest = at < 0 ? 0 : (UNIT - (size_t)at % UNIT) % UNIT;
    const uint64_t end = (uint64_t)at + rest;
    entry.size = end - a->start;
    ok = ok && at >= 0 && write_all(a->descriptor, zeros, rest) &&
         pwrite(a->descriptor, &entry, sizeof entry, (off_t)a->start) == sizeof entry &&
         pwrite(a->descriptor, &end, sizeof end, 0) == sizeof end;
    const int code = errno;
    close(a->descriptor); /* unlocks it */
    errno = code;
    return ok;
}

bool followed_append(const struct followed *f, enum recording_entry_kind kind, const char *label,
                     pid_t process, const void *data, size_t size) {
    struct appending a;
    return followed_open(&a, f) &&
           followed_close(&a, write_all(a.descriptor, data, size), kind, label, process);
}
