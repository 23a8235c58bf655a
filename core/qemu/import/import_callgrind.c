/*
 * Converts callgrind's counts to a graph. Each instruction has its number of executions, each jump
 * and call its target and count; so all edges follow, except returns, which callgrind does not
 * record. Blocks that end with a return have no outgoing edges here.
 */
#include "qemu/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/images/segments.h"
#include "qemu/import/callgrind_text.h"
#include "qemu/import/import_flow.h"

struct counting {
    struct import_flow flow;
    struct map executed; /* code address -> executions */
    struct map taken;    /* code address -> executions that did not continue with the next
                            instruction */
    struct map pairs;    /* (from << 32 | to) -> count */
    struct import_counts *counts;
    bool jumps; /* the file has them */
    bool lost;
};

/* False: the address is in no file here, or out of memory. */
static bool find_code(struct counting *c, const char *object, uint64_t address, uint32_t *out) {
    const struct code_image *image;
    uint64_t offset;
    if (object[0] != '/') /* "???" */
        return false;
    if (!code_image_named(&c->flow.code, object, &image)) {
        c->lost = true;
        return false;
    }
    if (image->machine == 0 || !elf_offset(&image->file, address, &offset))
        return false;
    *out = image->base + (uint32_t)offset;
    return code_insn(&c->flow.code, *out, &c->lost) != NULL;
}

static bool add(struct counting *c, struct map *m, uint64_t key, uint64_t count) {
    uint64_t *at = map_at(m, key);
    if (at == NULL) {
        c->lost = true;
        return false;
    }
    *at = *at + count < GRAPH_WEIGHT_MAX ? *at + count : GRAPH_WEIGHT_MAX;
    return true;
}

static bool take_fact(void *user, const struct callgrind_fact *f) {
    struct counting *c = user;
    uint32_t from, to;
    c->jumps |= f->kind == CALLGRIND_JUMP || f->kind == CALLGRIND_BRANCH;
    if (!find_code(c, f->object, f->address, &from) ||
        (f->kind != CALLGRIND_COST && !find_code(c, f->target_object, f->target, &to))) {
        c->counts->unmapped++;
        return !c->lost;
    }
    if (f->kind == CALLGRIND_COST) {
        c->counts->samples += f->count;
        return add(c, &c->executed, from, f->count);
    }
    const struct sample *insn = code_insn(&c->flow.code, from, &c->lost);
    if (insn == NULL || insn->kind == INSN_PLAIN || insn->kind == INSN_RETURN) {
        c->counts->broken++; /* not a transfer: a name's address, or a function without a call */
        return !c->lost;
    }
    c->counts->branches += f->count;
    return add(c, &c->taken, from, f->count) &&
           add(c, &c->pairs, (uint64_t)from << 32 | to, f->count);
}

/* Adds the executions that continued without a transfer, or by a direct jump that has no line. */
static bool add_rest(struct counting *c, uint32_t address, uint64_t executed) {
    const struct sample *found = code_insn(&c->flow.code, address, &c->lost);
    if (found == NULL)
        return false;
    const struct sample insn = *found;
    const uint64_t *known = map_find(&c->taken, address);
    const uint64_t taken = known != NULL ? *known : 0,
                   rest = executed > taken ? executed - taken : 0;
    const uint32_t next = insn.kind == INSN_JUMP ? insn.target : address + insn.size;
    if (rest == 0 ||
        (insn.kind != INSN_PLAIN && insn.kind != INSN_BRANCH && insn.kind != INSN_JUMP) ||
        map_find(&c->executed, next) == NULL)
        return true;
    return import_flow_add(&c->flow, address, next, rest, insn.kind != INSN_PLAIN);
}

/* Was a conditional branch executed? Then a file without jumps was written without them. */
static bool has_branch(struct counting *c) {
    uint64_t key, count;
    for (size_t at = 0; map_next(&c->executed, &at, &key, &count);) {
        const struct sample *insn = code_insn(&c->flow.code, (uint32_t)key, &c->lost);
        if (insn != NULL && insn->kind == INSN_BRANCH)
            return true;
    }
    return false;
}

static bool make_flow(struct counting *c) {
    uint64_t key, count;
    for (size_t at = 0; map_next(&c->pairs, &at, &key, &count);)
        if (!import_flow_add(&c->flow, (uint32_t)(key >> 32), (uint32_t)key, count, true))
            return false;
    for (size_t at = 0; map_next(&c->executed, &at, &key, &count);)
        if (!add_rest(c, (uint32_t)key, count))
            return false;
    return true;
}

enum status import_callgrind(struct import_result *out, const struct import_request *request,
                             struct error *e) {
    struct bytes text = {0};
    *out = (struct import_result){0};
    struct counting c = {.counts = &out->counts};
    const struct callgrind_reader reader = {.fact = take_fact, .user = &c};
    enum status status = file_read(&text, request->path, SIZE_MAX / 2, e);
    if (status == STATUS_OK && request->images != NULL &&
        !code_add_images(&c.flow.code, request->images))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", request->path);
    if (status == STATUS_OK)
        status = callgrind_text_read((const char *)text.at, text.len, request->path, &reader, e);
    if (status == STATUS_OK && out->counts.samples == 0)
        status = error_set(e, STATUS_FORMAT, "%s: has no costs of files that are on this machine",
                           request->path);
    if (status == STATUS_OK && !c.jumps && has_branch(&c))
        status = error_set(e, STATUS_FORMAT,
                           "%s: has no jumps: run callgrind with --dump-instr=yes "
                           "--collect-jumps=yes",
                           request->path);
    if (status == STATUS_OK && !make_flow(&c))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", request->path);
    if (status == STATUS_OK)
        status = import_flow_end(&c.flow, out, e);
    out->graph.kind = GRAPH_EXACT;
    if (status != STATUS_OK)
        import_free(out);
    bytes_free(&text);
    import_flow_free(&c.flow);
    map_free(&c.executed);
    map_free(&c.taken);
    map_free(&c.pairs);
    return status;
}
