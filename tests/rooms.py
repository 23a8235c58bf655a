#!/usr/bin/env python3
"""Checks, at every build, that dependencies between rooms go one way, that no folder is crowded, and that no sources share a name.

A room is a folder of core/ or sweep/, or db/. Its sources may include

  - any header of its own room,
  - the public headers of the rooms that its meson.build names (meson knows only what stands
    earlier, so there are no circles), and system headers.

A room's public headers are ROOM.h and those in PUBLIC below; FRIENDS are exceptions with a reason.
`tests/rooms.py --draw` prints the rooms as a Graphviz graph, `--reduced` without the arrows that a longer
way says already:

    tests/rooms.py --reduced | dot -Tsvg >docs/rooms.svg
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Public headers beside ROOM.h.
PUBLIC = {
    "base": {"child.h"},
    "nes": {"engine.h", "movie.h", "probe.h"},
    "graph": {"flow/circulation.h", "layout/layout.h", "path/path_flow.h"},
    "profile": {"exec/exec.h", "gaussian/gaussian_watch.h", "live/live.h", "packets/packet_writer.h", "path/path_judge.h",
                "program/program_parts.h", "program/program_trace.h", "structure/structure.h",
                "window/windows.h"},
    "commands": {"command.h"},
    "report": {"tables/table.h"},
    "native": {"edges/edge_tree.h", "hotprobe.h", "session.h"},
    "qemu": {"export/fdata.h", "export/profile_export.h", "import/import.h"},
}
# (room, header of another room): why it may look inside.
FRIENDS = {
    ("counted", "dbt/host/step.h"): "it counts the instructions of translated code",
    ("dbt", "nes/machine/machine.h"): "translated code reads and writes the machine's fields",
    ("dbt", "nes/observe/watch.h"): "it fires probes itself",
    ("dbt", "nes/ppu/ppu_inlined.h"): "it does in place what some PPU registers do",
    ("dbt", "nes/cpu/deadline.h"): "an engine runs up to the machine's deadlines",
    ("dbt", "nes/cpu/cpu_exec.h"): "it steps over what it does not translate",
    ("dbt", "nes/isa/ops.def"): "one table of opcodes for everybody",
}
# Files of a folder itself; folders of data have as many as there is data.
AT_MOST = 22
ANY_SIZE = {"corpus", "data"}
GENERATED = {"version.h", "player_list.h", "technique_list.h"}


def find_rooms():
    rooms = {"db": os.path.join(ROOT, "db")}
    for top in ("core", "sweep"):
        for name in sorted(os.listdir(os.path.join(ROOT, top))):
            folder = os.path.join(ROOT, top, name)
            if os.path.isfile(os.path.join(folder, "meson.build")):
                rooms[name] = folder
    return rooms


def named(folder, rooms):
    """The rooms that a meson.build names, comments and strings aside."""
    with open(os.path.join(folder, "meson.build"), encoding="utf-8") as file:
        text = re.sub(r"#[^\n]*|'''.*?'''|'[^'\n]*'", " ", file.read(), flags=re.S)
    return {word for word in re.findall(r"[A-Za-z_]\w*", text) if word in rooms}


def sources(folder):
    for here, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith((".c", ".h", ".def")):
                yield os.path.join(here, name)


def public(room, header):
    return header == room + ".h" or header in PUBLIC.get(room, ())


def complaint(room, include, may, rooms):
    """Says what is wrong with an include of this room; None: nothing."""
    if "/" not in include:
        local = os.path.join(rooms[room], include)
        return None if include in GENERATED or os.path.exists(local) else "is in no room"
    other, header = include.split("/", 1)
    if other not in rooms:
        return "is in no room"
    if other == room or (room, include) in FRIENDS:
        return None
    if other not in may:
        return f"is of a room that {room}'s meson.build does not name"
    return None if public(other, header) else f"is private to {other}"


def reach(arrows, room):
    """All rooms below a room."""
    found, waiting = set(), list(arrows[room])
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += arrows[other]
    return found


def crowded_and_doubled():
    """Lists folders with too many files, and sources that share a name."""
    names, wrong = {}, []
    for top in ("core", "db", "plots", "programs", "sweep", "tests"):
        for here, folders, files in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(f for f in folders if f not in ANY_SIZE and not f.startswith((".", "__")))
            own = [f for f in files if not f.endswith(".pyc")]
            if len(own) > AT_MOST:
                wrong.append(f"{os.path.relpath(here, ROOT)}: {len(own)} files are more than {AT_MOST}: cut it into rooms")
            for name in own:
                if name.endswith((".c", ".h")):
                    names.setdefault(name, []).append(os.path.relpath(os.path.join(here, name), ROOT))
    wrong += [f"{' and '.join(sorted(paths))} share a name" for paths in names.values() if len(paths) > 1]
    return sorted(wrong)


def draw(arrows, reduced):
    print('digraph rooms {\n    rankdir=BT; ranksep=0.4; nodesep=0.25; bgcolor="transparent"')
    print('    node [shape=box style="rounded,filled" fillcolor="#eef3f8" color="#5b7083" fontname="DejaVu Sans"]')
    print('    edge [color="#5b7083" arrowsize=0.7]')
    for room in sorted(arrows):
        for other in sorted(arrows[room]):
            if not reduced or not any(other in reach(arrows, third) for third in arrows[room]):
                print(f'    "{room}" -> "{other}"')
    print("}")


def main():
    rooms = find_rooms()
    wrong, used = [], {room: set() for room in rooms}
    for room, folder in rooms.items():
        may = named(folder, rooms)
        for path in sources(folder):
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                    if match is None:
                        continue
                    include = match.group(1)
                    used[room].add(include.split("/")[0])
                    what = complaint(room, include, may, rooms)
                    if what is not None:
                        wrong.append(f"{os.path.relpath(path, ROOT)}:{number}: {include} {what}")
    if "--draw" in sys.argv or "--reduced" in sys.argv:
        draw({room: used[room] & rooms.keys() - {room} for room in rooms}, "--reduced" in sys.argv)
    wrong += crowded_and_doubled()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
