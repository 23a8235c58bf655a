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

static bool begins(const char *head, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strncmp(head, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static bool is_callgrind(const char *head) {
    static const char *const words[] = {"# callgrind",
                                        "version:", "creator:", "positions:", "events:"};
    return begins(head, words, sizeof words / sizeof *words);
}

static bool is_qemu_log(const char *head) {
    static const char *const words[] = {
        "host mmap_min",    "Locating guest", "guest_base", "page layout",
        "----------------", "IN: ",           "Trace 0: 0x"};
    return begins(head, words, sizeof words / sizeof *words);
}

static bool is_gcov(const char *head) {
    static const char *const words[] = {"{\"format_version", "{\"gcc_version", "        -:    0:"};
    return begins(head, words, sizeof words / sizeof *words);
}

/* "1 main 21 ..." or "0 [unknown] 0 ..." */
static bool is_fdata(const char *head) {
    return head[0] >= '0' && head[0] <= '2' && head[1] == ' ' && head[2] != ' ';
}

/* Why a file that has no other name cannot be imported as what perf prints. */
static enum status check_perf(const char *head, const char *path, struct error *e) {
    if (is_fdata(head))
        return error_set(e, STATUS_ARGUMENT,
                         "%s: seems to be a profile for BOLT: name its program with --bolt", path);
    if (is_qemu_log(head))
        return error_set(e, STATUS_ARGUMENT,
                         "%s: seems to be a log of QEMU: name its program with --qemu", path);
    if (is_gcov(head))
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: is from gcov, whose counts have no addresses; hotgraph record counts "
                         "the program's instructions",
                         path);
    if (strncmp(head, "PERFILE2", 8) == 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: is what perf records: print it with 'perf script -i %s "
                         "--show-mmap-events' first",
                         path, path);
    return STATUS_OK;
}

enum status import_recording(struct import_result *out, const struct import_request *request,
                             enum import_from *from, struct error *e) {
    char head[FILE_PEEK + 1] = {0};
    *out = (struct import_result){0};
    *from = IMPORT_PERF;
    enum status status = peek(request->path, head, FILE_PEEK, e);
    if (status != STATUS_OK)
        return status;
    if (is_callgrind(head))
        *from = IMPORT_CALLGRIND;
    else if (request->program != NULL)
        *from = request->qemu ? IMPORT_QEMU : IMPORT_FDATA;
    else if ((status = check_perf(head, request->path, e)) != STATUS_OK)
        return status;
    return *from == IMPORT_CALLGRIND ? import_callgrind(out, request, e)
           : *from == IMPORT_FDATA   ? import_fdata(out, request, e)
           : *from == IMPORT_QEMU    ? import_qemu(out, request, e)
                                     : import_perf(out, request, e);
}
