#include <endian.h>
#include <string.h>

#include "nes/ppu/ppu_a12.h"
#include "nes/ppu/ppu_log.h"
#include "nes/ppu/ppu_picture.h"
#include "nes/ppu/ppu_prediction.h"
#include "nes/ppu/ppu_scroll.h"
#include "nes/ppu/ppu_sprites.h"

enum {
    /* An undriven bit of the bus keeps its value for about 600 ms (blargg, ppu_open_bus). */
    LATCH_CYCLES = 1073864,
    /* The second of two reads of $2007 so close together is lost. */
    DATA_READ_CYCLES = 1,
};

/* Colours at power-on, as measured by blargg on one console (power_up_palette); others differ. */
static const uint8_t power_palette[32] = {
    0x09, 0x01, 0x00, 0x01, 0x00, 0x02, 0x02, 0x0D, 0x08, 0x10, 0x08, 0x24, 0x00, 0x00, 0x04, 0x2C,
    0x09, 0x01, 0x34, 0x03, 0x00, 0x04, 0x00, 0x14, 0x08, 0x3A, 0x00, 0x02, 0x00, 0x20, 0x2C, 0x08,
};

/* ---- power ---- */

void ppu_init(struct ppu *p, struct board *board, uint16_t *pictures,
              const struct nes_console *console) {
    memset(p, 0, sizeof *p);
    if (console)
        p->console = *console;
    p->board = board;
    p->picture.buffers = p->picture.wanted = pictures;
    if (pictures)
        memset(pictures, 0, 2 * PPU_WIDTH * PPU_HEIGHT * sizeof *pictures);
    ppu_power(p, 0);
}

static void restart(struct ppu *p, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    s->time = 3 * cycle;
    s->line = 0;
    s->dot = (uint16_t)p->console.alignment;
    s->odd = false;
    s->ignore_writes = !p->console.no_warmup;
    p->nmi_ignored = false;
    s->vblank_suppressed = false;
    s->mask_due = s->v_due = UINT64_MAX;
    s->data_read_cycle = UINT64_MAX - DATA_READ_CYCLES;
    s->odd_dots = (struct ppu_odd){0};
    const bool whole = p->picture.whole;
    ppu_loaded(p);
    p->picture.whole = whole; /* the last picture stays available */
    p->picture.begun = p->picture.wanted != NULL;
}

void ppu_power(struct ppu *p, uint64_t cycle) {
    memset(&p->state, 0, sizeof p->state);
    memcpy(p->state.palette, power_palette, sizeof power_palette);
    /* Undefined on the console. These bytes show no sprites in the first picture's first line. */
    memset(p->state.secondary, 0xFF, sizeof p->state.secondary);
    restart(p, cycle);
}

void ppu_reset(struct ppu *p, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    ppu_advance(p, 3 * cycle);
    s->ctrl = s->mask = s->rendering = s->x = s->read_buffer = 0;
    s->t = 0;
    s->w = false;
    restart(p, cycle);
    ppu_show_v(p);
}

/* True if the next picture starts with line 0. */
static bool before_picture(const struct ppu_state *s) {
    return s->line > LINE_IDLE || (s->line == LINE_IDLE && s->dot > DOT_FLAGS) ||
           (s->line == 0 && s->dot == 0);
}

void ppu_loaded(struct ppu *p) {
    if (p->picture.wanted)
        ppu_picture_sprites(p, 0);
    p->picture.begun = p->picture.wanted && before_picture(&p->state);
    p->picture.whole = false;
    p->known.idle_until = p->known.vblank_stable_until = p->known.plain_until = 0;
    p->writes.first = p->writes.end = 0;
    p->known.board_synced_until = 0;
    ppu_invalidate_sprites(p);
}

/* ---- the bus capacitance ---- */

enum { LATCH_HIGH = 0xC0, LATCH_5 = 0x20, LATCH_LOW = 0x1F };
static const uint8_t latch_bits[3] = {LATCH_HIGH, LATCH_5, LATCH_LOW};

/* Its value in `cycle`, after decay. */
static uint8_t latch(const struct ppu_state *s, uint64_t cycle) {
    uint8_t value = s->latch;
    for (unsigned i = 0; i < 3; i++)
        if (cycle - s->latch_cycle[i] > LATCH_CYCLES)
            value &= (uint8_t)~latch_bits[i];
    return value;
}

