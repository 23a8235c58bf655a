/* tracer: records, for drawings, every instruction of one frame of a replay, and all instructions
 * that the engine decoded. Private to experiment. */
#ifndef HOTGRAPH_TRACER_H
#define HOTGRAPH_TRACER_H

#include "nes/nes.h"
#include "nes/probe.h"

struct traced {
    uint64_t cycle; /* at which it began */
    uint32_t address;
    uint16_t pc;
    uint8_t size, bytes[3];
    bool interrupt; /* the first instruction of an interrupt handler */
};

struct trace_excerpt {
    VEC(struct traced) insns; /* of the frame */
    uint64_t frame;
    /* The ROM's instructions that the engine decoded, executed or not; unordered, with
     * duplicates. */
    VEC(struct guest_insn) met;
};
void trace_free(struct trace_excerpt *t);
/* Sorts `met` by address and removes duplicates. */
void trace_sort(struct trace_excerpt *t);
/* The decoded instruction at an address, or NULL; call it after trace_sort. */
const struct guest_insn *trace_find(const struct trace_excerpt *t, uint32_t address);

struct tracer {
    struct trace_excerpt *out;
    struct nes *nes;
    unsigned id;
    bool attached, tracing, entering, lost;
};
/* From here to tracer_end, decoded instructions are noted, */
enum status tracer_begin(struct tracer *t, struct nes *nes, struct trace_excerpt *out,
                         struct error *e);
/* and executed ones while tracing is on. */
void tracer_trace(struct tracer *t, bool on);
enum status tracer_end(struct tracer *t, struct error *e); /* valid even if it never began */

#endif
