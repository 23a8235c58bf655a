/*
 * Padding that is executed: compilers align the head of a loop with a long NOP, which is executed
 * before the loop. The first two bytes of a NOP of seven bytes or more become a short jump to its
 * end. The rest is then never executed, and holds slots:
 *
 *     nopw 0(%rax,%rax,1)         eb 07         jmp to its end
 *                                 e9 ....       a probe's slot
 *
 * The NOP is a single instruction, so no thread can be inside it. The jump is a patch without a
 * probe (a *gate*). Lock and Load writes it like other patches, before its slots are used; a thread
 * that meets it while it is locked executes the NOP in the gate's stub. It becomes a NOP again once
 * its last slot is free and every thread was seen outside of it.
 */
#include "native/patch/gate.h"
#include "native/patch/stub.h"
#include "native/patch/write_text.h"
#include "native/session_state.h"
#include "native/text/decode.h"

#include <string.h>

enum { SLOT = 5 };

/* The NOP's length; 0: no NOP that can have slots. */
static unsigned nop_length(struct hotprobe *h, const struct object *o, uintptr_t at) {
    struct insn i;
    if (!in_text(o, at) || (*mark_at(o, at) & (MARK_START | MARK_NOP)) != (MARK_START | MARK_NOP))
        return 0;
    if ((*mark_at(o, at) & MARK_OURS) != 0) {
        const struct patch *g = index_find(&h->homes, at);
        return g != NULL && g->is_gate && g->in ? g->offset[1] : 0;
    }
    if (!insn_decode(&i, at, o->text_end) || !i.nop || i.length < GATE_JUMP + SLOT)
        return 0;
    for (unsigned k = 1; k < i.length; k++)
        if (!in_text(o, at + k) ||
            (*mark_at(o, at + k) & (MARK_START | MARK_TARGET | MARK_ENTRY)) != 0)
            return 0;
    return i.length;
}

size_t gate_slots(struct hotprobe *h, const struct object *o, uintptr_t at, uintptr_t *slot,
                  unsigned *length) {
    size_t n = 0;
    *length = nop_length(h, o, at);
    for (unsigned k = GATE_JUMP; k + SLOT <= *length; k += SLOT) {
        bool taken = false;
        for (unsigned j = k; j < k + SLOT; j++)
            taken |= (*mark_at(o, at + j) & MARK_OURS) != 0;
        if (!taken)
            slot[n++] = at + k;
    }
    return n;
}

/* The start of the NOP that holds the slot. */
static uintptr_t nop_of(const struct object *o, uintptr_t slot) {
    const uint8_t both = MARK_START | MARK_NOP;
    for (unsigned k = GATE_JUMP; k < GATE_JUMP + GATE_SLOTS * SLOT; k += SLOT)
        if (in_text(o, slot - k) && (*mark_at(o, slot - k) & both) == both)
            return slot - k;
    return 0;
}

struct patch *gate_open(struct hotprobe *h, struct object *o, uintptr_t slot, bool *reached) {
    struct patch plan = {.object = o, .restored = true, .is_gate = true};
    /* A NOP in another probe's window is not executed. */
    *reached = (*mark_at(o, slot) & (MARK_NOP | MARK_OURS)) == MARK_NOP;
    if (!*reached)
        return NULL;
    plan.at = nop_of(o, slot);
    unsigned length = plan.at != 0 ? nop_length(h, o, plan.at) : 0;
    if (length == 0)
        return NULL;
    if ((*mark_at(o, plan.at) & MARK_OURS) != 0)
        return index_find(&h->homes, plan.at);
    plan.count = 1;
    plan.offset[1] = (uint8_t)length;
    plan.length = GATE_JUMP;
    plan.strategy = HOTPROBE_REACHABLE;
    memcpy(plan.old, (const void *)plan.at, length);
    struct patch *g = patch_for(h, &plan);
    if (g == NULL)
        return NULL;
    g->in = true;
    /* Open it now: no slot may be written into a NOP that is still executed. */
    if (!seq_push(&h->gates, g) || stub_make(h, g) != HOTPROBE_DONE || !patch_claim(h, g) ||
        !patch_changed(h, g)) {
        g->in = false;
        return NULL;
    }
    return g;
}

/* Sets `needed` of all open gates, in one pass: large programs have many gates and more patches. */
static void find_needed(struct hotprobe *h) {
    for (size_t i = 0; i < h->gates.len; i++)
        h->gates.at[i]->needed = false;
    for (size_t i = h->settled; i < h->patches.len; i++) {
        const struct patch *p = h->patches.at[i];
        if (p->gate != NULL && (p->in || !p->restored))
            p->gate->needed = true;
    }
}

/* Removes one gate by Lock and Load; threads that meet it meanwhile go through its stub. */
static bool close_one(struct hotprobe *h, const struct patch *g) {
    if (!text_is(h, g->at, g->now, GATE_JUMP))
        return true; /* unloaded: nothing is left to restore */
    if (!h->live)
        return text_write(h, g->at, g->old, GATE_JUMP);
    return text_write(h, g->at, "\xcc", 1) && cores_serialise() &&
           text_write(h, g->at + 1, g->old + 1, 1) && cores_serialise() &&
           text_write(h, g->at, g->old, 1) && cores_serialise();
}

bool gates_close(struct hotprobe *h) {
    size_t kept = 0;
    bool ok = true;
    find_needed(h);
    for (size_t i = 0; i < h->gates.len; i++) {
        struct patch *g = h->gates.at[i];
        bool open = g->in && (g->changed || g->needed);
        if (!open && g->in && !close_one(h, g)) {
            ok = false;
            open = true;
        }
        if (open) {
            h->gates.at[kept++] = g;
            continue;
        }
        g->in = false;
        for (unsigned k = 0; k < GATE_JUMP; k++)
            *mark_at(g->object, g->at + k) &= (uint8_t)~MARK_OURS;
    }
    h->gates.len = kept;
    return ok;
}
