#!/usr/bin/env python3
"""views_values.py DATABASE EXPERIMENT: the views of means, ranges and ranks over replicates, games and techniques, each column computed again from the base tables (values_model.py). Prints violations, or nothing.
"""
import math
import re
import sys

from values_model import (Experiment, falling, friedman, intervals, least, mean, most, nemenyi, open_database, percent, ranking, rising,
                          student)

FAIR = "hot_recall hot_precision hot_f1 hot_f1_10 fair_overlap count_error".split()
BUDGETS = (0.000006, 0.00002, 0.00006, 0.0002, 0.0006, 0.002, 0.006, 0.015, 1.0)
wrong = []


def compare(view, keys, expected, rows):
    """Compares all expected columns of each row, found by its keys; missing and additional rows are errors."""
    found = {tuple(r[k] for k in keys): r for r in rows}
    wanted = {tuple(e[k] for k in keys): e for e in expected}
    if not wanted:
        wrong.append(f"{view}: nothing to look at")
    if set(found) != set(wanted) or len(found) != len(rows):
        wrong.append(f"{view}: rows {sorted(map(str, set(found) ^ set(wanted)))[:4]} of {len(rows)}")
    for key in set(found) & set(wanted):
        for name, value in wanted[key].items():
            there = found[key][name]
            same = there == value
            if isinstance(value, (int, float)) and isinstance(there, (int, float)):
                same = abs(there - value) <= 1e-9 * max(1, abs(value))
            if not same:
                wrong.append(f"{view} {key}: {name} is {there}, but by the definition {value}")


def groups(items, key):
    told = {}
    for item in items:
        told.setdefault(key(item), []).append(item)
    return told


def rounded(value, digits):
    return None if value is None else round(value + 1e-12, digits)


def ranged(told, name, values, average=mean):
    told.update({name: average(values), f"{name}_least": least(values), f"{name}_most": most(values)})


# ---- replicates ----

def replicated(x):
    names = ("bins edges similarity similarity_active precision coverage overlap hot_f1 hot_f1_active fair_overlap"
             " fair_overlap_active").split()
    rows = [(hot, r) for s in x.streams for hot, those in s.rows.items() for r in those]
    for (hot, game, way, _), those in groups(rows, lambda t: (t[0], t[1].stream.game, t[1].stream.way, t[1].configuration.id)).items():
        those = [r for _, r in those]
        c = those[0].configuration
        told = {"game": game, "way": way, "hot_permille": hot, "configuration_id": c.id, "number": c.number, "baseline": c.baseline,
                "label": c.label, "technique": c.technique, "parameters": c.parameters, "replicates": len(those)}
        for name in names:
            ranged(told, name, [getattr(r, name) for r in those])
        yield told


def ranked_replicated(x):
    for (_, _, _), those in groups([r for r in replicated(x) if r["number"] is not None],
                                   lambda r: (r["game"], r["way"], r["hot_permille"])).items():
        for r in those:
            best = sorted(those, key=lambda o: (falling(o["similarity"]), falling(o["similarity_active"]), o["number"]))
            worst = sorted(those, key=lambda o: (rising(o["similarity"]), rising(o["similarity_active"]), o["number"]))
            told = {k: r[k] for k in ("game", "way", "hot_permille", "number", "technique", "parameters", "replicates", "configuration_id")}
            for name in ("similarity", "similarity_active", "bins"):
                told.update({f"{name}{end}": r[f"{name}{end}"] for end in ("", "_least", "_most")})
            yield {**told, "place": 1 + sum(falling(o["similarity"]) < falling(r["similarity"]) for o in those),
                   "position": best.index(r) + 1, "position_from_worst": worst.index(r) + 1,
                   "spread": r["similarity_most"] - r["similarity_least"]}


def table_replicated(x, table):
    """For each entry of tables 1 and 2, as printed."""
    for s, hot in ((s, h) for s in x.streams for h in x.hots):
        yield (s.game, s.way, hot), table(x, s, hot)


def entries1(x, s, hot):
    b = x.of_stream(s, hot)[1]
    told = {"batches": s.row["batches"], "instructions": s.replay["instructions"],
            "sampled_percent": rounded(percent(s.observed() / s.replay["instructions"]), 2)}
    for name in ("", "active_", "precision_", "coverage_", "overlap_"):
        metric = {"": "similarity", "active_": "similarity_active"}.get(name, name.rstrip("_"))
        told[f"baseline_{name}percent"] = rounded(percent(getattr(b, metric)), 1)
    return told


def entries2(x, s, hot):
    rows, b = x.of_stream(s, hot)
    told = {}
    for end, metric in (("", "similarity"), ("_active", "similarity_active")):
        told[f"hot_edges{end}"] = most(getattr(r, f"hot_edges{end}") for r in rows)
        told[f"best{end}_percent"] = rounded(percent(most(getattr(r, metric) for r in rows)), 1)
        told[f"worst{end}_percent"] = rounded(percent(least(getattr(r, metric) for r in rows)), 1)
        told[f"baseline{end}_percent"] = rounded(percent(getattr(b, metric)), 1)
    return told


