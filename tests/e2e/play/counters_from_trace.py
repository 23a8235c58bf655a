#!/usr/bin/env python3
"""counters_from_trace.py TRACE EXACT.graph [TECHNIQUE NAME=VALUE...]...: computes from the trace of a program (.hgtrace) what techniques that
count along it must find with these parameters, straight from their definitions, and compares with TECHNIQUE.graph. They are entries, decay,
bursts and fifo.

Shares the decoder of packets.py with the test of packets, and nothing with the program that it checks.
"""
import sys
from collections import Counter

from packets import BRANCH, CALL, CALL_INDIRECT, JUMP, JUMP_INDIRECT, PLAIN, ProgramDecoder, RETURN, read_packets

CALLS = {CALL, CALL_INDIRECT}


class Graph:
    """A graph's file: blocks, edges by the pair of their addresses, and the counts in its comments."""

    def __init__(self, path):
        self.last, self.edges, self.named = {}, {}, {}
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if words[0] == "#block":
                self.last[int(words[1], 16)] = int(words[2], 16)
            elif not line.startswith("#"):
                self.edges[int(words[0], 16), int(words[1], 16)] = int(words[2])
            else:
                numbers = [word.lstrip("#") for word in words]
                self.named.update({a: int(b) for a, b in zip(numbers, numbers[1:]) if b.isdigit()})

    def pairs(self):
        return {(self.last[source], target): count for (source, target), count in self.edges.items()}


class Follower(ProgramDecoder):
    """Hands on what is executed: instruction by instruction, with its kind, in order."""

    def __init__(self, data, techniques):
        super().__init__(data)
        self.techniques, self.executed, self.once = techniques, 0, False
        self.at_first = dict(self.code)
        self.decode(read_packets(self.packets))
        for technique in techniques:
            technique.ends(self.executed)

    def change(self):
        self.once = True  # what goes on now does so only this time
        changed = super().change()
        self.once = False
        return changed

    def go(self, to):
        after, target, kind = self.code[self.at]
        for technique in self.techniques:
            technique.goes(self.executed, PLAIN if self.once else kind, self.at, to, target, to != after)
            if kind != PLAIN or self.once:
                technique.enters(self.executed + 1, to)
        self.executed += 1
        super().go(to)

    def begin(self, at):
        for technique in self.techniques:
            technique.begins(self.executed, at, self.at is not None)
            technique.enters(self.executed, at)
        super().begin(at)

    def resume(self, to):
        self.executed += 1
        super().resume(to)


class Technique:
    def __init__(self, values):
        self.values = values

    def goes(self, executed, kind, at, to, target, taken):
        """The instruction at `at`, before which `executed` others were, sends control to `to`."""

    def begins(self, executed, at, handler):
        """A context begins."""

    def enters(self, executed, at):
        """A block is entered by a transfer, or as a context begins."""

    def ends(self, executed):
        pass


