/* Whole-file reading and all-or-nothing writing. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct file_reader {
    char *path;
    gzFile gz; /* reads uncompressed files, too */
    int fd;    /* gz's */
    uint8_t peeked[FILE_PEEK];
    size_t peeked_at, peeked_len; /* bytes from peeked_at to peeked_len are still unread */
};

enum { FAULT = 1000 };

/* Describes what is wrong with the folder of `path`; false: unknown. Allocates nothing, so that it
 * also works when memory is short. */
static bool fault_of_folder(const char *path, char text[FAULT]) {
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') /* the folder of "results/" is "." */
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    while (len > 1 && path[len - 1] == '/')
        len--;
    struct stat info;
    char folder[FAULT - 50];
    if (len == 0 || len >= sizeof folder)
        return false;
    memcpy(folder, path, len);
    folder[len] = '\0';
    const bool there = stat(folder, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return false;
    if (there || errno == ENOTDIR)
        snprintf(text, FAULT, "%s is not a folder", folder);
    else
        snprintf(text, FAULT, "its folder %s does not exist", folder);
    return true;
}

enum status file_check_folder(const char *path, struct error *e) {
    char fault[FAULT];
    return fault_of_folder(path, fault) ? error_set(e, STATUS_IO, "%s: %s", path, fault)
                                        : STATUS_OK;
}

bool file_good_name(const char *name) {
    const size_t len = strlen(name);
    return len > 0 && len <= 80 && name[0] != '-' && strspn(name, FILE_NAME_CHARACTERS) == len;
}

bool csv_is_formula(const char *text) {
    if (text[0] == '\0' || strchr("=+-@\t\r", text[0]) == NULL)
        return false;
    if (strcmp(text, "-") == 0) /* the text for NULL in the figures' data */
        return false;
    char *end;
    strtod(text, &end);
    return text[0] == '=' || text[0] == '@' || end == text || *end != '\0';
}

enum status file_plain_name(struct file_plain_name *out, const char *path, struct error *e) {
    *out = (struct file_plain_name){.fd = -1};
    if (strlen(path) < sizeof out->at && strpbrk(path, " \t\n:,;") == NULL) {
        strcpy(out->at, path);
        return STATUS_OK;
    }
    out->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0)
        return file_unopened(path, errno, e);
    char self[32] = "self"; /* our number in /proc, which may count otherwise than getpid() */
    const ssize_t digits = readlink("/proc/self", self, sizeof self - 1);
    self[digits > 0 ? digits : 4] = '\0';
    snprintf(out->at, sizeof out->at, "/proc/%s/fd/%d", self, out->fd);
    return STATUS_OK;
}

void file_plain_name_close(struct file_plain_name *n) {
    if (n->fd >= 0)
        close(n->fd);
}

