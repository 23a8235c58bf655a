#include "native/patch/window.h"
#include "native/session_state.h"
#include "native/text/relocate.h"

#include <string.h>

enum { JUMP = 5, SHORT_JUMP = 2 };

bool strategy_on(const struct hotprobe *h, enum hotprobe_strategy s) {
    return (h->options.without >> s & 1) == 0 && (s != HOTPROBE_TRAP || h->options.trap);
}

static void window_start(struct patch *p, struct object *o, uintptr_t site) {
    memset(p, 0, sizeof *p);
    p->at = site;
    p->object = o;
    p->restored = true;
}

static void window_end(struct patch *p, unsigned length) {
    p->length = (uint8_t)length;
    /* All bytes of the instructions, for the stub, even if not overwritten. */
    memcpy(p->old, (const void *)p->at,
           length > p->offset[p->count] ? length : p->offset[p->count]);
}

static void instruction_add(struct patch *p, const struct insn *i) {
    p->offset[p->count++] = (uint8_t)(i->at - p->at);
    p->offset[p->count] = (uint8_t)(i->at - p->at + i->length);
    p->ends = insn_ends_block(i);
}

static uint8_t marks_of(const struct object *o, uintptr_t at, unsigned from, unsigned to) {
    uint8_t all = 0;
    for (unsigned k = from; k < to; k++)
        all |= in_text(o, at + k) ? *mark_at(o, at + k) : MARK_OURS;
    return all;
}

/* After an instruction that ends the block: is the rest of the jump padding? */
static bool padding_after(const struct object *o, uintptr_t at, unsigned from) {
    for (unsigned k = from; k < JUMP; k++)
        if (!in_text(o, at + k) || (*mark_at(o, at + k) & (MARK_PAD | MARK_OURS)) != MARK_PAD)
            return false;
    return true;
}

/* Calls and system calls return to the next instruction, possibly much later: only the last
 * instruction may be one. */
static enum hotprobe_reason add_until_jump_fits(struct hotprobe *h, struct object *o,
                                                struct patch *p) {
    unsigned length = 0;
    struct insn i = {0};
    while (length < JUMP) {
        if (length > 0 && p->ends) {
            if (!padding_after(o, p->at, length))
                return HOTPROBE_SHORT;
            if (!strategy_on(h, HOTPROBE_PADDING))
                return HOTPROBE_SWITCHED_OFF;
            p->strategy = HOTPROBE_PADDING;
            length = JUMP;
            break;
        }
        if (length > 0 && i.flow != FLOW_NEXT && i.flow != FLOW_BRANCH && i.flow != FLOW_LOOP)
            return HOTPROBE_CALL_INSIDE;
        if (length > 0 && (marks_of(o, p->at, length, length + 1) & MARK_TARGET) != 0)
            return HOTPROBE_TARGET_INSIDE;
        if (!insn_decode(&i, p->at + length, o->text_end))
            return HOTPROBE_NOT_CODE;
        if (!can_relocate(&i))
            return HOTPROBE_CANNOT_MOVE;
        instruction_add(p, &i);
        length += i.length;
    }
    window_end(p, length);
    return HOTPROBE_DONE;
}

enum hotprobe_reason window_find(struct hotprobe *h, struct object *o, uintptr_t site,
                                 struct patch *p) {
    window_start(p, o, site);
    p->strategy = HOTPROBE_OVER_SEVERAL;
    enum hotprobe_reason r = add_until_jump_fits(h, o, p);
    if (r != HOTPROBE_DONE)
        return r;
    uint8_t inside = marks_of(o, site, 1, p->length);
    if (((inside | *mark_at(o, site)) & MARK_OURS) != 0)
        return HOTPROBE_OVERLAPS;
    if ((inside & (MARK_TARGET | MARK_ENTRY)) != 0)
        return HOTPROBE_TARGET_INSIDE;
    if (p->count == 1 && p->strategy != HOTPROBE_PADDING)
        p->strategy = HOTPROBE_OVER_ONE;
    const struct function *f = function_at(o, site);
    p->unproven = f != NULL && f->unproven && p->count > 1;
    if (p->unproven && !h->options.unproven)
        return HOTPROBE_UNPROVEN_JUMPS;
    return strategy_on(h, p->strategy) ? HOTPROBE_DONE : HOTPROBE_SWITCHED_OFF;
}

