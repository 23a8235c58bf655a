#!/usr/bin/env python3
"""The views variance_share, rank_agreement and left_out, computed from the list of all results straight from their
definitions: questions_from_results.py RESULTS.csv VARIANCE.csv AGREEMENT.csv LEFT.csv. Fails where they differ.
"""
import csv
import itertools
import math
import sys

FACTORS = ("bin_size", "recurrent_threshold", "stdev_threshold", "window_size")
SCOPES = {"whole": "similarity", "active": "similarity_active"}
checked = 0


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def same(what, ours, theirs, margin):
    global checked
    checked += 1
    if ours is None and theirs == "":
        return
    if ours is None or theirs == "" or abs(ours - float(theirs)) > margin:
        sys.exit(f"{what}: {theirs}, but by the definition {ours}")


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def explained(rows, factors):
    """Sum of squares of the means of all groups with equal factors, about the mean of everything."""
    middle = mean(r["y"] for r in rows)
    groups = {}
    for r in rows:
        groups.setdefault(tuple(r[f] for f in factors), []).append(r["y"])
    return math.fsum(len(g) * (mean(g) - middle) ** 2 for g in groups.values())


def tau_b(x, y):
    concordant = discordant = only_x = only_y = 0
    for i, j in itertools.combinations(range(len(x)), 2):
        a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
        concordant += a * b > 0
        discordant += a * b < 0
        only_x += a != 0 and b == 0
        only_y += a == 0 and b != 0
    both = concordant + discordant
    if both + only_x == 0 or both + only_y == 0:  # no order to agree with
        return None
    return (concordant - discordant) / math.sqrt((both + only_x) * (both + only_y))


results, variance, agreement, left = (read(path) for path in sys.argv[1:5])
grid = [r for r in results if r["number"] != ""]
baseline = {r["game"]: r for r in results if r["baseline"] == "1"}
games = sorted(baseline)
numbers = sorted({int(r["number"]) for r in grid})
for scope, column in SCOPES.items():
    for r in grid:
        r["y"] = float(r[column])
    value = {(r["game"], int(r["number"])): r["y"] for r in grid}

    total = explained(grid, ("game",) + FACTORS)
    rows = [r for r in variance if r["scope"] == scope]
    assert len(rows) == 15, rows
    for row in rows:
        factors = [f for f in (row["factor"], row["other"]) if f != ""]
        ss = explained(grid, factors)
        if len(factors) == 2:
            ss -= explained(grid, factors[:1]) + explained(grid, factors[1:])
        same(f"{scope} {factors}", 100 * ss / total, row["percent"], 0.006)
        if factors != ["game"]:
            same(f"{scope} {factors} within games", 100 * ss / (total - explained(grid, ("game",))),
                 row["percent_within_games"], 0.006)

    rows = {(r["game"], r["other"]): r for r in agreement if r["scope"] == scope}
    assert len(rows) == len(games) * (len(games) - 1) // 2, rows
    for a, b in itertools.combinations(games, 2):
        same(f"{scope} tau of {a} and {b}", tau_b([value[a, n] for n in numbers], [value[b, n] for n in numbers]),
             rows[a, b]["tau"], 1e-9)

    for row in (r for r in left if r["scope"] == scope):
        others = [g for g in games if g != row["left_out"]]
        means = {n: mean(value[g, n] for g in others) for n in numbers}
        most = max(means.values())
        chosen = min(n for n in numbers if most - means[n] < 1e-11)
        same(f"{scope} without '{row['left_out']}'", chosen, row["number"], 0)
        same("its mean", 100 * most, row["mean_percent"], 0.006)
        if row["left_out"] == "":
            same("the baseline", 100 * mean(float(baseline[g][column]) for g in games), row["baseline_percent"], 0.006)
            continue
        there = [value[row["left_out"], n] for n in numbers]
        same("on that game", 100 * value[row["left_out"], chosen], row["percent"], 0.006)
        same("its place", 1 + sum(v > value[row["left_out"], chosen] for v in there), row["place"], 0)
        same("the best", 100 * max(there), row["best_percent"], 0.006)
        same("the baseline", 100 * float(baseline[row["left_out"]][column]), row["baseline_percent"], 0.006)
assert checked > 100, checked
