"""palette.py INDEX.html: checks that colour-blind readers can distinguish the colours, in light and dark mode, and that unlabelled neighbours differ on a grey print, too; and that texts and lines have enough contrast. Machado, Oliveira and Fernandes 2009, full deficiency; distances in CIE L*a*b* (1976), contrast after
WCAG 2. Prints violations, or nothing."""
import itertools
import re
import sys

SIGHT = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def seen(rgb, matrix):
    return [min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in matrix]


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def lab(rgb):
    xyz = [sum(m * c for m, c in zip(row, rgb)) / white for row, white in (
        ((0.4124, 0.3576, 0.1805), 0.9505), ((0.2126, 0.7152, 0.0722), 1), ((0.0193, 0.1192, 0.9505), 1.089))]
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(lab(a), lab(b))) ** 0.5


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lightness(rgb):
    grey = luminance(rgb)
    return lab([grey, grey, grey])[0]


def main():
    css = open(sys.argv[1], encoding="utf-8").read()
    schemes = re.findall(r":root\{([^}]*)\}", css)
    if len(schemes) != 2:
        sys.exit("there are not two palettes in the page")
    for light, scheme in zip(("light", "dark"), schemes):
        ink = {name: linear(value) for name, value in re.findall(r"--(\w+):(#[0-9a-f]{6})", scheme)}
        series = [f"s{i}" for i in range(8)]
        for name in ["text", "muted", "found", "missed", "invented", "cold"] + series:
            least = 4.5 if name in ("text", "muted") else 3
            if contrast(ink[name], ink["paper"]) < least:
                print(f"{light}: {name} has a contrast of {contrast(ink[name], ink['paper']):.1f} on paper")
        # Roles appear in one drawing without labels; each series has a label.
        roles = ["found", "missed", "invented"]
        pairs = [(pair, least) for names, least in ((roles + ["cold"], 20), (series[:4], 20), (series, 9))
                 for pair in itertools.combinations(names, 2)]
        pairs += [(pair, 9) for pair in itertools.product(roles, series)]  # a role's colour has no other meaning
        for pair, least in pairs:
            for (a, b), (kind, matrix) in itertools.product([pair], SIGHT.items()):
                d = distance(seen(ink[a], matrix), seen(ink[b], matrix))
                if d < least:
                    print(f"{light}: {a} and {b} are only {d:.1f} apart with {kind}")
        for names in (["found", "missed", "invented", "cold"], series[:4]) if light == "light" else ():  # as prints are
            for a, b in itertools.combinations(names, 2):
                d = abs(lightness(ink[a]) - lightness(ink[b]))
                if d < 10:
                    print(f"{light}: {a} and {b} are only {d:.1f} apart in grey")


if __name__ == "__main__":
    main()
