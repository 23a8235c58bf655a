"""docs.py ROOT WHAT [PAGE]: takes README.md and docs/*.md apart for docs.sh and install.sh. WHAT is

steps PAGE    the commands of the page's sh blocks in their order ("run COMMAND", a line each), and what they are said to print: a
              text block below holds lines of the last command's output ("out LINE"; a line of dots stands for any others)
inline PAGE   every `hotgraph ...` and `make ...` between backquotes, one a line
answers PAGE  asks every query of the page, and prints what the page says otherwise, or nothing
sources       prints every block of a page that states a figure without a source, pages that are too long, terms of
              docs/glossary.md that nobody uses, and terms that a page defines (in *emphasis*) and the glossary has not
sql PAGE      the queries of its sql blocks, one a line
update PAGE   writes the answers into the tables below its sql blocks

Every figure of a page has a source:
- A table below a block of sql is the answer to its last query. The database is results/hotgraph.db, or the one that the block's first
  line names ("-- golden.db").
- <!-- figures golden.db: SELECT ...; SELECT ... --> above a paragraph, list or table: each row's first column is text that stands there.
  What they cover must leave no figure over. The database "docs" has each docs/NAME.csv as a table NAME.
  "@docs/x.sql NAME" instead of queries means those below "-- name: NAME" in that file. What stands above the first name is executed
  before them: temporary views.
- <!-- given: ... --> above it: definitions, settings and what others published. Beside `figures` it covers only the numbers that it
  repeats.
- <!-- measured: COMMAND --> above it: times and counts of one machine; the command measures them again.
- <!-- page docs/NAME.md: TEXT --> covers what that page states in the same words.
README has no room for these: tests/e2e/pages/readme_figures.txt has its own, for the page as a whole.
"""
import csv
import pathlib
import re
import sqlite3
import sys

root, what = pathlib.Path(sys.argv[1]), sys.argv[2]
page = sys.argv[3] if len(sys.argv) > 3 else None
LONGEST = {"README.md": 1200, "docs/speed.md": 1500}
# Emphasised, and no terms of ours.
NO_TERMS = {"different input", "this", "hot", "lock and load", "static", "dynamic", "may"}
FIGURE = re.compile(r"\d[\d,]*\.\d+(?: ?%)?|(?<![\w.])\.\d{2,}|\d(?:[\d,]*\d)? ?%|"
                    r"\d[\d,]* (?:times|ms|ns|us|µs|MB|MiB|GB|GiB|seconds?|minutes?|million|billion)\b")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def text_of(name):
    return (root / name).read_text(encoding="utf-8")


def pages():
    return ["README.md"] + sorted(f"docs/{p.name}" for p in (root / "docs").glob("*.md"))


def blocks(name):
    """(kind, text) in their order: "sh", "sql", "text" and other code; "comment"; "prose" for the rest."""
    text, at = text_of(name), 0
    parts = []
    for code in FENCE.finditer(text):
        parts += [("prose", text[at:code.start()]), (code[1] or "text", code[2])]
        at = code.end()
    parts.append(("prose", text[at:]))
    for kind, part in parts:
        if kind != "prose":
            yield kind, part
            continue
        for i, piece in enumerate(re.split(r"<!--(.*?)-->", part, flags=re.S)):
            if i % 2:
                yield "comment", piece.strip()
            else:
                yield from (("prose", b.strip()) for b in re.split(r"\n\s*\n", piece) if b.strip())


def commands(code):
    """A shell's commands, one per line: continued lines and loops are joined."""
    line, depth, joined = "", 0, False
    for raw in code.splitlines():
        raw = re.sub(r"(^|\s+)#.*", "", raw.strip())
        if not raw:
            continue
        depth += bool(re.match(r"(for|while) ", raw)) - bool(re.match(r"done\b", raw))
        line += ("" if not line or line.endswith(" do") or joined else ";") + (" " if line else "") + raw
        joined = line.endswith("\\")
        if joined:
            line = line[:-1].rstrip()
        elif not depth:
            yield " ".join(line.split())
            line = ""


def steps(name):
    for kind, code in blocks(name):
        if kind == "sh":
            yield from ("run " + c for c in commands(code) if c)
        elif kind == "text":
            yield from ("out " + " ".join(line.split()) for line in code.splitlines() if line.strip(" ."))


