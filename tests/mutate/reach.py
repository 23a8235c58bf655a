"""Which test reaches which line, and how long it takes: by gcov, once for each state of the sources.

A test is a name of meson's with its command. What it reaches is measured in a build of its own, with coverage; its time
is that of the build in which mutants are tried. Both are kept in a file per test, named by what they depend on.
"""
import bisect
import collections
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

MEMORY, FILE_SIZE = 8 << 30, 1 << 30  # for a process that a mutant has made endless
SANITIZED_LONGEST = 10  # seconds; without sanitizers
PERTURBED = "165"  # the content of fresh and freed memory, as under meson
SANITIZERS = {"ASAN_OPTIONS": f"abort_on_error=1:hard_rss_limit_mb={MEMORY >> 20}", "UBSAN_OPTIONS": "halt_on_error=1"}
SOURCE = re.compile(r"^(core|db|sweep|src)/.*\.(c|h|sql|def)$")

Test = collections.namedtuple("Test", "name command targets unit folder environment")


def quiet(command, folder, **more):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def execute(test, cpu_seconds, wall_seconds, scratch, sanitized=False):
    """The exit status; None if it did not end. Processes that it leaves running are ended, and its files in TMPDIR are deleted."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        if not sanitized:  # they reserve a part of the address space
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "MALLOC_PERTURB_": PERTURBED, **SANITIZERS, **test.environment, "TMPDIR": folder}
        child = subprocess.Popen(test.command, cwd=test.folder, env=environment, preexec_fn=limit, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return child.wait(timeout=wall_seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()


def tests_of(build, units_only):
    """Meson's tests that run a program of the project: without those that only look at sources, and without fuzzers."""
    told = json.loads(subprocess.run(["meson", "introspect", "--tests"], cwd=build, check=True, capture_output=True).stdout)
    found = []
    for t in told:
        first = t["cmd"][0]
        unit = first.startswith(str(build) + "/")
        script = not unit and any("/e2e/" in part for part in t["cmd"][1:])
        if "fuzz" in t["suite"] or not (unit or script and not units_only):
            continue
        targets = [os.path.relpath(part, build) for part in t["cmd"] if part.startswith(str(build) + "/")]
        folder = t.get("workdir") or str(build)
        found.append(Test(t["name"], t["cmd"], targets, unit, folder, dict(t.get("env") or {})))
    return found


def digest_of(root, names):
    h = hashlib.sha256()
    for name in sorted(names):
        h.update(name.encode() + b"\0" + hashlib.sha256((root / name).read_bytes()).digest())
    return h.hexdigest()[:16]


def key_of(tree, names, test):
    """The inputs of a test's reach: all sources, and its own (a script may use any script)."""
    own = f"/test_{test.name}.c"
    mine = [n for n in names if SOURCE.match(n) or n.endswith(own) or not n.startswith("tests/unit/") and n.startswith("tests/")
            and not n.startswith(("tests/mutate/", "tests/mutants", "tests/data/", "tests/corpus/"))
            and (not n.startswith("tests/e2e/") or not test.unit)]
    return digest_of(tree, mine)


def lines_by_gcov(build, tree):
    """For each source: the lines that gcov knows, and those executed since the last call."""
    data = [os.path.join(f, n) for f, _, names in os.walk(build) for n in names if n.endswith(".gcda")]
    lines = collections.defaultdict(dict)
    for i in range(0, len(data), 50):
        out = subprocess.run(["gcov", "--json-format", "--stdout"] + data[i:i + 50], cwd=build, capture_output=True, check=True).stdout
        for text in out.decode().splitlines():
            told = json.loads(text)
            for f in told["files"]:
                name = os.path.relpath(os.path.join(told["current_working_directory"], f["file"]), tree)
                for at in f["lines"] if not name.startswith("..") else []:
                    lines[name][at["line_number"]] = at["count"] > 0 or lines[name].get(at["line_number"], False)
    for name in data:
        os.unlink(name)
    return {n: {"known": sorted(known), "run": sorted(k for k in known if known[k])} for n, known in lines.items()}


