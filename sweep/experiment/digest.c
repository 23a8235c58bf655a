#include "experiment/experiment.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

static enum status add_line(void *user, const char *key, const char hash[33], struct error *e) {
    struct digest *d = user;
    struct digest_line line = {.key = strdup(key)};
    memcpy(line.hash, hash, sizeof line.hash);
    if (line.key != NULL && vec_push(&d->lines, line))
        return STATUS_OK;
    free(line.key);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

enum status digest_add_up(struct digest *d, enum status status, struct error *e) {
    struct hash *total = hash_start();
    for (size_t i = 0; i < d->lines.len; i++)
        hash_add(total, "%s\t%s\n", d->lines.at[i].key, d->lines.at[i].hash);
    if (!hash_finish(total, d->total) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK)
        digest_free(d);
    return status;
}

struct option_spec update_digest_option(bool *to) {
    return (struct option_spec){
        "update-digest", NULL,
        "accept these results as the expected ones: write CONFIG's .digest file", OPTION_FLAG,
        .to = to};
}

char *digest_path(const char *config_path) {
    size_t len = strlen(config_path);
    char *path = NULL;
    if (len > 4 && strcmp(config_path + len - 4, ".cfg") == 0)
        len -= 4;
    return asprintf(&path, "%.*s.digest", (int)len, config_path) >= 0 ? path : NULL;
}

enum status digest_take(struct digest *out, struct db *db, const char *experiment,
                        struct error *e) {
    *out = (struct digest){0};
    const enum status status = db_digest(db, experiment, add_line, out, e);
    return digest_add_up(out, status, e);
}

/* True if `key` belongs to `name`. Keys are GAME/... or GAME@VARIANT/... */
static bool is_of(const char *key, const char *name) {
    const size_t len = strlen(name);
    return len > 0 && strncmp(key, name, len) == 0 &&
           (name[len - 1] == '/' || key[len] == '/' || key[len] == '@');
}

enum status digest_part(struct digest *out, const struct digest *whole, const char *const *names,
                        size_t name_count, struct error *e) {
    *out = (struct digest){0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < whole->lines.len && status == STATUS_OK; i++) {
        const struct digest_line *line = &whole->lines.at[i];
        size_t name = 0;
        while (name < name_count && !is_of(line->key, names[name]))
            name++;
        if (name < name_count)
            status = add_line(out, line->key, line->hash, e);
    }
    return digest_add_up(out, status, e);
}

static size_t stream_length(const char *key) {
    return strcspn(key, "/");
}

/* ---- a filter's part ---- */

/* The key's stream, if the filter wants it and all of its wanted results exist; else NULL. */
static const struct plan_stream *find_wanted(const struct plan *p, const char *key) {
    char name[PLAN_VARIANT + PLAN_KEY];
    for (size_t i = 0; i < p->count; i++) {
        const struct plan_game *g = &p->games[i];
        for (size_t k = 0; g->wanted && g->present && k < g->stream_count; k++) {
            const struct plan_stream *s = &g->streams[k];
            snprintf(name, sizeof name, "%s%s%s", g->game->name, s->variant[0] != '\0' ? "@" : "",
                     s->variant);
            if (s->wanted && s->missing == 0 && strlen(name) == stream_length(key) &&
                strncmp(name, key, strlen(name)) == 0)
                return s;
        }
    }
    return NULL;
}

static bool wants_all(const struct plan *p) {
    for (size_t i = 0; i < p->config->points.len; i++)
        if (!p->wanted[i])
            return false;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; p->games[i].wanted && k < p->games[i].stream_count; k++)
            if (!p->games[i].streams[k].wanted)
                return false;
    return true;
}

/* KIND/NUMBER or KIND/NUMBER/hotN of a configuration, KIND/baseline, or KIND alone. */
static bool wants_row(const struct plan *p, const char *row, bool all) {
    const char *number = strchr(row, '/');
    if (number == NULL)
        return true;
    if (strncmp(row, "graph/", 6) == 0)
        return all;
    if (strncmp(number, "/baseline", 9) == 0)
        return true;
    const size_t at = strtoul(number + 1, NULL, 10); /* points are ordered by number */
    return at < p->config->points.len && p->wanted[at];
}

