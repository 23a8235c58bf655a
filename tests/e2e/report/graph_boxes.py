"""graph_boxes.py NAMES SVG...: checks in these drawings of graphs that each name is inside a box of its own, that boxes do not overlap, and that the names are those of the list (a line each, "function+offset"). Invented blocks are in the functions of real ones. Prints violations, or nothing."""
import re
import sys

NUMBER = r"(-?[\d.]+)"
LETTER = 0.602 * 14  # pixels of DejaVu Sans Mono


def check(path, names):
    svg = open(path, encoding="utf-8").read()
    boxes = [tuple(map(float, box)) for box in re.findall(
        rf"<rect x='{NUMBER}' y='{NUMBER}' width='{NUMBER}' height='{NUMBER}' class='f-band'", svg)]
    if len(boxes) < 3:
        yield f"only {len(boxes)} boxes"
    for i, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, height2 in boxes[:i]:
            if x < x2 + width2 and x2 < x + width and y < y2 + height2 and y2 < y + height:
                yield f"the boxes at {x},{y} and {x2},{y2} lie on each other"
    inside = {}
    for x, y, text in re.findall(rf"<text x='{NUMBER}' y='{NUMBER}' text-anchor='middle' class='f-\w+ code'[^>]*>([^<]*)<", svg):
        x, y, half = float(x), float(y), LETTER * len(text) / 2
        at = [i for i, (left, top, width, height) in enumerate(boxes)
              if left <= x - half and x + half <= left + width and top <= y - 11 and y <= top + height]
        if len(at) != 1:
            yield f"'{text}' is in {len(at)} boxes"
        else:
            inside.setdefault(at[0], []).append(text)
    functions, known = {n.rpartition("+")[0] for n in names} - {""}, 0
    for i in range(len(boxes)):
        name = "".join(inside.get(i, []))
        head, _, tail = name.partition("..")
        if any(name == n or (tail and n.startswith(head) and n.endswith(tail)) for n in names):
            known += 1
        elif name.rpartition("+")[0] not in functions:
            yield f"'{name}' is no name"
    if known < 3:
        yield f"only {known} names of blocks that exist"


listed = open(sys.argv[1], encoding="utf-8").read().split()
for drawing in sys.argv[2:]:
    for problem in check(drawing, listed):
        print(f"{drawing}: {problem}")
