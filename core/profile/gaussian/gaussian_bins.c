/* The bins of a group's evolutions, by the rules of bins.c, for means and places known in
 * advance. */
#include "profile/gaussian/gaussian_many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool evolution_init(struct evolution *e, size_t means) {
    e->cap = 64;
    e->bins = calloc(e->cap, sizeof *e->bins);
    e->id = calloc(e->cap, sizeof *e->id);
    e->address = calloc(e->cap, sizeof *e->address);
    e->centroid = calloc(e->cap + 3, sizeof *e->centroid);
    e->member = calloc(means + 1, sizeof *e->member);
    if (e->bins == NULL || e->id == NULL || e->address == NULL || e->centroid == NULL ||
        e->member == NULL)
        return false;
    e->centroid[0] = e->centroid[1] = e->centroid[2] = INFINITY;
    return true;
}

bool group_bins_init(struct group *g) {
    for (size_t i = 0; i < g->evolution_count; i++)
        if (!evolution_init(&g->evolutions[i], g->mean_count))
            return false;
    return true;
}

void group_bins_free(struct group *g) {
    for (size_t i = 0; i < g->evolution_count; i++) {
        struct evolution *e = &g->evolutions[i];
        free(e->bins);
        free(e->id);
        free(e->address);
        free(e->centroid);
        free(e->member);
        map_free(&e->members);
    }
}

/* Returns the index of the first bin with address >= a. */
static size_t lower_bound(const struct evolution *e, uint32_t a) {
    const uint32_t *at = e->address;
    size_t left = e->count;
    while (left > 0) {
        const size_t half = left / 2;
        at = at[half] < a ? at + left - half : at; /* conditional move: nothing to mispredict */
        left = half;
    }
    return (size_t)(at - e->address);
}

struct nearest {
    size_t position; /* lower bound */
    size_t bin;      /* index of the nearest bin; invalid if distance is infinite */
    double distance;
};

static struct nearest find_nearest(const struct evolution *e, uint32_t a) {
    const size_t position = lower_bound(e, a);
    const double *c = e->centroid + position;
    const double before = fabs(c[0] - a), here = fabs(c[1] - a), after = fabs(c[2] - a);
    struct nearest n = {position, position + 1, after};
    if (before < after)
        n = (struct nearest){position, position - 1, before};
    if (here < n.distance)
        n = (struct nearest){position, position, here};
    return n;
}

static inline struct vote_bin *bin_at(const struct evolution *e, size_t i) {
    return &e->bins[e->id[i] - 1];
}

set group_recurrent(const struct group *g, const struct evolution *e, uint32_t place) {
    return e->count == 0 ? 0 : bin_at(e, find_nearest(e, g->index->pcs[place]).bin)->recurrent;
}

/* ---- invalidation after a change of bins ---- */

/* A place that is not known is not calm, and its passages are not clear. */
static void forget_place(struct group *g, size_t place, set bits) {
    const struct stream_index *x = g->index;
    g->known[place] &= ~bits;
    g->calm[place] &= ~bits;
    for (size_t i = x->first_from[place]; i < x->first_from[place + 1]; i++)
        g->clear[i] &= ~bits;
    g->changes++;
}

/* A mean that is not kept is not voted. */
static void forget_mean(struct group *g, size_t mean, set bits) {
    g->kept[mean] &= ~bits;
    g->voted[mean] &= ~bits;
    g->changes++;
}

/* Calls forget_one() for each element of the range that is in `list`; skips stretches without
 * any. */
static inline void forget_range(struct group *g, const set *list, set *near, size_t from, size_t to,
                                set bits, void (*forget_one)(struct group *g, size_t i, set bits)) {
    while (from < to) {
        const size_t stretch = from / STRETCH, behind = (stretch + 1) * STRETCH;
        const size_t end = behind < to ? behind : to;
        if ((near[stretch] & bits) != 0) {
            if (from % STRETCH == 0 && end == behind)
                near[stretch] &= ~bits;
            for (size_t i = from; i < end; i++)
                if ((list[i] & bits) != 0)
                    forget_one(g, i, bits);
        }
        from = end;
    }
}

static void forget_places(struct group *g, const struct evolution *e, size_t from, size_t to) {
    forget_range(g, g->known, g->known_near, from, to, e->bits, forget_place);
}

static void forget_means(struct group *g, const struct evolution *e, size_t from, size_t to) {
    forget_range(g, g->kept, g->kept_near, from, to, e->bits, forget_mean);
}

struct range {
    size_t from, to;
};

