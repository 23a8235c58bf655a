/* The processor's half: what is written for each transfer. */
#include "profile/packets/packet_writer.h"

#include <stdlib.h>

enum { BYTES_16 = 1, BYTES_32 = 2, COMPRESSION_SHIFT = 5, MODE_32_BITS = 2, PSB_PAIRS = 8 };

/* ---- calls ---- */

void packet_calls_push(struct packet_calls *c, uint32_t returns_to) {
    c->at[(c->first + c->count) % PACKET_CALLS] = returns_to;
    if (c->count < PACKET_CALLS)
        c->count++;
    else
        c->first = (c->first + 1) % PACKET_CALLS;
}

bool packet_calls_pop(struct packet_calls *c, uint32_t *returns_to) {
    if (c->count == 0)
        return false;
    *returns_to = c->at[(c->first + --c->count) % PACKET_CALLS];
    return true;
}

/* ---- packets ---- */

static void put(struct packet_writer *w, unsigned byte) {
    w->out_of_memory |= !vec_push(&w->out, (uint8_t)byte);
}

static void put_low_first(struct packet_writer *w, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        put(w, value >> 8 * i & 0xFF);
}

/* The oldest `count` of the pending outcomes, after a stop bit. */
static uint64_t take_outcomes(struct packet_writer *w, unsigned count) {
    w->pending -= count;
    const uint64_t taken = w->outcomes >> w->pending;
    w->outcomes &= (UINT64_C(1) << w->pending) - 1;
    w->tnt++;
    return UINT64_C(1) << count | taken;
}

/* A long packet takes 8 bytes: as many as short ones for 43 outcomes or more. */
void packets_flush(struct packet_writer *w) {
    if (w->pending > 7 * PACKET_TNT_SHORT) {
        put(w, 0x02);
        put(w, 0xA3);
        put_low_first(w, take_outcomes(w, w->pending), 6);
    }
    while (w->pending > 0) {
        const unsigned count = w->pending < PACKET_TNT_SHORT ? w->pending : PACKET_TNT_SHORT;
        put(w, (unsigned)take_outcomes(w, count) << 1);
    }
}

static void put_address(struct packet_writer *w, unsigned header, uint32_t address) {
    const bool near = address >> 16 == w->last_address >> 16;
    put(w, header | (unsigned)(near ? BYTES_16 : BYTES_32) << COMPRESSION_SHIFT);
    put_low_first(w, address, near ? 2 : 4);
    w->last_address = address;
}

static void put_tip(struct packet_writer *w, uint32_t address) {
    packets_flush(w);
    put_address(w, 0x0D, address);
    w->tip++;
}

static void put_fup(struct packet_writer *w, uint32_t address) {
    packets_flush(w);
    put_address(w, 0x1D, address);
    w->fup++;
}

static void put_mode(struct packet_writer *w) {
    put(w, 0x99);
    put(w, MODE_32_BITS);
}

static void begin_psb(struct packet_writer *w) {
    packets_flush(w);
    w->psb_at = packets_written(w);
    for (int i = 0; i < PSB_PAIRS; i++)
        put_low_first(w, 0x8202, 2);
    w->last_address = 0;
    w->calls.count = 0;
    w->psbs++;
}

static void end_psb(struct packet_writer *w) {
    put_low_first(w, 0x2302, 2);
}

/* Control is at `address`. */
static void psb_if_due(struct packet_writer *w, uint32_t address) {
    if (packets_written(w) - w->psb_at < w->psb)
        return;
    begin_psb(w);
    put_mode(w);
    put_address(w, 0x1D, address);
    end_psb(w);
}

/* ---- what is executed ---- */

static void put_outcome(struct packet_writer *w, bool taken) {
    w->outcomes = w->outcomes << 1 | taken;
    if (++w->pending == w->tnt_most)
        packets_flush(w);
}

void packets_branch(struct packet_writer *w, bool taken, uint32_t to) {
    put_outcome(w, taken);
    psb_if_due(w, to);
}

void packets_call(struct packet_writer *w, uint32_t returns_to) {
    packet_calls_push(&w->calls, returns_to);
}

void packets_return(struct packet_writer *w, uint32_t to) {
    uint32_t predicted;
    if (packet_calls_pop(&w->calls, &predicted) && predicted == to && !w->whole_returns)
        put_outcome(w, true);
    else
        put_tip(w, to);
    psb_if_due(w, to);
}

void packets_jump(struct packet_writer *w, uint32_t to) {
    put_tip(w, to);
    psb_if_due(w, to);
}

void packets_interrupt(struct packet_writer *w, uint32_t at, uint32_t handler) {
    put_fup(w, at);
    put_tip(w, handler);
    psb_if_due(w, handler);
}

/* Where tracing was never enabled, PSB+ has no address yet. */
void packets_enable(struct packet_writer *w, uint32_t address) {
    if (w->psbs == 0) {
        begin_psb(w);
        end_psb(w);
        put_mode(w);
    }
    put_address(w, 0x11, address);
    w->others++;
}

/* An interrupt leaves what is traced: calls before it are no longer known. */
void packets_disable(struct packet_writer *w, uint32_t address) {
    put_fup(w, address);
    put(w, 0x01);
    w->calls.count = 0;
    w->others++;
}

void packets_free(struct packet_writer *w) {
    vec_free(&w->out);
}
