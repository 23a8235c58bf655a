/*
 * v, followed through writes that were put down and switch rendering on and off within the picture.
 *
 * Behind the last line with sprites nothing is found any more, whichever parts of lines are
 * rendered, and no flag rises: the OAM address only steps on, from one sprite to the next. So such
 * a switch can wait, too, and a write to the palette can be done at once, as soon as v is known. It
 * is: it steps in a few dots of each line. A line whose first dots were rendered, which fetch two
 * tiles and clear what was found, leaves nothing of what was before it but v and the OAM address.
 */
#include "nes/ppu/ppu_parts.h"

/* Dots of a line that step v: by a tile in every eighth of 1-256 and the last two of the others. */
enum { DOT_COLUMN = 257, DOT_FIRST_TILE = 328, DOT_SECOND_TILE = 336 };
/* Every other one from the first to the last of these steps the OAM address by a sprite; these set
 * it back. */
enum { DOT_SEARCH = 66, DOT_SEARCH_LAST = 256, DOT_BACK = 257, DOT_BACK_LAST = 320 };
/* The dots before this one leave no trace of the line before. */
enum { DOT_FRESH = 65 };

/* ---- v ---- */

static unsigned tiles_before(unsigned dot) {
    const unsigned columns = dot > DOT_ROW ? DOT_ROW / 8 : dot > 0 ? (dot - 1) / 8 : 0;
    return columns + (dot > DOT_FIRST_TILE) + (dot > DOT_SECOND_TILE);
}

static uint16_t v_part(uint16_t v, uint16_t t, unsigned from, unsigned to) {
    if (from <= DOT_ROW && to > DOT_ROW)
        v = v_next_row(v);
    if (from <= DOT_COLUMN && to > DOT_COLUMN) {
        v = (uint16_t)((v & ~V_HORIZONTAL) | (t & V_HORIZONTAL));
        from = DOT_COLUMN + 1;
    }
    return v_tiles(v, tiles_before(to) - tiles_before(from));
}

/* ---- OAM ---- */

static unsigned sprites_before(unsigned dot) {
    if (dot > DOT_SEARCH_LAST)
        dot = DOT_SEARCH_LAST + 1;
    return dot > DOT_SEARCH ? (dot - DOT_SEARCH + 1) / 2 : 0;
}

static uint8_t oam_part(uint8_t address, unsigned from, unsigned to) {
    if (from <= DOT_BACK_LAST && to > DOT_BACK)
        return 0;
    return (uint8_t)(address + 4 * (sprites_before(to) - sprites_before(from)));
}

/* ---- following ---- */

/* The dots from `from` to before `to` of a visible line with rendering on. */
static void follow_dots(struct ppu_follow *f, unsigned from, unsigned to) {
    f->v = v_part(f->v, f->r.t, from, to);
    f->oam_address = oam_part(f->oam_address, from, to);
    f->time += to - from;
}

/* To be asked before rendering is switched off. */
static void find_fresh(struct ppu_follow *f) {
    if (f->line.time != 0 && f->line.time + DOT_FRESH <= f->time && f->since <= f->line.time)
        f->fresh = f->line;
}

static void line_begins(struct ppu_follow *f) {
    find_fresh(f);
    const bool pending = f->mask_due != UINT64_MAX || f->v_due != UINT64_MAX;
    f->line = (struct ppu_start){.time = pending || f->time < f->from ? 0 : f->time,
                                 .v = f->v,
                                 .oam_address = f->oam_address};
}

/* On to dot number `to` with rendering on; `start` is that of the picture. */
static void follow_rendering(struct ppu_follow *f, uint64_t start, uint64_t to) {
    const unsigned dot = (unsigned)((f->time - start) % PPU_DOTS);
    if (f->time + (PPU_DOTS - dot) > to) {
        follow_dots(f, dot, dot + (unsigned)(to - f->time));
        return;
    }
    follow_dots(f, dot, PPU_DOTS);
    const unsigned lines = (unsigned)((to - f->time) / PPU_DOTS);
    if (lines > 1) {
        f->v = v_rows(f->v, lines - 2);
        f->time += (lines - 2) * PPU_DOTS;
        follow_dots(f, 0, PPU_DOTS);
    }
    if (lines > 0) { /* of all of them these two may be the last that was fresh */
        line_begins(f);
        follow_dots(f, 0, PPU_DOTS);
    }
    line_begins(f);
    follow_dots(f, 0, (unsigned)(to - f->time));
}

