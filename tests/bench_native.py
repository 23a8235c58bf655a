#!/usr/bin/env python3
"""Probes in native programs, measured: bench_native.py HOTGRAPH NATIVE_INSERT OUT.csv [ROUNDS]

Rows of OUT.csv are "section,subject,variant,figure,value,unit"; the tables printed are made from them.

  time       programs of the system with fixed input: processor time with every function counted,
             every block, perf, uftrace and callgrind, each beside a run without (median of ratios)
  micro      a loop that calls a small function: nanoseconds added to a call
  share      sites that got a fast probe: entries, leaders, instructions; without padding, greedy,
             local, exact
  insertion  microseconds a probe, for 1 to 16 threads, single and in batches of 1000, and a uprobe's
  counts     calls by function, against callgrind's
"""
import csv
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HOTGRAPH, INSERT, OUT = (os.path.abspath(p) for p in sys.argv[1:4])
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
ROWS = []

SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i < 200000)
  insert into t select i, 'x'||(i*7919%1000), i*0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like 'x1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
"""
LUA = """local t = {} for i = 1, 300000 do t[i] = (i * 7919) % 100003 end table.sort(t)
local s = 0 for i, v in ipairs(t) do s = s + v * i % 7 end
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
print(s, fib(27), (("ab"):rep(1000):gsub("a", "c")):sub(1, 9))
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
int main(void) { printf("%u %d\n", words(300000), fib(24)); return 0; }
"""
MICRO = r"""
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) int small(int x) { __asm__ volatile("" : "+r"(x)); return x * 7 + (x >> 3); }
int main(int argc, char **argv) {
    double best = 1e9;
    int rounds = argc > 1 ? 3 : 40, hits = argc > 1 ? 300000 : 3000000, x = 0;
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


def row(section, subject, variant, figure, value, unit):
    ROWS.append([section, subject, variant, figure, value, unit])


def run(command, stdin=None):
    """Processor seconds of a command and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, done.stdout, done.stderr.decode(errors="replace"), done.returncode


def native(command, *options):
    return [HOTGRAPH, "native", "--json", "native.json", *options, "--"] + command


def times(programs):
    for name, command in programs.items():
        variants = {"functions": native(command), "blocks": native(command, "--blocks"),
                    "functions, threshold 1000": native(command, "--threshold", "1000")}
        if shutil.which("perf"):
            variants["perf record"] = ["perf", "record", "-q", "-o", "perf.data", "--"] + command
        slow = {}
        if shutil.which("uftrace"):
            slow["uftrace"] = ["uftrace", "record", "-P.", "-d", "uftrace.data", "--no-libcall"] + command
        if shutil.which("valgrind"):
            slow["callgrind"] = ["valgrind", "--tool=callgrind",
                                 "--callgrind-out-file=callgrind.out"] + command
        ratios = {}
        for k in range(ROUNDS):
            plain, out, _, _ = run(command)
            for variant, instead in {**variants, **(slow if k == 0 else {})}.items():
                used, got, err, status = run(instead)
                if variant != "uftrace" and (got != out or status != 0):
                    sys.exit(f"{name}, {variant}: not the same output\n{err[-500:]}")
                if status == 0:
                    ratios.setdefault(variant, []).append(used / plain)
        for variant, values in ratios.items():
            row("time", name, variant, "ratio", round(statistics.median(values), 3), "")


def micro():
    with open("micro.c", "w", encoding="utf-8") as file:
        file.write(MICRO)
    subprocess.run(["gcc", "-O2", "micro.c", "-o", "micro"], check=True)
    subprocess.run(["gcc", "-O2", "-pg", "micro.c", "-o", "micro_pg"], check=True)

    def ns(command):
        return float(re.search(r"ns ([0-9.]+)", run(command)[2]).group(1))

    variants = {"hotgraph native": native(["./micro"]),
                "hotgraph native, threshold": native(["./micro"], "--threshold", "1000000000"),
                "hotgraph native, atomic": native(["./micro"], "--atomic"),
                "hotgraph native, trap": native(["./micro", "few"], "--strategy", "trap",
                                                "--functions", "small"),
                "-pg": ["./micro_pg"]}
    if shutil.which("uftrace"):
        variants["uftrace -P"] = ["uftrace", "record", "-P", "small", "-d", "uftrace.data", "./micro",
                                  "few"]
    if shutil.which("valgrind"):
        variants["callgrind"] = ["valgrind", "--tool=callgrind",
                                 "--callgrind-out-file=callgrind.out", "./micro", "few"]
    added = {}
    plain = []
    for k in range(ROUNDS):
        base = ns(["./micro"])
        plain.append(base)
        for variant, command in variants.items():
            if k == 0 or "few" not in command:
                try:
                    added.setdefault(variant, []).append(ns(command) - base)
                except AttributeError:
                    pass  # the tool did not run
    row("micro", "call", "without", "time", round(min(plain), 3), "ns")
    for variant, values in added.items():
        row("micro", "call", variant, "added", round(statistics.median(values), 3), "ns")


def shares(programs):
    ways = {"usual (local)": [], "greedy": ["--assign", "greedy"], "exact": ["--assign", "exact"],
            "without padding": ["--strategy", "over-one,over-several,constrained"],
            "jumps over alone": ["--strategy", "over-one,over-several"]}
    for name, command in programs.items():
        for kind in "entries", "blocks", "instructions":
            for way, options in ways.items():
                kinds = [] if kind == "entries" else ["--" + kind]
                run(native(command, *kinds, *options))
                with open("native.json", encoding="utf-8") as file:
                    sites = json.load(file)["sites"]
                fast = sum(1 for s in sites if s.get("strategy", "trap") != "trap")
                row("share", name, f"{kind}, {way}", "fast", round(100 * fast / len(sites), 2), "%")
                row("share", name, f"{kind}, {way}", "sites", len(sites), "")
                if way == "usual (local)":
                    for strategy in sorted({s["strategy"] for s in sites if "strategy" in s}):
                        n = sum(1 for s in sites if s.get("strategy") == strategy)
                        row("share", name, f"{kind}, {way}", strategy, round(100 * n / len(sites), 2),
                            "%")


def insertion():
    out = run([INSERT, "uprobes", "1", "2", "4", "8", "16"])[1].decode()
    for line in out.splitlines():
        figure, threads, batch, value, unit = line.split(",")
        row("insertion", f"{threads} threads", f"batch {batch}", figure, float(value), unit)


def callgrind_calls(path):
    """Calls by name of the function called."""
    calls, names, called = {}, {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
            if match:
                if match.group(2):
                    names[match.group(1)] = match.group(2).strip()
                if line.startswith("c"):
                    called = names[match.group(1)]
            elif line.startswith("calls="):
                calls[called] = calls.get(called, 0) + int(line[6:].split()[0])
    merged = {}
    for name, n in calls.items():  # recursion's levels: fib'2
        merged[name.split("'")[0]] = merged.get(name.split("'")[0], 0) + n
    return merged


def counts():
    with open("kernel.c", "w", encoding="utf-8") as file:
        file.write(KERNEL)
    for flags in ["-O0"], ["-O2"], ["-Os"], ["-O2", "-no-pie", "-fno-pie"]:
        subprocess.run(["gcc", "-g", *flags, "kernel.c", "-o", "kernel"], check=True)
        run(native(["./kernel"]))
        with open("native.json", encoding="utf-8") as file:
            ours = {s["function"]: s["count"] for s in json.load(file)["sites"]
                    if s.get("count") and s["offset"] == 0}
        run(["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.out", "./kernel"])
        theirs = callgrind_calls("callgrind.out")
        both = [f for f in ours if f in theirs]
        same = sum(ours[f] == theirs[f] for f in both)
        for f in both:
            if ours[f] != theirs[f]:
                print(f"counts differ: {' '.join(flags)} {f}: {ours[f]}, callgrind {theirs[f]}")
        row("counts", "kernel " + " ".join(flags), "functions", "compared", len(both), "")
        row("counts", "kernel " + " ".join(flags), "functions", "equal", same, "")


def show():
    for section in dict.fromkeys(r[0] for r in ROWS):
        print(f"\n{section}")
        for _, subject, variant, figure, value, unit in (r for r in ROWS if r[0] == section):
            print(f"  {subject:14} {variant:34} {figure:32} {value:>10} {unit}")
    for variant in "functions", "blocks":
        ratios = [r[4] for r in ROWS if r[0] == "time" and r[2] == variant]
        if ratios:
            print(f"\ntime, {variant}: geometric mean {statistics.geometric_mean(ratios):.3f}, "
                  f"highest {max(ratios):.3f}")


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        for name, text in ("in.txt", "\n".join(str(i * 7919 % 1000003) for i in range(400000))), \
                          ("t.sql", SQL), ("t.lua", LUA):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        programs = {"sqlite3": ["sqlite3", ":memory:", ".read t.sql"], "gzip": ["gzip", "-c", "in.txt"],
                    "bzip2": ["bzip2", "-c", "in.txt"], "lua5.4": ["lua5.4", "t.lua"],
                    "gawk": ["gawk", "{ s += $1 * $1; n[$1 % 97]++ } END { print s, n[3] }", "in.txt"],
                    "pigz": ["pigz", "-p3", "-c", "in.txt"]}
        programs = {n: c for n, c in programs.items() if shutil.which(n)}
        sections = os.environ.get("SECTIONS", "micro,counts,insertion,share,time").split(",")
        for name, work in {"micro": micro, "counts": counts, "insertion": insertion,
                           "share": lambda: shares(programs), "time": lambda: times(programs)}.items():
            if name in sections:
                work()
        with open(OUT, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["section", "subject", "variant", "figure", "value", "unit"])
            writer.writerows(ROWS)
        show()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
