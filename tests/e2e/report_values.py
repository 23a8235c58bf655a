#!/usr/bin/env python3
"""report_values.py DATABASE FOLDER EXPERIMENT: every table of a report and every number of its findings, computed again from
the base tables (values_model.py, no view, none of the program's code) and held against the files. Prints what is wrong, or nothing.

A table, a column or a sentence that is not known here is wrong, too: whoever adds one says here what it has to be.
"""
import csv
import html
import math
import os
import re
import sys

from values_model import Experiment, falling, least, mean, most, open_database, percent, rising, tied


class Number:
    """A value that is shown with so many decimals."""

    def __init__(self, value, decimals=0):
        self.value, self.decimals = value, decimals

    def is_shown_as(self, text):
        if self.value is None:
            return text in ("", "–")
        try:
            shown = float(text)
        except ValueError:
            return False
        return abs(shown - self.value) <= 0.5 * 10 ** -self.decimals + 1e-9

    def __str__(self):
        return "nothing" if self.value is None else f"{self.value:.{self.decimals + 3}f}"


def fits(expected, text):
    if isinstance(expected, Number):
        return expected.is_shown_as(text)
    return text in (("", "–") if expected is None else (str(expected),))


wrong = []


def compare(name, header, rows, table):
    """Rows of {head: value} against a table of texts, in this order."""
    if sorted(header) != sorted(rows[0] if rows else header):
        wrong.append(f"{name}: the columns {header}, but known are {sorted(rows[0])}")
        return
    if len(rows) != len(table):
        wrong.append(f"{name}: {len(table)} rows instead of {len(rows)}")
    for n, (expected, shown) in enumerate(zip(rows, table), 1):
        for head, text in zip(header, shown):
            if not fits(expected[head], text):
                wrong.append(f"{name}, row {n}: {head} is {text}, but by the definition {expected[head]}")


# ---- tables ----

def game_cell(x, stream):
    name = stream.game + (f" ({stream.variant})" if stream.variant else "") + (" (untested)" if stream.untested else "")
    asked = len(x.configurations)
    return name + (f" ({asked - stream.missing} of {asked} results)" if stream.missing else "")


def share(x, hot):
    return {"hot %": Number(hot / 10, 1)} if x.hots != [900] else {}


def technique_cell(x, technique):
    return {"technique": technique} if len(x.techniques()) > 1 else {}


def table1(x):
    for s, hot in ((s, h) for s in x.streams for h in x.hots):
        b = x.of_stream(s, hot)[1]
        paper = x.paper_of(s, hot)
        told = {"game": game_cell(x, s), **share(x, hot), **sampled_by(x, s.way), "batches": s.row and s.row["batches"], "instructions": s.replay and s.replay["instructions"],
                "sampled %": Number(percent(s.observed() / s.replay["instructions"]) if s.row else None, 2)}
        for head, metric in (("baseline %", "similarity"), ("baseline active %", "similarity_active"), ("precision %", "precision"),
                             ("coverage %", "coverage"), ("overlap %", "overlap")):
            told[head] = Number(percent(b and getattr(b, metric)), 1)
        for head, name in (("paper's batches", "batches"), ("paper's instructions", "instructions")):
            told[head] = paper and paper[name]
        told["paper's game"] = paper and s.paper_game
        told["paper's sampled %"] = Number(paper and paper["sampled_percent"], 2)
        yield told


def table2(x):
    for s, hot, technique in ((s, h, t) for s in x.streams for h in x.hots for t in x.techniques()):
        rows, b = x.of_stream(s, hot)
        rows = [r for r in rows if r.configuration.technique == technique]
        paper = x.paper_of(s, hot, technique)
        told = {"game": game_cell(x, s), **share(x, hot), **sampled_by(x, s.way), **technique_cell(x, technique),
                "hot edges": most(r.hot_edges for r in rows),
                "active hot edges": most(r.hot_edges_active for r in rows), "paper's game": paper and s.paper_game,
                "paper's best %": paper and paper["best_percent"], "paper's worst %": paper and paper["worst_percent"]}
        for head, pick, metric in (("best %", most, "similarity"), ("worst %", least, "similarity"),
                                   ("best active %", most, "similarity_active"), ("worst active %", least, "similarity_active"),
                                   ("best precision %", most, "precision"), ("best overlap %", most, "overlap")):
            told[head] = Number(percent(pick(getattr(r, metric) for r in rows)), 1)
        for head, metric in (("baseline %", "similarity"), ("baseline active %", "similarity_active"),
                             ("baseline precision %", "precision"), ("baseline overlap %", "overlap")):
            told[head] = Number(percent(b and getattr(b, metric)), 1)
        yield told


