"""The data behind a report's numbers: the base tables of a database, read without its views. The definitions are those of docs/metrics.md and docs/questions.md; the metrics are rows of `quality`, which metrics_from_graphs.py compares with the graphs.
"""
import collections
import functools
import math
import re
import sqlite3

METRICS = [name + end for end in ("", "_active") for name in
           "similarity precision f1 coverage overlap hot_edges hot_recall hot_precision hot_f1 hot_f1_10 fair_overlap count_error".split()]


def mean(values):
    """Ignores None; None if there is no value."""
    values = [v for v in values if v is not None]
    return math.fsum(values) / len(values) if values else None


def percent(value):
    return None if value is None else 100 * value


def most(values):
    return max((v for v in values if v is not None), default=None)


def least(values):
    return min((v for v in values if v is not None), default=None)


def falling(value):
    """A sort key: larger values first, missing ones last."""
    return (value is None, 0 if value is None else -value)


def rising(value):
    return (value is None, 0 if value is None else value)


class Stream(collections.namedtuple("Stream", "id game title untested paper_game variant sampling sampling_id way row replay rows"
                                    " results missing unfit", defaults=(0, 0, 0))):
    """A game with one sampling; row is None if there is no stream yet."""

    def observed(self):
        """The number of sampled instructions."""
        return self.row["samples"] if self.row["observed"] is None else self.row["observed"]


class Row:
    """A configuration's result on a stream, compared with the hot set of one share."""

    def __init__(self, stream, configuration, result, quality):
        self.stream, self.configuration = stream, configuration
        for name in "bins low high edges structure observed records probes steps seconds benefit benefit_inferred placed".split():
            setattr(self, name, result[name])
        for name in METRICS:
            setattr(self, name, quality[name])


