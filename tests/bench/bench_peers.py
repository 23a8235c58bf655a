#!/usr/bin/env python3
"""Exact edge graphs of native programs, by probes and by other tools: bench_peers.py [--quick] [--db DATABASE] HOTGRAPH SOURCES [PROGRAM...]

`graph` is `hotgraph native --graph`, `libraries` the same with --libraries: libc and all other libraries are counted, too.

Each run of a tool has one of the program alone next to it. Rows go into the database as they come, through `hotgraph measured`; what is printed at the
end are its views native_peers and native_peers_mean, as the tables of docs/native.md:

  times  processor time (user and system) over that of the program alone, in brackets; and without the start of both: a run with nothing to do
  edges  of those that QEMU counts in the program's own code, how many the tool counts equally; without returns where the tool
         has none, and without linkage stubs, which the others' imports leave out. `wrong`: edges that it counts otherwise, or that QEMU does not have

Tools that take less than three times as long have most of a second's work in ROUNDS (3) rounds; the others a quarter of that, in one, and so have the edges. gcov and
llvm-bolt need the sources, or relocations, and so do only the programs that are built here.
With --quick: two programs with little work, to see whether it works at all. Tools that are missing are left out, and so are those that the
environment's TOOLS, such as TOOLS=graph,libraries, does not name."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid

QUICK = "--quick" in sys.argv[1:]
WORDS = [word for word in sys.argv[1:] if word != "--quick"]
DATABASE = os.path.abspath(WORDS.pop(WORDS.index("--db") + 1)) if "--db" in WORDS else None
HOTGRAPH, SOURCES, *ONLY = [word for word in WORDS if word != "--db"]
HOTGRAPH, SOURCES = os.path.abspath(HOTGRAPH), os.path.abspath(SOURCES)
RUN = str(uuid.uuid4())
ROUNDS = int(os.environ.get("ROUNDS", "1" if QUICK else "3"))
BOLT = "/usr/lib/llvm-19/bin/llvm-bolt"  # the one in /usr/bin does not find its runtime library
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent", "TZ": "UTC0", "PYTHONHASHSEED": "0",
       "PERL_HASH_SEED": "0"}  # as record has it
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)  # for the programs, which look whether nohup ignores them
TOOLS = os.environ.get("TOOLS", "").split(",") if os.environ.get("TOOLS") else None
RECORD = [HOTGRAPH, "record", "--graph", "record.graph", "--structure", "record.structure", "--input", "-", "--output", os.devnull, "--"]
SLOW = "record", "callgrind", "uftrace"
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


def put(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def programs():
    """name: commands with much work, with little, and with none, each with its standard input."""
    subprocess.run([sys.executable, os.path.join(SOURCES, "programs", "inputs.py"), "."], check=True)
    less = 8 if QUICK else 1
    much = 1 if QUICK else 4
    with open("text-1500k", encoding="utf-8") as file:
        text = file.read()
    put("none", "\n")
    put("none.sh", ":\n")
    put("none.awk", "BEGIN { x = 1 }\n")
    for name in "none.lua", "none.pl", "none.py":
        put(name, "\n")
    for size, times in ("few", 1), ("many", much):
        put(f"{size}.txt", text[:1500000 // less] * times)
        put(f"{size}.less", text[:400000 // less] * times)
        put(f"{size}.words", text[:400000 // less] * (1 if QUICK else 4) * times)
        put(f"{size}.sh", SHELL.replace("COUNT", str(40000 // less * times)))
        put(f"{size}.lua", f"for i = 1, {(1 if QUICK else 6) * times} do dofile('work.lua') end\n")
        # each turn reads lines of standard input
        put(f"{size}.pl", f"for my $turn (1 .. {(1 if QUICK else 3) * times}) {{ do './work.pl' }}\n")
        put(f"{size}.py", f"for turn in range({(1 if QUICK else 6) * times}): exec(open('work.py').read())\n")
    kernels = build("kernels", os.path.join(SOURCES, "programs", "kernels.c"), "-fno-reorder-blocks-and-partition", "-Wl,--emit-relocs")
    found = {
        "gzip": ("SIZE.txt", ["-9", "-c"]), "bzip2": ("SIZE.less", ["-9", "-c"]), "xz": ("SIZE.less", ["-6", "-T1", "-c"]),
        "lua5.4": (None, ["SIZE.lua"]), "gawk": ("SIZE.words", ["-f", "work.awk"]), "mawk": ("SIZE.words", [MAWK]),
        "python3": (None, ["-S", "-s", "-B", "-P", "SIZE.py"]), "perl": ("SIZE.words", ["SIZE.pl"]), "bash": (None, ["SIZE.sh"]),
    }

    def command(name, size):
        given, words = found[name]
        words = [word.replace("SIZE", size).replace("work.", "none." if size == "none" else "work.") for word in words]
        file = None if given is None else "none" if size == "none" else given.replace("SIZE", size)
        return [os.path.realpath(shutil.which(name, path=ENV["PATH"]))] + words, file

    yes = {"kernels": [([kernels, str(n)], None) for n in (48 // less * much, 48 // less, 0)]}
    for name in found:
        if shutil.which(name, path=ENV["PATH"]):
            yes[name] = [command(name, size) for size in ("many", "few", "none")]
    if QUICK:
        yes = {name: yes[name] for name in ("kernels", "gzip") if name in yes}
    return {name: p for name, p in yes.items() if not ONLY or name in ONLY}


def tools(name, program):
    """The command of each tool for a command of this program."""
    native = [HOTGRAPH, "native", "--images", "record.structure"]
    found = {"graph": lambda c: native + ["--graph", "graph.graph", "--"] + c,
             "libraries": lambda c: native + ["--graph", "libraries.graph", "--libraries", "--json", "libraries.json", "--"] + c,
             "record": lambda c: RECORD + c}
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
    return {tool: words for tool, words in found.items() if TOOLS is None or tool in TOOLS}


def measured(name, command, tool, *row):
    """A row of the database: the program is named as it is called."""
    path = shutil.which(name, path=ENV["PATH"]) if name != "kernels" else command[0]
    subprocess.run([HOTGRAPH, "measured", "--db", DATABASE, "--run", RUN, "--tool", tool, *row, "--", path] + command[1:], check=True)


def once(name, tool, words, given, plain):
    """Processor seconds of a tool; the output must be the program's."""
    seconds, out = run(words, given or os.devnull)
    if tool not in ("record", "uftrace") and out != plain:
        sys.exit(f"{name}, {tool}: not the same output")
    return seconds


