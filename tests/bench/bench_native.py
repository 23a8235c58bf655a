#!/usr/bin/env python3
"""Probes in native programs, measured: bench_native.py [--quick] HOTGRAPH NATIVE_INSERT DATABASE

Rows go into the database as they come, through `hotgraph native --db` and `hotgraph measured`; the output at the end are its views (hotgraph results --view native_...). About six minutes on two
cores, with --quick (one round, a tenth of the work) two: each run of a tool has a time limit, and a run that exceeds it is left out and said so.

  micro      a loop that calls a small function: nanoseconds added to a call
  counts     calls by function, against callgrind's: of a kernel as it is built in four ways, and
             of programs of the system, by address
  insertion  seconds a probe, for 1 to 16 threads, single and in batches of 1000, and a uprobe's
  share      sites that got a fast probe: entries, leaders, instructions; without padding, without
             reachable padding, greedy, local, exact
  time       programs of the system with fixed input: processor time with every function counted,
             every block, shared libraries, the exact graph, perf, and with less to do uftrace,
             callgrind and a uprobe on every function, each beside a run without; and of a program
             that does nothing

SECTIONS=micro,share does only these; ROUNDS (3) and BUDGET (seconds a run, 60) are what they say.
"""
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

QUICK = "--quick" in sys.argv[1:]
HOTGRAPH, INSERT, DATABASE = (os.path.abspath(p) for p in sys.argv[1:] if p != "--quick")
ROUNDS = int(os.environ.get("ROUNDS", "1" if QUICK else "3"))
BUDGET = float(os.environ.get("BUDGET", "60"))
RUN = str(uuid.uuid4())
STARTED = time.monotonic()

# COUNT is how much there is to do: little for tools that take a hundred times as long.
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i < COUNT)
  insert into t select i, 'x'||(i*7919%1000), i*0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like 'x1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
"""
LUA = """local t = {} for i = 1, COUNT do t[i] = (i * 7919) % 100003 end table.sort(t)
local s = 0 for i, v in ipairs(t) do s = s + v * i % 7 end
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
print(s, fib(20), (("ab"):rep(1000):gsub("a", "c")):sub(1, 9))
"""
KERNEL = r"""
#include <stdio.h>
#define LEAVE __attribute__((noinline, noclone))
volatile int sink;
LEAVE int leaf(int x) { sink = x; return x * 3 + 1; }
LEAVE int pick(int x) {
    switch (x & 7) {
    case 0: return 11; case 1: return leaf(1); case 2: return 17 + sink; case 3: sink++; return 4;
    case 4: return leaf(sink) + leaf(2); case 5: sink ^= 3; return 9; case 6: return -1; }
    return x;
}
LEAVE int fib(int n) { if (n < 2) return n; int a = fib(n - 1), b = fib(n - 2); sink = b; return a + b; }
LEAVE unsigned mix(unsigned h, int c) { h ^= (unsigned)c; h *= 16777619u; return h ^ h >> 15; }
LEAVE unsigned words(int n) { unsigned h = 1; for (int i = 0; i < n; i++) h = mix(h, pick(i)); return h; }
int main(int argc, char **argv) {
    int n = argc > 1 ? 1 : 200;
    printf("%u %d\n", words(300000 * n), fib(argc > 1 ? 24 : 33));
    return argv == 0;
}
"""
MICRO = r"""
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) int small(int x) { __asm__ volatile("" : "+r"(x)); return x * 7 + (x >> 3); }
int main(int argc, char **argv) {
    double best = 1e9;
    int rounds = argc > 1 ? 3 : 20, hits = argc > 1 ? 100000 : 3000000, x = 0;
    for (int k = 0; k < rounds; k++) {
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        for (int i = 0; i < hits; i++) x = small(x);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        double t = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / hits;
        if (t < best) best = t;
    }
    fprintf(stderr, "ns %f %d\n", best, x);
    return 0;
}
"""


def progress(text):
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"[{time.monotonic() - STARTED:4.0f} s] {text:60}", end=end, file=sys.stderr, flush=True)


class Failed(Exception):
    """A tool that did not run, ran for too long or ended with an error."""


def run(command, **more):
    """Processor seconds of a command, what it printed, and its errors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=BUDGET, **more)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{command[0]}: more than {BUDGET:.0f} s") from error
    except OSError as error:
        raise Failed(str(error)) from error
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    err = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)[:80]}: status {done.returncode}: {err[-300:]}")
    return used, done.stdout, err


