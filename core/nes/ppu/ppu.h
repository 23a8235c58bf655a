/*
 * ppu: the picture processor (2C02, NTSC). Private to core/nes.
 *
 * Time is the processor's cycle number. Three dots pass in a cycle, at one fixed alignment: dot
 * number i (0 is the first after power-on) happens before the register access of cycle c if and
 * only if i <= 3c, and before the end of cycle c, where the NMI line is sampled, if and only if
 * i <= 3c + 1. Lines are numbered 0-239 (visible), 240, 241-260 (vertical blank) and 261
 * (pre-render); dots 0-340.
 *
 * The PPU is lazy: its state stands at a dot in the past, and catches up when it is accessed. A
 * write that cannot be observed yet is deferred instead (ppu_log.c). Time passes dot by dot where
 * pictures are wanted (ppu_dot.c), in groups of eight dots within a line (ppu_groups.c), and in
 * whole lines and blanks (ppu_line.c). All paths end in the same state, bit for bit;
 * docs/fast-paths.md explains them.
 *
 *     uint64_t d = ppu_status_deadline(p, cycle);   // no $2002 read before d differs from one now
 *     ppu_write(p, 0x2001, 0x1e, cycle);            // every deadline is void now
 *
 * Invariants
 *  - Cycles given to these functions are monotonic, except in const queries.
 *  - After any ppu_read, ppu_write, ppu_sync, board write or load, earlier deadlines are void.
 *  - Writes to $2000, $2001, $2005 and $2006 are ignored from power-on or reset until the first
 *    pre-render line begins, as on the console (NESdev, "PPU power up state"), unless
 *    console.no_warmup.
 */
#ifndef HOTGRAPH_PPU_H
#define HOTGRAPH_PPU_H

#include "nes/board/board.h"

enum { PPU_WIDTH = 256, PPU_HEIGHT = 240, PPU_DOTS = 341, PPU_LINES = 262, PPU_LOG = 1024 };

/* The saved part: plain bytes, no pointers. Call ppu_sync(), then copy it. */
struct ppu_state {
    uint64_t time;      /* dots done since power-on: the next one to do has this number */
    uint16_t line, dot; /* where that dot is */
    bool odd;           /* this frame's pre-render line loses a dot when rendering */
    bool ignore_writes; /* since power-on or reset, until the first pre-render line */

    /* Registers. v, t, x, w as NESdev's "PPU scrolling" names them. */
    bool w;
    uint8_t x;
    uint16_t v, t;
    uint8_t ctrl, mask, status; /* status: bits 7-5 only */
    uint8_t late_status;        /* bits of it that rise with the next dot */
    uint8_t oam_address, read_buffer;
    bool vblank_suppressed; /* $2002 was read on the dot before the flag would have been set */
    /* Writes that act some dots later: number of the first dot that sees it, or UINT64_MAX. */
    uint64_t mask_due, v_due;
    uint64_t data_read_cycle; /* of the last $2007 read */

    /* The bus capacitance: its value, and the cycle in which bits 7-6, 5 and 4-0 were driven. */
    uint64_t latch_cycle[3];
    uint8_t latch;

    uint8_t rendering; /* bits 3-4 of mask as fetches and evaluation see them */

    /* Background: fetched bytes of the tile in work, and the shift registers. */
    uint8_t nt, at, low, high;
    uint16_t shift_low, shift_high, shift_at_low, shift_at_high;

    /* Sprites: evaluation for the next line ... */
    uint8_t evaluation; /* enum in ppu_dot.c */
    uint8_t found;      /* sprites found, 0-8 */
    uint8_t copied;     /* bytes of the sprite being copied */
    uint8_t oam_data;   /* the byte read last */
    bool zero_next;     /* the first one found is sprite 0 */
    /* ... and the eight that show on this one; low and high as shifted out, 0 for none. */
    bool zero_now;
    uint8_t sprite_count; /* of these, all that are not empty */
    struct {
        uint8_t low, high, attributes, x;
    } sprites[8];

