/*
 * board: the cartridge board as the two buses see it: pages of memory, and the mapper that moves
 * them. Private to core/nes.
 *
 * Whoever reads memory does it through the pages, without a call. A mapper only writes registers
 * and then recomputes pages from them (ops->update), so a state is the registers and the RAMs, and
 * never a pointer.
 *
 * Before a write that reaches a mapper the machine calls ppu_sync() for the cycle of that write:
 * after it the PPU may see other pages.
 */
#ifndef HOTGRAPH_BOARD_H
#define HOTGRAPH_BOARD_H

#include "nes/nes.h"

struct board;

struct mapper_ops {
    unsigned number;
    const char *name;                      /* of the board family */
    uint32_t prg_most, chr_most, ram_most; /* bytes that it can address */
    uint16_t submappers;                   /* bit i: submapper i of NES 2.0 is known */
    /* PRG pages at $8000 can be switched: code addresses carry the bank. */
    bool banked;
    /* Registers to their values at power-on. Required. */
    void (*power)(struct board *b);
    /* All pages from the registers. Required; the board calls it after power, write and a load. */
    void (*update)(struct board *b);
    /* The processor writes `value` to `address` ($4020-$FFFF, but not plain PRG-RAM) in cycle
     * `cycle`. May set `settled` where no page changes. NULL: writes do nothing. */
    void (*write)(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);
    /* Line 12 of the PPU's address bus has risen `times` times, each after it was low for some time
     * (board_a12). NULL for mappers that do not look. */
    void (*a12_rises)(struct board *b, unsigned times);
    /* Level of the board's IRQ output, and how many more rises will assert it; 0: it
     * does not change untouched. Both NULL for mappers without. */
    bool (*irq)(const struct board *b);
    unsigned (*irq_rises)(const struct board *b);
    uint16_t irq_from; /* with a12_rises: writes below this address have nothing to do with the IRQ
                        */
};
/* NULL when the mapper is unknown. */
const struct mapper_ops *mapper_find(unsigned number);
/* All there are, by number; NULL behind the last. */
const struct mapper_ops *mapper_at(size_t index);

/* The saved part, together with prg_ram and chr_ram below. */
struct board_state {
    uint8_t regs[64];       /* the mapper's own, laid out as it likes */
    uint64_t clock;         /* a mapper's time stamp; with a12_rises board_a12's */
    uint8_t mirroring;      /* enum mirroring */
    uint8_t vram[4 * 1024]; /* nametables: 2 KiB in the console, the rest on four-screen boards */
};

struct board {
    /* What the buses read. Never NULL unless said so. */
    const uint8_t *prg[4]; /* 8 KiB pages at $8000, $A000, $C000, $E000 */
    uint32_t prg_bank[4];  /* number of the 8 KiB bank in each; code addresses of banked boards */
    bool banked;
    uint8_t *ram;       /* 8 KiB PRG-RAM page at $6000; NULL: open bus */
    bool ram_read_only; /* writes to it are lost */
    bool ram_watched;   /* writes to it reach the mapper too */
    uint8_t *chr[8];    /* 1 KiB pages at PPU $0000-$1FFF; write only where chr_writable */
    bool chr_writable;
    uint8_t *nt[4]; /* 1 KiB nametable pages at PPU $2000, $2400, $2800, $2C00; writable */
    bool settled;   /* the last write has left all pages as they were */

    const struct mapper_ops *ops;
    const struct cartridge *cartridge; /* borrowed */

    struct board_state state;
    uint8_t *prg_ram; /* NULL when the cartridge has none */
    size_t prg_ram_size;
    uint8_t *chr_ram; /* NULL when CHR is ROM */
    size_t chr_ram_size;
};

/* Builds the board of a cartridge, powered on; STATUS_UNSUPPORTED, naming file and mapper, when
 * there is no such mapper. board_free releases it, also after a failure. */
enum status board_init(struct board *b, const struct cartridge *c, struct error *e);
void board_free(struct board *b);
/* Power off and on: registers, nametables and the RAMs to their power-on values (all zero). */
void board_power(struct board *b);
/* Recomputes the pages after `state` was loaded. */
void board_loaded(struct board *b);
/* A write of the processor to $4020-$FFFF in cycle `cycle`. */
void board_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);

/* Where the page at $6000 takes writes without the board being asked; NULL: nowhere. */
static inline uint8_t *board_ram_writable(const struct board *b) {
    return b->ram_read_only || b->ram_watched ? NULL : b->ram;
}

/* ---- line 12 of the PPU's address bus, for boards with a12_rises ----
 *
 * Such a board counts a rise only when the line was low at three or more falls of the processor's
 * clock, one after every third dot: so it sees one rise a line, and not one a tile (NESdev,
 * "MMC3"). */

enum { A12_FALLS = 3 };
#define A12_HIGH UINT64_MAX

/* The line has `level` from dot number `dot` on; *fell is the dot at which it fell, or A12_HIGH.
 * True when this is a rise that counts. */
static inline bool a12_counts(uint64_t *fell, bool level, uint64_t dot) {
    const uint64_t since = *fell;
    if (!level) {
        *fell = since == A12_HIGH ? dot : since;
        return false;
    }
    *fell = A12_HIGH; /* the falls of cycle c lie between dots 3c + 1 and 3c + 2 */
    return since != A12_HIGH && (dot + 1) / 3 - (since + 1) / 3 >= A12_FALLS;
}

static inline void board_a12(struct board *b, bool level, uint64_t dot) {
    if (a12_counts(&b->state.clock, level, dot))
        b->ops->a12_rises(b, 1);
}

/* ---- for mappers: put bank `bank` (modulo what is there) into a window ---- */

/* How many 8 KiB banks of PRG there are. */
uint32_t board_prg_banks(const struct board *b);
/* What the chip sees of `value`, written to `address`, on a board where PRG drives the bus too. */
uint8_t board_conflict(const struct board *b, uint16_t address, uint8_t value);
void board_prg8(struct board *b, unsigned slot, uint32_t bank);
void board_prg16(struct board *b, unsigned slot, uint32_t bank);
void board_prg32(struct board *b, uint32_t bank);
void board_chr1(struct board *b, unsigned slot, uint32_t bank);
void board_chr4(struct board *b, unsigned slot, uint32_t bank);
void board_chr8(struct board *b, uint32_t bank);
/* The 8 KiB bank of PRG-RAM at $6000; none where there is no PRG-RAM. */
void board_ram8(struct board *b, uint32_t bank);
/* Nametable pages from state.mirroring. */
void board_mirror(struct board *b);

#endif
