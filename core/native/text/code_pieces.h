/* Straight-line pieces of text: the basic blocks that are known before a program runs. Private to
 * core/native. */
#ifndef HOTGRAPH_NATIVE_CODE_PIECES_H
#define HOTGRAPH_NATIVE_CODE_PIECES_H

#include "native/text/decode.h"

/* Instructions that are only executed one after the other: control enters at the first and leaves
 * after the last. Calls end a piece, too. */
struct piece {
    uintptr_t start, last, end; /* first and last instruction, and the address after that */
    uintptr_t target;           /* of a direct transfer at the end; 0: none */
    uint32_t count;             /* instructions */
    uint8_t flow;               /* of the last instruction (enum flow) */
    bool entered; /* may be entered by code that is not the object's: a function's entry, what
                      follows a call, a landing pad, a linkage stub */
    bool pad;     /* a landing pad */
    bool led_to;  /* something else than the previous piece may lead there */
};
typedef VEC(struct piece) piece_list;

/* All pieces of the object's part, by address, after code_find(); but not of functions that are outside. False:
 * out of memory. */
bool pieces_find(const struct object *o, piece_list *out);
/* Where functions that are outside may lead to, other functions begin from now on. Call it before
 * pieces_find(). */
void pieces_enter(struct object *o);
/* Is the piece a return of one byte that is a target? Only a trap fits there. */
bool piece_is_lone(const struct piece *p);
/* The same of one that a call returns to, if it is followed by no padding: only a trap may fit. */
bool piece_is_blind(const struct object *o, const struct piece *p);
/* The piece that starts at the address, or NULL. */
const struct piece *piece_at(const piece_list *pieces, uintptr_t start);
/* The same, faster if it is near number `from`. */
const struct piece *piece_near(const piece_list *pieces, size_t from, uintptr_t start);
/* Does the piece end with an indirect jump or call, or a return? */
bool piece_ends_away(const struct piece *p);

#endif
