/* A fast decoder for common encodings. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_QUICK_H
#define HOTGRAPH_NATIVE_QUICK_H

#include "native/text/decode.h"

enum { QUICK_BYTES = 15 /* the longest instruction's */, QUICK_KINDS = 2 * 256 * 8 };

/* As insn_decode_fully(), ten times as fast, but without what is done to flags. False: an encoding that it
 * does not know, or within 15 bytes of the end. */
bool insn_quick(struct insn *out, uintptr_t at, uintptr_t end);
/* The same of a copy of an instruction that belongs at `at`: QUICK_BYTES are readable at `bytes`. All
 * instructions of a kind do the same to flags. */
bool insn_quick_copy(struct insn *out, const uint8_t *bytes, uintptr_t at, unsigned *kind);
/* Writes an instruction of that kind. False: there is none. */
bool insn_quick_sample(unsigned kind, uint8_t bytes[QUICK_BYTES]);

#endif
