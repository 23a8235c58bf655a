/*
 * packet_tracer: watches a machine and writes its trace (packets.h). Private to core/profile/packets.
 *
 * At each sample tracing pauses, and sampled() gets what was written: writer.out, from which it may remove
 * bytes. The decoder has the program, and the changes of it so far; it has not decoded anything.
 */
#ifndef HOTGRAPH_PROFILE_PACKET_TRACER_H
#define HOTGRAPH_PROFILE_PACKET_TRACER_H

#include "profile/packets/packets.h"
#include "profile/program/program_trace.h"

struct packet_tracer;
struct packet_tracer_options {
    uint64_t interval; /* cycles from one sample to the next; of a program, instructions */
    uint64_t psb;      /* packets.h's packet_writer */
    unsigned tnt_most;
    bool whole_returns;
    void (*sampled)(void *user, struct packet_tracer *t);
    void *user;
};

struct version;
/* The versions of an address, by number. */
struct place {
    uint32_t first, noted; /* noted: the decoder's */
};

struct packet_tracer {
    struct nes *nes;
    unsigned id;
    struct packet_tracer_options options;
    struct packet_writer writer;
    struct packet_decoder decoder;
    uint64_t due;
    VEC(struct version *) versions; /* their addresses do not change */
    VEC(struct place) places;
    struct map place_at;         /* address -> index */
    VEC(struct flow_insn) insns; /* all that were met */
    struct map insn_at;          /* address and opcode -> 1: it is in `insns` */
    uint32_t interrupted;        /* address at which the running context was suspended */
    bool attached, enabled, out_of_memory;
};

enum status packet_tracer_attach(struct packet_tracer **out, struct nes *nes,
                                 const struct packet_tracer_options *options, struct error *e);
/* Takes the last sample, and detaches. */
void packet_tracer_end(struct packet_tracer *t);
void packet_tracer_free(struct packet_tracer *t); /* NULL is fine */

/* Without a machine: writes what a recorded program's trace says anew, as these options want it. Samples are
 * taken at the first transfer after they are due. */
enum status packet_tracer_replay(struct packet_tracer **out, const struct program_trace *program,
                                 const struct packet_tracer_options *options, struct error *e);

/* For both: a tracer of nothing yet. What differs from the decoder's program is noted before anything of the
 * instruction is written. */
struct packet_tracer *packet_tracer_new(const struct packet_tracer_options *options);
void packet_tracer_note(struct packet_tracer *t, const struct code_change *change);

#endif
