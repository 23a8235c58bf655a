/* GFCGaussiano for many configurations at once: grouping, the pass over the stream, profiles. */
#include "profile/gaussian/gaussian_many.h"
#include "profile/gaussian/batch_windows.h"
#include "profile/gaussian/bins.h"
#include "profile/technique.h"

#include <stdlib.h>
#include <string.h>

/* ---- grouping ---- */

struct sortable {
    const int64_t *values;
    size_t number;
};

/* Sorts by what configurations share: windows, then bins, then low batches. */
static int by_sharing(const void *a, const void *b) {
    static const int order[] = {WINDOW_SIZE, STDEV_THRESHOLD, BIN_SIZE, RECURRENT_THRESHOLD,
                                BUILDER};
    const struct sortable *x = a, *y = b;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const int64_t p = x->values[order[i]], q = y->values[order[i]];
        if (p != q)
            return p < q ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static bool same_bins(const int64_t *a, const int64_t *b) {
    return a[WINDOW_SIZE] == b[WINDOW_SIZE] && a[STDEV_THRESHOLD] == b[STDEV_THRESHOLD] &&
           a[BIN_SIZE] == b[BIN_SIZE];
}

/* Returns how many of the sorted configurations from `at` on form one group. They have the same
 * window size; those that share bins stay together if possible. */
static size_t group_end(const struct sortable *sorted, size_t at, size_t count) {
    size_t end = at, whole = at; /* whole: after the last evolution that fits */
    while (end < count && end - at < GROUP_MOST &&
           sorted[end].values[WINDOW_SIZE] == sorted[at].values[WINDOW_SIZE]) {
        end++;
        if (end == count || !same_bins(sorted[end].values, sorted[end - 1].values))
            whole = end;
    }
    return whole > at ? whole : end;
}

static struct sortable *sort_points(const int64_t *const *values, size_t count) {
    struct sortable *sorted = malloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < count; i++)
        sorted[i] = (struct sortable){values[i], i};
    if (sorted != NULL)
        qsort(sorted, count, sizeof *sorted, by_sharing);
    return sorted;
}

size_t gaussian_group(const int64_t *const *values, size_t count, size_t *groups) {
    struct sortable *sorted = sort_points(values, count);
    if (sorted == NULL)
        return SIZE_MAX;
    size_t number = 0;
    for (size_t at = 0; at < count; number++)
        for (size_t end = group_end(sorted, at, count); at < end; at++)
            groups[sorted[at].number] = number;
    free(sorted);
    return number;
}

/* ---- preparation ---- */

static unsigned class_of(struct group *g, uint64_t threshold) {
    unsigned i = 0;
    while (i + 1 < g->level_count && g->thresholds[i] != threshold)
        i++;
    if (i + 1 == g->level_count)
        g->thresholds[g->level_count++ - 1] = threshold;
    return i;
}

/* Points are sorted by threshold, and those that share bins are adjacent. */
static void add_configurations(struct group *g, const struct sortable *sorted, size_t count) {
    g->level_count = 1;
    g->configuration_count = count;
    for (size_t c = 0; c < count; c++) {
        const int64_t *values = sorted[c].values;
        const set bit = (set)1 << c;
        g->points[c] = sorted[c].number;
        g->all |= bit;
        if (values[BUILDER] == 1)
            g->anywhere |= bit;
        if (c == 0 || !same_bins(values, sorted[c - 1].values))
            g->evolutions[g->evolution_count++].bin_size = (uint64_t)values[BIN_SIZE];
        struct configuration *own = &g->configurations[c];
        own->threshold = (uint64_t)values[RECURRENT_THRESHOLD];
        own->class = class_of(g, (uint64_t)values[STDEV_THRESHOLD]);
        own->evolution = (unsigned)g->evolution_count - 1;
        g->evolutions[own->evolution].bits |= bit;
        for (unsigned level = 0; level <= own->class; level++)
            g->low[level] |= bit;
    }
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the distinct means of all batches, and replaces every mean by its index in that list. */
static bool number_means(struct group *g) {
    const size_t count = g->index->batch_count * g->window_count;
    struct cells cells = {.cell_size = sizeof(uint32_t)};
    VEC(uint32_t) values = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t *cell = cells_at(&cells, g->means[i]);
        ok = cell != NULL && (*cell != 0 || vec_push(&values, g->means[i]));
        if (ok)
            *cell = 1;
    }
    if (ok && values.len > 0)
        qsort(values.at, values.len, sizeof *values.at, by_number);
    for (size_t i = 0; ok && i < values.len; i++)
        *(uint32_t *)cells_at(&cells, values.at[i]) = (uint32_t)i;
    for (size_t i = 0; ok && i < count; i++)
        g->means[i] = *(const uint32_t *)cells_at(&cells, g->means[i]);
    cells_free(&cells);
    g->mean_values = values.at;
    g->mean_count = values.len;
    return ok;
}

