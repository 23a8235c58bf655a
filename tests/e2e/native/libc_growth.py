"""Compares how much the edges of a program and of libc grow if the program does its work more often.

libc_growth.py RECORDED.meta PROGRAM FEWER.recorded MORE.recorded FEWER.native MORE.native [THREADS]

What happens once, before probes are in or while the process ends, has no part in it. Returns of one byte that are
targets have no probe in libc: their edges may be missing, all of each. The probe library is one more file with
thread-local storage, for which libc does a little more for each of the THREADS that are started more often.
"""
import os
import subprocess
import sys


def read(path):
    edges, lasts = {}, {}
    with open(path) as lines:
        for line in lines:
            if line.startswith("#block"):
                _, entry, last = line.split()
                lasts[int(entry, 16)] = int(last, 16)
            elif line.strip() and not line.startswith("#"):
                source, target, count = line.split("\t")[:3]
                edges[int(source, 16), int(target, 16)] = int(count)
    return edges, lasts


def main(meta, program, *rest):
    graphs, threads = rest[:4], int(rest[4]) if len(rest) > 4 else 0
    with open(meta) as lines:
        images = [row.rstrip("\n").split("\t") for row in lines]
    images = [row for row in images if row[0] == "image"]
    starts = [int(row[1], 16) for row in images] + [1 << 32]
    counted = [(range(starts[i], starts[i + 1]), row[4]) for i, row in enumerate(images)
               if os.path.realpath(row[4]) == os.path.realpath(program) or row[4].endswith("/libc.so.6")]
    if len(counted) != 2:
        sys.exit("the program and libc are not both in the recording")

    def place(at):
        return next(((span, path) for span, path in counted if at in span), None)

    def growth(fewer, more):
        grown = {key: more.get(key, 0) - fewer.get(key, 0) for key in fewer.keys() | more.keys()}
        return {key: n for key, n in grown.items() if n != 0 and place(key[0]) and place(key[1])}

    (few, _), (many, lasts), (native_few, native_lasts), (native_many, _) = map(read, graphs)
    recorded, native = growth(few, many), growth(native_few, native_many)

    def lone_return(at):
        span, path = place(at)
        with open(path, "rb") as file:
            file.seek(lasts.get(at, at) - span.start)
            return path.endswith("/libc.so.6") and file.read(1) == b"\xc3" and not any(source == at for source, _ in native_many)

    # What the library does at the end of a program with threads must not call libc.
    if threads:
        base, libc = next((span.start, path) for span, path in counted if path.endswith("/libc.so.6"))
        rows = subprocess.run(["nm", "-D", libc], capture_output=True, text=True, check=True).stdout.split("\n")
        starts = {base + int(row.split()[0], 16): name for row in rows if len(row.split()) == 3
                  for name in [row.split()[2].split("@")[0]] if name in ("open64", "read", "close", "getpid", "gettid", "dlsym")}
        called = [starts[target] for _, target in native_few if target in starts] + [starts[at] for at in native_lasts if at in starts]
        if called or len(starts) != 6:
            sys.exit(f"the library has called {called}")

    equal = sum(native.get(key) == n for key, n in recorded.items())
    unknown = [key for key in recorded if key not in native and lone_return(key[0])]
    wrong = sorted(key for key in recorded.keys() | native.keys() if recorded.get(key) != native.get(key) and key not in unknown)
    a_thread = [key for key in wrong if threads and key in recorded and native.get(key, 0) - recorded[key] == threads]
    wrong = [key for key in wrong if len(a_thread) > 8 or key not in a_thread]
    for source, target in wrong[:20]:
        print(f"edge {source:#x} {target:#x}: recorded {recorded.get((source, target))}, native {native.get((source, target))}")
    print(f"{equal} edges equal, {len(unknown)} of returns without probes")
    if wrong or equal < 900 or len(unknown) * 20 > equal:
        sys.exit(1)


main(*sys.argv[1:])
