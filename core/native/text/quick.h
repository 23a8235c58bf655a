/* A fast decoder for common encodings. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_QUICK_H
#define HOTGRAPH_NATIVE_QUICK_H

#include "native/text/decode.h"

/* As insn_decode, ten times as fast; sets only at, bytes, length, flow, nop, target, memory and
 * immediates. False: an encoding that it does not know, or within 15 bytes of the end. */
bool insn_quick(struct insn *out, uintptr_t at, uintptr_t end);
/* The same fields of any instruction. False: there is none. */
bool insn_outline(struct insn *out, uintptr_t at, uintptr_t end);

#endif
