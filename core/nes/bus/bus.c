/* Everything except plain memory: registers, pads, open bus, DMA, and the interrupt lines. */
#include <string.h>

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"
#include "nes/machine/machine.h"

enum {
    PPU_STATUS = 2, /* one of the PPU's eight registers */
    NMI_ON = 0x80,  /* bit of $2000 */
    VBLANK = 0x80,  /* bit of $2002 */
    PPU_OAM_DATA = 0x2004,
    OAM_DMA = 0x4014,
    APU_STATUS = 0x4015,
    PAD_1 = 0x4016,
    PAD_2 = 0x4017
};

/* A lower bound for the cycles from the fall of the NMI line with the vblank flag, or from any dot
 * of the picture's first line, to the next rise. */
enum { PICTURE = 27000 };

/* The line is not sampled when it falls by itself, on the pre-render line: only its next rise
 * matters, which bus_begin_frame() predicts. */
static void nmi_line(struct nes *n) {
    const bool level = ppu_nmi(&n->ppu, n->cpu.cycle);
    n->lines.nmi_pending |= level && !(n->lines.nmi_level && n->cpu.cycle <= n->lines.nmi_fall);
    n->lines.nmi_level = level;
    const uint64_t next = ppu_nmi_deadline(&n->ppu);
    n->lines.nmi_fall = level ? next : NEVER;
    n->lines.nmi_event = level ? next + PICTURE : next;
}

static void next_event(struct nes *n) {
    n->lines.event = earlier(n->lines.nmi_event, earlier(n->lines.apu_event, n->lines.board_event));
}

bool bus_nmi_level(const struct nes *n) {
    return n->lines.nmi_level && n->cpu.cycle <= n->lines.nmi_fall;
}

void bus_begin_frame(struct nes *n) {
    if (n->lines.nmi_event == 0 || bus_nmi_level(n))
        return;
    n->lines.nmi_level = false;
    n->lines.nmi_event = ppu_nmi_deadline(&n->ppu);
    next_event(n);
}

static void board_line(struct nes *n) {
    n->lines.board_irq = ppu_board_irq(&n->ppu, n->cpu.cycle, &n->lines.board_event);
}

static void apu_line(struct nes *n) {
    n->lines.apu_irq = apu_irq(&n->apu, n->cpu.cycle);
    n->lines.apu_event = apu_irq_deadline(&n->apu);
    n->dma.from = n->dma.oam_pending ? 0 : apu_dmc_deadline(&n->apu);
}

void bus_lines(struct nes *n) {
    if (n->cpu.cycle >= n->lines.nmi_event)
        nmi_line(n);
    if (n->cpu.cycle >= n->lines.board_event)
        board_line(n);
    if (n->cpu.cycle >= n->lines.apu_event)
        apu_line(n);
    n->lines.irq = n->lines.apu_irq || n->lines.board_irq;
    next_event(n);
}

void bus_forget_lines(struct nes *n) {
    n->lines.nmi_fall = NEVER;
    n->lines.event = n->lines.nmi_event = n->lines.board_event = n->lines.apu_event = 0;
}

/* A device was accessed: its published events are void, and its lines may have changed. */
static void touched_ppu(struct nes *n, bool nmi) {
    if (nmi)
        n->lines.event = n->lines.nmi_event = 0;
    if (n->board.ops->irq)
        n->lines.event = n->lines.board_event = 0;
}

/* True if the write may affect the NMI. $2001 may make the frame a dot longer at the end of the
 * pre-render line, if that comes before the NMI line changes. */
static bool moves_nmi(const struct nes *n, uint16_t address, uint8_t value) {
    const uint64_t next = n->lines.nmi_event;
    switch (address & 7) {
    case 0:
        return (ppu_ctrl(&n->ppu) ^ value) & NMI_ON;
    case 1:
        return next != NEVER && next - n->cpu.cycle > PICTURE && !bus_nmi_level(n);
    default:
        return false;
    }
}

static void touched_apu(struct nes *n) {
    n->lines.event = n->lines.apu_event = 0;
}

/* ---- pads: official ones, which return 1 after the eighth button ---- */

