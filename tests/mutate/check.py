#!/usr/bin/env python3
"""mutants_random.py on a project of one file: if this fails, lines that no test protects count as protected. The list of changes is compared with one made by hand; then the project is tried as it is, once more from the journal, and with a better test.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import points  # noqa: E402

TOY = """\
#include "toy.h"
/* a + b: not code, nor is "1 < 2" */
static const char text[] = "3 + 4";
int sum(int a, int b) {
    return a + b;
}
int twice(int a) {
    return a * 2;
}
int unused(int a) {
    return a - 1;
}
unsigned bits(unsigned n) {
    unsigned count = text[0] != '3';
    while (n > 0) {
        n &= n - 1;
        count++;
    }
    return count;
}
"""
HEADER = "int sum(int a, int b);\nint twice(int a);\nint unused(int a);\nunsigned bits(unsigned n);\n"
TEST = """\
#include "toy.h"
int main(void) {
    return !(sum(2, 3) == 5 && twice(3) %s && bits(7) == 3 && bits(8) == 1 && bits(1) == 1 && bits(0) == 0);
}
"""
SQL = """\
-- a AND b
CREATE VIEW v AS SELECT max(x) AS x, 'a AND 1' AS y FROM t
WHERE a >= 1 AND b IS NULL ORDER BY a, b DESC;
"""
FILES = {"meson.build": "project('toy', 'c')\nsubdir('tests')\n",
         "tests/meson.build": "test('toy', executable('test_toy', 'unit/toy/test_toy.c', '../core/toy/toy.c',\n"
                              "    include_directories: include_directories('../core/toy')))\n",
         "core/toy/toy.c": TOY, "core/toy/toy.h": HEADER, "tests/unit/toy/test_toy.c": TEST % "!= 0"}


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


def changes(text, name, line):
    """The line after each of its changes, without surrounding blanks."""
    return sorted(p.apply(text).split("\n")[p.line - 1].strip() for p in points.points(text, name) if p.line == line)


def check_points():
    expect("lines that change", {p.line for p in points.points(TOY, "toy.c")}, {5, 8, 11, 14, 15, 16, 17})
    expect("a product", changes(TOY, "toy.c", 8), ["return a * 0;", "return a * 1;", "return a * 3;", "return a / 2;"])
    expect("a loop", changes(TOY, "toy.c", 15), sorted([
        "while (n >= 0) {", "while (n <= 0) {", "while (n > 1) {", "while (!(n > 0)) {", "while ((n > 0) && 0) {"]))
    expect("a statement", changes(TOY, "toy.c", 17), [";", "count--;"])
    expect("a declaration", changes(TOY, "toy.c", 14), ["unsigned count = text[0] == '3';", "unsigned count = text[1] != '3';"])
    expect("a view", changes(SQL, "v.sql", 3), sorted([
        "WHERE a > 1 AND b IS NULL ORDER BY a, b DESC;", "WHERE a >= 0 AND b IS NULL ORDER BY a, b DESC;",
        "WHERE a >= 2 AND b IS NULL ORDER BY a, b DESC;", "WHERE a >= 1 OR b IS NULL ORDER BY a, b DESC;",
        "WHERE a >= 1 AND b IS NOT NULL ORDER BY a, b DESC;", "WHERE a >= 1 AND b IS NULL ORDER BY a, b ASC;",
        "WHERE a >= 1 AND b IS NULL ORDER BY a;", "WHERE 1 OR a >= 1 AND b IS NULL ORDER BY a, b DESC;",
        "WHERE 0 AND a >= 1 AND b IS NULL ORDER BY a, b DESC;"]))
    same = "void f(void) {\n    x = a[i] < b.c ? a[i] : b.c;\n    p = malloc(n + 1);\n    gzbuffer(z, 1 << 17);\n    x = a < b ? b : 7;\n}\n"
    expect("a choice", changes(same, "s.c", 2), sorted([
        "x = a[i] >= b.c ? a[i] : b.c;", "x = a[i] < b.c || 1 ? a[i] : b.c;", "x = a[i] < b.c && 0 ? a[i] : b.c;", ";"]))
    expect("room", changes(same, "s.c", 3), sorted(["p = malloc(n + 0);", "p = malloc(n - 1);", ";"]))
    expect("a hint", changes(same, "s.c", 4), [";"])
    expect("no choice between the two", "x = a <= b ? b : 7;" in changes(same, "s.c", 5), True)
    for name, text in (("toy.c", TOY), ("v.sql", SQL)):
        for p in points.points(text, name):
            expect("lines of a change", p.apply(text).count("\n"), text.count("\n"))


def run(root, *more):
    done = subprocess.run([sys.executable, HERE.parent / "mutants_random.py", "--root", root, "--count", "100", *more],
                          capture_output=True, text=True)
    journal = [json.loads(line) for line in (root / "build-mutants/seed-1.journal").read_text().splitlines()]
    return done, journal, {told["identity"]: told for told in journal}


def outcomes(last):
    """Line: the outcomes of its changes."""
    found = {}
    for told in last.values():
        found.setdefault(told["line"], set()).add(told["outcome"])
    return found


def check_project(root):
    root.mkdir()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git"] + command, cwd=root, check=True)
    done, journal, last = run(root)
    found = outcomes(last)
    expect("nothing is unbuilt", any("unbuilt" in o for o in found.values()), False)
    expect("a line that is protected", found[5], {"noticed"})
    expect("one whose result nobody looks at", "survived" in found[8], True)
    expect("one that no test reaches", found[11], {"unreached"})
    expect("endless loops", found[17] | found[16], {"noticed"})
    expect("lines with survivors", {line for line, o in found.items() if "survived" in o}, {8})
    expect("the diff of a survivor", "-    return a * 2;\n          +    return a * 3;" in done.stdout, True)
    expect("less than nine of ten", done.returncode, 1)
    expect("a second run", (run(root)[0].stdout.splitlines()[-3:], len(run(root)[1])), (done.stdout.splitlines()[-3:], len(journal)))
    (root / "tests/unit/toy/test_toy.c").write_text(TEST % "== 6")
    again = outcomes(run(root, "--again")[2])
    expect("a test that looks", again[8], {"noticed"})
    expect("what it does not reach", again[11], {"unreached"})


def main():
    check_points()
    if any(shutil.which(tool) is None for tool in ("git", "gcc", "gcov", "meson", "ninja")):
        print("skipped: a tool is missing")
        sys.exit(77)
    for name in ("CFLAGS", "LDFLAGS", "GIT_DIR", "GIT_WORK_TREE"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        check_project(pathlib.Path(folder) / "toy project")


if __name__ == "__main__":
    main()
