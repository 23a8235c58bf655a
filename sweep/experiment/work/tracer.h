/* tracer: for drawings, every instruction of one frame of a replay, and what instructions there are
 * at all. Private to experiment. */
#ifndef HOTGRAPH_TRACER_H
#define HOTGRAPH_TRACER_H

#include "nes/nes.h"
#include "nes/probe.h"

struct traced {
    uint64_t cycle; /* at which it began */
    uint32_t address;
    uint16_t pc;
    uint8_t size, bytes[3];
    bool interrupt; /* the first of a handler */
};

struct trace_excerpt {
    VEC(struct traced) insns; /* of the frame */
    uint64_t frame;
    /* Of the ROM, those that an engine has met, executed or not; any order, some more than once. */
    VEC(struct guest_insn) met;
};
void trace_free(struct trace_excerpt *t);
/* Sorts those that were met by address, each once. */
void trace_sort(struct trace_excerpt *t);
/* NULL where it was not met; after trace_sort. */
const struct guest_insn *trace_find(const struct trace_excerpt *t, uint32_t address);

struct tracer {
    struct trace_excerpt *out;
    struct nes *nes;
    unsigned id;
    bool attached, tracing, entering, lost;
};
/* From here to the end what is met is noted, */
enum status tracer_begin(struct tracer *t, struct nes *nes, struct trace_excerpt *out,
                         struct error *e);
/* and what is executed while it traces. */
void tracer_trace(struct tracer *t, bool on);
enum status tracer_end(struct tracer *t, struct error *e); /* also of one that never began */

#endif
