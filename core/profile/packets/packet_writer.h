/*
 * packet_writer: the processor's half of a trace: what is written for each transfer. packets.h has the packets.
 * Private to core/profile, and to the plugin that QEMU loads, which writes what a program executes.
 */
#ifndef HOTGRAPH_PROFILE_PACKET_WRITER_H
#define HOTGRAPH_PROFILE_PACKET_WRITER_H

#include "base/base.h"

enum { PACKET_CALLS = 64, PACKET_TNT_SHORT = 6, PACKET_TNT_LONG = 47 };

/* The calls that may return, youngest last; the oldest are forgotten. */
struct packet_calls {
    uint32_t at[PACKET_CALLS];
    unsigned first, count;
};
void packet_calls_push(struct packet_calls *c, uint32_t returns_to);
/* False: there is none. */
bool packet_calls_pop(struct packet_calls *c, uint32_t *returns_to);

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

#endif
