"""Compares the part of a recorded graph that lies in one file with a native graph: all blocks and edges.

same_graph.py RECORDED.graph RECORDED.meta NATIVE.graph PROGRAM
"""
import os
import sys


def read(path):
    edges, blocks = {}, {}
    with open(path) as lines:
        for line in lines:
            if line.startswith("#block"):
                _, entry, last = line.split()
                blocks[int(entry, 16)] = int(last, 16)
            elif line.strip() and not line.startswith("#"):
                source, target, count = line.split("\t")[:3]
                edges[int(source, 16), int(target, 16)] = int(count)
    return edges, blocks


def main(recorded, meta, native, program):
    with open(meta) as lines:
        images = [row.rstrip("\n").split("\t") for row in lines]
    images = [row for row in images if row[0] == "image"]
    own = [i for i, row in enumerate(images) if os.path.realpath(row[4]) == os.path.realpath(program)]
    if len(own) != 1:
        sys.exit(f"{program} is not an image of the recording")
    low = int(images[own[0]][1], 16)
    high = int(images[own[0] + 1][1], 16) if own[0] + 1 < len(images) else 1 << 32
    edges, blocks = read(recorded)
    edges = {key: n for key, n in edges.items() if all(low <= at < high for at in key)}
    blocks = {entry: last for entry, last in blocks.items() if low <= entry < high}
    found_edges, found_blocks = read(native)
    wrong = [f"edge {a:#x} {b:#x}: recorded {edges.get((a, b))}, native {found_edges.get((a, b))}"
             for a, b in sorted(set(edges) | set(found_edges)) if edges.get((a, b)) != found_edges.get((a, b))]
    wrong += [f"block {at:#x}: recorded {blocks.get(at)}, native {found_blocks.get(at)}"
              for at in sorted(set(blocks) | set(found_blocks)) if blocks.get(at) != found_blocks.get(at)]
    print("\n".join(wrong[:20]) or f"{os.path.basename(program)}: {len(edges)} edges and {len(blocks)} blocks equal")
    if wrong or not edges:
        sys.exit(1)


main(*sys.argv[1:])