enum status digest_of_filter(struct digest *out, const struct digest *whole, const struct plan *p,
                             struct error *e) {
    *out = (struct digest){0};
    enum status status = STATUS_OK;
    const struct plan_stream *stream = NULL;
    const char *last = NULL; /* the key for which `stream` was found */
    const bool all = wants_all(p);
    for (size_t i = 0; i < whole->lines.len && status == STATUS_OK; i++) {
        const struct digest_line *line = &whole->lines.at[i];
        const size_t len = stream_length(line->key);
        if (last == NULL || stream_length(last) != len || strncmp(last, line->key, len) != 0)
            stream = find_wanted(p, line->key);
        last = line->key;
        if (stream != NULL && wants_row(p, line->key + len + 1, all))
            status = add_line(out, line->key, line->hash, e);
    }
    return digest_add_up(out, status, e);
}

/* ---- by stream ---- */

static bool same_stream(const char *a, const char *b) {
    size_t len = stream_length(a);
    return len == stream_length(b) && memcmp(a, b, len) == 0;
}

/* Adds one line that stands for rows first..end-1. */
static enum status add_stream(struct digest *out, const struct digest *rows, size_t first,
                              size_t end, struct error *e) {
    struct hash *hash = hash_start();
    const size_t len = stream_length(rows->lines.at[first].key);
    for (size_t i = first; i < end; i++)
        hash_add(hash, "%s\t%s\n", rows->lines.at[i].key + len, rows->lines.at[i].hash);
    char sum[33];
    char *key = strndup(rows->lines.at[first].key, len);
    enum status status = hash_finish(hash, sum) && key != NULL
                             ? add_line(out, key, sum, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    free(key);
    return status;
}

enum status digest_by_stream(struct digest *out, const struct digest *rows, struct error *e) {
    *out = (struct digest){.by_stream = true};
    memcpy(out->definition, rows->definition, sizeof out->definition);
    enum status status = STATUS_OK;
    for (size_t first = 0, end; first < rows->lines.len && status == STATUS_OK; first = end) {
        for (end = first + 1; end < rows->lines.len &&
                              same_stream(rows->lines.at[first].key, rows->lines.at[end].key);)
            end++;
        status = add_stream(out, rows, first, end, e);
    }
    return digest_add_up(out, status, e);
}

/* Parses "key<tab>hash", without newline. */
static enum status read_line(struct digest *d, const char *path, size_t number, char *line,
                             struct error *e) {
    char *tab = strchr(line, '\t');
    if (tab == NULL || tab == line || strlen(tab + 1) != 32 ||
        strspn(tab + 1, "0123456789abcdef") != 32)
        return error_set(e, STATUS_FORMAT,
                         "%s:%zu: not a key, a tab and 32 hex digits; --update-digest writes the "
                         "file anew",
                         path, number);
    *tab = '\0';
    if (strcmp(line, "definition") == 0) {
        memcpy(d->definition, tab + 1, sizeof d->definition);
        return STATUS_OK;
    }
    const bool stream = strchr(line, '/') == NULL;
    if (d->lines.len > 0 && stream != d->by_stream)
        return error_set(e, STATUS_FORMAT,
                         "%s:%zu: lines of rows and of whole streams are mixed; --update-digest "
                         "writes the file anew",
                         path, number);
    d->by_stream = stream;
    return add_line(d, line, tab + 1, e);
}

enum status digest_read(struct digest *out, const char *path, struct error *e) {
    *out = (struct digest){0};
    struct bytes file;
    enum status status = file_read(&file, path, LARGEST_FILE, e);
    if (status != STATUS_OK)
        return status;
    char *next = (char *)file.at;
    for (size_t number = 1; status == STATUS_OK && next != NULL && *next != '\0'; number++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (line[0] != '#' && line[0] != '\0')
            status = read_line(out, path, number, line, e);
    }
    bytes_free(&file);
    if (status != STATUS_OK)
        digest_free(out);
    return status;
}

static enum status write_lines(const struct digest *d, const char *path, const char *experiment,
                               struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    file_printf(w,
                "# What the experiment '%s' finds: xxh3-128 of each %s, timings left out.\n"
                "# A sweep compares itself with this file; --update-digest writes it.\n",
                experiment, d->by_stream ? "stream's rows" : "row");
    file_printf(w, "definition\t%s\n", d->definition);
    for (size_t i = 0; i < d->lines.len; i++)
        file_printf(w, "%s\t%s\n", d->lines.at[i].key, d->lines.at[i].hash);
    return file_commit(w, e);
}

enum status digest_write(const struct digest *d, const char *path, const char *experiment,
                         struct error *e) {
    if (d->by_stream || d->lines.len <= DIGEST_ROWS)
        return write_lines(d, path, experiment, e);
    struct digest streams;
    enum status status = digest_by_stream(&streams, d, e);
    if (status == STATUS_OK)
        status = write_lines(&streams, path, experiment, e);
    digest_free(&streams);
    return status;
}

void digest_free(struct digest *d) {
    for (size_t i = 0; i < d->lines.len; i++)
        free(d->lines.at[i].key);
    vec_free(&d->lines);
    *d = (struct digest){0};
}

/* ---- comparing ---- */

/* Finds lines by key and by stream; there are thousands of each. */
struct index {
    const struct digest *digest;
    struct map keys, streams; /* hash -> 1 + index of its first line */
};

static bool index_make(struct index *x, const struct digest *d) {
    *x = (struct index){.digest = d};
    for (size_t i = 0; i < d->lines.len; i++) {
        const char *key = d->lines.at[i].key;
        uint64_t *line = map_at(&x->keys, fnv1a64(key, strlen(key)));
        uint64_t *stream =
            line != NULL ? map_at(&x->streams, fnv1a64(key, stream_length(key))) : NULL;
        if (stream == NULL)
            return false;
        *line = *line != 0 ? *line : i + 1;
        *stream = *stream != 0 ? *stream : i + 1;
    }
    return true;
}

static void index_free(struct index *x) {
    map_free(&x->keys);
    map_free(&x->streams);
}

/* The key's first line, or NULL. Treats keys with equal hashes as equal; two keys collide with
 * probability 2^-64. */
static const struct digest_line *find_key(const struct index *x, const char *key) {
    const uint64_t *at = map_find(&x->keys, fnv1a64(key, strlen(key)));
    const struct digest_line *line = at != NULL ? &x->digest->lines.at[*at - 1] : NULL;
    return line != NULL && strcmp(line->key, key) == 0 ? line : NULL;
}

static bool has_stream(const struct index *x, const char *key) {
    const uint64_t *at = map_find(&x->streams, fnv1a64(key, stream_length(key)));
    return at != NULL && same_stream(x->digest->lines.at[*at - 1].key, key);
}

/* True if this is the first line of its stream. */
static bool begins_stream(const struct index *x, size_t line) {
    const char *key = x->digest->lines.at[line].key;
    const uint64_t *at = map_find(&x->streams, fnv1a64(key, stream_length(key)));
    return at != NULL && *at == line + 1;
}

static enum digest_verdict compare(const struct index *ours, const struct index *expected,
                                   const char **key) {
    for (size_t i = 0; i < ours->digest->lines.len; i++) {
        *key = ours->digest->lines.at[i].key;
        const struct digest_line *line = find_key(expected, *key);
        if (line == NULL && has_stream(expected, *key))
            return DIGEST_UNEXPECTED;
        if (line != NULL && strcmp(line->hash, ours->digest->lines.at[i].hash) != 0)
            return DIGEST_CHANGED;
    }
    for (size_t i = 0; i < expected->digest->lines.len; i++) {
        *key = expected->digest->lines.at[i].key;
        if (has_stream(ours, *key) && find_key(ours, *key) == NULL)
            return DIGEST_MISSING;
    }
    *key = NULL;
    return DIGEST_SAME;
}

enum status digest_compare(const struct digest *ours, const struct digest *expected,
                           enum digest_verdict *verdict, const char **key, size_t *compared,
                           size_t *others, struct error *e) {
    struct index a, b = {0};
    *key = NULL;
    *compared = *others = 0;
    bool ok = index_make(&a, ours) && index_make(&b, expected);
    for (size_t i = 0; ok && i < ours->lines.len; i++)
        if (begins_stream(&a, i))
            ++*(has_stream(&b, ours->lines.at[i].key) ? compared : others);
    *verdict = ok ? compare(&a, &b, key) : DIGEST_MISSING;
    index_free(&a);
    index_free(&b);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}
