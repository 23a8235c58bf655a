/*
 * Writes into the picture that are not even put down: only noted, until somebody looks.
 *
 * Where a write was put down, most of those behind it can be, too, and none of them moves a line or
 * a deadline. So translated code notes them in a queue (dbt/lower/mmio.c), as ppu_queue() does,
 * which is a tenth of the work; and all are put down together before anything else happens to the
 * PPU. Nothing of what they do is seen before, but for w, of which the next one depends; not even
 * the bus, which the last one decides.
 *
 * Of lines that will be passed at once the registers in the end and the last write that loaded v
 * are all that is put down.
 */
#include <string.h>

#include "nes/ppu/ppu_parts.h"

static uint64_t entry(unsigned reg, uint8_t value, uint64_t cycle) {
    return cycle << PPU_QUEUE_CYCLE | reg << PPU_QUEUE_REGISTER | value;
}
static uint64_t dot_of(uint64_t entry) {
    return ppu_dots_at_access(entry >> PPU_QUEUE_CYCLE);
}
static unsigned register_of(uint64_t entry) {
    return entry >> PPU_QUEUE_REGISTER & 7;
}
static bool is_half(unsigned reg) {
    return reg == 5 || reg == 6;
}

/* ---- queueing ---- */

/* In the picture no write to $2001 moves the NMI, which is on line 241. */
void ppu_queue_opens(struct ppu *p) {
    p->queue_until = ppu_end_after(p->log_until);
    p->queue_room = PPU_LOG - p->log_end;
}

/* A colour that is written with rendering off, right behind two writes to $2006 or after another
 * one, goes where it belongs at once: all that is left is that it steps v. False: it may be none.
 */
static bool colours(struct ppu *p, uint8_t value, uint64_t cycle) {
    unsigned first = p->queued;
    while (first > 0 && register_of(p->queue[first - 1]) == 7)
        first--;
    if (!p->follow.on || p->s.w || p->queued_to & 1 << 0 || first < 3)
        return false;
    const uint64_t *const before = &p->queue[first - 3]; /* off, and both halves of an address */
    if (register_of(before[0]) != 1 || before[0] & MASK_RENDERING || register_of(before[1]) != 6 ||
        register_of(before[2]) != 6 || dot_of(before[2]) + PPU_V_DELAY >= ppu_dots_at_access(cycle))
        return false;
    const unsigned steps = (p->queued - first) * (p->now.ctrl & CTRL_INCREMENT_32 ? 32 : 1);
    const unsigned v = ((before[1] & 0x3F) << 8 | (before[2] & 0xFF)) + steps;
    const uint16_t address = v & 0x3FFF;
    if (address < PPU_PALETTE)
        return false;
    p->s.palette[ppu_palette_index(address)] = value & 0x3F;
    return true;
}

/* Whether it can be put down, too, when its time comes (ppu_log.c), and leaves the NMI alone. */
static bool is_harmless(struct ppu *p, unsigned reg, uint8_t value, uint64_t cycle) {
    switch (reg) {
    case 0:
        return !((p->now.ctrl ^ value) & p->queue_firm);
    case 1:
        return p->follow.on || (value & MASK_RENDERING && p->now.mask & MASK_RENDERING);
    case 7:
        return colours(p, value, cycle);
    default:
        return reg >= 5;
    }
}

bool ppu_queue(struct ppu *p, unsigned reg, uint8_t value, uint64_t cycle) {
    if (cycle >= p->queue_until || p->queued >= p->queue_room || !is_harmless(p, reg, value, cycle))
        return false;
    p->queue[p->queued++] = entry(reg, value, cycle);
    p->queued_to |= 1u << reg;
    p->s.w ^= is_half(reg);
    p->calm = 0;
    return true;
}

/* ---- putting down ---- */

static unsigned halves(const struct ppu *p, unsigned first, unsigned end) {
    unsigned count = 0;
    for (unsigned i = first; i < end; i++)
        count += is_half(register_of(p->queue[i]));
    return count;
}

