/*
 * The network simplex method: chooses the edge that enters the tree, and finds the cycle that it
 * closes.
 *
 * In a small network all potentials are right after each pivot, so the reduced cost of a candidate
 * is known, and the best one enters. In a large network most of the time would be spent on
 * potentials, because a pivot shifts those of a third of the nodes. There they are computed only
 * now and then, to price all edges and sort the candidates. Until the list ends, a candidate's gain
 * is the sum of the costs along its cycle. It enters if most of the gain that it had is left: others
 * are better later, at new potentials.
 */
#include "graph/flow/simplex.h"

#include <stdlib.h>
#include <string.h>

enum { GAIN_LEFT = 3 }; /* a candidate enters as long as a third of its gain is left */

/* ---- pricing ---- */

/* Change of the cost by one unit more, or less, if that is negative; else 0. */
static inline __int128 gain_of(const struct simplex *s, const struct tree_edge *edge, bool *more) {
    if (edge->in_tree)
        return 0;
    const __int128 apart =
        edge->shift + (__int128)(s->potential[edge->from] - s->potential[edge->to]);
    const struct convex_break *at = &s->x->breaks.at[edge->first + edge->at];
    if (edge->at < edge->count && at->slope + apart < 0) {
        *more = true;
        return at->slope + apart;
    }
    if (edge->at > 0 && at[-1].slope + apart > 0) {
        *more = false;
        return -(at[-1].slope + apart);
    }
    return 0;
}

static inline bool is_better(const struct candidate *a, const struct candidate *b) {
    return a->gain != b->gain ? a->gain < b->gain : a->edge < b->edge;
}

static int compare_candidates(const void *a, const void *b) {
    return is_better(a, b) ? -1 : is_better(b, a);
}

/* The candidates found so far, in s->candidates, and the best one's index. */
struct found {
    size_t count, best;
};

/* Appends the edge if it reduces the cost. */
static inline void consider(struct simplex *s, uint32_t edge, struct found *found) {
    bool more = false;
    const __int128 gain = gain_of(s, &s->edges[edge], &more);
    if (gain >= 0)
        return;
    if (found->count == 0 || gain < s->candidates[found->best].gain)
        found->best = found->count;
    s->candidates[found->count++] = (struct candidate){gain, edge, more};
}

/* ---- the cycle ---- */

static uint32_t common_ancestor(const struct simplex *s, uint32_t a, uint32_t b) {
    while (a != b) {
        if (s->nodes[a].size < s->nodes[b].size)
            a = s->nodes[a].parent;
        else
            b = s->nodes[b].parent;
    }
    return a;
}

/* Lists the edges of the cycle from its top in the direction of the flow: down the tree to the tail
 * of the entering edge, through it to its head, and up again. */
static void find_cycle(struct simplex *s, const struct candidate *entering) {
    const struct tree_edge *edge = &s->edges[entering->edge];
    const bool more = entering->more;
    const uint32_t tail = more ? edge->from : edge->to, head = more ? edge->to : edge->from;
    const uint32_t top = s->top = common_ancestor(s, tail, head);
    size_t place = 0;
    for (uint32_t v = tail; v != top; v = s->nodes[v].parent)
        place++;
    s->entering_place = place;
    for (uint32_t v = tail; v != top; v = s->nodes[v].parent) {
        const uint32_t up = s->nodes[v].edge;
        s->cycle[--place] = (struct link){.edge = up, .along = s->edges[up].to == v};
    }
    place = s->entering_place;
    s->cycle[place++] = (struct link){.edge = entering->edge, .along = more};
    for (uint32_t v = head; v != top; v = s->nodes[v].parent) {
        const uint32_t up = s->nodes[v].edge;
        s->cycle[place++] = (struct link){.edge = up, .along = s->edges[up].from == v};
    }
    s->cycle_length = place;
}