static bool same_folder(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *file_beside(const char *file, const char *path, size_t len) {
    const char *slash = strrchr(file, '/');
    size_t folder = path[0] == '/' || slash == NULL ? 0 : (size_t)(slash - file) + 1;
    char *out = malloc(folder + len + 1);
    if (out == NULL)
        return NULL;
    memcpy(out, file, folder);
    memcpy(out + folder, path, len);
    out[folder + len] = '\0';
    while (folder > 1 && strncmp(out + folder, "../", 3) == 0) {
        size_t start = folder - 1; /* start of the folder's last name */
        while (start > 0 && out[start - 1] != '/')
            start--;
        const char kept = out[start];
        out[folder + 2] = '\0';
        char *up = strdup(out);
        out[folder + 2] = '/';
        out[start] = '\0';
        const bool same = up != NULL && same_folder(up, start == 0 ? "." : out);
        out[start] = kept;
        free(up);
        if (!same)
            break;
        memmove(out + start, out + folder + 3, strlen(out + folder + 3) + 1);
        folder = start;
    }
    return out;
}

enum status file_unmade(const char *path, const char *what, int code, struct error *e) {
    char fault[FAULT];
    const bool known = (code == ENOENT || code == ENOTDIR) && fault_of_folder(path, fault);
    return error_set(e, STATUS_IO, "%s: %s: %s", path, what, known ? fault : strerror(code));
}

enum status file_unopened(const char *path, int code, struct error *e) {
    char fault[FAULT];
    if (code != ENOENT && code != ENOTDIR)
        return error_set(e, STATUS_IO, "%s: cannot be opened: %s", path, strerror(code));
    const bool known = fault_of_folder(path, fault);
    return error_set(e, STATUS_IO, "%s: there is no such file%s%s", path, known ? ": " : "",
                     known ? fault : "");
}

enum status file_open_reader(struct file_reader **out, const char *path, struct error *e) {
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file_unopened(path, errno, e);
    struct file_reader *r = calloc(1, sizeof *r);
    if (r == NULL || (r->path = strdup(path)) == NULL || (r->gz = gzdopen(fd, "rb")) == NULL) {
        close(fd);
        if (r != NULL)
            free(r->path);
        free(r);
        return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
    }
    r->fd = fd;
    gzbuffer(r->gz, 1 << 17);
    *out = r;
    return STATUS_OK;
}

enum status file_read_some(struct file_reader *r, void *data, size_t size, size_t *got,
                           struct error *e) {
    *got = r->peeked_len - r->peeked_at < size ? r->peeked_len - r->peeked_at : size;
    if (*got > 0) {
        memcpy(data, r->peeked + r->peeked_at, *got);
        r->peeked_at += *got;
        return STATUS_OK;
    }
    int n = gzread(r->gz, data, size < 1 << 30 ? (unsigned)size : 1 << 30);
    if (n >= 0) {
        *got = (size_t)n;
        return STATUS_OK;
    }
    int code;
    const char *why = gzerror(r->gz, &code);
    return error_set(e, code == Z_ERRNO ? STATUS_IO : STATUS_FORMAT, "%s: cannot be read: %s",
                     r->path, code == Z_ERRNO ? strerror(errno) : why);
}

enum status file_peek(struct file_reader *r, void *data, size_t size, size_t *got,
                      struct error *e) {
    enum status status = file_read_some(r, data, size, got, e);
    memcpy(r->peeked, data, *got);
    r->peeked_len = *got;
    return status;
}

enum status file_close_reader(struct file_reader *r, struct error *e) {
    /* A truncated gzip file reads as a short one; only gzclose_r reports it. */
    enum status status = STATUS_OK;
    if (gzclose_r(r->gz) == Z_BUF_ERROR)
        status = error_set(e, STATUS_FORMAT, "%s: the compressed data ends too early", r->path);
    free(r->path);
    free(r);
    return status;
}

static enum status too_large(const char *path, size_t limit, struct error *e) {
    return error_set(e, STATUS_FORMAT,
                     "%s: larger than %zu bytes, which no valid file of this kind is", path, limit);
}

struct growing {
    uint8_t *at;
    size_t len, cap;
};

/* Appends at most `limit` bytes to *out, and reserves one byte after them. On failure *out may be
 * partly filled. */
static enum status read_all(struct growing *out, struct file_reader *r, size_t limit,
                            struct error *e) {
    size_t got;
    do {
        if (!vec_reserve(out, out->len + (1 << 16)))
            return error_set(e, STATUS_MEMORY, "%s: out of memory", r->path);
        enum status status =
            file_read_some(r, out->at + out->len, out->cap - out->len - 1, &got, e);
        if (status != STATUS_OK)
            return status;
        out->len += got;
        if (out->len > limit)
            return too_large(r->path, limit, e);
    } while (got > 0);
    return STATUS_OK;
}

enum status file_read(struct bytes *out, const char *path, size_t limit, struct error *e) {
    *out = (struct bytes){0};
    struct file_reader *r;
    enum status status = file_open_reader(&r, path, e);
    if (status != STATUS_OK)
        return status;
    struct growing all = {0};
    status = read_all(&all, r, limit, e);
    enum status closed = file_close_reader(r, status == STATUS_OK ? e : NULL);
    if (status == STATUS_OK)
        status = closed;
    if (status != STATUS_OK) {
        vec_free(&all);
        return status;
    }
    all.at[all.len] = 0;
    *out = (struct bytes){.at = all.at, .len = all.len};
    return STATUS_OK;
}

enum status file_view(struct file_view *out, struct file_reader *r, struct error *e) {
    *out = (struct file_view){0};
    struct stat is;
    if (gzdirect(r->gz) && fstat(r->fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0) {
        void *at = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, r->fd, 0);
        if (at != MAP_FAILED) {
            *out = (struct file_view){.at = at, .len = (size_t)is.st_size, .mapped = true};
            return STATUS_OK;
        }
    }
    struct growing all = {0};
    enum status status = read_all(&all, r, SIZE_MAX - 1, e);
    if (status != STATUS_OK) {
        vec_free(&all);
        return status;
    }
    *out = (struct file_view){.at = all.at, .len = all.len};
    return STATUS_OK;
}

/* Maps a regular, uncompressed file; false: `path` is no such file, or cannot be mapped. */
static bool map_plain(struct file_view *out, const char *path) {
    struct stat is;
    uint8_t magic[2] = {0};
    /* Do not open a pipe: its writer would see the reader close it. */
    if (stat(path, &is) != 0 || !S_ISREG(is.st_mode))
        return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *at = MAP_FAILED;
    if (fstat(fd, &is) == 0 && is.st_size > 0 && pread(fd, magic, sizeof magic, 0) >= 0 &&
        !(magic[0] == 0x1f && magic[1] == 0x8b))
        at = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    *out = (struct file_view){.at = at, .len = (size_t)is.st_size, .mapped = true};
    return true;
}

enum status file_view_path(struct file_view *out, const char *path, size_t limit, struct error *e) {
    if (map_plain(out, path)) {
        if (out->len <= limit)
            return STATUS_OK;
        file_view_free(out);
        return too_large(path, limit, e);
    }
    struct bytes all;
    enum status status = file_read(&all, path, limit, e);
    *out = (struct file_view){.at = all.at, .len = all.len};
    return status;
}

void file_view_free(struct file_view *v) {
    if (v->mapped)
        munmap((void *)v->at, v->len);
    else
        free((void *)v->at);
    *v = (struct file_view){0};
}

void bytes_free(struct bytes *b) {
    free(b->at);
    *b = (struct bytes){0};
}

struct file_writer {
    char *path, *temporary; /* temporary: NULL if `path` is written directly */
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

/* Chooses the file that receives the bytes. Devices and pipes (/dev/stdout) cannot be replaced by
 * rename(), so they are written directly. */
static enum status choose_names(struct file_writer *w, const char *path, struct error *e) {
    struct stat at;
    bool exists = stat(path, &at) == 0;
    if (exists && access(path, W_OK) != 0)
        return error_set(e, STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
    bool direct = exists && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode);
    /* Resolves links, so that a symbolic link is kept and its target replaced. */
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

/* Opening a pipe without a reader blocks; for /dev/stdout, for ever. */
static bool is_standard_output(const char *path) {
    struct stat at, out;
    return stat(path, &at) == 0 && fstat(STDOUT_FILENO, &out) == 0 && at.st_dev == out.st_dev &&
           at.st_ino == out.st_ino;
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
    if (w->temporary == NULL && is_standard_output(w->path))
        w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    else
        w->fd = open(w->temporary != NULL ? w->temporary : w->path, flags, 0666);
    if (w->fd < 0) {
        status = file_unmade(path, "cannot be written", errno, e);
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

/* Closes the streams; true if the kernel accepted all bytes. */
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
