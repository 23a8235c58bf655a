#!/usr/bin/env python3
"""Programs that switch banks, or change their own code, for the bench: banked.py FOLDER writes

    unrom.nes      seven banks of 16 KiB in turn, then polls $2002 for the next frame
    mmc3.nes       72 arrangements of 8 KiB banks in two windows, in turn; never idles
    contents.nes   twelve contents of a routine in RAM, in turn; never idles
    changing.nes   a routine in RAM that is never the same; never idles
"""
import os
import sys


def routine(rounds):
    """Works `rounds` times round, wherever it lies."""
    return bytes([
        0xA2, rounds,  # LDX #rounds
        0xE6, 0x10,    # loop: INC $10
        0xA5, 0x10,    # LDA $10
        0x65, 0x11,    # ADC $11
        0x85, 0x11,    # STA $11
        0xCA,          # DEX
        0xD0, 0xF5,    # BNE loop
        0x60,          # RTS
    ])


def cartridge(mapper, banks, bank_size, code):
    """`code` begins at $E000, in the last bank; each other bank begins with a routine of its own."""
    prg = bytearray(banks * bank_size)
    for bank in range(banks - 1):
        part = routine(8 + bank)
        prg[bank * bank_size:bank * bank_size + len(part)] = part
    start = len(prg) - 0x2000
    prg[start:start + len(code)] = code
    prg[-6:] = bytes([0x00, 0xE0] * 3)
    header = bytes([*b'NES\x1a', len(prg) >> 14, 1, mapper << 4, 0]) + bytes(8)
    return header + prg + bytes(0x2000)


BEGIN = [
    0x78, 0xD8, 0xA2, 0xFF, 0x9A,        # SEI, CLD, LDX #$FF, TXS
    0xA9, 0x00, 0x85, 0x20, 0x85, 0x21,  # LDA #0, STA $20, STA $21
]


def counted_to(place, limit, size, then):
    """INC place, and back to main (`size` bytes before this) until it is `limit`; then it is 0, `then` follows."""
    back = 256 - (size + 8)
    return [0xE6, place, 0xA5, place, 0xC9, limit, 0xD0, back] + [0xA9, 0x00, 0x85, place] + then


def unrom():
    work = [
        0xA6, 0x20,        # main: LDX $20
        0x8A,              # TXA
        0x9D, 0x00, 0xE1,  # STA $E100,X   where that value lies, as the board wants it
        0x20, 0x00, 0x80,  # JSR $8000
        0x20, 0x00, 0x80,  # JSR $8000
    ]
    code = BEGIN + work + counted_to(0x20, 7, len(work), [])
    code += [0x2C, 0x02, 0x20, 0x10, 0xFB]             # BIT $2002, BPL: until vertical blank
    code += [0x4C, len(BEGIN), 0xE0]                   # JMP main
    return cartridge(2, 8, 0x4000, bytes(code) + bytes(0x100 - len(code)) + bytes(range(8)))


def mmc3():
    work = [
        0xA9, 0x06, 0x8D, 0x00, 0x80, 0xA5, 0x20, 0x8D, 0x01, 0x80,  # main: R6 = $20
        0xA9, 0x07, 0x8D, 0x00, 0x80, 0xA5, 0x21, 0x8D, 0x01, 0x80,  # R7 = $21
        0x20, 0x00, 0x80,                                            # JSR $8000
        0x20, 0x00, 0xA0,                                            # JSR $A000
    ]
    code = BEGIN + work + counted_to(0x20, 9, len(work), [])
    code += counted_to(0x21, 8, len(code) - len(BEGIN), [])
    return cartridge(4, 16, 0x2000, bytes(code + [0x4C, len(BEGIN), 0xE0]))


def contents():
    length = len(routine(0))
    work = [
        0xA5, 0x20, 0x0A, 0x0A, 0x0A, 0x0A, 0xAA,  # main: LDA $20, ASL four times, TAX
        0xA0, 0x00,                                # LDY #0
        0xBD, 0x00, 0xE1,                          # copy: LDA $E100,X
        0x99, 0x00, 0x03,                          # STA $0300,Y
        0xE8, 0xC8, 0xC0, length, 0xD0, 0xF4,      # INX, INY, CPY #length, BNE copy
        0x20, 0x00, 0x03,                          # JSR $0300
        0x20, 0x00, 0x03,                          # JSR $0300
    ]
    code = BEGIN + work + counted_to(0x20, 12, len(work), [0x4C, len(BEGIN), 0xE0])
    versions = b''.join(routine(4 + k).ljust(16, b'\0') for k in range(12))
    return cartridge(0, 2, 0x4000, bytes(code) + bytes(0x100 - len(code)) + versions)


def changing():
    begin = BEGIN + [
        0xA2, 0x0F,        # LDX #15
        0xBD, 0x00, 0xE1,  # copy: LDA $E100,X
        0x9D, 0x00, 0x03,  # STA $0300,X
        0xCA, 0x10, 0xF7,  # DEX, BPL copy
    ]
    code = begin + [
        0xEE, 0x01, 0x03,         # main: INC $0301
        0x20, 0x00, 0x03,         # JSR $0300
        0x4C, len(begin), 0xE0,   # JMP main
    ]
    routine = bytes([0xA9, 0x00, 0xE6, 0x10, 0xE6, 0x11, 0xE6, 0x12, 0x60])  # LDA #..., INC $10 to $12, RTS
    return cartridge(0, 2, 0x4000, bytes(code) + bytes(0x100 - len(code)) + routine)


for name, image in [('unrom', unrom()), ('mmc3', mmc3()), ('contents', contents()), ('changing', changing())]:
    with open(os.path.join(sys.argv[1], name + '.nes'), 'wb') as f:
        f.write(image)
