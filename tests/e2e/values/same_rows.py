#!/usr/bin/env python3
"""same_rows.py A.csv B.csv: the same rows in the same order; numbers may differ in their 13th digit."""
import csv
import math
import sys


def value(text):
    try:
        return float(text)
    except ValueError:
        return text.removeprefix("'")


def same(a, b):
    return math.isclose(a, b, rel_tol=1e-12) if isinstance(a, float) and isinstance(b, float) else a == b


with open(sys.argv[1], newline="") as first, open(sys.argv[2], newline="") as second:
    rows = [[value(cell) for cell in row] for row in csv.reader(first)]
    others = [[value(cell) for cell in row] for row in csv.reader(second)]
sys.exit(len(rows) != len(others) or any(len(a) != len(b) or not all(map(same, a, b)) for a, b in zip(rows, others)))