    uint8_t secondary[32];
    uint8_t oam[256];
    uint8_t palette[32];
};

/* Registers from dot number `dot` on, and whether the write that made them so loads v or sets the
 * mask, which both take effect some dots later. */
struct ppu_registers {
    uint64_t dot;
    uint16_t t;
    uint8_t x, ctrl, mask;
    bool loads_v, masks;
};

/* Time horizons: what is known to hold before each, in dots unless it says cycle; 0: nothing.
 * docs/fast-paths.md says what sets and what voids each. */
struct ppu_known {
    uint64_t predicted_until;       /* overflow_dot is right */
    uint64_t hit_known_until;       /* hit_dot is right; deferred writes can end it sooner */
    uint64_t hit_dot, overflow_dot; /* where these flags rise; UINT64_MAX: not before that */
    uint64_t idle_until;            /* dots only let time pass, as long as nobody writes to the mask
                                       in the picture */
    uint64_t vblank_stable_until;   /* no dot changes the vblank flag */
    uint64_t plain_until; /* cycle: writes to $2003-$2007 affect only what they write, v, t, w,
                                       x, the bus and status_stable_until */
    uint64_t status_stable_until; /* cycle: reads of $2002 do what the last one did */
    uint64_t board_synced_until;  /* a board that watches the bus has seen these dots */
};

/* What follows from OAM and the sprite height alone. */
struct ppu_sprites_known {
    bool lines;                /* the next two are valid */
    uint8_t crowded_first;     /* the first line with eight sprites or more; PPU_HEIGHT: none */
    uint8_t on_line[256 + 16]; /* sprites on each line, and on what follows the last one */
    bool overflow;             /* the next three are valid */
    uint8_t overflow_from;     /* of the lines from this one on ... */
    uint8_t overflow_line;     /* ... the first that sets overflow (PPU_HEIGHT: none), ... */
    uint16_t overflow_at;      /* ... and its dot */
    bool slots;                /* the next one is valid */
    uint8_t high_slots[PPU_HEIGHT]; /* which tall sprites' patterns on a line are high */
};

/* Deferred register writes: log[first] to before log[end] (ppu_log.c). */
struct ppu_writes {
    uint64_t until;     /* dot before which writes can be deferred ... */
    uint8_t fixed_ctrl; /* ... unless they change one of these bits of $2000 */
    unsigned first, end;
    struct ppu_registers log[PPU_LOG];
};

struct ppu_picture {
    uint16_t *buffers; /* two of 256 x 240, or NULL: no pixels ever */
    uint16_t *wanted;  /* the same while pixels are wanted, else NULL */
    unsigned drawing;  /* the buffer that is being drawn */
    bool begun, whole; /* the current, and the previous picture is drawn from its first line on */
    /* Palette indices of the line being drawn, before masks. */
    uint8_t background[PPU_WIDTH], sprites[PPU_WIDTH];
};

struct ppu {
    struct ppu_state state; /* saved; nothing else of the PPU is */
    struct board *board;    /* borrowed */
    struct nes_console console;
    bool nmi_ignored; /* the last $2000 that turned the NMI on was ignored */
    /* Derived from the state; ppu_loaded() voids it. */
    struct ppu_known known;
    struct ppu_sprites_known sprites_known;
    struct ppu_writes writes;
    struct ppu_picture picture; /* output, no part of the state */
};

/* `pictures`: room for two pictures (2 * 256 * 240), owned by the caller, or NULL: then pixels are
 * wanted from the start. `console`: NULL for the usual one. */
void ppu_init(struct ppu *p, struct board *board, uint16_t *pictures,
              const struct nes_console *console);
/* Power off and on, or the reset button, at the start of cycle `cycle`: line 0, dot 0 (or the one
 * that the console says) comes at once and the first vertical blank 241 lines later. A reset keeps
 * OAM, palette, v and the flags. */
void ppu_power(struct ppu *p, uint64_t cycle);
void ppu_reset(struct ppu *p, uint64_t cycle);
/* `state` was loaded: voids all that is derived from it. */
void ppu_loaded(struct ppu *p);