/* Drives all bits of the bus. */
static inline void drive_all(struct ppu *p, uint8_t value, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    p->known.status_stable_until = 0;
    s->latch = value;
    s->latch_cycle[0] = s->latch_cycle[1] = s->latch_cycle[2] = cycle;
}

/* Drives the bits in `bits`, which are whole groups. */
static void drive(struct ppu *p, uint8_t value, uint8_t bits, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    p->known.status_stable_until = 0;
    s->latch = (uint8_t)((latch(s, cycle) & ~bits) | (value & bits));
    for (unsigned i = 0; i < 3; i++)
        if (bits & latch_bits[i])
            s->latch_cycle[i] = cycle;
}

/* ---- memory accessed through $2007 ---- */

static uint8_t read_data(struct ppu *p, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    if (cycle - s->data_read_cycle <= DATA_READ_CYCLES)
        return latch(s, cycle);
    s->data_read_cycle = cycle;
    uint16_t address = s->v & 0x3FFF;
    if (address >= PPU_PALETTE) {
        uint8_t colour =
            s->palette[ppu_palette_index(address)] & (s->mask & MASK_GREY ? 0x30 : 0x3F);
        drive(p, colour, LATCH_5 | LATCH_LOW, cycle);
    } else
        drive_all(p, s->read_buffer, cycle);
    if (ppu_fetching(s)) { /* the buffer gets what will be fetched some dots later */
        s->odd_dots.data_due = true;
        return latch(s, cycle);
    }
    s->read_buffer = ppu_bus_read(p->board, address);
    ppu_step_v(p);
    return latch(s, cycle);
}

static void write_data(struct ppu *p, uint8_t value) {
    struct ppu_state *s = &p->state;
    struct board *b = p->board;
    uint16_t address = s->v & 0x3FFF;
    if (address >= PPU_PALETTE)
        s->palette[ppu_palette_index(address)] = value & 0x3F;
    else if (address & 0x2000)
        b->nt[address >> 10 & 3][address & 0x3FF] = value;
    else if (b->chr_writable)
        b->chr[address >> 10][address & 0x3FF] = value;
    ppu_step_v(p);
}

/* ---- OAM ---- */

/* A sprite as a number, its first byte the lowest: the bits that exist, and those of its y. */
static const uint32_t SPRITE_BITS = 0xFF00FFFFu | OAM_ATTRIBUTES << 16, SPRITE_Y = 0xFF;

static uint8_t read_oam(const struct ppu_state *s) {
    if (!ppu_fetching(s))
        return s->oam[s->oam_address];
    /* s->dot is the next dot: OAM's bus holds what the previous one left. */
    unsigned dot = s->dot ? s->dot - 1u : PPU_DOTS - 1;
    if (s->line <= LINE_LAST && dot >= 1 && dot <= 256)
        return s->oam_data;
    if (dot < 257 || dot > 320)
        return s->secondary[0];
    unsigned byte = (dot - 257) & 7;
    return s->secondary[((dot - 257) >> 3) * 4 + (byte < 3 ? byte : 3)];
}

static void write_oam(struct ppu *p, uint8_t value) {
    struct ppu_state *s = &p->state;
    if (ppu_fetching(s)) { /* the write is lost; only the sprite number steps */
        s->oam_address = (uint8_t)((s->oam_address & ~3u) + 4);
        return;
    }
    if ((s->oam_address & 3) == 2)
        value &= OAM_ATTRIBUTES;
    if (s->oam[s->oam_address] != value) {
        s->oam[s->oam_address] = value;
        ppu_invalidate_sprites(p);
    }
    s->oam_address++;
}

