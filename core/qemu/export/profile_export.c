#include "qemu/export/profile_export.h"

#include <unistd.h>

#include "qemu/export/formats.h"

static enum status write_format(struct file_writer *file, enum profile_format format,
                                const struct structure *s, const struct functions *f,
                                struct error *e) {
    switch (format) {
    case PROFILE_PPROF:
        return pprof_write(file, s, f, e);
    case PROFILE_FOLDED:
        return folded_write(file, f, e);
    case PROFILE_CALLGRIND:
        break;
    }
    callgrind_write(file, s, f);
    return STATUS_OK;
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
        status = write_format(file, format, s, &f, e);
        if (status == STATUS_OK)
            status = file_commit(file, e);
        else
            file_abort(file);
    }
    functions_free(&f);
    return status;
}
