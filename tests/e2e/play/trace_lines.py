"""Reads a full trace, as `hotgraph replay --help` describes it."""
import sys


def feed(program):
    """Tells `program` what the trace on stdin says: each executed instruction, each interrupt, each reset (the trace's start is one), and where the running thread went on when it ended."""
    suspended = None  # (where the thread would go on, S before the push), until the handler begins
    ended = None      # where the running thread stood when a reset or the trace's end came
    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        if fields[1] != "*":
            _, _, address, code, _, registers = fields
            s = int(registers[registers.index("S:") + 2:][:2], 16)
            program.executes(int(address, 16), len(code) // 2, int(code[:2], 16), s)
            continue
        _, _, change, cause, address, s = fields
        address, s = int(address, 16), int(s[2:], 16)
        if change == "suspended":
            suspended = address, (s + 3) & 0xFF
        elif change == "begins" and cause in ("NMI", "IRQ"):
            program.interrupted(address, *suspended)
        elif change == "begins":
            program.reset(address, ended)
            ended = None
        elif change == "ends" and cause in ("reset", "start") and ended is None:
            ended = address  # the first of them is the running thread
    if ended is not None:
        program.goes_on_at(ended)
