/* Slots in long NOPs that are executed, as compilers put them before loops: the NOP becomes a jump
 * to its own end, and the bytes in between become slots. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_GATE_H
#define HOTGRAPH_NATIVE_GATE_H

#include "native/patch/patches.h"

enum { GATE_JUMP = 2, GATE_SLOTS = 2 };
/* Writes the addresses of the free slots in the NOP at `at`, of which there are at most two, and
 * returns their number. *length becomes the length of the NOP; 0: there is none. */
size_t gate_slots(struct hotprobe *h, const struct object *o, uintptr_t at, uintptr_t *slot,
                  unsigned *length);
/* Returns the patch of the NOP that holds the slot, and opens it if necessary. *reached: the slot
 * is in a NOP. NULL with *reached: the NOP cannot be opened. */
struct patch *gate_open(struct hotprobe *h, struct object *o, uintptr_t slot, bool *reached);
/* Turns gates without slots in use into NOPs again. */
bool gates_close(struct hotprobe *h);

#endif