bool ppu_copies_oam(struct ppu *p, const uint8_t *bytes, unsigned count, uint64_t first,
                    uint64_t last) {
    struct ppu_state *s = &p->state;
    uint8_t oam[256];
    uint32_t changed = 0;
    ppu_advance(p, ppu_dots_at_access(first));
    if (ppu_dots_at_access(last) > p->known.idle_until && (s->rendering || ppu_writes_pending(s)))
        return false;
    const unsigned room = 256u - s->oam_address, before = count < room ? count : room;
    memcpy(oam, s->oam, sizeof oam);
    memcpy(oam + s->oam_address, bytes, before);
    memcpy(oam, bytes + before, count - before);
    for (unsigned i = 0; i < sizeof oam; i += 4) {
        uint32_t sprite, old;
        memcpy(&sprite, oam + i, sizeof sprite);
        memcpy(&old, s->oam + i, sizeof old);
        sprite &= htole32(SPRITE_BITS);
        changed |= sprite ^ old;
        memcpy(s->oam + i, &sprite, sizeof sprite);
    }
    if (changed & htole32(SPRITE_Y))
        p->sprites_known.lines = false;
    if (changed)
        p->sprites_known.slots = p->sprites_known.overflow = false;
    s->oam_address = (uint8_t)(s->oam_address + count);
    ppu_invalidate(p);
    drive_all(p, bytes[count - 1], last);
    return true;
}

/* ---- the sprite flags ---- */

/* A read of $2002 need not advance the state, because the flags are predicted. */

/* Dot 0 of the visible line that contains dot number `dot`; `dot` itself if it lies elsewhere, or
 * if dot 0 is past. */
static uint64_t line_start(const struct ppu_state *s, uint64_t dot) {
    const bool visible = s->line <= LINE_LAST;
    const uint64_t first = visible ? s->time - s->dot : ppu_next_dot(s, 0, 0);
    if (dot < first)
        return dot;
    const uint64_t lines = (dot - first) / PPU_DOTS, start = first + lines * PPU_DOTS;
    return start < s->time || lines + (visible ? s->line : 0) > LINE_LAST ? dot : start;
}

/* Brings the PPU to a dot from which the sprite flags can be predicted up to dot number `until`,
 * and predicts them. False: no such dot exists, and the PPU was brought to `until`. */
static bool predict_flags(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    if (s->line > LINE_LAST && ppu_next_dot(s, 0, 0) < until)
        ppu_advance(p, ppu_next_dot(s, 0, 0));
    if (p->writes.first == p->writes.end && ppu_predictable(s))
        ppu_predict(p);
    if (!ppu_flags_predicted(p, until))
        ppu_advance(p, line_start(s, until));
    if (s->time < until && ppu_predictable(s))
        ppu_predict(p);
    if (ppu_flags_predicted(p, until))
        return true;
    ppu_advance(p, until);
    return false;
}

uint8_t ppu_status_at(struct ppu *p, uint64_t until) {
    const struct ppu_state *s = &p->state;
    if (until <= p->known.idle_until)
        return s->status;
    if (s->time < until && ppu_flags_cleared(s, until))
        return 0;
    if (s->time >= until || (!ppu_flags_predicted(p, until) && !predict_flags(p, until)))
        return s->status;
    return (uint8_t)(s->status | (p->known.hit_dot < until ? STATUS_HIT : 0) |
                     (p->known.overflow_dot < until ? STATUS_OVERFLOW : 0));
}

/* ---- registers ---- */

/* Brings the PPU to the access of `cycle`. During an idle blank an access can observe only v and
 * rendering, so only writes to these are applied and the position stays behind. (A board that
 * watches the bus sees v when v changes.) */
static inline void arrive(struct ppu *p, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    const uint64_t dot = ppu_dots_at_access(cycle);
    if (dot >= p->known.idle_until || p->board->ops->a12_rises) {
        ppu_advance(p, dot);
        return;
    }
    if (s->v_due < dot) {
        s->v = s->t;
        s->v_due = UINT64_MAX;
    }
    if (s->mask_due < dot) {
        s->rendering = s->mask & MASK_RENDERING;
        s->mask_due = UINT64_MAX;
    }
}

/* The vblank flag is latched when the access begins. The sprite flags are read at its end, a dot
 * later (AccuracyCoin, "$2002 flag timing"). */
static uint8_t read_status(struct ppu *p, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    const uint64_t end = ppu_dots_at_end(cycle);
    const uint8_t vblank = ppu_status_at(p, ppu_dots_at_access(cycle)) & STATUS_VBLANK;
    if (s->line == LINE_VBLANK && s->dot == DOT_FLAGS)
        s->vblank_suppressed = true;
    s->status &= (uint8_t)~STATUS_VBLANK;
    s->w = false;
    drive(p, ppu_status_at(p, end) | vblank, LATCH_HIGH | LATCH_5, cycle);
    if (!vblank) {
        p->known.status_stable_until =
            ppu_next_change(p, end) / 3; /* the first cycle that ends after that dot */
        if (s->latch & LATCH_LOW)
            p->known.status_stable_until =
                ppu_least(p->known.status_stable_until, s->latch_cycle[2] + LATCH_CYCLES + 1);
    }
    return s->latch;
}

