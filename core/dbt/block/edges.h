/*
 * edges: jumps from a block to the next one, where its pc is known; and the blocks' prologues.
 * Private to core/dbt. Place: above translation; exits and translate build on it.
 *
 * A block begins with a prologue ("entry"). It debits the cycles that the block may need before its
 * last instruction begins, and leaves if the budget has fewer. The block's body follows. A bound
 * edge makes this debit itself, together with the cycles of the block it comes from, and jumps to
 * the body: a block then costs one subtraction and one jump. The edge does not materialise flags
 * that the body never reads. If the budget is exhausted, the edge materialises them and leaves.
 *
 * The byte before the entry tells the edge what it must know.
 */
#ifndef HOTGRAPH_DBT_EDGES_H
#define HOTGRAPH_DBT_EDGES_H

#include "dbt/lower/translation.h"

/* Reasons to leave translated code. */
enum leave {
    LEAVE_INDIRECT,    /* to a pc without a block, in cpu.pc */
    LEAVE_LINK,        /* to `pc`; the jump may be bound to its block */
    LEAVE_CACHE_EMPTY, /* from an empty inline cache; the pc is in cpu.pc */
    LEAVE_BUDGET,      /* at the entry of a block that may reach the deadline */
    LEAVE_MMIO,        /* within a block: an MMIO access has moved the deadline */
    LEAVE_BOARD,       /* after a write to the board that remapped the code; probes must fire */
    LEAVE_SLOW,        /* at an instruction for nes_step */
    LEAVE_STALE,       /* at the entry of a block whose bytes have changed */
    LEAVE_WAIT,        /* at the start of a busy-wait */
    LEAVE_ATTENTION,   /* after a callback with a request; cpu.pc is set */
};
struct exit {
    uint8_t leave;
    bool linked;
    uint8_t certain; /* windows that the block relies on */
    uint16_t pc;
    uint32_t jump; /* LINK, STALE, CACHE_EMPTY: where its displacement is */
    uint32_t to;   /* LINK, CACHE_EMPTY that is linked: the entry of its target */
    struct wait *wait;
    struct site *site; /* BOARD: of the write; NULL: no observers */
    /* LINK: the edge's parts. */
    bool calls;
    struct known_flags flags; /* that it materialises */
    int32_t spent;            /* to subtract from r12 */
    uint32_t from, restores;  /* its offset; offset of the code that undoes the entry's debit */
    uint32_t unbound;         /* offset of its exit to the dispatcher */
    const struct loop_count *loop; /* it stays within this loop if its target is a block of it */
};

struct exits {
    VEC(struct exit) all; /* number 0 is LEAVE_INDIRECT */
    VEC(struct wait *) waits;
};
/* Adds an exit; returns its number. */
uint32_t dbt_add_exit(struct translation *t, struct exit exit);
/* Emits an exit from translated code; all is settled. place: the code of `fixed` to leave by. */
void emit_exit(struct translation *t, struct exit exit, uint32_t place);

/* Emits the byte before an entry. unasked: FLAG_... that the block does not read. A block without a
 * body does more in its entry than to debit the budget. in_loop: its body begins with emit_loop(), which edges within
 * the loop skip. */
void emit_before_entry(struct translation *t, bool has_body, unsigned unasked, bool in_loop);
/* Emits the entry of a block that may need `reserve` cycles. Returns the jump for an exhausted
 * budget. t->uncounted becomes negative by these cycles. */
uint32_t emit_entry(struct translation *t, int reserve);

/* Emits the edge to pc. Flags and cycles may be pending. */
void emit_edge(struct translation *t, uint16_t pc);
/* Emits the edge of a call, followed by the edge to `back`, where the call returns. column: of
 * returns that are counted by JSR. */
void emit_call_edge(struct translation *t, uint16_t pc, uint16_t back, int column);
/* Does the block at `place` begin in a counted loop? */
bool entry_is_in_loop(const struct emitter *e, uint32_t place);
/* Binds an edge to the entry at `place`; one with a loop only to a block of that loop, or to code that leaves the loop. */
void edge_bind(struct exit *x, const struct emitter *e, uint32_t place);
/* Binds an edge from a block to its own body, after the entry at `place`. The code before the entry
 * is not repeated. */
void edge_bind_back(struct exit *x, const struct emitter *e, uint32_t place, unsigned unasked);

/* The edge leads to the dispatcher again. */
void edge_unbind(struct exit *x, const struct emitter *e);

/* Overwrites the start of a block with a jump to its new version, at `replacement`. Edges lead to
 * the body of the old version, so they must be bound again. */
void entry_replace(struct emitter *e, uint32_t place, uint32_t replacement);

#endif
