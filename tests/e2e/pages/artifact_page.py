#!/usr/bin/env python3
"""artifact_page.py HOTGRAPH SOURCE: see artifact.sh."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HOTGRAPH, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "tests"))
sys.dont_write_bytecode = True
import artifact  # noqa: E402  pylint: disable=wrong-import-position

PAGE = SOURCE / "docs/artifact.md"
TEXT = PAGE.read_text(encoding="utf-8")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
wrong = []


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def expect(holds, what):
    if not holds:
        wrong.append(what)


# ---- every claim has its command ----
def findings_queries():
    """(query, rows as sqlite3 prints them) of docs/findings.md and README.md."""
    for page in "docs/findings.md", "README.md":
        for sql, table in re.findall(r"```sql\n(.*?)```\n\n((?:\|[^\n]*\n)+)", read(page), re.S):
            rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()][2:]
            yield re.sub(r"^--.*$", "", sql, flags=re.M), ["|".join(row) for row in rows]


def words(sql):
    return " ".join(sql.replace(";", " ").split())


def readme_figures():
    """What README says in numbers: all figures of its findings, and elsewhere shares, ratios and times."""
    text = re.sub(r"```.*?```|^\|[^\n]*$", "", read("README.md"), flags=re.S | re.M)
    found = text.split("Found so far")[1].split("[All findings]")[0]
    elsewhere = re.findall(r"(\d+(?:\.\d+)?) (?:%|times|seconds|minutes)|: (\d+\.\d+)\)", text.replace(found, ""))
    return NUMBER.findall(re.sub(r"\(Napoli 2015\)", "", found)) + [a or b for a, b in elsewhere]


def check_coverage(steps):
    claims = [step for step in steps if step.is_claim()]
    for sql, rows in findings_queries():
        of = [step for step in claims if words(sql) in " ".join(step.command.split())]
        expect(len(of) == 1, f"a query of findings or README is no claim of the page: {words(sql)[:90]}")
        expect(not of or artifact.lines_of(of[0].expect) == rows, f"'{of and of[0].title}' expects other rows than the page has")
    # The figures of README without a query.
    quotes = re.findall(r"^<!-- page (\S+): (.*) -->$", TEXT, re.M)
    said = " ".join(quote for page, quote in quotes if page == "README.md")
    for figure in readme_figures():
        expect(figure in NUMBER.findall(said), f"README says {figure}, which no claim of the page repeats")
    # Each section of findings is linked or quoted.
    for heading, body in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", read("docs/findings.md"), re.M | re.S):
        anchor = re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
        flat = " ".join(body.split())
        expect(f"findings.md#{anchor})" in TEXT or any(page == "docs/findings.md" and quote in flat for page, quote in quotes)
               or heading.startswith("How far"), f"no claim of the page is of findings, '{heading}'")


def is_within(number, text):
    spans = [(float(a), float(b)) for a, b in artifact.RANGE.findall(text)]
    return any(a <= float(number) <= b for a, b in spans) or float(number) in map(float, NUMBER.findall(artifact.RANGE.sub(" ", text)))


def check_figures(steps):
    """A claim expects what it quotes."""
    by_title = {step.title: step for step in steps if step.is_claim()}
    for title, body in re.findall(r"^### ([^\n]*)\n(.*?)(?=^```)", TEXT, re.M | re.S):
        for quote in re.findall(r"^<!-- page \S+: (.*) -->$", body, re.M):
            for number in NUMBER.findall(quote):
                expect(is_within(number, by_title[title].expect), f"'{title}' quotes {number}, and expects {by_title[title].expect}")


def check_commands(steps):
    """Programs, configurations and options exist."""
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    for step in steps:
        command = step.command.replace("\\\n", " ")
        for target in re.findall(r"^make ([a-z-]+)", command, re.M):
            expect(target in targets, f"there is no 'make {target}'")
        for path in re.findall(r"\bconfigs/\w+\.cfg", command):
            expect((SOURCE / path).exists(), f"there is no {path}")
        for line in re.findall(r"build/hotgraph ([^|>\n]*)", command):
            name = line.split()[0]
            known = subprocess.run([HOTGRAPH, name, "--help=options"], capture_output=True, text=True, check=False).stdout
            for option in re.findall(r" (--[a-z-]+)", line):
                expect(f"\n{option}\t" in "\n" + known, f"{name} has no {option}")
    studies = re.search(r"^STUDIES \?= (.*)", read("Makefile"), re.M)[1].split()
    tails = next(step for step in steps if "for study in" in step.command)
    expect(re.search(r"for study in ([^;]*);", tails.command)[1].split() == studies and tails.expect.strip() == str(len(studies)),
           f"the page does not look at all of these studies: {studies}")
    times = set(re.findall(r"^\| ([^|]*?) \|", TEXT.split("| section |")[1].split("\n\n")[0], re.M)) - {"---"}
    expect(times == {step.section for step in steps}, f"the table of times has other sections: {times ^ {s.section for s in steps}}")


# ---- the script ----
def simplified(path, steps):
    """The page with commands that print what is expected, and write to the file `ran`."""
    lines, section = [], None
    for i, step in enumerate(steps):
        if step.section != section:
            section = step.section
            lines.append(f"## {section}{' ' + artifact.FULL if step.full else ''}\n")
        lines.append(f"### {step.title}\n\n```console\necho {i} >>'{os.getcwd()}/ran'; cat <<'END'")
        lines.append(artifact.RANGE.sub(lambda span: span[2], step.expect or "") + "END\n```\n")
        if step.is_claim():
            lines.append(f"```expect\n{step.expect}```\n")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(page, *more):
    return subprocess.run([sys.executable, SOURCE / "tests/artifact.py", *more, page, "state/a.json"], capture_output=True, text=True, check=False)


def count_runs():
    return pathlib.Path("ran").read_text(encoding="utf-8").split() if os.path.exists("ran") else []


def check_script(steps):
    claims = [step for step in steps if step.is_claim() and not step.full]
    page = simplified(pathlib.Path("page.md"), steps)
    whole = run(page)
    expect(whole.returncode == 0 and f"all {len(claims)} claims are as expected" in whole.stdout, f"{whole.stdout}{whole.stderr}")
    expect(len(count_runs()) == sum(not s.full for s in steps), f"it ran {len(count_runs())} commands")
    again = run(page)
    expect(again.returncode == 0 and len(count_runs()) == sum(not s.full for s in steps), "it runs again what it knows")
    os.remove("ran")
    prepared = run(page, "--prepare")
    expect(prepared.returncode == 0 and len(count_runs()) == sum(not s.full and not s.is_claim() for s in steps), f"--prepare: {prepared.stdout}")
    full = run(page, "--full")
    expect(full.returncode == 0 and f"all {sum(s.is_claim() for s in steps)} claims" in full.stdout, f"--full: {full.stdout}")
    # Each claim in turn: a figure that is off by one in its last digit, or a different word.
    text = page.read_text(encoding="utf-8")
    for step in claims:
        block = f"```expect\n{step.expect}```\n"
        ranges = artifact.RANGE.search(step.expect)
        old = ranges[2] if ranges else (NUMBER.findall(step.expect) or [step.expect.strip()])[-1]
        new = str(float(old) / 2) if ranges else old[:-1] + str((int(old[-1]) + 1) % 10) if old[-1].isdigit() else old + "x"
        at = block.rindex(old)
        page.write_text(text.replace(block, block[:at] + new + block[at + len(old):], 1), encoding="utf-8")
        result = run(page)
        expect(result.returncode == 1 and f"DIFFERS: {step.title}" in result.stdout and "1 of " in result.stdout,
               f"'{step.title}': {old} became {new}, and it says {result.stdout[-300:]}")


SMALL = """## One\n\n```console\n{prepare}\n```\n\n### First\n\n```console\necho 1 >>ran; echo 5\n```\n\n```expect\n4..6\n```
### Second\n\n```console\necho 2 >>ran; {second}; echo 5\n```\n\n```expect\n5\n```\n"""