static bool find_means(struct group *g) {
    const struct stream *stream = g->request->stream;
    const size_t count = g->index->batch_count;
    g->level = calloc(count + 1, sizeof *g->level);
    g->means = malloc((count * g->window_count + 1) * sizeof *g->means);
    if (g->level == NULL || g->means == NULL)
        return false;
    for (size_t b = 0; b < count; b++) {
        uint32_t *means = g->means + b * g->window_count;
        window_means(means, stream->batches + b * g->length, g->length, g->window);
        const unsigned __int128 spread = window_spread(means, g->window_count);
        while (g->level[b] + 1u < g->level_count &&
               !spread_is_low(spread, g->window_count, g->thresholds[g->level[b]]))
            g->level[b]++;
    }
    return number_means(g);
}

static bool allocate_sets(struct group *g) {
    const size_t places = g->index->place_count + 1;
    set **const by_place[] = {&g->target, &g->owned, &g->recurrent, &g->known,
                              &g->calm,   &g->done,  &g->known_near};
    set **const by_mean[] = {&g->kept, &g->voted, &g->kept_near};
    bool ok = true;
    for (size_t i = 0; i < sizeof by_place / sizeof by_place[0]; i++)
        ok = (*by_place[i] = calloc(places, sizeof(set))) != NULL && ok;
    for (size_t i = 0; i < sizeof by_mean / sizeof by_mean[0]; i++)
        ok = (*by_mean[i] = calloc(g->mean_count + 1, sizeof(set))) != NULL && ok;
    g->clear = calloc(g->index->passage_count + 1, sizeof *g->clear);
    return ok && g->clear != NULL;
}

static bool allocate(struct group *g) {
    const size_t passages = g->index->passage_count + 1;
    g->clean = calloc(g->index->batch_count + 1, sizeof *g->clean);
    g->counts = calloc(passages * g->level_count, sizeof *g->counts);
    g->frames = calloc(g->length + 1, sizeof *g->frames);
    bool ok = g->clean != NULL && g->counts != NULL && g->frames != NULL && allocate_sets(g);
    for (size_t c = 0; ok && c < g->configuration_count; c++) {
        struct configuration *own = &g->configurations[c];
        own->owner = calloc(g->index->place_count + 1, sizeof *own->owner);
        own->taken = calloc(passages, sizeof *own->taken);
        ok = own->owner != NULL && own->taken != NULL;
    }
    return ok && group_bins_init(g);
}

static void group_free(struct group *g) {
    for (size_t c = 0; c < g->configuration_count; c++) {
        free(g->configurations[c].owner);
        free(g->configurations[c].taken);
        gaussian_graph_free(&g->configurations[c].graph);
    }
    group_bins_free(g);
    void *const lists[] = {g->level,  g->means,  g->clean,  g->mean_values, g->kept,      g->voted,
                           g->target, g->owned,  g->known,  g->recurrent,   g->calm,      g->done,
                           g->clear,  g->counts, g->frames, g->kept_near,   g->known_near};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]);
}

