#!/usr/bin/env python3
"""Acyclic paths, computed straight from their definition, from a full trace on stdin; the argument is the exact graph of the same frames.

Written apart from the program that it checks: a path here is the list of its instructions, kept in full. Prints what `hotgraph profile --technique paths` counts, one `name value` per line.
"""
import sys
from collections import Counter, defaultdict

from trace_lines import feed

BRANCHES = {0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0}
TRANSFERS = BRANCHES | {0x4C, 0x6C, 0x20, 0x60, 0x40, 0x00}
JSR, RTS, RTI, BRK = 0x20, 0x60, 0x40, 0x00
LEAVES = {JSR, RTS, RTI, BRK}


class Paths:
    def __init__(self):
        self.paths = Counter()        # (start, ((a, b), ...)) -> times; b is None after a return
        self.pairs = Counter()
        self.opcode = {}
        self.begins = Counter()
        self.stack = []               # [S after the push, where it would go on, its path], oldest first
        self.path = None              # [start, pairs] of the running context
        self.last = None

    def start(self, address):
        self.path = [address, []]

    def end(self):
        if self.path is not None:
            self.paths[self.path[0], tuple(self.path[1])] += 1
        self.path = None

    def goes_on_at(self, b):
        if self.last is None:
            return
        a, size, opcode, s = self.last
        self.last = None
        if opcode == RTI:
            self.stack = [entry for entry in self.stack if not entry[0] < s]
            if self.stack and self.stack[-1][0] == s:
                _, back, path = self.stack.pop()
                if back == b:
                    self.path[1].append((a, None))
                    self.end()
                    self.path = path
                    return
        self.pairs[a, b] += 1
        self.opcode[a] = opcode
        self.path[1].append((a, None if opcode in (RTS, RTI) else b))
        following = a + size if a >> 16 else (a + size) & 0xFFFF
        if opcode in LEAVES or (b <= a and (opcode in TRANSFERS or b != following)):
            self.end()
            self.start(b)

    def executes(self, address, size, opcode, s):
        self.goes_on_at(address)
        self.last = (address, size, opcode, s)

    def interrupted(self, entry, back, s_before):
        self.goes_on_at(back)
        self.stack = [e for e in self.stack if not e[0] < s_before]
        self.stack.append(((s_before - 3) & 0xFF, back, self.path))
        del self.stack[:-16]
        self.begins[entry] += 1
        self.start(entry)

    def reset(self, entry, back):
        if back is not None:
            self.goes_on_at(back)
        self.last = None
        self.stack = []
        self.begins[entry] += 1
        self.start(entry)


class Program:
    """What the exact graph adds: blocks, and which edges are a busy-wait's."""

    def __init__(self, path, paths):
        entry_of, self.busy = {}, set()
        self.entry = {}  # of a block, by its last instruction
        edges = []
        for line in open(path):
            fields = line.split()
            if fields[0] == "#block":
                self.entry[int(fields[2], 16)] = int(fields[1], 16)
                entry_of[int(fields[1], 16)] = int(fields[2], 16)
            elif not line.startswith("#"):
                edges.append((int(fields[0], 16), int(fields[1], 16), fields[3] != "0"))
        for source, target, busy in edges:
            if busy:
                self.busy.add((entry_of[source], target))
        after = defaultdict(set)
        self.into, self.out, self.starts = Counter(paths.begins), Counter(), Counter(paths.begins)
        for (a, b), count in paths.pairs.items():
            after[a].add(b)
            self.into[b] += count
            self.out[a] += count
            if paths.opcode[a] in LEAVES or b <= a:
                self.starts[b] += count
        self.pairs = paths.pairs
        self.splits = {a for a in after if len(after[a]) > 1 and paths.opcode[a] not in LEAVES}

    def decisions(self, pairs):
        return sum(pair[0] in self.splits and pair not in self.busy for pair in pairs)

    def definite(self, start, pairs):
        count = self.starts[start]
        for a, b in pairs:
            if b is not None and a in self.entry:
                count -= max(self.out[a], self.into[self.entry[a]]) - self.pairs[a, b]
        return max(count, 0)


def main():
    paths = Paths()
    feed(paths)
    program = Program(sys.argv[1], paths)
    flows, fixed = [], 0
    for (start, pairs), count in paths.paths.items():
        decisions = program.decisions(pairs)
        flows.append(count * decisions)
        fixed += decisions * min(count, program.definite(start, pairs))
    hot = [flow for flow in flows if flow > 0 and flow * 800 >= sum(flows)]
    print("records", len(paths.paths))
    print("paths", sum(flow > 0 for flow in flows))
    print("hot_paths", len(hot))
    print("path_flow", sum(flows))
    print("hot_path_flow", sum(hot))
    print("path_ends", sum(paths.paths.values()))
    print("fixed_flow", fixed)


main()
