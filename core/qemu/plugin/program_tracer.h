/*
 * program_tracer: writes the program's trace (profile/packets/packets.h) while the recorder counts: what a
 * processor would write, in the order of execution. Private to the plugin.
 *
 * The trace is of one thread. A signal is an interrupt: it is taken to come before the last instruction of
 * the block that it follows, because where control would have gone on is known only when its handler has
 * returned.
 *
 * Packets go to a file in parts. The instructions are the recorder's; what changes them, and control that
 * an instruction does not explain, is noted beside the packets (struct recording_change), and written with
 * the recording.
 */
#ifndef HOTGRAPH_QEMU_PROGRAM_TRACER_H
#define HOTGRAPH_QEMU_PROGRAM_TRACER_H

#include <sys/types.h>

#include "profile/packets/packet_writer.h"
#include "qemu/plugin/recorder.h"

/* The code at an address: rows of the recorder's. */
struct tracer_place {
    uint32_t noted; /* the row that a decoder takes it for */
    bool returns;   /* and it takes that for a return from a handler */
    bool varies;    /* it may be another one than `noted` */
};

struct tracer {
    struct packet_writer writer;
    char path[RECORDING_PATH];
    pid_t process; /* only this one writes; a process that it forks has our memory, too */
    const struct block *last; /* the last one executed; NULL: none was */
    VEC(struct tracer_place) places;
    struct map place_at;    /* address -> index */
    VEC(uint32_t) place_of; /* of the recorder's instructions */
    VEC(uint32_t)
    looked_at;           /* of each block by id: the generation in which it was looked at, doubled,
                                and 1 if it has to be followed instruction by instruction */
    uint32_t generation; /* grows when a place begins to vary */
    VEC(struct recording_change) changes;
};

/* NULL: out of memory. */
struct tracer *tracer_new(const char *path);
/* Control goes from block `from` to block b; from NULL: it arrived there otherwise, which was said before. */
void tracer_follow(struct recorder *r, const struct block *from, const struct block *b);
/* A context begins with block b: the program's, or a handler's. */
void tracer_begins(struct recorder *r, const struct block *b);
/* The handler has ended, and the context that was interrupted after block `before` goes on. */
void tracer_resumes(struct recorder *r, const struct block *before);
/* Ends the trace where control is. Later calls do nothing. */
void tracer_end(struct recorder *r);

#endif
