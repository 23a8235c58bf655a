"""Compares the part of a recorded graph that lies in some files with a native graph: all blocks and edges.

same_graph.py RECORDED.graph RECORDED.meta NATIVE.graph PROGRAM [LIBRARY...]

With libraries, what else the native graph has is not looked at.
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


def main(recorded, meta, native, program, *libraries):
    with open(meta) as lines:
        images = [row.rstrip("\n").split("\t") for row in lines]
    images = [row for row in images if row[0] == "image"]
    files = {os.path.realpath(path) for path in (program, *libraries)}
    own = [i for i, row in enumerate(images) if os.path.realpath(row[4]) in files]
    if len(own) != len(files):
        sys.exit(f"not all of {files} are images of the recording")
    starts = [int(row[1], 16) for row in images] + [1 << 32]
    spans = [range(starts[i], starts[i + 1]) for i in own]

    def inside(at):
        return any(at in span for span in spans)

    edges, blocks = read(recorded)
    edges = {key: n for key, n in edges.items() if all(map(inside, key))}
    blocks = {entry: last for entry, last in blocks.items() if inside(entry)}
    found_edges, found_blocks = read(native)
    if libraries:
        found_edges = {key: n for key, n in found_edges.items() if all(map(inside, key))}
        found_blocks = {entry: last for entry, last in found_blocks.items() if inside(entry)}
    wrong = [f"edge {a:#x} {b:#x}: recorded {edges.get((a, b))}, native {found_edges.get((a, b))}"
             for a, b in sorted(set(edges) | set(found_edges)) if edges.get((a, b)) != found_edges.get((a, b))]
    wrong += [f"block {at:#x}: recorded {blocks.get(at)}, native {found_blocks.get(at)}"
              for at in sorted(set(blocks) | set(found_blocks)) if blocks.get(at) != found_blocks.get(at)]
    print("\n".join(wrong[:20]) or f"{', '.join(map(os.path.basename, (program, *libraries)))}: {len(edges)} edges and {len(blocks)} blocks equal")
    if wrong or not edges:
        sys.exit(1)


main(*sys.argv[1:])
