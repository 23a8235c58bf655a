#include "experiment/groups.h"

#include <stdlib.h>
#include <string.h>

bool point_is_missing(const struct config *config, const struct plan_game *game, size_t point) {
    const struct plan_point *p = &game->points[point];
    const bool curve = config->points.at[point].label != NULL;
    return !p->unfit && !p->elsewhere && (!p->has_result || (curve && !p->has_curve));
}

/* The points are copied. */
static bool add_group(struct groups *g, const size_t *points, size_t count) {
    struct group_of_points group = {.points = malloc(count * sizeof *points), .count = count};
    if (group.points == NULL)
        return false;
    memcpy(group.points, points, count * sizeof *points);
    if (vec_push(&g->list, group))
        return true;
    free(group.points);
    return false;
}

/* numbers[i] is the number of the group of points[i]. */
static bool add_groups(struct groups *g, const size_t *points, size_t count, const size_t *numbers,
                       size_t group_count) {
    size_t *members = calloc(count, sizeof *members);
    bool ok = members != NULL;
    for (size_t group = 0; ok && group < group_count; group++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (numbers[i] == group)
                members[n++] = points[i];
        ok = add_group(g, members, n);
    }
    free(members);
    return ok;
}

/* The points are of one technique. */
static bool divide(struct groups *g, const struct config *config, const size_t *points,
                   size_t count, bool together) {
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
    ok = ok && group_count != SIZE_MAX && add_groups(g, points, count, numbers, group_count);
    free(values);
    free(numbers);
    return ok;
}

enum status groups_make(struct groups *out, const struct config *config,
                        const struct plan_game *game, bool together, struct error *e) {
    const size_t count = config->points.len;
    size_t *points = calloc(count + 1, sizeof *points);
    bool *taken = calloc(count + 1, sizeof *taken);
    bool ok = points != NULL && taken != NULL;
    *out = (struct groups){0};
    for (size_t i = 0; ok && i < count; i++)
        taken[i] = !point_is_missing(config, game, i);
    for (size_t first = 0; ok && first < count; first++) {
        size_t n = 0;
        for (size_t i = first; i < count; i++)
            if (!taken[i] && config->points.at[i].technique == config->points.at[first].technique) {
                points[n++] = i;
                taken[i] = true;
            }
        ok = n == 0 || divide(out, config, points, n, together);
    }
    free(points);
    free(taken);
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