def over_replicates(x, entries):
    for (game, way, hot), those in groups(table_replicated(x, entries), lambda t: t[0]).items():
        told = {"game": game, "way": way, "hot_permille": hot, "replicates": len(those)}
        for name in those[0][1]:
            ranged(told, name, [t[name] for _, t in those], lambda v: rounded(mean(v), 2))
        yield told


# ---- techniques ----

def techniques(x, hot):
    """A technique's numbers on one sampling of one game, by the column names of technique_quality."""
    for s in x.streams:
        for r in s.rows.get(hot, []):
            told = {"frames": s.replay["frames"], "sampling_id": s.sampling_id, "way": s.way, "sampling": s.sampling, "stream_id": s.id,
                    "technique": r.configuration.technique, "parameters": r.configuration.parameters, "structure": r.structure or 0,
                    "configuration_id": r.configuration.id, "observed_share": r.observed / s.replay["instructions"],
                    "observed": r.observed, "records": r.records, "probes": r.probes, "steps": r.steps,
                    "instructions": s.replay["instructions"], "hot_permille": hot, "game": s.game, "variant": s.variant}
            for name in FAIR:
                for end in ("", "_active"):
                    told[name.replace("fair_", "") + end] = getattr(r, name + end)
            yield told


MEANS = "overlap_active hot_f1_active hot_f1_10_active count_error_active overlap hot_f1 hot_f1_10 count_error".split()


def replicate_means(x, hot):
    for those in groups(techniques(x, hot), lambda t: (t["frames"], t["sampling_id"], t["configuration_id"], t["structure"])).values():
        told = {k: those[0][k] for k in ("frames", "hot_permille", "technique", "parameters", "structure", "sampling_id", "configuration_id")}
        told.update({"sampling": those[0]["way"], "games": len(those), "observed_share": mean(t["observed_share"] for t in those),
                     "observed_share_most": most(t["observed_share"] for t in those),
                     "overlap_active_least": least(t["overlap_active"] for t in those)})
        yield {**told, **{name: mean(t[name] for t in those) for name in MEANS}}


def technique_means(x, hot):
    replicates = list(replicate_means(x, hot))
    for those in groups(replicates, lambda t: (t["frames"], t["sampling"], t["configuration_id"], t["structure"])).values():
        games = max(t["games"] for t in those)
        whole = [t for t in those if t["games"] == games]
        told = {k: those[0][k] for k in ("frames", "hot_permille", "sampling", "technique", "parameters", "structure", "configuration_id")}
        told.update({"games": games, "of_games": max(t["games"] for t in replicates if t["frames"] == told["frames"]),
                     "replicates": len(whole), "replicates_left_out": len(those) - len(whole),
                     "observed_share": mean(t["observed_share"] for t in whole),
                     "observed_share_most": most(t["observed_share_most"] for t in whole),
                     "overlap_active_least": least(t["overlap_active_least"] for t in whole)})
        for name in ("overlap_active", "hot_f1_10_active", "overlap"):
            told.update({f"{name}_lowest": least(t[name] for t in whole), f"{name}_highest": most(t[name] for t in whole)})
        yield {**told, **{name: mean(t[name] for t in whole) for name in MEANS}}


def technique_effort(x, hot):
    for those in groups(techniques(x, hot), lambda t: (t["frames"], t["way"], t["configuration_id"], t["structure"])).values():
        told = {k: those[0][k] for k in ("frames", "hot_permille", "technique", "parameters", "structure", "configuration_id")}
        told.update({"sampling": those[0]["way"], "games": len({t["game"] for t in those}),
                     "replicates": len({t["sampling_id"] for t in those}), "steps": mean(t["steps"] for t in those)})
        yield {**told, **{f"{name}_per_million": mean(1e6 * t[name] / t["instructions"] for t in those)
                          for name in ("observed", "records", "probes")}}


def at_budget(x, hot):
    """The best within each sampling budget; equal ones share the place."""
    means = [m for m in technique_means(x, hot) if m["overlap_active"] is not None]
    for frames, budget, allowed in ((f, b, a) for f in {m["frames"] for m in means} for b in BUDGETS for a in (0, 1)):
        within = [m for m in means if m["frames"] == frames and m["observed_share"] <= budget and m["structure"] <= allowed]
        whole = [m for m in within if m["games"] == m["of_games"]]
        rank = lambda m: (m["overlap_active"], m["hot_f1_10_active"])  # noqa: E731
        for m in whole:
            if rank(m) == max(map(rank, whole)):
                names = ("frames hot_permille sampling technique parameters structure games of_games replicates observed_share"
                         " observed_share_most overlap_active overlap_active_lowest overlap_active_highest overlap_active_least"
                         " hot_f1_active hot_f1_10_active overlap hot_f1 hot_f1_10").split()
                yield {**{k: m[k] for k in names}, "budget": budget, "budget_percent": 100 * budget, "structure_allowed": allowed,
                       "not_compared": len(within) - len(whole), "place": 1}


