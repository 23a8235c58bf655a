#!/usr/bin/env python3
"""report_values.py DATABASE FOLDER EXPERIMENT: every table of a report and every number of its findings, computed again from
the base tables (values_model.py, without views and without the program's code) and compared with the files. Prints the differences.

A table, column or sentence that is unknown here is an error, too: whoever adds one defines its value here.
"""
import csv
import html
import math
import os
import re
import sys
from collections import Counter

from findings_values import drawn_ranks, find_ranks, find_short, subjects
from values_model import (Experiment, baseline_mean, effects, falling, least, mean, meets_all, most, open_database, ordered_means, percent,
                          rising)
from views_values import at_budget


class Number:
    """A value that is shown with that many decimals."""

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

def common(x, hot, way):
    """The columns that only some experiments have: where a share is not the paper's, and where there are several ways."""
    return {**({"hot %": Number(hot / 10, 1)} if any(h != 900 for h in x.hots) else {}),
            **({"sampled by": way} if len(x.ways) > 1 else {})}


def technique_column(x, technique):
    return {"technique": technique} if len(x.techniques) > 1 else {}


def game_cell(x, stream):
    name = stream.game + (f" ({stream.variant})" if stream.variant else "")
    name += " (untested)" if stream.untested else ""
    return name + (f" ({stream.results} of {len(x.configurations)} results)" if stream.missing else "")


def studies(x):
    """Hot shares, ways of sampling and techniques."""
    return [(h, w, t) for h in x.hots for w in x.ways for t in x.techniques]


def table1(x):
    for s, hot in ((s, h) for s in x.streams for h in x.hots):
        b = x.of_stream(s, hot)[1]
        paper = x.paper.get(s.paper_game) if x.is_papers(hot, "gaussian") else None
        told = {"game": game_cell(x, s), "batches": s.row and s.row["batches"], "instructions": s.replay and s.replay["instructions"],
                "sampled %": Number(percent(s.observed() / s.replay["instructions"]) if s.row else None, 2)}
        for head, metric in (("baseline %", "similarity"), ("baseline active %", "similarity_active"), ("precision %", "precision"),
                             ("coverage %", "coverage"), ("overlap %", "overlap")):
            told[head] = Number(percent(b and getattr(b, metric)), 1)
        for head, name in (("paper's game", "paper_game"), ("paper's batches", "batches"), ("paper's instructions", "instructions")):
            told[head] = paper and paper[name]
        yield {**told, "paper's sampled %": Number(paper and paper["sampled_percent"], 2), **common(x, hot, s.way)}


def table2(x):
    for s, hot, technique in ((s, h, t) for s in x.streams for h in x.hots for t in x.techniques):
        rows, b = x.of_stream(s, hot, technique)
        paper = x.paper.get(s.paper_game) if x.is_papers(hot, technique) else None
        told = {"game": game_cell(x, s), "hot edges": most(r.hot_edges for r in rows), "paper's game": paper and s.paper_game,
                "active hot edges": most(r.hot_edges_active for r in rows),
                "paper's best %": paper and paper["best_percent"], "paper's worst %": paper and paper["worst_percent"]}
        for head, pick, metric in (("best %", most, "similarity"), ("worst %", least, "similarity"),
                                   ("best active %", most, "similarity_active"), ("worst active %", least, "similarity_active"),
                                   ("best precision %", most, "precision"), ("best overlap %", most, "overlap")):
            told[head] = Number(percent(pick(getattr(r, metric) for r in rows)), 1)
        for head, metric in (("baseline %", "similarity"), ("baseline active %", "similarity_active"),
                             ("baseline precision %", "precision"), ("baseline overlap %", "overlap")):
            told[head] = Number(percent(b and getattr(b, metric)), 1)
        yield {**told, **technique_column(x, technique), **common(x, hot, s.way)}


def parameters_of(x, configuration):
    """The columns that tell configurations apart: `bin` for bin_size, and so on."""
    told = {re.sub(r"_(size|threshold)$", "", n): configuration.values.get(n) for n in x.varying()}
    return {**told, **technique_column(x, configuration.technique)}


