/*
 * Converts a profile of BOLT to a graph. `llvm-bolt --instrument` counts every branch, its falls
 * too, every call and every indirect jump, but no returns. The rest follows: the instructions
 * before a transfer are executed as often as it is, those after a call as often as the call, and a
 * return as often as the code before it. Blocks that end with a return have no outgoing edges here.
 *
 * Where a call did not return, or returned more than once, the next transfer says how often the
 * code in between was executed. If a transfer is counted more or less often than the code before it
 * and there was no call, the counts are not exact: they are samples, as perf2bolt writes them, or
 * BOLT has inferred them by conservation of flow although a longjmp() broke it
 * (--conservative-instrumentation counts all).
 */
#include "qemu/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/images/elf_functions.h"
#include "qemu/import/fdata_text.h"
#include "qemu/import/import_flow.h"

struct counting {
    struct import_flow flow;
    struct elf_functions functions;
    VEC(const struct elf_function *) by_name;
    uint32_t base;           /* code address of the program's first byte */
    struct map into, out_of; /* code address -> sum of the branches there */
    struct map returns;      /* code addresses of calls whose returns have lines of their own */
    struct map touched;      /* number of a function in `functions` that has counts */
    VEC(uint32_t) open;      /* the instructions since the last transfer or begin of a block */
    /* Only the next transfer says how often they were executed: after a call, and at a function's
     * start, which may have been entered from outside. */
    bool unsure;
    struct import_counts *counts;
    bool lost; /* out of memory */
};

/* ---- names ---- */

static int name_order(const void *a, const void *b) {
    const struct elf_function *const *x = a, *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : ((*x)->start > (*y)->start) - ((*x)->start < (*y)->start);
}

static bool sort_names(struct counting *c) {
    for (size_t i = 0; i < c->functions.named; i++)
        if (!vec_push(&c->by_name, &c->functions.list.at[i]))
            return false;
    qsort(c->by_name.at, c->by_name.len, sizeof *c->by_name.at, name_order);
    return true;
}