/* The places for which the bin at index i is a candidate: as the bin at their lower bound, or as a
 * neighbour of that bin. */
static struct range places_around(const struct group *g, const struct evolution *e, size_t i) {
    return (struct range){
        i >= 2 ? bin_at(e, i - 2)->places_behind : 0,
        i + 1 < e->count ? bin_at(e, i + 1)->places_behind : g->index->place_count,
    };
}

static struct range means_around(const struct group *g, const struct evolution *e, size_t i) {
    return (struct range){
        i >= 2 ? bin_at(e, i - 2)->means_behind : 0,
        i + 1 < e->count ? bin_at(e, i + 1)->means_behind : g->mean_count,
    };
}

static void forget_all_around(struct group *g, const struct evolution *e, size_t i) {
    const struct range places = places_around(g, e, i), means = means_around(g, e, i);
    forget_places(g, e, places.from, places.to);
    forget_means(g, e, means.from, means.to);
}

/* Returns the index of the first number >= `least` in a range of an ascending list. */
static size_t first_of(const uint32_t *list, struct range r, uint64_t least) {
    while (r.from < r.to) {
        const size_t middle = r.from + (r.to - r.from) / 2;
        if (list[middle] < least)
            r.from = middle + 1;
        else
            r.to = middle;
    }
    return r.from;
}

/* A move of the bin at index i, and all that has the bin as a candidate. */
struct move {
    double low, high; /* the old and the new centroid, in ascending order */
    struct range places, means;
};

/* Invalidates the addresses from m->low * scale + offset to m->high * scale + offset. */
static void forget_stretch(struct group *g, const struct evolution *e, const struct move *m,
                           double scale, double offset, bool places) {
    const double margin = 1.0 / 1024; /* far above any rounding error */
    const double low = m->low * scale + offset - margin, high = m->high * scale + offset + margin;
    if (high < 0)
        return;
    uint64_t first = low > 0 ? (uint64_t)low : 0;
    first += (double)first < low;
    const uint64_t end = (uint64_t)high + 1;
    if (first >= end) /* no integer lies between: the usual case */
        return;
    forget_means(g, e, first_of(g->mean_values, m->means, first),
                 first_of(g->mean_values, m->means, end));
    if (places)
        forget_places(g, e, first_of(g->index->pcs, m->places, first),
                      first_of(g->index->pcs, m->places, end));
}

/*
 * The centroid of the bin at index i has moved from `was`. The nearer of this bin and another
 * candidate changes only at addresses that the midpoint between the two has passed. Whether an
 * address is within bin_size changes only where centroid + bin_size or centroid - bin_size has
 * passed it. Both hold only if the order of the centroids is unchanged and clear of rounding;
 * otherwise everything around the bin is invalidated.
 */
static void forget_moved(struct group *g, const struct evolution *e, size_t i, double was) {
    const double is = e->centroid[i + 1], least = 1.0 / 1024;
    const struct move m = {
        .low = was < is ? was : is,
        .high = was < is ? is : was,
        .places = places_around(g, e, i),
        .means = means_around(g, e, i),
    };
    const size_t first = i >= 2 ? i - 2 : 0, last = i + 2 < e->count ? i + 2 : e->count - 1;
    for (size_t k = first; k <= last; k++) {
        const double other = e->centroid[k + 1];
        if (k != i && other > m.low - least && other < m.high + least) {
            forget_all_around(g, e, i);
            return;
        }
    }
    for (size_t k = first; k <= last; k++)
        if (k != i)
            forget_stretch(g, e, &m, 0.5, 0.5 * e->centroid[k + 1], true);
    forget_stretch(g, e, &m, 1, (double)e->bin_size, false);
    forget_stretch(g, e, &m, 1, -(double)e->bin_size, false);
}

/* Counts a vote; true if the bin becomes recurrent for another configuration. */
static bool count_vote(const struct group *g, const struct evolution *e, struct vote_bin *bin) {
    const set was = bin->recurrent;
    if (was == e->bits)
        return false;
    bin->count++;
    for (set left = e->bits & ~was; left != 0; left &= left - 1) {
        const int c = __builtin_ctzll(left);
        if (bin->count > g->configurations[c].threshold)
            bin->recurrent |= (set)1 << c;
    }
    return bin->recurrent != was;
}

