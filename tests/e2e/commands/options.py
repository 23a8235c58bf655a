#!/usr/bin/env python3
"""options.py HOTGRAPH SOURCE: calls every command with each of its options, one at a time, with values that make no
sense, twice, and empty, and holds what comes of it to what the help of hotgraph says of exit statuses. What options there are is what --help
says, so a new one is tried, too: with a value that is no number it has to be refused, unless TEXT names it here."""
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HOTGRAPH, SOURCE = sys.argv[1:3]
# Command lines that work, with only these options. A command that is not here is not tested.
WORKS = {
    "replay": ["game.nes", "--movie", "a.fm2", "--frames", "3"],
    "sample": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--out", "o.isampling"],
    "exact": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--out", "o.graph"],
    "cost": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--from", "1"],
    "costs": ["q.cfg", "--db", "q.db", "--frames", "3", "--from", "1"],
    "record": ["--graph", "o.graph", "--", "/bin/true"],
    "structure": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--out", "o.structure"],
    "profile": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--technique", "exact", "--out", "o.graph"],
    "build": ["s.isampling", "--out", "o.graph"],
    "blocks": ["game.nes", "--movie", "a.fm2", "--frames", "3"],
    "compare": ["g.graph", "g.graph"],
    "optimise": ["laid.cfg", "--db", "laid.db"],
    "export": ["--bolt", "program", "--structure", "e.structure", "e.graph"],
    "flow": ["net"],
    "import": ["perf.txt", "--stream", "o.isampling"],
    "report": ["q.db", "--out", "report"],
    "results": ["q.db"],
    "runs": ["q.db"],
    "sql": ["q.db", "found"],
    "doctor": [],
    "init": ["--game", "game.nes=a.fm2", "--out", "o.cfg", "--force"],
    "sweep": ["q.cfg", "--db", "n.db", "--dry-run"],
    "bench": ["q.cfg", "--db", "b.db", "--rounds", "1", "--frames", "3"],
    "merge": ["m.db", "q.db"],
    "diff": ["q.db", "q.db"],
    "techniques": [],
    "testrom": ["game.nes", "--frames", "3"],
    "lockstep": ["game.nes", "--movie", "a.fm2", "--frames", "3", "--way", "interp"],
    "native": ["--json", "n.json", "--", "/bin/true"],
    "measured": ["--db", "x.db", "--run", "r", "--what", "whole", "--tool", "perf", "--seconds", "1", "--", "/bin/true"],
    "movie": ["info", "a.fm2"],
    "movie info": ["a.fm2"],
    "movie check": ["game.nes", "--movie", "a.fm2", "--frames", "600"],
    "movie make": ["game.nes", "--out", "m.fm2", "--frames", "60", "--player", "mazewisp"],
}
# These play to a verdict, which is none in this few frames.
STATUS = {"testrom": 1, "movie check": 1}
# An option that goes with others only.
WITH = {("sweep", "--known"): ["--shard", "1/2"], ("measured", "--call"): [], ("measured", "--edges"): [], ("replay", "--every"): ["--video", "video"],
        ("sample", "--per-million"): ["--by", "instructions"], ("sample", "--every"): ["--by", "instructions"],
        ("sample", "--structure"): ["--by", "active", "--every", "9"], ("record", "--all"): ["--dot", "x.dot"],
        ("export", "--image"): ["--format", "dot"]}
WITH |= {("export", name): ["--format", "dot"] for name in ("--all", "--hot", "--format")}
WITH |= {("build", name): ["--exec", "/bin/true"] for name in ("--set", "--exec-format", "--exec-seconds", "--exec-memory")}
WITHOUT = {("measured", "--call"): ["--what", "--run", "--seconds"], ("measured", "--edges"): ["--what", "--seconds"]}
WITHOUT[("export", "--image")] = ["--bolt"]
WITHOUT |= {("export", name): ["--bolt", "--structure"] for name in ("--all", "--hot", "--format")}
# Any text is a valid value: names and patterns. The named thing may be missing, which is only found later: status 1.
TEXT = {("build", "--exec"), ("export", "--image"), ("report", "--experiment"), ("results", "--experiment"), ("bench", "--games"), ("costs", "--games"), ("sweep", "--games"), ("optimise", "--games"),
        ("sweep", "--techniques"), ("native", "--functions"), ("measured", "--run"), ("measured", "--tool"),
        ("movie make", "--name"), ("init", "--game"), ("init", "--program"), ("init", "--name")}
