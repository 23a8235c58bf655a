/* Dividing a plan. A share is what one replay's streams ask for: they need that replay, so it is
 * cut only where there are more shards than replays. */
#include "experiment/experiment.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

/* What the slowest of a share's slices costs. */
static double slice_cost(const struct shard_share *s) {
    return s->whole + s->each * (double)((s->items + s->slices - 1) / s->slices);
}

static int by_cost(const void *a, const void *b) {
    const struct shard_share *x = *(const struct shard_share *const *)a,
                             *y = *(const struct shard_share *const *)b;
    const double one = slice_cost(x), other = slice_cost(y);
    return one != other ? (one < other) - (one > other) : (x->id > y->id) - (x->id < y->id);
}

static int by_id(const void *a, const void *b) {
    const struct shard_share *x = *(const struct shard_share *const *)a,
                             *y = *(const struct shard_share *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The most expensive first, each to the shard that has least (Graham 1969). */
static bool deal(struct shard_share **shares, size_t count, uint64_t shards) {
    double *load = calloc(shards, sizeof *load);
    if (load == NULL)
        return false;
    qsort(shares, count, sizeof *shares, by_cost);
    for (size_t i = 0; i < count; i++) {
        uint64_t least = 0;
        for (uint64_t k = 1; k < shards; k++)
            if (load[k] < load[least])
                least = k;
        shares[i]->first = least + 1;
        load[least] += slice_cost(shares[i]);
    }
    free(load);
    return true;
}

/* Each shard beyond the first of a share goes where it spares most time: to the slowest slice. */
static void slice(struct shard_share **shares, size_t count, uint64_t shards) {
    qsort(shares, count, sizeof *shares, by_id);
    for (uint64_t left = shards - count; left > 0; left--) {
        struct shard_share *slowest = NULL;
        for (size_t i = 0; i < count; i++)
            if (shares[i]->slices < shares[i]->items &&
                (slowest == NULL || slice_cost(shares[i]) > slice_cost(slowest)))
                slowest = shares[i];
        if (slowest == NULL) /* what is left stays empty */
            break;
        slowest->slices++;
    }
    uint64_t next = 1;
    for (size_t i = 0; i < count; i++) {
        shares[i]->first = next;
        next += shares[i]->slices;
    }
}

enum status shard_divide(struct shard_share *shares, size_t count, uint64_t shards,
                         struct error *e) {
    struct shard_share **sorted = calloc(count + 1, sizeof *sorted);
    bool ok = sorted != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        sorted[i] = &shares[i];
        shares[i].slices = 1;
    }
    if (ok && shards < count)
        ok = deal(sorted, count, shards);
    else if (ok)
        slice(sorted, count, shards);
    free(sorted);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

uint64_t shard_of(const struct shard_share *share, size_t item) {
    return share->first + (uint64_t)item * share->slices / share->items;
}

/* ---- of a plan ---- */

/* How much longer a replay takes than to build one configuration from its stream. */
#define REPLAY_COST 20.0
/* What a program's recording is taken for, in frames: how long it will run is not known before. */
#define PROGRAM_FRAMES 18000.0

/* Each time-like quantity here follows from what is swept, so that every shard estimates alike. */
static double estimate_frames(const struct plan_game *game) {
    return game->game->program != NULL ? PROGRAM_FRAMES : (double)game->game->frames;
}

/* One configuration on one stream. */
struct item {
    struct plan_game *game;
    struct plan_stream *stream;
    struct plan_point *point;
    const char *key;
};

/* Those with one replay are neighbours; of each the configurations are in the order of their keys,
 * in which those that are built together mostly are neighbours, too. */
static int compare_items(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    if (x->game->replay_id != y->game->replay_id)
        return x->game->replay_id < y->game->replay_id ? -1 : 1;
    if (x->stream->stream_id != y->stream->stream_id)
        return x->stream->stream_id < y->stream->stream_id ? -1 : 1;
    return strcmp(x->key, y->key);
}

struct division {
    VEC(struct item) items;
    VEC(struct shard_share) shares;
};

static bool list_stream(struct division *d, const struct plan *p, struct plan_game *game,
                        struct plan_stream *stream) {
    bool ok = true;
    for (size_t i = 0; ok && stream->wanted && i < p->config->points.len; i++)
        ok = !p->wanted[i] ||
             vec_push(&d->items, ((struct item){.game = game,
                                                .stream = stream,
                                                .point = &stream->points[i],
                                                .key = p->config->points.at[i].key}));
    return ok;
}

static bool list_items(struct division *d, const struct plan *p) {
    bool ok = true;
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *game = &p->games[i];
        if (!game->wanted || !game->present || game->same != NULL)
            continue;
        for (size_t k = 0; ok && k < game->stream_count; k++)
            ok = list_stream(d, p, game, &game->streams[k]);
    }
    if (d->items.len > 1)
        qsort(d->items.at, d->items.len, sizeof *d->items.at, compare_items);
    return ok;
}

static bool list_shares(struct division *d) {
    for (size_t i = 0; i < d->items.len; i++) {
        const struct plan_game *game = d->items.at[i].game;
        struct shard_share *last = d->shares.len > 0 ? &d->shares.at[d->shares.len - 1] : NULL;
        if (last != NULL && last->id == game->replay_id) {
            last->items++;
            continue;
        }
        const double frames = estimate_frames(game);
        if (!vec_push(&d->shares, ((struct shard_share){.id = game->replay_id,
                                                        .whole = frames * REPLAY_COST,
                                                        .each = frames,
                                                        .items = 1})))
            return false;
    }
    return true;
}

/* Takes away from the plan what other shards do. */
static void keep(struct division *d, struct plan *p, uint64_t number) {
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *game = &p->games[i];
        game->wanted &= !game->present;
    }
    const struct item *at = d->items.at;
    for (size_t i = 0; i < d->shares.len; i++)
        for (size_t k = 0; k < d->shares.at[i].items; k++, at++) {
            at->point->elsewhere = shard_of(&d->shares.at[i], k) != number;
            at->game->wanted |= !at->point->elsewhere;
        }
}

