/* Counting paths while they are executed. */
#include "profile/path/path_counts.h"

#include <stdlib.h>

static struct path_counts *counts_of(struct traces *t) {
    return t->own;
}

/* The node of this transfer below `parent`; 0: out of memory. */
static uint32_t child(struct traces *t, uint32_t parent, bool starts, uint32_t from, uint32_t to) {
    struct path_counts *p = counts_of(t);
    uint64_t *step = map_at(&p->step_at, (uint64_t)from << 32 | to);
    if (step == NULL)
        goto memory;
    if (*step == 0)
        *step = p->step_at.len;
    uint64_t *node = map_at(&p->child_at, (uint64_t)parent << 33 | (uint64_t)starts << 32 | *step);
    if (node == NULL)
        goto memory;
    if (*node != 0)
        return (uint32_t)*node;
    if (p->nodes.len == 0 && !vec_push(&p->nodes, (struct path_node){0}))
        goto memory;
    const struct path_node fresh = {.parent = parent, .from = from, .to = to, .starts = starts};
    if (p->nodes.len >= INT32_MAX || !vec_push(&p->nodes, fresh))
        goto memory;
    *node = p->nodes.len - 1;
    return (uint32_t)*node;
memory:
    t->out_of_memory = true;
    return 0;
}

/* ---- samples ---- */

/* True if the path that ends now is sampled. A burst begins after the timer's tick: it ignores a few path
 * ends, another number each time, and takes the next ones. */
static bool is_sampled(struct path_sampling *s, uint64_t cycle) {
    if (s->period == 0)
        return false;
    if (cycle >= s->due) {
        s->due += (cycle - s->due) / s->period * s->period + s->period;
        s->left = s->samples;
        s->skip = s->rotation;
        s->rotation = (s->rotation + 1) % s->stride;
    }
    if (s->left == 0)
        return false;
    if (s->skip > 0) {
        s->skip--;
        return false;
    }
    s->left--;
    s->taken++;
    return true;
}

static void count_return(struct traces *t, struct map *returns, const struct arrival *a) {
    uint64_t *count = map_at(returns, (uint64_t)a->from << 32 | a->to);
    if (count == NULL)
        t->out_of_memory = true;
    else
        ++*count;
}

/* returning: the return with which the path ends; NULL: none. */
static void end_path(struct traces *t, uint32_t node, const struct arrival *returning) {
    struct path_counts *p = counts_of(t);
    const bool sampled = is_sampled(&p->sampling, traces_now(t));
    p->ended++;
    p->nodes.at[node].ends[PATHS_EACH]++;
    p->nodes.at[node].ends[PATHS_SAMPLED] += sampled;
    if (returning == NULL)
        return;
    count_return(t, &p->returns[PATHS_EACH], returning);
    if (sampled)
        count_return(t, &p->returns[PATHS_SAMPLED], returning);
}

/* ---- execution ---- */

static void start_path(struct traces *t, struct trace_context *c, uint32_t address) {
    c->head = child(t, 0, true, PATH_NOWHERE, address);
    c->recording = c->head != 0;
}

static bool is_return(const struct arrival *a) {
    return a->kind == INSN_RETURN || a->kind == INSN_RTI;
}

static bool ends_path(const struct arrival *a) {
    return arrival_is_backward(a) || is_return(a) || a->kind == INSN_CALL || a->kind == INSN_BRK;
}

void path_counts_arrives(struct traces *t, struct trace_context *c, const struct arrival *a) {
    if (a->begins || (a->taken && !c->recording)) {
        start_path(t, c, a->to);
        return;
    }
    if (!a->taken)
        return;
    counts_of(t)->transfers++;
    const uint32_t node = child(t, c->head, false, a->from, is_return(a) ? PATH_NOWHERE : a->to);
    if (node == 0) {
        c->recording = false;
        return;
    }
    c->head = node;
    if (!ends_path(a))
        return;
    end_path(t, node, is_return(a) ? a : NULL);
    start_path(t, c, a->to);
}

void path_counts_ends(struct traces *t, struct trace_context *c) {
    const uint32_t node = c->recording ? child(t, c->head, false, PATH_NOWHERE, PATH_NOWHERE) : 0;
    if (node != 0)
        end_path(t, node, NULL);
}

void path_counts_stops(struct traces *t, struct trace_context *c, uint32_t address) {
    const uint32_t node = c->recording ? child(t, c->head, false, PATH_NOWHERE, address) : 0;
    if (node != 0)
        counts_of(t)->nodes.at[node].ends[PATHS_EACH]++;
}

void path_counts_release(void *own) {
    struct path_counts *p = own;
    vec_free(&p->nodes);
    map_free(&p->step_at);
    map_free(&p->child_at);
    for (int i = 0; i < PATH_COUNTINGS; i++)
        map_free(&p->returns[i]);
}
