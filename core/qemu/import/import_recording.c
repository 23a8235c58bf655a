/* Recognises the kind of a recording. */
#include "qemu/import/import.h"

#include <string.h>

enum status import_recording(struct import_result *out, const struct import_request *request,
                             bool *counted, struct error *e) {
    static const char *const heads[] = {"# callgrind",
                                        "version:", "creator:", "positions:", "events:"};
    char head[FILE_PEEK] = {0};
    size_t got = 0;
    struct file_reader *file;
    *out = (struct import_result){0};
    *counted = false;
    enum status status = file_open_reader(&file, request->path, e);
    if (status != STATUS_OK)
        return status;
    status = file_peek(file, head, sizeof head, &got, e);
    const enum status closed = file_close_reader(file, status == STATUS_OK ? e : NULL);
    if (status != STATUS_OK || closed != STATUS_OK)
        return status != STATUS_OK ? status : closed;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        *counted |= strncmp(head, heads[i], strlen(heads[i])) == 0;
    return *counted ? import_callgrind(out, request, e) : import_perf(out, request, e);
}
