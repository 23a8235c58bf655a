#!/usr/bin/env python3
"""Turns text files into C strings: embed.py OUT.c NAME=FILE[,FILE...] ..."""
import sys

out = []
for item in sys.argv[2:]:
    name, paths = item.split("=", 1)
    out.append(f"extern const char {name}[];\nconst char {name}[] =")
    for path in paths.split(","):
        for line in open(path, encoding="utf-8"):
            line = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"')
            out.append(f'    "{line}\\n"')
    out[-1] += ";\n"
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write("\n".join(out))
