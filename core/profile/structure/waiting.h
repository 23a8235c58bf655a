/* Private to core/profile. */
#ifndef HOTGRAPH_PROFILE_WAITING_H
#define HOTGRAPH_PROFILE_WAITING_H

#include "nes/nes.h"

/* Could the instruction be part of a busy-wait in which it goes on at `pc`, as the code reads? True
 * where that is not certain: in RAM, and where the way leads into another bank's window. The bytes
 * are those that the processor sees, of an instruction that it is about to execute. */
bool waiting_is_possible(const struct nes *nes, const struct guest_insn *insn, uint16_t pc);

#endif
