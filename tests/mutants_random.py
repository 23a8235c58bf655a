#!/usr/bin/env python3
"""Breaks the program at random places, one small change at a time, and says which changes no test notices.

    tests/mutants_random.py [--count N] [--seed S] [--only ROOM] [--units] [--longest SECONDS] [--again]
                            [--jobs N] [--folder FOLDER] [--root FOLDER]

The changes are operators, constants, conditions and deleted statements (tests/mutate/points.py) in core/*, sweep/* and
db, in proportion to the lines of each. A change is compiled in a copy of the tree, and tried with those tests alone that
reach its line, the shortest first, until one fails. Unit tests look once more at what survives, built with AddressSanitizer
and UndefinedBehaviorSanitizer as .ci/run has them: memory that is not freed, or read behind its end.

    noticed    a test failed, or took ten times its processor time
    survived   none did: printed as a diff
    unreached  no test executes the line
    same       the compiler makes the same of it: the change is none
    unbuilt    it does not compile

Only the first three count towards N. What was tried is written to a journal, so that a run that was stopped goes on;
--again tries the survivors of the journal once more, as with new tests. --units takes unit tests alone, --longest those
that take no more processor time than this (default 60 s). Exit status 0 when nine of ten were noticed.
"""
import argparse
import collections
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "mutate"))
import points  # noqa: E402
import reach  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMES, AT_LEAST = 10, 1  # of a test's processor time; in seconds
COUNTED = ("noticed", "survived", "unreached")
SETUP = ["meson", "setup", "-Dbuildtype=plain", "-Doptimization=1", "-Ddebug=false"]
SANITIZED = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dc_args=-DHOTGRAPH_ONE_DISPATCH"]  # clang takes long for many


def say(text):
    print(text, flush=True)


