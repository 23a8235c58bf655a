#!/usr/bin/env python3
"""Counted host instructions compared with those of callgrind, and the table of what C functions cost.

    tests/costs.py check HOTGRAPH [GAME...]      counted against callgrind; fails beyond 3 %
    tests/costs.py measure HOTGRAPH [ROM...]     writes core/counted/costs.def anew: reference build; the bundled games and these
    tests/costs.py new HOTGRAPH [GAME...]        adds what functions cost that have no price and that SLOW calls

GAME is the name of a bundled game or a ROM's path; beside FILE.nes may lie its movie, FILE.fm2.

All run in the project's folder. COSTS_FRAMES says which frames, COSTS_WAYS who watches; `new` needs few: COSTS_FRAMES="300 500".
Callgrind's costs are of source lines: those of a function, and of what it
calls outside of the counted rooms (the C library, core/base), belong to the function in whose source they
stand, wherever the compiler has put them. A price is the sum of these over its calls.
"""
import collections
import concurrent.futures
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "core", "counted", "costs.def")
sys.path.insert(0, os.path.join(ROOT, "core", "counted"))
from functions import defined, functions_of, name_of, sources  # noqa: E402

GAMES = ("airmail", "brindle", "burrow", "fresnel", "mazewisp", "rumpus", "starling", "umbel")
# Without MALLOC_PERTURB_, with which meson tests: filling memory costs instructions, too.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
# The steady state's first frame, and the last one; COSTS_FRAMES="600 1200" is quicker.
FROM, FRAMES = (int(n) for n in os.environ.get("COSTS_FRAMES", "3000 3600").split())
AT_MOST, TRANSLATED_AT_MOST = 3.0, 0.2  # percent
GOLDEN = ("--by", "active", "--per-million", "600", "--place")
# who watches: the ordinary command, and what `cost` is told
WAYS = {
    "replay": (("replay",), ("--watch", "nobody")),
    "exact": (("exact", "--out", "OUT.graph"), ("--technique", "exact")),
    "structure": (("structure", "--out", "OUT.structure"), ("--watch", "structure")),
    "time": (("sample", "--out", "OUT.hgstream"), ("--watch", "sampler")),
    "time2": (("sample", "--batch", "2", "--out", "OUT.hgstream"), ("--batch", "2", "--watch", "sampler")),
    "clock": (("sample", "--by", "clock", "--out", "OUT.hgstream"), ("--by", "clock", "--watch", "sampler")),
    "clock_window": (("sample", "--by", "clock", "--window", "16", "--out", "OUT.hgstream"),
                      ("--by", "clock", "--window", "16", "--watch", "sampler")),
    "golden": (("sample", *GOLDEN, "golden", "--structure", "STRUCTURE", "--out", "OUT.hgstream"),
               (*GOLDEN, "golden", "--structure", "STRUCTURE", "--watch", "sampler")),
    "calls": (("sample", *GOLDEN, "calls", "--structure", "STRUCTURE", "--out", "OUT.hgstream"),
              (*GOLDEN, "calls", "--structure", "STRUCTURE", "--watch", "sampler")),
    "lbr": (("sample", "--by", "lbr", "--interval-ms", "30", "--out", "OUT.hgstream"),
            ("--by", "lbr", "--interval-ms", "30", "--watch", "sampler")),
    "lbr_taken": (("sample", "--by", "lbr_taken", "--every", "5000", "--out", "OUT.hgstream"),
                  ("--by", "lbr_taken", "--every", "5000", "--watch", "sampler")),
    "entries": (("profile", "--technique", "entries", "--out", "OUT.graph"), ("--technique", "entries")),
    "decay": (("profile", "--technique", "decay", "--out", "OUT.graph"), ("--technique", "decay")),
    "exact_tree": (("profile", "--technique", "exact_tree", "--first", "50", "--out", "OUT.graph"),
                   ("--technique", "exact_tree", "--first", "50")),
    "hybrid": (("profile", "--technique", "hybrid", "--first", "50", "--out", "OUT.graph"),
               ("--technique", "hybrid", "--first", "50")),
    "bursts": (("profile", "--technique", "bursts", "--interval", "101", "--out", "OUT.graph"),
               ("--technique", "bursts", "--interval", "101")),
}
# Called at each transfer: callgrind would take hours for the frames and games of the others.
SLOW = {
    "net": (("profile", "--technique", "net", "--out", "OUT.graph"), ("--technique", "net")),
    "lei": (("profile", "--technique", "lei", "--out", "OUT.graph"), ("--technique", "lei")),
    "fifo": (("profile", "--technique", "fifo", "--out", "OUT.graph"), ("--technique", "fifo")),
    "paths": (("profile", "--technique", "paths", "--out", "OUT.graph"), ("--technique", "paths")),
    "pep": (("profile", "--technique", "pep", "--out", "OUT.graph"), ("--technique", "pep")),
}
FRAME = "movie_play_frame"  # the counted part: everything that this function calls
SUFFIX = re.compile(r"\.(part|lto_priv|isra|constprop|cold).*")