def optional(name, work):
    """If a tool cannot do something, that is printed, and there is no row."""
    progress(name)
    try:
        return work()
    except Failed as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return None


def measured(command, what, tool, seconds, *, base=None, threads=1, probes=0, number=0):
    """One row of native_time."""
    subprocess.run([HOTGRAPH, "measured", "--db", DATABASE, "--run", RUN, "--what", what, "--tool",
                    tool, "--threads", str(threads), "--probes", str(probes), "--round", str(number),
                    "--seconds", repr(seconds)] +
                   (["--base-seconds", repr(base)] if base is not None else []) + ["--"] + command,
                   check=True)


def native(command, *options):
    return [HOTGRAPH, "native", "--top", "1", *options, "--"] + command


def uftrace(command, *options):
    return ["uftrace", "record", *options, "-d", "uftrace.data", "--no-libcall"] + command


def callgrind(command, *options):
    return ["valgrind", "--tool=callgrind", *options, "--callgrind-out-file=callgrind.out"] + command


def beside(command, variants, rounds):
    """In each round, every variant runs beside a run without probes."""
    for number in range(rounds):
        plain, out, _ = run(command)
        for variant in list(variants):
            def once(variant=variant):
                used, got, _ = run(variants[variant])
                if variant not in ("uftrace", "-pg") and got != out:
                    sys.exit(f"{command[0]}, {variant}: not the same output")
                return used
            used = optional(f"{os.path.basename(command[0])}, {variant}, {number + 1} of {rounds}", once)
            if used is None:
                del variants[variant]
            else:
                measured(command, "whole", variant, used, base=plain, number=number,
                         threads=2 if {"-p2", "-T2"} & set(command) else 1)


def uprobes(command):
    """The command with a uprobe on some of its functions, because inserting them takes long."""
    run([HOTGRAPH, "native", "--json", "native.json", "--"] + command)
    with open("native.json", encoding="utf-8") as file:
        sites = [s for s in json.load(file)["sites"] if s["offset"] == 0]
    if len(sites) > 200 or sites[-1]["address"] >= 1 << 22:
        raise Failed(f"{len(sites)} functions, or not where the file has them")
    return [INSERT, "around", *(str(s["address"]) for s in sites), "--", sites[0]["object"]] + command[1:]


def times(programs):
    kinds = {"functions": [], "functions, threshold": ["--threshold", "1000"],
             "functions, per thread": ["--per-thread"], "blocks": ["--blocks"],
             "libraries": ["--libraries"], "graph": ["--graph", "native.graph"]}
    for many, few in programs.values():
        variants = {name: native(many, *options) for name, options in kinds.items()}
        if shutil.which("perf"):
            variants["perf"] = ["perf", "record", "-q", "-o", "perf.data", "--"] + many
        beside(many, variants, ROUNDS)
        slow = {}
        if shutil.which("uftrace"):
            slow["uftrace"] = uftrace(few, "-P.")
        if shutil.which("valgrind"):
            slow["callgrind"] = callgrind(few)
        alone = not {"-p2", "-T2"} & set(few)  # with threads it takes minutes
        with_uprobes = optional(f"{few[0]}, uprobe", lambda f=few: uprobes(f)) if alone else None
        if with_uprobes is not None:
            slow["uprobe"] = with_uprobes
        beside(few, slow, 1)
    build(["-O2"])
    build(["-O2", "-pg"], "kernel_pg")
    beside(["./kernel"], {"functions": native(["./kernel"]), "-pg": ["./kernel_pg"]}, ROUNDS)
    beside(["true"], {name: native(["true"], *options) for name, options in kinds.items()}, 5)


