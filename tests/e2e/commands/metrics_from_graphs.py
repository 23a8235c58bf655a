#!/usr/bin/env python3
"""Every metric of `hotgraph compare --json`, computed from two .graph files straight from the definitions.

usage: metrics_from_graphs.py G.graph H.graph JSON...

Written apart from the program that it checks: exact fractions, sets and dictionaries, no shared code. With JSON files (what
`hotgraph compare --json` printed) it compares, to the last bit, and says what differs; without, it prints its own.
"""
import json
import sys
from fractions import Fraction


class Graph:
    def __init__(self, path):
        self.last, self.weight, self.busy = {}, {}, set()
        for line in open(path):
            if line.startswith("#block"):
                entry, last = (int(word, 16) for word in line.split()[1:])
                self.last[entry] = last
            elif not line.startswith("#"):
                fields = line.split("\t")
                edge = int(fields[0], 16), int(fields[1], 16)
                self.weight[edge] = int(fields[2])
                if len(fields) > 3 and fields[3].strip() == "1":
                    self.busy.add(edge)
        self.is_set = bool(self.weight) and not any(self.weight.values())

    def holds(self, entry, address):
        last = self.last[entry]
        if entry <= last:
            return entry <= address <= last
        return entry >> 16 == address >> 16 and (address - entry) & 0xFFFF <= (last - entry) & 0xFFFF


def along_waits(g, h):
    """The edges of g that run along a busy-wait edge of h."""
    waits = [(h.last[source], target) for source, target in h.busy]
    return {(s, t) for s, t in g.weight
            if any(g.holds(s, transfer) and g.holds(t, target) for transfer, target in waits)}


def hottest(weight, share):
    """The smallest prefix, heaviest first and then by name, that holds the share."""
    hot, held, asked = set(), 0, share * sum(weight.values())
    for edge in sorted(weight, key=lambda e: (-weight[e], e)):
        if held >= asked:
            break
        hot.add(edge)
        held += weight[edge]
    return hot


def ratio(part, whole):
    return None if whole == 0 else Fraction(part) / Fraction(whole)


def harmonic(a, b):
    if a is None or b is None:
        return None
    return Fraction(0) if a + b == 0 else 2 * a * b / (a + b)


def overlap(g, h):
    """Sum of the smaller relative weight."""
    w_g, w_h = sum(g.values()), sum(h.values())
    if w_g == 0 or w_h == 0:
        return None
    return sum((min(Fraction(n, w_g), Fraction(h[e], w_h)) for e, n in g.items() if e in h), Fraction(0))


def blocks(weight):
    into, out = {}, {}
    for (source, target), n in weight.items():
        out[source] = out.get(source, 0) + n
        into[target] = into.get(target, 0) + n
    return {b: max(into.get(b, 0), out.get(b, 0)) for b in into.keys() | out.keys()}


def named(weight, last):
    names = {}
    for (source, target), n in weight.items():
        if source not in last:
            return None
        name = last[source], target
        names[name] = names.get(name, 0) + n
    return names


def paper(g, h, share):
    hot = hottest(h, share)
    common = g.keys() & h.keys()
    similarity, precision = ratio(len(hot & g.keys()), len(hot)), ratio(len(common), len(g))
    return {"similarity": similarity, "precision": precision, "f1": harmonic(similarity, precision),
            "coverage": ratio(sum(h[e] for e in common), sum(h.values())), "overlap": overlap(g, h),
            "block_overlap": overlap(blocks(g), blocks(h)),
            "hot_edges": len(hot), "edges": len(g), "common_edges": len(common)}


def fair(g, h, is_set, share):
    if g is None or h is None:
        return None
    hot_g, hot_h = (set(g) if is_set else hottest(g, share)), hottest(h, share)
    both = hot_g & hot_h
    tolerant = None
    if hot_g and hot_h:
        threshold, tenth = min(h[e] for e in hot_h), Fraction(1, 10)
        p = ratio(sum(h.get(e, 0) >= (1 - tenth) * threshold for e in hot_g), len(hot_g))
        clear = {e for e in hot_h if h[e] >= threshold / (1 - tenth)}
        tolerant = harmonic(p, ratio(len(clear & hot_g), len(clear)) if clear else Fraction(1))
    error = sum(abs(g.get(e, 0) - h.get(e, 0)) for e in g.keys() | h.keys())
    return {"hot_recall": ratio(len(both), len(hot_h)), "hot_precision": ratio(len(both), len(hot_g)),
            "hot_f1": ratio(2 * len(both), len(hot_g) + len(hot_h)), "hot_f1_10": tolerant,
            "overlap": None if is_set else overlap(g, h),
            "count_error": None if is_set else ratio(error, sum(h.values())),
            "hot_g": len(hot_g), "hot_h": len(hot_h), "common_hot": len(both)}


def compare(g, h, share):
    result = {}
    for scope, without_g, without_h in (("whole", set(), set()), ("active", along_waits(g, h), h.busy)):
        in_g = {e: n for e, n in g.weight.items() if e not in without_g}
        in_h = {e: n for e, n in h.weight.items() if e not in without_h}
        result[scope] = paper(in_g, in_h, share)
        result[scope]["fair"] = fair(named(in_g, g.last), named(in_h, h.last), g.is_set, share)
    return result


def plain(value):
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return float(value) if isinstance(value, Fraction) else value


def differences(mine, theirs, where):
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in sorted(mine.keys() | theirs.keys()):
            yield from differences(mine.get(key, "missing"), theirs.get(key, "missing"), where + [key])
    elif mine != theirs and not (isinstance(mine, float) and isinstance(theirs, (int, float))
                                 and abs(mine - theirs) <= 2e-16 * abs(mine)):
        yield f"{'.'.join(where)}: {theirs}, not {mine}"


def main():
    g, h = Graph(sys.argv[1]), Graph(sys.argv[2])
    if len(sys.argv) == 3:
        print(json.dumps(plain(compare(g, h, Fraction(9, 10))), indent=1))
    wrong = []
    for path in sys.argv[3:]:
        theirs = json.load(open(path))
        mine = plain(compare(g, h, Fraction(str(theirs["hot"]))))
        for scope in mine:
            wrong += [f"{path}: {text}" for text in differences(mine[scope], theirs[scope], [scope])]
    sys.exit("\n".join(wrong) or 0)


main()
