#!/usr/bin/env python3
"""What `record` costs: bench_record.py [--quick] HOTGRAPH CONFIG

Runs each program of a configuration under QEMU alone and under `hotgraph record`, in turns, and prints the processor
time (user) of both, the least of ROUNDS, and their ratio. Programs that are not installed are skipped."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

MACHINES = {62: "qemu-x86_64", 183: "qemu-aarch64", 243: "qemu-riscv64"}


def words(text):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text or "")


def programs(config):
    """The entries of `programs`: a dictionary each. Values are strings, lists of strings, or numbers."""
    text = open(config, encoding="utf-8").read()
    for entry in re.findall(r'\{name = "[^{}]*\}', text[text.index("programs = ("):]):
        found = {key: words(value) for key, value in re.findall(r'(\w+) = (\([^)]*\)|"[^"]*")', entry)}
        yield {"name": found["name"][0], "command": found["command"], "env": found.get("env", []),
               "folder": os.path.join(os.path.dirname(config), found.get("folder", ["."])[0]),
               "input": os.path.join(os.path.dirname(config), found["input"][0]) if "input" in found else os.devnull}


def emulator(program):
    """The emulator of its processor; None: the program or the emulator is missing."""
    path = program["command"][0].replace("/proc/self/cwd", program["folder"])
    try:
        with open(path, "rb") as file:
            return shutil.which(MACHINES.get(int.from_bytes(file.read(20)[18:20], "little"), "none"))
    except OSError:
        return None


def user_seconds(command, program, env, given):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with open(given, "rb") as file:
        done = subprocess.run(command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, cwd=program["folder"],
                              check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode()[-300:])
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(hotgraph, program, rounds):
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent", **dict(e.split("=", 1) for e in program["env"])}
    given = os.path.abspath(program["input"])
    with tempfile.TemporaryDirectory() as work:
        record = [hotgraph, "record", "--graph", os.path.join(work, "r.graph"), "--output", os.devnull, "--input", given,
                  *(word for e in program["env"] for word in ("--env", e)), "--", *program["command"]]
        alone, recorded = [], []
        for _ in range(rounds):
            alone.append(user_seconds([emulator(program), *program["command"]], program, env, given))
            recorded.append(user_seconds(record, program, dict(os.environ), os.devnull))
    return min(alone), min(recorded)


def main():
    quick = sys.argv[1] == "--quick"
    hotgraph, config = sys.argv[1 + quick:]
    hotgraph = os.path.abspath(hotgraph)
    ratios = []
    print(f"{'program':16} {'QEMU, s':>8} {'record, s':>10} {'ratio':>6}")
    for program in programs(config):
        if emulator(program) is None or not os.path.exists(program["input"]):
            print(f"{program['name']:16} not here")
            continue
        try:
            alone, recorded = measure(hotgraph, program, 1 if quick else 5)
        except (OSError, RuntimeError) as error:
            print(f"{program['name']:16} failed: {error}")
            continue
        ratios.append(recorded / max(alone, 1e-3))
        print(f"{program['name']:16} {alone:8.2f} {recorded:10.2f} {ratios[-1]:6.2f}", flush=True)
        if quick:
            break
    if not ratios:
        sys.exit("bench_record.py: no program could be recorded; 'make programs' builds their inputs")
    print(f"{'mean':16} {'':8} {'':10} {sum(ratios) / len(ratios):6.2f}")


main()
