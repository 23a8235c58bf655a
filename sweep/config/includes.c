#include "config/includes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGEST_FILE = 16 << 20,
    LARGEST_TEXT = 64 << 20,
    DEEPEST = 10,
    MOST_INCLUDES = 100,
};

/* State of reading one file. */
struct reader {
    struct includes *out;
    unsigned file, line, depth;
    const char *at, *end;
    bool line_start; /* only blanks since the newline */
    struct error *error;
};

static enum status add_file(struct includes *s, const char *path, unsigned depth, struct error *e);

static enum status wrong(const struct reader *r, const char *what) {
    return error_set(r->error, STATUS_FORMAT, "%s:%u: %s", r->out->files.at[r->file].path, r->line,
                     what);
}

static enum status out_of_memory(const struct includes *s, struct error *e) {
    return error_set(e, STATUS_MEMORY, "%s: out of memory", s->files.at[0].path);
}

/* ---- the text ---- */

/* Appends n characters; only the last may be a newline. */
static enum status put(struct reader *r, const char *at, size_t n) {
    struct includes *s = r->out;
    if (s->len + n > LARGEST_TEXT)
        return wrong(r, "this file and its includes are too large for a configuration");
    if (!vec_reserve_(&s->text, &s->cap, s->len + n + 1, 1))
        return out_of_memory(s, r->error);
    memcpy(s->text + s->len, at, n);
    s->len += n;
    s->text[s->len] = '\0';
    if (at[n - 1] == '\n' && !vec_push(&s->lines, ((struct origin){r->file, r->line})))
        return out_of_memory(s, r->error);
    return STATUS_OK;
}

/* Copies the next n characters unchanged. */
static enum status copy(struct reader *r, size_t n) {
    enum status status = STATUS_OK;
    for (const char *const end = r->at + n; status == STATUS_OK && r->at < end;) {
        const char *const newline = memchr(r->at, '\n', (size_t)(end - r->at));
        const size_t size = (size_t)((newline != NULL ? newline + 1 : end) - r->at);
        status = put(r, r->at, size);
        r->line_start = newline != NULL || (r->line_start && strspn(r->at, " \t") >= size);
        r->line += newline != NULL;
        r->at += size;
    }
    return status;
}

/* ---- tokens, as libconfig divides its text ---- */

static size_t left(const struct reader *r) {
    return (size_t)(r->end - r->at);
}

static bool starts(const struct reader *r, const char *word) {
    const size_t n = strlen(word);
    return left(r) >= n && memcmp(r->at, word, n) == 0;
}

/* Skips a comment that ends with its line. */
static enum status pass_comment(struct reader *r) {
    const char *newline = memchr(r->at, '\n', left(r));
    r->at = newline != NULL ? newline : r->end;
    r->line_start = false;
    return STATUS_OK;
}

static enum status copy_comment(struct reader *r) {
    const char *close = left(r) >= 4 ? memmem(r->at + 2, left(r) - 2, "*/", 2) : NULL;
    return close != NULL ? copy(r, (size_t)(close - r->at) + 2)
                         : wrong(r, "syntax error: this comment is not closed");
}

