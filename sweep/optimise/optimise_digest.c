#include "optimise/optimise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimise/layout_rows.h"

/* Without times and i1_misses: the host's processor decides which of the C library's functions a
 * program uses. */
static const char rows_sql[] =
    "SELECT kind, technique, sampling, inferred, observed, predicted, overlap, lines, taken, jumps,"
    " instructions, bytes, stale FROM bolt_layout WHERE bolt_program_id = ?"
    " ORDER BY kind, technique, sampling, inferred";
static const char stale_sql[] =
    "SELECT stale, kind, technique, sampling, inferred FROM bolt_layout WHERE bolt_program_id = ?"
    " AND stale > 0 ORDER BY kind, technique, sampling, inferred";

struct lines {
    struct digest *digest;
    const char *program;
};

static enum status add(void *user, size_t columns, const char *const *names,
                       const char *const *values, struct error *e) {
    (void)names;
    const struct lines *to = user;
    struct digest_line line = {0};
    struct hash *h = hash_start();
    for (size_t i = 4; i < columns; i++)
        hash_add(h, "%s\t", values[i] != NULL ? values[i] : "-");
    const bool ok =
        hash_finish(h, line.hash) &&
        asprintf(&line.key, "%s/%s%s%s%s%s%s", to->program, values[0],
                 values[1][0] != '\0' ? " " : "", values[1], values[2][0] != '\0' ? ", " : "",
                 values[2], values[3][0] == '1' ? ", inferred" : "") >= 0 &&
        vec_push(&to->digest->lines, line);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

/* Everything but the programs that determines the rows. */
static enum status define(struct digest *d, const struct config *c, const struct tools *t,
                          struct error *e) {
    struct hash *h = hash_start();
    hash_add(h, "%s\nbolt %s\nqemu %s\n", c->definition_hash, t->about, t->qemu);
    for (size_t i = 0; i < c->budgets.len; i++) {
        const struct config_budget *b = &c->budgets.at[i];
        hash_add(h, "%d %" PRIu64 " %u %" PRIu64, b->transfers, b->every, b->batch, b->seed);
        if (b->stack > 0)
            hash_add(h, " stack %u", b->stack);
        hash_add(h, "\n");
    }
    return hash_finish(h, d->definition) ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

/* Is the program's file the one that its entry names, if it names one? */
static bool is_pinned(const struct config_game *game, const char *hash) {
    char *const *images = game->program->images;
    bool pinned = images == NULL;
    for (size_t i = 0; images != NULL && images[i] != NULL; i++)
        pinned |= strncmp(images[i], hash, 32) == 0;
    return pinned;
}

static bool is_there(const struct config_game *game) {
    char path[QEMU_PATH];
    if (game->program == NULL)
        return false;
    qemu_program_path(game->program->folder, game->program->command[0], path);
    return qemu_can_record(path, NULL) == STATUS_OK;
}

enum status optimise_digest(struct digest *out, struct db *db, const struct config *config,
                            char *others, size_t size, struct error *e) {
    struct tools tools;
    *out = (struct digest){0};
    others[0] = '\0';
    enum status status = tools_find(&tools, NULL, e);
    if (status == STATUS_OK)
        status = define(out, config, &tools, e);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++) {
        const struct config_game *game = &config->games.at[i];
        struct program_name name;
        if (!is_there(game))
            continue;
        status = program_name(&name, game, &tools, e);
        const size_t len = strlen(others);
        if (status == STATUS_OK && !is_pinned(game, name.hash))
            snprintf(others + len, size - len, "%s%s", len > 0 ? ", " : "", game->name);
        else if (status == STATUS_OK)
            status = db_query(db, rows_sql, add, &(struct lines){out, game->name}, e, "i", name.id);
    }
    return digest_add_up(out, status, e);
}

/* ---- stale profiles ---- */

struct stale {
    const char *program;
    int64_t *count;
    char *example;
    size_t size;
};

static enum status note_stale(void *user, size_t columns, const char *const *names,
                              const char *const *values, struct error *e) {
    (void)columns, (void)names, (void)e;
    const struct stale *s = user;
    if (*s->count == 0)
        snprintf(s->example, s->size, "%s: %s%s%s%s%s%s", s->program, values[1],
                 values[2][0] != '\0' ? ", " : "", values[2], values[3][0] != '\0' ? ", " : "",
                 values[3], values[4][0] == '1' ? ", falls inferred" : "");
    *s->count += strtoll(values[0], NULL, 10);
    return STATUS_OK;
}

enum status optimise_count_stale(struct db *db, const struct config *config, int64_t *count,
                                 char *example, size_t size, struct error *e) {
    struct tools tools;
    *count = 0;
    enum status status = tools_find(&tools, NULL, e);
    for (size_t i = 0; status == STATUS_OK && i < config->games.len; i++) {
        struct stale s = {config->games.at[i].name, count, example, size};
        struct program_name name;
        if (!is_there(&config->games.at[i]))
            continue;
        status = program_name(&name, &config->games.at[i], &tools, e);
        if (status == STATUS_OK)
            status = db_query(db, stale_sql, note_stale, &s, e, "i", name.id);
    }
    return status;
}