static void count_again(struct plan *p) {
    p->missing = 0;
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *game = &p->games[i];
        if (game->same != NULL) {
            game->wanted = game->same->wanted;
            for (size_t k = 0; game->wanted && k < game->stream_count; k++)
                for (size_t n = 0; n < p->config->points.len; n++)
                    game->streams[k].points[n].elsewhere =
                        game->same->streams[k].points[n].elsewhere;
        }
        if (!game->wanted || !game->present)
            continue;
        plan_count(p, game);
        p->missing += game->same == NULL ? game->missing : 0;
    }
}

enum status plan_shard(struct plan *p, struct shard shard, struct error *e) {
    struct division d = {0};
    enum status status = list_items(&d, p) && list_shares(&d)
                             ? shard_divide(d.shares.at, d.shares.len, shard.count, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK) {
        keep(&d, p, shard.number);
        count_again(p);
    }
    vec_free(&d.items);
    vec_free(&d.shares);
    return status;
}

/* ---- what is known from elsewhere ---- */

static bool is_known(const struct plan *known, const struct plan_stream *stream, size_t point) {
    const struct plan_point *there = &stream->points[point];
    return there->has_result && (there->has_curve || known->config->points.at[point].label == NULL);
}

/* Is something left of the stream that is not known? */
static bool leave_stream(const struct plan *p, struct plan_stream *stream, const struct plan *known,
                         const struct plan_stream *there) {
    bool left = false;
    for (size_t i = 0; i < p->config->points.len; i++) {
        stream->points[i].elsewhere |= there->has_stream && is_known(known, there, i);
        left |= p->wanted[i] && !stream->points[i].elsewhere && !there->points[i].unfit;
    }
    return stream->wanted && left;
}

void plan_leave(struct plan *p, const struct plan *known) {
    for (size_t i = 0; i < p->count; i++) {
        struct plan_game *game = &p->games[i];
        const struct plan_game *there = &known->games[i];
        bool left = false;
        if (!game->wanted || !game->present || !there->has_exact)
            continue;
        for (size_t k = 0; k < game->stream_count; k++)
            left |= leave_stream(p, &game->streams[k], known, &there->streams[k]);
        game->wanted = left;
    }
    count_again(p);
}

/* ---- the option ---- */

enum status shard_parse(void *to, const char *text, struct error *e) {
    struct shard *out = to;
    char rest;
    unsigned long long number, count;
    if (text[strspn(text, "0123456789/")] != '\0' || strlen(text) > 20 ||
        sscanf(text, "%llu/%llu%c", &number, &count, &rest) != 2 || number > count || count < 1 ||
        count > SHARDS_MOST)
        return error_set(
            e, STATUS_ARGUMENT,
            "takes I/N, part I of N, with I from 1 to N (0: none) and N up to %d, not '%s'",
            SHARDS_MOST, text);
    *out = (struct shard){.number = number, .count = count};
    return STATUS_OK;
}
