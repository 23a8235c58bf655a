/* Recognises the kind of a recording. */
#include "qemu/import/import.h"

#include <string.h>

static enum status peek(const char *path, char *head, size_t size, struct error *e) {
    size_t got = 0;
    struct file_reader *file;
    enum status status = file_open_reader(&file, path, e);
    if (status != STATUS_OK)
        return status;
    status = file_peek(file, head, size, &got, e);
    const enum status closed = file_close_reader(file, status == STATUS_OK ? e : NULL);
    return status != STATUS_OK ? status : closed;
}

static bool is_callgrind(const char *head) {
    static const char *const heads[] = {"# callgrind",
                                        "version:", "creator:", "positions:", "events:"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(head, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* "1 main 21 ..." or "0 [unknown] 0 ..." */
static bool is_fdata(const char *head) {
    return head[0] >= '0' && head[0] <= '2' && head[1] == ' ' && head[2] != ' ';
}

enum status import_recording(struct import_result *out, const struct import_request *request,
                             enum import_from *from, struct error *e) {
    char head[FILE_PEEK + 1] = {0};
    *out = (struct import_result){0};
    *from = IMPORT_PERF;
    const enum status status = peek(request->path, head, FILE_PEEK, e);
    if (status != STATUS_OK)
        return status;
    if (is_callgrind(head))
        *from = IMPORT_CALLGRIND;
    else if (request->program != NULL)
        *from = IMPORT_FDATA;
    else if (is_fdata(head))
        return error_set(e, STATUS_ARGUMENT,
                         "%s: seems to be a profile for BOLT: name its program with --bolt",
                         request->path);
    return *from == IMPORT_CALLGRIND ? import_callgrind(out, request, e)
           : *from == IMPORT_FDATA   ? import_fdata(out, request, e)
                                     : import_perf(out, request, e);
}
