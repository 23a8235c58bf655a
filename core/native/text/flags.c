#include "native/text/flags.h"
#include "native/text/decode.h"

#include <Zydis/Zydis.h>

/* inc preserves carry; code can read these five others. */
enum {
    ASKED = ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
            ZYDIS_CPUFLAG_OF,
    STEPS = 64,
    ARM_STEPS = 16, /* for each target of a jump through a table */
};

struct search {
    const struct object *o;
    bool entry; /* started at a function's entry, with its caller's flags */
    bool arm;   /* started at a target of a jump through a table */
    int steps;  /* left */
};

static bool live_from(struct search *s, uintptr_t at, uint32_t asked);

/* Jumps whose targets are not known may lead to code that reads flags. */
static bool live_at_arms(const struct object *o, uintptr_t jump, uint32_t asked) {
    const size_t first = items_below(o->arms.at, o->arms.len, sizeof *o->arms.at, jump);
    size_t k = first;
    for (; k < o->arms.len && o->arms.at[k].jump == jump; k++) {
        struct search s = {.o = o, .arm = true, .steps = ARM_STEPS};
        if (live_from(&s, o->arms.at[k].target, asked))
            return true;
    }
    return k == first;
}

/* Follows both directions of a branch; when the steps are used up the answer is yes. Flags are dead
 * at calls and returns: no calling convention passes any. They are also dead at a jump through a
 * pointer if they were the caller's. The code is the file's, because the text may have probes. */
static bool live_from(struct search *s, uintptr_t at, uint32_t asked) {
    const struct object *o = s->o;
    while (s->steps-- > 0) {
        struct insn i;
        if (!insn_decode_file(&i, o, at))
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
            return !s->entry && (s->arm || live_at_arms(o, at, asked));
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
