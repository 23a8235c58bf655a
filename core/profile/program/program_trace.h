/*
 * program_trace: the recorded trace of a program outside the machine: the packets that a processor would write
 * (packets.h), with its instructions, and what techniques that need the order of transfers find in it.
 *
 *     struct program_trace t;
 *     if (program_trace_read(&t, "gzip.hgtrace", &e) == STATUS_OK) {
 *         technique->replay(&profile, &t, values, &e);
 *         program_trace_free(&t);
 *     }
 *
 * Invariants
 *  - The packets are decoded anew for each technique, so nothing of the program's length is in memory; they
 *    are mapped.
 *  - Time is counted in executed instructions, of which the program's own clock has 10^9 a second.
 *  - A read trace was decoded once: it contradicts itself nowhere, and its structure is that of what it
 *    executes. Read-only from then on: any number of threads may use it.
 *
 * A file, named .hgtrace. Numbers are little-endian:
 *
 *     16 bytes   magic: "hotgraph trace 1"
 *     40         SHA-1 of the program in hexadecimal digits, or zeros: unknown
 *     8 each     executed instructions; I instructions, C changes, M images, P bytes of packets
 *     I x 12     address (4), target (4; 0: not in the instruction), size (1), kind (1), 0 (2); of several
 *                with one address the first is the program's at first. Kinds: 0 plain, 1 branch, 2 jump, 3 call,
 *                4 indirect jump, 5 return, 9 indirect call; in changes also 6 return from a handler
 *     C x 28     byte of the packets (8), an instruction as above (12), once (4: 0 or 1), to (4)
 *     M images   base (4), length of the path (4; 0: memory), hash (32 digits, or zeros), path
 *     P          packets
 */
#ifndef HOTGRAPH_PROGRAM_TRACE_H
#define HOTGRAPH_PROGRAM_TRACE_H

#include "profile/packets/packets.h"
#include "profile/profile.h"
#include "profile/structure/structure.h"

struct program_image {
    uint32_t base;
    char hash[33]; /* "": unknown */
    char *path;    /* "": anonymous memory */
};

struct program_trace {
    VEC(struct code_insn) insns;
    VEC(struct code_change) changes;
    VEC(struct program_image) images;
    struct file_view file; /* in which the packets are */
    const uint8_t *packets;
    size_t length;
    uint64_t instructions;
    char program[41];
    struct structure structure;
};
enum { PROGRAM_TICKS = 1000000000 }; /* of the program's clock in a second */

/* A path that ends in .gz is compressed, and then read into memory. */
enum status program_trace_write(const struct program_trace *t, const char *path, struct error *e);
enum status program_trace_read(struct program_trace *out, const char *path, struct error *e);
/* The same of a file in memory, which must outlive *out; name: for messages. */
enum status program_trace_parse(struct program_trace *out, const uint8_t *data, size_t size,
                                const char *name, struct error *e);
bool program_trace_is(const void *start, size_t size); /* does a file begin as one? */
void program_trace_free(struct program_trace *t);

/* Decodes all of it, and fills t->structure. */
enum status program_trace_learn(struct program_trace *t, struct error *e);
/* Decodes all of it, and calls the events with a `user`; d: an empty decoder, which the caller frees, also
 * after an error. d->instructions is the time. */
enum status program_trace_decode(const struct program_trace *t, struct packet_decoder *d,
                                 const struct packet_events *events, void *user, struct error *e);
/* Samples, chosen as `record` chooses them: of instructions, batch k (from 0) begins with instruction
 * (k + 1) * every; of transfers, one in each stratum of `every` is drawn from the seed. */
struct program_sampling {
    bool transfers;
    uint64_t every; /* of instructions, at least `batch` */
    unsigned batch; /* instructions; without meaning for transfers */
    uint64_t seed;  /* of transfers */
};
unsigned program_sampling_length(const struct program_sampling *how); /* of a batch */
/* The number (from 0) of the instruction or transfer with which batch `number` begins. */
uint64_t program_sampling_due(const struct program_sampling *how, uint64_t number);
/* The stream is the recorded one; it refers to the trace's structure. */
enum status program_trace_sample(struct stream *out, const struct program_trace *t,
                                 const struct program_sampling *how, struct error *e);
/* All that it executes; the caller frees *out, also after an error. */
enum status program_trace_flow(struct flow *out, const struct program_trace *t, struct error *e);

#endif
