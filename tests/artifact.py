#!/usr/bin/env python3
"""artifact.py [--full] [--list | --prepare] [PAGE [STATE]]: repeats every claim of docs/artifact.md, in the order of the page, and compares.

The page is the list. A block of `console` is a command for the shell, run in the folder of the sources. With a block of `expect`
below it, it is a claim, named by the heading above: its output must be that. In `expect`, LOW..HIGH stands for any number from
LOW to HIGH. Without one it prepares the claims of its section, and must only succeed. Sections whose heading ends with "(FULL=1)"
are left out without --full.

--prepare runs only what prepares claims, whatever STATE says, so that all databases are there.

STATE (results/artifact.json) keeps what came out, by command and program, so that a run that was stopped goes on where it was.
What commands write to standard error is appended to STATE.log.

Exit status: 0 if everything is as expected, 1 if not, 2 if the page cannot be read, 128 + N if signal N stopped it."""
import argparse
import fcntl
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(console|expect)\n(.*?)^```$", re.M | re.S)
RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")
FULL = "(FULL=1)"


class Step:
    def __init__(self, section, title, full, command):
        self.section, self.title, self.full, self.command, self.expect = section, title, full, command, None
        self.got, self.seconds, self.megabytes, self.verdict = "", 0.0, 0, ""

    def is_claim(self):
        return self.expect is not None


def read_page(path):
    """The page's steps, in their order."""
    steps, section, title, full, at = [], "", "", False, 0
    text = path.read_text(encoding="utf-8")
    for code in FENCE.finditer(text):
        for level, heading in re.findall(r"^(##+) (.*)$", text[at:code.start()], re.M):
            title = heading.replace(FULL, "").strip()
            if level == "##":
                section, full = title, heading.endswith(FULL)
        at = code.end()
        if code[1] == "console":
            steps.append(Step(section, title, full, code[2]))
        elif not steps or steps[-1].is_claim():
            sys.exit(f"{path}: an expected output stands below no command, in '{title}'")
        else:
            steps[-1].expect = code[2]
    return steps


# ---- comparing ----
def lines_of(text):
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def fits(word, expected):
    span = RANGE.fullmatch(expected)
    if not span:
        return word == expected
    try:
        return float(span[1]) <= float(word) <= float(span[2])
    except ValueError:
        return False


def line_fits(line, expected):
    words, wanted = re.split(r"([| ])", line), re.split(r"([| ])", expected)
    return len(words) == len(wanted) and all(map(fits, words, wanted))


def as_expected(got, expect):
    ours, wanted = lines_of(got), lines_of(expect)
    return len(ours) == len(wanted) and all(map(line_fits, ours, wanted))


# ---- running ----
class Runner:
    def __init__(self, path):
        self.path, self.child, self.stopped = path, None, 0
        self.known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lock = open(path.with_suffix(".lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"{path}: another 'make artifact' is at work")
        version = subprocess.run([ROOT / "build/hotgraph", "--version"], capture_output=True, check=False) if (
            ROOT / "build/hotgraph").exists() else None
        self.program = version.stdout.decode() if version else ""
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, self.stop)

    def stop(self, number, _frame):
        self.stopped = number
        if self.child is not None:
            os.killpg(self.child.pid, signal.SIGTERM)

    def keep(self, key, result):
        self.known[key] = result
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.known, indent=1) + "\n", encoding="utf-8")
        new.replace(self.path)

    def execute(self, command):
        """(status, output, seconds, megabytes) of a shell command."""
        began = time.monotonic()
        with open(self.path.with_suffix(".log"), "a", encoding="utf-8") as log:
            log.write(f"\n$ {command}")
            log.flush()
            self.child = subprocess.Popen(["sh", "-ec", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                          env=os.environ | {"LC_ALL": "C.UTF-8"}, start_new_session=True)
            output = self.child.stdout.read().decode(errors="replace")
            _, status, usage = os.wait4(self.child.pid, 0)
            self.child = None
        return os.waitstatus_to_exitcode(status), output, time.monotonic() - began, usage.ru_maxrss // 1024

    def run(self, step, again=False):
        """False: it was stopped. The next call repeats what failed; again: also what succeeded."""
        key = hashlib.sha256(f"{self.program}\n{step.command}".encode()).hexdigest()[:32]
        if again or key not in self.known or self.known[key]["status"] != 0:
            if self.stopped:
                return False
            status, got, seconds, megabytes = self.execute(step.command)
            if self.stopped:
                return False
            self.keep(key, {"title": step.title, "status": status, "got": got, "seconds": round(seconds, 1), "megabytes": megabytes})
        known = self.known[key]
        step.got, step.seconds, step.megabytes = known["got"], known["seconds"], known["megabytes"]
        if known["status"] != 0:
            step.got = (step.got.strip() + f"\nexit status {known['status']}, see {self.path.with_suffix('.log')}").strip()
            step.verdict = "failed"
        else:
            step.verdict = "ok" if not step.is_claim() or as_expected(step.got, step.expect) else "DIFFERS"
        return True


# ---- printing ----
WIDTHS = (44, 24, 24)


def short(text, width):
    lines = lines_of(text)
    more = f" +{len(lines) - 1}" if len(lines) > 1 else ""
    first = lines[0] if lines else ""
    return first[:width - len(more) - 2] + (".." if len(first) > width - len(more) - 2 else "") + more


def print_row(claim, expected, got, seconds, megabytes, verdict):
    cells = [short(text, width).ljust(width) for text, width in zip((claim, expected, got), WIDTHS)]
    print("  ".join(cells), f"{seconds:>6}", f"{megabytes:>6}", "", verdict, flush=True)


def print_step(step):
    expected = step.expect if step.is_claim() else "success"
    got = step.got if step.is_claim() or step.verdict != "ok" else "success"
    print_row(step.title if step.is_claim() else f"(prepare) {step.section}", expected, got, f"{step.seconds:.0f}", str(step.megabytes),
              step.verdict)
    if step.verdict == "DIFFERS":
        ours, wanted = lines_of(step.got), lines_of(step.expect)
        for i in range(max(len(ours), len(wanted))):
            a, b = (wanted[i] if i < len(wanted) else ""), (ours[i] if i < len(ours) else "")
            if not line_fits(b, a):
                print(f"    expected: {a}\n    got:      {b}", flush=True)


def prepare(steps, runner):
    """Returns the exit status."""
    for step in steps:
        if step.is_claim():
            continue
        if not runner.run(step, again=True):
            return 128 + runner.stopped
        print(f"{step.section}: {step.seconds:.0f} s" if step.verdict == "ok" else f"{step.section}: {step.got}", flush=True)
        if step.verdict != "ok":
            return 1
    return 0


def repeat(steps, runner):
    """Runs them all; the claims of a section whose preparation failed are not run. Returns the exit status."""
    failed = None
    for step in steps:
        if failed is not None and failed.section == step.section:
            step.verdict, step.got = "not run", f"'{failed.section}' could not be prepared"
        elif not runner.run(step):
            print(f"stopped by signal {runner.stopped}; the same command goes on from here")
            return 128 + runner.stopped
        if step.verdict == "failed" and not step.is_claim():
            failed = step
        print_step(step)
    claims = [step for step in steps if step.is_claim()]
    wrong = [step for step in claims if step.verdict != "ok"]
    print()
    if not wrong and failed is None:
        print(f"all {len(claims)} claims are as expected")
        return 0
    print(f"{len(wrong)} of {len(claims)} claims are not as expected:" if wrong else f"'{failed.section}' could not be prepared")
    for step in wrong:
        print(f"  {step.verdict}: {step.title}")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="also the sections marked (FULL=1)")
    parser.add_argument("--list", action="store_true", help="only list the claims")
    parser.add_argument("--prepare", action="store_true", help="only run what prepares claims")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs/artifact.md")
    parser.add_argument("state", nargs="?", type=pathlib.Path, default=ROOT / "results/artifact.json")
    wanted = parser.parse_args()
    steps = read_page(wanted.page)
    chosen = [step for step in steps if wanted.full or not step.full]
    if not any(step.is_claim() for step in chosen):
        print(f"{wanted.page}: has no claims", file=sys.stderr)
        return 2
    if wanted.list:
        for step in chosen:
            if step.is_claim():
                print(f"{step.section}: {step.title}")
        return 0
    if wanted.prepare:
        return prepare(chosen, Runner(wanted.state))
    print_row("claim", "expected", "got", "s", "MB", "")
    status = repeat(chosen, Runner(wanted.state))
    left = sum(step.is_claim() for step in steps) - sum(step.is_claim() for step in chosen)
    if left > 0 and status in (0, 1):
        print(f"{left} more with make artifact FULL=1, which takes hours")
    return status


if __name__ == "__main__":
    sys.exit(main())
