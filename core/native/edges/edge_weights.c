/* Static frequencies: a loop is executed eight times, a branch forward is taken in two of five cases,
 * each arm of a jump through a table equally often, and a function as often as what calls it. Where
 * an indirect jump with unknown targets may lead, as in interpreters, code is executed four times. Only their order matters: a wrong one costs time, but the
 * graph stays exact. What an earlier run executed is heavier than all that it did not execute. */
#include "native/edges/edge_weights.h"

enum { CALL_ROUNDS = 3, WEIGHT_MOST = WEIGHT_NO_ROOM - 2 };
static const double turns = 8, jump_turns = 3, taken = 0.4, left = 0.12, unknown = 0.3,
                    dispatched = 4, most_calls = 1e9;

struct weigh {
    struct object *o;
    const struct piece *pieces;
    const struct tree_piece *tree;
    size_t n;
    VEC(double)
    times;            /* of each piece, for each call of its function; before it is met: what leads
                          to it from before */
    VEC(double) loop; /* of each piece: turns of the loop that it is the head of, or 0 */
    VEC(double) calls, next_calls; /* of each function; of number 0: code without one */
    VEC(uint8_t) open;             /* of each function: has it an indirect jump without arms? */
    VEC(uint32_t) function;        /* of each piece */
    VEC(uint32_t) arms;            /* of each piece: the first arm of its jump, from 1; 0: none */
};

static uint32_t function_of(const struct weigh *w, size_t i) {
    const struct function *f = function_at(w->o, w->pieces[i].start);
    return f != NULL ? (uint32_t)(f - w->o->functions.at) + 1 : 0;
}

static bool prepare(struct weigh *w) {
    const size_t functions = w->o->functions.len + 1;
    if (!seq_reserve(&w->times, w->n) || !seq_reserve(&w->loop, w->n) ||
        !seq_reserve(&w->function, w->n) || !seq_reserve(&w->arms, w->n) ||
        !seq_reserve(&w->calls, functions) || !seq_reserve(&w->next_calls, functions) ||
        !seq_reserve(&w->open, functions))
        return false;
    for (size_t i = 0; i < w->n; i++) {
        w->times.at[i] = w->loop.at[i] = 0;
        w->function.at[i] = function_of(w, i);
        w->arms.at[i] = 0;
    }
    for (size_t k = 0; k < functions; k++) {
        w->calls.at[k] = 1;
        w->open.at[k] = 0;
    }
    return true;
}