def places(x, kind):
    """Tables 3 and 4: equals share a place, and stand in the order of similarity without busy-waits, f1 without, number."""
    key = falling if kind == "best" else rising
    for s, hot, technique in ((s, h, t) for s in x.streams for h in x.hots for t in x.techniques):
        rows, b = x.of_stream(s, hot, technique)
        papers = x.paper_list(s.paper_game, kind) if x.is_papers(hot, technique) else []
        ordered = sorted(rows, key=lambda r: (key(r.similarity), key(r.similarity_active), key(r.f1_active), r.configuration.number))
        for n, r in enumerate(ordered[:3]):
            place = 1 + sum(key(o.similarity) < key(r.similarity) for o in rows)
            shared = sum(o.similarity == r.similarity for o in rows)
            paper = papers[n] if n < len(papers) else None
            told = {"game": game_cell(x, s), "place": f"{place}{'=' if shared > 1 else ''}", "#": r.configuration.number,
                    "bins": r.bins, "paper's game": paper and s.paper_game,
                    "paper's": paper and "/".join(str(paper[k]) for k in ("bin_size", "stdev_threshold", "window_size",
                                                                          "recurrent_threshold")),
                    "paper's bins": paper and paper["bins"], "paper's %": paper and paper["similarity_percent"]}
            for head, row, metric in (("similarity %", r, "similarity"), ("baseline %", b, "similarity"),
                                      ("active %", r, "similarity_active"), ("baseline active %", b, "similarity_active"),
                                      ("precision %", r, "precision"), ("coverage %", r, "coverage"), ("overlap %", r, "overlap"),
                                      ("baseline overlap %", b, "overlap")):
                told[head] = Number(percent(row and getattr(row, metric)), 1)
            yield {**told, **parameters_of(x, r.configuration), **common(x, hot, s.way)}


def place_of(m, ordered, kind):
    key = falling if kind == "best" else rising
    return 1 + sum(key(o.similarity) < key(m.similarity) for o in ordered), sum(o.similarity == m.similarity for o in ordered)


def ranking(x, kind):
    for study in studies(x):
        ordered = ordered_means(x, study, kind)
        for m in ordered[:10]:
            place, shared = place_of(m, ordered, kind)
            yield {"place": f"{place}{'=' if shared > 1 else ''}", "#": m.configuration.number, "games": m.games,
                   "mean %": Number(percent(m.similarity), 2), "mean active %": Number(percent(m.similarity_active), 2),
                   "mean place": Number(m.place, 2), "baseline mean %": Number(percent(baseline_mean(x, study)), 2),
                   "baseline mean active %": Number(percent(baseline_mean(x, study, "similarity_active")), 2),
                   **parameters_of(x, m.configuration), **common(x, study[0], study[1])}


def not_competing(x):
    for study in studies(x):
        _, lacks, asked = x.competing(*study)
        for c, (mine, lacking) in sorted(lacks.items(), key=lambda t: t[0].number):
            yield {"#": c.number, "streams": f"{len(mine)} of {len(asked)}", "lacks results on": " ".join(sorted({g for g, _ in lacking})),
                   **parameters_of(x, c), **common(x, study[0], study[1])}


def parameter_effect(x):
    values = {}
    for study in studies(x):
        for name, value, *_ in effects(x, study):
            values.setdefault((study[2], name), set()).add(value)
    several = {k for k, v in values.items() if len(v) > 1}
    for study in studies(x):
        rows = x.competing(*study)[0]
        for name, value, those, told, effect in effects(x, study):
            if (study[2], name) in several or not several:
                balanced = name not in x.varying(study[2]) or meets_all(x, rows, name)
                yield {"parameter": name, "value": value, "results": len(those), "mean %": Number(percent(told[0]), 2),
                       "effect": Number(percent(effect[0]), 2), "mean active %": Number(percent(told[1]), 2),
                       "effect active": Number(percent(effect[1]), 2), "balanced": "yes" if balanced else "no",
                       "baseline mean %": Number(percent(baseline_mean(x, study)), 2),
                       **technique_column(x, study[2]), **common(x, study[0], study[1])}


