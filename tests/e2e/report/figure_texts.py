"""figure_texts.py SVG...: checks that every text of these drawings is inside, overlaps nothing, and is readable on what lies under it, in light and dark mode. Widths are estimated from DejaVu Sans, which is wide; texts may touch slightly. Prints violations, or nothing."""
import re
import sys

from palette import contrast, linear

NUMBER = r"-?[\d.]+"
SLACK = 2.5  # pixels: widths are guesses


def width(text, size, code):
    if code:
        return 0.602 * size * len(text)
    wide = sum(0.95 if c in "mwMW%@" else 0.3 if c in "ijl|.,:;'!" else 0.4 if c in "frt() -/" else 0.68 if c.isupper() else 0.62
               for c in text)
    return wide * size


def unescape(text):
    for name, c in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(name, c)
    return text


def attribute(tag, name, default=None):
    found = re.search(rf"\s{name}='([^']*)'", tag)
    return found[1] if found else default


def mix(ink, paper, strength):
    return [round(p + strength * (i - p)) for i, p in zip(ink, paper)]


def rgb(colour):
    return [int(colour[i:i + 2], 16) for i in (1, 3, 5)]


def check(path):
    svg = open(path, encoding="utf-8").read()
    across, down = (float(x) for x in re.search(rf"viewBox='0 0 ({NUMBER}) ({NUMBER})'", svg).groups())
    schemes = [dict(re.findall(r"class='f-(\w+)[^']*' fill='(#[0-9a-f]{6})'", svg)),
               dict(re.findall(r"\.f-(\w+)\{fill:(#[0-9a-f]{6})\}", svg))]
    rects, texts = [], []
    for tag, inside in re.findall(r"<(rect [^>]*|text [^>]*)/?>([^<]*)", svg.split("</desc>", 1)[1]):
        x, y = float(attribute(tag, "x", "0")), float(attribute(tag, "y", "0"))
        ink = attribute(tag, "class", "").split()
        ink = next(c for c in ink if c.startswith("f-"))[2:]
        if tag.startswith("rect"):
            rects.append((x, y, x + float(attribute(tag, "width")), y + float(attribute(tag, "height")), ink,
                          float(attribute(tag, "fill-opacity", attribute(tag, "opacity", "1")))))
            continue
        said = unescape(inside)
        w = width(said, 14, "code" in attribute(tag, "class", ""))
        left = x - {"middle": w / 2, "end": w}.get(attribute(tag, "text-anchor"), 0)
        texts.append((left, y - 10.5, left + w, y + 1, said, ink, list(rects)))
    for left, top, right, bottom, said, ink, under in texts:
        if left < -SLACK or top < -SLACK or right > across + SLACK or bottom > down + SLACK:
            yield f"'{said}' leaves the drawing"
        x, y = (left + right) / 2, (top + bottom) / 2
        for scheme in schemes:
            ground = rgb(scheme["paper"])
            for x1, y1, x2, y2, fill, strength in under:
                if x1 <= x <= x2 and y1 <= y <= y2:
                    ground = mix(rgb(scheme[fill]), ground, strength)
            c = contrast(linear(scheme[ink]), linear("#%02x%02x%02x" % tuple(ground)))
            if c < (3 if ink not in ("text", "muted") else 4):
                yield f"'{said}' has a contrast of {c:.1f} on what lies under it ({'dark' if scheme is schemes[1] else 'light'})"
    for i, a in enumerate(texts):
        for b in texts[i + 1:]:
            if min(a[2], b[2]) - max(a[0], b[0]) > SLACK and min(a[3], b[3]) - max(a[1], b[1]) > SLACK:
                yield f"'{a[4]}' and '{b[4]}' lie on each other"


for path in sys.argv[1:]:
    for wrong in check(path):
        print(f"{path}: {wrong}")