def pareto(x, hot):
    means = [m for m in technique_means(x, hot) if m["overlap_active"] is not None and m["games"] == m["of_games"]]
    for m in means:
        if not any(o["frames"] == m["frames"] and o["structure"] <= m["structure"] and o["observed_share"] <= m["observed_share"]
                   and o["overlap_active"] >= m["overlap_active"]
                   and (o["observed_share"] < m["observed_share"] or o["overlap_active"] > m["overlap_active"]) for o in means):
            yield m


# ---- how certain results are ----

SCOPES = (("whole", "similarity"), ("active", "similarity_active"))


def sure(x):
    for hot, way, (scope, metric) in ((h, w, s) for h in x.hots for w in x.ways for s in SCOPES):
        for t in intervals(x, hot, way, metric):
            c = t["configuration"]
            told = {"hot_permille": hot, "way": way, "scope": scope, "configuration_id": c.id, "number": c.number, "baseline": c.baseline,
                    "technique": c.technique, "games": t["games"]}
            for name in ("mean", "low", "high"):
                told[f"{name}_percent"] = rounded(percent(t[name]), 2)
            for name, column in (("gain", "gain_points"), ("gain_low", "gain_low"), ("gain_high", "gain_high")):
                told[column] = None if c.number is None else rounded(percent(t[name]), 2)
            yield told


def ranks(x):
    for hot, way, (scope, metric) in ((h, w, s) for h in x.hots for w in x.ways for s in SCOPES):
        told, n, k, _ = ranking(x, hot, way, metric)
        for c, rank in told.items():
            if rank is not None:
                yield {"hot_permille": hot, "way": way, "scope": scope, "configuration_id": c.id, "label": c.label, "number": c.number,
                       "games": n, "treatments": k, "mean_rank": rank}


def tests(x):
    for hot, way, (scope, metric) in ((h, w, s) for h in x.hots for w in x.ways for s in SCOPES):
        told, n, k, ties = ranking(x, hot, way, metric)
        if n > 0 and k > 1:
            yield {"hot_permille": hot, "way": way, "scope": scope, "games": n, "treatments": k,
                   "chi_square": friedman(told, n, k, ties),
                   "critical_difference": round(nemenyi(k), 3) * math.sqrt(k * (k + 1) / (6 * n))}


def constants(x):
    """The views' tables of quantiles, each against its own integral."""
    text = x.one("SELECT sql FROM sqlite_schema WHERE name = 'quality_interval'")[0]
    for freedom, t in re.findall(r"\((\d+), (\d+\.\d+)\)", text):
        if abs(student(int(freedom)) - float(t)) > 0.000001:
            wrong.append(f"Student's quantile for {freedom} is {student(int(freedom))}, not {t}")
    text = x.one("SELECT sql FROM sqlite_schema WHERE name = 'friedman'")[0]
    for k, q in re.findall(r"\((\d+), (\d+\.\d+)\)", text):
        if abs(nemenyi(int(k)) - float(q)) > 0.0006:
            wrong.append(f"Nemenyi's quantile for {k} is {nemenyi(int(k))}, not {q}")


def main(database, name):
    x = Experiment(open_database(database), name)

    def held(view, keys, expected):
        columns = x.all(f"SELECT * FROM {view} LIMIT 1")
        where = "WHERE experiment = ?" if columns and "experiment" in columns[0].keys() else "WHERE ? IS NOT NULL"
        compare(view, keys.split(), list(expected), x.all(f"SELECT * FROM {view} {where}", name))

    held("replicated", "game way hot_permille configuration_id", replicated(x))
    held("ranked_replicated", "game way hot_permille configuration_id", ranked_replicated(x))
    held("table1_replicated", "game way hot_permille", over_replicates(x, entries1))
    held("table2_replicated", "game way hot_permille", over_replicates(x, entries2))
    held("quality_interval", "hot_permille way scope configuration_id", sure(x))
    held("mean_rank", "hot_permille way scope configuration_id", ranks(x))
    held("friedman", "hot_permille way scope", tests(x))
    constants(x)
    for view, keys, rows in (
            ("technique_quality", "hot_permille stream_id configuration_id", techniques),
            ("technique_replicate", "frames hot_permille sampling_id configuration_id structure", replicate_means),
            ("technique_mean", "frames hot_permille sampling configuration_id structure", technique_means),
            ("technique_effort", "frames hot_permille sampling configuration_id structure", technique_effort),
            ("technique_at_budget", "frames hot_permille budget structure_allowed sampling technique parameters", at_budget),
            ("pareto", "frames hot_permille sampling configuration_id structure", pareto)):
        told = [r for hot in x.hots for r in rows(x, hot)]
        if view == "technique_quality":
            told = [{k: v for k, v in r.items() if k != "way"} for r in told]
        held(view, keys, told)
    print("\n".join(w[:300] for w in wrong[:20]), end="")


if __name__ == "__main__":
    main(*sys.argv[1:3])