class Entries(Technique):
    """Counters of routines."""

    heads = CALLS

    def __init__(self, values):
        super().__init__({"threshold": 0, **values})
        self.period = values.get("period", 0) * 10**6
        self.counts, self.hot, self.seen = Counter(), {}, set()
        self.transfers = self.halvings = 0

    def halve(self, executed):
        while self.period and executed >= self.period * (self.halvings + 1):
            self.halvings += 1
            self.counts = Counter({head: n // 2 for head, n in self.counts.items()})

    def count(self, executed, head):
        self.halve(executed)
        self.counts[head] += 1
        self.seen.add(head)
        if self.counts[head] == self.values["threshold"]:
            self.hot.setdefault(head, executed)

    def goes(self, executed, kind, at, to, target, taken):
        if kind in self.heads and (kind in CALLS or (taken and target <= at)):
            self.transfers += 1
            self.count(executed, to)

    def begins(self, executed, at, handler):
        self.count(executed, at)

    def ends(self, executed):
        self.halve(executed)
        if not self.values["threshold"]:
            enough = self.values["share"] * sum(self.counts.values())
            some = 0
            for head, n in sorted(self.counts.items(), key=lambda item: (-item[1], item[0])):
                if 1000 * some >= enough:
                    break
                some += n
                self.hot[head] = executed

    def check(self, found, exact, code):
        """code: where it was rewritten, what was there first."""
        for name, value in {"hot_heads": len(self.hot), "hot_routines": len(self.hot), "halvings": self.halvings,
                            "handler_calls": len(self.hot) if self.values["threshold"] else 0, "records": len(self.seen),
                            "first_hot_cycle": min(self.hot.values(), default=0), "probes": self.transfers}.items():
            assert found.named.get(name, value) == value, f"{name} {found.named[name]}, not {value}"
        out = {}
        for source, target in exact.edges:
            out.setdefault(source, []).append(target)
        reached, left = set(), [head for head in self.hot if head in exact.last]
        while left:
            block = left.pop()
            if block in reached:
                continue
            reached.add(block)
            after, _, kind = code[exact.last[block]]
            if kind in CALLS:
                left += [after] if after in exact.last else []
            elif kind != RETURN:
                left += out.get(block, [])
        edges = {edge for edge in exact.edges if edge[0] in reached}
        assert set(found.edges) == edges, f"{len(found.edges)} edges, not {len(edges)}: {sorted(set(found.edges) ^ edges)[:4]}"


class Decay(Entries):
    """The same, and of loops."""

    heads = CALLS | {BRANCH, JUMP}


class Bursts(Technique):
    def __init__(self, values):
        super().__init__(values)
        self.checks, self.pairs, self.straight, self.bursts = 0, Counter(), set(), 0
        self.inside = False

    def check_one(self):
        self.checks += 1
        since = self.checks - 1 - self.values["phase"]
        if since >= 0:
            self.inside = since % self.values["interval"] < self.values["burst"]
            self.bursts += since % self.values["interval"] == 0

    def goes(self, executed, kind, at, to, target, taken):
        if self.inside:
            self.pairs[at, to] += 1
        if kind in CALLS or kind == JUMP_INDIRECT or (kind in (BRANCH, JUMP) and taken and target <= at):
            self.check_one()

    def begins(self, executed, at, handler):
        if handler:
            self.check_one()

    def check(self, found, exact, code):
        for name, value in (("checks", self.checks), ("bursts", self.bursts)):
            assert found.named[name] == value, f"{name} {found.named[name]}, not {value}"
        lasts = set(found.last.values())
        wanted = {pair: n * self.values["interval"] // self.values["burst"] for pair, n in self.pairs.items() if pair[0] in lasts}
        differences = set(wanted.items()) ^ set(found.pairs().items())
        assert wanted and not differences, f"{len(differences)} differences of {len(wanted)}: {sorted(differences)[:4]}"
        within = {a for a, _ in self.pairs} - lasts  # these go straight on, each always to the same
        assert len({pair for pair in self.pairs if pair[0] in within}) == len(within)


class Fifo(Technique):
    """The queue, entry by entry."""

    def __init__(self, values):
        super().__init__(values)
        self.queue, self.free_at = [], 0
        self.offered = self.dropped = 0

    def enters(self, executed, at):
        self.offered += 1
        self.queue = [end for end in self.queue if end > executed]
        if len(self.queue) == self.values["depth"]:
            self.dropped += 1
            return
        self.free_at = max(self.free_at, executed) + self.values["cycles"]
        self.queue.append(self.free_at)

    def check(self, found, exact, code):
        for name, value in (("offered", self.offered), ("dropped", self.dropped), ("accepted", self.offered - self.dropped)):
            assert found.named[name] == value, f"{name} {found.named[name]}, not {value}"


def main():
    trace, exact, *words = sys.argv[1:]
    wanted = {}
    for word in words:
        name, _, value = word.partition("=")
        if value:
            wanted[list(wanted)[-1]][name] = int(value)
        else:
            wanted[name] = {}
    classes = {"entries": Entries, "decay": Decay, "bursts": Bursts, "fifo": Fifo}
    techniques = {name: classes[name](values) for name, values in wanted.items()}
    with open(trace, "rb") as file:
        follower = Follower(file.read(), techniques.values())
    for name, technique in techniques.items():
        try:
            technique.check(Graph(name + ".graph"), Graph(exact), follower.at_first)
        except AssertionError as difference:
            sys.exit(f"{name}: {difference}")


main()
