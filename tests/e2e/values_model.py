"""What a report's numbers are computed from: the base tables of a database, read without any of its views.

Definitions are those of docs/metrics.md and docs/questions.md; the metrics themselves are rows of `quality`, which
metrics_from_graphs.py holds against the graphs.
"""
import collections
import math
import re
import sqlite3

METRICS = [name + end for end in ("", "_active") for name in
           "similarity precision f1 coverage overlap hot_edges hot_recall hot_precision hot_f1 hot_f1_10 fair_overlap count_error".split()]


def mean(values):
    """Of those that are there; None of none."""
    values = [v for v in values if v is not None]
    return math.fsum(values) / len(values) if values else None


def percent(value):
    return None if value is None else 100 * value


def most(values):
    return max((v for v in values if v is not None), default=None)


def least(values):
    return min((v for v in values if v is not None), default=None)


def falling(value):
    """As a key to sort by: larger first, what is missing last."""
    return (value is None, 0 if value is None else -value)


def rising(value):
    return (value is None, 0 if value is None else value)


class Stream(collections.namedtuple("Stream", "id game title untested paper_game variant sampling sampling_id way row replay rows"
                                    " missing")):
    """A game, sampled in one way; row is None where nothing is there yet."""

    def observed(self):
        """How many instructions were looked at."""
        return self.row["samples"] if self.row["observed"] is None else self.row["observed"]


class Row:
    """A configuration's result on a stream, held against the hot set of one share."""

    def __init__(self, stream, configuration, result, quality):
        self.stream, self.configuration = stream, configuration
        for name in "bins low high edges structure observed records probes steps seconds".split():
            setattr(self, name, result[name])
        for name in METRICS:
            setattr(self, name, quality[name])


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
        self.shown_way = next((s.way for s in self.streams if s.variant == ""), None)

    def all(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.db.execute(sql, values).fetchone()

    def read_configurations(self):
        made = []
        Configuration = collections.namedtuple("Configuration", "id number baseline label technique key values parameters")
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
                            r["sampling_id"], way, row, replay, {}, 0)
            for hot in self.hots if row else []:
                stream.rows[hot] = self.read_rows(stream, results, hot)
            made.append(stream._replace(missing=sum(not self.is_there(stream, c) for c in self.configurations)))
        return made

    def read_rows(self, stream, results, hot):
        qualities = {q["configuration_id"]: q for q in self.all(
            "SELECT * FROM quality WHERE stream_id = ? AND part = 'first' AND batches = ? AND hot_permille = ?",
            stream.id, stream.row["batches"], hot)}
        return [Row(stream, c, results[c.id], qualities[c.id]) for c in self.configurations
                if c.id in results and c.id in qualities]

    def is_there(self, stream, c):
        """A result with the quality for each share, and of a labelled one after each mark."""
        if not stream.row or any(all(r.configuration is not c for r in stream.rows[hot]) for hot in self.hots):
            return False
        marks = [m for m in self.marks if c.label is not None and m < stream.row["batches"]]
        return all(set(marks) <= {q["batches"] for q in self.curve(stream, c, hot)} for hot in self.hots)

    def rows(self, hot, way=None, grid=True, technique=None):
        """All results of the grid (or of one of its techniques), or of the baseline."""
        return [r for s in self.streams if way in (None, s.way) for r in s.rows.get(hot, [])
                if (r.configuration.number is not None if grid else r.configuration.baseline)
                and technique in (None, r.configuration.technique)]

    def techniques(self):
        """Of the grid."""
        return sorted({c.technique for c in self.grid})

    def study(self, hot, way, technique):
        """Of a technique's results: all, those of configurations that have one on each stream that any has, and these streams."""
        rows = self.rows(hot, way, technique=technique)
        streams = {(r.stream.game, r.stream.id) for r in rows}
        count = collections.Counter(r.configuration.id for r in rows)
        return rows, [r for r in rows if count[r.configuration.id] == len(streams)], streams

    def is_balanced(self, rows, name):
        """Does each value of the parameter meet those of every other equally often, among the configurations of these rows?"""
        made = {r.configuration.id: r.configuration.values for r in rows}.values()
        for other in {n for v in made for n in v} - {name}:
            of = collections.Counter(v[name] for v in made)
            beside = collections.Counter(v[other] for v in made)
            both = collections.Counter((v[name], v[other]) for v in made)
            if any(both[a, b] * len(made) != of[a] * beside[b] for a in of for b in beside):
                return False
        return True

    def paper_of(self, stream, hot, technique=None):
        """The paper's game of the kind: beside configurations of the paper's 144 alone, and its hot share."""
        own = {"bin_size": (8, 10, 13, 16), "stdev_threshold": (8, 10, 12, 15), "window_size": (6, 10, 13),
               "recurrent_threshold": (5, 8, 12), "builder": (0,)}
        grid = [c for c in self.grid if c.technique == "gaussian"]
        held = (grid and hot == 900 and technique in (None, "gaussian")
                and all(v in own.get(n, ()) for c in grid for n, v in c.values.items()))
        return self.paper.get(stream.paper_game) if held else None

    def of_stream(self, stream, hot):
        """The grid's rows of a stream, and the baseline's or None."""
        rows = stream.rows.get(hot, [])
        return ([r for r in rows if r.configuration.number is not None],
                next((r for r in rows if r.configuration.baseline), None))

    def results_there(self):
        return sum(len(self.configurations) - s.missing for s in self.streams)

    def varying(self, technique=None):
        """The grid's (or a technique's) parameters that have several values, as they stand in keys; all where none has."""
        grid = [c for c in self.grid if technique in (None, c.technique)]
        place = {n: min(c.key.index(f" {n}=") for c in grid if n in c.values) for c in grid for n in c.values}
        names = sorted(place, key=lambda n: (place[n], n))
        return [n for n in names if len({c.values[n] for c in grid if n in c.values}) > 1] or names

    def paper_list(self, paper_game, kind):
        rows = self.all("SELECT * FROM paper_result WHERE paper_game = ? AND list = ?", paper_game, kind)
        sign = -1 if kind == "best" else 1
        return sorted(rows, key=lambda r: (sign * r["similarity_percent"], r["printed_place"]))

    def curve(self, stream, configuration, hot):
        """What was found after each mark, and at the end: the rows of quality."""
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
    """Of each row: its rank by a metric, how many share it, and the mean of the places they share."""
    values = [getattr(r, metric) for r in rows]
    told = {}
    for r, v in zip(rows, values):
        above = sum((v is None and w is not None) or (v is not None and w is not None and w > v) for w in values)
        shared = sum(w == v for w in values)
        told[id(r)] = (above + 1, shared, above + 1 + (shared - 1) / 2)
    return told