static const struct elf_function *find_function(const struct counting *c, const char *name) {
    size_t low = 0, high = c->by_name.len; /* those before `low` have smaller names */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(c->by_name.at[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->by_name.len && strcmp(c->by_name.at[low]->name, name) == 0 ? c->by_name.at[low]
                                                                               : NULL;
}

/* ---- branches ---- */

static bool fail_memory(struct counting *c) {
    c->lost = true;
    return false;
}

static bool add(struct counting *c, struct map *m, uint32_t address, uint64_t count) {
    uint64_t *at = map_at(m, address);
    if (at == NULL)
        return fail_memory(c);
    *at = *at + count < GRAPH_WEIGHT_MAX ? *at + count : GRAPH_WEIGHT_MAX;
    return true;
}

/* Finds the instruction at the end of a branch. False: in no function here, or out of memory. */
static bool find_code(struct counting *c, const struct fdata_end *end, uint32_t *out) {
    const struct elf_function *f = end->function != NULL ? find_function(c, end->function) : NULL;
    const struct elf_function *kept = f != NULL ? elf_functions_at(&c->functions, f->start) : NULL;
    if (kept == NULL || end->offset >= kept->size)
        return false;
    *out = c->base + (uint32_t)(f->start + end->offset);
    if (code_insn(&c->flow.code, *out, &c->lost) == NULL)
        return false;
    uint64_t *touched = map_at(&c->touched, (uint64_t)(kept - c->functions.list.at));
    if (touched == NULL)
        return fail_memory(c);
    *touched = 1;
    return true;
}

/* Can control go there from that instruction? */
static bool is_edge(const struct sample *from, uint32_t to) {
    const bool next = to == from->pc + from->size;
    switch ((enum insn_kind)from->kind) {
    case INSN_PLAIN:
        return next;
    case INSN_BRANCH:
        return next || to == from->target;
    case INSN_JUMP:
    case INSN_CALL:
        return to == from->target;
    default:
        return true;
    }
}

static bool is_call(const struct sample *insn) {
    return insn->kind == INSN_CALL || insn->unused != 0;
}

/* Where exceptions may be caught, BOLT counts how often a call returned, and to where: to the next
 * instruction, or to a handler. No edge: the return comes from somewhere else. */
static bool take_return(struct counting *c, uint32_t call, uint32_t to, uint64_t count) {
    uint64_t *at = map_at(&c->returns, call);
    if (at == NULL)
        return fail_memory(c);
    *at = 1;
    c->counts->branches++;
    return add(c, &c->into, to, count);
}

static bool take_branch(void *user, const struct fdata_branch *b) {
    struct counting *c = user;
    uint32_t from = 0, to = 0;
    const bool has_from = find_code(c, &b->from, &from), has_to = find_code(c, &b->to, &to);
    if (c->lost)
        return false;
    c->counts->unmapped +=
        (b->from.function != NULL && !has_from) || (b->to.function != NULL && !has_to);
    if (has_from && has_to) {
        const struct sample *found = code_insn(&c->flow.code, from, &c->lost);
        if (found == NULL)
            return fail_memory(c);
        if (is_call(found) && b->to.offset != 0 && strcmp(b->from.function, b->to.function) == 0)
            return take_return(c, from, to, b->count);
        if (!is_edge(found, to)) {
            c->counts->broken++;
            return true;
        }
        c->counts->branches++;
        if (!import_flow_add(&c->flow, from, to, b->count, found->kind != INSN_PLAIN))
            return fail_memory(c);
    }
    return (!has_from || add(c, &c->out_of, from, b->count)) &&
           (!has_to || add(c, &c->into, to, b->count));
}

/* ---- what follows from them ---- */

/* Counts the open instructions, each of which went on to the next one. */
static bool close_run(struct counting *c, uint64_t executed) {
    for (size_t i = 0; i < c->open.len && executed > 0; i++) {
        const struct sample *insn = code_insn(&c->flow.code, c->open.at[i], &c->lost);
        if (insn == NULL ||
            !import_flow_add(&c->flow, insn->pc, insn->pc + insn->size, executed, false))
            return fail_memory(c);
        c->counts->samples += executed;
    }
    c->open.len = 0;
    return true;
}

/* For an instruction after which control may go elsewhere, or whose branches are counted. Returns
 * how often the next one is executed after it. */
static uint64_t end_run(struct counting *c, const struct sample *insn, uint64_t before) {
    const uint64_t *found = map_find(&c->out_of, insn->pc);
    const bool known = found != NULL && insn->kind != INSN_RETURN;
    const uint64_t executed = known ? *found : before;
    if (executed != before && !c->unsure)
        c->counts->unequal++;
    if (!close_run(c, c->unsure ? executed : before))
        return 0;
    c->counts->samples += executed;
    c->unsure = is_call(insn) && map_find(&c->returns, insn->pc) == NULL;
    return c->unsure ? executed : 0;
}

/* Walks through a function's instructions in the order of their addresses. */
static bool count_function(struct counting *c, const struct elf_function *f) {
    uint32_t at = c->base + (uint32_t)f->start;
    const uint64_t end = (uint64_t)at + f->size;
    uint64_t executed = 0;
    c->unsure = true;
    while (at < end && !c->lost) {
        const uint64_t *into = map_find(&c->into, at);
        const struct sample *found = code_insn(&c->flow.code, at, &c->lost);
        if (found == NULL)
            break;
        const struct sample insn = *found;
        if (into != NULL) { /* a block begins */
            if (!close_run(c, executed))
                return false;
            executed += *into;
        }
        if (insn.kind != INSN_PLAIN || map_find(&c->out_of, at) != NULL)
            executed = end_run(c, &insn, executed);
        else if (!vec_push(&c->open, at))
            return fail_memory(c);
        at += insn.size;
    }
    return !c->lost && close_run(c, executed);
}

static bool count_functions(struct counting *c) {
    for (size_t i = 0; i < c->functions.list.len; i++)
        if (map_find(&c->touched, i) != NULL && !count_function(c, &c->functions.list.at[i]))
            return false;
    return true;
}

static enum status open_program(struct counting *c, const struct import_request *request,
                                struct error *e) {
    const struct code_image *image;
    enum status status = elf_functions_read(&c->functions, request->program, e);
    if (status != STATUS_OK)
        return status;
    char *path = realpath(request->program, NULL); /* as recordings name it */
    const bool ok = path != NULL && sort_names(c) &&
                    (request->images == NULL || code_add_images(&c->flow.code, request->images)) &&
                    code_image_named(&c->flow.code, path, &image);
    free(path);
    if (!ok)
        return error_set(e, STATUS_MEMORY, "%s: out of memory", request->program);
    c->base = image->base;
    return image->machine != 0
               ? STATUS_OK
               : error_set(e, STATUS_UNSUPPORTED, "%s: is of a processor that is not supported",
                           request->program);
}

static enum status read_counts(struct counting *c, const struct import_request *request,
                               struct error *e) {
    struct bytes text = {0};
    const struct fdata_reader reader = {.branch = take_branch, .user = c};
    enum status status = file_read(&text, request->path, SIZE_MAX / 2, e);
    if (status == STATUS_OK)
        status = fdata_text_read((const char *)text.at, text.len, request->path, &reader, e);
    bytes_free(&text);
    if (status == STATUS_OK && c->counts->branches == 0)
        status = error_set(e, STATUS_FORMAT, "%s: none of its branches is in %s", request->path,
                           request->program);
    return status;
}

static void counting_free(struct counting *c) {
    import_flow_free(&c->flow);
    elf_functions_free(&c->functions);
    vec_free(&c->by_name);
    vec_free(&c->open);
    map_free(&c->into);
    map_free(&c->out_of);
    map_free(&c->returns);
    map_free(&c->touched);
}

enum status import_fdata(struct import_result *out, const struct import_request *request,
                         struct error *e) {
    *out = (struct import_result){0};
    struct counting c = {.counts = &out->counts};
    enum status status = open_program(&c, request, e);
    if (status == STATUS_OK)
        status = read_counts(&c, request, e);
    if (status == STATUS_OK && !count_functions(&c))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", request->path);
    if (status == STATUS_OK)
        status = import_flow_end(&c.flow, out, e);
    out->graph.kind = out->counts.unequal == 0 ? GRAPH_EXACT : GRAPH_BUILT;
    if (status != STATUS_OK)
        import_free(out);
    counting_free(&c);
    return status;
}
