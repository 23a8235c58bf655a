/*
 * bus: everything except plain memory: registers, pads, open bus, DMA, and the interrupt lines; and
 * the page table through which the processor accesses plain memory. Private to core/nes.
 *
 * Members marked "saved" belong to a saved state (run/state.c); the others are derived.
 */
#ifndef HOTGRAPH_BUS_H
#define HOTGRAPH_BUS_H

#include "base/base.h"

struct nes;

enum { RAM_SIZE = 0x800 };

/* Memory as the processor sees it, by page of 256 bytes. */
struct memory {
    const uint8_t *rd[256]; /* NULL: use bus_read() */
    uint8_t *wr[256];       /* NULL: use bus_write() */
    /* An instruction that starts before code_end[page] in this page lies whole in the contiguous
     * memory that begins at rd[page]. NULL where rd is. */
    const uint8_t *code_end[256];
    uint8_t ram[RAM_SIZE]; /* saved */
    uint32_t epoch;        /* changes with every change of the PRG pages */
    uint8_t bus;           /* saved: the value left on the data bus */
};

/* The two pads; all saved. */
struct pads {
    uint8_t buttons[2]; /* held now */
    uint8_t shift[2];
    uint8_t out[2];         /* value of the last read */
    uint64_t read_cycle[2]; /* of the last read: the pad sees reads in adjacent cycles as one */
    bool strobe;            /* as the pads see it */
    bool written;           /* last value written to $4016 bit 0; the pads see it ... */
    uint64_t strobe_cycle;  /* ... from the start of this cycle on */
};

struct dma {
    bool oam_pending; /* saved: a copy to OAM begins with the next read */
    uint8_t oam_page; /* saved */
    uint64_t from;    /* first cycle in which a read is halted */
    /* The value that the processor itself had read when DMA took the bus, for the cycle `cycle`
     * that ends the DMA. */
    struct {
        uint64_t cycle;
        uint8_t value;
    } latch;
};

/* The interrupt lines, and the cycles at whose end each may change. */
struct lines {
    bool nmi_level;   /* saved: as last sampled, see bus_nmi_level() */
    bool nmi_pending; /* saved: an edge not served yet */
    bool irq;         /* saved: true: asserted */
    bool board_irq, apu_irq;
    uint64_t event; /* the earliest of the next three */
    uint64_t nmi_event, board_event, apu_event;
    uint64_t nmi_fall; /* when the asserted NMI line falls by itself */
};

/* Access in cycle `cycle` to a page that is not plain memory, including the changes of the lines at
 * the end of that cycle. */
uint8_t bus_read_at(struct nes *n, uint16_t address, uint64_t cycle);
void bus_write_at(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle);

/* The same for reads of $4016 and $4017 and writes to $4016, which affect no line and no deadline.
 */
uint8_t bus_read_pad(struct nes *n, uint16_t address, uint64_t cycle);
void bus_write_strobe(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle);

/* Access in the current cycle to a page that is not plain memory. */
uint8_t bus_read(struct nes *n, uint16_t address);
void bus_write(struct nes *n, uint16_t address, uint8_t value);
/* Halts the processor, which is about to read `address`, until DMA releases the bus. */
void bus_dma(struct nes *n, uint16_t address);
/* At the boundary after the write that requested a copy to OAM: performs the copy at once, although
 * the chip begins it with the first read of the instruction at pc. Both are the same if nothing
 * observes the boundary between them. Returns false, and does nothing, if a stop, another DMA, a
 * change of a line or an interrupt may come before the copy ends. */
bool bus_copy_first(struct nes *n, uint16_t pc, uint64_t stop);
/* Samples the interrupt lines at the end of the current cycle; computes lines.event and dma.from.
 */
void bus_lines(struct nes *n);
/* Current level of the NMI line, which may have fallen since it was sampled. */
bool bus_nmi_level(const struct nes *n);
/* Call after ppu_begin_frame(): predicts the NMI of the new frame. */
void bus_begin_frame(struct nes *n);
/* Has all lines sampled again at the end of the next cycle. */
void bus_forget_lines(struct nes *n);
/* Passes a written strobe on to the pads if its cycle has come. */
void bus_strobe(struct nes *n);
/* Recomputes rd, wr and code_end from the board. */
void bus_map(struct nes *n);
/* The same after a write to the board; true if they changed. */
bool bus_map_changes(struct nes *n);

#endif