# Given several times.
SEVERAL = {("build", "--set"): ("a=1", "b=2"), ("replay", "--screenshot"): ("1:a.png", "2:b.png"),
           ("record", "--stream"): ("a.isampling", "b.isampling"), ("record", "--env"): ("A=1", "B=2"),
           ("sweep", "--where"): ("bin_size=10", "window_size=13"), ("sweep", "--known"): ("q.db", "r.db"), ("sql", "--where"): ("game=a", "technique=b"), ("init", "--game"): ("game.nes=a.fm2", "game.nes=a.fm2"),
           ("init", "--program"): ("true", "false"),
           ("lockstep", "--way"): ("interp", "dbt"), ("measured", "--call"): ("1:a:1", "2:b:2")}
# Two values for the options that take no numbers.
VALUES = {"--trace": ("0:1", "0:2"), "--dump-ram-at": ("11:a", "12:b"), "--builder": ("0", "1"), "--hot": ("0.5", "1"),
          "--console": ("warmup=on", "warmup=off"), "--shard": ("1/2", "2/2"),
          "--strategy": ("trap", "padding"), "--exec-memory": ("300", "400"), "--edges": ("9:8:1", "9:9:0"), "--md5": ("0" * 32, "1" * 32)}
# Files that are read whatever their names, or that may be a folder.
FOLDERS = {("record", "--folder"), ("record", "--sysroot"), ("report", "--out"), ("sweep", "--report"), ("replay", "--video")}
NO_NUMBERS = ["-1", "nan", "NaN", "inf", "0x10", " 3", "\t3", "3 ", "3x", "99999999999999999999999", "1e999", "FOO", "=FOO",
              ",", "x,", ",x", "a b"]
wrong = []


def hotgraph(arguments):
    return subprocess.run([HOTGRAPH] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)


def options_of(command):
    lines = [line.split("\t") for line in hotgraph(command.split() + ["--help=options"]).stdout.splitlines()]
    words = [line[1] for line in lines if line[0] == "word"]
    return [line for line in lines if line[0] not in ("word", "--help")], words


def call(command, name, given):
    """The command as it works, with the option as `given` and without the same one of its own."""
    rest = list(WORKS[command])
    end = rest.index("--") if "--" in rest else len(rest)
    for other in [name] + WITHOUT.get((command, name), []):
        if other in rest[:end]:
            at = rest.index(other)
            del rest[at:at + 2]
            end -= 2
    return hotgraph(command.split() + given + WITH.get((command, name), []) + rest)


def expect(command, given, result, status, *texts):
    if result.returncode not in status or any(t.replace("\t", "\\x09") not in result.stderr for t in texts):
        wrong.append(f"{command} {' '.join(map(repr, given))}: status {result.returncode}, {result.stderr.strip()[:300]!r}; "
                     f"it should be {status} with {texts}")


def twice(command, name, kind, choices):
    first, second = SEVERAL.get((command, name)) or VALUES.get(name) or (
        choices.split()[:2] if kind == "choice" and len(choices.split()) > 1 else
        ("q.db", "r.db") if kind == "file" else ("3", "4"))
    given = [name, first, name, second]
    result = call(command, name, given)
    if (command, name) in SEVERAL:
        if "twice" in result.stderr or result.returncode == 2:
            wrong.append(f"{command} {given}: {result.stderr}")
        return
    if kind == "choice" and len(choices.split()) < 2:
        return
    expect(command, given, result, (2,), f"{name} is given twice, as '{first}' and as '{second}'")