def prose(name):
    return "\n\n".join(b for kind, b in blocks(name) if kind == "prose")


def queries(code):
    return [" ".join(q.split()) for q in re.sub(r"^\s*--.*$", "", code, flags=re.M).split(";") if q.strip()]


def inline(name):
    for span in re.findall(r"`([^`]+)`", prose(name)):
        if span.startswith(("hotgraph ", "make ")):
            yield " ".join(span.split())


def database(name):
    if name == "docs":
        db = sqlite3.connect(":memory:")
        for path in (root / "docs").glob("*.csv"):
            rows = list(csv.reader(open(path, encoding="utf-8")))
            db.execute(f"CREATE TABLE {path.stem} ({', '.join(c + ' NUMERIC' for c in rows[0])})")
            db.executemany(f"INSERT INTO {path.stem} VALUES ({', '.join('?' * len(rows[0]))})",
                           [[None if c == "" else c for c in r] for r in rows[1:]])
        return db
    path = pathlib.Path(name)
    if not path.exists():
        sys.exit(f"{page}: {name} is not made by a command above")
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def ask(name, sql, views=""):
    with database(name) as db:
        db.executescript(views)
        cursor = db.execute(sql)
        rows = cursor.fetchall()
        return [c[0] for c in cursor.description], rows


def cell(value):
    return "" if value is None else str(value)


def plain(text):
    """Without emphasis and line breaks."""
    return " ".join(re.sub(r"[*`]", "", text).split())


def table_lines(block):
    return [[c.strip() for c in line.strip().strip("|").split("|")] for line in block.splitlines()]


def marker(comment):
    kind, _, rest = comment.partition(":")
    word, _, db = kind.strip().partition(" ")
    return word, db.strip(), rest.strip()


def stated(comments):
    """Texts that the page must have according to its markers."""
    for comment in comments:
        word, db, rest = marker(comment)
        views = ""
        named = re.match(r"@(\S+) (\w+)$", rest)
        if named:
            views = text_of(named[1]).partition("-- name:")[0]
            rest = re.search(rf"^-- name: {named[2]}\b[^\n]*\n(.*?)(?=^-- name|\Z)", text_of(named[1]), re.M | re.S)[1]
        if word == "figures":
            if not queries(rest):
                yield None, comment
            for sql in queries(rest):
                rows = ask(db, sql, views)[1]
                if not rows:
                    yield None, sql
                yield from ((plain(cell(r[0])), sql) for r in rows)
        elif word == "page":
            yield (plain(rest), rest) if plain(rest) in plain(text_of(db)) else (None, f"{rest} in {db}")


def left_over(block, comments):
    """Figures of a block that no marker covers; texts that it should have but lacks."""
    code = " ".join(re.findall(r"`[^`]*`", block))
    said = plain(re.sub(r"\]\([^)]*\)", "]", block))
    wrong, covers = [], [c for c in comments if marker(c)[0] in ("given", "measured")]
    for one, sql in stated(comments):
        if one is None:
            wrong.append(f"no answer to: {sql}")
        elif one not in said:
            wrong.append(f"does not say: {one}")
        said = said.replace(one, " ") if one else said
    if any(marker(c)[0] in ("figures", "page") for c in comments):
        allowed = set(m for c in covers for m in FIGURE.findall(marker(c)[2]))
        left = [m for m in FIGURE.findall(said) if m not in allowed and m not in FIGURE.findall(code)]
        wrong += [f"nothing says where {', '.join(left[:4])} is from: {block[:60]}..."] if left else []
    return wrong


def answers(name):
    pending, table, db_rows = [], None, None
    for kind, block in blocks(name):
        if kind == "comment":
            pending.append(block)
            continue
        if kind == "sql":
            first = re.match(r"-- (\S+\.db)", block)
            for sql in queries(block):
                table = ask(first[1] if first else "results/hotgraph.db", sql)
        elif kind == "prose":
            if table and block.startswith("|"):
                got = [[cell(c) for c in r] for r in [table[0]] + table[1]]
                lines = table_lines(block)
                said = lines[:1] + lines[2:]
                if got != said:
                    yield "the answer is\n" + "\n".join("| " + " | ".join(r) + " |" for r in got)
            if name != "README.md":
                yield from left_over(block, pending)
            table = None
        if kind != "comment":
            pending = []
    if name == "README.md":
        own = re.findall(r"<!--(.*?)-->", (root / "tests/e2e/pages/readme_figures.txt").read_text(encoding="utf-8"), re.S)
        rest, after = [], ""
        for kind, block in blocks(name):
            if kind == "prose" and not (after == "sql" and block.startswith("|")):
                rest.append(block)
            after = kind
        yield from left_over("\n".join(rest), [c.strip() for c in own])


