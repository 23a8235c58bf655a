/*
 * board: the cartridge board as the two buses see it: pages of memory, and the mapper that moves
 * them. Private to core/nes.
 *
 * Memory is read through the pages, without a call. A mapper only writes registers and then
 * recomputes the pages from them (ops->update), so a saved state is the registers and the RAMs, and
 * no pointers.
 *
 * Before a write that reaches a mapper the machine calls ppu_sync() for the cycle of that write,
 * because it may change the PPU's pages.
 */
#ifndef HOTGRAPH_BOARD_H
#define HOTGRAPH_BOARD_H

#include "nes/nes.h"

struct board;

struct mapper_ops {
    unsigned number;
    const char *name;                      /* of the board family */
    uint32_t prg_most, chr_most, ram_most; /* largest sizes, in bytes */
    uint16_t submappers;                   /* bit i: submapper i of NES 2.0 is supported */
    /* PRG pages at $8000 can be switched: code addresses carry the bank. */
    bool banked;
    /* Sets registers to their values at power-on. Required. */
    void (*power)(struct board *b);
    /* Sets all pages from the registers. Required; called after power, write and load. */
    void (*update)(struct board *b);
    /* The processor writes `value` to `address` ($4020-$FFFF, except plain PRG-RAM) in cycle
     * `cycle`. May set `settled` if no page changes. NULL: writes do nothing. */
    void (*write)(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);
    /* Line 12 of the PPU's address bus has risen `times` times, each time after having been low
     * long enough (board_a12). NULL: the mapper does not watch the line. */
    void (*a12_rises)(struct board *b, unsigned times);
    /* Level of the board's IRQ output; and the number of further rises that assert it, 0: it does
     * not change without an access. Both NULL if the board has no IRQ. */
    bool (*irq)(const struct board *b);
    unsigned (*irq_rises)(const struct board *b);
    uint16_t irq_from; /* with a12_rises: writes below this address do not affect the IRQ */
};
/* NULL when the mapper is unknown. */
const struct mapper_ops *mapper_find(unsigned number);
/* The mappers by number; NULL after the last one. */
const struct mapper_ops *mapper_at(size_t index);

/* Saved, like prg_ram and chr_ram below. */
struct board_state {
    uint8_t regs[64];       /* the mapper's own, laid out as it likes */
    uint64_t clock;         /* a mapper's time stamp; with a12_rises that of board_a12() */
    uint8_t mirroring;      /* enum mirroring */
    uint8_t vram[4 * 1024]; /* nametables: 2 KiB in the console, the rest on four-screen boards */
};

struct board {
    /* Pages that the buses read. Never NULL, except where noted. */
    const uint8_t *prg[4]; /* 8 KiB pages at $8000, $A000, $C000, $E000 */
    uint32_t prg_bank[4];  /* number of each 8 KiB bank, for code addresses of banked boards */
    bool banked;
    uint8_t *ram;       /* 8 KiB PRG-RAM page at $6000; NULL: open bus */
    bool ram_read_only; /* writes to it are ignored */
    bool ram_watched;   /* writes to it also reach the mapper */
    uint8_t *chr[8];    /* 1 KiB pages at PPU $0000-$1FFF; write only where chr_writable */
    bool chr_writable;
    uint8_t *nt[4]; /* 1 KiB nametable pages at PPU $2000, $2400, $2800, $2C00; writable */
    bool settled;   /* the last write has left all pages unchanged */

    const struct mapper_ops *ops;
    const struct cartridge *cartridge; /* borrowed */

    struct board_state state;
    uint8_t *prg_ram; /* NULL when the cartridge has none */
    size_t prg_ram_size;
    uint8_t *chr_ram; /* NULL when CHR is ROM */
    size_t chr_ram_size;
};

/* Builds the board of a cartridge, powered on. STATUS_UNSUPPORTED, naming file and mapper, if the
 * mapper is unknown. Call board_free() also after a failure. */
enum status board_init(struct board *b, const struct cartridge *c, struct error *e);
void board_free(struct board *b);
/* Power off and on: registers, nametables and the RAMs to their power-on values (all zero). */
void board_power(struct board *b);
/* Recomputes the pages after `state` was loaded. */
void board_loaded(struct board *b);
/* A write of the processor to $4020-$FFFF in cycle `cycle`. */
void board_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);

/* The page at $6000 if writes to it bypass the board; NULL: none does. */
static inline uint8_t *board_ram_writable(const struct board *b) {
    return b->ram_read_only || b->ram_watched ? NULL : b->ram;
}

/* ---- line 12 of the PPU's address bus, for boards with a12_rises ----
 *
 * Such a board counts a rise only if the line was low at three or more falls of the processor's
 * clock, which falls once every three dots. So it counts one rise in each picture line instead of
 * one in each tile (NESdev, "MMC3"). */

enum { A12_FALLS = 3 };
#define A12_HIGH UINT64_MAX

/* The line has `level` from dot number `dot` on; *fell is the dot at which it fell, or A12_HIGH.
 * True if this is a rise that counts. */
static inline bool a12_counts(uint64_t *fell, bool level, uint64_t dot) {
    const uint64_t since = *fell;
    if (!level) {
        *fell = since == A12_HIGH ? dot : since;
        return false;
    }
    *fell = A12_HIGH; /* the falls of the clock in cycle c lie between dots 3c + 1 and 3c + 2 */
    return since != A12_HIGH && (dot + 1) / 3 - (since + 1) / 3 >= A12_FALLS;
}

static inline void board_a12(struct board *b, bool level, uint64_t dot) {
    if (a12_counts(&b->state.clock, level, dot))
        b->ops->a12_rises(b, 1);
}

/* ---- for mappers: map bank `bank` (modulo the number of banks) into a window ---- */

/* Number of 8 KiB banks of PRG. */
uint32_t board_prg_banks(const struct board *b);
/* The value that the chip receives when `value` is written to `address` on a board with bus
 * conflicts. */
uint8_t board_conflict(const struct board *b, uint16_t address, uint8_t value);
void board_prg8(struct board *b, unsigned slot, uint32_t bank);
void board_prg16(struct board *b, unsigned slot, uint32_t bank);
void board_prg32(struct board *b, uint32_t bank);
void board_chr1(struct board *b, unsigned slot, uint32_t bank);
void board_chr4(struct board *b, unsigned slot, uint32_t bank);
void board_chr8(struct board *b, uint32_t bank);
/* Maps an 8 KiB bank of PRG-RAM at $6000; nothing if there is no PRG-RAM. */
void board_ram8(struct board *b, uint32_t bank);
/* Sets the nametable pages from state.mirroring. */
void board_mirror(struct board *b);

#endif
