#!/usr/bin/env python3
"""licences.py SOURCE FILES: every file of the list is in an entry of .reuse/dep5, every pattern there has a file, and
every licence has its text. As the format says, the last entry that fits a file holds; `tests/*` contains `tests/data/cpu/*`."""
import fnmatch
import re
import sys

source, listed = sys.argv[1:3]
with open(listed, encoding="utf-8") as file:
    files = file.read().split("\n")[:-1]
with open(f"{source}/.reuse/dep5", encoding="utf-8") as file:
    entries = [dict(re.findall(r"(?ms)^([A-Za-z-]+): (.*?)(?=^[A-Za-z-]+: |\Z)", part)) for part in file.read().split("\n\n")]
wrong = []
covered = set()
for entry in entries[1:]:
    for field in ("Files", "Copyright", "License"):
        if not entry.get(field, "").strip():
            wrong.append(f"an entry has no {field}: {entry}")
    for pattern in entry.get("Files", "").split():
        here = {name for name in files if fnmatch.fnmatchcase(name, pattern)}
        if not here:
            wrong.append(f"{pattern}: no such file")
        covered |= here
    licence = entry.get("License", "").strip()
    if f"LICENSES/{licence}.txt" not in files:
        wrong.append(f"LICENSES/{licence}.txt is missing")
wrong += [f"{name}: no entry in .reuse/dep5" for name in files if name not in covered]
print("\n".join(wrong) or f"{len(files)} files")
sys.exit(bool(wrong))