class Lines:
    """Which function a line of a source belongs to."""

    def __init__(self):
        self.files, self.last = defined(ROOT), ""
        self.of = {}
        for path in sources(ROOT):
            file = os.path.basename(path)
            for name, first, last in functions_of(path):
                for line in range(first, last + 1):
                    self.of[file, line] = name_of(name, file, self.files)

    def function(self, file, line, symbol, symbol_file):
        known = self.of.get((file, line))
        if known:
            self.last = known
        elif symbol.startswith("0x"):  # code without line numbers, called by translated code
            return self.last
        return known or name_of(SUFFIX.sub("", symbol), symbol_file, self.files)


def counted_room(path):
    return "/core/nes/" in path or "/core/dbt/" in path or "/core/profile/" in path


def callgrind(path, lines):
    """Costs by function; those of translated code are "", of all frames "total"."""
    names, costs, lines = {}, collections.Counter(), copy.copy(lines)
    here = {"ob": "", "fl": "", "fn": ""}
    call, at, file = None, 0, ""
    with open(path, encoding="utf-8", errors="replace") as out:
        for line in out:
            match = re.match(r"(c?)(ob|fl|fi|fe|fn)=\((\d+)\)(?: (.*))?$", line)
            if match:
                called, what, number, text = match.groups()
                kind = "fl" if what in ("fi", "fe", "fl") else what
                if text is not None:
                    names[kind, number] = text
                name = names[kind, number]
                if called:
                    call = call or {"ob": here["ob"], "fl": file}
                    call[kind] = name
                elif what in ("fi", "fe"):
                    file = name
                else:
                    here[kind] = name
                    if kind == "fl":
                        file = name
                continue
            match = re.match(r"([+\-*]?)(\d*) (\d+)$", line.rstrip())
            if match is None:
                continue
            sign, number, cost = match.groups()
            at = at + int(number or 0) if sign == "+" else at - int(number) if sign == "-" else at if sign == "*" else int(number)
            cost = int(cost)
            known = counted_room(file)
            inside = known or counted_room(here["fl"])
            if call is not None:
                if inside and not counted_room(call["fl"]) and not call["ob"] == call["fl"] == "???":
                    costs[lines.function(os.path.basename(file), at, here["fn"], os.path.basename(here["fl"]))] += cost
                call = None
                continue
            costs["total"] += cost
            if here["ob"] == "???" and file == "???":
                costs[""] += cost
            elif inside:
                costs[lines.function(os.path.basename(file), at, here["fn"], os.path.basename(here["fl"]))] += cost
    return costs


def filled(words, folder):
    return [w.replace("OUT", os.path.join(folder, "out")).replace("STRUCTURE", os.path.join(folder, "game.structure")) for w in words]


def played(game):
    """The words that say what is played."""
    movie = os.path.splitext(game)[0] + ".fm2"
    return [game, "--movie", movie] if game.endswith(".nes") and os.path.exists(movie) else [game]


