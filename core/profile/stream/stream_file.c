/* Reads sample streams from files of either form. */
#include "profile/stream/isampling.h"
#include "profile/stream/origin.h"
#include "profile/stream/stream_binary.h"

#include <string.h>
#include <sys/stat.h>

/* Maps the file and parses it in place; closes `file`. */
static enum status read_binary(struct stream *out, struct file_reader *file, const char *path,
                               struct error *warning, struct error *e) {
    struct file_view view;
    enum status status = file_view(&view, file, e);
    enum status closed = file_close_reader(file, status == STATUS_OK ? e : NULL);
    if (status == STATUS_OK)
        status = closed;
    if (status == STATUS_OK)
        status = stream_binary_parse(out, view.at, view.len, path, warning, e);
    file_view_free(&view);
    return status;
}

enum status stream_read(struct stream *out, const char *path, struct error *warning,
                        struct error *e) {
    *out = (struct stream){0};
    if (warning != NULL)
        *warning = (struct error){0};
    struct file_reader *file;
    uint8_t start[STREAM_BINARY_MAGIC];
    size_t len;
    enum status status = file_open_reader(&file, path, e);
    if (status != STATUS_OK)
        return status;
    status = file_peek(file, start, sizeof start, &len, e);
    if (status != STATUS_OK) {
        (void)file_close_reader(file, NULL);
        return status;
    }
    return stream_is_binary(start, len) ? read_binary(out, file, path, warning, e)
                                        : isampling_read(out, file, path, warning, e);
}

enum status stream_peek(enum stream_of *out, const char *path, struct error *e) {
    enum { LINE_MOST = 4096 };
    struct file_reader *file;
    struct stream shape = {0};
    char start[LINE_MOST];
    size_t len;
    *out = STREAM_OF_BATCHES;
    enum status status = file_open_reader(&file, path, e);
    if (status != STATUS_OK)
        return status;
    status = file_read_some(file, start, sizeof start, &len, e);
    (void)file_close_reader(file, NULL); /* it was not read to its end */
    if (status != STATUS_OK)
        return status;
    if (stream_is_binary(start, len)) {
        *out = stream_binary_of(start, len);
        return STATUS_OK;
    }
    const char *end = memchr(start, '\n', len);
    origin_scan(&shape, start, end != NULL ? end : start + len);
    *out = shape.of;
    return STATUS_OK;
}

enum status stream_parse(struct stream *out, const void *data, size_t len, const char *name,
                         struct error *warning, struct error *e) {
    *out = (struct stream){0};
    if (warning != NULL)
        *warning = (struct error){0};
    return stream_is_binary(data, len) ? stream_binary_parse(out, data, len, name, warning, e)
                                       : isampling_parse(out, data, len, name, warning, e);
}

static bool ends_in(const char *path, const char *suffix) {
    const size_t len = strlen(path), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(path + len - suffix_len, suffix) == 0;
}

enum status stream_check_name(const char *path, struct error *e) {
    static const char *const endings[] = {".isampling", ".isampling.gz", ".hgstream",
                                          ".hgstream.gz"};
    struct stat is;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, endings[i]))
            return STATUS_OK;
    if (strncmp(path, "/dev/", 5) == 0 || (stat(path, &is) == 0 && !S_ISREG(is.st_mode)))
        return STATUS_OK;
    return error_set(e, STATUS_ARGUMENT,
                     "'%s' does not say which kind of stream to write: let it end in "
                     ".isampling (text) or .hgstream (binary), followed by .gz to compress it",
                     path);
}

enum status stream_write(const struct stream *s, const char *path, const char *image,
                         struct error *e) {
    if (strpbrk(image, "\t\r\n") != NULL)
        return error_set(e, STATUS_ARGUMENT, "%s: an image name has no tabs or line ends", path);
    return ends_in(path, ".hgstream") || ends_in(path, ".hgstream.gz")
               ? stream_binary_write(s, path, e)
               : isampling_write(s, path, image, e);
}
