/* Whole-file reading and all-or-nothing writing. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum status file_read(struct bytes *out, const char *path, size_t limit, struct error *e) {
    *out = (struct bytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(e, STATUS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    gzFile gz = gzdopen(fd, "rb");
    if (gz == NULL) {
        close(fd);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    gzbuffer(gz, 1 << 17);
    enum status status = STATUS_OK;
    size_t cap = 1 << 16;
    uint8_t *at = malloc(cap + 1);
    size_t len = 0;
    while (status == STATUS_OK) {
        if (at == NULL) {
            status = error_set(e, STATUS_MEMORY, "%s: out of memory", path);
            break;
        }
        int got = gzread(gz, at + len, (unsigned)(cap - len));
        if (got < 0) {
            int code;
            const char *why = gzerror(gz, &code);
            status =
                error_set(e, code == Z_ERRNO ? STATUS_IO : STATUS_FORMAT, "%s: cannot be read: %s",
                          path, code == Z_ERRNO ? strerror(errno) : why);
        }
        if (got <= 0)
            break;
        len += (size_t)got;
        if (len > limit)
            status = error_set(e, STATUS_FORMAT,
                               "%s: larger than %zu bytes, which no valid file of this kind is",
                               path, limit);
        else if (len == cap) {
            uint8_t *bigger = realloc(at, 2 * cap + 1);
            if (bigger == NULL)
                free(at);
            at = bigger;
            cap *= 2;
        }
    }
    /* A gzip file that ends early reads as a short file; only gzclose_r tells. */
    int closed = gzclose_r(gz);
    if (status == STATUS_OK && closed == Z_BUF_ERROR)
        status = error_set(e, STATUS_FORMAT, "%s: the compressed data ends too early", path);
    if (status != STATUS_OK) {
        free(at);
        return status;
    }
    at[len] = 0;
    *out = (struct bytes){.at = at, .len = len};
    return STATUS_OK;
}

void bytes_free(struct bytes *b) {
    free(b->at);
    *b = (struct bytes){0};
}

struct file_writer {
    char *path, *temporary; /* temporary: NULL when the path is written directly */
    FILE *plain;
    gzFile gz; /* NULL unless the name ends in .gz */
    int fd;
    int first_errno;
};

static bool ends_in_gz(const char *path) {
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static void writer_free(struct file_writer *w) {
    free(w->path);
    free(w->temporary);
    free(w);
}

static void remove_temporary(struct file_writer *w) {
    if (w->temporary != NULL)
        unlink(w->temporary);
}

/* Where the bytes go first. Devices and pipes (/dev/stdout) cannot be renamed over: they are
 * written as they come. */
static enum status choose_names(struct file_writer *w, const char *path, struct error *e) {
    struct stat at;
    bool exists = stat(path, &at) == 0;
    if (exists && access(path, W_OK) != 0)
        return error_set(e, STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
    bool direct = exists && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode);
    /* Through links to the file itself, so that a link stays one. */
    w->path = exists && !direct ? realpath(path, NULL) : strdup(path);
    if (w->path == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    if (direct)
        return STATUS_OK;
    if (asprintf(&w->temporary, "%s.tmp%ld", w->path, (long)getpid()) < 0) {
        w->temporary = NULL;
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    return STATUS_OK;
}

enum status file_open(struct file_writer **out, const char *path, struct error *e) {
    *out = NULL;
    struct file_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    enum status status = choose_names(w, path, e);
    if (status != STATUS_OK) {
        writer_free(w);
        return status;
    }
    int flags = O_WRONLY | O_CLOEXEC | (w->temporary != NULL ? O_CREAT | O_TRUNC : 0);
    w->fd = open(w->temporary != NULL ? w->temporary : w->path, flags, 0666);
    if (w->fd < 0) {
        status = error_set(e, STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
        writer_free(w);
        return status;
    }
    if (ends_in_gz(path))
        w->gz = gzdopen(dup(w->fd), "wb6");
    else
        w->plain = fdopen(dup(w->fd), "wb");
    if (w->gz == NULL && w->plain == NULL) {
        file_abort(w);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    *out = w;
    return STATUS_OK;
}

enum status file_open_fd(struct file_writer **out, int fd, const char *name, struct error *e) {
    *out = NULL;
    struct file_writer *w = calloc(1, sizeof *w);
    if (w == NULL || (w->path = strdup(name)) == NULL) {
        free(w);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", name);
    }
    w->fd = dup(fd);
    if (w->fd >= 0)
        w->plain = fdopen(dup(w->fd), "wb");
    if (w->plain == NULL) {
        enum status status =
            error_set(e, STATUS_IO, "%s: cannot be written: %s", name, strerror(errno));
        file_abort(w);
        return status;
    }
    *out = w;
    return STATUS_OK;
}

void file_write(struct file_writer *w, const void *data, size_t size) {
    if (w->first_errno != 0 || size == 0)
        return;
    errno = 0;
    bool ok = w->gz != NULL ? gzfwrite(data, 1, size, w->gz) == size
                            : fwrite(data, 1, size, w->plain) == size;
    if (!ok)
        w->first_errno = errno != 0 ? errno : EIO;
}

void file_printf(struct file_writer *w, const char *format, ...) {
    char small[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0 || (size_t)n < sizeof small) {
        file_write(w, small, n < 0 ? 0 : (size_t)n);
        return;
    }
    char *large = malloc((size_t)n + 1);
    if (large == NULL) {
        w->first_errno = w->first_errno != 0 ? w->first_errno : ENOMEM;
        return;
    }
    va_start(args, format);
    vsnprintf(large, (size_t)n + 1, format, args);
    va_end(args);
    file_write(w, large, (size_t)n);
    free(large);
}

/* Closes the streams; true when everything reached the kernel. */
static bool writer_close(struct file_writer *w) {
    bool ok = true;
    if (w->gz != NULL)
        ok = gzclose(w->gz) == Z_OK;
    if (w->plain != NULL)
        ok = fclose(w->plain) == 0 && ok;
    w->gz = NULL;
    w->plain = NULL;
    return ok;
}

enum status file_commit(struct file_writer *w, struct error *e) {
    errno = 0;
    bool ok = writer_close(w);
    if (!ok && w->first_errno == 0)
        w->first_errno = errno != 0 ? errno : EIO;
    if (w->first_errno == 0 && w->temporary != NULL && fsync(w->fd) != 0)
        w->first_errno = errno;
    close(w->fd);
    if (w->first_errno == 0 && w->temporary != NULL && rename(w->temporary, w->path) != 0)
        w->first_errno = errno;
    enum status status = STATUS_OK;
    if (w->first_errno != 0) {
        remove_temporary(w);
        status =
            error_set(e, STATUS_IO, "%s: cannot be written: %s", w->path, strerror(w->first_errno));
    }
    writer_free(w);
    return status;
}

void file_abort(struct file_writer *w) {
    if (w == NULL)
        return;
    writer_close(w);
    close(w->fd);
    remove_temporary(w);
    writer_free(w);
}