def small(**values):
    text = SMALL.format(**({"prepare": "true", "second": "true"} | values)).replace(">>ran", f">>'{os.getcwd()}/ran'")
    pathlib.Path("small.md").write_text(text, encoding="utf-8")
    return "small.md"


def check_stops():
    os.remove("ran")
    failed = run(small(prepare="echo gone; false"))
    expect(failed.returncode == 1 and "2 of 2 claims" in failed.stdout and not count_runs(), f"a failed preparation: {failed.stdout}")
    failed = run(small(second="exit 3"))
    expect(failed.returncode == 1 and "failed: Second" in failed.stdout and "exit status 3" in failed.stdout, failed.stdout)
    expect(run(small(second="sleep 0")).returncode == 0, "the same page without a failure")
    # Stopped in the second command, it continues there.
    os.remove("ran")
    wait = f"test -e '{os.getcwd()}/go' || sleep 1000"
    child = subprocess.Popen([sys.executable, SOURCE / "tests/artifact.py", small(second=wait, prepare="true; true"), "state/b.json"],
                             stdout=subprocess.PIPE, text=True)
    while "2" not in count_runs():
        time.sleep(0.05)
    other = subprocess.run([sys.executable, SOURCE / "tests/artifact.py", "small.md", "state/b.json"], capture_output=True, text=True, check=False)
    expect(other.returncode == 1 and "at work" in other.stderr, f"two at once: {other.stdout}")
    child.send_signal(signal.SIGTERM)
    said = child.communicate()[0]
    expect(child.returncode == 128 + signal.SIGTERM and "goes on from here" in said, f"stopped: {child.returncode} {said}")
    pathlib.Path("go").touch()
    on = subprocess.run([sys.executable, SOURCE / "tests/artifact.py", "small.md", "state/b.json"], capture_output=True, text=True, check=False)
    expect(on.returncode == 0 and count_runs() == ["1", "2", "2"], f"{count_runs()}: {on.stdout}")
    pathlib.Path("bad.md").write_text("## One\n\n```expect\n5\n```\n", encoding="utf-8")
    expect(run("bad.md").returncode != 0 and "no command" in run("bad.md").stderr, "an expected output without a command")


def main():
    steps = artifact.read_page(PAGE)
    expect(len([s for s in steps if s.is_claim()]) >= 30, "the page has few claims")
    check_coverage(steps)
    check_figures(steps)
    check_commands(steps)
    check_script(steps)
    check_stops()
    if wrong:
        sys.exit("\n".join(wrong + [f"{len(wrong)} are wrong"]))


main()