def learn_structure(hotgraph, way, game, folder):
    if "STRUCTURE" in way[0]:
        subprocess.run([hotgraph, "structure", *played(game), "--frames", str(FRAMES), "--out", f"{folder}/game.structure"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_callgrind(hotgraph, way, game, frames, lines):
    with tempfile.TemporaryDirectory() as folder:
        learn_structure(hotgraph, way, game, folder)
        words = filled(way[0], folder)
        subprocess.run(["valgrind", "--tool=callgrind", "--smc-check=all", "--toggle-collect=" + FRAME, f"--callgrind-out-file={folder}/cg",
                        hotgraph, words[0], *played(game), "--frames", str(frames), *words[1:]],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        return callgrind(f"{folder}/cg", lines)


def run_counted(hotgraph, way, game):
    """The sums and the calls by function: of all frames, and of the steady state."""
    with tempfile.TemporaryDirectory() as folder:
        learn_structure(hotgraph, way, game, folder)
        out = subprocess.run([hotgraph, "cost", *played(game), "--frames", str(FRAMES), "--from", str(FROM), "--json", "--functions",
                              f"{folder}/f", *filled(way[1], folder)], check=True, capture_output=True, text=True).stdout
        with open(f"{folder}/f", encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        sums = json.loads(out)["with"]
        return [({"host": sums["host" + end], "translated": sums["translated" + end]},
                 {row[0]: int(row[column]) for row in rows}) for end, column in (("", 1), ("_steady", 2))]


def difference(a, b):
    return collections.Counter({k: a[k] - b[k] for k in set(a) | set(b)})


def windows(hotgraph, games, names):
    """{(game, way, window): (callgrind's costs by function, counted sums, calls by function)}"""
    lines, result = Lines(), {}

    def one(job):
        game, name = job
        way = {**WAYS, **SLOW}[name]
        middle, end = (run_callgrind(hotgraph, way, game, frames, lines) for frames in (FROM, FRAMES))
        whole, steady = run_counted(hotgraph, way, game)
        return [((game, name, "whole"), (end, *whole)), ((game, name, "steady"), (difference(end, middle), *steady))]

    jobs = [(game, name) for game in games for name in names]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("COSTS_JOBS", os.cpu_count()))) as pool:
        for pairs in pool.map(one, jobs):
            result.update(pairs)
    return result


def check(hotgraph, games, names):
    bad, of = [], windows(hotgraph, games, names)
    frames = {"whole": FRAMES, "steady": FRAMES - FROM}
    print(f"{'game':10}{'who watches':12}{'frames':8}{'callgrind':>12}{'counted':>12}{'off, %':>8}"
          f"{'added: callgrind':>18}{'counted, %':>12}{'translated: callgrind':>23}{'counted':>10}")
    for (game, name, window), (theirs, ours, calls) in sorted(of.items()):
        n = frames[window]
        total, counted = theirs["total"] / n, ours["host"] / n
        bare = of[game, "replay", window]
        bare_total, bare_counted = bare[0]["total"] / n, bare[1]["host"] / n
        off = 100 * (counted / total - 1)
        if abs(ours["translated"] / theirs[""] - 1) > TRANSLATED_AT_MOST / 100:
            bad.append(f"{game}, {name}, {window}: {ours['translated']} instructions of translated code, not {theirs['']}")
        print(f"{game:10}{name:12}{window:8}{total:12.0f}{counted:12.0f}{off:8.2f}{100 * (total / bare_total - 1):18.2f}"
              f"{100 * (counted / bare_counted - 1):12.2f}{theirs[''] / n:23.1f}{ours['translated'] / n:10.1f}")
        if abs(off) > AT_MOST:
            bad.append(f"{game}, {name}, {window}: {off:.2f} %")
    for line in bad:
        print("too far off:", line, file=sys.stderr)
    return 1 if bad else 0



# ---- the table ----


def callees(lines):
    """function -> the functions whose names stand in its source"""
    result = collections.defaultdict(set)
    known = set(lines.of.values())
    with open(os.path.join(ROOT, "core", "nes", "cpu", "cpu_loop.h"), encoding="utf-8") as header:
        loop = header.read().split("\n")
    for path in sources(ROOT):
        file = os.path.basename(path)
        with open(path, encoding="utf-8") as source:
            text = source.read().split("\n")
        for name, first, last in functions_of(path):
            mine = name_of(name, file, lines.files)
            body = text[first - 1:last]
            if "#define LOOP_FUNCTION" in text[first - 1] or "#define LOOP_FUNCTION" in text[first - 2]:
                body = text + loop  # the function's body is the header
            for word in set(re.findall(r"\w+", "\n".join(body))):
                theirs = name_of(word, file, lines.files)
                if theirs in known and theirs != mine:
                    result[mine].add(theirs)
    return result


def least_squares(rows, sides, weights, count):
    """Prices >= 0 that give the least weighted squared errors, by descent along one coordinate after the other."""
    prices = [0.0] * count
    errors = list(sides)
    norms = [sum(w * row[j] ** 2 for row, w in zip(rows, weights)) for j in range(count)]
    for _ in range(400):
        moved = 0.0
        for j in range(count):
            if norms[j] == 0:
                continue
            step = sum(w * row[j] * error for row, error, w in zip(rows, errors, weights)) / norms[j]
            step = max(step, -prices[j])
            prices[j] += step
            errors = [error - step * row[j] for row, error in zip(rows, errors)]
            moved = max(moved, abs(step) / (1 + prices[j]))
        if moved < 1e-6:
            break
    return prices


def fit(of, priced=frozenset()):
    """The cost of a call of each function: that of its own lines. What varies with the calls that it makes becomes part of
    the prices of those functions, but not of `priced` ones, whose prices stay."""
    lines = Lines()
    made, keys = callees(lines), sorted(of)
    prices = collections.Counter()
    for function in sorted(set().union(*(of[key][2] for key in keys))):
        sides = [of[key][0].get(function, 0) for key in keys]
        if not any(sides):
            prices[function] += 0
            continue
        names = [function] + sorted(made[function] & set().union(*(of[key][2] for key in keys)) - priced)
        rows = [[of[key][2].get(name, 0) for name in names] for key in keys]
        names = [name for j, name in enumerate(names) if any(row[j] for row in rows)]
        rows = [[of[key][2].get(name, 0) for name in names] for key in keys]
        weights = [1 / of[key][0]["total"] ** 2 for key in keys]
        for name, price in zip(names, least_squares(rows, sides, weights, len(names))):
            prices[name] += price
    return prices


def measured(program, games, names, priced=frozenset()):
    return {name: round(1000 * price) for name, price in fit(windows(program, games, names), priced).items()}


def table():
    """The prices in the tree, in thousandths, of functions that are still there."""
    lines = Lines()
    with open(TABLE, encoding="utf-8") as file:
        prices = dict(re.findall(r'^COST\("(.*)", (\d+)\)$', file.read(), re.M))
    known = set(lines.of.values()) | set(lines.files)  # the latter: of headers, where another file has one of that name
    return {name: int(price) for name, price in prices.items() if name in known}


def write_table(prices):
    with open(TABLE, "w", encoding="utf-8") as file:
        print("/*\n * costs: what a call of each C function costs, without the functions that it calls: thousandths of a host"
              "\n * instruction. The mean of the bundled games and of twelve homebrew games with other boards (docs/cost.md), in the"
              "\n * reference build (gcc 12, -O3, link-time optimisation)."
              "\n * Written by `tests/costs.py measure`; the build reads it (object.py). A name that several files have is"
              "\n * FILE:NAME.\n */", file=file)
        for name in sorted(prices):
            print(f'COST("{name}", {prices[name]})', file=file)


def main(what, program, *games):
    if what == "measure":
        ways = os.environ.get("COSTS_WAYS", "").split() or WAYS
        write_table({**table(), **measured(program, [*GAMES, *games], ways)})  # those of SLOW stay
        return 0
    games = [name for word in games for name in word.split(",")] or GAMES
    if what == "check":
        return check(program, games, os.environ.get("COSTS_WAYS", "").split() or WAYS)
    if what == "new":
        known = table()
        write_table({**measured(program, games, os.environ.get("COSTS_WAYS", "").split() or SLOW, frozenset(known)), **known})
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else main("", ""))
