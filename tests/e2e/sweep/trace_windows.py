"""trace_windows.py TRACE EVERY BATCH LENGTH...: the windows of a recorded program, found by decoding its trace independently of
core/profile: a line `length number first instructions edges weight batches` for each. Batches of BATCH instructions in every EVERY."""

import collections
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "play"))
from exact_from_trace import canonical_edges
from packets import PLAIN, ProgramDecoder, read_packets


class Windows(ProgramDecoder):
    """Notes what has been executed at the first transfer after each step."""

    def __init__(self, data, step):
        super().__init__(data)
        self.executed, self.step, self.ends, self.transfers = 0, step, [], set()

    def go(self, to):
        after, _, kind = self.code[self.at]
        transfer = kind != PLAIN or to != after
        if transfer:
            self.transfers.add((self.at, to))
        super().go(to)
        self.executed += 1
        while transfer and self.executed >= self.step * (len(self.ends) + 1):
            self.ends.append((self.executed, self.pairs.copy()))

    def target(self, to):
        before = len(self.contexts)
        super().target(to)
        self.executed += len(self.contexts) < before  # the end of a handler


def begun(packets):
    """Addresses at which contexts begin: where tracing is enabled, and handlers."""
    last, before = 0, None
    for kind, _, value in packets:
        if kind == "psb":
            last = 0
        elif kind in ("tip", "pge", "fup", "pgd") and value[0]:
            last = last & 0xFFFF0000 | value[1] if value[0] == 1 else value[1]
        if kind == "pge" or kind == "tip" and before == "fup":
            yield last
        before = kind


def parts(whole, length):
    return max(1, (2 * whole + length) // (2 * length))


def main():
    data = open(sys.argv[1], "rb").read()
    every, batch, *lengths = map(int, sys.argv[2:])
    total = struct.unpack_from("<Q", data, 56)[0]
    decoder = Windows(data, lengths[0])
    packets = list(read_packets(decoder.packets))
    decoder.decode(packets)
    begins = set(begun(packets))
    steps = parts(total, lengths[0])
    ends = [(0, collections.Counter())] + decoder.ends[:steps - 1] + [(total, decoder.pairs)]
    assert len(ends) == steps + 1
    for length in lengths:
        count = parts(steps, length // lengths[0])
        for number in range(count):
            first = number * (length // lengths[0])
            last = first + length // lengths[0] if number + 1 < count else steps
            (begin, before), (end, pairs) = ends[first], ends[last]
            decoder.count = {pair: n - before[pair] for pair, n in pairs.items() if n > before[pair]}
            executed = {a for a, _ in decoder.count}
            decoder.transfer = {pair for pair in decoder.transfers if pair in decoder.count}
            decoder.entries = begins & executed
            edges = canonical_edges(decoder)
            whole = [(n - batch) // every if n >= every + batch else 0 for n in (begin, end)]
            print(length, number, begin, end - begin, len(edges), sum(edges.values()), whole[1] - whole[0], sep="|")


main()
