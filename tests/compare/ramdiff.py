#!/usr/bin/env python3
"""ramdiff.py OURS THEIRS NAME [--checkpoints]: compares dumps of 2 KiB of RAM a frame, or a checkpoint.

Left out is page $01, since stale bytes under the stack differ with the exact moment of a dump, and a
byte for as long as neither side has changed it since power-on, since emulators fill RAM differently.

A game at rest over vertical blank must be the same in every frame. One that computes across it is
caught some cycles earlier or later by another emulator, so single bytes differ for a moment; but what
ran apart stays apart. So the exit status is 0 if no byte differs for more than MOMENT frames in a
row, and the counts are printed.

At checkpoints nothing excuses a difference. The last one may be missing on one side: emulators end a
frame some cycles earlier or later.
"""
import sys

FRAME = 2048
MOMENT = 4


def untouched_frames(dump, address):
    """For how many frames the byte keeps the value of the first one."""
    column = dump[address::FRAME]
    return len(column) - len(column.lstrip(column[:1]))


def main():
    ours, theirs = (open(path, "rb").read() for path in sys.argv[1:3])
    name = sys.argv[3]
    checkpoints = sys.argv[4:] == ["--checkpoints"]
    unit, moment = ("checkpoint", 0) if checkpoints else ("frame", MOMENT)
    counts = len(ours) // FRAME, len(theirs) // FRAME
    frames = min(counts)
    if frames == 0 or max(counts) - frames > checkpoints:
        print(f"{name}: {counts[0]} {unit}s here, {counts[1]} there")
        return 1
    untouched, lasting = {}, {}
    bad = longest = 0
    for frame in range(frames):
        a = ours[frame * FRAME:(frame + 1) * FRAME]
        b = theirs[frame * FRAME:(frame + 1) * FRAME]
        if a == b:
            lasting.clear()
            continue
        where = []
        for i in range(FRAME):
            if a[i] == b[i] or i >> 8 == 1:
                continue
            if i not in untouched:
                untouched[i] = min(untouched_frames(ours, i), untouched_frames(theirs, i))
            if frame >= untouched[i]:
                where.append(i)
        lasting = {i: lasting.get(i, 0) + 1 for i in where}
        longest = max(longest, *lasting.values(), 0)
        if where:
            bad += 1
            if bad <= 5:
                shown = ", ".join(f"${i:04X} {a[i]:02X}/{b[i]:02X}" for i in where[:6])
                print(f"{name}: {unit} {frame}: {len(where)} bytes differ: {shown}")
    print(f"{name}: {frames - bad} of {frames} {unit}s have the same RAM"
          + (f"; a byte differs for at most {longest} {unit}s in a row" if bad else ""))
    return 1 if longest > moment else 0


sys.exit(main())
