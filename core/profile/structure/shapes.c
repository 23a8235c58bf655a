#include "profile/structure/shapes.h"

#include <stdlib.h>

enum { ROM = 0x8000, BANK_BITS = 16, WINDOW_BITS = 13 };

void shapes_free(struct shapes *s) {
    free(s->blocks);
    free(s->regions);
    *s = (struct shapes){0};
}

struct layout_program shapes_program(const struct shapes *s, const struct graph *g) {
    return (struct layout_program){
        .graph = g,
        .shapes = s->blocks,
        .regions = s->regions,
        .region_count = s->region_count,
    };
}

enum block_end shape_end_of(enum insn_kind kind) {
    switch (kind) {
    case INSN_PLAIN:
        return END_NONE;
    case INSN_BRANCH:
        return END_BRANCH;
    case INSN_JUMP:
        return END_JUMP;
    case INSN_JUMP_INDIRECT:
        return END_INDIRECT;
    case INSN_CALL:
        return END_CALL;
    default:
        return END_OTHER;
    }
}

/* The address after `size` bytes at `at`. A block that runs on into the next window ends there, so
 * that window's bank is the one of its last instruction. */
static uint32_t address_after(uint32_t at, uint32_t size, uint32_t last, bool banked) {
    const uint32_t next = at + size;
    return banked && (at ^ next) >> WINDOW_BITS != 0
               ? (last >> BANK_BITS << BANK_BITS) | (next & ((1u << BANK_BITS) - 1))
               : next;
}

/* Requires consecutive instructions; code that has changed may not be. */
static struct block_shape shape_of(const struct block *block, struct shape_source source) {
    struct block_shape shape = {.end = END_OTHER};
    const uint32_t between = block->last - block->entry;
    const uint32_t length = source.banked ? between & ((1u << BANK_BITS) - 1) : between;
    struct shape_insn insn = {0};
    uint32_t at = block->entry;
    while (shape.size <= length && source.insn(source.user, at, &insn) && insn.size > 0) {
        shape.insns++;
        if (shape.size == length) {
            shape.size += insn.size;
            shape.end = (uint8_t)insn.end;
            return shape;
        }
        shape.size += insn.size;
        at = address_after(at, insn.size, block->last, source.banked);
    }
    if (source.insn(source.user, block->last, &insn) && insn.size > 0)
        shape.end = (uint8_t)insn.end;
    return (struct block_shape){
        .size = length + (insn.size > 0 ? insn.size : 1), .insns = 1, .end = shape.end};
}

enum status shapes_of_blocks(struct shapes *s, const struct graph *g, struct shape_source source,
                             struct error *e) {
    s->blocks = calloc(g->block_count + 1, sizeof *s->blocks);
    if (s->blocks == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the structure");
    for (size_t b = 0; b < g->block_count; b++)
        s->blocks[b] = shape_of(&g->blocks[b], source);
    return STATUS_OK;
}

/* The blocks of g are sorted. */
enum status shapes_of_game(struct shapes *s, const struct graph *g, struct error *e) {
    VEC(struct region) regions = {0};
    bool ok = vec_push(&regions, ((struct region){.base = 0, .memory = true})) &&
              vec_push(&regions, ((struct region){.base = ROM}));
    for (size_t b = 0; ok && b < g->block_count; b++) {
        const uint32_t bank = g->blocks[b].entry >> BANK_BITS << BANK_BITS;
        if (bank > regions.at[regions.len - 1].base)
            ok = vec_push(&regions, (struct region){.base = bank});
    }
    s->regions = regions.at;
    s->region_count = regions.len;
    return ok ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory for the structure");
}