/* ---- the pass ---- */

/* Configurations for which the means of the batch change nothing. */
static set find_voted(const struct group *g, size_t batch, set who) {
    const uint32_t *means = g->means + batch * g->window_count;
    for (size_t i = 0; i < g->window_count; i++)
        who &= g->voted[means[i]];
    return who;
}

/* Configurations for which the batch is settled. */
static set find_settled(const struct group *g, size_t batch, set low, set high) {
    const struct index_batch *b = &g->index->batches[batch];
    const uint32_t *places = g->index->places + b->places;
    const struct batch_passage *passages = g->index->batch_passages + b->passages;
    for (uint32_t i = 0; i < b->place_count; i++)
        low &= g->calm[places[i]];
    for (uint32_t i = 0; i < b->passage_count; i++)
        high &= g->clear[passages[i].number];
    set both = low | high;
    for (uint32_t i = 0; i < b->target_count; i++)
        both &= g->target[places[b->place_count + i]] | g->anywhere;
    return both;
}

/* Executes the steps of the configurations for which the batch may change something. */
static void take_unsettled(struct group *g, size_t batch) {
    const set low = g->low[g->level[batch]], high = g->all & ~low;
    const set voters = low & ~find_voted(g, batch, low);
    if (voters != 0)
        group_vote(g, batch, voters);
    set open = g->all & ~find_settled(g, batch, low, high);
    if (open != 0) {
        group_settle(g, batch, low & open, high & open);
        open = g->all & ~find_settled(g, batch, low, high);
    }
    for (set left = open; left != 0 && !g->lost; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctzll(left);
        group_build(g, c, batch, low >> c & 1);
    }
    if (voters == 0 && open == 0)
        g->clean[batch] = g->changes;
}

static void take_batch(struct group *g, size_t batch) {
    if (g->clean[batch] != g->changes)
        take_unsettled(g, batch);
    const struct index_batch *b = &g->index->batches[batch];
    const struct batch_passage *passages = g->index->batch_passages + b->passages;
    const size_t level = g->level[batch];
    for (uint32_t i = 0; i < b->passage_count; i++)
        g->counts[passages[i].number * g->level_count + level] += passages[i].times;
    g->batches_of[level]++;
    g->transfers_of[level] += b->transfers;
}

/* ---- profiles ---- */

static enum status make_profile(struct group *g, size_t c, size_t batches, struct profile *out,
                                struct error *e) {
    struct configuration *own = &g->configurations[c];
    const uint64_t samples = (uint64_t)batches * g->length;
    uint64_t low = 0, transfers = 0; /* transfers: those of high batches */
    for (size_t level = 0; level < g->level_count; level++) {
        if (level <= own->class)
            low += g->batches_of[level];
        else
            transfers += g->transfers_of[level];
    }
    const uint64_t high = batches - low;
    *out = (struct profile){
        .cost =
            {
                .records = samples,
                .observed = samples,
                .steps = batches * g->window_count + low * (g->window_count + 2 * g->length) +
                         high * g->length + transfers + (uint64_t)own->other_steps,
            },
        .bins = g->evolutions[own->evolution].count,
        .low = low,
        .high = high,
    };
    group_take_over(g, c);
    if (g->lost)
        return error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    return gaussian_export(&own->graph, &out->graph, e);
}

/* Emits all profiles that are due; *next becomes the next mark of any configuration. */
static enum status hand_over(struct group *g, size_t batches, size_t *next, struct error *e) {
    const struct build_request *r = g->request;
    *next = SIZE_MAX;
    for (size_t c = 0; c < g->configuration_count; c++) {
        struct configuration *own = &g->configurations[c];
        const struct build_point *point = &r->points[g->points[c]];
        for (; own->next_mark < point->mark_count && point->marks[own->next_mark] == batches;
             own->next_mark++) {
            struct profile p = {0};
            enum status status = make_profile(g, c, batches, &p, e);
            if (status == STATUS_OK)
                status = r->each(r->user, g->points[c], batches, &p, e);
            profile_free(&p);
            if (status != STATUS_OK)
                return status;
        }
        if (own->next_mark < point->mark_count && point->marks[own->next_mark] < *next)
            *next = point->marks[own->next_mark];
    }
    return STATUS_OK;
}

