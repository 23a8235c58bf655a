/*
 * Static frequencies, after Wu and Larus (1994). The executions of each piece of a function, for each call
 * of it, follow from the probabilities of its branches, as those of a Markov chain: what has entered is
 * led on, in the order of addresses, until nearly all has left. Several signs make the probability of a branch:
 *
 *  - a branch back is taken, and a branch out of a loop is not;
 *  - what can only end in a stop, or leaves the function, is not executed;
 *  - code that calls is executed less often than code that does not;
 *  - a branch forward is taken in two of five cases.
 *
 * Arms of a jump through a table are executed equally often, and so is what an indirect jump with
 * unknown targets may lead to, as in interpreters. A function is executed as often as what calls it. Only the order matters: a
 * wrong one costs time, but the graph stays exact. What an earlier run executed is heavier than all that
 * it did not execute.
 */
#include "native/edges/edge_weights.h"

enum { CALL_ROUNDS = 3, TIME_ROUNDS = 300, WEIGHT_MOST = WEIGHT_NO_ROOM - 2 };
/* Probabilities of falling through, but `dispatched`: that a jump stays in the function. */
static const double forward = 0.6, back = 0.2, leaves_loop = 0.7, leaves_function = 0.97,
                    leads_to_stop = 0.99, leads_to_call = 0.7, dispatched = 0.95;
static const double unknown = 0.05, least_left = 0.02, least_led = 1e-6, most_calls = 1e9;

struct weigh {
    struct object *o;
    const struct piece *pieces;
    const struct tree_piece *tree;
    size_t n;
    VEC(double) times; /* of each piece, for each call of its function */
    VEC(double) in;    /* of each piece: what has entered it, and is not yet led on */
    VEC(double) falls; /* of each piece that ends with a branch: the share that is not taken */
    VEC(double) calls, next_calls; /* of each function; of number 0: code without one */
    VEC(uint8_t) open;             /* of each function: has it an indirect jump without arms? */
    VEC(uint8_t) led;              /* of each piece: does something known lead there? */
    VEC(uint8_t) stops;            /* of each piece: does it end in a stop? */
    VEC(uint32_t) function;        /* of each piece */
    VEC(uint32_t) around;          /* for find_loops() */
    VEC(uint32_t) arms;            /* of each piece: the first arm of its jump, from 1; 0: none */
    VEC(uint32_t)
    loop;         /* of each piece: the last one of the innermost loop that it is in,
                                      from 1; 0: none */
    double jumps; /* by jumps of the function with unknown targets, not yet led on */
    size_t least; /* the first piece that something was led to since the last round */
};

static uint32_t function_of(const struct weigh *w, size_t i) {
    return part_number(w->o, w->pieces[i].start);
}

static bool reserve(struct weigh *w, size_t functions) {
    return seq_reserve(&w->times, w->n) && seq_reserve(&w->in, w->n) &&
           seq_reserve(&w->falls, w->n) && seq_reserve(&w->function, w->n) &&
           seq_reserve(&w->arms, w->n) && seq_reserve(&w->loop, w->n) &&
           seq_reserve(&w->around, w->n) && seq_reserve(&w->led, w->n) &&
           seq_reserve(&w->stops, w->n + 1) && seq_reserve(&w->calls, functions) &&
           seq_reserve(&w->next_calls, functions) && seq_reserve(&w->open, functions);
}

static bool prepare(struct weigh *w) {
    const size_t functions = w->o->part_functions + 1;
    if (!reserve(w, functions))
        return false;
    for (size_t i = 0; i < w->n; i++) {
        w->times.at[i] = w->in.at[i] = w->falls.at[i] = 0;
        w->function.at[i] = function_of(w, i);
        w->arms.at[i] = w->loop.at[i] = w->led.at[i] = w->stops.at[i] = 0;
    }
    for (size_t k = 0; k < functions; k++) {
        w->calls.at[k] = 1;
        w->open.at[k] = 0;
    }
    return true;
}

static bool same_function(const struct weigh *w, size_t i, uint32_t to) {
    return to != TREE_NONE && w->function.at[i] == w->function.at[to];
}

static bool begins_function(const struct weigh *w, size_t i) {
    return i == 0 || w->function.at[i - 1] != w->function.at[i];
}

static bool calls(const struct weigh *w, size_t i) {
    return w->tree[i].ends == 'c' || w->pieces[i].flow == FLOW_CALL_AWAY;
}

/* ---- where control may go ---- */

/* The last piece that begins at or before the address; there is one. */
static size_t piece_around(const struct weigh *w, uintptr_t at) {
    const size_t k = items_below(w->pieces, w->n, sizeof *w->pieces, at + 1);
    return k > 0 ? k - 1 : 0;
}

