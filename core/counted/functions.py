"""The functions of the sources, and their names in costs.def."""
import collections
import os
import re

ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)|enum \w+ (?=\w+\()")
NAME = re.compile(r"(\w+)\(")


def functions_of(path):
    """[(name, first line, last line)] of a source that clang-format has formatted."""
    found, head, first, name, macro = [], "", 0, None, -1
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if name is not None:  # in a body
                if line.startswith("}"):
                    found.append((name, first, number))
                    head, name = "", None
                continue
            if line.startswith("#define LOOP_FUNCTION"):  # the head of a function whose body is cpu_loop.h
                macro = number
                line = line.removeprefix("#define LOOP_FUNCTION")
            if macro == number and NAME.search(line):
                found.append((NAME.search(line).group(1), number, number))
            elif number == macro + 1 and NAME.search(line):
                found.append((NAME.search(line).group(1), number, number))
            if not head:
                if not re.match(r"[A-Za-z_]", line):
                    continue
                first = number
            head += " " + line
            if head.endswith((";", "}", "\\")) or line == "":
                head = ""
            elif head.endswith("{"):
                match = NAME.search(ATTRIBUTE.sub("", head))
                name = match.group(1) if match and "=" not in head else ""
                if name == "":  # a type, an initialiser: skip to its end
                    name = None
                    head = ""
    return found


def sources(root):
    for top in ("nes", "dbt", "profile"):
        for folder, _, names in os.walk(os.path.join(root, "core", top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    yield os.path.join(folder, name)


def defined(root):
    """function -> files that define it"""
    files = collections.defaultdict(set)
    for path in sources(root):
        for name, _, _ in functions_of(path):
            files[name].add(os.path.basename(path))
    return files


def name_of(function, file, files):
    """The name in costs.def of a function of `file` (a base name)."""
    where = files.get(function, set())
    return f"{file}:{function}" if len(where) > 1 and file in where else function