static enum status copy_quoted(struct reader *r) {
    const char *at = r->at + 1;
    while (at < r->end && *at != '"')
        at += *at == '\\' && at + 1 < r->end ? 2 : 1;
    return at < r->end ? copy(r, (size_t)(at - r->at) + 1)
                       : wrong(r, "syntax error: this text in quotes is not closed");
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

static enum status copy_name(struct reader *r) {
    size_t n = 0;
    while (n < left(r) && in_name(r->at[n]))
        n++;
    return copy(r, n);
}

/* Copies a whole number of n characters, including any sign and 0x. */
static enum status copy_whole(struct reader *r, size_t n, int base) {
    char digits[32];
    if (n >= sizeof digits)
        return wrong(r, "this whole number is too large: it must fit 64 bits");
    memcpy(digits, r->at, n);
    digits[n] = '\0';
    errno = 0;
    const long long value = strtoll(digits, NULL, base);
    if (errno != 0)
        return wrong(r, "this whole number is too large: it must fit 64 bits");
    enum status status = copy(r, n);
    const bool marked = left(r) > 0 && *r->at == 'L';
    return status == STATUS_OK && !marked && (value > INT32_MAX || value < INT32_MIN)
               ? put(r, "L", 1)
               : status;
}

static enum status copy_number(struct reader *r) {
    size_t n = *r->at == '-' || *r->at == '+';
    if (left(r) > 2 && r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X')) {
        for (n = 2; n < left(r) && isxdigit((unsigned char)r->at[n]);)
            n++;
        return n > 2 ? copy_whole(r, n, 16) : copy(r, n);
    }
    const size_t sign = n;
    while (n < left(r) && isdigit((unsigned char)r->at[n]))
        n++;
    const bool fraction = n < left(r) && (r->at[n] == '.' || r->at[n] == 'e' || r->at[n] == 'E');
    if (!fraction)
        return n > sign ? copy_whole(r, n, 10) : copy(r, 1);
    while (n < left(r) && (isdigit((unsigned char)r->at[n]) || strchr(".eE", r->at[n]) != NULL ||
                           (strchr("+-", r->at[n]) != NULL && strchr("eE", r->at[n - 1]) != NULL)))
        n++;
    return copy(r, n);
}

/* ---- includes ---- */

static enum status include(struct reader *r, const char *path) {
    struct stat info;
    struct includes *s = r->out;
    char text[1100];
    struct error why;
    if (stat(path, &info) != 0 || access(path, R_OK) != 0) {
        file_unopened(path, errno, &why);
        snprintf(text, sizeof text, "the included file: %s", why.text);
        return wrong(r, text);
    }
    if (!S_ISREG(info.st_mode)) {
        snprintf(text, sizeof text, "the included path is not a file: %s", path);
        return wrong(r, text);
    }
    if (s->followed++ == MOST_INCLUDES)
        return wrong(r, "there are too many includes");
    if (r->depth == DEEPEST)
        return wrong(r, "includes are nested too deep; does one include itself?");
    return add_file(s, path, r->depth + 1, r->error);
}

/* Reads what follows the word @include. */
static enum status copy_include(struct reader *r) {
    r->at += strlen("@include");
    while (left(r) > 0 && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
    const char *close = left(r) > 0 && *r->at == '"' ? memchr(r->at + 1, '"', left(r) - 1) : NULL;
    const char *newline = memchr(r->at, '\n', left(r));
    if (close == NULL || (newline != NULL && newline < close))
        return wrong(r, "syntax error: @include takes a file's name in quotes");
    char *path =
        file_beside(r->out->files.at[r->file].path, r->at + 1, (size_t)(close - r->at) - 1);
    if (path == NULL)
        return out_of_memory(r->out, r->error);
    r->at = close + 1;
    r->line_start = false;
    enum status status = include(r, path);
    free(path);
    return status;
}

/* ---- files ---- */

static enum status copy_token(struct reader *r) {
    const char c = *r->at;
    if (c == '\0')
        return wrong(r, "syntax error: a byte that is not text");
    if (r->line_start && starts(r, "@include"))
        return copy_include(r);
    if (c == '#' || starts(r, "//"))
        return pass_comment(r);
    if (starts(r, "/*"))
        return copy_comment(r);
    if (c == '"')
        return copy_quoted(r);
    if (isalpha((unsigned char)c) || c == '*')
        return copy_name(r);
    if (isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.')
        return copy_number(r);
    const size_t blanks = strspn(r->at, " \t");
    return copy(r, blanks > 0 ? blanks : 1);
}

/* Index of the file; reads it on its first occurrence. */
static enum status find_file(struct includes *s, const char *path, size_t *index, struct error *e) {
    for (*index = 0; *index < s->files.len; ++*index)
        if (strcmp(s->files.at[*index].path, path) == 0)
            return STATUS_OK;
    struct bytes bytes = {0};
    enum status status = file_read(&bytes, path, LARGEST_FILE, e);
    if (status != STATUS_OK)
        return status;
    struct config_file file = {.path = strdup(path), .text = (char *)bytes.at, .length = bytes.len};
    struct hash *h = hash_start();
    hash_add_bytes(h, bytes.at, bytes.len);
    if (hash_finish(h, file.hash) && file.path != NULL && vec_push(&s->files, file))
        return STATUS_OK;
    free(file.path);
    free(file.text);
    return error_set(e, STATUS_MEMORY, "%s: out of memory", path);
}

static enum status add_file(struct includes *s, const char *path, unsigned depth, struct error *e) {
    size_t index;
    enum status status = find_file(s, path, &index, e);
    if (status != STATUS_OK)
        return status;
    struct reader r = {.out = s,
                       .file = (unsigned)index,
                       .line = 1,
                       .depth = depth,
                       .at = s->files.at[index].text,
                       .end = s->files.at[index].text + s->files.at[index].length,
                       .line_start = true,
                       .error = e};
    while (status == STATUS_OK && r.at < r.end)
        status = copy_token(&r);
    if (status == STATUS_OK && (s->len == 0 || s->text[s->len - 1] != '\n'))
        status = put(&r, "\n", 1);
    return status;
}

enum status includes_read(struct includes *out, const char *path, struct error *e) {
    *out = (struct includes){0};
    return add_file(out, path, 0, e);
}

void includes_free(struct includes *s) {
    for (size_t i = 0; i < s->files.len; i++) {
        free(s->files.at[i].path);
        free(s->files.at[i].text);
    }
    vec_free(&s->files);
    vec_free(&s->lines);
    free(s->text);
    *s = (struct includes){0};
}

static struct origin origin(const struct includes *s, unsigned line) {
    const size_t i = line == 0 ? 0 : line - 1 < s->lines.len ? line - 1 : s->lines.len - 1;
    return s->lines.len > 0 ? s->lines.at[i] : (struct origin){0, 1};
}

const char *includes_file(const struct includes *s, unsigned line) {
    return s->files.at[origin(s, line).file].path;
}

unsigned includes_line(const struct includes *s, unsigned line) {
    return origin(s, line).line;
}