static void settle_strobe(struct pads *pads, uint64_t cycle) {
    if (cycle < pads->strobe_cycle)
        return;
    pads->strobe_cycle = NEVER;
    if (pads->strobe && !pads->written)
        for (unsigned port = 0; port < 2; port++)
            pads->shift[port] = pads->buttons[port];
    pads->strobe = pads->written;
}

static uint8_t read_pad(struct pads *pads, unsigned port, uint64_t cycle) {
    settle_strobe(pads, cycle);
    const bool again = cycle == pads->read_cycle[port] + 1;
    pads->read_cycle[port] = cycle;
    if (pads->strobe)
        pads->shift[port] = pads->buttons[port];
    if (!again) {
        pads->out[port] = pads->shift[port] & 1;
        if (!pads->strobe)
            pads->shift[port] = pads->shift[port] >> 1 | 0x80;
    }
    return pads->out[port];
}

void bus_strobe(struct nes *n) {
    settle_strobe(&n->pads, n->cpu.cycle);
}

/* The 2A03 outputs the strobe at the end of a get cycle (NESdev, "Controller reading"). */
void bus_write_strobe(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle) {
    (void)address;
    settle_strobe(&n->pads, cycle);
    n->pads.written = value & 1;
    n->pads.strobe_cycle = cycle + 1 + cycle % 2;
}

/* ---- accesses ---- */

/* Reads a register inside the 2A03; *driven becomes the bits that it drives. */
static uint8_t read_internal(struct nes *n, uint16_t address, uint8_t *driven) {
    *driven = 0;
    if (address == APU_STATUS) {
        touched_apu(n);
        *driven = 0xff;
        return apu_read(&n->apu, address, n->cpu.cycle,
                        n->dma.latch.cycle == n->cpu.cycle ? n->dma.latch.value : n->memory.bus);
    }
    if (address == PAD_1 || address == PAD_2) {
        *driven = 0x1f;
        return read_pad(&n->pads, address - PAD_1, n->cpu.cycle);
    }
    return 0;
}

/* A read of the status affects the NMI if the vblank flag is set or about to rise. */
static uint8_t read_ppu(struct nes *n, uint16_t address) {
    if ((address & 7) != PPU_STATUS) {
        touched_ppu(n, false);
        return ppu_read(&n->ppu, address, n->cpu.cycle);
    }
    uint8_t value;
    if (ppu_reads_again(&n->ppu, n->cpu.cycle, &value))
        return value;
    value = ppu_read(&n->ppu, address, n->cpu.cycle);
    touched_ppu(n, value & VBLANK || n->ppu.state.vblank_suppressed);
    return value;
}

uint8_t bus_read(struct nes *n, uint16_t address) {
    if (address < 0x4000)
        return n->memory.bus = read_ppu(n, address);
    uint8_t driven;
    const uint8_t value = read_internal(n, address, &driven);
    if (address == APU_STATUS)
        return value; /* a read inside the chip leaves the bus unchanged */
    return n->memory.bus = (n->memory.bus & ~driven) | (value & driven);
}

/* The board's pages on the PPU's bus. */
struct ppu_pages {
    uint8_t *chr[8], *nt[4];
};

static struct ppu_pages ppu_pages(const struct board *b) {
    struct ppu_pages pages;
    memcpy(pages.chr, b->chr, sizeof pages.chr);
    memcpy(pages.nt, b->nt, sizeof pages.nt);
    return pages;
}

static void set_ppu_pages(struct board *b, const struct ppu_pages *pages) {
    memcpy(b->chr, pages->chr, sizeof pages->chr);
    memcpy(b->nt, pages->nt, sizeof pages->nt);
}

/* True if the write may affect the board's IRQ. Other writes only switch banks, which neither
 * asserts nor clears it. */
static bool concerns_irq(const struct board *b, uint16_t address) {
    return b->ops->irq && address >= b->ops->irq_from;
}

/* If the write changes pages that the PPU sees, the PPU first catches up with the old pages. */
static void write_under_ppu(struct nes *n, uint16_t address, uint8_t value) {
    struct board *b = &n->board;
    if (concerns_irq(b, address)) {
        ppu_show_board(&n->ppu, n->cpu.cycle);
        board_write(b, address, value, n->cpu.cycle);
        return;
    }
    const struct ppu_pages before = ppu_pages(b);
    board_write(b, address, value, n->cpu.cycle);
    if (b->settled)
        return;
    const struct ppu_pages after = ppu_pages(b);
    if (!memcmp(&before, &after, sizeof before))
        return;
    set_ppu_pages(b, &before);
    ppu_sync(&n->ppu, n->cpu.cycle);
    set_ppu_pages(b, &after);
}