def worth(x):
    """The benefit of code layouts by graphs: for each stream, results with a layout."""
    for s in x.streams:
        rows = [r for r in s.rows.get(min(x.hots), []) if r.placed is not None]
        if not rows:
            continue
        grid = [r for r in rows if r.configuration.number is not None]
        yield {"game": s.game + (f" ({s.variant})" if s.variant else ""),
               "falls as it is %": Number(percent(s.replay["fall_share_original"]), 1),
               "by exact %": Number(percent(s.replay["fall_share_best"]), 1),
               "baseline": Number(most(r.benefit for r in rows if r.configuration.baseline), 3),
               "best": Number(most(r.benefit for r in grid), 3), "mean": Number(mean(r.benefit for r in grid), 3),
               "worst": Number(least(r.benefit for r in grid), 3),
               "mean, falls inferred": Number(mean(r.benefit_inferred for r in grid), 3)}


def path_knowledge(x):
    """What each result's edges tell of the paths: means over games, and the worst game."""
    if not x.one("SELECT judges_paths FROM experiment WHERE experiment_id = ?", x.id)[0]:
        return
    told = []
    for way, c in ((w, c) for w in x.ways for c in x.configurations):
        found = [(s, x.one("SELECT * FROM result WHERE stream_id = ? AND configuration_id = ?", s.id, c.id)) for s in x.streams if s.way == way]
        shares = {"flow fixed %": ("fixed_flow", "path_flow", "worst"), "overlap of hot paths %": ("edges_overlap", "hot_path_flow", "worst overlap"),
                  "hot paths matched %": ("edges_matched", "hot_path_flow", "worst matched")}
        row = {"#": "baseline" if c.baseline else c.number, "games": len({s.game for s, r in found if r}), **parameters_of(x, c),
               **({"sampled by": way} if len(x.ways) > 1 else {})}
        for head, (part, whole, worst) in shares.items():
            values = [r[part] / s.replay[whole] for s, r in found if r]
            row |= {head: Number(percent(mean(values)), 1), worst: Number(percent(least(values)), 1)}
        if row["games"]:
            told.append((-row["overlap of hot paths %"].value, c.technique, c.number is not None and c.number, way, row))
    for *_, row in sorted(told, key=lambda t: t[:-1]):
        yield row


TABLES = {"worth": worth, "path_knowledge": path_knowledge, "table1": table1, "table2": table2, "table3": lambda x: places(x, "best"), "table4": lambda x: places(x, "worst"),
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
               "results": s.results, "missing": s.missing, "sampling": s.row and s.sampling}


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


def budgets(x):
    """With several techniques: the best within each sampling budget."""
    found = [r for hot in x.hots for r in at_budget(x, hot)] if len(x.techniques) > 1 else []
    for r in sorted(found, key=lambda r: (r["frames"], r["hot_permille"], r["structure_allowed"], r["budget"], r["sampling"],
                                          r["technique"], r["parameters"])):
        told = {"games of, frames": r["frames"], "hot %": Number(r["hot_permille"] / 10, 1), "technique": r["technique"],
                "observed at most, %": Number(r["budget_percent"], 4), "knows the structure": "yes" if r["structure_allowed"] else "no",
                "parameters": r["parameters"] or None, "sampling": r["sampling"], "games": r["games"], "replicates": r["replicates"]}
        for head, name in (("overlap, %", "overlap_active"), ("least", "overlap_active_lowest"), ("most", "overlap_active_highest"),
                           ("worst game", "overlap_active_least"), ("hot f1, %", "hot_f1_active"), ("overlap with busy-waits, %", "overlap")):
            told[head] = Number(percent(r[name]), 2)
        # No costs were counted in these databases.
        yield {**told, "told of this run": told_beforehand(r), "observed, % of active transfers": None, "host instructions added, %": None}


def told_beforehand(r):
    """What a technique knew of this run beforehand. No stream here is from another movie."""
    method = r["sampling"].split()[0]
    if r["structure"]:
        return "structure, exact wait counts"
    return {"golden": "busy-waits, number of active transfers", "active": "busy-waits, number of active transfers",
            "transfers": "number of transfers"}.get(method, "nothing")