def parameters_of(x, configuration):
    """The columns that tell configurations apart: `bin` for bin_size, and so on."""
    told = {re.sub(r"_(size|threshold)$", "", n): configuration.values.get(n) for n in x.varying()}
    if len({c.technique for c in x.grid}) > 1:
        told["technique"] = configuration.technique
    return told


def places(x, kind):
    """Tables 3 and 4: equals share a place, and stand in the order of similarity without busy-waits, f1 without, number."""
    key = falling if kind == "best" else rising
    for s, hot, technique in ((s, h, t) for s in x.streams for h in x.hots for t in x.techniques()):
        rows, b = x.of_stream(s, hot)
        rows = [r for r in rows if r.configuration.technique == technique]
        papers = x.paper_list(s.paper_game, kind) if x.paper_of(s, hot, technique) else []
        ordered = sorted(rows, key=lambda r: (key(r.similarity), key(r.similarity_active), key(r.f1_active), r.configuration.number))
        for n, r in enumerate(ordered[:3]):
            place = 1 + sum(key(o.similarity) < key(r.similarity) for o in rows)
            shared = sum(o.similarity == r.similarity for o in rows)
            paper = papers[n] if n < len(papers) else None
            told = {"game": game_cell(x, s), **share(x, hot), **sampled_by(x, s.way), "place": f"{place}{'=' if shared > 1 else ''}", "#": r.configuration.number,
                    "bins": r.bins, "paper's game": s.paper_game if paper else None,
                    "paper's": paper and "/".join(str(paper[k]) for k in ("bin_size", "stdev_threshold", "window_size",
                                                                          "recurrent_threshold")),
                    "paper's bins": paper and paper["bins"], "paper's %": paper and paper["similarity_percent"]}
            for head, row, metric in (("similarity %", r, "similarity"), ("baseline %", b, "similarity"),
                                      ("active %", r, "similarity_active"), ("baseline active %", b, "similarity_active"),
                                      ("precision %", r, "precision"), ("coverage %", r, "coverage"), ("overlap %", r, "overlap"),
                                      ("baseline overlap %", b, "overlap")):
                told[head] = Number(percent(row and getattr(row, metric)), 1)
            yield {**told, **parameters_of(x, r.configuration)}


class Mean:
    """A configuration that competes, over all streams that are sampled in one way."""

    def __init__(self, configuration, rows, places_of):
        self.configuration, self.games = configuration, len({r.stream.game for r in rows})
        for name in ("similarity", "similarity_active", "f1_active"):
            value = mean(getattr(r, name) for r in rows)
            setattr(self, name, None if value is None else round(value, 12))
        self.place = mean(places_of[id(r)][2] for r in rows)


def means(x, hot, way, technique):
    places_of = {}
    rows = x.study(hot, way, technique)[1]
    for stream in {(r.stream.game, r.stream.id) for r in rows}:
        places_of.update(tied([r for r in rows if (r.stream.game, r.stream.id) == stream], "similarity"))
    return [Mean(c, mine, places_of) for c in x.grid for mine in [[r for r in rows if r.configuration is c]] if mine]


def ordered_means(x, hot, way, technique, kind):
    key = falling if kind == "best" else rising
    return sorted(means(x, hot, way, technique), key=lambda m: (key(m.similarity), key(m.similarity_active), key(m.f1_active),
                                                                m.configuration.number))


def baseline_mean(x, hot, way, technique, metric="similarity"):
    """Over the technique's streams, all of them."""
    streams = x.study(hot, way, technique)[2]
    rows = [r for r in x.rows(hot, way, grid=False) if (r.stream.game, r.stream.id) in streams]
    return mean(getattr(r, metric) for r in rows) if len(rows) == len(streams) else None


def sampled_by(x, way):
    return {"sampled by": way} if len(x.ways) > 1 else {}