def room_of(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("core", "sweep") and len(parts) > 2 else parts[0]


class Tree:
    """A copy of the project with three builds: one to try changes in, one with coverage, one with sanitizers."""

    def __init__(self, root, folder, jobs):
        self.tree, self.jobs = folder / "tree", jobs
        self.names = self.copied(root)
        self.plain, self.covered, self.sanitized = (self.tree / f"build{n}" for n in ("", "-gcov", "-asan"))
        compiler = "clang" if shutil.which("clang") else "gcc"  # that of .ci/run
        for build, more, cc in ((self.plain, [], "gcc"), (self.covered, ["-Db_coverage=true"], "gcc"),  # which gcov reads
                                (self.sanitized, SANITIZED, compiler)):
            if not (build / "build.ninja").exists():
                subprocess.run(SETUP + more + [str(build)], cwd=self.tree, check=True, stdout=subprocess.DEVNULL,
                               env={**os.environ, "CC": cc})
        self.objects = collections.defaultdict(list)
        for one in json.loads((self.plain / "compile_commands.json").read_text()):
            name = os.path.relpath(os.path.join(one["directory"], one["file"]), self.tree)
            self.objects[name].append(one["output"])
        self.digests = {}

    def copied(self, root):
        """Files get the time of the copy, so that ninja sees every change, also of files that an earlier run left."""
        told = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
        names = [n for n in told.split("\0") if n and (root / n).is_file()]
        for name in names:
            source, target = root / name, self.tree / name
            if not target.is_file() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
        for path in [p for p in self.tree.rglob("*") if p.is_file()]:
            name = str(path.relative_to(self.tree))
            if not name.startswith("build") and name not in set(names):
                path.unlink()
        return names

    def make(self, targets, build=None):
        return reach.quiet(["nice", "ninja", "-C", build or self.plain, f"-j{self.jobs}"] + targets, self.tree).returncode == 0

    def digest(self, target):
        return hashlib.sha256((self.plain / target).read_bytes()).hexdigest()

    def learn(self, targets):
        """The hashes of unchanged targets, which are built here."""
        targets = [t for t in targets if t not in self.digests]
        if targets and not self.make(targets):
            sys.exit("the tree itself does not build")
        self.digests.update((t, self.digest(t)) for t in targets)

    def differs(self, target):
        return self.digest(target) != self.digests[target]

    def libraries(self):
        """Libraries that programs load: a program can be unchanged, and behave differently."""
        return sorted(str(p.relative_to(self.plain)) for p in self.plain.rglob("*.so*") if p.is_file() and not p.suffix == ".symbols"
                      and ".p" not in p.parent.suffix)

    def rooms(self, only):
        """Room: its number of lines, and its files with possible changes."""
        rooms = collections.defaultdict(lambda: [0, []])
        for name in self.names:
            if re.match(r"(core|sweep|db)/.*\.(c|h|sql)$", name):
                lines = (self.tree / name).read_text().count("\n")
                room = rooms[room_of(name)]
                room[0] += lines
                room[1].append(name)
        return {r: v for r, v in sorted(rooms.items()) if only is None or r == only.rstrip("/") or r.startswith(only)}


class Mutant:
    def __init__(self, name, text, point):
        self.name, self.before, self.after = name, text, point.apply(text)
        self.line, self.kind = point.line, point.kind

    def identity(self):
        return hashlib.sha256(f"{self.name}\0{self.after}".encode()).hexdigest()[:16]

    def diff(self):
        lines = difflib.unified_diff(self.before.split("\n"), self.after.split("\n"), self.name, self.name, n=1, lineterm="")
        return "\n".join(lines)


def judge(tree, tests, mutant, known):
    """The outcome, and the test that noticed."""
    if not tests:
        return "unreached", ""
    outcome, by = judge_plain(tree, tests, mutant, known.scratch, known.seconds)
    return judge_sanitized(tree, tests, mutant, known) if outcome == "survived" else (outcome, by)


def judge_sanitized(tree, tests, mutant, known):
    pairs = [(t, s) for t in tests for s in [known.sanitized(t)] if s is not None]
    path = tree.tree / mutant.name
    path.write_text(mutant.after)
    try:
        for test, (sanitized, seconds) in pairs:
            limit = int(max(AT_LEAST, TIMES * seconds)) + 1
            if not tree.make(sanitized.targets, tree.sanitized):
                return "unbuilt", ""
            if reach.execute(sanitized, limit, 20 * limit + 60, known.scratch, True) != 0:
                return "noticed", f"{test.name}, sanitized"
        return "survived", ""
    finally:
        path.write_text(mutant.before)


def judge_plain(tree, tests, mutant, scratch, seconds):
    path = tree.tree / mutant.name
    objects = tree.objects.get(mutant.name, [])
    tree.learn(objects + [t for test in tests if test.unit for t in test.targets])
    tree.learn(tree.libraries())
    path.write_text(mutant.after)
    try:
        if objects and not tree.make(objects):
            return "unbuilt", ""
        if objects and not any(tree.differs(o) for o in objects):
            return "same", ""
        tried = False
        for test in tests:
            if not tree.make(test.targets):
                return "unbuilt", ""
            if test.unit and not any(tree.differs(t) for t in test.targets + tree.libraries()):
                continue
            tried = True
            limit = int(max(AT_LEAST, TIMES * seconds[test.name])) + 1
            if reach.execute(test, limit, 20 * limit + 60, scratch) != 0:
                return "noticed", test.name
        return ("survived" if tried else "same"), ""
    finally:
        path.write_text(mutant.before)


def drawn(tree, room, files, seed):
    """All changes of a room, in a random order that depends on nothing but the sources and the seed."""
    texts = {name: (tree.tree / name).read_text() for name in files}
    all_points = [(name, p) for name in sorted(files) for p in points.points(texts[name], name)]
    random.Random(f"{seed} {room}").shuffle(all_points)
    for name, point in all_points:
        yield Mutant(name, texts[name], point)


def quotas(rooms, count):
    """The number for each room: in proportion to its lines; the rest goes to the largest remainders."""
    lines = sum(r[0] for r in rooms.values())
    exact = {name: count * r[0] / lines for name, r in rooms.items()}
    whole = {name: int(x) for name, x in exact.items()}
    for name in sorted(exact, key=lambda n: whole[n] - exact[n])[:count - sum(whole.values())]:
        whole[name] += 1
    return whole


class Journal:
    def __init__(self, path):
        self.path, self.lines = path, {}
        if path.exists():
            for text in path.read_text().splitlines():
                told = json.loads(text)
                self.lines[told["identity"]] = told

    def add(self, mutant, room, outcome, by):
        told = {"identity": mutant.identity(), "room": room, "file": mutant.name, "line": mutant.line, "kind": mutant.kind,
                "outcome": outcome, "by": by, "diff": mutant.diff()}
        self.lines[told["identity"]] = told
        with self.path.open("a") as f:
            f.write(json.dumps(told) + "\n")
        return told


def tell(told, number, count):
    say(f"{number:4}/{count}  {told['outcome']:9} {told['file']}:{told['line']} ({told['kind']})"
        + (f": {told['by']}" if told["by"] else ""))
    if told["outcome"] in ("survived", "unreached"):
        say("".join(f"          {line}\n" for line in told["diff"].splitlines()[2:]).rstrip("\n"))


def summary(all_told):
    rows = collections.defaultdict(collections.Counter)
    for told in all_told:
        rows[told["room"]][told["outcome"]] += 1
        rows["all"][told["outcome"]] += 1
    say(f"{'room':18} {'tried':>6} {'noticed':>8} {'survived':>9} {'unreached':>10} {'share':>7}")
    for room, n in sorted(rows.items(), key=lambda r: (r[0] == "all", r[0])):
        tried = sum(n[o] for o in COUNTED)
        share = 100 * n["noticed"] / tried if tried else 100
        say(f"{room:18} {tried:6} {n['noticed']:8} {n['survived']:9} {n['unreached']:10} {share:6.1f} %")
    n = rows["all"]
    reached = n["noticed"] + n["survived"]
    say(f"Of those that a test reaches {100 * n['noticed'] / max(reached, 1):.1f} % were noticed. Besides, {n['same']} were the same to the "
        f"compiler, and {n['unbuilt']} did not compile.")
    return share >= 90


def run(tree, known, journal, options):
    rooms = tree.rooms(options.only)
    wanted = quotas(rooms, options.count)
    streams = {room: drawn(tree, room, files, options.seed) for room, (_, files) in rooms.items()}
    done, all_told = collections.Counter(), []
    while streams:
        room = min(streams, key=lambda r: (done[r] + 1) / max(wanted[r], 1e-9))
        mutant = next(streams[room], None) if done[room] < wanted[room] else None
        if mutant is None:
            del streams[room]
            continue
        told = journal.lines.get(mutant.identity())
        if told is None or options.again and told["outcome"] in ("survived", "unreached"):
            tests = known.of_line(mutant.name, mutant.line, mutant.before)
            outcome, by = judge(tree, tests, mutant, known)
            told = journal.add(mutant, room, outcome, by)
        all_told.append(told)
        if told["outcome"] in COUNTED:
            done[room] += 1
            tell(told, sum(done.values()), options.count)
    return all_told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, metavar="N", help="how many changes (500)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which (1)")
    parser.add_argument("--only", metavar="ROOM", help="only this room, as core/nes, sweep or db")
    parser.add_argument("--units", action="store_true", help="unit tests alone")
    parser.add_argument("--longest", type=float, default=60, metavar="SECONDS", help="leave out tests that take longer (60)")
    parser.add_argument("--again", action="store_true", help="try the survivors of the journal once more")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="compilers at a time (1)")
    parser.add_argument("--folder", metavar="FOLDER", help="work here, and keep what is measured (build-mutants)")
    parser.add_argument("--root", metavar="FOLDER", default=ROOT, help="the project")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # running tests end, too
    root = pathlib.Path(options.root).resolve()
    folder = pathlib.Path(options.folder or root / "build-mutants").resolve()
    scratch = folder / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    tree = Tree(root, folder, options.jobs)
    if not tree.rooms(options.only):
        parser.error(f"there is no room {options.only}")
    known = reach.Reach(tree.tree, (tree.plain, tree.covered, tree.sanitized), tree.names, say, options.units, options.longest, scratch)
    tree.learn([t for test in known.tests for t in test.targets])
    journal = Journal(folder / f"seed-{options.seed}.journal")
    return 0 if summary(run(tree, known, journal, options)) else 1


if __name__ == "__main__":
    sys.exit(main())
