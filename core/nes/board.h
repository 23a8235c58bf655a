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
    /* PRG pages at $8000 can be switched: code addresses carry the bank. */
    bool banked;
    /* Registers to their values at power-on. Required. */
    void (*power)(struct board *b);
    /* All pages from the registers. Required; the board calls it after power, write and a load. */
    void (*update)(struct board *b);
    /* The processor writes `value` to `address` ($6000-$FFFF, but not plain PRG-RAM) in cycle
     * `cycle`. NULL: writes do nothing. */
    void (*write)(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);
    /* The PPU puts `address` (14 bits) on its bus; `dot` counts PPU dots, 3 a cycle. NULL for
     * mappers that do not look: only a mapper that has it makes the PPU go dot by dot. */
    void (*ppu_address)(struct board *b, uint16_t address, uint64_t dot);
    /* Level of the board's IRQ output at the end of cycle `cycle`, and the next cycle at whose end
     * it could change untouched (UINT64_MAX: never). Both NULL for mappers without. */
    bool (*irq)(const struct board *b, uint64_t cycle);
    uint64_t (*irq_deadline)(const struct board *b);
};
extern const struct mapper_ops mapper_nrom;
/* NULL when the mapper is unknown. */
const struct mapper_ops *mapper_find(unsigned number);

/* The saved part, together with prg_ram and chr_ram below. */
struct board_state {
    uint8_t regs[64];       /* the mapper's own, laid out as it likes */
    uint64_t clock;         /* a mapper's time stamp, where it needs one */
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
    uint8_t *chr[8];    /* 1 KiB pages at PPU $0000-$1FFF; write only where chr_writable */
    bool chr_writable;
    uint8_t *nt[4]; /* 1 KiB nametable pages at PPU $2000, $2400, $2800, $2C00; writable */

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
/* A write of the processor to $6000-$FFFF in cycle `cycle`. */
void board_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle);
bool board_irq(const struct board *b, uint64_t cycle);
uint64_t board_irq_deadline(const struct board *b);

/* ---- for mappers: put bank `bank` (modulo what is there) into a window ---- */

void board_prg8(struct board *b, unsigned slot, uint32_t bank);
void board_prg16(struct board *b, unsigned slot, uint32_t bank);
void board_prg32(struct board *b, uint32_t bank);
void board_chr1(struct board *b, unsigned slot, uint32_t bank);
void board_chr4(struct board *b, unsigned slot, uint32_t bank);
void board_chr8(struct board *b, uint32_t bank);
/* Nametable pages from state.mirroring. */
void board_mirror(struct board *b);

#endif