def ranking(x, kind):
    key = falling if kind == "best" else rising
    for hot, way, technique in ((h, w, t) for h in x.hots for w in x.ways for t in x.techniques()):
        ordered = ordered_means(x, hot, way, technique, kind)
        for m in ordered[:10]:
            place = 1 + sum(key(o.similarity) < key(m.similarity) for o in ordered)
            shared = sum(o.similarity == m.similarity for o in ordered)
            yield {"place": f"{place}{'=' if shared > 1 else ''}", "#": m.configuration.number, "games": m.games,
                   "mean %": Number(percent(m.similarity), 2), "mean active %": Number(percent(m.similarity_active), 2),
                   "mean place": Number(m.place, 2), "baseline mean %": Number(percent(baseline_mean(x, hot, way, technique)), 2),
                   "baseline mean active %": Number(percent(baseline_mean(x, hot, way, technique, "similarity_active")), 2),
                   **parameters_of(x, m.configuration), **share(x, hot), **sampled_by(x, way)}


def lacking(x, hot, way, technique):
    """Configurations with results on some of the streams that others have results on, what they have, and what there is."""
    rows, _, streams = x.study(hot, way, technique)
    for c in x.grid:
        mine = {(r.stream.game, r.stream.id) for r in rows if r.configuration is c}
        if mine and mine != streams:
            yield c, mine, streams, " ".join(sorted({game for game, _ in streams - mine}))


def not_competing(x):
    for hot, way, technique in ((h, w, t) for h in x.hots for w in x.ways for t in x.techniques()):
        for c, mine, streams, lacks in lacking(x, hot, way, technique):
            yield {"#": c.number, **parameters_of(x, c), **share(x, hot), **sampled_by(x, way),
                   "streams": f"{len(mine)} of {len(streams)}", "lacks results on": lacks}


def effects(x, hot, way, technique):
    """Parameter, value, its results, and its mean less that of all that compete, for both scopes."""
    mine = x.study(hot, way, technique)[1]
    for name in sorted({n for r in mine for n in r.configuration.values}):
        for value in sorted({r.configuration.values[name] for r in mine if name in r.configuration.values},
                            key=lambda v: (isinstance(v, str), v)):
            those = [r for r in mine if r.configuration.values.get(name) == value]
            told = [mean(getattr(r, m) for r in those) for m in ("similarity", "similarity_active")]
            yield name, value, those, told, [
                None if t is None else t - mean(getattr(r, m) for r in mine)
                for t, m in zip(told, ("similarity", "similarity_active"))]


def parameter_effect(x):
    several = {(c.technique, n) for c in x.grid for n in c.values
               if len({o.values.get(n) for o in x.grid if o.technique == c.technique}) > 1}
    for hot, way, technique in ((h, w, t) for h in x.hots for w in x.ways for t in x.techniques()):
        for name, value, rows, told, effect in effects(x, hot, way, technique):
            if (technique, name) in several or not several:
                balanced = x.is_balanced(x.study(hot, way, technique)[1], name)
                yield {"parameter": name, "value": value, **technique_cell(x, technique), **share(x, hot), "results": len(rows),
                       "mean %": Number(percent(told[0]), 2), "effect": Number(percent(effect[0]), 2),
                       "mean active %": Number(percent(told[1]), 2), "effect active": Number(percent(effect[1]), 2),
                       "baseline mean %": Number(percent(baseline_mean(x, hot, way, technique)), 2),
                       "balanced": "yes" if balanced else "no", **sampled_by(x, way)}


TABLES = {"table1": table1, "table2": table2, "table3": lambda x: places(x, "best"), "table4": lambda x: places(x, "worst"),
          "best_configuration": lambda x: ranking(x, "best"), "worst_configuration": lambda x: ranking(x, "worst"),
          "not_competing": not_competing, "parameter_effect": parameter_effect}


# ---- tables of the page alone ----