def build(flags, out="kernel", source=KERNEL):
    with open("bench.c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run(["gcc", "-g", *flags, "bench.c", "-o", out], check=True)


def micro():
    build(["-O2"], "micro", MICRO)
    build(["-O2", "-pg"], "micro_pg", MICRO)

    def ns(command):
        found = re.search(r"ns ([0-9.]+)", run(command)[2])
        if found is None:
            raise Failed("nothing was timed")
        return float(found.group(1)) * 1e-9

    variants = {"count": native(["./micro"]),
                "count and threshold": native(["./micro"], "--threshold", "1000000000"),
                "locked": native(["./micro"], "--atomic"),
                "per thread": native(["./micro"], "--per-thread"),
                "trap": native(["./micro", "few"], "--strategy", "trap", "--functions", "small"),
                "-pg": ["./micro_pg"]}
    if shutil.which("uftrace"):
        variants["uftrace"] = uftrace(["./micro", "few"], "-P", "small")
    if shutil.which("valgrind"):
        variants["callgrind"] = callgrind(["./micro", "few"])
    for number in range(max(ROUNDS, 3)):
        base = ns(["./micro"])
        for variant, command in variants.items():
            if number > 0 and "few" in command:
                continue
            value = optional(f"micro, {variant}, {number + 1}", lambda c=command: ns(c))
            if value is not None:
                measured(["./micro"], "hit", variant, value, base=base, number=number)


def shares(programs):
    whole = "over-one,over-several,"
    ways = [[], ["--assign", "greedy"], ["--assign", "exact"],
            ["--strategy", whole + "padding,constrained"], ["--strategy", whole + "constrained"]]
    asks = {"sqlite3": "-version", "lua5.4": "-v"}
    for name in programs:
        command = [name, asks.get(name, "--version")]
        for kind in [], ["--blocks"], ["--instructions"]:
            for way in ways:
                optional(" ".join(["share,", name] + kind + way),
                         lambda k=kind, w=way, c=command: run([HOTGRAPH, "native", "--db", DATABASE,
                                                               *k, *w, "--"] + c))


def insertion():
    for threads in 1, 2, 4, 8, 16:
        found = optional(f"insertion, {threads} threads", lambda t=threads: run([INSERT, "uprobes", str(t)]))
        for line in found[1].decode().splitlines() if found is not None else []:
            what, tool, probes, seconds, base = re.fullmatch(
                "([^,]*),(.*),([^,]*),([^,]*),([^,]*)", line).groups()
            measured([INSERT], what, tool, float(seconds), threads=threads, probes=int(probes),
                     base=float(base) if base else None)


def callgrind_entries(path):
    """How often each address of each file was called or jumped to."""
    entries, files, here, called = collections.Counter(), {}, None, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line)
            if match:
                if match.group(3):
                    files[match.group(2)] = match.group(3).strip()
                if match.group(1):
                    called = files[match.group(2)]
                else:
                    here = files[match.group(2)]
            elif line.startswith("calls="):
                n, address = line[6:].split()[:2]
                entries[called or here, int(address, 16)] += int(n)
                called = None
            else:
                match = re.match(r"(?:jump=(\d+)|jcnd=(\d+)/\d+) (0x[0-9a-f]+)", line)
                if match:
                    entries[here, int(match.group(3), 16)] += int(match.group(1) or match.group(2))
    return entries


def names_of(path):
    """Names by address; stripped files have few."""
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=False).stdout
    return {int(a, 16): name for a, _, name in
            (line.split() for line in lines.splitlines() if len(line.split()) == 3)}


def environment_of_valgrind():
    """As many variables as there are under valgrind: awk reads each."""
    def number(command):
        return len(run(command)[1].split(b"\0"))
    more = number(["valgrind", "-q", "env", "-0"]) - number(["env", "-0"])
    return {**os.environ, **{f"HOTGRAPH_BENCH_{k}": "" for k in range(more)}}


