#!/usr/bin/env python3
"""paper.py [--check] [--draft] RESULTS OUT: writes what docs/paper/paper.tex needs into the folder OUT, and has LaTeX make OUT/paper.pdf.

RESULTS has the databases. Every number of the paper is a macro, \\val{NAME}, every table's rows are \\rows{NAME}, and numbers.sql has
the query of each; figures, \\drawn{FOLDER}{NAME}, are drawn by `hotgraph report` from the same databases. The build fails if a query has
no answer, if a macro has no query, if a query has no macro, or if a digit of the text comes from nowhere: \\given{...} marks definitions,
settings, and what others published.

--check writes all but the PDF. --draft, for work on the text, sets ?? where a query has no answer."""
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = 6
DATABASES = ("hotgraph", "golden", "worth", "worth-live", "live", "frontier")


def queries():
    """(kind, name, database, sql) of numbers.sql."""
    text = (HERE / "numbers.sql").read_text(encoding="utf-8")
    for kind, name, database, sql in re.findall(r"^-- (number|table) (\w+) (\S+)\n(.*?)(?=^-- (?:number|table)|\Z)", text, re.M | re.S):
        yield kind, name, database, re.sub(r"^--.*\n", "", sql, flags=re.M)


# ---- the text ----
def used(tex):
    """The numbers, tables and figures that the text uses."""
    return {"number": set(re.findall(r"\\val\{(\w+)\}", tex)), "table": set(re.findall(r"\\rows\{(\w+)\}", tex)),
            "figure": set(re.findall(r"\\drawn(?:\[[^\]]*\])?\{(\S+?)\}\{(\S+?)\}", tex))}


def stray_digits(tex):
    """Lines with a digit that is neither a macro's nor marked as given."""
    body = tex.split(r"\begin{document}")[1].split(r"\begin{thebibliography}")[0]
    body = re.sub(r"(?<!\\)%.*", "", body)
    for command in (r"\\(?:val|rows|given|label|ref|cite|vspace|hspace|columnwidth)\*?\{[^{}]*\}", r"\\drawn(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}",
                    r"\\begin\{tabular\}\{[^{}]*\}", r"\\(?:cmidrule|multicolumn)(?:\([lr]*\))?\{[^{}]*\}(?:\{[lrc]\})?", r"\\setlength\{[^{}]*\}\{[^{}]*\}",
                    r"\\begin\{minipage\}\[t\]\{[^{}]*\}"):
        body = re.sub(command, " ", body)
    return [line.strip() for line in body.splitlines() if re.search(r"\d", line)]


def check_text(tex):
    known = {"number": set(), "table": set()}
    for kind, name, database, _ in queries():
        if name in known[kind]:
            sys.exit(f"numbers.sql: {kind} {name} is there twice")
        if database not in DATABASES:
            sys.exit(f"numbers.sql: {kind} {name}: no database is called {database}")
        known[kind].add(name)
    for kind, names in known.items():
        if used(tex)[kind] - names:
            sys.exit(f"paper.tex: no query of numbers.sql gives the {kind} {', '.join(sorted(used(tex)[kind] - names))}")
        if names - used(tex)[kind]:
            sys.exit(f"numbers.sql: paper.tex does not use the {kind} {', '.join(sorted(names - used(tex)[kind]))}")
    if stray_digits(tex):
        sys.exit("paper.tex: no query gives the digits of these lines:\n" + "\n".join(stray_digits(tex)))


# ---- numbers, tables, figures ----
def escaped(value):
    text = re.sub(r"([&%#_$])", r"\\\1", str(value))
    return re.sub(r"^-(?=\d)", "$-$", text)


def ask(results, name, database, sql):
    """The rows, or None if there is no answer."""
    path = results / f"{database}.db"
    if not path.exists():
        sys.exit(f"{path}: there is no such database, which '{name}' comes from; 'make paper' computes it")
    with sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as db:
        try:
            rows = db.execute(sql).fetchall()
        except sqlite3.Error as error:
            sys.exit(f"numbers.sql: {name}: {error} ({path})")
    return None if not rows or any(cell is None for row in rows for cell in row) else rows


def write_numbers(results, out, draft):
    lines, missing = ["% Written by paper.py."], []
    for kind, name, database, sql in queries():
        rows = ask(results, name, database, sql)
        if rows is None:
            missing.append(f"{name} ({database}.db)")
            rows = [["??"]]
        if kind == "table":
            body = " \\\\\n".join(" & ".join(map(escaped, row)) for row in rows)
            (out / f"rows-{name}.tex").write_text(body + " \\\\\n", encoding="utf-8")
        elif len(rows) != 1 or len(rows[0]) != 1:
            sys.exit(f"numbers.sql: {name}: {len(rows)} rows of {len(rows[0])} columns are no number")
        else:
            lines.append(f"\\expandafter\\def\\csname val@{name}\\endcsname{{{escaped(rows[0][0])}}}")
    (out / "numbers.tex").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if missing and not draft:
        sys.exit(f"numbers.sql: no answer to {', '.join(missing)}")


def copy_figures(results, out, tex):
    for folder, name in used(tex)["figure"]:
        source = results / folder / "figures" / f"{name}.pdf"
        if not source.exists():
            sys.exit(f"{source}: there is no such figure; 'hotgraph report' draws it, as PDF where hotgraph-pdf is built")
        shutil.copy(source, out / f"{folder.strip('./') or 'paper'}-{name}.pdf")


def typeset(out):
    if shutil.which("pdflatex") is None:
        sys.exit("make paper needs LaTeX: apt-get install texlive-latex-base texlive-latex-recommended texlive-fonts-recommended lmodern")
    for _ in range(3):
        result = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=out, capture_output=True,
                                check=False, stdin=subprocess.DEVNULL)
        log = (out / "paper.log").read_text(encoding="latin-1") if (out / "paper.log").exists() else result.stdout.decode("latin-1")
        if result.returncode != 0:
            sys.exit("pdflatex: " + "\n".join(re.findall(r"^!.*(?:\n.*){0,6}", log, re.M)[:3]) + f"\nsee {out / 'paper.log'}")
        if "Rerun to get" not in log:
            break
    missing = re.findall(r"LaTeX Warning: (?:Reference|Citation) .*", log)
    if missing:
        sys.exit("\n".join(missing))
    pages = int(re.search(r"Output written on paper.pdf \((\d+) page", log)[1])
    if pages != PAGES:
        sys.exit(f"{out / 'paper.pdf'}: has {pages} pages, not {PAGES}")
    wide = re.findall(r"Overfull \\hbox \((\d+)\.\d+pt too wide\).*", log)
    if any(int(points) > 10 for points in wide):
        sys.exit(f"{out / 'paper.log'}: lines are up to {max(map(int, wide))} points too wide")


def main():
    arguments = [word for word in sys.argv[1:] if word not in ("--check", "--draft")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    results, out = map(pathlib.Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    tex = (HERE / "paper.tex").read_text(encoding="utf-8")
    check_text(tex)
    write_numbers(results, out, "--draft" in sys.argv)
    if "--check" in sys.argv:
        return
    copy_figures(results, out, tex)
    shutil.copy(HERE / "paper.tex", out)
    typeset(out)
    print(out / "paper.pdf")


if __name__ == "__main__":
    main()
