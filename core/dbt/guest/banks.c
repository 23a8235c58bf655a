#include "dbt/guest/banks.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PRG = WINDOWS - PRG_WINDOWS, RAM_PAGE = 0x60, PAGES = WINDOW_SIZE / 256 };

static const uint8_t *shown(const struct nes *n, unsigned window) {
    return n->memory.rd[window * PAGES];
}

/* ---- what is certain ---- */

static bool goes_on(const struct nes *n, unsigned window) {
    return shown(n, window) == shown(n, window - 1) + WINDOW_SIZE;
}

/* Has a window changed that was certain? */
static bool learn(struct banks *w, const struct nes *n) {
    unsigned varies = 0, parted = 0;
    const bool first_time = !w->first[0];
    for (unsigned i = 0; i < PRG_WINDOWS; i++) {
        const unsigned window = FIRST_PRG + i;
        if (first_time)
            w->first[i] = shown(n, window);
        varies |= (unsigned)(shown(n, window) != w->first[i]) << window;
        parted |= (unsigned)(i > 0 && !goes_on(n, window)) << window;
    }
    const bool changed = !first_time && ((varies & ~w->varies) || (parted & ~w->parted));
    w->varies |= varies;
    w->parted |= parted;
    return changed;
}

unsigned banks_certain(const struct banks *w, uint16_t pc) {
    const unsigned own = window_of(pc);
    unsigned certain = (~w->varies & ((1u << WINDOWS) - 1)) | 1u << own;
    if (own < FIRST_PRG)
        return certain;
    for (unsigned i = own; i + 1 < WINDOWS && !(w->parted >> (i + 1) & 1); i++)
        certain |= 1u << (i + 1);
    for (unsigned i = own; i > FIRST_PRG && !(w->parted >> i & 1); i--)
        certain |= 1u << (i - 1);
    return certain;
}

/* ---- spaces and contents ---- */

static struct space *new_space(struct banks *w, const struct nes *n) {
    struct space *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->read = n->memory.rd[RAM_PAGE];
    s->write = n->memory.wr[RAM_PAGE];
    s->prg = calloc(PRG_WINDOWS * w->banks, sizeof(struct content *));
    if (s->prg && vec_push(&w->spaces, s))
        return s;
    free(s->prg);
    free(s);
    return NULL;
}

static struct space *space_of(struct banks *w, const struct nes *n) {
    for (size_t i = 0; i < w->spaces.len; i++)
        if (w->spaces.at[i]->read == n->memory.rd[RAM_PAGE] &&
            w->spaces.at[i]->write == n->memory.wr[RAM_PAGE])
            return w->spaces.at[i];
    return new_space(w, n);
}

/* Without a cartridge, as in tests of the processor alone, there is one bank. */
static size_t banks_of(const struct nes *n) {
    const struct cartridge *const c = n->made.options.cartridge;
    return c ? (c->prg_size + WINDOW_SIZE - 1) / WINDOW_SIZE : 1;
}

/* The entry for what the window shows. */
static struct content **entry(const struct banks *w, struct space *s, const struct nes *n,
                              unsigned window) {
    if (window < FIRST_PRG)
        return &s->low[window];
    const struct cartridge *const c = n->made.options.cartridge;
    const size_t bank = c ? (size_t)(shown(n, window) - c->prg) / WINDOW_SIZE : 0;
    return &s->prg[(window - FIRST_PRG) * w->banks + bank];
}

/* Code never executed has no blocks. */
static void show(struct banks *w, unsigned window, struct content *content) {
    static const uint32_t none[WINDOW_SIZE];
    const uint32_t *const table = content ? content->table : none;
    w->now[window] = content;
    w->tables[window] = (uintptr_t)table - ((uint64_t)window << WINDOW_SHIFT) * sizeof *table;
}

enum selected banks_select(struct banks *w, const struct nes *n) {
    w->banks = banks_of(n);
    const bool changed = learn(w, n);
    struct space *const s = space_of(w, n);
    if (!s)
        return SELECT_FAILED;
    for (unsigned i = 0; i < WINDOWS; i++)
        show(w, i, *entry(w, s, n, i));
    return changed ? SELECTED_AND_VOID : SELECTED;
}

struct content *banks_begin(struct banks *w, const struct nes *n, uint16_t pc) {
    struct space *const s = space_of(w, n);
    struct content *const begun = s ? calloc(1, sizeof *begun) : NULL;
    if (!begun)
        return NULL;
    *entry(w, s, n, window_of(pc)) = begun;
    show(w, window_of(pc), begun);
    return begun;
}

void banks_forget(struct banks *w) {
    for (size_t i = 0; i < w->spaces.len; i++) {
        struct space *const s = w->spaces.at[i];
        for (unsigned k = 0; k < FIRST_PRG; k++)
            free(s->low[k]);
        for (size_t k = 0; k < PRG_WINDOWS * w->banks; k++)
            free(s->prg[k]);
        free(s->prg);
        free(s);
    }
    vec_free(&w->spaces);
    memset(w->now, 0, sizeof w->now);
}