class Reach:
    """Lines and times of all tests that pass without any change."""

    def __init__(self, tree, builds, names, say, units_only, longest, scratch):
        self.tree, self.names, self.say, self.scratch, self.longest = tree, names, say, scratch, longest
        self.plain, self.covered, asan = builds
        self.files = tree.parent / "reach"
        self.files.mkdir(exist_ok=True)
        self.tests, self.seconds, self.data = [], {}, {}
        self.asan, self.in_asan, self.of_asan = asan, {t.name: t for t in tests_of(asan, True)}, {}
        with_coverage = {t.name: t for t in tests_of(self.covered, units_only)}
        for test in tests_of(self.plain, units_only):
            if test.name in with_coverage:
                self.measure(test, with_coverage[test.name])
        self.tests.sort(key=lambda t: self.seconds[t.name])
        self.known = collections.defaultdict(set)
        self.run = collections.defaultdict(lambda: collections.defaultdict(list))
        for test in self.tests:
            for name, lines in self.data[test.name].items():
                self.known[name].update(lines["known"])
                for line in lines["run"]:
                    self.run[name][line].append(test)
        self.known = {n: sorted(k) for n, k in self.known.items()}

    def measure(self, test, covered):
        path = self.files / f"{test.name}-{key_of(self.tree, self.names, test)}.json"
        told = json.loads(path.read_text()) if path.exists() else None
        if told is None or told["lines"] is None and told["status"] == 0 and told["seconds"] <= self.longest:
            told = self.measured(test, covered)
            path.write_text(json.dumps(told))
        if told["status"] == 0 and told["seconds"] <= self.longest:
            self.tests.append(test)
            self.seconds[test.name], self.data[test.name] = told["seconds"], told["lines"]
        elif told["status"] == 0:
            self.say(f"left out: {test.name} takes {told['seconds']:.0f} s")
        else:
            self.say(f"left out: {test.name} " + ("cannot be done here" if told["status"] == 77 else "fails without any change"))

    def measured(self, test, covered):
        ready = quiet(["ninja", "-C", self.plain, "-j1"] + test.targets, self.tree)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        status = execute(test, int(100 * self.longest), 100 * self.longest, self.scratch) if ready.returncode == 0 else None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        lines = None
        if status == 0 and seconds <= self.longest:
            quiet(["ninja", "-C", self.covered, "-j1"] + covered.targets, self.tree, check=True)
            lines_by_gcov(self.covered, self.tree)  # left over from an earlier run
            execute(covered, int(100 * self.longest), 100 * self.longest, self.scratch)
            lines = lines_by_gcov(self.covered, self.tree)
        self.say(f"measured: {test.name}, {seconds:.1f} s of processor time, {time.monotonic() - start:.0f} s in all")
        return {"status": status, "seconds": seconds, "lines": lines}

    def sanitized(self, test):
        """The same test with sanitizers, and its processor time; None for a script, a long one, and one that fails there."""
        if test.name not in self.in_asan or self.seconds[test.name] > SANITIZED_LONGEST:
            return None
        if test.name not in self.of_asan:
            path = self.files / f"{test.name}-{key_of(self.tree, self.names, test)}-asan.json"
            if not path.exists():
                path.write_text(json.dumps(self.measured_sanitized(self.in_asan[test.name])))
            self.of_asan[test.name] = json.loads(path.read_text())
        seconds = self.of_asan[test.name]
        return None if seconds is None else (self.in_asan[test.name], seconds)

    def measured_sanitized(self, test):
        ready = quiet(["nice", "ninja", "-C", self.asan, "-j1"] + test.targets, self.tree)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        status = execute(test, int(100 * self.longest), 100 * self.longest, self.scratch, True) if ready.returncode == 0 else None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.say(f"with sanitizers: {test.name}, " + (f"{seconds:.1f} s" if status == 0 else "fails without any change"))
        return seconds if status == 0 else None

    def of_file(self, name):
        """The tests that reach anything of a file; of a header without code, of a file that includes it."""
        names = [name] if name in self.run else self.includers(name)
        reaching = {t.name for n in names for tests in self.run.get(n, {}).values() for t in tests}
        return [t for t in self.tests if t.name in reaching]

    def includers(self, name):
        ends = tuple(name.split("/", k)[-1] for k in range(name.count("/") + 1))
        used = re.compile(r'#include "(?:' + "|".join(map(re.escape, ends)) + ')"')
        return [n for n in self.run if used.search((self.tree / n).read_text())]

    def of_line(self, name, line, text):
        """The tests that reach a line, shortest first. A line without code belongs to the last before it that has some, within
        its function; outside of functions, to the file."""
        lines = text.split("\n")
        if name.endswith(".sql"):
            return self.of_sql("\n".join(lines[:line]))
        known = self.known.get(name, [])
        at = bisect.bisect_right(known, line) - 1
        if at < 0 or any(re.match(r"\}|\S.*;$", lines[k - 1]) for k in range(known[at], line + 1)) and known[at] != line:
            return self.of_file(name)
        return self.run.get(name, {}).get(known[at], [])

    def of_sql(self, text):
        """Tests that use a database; first those whose source names the view at the end of `text`."""
        view = re.findall(r"CREATE (?:TEMP )?VIEW (?:IF NOT EXISTS )?(\w+)", text)
        users = [t for t in self.tests if any(n.startswith("db/") for n in self.data[t.name])]
        named = {t.name for t in users if any(v in self.source(t) for v in view[-1:])}
        return [t for t in users if t.name in named] + [t for t in users if t.name not in named]

    def source(self, test):
        if test.unit:
            path = next((self.tree / "tests/unit").glob(f"*/test_{test.name}.c"), None)
            return path.read_text() if path else ""
        return " ".join(open(p).read() for p in test.command if p.endswith(".sh"))
