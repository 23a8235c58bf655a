/* tracer: every instruction of one frame of a replay, for drawings. Private to experiment. */
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
    VEC(struct traced) insns;
    uint64_t frame;
};

struct tracer {
    struct trace_excerpt *out;
    struct nes *nes;
    unsigned id;
    bool attached, entering, lost;
};
enum status tracer_begin(struct tracer *t, struct nes *nes, struct trace_excerpt *out,
                         struct error *e);
enum status tracer_end(struct tracer *t, struct error *e); /* also of one that never began */

#endif