static void write_board(struct nes *n, uint16_t address, uint8_t value) {
    write_under_ppu(n, address, value);
    if (concerns_irq(&n->board, address))
        n->lines.event = n->lines.board_event = 0;
    if (!n->board.settled && bus_map_changes(n))
        n->memory.epoch++;
}

void bus_write(struct nes *n, uint16_t address, uint8_t value) {
    n->memory.bus = value;
    if (address >= 0x4020) {
        write_board(n, address, value);
    } else if (address < 0x4000) {
        const bool nmi = moves_nmi(n, address, value);
        if (ppu_write(&n->ppu, address, value, n->cpu.cycle) || nmi)
            touched_ppu(n, nmi);
    } else if (address == OAM_DMA) {
        n->dma.oam_pending = true;
        n->dma.oam_page = value;
        n->dma.from = 0;
    } else if (address == PAD_1) {
        bus_write_strobe(n, address, value, n->cpu.cycle);
    } else if (address <= 0x4017 && apu_write(&n->apu, address, value, n->cpu.cycle)) {
        touched_apu(n);
    }
}

static void end_cycle(struct nes *n) {
    if (n->cpu.cycle >= n->lines.event)
        bus_lines(n);
    n->cpu.cycle++;
}

uint8_t bus_read_at(struct nes *n, uint16_t address, uint64_t cycle) {
    n->cpu.cycle = cycle;
    const uint8_t value = bus_read(n, address);
    end_cycle(n);
    return value;
}

uint8_t bus_read_pad(struct nes *n, uint16_t address, uint64_t cycle) {
    n->memory.bus =
        (uint8_t)((address >> 8 & ~0x1f) | (read_pad(&n->pads, address - PAD_1, cycle) & 0x1f));
    return n->memory.bus;
}

void bus_write_at(struct nes *n, uint16_t address, uint8_t value, uint64_t cycle) {
    n->cpu.cycle = cycle;
    bus_write(n, address, value);
    end_cycle(n);
}

/* ---- DMA (NESdev, "DMA") ---- */

static uint8_t read_memory(struct nes *n, uint16_t address) {
    const uint8_t *page = n->memory.rd[address >> 8];
    return page ? (n->memory.bus = page[address & 0xff]) : bus_read(n, address);
}

/* A read by the DMA unit. The registers at $4000-$401F respond only while the halted processor's
 * own address is in that range, and decode only the low five bits of the DMA's address. */
static uint8_t dma_read(struct nes *n, uint16_t address, uint16_t halted) {
    if ((address & 0xffe0) != 0x4000)
        n->memory.bus = read_memory(n, address);
    if ((halted & 0xffe0) != 0x4000)
        return n->memory.bus;
    uint8_t driven;
    const uint16_t internal = 0x4000 | (address & 0x1f);
    const uint8_t value = read_internal(n, internal, &driven);
    if (internal == APU_STATUS)
        return value;
    return n->memory.bus = (n->memory.bus & ~driven) | (value & driven);
}

struct oam_copy {
    bool running;
    bool full; /* a byte was read and waits to be written */
    uint8_t value;
    unsigned index;
};

static void oam_read(struct nes *n, struct oam_copy *copy, uint16_t halted) {
    copy->value = dma_read(n, (uint16_t)(n->dma.oam_page << 8 | copy->index), halted);
    copy->full = true;
}

static void oam_write(struct nes *n, struct oam_copy *copy) {
    bus_write(n, PPU_OAM_DATA, copy->value);
    copy->full = false;
    if (++copy->index == 256)
        copy->running = n->dma.oam_pending = false;
}

/* Copies at once all bytes that fit before the next sample fetch and the next change of a line; the
 * first is read in this cycle. False, and nothing is done, unless the halted processor and the copy
 * read plain memory and the PPU is idle. */
