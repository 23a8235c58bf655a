#!/usr/bin/env python3
"""Exact edge graphs of native programs, by probes and by other tools: bench_peers.py [--quick] HOTGRAPH SOURCES [PROGRAM...]

Each program runs alone and under each tool in turns, once with work and once with nearly none. Printed for each tool:

  times  processor time (user and system) over that of the program alone; the best of ROUNDS (3; callgrind and QEMU: 1)
  work   the same of what the work adds: without the start of program and tool
  edges  of those that QEMU counts in the program's own code, how many the tool counts equally; without returns where the tool
         has none, and without linkage stubs, which the others' imports leave out. `wrong`: edges that it counts otherwise, or that QEMU does not have

and at the end the geometric means. gcov and llvm-bolt need the sources, or relocations, and so do only the programs that are built here.
With --quick: two programs with little work, to see whether it works at all. Tools that are missing are left out."""
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

QUICK = "--quick" in sys.argv[1:]
HOTGRAPH, SOURCES, *ONLY = [word for word in sys.argv[1:] if word != "--quick"]
HOTGRAPH, SOURCES = os.path.abspath(HOTGRAPH), os.path.abspath(SOURCES)
ROUNDS = int(os.environ.get("ROUNDS", "1" if QUICK else "3"))
BOLT = "/usr/lib/llvm-19/bin/llvm-bolt"  # the one in /usr/bin does not find its runtime library
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent", "TZ": "UTC0", "PYTHONHASHSEED": "0",
       "PERL_HASH_SEED": "0"}  # as record has it
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)  # for the programs, which look whether nohup ignores them
NEEDS = {
    "graph": "nothing: Debian's file, stripped",
    "callgrind": "nothing; no edges of returns",
    "record": "nothing; runs under QEMU, libraries are counted, too",
    "bolt": "relocations in the file, which is written anew; no returns",
    "gcov": "the source, compiled again; counts lines and arcs of it, no addresses",
    "uftrace": "symbols for functions, or nothing for calls of libraries; counts calls only",
    "perf": "nothing; samples (cpu-clock)",
}
SHELL = """i=0; s=0; while [ $i -lt COUNT ]; do s=$(( (s * 31 + i) % 65521 )); case $s in *7) t=$s;; *) t=0;; esac; i=$((i + 1)); done; echo $s $t"""
MAWK = """{ for (i = 1; i <= NF; i++) { n[length($i)]++; s += index($i, "e") } } END { print s, n[4] }"""


