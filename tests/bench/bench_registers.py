#!/usr/bin/env python3
"""The cost of an access to each register on the translator: bench_registers.py [--quick] HOTGRAPH

A program for each does nothing else, 240 times in a row and round again, rendering off; beside it one that reads
plain memory. Nanoseconds of the processor and, where valgrind is, host instructions an access, of the frames after
the first ones; there are no interrupts.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ACCESSES = 240
CYCLES_A_FRAME = 29780.5
LOAD, STORE, INDEXED = 0xAD, 0x8D, 0x9D
# Name, opcode, address, cycles.
REGISTERS = [
    ("read $0010 (memory)", LOAD, 0x0010, 4),
    ("write $0010 (memory)", STORE, 0x0010, 4),
    *[(f"write ${at:04X}", STORE, at, 4) for at in (0x2000, 0x2001, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007)],
    *[(f"read ${at:04X}", LOAD, at, 4) for at in (0x2002, 0x2004, 0x2007)],
    *[(f"write ${at:04X}", STORE, at, 4) for at in (0x4000, 0x4002, 0x4003, 0x4010, 0x4011, 0x4012, 0x4015, 0x4017)],
    ("write $4000,X", INDEXED, 0x4000, 5),
    ("read $4015", LOAD, 0x4015, 4),
    ("write $4016", STORE, 0x4016, 4),
    ("read $4016", LOAD, 0x4016, 4),
    ("write $8000 (board)", STORE, 0x8000, 4),
    ("write $4014 (DMA)", STORE, 0x4014, 4 + 513.5),
]


def program(opcode, address):
    """No decimal mode, no frame IRQ; A and X are 0."""
    begin = [0x78, 0xA9, 0x40, 0x8D, 0x17, 0x40, 0xA9, 0x00, 0xAA]  # SEI; LDA #$40, STA $4017; LDA #0, TAX
    access = [opcode, address & 0xFF, address >> 8]
    if opcode == LOAD:
        access[0] = 0xAC  # LDY: A stays
    main = 0x8000 + len(begin)
    code = bytes(begin + access * ACCESSES + [0x4C, main & 0xFF, main >> 8])
    prg = bytearray(0x4000)
    prg[:len(code)] = code
    prg[-6:] = bytes([0x00, 0x80] * 3)
    return b"NES\x1a" + bytes([1, 1, 0x20, 0]) + bytes(8) + prg + bytes(0x2000)  # UxROM: its register has little effect


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instructions(command):
    said = subprocess.run(["valgrind", "--tool=callgrind", "--smc-check=all", "--callgrind-out-file=/dev/null", *command],
                          check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])


def an_access(measure, command, few, many, cycles):
    """For the frames from `few` to `many`."""
    frame = (measure(command + [str(many)]) - measure(command + [str(few)])) / (many - few)
    return frame / ((CYCLES_A_FRAME / (cycles * ACCESSES + 3)) * ACCESSES)


def main():
    quick = "--quick" in sys.argv
    hotgraph = sys.argv[-1]
    counts = shutil.which("valgrind")
    print(f"{'an access':<24}{'ns':>10}{'instructions':>14}")
    with tempfile.TemporaryDirectory() as folder:
        movie = os.path.join(folder, "nothing.fm2")
        with open(movie, "w", encoding="ascii") as file:
            file.write("version 3\n" + "|0|........|........||\n" * 2010)
        for name, opcode, address, cycles in REGISTERS[:2] if quick else REGISTERS:
            rom = os.path.join(folder, "rom.nes")
            with open(rom, "wb") as file:
                file.write(program(opcode, address))
            command = [hotgraph, "replay", rom, "--movie", movie, "--engine", "dbt", "--frames"]
            ns = 1e9 * an_access(seconds, command, 10, 60 if quick else 2010, cycles)
            count = f"{an_access(instructions, command, *((10, 30) if quick else (100, 200)), cycles):14.1f}" if counts else ""
            print(f"{name:<24}{ns:10.2f}{count}", flush=True)


main()
