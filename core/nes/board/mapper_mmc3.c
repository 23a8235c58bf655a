/*
 * Mapper 4, MMC3 (NESdev, "MMC3"): eight bank registers behind one address, and an IRQ counter
 * clocked by line 12 of the PPU's address bus.
 *
 * The revision is the later one, Sharp's MMC3B and C: the IRQ is asserted whenever the counter is 0
 * after a clock, even by a reload with 0. Submapper 4 of NES 2.0 is NEC's MMC3A, which asserts it
 * only if the counter has become 0, or $C001 has requested the reload. PRG-RAM is enabled at
 * power-on, because some programs never write $A001. With more than 512 KiB of PRG, as on later
 * compatible chips, all eight bits of the bank registers count.
 */
#include "nes/board/mappers.h"

enum { SELECT, BANKS, MIRRORING = BANKS + 8, RAM, LATCH, COUNTER, RELOAD, ENABLED, ASSERTED };
enum { SELECT_PRG = 0x40, SELECT_CHR = 0x80, RAM_ENABLED = 0x80, RAM_READ_ONLY = 0x40 };
enum { SUBMAPPER_NEC = 4, IRQ_REGISTERS = 0xC000 };

static void mmc3_power(struct board *b) {
    static const uint8_t banks[8] = {0, 2, 4, 5, 6, 7, 0, 1};
    for (unsigned i = 0; i < 8; i++)
        b->state.regs[BANKS + i] = banks[i];
    b->state.regs[MIRRORING] = b->cartridge->mirroring == MIRROR_HORIZONTAL;
    b->state.regs[RAM] = RAM_ENABLED;
}

static void update_banks(struct board *b) {
    const uint8_t *bank = b->state.regs + BANKS, select = b->state.regs[SELECT];
    const uint32_t last = board_prg_banks(b) - 1, bits = last > 0x3F ? 0xFF : 0x3F;
    const unsigned swapped = select & SELECT_PRG ? 2 : 0, half = select & SELECT_CHR ? 4 : 0;
    board_prg8(b, swapped, bank[6] & bits);
    board_prg8(b, 1, bank[7] & bits);
    board_prg8(b, swapped ^ 2, last - 1);
    board_prg8(b, 3, last);
    for (unsigned i = 0; i < 4; i++) {
        board_chr1(b, i ^ half, (bank[i / 2] & 0xFEu) | (i & 1));
        board_chr1(b, (i + 4) ^ half, bank[2 + i]);
    }
}

static void mmc3_update(struct board *b) {
    const uint8_t *r = b->state.regs;
    update_banks(b);
    board_ram8(b, 0);
    if (!(r[RAM] & RAM_ENABLED))
        b->ram = NULL;
    b->ram_read_only = r[RAM] & RAM_READ_ONLY;
    if (b->cartridge->mirroring != MIRROR_FOUR)
        b->state.mirroring = r[MIRRORING] & 1 ? MIRROR_HORIZONTAL : MIRROR_VERTICAL;
    board_mirror(b);
}

static void mmc3_write(struct board *b, uint16_t address, uint8_t value, uint64_t cycle) {
    uint8_t *r = b->state.regs;
    (void)cycle;
    b->settled = address >= IRQ_REGISTERS;
    switch (address & 0xE001) {
    case 0x8000:
        b->settled = !((r[SELECT] ^ value) & (SELECT_PRG | SELECT_CHR));
        r[SELECT] = value;
        break;
    case 0x8001:
        r[BANKS + (r[SELECT] & 7)] = value;
        break;
    case 0xA000:
        r[MIRRORING] = value;
        break;
    case 0xA001:
        r[RAM] = value;
        break;
    case 0xC000:
        r[LATCH] = value;
        break;
    case 0xC001:
        r[COUNTER] = 0;
        r[RELOAD] = 1;
        break;
    case 0xE000:
        r[ENABLED] = r[ASSERTED] = 0;
        break;
    case 0xE001:
        r[ENABLED] = 1;
        break;
    }
}

static void rise(struct board *b) {
    uint8_t *r = b->state.regs;
    const bool reloads = r[COUNTER] == 0 || r[RELOAD];
    const bool became = r[COUNTER] != 0 || r[RELOAD];
    r[COUNTER] = reloads ? r[LATCH] : (uint8_t)(r[COUNTER] - 1);
    r[RELOAD] = 0;
    if (r[COUNTER] == 0 && r[ENABLED] && (became || b->cartridge->submapper != SUBMAPPER_NEC))
        r[ASSERTED] = 1;
}

static void mmc3_a12_rises(struct board *b, unsigned times) {
    uint8_t *r = b->state.regs;
    while (times > 0) {
        if (!r[RELOAD] && r[COUNTER] > 1) { /* nothing else happens while it counts down to 1 */
            const unsigned most = r[COUNTER] - 1u, steps = times < most ? times : most;
            r[COUNTER] = (uint8_t)(r[COUNTER] - steps);
            times -= steps;
        } else {
            rise(b);
            times--;
        }
    }
}

static bool mmc3_irq(const struct board *b) {
    return b->state.regs[ASSERTED];
}

/* May be one too low with submapper 4, never too high. */
static unsigned mmc3_irq_rises(const struct board *b) {
    const uint8_t *r = b->state.regs;
    if (!r[ENABLED] || r[ASSERTED])
        return 0;
    return r[COUNTER] == 0 || r[RELOAD] ? r[LATCH] + 1u : r[COUNTER];
}

const struct mapper_ops mapper_mmc3 = {
    .number = 4,
    .name = "MMC3",
    .prg_most = 2048 * KIB,
    .chr_most = 256 * KIB,
    .ram_most = 8 * KIB,
    .submappers = 1 << 0 | 1 << SUBMAPPER_NEC,
    .banked = true,
    .power = mmc3_power,
    .update = mmc3_update,
    .write = mmc3_write,
    .a12_rises = mmc3_a12_rises,
    .irq = mmc3_irq,
    .irq_rises = mmc3_irq_rises,
    .irq_from = IRQ_REGISTERS,
};