def all_rows(x):
    for s in x.streams:
        rows = s.rows.get(x.hot, []) if s.variant == "" else []
        for r in sorted(rows, key=lambda r: (r.configuration.number is not None, r.configuration.number, r.configuration.technique,
                                             r.configuration.parameters)):
            told = {"game": s.game, "hot %": Number(x.hot / 10, 1), "sampled by": s.way, "#": r.configuration.number, "technique": r.configuration.technique,
                    "parameters": r.configuration.parameters or None, "bins": r.bins, "low batches": r.low, "edges": r.edges}
            for head, metric in (("similarity %", "similarity"), ("active %", "similarity_active"), ("precision %", "precision"),
                                 ("overlap %", "overlap"), ("hot F1 active %", "hot_f1_active")):
                told[head] = Number(percent(getattr(r, metric)), 1)
            yield told


def played(x):
    for s in x.streams:
        p = s.replay
        movie = p and p["movie_id"] is not None and x.one("SELECT * FROM movie WHERE movie_id = ?", p["movie_id"]) or None
        idle = None
        if p and p["rom_sha1"] is not None:
            idle = "the whole time" if not movie else f"from frame {movie['lines']} on" if movie["lines"] < p["frames"] else "never"
        yield {"game": s.game, "title": s.title, "variant": s.variant or None, "SHA-1 of PRG and CHR": p and p["rom_sha1"],
               "movie": movie and movie["file"], "frames": p and p["frames"], "nothing pressed": idle,
               "instructions": p and p["instructions"], "batches": s.row and s.row["batches"],
               "results": len(x.configurations) - s.missing, "missing": s.missing, "sampling": s.row and s.sampling}


def runs(x):
    made = {}
    for s in x.streams:
        for c in x.configurations:
            r = x.one("SELECT run_id FROM result WHERE stream_id = ? AND configuration_id = ?", s.id, c.id)
            if r:
                made[r[0]] = made.get(r[0], 0) + 1
    rows = [(x.one("SELECT * FROM run WHERE run_id = ?", i), n) for i, n in made.items()]
    told = (("program", lambda r: f"{r['version']} {r['source_commit']}"),
            ("compiler", lambda r: r["compiler"] + (" " + r["flags"] if r["flags"] else "")), ("libraries", lambda r: r["libraries"]),
            ("system", lambda r: r["system"]), ("host", lambda r: r["host"]), ("processor", lambda r: r["cpu"]),
            ("cores", lambda r: r["cores"]), ("threads", lambda r: r["jobs"]), ("engine", lambda r: r["engine"]),
            ("configuration", lambda r: r["configuration_file"]), ("typed", lambda r: r["arguments"]),
            ("started", lambda r: r["started"]), ("finished", lambda r: r["finished"] or "stopped before its end"),
            ("timings", lambda r: r["warning"] or "nothing speaks against them"))
    for what, value in told:
        groups = {}
        for r, n in rows:
            groups.setdefault("not known" if value(r) is None else str(value(r)), []).append(n)
        for text, counts in sorted(groups.items(), key=lambda g: (-sum(g[1]), g[0])):
            yield {"what": what, "value": text, "runs": len(counts), "results": sum(counts), "differs": "yes" if len(groups) > 1 else "no"}


PAGE_TABLES = {"all": all_rows, "played": played, "runs": runs}


# ---- the data of pictures ----

def ranks(values):
    """Place of each value among the different ones, from 0; what is missing first, then numbers, then words."""
    key = [tuple((v is not None, isinstance(v, str), v) for v in pair) for pair in values]
    order = sorted(set(key))
    return [order.index(k) for k in key]


def heatmap(x, stream, technique):
    """The technique's first four parameters that vary: across and down, and in groups across and down."""
    rows = [r for r in x.of_stream(stream, x.hot)[0] if r.configuration.technique == technique]
    across, down, groups, lines = (x.varying(technique) + [None] * 4)[:4]
    value = [[r.configuration.values.get(n) for n in (across, down, groups, lines)] for r in rows]
    cells = {}
    for r, column, line in zip(rows, ranks([(v[2], v[0]) for v in value]), ranks([(v[3], v[1]) for v in value])):
        cells.setdefault((line, column), []).append(r)
    for (line, column), those in sorted(cells.items()):
        yield {"x": column, "y": line, "whole": Number(percent(mean(r.similarity for r in those)), 3),
               "active": Number(percent(mean(r.similarity_active for r in those)), 3),
               "number": min(r.configuration.number for r in those)}


