#!/usr/bin/env python3
"""The technique `observed` as a program: reads a stream as JSON lines, writes the graph of the transitions that it shows."""
import collections
import json
import sys


def read(lines):
    """The transitions of a stream: {(from, to): count}, and which of them are control transfers."""
    pairs, transfers = collections.Counter(), set()
    next(lines)  # describes the stream
    for batch in map(json.loads, lines):
        weight = 720720 // batch.get("cycles", 720720)
        for (a, size, kind, *target), (b, *_) in zip(batch["samples"], batch["samples"][1:]):
            straight = b == a + size
            if kind in ("return", "jump indirect") or [b] == target or kind in ("plain", "branch") and straight:
                pairs[a, b] += weight
                if kind != "plain":
                    transfers.add((a, b))
    return pairs, transfers


def graph(pairs, transfers):
    """Maximal basic blocks {entry: last instruction}, and the edges {(entry, entry): count}."""
    after, before = collections.defaultdict(set), collections.defaultdict(set)
    for a, b in pairs:
        after[a].add(b), before[b].add(a)
    leaders = {b for _, b in transfers} | {b for b in before if len(before[b]) > 1} | after.keys() - before.keys()
    leaders |= {b for a in after if len(after[a]) > 1 for b in after[a]}
    blocks, edges, seen = {}, {}, set()
    for entry in sorted(leaders) + sorted(after.keys() | before.keys()):  # those after the leaders: circles without one
        last = entry
        while entry not in seen and len(after[last]) == 1 and not after[last] <= leaders and entry not in after[last]:
            (last,) = after[last]
            seen.add(last)
        if entry not in seen:
            blocks[entry] = last
            seen.add(entry)
    for entry, last in blocks.items():
        edges.update({(entry, b): pairs[last, b] for b in after[last]})
    return blocks, edges


def write(blocks, edges):
    for block, last in sorted(blocks.items()):
        print(f"#block {block:#x} {last:#x}")
    for (source, target), count in sorted(edges.items()):
        print(f"{source:#x}\t{target:#x}\t{count}")


if __name__ == "__main__":
    write(*graph(*read(sys.stdin)))
