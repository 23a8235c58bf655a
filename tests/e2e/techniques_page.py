"""techniques_page.py SOURCE [table|bias|budget]: holds docs/techniques.md and README.md to docs/techniques.csv and
docs/bias.csv, the view technique_table of configs/techniques.cfg and configs/bias.cfg, and prints what they say otherwise, or
nothing. table, bias, budget: prints the lines that the page and README must have."""
import csv
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])


def read(name):
    return list(csv.DictReader(open(source / "docs" / name, encoding="utf-8")))


rows, bias_rows = read("techniques.csv"), read("bias.csv")
BUDGETS = ["0.0006", "0.002", "0.006", "0.02", "0.06", "0.2", "0.6", "1.5"]
SAMPLES = [  # the first that holds names it
    ("active ", {"calls": "active transfers, calls", "golden": "active transfers, golden",
                 "stratified": "active transfers, stratified"}),
    ("transfers ", {"stratified": "transfers, stratified"}),
    ("instructions ", {"batch=1": "single instructions, stratified",
                       "batch=25": "batches of 25 by instructions, stratified"}),
    ("time ", {"weighting=cycles": "batches of 25 every 3 ms, weighted", "interval_us=3000": "batches of 25 every 3 ms",
               "interval_us=75000": "batches of 25 every 75 ms"}),
]


def samples(row):
    words = row["sampling"].replace("place=", "").split()
    for begin, names in SAMPLES:
        if row["sampling"].startswith(begin):
            return next(name for word, name in names.items() if word in words)
    raise KeyError(row["sampling"])


def technique(row):
    if row["technique"] == "flow":
        return "flow, " + next(w.split("=")[1] for w in row["parameters"].split() if w.startswith("costs="))
    return "GFCGaussiano, number 45" if row["technique"] == "gaussian" else row["technique"]


def table():
    order = [r for r in rows if r["frames"] == "18000" and r["hot_permille"] == "900"]
    order.sort(key=lambda r: (float(r["observed_percent"]), samples(r), float(r["overlap_active"]), technique(r)))
    for r in order:
        yield (f"| {r['observed_percent']} | {samples(r)} | {technique(r)} | {float(r['overlap_active']):.3f} | "
               f"{float(r['overlap_active_lowest']):.3f} to {float(r['overlap_active_highest']):.3f} | "
               f"{float(r['overlap_active_least']):.3f} | {float(r['hot_f1_10_active']):.3f} | {float(r['overlap']):.3f} |")


def best(budget, wanted):
    """Of what observes at most so much, the best in the mean, as technique_at_budget has it."""
    able = [r for r in rows if float(r["observed_percent"]) <= float(budget) + 5e-5 and wanted(r)]
    return max(able, key=lambda r: (float(r["overlap_active"]), float(r["hot_f1_10_active"])), default=None)


def short(number):
    return f"{float(number):.3f}".lstrip("0")


def where_from(row, budget):
    """The samples, and their share where that is less than the budget."""
    name = {"active transfers, calls": "golden", "batches of 25 by instructions, stratified": "batches by instructions"}
    share = float(row["observed_percent"])
    return name[samples(row)] + (f", {share:.1g} %" if share < 0.9 * float(budget) else "")


def budget_lines():
    """README's table: the best by budget, told the structure, not told, and GFCGaussiano."""
    def two(r):
        return f"{short(r['overlap_active'])} / {short(r['overlap_active_least'])}"
    for budget in BUDGETS:
        told, alone = best(budget, lambda r: True), best(budget, lambda r: r["structure"] == "0")
        last = best(budget, lambda r: r["technique"] == "gaussian")
        if technique(told) != "flow, poisson" or alone["technique"] != "observed":
            wrong.append(f"README's headings name other techniques than are best at {budget} %")
        yield (f"| {budget} | {two(told)} | {where_from(told, budget)} | {two(alone)} | {where_from(alone, budget)} | "
               f"{two(last) + ' ' if last else ''}|")


def bias():
    """A line a way of sampling, with three techniques on it."""
    ways = {}
    for r in bias_rows:
        ways.setdefault(r["sampling"], {})[r["technique"]] = r
    for way, by in sorted(ways.items(), key=lambda w: (w[0][0] != "t", [int(x) for x in re.findall("=([0-9]+)", w[0])],
                                                       w[0])):
        value = dict(word.split("=") for word in way.split() if "=" in word)
        every = int(value.get("interval_us", 0))
        name = f"every {every / 1000:g} ms" if every else f"by instructions, {value['per_million']} per million"
        more = [f"jitter {100 * int(value.get('jitter_us', 0)) / every:.0f} %"] if value.get("jitter_us", "0") != "0" else []
        more += ["weighted"] if "weighting" in value else []
        yield f"| {', '.join([name] + more)} | {f'{every / 16639.267:.2f} ' if every else ''}| " + " | ".join(
            f"{short(r['overlap_active'])}, {short(r['overlap_active_lowest'])} to {short(r['overlap_active_highest'])}"
            for r in (by["observed"], by["flow"], by["gaussian"])) + " |"


wrong = []
for r in rows + bias_rows:
    low, mean, high = (float(r["overlap_active" + k]) for k in ("_lowest", "", "_highest"))
    if not float(r["overlap_active_least"]) <= low <= mean <= high <= 1 or r["games"] != "8" or r["replicates"] != "8":
        wrong.append(f"docs/*.csv is not of a whole database: {r}")
if len(sys.argv) > 2:
    print("\n".join({"table": table, "bias": bias, "budget": budget_lines}[sys.argv[2]]()))
    sys.exit()
page = (source / "docs/techniques.md").read_text(encoding="utf-8").splitlines()
readme = (source / "README.md").read_text(encoding="utf-8").splitlines()
expected = list(table()) + list(bias())
if [line for line in page if line in expected] != expected:
    wrong += [f"docs/techniques.md does not say: {line}" for line in expected if line not in page] or \
        ["docs/techniques.md: the lines of its tables are in another order, or there twice"]
wrong += [f"README does not say: {line}" for line in budget_lines() if line not in readme]
print("\n".join(wrong))
