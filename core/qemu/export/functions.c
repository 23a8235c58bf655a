#include "qemu/export/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/layout/layout.h"

enum { ROUNDS = 5000 };

void functions_free(struct functions *f) {
    free(f->list);
    free(f->of_block);
    free(f->executed);
    free(f->edges);
    free(f->order);
    free(f->first_edge);
    vec_free(&f->arcs);
    *f = (struct functions){0};
}

static size_t block_at(const struct structure *s, uint32_t entry) {
    const struct block *b = graph_find_block(&s->graph, entry);
    return b != NULL ? (size_t)(b - s->graph.blocks) : SIZE_MAX;
}

/* ---- weights ---- */

/* layout_weigh() leaves out busy-waits; here they have their weights of the graph. */
static enum status weigh(struct functions *f, const struct structure *s, const struct graph *g,
                         struct error *e) {
    const struct layout_program program = shapes_program(&s->shapes, &s->graph);
    struct layout_weighing weights = {0};
    enum status status = layout_weigh(&weights, &program, g, false, e);
    f->edges = weights.edges;
    for (size_t i = 0; status == STATUS_OK && i < s->graph.edge_count; i++) {
        const struct edge *edge = &s->graph.edges[i];
        const struct edge *found =
            edge->busy ? graph_find_edge(g, edge->source, edge->target) : NULL;
        if (found != NULL)
            f->edges[i] = found->count;
    }
    f->first_edge = calloc(s->graph.block_count + 2, sizeof *f->first_edge);
    if (status == STATUS_OK && f->first_edge == NULL)
        status = error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t b = 0, i = 0; status == STATUS_OK && b < s->graph.block_count; b++) {
        while (i < s->graph.edge_count && s->graph.edges[i].source < s->graph.blocks[b].entry)
            i++;
        f->first_edge[b] = i;
        f->first_edge[b + 1] = s->graph.edge_count;
    }
    return status;
}

/* A block's number of executions is the larger of its inflow and its outflow. */
static enum status count_blocks(struct functions *f, const struct structure *s, struct error *e) {
    const size_t count = s->graph.block_count;
    uint64_t *out = calloc(count + 1, sizeof *out);
    f->executed = calloc(count + 1, sizeof *f->executed);
    if (out == NULL || f->executed == NULL) {
        free(out);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const size_t from = block_at(s, s->graph.edges[i].source),
                     to = block_at(s, s->graph.edges[i].target);
        if (from != SIZE_MAX)
            out[from] += f->edges[i];
        if (to != SIZE_MAX)
            f->executed[to] += f->edges[i];
    }
    for (size_t b = 0; b < count; b++)
        if (out[b] > f->executed[b])
            f->executed[b] = out[b];
    free(out);
    return STATUS_OK;
}

/* ---- which function a block is in ---- */

static size_t image_of(const struct structure *s, uint32_t address) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < s->image_count && s->images[i].base <= address; i++)
        found = i;
    return found;
}

/* Without symbols, a function begins at each call's target and where a context begins. */
static enum status find_starts(bool **out, const struct structure *s, struct error *e) {
    bool *starts = calloc(s->graph.block_count + 1, sizeof *starts);
    if (starts == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const size_t from = block_at(s, s->graph.edges[i].source),
                     to = block_at(s, s->graph.edges[i].target);
        if (from != SIZE_MAX && to != SIZE_MAX && s->shapes.blocks[from].end == END_CALL)
            starts[to] = true;
    }
    for (size_t b = 0; b < s->graph.block_count; b++)
        starts[b] |= s->begins != NULL && s->begins[b] > 0;
    *out = starts;
    return STATUS_OK;
}

/* Is it a name like "libc.so.6+0x2a1f0", for an address that no symbol covers? */
static bool is_nameless(const struct structure *s, uint32_t address, const char *name) {
    const size_t image = image_of(s, address);
    char plain[FUNCTION_NAME];
    if (image == SIZE_MAX)
        return true;
    const char *slash = strrchr(s->images[image].path, '/');
    snprintf(plain, sizeof plain, "%s+0x%x", slash != NULL ? slash + 1 : s->images[image].path,
             address - s->images[image].base);
    return strcmp(name, plain) == 0;
}

/* Finds the name of the function whose symbol covers the block, or else of a symbol at its start.
 * True: a symbol covers it. */