enum hotprobe_reason window_single(struct hotprobe *h, struct object *o, uintptr_t site,
                                   uintptr_t last, enum hotprobe_strategy how, struct patch *p) {
    struct insn i = {0};
    window_start(p, o, site);
    for (uintptr_t at = site; at <= last; at += i.length) {
        if (p->count == BOUNDARIES || !insn_decode(&i, at, o->text_end))
            return HOTPROBE_NOT_CODE;
        if (!can_relocate(&i))
            return HOTPROBE_CANNOT_MOVE;
        instruction_add(p, &i);
    }
    p->strategy = (uint8_t)how;
    bool padding = how == HOTPROBE_PADDING || how == HOTPROBE_REACHABLE;
    unsigned length = how == HOTPROBE_TRAP ? 1 : padding ? SHORT_JUMP : JUMP;
    const unsigned whole = p->offset[p->count];
    if (!strategy_on(h, how))
        return HOTPROBE_SWITCHED_OFF;
    if (padding && whole < SHORT_JUMP)
        return HOTPROBE_SHORT;
    if (how == HOTPROBE_CONSTRAINED && whole >= JUMP)
        return HOTPROBE_TARGET_INSIDE; /* only a target inside prevents a plain jump */
    const bool several = p->count > 1;
    uint8_t inside = marks_of(o, site, 1, several || whole < length ? whole : length);
    if ((marks_of(o, site, 0, several ? whole : length) & MARK_OURS) != 0)
        return HOTPROBE_OVERLAPS;
    if (how != HOTPROBE_TRAP && (inside & (MARK_TARGET | MARK_ENTRY)) != 0)
        return HOTPROBE_TARGET_INSIDE;
    window_end(p, length);
    return HOTPROBE_DONE;
}

/* May another instruction follow in the window? Calls and system calls return to their end. */
static bool can_follow(const struct insn *i) {
    switch ((enum flow)i->flow) {
    case FLOW_CALL:
    case FLOW_CALL_AWAY:
    case FLOW_SYSTEM:
    case FLOW_REFUSED:
        return false;
    default:
        return true;
    }
}

/* May the instruction come after the one with the flow `before`? After a branch it may begin a
 * block, to which nothing else leads. A call must end the window. */
static bool can_add(const struct object *o, const struct insn *i, uint8_t before, bool call) {
    const uint8_t m = *mark_at(o, i->at);
    const bool fallen = before == FLOW_BRANCH || before == FLOW_LOOP,
               is_call = i->flow == FLOW_CALL || i->flow == FLOW_CALL_AWAY;
    return (m & MARK_START) != 0 && ((m & MARK_LEADER) == 0 || fallen) &&
           (can_follow(i) || (is_call && call));
}

bool window_grow(struct hotprobe *h, struct object *o, struct patch *p, unsigned length,
                 bool call) {
    const struct function *f = function_at(o, p->at);
    const uint8_t led_to = MARK_TARGET | MARK_ENTRY | MARK_OURS;
    struct insn i;
    if (f == NULL || (f->unproven && !h->options.unproven) || p->offset[p->count] != p->length ||
        !insn_decode_copy(&i, p->old + p->offset[p->count - 1], p->at + p->offset[p->count - 1]) ||
        !can_follow(&i))
        return false;
    while (p->offset[p->count] < length) {
        uintptr_t at = p->at + p->offset[p->count];
        const uint8_t before = i.flow;
        if (p->ends || p->count == BOUNDARIES || !in_text(o, at) || !can_follow(&i) ||
            !insn_decode(&i, at, o->text_end) || !can_add(o, &i, before, call) || !can_relocate(&i))
            return false;
        unsigned from = p->offset[p->count];
        if (from + i.length > WINDOW || (marks_of(o, p->at, from, from + i.length) & led_to) != 0)
            return false;
        instruction_add(p, &i);
    }
    p->unproven = f->unproven;
    p->strategy = HOTPROBE_OVER_SEVERAL;
    window_end(p, p->offset[p->count]);
    return true;
}