uint8_t ppu_read(struct ppu *p, uint16_t address, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    uint8_t value;
    if ((address & 7) == 2)
        return read_status(p, cycle);
    switch (address & 7) {
    case 4: /* the value at the end of the access */
        ppu_advance(p, ppu_dots_at_end(cycle));
        drive_all(p, read_oam(s), cycle);
        return s->latch;
    case 7:
        arrive(p, cycle);
        value = read_data(p, cycle);
        ppu_invalidate(p);
        return value;
    default:
        return latch(s, cycle);
    }
}

/* Applies a write to $2000, $2001, $2005 or $2006 at once. */
static void write_register(struct ppu *p, unsigned reg, uint8_t value, uint64_t dot) {
    struct ppu_state *s = &p->state;
    if (s->ignore_writes)
        return;
    struct ppu_registers r = ppu_registers(p);
    if (reg == 0 && (r.ctrl ^ value) & CTRL_TALL)
        ppu_invalidate_sprites(p);
    if (reg == 1)
        p->known.vblank_stable_until = 0; /* the frame may be a dot longer now */
    r.dot = dot;
    ppu_change_registers(&r, reg, s->w, value);
    s->w ^= reg >= 5;
    ppu_set_registers(p, &r);
}

bool ppu_write(struct ppu *p, uint16_t address, uint8_t value, uint64_t cycle) {
    struct ppu_state *s = &p->state;
    const unsigned reg = address & 7;
    const uint64_t dot = ppu_dots_at_access(cycle);
    drive_all(p, value, cycle);
    if (dot >= p->known.idle_until &&
        ppu_defer(p, reg, value, dot)) { /* no write is ignored there */
        p->nmi_ignored &= reg != 0 || !(value & CTRL_NMI);
        return false;
    }
    arrive(p, cycle);
    switch (reg) {
    case 0:
        if (value & CTRL_NMI)
            p->nmi_ignored = s->ignore_writes;
        write_register(p, reg, value, dot);
        break;
    case 1:
    case 5:
    case 6:
        write_register(p, reg, value, dot);
        break;
    case 3:
        s->oam_address = value;
        break;
    case 4:
        write_oam(p, value);
        break;
    case 7:
        write_data(p, value);
        break;
    }
    ppu_invalidate(p);
    if (!p->board->ops->a12_rises && !s->ignore_writes && dot < p->known.idle_until)
        p->known.plain_until = ppu_end_after(p->known.idle_until);
    return true;
}

void ppu_sync(struct ppu *p, uint64_t cycle) {
    ppu_advance(p, ppu_dots_at_access(cycle));
    ppu_invalidate(p);
}

static void show_board(struct ppu *p, uint64_t dot) {
    if (p->state.line > LINE_LAST && dot >= p->known.idle_until &&
        ppu_next_dot(&p->state, 0, 0) <= dot)
        ppu_advance(p, ppu_next_dot(&p->state, 0, 0));
    if (!ppu_show_until(p, dot))
        ppu_advance(p, dot);
}

void ppu_show_board(struct ppu *p, uint64_t cycle) {
    show_board(p, ppu_dots_at_access(cycle));
}

void ppu_draw(struct ppu *p, bool draw, uint64_t cycle) {
    if (draw == (p->picture.wanted != NULL))
        return;
    ppu_advance(p, ppu_dots_at_access(cycle));
    p->writes.until = p->known.idle_until = p->known.plain_until = 0;
    p->picture.wanted = draw ? p->picture.buffers : NULL;
    p->picture.begun = p->picture.wanted && before_picture(&p->state);
    if (p->picture.wanted)
        ppu_picture_sprites(p, 0);
}

const uint16_t *ppu_picture(struct ppu *p, uint64_t cycle) {
    ppu_advance(p, ppu_dots_at_access(cycle));
    return p->picture.whole ? p->picture.buffers + (p->picture.drawing ^ 1) * PPU_WIDTH * PPU_HEIGHT
                            : NULL;
}

/* ---- inspection ---- */

