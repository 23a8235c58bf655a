#include "native/text/code_pieces.h"
#include "native/text/quick.h"

bool piece_ends_away(const struct piece *p) {
    return p->flow == FLOW_JUMP_AWAY || p->flow == FLOW_CALL_AWAY || p->flow == FLOW_RETURN;
}

static bool is_call(const struct insn *i) {
    return i->flow == FLOW_CALL || i->flow == FLOW_CALL_AWAY;
}

/* Whatever may be a target starts a piece, so that no entry goes unseen. */
static bool starts_piece(const struct object *o, uintptr_t at) {
    return (*mark_at(o, at) & (MARK_LEADER | MARK_TARGET | MARK_ENTRY)) != 0;
}

/* Follows the instructions from p->start. Sets the rest, but not who enters. */
static void follow(const struct object *o, struct piece *p, struct insn *i) {
    for (uintptr_t at = p->start; insn_outline(i, at, o->text_end); at += i->length) {
        p->last = at;
        p->end = at + i->length;
        p->count++;
        p->flow = i->flow;
        if (i->flow != FLOW_NEXT || !in_text(o, p->end) ||
            (*mark_at(o, p->end) & MARK_START) == 0 || starts_piece(o, p->end))
            break;
    }
    bool direct = p->flow == FLOW_JUMP || p->flow == FLOW_BRANCH || p->flow == FLOW_LOOP ||
                  p->flow == FLOW_CALL;
    p->target = direct ? i->target : 0;
}

const struct piece *piece_at(const piece_list *pieces, uintptr_t start) {
    const size_t k = items_below(pieces->at, pieces->len, sizeof *pieces->at, start);
    return k < pieces->len && pieces->at[k].start == start ? &pieces->at[k] : NULL;
}

const struct piece *piece_near(const piece_list *pieces, size_t from, uintptr_t start) {
    size_t low = from, high = from, step = 1;
    while (low > 0 && pieces->at[low].start > start) {
        low = low > step ? low - step : 0;
        step *= 2;
    }
    while (high < pieces->len && pieces->at[high].start < start) {
        high += step;
        step *= 2;
    }
    const size_t end = high < pieces->len ? high + 1 : pieces->len;
    const piece_list around = {.at = pieces->at + low, .len = end - low};
    return piece_at(&around, start);
}

bool piece_is_lone(const struct piece *p) {
    return p->flow == FLOW_RETURN && p->end - p->start == 1 && p->led_to;
}

bool piece_is_blind(const struct object *o, const struct piece *p) {
    enum { ROOM = 4 };
    bool room = p->end + ROOM <= o->text_end;
    for (unsigned k = 0; room && k < ROOM; k++)
        room = (*mark_at(o, p->end + k) & MARK_PAD) != 0;
    return p->flow == FLOW_RETURN && p->end - p->start == 1 && !room &&
           (p->led_to || p->entered || function_at(o, p->start) == NULL);
}

static void enter(struct object *o, uintptr_t at) {
    if (in_text(o, at) && (*mark_at(o, at) & MARK_START) != 0)
        *mark_at(o, at) |= MARK_ENTRY;
}

static void enter_from(struct object *o, const struct function *f) {
    struct insn i;
    for (uintptr_t at = f->start; at < f->end; at++)
        if ((*mark_at(o, at) & MARK_START) != 0 && insn_outline(&i, at, o->text_end)) {
            enter(o, i.target);
            if (at + i.length >= f->end && !insn_ends_block(&i))
                enter(o, at + i.length);
        }
}

void pieces_enter(struct object *o) {
    for (size_t k = 0; k < o->functions.len; k++)
        if (o->functions.at[k].outside)
            enter_from(o, &o->functions.at[k]);
}

bool pieces_find(const struct object *o, piece_list *out) {
    uintptr_t after_transfer = 0, after_away = 0;
    for (uintptr_t at = o->part.start; at < o->part.end; at++) {
        const uint8_t m = *mark_at(o, at);
        if ((m & MARK_START) == 0 || (!starts_piece(o, at) && at != after_transfer) ||
            outside_at(o, at))
            continue;
        struct insn i = {0};
        struct piece p = {.start = at};
        follow(o, &p, &i);
        if (p.count == 0)
            continue;
        p.entered = (m & MARK_ENTRY) != 0 || at == after_away || in_linkage(o, at);
        p.led_to = (m & (MARK_TARGET | MARK_ENTRY)) != 0;
        after_transfer = i.flow != FLOW_NEXT ? p.end : 0;
        after_away = is_call(&i) || i.flow == FLOW_SYSTEM ? p.end : 0;
        if (!seq_push(out, p))
            return false;
    }
    for (size_t k = 0; k < o->pads.len; k++) {
        if (!in_part(o, o->pads.at[k]))
            continue;
        const struct piece *p = piece_at(out, o->pads.at[k]);
        if (p != NULL)
            out->at[p - out->at].entered = out->at[p - out->at].pad = true;
    }
    return true;
}
