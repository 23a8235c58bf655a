/* Compares a sweep's results with its configuration's digest file. */
#include "commands/sweep/sweep_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OTHER_IMAGE = 5000 };

void sweep_say(const struct sweep *s, const char *format, ...) {
    if (s->json)
        return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

/* ---- what is complete ---- */

/* Names for digest_part(). */
struct names {
    VEC(char *) list;
};

static void free_names(struct names *n) {
    for (size_t i = 0; i < n->list.len; i++)
        free(n->list.at[i]);
    vec_free(&n->list);
}

/* Adds the game, or one of its streams. */
static enum status add_name(struct names *n, const char *game, const struct plan_stream *stream,
                            struct error *e) {
    const char *const variant = stream != NULL ? stream->variant : "";
    char *name;
    if (asprintf(&name, "%s%s%s%s", game, variant[0] != '\0' ? "@" : "", variant,
                 stream != NULL ? "/" : "") >= 0) {
        if (vec_push(&n->list, name))
            return STATUS_OK;
        free(name);
    }
    return error_set(e, STATUS_MEMORY, "out of memory");
}

static bool is_complete(const struct plan_game *p) {
    return p->wanted && p->present && p->missing + p->left == 0;
}

/* True if the game is complete, with all of its movies. */
static bool is_whole(const struct sweep *s, const struct config_game *game) {
    bool any = false;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (p->game == game && !is_complete(p))
            return false;
        any |= p->game == game;
    }
    return any;
}

/* Adds the complete streams of an incomplete game. */
static enum status add_streams(struct names *n, const struct plan_game *p, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t k = 0; status == STATUS_OK && k < p->stream_count; k++)
        if (p->streams[k].wanted && p->streams[k].missing + p->streams[k].left == 0)
            status = add_name(n, p->game->name, &p->streams[k], e);
    return status;
}

enum status sweep_take_digests(const struct sweep *s, struct digest *whole, struct digest *all,
                               struct error *e) {
    struct names names = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->config.games.len; i++)
        if (is_whole(s, &s->config.games.at[i]))
            status = add_name(&names, s->config.games.at[i].name, NULL, e);
    if (status == STATUS_OK)
        status = digest_take(all, s->db, s->config.name, e);
    if (status == STATUS_OK)
        status = digest_part(whole, all, (const char *const *)names.list.at, names.list.len, e);
    free_names(&names);
    return status;
}

/* The first game that is present but incomplete, or NULL. */
static const char *find_lacking(const struct sweep *s) {
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        if (p->wanted && p->present && p->missing + p->left != 0)
            return p->game->name;
    }
    return NULL;
}

/* The filter as on the command line: "--games umbel --where bin_size=8". NULL: out of memory. */
static char *describe_filter(const struct sweep *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    if (s->game_list != NULL)
        fprintf(out, " --games %s", s->game_list);
    if (s->technique_list != NULL)
        fprintf(out, " --techniques %s", s->technique_list);
    for (size_t i = 0; i < s->where.items.len; i++)
        fprintf(out, " --where %s", s->where.items.at[i]);
    if (fclose(out) != 0 || size == 0) {
        free(text);
        return NULL;
    }
    memmove(text, text + 1, size); /* removes the first blank */
    return text;
}

enum status sweep_say_digest(struct sweep *s, const struct digest *whole, const struct digest *all,
                             struct error *e) {
    struct digest part = {0};
    const bool filtered =
        s->filter.game_count + s->filter.technique_count + s->filter.where_count > 0;
    const bool in_part = filtered || find_lacking(s) != NULL;
    if (in_part)
        s->part = filtered ? describe_filter(s) : strdup("the complete games");
    if (in_part && s->part == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    enum status status = filtered ? digest_of_filter(&part, all, &s->plan, e) : STATUS_OK;
    const struct digest *const d = filtered ? &part : whole;
    if (status == STATUS_OK && d->lines.len == 0) {
        sweep_say(s, "no digest: there are no results\n");
    } else if (status == STATUS_OK) {
        memcpy(s->digest, d->total, sizeof s->digest);
        sweep_say(s, in_part ? "digest of this part (%s): %s\n" : "digest %s%s\n",
                  in_part ? s->part : "", d->total);
    }
    digest_free(&part);
    return status;
}

/* Results depend on the exact bytes of the executed files. Programs whose images differ from those
 * in the configuration are not compared, with a message. */
static enum status take_comparable(const struct sweep *s, const struct digest *all,
                                   struct digest *comparable, struct error *e) {
    struct names names = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < s->plan.count; i++) {
        const struct plan_game *p = &s->plan.games[i];
        char other[OTHER_IMAGE] = "";
        if (!p->wanted || !p->present)
            continue;
        const bool whole = is_whole(s, p->game);
        if (whole || p->game->program != NULL)
            status = plan_other_image(p, s->db, other, sizeof other, e);
        if (status == STATUS_OK && other[0] != '\0')
            sweep_say(s, "not compared: %s: %s\n", p->label, other);
        else if (status == STATUS_OK)
            status = whole ? add_name(&names, p->game->name, NULL, e) : add_streams(&names, p, e);
    }
    if (status == STATUS_OK)
        status =
            digest_part(comparable, all, (const char *const *)names.list.at, names.list.len, e);
    memcpy(comparable->definition, s->config.definition_hash, sizeof comparable->definition);
    free_names(&names);
    return status;
}