def counts_of(command):
    """A probe counts every arrival at a function's entry, by calls and jumps; callgrind sees neither the very first instruction nor those of linkage stubs."""
    run([HOTGRAPH, "native", "--db", DATABASE, "--json", "native.json", "--"] + command,
        env=environment_of_valgrind())
    with open("native.json", encoding="utf-8") as file:
        ours = [s for s in json.load(file)["sites"] if s.get("count") and s["offset"] == 0]
    if optional("counts, " + command[0], lambda: run(callgrind(
            command, "--dump-instr=yes", "--compress-pos=no", "--collect-jumps=yes"))) is None:
        return
    entries = callgrind_entries("callgrind.out")
    names = names_of(ours[0]["object"])
    rows = [a for s in ours if (s["object"], s["address"]) in entries
            for a in ("--call", f"{s['address']}:{names.get(s['address'], s['function'] or '?')}:"
                      f"{entries[s['object'], s['address']]}")]
    subprocess.run([HOTGRAPH, "measured", "--db", DATABASE, "--tool", "callgrind", *rows, "--"] +
                   command, check=True)


def counts(programs):
    if not shutil.which("valgrind"):
        return
    for flags in ["-O0"], ["-O2"], ["-Os"], ["-O2", "-no-pie", "-fno-pie"]:
        build(flags)
        counts_of(["./kernel", "few"])
    for name, (_, few) in programs.items():
        if name != "pigz" and "-T2" not in few:  # threads share the work dynamically
            counts_of(few)


def shown(value):
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def show():
    for view in ("native_fast_share", "native_cost", "native_calls", "native_whole", "native_mean",
                 "native_published"):
        text = subprocess.run([HOTGRAPH, "results", DATABASE, "--view", view, "--json"], check=True,
                              capture_output=True).stdout
        rows = json.loads(text)
        print(f"\n{view}")
        if not rows:
            continue
        names = [n for n in rows[0] if not n.endswith("_id") and n not in ("run", "command")]
        table = [names] + [[shown(r[n]) for n in names] for r in rows if r.get("run", RUN) == RUN]
        widths = [max(len(line[i]) for line in table) for i in range(len(names))]
        for line in table:
            print("  " + "  ".join(f"{cell:{w}}" for cell, w in zip(line, widths)).rstrip())


def inputs():
    """Each program with work for a second, and with a twentieth of that for slow tools."""
    for size, part in ("many", 10 if QUICK else 1), ("few", 100 if QUICK else 20):
        for name, text in (f"{size}.txt", "\n".join(str(i * 7919 % 1000003)
                                                   for i in range(2000000 // part))), \
                          (f"{size}.sql", SQL.replace("COUNT", str(800000 // part))), \
                          (f"{size}.lua", LUA.replace("COUNT", str(1500000 // part))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
    awk = "{ s += $1 * $1; n[$1 % 97]++ } END { print s, n[3] }"
    commands = {"sqlite3": ["sqlite3", ":memory:", ".read SIZE.sql"], "gzip": ["gzip", "-c", "SIZE.txt"],
                "bzip2": ["bzip2", "-c", "SIZE.txt"], "lua5.4": ["lua5.4", "SIZE.lua"],
                "gawk": ["gawk", awk, "SIZE.txt"], "pigz": ["pigz", "-p2", "-c", "SIZE.txt"],
                "xz": ["xz", "-T2", "-1", "-c", "SIZE.txt"]}
    return {name: [[word.replace("SIZE", size) for word in command] for size in ("many", "few")]
            for name, command in commands.items() if shutil.which(name)}


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        programs = inputs()
        sections = os.environ.get("SECTIONS", "micro,counts,insertion,share,time").split(",")
        for name, work in {"micro": micro, "counts": lambda: counts(programs), "insertion": insertion,
                           "share": lambda: shares(programs), "time": lambda: times(programs)}.items():
            if name in sections:
                work()
        progress("done\n" if sys.stderr.isatty() else "done")
        show()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