static bool name_block(const struct structure *s, const struct qemu_symbols *symbols, size_t b,
                       char name[FUNCTION_NAME]) {
    const uint32_t entry = s->graph.blocks[b].entry;
    if (symbols == NULL) {
        snprintf(name, FUNCTION_NAME, "0x%x", entry);
        return false;
    }
    qemu_symbols_name(symbols, entry, name, FUNCTION_NAME);
    const bool covered = !is_nameless(s, entry, name);
    char *offset = strrchr(name, '+');
    if (covered && offset != NULL && strncmp(offset, "+0x", 3) == 0)
        *offset = '\0';
    for (char *c = name; *c != '\0'; c++) /* these end names in the formats */
        if ((unsigned char)*c <= ' ' || *c == ';')
            *c = '_';
    return covered;
}

/* The function with this name and image, added if it is new; SIZE_MAX: out of memory. */
static size_t function_named(struct functions *f, struct map *known, const char *name, size_t image,
                             uint32_t entry) {
    uint64_t *number = map_at(known, fnv1a64(name, strlen(name)) ^ splitmix64(image, 0));
    if (number == NULL)
        return SIZE_MAX;
    if (*number == 0) {
        struct function *one = &f->list[f->count++];
        *one = (struct function){.entry = entry, .image = image};
        snprintf(one->name, sizeof one->name, "%s", name);
        *number = f->count;
    }
    return (size_t)*number - 1;
}

/* True if the block is in the same image as the previous one; in games, in the same bank. */
static bool is_near(const struct structure *s, size_t b) {
    const uint32_t entry = s->graph.blocks[b].entry, before = s->graph.blocks[b - 1].entry;
    return s->image_count > 0 ? image_of(s, entry) == image_of(s, before)
                              : entry >> 16 == before >> 16;
}

static enum status find_functions(struct functions *f, const struct structure *s,
                                  const struct qemu_symbols *symbols, struct error *e) {
    const size_t count = s->graph.block_count;
    bool *starts = NULL;
    struct map known = {0};
    f->list = calloc(count + 1, sizeof *f->list);
    f->of_block = calloc(count + 1, sizeof *f->of_block);
    enum status status = f->list != NULL && f->of_block != NULL
                             ? find_starts(&starts, s, e)
                             : error_set(e, STATUS_MEMORY, "out of memory");
    bool covered = true;
    for (size_t b = 0; b < count && status == STATUS_OK; b++) {
        const uint32_t entry = s->graph.blocks[b].entry;
        char name[FUNCTION_NAME];
        const bool after_nameless = !covered;
        covered = name_block(s, symbols, b, name);
        if (!covered && after_nameless && !starts[b] && is_near(s, b)) {
            f->of_block[b] = f->of_block[b - 1];
            continue;
        }
        f->of_block[b] = function_named(f, &known, name, image_of(s, entry), entry);
        if (f->of_block[b] == SIZE_MAX)
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    map_free(&known);
    free(starts);
    return status;
}

static uint64_t insns_of(const struct structure *s, size_t b) {
    const uint64_t count = s->first[b + 1] - s->first[b];
    return count > 0 ? count : s->shapes.blocks[b].insns;
}

static void add_selves(struct functions *f, const struct structure *s) {
    for (size_t b = 0; b < s->graph.block_count; b++) {
        struct function *one = &f->list[f->of_block[b]];
        const uint64_t self = f->executed[b] * insns_of(s, b);
        one->self += self;
        f->total += self;
        if (s->begins != NULL && f->executed[b] > 0)
            one->begins += (double)s->begins[b];
    }
}

/* ---- order ---- */

struct keyed {
    size_t function, block;
};

static int by_function(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static enum status sort_blocks(struct functions *f, size_t count, struct error *e) {
    struct keyed *keys = calloc(count + 1, sizeof *keys);
    f->order = calloc(count + 1, sizeof *f->order);
    if (keys == NULL || f->order == NULL) {
        free(keys);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    for (size_t b = 0; b < count; b++)
        keys[b] = (struct keyed){f->of_block[b], b};
    qsort(keys, count, sizeof *keys, by_function);
    for (size_t i = 0; i < count; i++)
        f->order[i] = keys[i].block;
    free(keys);
    return STATUS_OK;
}

/* ---- calls ---- */

bool functions_is_call(const struct functions *f, const struct structure *s, size_t b,
                       size_t callee) {
    const enum block_end end = s->shapes.blocks[b].end;
    return end == END_CALL || (end != END_OTHER && f->of_block[b] != callee);
}

static int by_arc(const void *a, const void *b) {
    const struct call_arc *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

static enum status find_calls(struct functions *f, const struct structure *s, struct error *e) {
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const size_t from = block_at(s, s->graph.edges[i].source),
                     to = block_at(s, s->graph.edges[i].target);
        if (f->edges[i] == 0 || from == SIZE_MAX || to == SIZE_MAX ||
            !functions_is_call(f, s, from, f->of_block[to]))
            continue;
        const struct call_arc arc = {f->of_block[from], f->of_block[to], f->edges[i]};
        if (!vec_push(&f->arcs, arc))
            return error_set(e, STATUS_MEMORY, "out of memory");
    }
    if (f->arcs.len == 0)
        return STATUS_OK;
    qsort(f->arcs.at, f->arcs.len, sizeof *f->arcs.at, by_arc);
    size_t kept = 0;
    for (size_t i = 1; i < f->arcs.len; i++)
        if (by_arc(&f->arcs.at[kept], &f->arcs.at[i]) == 0)
            f->arcs.at[kept].count += f->arcs.at[i].count;
        else
            f->arcs.at[++kept] = f->arcs.at[i];
    f->arcs.len = kept + 1;
    return STATUS_OK;
}

/* Functions that the arcs reach from `from`. */
static void reach(const struct functions *f, bool *reached, size_t from) {
    reached[from] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < f->arcs.len; i++) {
            const struct call_arc *arc = &f->arcs.at[i];
            if (reached[arc->caller] && !reached[arc->callee])
                more = reached[arc->callee] = true;
        }
    }
}

/* A function that is executed, but that no chain of calls reaches from the start of a context, was
 * entered in another way: by a return to a computed address, or by a signal. It counts as entered
 * once. */
static enum status enter_everywhere(struct functions *f, struct error *e) {
    bool *reached = calloc(f->count + 1, sizeof *reached);
    if (reached == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].begins > 0 && !reached[i])
            reach(f, reached, i);
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].self > 0 && !reached[i]) {
            f->list[i].begins++;
            f->list[i].entered++;
            reach(f, reached, i);
        }
    free(reached);
    return STATUS_OK;
}