PAGE_TABLES = {"all": all_rows, "played": played, "runs": runs, "budgets": budgets}
RARE = ("not_competing", "budgets", "worth", "path_knowledge")  # left out where they have no rows


# ---- the data of pictures ----

def ranks(values):
    """Position of each value among the distinct ones, from 0; missing ones first, then numbers, then words."""
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


def convergence(x, stream, active):
    """The first 16 labelled configurations that have a point."""
    metric = "similarity_active" if active else "similarity"
    curves = sorted((c for c in x.configurations if c.label is not None), key=lambda c: (c.number is not None, c.number, c.label))
    there = [(c, [q for q in x.curve(stream, c, x.hot) if q[metric] is not None]) for c in curves]
    for n, (c, points) in enumerate([t for t in there if t[1]][:16], 1):
        for q in points:
            yield {"curve": n, "batches": q["batches"], "percent": Number(percent(q[metric]), 4), "label": c.label, "number": c.number}


def laid_out(x):
    """Results on samples that have a benefit for code layout, with their streams."""
    for s in x.streams:
        for r in s.rows.get(min(x.hots), []):
            if r.placed is not None and r.benefit is not None and (r.configuration.baseline or r.configuration.number is not None):
                yield s, r


def curve(x):
    """Benefit over the observed share: for each technique and sampling configuration, the best configuration, as the mean over games."""
    means = {}
    for s, r in laid_out(x):
        kind = "batches" if s.row["batch_length"] > 2 else "transfers"
        means.setdefault((r.configuration.technique, kind), {}).setdefault((s.way, r.configuration.id), []).append((s, r))
    drawn = []
    for key, points in means.items():
        games = {p: len({s.game for s, _ in rows}) for p, rows in points.items()}
        best = {}
        for p, rows in points.items():
            value = mean(r.benefit for _, r in rows)
            if games[p] == max(games.values()) and (p[0] not in best or value > best[p[0]]["value"] + 1e-12):
                share = mean(s.observed() / s.replay["instructions"] for s, _ in rows)
                best[p[0]] = {"value": value, "share": share, "inferred": mean(r.benefit_inferred for _, r in rows), "games": games[p]}
        if len(best) > 1:
            # The line connects the points that no other beats at nearly the same share; these come
            # first.
            def is_beaten(b):
                return any(o is not b and b["share"] / 1.1 <= o["share"] <= b["share"] * 1.1 and
                           (round(o["value"], 12), -o["share"]) > (round(b["value"], 12), -b["share"]) for o in best.values())
            drawn.append((key, sorted(best.values(), key=lambda b: (is_beaten(b), b["share"]))))
    for n, ((technique, kind), points) in enumerate(sorted(drawn), 1):
        for b in points:
            yield {"series": n, "name": f"{technique}, {kind}", "looked_at": Number(percent(b["share"]), 6),
                   "benefit": Number(b["value"], 4), "inferred": Number(b["inferred"], 4), "games": b["games"]}


def check_worth(x, folder):
    """The figures on code layout."""
    rows = list(curve(x))
    if rows:
        check_csv(folder, "figures/benefit.csv", rows, 6)
    elif os.path.exists(os.path.join(folder, "figures/benefit.csv")):
        wrong.append("benefit is drawn, though no technique has two points")
    points = [(r.configuration.technique, r.fair_overlap_active, r.benefit) for _, r in laid_out(x)
              if r.fair_overlap_active is not None]
    if len(points) < 2:
        return
    with open(os.path.join(folder, "figures/likeness.csv"), newline="", encoding="utf-8") as f:
        drawn = list(csv.DictReader(f))
    for technique in {p[0] for p in points}:
        mine = [p for p in points if p[0] == technique]
        theirs = [d for d in drawn if d["name"] == technique]
        sums = [(sum(int(d["results"]) * float(d[c]) for d in theirs), math.fsum(p[i] for p in mine))
                for c, i in (("overlap", 1), ("benefit", 2))]
        if sum(int(d["results"]) for d in theirs) != len(mine) or any(abs(a - b) > 0.0001 * len(mine) for a, b in sums):
            wrong.append(f"likeness: {technique}: {len(theirs)} points of {len(mine)} results: {sums}")
        if any(not any(abs(float(d["overlap"]) - x) < 0.006 and abs(float(d["benefit"]) - y) < 0.011 for d in theirs) for _, x, y in mine):
            wrong.append(f"likeness: a result of {technique} is not drawn")


