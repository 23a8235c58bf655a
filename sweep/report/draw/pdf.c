#include "report/draw/pdf.h"

#include "base/child.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool find(char *out, size_t size) {
    return child_beside("sweep/report", "hotgraph-pdf", out, size);
}

bool pdf_is_there(void) {
    char path[2048];
    return find(path, sizeof path);
}

/* Names per command line. */
enum { AT_ONCE = 500 };

static enum status draw_some(const char *folder, const char *const *names, size_t count,
                             int (*stopped)(void), struct error *e) {
    char path[2048], text[400] = "";
    const char *words[AT_ONCE + 3] = {path, folder};
    memcpy(words + 2, names, count * sizeof *names);
    const int said = child_scratch();
    if (said < 0 || !find(path, sizeof path)) {
        if (said >= 0)
            close(said);
        return error_set(e, STATUS_IO, "%s: its drawings cannot be made into PDF", folder);
    }
    int exit_status = 0;
    enum status status = child_run(words, "", 0, 2, said, stopped, &exit_status, e);
    if (status == STATUS_OK && exit_status != 0) {
        const ssize_t len = pread(said, text, sizeof text - 1, 0);
        text[len > 0 ? len : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
        status = error_set(e, STATUS_IO, "%s; is the disk full?",
                           text[0] != '\0' ? text : "hotgraph-pdf was ended by a signal");
    }
    close(said);
    return status;
}

enum status pdf_draw(const char *folder, const char *const *names, size_t count,
                     int (*stopped)(void), struct error *e) {
    enum status status = STATUS_OK;
    for (size_t at = 0; status == STATUS_OK && at < count; at += AT_ONCE)
        status =
            draw_some(folder, names + at, count - at < AT_ONCE ? count - at : AT_ONCE, stopped, e);
    return status;
}
