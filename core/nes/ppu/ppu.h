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

/* Effects of the next dots that only single dots know (ppu_dot.c); all 0 but in rare moments. */
struct ppu_odd {
    uint8_t corrupt_row; /* row of OAM that the next rendered dot overwrites with row 0; 0: none */
    bool late_sprites;   /* the pre-render line was a dot short: column 0 shows all units */
    bool data_due;       /* a read of $2007 while fetching will fill the read buffer, ... */
    uint8_t data_bus;    /* ... and this is the last byte fetched since */
};

/* The saved part: plain bytes, no pointers. Call ppu_sync(), then copy it. */
struct ppu_state {
    uint64_t time;      /* dots done since power-on, which is the number of the next dot */
    uint16_t line, dot; /* position of that dot */
    bool odd;           /* this frame's pre-render line loses a dot when rendering */
    bool ignore_writes; /* since power-on or reset, until the first pre-render line */

    /* Registers. v, t, x, w as NESdev's "PPU scrolling" names them. */
    bool w;
    uint8_t x;
    uint16_t v, t;
    uint8_t ctrl, mask, status; /* status: bits 7-5 only */
    uint8_t late_status;        /* bits of it that rise with the next dot */
    uint8_t oam_address, read_buffer;
    bool vblank_suppressed; /* $2002 was read in the dot before the flag would have risen */
    /* Delayed effects of writes: number of the first dot affected, or UINT64_MAX. */
    uint64_t mask_due, v_due;
    uint64_t data_read_cycle; /* of the last $2007 read */

    /* The bus capacitance: its value, and the cycle in which bits 7-6, 5 and 4-0 were driven. */
    uint64_t latch_cycle[3];
    uint8_t latch;

    struct ppu_odd odd_dots;
    uint8_t rendering; /* bits 3-4 of mask as fetches and evaluation see them */

    /* Background: the bytes fetched for the current tile, and the shift registers. */
    uint8_t nt, at, low, high;
    uint16_t shift_low, shift_high, shift_at_low, shift_at_high;

    /* Sprites: evaluation for the next line ... */
    uint8_t evaluation; /* enum in ppu_dot.c */
    uint8_t found;      /* sprites found, 0-8 */
    uint8_t copied;     /* bytes of the sprite being copied */
    uint8_t oam_data;   /* last byte read */
    bool zero_next;     /* the first one found is sprite 0 */
    /* ... and the units that show this line's: low and high are shifted out from column x on. All
     * is 0 in an empty one. */
    bool zero_now;
    struct {
        uint8_t low, high, attributes;
        uint16_t x;
    } sprites[8];

    uint8_t secondary[32];
    uint8_t oam[256];
    uint8_t palette[32];
};

/* Registers from dot number `dot` on. loads_v, masks: the write loads v or sets the mask, which
 * both take effect some dots later. */
struct ppu_registers {
    uint64_t dot;
    uint16_t t;
    uint8_t x, ctrl, mask;
    bool loads_v, masks;
};

/* Time horizons: what is known to hold before each, in dots unless a cycle is stated; 0: nothing.
 * docs/fast-paths.md describes what sets and what voids each. */
struct ppu_known {
    uint64_t predicted_until;       /* overflow_dot is right */
    uint64_t hit_known_until;       /* hit_dot is right; deferred writes can end it sooner */
    uint64_t hit_dot, overflow_dot; /* where these flags rise; UINT64_MAX: not before the horizon */
    uint64_t idle_until;            /* dots only let time pass until a write to the mask in the
                                       picture */
    uint64_t vblank_stable_until;   /* no dot changes the vblank flag */
    uint64_t plain_until; /* cycle: writes to $2003-$2007 affect only their target, v, t, w, x, the
                             bus and status_stable_until */
    uint64_t status_stable_until; /* cycle: reads of $2002 do what the last one did */
    uint64_t board_synced_until;  /* a board that watches the bus has seen these dots */
};

/* Facts that depend only on OAM and the sprite height. */
struct ppu_sprites_known {
    bool lines;                /* the next two are valid */
    uint8_t crowded_first;     /* the first line with eight sprites or more; PPU_HEIGHT: none */
    uint8_t on_line[256 + 16]; /* number of sprites on each line, with padding */
    bool overflow;             /* the next three are valid */
    uint8_t overflow_from;     /* of the lines from this one on ... */
    uint8_t overflow_line;     /* ... the first that sets overflow (PPU_HEIGHT: none), ... */
    uint16_t overflow_at;      /* ... and its dot */
    bool slots;                /* the next one is valid */
    uint8_t high_slots[PPU_HEIGHT]; /* of each line: bit set if the slot's pattern of a tall sprite
                                       is high */
};

/* Deferred register writes: log[first] to log[end - 1] (ppu_log.c). */
struct ppu_writes {
    uint64_t until;     /* dot before which writes can be deferred ... */
    uint8_t fixed_ctrl; /* ... unless they change one of these bits of $2000 */
    unsigned first, end;
    struct ppu_registers log[PPU_LOG];
};

