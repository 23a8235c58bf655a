#include "sweep/includes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LARGEST_FILE = 16 << 20,
    DEEPEST = 10, /* as in libconfig, which says so */
    MOST_INCLUDES = 100,
};

struct search {
    const char *folder;
    unsigned found, depth;
    struct error *error;
};

static enum status check_file(struct search *s, const char *path);

static enum status check_include(struct search *s, const char *path, size_t line,
                                 const char *included) {
    struct stat info;
    char *target;
    if (s->found++ == MOST_INCLUDES)
        return error_set(s->error, STATUS_FORMAT, "%s:%zu: there are more than %d includes", path,
                         line, MOST_INCLUDES);
    if (asprintf(&target, "%s/%s", s->folder, included) < 0)
        return error_set(s->error, STATUS_MEMORY, "%s: out of memory", path);
    enum status status = STATUS_OK;
    if (stat(target, &info) == 0 && !S_ISREG(info.st_mode))
        status = error_set(s->error, STATUS_FORMAT, "%s:%zu: what is included is no file: %s", path,
                           line, target);
    else if (s->depth < DEEPEST)
        status = check_file(s, target);
    free(target);
    return status;
}

/* The name in an @include that starts at `at`, in memory of its own; NULL in *out without one. */
static bool take_name(const char *at, const char *end, char **out) {
    static const char word[] = "@include";
    *out = NULL;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at < (ptrdiff_t)sizeof word || memcmp(at, word, sizeof word - 1) != 0)
        return true;
    at += sizeof word - 1;
    const char *name = at;
    while (name < end && (*name == ' ' || *name == '\t'))
        name++;
    if (name == at || name == end || *name != '"')
        return true;
    char *to = *out = malloc((size_t)(end - name));
    if (to == NULL)
        return false;
    for (name++; name < end && *name != '"'; name++) {
        if (*name == '\\' && name + 1 < end)
            name++;
        *to++ = *name;
    }
    *to = 0;
    return true;
}

static enum status check_lines(struct search *s, const char *path, const struct bytes *text) {
    const char *at = (const char *)text->at, *end = at + text->len;
    enum status status = STATUS_OK;
    for (size_t line = 1; status == STATUS_OK && at < end; line++) {
        char *name;
        if (!take_name(at, end, &name))
            return error_set(s->error, STATUS_MEMORY, "%s: out of memory", path);
        if (name != NULL)
            status = check_include(s, path, line, name);
        free(name);
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    return status;
}

static enum status check_file(struct search *s, const char *path) {
    struct bytes text;
    enum status status = file_read(&text, path, LARGEST_FILE, s->error);
    if (status == STATUS_IO)
        return STATUS_OK; /* libconfig knows the line that names it */
    s->depth++;
    if (status == STATUS_OK)
        status = check_lines(s, path, &text);
    s->depth--;
    bytes_free(&text);
    return status;
}

enum status includes_check(const char *path, const char *folder, struct error *e) {
    struct search s = {.folder = folder, .error = e};
    struct stat info;
    /* A pipe can be read only once. */
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? check_file(&s, path) : STATUS_OK;
}