static bool oam_at_once(struct nes *n, struct oam_copy *copy, uint16_t halted) {
    enum { FEW = 8 };
    const uint8_t *page = n->memory.rd[n->dma.oam_page];
    const uint64_t end = earlier(n->lines.event, apu_dmc_deadline(&n->apu));
    const uint64_t room = end > n->cpu.cycle ? (end - n->cpu.cycle) / 2 : 0;
    const unsigned count = (unsigned)earlier(room, 256 - copy->index);
    const uint64_t last = n->cpu.cycle + 2 * count - 1;
    if (n->made.options.no_fast || !page || !n->memory.rd[halted >> 8] || count < FEW ||
        !ppu_copies_oam(&n->ppu, page + copy->index, count, n->cpu.cycle + 1, last))
        return false;
    copy->index += count;
    n->memory.bus = page[copy->index - 1];
    n->cpu.cycle = last;
    if (copy->index == 256)
        copy->running = n->dma.oam_pending = false;
    touched_ppu(n, false);
    end_cycle(n);
    return true;
}

/* Performs a sample fetch alone at once: the halt, one more cycle, and another one if that is not a
 * get cycle. False, and nothing is done, unless a fetch is requested, the halted processor and the
 * fetch read plain memory, and no line can change. */
static bool fetch_at_once(struct nes *n, uint16_t halted) {
    const uint64_t fetch = n->cpu.cycle + 2 + n->cpu.cycle % 2;
    const uint8_t *page = n->memory.rd[apu_dmc_address(&n->apu) >> 8];
    if (n->made.options.no_fast || n->dma.oam_pending || !page || !n->memory.rd[halted >> 8] ||
        n->lines.event <= fetch || !apu_dmc_halts(&n->apu, n->cpu.cycle, fetch))
        return false;
    n->memory.bus = page[apu_dmc_address(&n->apu) & 0xff];
    apu_dmc_give(&n->apu, n->memory.bus, fetch);
    touched_apu(n);
    n->cpu.cycle = fetch;
    end_cycle(n);
    return true;
}

/* Executes DMA cycle by cycle, as the two units share the bus. The sprite copy reads in get cycles
 * (even ones) and writes in put cycles, starting in the cycle after the halt. The sample fetch
 * takes a get cycle after waiting for two cycles, the halt and one more. All other cycles repeat
 * the processor's read. */
void bus_dma(struct nes *n, uint16_t address) {
    struct oam_copy copy = {0};
    unsigned waited = 0;
    bool halted = false;
    n->dma.latch.value = n->memory.bus;
    if (!n->dma.oam_pending)
        halted = fetch_at_once(n, address);
    const uint64_t quiet = apu_dmc_deadline(&n->apu); /* no sample is requested before this cycle */
    for (;;) {
        const bool wish = n->cpu.cycle >= quiet && apu_dmc_wants(&n->apu, n->cpu.cycle);
        const bool get = n->cpu.cycle % 2 == 0;
        if (!wish && !n->dma.oam_pending)
            break;
        if (!wish)
            waited = 0;
        if (!wish && copy.running && get && !copy.full && oam_at_once(n, &copy, address))
            continue;
        if (wish && waited >= 2 && get) {
            const uint8_t value = dma_read(n, apu_dmc_address(&n->apu), address);
            apu_dmc_give(&n->apu, value, n->cpu.cycle);
            touched_apu(n);
            waited = 0;
        } else {
            if (copy.running && get)
                oam_read(n, &copy, address);
            else if (copy.full)
                oam_write(n, &copy);
            else
                read_memory(n, address);
            waited += wish;
        }
        end_cycle(n);
        if (!halted)
            copy.running = n->dma.oam_pending;
        halted = true;
    }
    n->dma.latch.cycle = n->cpu.cycle;
    n->dma.from = apu_dmc_deadline(&n->apu);
    if (n->dma.from <= n->cpu.cycle)
        n->dma.from = n->cpu.cycle + 1;
}

bool bus_copy_first(struct nes *n, uint16_t pc, uint64_t stop) {
    enum { LONGEST_COPY = 514 };
    const uint64_t end = n->cpu.cycle + LONGEST_COPY;
    if (!n->memory.rd[pc >> 8] || is_interrupted(n, n->cpu.r.p & P_I) ||
        end >= earlier(stop, earlier(n->lines.event, apu_dmc_deadline(&n->apu))))
        return false;
    bus_dma(n, pc);
    return true;
}