def convergence(x, stream):
    curves = sorted((c for c in x.configurations if c.label is not None), key=lambda c: (c.number is not None, c.number, c.label))
    there = [(c, x.curve(stream, c, x.hot)) for c in curves]
    for n, (c, points) in enumerate([t for t in there if t[1]], 1):
        for q in points:
            yield {"curve": n, "batches": q["batches"], "whole": Number(percent(q["similarity"]), 3),
                   "active": Number(percent(q["similarity_active"]), 3), "label": c.label, "number": c.number}


# ---- findings ----

def number(value, decimals=0):
    """A number in an expected sentence."""
    return f"\1{value!r}:{decimals}\1"


def span(low, high, decimals=0):
    """`low to high`; one of them where they are shown alike."""
    same = round(low, decimals) == round(high, decimals)
    return number(low, decimals) if same else f"{number(low, decimals)} to {number(high, decimals)}"


def shown(name):
    """Values of a row's metric that are there."""
    return lambda rows: [percent(getattr(r, name)) for r in rows if getattr(r, name) is not None]


def counted(streams):
    """`3 games and 1 program`."""
    kinds = {s.game: bool(s.replay) and s.replay["kind"] == "program" for s in streams}
    told = []
    for program, word in ((False, "game"), (True, "program")):
        n = sum(k == program for k in kinds.values())
        if n:
            told.append(f"{n} {word}{'' if n == 1 else 's'}")
    return " and ".join(told)


def find_counts(x):
    if x.results_there():
        yield (f"{counted(x.streams)}, {number(x.results_there())} results; "
               f"{number(sum(s.missing for s in x.streams))} that the experiment lists are not there.")


def find_time(x):
    rows = {(r.stream.id, r.configuration.id): r.seconds for hot in x.hots for r in x.rows(hot)}
    if rows:
        yield (f"Building the {number(len(rows))} graphs took {number(math.fsum(rows.values()), 1)} s of processor time "
               "(a measurement, which varies with the machine and what else it does: see timings; no digest has it).")


# ---- of a hot share and a way of sampling ----

def find_sampled(x, hot, way):
    shares = [percent(s.observed() / s.replay["instructions"]) for s in x.streams if s.row and s.way == way]
    if shares:
        yield f"Of the executed instructions {span(min(shares), max(shares), 2)} % were looked at."


def find_early(x, hot, way):
    mark = max((m for m in x.marks if m <= 3000), default=None)
    for part, text in (("first", "After the first {} batches reading directly off the samples has found {} % of the hot edges."),
                       ("strata", "Of programs, from {} batches all over the stream, reading directly off the samples finds {} % of the"
                        " hot edges.")):
        found = [percent(q["similarity"]) for s in x.streams if s.row and s.way == way for c in x.configurations if c.baseline
                 for q in x.curve(s, c, hot) if q["batches"] == mark and q["part"] == part and q["similarity"] is not None]
        if found:
            yield text.format(number(mark), span(min(found), max(found), 1))


# ---- of a technique in that ----

def find_similarity(x, hot, way, technique):
    for metric, text in (("similarity", "Of the hot edges the grid's configurations of {} find {} %; reading edges directly off the same"
                          " samples finds {} %."),
                         ("similarity_active", "Without busy-waits, the loops in which a program waits for the next frame, those of {} find"
                          " {} %, and reading edges directly {} %.")):
        grid, direct = shown(metric)(x.rows(hot, way, technique=technique)), shown(metric)(x.rows(hot, way, grid=False))
        if grid and direct:
            yield text.format(technique, span(min(grid), max(grid), 1), span(min(direct), max(direct), 1))


def find_beaten(x, hot, way, technique):
    pairs = [(r, b) for s in x.streams if s.way == way for rows, b in [x.of_stream(s, hot)] if b for r in rows
             if r.configuration.technique == technique]
    more = [sum(getattr(r, m) is not None and getattr(b, m) is not None and getattr(r, m) > getattr(b, m) for r, b in pairs)
            for m in ("similarity", "similarity_active")]
    if pairs:
        yield (f"Of {number(len(pairs))} results of {technique} {number(more[0])} find more hot edges than what can be read directly off "
               f"the same samples; without busy-waits {number(more[1])}.")