static bool make_room(struct evolution *e) {
    if (e->count < e->cap)
        return true;
    struct vote_bin *bins = realloc(e->bins, 2 * e->cap * sizeof *bins);
    if (bins == NULL)
        return false;
    e->bins = bins;
    uint32_t *id = realloc(e->id, 2 * e->cap * sizeof *id);
    if (id == NULL)
        return false;
    e->id = id;
    uint32_t *address = realloc(e->address, 2 * e->cap * sizeof *address);
    if (address == NULL)
        return false;
    e->address = address;
    double *centroid = realloc(e->centroid, (2 * e->cap + 3) * sizeof *centroid);
    if (centroid == NULL)
        return false;
    e->centroid = centroid;
    e->cap *= 2;
    return true;
}

/* Returns the number of places with an address <= `address`. */
static uint32_t places_up_to(const struct stream_index *x, uint32_t address) {
    size_t low = 0, high = x->place_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x->pcs[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static bool insert_bin(struct group *g, struct evolution *e, size_t i, uint32_t mean) {
    if (!make_room(e))
        return false;
    memmove(e->id + i + 1, e->id + i, (e->count - i) * sizeof *e->id);
    memmove(e->address + i + 1, e->address + i, (e->count - i) * sizeof *e->address);
    memmove(e->centroid + i + 2, e->centroid + i + 1, (e->count - i + 2) * sizeof *e->centroid);
    struct vote_bin *bin = &e->bins[e->count++];
    const uint32_t id = (uint32_t)e->count;
    e->id[i] = id;
    e->address[i] = g->mean_values[mean];
    e->centroid[i + 1] = e->address[i];
    *bin = (struct vote_bin){
        .sum = e->address[i],
        .means = 1,
        .means_behind = mean + 1,
        .places_behind = places_up_to(g->index, e->address[i]),
    };
    count_vote(g, e, bin);
    e->member[mean] = id;
    uint64_t *known = map_at(&e->members, (uint64_t)id << 32 | mean);
    if (known != NULL)
        *known = 1;
    return known != NULL;
}

/* Adds a mean to the set of the bin at index i; true if it is new there. */
static bool add_member(struct group *g, struct evolution *e, size_t i, uint32_t mean) {
    struct vote_bin *bin = bin_at(e, i);
    if (e->member[mean] == e->id[i])
        return false;
    uint64_t *known = map_at(&e->members, (uint64_t)e->id[i] << 32 | mean);
    g->lost |= known == NULL;
    if (known == NULL)
        return false;
    e->member[mean] = e->id[i];
    if (*known)
        return false;
    *known = 1;
    bin->sum += g->mean_values[mean];
    bin->means++;
    e->centroid[i + 1] = (double)bin->sum / (double)bin->means;
    return true;
}

/* Counts a vote for a mean with a cached bin; false if there is none. */
static bool vote_kept(struct group *g, const struct evolution *e, uint32_t mean) {
    if ((g->kept[mean] & e->bits) == 0)
        return false;
    struct vote_bin *bin = &e->bins[e->member[mean] - 1];
    if (count_vote(g, e, bin)) {
        const struct range r = places_around(g, e, find_nearest(e, g->mean_values[mean]).bin);
        forget_places(g, e, r.from, r.to);
    }
    if (bin->recurrent == e->bits)
        g->voted[mean] |= e->bits;
    return true;
}

static void vote(struct group *g, struct evolution *e, uint32_t mean) {
    const struct nearest n = find_nearest(e, g->mean_values[mean]);
    if (n.distance > (double)e->bin_size) { /* also if there are no bins */
        g->lost |= !insert_bin(g, e, n.position, mean);
        forget_all_around(g, e, n.position);
        return;
    }
    struct vote_bin *bin = bin_at(e, n.bin);
    if (count_vote(g, e, bin)) {
        const struct range r = places_around(g, e, n.bin);
        forget_places(g, e, r.from, r.to);
    }
    const double was = e->centroid[n.bin + 1];
    if (add_member(g, e, n.bin, mean)) {
        forget_moved(g, e, n.bin, was);
        return;
    }
    g->kept[mean] |= e->bits;
    g->kept_near[mean / STRETCH] |= e->bits;
    if (bin->recurrent == e->bits)
        g->voted[mean] |= e->bits;
}

void group_vote(struct group *g, size_t batch, set who) {
    const uint32_t *means = g->means + batch * g->window_count;
    for (size_t i = 0; i < g->evolution_count && !g->lost; i++) {
        struct evolution *e = &g->evolutions[i];
        if ((e->bits & who) == 0)
            continue;
        for (size_t k = 0; k < g->window_count && !g->lost; k++)
            if ((g->voted[means[k]] & e->bits) == 0 && !vote_kept(g, e, means[k]))
                vote(g, e, means[k]);
    }
}