def try_option(command, name, kind, choices):
    if kind == "flag":
        result = call(command, name, [name + "=x"])
        expect(command, [name + "=x"], result, (2,), "takes no value")
        return
    expect(command, [name + "="], call(command, name, [name + "="]), (2,), f"{name} needs a non-empty value")
    values = ["none/file", "folder"] if kind == "file" else ["FOO", "-1"] if kind == "choice" else NO_NUMBERS
    for value in values:
        result = call(command, name, [f"{name}={value}"])
        if kind == "file" and value == "folder" and (command, name) in FOLDERS:
            expect(command, [name, value], result, (0,))
        elif kind == "file":  # only a look at the files shows what exists
            expect(command, [name, value], result, (1, 2), value)
        elif (command, name) not in TEXT:
            expect(command, [name, value], result, (2,), name, value)
        elif result.returncode != 0:
            expect(command, [name, value], result, (1, 2), value)
    twice(command, name, kind, choices)


def prepare():
    shutil.copy(f"{SOURCE}/games/mazewisp.nes", "game.nes")
    shutil.copy(f"{SOURCE}/movies/mazewisp.fm2", "a.fm2")
    os.mkdir("folder")
    with open("perf.txt", "w") as f:
        f.write("a 1/1 1.0: PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 1:2 3 4]: r-xp /bin/true\na 1/1 1.5: 1 c: 1000\n")
    with open("net", "w") as f:
        f.write("p min 2 1\nn 1 1\nn 2 -1\na 1 2 0 1 1\n")
    with open("q.cfg", "w") as f:
        f.write('name = "q"; frames = 60; games = ({name = "game"; rom = "game.nes"; movie = "a.fm2";});\n'
                'grid = {technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13];'
                " recurrent_threshold = [5];};\n")
    for command in ("sweep q.cfg --db q.db", "exact game.nes --movie a.fm2 --frames 60 --out g.graph",
                    "sample game.nes --movie a.fm2 --frames 60 --out s.isampling",
                    "structure game.nes --movie a.fm2 --frames 60 --out s.structure"):
        result = hotgraph(command.split())
        if result.returncode != 0:
            sys.exit(f"{command}: {result.stderr}")
    shutil.copy("q.db", "r.db")
    with open("laid.cfg", "w") as f:
        f.write('budgets = ( { every = 1667; } ); programs = ( {name = "absent"; folder = "."; command = ("absent");} );')
    # A program with symbols, where there is QEMU to record it.
    kernels = f"{os.path.dirname(HOTGRAPH)}/programs/kernels-x86_64"
    if shutil.which("qemu-x86_64") and os.path.exists(kernels):
        shutil.copy(kernels, "program")
        result = hotgraph("record --structure e.structure --graph e.graph --max-instructions 100000 -- ./program".split())
        if result.returncode != 0:
            sys.exit(f"record: {result.stderr}")


def main():
    prepare()
    commands = [line.split("\t")[1] for line in hotgraph(["--help=options"]).stdout.splitlines()]
    tried, known = 0, set()
    for command in commands:
        rows, words = options_of(command)
        commands += [f"{command} {word}" for word in words]  # which the loop handles, too
        if command not in WORKS:
            wrong.append(f"{command}: nobody says here how it is called")
            continue
        if command == "export" and not os.path.exists("program") or command == "optimise" and not shutil.which("llvm-bolt-19"):
            continue
        result = hotgraph(command.split() + WORKS[command])
        works = result.returncode == STATUS.get(command, 0) and (result.returncode == 0 or result.stderr == "")
        if not works and not ("qemu" in result.stderr and "not installed" in result.stderr):
            wrong.append(f"{command} {WORKS[command]}: {result.stderr}")
        elif works:
            known |= {(command, row[0]) for row in rows}
            tried += len(rows)
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda row, c=command: try_option(c, *row), rows))
    there = {command for command, _ in known}
    for stale in [o for table in (TEXT, SEVERAL, FOLDERS, WITH, WITHOUT) for o in table if o[0] in there and o not in known]:
        wrong.append(f"{stale}: there is no such option any more")
    print(f"{tried} options of {len(commands)} commands")
    if wrong or tried < 100:
        sys.exit("\n".join(wrong + [f"{len(wrong)} are wrong"]))


main()