/* The last piece that begins at or before the address; there is one. */
static size_t piece_around(const struct weigh *w, uintptr_t at) {
    size_t low = 0, high = w->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->pieces[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

static void find_arms(struct weigh *w) {
    const struct object *o = w->o;
    for (size_t k = 0; k < o->arms.len && w->n > 0; k++)
        if (k == 0 || o->arms.at[k].jump != o->arms.at[k - 1].jump) {
            const size_t i = piece_around(w, o->arms.at[k].jump);
            if (w->pieces[i].last == o->arms.at[k].jump)
                w->arms.at[i] = (uint32_t)k + 1;
        }
    for (size_t i = 0; i < w->n; i++)
        if (w->pieces[i].flow == FLOW_JUMP_AWAY && w->arms.at[i] == 0)
            w->open.at[w->function.at[i]] = 1;
}

static bool same_function(const struct weigh *w, size_t i, uint32_t to) {
    return to != TREE_NONE && w->function.at[i] == w->function.at[to];
}

static void find_loops(struct weigh *w) {
    for (size_t i = 0; i < w->n; i++) {
        const struct tree_piece *p = &w->tree[i];
        const double t = p->ends == 'b' ? turns : p->ends == 'j' ? jump_turns : 0;
        if (t > 0 && same_function(w, i, p->target) && p->target <= i && w->loop.at[p->target] < t)
            w->loop.at[p->target] = t;
    }
}

static double fall_share(const struct tree_piece *p, size_t i) {
    return p->target != TREE_NONE && p->target <= i ? left : 1 - taken;
}

static void lead(struct weigh *w, size_t i, uint32_t to, double times) {
    if (same_function(w, i, to) && to > i)
        w->times.at[to] += times;
}

static void lead_to_arms(struct weigh *w, size_t i, double times) {
    const struct object *o = w->o;
    const piece_list all = {.at = (struct piece *)w->pieces, .len = w->n};
    size_t first = w->arms.at[i] - 1, n = 0;
    while (first + n < o->arms.len && o->arms.at[first + n].jump == o->arms.at[first].jump)
        n++;
    for (size_t k = first; k < first + n; k++) {
        const struct piece *p = piece_at(&all, o->arms.at[k].target);
        if (p != NULL)
            lead(w, i, (uint32_t)(p - w->pieces), times / (double)n);
    }
}

/* What nothing before leads to. */
static double times_by_itself(const struct weigh *w, size_t i) {
    const bool begins = i == 0 || w->function.at[i - 1] != w->function.at[i];
    return begins ? 1
           : w->pieces[i].led_to && w->open.at[w->function.at[i]] != 0
               ? dispatched
               : w->times.at[i - 1] * unknown;
}

/* In the order of addresses, which is nearly that of execution; jumps back make loops. */
static void find_times(struct weigh *w) {
    for (size_t i = 0; i < w->n; i++) {
        const struct tree_piece *p = &w->tree[i];
        double *t = &w->times.at[i];
        if (*t == 0)
            *t = times_by_itself(w, i);
        if (w->loop.at[i] > 0)
            *t *= w->loop.at[i];
        if (p->ends == 'n' || p->ends == 'c' || w->pieces[i].flow == FLOW_CALL_AWAY)
            lead(w, i, p->next, *t);
        else if (p->ends == 'j')
            lead(w, i, p->target, *t);
        else if (p->ends == 'b') {
            lead(w, i, p->next, *t * fall_share(p, i));
            lead(w, i, p->target, *t * taken);
        } else if (w->arms.at[i] != 0)
            lead_to_arms(w, i, *t);
    }
}

static void find_calls(struct weigh *w) {
    const size_t functions = w->o->functions.len + 1;
    for (int round = 0; round < CALL_ROUNDS; round++) {
        for (size_t k = 0; k < functions; k++)
            w->next_calls.at[k] = 1;
        for (size_t i = 0; i < w->n; i++) {
            const struct tree_piece *p = &w->tree[i];
            if ((p->ends == 'c' || p->ends == 'j') && p->target != TREE_NONE &&
                !same_function(w, i, p->target))
                w->next_calls.at[w->function.at[p->target]] +=
                    w->times.at[i] * w->calls.at[w->function.at[i]];
        }
        for (size_t k = 0; k < functions; k++)
            w->calls.at[k] = w->next_calls.at[k] < most_calls ? w->next_calls.at[k] : most_calls;
    }
}

/* Four steps for each doubling; v is at least 4. */
static unsigned steps(uint64_t v) {
    const unsigned high = 63 - (unsigned)__builtin_clzll(v);
    return 4 * high + (unsigned)((v >> (high - 2)) & 3);
}

static uint8_t weight_of(double times) {
    const double scaled = times * 256;
    const unsigned weight = steps(scaled < 4      ? 4
                                  : scaled > 1e18 ? (uint64_t)1e18
                                                  : (uint64_t)scaled);
    return (uint8_t)(weight < WEIGHT_MOST ? weight : WEIGHT_MOST);
}

/* Where a piece is reached from one branch only, the counter goes to the piece: any of its
 * instructions can have it. */
static void set_weights(const struct weigh *w, uint8_t *node, uint8_t *fall) {
    for (size_t i = 0; i < w->n; i++) {
        const double times = w->times.at[i] * w->calls.at[w->function.at[i]];
        node[i] = weight_of(times);
        fall[i] = (uint8_t)(weight_of(times * fall_share(&w->tree[i], i)) + 1);
    }
}

/* What is seldom executed in its function checks the others at little cost. */
static uint8_t counted_weight(uint64_t count, uint64_t calls) {
    enum { SELDOM = 64 };
    if (count <= calls / SELDOM)
        return WEIGHT_CHECKED;
    const unsigned weight = WEIGHT_EXECUTED + steps(count < UINT64_MAX / 4 ? 4 * count : count) - 8;
    return (uint8_t)(weight < WEIGHT_MOST ? weight : WEIGHT_MOST);
}

/* In the order of the static weights, but below all that was executed. */
static uint8_t other_weight(uint8_t weight) {
    enum { OTHERS = WEIGHT_EXECUTED - WEIGHT_CHECKED - 2 };
    return weight <= WEIGHT_CHECKED
               ? weight
               : (uint8_t)(WEIGHT_CHECKED + 1 +
                           (weight - WEIGHT_CHECKED) * OTHERS / (TREE_WEIGHTS - WEIGHT_CHECKED));
}

/* Replaces static weights by what an earlier run executed. */
static void set_executed(const struct weigh *w, const struct placement *earlier, uint8_t *node,
                         uint8_t *fall) {
    uint64_t calls = 0;
    for (size_t i = 0; i < w->n; i++) {
        const uint64_t at = file_offset(w->o, w->pieces[i].start),
                       count = placement_executed(earlier, at),
                       went = placement_went(earlier, at, file_offset(w->o, w->pieces[i].end));
        if (i == 0 || w->function.at[i - 1] != w->function.at[i])
            calls = count;
        node[i] = count > 0 ? counted_weight(count, calls) : other_weight(node[i]);
        fall[i] =
            count > 0 ? (uint8_t)(counted_weight(went, calls) + (went > 0)) : other_weight(fall[i]);
    }
}

bool edges_weigh(struct object *o, const piece_list *pieces, const struct tree_piece *tree,
                 const struct placement *earlier, uint8_t *node, uint8_t *fall) {
    struct weigh w = {.o = o, .pieces = pieces->at, .tree = tree, .n = pieces->len};
    const bool ok = prepare(&w);
    if (ok) {
        find_arms(&w);
        find_loops(&w);
        find_times(&w);
        find_calls(&w);
        set_weights(&w, node, fall);
        if (earlier->bytes > 0)
            set_executed(&w, earlier, node, fall);
    }
    seq_free(&w.times);
    seq_free(&w.loop);
    seq_free(&w.calls);
    seq_free(&w.next_calls);
    seq_free(&w.open);
    seq_free(&w.function);
    seq_free(&w.arms);
    return ok;
}
