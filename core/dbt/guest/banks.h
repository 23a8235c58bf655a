/*
 * banks: the banks that are mapped into windows of 8 KiB, and the blocks of each bank. Private to
 * core/dbt. Place: above core/nes; independent of host code.
 *
 * A block belongs to the bank ("content") of the window in which it begins: each bank is translated
 * once for each window, however a board combines banks. A block may also rely on other windows that
 * are certain: those that have never changed, and those that have always continued their neighbour
 * (as with banks of 16 or 32 KiB). If a certain window changes after all, banks_select() says so,
 * and all blocks become invalid; this happens a few times in a run.
 *
 * Blocks also rely on the page at $6000: each different page has contents of its own (a space).
 */
#ifndef HOTGRAPH_DBT_BANKS_H
#define HOTGRAPH_DBT_BANKS_H

#include "nes/machine/machine.h"

enum { WINDOW_SHIFT = 13, WINDOW_SIZE = 1 << WINDOW_SHIFT, WINDOWS = 8, PRG_WINDOWS = 4 };

static inline unsigned window_of(uint16_t pc) {
    return pc >> WINDOW_SHIFT;
}
/* Windows are numbered bits. */
static inline bool window_in(unsigned set, uint16_t pc) {
    return set >> window_of(pc) & 1;
}

/* By place in the window. */
struct content {
    uint32_t table[WINDOW_SIZE];   /* place in the cache, or 0 */
    uint8_t met[WINDOW_SIZE];      /* executions before it became hot, or a PLACE_... */
    uint8_t versions[WINDOW_SIZE]; /* number of versions of a block whose bytes, or whose banks,
                                      change */
    uint8_t missed[WINDOW_SIZE];   /* executions that matched no version, since the last one was
                                      made */
};
enum {
    PLACE_SLOW = 255,        /* nothing to translate */
    PLACE_INTERPRETED = 254, /* it changes too often */
};

struct space {
    const uint8_t *read; /* the page at $6000 */
    const uint8_t *write;
    struct content *low[WINDOWS - PRG_WINDOWS]; /* below $8000; NULL: not met */
    struct content **prg;                       /* [PRG_WINDOWS][banks], the same */
};

struct banks {
    size_t banks;
    VEC(struct space *) spaces;
    struct content *now[WINDOWS]; /* NULL: nothing was executed there */
    uint64_t tables[WINDOWS]; /* for translated code: now[w]->table, offset so that the pc is the
                                 index */
    const uint8_t *first[PRG_WINDOWS]; /* the content that was met first in each window */
    unsigned varies;                   /* windows that have shown more than one content */
    unsigned parted;                   /* windows that have not always continued the one below */
};

enum selected { SELECTED, SELECTED_AND_VOID, SELECT_FAILED };
/* Selects what n has mapped now. VOID: blocks relied on something that has changed; failed: out of
 * memory. */
enum selected banks_select(struct banks *w, const struct nes *n);
/* The set of windows that blocks which begin at pc may rely on. */
unsigned banks_certain(const struct banks *w, uint16_t pc);
static inline struct content *banks_at(const struct banks *w, uint16_t pc) {
    return w->now[window_of(pc)];
}
/* Adds content for the selected window of pc, which has none; NULL: out of memory. */
struct content *banks_begin(struct banks *w, const struct nes *n, uint16_t pc);
/* Forgets everything except what was learned about the board. */
void banks_forget(struct banks *w);

#endif
