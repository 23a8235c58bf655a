/*
 * packets: a processor's trace of its control flow, as Intel PT writes it, and its decoder. Private to
 * core/profile. The source is Intel's Software Developer's Manual, volume 3, chapter "Intel Processor
 * Trace".
 *
 * The trace has a bit for each conditional branch (TNT: taken, not taken), an address for each indirect
 * transfer (TIP), and two addresses for each interrupt (FUP: where, TIP: its handler). Jumps, calls and
 * straight code write nothing, because the decoder reads the program. Addresses omit the upper bytes that
 * the previous address had, too. A return to the address after the call that belongs to it is a bit
 * (taken) instead of an address; for this the processor and the decoder each have a stack of 64 calls.
 * After each `psb` bytes a synchronisation point (PSB+) repeats the address, and forgets the calls and the
 * last address: decoding can begin there.
 *
 *     packet          bytes
 *     TNT, short      1          stop bit, 1 to 6 outcomes (the oldest first), 0
 *     TNT, long       02 A3      and 6 bytes, low byte first: stop bit, 1 to 47 outcomes
 *     TIP             0D         with the kind of compression in its upper three bits (1: two bytes
 *     TIP.PGE         11         follow, 2: four bytes, 0: none); so have the next three
 *     TIP.PGD         01
 *     FUP             1D
 *     PSB             02 82      8 times
 *     MODE.Exec       99 02      addresses of 32 bits
 *     PSBEND          02 23
 *
 * Addresses are code addresses (nes/nes.h): 32 bits. Packets of time are not written.
 *
 * The program is not in the trace, but changes of it are noted beside it, as operating systems do: at which
 * byte of the trace which instruction is another one from now on (struct code_change).
 */
#ifndef HOTGRAPH_PROFILE_PACKETS_H
#define HOTGRAPH_PROFILE_PACKETS_H

#include "base/base.h"
#include "graph/graph.h"
#include "nes/nes.h"
#include "profile/packets/packet_writer.h"

/* ---- reading ---- */

enum packet_kind {
    PACKET_TNT,
    PACKET_TIP,
    PACKET_PGE,
    PACKET_PGD,
    PACKET_FUP,
    PACKET_PSB,
    PACKET_PSBEND,
    PACKET_MODE,
    PACKET_UNKNOWN, /* or incomplete */
};
struct packet {
    enum packet_kind kind;
    unsigned length;   /* bytes */
    uint64_t outcomes; /* TNT: `count` ones, the oldest in the highest bit */
    unsigned count;
    bool suppressed; /* TIP, PGE, PGD, FUP: without an address */
    uint32_t address;
};
/* Reads the packet that begins at `data`; *last_address is the decoder's. */
struct packet packet_read(const uint8_t *data, size_t length, uint32_t *last_address);
/* Index of the first PSB; `length`: there is none. */
size_t packets_find_psb(const uint8_t *data, size_t length);

/* ---- decoding ---- */

/* An indirect call, which the console's processor lacks; beyond enum insn_kind. */
enum { CODE_CALL_INDIRECT = INSN_JAM + 1 };

struct code_insn {
    uint32_t address, next, target; /* target: 0 if it is not in the instruction */
    uint8_t kind;                   /* enum insn_kind, or CODE_CALL_INDIRECT */
};
/* From this byte of the trace on, the next instruction at this address is another one. */
struct code_change {
    uint64_t at;
    struct code_insn insn;
    bool once; /* only at its next execution, where control goes on at `to` */
    uint32_t to;
};

/* What is decoded, in the order of execution. */
struct packet_events {
    /* A context begins; of a handler, another one was suspended at `from`. */
    void (*begins)(void *user, uint32_t at, bool handler, uint32_t from);
    /* Optional: the handler has ended; the suspended context goes on at `to`. */
    void (*resumes)(void *user, uint32_t to);
    /* The instruction sent control to `to`. taken: not by going straight on. strays: it did so only this
     * once, noted as a change. *tag is the caller's, NULL at first, and kept until the instruction changes. */
    void (*transfer)(void *user, const struct code_insn *insn, uint32_t to, bool taken, bool strays,
                     void **tag);
    /* Optional: the instruction is this one from now on. */
    void (*changes)(void *user, const struct code_insn *insn);
};

/* What a processor writes for a decoded transfer; one that strays is noted as a change before. */
void packets_write_transfer(struct packet_writer *w, const struct code_insn *insn, uint32_t to,
                            bool taken, bool strays);

struct code_node;
struct packet_decoder {
    const struct packet_events *events; /* NULL: nobody follows */
    void *user;
    /* The program, and what was executed in it. */
    VEC(struct code_node) nodes;
    struct map node_at;  /* address -> index */
    struct map pairs[2]; /* source << 32 | target -> count: [0] straight on, [1] transfers */
    struct map begins;   /* addresses at which contexts begin -> count */
    /* Changes that were not reached yet, from next_change on. */
    VEC(struct code_change) changes;
    size_t next_change;
    /* The state at byte `done` of the trace. */
    uint64_t done;
    bool synchronised, enabled;
    bool complete; /* nothing was lost so far: all interrupted contexts are known */
    size_t at;     /* the next instruction */
    bool left;     /* tracing was disabled at left_at */
    uint32_t left_at, last_address;
    struct packet_calls calls;
    VEC(uint32_t) contexts; /* where they resume */
    uint64_t packets, instructions, lost, errors;
    bool out_of_memory;
};
void packet_decoder_free(struct packet_decoder *d);
/* Adds an instruction to the program, unless its address has one. */
void packet_decoder_add(struct packet_decoder *d, struct code_insn insn);
/* Changes must be added in the order of the trace, and before it is decoded there. */
void packet_decoder_change(struct packet_decoder *d, struct code_change change);
/* Decodes bytes first .. first + length - 1 of the trace, which end at the end of a packet. If bytes before
 * `first` were not decoded, or could not be, it begins at the first PSB; d->lost counts the bytes that were
 * not decoded. */
void packets_decode(struct packet_decoder *d, const uint8_t *data, size_t length, uint64_t first);
/* Adds all that was executed to a flow. */
void packet_decoder_flow(struct packet_decoder *d, struct flow *flow);

#endif