/* Solves x = self / entered + sum of (calls to y / entered) * y for one call of each function. It
 * converges, because functions that call each other in a cycle were also entered from outside. */
static enum status estimate_inclusive(struct functions *f, struct error *e) {
    for (size_t i = 0; i < f->count; i++)
        f->list[i].entered = f->list[i].begins;
    for (size_t i = 0; i < f->arcs.len; i++)
        f->list[f->arcs.at[i].callee].entered += (double)f->arcs.at[i].count;
    const enum status status = enter_everywhere(f, e);
    if (status != STATUS_OK)
        return status;
    for (int round = 0; round < ROUNDS; round++) {
        double change = 0;
        for (size_t i = f->count, end = f->arcs.len; i-- > 0;) {
            struct function *one = &f->list[i];
            double x = (double)one->self, others = one->entered;
            for (; end > 0 && f->arcs.at[end - 1].caller == i; end--) {
                const struct call_arc *arc = &f->arcs.at[end - 1];
                if (arc->callee == i)
                    others -= (double)arc->count; /* calls of itself, solved at once */
                else
                    x += (double)arc->count * f->list[arc->callee].inclusive;
            }
            x = others > 0 ? x / others : x;
            x = x < (double)f->total ? x : (double)f->total; /* also limits cycles that nothing
                                                                enters */
            change += fabs(x - one->inclusive) * one->entered;
            one->inclusive = x;
        }
        if (change <= 1e-9 * (double)f->total)
            break;
    }
    return STATUS_OK;
}

uint32_t functions_offset(const struct structure *s, const struct function *f, uint32_t address) {
    return f->image != SIZE_MAX ? address - s->images[f->image].base : address;
}

enum status functions_make(struct functions *out, const struct structure *s, const struct graph *g,
                           const struct qemu_symbols *symbols, struct error *e) {
    struct functions f = {0};
    if (s->shapes.blocks == NULL || s->first == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "the structure does not say how blocks end: make it again with 'record "
                         "--structure' or 'structure'");
    enum status status = weigh(&f, s, g, e);
    if (status == STATUS_OK)
        status = count_blocks(&f, s, e);
    if (status == STATUS_OK)
        status = find_functions(&f, s, symbols, e);
    if (status == STATUS_OK)
        status = sort_blocks(&f, s->graph.block_count, e);
    if (status == STATUS_OK)
        status = find_calls(&f, s, e);
    if (status == STATUS_OK) {
        add_selves(&f, s);
        status = estimate_inclusive(&f, e);
    }
    if (status == STATUS_OK) {
        *out = f;
    } else {
        functions_free(&f);
    }
    return status;
}
