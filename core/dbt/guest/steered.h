/*
 * steered: loops whose number of passes a register decides. Private to core/dbt. Place: above guest;
 * independent of host code.
 *
 * Such a loop ends with steps (INX, DEX, INY, DEY), perhaps a comparison with a number, and the branch back.
 * Nothing else in it changes the register, and nothing in it calls or jumps. So the register says, at any
 * instruction up to the first step, how often the branch will be taken from now on, unless control leaves the
 * loop before.
 *
 *     loop: LSR $09        head
 *           BCC skip
 *           ADC $08
 *     skip: ROR A
 *           DEY            step
 *           BNE loop       back
 */
#ifndef HOTGRAPH_DBT_STEERED_H
#define HOTGRAPH_DBT_STEERED_H

#include "dbt/guest/guest.h"

enum { STEERED_VALUES = 256 };

struct steered {
    uint16_t head, step, back; /* first instruction; first step; the branch */
    bool by_y;
    uint8_t by;    /* what a pass adds to the register */
    bool compares; /* with `number` */
    uint8_t number;
    uint8_t mnemonic; /* DO_... of the branch */
};

/* Finds the loop that the block, which is in ROM, begins in: before its first step, or at it. False: there is none, or
 * the block does not reach the branch back. */
bool steered_find(const struct nes *n, const struct guest_block *g, struct steered *out);
/* By value of the register up to the first step: how often the branch will be taken. False: not for all values the
 * loop ends. */
bool steered_passes(const struct steered *loop, uint16_t passes[STEERED_VALUES]);

#endif
