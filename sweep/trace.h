/*
 * trace: every executed instruction of some frames, one line each, complete enough to compute the
 * exact graph straight from its definition.
 *
 * An instruction, as it is about to be executed:
 *
 *     FRAME CYCLE ADDRESS BYTES DISASSEMBLY A:hh X:hh Y:hh S:hh P:hh
 *     12 357361 C0AF AD0220 LDA $2002 A:00 X:1F Y:00 S:FD P:24
 *
 * separated by tabs, registers together in the last column; FRAME and CYCLE are decimal, the rest
 * hexadecimal. ADDRESS is the code address: the processor's, with the 8 KiB bank in the upper 16
 * bits on cartridges that switch PRG. What happens to threads stands between the instructions that
 * it came between:
 *
 *     FRAME * CHANGE CAUSE ADDRESS S:hh
 *     12 * suspended NMI C0B2 S:FA      an NMI was taken; the thread would go on at C0B2
 *     12 * begins NMI C123 S:FA         its handler starts a thread of its own
 *     12 * resumes RTI C0B2 S:FD        the RTI that belongs to it: back in the old thread
 *
 * CHANGE is begins, suspended, resumes or ends; CAUSE is start, reset, NMI, IRQ or RTI. The trace
 * starts with one "begins start" for the running thread and each suspended one, and ends with one
 * "ends" for each.
 */
#ifndef HOTGRAPH_TRACE_H
#define HOTGRAPH_TRACE_H

#include <stdio.h>

#include "nes/nes.h"

struct trace {
    struct nes *nes;
    FILE *out;
    unsigned id;
    bool attached;
};
/* Traces from the next instruction on. *t must stay where it is until trace_end(). */
enum status trace_begin(struct trace *t, struct nes *nes, FILE *out, struct error *e);
void trace_end(struct trace *t); /* twice or without a begin is fine */

#endif