def find_best(x, hot, way, technique):
    ordered, direct = ordered_means(x, hot, way, technique, "best"), baseline_mean(x, hot, way, technique)
    if not ordered or ordered[0].similarity is None or direct is None:
        return
    first = [m.configuration for m in ordered if m.similarity == ordered[0].similarity]
    streams = {r.stream.id: r.stream for r in x.rows(hot, way, technique=technique)}.values()
    over = counted(streams) + (f" ({len(streams)} streams)" if len(streams) > ordered[0].games else "")
    found = f"{number(percent(ordered[0].similarity), 2)} %, against {number(percent(direct), 2)} % directly."
    if len(first) == 1:
        yield f"In the mean over {over} configuration #{first[0].number} ({first[0].parameters}) finds most: {found}"
    else:
        more = f" and {len(first) - 6} more" if len(first) > 6 else ""
        yield (f"In the mean over {over} {len(first)} configurations share the first place: "
               f"{', '.join(f'#{c.number}' for c in first[:6])}{more} find {found}")


def find_not_competing(x, hot, way, technique):
    told = [f"#{c.number} (lacks {lacks})" for c, _, _, lacks in lacking(x, hot, way, technique)]
    if told:
        games = len({game for game, _ in x.study(hot, way, technique)[2]})
        yield (f"{number(len(told))} {'configuration has' if len(told) == 1 else 'configurations have'} no results on some of the "
               f"{number(games)} games or programs that others of {technique} have results on, and no part in what is said over all of "
               f"them: {', '.join(told[:6])}{f' and {len(told) - 6} more' if len(told) > 6 else ''}.")


def find_parameters(x, hot, way, technique):
    points = {}
    for name, _, _, _, effect in effects(x, hot, way, technique):
        if effect[0] is not None:
            points.setdefault(name, []).append(round(percent(effect[0]), 2))
    apart = {k: round(max(v) - min(v), 2) for k, v in points.items() if len(v) > 1}
    unbalanced = [k for k in sorted(apart) if not x.is_balanced(x.study(hot, way, technique)[1], k)]
    if unbalanced:
        yield (f"Which parameter of {technique} matters most cannot be said: values of {', '.join(unbalanced)} do not meet those of other "
               "parameters equally often, so their means differ for other reasons, too.")
    elif apart and max(apart.values()) == 0:
        yield (f"No parameter of {technique} that is varied ({', '.join(sorted(apart))}) matters here: in the mean its values are "
               f"{number(0)} points apart.")
    elif apart:
        top = [k for k in sorted(apart) if apart[k] == max(apart.values())]
        low = [k for k in sorted(apart) if apart[k] == min(apart.values())]
        one = len(top) == 1
        yield (f"The parameter{'' if one else 's'} of {technique} that {'matters most is' if one else 'matter most are'} {', '.join(top)}: "
               f"{'its' if one else 'their'} best and worst {'value are' if one else 'values are'} {number(apart[top[0]], 2)} points apart.")
        if apart[top[0]] != apart[low[0]]:
            yield (f"The {'one' if len(low) == 1 else 'ones'} that {'matters least is' if len(low) == 1 else 'matter least are'} "
                   f"{', '.join(low)}, with {number(apart[low[0]], 2)} points.")


def find_paper(x, hot, way, technique):
    held = [(percent(r.similarity), x.paper_of(r.stream, hot, technique)) for r in x.rows(hot, way, technique=technique)
            if r.similarity is not None and x.paper_of(r.stream, hot, technique)]
    if held:
        above, below = sum(s >= p["best_percent"] + 1 for s, p in held), sum(s < p["worst_percent"] for s, p in held)
        yield (f"Held against the paper's game of the same kind (other programs, other input), {number(above)} of {number(len(held))} "
               f"results of {technique} are above the paper's best and {number(below)} below its worst.")


def findings(x):
    """Sentences by what they are about: None, or hot share and way of sampling."""
    told = {None: [t for find in (find_counts, find_time) for t in find(x)]}
    for hot, way in ((h, w) for h in x.hots for w in x.ways):
        told[hot, way] = [t for find in (find_sampled, find_early) for t in find(x, hot, way)]
        for technique in x.techniques():
            told[hot, way] += [t for find in (find_similarity, find_beaten, find_best, find_not_competing, find_parameters, find_paper)
                               for t in find(x, hot, way, technique)]
    return told