uint8_t ppu_peek(const struct ppu *p, uint16_t address) {
    address &= 0x3FFF;
    return address >= PPU_PALETTE ? p->state.palette[ppu_palette_index(address)]
                                  : ppu_bus_read(p->board, address);
}

void ppu_place(const struct ppu *p, uint64_t cycle, unsigned *line, unsigned *dot) {
    const uint64_t now = 3 * cycle;
    struct ppu_state s = p->state;
    while (s.time < now) {
        if (s.line == 0 && s.dot == 0) /* the next such position is a frame away */
            s.dot++, s.time++;
        const uint64_t next = ppu_next_dot(&s, 0, 0);
        if (next > now)
            break;
        s.time = next;
        s.line = s.dot = 0;
        s.odd = !s.odd;
    }
    const uint64_t place = (uint64_t)s.line * PPU_DOTS + s.dot + (now - s.time);
    *line = (unsigned)(place / PPU_DOTS);
    *dot = (unsigned)(place % PPU_DOTS);
}

/* ---- lines and deadlines ---- */

/* The next dot that changes the vblank flag. */
static uint64_t next_vblank_change(const struct ppu_state *s) {
    return ppu_least(ppu_next_dot(s, LINE_VBLANK, DOT_FLAGS),
                     ppu_next_dot(s, LINE_PRERENDER, DOT_FLAGS));
}

bool ppu_nmi(struct ppu *p, uint64_t cycle) {
    const uint64_t end = ppu_dots_at_end(cycle);
    if (end > p->known.vblank_stable_until) {
        if (end > next_vblank_change(&p->state))
            ppu_advance(p, end);
        p->known.vblank_stable_until = next_vblank_change(&p->state);
    }
    return p->state.status & STATUS_VBLANK && ppu_ctrl(p) & CTRL_NMI;
}

uint64_t ppu_nmi_deadline(const struct ppu *p) {
    if (!(ppu_ctrl(p) & CTRL_NMI))
        return UINT64_MAX;
    return ppu_end_after(p->state.status & STATUS_VBLANK
                             ? ppu_next_dot(&p->state, LINE_PRERENDER, DOT_FLAGS)
                             : ppu_next_dot(&p->state, LINE_VBLANK, DOT_FLAGS));
}

/* Number of the dot at which the board asserts its IRQ if nothing accesses it, or an earlier
 * number; UINT64_MAX: never. */
static uint64_t next_board_irq(const struct ppu *p) {
    const unsigned rises = p->board->ops->irq_rises(p->board);
    return rises == 0 ? UINT64_MAX : ppu_next_rise(p, rises);
}

bool ppu_board_irq(struct ppu *p, uint64_t cycle, uint64_t *deadline) {
    const struct mapper_ops *ops = p->board->ops;
    *deadline = UINT64_MAX;
    if (!ops->irq)
        return false;
    const uint64_t end = ppu_dots_at_end(cycle);
    uint64_t dot = next_board_irq(p);
    if (dot < end) {
        show_board(p, end);
        dot = next_board_irq(p);
    }
    if (dot != UINT64_MAX)
        *deadline = ppu_end_after(dot);
    return ops->irq(p->board);
}

uint64_t ppu_frame_end(const struct ppu *p) {
    return ppu_end_after(ppu_next_dot(&p->state, LINE_VBLANK, DOT_FLAGS));
}

void ppu_begin_frame(struct ppu *p, uint64_t cycle) {
    const uint64_t now = ppu_dots_at_access(cycle);
    const uint64_t vblank = ppu_next_dot(&p->state, LINE_VBLANK, DOT_FLAGS);
    if (vblank < now)
        ppu_advance(p, vblank + 1);
    const uint64_t start = ppu_next_dot(&p->state, 0, 0);
    if (start <= now)
        ppu_advance(p, start);
}

uint64_t ppu_status_deadline(struct ppu *p, uint64_t cycle) {
    const struct ppu_state *s = &p->state;
    const uint64_t now = ppu_dots_at_access(cycle);
    ppu_status_at(p, now);
    /* A read in the dot before the vblank flag rises has an effect of its own. For other changes
     * this is at most one cycle early. */
    uint64_t deadline = ppu_end_after(ppu_next_change(p, now));
    if (s->latch & LATCH_LOW)
        deadline = ppu_least(deadline, s->latch_cycle[2] + LATCH_CYCLES + 1);
    return deadline;
}