/* w before entry number `first` of `count`, which are all there are. */
static bool second_before(const struct ppu *p, unsigned first, unsigned count) {
    return (p->s.w + halves(p, first, count)) & 1;
}

/* One by one. */
static void put_down(struct ppu *p, unsigned first, unsigned end, bool second) {
    struct ppu_registers now = p->now, *to = p->log + p->log_end;
    uint64_t open = ppu_hit_open(p);
    for (unsigned i = first; i < end; i++) {
        const uint64_t e = p->queue[i];
        const unsigned reg = register_of(e);
        now.dot = dot_of(e);
        ppu_change_registers(&now, reg, second, (uint8_t)e);
        *to++ = now;
        second ^= is_half(reg);
        if (now.dot < open) {
            ppu_hit_unsure(p, &now);
            open = ppu_hit_open(p);
        }
    }
    p->now = now;
    p->log_end += end - first;
}

/* The bits of t that a write decides. */
static uint16_t bits_of_t(unsigned reg, bool second) {
    switch (reg) {
    case 0:
        return 0x0C00;
    case 5:
        return second ? 0x73E0 : 0x001F;
    case 6:
        return second ? 0x00FF : 0x7F00;
    default:
        return 0;
    }
}

/* The bits of t that the writes that are queued may decide. */
static uint16_t open_bits_of_t(const struct ppu *p) {
    return (uint16_t)((p->queued_to & 1 << 0 ? 0x0C00 : 0) | (p->queued_to & 1 << 5 ? 0x73FF : 0) |
                      (p->queued_to & 1 << 6 ? 0x7FFF : 0));
}

/* Behind the last entry before number `end` that is to one of these registers; `first`: there is
 * none from there on. */
static unsigned behind_last(const struct ppu *p, unsigned first, unsigned end, unsigned registers) {
    while (end > first && !(registers >> register_of(p->queue[end - 1]) & 1))
        end--;
    return end;
}

/* Registers as entries from `first` to before `end` leave them, from the last one back to where all
 * is known; w is `second` behind them. */
static struct ppu_registers registers_behind(const struct ppu *p, unsigned first, unsigned end,
                                             bool second) {
    enum { CTRL = 1 << 0, MASK = 1 << 1, X = 1 << 5 }; /* by the registers that they are in */
    struct ppu_registers r = p->now;
    uint16_t open = open_bits_of_t(p); /* that are not known yet */
    unsigned unknown = p->queued_to & (CTRL | MASK | X);
    for (unsigned i = end; i > first && (open || unknown);) {
        if (open == 0) { /* what is left may be far away, or not there at all */
            const unsigned from = behind_last(p, first, i, unknown);
            second ^= from > first && halves(p, from, i) & 1;
            if ((i = from) == first)
                break;
        }
        const uint64_t e = p->queue[--i];
        const unsigned reg = register_of(e);
        second ^= is_half(reg);
        struct ppu_registers one = r;
        ppu_change_registers(&one, reg, second, (uint8_t)e);
        const uint16_t bits = bits_of_t(reg, second) & open;
        r.t = (uint16_t)((r.t & ~bits) | (one.t & bits));
        open &= (uint16_t)~bits;
        r.ctrl = unknown & CTRL ? one.ctrl : r.ctrl;
        r.mask = unknown & MASK ? one.mask : r.mask;
        r.x = unknown & X ? one.x : r.x;
        unknown &= ~(second && reg == 5 ? 0u : 1u << reg);
    }
    r.dot = dot_of(p->queue[end - 1]);
    r.loads_v = r.masks = r.steps_v = false;
    return r;
}

/* What is left in the end of all entries from `first` to before `end`, and of what is put down; w
 * is `second` behind them. */