/* ---- the verdict ---- */

/* The unit of a digest: games, or streams if a game has several. */
static const char *unit_of(const struct digest *d, size_t count) {
    for (size_t i = 0; i < d->lines.len; i++)
        if (d->lines.at[i].key[strcspn(d->lines.at[i].key, "@/")] == '@')
            return count == 1 ? "stream" : "streams";
    return count == 1 ? "game" : "games";
}

static enum status judge(struct sweep *s, const struct digest *ours, const struct digest *expected,
                         struct error *e) {
    static const char *const what[] = {
        [DIGEST_CHANGED] = "differs from the expected result",
        [DIGEST_MISSING] = "is expected but missing",
        [DIGEST_UNEXPECTED] = "is not expected",
    };
    const char *const path = s->digest_file;
    const char *key;
    enum digest_verdict verdict;
    enum status status =
        digest_compare(ours, expected, &verdict, &key, &s->compared, &s->others, e);
    if (status != STATUS_OK)
        return status;
    if (verdict != DIGEST_SAME) {
        s->verdict = "not reproduced";
        return error_set(e, STATUS_FORMAT, "not reproduced: %s %s (%s)", key, what[verdict], path);
    }
    if (s->compared == 0) {
        sweep_say(s, "not compared: %s has none of these games\n", path);
        return STATUS_OK;
    }
    s->verdict = "reproduced";
    sweep_say(s, "reproduced: %zu %s as in %s\n", s->compared, unit_of(ours, s->compared), path);
    if (s->others > 0)
        sweep_say(s, "not compared: %zu %s that it does not have\n", s->others,
                  unit_of(ours, s->others));
    return STATUS_OK;
}

static enum status judge_rows(struct sweep *s, const struct digest *ours,
                              const struct digest *expected, struct error *e) {
    s->verdict = "not compared";
    if (strcmp(ours->definition, expected->definition) != 0) {
        sweep_say(s, "not compared: %s belongs to another definition of the experiment\n",
                  s->digest_file);
        return STATUS_OK;
    }
    if (!expected->by_stream)
        return judge(s, ours, expected, e);
    struct digest streams;
    enum status status = digest_by_stream(&streams, ours, e);
    if (status == STATUS_OK)
        status = judge(s, &streams, expected, e);
    digest_free(&streams);
    return status;
}

static enum status update(struct sweep *s, struct digest *whole, struct error *e) {
    const char *const path = s->digest_file, *const lacking = find_lacking(s);
    if (lacking != NULL)
        return error_set(e, STATUS_ARGUMENT, "%s: not written: %s lacks results, see above", path,
                         lacking);
    memcpy(whole->definition, s->config.definition_hash, sizeof whole->definition);
    enum status status = digest_write(whole, path, s->config.name, e);
    if (status == STATUS_OK) {
        s->verdict = "written";
        sweep_say(s, "wrote %s\n", path);
    }
    return status;
}

enum status sweep_judge(struct sweep *s, struct digest *whole, const struct digest *all,
                        struct error *e) {
    const char *const path = s->digest_file = digest_path(s->config_path);
    if (path == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (s->update_digest)
        return update(s, whole, e);
    if (access(path, F_OK) != 0) {
        s->verdict = "not compared";
        sweep_say(s, "not compared: there is no %s\n", path);
        return STATUS_OK;
    }
    struct digest expected = {0}, comparable = {0};
    enum status status = digest_read(&expected, path, e);
    if (status == STATUS_OK)
        status = take_comparable(s, all, &comparable, e);
    if (status == STATUS_OK)
        status = judge_rows(s, &comparable, &expected, e);
    digest_free(&comparable);
    digest_free(&expected);
    return status;
}
