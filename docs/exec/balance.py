#!/usr/bin/env python3
"""A technique with numpy: the observed counts, changed as little as makes every block be left as often as it is entered.

Least squares: the sum of (change)^2 / count^power is least. --power=X: 1 lets large counts change more, 0 treats all alike."""
import argparse
import sys

import numpy as np

from observed import graph, read, write

parser = argparse.ArgumentParser()
parser.add_argument("--power", type=float, default=1.0)
options = parser.parse_args()

blocks, edges = graph(*read(sys.stdin))
names = sorted(edges)
count = np.array([edges[name] for name in names], dtype=float)
number = {entry: i for i, entry in enumerate(sorted(blocks))}
balance = np.zeros((len(blocks), len(names)))  # of each block: +1 for an edge into it, -1 for one out of it
for i, (source, target) in enumerate(names):
    balance[number[target], i] += 1
    balance[number[source], i] -= 1
inner = (balance > 0).any(axis=1) & (balance < 0).any(axis=1)  # contexts begin or end in the other blocks
balance = balance[inner]
weight = count**options.power
price = np.linalg.lstsq((balance * weight) @ balance.T, balance @ count, rcond=None)[0]  # of each block's excess
repaired = count - weight * (balance.T @ price)
write(blocks, {name: max(1, round(1000 * c)) for name, c in zip(names, repaired)})