static void find_arms(struct weigh *w) {
    const struct object *o = w->o;
    const size_t first = arms_from(o);
    for (size_t k = first; k < o->arms.len && w->n > 0 && o->arms.at[k].jump < o->part.end; k++)
        if (k == first || o->arms.at[k].jump != o->arms.at[k - 1].jump) {
            const size_t i = piece_around(w, o->arms.at[k].jump);
            if (w->pieces[i].last == o->arms.at[k].jump)
                w->arms.at[i] = (uint32_t)k + 1;
        }
    for (size_t i = 0; i < w->n; i++)
        if (w->pieces[i].flow == FLOW_JUMP_AWAY && w->arms.at[i] == 0)
            w->open.at[w->function.at[i]] = 1;
}

/* Control goes so often from a piece to another one of its function; others are not followed. */
static void lead(struct weigh *w, size_t i, uint32_t to, double times) {
    if (!same_function(w, i, to))
        return;
    w->in.at[to] += times;
    w->led.at[to] = 1;
    if (to <= i && to < w->least)
        w->least = to;
}

static void lead_to_arms(struct weigh *w, size_t i, double times) {
    const struct object *o = w->o;
    const piece_list all = {.at = (struct piece *)w->pieces, .len = w->n};
    size_t first = w->arms.at[i] - 1, n = 0;
    while (first + n < o->arms.len && o->arms.at[first + n].jump == o->arms.at[first].jump)
        n++;
    for (size_t k = first; k < first + n; k++) {
        const struct piece *p = piece_near(&all, i, o->arms.at[k].target);
        if (p != NULL)
            lead(w, i, (uint32_t)(p - w->pieces), times / (double)n);
    }
}

static void lead_on(struct weigh *w, size_t i, double times) {
    const struct tree_piece *p = &w->tree[i];
    if (p->ends == 'n' || p->ends == 'x' || calls(w, i)) {
        lead(w, i, p->next, times);
    } else if (p->ends == 'j') {
        lead(w, i, p->target, times);
    } else if (p->ends == 'b') {
        lead(w, i, p->next, times * w->falls.at[i]);
        lead(w, i, p->target, times * (1 - w->falls.at[i]));
    } else if (w->arms.at[i] != 0) {
        lead_to_arms(w, i, times);
    } else if (w->pieces[i].flow == FLOW_JUMP_AWAY) {
        w->jumps += times;
    }
}

/* ---- branches ---- */

/* A loop is what lies between the target of a jump back and the last such jump. */
static void find_loops(struct weigh *w) {
    for (size_t i = 0; i < w->n; i++) {
        const struct tree_piece *p = &w->tree[i];
        if ((p->ends == 'b' || p->ends == 'j') && same_function(w, i, p->target) && p->target <= i)
            w->loop.at[p->target] = (uint32_t)i + 1;
    }
    uint32_t *around = w->around.at; /* of each loop's first piece: the loop around it */
    uint32_t in = 0;                 /* the first piece of the innermost one, from 1 */
    for (uint32_t i = 0; i < w->n; i++) {
        while (in != 0 && w->loop.at[in - 1] <= i)
            in = around[in - 1];
        if (w->loop.at[i] != 0) {
            around[i] = in;
            in = i + 1;
        } else if (in != 0) {
            w->loop.at[i] = w->loop.at[in - 1];
        }
    }
}

/* What can only end in a stop, or in a call that does not return. */
static void find_stops(struct weigh *w) {
    for (int round = 0; round < 2; round++)
        for (size_t i = w->n; i-- > 0;) {
            const struct tree_piece *p = &w->tree[i];
            const bool on = p->ends == 'n' || p->ends == 'x' || calls(w, i);
            const uint32_t to = on ? p->next : p->ends == 'j' ? p->target : TREE_NONE;
            w->stops.at[i] = p->ends == 's' || (p->ends == 'c' && !same_function(w, i, to)) ||
                             (same_function(w, i, to) && w->stops.at[to] != 0);
        }
}

/* The sign p, for falling through, beside others that give q. */
static double combine(double q, double p) {
    return q * p / (q * p + (1 - q) * (1 - p));
}

static double one_of(double q, bool taken, bool fall, double p) {
    return taken == fall ? q : combine(q, taken ? p : 1 - p);
}

static double falls(const struct weigh *w, size_t i) {
    const struct tree_piece *p = &w->tree[i];
    if (!same_function(w, i, p->target))
        return leaves_function;
    if (p->target <= i)
        return back;
    double q = forward;
    if (w->loop.at[i] > i + 1 && p->target >= w->loop.at[i])
        q = combine(q, leaves_loop);
    if (p->next == TREE_NONE)
        return q;
    q = one_of(q, w->stops.at[p->target] != 0, w->stops.at[p->next] != 0, leads_to_stop);
    return one_of(q, calls(w, p->target), calls(w, p->next), leads_to_call);
}

static void find_branches(struct weigh *w) {
    find_loops(w);
    find_stops(w);
    for (size_t i = 0; i < w->n; i++)
        if (w->tree[i].ends == 'b')
            w->falls.at[i] = falls(w, i);
}

