#!/usr/bin/env python3
"""Checks that no files of a library use each other in a circle: circles.py LIBRARY.a...

A file uses the symbols that its object leaves undefined and another one defines. There are no exceptions: the table of mappers is above the mappers, too.
"""
import subprocess
import sys


def symbols(libraries):
    """({symbol: file that defines it}, {file: symbols that it wants})"""
    defined, wanted = {}, {}
    for library in libraries:
        out = subprocess.run(["nm", "-A", "-P", library], capture_output=True, text=True, check=True)
        for line in out.stdout.splitlines():
            place, name, kind = line.split()[:3]
            file = place.rstrip(":]").split("/")[-1].split("[")[-1].removesuffix(".o")
            wanted.setdefault(file, set())
            if kind == "U":
                wanted[file].add(name)
            elif kind in "TDRB":
                defined[name] = file
    return defined, wanted


def circle(uses):
    """A list of files, each using the next and the last the first; None when there is none."""
    done = set()

    def visit(file, path):
        if file in path:
            return path[path.index(file):]
        if file in done:
            return None
        for other in sorted(uses[file]):
            found = visit(other, path + [file])
            if found:
                return found
        done.add(file)
        return None

    for file in sorted(uses):
        found = visit(file, [])
        if found:
            return found
    return None


def main():
    defined, wanted = symbols(sys.argv[1:])
    uses = {file: {defined[n] for n in names if n in defined and defined[n] != file}
            for file, names in wanted.items()}
    if sum(map(len, uses.values())) < len(uses) / 2:
        print("these objects hardly use each other: is this the right list?", file=sys.stderr)
        return 1
    found = circle(uses)
    if found:
        print("a circle of files: " + " -> ".join(found + found[:1]), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
