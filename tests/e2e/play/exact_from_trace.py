#!/usr/bin/env python3
"""The exact graph, computed straight from its definition, from a full trace on stdin.

Written apart from the program that it checks: no counters, no flow conservation, no shared code. Prints the edges as `source target count`, one per line, sorted.
"""
from collections import defaultdict

from trace_lines import feed

TRANSFERS = {0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0,  # branches
             0x4C, 0x6C, 0x20, 0x60, 0x40, 0x00}               # JMP JMP() JSR RTS RTI BRK
RTI = 0x40


class Program:
    """Threads as the definition has them, fed with one executed instruction or interrupt after the other."""

    def __init__(self):
        self.count = defaultdict(int)   # N(a, b)
        self.transfer = set()           # pairs that are transfers
        self.entries = set()
        self.stack = []                 # (S after the push, where the thread would go on), oldest first
        self.last = None                # (address, size, opcode, S before) of what has just completed

    def goes_on_at(self, address):
        """The last completed instruction is followed by `address`: counts the pair, or resumes a context after an RTI."""
        if self.last is None:
            return
        a, size, opcode, s = self.last
        self.last = None
        if opcode == RTI:
            self.stack = [entry for entry in self.stack if not entry[0] < s]
            if self.stack and self.stack[-1][0] == s:
                _, back = self.stack.pop()
                if back == address:
                    return
        self.count[a, address] += 1
        following = a + size if a >> 16 else (a + size) & 0xFFFF
        if opcode in TRANSFERS or address != following:
            self.transfer.add((a, address))

    def executes(self, address, size, opcode, s):
        self.goes_on_at(address)
        self.last = (address, size, opcode, s)

    def interrupted(self, entry, back, s_before):
        self.goes_on_at(back)
        self.stack = [e for e in self.stack if not e[0] < s_before]
        self.stack.append(((s_before - 3) & 0xFF, back))
        del self.stack[:-16]
        self.entries.add(entry)

    def reset(self, entry, back):
        if back is not None:
            self.goes_on_at(back)
        self.last = None
        self.stack = []
        self.entries.add(entry)


def canonical_edges(p):
    """Maximal basic blocks over N, and the edges between them, named by block entries."""
    after, before = defaultdict(set), defaultdict(set)
    for a, b in p.count:
        after[a].add(b)
        before[b].add(a)
    leaders = set(p.entries)
    leaders |= {b for _, b in p.transfer}
    leaders |= {b for b in before if len(before[b]) > 1}
    leaders |= {b for b in before for a in before[b] if len(after[a]) > 1}
    leaders |= {a for a in after if not before[a]}
    entry_of = {}
    for leader in leaders:
        at = leader
        while True:
            entry_of[at] = leader
            following = after.get(at, set())
            if len(following) != 1:
                break
            (at,) = following
            if at in leaders:
                break
    edges = defaultdict(int)
    for (a, b), n in p.count.items():
        if b in leaders:
            edges[entry_of[a], b] += n
    return edges


def main():
    program = Program()
    feed(program)
    for (source, target), count in sorted(canonical_edges(program).items()):
        print(f"0x{source:x}\t0x{target:x}\t{count}")


if __name__ == "__main__":
    main()
