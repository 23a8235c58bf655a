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

enum { PACKET_CALLS = 64, PACKET_TNT_SHORT = 6, PACKET_TNT_LONG = 47 };

/* The calls that may return, youngest last; the oldest are forgotten. */
struct packet_calls {
    uint32_t at[PACKET_CALLS];
    unsigned first, count;
};
void packet_calls_push(struct packet_calls *c, uint32_t returns_to);
/* False: there is none. */
bool packet_calls_pop(struct packet_calls *c, uint32_t *returns_to);

/* ---- writing ---- */

struct packet_writer {
    unsigned tnt_most;  /* outcomes of a TNT packet at most: PACKET_TNT_SHORT or _LONG */
    uint64_t psb;       /* bytes from one PSB+ to the next */
    bool whole_returns; /* returns are not compressed */
    VEC(uint8_t)
    out; /* the caller may remove bytes at the front, and adds their number to
                              `removed` */
    uint64_t removed;
    uint64_t outcomes; /* pending ones, the youngest in bit 0 */
    unsigned pending;
    uint32_t last_address;
    uint64_t psb_at; /* bytes written before the last PSB+ */
    struct packet_calls calls;
    uint64_t tnt, tip, fup, psbs, others; /* packets written; a PSB+ counts as one */
    bool out_of_memory;
};
/* Bytes written so far, without pending outcomes. */
static inline uint64_t packets_written(const struct packet_writer *w) {
    return w->removed + w->out.len;
}
void packets_free(struct packet_writer *w);
/* Tracing begins, or goes on, at this address. */
void packets_enable(struct packet_writer *w, uint32_t address);
/* Tracing ends before the instruction at this address, or pauses. */
void packets_disable(struct packet_writer *w, uint32_t address);
void packets_branch(struct packet_writer *w, bool taken, uint32_t to);
void packets_call(struct packet_writer *w, uint32_t returns_to);
void packets_return(struct packet_writer *w, uint32_t to);
void packets_jump(struct packet_writer *w,
                  uint32_t to); /* an indirect transfer other than a return */
void packets_interrupt(struct packet_writer *w, uint32_t at, uint32_t handler);
/* Writes pending outcomes. */
void packets_flush(struct packet_writer *w);

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

struct code_insn {
    uint32_t address, next, target; /* target: 0 if it is not in the instruction */
    uint8_t kind;                   /* enum insn_kind */
};
/* From this byte of the trace on, the next instruction at this address is another one. */
struct code_change {
    uint64_t at;
    struct code_insn insn;
    bool once; /* only at its next execution, where control goes on at `to` */
    uint32_t to;
};

struct code_node;
struct packet_decoder {
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
