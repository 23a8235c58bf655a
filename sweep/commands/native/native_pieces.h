/* What the probes of an exact graph left in a session's folder (native/session.h): the objects that were
 * counted, their pieces of code, counters and cells. */
#ifndef HOTGRAPH_NATIVE_PIECES_H
#define HOTGRAPH_NATIVE_PIECES_H

#include "base/base.h"
#include "native/session.h"

struct native_piece {
    uint32_t start, last, end, target; /* offsets in the file */
    char ends;
    bool may_enter;
    uint64_t count, fall, in; /* fall of a linkage stub: how often its symbol was resolved */
    uint64_t paired;          /* how often cells led here */
    uint64_t returned;        /* to what follows this call, from `back` */
    uint64_t armed;           /* from `arm_of` to this piece */
    uint64_t led;             /* address where this linkage stub led last; 0: to other code */
    uint64_t taken;           /* its branch, if has_taken */
    bool has_count, has_fall, has_taken; /* counted; else they follow from others */
    uint32_t site, traps, back,
        arm_of; /* the last two: numbers of the object's pieces, from 1; 0: none */
    uint32_t object;
    const char *lengths, *name;
    size_t instructions;
};

struct native_object {
    uint64_t text, text_end, offset; /* of its text; where it is in the file */
    size_t first, count;             /* its pieces */
    const char *outside;             /* why it was not counted; "": it was */
    bool libc;
    const char *path;
    uint32_t base; /* code address of the file's first byte; set by the caller */
};

/* How often a site of pairs went to an address. */
struct native_cell {
    uint64_t site, target, count;
};

/* Addresses of a function of the library that only jumps on, and of what it jumps to. */
struct native_shadow {
    uint64_t from, to;
};

/* A function of a counted object that counts as other code; offsets in the file. */
struct native_left_out {
    uint32_t object, start, end;
};

/* Pieces of a late object that stand together in the file. */
struct native_part {
    size_t object, first, count;
    uint32_t start; /* where the first one is */
};

struct native_pieces {
    struct bytes text, counters, pairs, paths;
    VEC(struct native_object) objects;    /* the program first */
    VEC(struct native_part) parts;        /* of late objects, as they were executed */
    VEC(struct native_piece) pieces;      /* by object and address */
    VEC(struct native_left_out) left_out; /* by object and address */
    VEC(size_t) sites; /* the piece of each site of pairs; SIZE_MAX: of none that counts */
    struct native_shadow shadows[SESSION_SHADOWS];
    VEC(struct native_cell) cells; /* that were counted; some pairs have two */
    int raised;                    /* the signal that found the program in other code; 0: none */
    bool left;                     /* the process became another program, by exec */
    uint64_t libc;                 /* why its counts are not exact: SESSION_LIBC_... */
};

/* Sets the counts of pieces that end with cells, and `paired`. `without`, if not NULL, says why libc is
 * left out. STATUS_UNSUPPORTED if something could
 * not be counted. The caller frees *out also after an error. */
enum status native_pieces_read(struct native_pieces *out, const char *folder, const char *without,
                               struct error *e);
void native_pieces_free(struct native_pieces *c);

/* The object's piece that starts at the offset, or NULL. */
struct native_piece *native_piece_at(const struct native_pieces *c, const struct native_object *o,
                                     uint64_t start);
/* The last one of the object that does not start behind the offset, or NULL. */
const struct native_piece *native_piece_around(const struct native_pieces *c,
                                               const struct native_object *o, uint64_t offset);

/* Is the offset in a function of the object that counts as other code? */
bool native_left_out(const struct native_pieces *c, const struct native_object *o, uint64_t offset);
/* The counted object whose text has the address, or NULL. */
const struct native_object *native_object_at(const struct native_pieces *c, uint64_t address);
/* The address as an offset in the object's file. */
static inline uint64_t native_offset(const struct native_object *o, uint64_t address) {
    return address - o->text + o->offset;
}

/* A cell: the piece that ends with the jump, NULL if that does not count; the object it led to, NULL if
 * that is other code, and the offset there. */
struct native_pair {
    struct native_piece *from;
    const struct native_object *to;
    uint64_t offset, count;
};
/* Visits the cells: *at is 0 at first. False: there are no more. */
bool native_pairs_next(const struct native_pieces *c, size_t *at, struct native_pair *out);

/* The length of the piece's instruction number k. */
static inline uint32_t native_length(const struct native_piece *p, size_t k) {
    const char digit = p->lengths[k];
    return (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

#endif