/* ---- frequencies ---- */

/* What enters the function's pieces, for each call of it. Returns how many pieces its jumps with unknown
 * targets may lead to: those that nothing else leads to. */
static size_t enter(struct weigh *w, size_t first, size_t end) {
    const bool open = w->open.at[w->function.at[first]] != 0;
    size_t targets = 0;
    w->jumps = 0;
    w->in.at[first] += 1;
    for (size_t i = first + 1; i < end; i++) {
        targets += w->led.at[i] == 0;
        if (w->led.at[i] == 0 && !open)
            w->in.at[i] += unknown;
    }
    return targets;
}

/* Returns what is left then, led back by jumps; what is too little to be led on does not count. */
static double lead_all(struct weigh *w, size_t end) {
    double rest = 0;
    const size_t first = w->least;
    w->least = end;
    for (size_t i = first; i < end; i++) {
        const double times = w->in.at[i];
        if (times < least_led)
            continue;
        w->in.at[i] = 0;
        w->times.at[i] += times;
        lead_on(w, i, times);
    }
    for (size_t i = w->least; i < end; i++)
        rest += w->in.at[i];
    return rest + w->jumps;
}

static void lead_jumps(struct weigh *w, size_t first, size_t end, size_t targets) {
    const double each = targets > 0 ? dispatched * w->jumps / (double)targets : 0;
    w->jumps = 0;
    for (size_t i = first + 1; i < end && each > 0; i++)
        if (w->led.at[i] == 0) {
            w->in.at[i] += each;
            w->least = i < w->least ? i : w->least;
        }
}

static void find_times(struct weigh *w) {
    for (size_t i = 0; i < w->n; i++)
        lead_on(w, i, 0);
    for (size_t first = 0, end; first < w->n; first = end) {
        for (end = first + 1; end < w->n && !begins_function(w, end);)
            end++;
        const size_t targets = enter(w, first, end);
        w->least = first;
        for (int k = 0; k < TIME_ROUNDS && lead_all(w, end) > least_left; k++)
            lead_jumps(w, first, end, targets);
    }
}

static void find_calls(struct weigh *w) {
    const size_t functions = w->o->part_functions + 1;
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
static void set_weights(const struct weigh *w, const struct weights *out) {
    for (size_t i = 0; i < w->n; i++) {
        const double times = w->times.at[i] * w->calls.at[w->function.at[i]];
        out->node[i] = weight_of(times);
        out->fall[i] = (uint8_t)(weight_of(times * w->falls.at[i]) + 1);
        out->taken[i] = (uint8_t)(weight_of(times * (1 - w->falls.at[i])) + 1);
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

/* Of what the piece, which was executed `count` times, did so often: its branch, if not always. */
static uint8_t branch_weight(uint64_t count, uint64_t times, uint64_t calls, uint8_t weight) {
    return count == 0 ? other_weight(weight)
                      : (uint8_t)(counted_weight(times, calls) + (times > 0 && times < count));
}

/* Replaces static weights by what an earlier run executed. */
static void set_executed(const struct weigh *w, const struct placement *earlier,
                         const struct weights *out) {
    uint64_t calls = 0;
    for (size_t i = 0; i < w->n; i++) {
        const uint64_t at = file_offset(w->o, w->pieces[i].start),
                       count = placement_executed(earlier, at),
                       went = placement_went(earlier, at, file_offset(w->o, w->pieces[i].end));
        if (i == 0 || w->function.at[i - 1] != w->function.at[i])
            calls = count;
        out->node[i] = branch_weight(count, count, calls, out->node[i]);
        out->fall[i] = branch_weight(count, went, calls, out->fall[i]);
        out->taken[i] = branch_weight(count, count > went ? count - went : 0, calls, out->taken[i]);
    }
}

static void weigh_free(struct weigh *w) {
    seq_free(&w->times);
    seq_free(&w->in);
    seq_free(&w->falls);
    seq_free(&w->calls);
    seq_free(&w->next_calls);
    seq_free(&w->open);
    seq_free(&w->led);
    seq_free(&w->stops);
    seq_free(&w->function);
    seq_free(&w->arms);
    seq_free(&w->loop);
    seq_free(&w->around);
}

bool edges_weigh(struct object *o, const piece_list *pieces, const struct tree_piece *tree,
                 const struct placement *earlier, const struct weights *out) {
    struct weigh w = {.o = o, .pieces = pieces->at, .tree = tree, .n = pieces->len};
    const bool ok = prepare(&w);
    if (ok) {
        find_arms(&w);
        find_branches(&w);
        find_times(&w);
        find_calls(&w);
        set_weights(&w, out);
        if (earlier->bytes > 0)
            set_executed(&w, earlier, out);
    }
    weigh_free(&w);
    return ok;
}
