/*
 * edges: the way from a block to the next whose pc is known, and the entries they lead to. Private
 * to core/dbt. Place: above translation; exits and translate build on it.
 *
 * A block begins with its entry, which takes from the budget all the cycles that the block may need
 * before its last instruction begins, and leaves when there are not so many. Behind it is the
 * block's body. An edge that is bound takes that itself, together with what the block behind it has
 * spent, and leads to the body: so a block costs a subtraction and a jump. It also knows which
 * flags the body will never ask for. Where the budget is at its end the edge makes good what it has
 * withheld, and leaves.
 *
 * What an edge must know is in the byte before the entry.
 */
#ifndef HOTGRAPH_DBT_EDGES_H
#define HOTGRAPH_DBT_EDGES_H

#include "dbt/lower/translation.h"

/* Ways out of translated code. */
enum leave {
    LEAVE_INDIRECT,    /* to a pc without a block; it is in cpu.pc */
    LEAVE_LINK,        /* to `pc`; the jump may be bound to its block */
    LEAVE_CACHE_EMPTY, /* from an inline cache that is empty; the pc is in cpu.pc */
    LEAVE_BUDGET,      /* at the entry of a block that could reach the deadline */
    LEAVE_MMIO,        /* the same in its middle: a device has moved the deadline */
    LEAVE_BOARD,       /* behind a write to the board that has moved the code; probes are to fire */
    LEAVE_SLOW,        /* at an instruction that is nes_step's */
    LEAVE_STALE,       /* at the entry of a block that is not for what is there now */
    LEAVE_WAIT,        /* at the start of a busy-wait */
    LEAVE_ATTENTION,   /* where a callback has asked for something; the place is in cpu.pc */
};
struct exit {
    uint8_t leave;
    bool linked;
    uint8_t certain; /* windows on which the block that is left relies */
    uint16_t pc;
    uint32_t jump; /* LINK, STALE, GUESS: where its displacement is */
    struct wait *wait;
    struct site *site; /* BOARD: of the instruction behind which it is; NULL: nobody watches */
    /* LINK: the edge. */
    bool calls;
    struct known_flags flags; /* that it settles */
    int32_t spent;            /* what r12 is to be less */
    uint32_t from, restores;  /* where it begins; where it takes back what the entry took */
};

struct exits {
    VEC(struct exit) all; /* number 0 is LEAVE_INDIRECT */
    VEC(struct wait *) waits;
};
/* Returns its number. */
uint32_t dbt_add_exit(struct translation *t, struct exit exit);
/* Out of translated code; everything is settled. place: that of `fixed` to leave by. */
void emit_exit(struct translation *t, struct exit exit, uint32_t place);

/* Emits the byte before an entry. unasked: FLAG_... that the block does not ask for. Without a body
 * there is something before the budget to see to. */
void emit_before_entry(struct translation *t, bool has_body, unsigned unasked);
/* Emits the entry of a block that may need `reserve` cycles, up to where it leaves: returns that
 * jump. They are uncounted from then on, less than nothing. */
uint32_t emit_entry(struct translation *t, int reserve);

/* Emits the edge to pc; everything but flags and cycles is settled. */
void emit_edge(struct translation *t, uint16_t pc);
/* The same for a call, behind which `back` is emitted. column: where returns are counted, of the
 * rows that they come with. */
void emit_call_edge(struct translation *t, uint16_t pc, uint16_t back, int column);
/* Binds an edge to the entry at `place`. */
void edge_bind(struct exit *x, const struct emitter *e, uint32_t place);
/* Binds an edge from a block to its own body: what it does before its entry, which is at `place`,
 * it need not do again. */
void edge_bind_back(struct exit *x, const struct emitter *e, uint32_t place, unsigned unasked);

/* Overwrites the start of a block: whoever comes there goes to its new version, at `replacement`.
 * False: that asks for more than what the old one is given. */
bool entry_replace(struct emitter *e, uint32_t place, uint32_t replacement);

#endif