def times(name, commands, found):
    """In each round, each tool beside the program alone, with work and without."""
    for number in range(ROUNDS):
        for tool, words in list(found.items()):
            if number > 0 and tool in SLOW:
                continue
            try:
                row = []
                for command, given in commands[tool in SLOW], commands[2]:
                    base, plain = run(command, given or os.devnull)
                    row += [once(name, tool, words(command), given, plain), base]
            except (Failed, OSError) as error:
                print(f"{name}, {tool}: left out: {error}", file=sys.stderr)
                del found[tool]
                continue
            print(f"{name}, {tool}, {number + 1}: {row[0]:.2f} s beside {row[1]:.2f} s, start {row[2]:.2f} s beside {row[3]:.2f} s", file=sys.stderr, flush=True)
            measured(name, commands[tool in SLOW][0], tool, "--what", "whole", "--round", str(number), "--seconds", repr(row[0]), "--base-seconds", repr(row[1]),
                     "--start-seconds", repr(row[2]), "--base-start-seconds", repr(row[3]))


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
    work, given = command
    for tool in "graph", "libraries", "callgrind", "bolt":
        if tool in found:
            run(found[tool](work), given or os.devnull)
    if "libraries" in found:
        with open("libraries.json", encoding="utf-8") as file:
            for line in json.load(file)["other_code"]:
                print(f"{name}, libraries: counts as other code: {line}", file=sys.stderr)
    with open("record.structure", encoding="utf-8") as file:
        images = [line.split(None, 3) for line in file if line.startswith("#image")]
    low = next(int(w[1], 16) for w in images if os.path.realpath(w[3].strip()) == os.path.realpath(work[0]))
    with open(work[0], "rb") as file:
        code = file.read()
    linkage = stubs(work[0])
    exact = read("record.graph", low, low + len(code))
    for tool in "graph", "libraries", "callgrind", "bolt":
        if tool not in found:
            continue
        try:
            theirs = read(imported(tool, work[0]) if tool in ("callgrind", "bolt") else tool + ".graph", low, low + len(code))
        except Failed as error:
            print(f"{name}, {tool}: no edges: {error}", file=sys.stderr)
            continue
        wanted = exact
        if tool in ("callgrind", "bolt"):
            wanted = {(a, b): n for (a, b), n in exact.items() if not is_return(code, a) and
                      not any(low <= end < high for end in (a, b) for low, high in linkage)}
        equal = sum(theirs.get(edge) == count for edge, count in wanted.items())
        different = [f"{a:#x} to {b:#x}: {n}, not {theirs.get((a, b))}" for (a, b), n in sorted(wanted.items()) if theirs.get((a, b)) != n]
        if different:
            print(f"{name}, {tool}: {len(different)} edges differ, such as {'; '.join(different[:3])}", file=sys.stderr)
        wrong = sum(wanted.get(edge) != count for edge, count in theirs.items())
        measured(name, work, tool, "--edges", f"{len(wanted)}:{equal}:{wrong}")


# ---- the tables ----

def rows_of(view):
    text = subprocess.run([HOTGRAPH, "results", DATABASE, "--view", view, "--json"], check=True, capture_output=True).stdout
    return [row for row in json.loads(text) if row["run"] == RUN]


def cell(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def line(cells):
    print("| " + " | ".join(cells) + " |")


def show(names):
    rows = {(row["program"], row["tool"]): row for row in rows_of("native_peers")}
    means = {row["tool"]: row for row in rows_of("native_peers_mean")}
    order = [tool for tool in ("graph", "libraries", "record", "callgrind", "bolt", "gcov", "uftrace", "perf") if tool in means]
    if not means:
        sys.exit("bench_peers.py: no program could be measured")
    line([""] + order)
    line(["---"] * (len(order) + 1))
    for name in names + ["geometric mean"]:
        found = [means.get(tool) if name == "geometric mean" else rows.get((name, tool)) for tool in order]
        line([name] + [f"{cell(row['work_ratio'])} ({cell(row['ratio'])})" if row else "" for row in found])
    print()
    line([""] + names)
    line(["---"] * (len(names) + 1))
    for tool in order:
        found = [rows.get((name, tool)) for name in names]
        if any(row and row["edges"] for row in found):
            line([tool] + [f"{row['equal']:,} of {row['edges']:,}" if row and row["edges"] else "" for row in found])


def main():
    global DATABASE
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    DATABASE = DATABASE or os.path.join(folder, "peers.db")
    try:
        asked = programs()
        for name, commands in asked.items():
            found = tools(name, commands[1][0][0])
            run(RECORD + commands[1][0], commands[1][1] or os.devnull)  # its structure has the addresses
            exactness(name, commands[1], found)
            times(name, commands, found)
        show(list(asked))
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
