/* Divides a plan. A share is the work of one replay's streams. Each slice of a share needs the
 * replay, so a share is cut only if the slowest shard ends earlier for it. */
#include "experiment/experiment.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

/* Cost of the share's most expensive slice. */
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

/* Deals whole shares, the most expensive first, each to the shard with the least work (Graham
 * 1969). Returns the slowest shard's cost, or a negative number if out of memory. */
static double deal(struct shard_share **shares, size_t count, uint64_t shards) {
    double *load = calloc(shards, sizeof *load), most = 0;
    if (load == NULL)
        return -1;
    qsort(shares, count, sizeof *shares, by_cost);
    for (size_t i = 0; i < count; i++) {
        uint64_t least = 0;
        for (uint64_t k = 1; k < shards; k++)
            if (load[k] < load[least])
                least = k;
        shares[i]->first = least + 1;
        load[least] += slice_cost(shares[i]);
        most = fmax(most, load[least]);
    }
    free(load);
    return most;
}

/* Gives each surplus shard to the share with the slowest slice, where it saves most time. Returns
 * the slowest shard's cost. */
static double slice(struct shard_share **shares, size_t count, uint64_t shards) {
    qsort(shares, count, sizeof *shares, by_id);
    for (uint64_t left = shards - count; left > 0; left--) {
        struct shard_share *slowest = NULL;
        for (size_t i = 0; i < count; i++)
            if (shares[i]->slices < shares[i]->items &&
                (slowest == NULL || slice_cost(shares[i]) > slice_cost(slowest)))
                slowest = shares[i];
        if (slowest == NULL) /* the remaining shards stay empty */
            break;
        slowest->slices++;
    }
    uint64_t next = 1;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        shares[i]->first = next;
        next += shares[i]->slices;
        most = fmax(most, slice_cost(shares[i]));
    }
    return most;
}

/* Fills one shard after the other up to `most`. A share that does not fit continues in the next
 * shard (McNaughton 1959), where it needs its replay again. False: the shares do not fit. */
static bool fill(struct shard_share **shares, size_t count, uint64_t shards, double most) {
    uint64_t shard = 1;
    double room = most;
    for (size_t i = 0; i < count; i++) {
        struct shard_share *s = shares[i];
        s->slices = 0;
        for (size_t left = s->items; left > 0;) {
            const double fit = (room - s->whole) / s->each;
            if (fit < 1) {
                if (room == most || shard++ == shards)
                    return false;
                room = most;
                continue;
            }
            const size_t items = fit < (double)left ? (size_t)fit : left;
            if (s->slices++ == 0)
                *s = (struct shard_share){s->id, s->whole, s->each, s->items, shard, 1, items, 0};
            else if (s->slices == 2)
                s->body = items;
            left -= items;
            room = left > 0 ? 0 : room - s->whole - s->each * (double)items;
        }
    }
    return true;
}

/* Finds the least limit with which fill() succeeds. False: it is not below `most`. */
static bool fill_least(struct shard_share **shares, size_t count, uint64_t shards, double most) {
    enum { HALVINGS = 40 };
    double least = 0;
    most *= 0.999;
    for (size_t i = 0; i < count; i++)
        shares[i]->slices = 1;
    qsort(shares, count, sizeof *shares, by_cost);
    if (!fill(shares, count, shards, most))
        return false;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (least + most) / 2;
        *(fill(shares, count, shards, middle) ? &most : &least) = middle;
    }
    return fill(shares, count, shards, most);
}

/* Keeps shares whole if there are enough of them. Returns the slowest shard's cost. */
static double divide_plainly(struct shard_share **shares, size_t count, uint64_t shards) {
    for (size_t i = 0; i < count; i++) {
        shares[i]->slices = 1;
        shares[i]->head = 0;
    }
    return shards < count ? deal(shares, count, shards) : slice(shares, count, shards);
}

enum status shard_divide(struct shard_share *shares, size_t count, uint64_t shards,
                         struct error *e) {
    struct shard_share **sorted = calloc(count + 1, sizeof *sorted);
    double most = sorted != NULL ? 0 : -1;
    for (size_t i = 0; sorted != NULL && i < count; i++)
        sorted[i] = &shares[i];
    if (most == 0)
        most = divide_plainly(sorted, count, shards);
    if (most > 0 && !fill_least(sorted, count, shards, most))
        most = divide_plainly(sorted, count, shards);
    free(sorted);
    return most >= 0 ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

uint64_t shard_of(const struct shard_share *share, size_t item) {
    if (share->head == 0) /* spread evenly */
        return share->first + (uint64_t)item * share->slices / share->items;
    return item < share->head ? share->first
                              : share->first + 1 + (item - share->head) / share->body;
}

/* ---- of a plan ---- */

/* Whole cost of a slice (with start, drawings, comparison), relative to playing and sampling. */
#define ONCE         2.0
#define PAIR_SECONDS 0.05

/* Costs depend only on what is swept, never on measurements in a database, so that every shard
 * computes the same division. */
static double whole_cost(const struct plan_rates *r, const struct plan_game *game) {
    size_t samplers = 0;
    for (size_t i = 0; i < game->stream_count; i++)
        samplers += game->streams[i].wanted;
    if (game->game->program != NULL)
        return PLAN_RECORDING_SECONDS;
    return game->cartridge == NULL
               ? PAIR_SECONDS
               : ONCE * r->frame * (double)game->game->frames * (1 + (double)samplers);
}

/* One configuration on one stream. */
struct item {
    struct plan_game *game;
    struct plan_stream *stream;
    struct plan_point *point;
    const char *key;
    double cost;
};

/* Orders items by replay, then by key. In the order of keys, configurations that are built together
 * are mostly neighbours. */
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
    const struct plan_rates rates = plan_usual_rates();
    const double batches = plan_expected_batches(game, stream);
    for (size_t i = 0; ok && stream->wanted && i < p->config->points.len; i++)
        ok = !p->wanted[i] ||
             vec_push(&d->items, ((struct item){.game = game,
                                                .stream = stream,
                                                .point = &stream->points[i],
                                                .key = p->config->points.at[i].key,
                                                .cost = plan_point_seconds(&rates, p, game, stream,
                                                                           batches, i)}));
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
    const struct plan_rates rates = plan_usual_rates();
    for (size_t i = 0; i < d->items.len; i++) {
        const struct plan_game *game = d->items.at[i].game;
        struct shard_share *last = d->shares.len > 0 ? &d->shares.at[d->shares.len - 1] : NULL;
        if (last != NULL && last->id == game->replay_id) {
            last->items++;
            last->each += d->items.at[i].cost;
        } else if (!vec_push(&d->shares, ((struct shard_share){.id = game->replay_id,
                                                               .whole = whole_cost(&rates, game),
                                                               .each = d->items.at[i].cost,
                                                               .items = 1})))
            return false;
    }
    for (size_t i = 0; i < d->shares.len; i++)
        d->shares.at[i].each /= (double)d->shares.at[i].items; /* the mean */
    return true;
}

/* Removes other shards' work from the plan. */
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
    return there->has_result &&
           (there->has_curve || known->config->points.at[point].label == NULL) &&
           (there->has_windows || stream->window_rows == 0) &&
           (there->has_paths || !stream->judges_paths);
}

/* Drops the stream's known results; true if work remains. */
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
