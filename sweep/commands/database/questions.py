#!/usr/bin/env python3
"""questions.py QUESTIONS.md OUT.c: turns the named statements of docs/questions.md into a table for `hotgraph sql`.

Each statement in a ```sql block is preceded by `-- name`, or `-- name: what it answers`; without the latter, the bold
sentence above the block says what it answers. The
number of a closing LIMIT is kept apart, so that conditions apply before it."""
import re
import sys


def fail(message):
    sys.exit(f"questions.py: {sys.argv[1]}: {message}")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def statements(text):
    """Yields name, title and SQL."""
    title = None
    for piece in re.split(r"(?m)^(```sql\n.*?^```$)", text, flags=re.S):
        if not piece.startswith("```sql"):
            titles = re.findall(r"\*\*(.+?)\*\*", piece, flags=re.S)
            title = " ".join(titles[-1].split()) if titles else title
            continue
        for statement in re.split(r"(?<=;)\n", piece[len("```sql\n"):-len("```")]):
            if not statement.strip():
                continue
            named = re.match(r"-- ([a-z][a-z0-9_]*)(?:: (.+?))?\n(.+);$", statement, flags=re.S)
            if named is None:
                fail(f"this statement has no line '-- name' above it:\n{statement}")
            if named[2] is None and title is None:
                fail(f"no bold sentence says what {named[1]} answers")
            yield named[1], named[2] or title, named[3]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(statements(file.read()))
    names = [name for name, _, _ in found]
    for name in names:
        if names.count(name) > 1:
            fail(f"two statements are called {name}")
    out = ['#include "commands/database/questions.h"\n', "const struct question questions[] = {"]
    for name, title, sql in found:
        limit = re.search(r"\sLIMIT (\d+)$", sql)
        body = sql[:limit.start()] if limit else sql
        out.append(f"    {{{quoted(name)}, {quoted(title)},\n     {quoted(body)}, {limit[1] if limit else 0}}},")
    out += ["    {0},", "};"]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