/* On to dot number `to`, nothing being written. */
static void follow_untouched(struct ppu_follow *f, uint64_t start, uint64_t to) {
    while (f->time < to) {
        if (f->mask_due <= f->time) {
            find_fresh(f);
            if (!(f->r.mask & MASK_RENDERING))
                f->since = UINT64_MAX;
            else if (f->since == UINT64_MAX)
                f->since = f->time;
            f->mask_due = UINT64_MAX;
        }
        if (f->v_due <= f->time) {
            f->v = f->r.t;
            f->v_due = UINT64_MAX;
        }
        const uint64_t next = ppu_least(to, ppu_least(f->mask_due, f->v_due));
        if (f->since != UINT64_MAX)
            follow_rendering(f, start, next);
        else
            f->time = next;
    }
}

static void follow_write(struct ppu_follow *f, const struct ppu_registers *r) {
    f->r = *r;
    if (r->loads_v)
        f->v_due = r->dot + PPU_V_DELAY;
    if (r->masks)
        f->mask_due = r->dot + PPU_MASK_DELAY;
    if (r->steps_v)
        f->v = v_stepped(f->v, r->ctrl);
}

bool ppu_follow(struct ppu *p, uint64_t dot) {
    const struct ppu_state *s = &p->s;
    struct ppu_follow *f = &p->follow;
    if (f->on)
        return true;
    if (p->board->ops->a12_rises || s->line > LINE_LAST || !ppu_quiet(p, dot))
        return false;
    *f = (struct ppu_follow){.on = true,
                             .next = p->log_first,
                             .time = s->time,
                             .since = s->rendering ? s->time : UINT64_MAX,
                             .mask_due = s->mask_due,
                             .v_due = s->v_due,
                             .v = s->v,
                             .oam_address = s->oam_address,
                             .from = dot - (dot - s->time + s->dot) % PPU_DOTS,
                             .r = {.t = s->t, .ctrl = s->ctrl, .mask = s->mask}};
    return true;
}

/* Up to dot number `dot`, and what is put down for that; `start` is that of the picture. */
static void follow_log(const struct ppu *p, struct ppu_follow *f, uint64_t start, uint64_t dot) {
    for (; f->next < p->log_end && p->log[f->next].dot <= dot; f->next++) {
        const struct ppu_registers *r = &p->log[f->next];
        if (f->since == UINT64_MAX && f->mask_due >= r->dot && f->v_due >= r->dot)
            f->time = r->dot;
        else
            follow_untouched(f, start, r->dot);
        follow_write(f, r);
    }
    follow_untouched(f, start, dot);
    find_fresh(f);
}

void ppu_follow_to(struct ppu *p, uint64_t dot) {
    follow_log(p, &p->follow, picture_start(&p->s), dot);
}

/* ---- following the end of much that was written ---- */

bool ppu_oam_set_back(const struct ppu *p, uint64_t from, uint64_t to) {
    const unsigned dot = (unsigned)((from - picture_start(&p->s)) % PPU_DOTS);
    return dot <= DOT_BACK_LAST ? dot + (to - from) > DOT_BACK
                                : dot + (to - from) > PPU_DOTS + DOT_BACK;
}

uint8_t ppu_oam_through(const struct ppu *p, uint8_t address, uint64_t from, uint64_t to) {
    const unsigned dot = (unsigned)((from - picture_start(&p->s)) % PPU_DOTS);
    if (dot + (to - from) <= PPU_DOTS)
        return oam_part(address, dot, dot + (unsigned)(to - from));
    const uint64_t left = to - from - (PPU_DOTS - dot);
    address = left < PPU_DOTS ? oam_part(address, dot, PPU_DOTS) : 0;
    return oam_part(address, 0, (unsigned)(left % PPU_DOTS));
}

/* Whatever v was before it is loaded, the same comes of it. */
bool ppu_follow_from(struct ppu *p, unsigned entry, uint8_t oam_address, uint64_t known,
                     uint64_t dot) {
    const struct ppu_registers *const r = &p->log[entry];
    const uint64_t since = r->dot + PPU_MASK_DELAY;
    struct ppu_follow f = {.on = true,
                           .next = entry + 1,
                           .time = since,
                           .since = since,
                           .mask_due = UINT64_MAX,
                           .v_due = UINT64_MAX,
                           .r = *r,
                           .oam_address = oam_address,
                           .from = known};
    follow_log(p, &f, picture_start(&p->s), dot);
    if (f.fresh.time == 0)
        return false;
    f.from = p->follow.from; /* nothing will be asked of what was before that line */
    p->follow = f;
    return true;
}
