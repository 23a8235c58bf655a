/*
 * checkpoints: RAM right after each instruction that writes a given byte of it.
 *
 * Many games write some byte once a game step, at a moment when all their RAM is consistent: there
 * the RAM of two emulators can be compared even where the game computes across vertical blank.
 *
 * An instruction writes the byte when it writes memory and its operand's address is the byte's, or
 * a mirror of it; pushes are not looked at. One that writes twice (INC writes the old value back
 * first) counts once.
 */
#ifndef HOTGRAPH_CHECKPOINTS_H
#define HOTGRAPH_CHECKPOINTS_H

#include "nes/nes.h"

struct checkpoints {
    struct nes *nes;
    struct file_writer *out;
    uint16_t address;
    bool writes; /* the instruction that is being executed writes the byte */
    unsigned id;
    bool attached;
};
/* From the next instruction on, writes the 2 KiB of RAM to `out` at each checkpoint. `address` is
 * below 2,048. *c must stay where it is, and `out` open, until checkpoints_end(). */
enum status checkpoints_begin(struct checkpoints *c, struct nes *nes, uint16_t address,
                              struct file_writer *out, struct error *e);
void checkpoints_end(struct checkpoints *c); /* twice or without a begin is fine */

#endif