struct ppu_picture {
    uint16_t *buffers; /* two of 256 x 240, or NULL: no pixels ever */
    uint16_t *wanted;  /* buffers while pixels are wanted, else NULL */
    unsigned drawing;  /* the buffer that is being drawn */
    bool begun, whole; /* the current, and the previous picture was drawn from its first line on */
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

/* `pictures`: room for two pictures (2 * 256 * 240), owned by the caller; pixels are wanted from
 * the start. NULL: never. `console`: NULL for the usual one. */
void ppu_init(struct ppu *p, struct board *board, uint16_t *pictures,
              const struct nes_console *console);
/* Turns power off and on, or presses the reset button, at the start of cycle `cycle`. Line 0, dot 0
 * (or the console's alignment) comes at once and the first vertical blank 241 lines later. A reset
 * keeps OAM, palette, v and the flags. */
void ppu_power(struct ppu *p, uint64_t cycle);
void ppu_reset(struct ppu *p, uint64_t cycle);
/* Call after loading `state`: voids everything derived from it. */
void ppu_loaded(struct ppu *p);

/* Catches up with the access of cycle `cycle`. Call before the board's pages change, before `state`
 * is saved or read, and before a picture is taken. */
void ppu_sync(struct ppu *p, uint64_t cycle);
/* Catches up only as far as a board that watches the bus can observe. Call before a write to it
 * that switches no pages. */
void ppu_show_board(struct ppu *p, uint64_t cycle);
/* Brings the PPU to the start of the frame that has begun before `cycle`, which makes
 * ppu_frame_end() exact; cheaper than ppu_sync(). */
void ppu_begin_frame(struct ppu *p, uint64_t cycle);
/* An access of the processor in cycle `cycle`; address $2000-$3FFF, mirrored every 8 bytes. */
uint8_t ppu_read(struct ppu *p, uint16_t address, uint64_t cycle);
/* ppu_write() returns false if no line and no deadline has changed, except those of NMI and vblank.
 */
bool ppu_write(struct ppu *p, uint16_t address, uint8_t value, uint64_t cycle);
/* Repeats a read of $2002 with an unchanged result: true, and the value in *value. False: nothing
 * was done; call ppu_read(). */
static inline bool ppu_reads_again(struct ppu *p, uint64_t cycle, uint8_t *value) {
    if (cycle >= p->known.status_stable_until)
        return false;
    p->state.latch_cycle[0] = p->state.latch_cycle[1] = cycle;
    *value = p->state.latch;
    return true;
}
/* Writes `count` bytes to $2004, the first in cycle `first`, then one every other cycle up to
 * `last`. False, and nothing is done, if anything else would happen meanwhile. */
bool ppu_copies_oam(struct ppu *p, const uint8_t *bytes, unsigned count, uint64_t first,
                    uint64_t last);
/* Turns pixels on or off from cycle `cycle` on. */
void ppu_draw(struct ppu *p, bool draw, uint64_t cycle);
/* The last complete picture before `cycle` (256 x 240, see nes_picture()); NULL: none. */
const uint16_t *ppu_picture(struct ppu *p, uint64_t cycle);

/* Inspection without side effects: PPU memory at $0000-$3FFF, and the line and dot at the start of
 * `cycle` if nothing accesses the PPU before. */
uint8_t ppu_peek(const struct ppu *p, uint16_t address);
void ppu_place(const struct ppu *p, uint64_t cycle, unsigned *line, unsigned *dot);

/* The last value written to $2000, except ignored ones. */
static inline uint8_t ppu_ctrl(const struct ppu *p) {
    return p->writes.first < p->writes.end ? p->writes.log[p->writes.end - 1].ctrl : p->state.ctrl;
}
/* Level of the NMI output (true: asserted) at the end of cycle `cycle`. */
bool ppu_nmi(struct ppu *p, uint64_t cycle);
/* First cycle at whose end the NMI level could change without an access to the PPU; UINT64_MAX:
 * never. */
uint64_t ppu_nmi_deadline(const struct ppu *p);
/* Level of the board's IRQ output at the end of cycle `cycle`. *deadline becomes the first cycle at
 * whose end it could change without an access to the PPU and the board (UINT64_MAX: never);
 * sometimes early, never late. */
bool ppu_board_irq(struct ppu *p, uint64_t cycle, uint64_t *deadline);
/* Before this cycle, all reads of $2002 from `cycle` on return the same value after the first one,
 * and have no further effect. Sometimes early, never late. */
uint64_t ppu_status_deadline(struct ppu *p, uint64_t cycle);
/* Status after the dots before number `until`. The state advances only as far as necessary. */
uint8_t ppu_status_at(struct ppu *p, uint64_t until);
/* The cycle of the next line 241, dot 1 (where the vblank flag rises). */
uint64_t ppu_frame_end(const struct ppu *p);

#endif
