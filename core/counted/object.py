#!/usr/bin/env python3
"""Links the counted build into one object that has no symbols but counted_replay() and counted_here(), and lists its functions.

    object.py ROOT COSTS LD OBJCOPY READELF OBJECT FUNCTIONS.c ARCHIVE... ITSELF

ITSELF is the archive of what counts; its own allocations are not counted.
"""
import os
import re
import subprocess
import sys

from functions import defined, name_of, sources

root, costs, ld, objcopy, readelf, target, listed, *archives = sys.argv[1:]
ALLOCATORS = ("malloc", "calloc", "realloc", "aligned_alloc", "free")  # core/counted/heap.c stands in their place
KEPT = ("counted_replay", "counted_here", "counted_functions", "counted_function_count")

wrapped = [f"--wrap={name}" for name in ALLOCATORS]
*measured, itself = archives
subprocess.run([ld, "-r", "-o", target + ".part", *wrapped, "--whole-archive", *measured], check=True)
subprocess.run([ld, "-r", "-o", target + ".all", target + ".part", "--whole-archive", itself], check=True)
os.remove(target + ".part")
prices = {}
with open(costs, encoding="utf-8") as file:
    for line in file:
        match = re.match(r'COST\("([^"]+)", (\d+)\)', line)
        if match:
            prices[match.group(1)] = int(match.group(2))
files = defined(root)
profiler = {os.path.basename(path) for path in sources(root) if "/core/profile/" in path}
symbols, file = [], ""  # (name, file or "" of a global one, offset)
table = subprocess.run([readelf, "-sW", target + ".all"], check=True, capture_output=True, text=True).stdout
for line in table.splitlines():
    fields = line.split()
    if len(fields) < 8 or fields[3] not in ("FILE", "FUNC") or fields[6] == "UND":
        continue
    if fields[3] == "FILE":
        file = fields[7]
    elif fields[7] in files or fields[7] == "counted_replay":
        symbols.append((fields[7], file if fields[4] == "LOCAL" else "", int(fields[1], 16)))
static = {(name, file) for name, file, _ in symbols}
base = next(offset for name, _, offset in symbols if name == "counted_replay")
functions = []
for name, file, offset in symbols:
    if not file:  # the one that is not static where another is
        file = next((f for f in sorted(files.get(name, ())) if (name, f) not in static), "")
    functions.append((offset, name_of(name, file, files), file in profiler))
with open(listed, "w", encoding="utf-8") as out:
    print('#include "counted/tally.h"\nconst struct counted_function counted_functions[] = {', file=out)
    for offset, name, of_profiler in sorted(functions):
        print(f'    {{{offset - base}, "{name}", {prices.get(name, 0)}, {int(name in prices)}, {int(of_profiler)}}},', file=out)
    print("};\nconst size_t counted_function_count = sizeof counted_functions / sizeof *counted_functions;", file=out)
keep = [f"--keep-global-symbol={name}" for name in KEPT]
subprocess.run([objcopy, *keep, target + ".all", target], check=True)
os.remove(target + ".all")