# ---- sentences ----

def says(expected, text):
    """True if this is the sentence, with numbers compared to the shown decimals."""
    parts = expected.split("\1")
    pattern = "".join("(-?[0-9.,]+)" if i % 2 else re.escape(p) for i, p in enumerate(parts))
    m = re.fullmatch(pattern, text)
    if m is None:
        return False
    for want, got in zip(parts[1::2], m.groups()):
        value, decimals = want.split(":")
        if not Number(float(value), int(decimals)).is_shown_as(ungrouped(got)):
            return False
    return True


def readable(expected):
    return re.sub("\1([^:]*):(\\d+)\1", lambda m: f"{float(m[1]):.{int(m[2]) + 2}f}", expected)


# ---- the files ----

def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def ungrouped(text):
    """Removes the commas of a number with grouped thousands; returns any other text unchanged."""
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+", text):
        return text.replace(",", "")
    return text


def page_tables(page):
    found = {}
    for m in re.finditer(r"<table id='([\w-]+)-t'>(.*?)</table>", page, re.S):
        header = [plain(h) for h in re.findall(r"<th\b.*?>(.*?)</th>", m[2], re.S)]
        rows = [[ungrouped(plain(c)) for c in re.findall(r"<td\b.*?>(.*?)</td>", r, re.S)]
                for r in re.findall(r"<tr>(.*?)</tr>", m[2].partition("<tbody>")[2], re.S)]
        found[m[1]] = header, rows
    return found


def without_empty_paper(rows):
    """A page omits the paper's columns if the paper has nothing to compare with any row."""
    heads = {h for row in rows for h in row if h.startswith("paper's")}
    if any(not fits(row[h], "") for row in rows for h in heads):
        return rows
    return [{h: v for h, v in row.items() if h not in heads} for row in rows]


def page_findings(page):
    """Headings, and the sentences below each."""
    part = re.search(r"<section id='findings'>.*?</section>", page, re.S)[0]
    part = re.sub(r"<details class='query'.*?</details>", "", part, flags=re.S)
    for m in re.finditer(r"(?:<(summary|p class='subject')>((?:(?!<ul).)*?)</(?:summary|p)>\s*)?<ul class='findings'>(.*?)</ul>", part, re.S):
        yield plain(m[2] or ""), [re.sub(r"\s+", " ", plain(t)) for t in re.findall(r"<li>(.*?)</li>", m[3], re.S)]


def check_findings(x, page):
    there, right = list(page_findings(page)), list(subjects(x))
    if sorted(h for h, _ in there) != sorted(h for h, _ in right):
        wrong.append(f"findings of {[h for h, _ in there]}, but known are {[h for h, _ in right]}")
    known = dict(right)
    for heading, sentences in there:
        expected = known.get(heading, [])
        wrong.extend(f"not known or not true: {t}" for t in sentences if not any(says(r, t) for r in expected))
        wrong.extend(f"not in the page: {readable(r)}" for r in expected if not any(says(r, t) for t in sentences))


def check_short(x, page):
    """The headline and the sentences below it, and the caption of the ranks."""
    part = re.search(r"<section id='short'.*?</section>", page, re.S)
    expected = list(find_short(x))
    if part is None:
        wrong.extend(f"not in the page: {readable(r)}" for r in expected)
        return
    text = re.sub(r"<details class='query'.*?</details>", "", part[0], flags=re.S)
    there = [re.sub(r"\s+", " ", plain(t)) for t in re.findall(r"<(?:h2|p)>(.*?)</(?:h2|p)>", text, re.S)]
    wrong.extend(f"not known or not true: {t}" for t in there if not any(says(r, t) for r in expected))
    wrong.extend(f"not in the page: {readable(r)}" for r in expected if not any(says(r, t) for t in there))


