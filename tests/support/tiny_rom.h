/* tiny_rom: a 32 KiB cartridge around a few bytes of hand-assembled code, for tests of the machine
 * and of profilers. */
#ifndef HOTGRAPH_TINY_ROM_H
#define HOTGRAPH_TINY_ROM_H

#include "nes/nes.h"

#include <string.h>

/* Code goes to $8000; everything else in PRG is 0. The cartridge is the caller's to free. */
static inline struct cartridge *tiny_rom(const uint8_t *code, size_t len, uint16_t nmi,
                                         uint16_t reset, uint16_t irq) {
    static const uint8_t header[16] = {'N', 'E', 'S', 0x1A, 2, 1};
    uint8_t image[16 + 0x8000 + 0x2000] = {0};
    memcpy(image, header, sizeof header);
    memcpy(image + 16, code, len);
    const uint16_t vectors[3] = {nmi, reset, irq};
    for (int i = 0; i < 3; i++) {
        image[16 + 0x7FFA + 2 * i] = (uint8_t)vectors[i];
        image[16 + 0x7FFB + 2 * i] = (uint8_t)(vectors[i] >> 8);
    }
    struct cartridge *cartridge = NULL;
    struct error e = {0};
    return cartridge_parse(&cartridge, image, sizeof image, "tiny.nes", &e) == STATUS_OK ? cartridge
                                                                                         : NULL;
}

/*
 * Samples of everything that makes control flow hard to follow: an NMI handler; the APU's frame
 * IRQ; a BRK that shares the IRQ's handler; nested subroutines; JMP (indirect) and the RTS trick;
 * the BIT trick (overlapping instructions); self-modifying code in RAM at $0300; a handler that now
 * and then leaves by RTI to another place.
 */
