/* A stub while it is assembled. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_STUB_BUILD_H
#define HOTGRAPH_NATIVE_STUB_BUILD_H

#include "native/patch/stub.h"
#include "native/session_state.h"
#include "native/text/relocate.h"

enum { HOTS = 8 };

struct build {
    struct hotprobe *h;
    struct patch *p;
    struct stub *s;
    struct emit e;
    struct constants c;
    struct hot {
        size_t from, back; /* offset of the jz's distance, and of the code after it */
        const struct hotprobe_probe *probe;
        bool saved;
        /* A probe of pairs continues behind these: */
        const struct session_pair *own;
        const struct pairs_map *map;
    } hot[HOTS];
    size_t hots;
    bool constants;
    bool far; /* own cells are out of reach */
    /* The overwritten instructions, decoded once, because the code is assembled twice. */
    struct insn insn[BOUNDARIES];
    bool live[BOUNDARIES];  /* are flags live at the probe of each? */
    bool after[BOUNDARIES]; /* and after it, if it is a branch that falls through? */
    bool there[BOUNDARIES]; /* and at its target? */
};

/* Calls the probe's function. It gets the probe's address. Bit 0: flags and rax are saved on the stack; bit 1: a
 * return address was pushed before them (hit.c). */
void stub_emit_call(struct build *b, const struct hotprobe_probe *probe, unsigned how);
/* A prefix without effect is next, which can become a lock prefix. */
void stub_can_lock(struct build *b);
/* A locked or lockable increment, whose code after the prefix is given. */
void stub_emit_lockable(struct build *b, const char *code, size_t n);
/* Fills in the distance at the offset `from`: it leads here. */
void stub_leads_here(struct build *b, size_t from);

/* Of an indirect jump, call or return: counts it and its target. False: there is no room, or it has an
 * operand that is not known. */
bool stub_emit_pairs(struct build *b, const struct hotprobe_probe *probe);
/* The part of it that is executed for other targets than the first one's. */
void stub_emit_others(struct build *b, const struct hot *hot);

#endif