/* Catches up with the access of cycle `cycle`. Call before the board's pages change, before `state`
 * is saved or read, and before a picture is taken. */
void ppu_sync(struct ppu *p, uint64_t cycle);
/* Catches up as far as a board that watches the bus can tell. Call before a write to it that moves
 * no pages. */
void ppu_show_board(struct ppu *p, uint64_t cycle);
/* Brings the PPU to the start of the frame that has begun before `cycle`, so that ppu_frame_end is
 * certain; cheaper than ppu_sync. */
void ppu_begin_frame(struct ppu *p, uint64_t cycle);
/* An access of the processor in cycle `cycle`; address $2000-$3FFF, mirrored every 8 bytes. */
uint8_t ppu_read(struct ppu *p, uint16_t address, uint64_t cycle);
/* ppu_write() returns false if no line and no deadline has changed, except those of NMI and vblank.
 */
bool ppu_write(struct ppu *p, uint16_t address, uint8_t value, uint64_t cycle);
/* A read of $2002 that gives what the last one gave: true, and its value in *value. False: nothing
 * was done; call ppu_read(). */
static inline bool ppu_reads_again(struct ppu *p, uint64_t cycle, uint8_t *value) {
    if (cycle >= p->known.status_stable_until)
        return false;
    p->state.latch_cycle[0] = p->state.latch_cycle[1] = cycle;
    *value = p->state.latch;
    return true;
}
/* Writes `count` bytes to $2004, the first in cycle `first`, then one every other cycle up to
 * `last`; false, and nothing is done, where more would happen meanwhile than that. */
bool ppu_copies_oam(struct ppu *p, const uint8_t *bytes, unsigned count, uint64_t first,
                    uint64_t last);
/* Whether pixels are wanted from cycle `cycle` on. */
void ppu_draw(struct ppu *p, bool draw, uint64_t cycle);
/* The last picture that was drawn whole before `cycle` (256 x 240, see nes_picture); NULL when
 * there is none. */
const uint16_t *ppu_picture(struct ppu *p, uint64_t cycle);

/* Inspection without side effects: PPU memory at $0000-$3FFF, and the line and dot at the start of
 * `cycle` if nothing accesses the PPU before. */
uint8_t ppu_peek(const struct ppu *p, uint16_t address);
void ppu_place(const struct ppu *p, uint64_t cycle, unsigned *line, unsigned *dot);

/* The last value written to $2000 that was not ignored. */
static inline uint8_t ppu_ctrl(const struct ppu *p) {
    return p->writes.first < p->writes.end ? p->writes.log[p->writes.end - 1].ctrl : p->state.ctrl;
}
/* Level of the NMI output (true: asserted) at the end of cycle `cycle`. */
bool ppu_nmi(struct ppu *p, uint64_t cycle);
/* First cycle at whose end the NMI level could differ from what it is, if nothing touches the PPU;
 * UINT64_MAX: never. */
uint64_t ppu_nmi_deadline(const struct ppu *p);
/* Level of the IRQ output of the board, which may count what it sees on the PPU's bus, at the end
 * of cycle `cycle`; and in *deadline the first cycle at whose end it could differ from what it is,
 * if nothing touches the PPU and the board (UINT64_MAX: never), sometimes early, never late. */
bool ppu_board_irq(struct ppu *p, uint64_t cycle, uint64_t *deadline);
/* Reads of $2002 in cycles from `cycle` on and before this one all give the same value once one of
 * them was made, and have no other effect than that first one. Sometimes early, never late. */
uint64_t ppu_status_deadline(struct ppu *p, uint64_t cycle);
/* Status as the dots before number `until` leave it. The state advances no further than it must. */
uint8_t ppu_status_at(struct ppu *p, uint64_t until);
/* The cycle in which line 241, dot 1 comes next (where the vblank flag is set). */
uint64_t ppu_frame_end(const struct ppu *p);

#endif