static void put_rest_down(struct ppu *p, unsigned first, unsigned end, bool second) {
    struct ppu_registers left[3], *to = left;
    const struct ppu_registers last = registers_behind(p, first, end, second);
    unsigned behind = p->queued_to & 1 << 6 ? end : first; /* the last one that loads v */
    while (behind > first && (second || register_of(p->queue[behind - 1]) != 6))
        second ^= is_half(register_of(p->queue[--behind]));
    if (behind > first) {
        *to = registers_behind(p, first, behind, second);
        to++->loads_v = true;
        p->log_first = p->log_end = 0;
    }
    if (behind > first && behind < end &&
        dot_of(p->queue[behind]) <= left[0].dot + PPU_V_DELAY) /* t changes meanwhile */
        *to++ =
            registers_behind(p, first, behind + 1, second ^ is_half(register_of(p->queue[behind])));
    *to++ = last;
    memcpy(p->log + p->log_end, left, (size_t)(to - left) * sizeof *to);
    p->log_end += (unsigned)(to - left);
    p->now = last;
}

/* Start of the line before which all lines are passed at once, whoever looks next behind dot number
 * `last`: the one looked at and the one before it are not, nor is one where sprite 0 hits. */
static uint64_t passed_until(const struct ppu *p, uint64_t last) {
    enum { NOT_PASSED = 2 };
    const uint64_t start = p->log_until - place(LINE_IDLE, 0), line = (last - start) / PPU_DOTS;
    return line > NOT_PASSED ? start + (line - NOT_PASSED) * PPU_DOTS : 0;
}

/* Whether nothing that comes from dot number `dot` on changes when sprite 0 hits, and lines can be
 * passed at once from here. */
static bool passes_lines(struct ppu *p, uint64_t dot) {
    if (!ppu_foreseeable(&p->s))
        return false;
    ppu_foresee(p);
    return ppu_hit_told(p, p->log_until) && dot >= ppu_hit_open(p);
}

/* Entries from `first` on for which passing lines is enough; returns where the others begin. */
static unsigned put_lines_down(struct ppu *p, unsigned first, unsigned count, uint64_t until) {
    unsigned end = count;
    while (end > first && dot_of(p->queue[end - 1]) >= until)
        end--;
    if (end <= first + 1 || !passes_lines(p, dot_of(p->queue[first])))
        return first;
    put_rest_down(p, first, end, second_before(p, end, count));
    return end;
}

/* Those of the line where the state stands in the midst, up to whose end it goes. */
static unsigned put_line_down(struct ppu *p, unsigned count, uint64_t until) {
    const uint64_t next = p->s.time + PPU_DOTS - p->s.dot;
    unsigned end = 0;
    if (p->s.dot == 0 || next >= until)
        return 0;
    while (end < count && dot_of(p->queue[end]) <= next)
        end++;
    put_down(p, 0, end, second_before(p, 0, count));
    ppu_advance(p, next);
    return end;
}

/* ---- putting down while v is followed ---- */

static bool masks(uint64_t entry, bool rendering) {
    return register_of(entry) == 1 && !(entry & MASK_RENDERING) == !rendering;
}
/* From which dot on a write to the mask has its effect. */
static uint64_t masked_from(uint64_t entry) {
    return dot_of(entry) + PPU_MASK_DELAY;
}

/* The last entry before number `end` that switches rendering on for so long that the OAM address
 * behind it does not depend on what it was; `end`: there is none. */
static unsigned last_set_back(const struct ppu *p, unsigned end) {
    unsigned off = end;
    for (unsigned i = end; i-- > 0;) {
        if (masks(p->queue[i], false))
            off = i;
        else if (off < end && masks(p->queue[i], true) &&
                 ppu_oam_set_back(p, masked_from(p->queue[i]), masked_from(p->queue[off])))
            return i;
    }
    return end;
}

