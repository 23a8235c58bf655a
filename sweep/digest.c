#include "sweep/digest.h"

#include "sweep/hash.h"

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

enum status digest_take(struct digest *out, struct db *db, const char *const *games,
                        size_t game_count, struct error *e) {
    *out = (struct digest){0};
    enum status status = db_digest(db, games, game_count, add_line, out, e);
    struct hash *total = hash_start();
    for (size_t i = 0; i < out->lines.len; i++)
        hash_add(total, "%s\t%s\n", out->lines.at[i].key, out->lines.at[i].hash);
    if (!hash_finish(total, out->total) && status == STATUS_OK)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK)
        digest_free(out);
    return status;
}

/* "key<tab>hash" without its newline. */
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

enum status digest_write(const struct digest *d, const char *path, const char *experiment,
                         struct error *e) {
    struct file_writer *w;
    enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    file_printf(w,
                "# What the experiment '%s' finds: xxh3-128 of each row, timings left out.\n"
                "# A sweep compares itself with this file; --update-digest writes it.\n",
                experiment);
    file_printf(w, "definition\t%s\n", d->definition);
    for (size_t i = 0; i < d->lines.len; i++)
        file_printf(w, "%s\t%s\n", d->lines.at[i].key, d->lines.at[i].hash);
    return file_commit(w, e);
}

void digest_free(struct digest *d) {
    for (size_t i = 0; i < d->lines.len; i++)
        free(d->lines.at[i].key);
    vec_free(&d->lines);
    *d = (struct digest){0};
}

/* ---- comparing ---- */

static size_t game_length(const char *key) {
    return strcspn(key, "/");
}

static bool same_game(const char *a, const char *b) {
    size_t len = game_length(a);
    return len == game_length(b) && memcmp(a, b, len) == 0;
}

/* The lines of one game: from *first, *count of them. */
static bool find_game(const struct digest *d, const char *game, size_t *first, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < d->lines.len; i++)
        if (same_game(d->lines.at[i].key, game)) {
            if (*count == 0)
                *first = i;
            ++*count;
        }
    return *count > 0;
}

static const struct digest_line *find_key(const struct digest_line *lines, size_t count,
                                          const char *key) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(lines[i].key, key) == 0)
            return &lines[i];
    return NULL;
}

static enum digest_verdict compare_game(const struct digest_line *ours, size_t our_count,
                                        const struct digest_line *expected, size_t expected_count,
                                        const char **key) {
    for (size_t i = 0; i < our_count; i++) {
        const struct digest_line *line = find_key(expected, expected_count, ours[i].key);
        *key = ours[i].key;
        if (line == NULL)
            return DIGEST_UNEXPECTED;
        if (strcmp(line->hash, ours[i].hash) != 0)
            return DIGEST_CHANGED;
    }
    for (size_t i = 0; i < expected_count; i++) {
        *key = expected[i].key;
        if (find_key(ours, our_count, *key) == NULL)
            return DIGEST_MISSING;
    }
    return DIGEST_SAME;
}

enum digest_verdict digest_compare(const struct digest *ours, const struct digest *expected,
                                   const char **key, size_t *compared, size_t *others) {
    *key = NULL;
    *compared = *others = 0;
    size_t count;
    for (size_t i = 0; i < ours->lines.len; i += count) {
        size_t mine, first, expected_count;
        const char *game = ours->lines.at[i].key;
        find_game(ours, game, &mine, &count);
        if (!find_game(expected, game, &first, &expected_count)) {
            ++*others;
            continue;
        }
        ++*compared;
        enum digest_verdict verdict = compare_game(&ours->lines.at[i], count,
                                                   &expected->lines.at[first], expected_count, key);
        if (verdict != DIGEST_SAME)
            return verdict;
    }
    return DIGEST_SAME;
}