def check_ranks(x, page):
    shown = [re.sub(r"\s+", " ", plain(m)) for m in re.findall(
        r"<figure id='ranks(?:-\d+)?'.*?<figcaption>(.*?)<span", page, re.S)]
    expected = list(find_ranks(x))
    if len(shown) != len(expected):
        wrong.append(f"{len(shown)} diagrams of ranks, but {len(expected)} can be drawn")
    drawn = re.findall(r"<figure id='ranks(?:-\d+)?'(.*?)<figcaption>", page, re.S)
    for (difference, mean_ranks), figure in zip(drawn_ranks(x), drawn):
        texts = [html.unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", figure)]
        told = [float(t.split()[-1]) for t in texts if t.startswith("critical difference ")]
        if len(told) != 1 or abs(told[0] - difference) > 0.0101:
            wrong.append(f"critical difference {told}, not {difference:.4f}")
        for rank in mean_ranks:
            if not any(f"{rank + off:.2f}" in t.split() for t in texts for off in (-0.0001, 0.0001)):
                wrong.append(f"a mean rank of {rank:.4f} is not drawn: {texts}")
    wrong.extend(f"not known or not true: {t}" for t in shown if not any(says(r, t) for r in expected))


def check_csv(folder, name, rows, columns=None):
    """columns: compare only that many; the others are only for drawing."""
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as f:
        header, *table = [line[:columns] for line in csv.reader(f)]
    compare(name, header, rows, table)


def check_pictures(x, stream, folder):
    for kind, active in (("batches", False), ("batches-active", True)):
        rows = list(convergence(x, stream, active))
        if active and rows == list(convergence(x, stream, False)):
            if os.path.exists(os.path.join(folder, f"figures/{kind}-{stream.game}.csv")):
                wrong.append(f"{kind}-{stream.game} is drawn, though without busy-waits nothing differs")
        elif max(Counter(r["curve"] for r in rows).values(), default=0) > 1:
            check_csv(folder, f"figures/{kind}-{stream.game}.csv", rows, 5)
        elif os.path.exists(os.path.join(folder, f"figures/{kind}-{stream.game}.csv")):
            wrong.append(f"{kind}-{stream.game} is drawn, though it has no curve")
    techniques = sorted({c.technique for c in x.grid})
    for technique in techniques:
        suffix = f"-{technique}" if len(techniques) > 1 else ""
        cells, name = list(heatmap(x, stream, technique)), f"figures/heatmap-{stream.game}{suffix}.csv"
        if len(cells) > 1:
            check_csv(folder, name, cells, 5)
        elif os.path.exists(os.path.join(folder, name)):
            wrong.append(f"{name} is a map of one cell")


def main(database, folder, name):
    x = Experiment(open_database(database), name)
    page = open(os.path.join(folder, "index.html"), encoding="utf-8").read()
    expected = {n: list(rows(x)) for n, rows in {**TABLES, **PAGE_TABLES}.items()}
    there = {n[:-4] for n in os.listdir(folder) if n.endswith(".csv")}
    if there != set(TABLES):
        wrong.append(f"CSV files {sorted(there)}, but known are {sorted(TABLES)}")
    for n in there & set(TABLES):
        check_csv(folder, n + ".csv", expected[n])
    shown_tables = page_tables(page)
    wanted = {n for n in expected if n not in RARE or expected[n]}
    if set(shown_tables) != wanted:
        wrong.append(f"the page's tables {sorted(shown_tables)}, but known are {sorted(wanted)}")
    for n in set(shown_tables) & set(expected):
        compare(f"the page's {n}", shown_tables[n][0], without_empty_paper(expected[n]), shown_tables[n][1])
    for s in x.streams:
        if s.variant == "" and s.rows:
            check_pictures(x, s, folder)
    check_findings(x, page)
    check_short(x, page)
    check_ranks(x, page)
    check_worth(x, folder)
    print("\n".join(w[:300] for w in wrong[:20]), end="")


if __name__ == "__main__":
    main(*sys.argv[1:4])
