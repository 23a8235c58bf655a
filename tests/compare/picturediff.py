#!/usr/bin/env python3
"""picturediff.py OURS THEIRS NAME: compares dumps of pictures, 256 x 240 pixels a frame.

OURS has two bytes a pixel (hotgraph replay --dump-pictures), THEIRS four, and ffffffff where the other
emulator shows nothing. Emulators have different colours for a palette entry. So for each of
our entries the colour that stands most often in its place is taken for the right one, and a pixel of
another colour differs. At least THREE of our entries must have different colours there, or nothing was
compared. The first START pictures may be anything: emulators show different things before a program
has drawn something, and while it turns rendering on. The counts are printed; the exit status is 0 if
all others are the same.
"""
import collections
import sys
from array import array

WIDTH, HEIGHT, THREE, START = 256, 240, 3, 12
HIDDEN = 0xFFFFFFFF


def rows(path, code, swap):
    """Each frame as a list of rows; a row is bytes in this machine's order."""
    with open(path, "rb") as file:
        size = array(code).itemsize * WIDTH
        while True:
            frame = [file.read(size) for _ in range(HEIGHT)]
            if len(frame[-1]) < size:
                return
            if swap:
                frame = [swapped(row, code) for row in frame]
            yield frame


def swapped(row, code):
    pixels = array(code, row)
    pixels.byteswap()
    return pixels.tobytes()


def colours(pairs):
    """{our entry: the colour that most often stands in its place}"""
    counts = collections.defaultdict(collections.Counter)
    for (ours, theirs), times in pairs.items():
        for (a, b), n in collections.Counter(zip(array("H", ours), array("I", theirs))).items():
            if b != HIDDEN:
                counts[a][b] += n * times
    return {a: count.most_common(1)[0][0] for a, count in counts.items()}


def wrong_pixels(pair, right):
    return sum(b != HIDDEN and right[a] != b for a, b in zip(array("H", pair[0]), array("I", pair[1])))


def main():
    name = sys.argv[3]
    swap = sys.byteorder != "little"
    frames = [list(zip(a, b)) for a, b in zip(rows(sys.argv[1], "H", swap), rows(sys.argv[2], "I", swap))]
    frames = frames[START:]
    pairs = collections.Counter(pair for frame in frames for pair in frame)
    right = colours(pairs)
    if not frames or len(set(right.values())) < THREE:
        print(f"{name}: {len(frames)} pictures with {len(right)} colours: too few to compare")
        return 1
    wrong = {pair: wrong_pixels(pair, right) for pair in pairs}
    bad = 0
    for number, frame in enumerate(frames, START):
        pixels = sum(wrong[pair] for pair in frame)
        if pixels:
            bad += 1
            if bad <= 5:
                lines = [y for y, pair in enumerate(frame) if wrong[pair]]
                print(f"{name}: frame {number}: {pixels} pixels differ, lines {lines[0]} to {lines[-1]}")
    print(f"{name}: {len(frames) - bad} of {len(frames)} pictures are the same, {len(right)} colours")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
