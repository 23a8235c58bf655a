#include "experiment/plan/groups.h"

#include <stdlib.h>
#include <string.h>

/* Adds a group; copies the points. */
static bool add_group(struct groups *g, size_t stream, const size_t *points, size_t count) {
    struct group_of_points group = {
        .stream = stream, .points = malloc(count * sizeof *points), .count = count};
    if (group.points == NULL)
        return false;
    memcpy(group.points, points, count * sizeof *points);
    if (vec_push(&g->list, group))
        return true;
    free(group.points);
    return false;
}

/* numbers[i] is the number of the group that gets points[i]. */
static bool add_groups(struct groups *g, size_t stream, const size_t *points, size_t count,
                       const size_t *numbers, size_t group_count) {
    size_t *members = calloc(count, sizeof *members);
    bool ok = members != NULL;
    for (size_t group = 0; ok && group < group_count; group++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (numbers[i] == group)
                members[n++] = points[i];
        ok = add_group(g, stream, members, n);
    }
    free(members);
    return ok;
}

/* All points belong to one technique. */
static bool divide(struct groups *g, size_t stream, const struct config *config,
                   const size_t *points, size_t count, bool together) {
    const int64_t **values = calloc(count, sizeof *values);
    size_t *numbers = calloc(count, sizeof *numbers), group_count = count;
    bool ok = values != NULL && numbers != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        values[i] = config->points.at[points[i]].values;
        numbers[i] = i;
    }
    if (ok && together)
        group_count =
            technique_group(config->points.at[points[0]].technique, values, count, numbers);
    ok =
        ok && group_count != SIZE_MAX && add_groups(g, stream, points, count, numbers, group_count);
    free(values);
    free(numbers);
    return ok;
}

static bool divide_stream(struct groups *g, const struct plan *plan, const struct plan_game *game,
                          size_t stream, bool together) {
    const struct config *config = plan->config;
    const size_t count = config->points.len;
    size_t *points = calloc(count + 1, sizeof *points);
    bool *taken = calloc(count + 1, sizeof *taken);
    bool ok = points != NULL && taken != NULL;
    for (size_t i = 0; ok && i < count; i++)
        taken[i] = plan_due(plan, &game->streams[stream], i) == 0;
    for (size_t first = 0; ok && first < count; first++) {
        if (taken[first])
            continue;
        size_t n = 0;
        for (size_t i = first; i < count; i++)
            if (!taken[i] && config->points.at[i].technique == config->points.at[first].technique) {
                points[n++] = i;
                taken[i] = true;
            }
        ok = divide(g, stream, config, points, n, together);
    }
    free(points);
    free(taken);
    return ok;
}

enum status groups_make(struct groups *out, const struct plan *plan, const struct plan_game *game,
                        bool together, struct error *e) {
    bool ok = true;
    *out = (struct groups){0};
    for (size_t i = 0; ok && i < game->stream_count; i++)
        ok = divide_stream(out, plan, game, i, together);
    if (ok)
        return STATUS_OK;
    groups_free(out);
    return error_set(e, STATUS_MEMORY, "out of memory");
}

void groups_free(struct groups *g) {
    for (size_t i = 0; i < g->list.len; i++)
        free(g->list.at[i].points);
    vec_free(&g->list);
}
