#include "qemu/export/profile_export.h"

#include <string.h>
#include <unistd.h>

#include "qemu/export/formats.h"

/* The image with the program's SHA-1; image_count: there is none, or its file has changed. */
static size_t program_image(const struct structure *s, const char *program) {
    size_t found = s->image_count;
    for (size_t i = 0; i < s->image_count && found == s->image_count; i++) {
        struct file_view view;
        char sha1[41];
        if (s->images[i].path[0] == '\0' ||
            file_view_path(&view, s->images[i].path, SIZE_MAX - 1, NULL) != STATUS_OK)
            continue;
        sha1_hex(view.at, view.len, sha1);
        file_view_free(&view);
        if (strcmp(sha1, program) == 0)
            found = i;
    }
    return found;
}

static enum status write_format(struct file_writer *file, enum profile_format format,
                                const struct structure *s, const struct graph *g,
                                const struct functions *f, struct error *e) {
    switch (format) {
    case PROFILE_PPROF:
        return pprof_write(file, s, f, program_image(s, g->program), e);
    case PROFILE_FOLDED:
        return folded_write(file, f, e);
    case PROFILE_CALLGRIND:
        break;
    }
    return callgrind_write(file, s, f, program_image(s, g->program), e);
}

enum status profile_export(const struct structure *s, const struct graph *g,
                           const struct qemu_symbols *symbols, enum profile_format format,
                           const char *path, struct error *e) {
    struct functions f;
    struct file_writer *file;
    enum status status = functions_make(&f, s, g, symbols, e);
    if (status != STATUS_OK)
        return status;
    status = path != NULL ? file_open(&file, path, e)
                          : file_open_fd(&file, STDOUT_FILENO, "standard output", e);
    if (status == STATUS_OK) {
        status = write_format(file, format, s, g, &f, e);
        if (status == STATUS_OK)
            status = file_commit(file, e);
        else
            file_abort(file);
    }
    functions_free(&f);
    return status;
}