def says(expected, text):
    """Is this the sentence, with numbers as far as they are shown?"""
    parts = expected.split("\1")
    pattern = "".join(f"(-?[0-9.]+)" if i % 2 else re.escape(p) for i, p in enumerate(parts))
    m = re.fullmatch(pattern, text)
    if m is None:
        return False
    for want, got in zip(parts[1::2], m.groups()):
        value, decimals = want.split(":")
        if not Number(float(value), int(decimals)).is_shown_as(got):
            return False
    return True


def readable(expected):
    return re.sub("\1([^:]*):(\\d+)\1", lambda m: f"{float(m[1]):.{int(m[2]) + 2}f}", expected)


# ---- the files ----

def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def page_tables(page):
    found = {}
    for m in re.finditer(r"<table id='([\w-]+)-t'>(.*?)</table>", page, re.S):
        header = [plain(h) for h in re.findall(r"<th\b.*?>(.*?)</th>", m[2], re.S)]
        rows = [[plain(c) for c in re.findall(r"<td\b.*?>(.*?)</td>", r, re.S)]
                for r in re.findall(r"<tr>(.*?)</tr>", m[2].partition("<tbody>")[2], re.S)]
        found[m[1]] = header, rows
    return found


def page_findings(page):
    part = re.search(r"<section id='findings'>.*?</section>", page, re.S)[0]
    part = re.sub(r"<details class='query'.*?</details>", "", part, flags=re.S)
    told, subject = {None: []}, None
    for m in re.finditer(r"<(?:summary|p class='subject')>(.*?)</(?:summary|p)>|<li>(.*?)</li>", part, re.S):
        if m[2] is not None:
            told[subject].append(re.sub(r"\s+", " ", plain(m[2])))
            continue
        about = re.match(r"What is hot: edges that make up ([0-9.]+) % of what was executed. Sampled by (.*): ", plain(m[1]))
        if about:
            subject = round(10 * float(about[1])), about[2]
            told[subject] = []
    return told


def check_csv(folder, name, rows):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as f:
        header, *table = list(csv.reader(f))
    compare(name, header, rows, table)


def check_pictures(x, stream, folder):
    check_csv(folder, f"data/convergence-{stream.game}.csv", list(convergence(x, stream)))
    techniques = sorted({c.technique for c in x.grid})
    for technique in techniques:
        suffix = f"-{technique}" if len(techniques) > 1 else ""
        check_csv(folder, f"data/heatmap-{stream.game}{suffix}.csv", list(heatmap(x, stream, technique)))


def main(database, folder, name):
    x = Experiment(open_database(database), name)
    page = open(os.path.join(folder, "index.html"), encoding="utf-8").read()
    expected = {n: list(rows(x)) for n, rows in {**TABLES, **PAGE_TABLES}.items()}
    expected = {n: rows for n, rows in expected.items() if rows or n != "not_competing"}
    there = {n[:-4] for n in os.listdir(folder) if n.endswith(".csv")}
    if there != set(TABLES):
        wrong.append(f"CSV files {sorted(there)}, but known are {sorted(TABLES)}")
    for n in there & set(TABLES):
        check_csv(folder, n + ".csv", expected.get(n, []))
    shown_tables = page_tables(page)
    if len(x.techniques()) > 1:
        shown_tables.pop("budgets", None)  # views_values.py has the view that it shows
    if set(shown_tables) != set(expected):
        wrong.append(f"the page's tables {sorted(shown_tables)}, but known are {sorted(expected)}")
    for n in set(shown_tables) & set(expected):
        compare(f"the page's {n}", *[shown_tables[n][0], expected[n], shown_tables[n][1]])
    for s in x.streams:
        if s.variant == "" and s.rows:
            check_pictures(x, s, folder)
    sentences, right = page_findings(page), findings(x)
    if set(sentences) != set(right):
        wrong.append(f"findings are about {list(sentences)}, not {list(right)}")
    for about in set(sentences) & set(right):
        wrong.extend(f"{about}: not known or not true: {t}" for t in sentences[about] if not any(says(r, t) for r in right[about]))
        wrong.extend(f"{about}: not in the page: {readable(r)}" for r in right[about] if not any(says(r, t) for t in sentences[about]))
    print("\n".join(w[:300] for w in wrong[:20]), end="")


if __name__ == "__main__":
    main(*sys.argv[1:4])
