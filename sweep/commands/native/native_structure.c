#include "commands/native/native_structure.h"

#include <stdlib.h>
#include <string.h>

/* A session does not tell indirect jumps, calls and returns apart. Their opcodes are FF /4, FF /2 and
 * C2, C3, after prefixes. */
static enum block_end end_of_indirect(const uint8_t *insn, size_t size) {
    size_t i = 0;
    while (i < size &&
           (memchr("\x66\xf2\xf3\x2e\x3e", insn[i], 5) != NULL || (insn[i] & 0xf0) == 0x40))
        i++;
    if (i + 1 >= size || insn[i] != 0xff)
        return END_OTHER;
    const unsigned operation = insn[i + 1] >> 3 & 7;
    return operation == 2 ? END_CALL : operation == 4 ? END_INDIRECT : END_OTHER;
}

enum block_end native_end_of(char ends, const uint8_t *insn, size_t size) {
    switch (ends) {
    case 'n':
    case 'x':
        return END_NONE;
    case 'b':
        return END_BRANCH;
    case 'j':
        return END_JUMP;
    case 'c':
        return END_CALL;
    case 'a':
    case 'l':
    case 'w':
        return end_of_indirect(insn, size);
    default:
        return END_OTHER;
    }
}

/* structure_of_flow() has counted each entry once. */
static enum status count_begins(struct structure *s, const struct native_structure_request *q,
                                struct error *e) {
    for (size_t i = 0; i < q->entry_count; i++) {
        const struct block *block = graph_find_block(&s->graph, q->entries[i].at);
        s->begins[block - s->graph.blocks] += q->entries[i].count - 1;
    }
    return structure_mark_sinks(s, q->graph, e);
}

static enum status list_images(struct structure *s, const struct native_structure_request *q,
                               struct error *e) {
    char hash[33];
    enum status status = STATUS_OK;
    s->shapes.regions = calloc(q->image_count + 1, sizeof *s->shapes.regions);
    if (s->shapes.regions == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i < q->image_count; i++) {
        const struct native_image *image = &q->images[i];
        s->shapes.regions[s->shapes.region_count++] = (struct region){.base = image->base};
        status = hash_file(image->path, hash, e);
        if (status == STATUS_OK && strpbrk(image->path, "\r\n") == NULL &&
            !structure_add_image(s, image->base, hash, image->path, strlen(image->path)))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    return status;
}

static uint64_t count_transfers(const struct flow *flow) {
    uint64_t sum = 0;
    for (size_t i = 0; i < flow->pairs.len; i++)
        sum += flow->pairs.at[i].transfer ? flow->pairs.at[i].count : 0;
    return sum;
}

enum status native_structure_make(struct structure *out, const struct native_structure_request *q,
                                  struct error *e) {
    enum status s = structure_of_flow(out, q->flow, q->graph, e);
    if (s == STATUS_OK)
        s = count_begins(out, q, e);
    if (s == STATUS_OK)
        s = list_images(out, q, e);
    if (s == STATUS_OK)
        s = shapes_of_blocks(&out->shapes, &out->graph, q->insns, e);
    out->executed = q->instructions;
    out->transfers = count_transfers(q->flow);
    return s;
}