class Failed(Exception):
    """A tool that is not here, or ended with an error."""


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words, given=os.devnull, env=None):
    """Processor seconds of a command, and its output."""
    before = spent()
    with open(given, "rb") as file:
        done = subprocess.run(words, stdin=file, capture_output=True, env=env or ENV, check=False)
    if done.returncode != 0:
        raise Failed(f"{os.path.basename(words[0])}: status {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return spent() - before, done.stdout


def build(name, source, *flags):
    subprocess.run(["gcc", "-O2", source, "-o", name, *flags, "-lm"], check=True)
    return os.path.abspath(name)


def programs():
    """name: command with work, command with none, whether it is built here. In both, standard input is the second element."""
    subprocess.run([sys.executable, os.path.join(SOURCES, "programs", "inputs.py"), "."], check=True)
    with open("none", "w", encoding="utf-8") as file:
        file.write("\n")
    part = 8 if QUICK else 1
    with open("text-1500k", "rb") as file:
        text = file.read()
    for name, size in ("work.txt", 1500000), ("less.txt", 400000):
        with open(name, "wb") as file:
            file.write(text[:size // part])
    for name, count in ("work.sh", 40000 // part), ("none.sh", 1):
        with open(name, "w", encoding="utf-8") as file:
            file.write(SHELL.replace("COUNT", str(count)))
    turns = 1 if QUICK else 6
    with open("words.txt", "wb") as file:
        file.write(text[:400000 // part] * (1 if QUICK else 4))
    for name, loop in ("many.lua", f"for i = 1, {turns} do dofile('work.lua') end"), \
                      ("many.py", f"for turn in range({turns}): exec(open('work.py').read())"):
        with open(name, "w", encoding="utf-8") as file:
            file.write(loop + "\n")
    for name in "none.lua", "none.pl", "none.py", "none.awk":
        with open(name, "w", encoding="utf-8") as file:
            file.write("BEGIN { x = 1 }\n" if name == "none.awk" else "\n")
    kernels = build("kernels", os.path.join(SOURCES, "programs", "kernels.c"), "-fno-reorder-blocks-and-partition", "-Wl,--emit-relocs")
    yes = {"kernels": ([kernels, str(48 // part)], [kernels, "0"], None, None)}
    found = {
        "gzip": (["gzip", "-9", "-c"], ["gzip", "-9", "-c"], "work.txt", "none"),
        "bzip2": (["bzip2", "-9", "-c"], ["bzip2", "-9", "-c"], "less.txt", "none"),
        "xz": (["xz", "-6", "-T1", "-c"], ["xz", "-6", "-T1", "-c"], "less.txt", "none"),
        "lua5.4": (["lua5.4", "many.lua"], ["lua5.4", "none.lua"], None, None),
        "gawk": (["gawk", "-f", "work.awk"], ["gawk", "-f", "none.awk"], "words.txt", "none"),
        "mawk": (["mawk", MAWK], ["mawk", MAWK], "words.txt", "none"),
        "python3": (["python3", "-S", "-s", "-B", "-P", "many.py"], ["python3", "-S", "-s", "-B", "-P", "none.py"], None, None),
        "perl": (["perl", "work.pl"], ["perl", "none.pl"], "words.txt", "none"),
        "bash": (["bash", "work.sh"], ["bash", "none.sh"], None, None),
    }
    for name, (work, none, *given) in found.items():
        path = shutil.which(name, path=ENV["PATH"])
        if path is not None:
            path = os.path.realpath(path)
            yes[name] = ([path] + work[1:], [path] + none[1:], *given)
    if QUICK:
        yes = {name: yes[name] for name in ("kernels", "gzip") if name in yes}
    return {name: p for name, p in yes.items() if not ONLY or name in ONLY}


def tools(name, program):
    """The command of each tool for a command of this program."""
    found = {"graph": lambda c: [HOTGRAPH, "native", "--graph", "graph.graph", "--images", "record.structure", "--"] + c,
             "record": lambda c: [HOTGRAPH, "record", "--graph", "record.graph", "--structure", "record.structure", "--input", "-",
                                  "--output", os.devnull, "--"] + c}
    if shutil.which("valgrind"):
        found["callgrind"] = lambda c: ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes", "--skip-plt=no",
                                        "--callgrind-out-file=callgrind.out"] + c
    if name == "kernels":
        if os.path.exists(BOLT):
            run([BOLT, program, "--instrument", f"--instrumentation-file={os.path.abspath('bolt.fdata')}", "-o", name + ".bolt"])
            found["bolt"] = lambda c: [os.path.abspath(name + ".bolt")] + c[1:]
        counting = build(name + ".gcov", os.path.join(SOURCES, "programs", "kernels.c"), "--coverage")
        found["gcov"] = lambda c: [counting] + c[1:]
    if shutil.which("uftrace"):
        found["uftrace"] = lambda c: ["uftrace", "record", "-P.", "-d", "uftrace.data"] + c
    if shutil.which("perf"):
        found["perf"] = lambda c: ["perf", "record", "-q", "-e", "cpu-clock", "-o", "perf.data", "--"] + c
    return found


def times(name, command, found):
    """Per tool and for the program alone (""): the least seconds with work and without."""
    work, none, given, nothing = command
    least = {}
    for number in range(ROUNDS):
        plain = None
        for tool, words in [("", lambda c: c)] + list(found.items()):
            if number > 0 and tool in ("callgrind", "record"):
                continue
            try:
                for kind, one, file in (0, work, given), (1, none, nothing):
                    seconds, out = run(words(one), file or os.devnull)
                    if kind == 0 and tool == "":
                        plain = out
                    elif kind == 0 and tool not in ("uftrace", "record") and out != plain:
                        sys.exit(f"{name}, {tool}: not the same output")
                    key = tool, kind
                    least[key] = min(seconds, least.get(key, math.inf))
            except (Failed, OSError) as error:
                print(f"{name}, {tool or 'alone'}: left out: {error}", file=sys.stderr)
                found.pop(tool, None)
                if tool == "":
                    return {}
    return least


# ---- exactness ----

def read(path, low, high):
    """Edges within the program's file: offset of the last instruction before, and of the first after, with the count."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    last = {w[1]: int(w[2], 16) for w in lines if w and w[0] == "#block"}
    return {(last[w[0]] - low, int(w[1], 16) - low): int(w[2]) for w in lines
            if w and w[0][0] != "#" and low <= last[w[0]] < high and low <= int(w[1], 16) < high}


def stubs(program):
    """Where the file has its linkage stubs, as ranges of offsets."""
    lines = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, env=ENV, check=True).stdout.split("\n")
    rows = [line.replace("[ ", "[").split() for line in lines if ".plt" in line and "PROGBITS" in line]
    return [(int(row[4], 16), int(row[4], 16) + int(row[5], 16)) for row in rows if not row[1].startswith(".got")]


def is_return(code, at):
    return code[at] in (0xC3, 0xC2) or code[at:at + 2] == b"\xf3\xc3"


def imported(tool, program):
    words = {"callgrind": ["callgrind.out"], "bolt": ["bolt.fdata", "--bolt", program]}[tool]
    run([HOTGRAPH, "import", *words, "--images", "record.structure", "--graph", tool + ".graph"])
    return tool + ".graph"


def exactness(name, command, found):
    """Per tool with edges: how many are equal, of how many, and how many are wrong."""
    work, _, given, _ = command
    result = {}
    for tool in "record", "graph", "callgrind", "bolt":  # the first gives the addresses to the others
        if tool in found:
            run(found[tool](work), given or os.devnull)
    with open("record.structure", encoding="utf-8") as file:
        images = [line.split(None, 3) for line in file if line.startswith("#image")]
    low = next(int(w[1], 16) for w in images if os.path.realpath(w[3].strip()) == os.path.realpath(work[0]))
    with open(work[0], "rb") as file:
        code = file.read()
    linkage = stubs(work[0])
    exact = read("record.graph", low, low + len(code))
    for tool in "graph", "callgrind", "bolt":
        if tool not in found:
            continue
        try:
            theirs = read("graph.graph" if tool == "graph" else imported(tool, work[0]), low, low + len(code))
        except Failed as error:
            print(f"{name}, {tool}: no edges: {error}", file=sys.stderr)
            continue
        wanted = exact
        if tool != "graph":
            wanted = {(a, b): n for (a, b), n in exact.items() if not is_return(code, a) and
                      not any(low <= end < high for end in (a, b) for low, high in linkage)}
        equal = sum(theirs.get(edge) == count for edge, count in wanted.items())
        different = [f"{a:#x} to {b:#x}: {n}, not {theirs.get((a, b))}" for (a, b), n in sorted(wanted.items()) if theirs.get((a, b)) != n]
        if different:
            print(f"{name}, {tool}: {len(different)} edges differ, such as {'; '.join(different[:3])}", file=sys.stderr)
        result[tool] = equal, len(wanted), sum(wanted.get(edge) != count for edge, count in theirs.items())
    return result


def cell(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    means = {}
    try:
        print(f"{'program':10} {'tool':10} {'times':>7} {'work':>7} {'edges':>16} {'wrong':>6}")
        for name, command in programs().items():
            found = tools(name, command[0][0])
            run(found["record"](command[0]), command[2] or os.devnull)  # its structure has the addresses
            exact = exactness(name, command, found)
            least = times(name, command, found)
            for tool in found:
                if (tool, 0) not in least:
                    continue
                whole = least[tool, 0] / max(least["", 0], 1e-3)
                work = (least[tool, 0] - least[tool, 1]) / max(least["", 0] - least["", 1], 1e-3)
                means.setdefault(tool, []).append((whole, work))
                equal, of, wrong = exact.get(tool, ("", "", ""))
                print(f"{name:10} {tool:10} {cell(whole):>7} {cell(work):>7} {f'{equal} of {of}' if of else '':>16} {wrong:>6}", flush=True)
            print(f"{name:10} {'alone':10} {least.get(('', 0), 0):6.2f}s", flush=True)
        print()
        for tool, ratios in means.items():
            mean = [math.exp(sum(math.log(max(r[k], 1e-2)) for r in ratios) / len(ratios)) for k in (0, 1)]
            print(f"{'mean':10} {tool:10} {cell(mean[0]):>7} {cell(mean[1]):>7}   of {len(ratios):2}; needs {NEEDS[tool]}")
        if "graph" not in means:
            sys.exit("bench_peers.py: no program could be measured")
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
