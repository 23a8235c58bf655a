"""readme.py README.md WHAT: takes README apart for readme.sh. WHAT is

commands   every command of its blocks, one a line
inline     every 'hotgraph ...' and 'make ...' between backquotes, one a line
queries    every SELECT, between backquotes or in a block, each on one line
figures    reads JSON of the database's figures from standard input, and prints what README says otherwise, or nothing
"""
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
what = sys.argv[2]
# Code is indented by four and more, behind an empty line.
CODE = r"(?<=\n\n)(?: {4,}\S.*\n)+"
blocks = re.findall(CODE, text)
if len(blocks) < 5:
    sys.exit("README has no blocks of commands: is it written otherwise now?")
lines, queries = [], []
for block in blocks:
    block = re.sub(r"^ +", "", block, flags=re.M)
    if re.match(r"select\b", block, re.I):
        queries += [" ".join(q.split()) for q in block.split(";") if q.strip()]
    else:
        lines += [re.sub(r"\s+#.*", "", line) for line in block.splitlines()]
spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(CODE, "", text))]
queries += [s for s in spans if re.match(r"select\b", s, re.I)]


def percent(low, high, digits=1):
    """As README writes a range, or one number."""
    low, high = (re.sub(r"\.0+$", "", f"{x:.{digits}f}") if x == 100 else f"{x:.{digits}f}" for x in (low, high))
    return f"{low} to {high} %" if low != high else f"{low} %"


def words(n):
    return ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"][n]


def figures(is_):
    """What README has to say of the database."""
    for g in is_["games"]:
        yield (f"| {g['game']} | {percent(g['least'], g['most'])} | {percent(g['base'], g['base'])} | "
               f"{percent(g['least_active'], g['most_active'])} | {percent(g['base_active'], g['base_active'])} |")
    places = sorted(is_["places"])
    first, near = sum(p == 1 for p in places), [p for p in places if 1 < p <= 9]
    far = [p for p in places if p > 9]
    round_down, round_up = min(far) // 10 * 10, -(-max(far) // 10) * 10
    yield (f"shares the first place on {words(first)} games, is among the best {words(max(near)) if max(near) < 9 else 'nine'}"
           f" on {words(len(near))} more, and {round_down}th to {round_up}th of {is_['grid']} on the others")
    early = is_["early"]
    yield (f"after 3,000 batches the baseline has {early['base_least']:.0f} to {early['base_most']:.0f} %, #45 has "
           f"{early['least']:.0f} to {early['most']:.0f} %")
    mean = is_["mean"]
    short = {k: f"{v:.3f}"[1:] for k, v in mean.items()}
    yield (f"overlap with the exact graph {short['base_overlap']} for the baseline, {short['overlap']} for #45; hot_f1 "
           f"{short['base_f1']} and {short['f1']}")
    yield f"(about {is_['sampled']:.2f} % of what was executed)"
    overlap, f1 = is_["golden"]
    at_least = int(f1 * 1000) / 1000
    yield f"an active overlap of {overlap:.3f} and a hot_f1_10 above {at_least:.3f} from".replace(" 0.", " .")
    yield f"*{is_['often']}* means bin size"
    options = ["bin-size", "stdev-threshold", "window-size", "recurrent-threshold"]
    shown = [re.findall(rf"--{o} (\d+)", " ".join(lines)) for o in options]
    if shown != [[value] for value in is_["often"].split("/")]:  # what is shown is what is explained
        yield f"hotgraph build with {is_['often']} as it explains, not {shown}"
    if is_["as_much"] > 0:  # "no configuration ... finds as much"
        yield f"{is_['as_much']} configurations find as much as the baseline"


if what == "commands":
    print("\n".join(lines))
elif what == "inline":
    print("\n".join(s for s in spans if s.startswith(("hotgraph ", "make "))))
elif what == "queries":
    print("\n".join(queries))
else:
    said = " ".join(text.split())
    for sentence in figures(json.load(sys.stdin)):
        if " ".join(sentence.split()) not in said:
            print(f"README does not say: {sentence}")
