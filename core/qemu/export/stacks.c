/* Stacks of calls, estimated from calls between pairs of functions; folded stacks are a line for
 * each, as flamegraph.pl, speedscope and inferno read them. */
#include "qemu/export/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SHARE_LEAST (1.0 / 20000)

struct walk {
    const struct functions *f;
    const struct stack_reader *reader;
    size_t *first; /* of each function: its first arc; count + 1 */
    double carry;  /* rounding remainder, in instructions */
    size_t stack[STACK_DEPTH];
};

static bool hand_on(struct walk *w, size_t depth, double instructions) {
    const double exact = instructions + w->carry, whole = floor(exact);
    w->carry = exact - whole;
    return whole < 1 || w->reader->each(w->reader->user, w->stack, depth, (uint64_t)whole);
}

/* `calls` calls of the function on top of the stack. */
static bool follow(struct walk *w, size_t depth, double calls) {
    const size_t number = w->stack[depth - 1];
    const struct function *one = &w->f->list[number];
    const double share = calls / one->entered, self = share * (double)one->self;
    if (depth == STACK_DEPTH || calls * one->inclusive < SHARE_LEAST * (double)w->f->total)
        return hand_on(w, depth, calls * one->inclusive);
    if (!hand_on(w, depth, self))
        return false;
    for (size_t i = w->first[number]; i < w->first[number + 1]; i++) {
        const struct call_arc *arc = &w->f->arcs.at[i];
        w->stack[depth] = arc->callee;
        if (!follow(w, depth + 1, share * (double)arc->count))
            return false;
    }
    return true;
}

/* Stacks start where contexts begin. */
static bool walk_all(struct walk *w) {
    for (size_t i = 0; i < w->f->count; i++) {
        w->stack[0] = i;
        if (w->f->list[i].begins > 0 && !follow(w, 1, w->f->list[i].begins))
            return false;
    }
    return true;
}

enum status stacks_walk(const struct functions *f, const struct stack_reader *reader,
                        struct error *e) {
    struct walk w = {.f = f, .reader = reader};
    w.first = calloc(f->count + 2, sizeof *w.first);
    bool ok = w.first != NULL;
    for (size_t i = 0; ok && i < f->arcs.len; i++)
        w.first[f->arcs.at[i].caller + 1]++;
    for (size_t i = 0; ok && i < f->count; i++)
        w.first[i + 1] += w.first[i];
    ok = ok && walk_all(&w);
    free(w.first);
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

struct folding {
    struct file_writer *file;
    const struct functions *f;
};

static bool write_stack(void *user, const size_t *stack, size_t depth, uint64_t instructions) {
    const struct folding *w = user;
    for (size_t i = 0; i < depth; i++)
        file_printf(w->file, "%s%s", i > 0 ? ";" : "", w->f->list[stack[i]].name);
    file_printf(w->file, " %" PRIu64 "\n", instructions);
    return true;
}

enum status folded_write(struct file_writer *file, const struct functions *f, struct error *e) {
    struct folding folding = {file, f};
    return stacks_walk(f, &(struct stack_reader){write_stack, &folding}, e);
}
