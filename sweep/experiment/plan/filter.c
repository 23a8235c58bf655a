#include "experiment/plan/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A parsed "NAME=VALUE,VALUE". */
struct condition {
    char *name; /* the = is replaced by NUL */
    char *values;
    bool of_points, of_streams; /* a point or a stream has a NAME */
    bool met;                   /* by at least one of them */
};

/* ---- values ---- */

/* True if text is one of "VALUE,VALUE,...". */
static bool is_listed(const char *values, const char *text) {
    const size_t len = strlen(text);
    for (const char *at = values; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == len && strncmp(at, text, len) == 0)
            return true;
    }
    return false;
}

static bool in_names(const char *const *names, size_t count, const char *name) {
    bool in = count == 0;
    for (size_t i = 0; i < count; i++)
        in |= strcmp(names[i], name) == 0;
    return in;
}

/* Writes a parameter's value as text. False: the technique has no such parameter. */
static bool point_value(const struct config_point *p, const char *name, char *out, size_t size) {
    for (int i = 0; i < TECHNIQUE_PARAMETERS && p->technique->parameters[i].name != NULL; i++) {
        if (strcmp(p->technique->parameters[i].name, name) != 0)
            continue;
        const char *word = config_word(p, i);
        if (word != NULL)
            snprintf(out, size, "%s", word);
        else
            snprintf(out, size, "%" PRId64, p->values[i]);
        return true;
    }
    return false;
}

/* The same for a key of a stream's sampling. A movie's value is its file name. */
static bool stream_value(const struct plan_game *g, const struct plan_stream *s, const char *name,
                         char *out, size_t size) {
    if (strcmp(name, "movie") == 0 && g->movie_path != NULL) {
        const char *slash = strrchr(g->movie_path, '/');
        snprintf(out, size, "%s", slash != NULL ? slash + 1 : g->movie_path);
        char *dot = strrchr(out, '.');
        if (dot != NULL && dot > out)
            *dot = '\0';
        return true;
    }
    struct sampling_word words[SAMPLING_WORDS];
    const size_t count = s->configured != NULL ? config_words(s->configured, words) : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].name, name) == 0) {
            snprintf(out, size, "%s", words[i].value);
            return true;
        }
    return false;
}

/* ---- conditions ---- */

static void restrict_points(struct plan *p, struct condition *c) {
    char value[200];
    for (size_t i = 0; i < p->config->points.len; i++)
        c->of_points |= point_value(&p->config->points.at[i], c->name, value, sizeof value);
    for (size_t i = 0; c->of_points && i < p->config->points.len; i++) {
        const struct config_point *point = &p->config->points.at[i];
        if (point->number < 0)
            continue;
        const bool holds =
            point_value(point, c->name, value, sizeof value) && is_listed(c->values, value);
        c->met |= holds;
        p->wanted[i] &= holds;
    }
}

static void restrict_streams(struct plan *p, struct condition *c) {
    char value[200];
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->games[i].stream_count; k++)
            c->of_streams |=
                stream_value(&p->games[i], &p->games[i].streams[k], c->name, value, sizeof value);
    for (size_t i = 0; c->of_streams && i < p->count; i++)
        for (size_t k = 0; k < p->games[i].stream_count; k++) {
            struct plan_stream *s = &p->games[i].streams[k];
            const bool holds = stream_value(&p->games[i], s, c->name, value, sizeof value) &&
                               is_listed(c->values, value);
            c->met |= holds;
            s->wanted &= holds;
        }
}

enum status plan_check_condition(const char *text, struct error *e) {
    const char *equals = strchr(text, '='), *values = equals != NULL ? equals + 1 : "";
    if (equals == text || values[0] == '\0' || values[0] == ',' ||
        values[strlen(values) - 1] == ',' || strstr(values, ",,") != NULL)
        return error_set(e, STATUS_ARGUMENT, "takes NAME=VALUE[,VALUE...], not '%s'", text);
    return STATUS_OK;
}

static enum status apply_condition(struct plan *p, const char *text, struct error *e) {
    enum status status = plan_check_condition(text, e);
    if (status != STATUS_OK)
        return status;
    const char *equals = strchr(text, '=');
    struct condition c = {.name = strdup(text)};
    if (c.name == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    c.name[equals - text] = '\0';
    c.values = c.name + (equals - text) + 1;
    restrict_points(p, &c);
    restrict_streams(p, &c);
    if (!c.of_points && !c.of_streams)
        status = error_set(e, STATUS_ARGUMENT,
                           "%s: nothing in it has a '%s': --where takes a parameter of its "
                           "techniques, a key of its samplings, or 'movie'",
                           p->config->path, c.name);
    else if (!c.met)
        status = error_set(e, STATUS_ARGUMENT, "%s: nothing in it has %s", p->config->path, text);
    free(c.name);
    return status;
}

/* ---- names ---- */

/* Writes "gaussian, observed". */
static void list_techniques(const struct config *c, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < c->points.len && used < size; i++) {
        const char *name = c->points.at[i].technique->name;
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= c->points.at[k].technique == c->points.at[i].technique;
        if (!before)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
}

static enum status check_names(const struct plan *p, const struct plan_filter *f, struct error *e) {
    for (size_t i = 0; i < f->game_count; i++)
        if (config_find_game(p->config, f->games[i]) == NULL)
            return error_set(e, STATUS_ARGUMENT, "%s: has no game named '%s'", p->config->path,
                             f->games[i]);
    for (size_t i = 0; i < f->technique_count; i++) {
        bool has = false;
        for (size_t k = 0; k < p->config->points.len; k++)
            has |= strcmp(p->config->points.at[k].technique->name, f->techniques[i]) == 0;
        if (has)
            continue;
        char known[300] = "none";
        list_techniques(p->config, known, sizeof known);
        return error_set(e, STATUS_ARGUMENT, "%s: has no technique '%s' in its grid, but %s",
                         p->config->path, f->techniques[i], known);
    }
    return STATUS_OK;
}

/* A game without a wanted stream is not wanted either. */
static bool has_wanted_stream(const struct plan_game *g) {
    for (size_t i = 0; i < g->stream_count; i++)
        if (g->streams[i].wanted)
            return true;
    return false;
}

enum status filter_apply(struct plan *p, const struct plan_filter *filter, struct error *e) {
    const struct plan_filter all = {0}, *f = filter != NULL ? filter : &all;
    enum status status = check_names(p, f, e);
    for (size_t i = 0; i < p->config->points.len; i++) {
        const struct config_point *point = &p->config->points.at[i];
        p->wanted[i] = point->number < 0 ||
                       in_names(f->techniques, f->technique_count, point->technique->name);
    }
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->games[i].stream_count; k++)
            p->games[i].streams[k].wanted = true;
    for (size_t i = 0; status == STATUS_OK && i < f->where_count; i++)
        status = apply_condition(p, f->where[i], e);
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *g = &p->games[i];
        g->wanted = in_names(f->games, f->game_count, g->game->name) && has_wanted_stream(g);
    }
    return status;
}