/* Cost of one unit round the cycle, on the current pieces. */
static __int128 cost_of_cycle(const struct simplex *s) {
    __int128 sum = 0;
    for (size_t i = 0; i < s->cycle_length; i++) {
        const struct link *l = &s->cycle[i];
        const struct tree_edge *edge = &s->edges[l->edge];
        const uint32_t piece = edge->at - (i == s->entering_place && !l->along);
        const __int128 cost = slope(s, edge, piece);
        sum += l->along ? cost : -cost;
    }
    return sum;
}

/* ---- small networks ---- */

/* Potentials have changed: re-evaluates the candidates, then prices blocks of edges until a
 * candidate is found. */
static struct found find_candidates(struct simplex *s) {
    struct found found = {0};
    for (size_t i = 0; i < s->candidate_count; i++)
        consider(s, s->candidates[i].edge, &found);
    for (size_t looked = 0; looked < s->real_count;) {
        for (size_t i = 0; i < s->block && looked < s->real_count; i++, looked++) {
            consider(s, (uint32_t)s->next_edge, &found);
            s->next_edge = s->next_edge + 1 == s->real_count ? 0 : s->next_edge + 1;
        }
        if (found.count > 0)
            break;
    }
    return found;
}

/* Sorts the best `most` candidates to the front, and returns their number. */
static size_t keep_best(struct candidate *candidates, size_t count, size_t most) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct candidate c = candidates[i];
        if (kept == most && !is_better(&c, &candidates[most - 1]))
            continue;
        size_t low = 0, high = kept;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (is_better(&candidates[middle], &c))
                low = middle + 1;
            else
                high = middle;
        }
        kept += kept < most;
        memmove(&candidates[low + 1], &candidates[low], (kept - low - 1) * sizeof *candidates);
        candidates[low] = c;
    }
    return kept;
}

/* The candidate with the largest reduction of cost. */
static bool find_best(struct simplex *s, struct candidate *entering) {
    const struct found found = find_candidates(s);
    s->candidate_count = found.count;
    if (found.count == 0)
        return false;
    *entering = s->candidates[found.best];
    if (s->candidate_count > CANDIDATES)
        s->candidate_count = keep_best(s->candidates, s->candidate_count, CANDIDATES / 2);
    find_cycle(s, entering);
    return true;
}

/* ---- large networks ---- */

static void compute_potentials(struct simplex *s) {
    const struct tree_node *nodes = s->nodes;
    for (uint32_t v = s->root;;) {
        uint32_t next = nodes[v].first_child;
        while (next == NO_NODE && v != s->root) {
            next = nodes[v].next;
            if (next == NO_NODE)
                v = nodes[v].parent;
        }
        if (next == NO_NODE)
            return;
        v = next;
        s->potential[v] = s->potential[nodes[v].parent] + (unsigned __int128)potential_step(s, v);
    }
}

/* The best candidate comes first. */
static void price_all(struct simplex *s) {
    struct found found = {0};
    compute_potentials(s);
    for (uint32_t i = 0; i < s->real_count; i++)
        consider(s, i, &found);
    qsort(s->candidates, found.count, sizeof *s->candidates, compare_candidates);
    s->candidate_count = found.count;
    s->next_candidate = 0;
}

/* True if the candidate reduces the cost by a good part of what it did when it was priced. Finds its
 * cycle and its gain. */
static bool still_gains(struct simplex *s, struct candidate *c) {
    const struct tree_edge *edge = &s->edges[c->edge];
    if (edge->in_tree || (c->more ? edge->at == edge->count : edge->at == 0))
        return false;
    const __int128 was = c->gain;
    find_cycle(s, c);
    c->gain = cost_of_cycle(s);
    return GAIN_LEFT * c->gain <= was;
}

/* The next candidate that is still good. The first one after pricing always is. */
static bool find_next(struct simplex *s, struct candidate *entering) {
    for (;;) {
        while (s->next_candidate < s->candidate_count) {
            *entering = s->candidates[s->next_candidate++];
            if (still_gains(s, entering))
                return true;
        }
        price_all(s);
        if (s->candidate_count == 0)
            return false;
    }
}

bool simplex_find_entering(struct simplex *s, struct candidate *entering) {
    return s->large ? find_next(s, entering) : find_best(s, entering);
}
