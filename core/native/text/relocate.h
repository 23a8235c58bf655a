/* Emits instructions, and copies of instructions that work at another address. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_RELOCATE_H
#define HOTGRAPH_NATIVE_RELOCATE_H

#include "native/text/decode.h"

struct emit {
    uintptr_t at; /* address of bytes[0] at run time */
    size_t len;
    bool far, full; /* far: a distance exceeds 32 bits; full: `bytes` is too small */
    uint8_t bytes[1024];
};
void emit_bytes(struct emit *e, const void *bytes, size_t n);
void emit_u32(struct emit *e, uint32_t v);
/* Emits the 32-bit distance to `target`, for an instruction that ends `rest` bytes after it. */
void emit_distance(struct emit *e, uintptr_t target, size_t rest);
void emit_jump(struct emit *e, uintptr_t target);

/* 64-bit constants, placed after the code. */
struct constants {
    size_t count;
    uint64_t value[16];
    size_t use[16]; /* offset in e->bytes of the distance to it */
};
/* Emits the 32-bit distance to a constant, as the last part of an instruction. */
void emit_constant(struct emit *e, struct constants *c, uint64_t value);
/* push qword [rip + constant] */
void emit_push_constant(struct emit *e, struct constants *c, uint64_t value);
/* Writes the constants after the code and fills in their distances. */
void constants_place(struct emit *e, struct constants *c);

/* Emits `i` so that it has its effect at e->at + e->len. `pushed`: the return address of the call
 * `i` is on the stack already. False: the instruction cannot be moved. */
bool relocate(struct emit *e, struct constants *c, const struct insn *i, bool pushed);
/* Would relocate() return true? */
bool can_relocate(const struct insn *i);

#endif
