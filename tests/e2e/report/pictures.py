"""pictures.py SVG COLOURS: compares a drawing with its picture. COLOURS: the output of tests/colours for the picture, which a program other than a browser made. Prints what is wrong, or nothing."""
import re
import sys

NEAR = 12  # of 255 a channel: thin lines and letters are blended with what is under them


def plain(text):
    """The colours in a text, as rrggbb."""
    found = {c.lower() for c in re.findall(r"(?:fill|stroke)\s*[=:]\s*[\"']?#([0-9a-fA-F]{6})", text)}
    for parts in re.findall(r"(?:fill|stroke)\s*[=:]\s*[\"']?rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)", text):
        found.add("".join(f"{int(part):02x}" for part in parts))
    names = {"white": "ffffff", "black": "000000"}
    return found | {names[name] for name in re.findall(r"(?:fill|stroke)\s*[=:]\s*[\"']?(white|black)\b", text)}


def named(svg):
    """The opaque colours of a drawing."""
    drawn = re.sub(r"<style>.*?</style>", "", svg, flags=re.S)
    styles = "".join(re.findall(r"<style>(.*?)</style>", svg, flags=re.S))
    styles = re.sub(r"@media[^{]*\{.*?\}\s*\}", "", styles, flags=re.S)  # a dark screen's
    found = set()
    for tag in re.findall(r"<\w[^>]*>", drawn):
        if "opacity=" not in tag:
            found |= plain(tag)
    return found | plain(styles)


def channels(colour):
    return [int(colour[i:i + 2], 16) for i in (0, 2, 4)]


def main():
    svg = open(sys.argv[1], encoding="utf-8").read()
    seen = [(int(count), colour) for count, colour in (line.split() for line in open(sys.argv[2]))]
    pixels = sum(count for count, _ in seen)
    black = sum(count for count, colour in seen if max(channels(colour)) < 16 and int(colour[6:], 16) > 127)
    if black > pixels / 20:
        print(f"{100 * black / pixels:.0f} % of it is black")
    expected = named(svg)
    if len(expected) < 2:
        print(f"only {len(expected)} plain colours: {sorted(expected)}")
    opaque = [channels(colour) for _, colour in seen if int(colour[6:], 16) > 200]
    for colour in sorted(expected):
        want = channels(colour)
        if not any(max(abs(a - b) for a, b in zip(want, have)) <= NEAR for have in opaque):
            print(f"#{colour} is nowhere")


main()
