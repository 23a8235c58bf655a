/* The work list: leaders from code and from jump tables. */
#include "native/text/walk.h"

void walk_leader(struct walk *w, uintptr_t at) {
    struct object *o = w->o;
    if (!in_text(o, at))
        return;
    uint8_t *m = mark_at(o, at);
    *m |= MARK_TARGET | MARK_LEADER;
    if ((*m & MARK_START) == 0 && !seq_push(&w->todo, at))
        w->failed = true;
}
