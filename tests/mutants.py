#!/usr/bin/env python3
"""Breaks the program on purpose, one small change at a time, and says whether a test notices.

    tests/mutants.py [--only WORD] [--keep FOLDER] [--check]

The changes are in tests/mutants.txt, in blocks:

    == FILE : TEST...
    -a line, or several, as they stand in FILE, once
    +what takes their place

A TEST is a name of tests/meson.build: a unit test, or else a script of tests/e2e, which NAME.sh means at
any rate. A long unit test that takes a pattern of cmocka's for its own tests is named TEST:PATTERN. Each
change is made in a copy of the tree, built, and its tests run until one fails:

    noticed   a test failed (or did not end)
    survived  none did
    stale     the lines are not there, or not once: the list is to be mended
    unbuilt   it does not compile, so that it says nothing of the tests

Exit status 0 when all were noticed. --check only looks whether the list fits the tree.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPU_SECONDS, TIMEOUT = 300, 1200  # for each process; for a test that only waits


def read_list(path):
    blocks, block = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        head = re.fullmatch(r"== (\S+) : (.+)", line)
        if head:
            block = {"file": head[1], "tests": head[2].split(), "line": number, "old": [], "new": []}
            blocks.append(block)
        elif line[:1] in "-+" and line and block:
            block["old" if line[0] == "-" else "new"].append(line[1:])
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: neither a head, a line of code, nor a comment")
    return blocks


def mutate(block, tree):
    """The file's text before and after; None where the old lines do not stand there once."""
    path = tree / block["file"]
    before = path.read_text() if path.exists() else ""
    old = "\n".join(block["old"]) + "\n"
    new = "".join(line + "\n" for line in block["new"])
    if not block["old"] or before.count(old) != 1:
        return None
    return before, before.replace(old, new)


def copy_tree(folder):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).exists():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def run(command, tree, **more):
    return subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def build(tree, tests):
    if "install" in tests:  # this test installs everything
        return run(["ninja", "-C", "build"], tree)
    names = {t.partition(":")[0] for t in tests}
    units = sorted(f"tests/test_{n}" for n in names if unit_source(tree, n))
    return run(["ninja", "-C", "build"] + units + (["program"] if len(units) < len(names) else []), tree)


def unit_source(tree, name):
    """The source of a unit test, or None."""
    return next((tree / "tests/unit").glob(f"*/test_{name}.c"), None)


def script(tree, test):
    """A test's script, or None."""
    return next((tree / "tests/e2e").glob("*/" + test.removesuffix(".sh") + ".sh"), None)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def notices(tree, test):
    name, _, pattern = test.partition(":")
    if unit_source(tree, name):
        command = [tree / "build/tests" / f"test_{name}"] + ([pattern] if pattern else [])
    else:
        command = ["sh", script(tree, test), tree / "build/hotgraph", tree]
    try:
        done = run(command, tree, timeout=TIMEOUT, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 77)


def judge(block, tree):
    changed = mutate(block, tree)
    if changed is None:
        return "stale", ""
    path = tree / block["file"]
    path.write_text(changed[1])
    try:
        if build(tree, block["tests"]).returncode != 0:
            return "unbuilt", ""
        for test in block["tests"]:
            if notices(tree, test):
                return "noticed", test
        return "survived", " ".join(block["tests"])
    finally:
        path.write_text(changed[0])


def check_tests(blocks):
    for block in blocks:
        for test in block["tests"]:
            name = test.partition(":")[0]
            if not unit_source(ROOT, name) and not script(ROOT, test):
                sys.exit(f"tests/mutants.txt:{block['line']}: there is no test {test}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", help="only changes whose file has this in its name")
    parser.add_argument("--keep", metavar="FOLDER", help="work in this folder, and leave it")
    parser.add_argument("--check", action="store_true", help="only whether the list fits the tree")
    options = parser.parse_args()
    blocks = read_list(ROOT / "tests/mutants.txt")
    check_tests(blocks)
    blocks = [b for b in blocks if options.only is None or options.only in b["file"]]
    if options.check:
        stale = [b for b in blocks if mutate(b, ROOT) is None]
        for b in stale:
            print(f"stale     {b['file']} (mutants.txt:{b['line']})")
        print(f"{len(blocks)} changes, {len(stale)} stale")
        return 1 if stale else 0
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="hotgraph-mutants-"))
    tree = folder / "tree"
    try:
        copy_tree(tree)
        if not (tree / "build").exists():
            run(["meson", "setup", "build"], tree, check=True)
        tests = sorted({t for b in blocks for t in b["tests"]})
        if build(tree, tests).returncode != 0:
            sys.exit("the tree itself does not build")
        wrong = [t for t in tests if notices(tree, t)]
        if wrong:
            sys.exit("these fail without any change: " + " ".join(wrong))
        counts = {}
        for number, block in enumerate(blocks, 1):
            outcome, by = judge(block, tree)
            counts[outcome] = counts.get(outcome, 0) + 1
            print(f"{number:3}/{len(blocks)}  {outcome:9} {block['file']} (mutants.txt:{block['line']})"
                  + (f": {by}" if by else ""), flush=True)
    finally:
        if options.keep is None:
            shutil.rmtree(folder)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    return 0 if set(counts) == {"noticed"} else 1


if __name__ == "__main__":
    sys.exit(main())
