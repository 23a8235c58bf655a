"""wide.py HOTGRAPH: runs commands that print tables on terminals of several widths, in a folder with experiment.cfg, a.db and b.db, and compares the output with that to a file."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

hotgraph = sys.argv[1]
COMMANDS = [["sweep", "experiment.cfg", "--db", "a.db"], ["report", "a.db"], ["runs", "a.db"],
            ["report", "--compare", "a.db", "b.db"]]


def on_terminal(words, width):
    """The output on a terminal with that many columns; 0: unknown width."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    with subprocess.Popen([hotgraph] + words, stdout=its, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
        os.close(its)
        text = b""
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # all have closed it
                break
            if not some:
                break
            text += some
    os.close(ours)
    assert process.returncode == 0, (words, process.returncode, text)
    return text.decode().replace("\r\n", "\n")


def tables(text):
    """Columns of each table, by name, in order; a table is a line of names over one of dashes. A column ends where the
    next begins: two blanks in every line of the table."""
    lines = text.split("\n")
    found = []
    for at, line in enumerate(lines):
        if not re.fullmatch("-{4,}", line):
            continue
        rows = [lines[at - 1]]
        for row in lines[at + 1:]:
            if row == "" or row.startswith("left out"):
                break
            rows.append(row)
        size = max(map(len, rows))
        rows = [row.ljust(size) for row in rows]
        gaps = [m.span() for m in re.finditer("1{2,}", "".join("01"[all(r[i] == " " for r in rows)] for i in range(size)))]
        edges = [0] + [e for span in gaps for e in span] + [size]
        columns = [[r[a:b].strip() for r in rows] for a, b in zip(edges[::2], edges[1::2]) if a < b]
        found.append([c for c in columns if any(c)])
    return found


def check(words):
    piped = subprocess.run([hotgraph] + words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
    assert on_terminal(words + ["--wide"], 80) == piped, f"{words}: --wide is not all"
    assert "left out (--wide" not in piped
    assert on_terminal(words, 1000) == piped or words[0] == "runs", f"{words}: something is left out of what fits"
    assert max(map(len, piped.split("\n"))) > 80, f"{words} has no wide table"
    shown = {}
    for width in (60, 80, 130, 0):
        text = on_terminal(words, width)
        settings = text.split("How far each game moved")[0] if "--compare" in words else ""  # all of these
        for line in text[len(settings):].split("\n"):
            assert len(line) <= (width or 80), f"{words}: {len(line)} characters on a terminal of {width}: {line}"
        shown[width] = sum(len(t) for t in tables(text))
        for few, all_of in zip(tables(text), tables(piped)):
            assert few[0] == all_of[0], f"{words}: {few[0]} is not the first column"
            assert [c for c in all_of if c in few] == few, f"{words}: {few} are not columns of {all_of}"
        named = " ".join(re.sub(r"\s+", " ", t) for t in re.findall(r"left out \(--wide shows all\): ([^\n]*(?:\n[^\n]+)*)", text))
        for few, all_of in zip(tables(text), tables(piped)):
            for column in all_of:
                assert column in few or re.sub(" +", " ", column[0]) in named, f"{words}: {column[0]} is not named: {named}"
    assert shown[60] < shown[80] < shown[130], (words, shown)
    assert shown[0] == shown[80], (words, shown)


for words in COMMANDS:
    check(words)