/* clang-format off */
static const uint8_t TINY_PROGRAM[] = {
    /* 8000 */ 0xA2, 0xFF,             /* reset:  LDX #$FF */
    /* 8002 */ 0x9A,                   /*         TXS */
    /* 8003 */ 0xA9, 0x00,             /*         LDA #0 */
    /* 8005 */ 0x8D, 0x17, 0x40,       /*         STA $4017      frame IRQ on */
    /* 8008 */ 0x85, 0x10,             /*         STA $10 */
    /* 800A */ 0x85, 0x11,             /*         STA $11 */
    /* 800C */ 0xA2, 0x07,             /*         LDX #7 */
    /* 800E */ 0xBD, 0x90, 0x80,       /* copy:   LDA $8090,X */
    /* 8011 */ 0x9D, 0x00, 0x03,       /*         STA $0300,X */
    /* 8014 */ 0xCA,                   /*         DEX */
    /* 8015 */ 0x10, 0xF7,             /*         BPL copy */
    /* 8017 */ 0xA9, 0x80,             /*         LDA #$80 */
    /* 8019 */ 0x8D, 0x00, 0x20,       /*         STA $2000      NMI on (ignored at first) */
    /* 801C */ 0x58,                   /*         CLI */
    /* 801D */ 0xA9, 0x80,             /* main:   LDA #$80 */
    /* 801F */ 0x8D, 0x00, 0x20,       /*         STA $2000 */
    /* 8022 */ 0x20, 0x50, 0x80,       /*         JSR work */
    /* 8025 */ 0x20, 0x00, 0x03,       /*         JSR $0300      code in RAM */
    /* 8028 */ 0xE6, 0x11,             /*         INC $11 */
    /* 802A */ 0xA5, 0x11,             /*         LDA $11 */
    /* 802C */ 0x29, 0x1F,             /*         AND #$1F */
    /* 802E */ 0xD0, 0x02,             /*         BNE skip */
    /* 8030 */ 0x00, 0xEA,             /*         BRK */
    /* 8032 */ 0xA5, 0x11,             /* skip:   LDA $11 */
    /* 8034 */ 0x4A,                   /*         LSR A */
    /* 8035 */ 0xB0, 0x03,             /*         BCS other */
    /* 8037 */ 0xA0, 0x01,             /*         LDY #1 */
    /* 8039 */ 0x2C,                   /*         BIT abs: jumps over the next two bytes */
    /* 803A */ 0xA0, 0x02,             /* other:  LDY #2 */
    /* 803C */ 0x84, 0x12,             /*         STY $12 */
    /* 803E */ 0xA5, 0x10,             /* wait:   LDA $10        busy-wait on a flag of the NMI */
    /* 8040 */ 0xF0, 0xFC,             /*         BEQ wait */
    /* 8042 */ 0xC6, 0x10,             /*         DEC $10 */
    /* 8044 */ 0x4C, 0x1D, 0x80,       /*         JMP main */
    /* 8047 */ 0xA9, 0x01,             /* stray:  LDA #1         where the NMI sometimes goes instead */
    /* 8049 */ 0x85, 0x10,             /*         STA $10 */
    /* 804B */ 0x4C, 0x3E, 0x80,       /*         JMP wait */
    /* 804E */ 0xEA, 0xEA,
    /* 8050 */ 0xA2, 0x05,             /* work:   LDX #5 */
    /* 8052 */ 0xCA,                   /* loop:   DEX */
    /* 8053 */ 0x20, 0x60, 0x80,       /*         JSR leaf */
    /* 8056 */ 0xE0, 0x00,             /*         CPX #0 */
    /* 8058 */ 0xD0, 0xF8,             /*         BNE loop */
    /* 805A */ 0x6C, 0x9A, 0x80,       /*         JMP ($809A)    -> trick */
    /* 805D */ 0xEA, 0xEA, 0xEA,
    /* 8060 */ 0x8A,                   /* leaf:   TXA */
    /* 8061 */ 0x4A,                   /*         LSR A */
    /* 8062 */ 0x90, 0x01,             /*         BCC even */
    /* 8064 */ 0xC8,                   /*         INY */
    /* 8065 */ 0x60,                   /* even:   RTS */
    /* 8066 */ 0xA9, 0x80,             /* trick:  LDA #$80       the RTS trick: "returns" to $8070 */
    /* 8068 */ 0x48,                   /*         PHA */
    /* 8069 */ 0xA9, 0x6F,             /*         LDA #$6F */
    /* 806B */ 0x48,                   /*         PHA */
    /* 806C */ 0x60,                   /*         RTS */
    /* 806D */ 0xEA, 0xEA, 0xEA,
    /* 8070 */ 0xEE, 0x01, 0x03,       /* modify: INC $0301      the operand of the code in RAM */
    /* 8073 */ 0xA5, 0x11,             /*         LDA $11 */
    /* 8075 */ 0x29, 0x07,             /*         AND #7 */
    /* 8077 */ 0xD0, 0x08,             /*         BNE back */
    /* 8079 */ 0xAD, 0x00, 0x03,       /*         LDA $0300      LDA # <-> NOP zp: other instruction, same size */
    /* 807C */ 0x49, 0xAD,             /*         EOR #$AD       A9 <-> 04 */
    /* 807E */ 0x8D, 0x00, 0x03,       /*         STA $0300 */
    /* 8081 */ 0x60,                   /* back:   RTS */
    /* 8082 */ 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA,
    /* 8090 */ 0xA9, 0x00,             /* in RAM: LDA #0 */
    /* 8092 */ 0x85, 0x13,             /*         STA $13 */
    /* 8094 */ 0x60,                   /*         RTS */
    /* 8095 */ 0xEA, 0xEA, 0xEA, 0xEA, 0xEA,
    /* 809A */ 0x66, 0x80,             /* pointer to trick */
    /* 809C */ 0xEA, 0xEA, 0xEA, 0xEA,
    /* 80A0 */ 0x48,                   /* nmi:    PHA */
    /* 80A1 */ 0xE6, 0x10,             /*         INC $10 */
    /* 80A3 */ 0xE6, 0x14,             /*         INC $14 */
    /* 80A5 */ 0xA5, 0x14,             /*         LDA $14 */
    /* 80A7 */ 0x29, 0x0F,             /*         AND #$0F */
    /* 80A9 */ 0xD0, 0x0D,             /*         BNE plain */
    /* 80AB */ 0x68,                   /*         PLA            every sixteenth: go elsewhere */
    /* 80AC */ 0x68, 0x68, 0x68,       /*         PLA PLA PLA */
    /* 80AF */ 0xA9, 0x80,             /*         LDA #$80 */
    /* 80B1 */ 0x48,                   /*         PHA */
    /* 80B2 */ 0xA9, 0x47,             /*         LDA #$47 */
    /* 80B4 */ 0x48,                   /*         PHA */
    /* 80B5 */ 0x58,                   /*         CLI */
    /* 80B6 */ 0x08,                   /*         PHP */
    /* 80B7 */ 0x40,                   /*         RTI */
    /* 80B8 */ 0x68,                   /* plain:  PLA */
    /* 80B9 */ 0x40,                   /*         RTI */
    /* 80BA */ 0x48,                   /* irq:    PHA */
    /* 80BB */ 0xAD, 0x15, 0x40,       /*         LDA $4015 */
    /* 80BE */ 0xA9, 0x80,             /*         LDA #$80 */
    /* 80C0 */ 0x8D, 0x00, 0x20,       /*         STA $2000      NMI on: the PPU listens by now */
    /* 80C3 */ 0x68,                   /*         PLA */
    /* 80C4 */ 0x40,                   /*         RTI */
};
/* clang-format on */
static inline struct cartridge *tiny_program(void) {
    return tiny_rom(TINY_PROGRAM, sizeof TINY_PROGRAM, 0x80A0, 0x8000, 0x80BA);
}

#endif
