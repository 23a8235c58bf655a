#include "native/text/flags.h"
#include "native/text/decode.h"

#include <Zydis/Zydis.h>

/* inc preserves carry; code can read these five others. */
enum {
    ASKED = ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
            ZYDIS_CPUFLAG_OF,
    STEPS = 64,
};

struct search {
    const struct object *o;
    bool entry; /* started at a function's entry, with its caller's flags */
    int steps;  /* left */
};

/* Follows both directions of a branch; when the steps are used up the answer is yes. Flags are dead
 * at calls and returns: no calling convention passes any. They are also dead at a jump through a
 * pointer if they were the caller's. */
static bool live_from(struct search *s, uintptr_t at, uint32_t asked) {
    const struct object *o = s->o;
    while (s->steps-- > 0) {
        struct insn i;
        if (!in_text(o, at) || !insn_decode(&i, at, o->text_end))
            return true;
        if ((i.flags_read & asked) != 0)
            return true;
        if (!i.kills_unsure)
            asked &= ~i.flags_written;
        if (asked == 0)
            return false;
        switch ((enum flow)i.flow) {
        case FLOW_CALL:
        case FLOW_CALL_AWAY:
        case FLOW_RETURN:
        case FLOW_STOP:
            return false;
        case FLOW_JUMP_AWAY:
            return !s->entry;
        case FLOW_REFUSED:
        case FLOW_SYSTEM:
            return true;
        case FLOW_JUMP:
            at = i.target;
            continue;
        case FLOW_BRANCH:
        case FLOW_LOOP:
            if (live_from(s, i.target, asked))
                return true;
            break;
        case FLOW_NEXT:
            break;
        }
        at += i.length;
    }
    return true;
}

bool flags_live(const struct object *o, uintptr_t at) {
    struct search s = {.o = o, .steps = STEPS};
    s.entry =
        (*mark_at(o, at) & MARK_ENTRY) != 0 || (at - o->text >= 4 && after_endbr(o, at - 4) == at &&
                                                (*mark_at(o, at - 4) & MARK_ENTRY) != 0);
    return live_from(&s, at, ASKED);
}