class Configuration(collections.namedtuple("Configuration", "id number baseline label technique key values parameters")):
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Experiment:
    def __init__(self, db, name):
        self.db, self.name = db, name
        self.id = self.one("SELECT experiment_id FROM experiment WHERE name = ?", name)[0]
        self.hots = [r[0] for r in self.all("SELECT hot_permille FROM experiment_hot WHERE experiment_id = ? ORDER BY 1", self.id)]
        self.hot = 900 if 900 in self.hots else self.hots[0]
        self.marks = [r[0] for r in self.all("SELECT batches FROM experiment_mark WHERE experiment_id = ? ORDER BY 1", self.id)]
        self.configurations = self.read_configurations()
        self.grid = [c for c in self.configurations if c.number is not None]
        self.streams = self.read_streams()
        self.paper = {r["paper_game"]: r for r in self.all("SELECT * FROM paper_game")}
        self.ways = sorted({s.way for s in self.streams})
        self.techniques = sorted({c.technique for c in self.grid})

    def all(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.db.execute(sql, values).fetchone()

    def read_configurations(self):
        made = []
        for r in self.all("SELECT * FROM experiment_configuration JOIN configuration USING (configuration_id)"
                          " WHERE experiment_id = ?", self.id):
            values = dict(self.db.execute("SELECT name, value FROM configuration_value WHERE configuration_id = ?",
                                          (r["configuration_id"],)).fetchall())
            made.append(Configuration(r["configuration_id"], r["number"], r["baseline"], r["label"], r["technique"], r["key"],
                                      values, r["key"][len(r["technique"]) + 1:]))
        return sorted(made, key=lambda c: (c.number is not None, c.number, c.technique, c.parameters))

    def read_streams(self):
        made = []
        for r in self.all("SELECT * FROM experiment_stream JOIN game USING (game_id) JOIN sampling USING (sampling_id)"
                          " WHERE experiment_id = ? ORDER BY name, variant", self.id):
            row = self.one("SELECT * FROM stream WHERE stream_id = ?", r["stream_id"])
            replay = row and self.one("SELECT * FROM replay WHERE replay_id = ?", row["replay_id"])
            way = "file" if r["method"] == "file" else re.sub(r" (seed|phase_cycles)=-?\d+", "", r["key"])
            results = {x["configuration_id"]: x for x in self.all("SELECT * FROM result WHERE stream_id = ?", r["stream_id"])}
            stream = Stream(r["stream_id"], r["name"], r["title"], r["untested"], r["paper_game"], r["variant"], r["key"],
                            r["sampling_id"], way, row, replay, {})
            for hot in self.hots if row else []:
                stream.rows[hot] = self.read_rows(stream, results, hot)
            there = sum(self.is_whole(stream, c) for c in self.configurations)
            unfit = sum(row is not None and not self.fits(row, c) and c.id not in results for c in self.configurations)
            made.append(stream._replace(results=there, missing=len(self.configurations) - there - unfit, unfit=unfit))
        return made

    @staticmethod
    def fits(stream, configuration):
        """A window has its instructions from one batch."""
        return not stream["batches"] or configuration.values.get("window_size", 0) <= stream["batch_length"]

    def read_rows(self, stream, results, hot):
        qualities = {q["configuration_id"]: q for q in self.all(
            "SELECT * FROM quality WHERE stream_id = ? AND part = 'first' AND batches = ? AND hot_permille = ?",
            stream.id, stream.row["batches"], hot)}
        return [Row(stream, c, results[c.id], qualities[c.id]) for c in self.configurations
                if c.id in results and c.id in qualities]

    def is_whole(self, stream, configuration):
        """True if the result exists for each hot share, and, if it has a curve, after each mark."""
        if not stream.row or any(all(r.configuration is not configuration for r in stream.rows[h]) for h in self.hots):
            return False
        marks = [m for m in self.marks if m < stream.row["batches"]] if configuration.label is not None else []
        return all(set(marks) <= {q["batches"] for q in self.curve(stream, configuration, h)} for h in self.hots)

    def rows(self, hot, way, technique):
        """All results of the grid."""
        return [r for s in self.streams if s.way == way for r in self.of_stream(s, hot, technique)[0]]

    def of_stream(self, stream, hot, technique=None):
        """The grid's rows of a stream, all or those of a technique, and the baseline's or None."""
        rows = stream.rows.get(hot, [])
        return ([r for r in rows if r.configuration.number is not None and technique in (None, r.configuration.technique)],
                next((r for r in rows if r.configuration.baseline), None))

    def competing(self, hot, way, technique):
        """The results of the configurations that compete, and what the others lack."""
        rows = self.rows(hot, way, technique)
        asked = {(r.stream.game, r.stream.id) for r in rows}
        lacks = {}
        for c in self.grid:
            mine = {(r.stream.game, r.stream.id) for r in rows if r.configuration is c}
            if mine and mine != asked:
                lacks[c] = mine, asked - mine
        return [r for r in rows if r.configuration not in lacks], lacks, asked

    def is_papers(self, hot, technique):
        """True if it can be compared with the paper: only its 144 configurations, with its hot share."""
        values = {"bin_size": (8, 10, 13, 16), "stdev_threshold": (8, 10, 12, 15), "window_size": (6, 10, 13),
                  "recurrent_threshold": (5, 8, 12), "builder": (0,)}
        mine = [c for c in self.grid if c.technique == "gaussian"]
        return technique == "gaussian" and hot == 900 and bool(mine) and all(
            v in values.get(n, ()) for c in mine for n, v in c.values.items())

    def is_program(self, stream):
        return stream.replay is not None and stream.replay["kind"] == "program"

    def varying(self, technique=None):
        """The parameters of the grid (or of a technique) with several values, in the order of keys; all if none has."""
        grid = [c for c in self.grid if technique in (None, c.technique)]
        place = {n: min(c.key.index(f" {n}=") for c in grid if n in c.values) for c in grid for n in c.values}
        names = sorted(place, key=lambda n: (place[n], n))
        return [n for n in names if len({c.values[n] for c in grid if n in c.values}) > 1] or names

    def paper_list(self, paper_game, kind):
        rows = self.all("SELECT * FROM paper_result WHERE paper_game = ? AND list = ?", paper_game, kind)
        sign = -1 if kind == "best" else 1
        return sorted(rows, key=lambda r: (sign * r["similarity_percent"], r["printed_place"]))

    def curve(self, stream, configuration, hot):
        """The rows of quality after each mark and at the end."""
        program = stream.replay["kind"] == "program"
        end = stream.row["batches"]
        rows = self.all("SELECT * FROM quality WHERE stream_id = ? AND configuration_id = ? AND hot_permille = ? ORDER BY batches",
                        stream.id, configuration.id, hot)
        return [q for q in rows if (q["batches"] == end or q["batches"] in self.marks)
                and q["part"] == ("strata" if program and q["batches"] < end else "first")]


def open_database(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    return db


def tied(rows, metric):
    """For each row: its rank by a metric, the number of equal ones, and the mean of their ranks."""
    values = [getattr(r, metric) for r in rows]
    told = {}
    for r, v in zip(rows, values):
        above = sum((v is None and w is not None) or (v is not None and w is not None and w > v) for w in values)
        shared = sum(w == v for w in values)
        told[id(r)] = (above + 1, shared, above + 1 + (shared - 1) / 2)
    return told


class Mean:
    """A configuration over all streams that are sampled in one way."""

    def __init__(self, configuration, rows, places_of):
        self.configuration, self.games, self.streams = configuration, len({r.stream.game for r in rows}), len(rows)
        for name in ("similarity", "similarity_active", "f1_active"):
            value = mean(getattr(r, name) for r in rows)
            setattr(self, name, None if value is None else round(value, 12))
        self.place = mean(places_of[id(r)][2] for r in rows)


def ordered_means(x, study, kind):
    """For each configuration that competes; ranks are among them."""
    key = falling if kind == "best" else rising
    rows = x.competing(*study)[0]
    places_of = {}
    for s in {(r.stream.game, r.stream.id) for r in rows}:
        places_of.update(tied([r for r in rows if (r.stream.game, r.stream.id) == s], "similarity"))
    means = [Mean(c, mine, places_of) for c in x.grid for mine in [[r for r in rows if r.configuration is c]] if mine]
    return sorted(means, key=lambda m: (key(m.similarity), key(m.similarity_active), key(m.f1_active), m.configuration.number))


def baseline_mean(x, study, metric="similarity"):
    """Over the streams on which the technique has results; None if it lacks one of them."""
    asked = [s for s in x.streams if s.way == study[1] and x.of_stream(s, study[0], study[2])[0]]
    rows = [x.of_stream(s, study[0])[1] for s in asked]
    return mean(getattr(r, metric) for r in rows) if all(rows) else None


def meets_all(x, rows, name):
    """True if the parameter's values are combined in proportion with those of every other."""
    made = {r.configuration for r in rows}
    technique = next(iter(made)).technique
    for other in (n for n in x.varying(technique) if n != name):
        both = [(c.values[name], c.values[other]) for c in made if name in c.values and other in c.values]
        for v in {b[0] for b in both}:
            for w in {b[1] for b in both}:
                if both.count((v, w)) * len(both) != sum(b[0] == v for b in both) * sum(b[1] == w for b in both):
                    return False
    return True


def effects(x, study):
    """Parameter, value, number of results, their means, and the difference to the technique's overall means, for both scopes."""
    rows = x.competing(*study)[0]
    for name in sorted({n for r in rows for n in r.configuration.values}):
        for value in sorted({r.configuration.values[name] for r in rows if name in r.configuration.values},
                            key=lambda v: (isinstance(v, str), v)):
            those = [r for r in rows if r.configuration.values.get(name) == value]
            told = [mean(getattr(r, m) for r in those) for m in ("similarity", "similarity_active")]
            yield name, value, those, told, [None if t is None else t - mean(getattr(r, m) for r in rows)
                                             for t, m in zip(told, ("similarity", "similarity_active"))]


# ---- how certain results are ----

def bisect(f, low, high):
    """The zero of a rising function."""
    for _ in range(44):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return (low + high) / 2


def integral(f, low, high, steps=600):
    """By Simpson's rule."""
    h = (high - low) / steps
    return h / 3 * math.fsum((1 if i in (0, steps) else 4 if i % 2 else 2) * f(low + i * h) for i in range(steps + 1))


@functools.cache
def student(freedom):
    """Student's t for 95 % of the distribution."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    return bisect(lambda t: 2 * integral(lambda u: scale * (1 + u * u / freedom) ** (-(freedom + 1) / 2), 0, t) - 0.95, 1, 20)


@functools.cache
def nemenyi(k):
    """The studentized range: within which the range of k normal values lies in 95 % of samples, over the square root of 2."""
    def normal(z):
        return 0.5 * math.erfc(-z / math.sqrt(2))

    def within(q):
        return k * integral(lambda z: math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (normal(z + q) - normal(z)) ** (k - 1), -8, 8, 800)
    return bisect(lambda q: within(q) - 0.95, 1, 8) / math.sqrt(2)


def chi_square_tail(x, freedom):
    """By integrating the density, not by the sums of which the program makes it; u = v * v bounds it near 0."""
    scale = 2 ** (freedom / 2) * math.gamma(freedom / 2)
    return 1 - integral(lambda v: 2 * v ** (freedom - 1) * math.exp(-v * v / 2) / scale, 0, math.sqrt(x))


def by_game(x, hot, way, metric, rows):
    """The mean of each game's replicates."""
    games = {}
    for r in rows:
        value = getattr(r, metric)
        if value is not None:
            games.setdefault(r.stream.game, []).append(value)
    return {g: mean(v) for g, v in games.items()}


def of_configuration(x, hot, way, c):
    return [r for s in x.streams if s.way == way for r in s.rows.get(hot, []) if r.configuration is c]


def interval(values):
    """Mean and half the width of its 95 % interval; None if there is one value."""
    values = list(values)
    if len(values) < 2:
        return (mean(values), None)
    m = mean(values)
    s = math.sqrt(math.fsum((v - m) ** 2 for v in values) / (len(values) - 1))
    return m, student(len(values) - 1) * s / math.sqrt(len(values))


def intervals(x, hot, way, metric):
    """For each configuration that competes, and for the baseline: games, mean, low, high, and the gain over the baseline."""
    direct = {}
    for c in x.configurations:
        if c.baseline:
            direct = by_game(x, hot, way, metric, of_configuration(x, hot, way, c))
    lacking = {c for t in x.techniques for c in x.competing(hot, way, t)[1]}
    for c in x.configurations:
        if c in lacking:
            continue
        games = by_game(x, hot, way, metric, of_configuration(x, hot, way, c))
        if not games:
            continue
        m, half = interval(games.values())
        gain, gain_half = interval([v - direct[g] for g, v in games.items() if g in direct])
        told = {"configuration": c, "games": len(games), "mean": m, "low": None, "high": None, "gain": gain, "gain_low": None,
                "gain_high": None}
        if half is not None:
            told["low"], told["high"] = max(0, m - half), min(1, m + half)
        if gain_half is not None:
            told["gain_low"], told["gain_high"] = gain - gain_half, gain + gain_half
        yield told


def ranking(x, hot, way, metric):
    """Mean ranks over the games that have all of these: the baseline, the labelled configurations and, in a grid of at most twelve, all configurations."""
    few = [c for c in x.configurations if c.baseline or c.label is not None or c.number is not None and len(x.grid) <= 12]
    found = {c: by_game(x, hot, way, metric, of_configuration(x, hot, way, c)) for c in few}
    found = {c: {g: round(v, 12) for g, v in games.items()} for c, games in found.items() if games}
    shared = set.intersection(*(set(g) for g in found.values())) if found else set()
    ranks, k, ties = {c: [] for c in found}, len(found), 0
    for g in shared:
        for c in found:
            above = sum(o[g] > found[c][g] for o in found.values())
            same = sum(o[g] == found[c][g] for o in found.values())
            ranks[c].append(above + (same + 1) / 2)
            ties += same * same - 1
    return {c: mean(r) for c, r in ranks.items()}, len(shared), k, ties


def friedman(ranks, n, k, ties):
    """Chi-square with the correction for ties; None if all are equal. After scipy.stats.friedmanchisquare."""
    left = 1 - ties / (n * k * (k * k - 1))
    if left <= 0:
        return None
    return (12 / (n * k * (k + 1)) * math.fsum((n * r) ** 2 for r in ranks.values()) - 3 * n * (k + 1)) / left