static enum status pass(struct group *g, struct error *e) {
    enum { ASK_EVERY = 4096 };
    const struct build_request *r = g->request;
    const uint32_t *order = r->stream->order;
    size_t next;
    enum status status = hand_over(g, 0, &next, e);
    for (size_t i = 0; status == STATUS_OK && next != SIZE_MAX;) {
        if (i % ASK_EVERY == 0 && r->stopped != NULL && r->stopped(r->user))
            return error_set(e, STATUS_INTERRUPTED, "stopped");
        take_batch(g, order != NULL ? order[i] : i);
        if (g->lost)
            return error_set(e, STATUS_MEMORY, "out of memory for gaussian");
        if (++i == next)
            status = hand_over(g, i, &next, e);
    }
    return status;
}

/*
 * True if the pass for the whole group costs more than it saves. Numbering the distinct batches
 * costs about as much as three direct builds from them, and going over the stream as much as one.
 * Until bins and blocks have settled, which takes some thousands of distinct batches, the steps of
 * a configuration cost 25 % more than a direct build, mostly in first-touch page faults; afterwards
 * they cost a third of one.
 */
static bool is_direct_cheaper(const struct build_request *r, size_t count) {
    enum { UNSETTLED = 2500 };
    const struct stream *s = r->stream;
    const size_t distinct = s->order != NULL ? s->distinct_count : s->batch_count;
    const size_t unsettled = distinct < UNSETTLED ? distinct : UNSETTLED;
    return !r->together &&
           (count * s->batch_count <= s->batch_count + 3 * distinct ||
            s->batch_count <= unsettled + unsettled / 4 + (s->batch_count - unsettled) / 3);
}

static enum status build_group(const struct build_request *r, const struct stream_index *index,
                               const struct sortable *sorted, size_t count, struct error *e) {
    struct group *g = calloc(1, sizeof *g);
    enum status status = STATUS_OK;
    if (g != NULL) {
        g->request = r;
        g->index = index;
        g->length = r->stream->batch_length;
        g->window = (size_t)sorted[0].values[WINDOW_SIZE];
        g->window_count = g->length >= g->window ? g->length - g->window + 1 : 0;
        g->changes = 1;
        add_configurations(g, sorted, count);
    }
    if (g == NULL || !find_means(g) || !allocate(g))
        status = error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    if (status == STATUS_OK)
        status = pass(g, e);
    if (g != NULL)
        group_free(g);
    free(g);
    return status;
}

enum status gaussian_build_many(const struct technique *gaussian, const struct build_request *r,
                                struct error *e) {
    struct stream_index *own = NULL;
    const int64_t **values = malloc((r->point_count + 1) * sizeof *values);
    struct sortable *sorted = NULL;
    for (size_t i = 0; values != NULL && i < r->point_count; i++)
        values[i] = r->points[i].values;
    if (values != NULL)
        sorted = sort_points(values, r->point_count);
    free(values);
    if (sorted == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for gaussian");
    enum status status = STATUS_OK;
    for (size_t at = 0, end; status == STATUS_OK && at < r->point_count; at = end) {
        end = group_end(sorted, at, r->point_count);
        if (is_direct_cheaper(r, end - at)) {
            for (size_t i = at; status == STATUS_OK && i < end; i++)
                status = technique_build_point(gaussian, r, sorted[i].number, e);
            continue;
        }
        if (r->index == NULL && own == NULL)
            status = stream_index_make(&own, r->stream, e);
        if (status == STATUS_OK)
            status = build_group(r, own != NULL ? own : r->index, sorted + at, end - at, e);
    }
    stream_index_free(own);
    free(sorted);
    return status;
}
