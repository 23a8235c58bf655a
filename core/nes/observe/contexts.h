/*
 * contexts: which interrupted contexts wait for their RTI. Private to core/nes.
 *
 * An interrupt suspends the running context; the RTI that pops its return address from the same
 * stack position resumes it. Observers get these changes as thread events (probe.h).
 */
#ifndef HOTGRAPH_CONTEXTS_H
#define HOTGRAPH_CONTEXTS_H

#include "nes/probe.h"

enum { CONTEXTS = 16 };

/* Suspended contexts, the oldest first; all saved. */
struct contexts {
    unsigned count;
    struct {
        uint32_t address; /* code address at which it resumes */
        uint8_t s;        /* stack pointer after the interrupt's push */
    } at[CONTEXTS];
};

/* An interrupt was taken with stack pointer s before its push, and its handler is at pc now. */
void contexts_interrupt(struct nes *n, uint32_t resume, uint8_t s, enum thread_cause cause);
/* An RTI was executed with stack pointer s; true when it resumes a context. */
bool contexts_rti(struct nes *n, uint8_t s);
/* An IRQ taken at pc and the RTI at `handler` that resumes here repeat `times` more: emits their
 * events. */
void contexts_repeat(struct nes *n, uint32_t handler, uint64_t times);
/* A context begins at pc. */
void contexts_begin(struct nes *n, enum thread_cause cause);
/* All contexts end, because of `cause`. */
void contexts_end(struct nes *n, enum thread_cause cause);

#endif
