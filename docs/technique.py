#!/usr/bin/env python3
"""technique.py FILE.isampling >FILE.graph: a technique in another language. It counts the edges that samples show, like the baseline.

An edge leads from the first instruction of a basic block to the first of another. A block begins at the target of a transfer
and behind a transfer, and ends with a transfer or before another block.
"""
import collections
import csv
import sys

rows = [(int(r["pc"], 16), int(r["size"]), r["type"], r["batch"]) for r in csv.DictReader(open(sys.argv[1]), delimiter="\t")]
steps = [(a, b) for a, b in zip(rows, rows[1:]) if a[3] == b[3]]  # consecutive samples of one batch
leaders = {b[0] for a, b in steps if a[2] != "GENERIC"} | {a[0] + a[1] for a, _ in steps if a[2] != "GENERIC"}
last = {}  # of each block: its last instruction
edges = collections.Counter()
entry = batch = None
for a, b in steps:
    if a[3] != batch or a[0] in leaders:  # what a batch begins with in the middle of a block has no entry
        entry, batch = a[0] if a[0] in leaders else None, a[3]
    if b[0] in leaders and entry is not None and (a[2] != "GENERIC" or b[0] == a[0] + a[1]):
        last[entry] = a[0]
        last.setdefault(b[0], b[0])
        edges[entry, b[0]] += 1
for block, end in sorted(last.items()):
    print(f"#block {block:#x} {end:#x}")
for (source, target), count in sorted(edges.items()):
    print(f"{source:#x}\t{target:#x}\t{count}")
