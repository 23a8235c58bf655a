/* Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_WAITING_H
#define HOTGRAPH_PROFILE_WAITING_H

#include "nes/nes.h"

/* True if the instruction could be part of a busy-wait on its way to `pc`, according to the code.
 * Also true if that is uncertain: in RAM, and where the path leads into another bank's window. Call
 * when the processor is about to execute the instruction. */
bool waiting_is_possible(const struct nes *nes, const struct guest_insn *insn, uint16_t pc);

#endif