def glossary():
    """Terms of the glossary that the tree does not use, and terms of the pages that it does not have."""
    rows = table_lines(text_of("docs/glossary.md").split("| --- | --- |\n")[1])
    terms = [t.strip().lower() for r in rows for t in r[0].split(",")]
    if sorted(terms) != sorted(set(terms)) or len(terms) < 40 or any(len(r) != 2 or not r[1] for r in rows):
        yield "docs/glossary.md: a term is there twice or has no meaning, or hardly any is there"
    used = " ".join(text_of(p) for p in pages() if p != "docs/glossary.md")
    used += " ".join(f.read_text(encoding="utf-8", errors="replace") for room in ("core", "sweep", "db", "configs", "tests/e2e")
                     for f in sorted((root / room).rglob("*")) if f.suffix in (".h", ".c", ".sql", ".def", ".cfg", ".sh"))
    used = plain(used).lower()
    yield from (f"docs/glossary.md: nothing uses '{t}'" for t in terms if t not in used)
    for name in pages():
        for term in re.findall(r"(?<![*\w])\*([A-Za-z][A-Za-z -]*)\*(?![*\w])", prose(name)):
            word = term.lower()
            if word not in terms and word not in NO_TERMS and word.rstrip("s") not in terms:
                yield f"{name}: *{term}* is not in docs/glossary.md"


def sources():
    yield from glossary()
    for name in pages():
        words = len(re.sub(r"<!--.*?-->", "", text_of(name), flags=re.S).split())
        if words > LONGEST.get(name, 10**6):
            yield f"{name} has {words} words, more than {LONGEST[name]}"
        pending, after_sql = [], False
        for kind, block in blocks(name):
            if kind == "comment":
                word, _, rest = marker(block)
                if word not in ("figures", "given", "measured", "page") or not rest:
                    yield f"{name}: <!-- {block[:50]} --> is no marker"
                if word == "measured":
                    target = re.match(r"make ([\w-]+)", rest)
                    if target and not re.search(rf"^{target[1]}:", text_of("Makefile"), re.M):
                        yield f"{name}: there is no target '{target[0]}'"
                pending.append(block)
                continue
            bare = re.sub(r"`[^`]*`|\]\([^)]*\)", "", block)
            if kind == "prose" and name != "README.md" and not pending and not (after_sql and block.startswith("|")):
                found = FIGURE.findall(bare)
                if found:
                    yield f"{name}: nothing says where {', '.join(found[:4])} is from: {' '.join(block.split())[:80]}"
            if kind != "prose" or block.startswith("|"):
                after_sql = kind == "sql"
            pending = []


def update(name):
    """The page with the answers of its sql blocks."""
    def answered(found):
        first = re.match(r"-- (\S+\.db)", found[1])
        for sql in queries(found[1]):
            names, rows = ask(first[1] if first else "results/hotgraph.db", sql)
        lines = [names, ["---"] * len(names)] + [[cell(c) for c in r] for r in rows]
        return f"```sql\n{found[1]}```\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return re.sub(r"^```sql\n((?:(?!```).*\n)*)```\n\n(?:\|.*\n)+", answered, text_of(name), flags=re.M)


if what == "steps":
    print("\n".join(steps(page)))
elif what == "inline":
    print("\n".join(inline(page)))
elif what == "sql":
    print("\n".join(q for kind, code in blocks(page) if kind == "sql" for q in queries(code)))
elif what == "update":
    updated = update(page)
    (root / page).write_text(updated, encoding="utf-8")
elif what == "pages":
    print("\n".join(pages()))
elif what == "answers":
    print("\n".join(f"{page}: {w}" for w in answers(page)))
else:
    print("\n".join(sources()))