/* The OAM address where entry number `end` switches rendering on. */
static uint8_t oam_address_at(struct ppu *p, unsigned end) {
    const unsigned known = last_set_back(p, end);
    uint8_t address = 0;
    uint64_t since = UINT64_MAX; /* rendering is on; UINT64_MAX: it is off */
    if (known == end) {          /* what the write before it did to the mask is done by then */
        ppu_follow_to(p, dot_of(p->queue[0]));
        address = p->follow.oam_address;
        since = p->follow.since == UINT64_MAX ? UINT64_MAX : p->follow.time;
    }
    for (unsigned i = known == end ? 0 : known; i < end; i++) {
        const uint64_t e = p->queue[i];
        if (masks(e, true) && since == UINT64_MAX) {
            since = masked_from(e);
        } else if (masks(e, false) && since != UINT64_MAX) {
            address = ppu_oam_through(p, address, since, masked_from(e));
            since = UINT64_MAX;
        }
    }
    return since == UINT64_MAX ? address
                               : ppu_oam_through(p, address, since, masked_from(p->queue[end]));
}

/* The last entry that switches rendering on some lines before the last one, where v is loaded
 * behind it; *load is the entry that does that. `count`: there is none. */
static unsigned followed_from(const struct ppu *p, unsigned count, unsigned *load) {
    enum { LINES_LEFT = 3 };
    const uint64_t last = dot_of(p->queue[count - 1]);
    bool second = p->s.w; /* behind entry number i */
    unsigned i = count - 1;
    *load = count;
    for (; i > 0; i--) {
        const uint64_t e = p->queue[i];
        if (masks(e, true) && dot_of(e) + LINES_LEFT * PPU_DOTS <= last)
            break;
        if (register_of(e) == 6 && !second)
            *load = i;
        second ^= is_half(register_of(e));
    }
    return i == 0 || *load == count ? count : i;
}

/* All of many entries: puts the last ones down and goes to a line from which on they are enough.
 * False, and nothing is done: there is none. */
static bool put_end_down(struct ppu *p, unsigned count) {
    enum { MANY = 32 };
    unsigned load, first = count < MANY ? count : followed_from(p, count, &load);
    if (first == count)
        return false;
    const struct ppu_registers now = p->now;
    const unsigned log_end = p->log_end;
    const bool second = second_before(p, first + 1, count);
    const uint8_t oam_address = oam_address_at(p, first);
    p->now = registers_behind(p, 0, first + 1, second);
    p->log[p->log_end++] = p->now;
    put_down(p, first + 1, count, second);
    const uint64_t known = dot_of(p->queue[load]) + PPU_V_DELAY;
    if (!ppu_follow_from(p, log_end, oam_address, known, p->now.dot)) {
        p->now = now;
        p->log_end = log_end;
        return false;
    }
    ppu_skip_to(p, &p->follow.fresh);
    p->log_end -= p->log_first;
    memmove(p->log, p->log + p->log_first, p->log_end * sizeof *p->log);
    p->log_first = 0;
    p->follow.next = p->log_end;
    return true;
}

/* ---- all of it ---- */

void ppu_put_queue_down(struct ppu *p) {
    struct ppu_state *s = &p->s;
    const unsigned count = p->queued;
    const uint64_t last = p->queue[count - 1], until = passed_until(p, dot_of(last));
    unsigned done = 0;
    p->queued = 0;
    if (p->follow.on) {
        done = put_end_down(p, count) ? count : 0;
    } else if (dot_of(p->queue[0]) < until) {
        done = put_line_down(p, count, until);
        done = put_lines_down(p, done, count, until);
    }
    if (done < count)
        put_down(p, done, count, second_before(p, done, count));
    p->queue_room = PPU_LOG - p->log_end;
    p->queued_to = 0;
    p->nmi_quiet = 0;
    s->latch = (uint8_t)last;
    s->latch_cycle[0] = s->latch_cycle[1] = s->latch_cycle[2] = last >> PPU_QUEUE_CYCLE;
}
