"""The sentences of a report's findings, computed from the base tables (values_model.py). A number in a sentence has its value and its number of decimals: number().
"""
import math

from values_model import (baseline_mean, chi_square_tail, effects, friedman, intervals, mean, meets_all, most, nemenyi, ordered_means, percent,
                          ranking)


def number(value, decimals=0):
    """A number in an expected sentence."""
    return f"\1{value!r}:{decimals}\1"


def span(low, high, decimals=0):
    """`low to high`; one of them where they are shown alike."""
    same = round(low, decimals) == round(high, decimals)
    return number(low, decimals) if same else f"{number(low, decimals)} to {number(high, decimals)}"


def values_of(rows, metric):
    return [percent(getattr(r, metric)) for r in rows if getattr(r, metric) is not None]


def counted(x, streams):
    """"3 games and 1 program" """
    programs = len({s.game for s in streams if x.is_program(s)})
    games = len({s.game for s in streams if not x.is_program(s)})
    told = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((games, "game"), (programs, "program")) if n]
    return " and ".join(told)


def find_all(x):
    there, unfit = sum(s.results for s in x.streams), sum(s.unfit for s in x.streams)
    if there:
        yield (f"{counted(x, [s for s in x.streams if s.results])}, {number(there)} results; {number(sum(s.missing for s in x.streams))} that the experiment "
               f"lists are missing{f'; {unfit} more do not fit their streams' if unfit else ''}.")
    made = {(s.id, r.configuration.id): r.seconds for s in x.streams for rows in s.rows.values() for r in rows
            if r.configuration.number is not None}
    if made:
        yield (f"Building the {number(len(made))} graphs took {number(math.fsum(made.values()), 2)} s of processor time. "
               "This measurement varies with the machine and its load (see timings), and is not part of the digest.")


def find_sampling(x, hot, way):
    streams = [s for s in x.streams if s.way == way and s.row]
    shares = [percent(s.observed() / s.replay["instructions"]) for s in streams]
    if not way.startswith("live"):
        yield f"The samples have {span(min(shares), max(shares), 2)} % of the executed instructions."
    mark = max((m for m in x.marks if m <= 3000), default=None)
    for part, text in (("first", "After the first {} batches, reading edges directly off the samples has found {} % of the hot edges."),
                       ("strata", "From {} batches spread over a program's stream, reading edges directly off the samples finds {} % of the"
                        " hot edges.")):
        found = [percent(q["similarity"]) for s in streams for c in x.configurations if c.baseline for q in x.curve(s, c, hot)
                 if q["batches"] == mark and q["part"] == part and q["similarity"] is not None]
        if found:
            yield text.format(number(mark), span(min(found), max(found), 1))


def find_windows(x, hot, way):
    """The baseline in the shortest and the longest windows, and how soon it finds the hot sets of phases."""
    streams = [s.id for s in x.streams if s.way == way]
    baseline = next(c.id for c in x.configurations if c.baseline)
    spans = [r[0] for r in x.all("SELECT span FROM experiment_window WHERE experiment_id = ? ORDER BY span", x.id)]
    for span_, text in ((spans[:1], "In windows of {} s, the hot set read directly off a window's own samples has an F1 of {} % on average "
                         "and of {} % in the worst window, without busy-waits."),
                        (spans[1:][-1:], "In windows of {} s, the hot set read directly has an F1 of {} % on average and of {} % in the worst window.")):
        found = [[r[0] for r in x.all("SELECT hot_f1_active FROM window_quality WHERE stream_id = ? AND configuration_id = ? AND span = ?"
                                      " AND hot_permille = ? AND hot_f1_active IS NOT NULL", s, baseline, *span_, hot)]
                 for s in streams if span_]
        found = [f for f in found if f]
        if found:
            yield text.format(number(span_[0]), number(percent(mean(mean(f) for f in found)), 1), number(percent(min(map(min, found))), 1))
    after = [r[0] for s in streams if spans and hot == 900 for r in
             x.all("SELECT found_after FROM phase_found WHERE stream_id = ? AND configuration_id = ? AND span = ? AND kept = 0 AND lasts > 1",
                   s, baseline, spans[0])]
    there = sorted(a for a in after if a is not None)
    if after:
        half = (len(after) + 1) // 2
        soon = f"; half of all within {there[half - 1] * spans[0]} s" if len(there) >= half else ""
        yield (f"Reading edges directly off all samples from the start finds the hot sets of {number(len(there))} of {number(len(after))} "
               f"phases before these end{soon}.")


def worth_of(x, rows, hot):
    """Mean benefit for code layout, the same with falls inferred, and the difference; only for the smallest hot share."""
    rows = [r for r in rows if r.benefit is not None and r.placed is not None] if hot == min(x.hots) else []
    if not rows:
        return None
    found, inferred = mean(r.benefit for r in rows), mean(r.benefit_inferred for r in rows)
    gap = f"; that closes {number(percent((inferred - found) / (1 - found)), 1)} % of the gap" if round(found, 3) < 1 and inferred - found > 0.0005 else ""
    does = "lose" if found < 0 else "gain"
    turns = "" if (found < 0) == (inferred < 0) else "lose " if inferred < 0 else "gain "
    return number(percent(abs(found)), 1), turns + number(percent(abs(inferred)), 1), gap, number(len(rows)), does


def find_worth_directly(x, hot, way):
    told = worth_of(x, [b for s in x.streams if s.way == way for b in [x.of_stream(s, hot)[1]] if b], hot)
    if told:
        yield (f"Code layouts by what is read directly off the samples {told[4]} {told[0]} % of what those by the exact graph gain, and "
               f"{told[1]} % with falls inferred, the edges along which a block runs on into the next one{told[2]}.")


def find_worth(x, study):
    told = worth_of(x, x.rows(study[0], study[1], study[2]), study[0])
    if told:
        yield (f"Code layouts by graphs of {study[2]} {told[4]} {told[0]} % of what those by the exact graph gain, in the mean over {told[3]} "
               f"results, and {told[1]} % with falls inferred{told[2]}.")


def waits(x, hot, way):
    """Whether leaving busy-waits out changes what any result finds: never for programs, which have none."""
    return any(r.similarity_active != r.similarity for s in x.streams if s.way == way for r in s.rows.get(hot, []))


def find_similarity(x, study):
    streams = [s for s in x.streams if s.way == study[1] and x.of_stream(s, study[0])[1]]
    for metric, text in (("similarity", "The configurations of {} in the grid find {} % of the hot edges; reading edges directly off the same"
                          " samples finds {} %."),
                         ("similarity_active", "Without busy-waits, the loops in which a program waits for the next frame, the configurations of {} "
                          "find {} %, and reading edges directly finds {} %.")):
        beside = [s for s in streams if getattr(x.of_stream(s, study[0])[1], metric) is not None]
        if metric == "similarity_active" and not waits(x, study[0], study[1]):
            continue
        grid = values_of([r for s in beside for r in x.of_stream(s, study[0], study[2])[0]], metric)
        direct = values_of([x.of_stream(s, study[0])[1] for s in beside], metric)
        if grid:
            yield text.format(study[2], span(min(grid), max(grid), 1), span(min(direct), max(direct), 1))


def find_beaten(x, study):
    pairs = [(r, b) for s in x.streams if s.way == study[1] for b in [x.of_stream(s, study[0])[1]] if b
             for r in x.of_stream(s, study[0], study[2])[0]]
    more = [sum(getattr(r, m) is not None and getattr(b, m) is not None and getattr(r, m) > getattr(b, m) for r, b in pairs)
            for m in ("similarity", "similarity_active")]
    if pairs:
        yield (f"{number(more[0])} of {number(len(pairs))} results of {study[2]} find more hot edges than can be read directly off "
               f"the same samples{f'; without busy-waits, {number(more[1])} do' if waits(x, study[0], study[1]) else ''}.")


def find_best(x, study):
    ordered, direct = ordered_means(x, study, "best"), baseline_mean(x, study)
    best = [m for m in ordered if m.similarity is not None and m.similarity == ordered[0].similarity]
    if not best or direct is None:
        return
    games = counted(x, {r.stream.game: r.stream for r in x.rows(*study)}.values())
    streams = max(m.streams for m in best)
    games += f" ({streams} streams)" if streams > max(m.games for m in best) else ""
    alone = len(best) == 1
    names = ", ".join(f"#{m.configuration.number}" + (f" ({m.configuration.parameters})" if alone and m.configuration.parameters else "")
                      for m in best[:6]) + (f" and {len(best) - 6} more" if len(best) > 6 else "")
    yield (f"On average over {games}, {'configuration' if alone else f'{len(best)} configurations share the first place:'} {names} "
           f"{'finds most:' if alone else 'find'} {number(percent(best[0].similarity), 2)} %, against {number(percent(direct), 2)} % read directly.")


def find_not_competing(x, study):
    _, lacks, asked = x.competing(*study)
    if lacks:
        ordered = sorted(lacks.items(), key=lambda t: t[0].number)
        names = ", ".join(f"#{c.number} (lacks {' '.join(sorted({g for g, _ in lacking}))})" for c, (_, lacking) in ordered[:6])
        yield (f"{number(len(lacks))} configuration{' has' if len(lacks) == 1 else 's have'} no results on some of the "
               f"{number(len({g for g, _ in asked}))} games or programs on which others of {study[2]} have results; averages over all "
               f"of them leave out {names}" + (f" and {len(lacks) - 6} more" if len(lacks) > 6 else "") + ".")


def find_parameters(x, study):
    """The range of the means of a parameter's values, as printed."""
    spread = {}
    for name, _, _, _, effect in effects(x, study):
        spread.setdefault(name, []).append(None if effect[0] is None else round(percent(effect[0]), 2))
    spread = {n: round(max(v) - min(v), 2) for n, v in spread.items() if len(v) > 1 and None not in v}
    if not spread:
        return
    rows = x.competing(*study)[0]
    loose = sorted(n for n in spread if not meets_all(x, rows, n))
    if loose:
        yield (f"Which parameter of {study[2]} matters most cannot be said: values of {', '.join(loose)} are not combined equally often "
               "with those of other parameters, so their means differ for other reasons, too.")
        return
    high, low = max(spread.values()), min(spread.values())
    top, last = (sorted(n for n in spread if spread[n] == v) for v in (high, low))
    if high == 0:
        yield f"None of the varied parameters of {study[2]} ({', '.join(top)}) matters here: on average, their values are 0 points apart."
        return
    one = len(top) == 1
    yield (f"The parameter{'' if one else 's'} of {study[2]} that {'matters most is' if one else 'matter most are'} {', '.join(top)}: "
           f"{'its' if one else 'their'} best and worst values are {number(high, 2)} points apart.")
    if high != low:
        one = len(last) == 1
        yield (f"The one{'' if one else 's'} that {'matters least is' if one else 'matter least are'} {', '.join(last)}, with "
               f"{number(low, 2)} points.")


def find_paper(x, study):
    held = [(percent(r.similarity), x.paper[r.stream.paper_game]) for r in x.rows(*study)
            if r.similarity is not None and r.stream.paper_game in x.paper] if x.is_papers(study[0], study[2]) else []
    if held:  # the paper's are cut off
        above, below = sum(s >= p["best_percent"] + 1 for s, p in held), sum(s < p["worst_percent"] for s, p in held)
        yield (f"Compared with the paper's game of the same kind (another program with other input), {number(above)} of {number(len(held))} "
               f"results of {study[2]} are above the paper's best and {number(below)} are below its worst.")


class HotSet:
    """A game or program without busy-waits, as its first stream shows it; percentages as they are printed."""

    def __init__(self, stream, rows):
        gaussian = [r for r in rows if r.configuration.technique == "gaussian"]
        self.game, self.program = stream.game, stream.replay["kind"] == "program"
        self.edges = rows[0].hot_edges_active
        self.low = printed(percent(mean(r.low / (r.low + r.high) for r in gaussian)))
        self.best = printed(percent(most(r.similarity_active for r in gaussian)))
        self.direct = printed(percent(most(r.similarity_active for r in rows if r.configuration.baseline)))
        told, direct = (printed(percent(most(r.overlap_active for r in rows if of(r))))
                        for of in (lambda r: r.structure == 1, lambda r: r.configuration.baseline))
        self.gain = None if told is None or direct is None else round(told - direct, 1)


def printed(value):
    return None if value is None else round(value + 1e-12, 1)


def find_kinds(x, hot):
    sets = [HotSet(s, s.rows[hot]) for s in x.streams if s.variant == "" and s.rows.get(hot)]
    games, programs = ([h for h in sets if h.program == p] for p in (False, True))
    if not games or not programs:
        return

    def range_of(those, name, digits=1):
        values = [getattr(h, name) for h in those if getattr(h, name) is not None]
        return span(min(values), max(values), digits)

    if all(any(h.low is not None for h in those) for those in (games, programs)):
        yield (f"Without busy-waits, the hot sets of games have {range_of(games, 'edges', 0)} edges, those of programs "
               f"{range_of(programs, 'edges', 0)}; {range_of(games, 'low')} % of the batches of games lie within a short range of "
               f"addresses, and {range_of(programs, 'low')} % of those of programs.")
    if all(h.best is not None and h.direct is not None for h in sets):
        yield (f"Without busy-waits, the best configuration of GFCGaussiano finds {range_of(games, 'best')} % of the hot edges of games "
               f"and {range_of(programs, 'best')} % of those of programs; in {number(sum(h.best > h.direct for h in sets))} of "
               f"{number(len(sets))} cases it finds more than can be read directly off the samples.")
    gained = [[h for h in those if h.gain is not None] for those in (games, programs)]
    if all(gained):
        high = max(h.gain for those in gained for h in those)
        told = [f"{number(sum(h.gain > 0 for h in those))} of {number(len(those))}" for those in gained]
        by = [number(mean(h.gain for h in those), 1) for those in gained]
        largest = ", ".join(sorted(h.game for those in gained for h in those if h.gain == high))
        yield (f"Without busy-waits, the best technique that knows the structure has a larger overlap than reading directly off the same "
               f"samples in {told[0]} games and in {told[1]} programs. The difference is {by[0]} points for games and {by[1]} points for "
               f"programs on average; it is largest, {number(high, 1)} points, in {largest}.")


def subjects(x):
    """Headings, and the sentences below each."""
    yield "", list(find_all(x))
    told = []
    for hot, way in ((h, w) for h in x.hots for w in x.ways):
        streams = [s for s in x.streams if s.way == way and s.results]
        if streams:
            first = any(s.variant == "" for s in streams)
            order = (hot != x.hot, hot, min(s.variant for s in streams) != "", min(s.game for s in streams), way)
            told.append((order, first, hot, way, sorted({s.game for s in streams})))
    for n, (_, first, hot, way, games) in enumerate(sorted(told)):
        if n < 6 or first:
            sentences = [*find_sampling(x, hot, way), *find_windows(x, hot, way), *find_worth_directly(x, hot, way)]
            for technique in x.techniques:
                for find in (find_similarity, find_beaten, find_best, find_not_competing, find_parameters, find_paper, find_worth):
                    sentences += find(x, (hot, way, technique))
            end = "." if len(told) == 1 else ""
            yield (f"What is hot: edges that make up {hot / 10:g} % of what was executed. {'Watched' if way.startswith('live') else 'Sampled by'} {way}: "
                   f"{', '.join(games)}{end}",
                   sentences)
    for hot in x.hots:
        sentences = list(find_kinds(x, hot))
        if sentences:
            yield (f"Games beside programs, each sampled in its first way. What is hot: edges that make up {hot / 10:g} % of what was "
                   "executed.", sentences)


def first_way(x):
    """The sampling configuration that is the first one of most games or programs."""
    first = [s for s in x.streams if s.variant == "" and s.results]
    ways = {s.way for s in first}
    return min(ways, key=lambda w: (-sum(s.way == w for s in first), min(s.game for s in first if s.way == w), w), default=None)


def kinds(x, streams):
    programs = {x.is_program(s) for s in streams}
    return {(True,): "programs", (False,): "games"}.get(tuple(programs), "games and programs")


def find_short(x):
    """The headline, and what follows it."""
    way = first_way(x)
    told = list(intervals(x, x.hot, way, "similarity")) if way else []
    grid = [t for t in told if t["configuration"].number is not None]
    if not grid:
        return
    technique = min(grid, key=lambda t: (-round(percent(t["mean"]), 2), t["configuration"].technique))["configuration"].technique
    grid = [t for t in grid if t["configuration"].technique == technique]
    best = min(grid, key=lambda t: (-round(percent(t["mean"]), 2), t["configuration"].number))
    if best["gain"] is not None:
        yield (f"The best configuration of {technique} finds {number(percent(best['mean']), 1)} % of the hot edges; reading edges directly "
               f"off the same samples finds {number(percent(best['mean'] - best['gain']), 1)} %.")
    if best["gain_low"] is not None:
        ends = sorted((abs(percent(best[e])) * (1 if (best[e] < 0) == (best["gain"] < 0) else -1) for e in ("gain_low", "gain_high")))
        games = kinds(x, [s for s in x.streams if s.way == way and x.of_stream(s, x.hot, technique)[0]])
        yield (f"That is the mean over {number(best['games'])} {games}, with a 95 % interval of "
               f"{span(percent(best['low']), percent(best['high']), 2)} %; it is {number(abs(percent(best['gain'])), 2)} points "
               f"{'less' if best['gain'] < 0 else 'more'} than reading directly (95 % interval: {span(ends[0], ends[1], 2)}).")
    if len(grid) > 1:
        worst = min(t["mean"] for t in grid)
        more = sum(t["gain"] is not None and round(percent(t["gain"]), 2) > 0 for t in grid)
        yield (f"The worst of its {number(len(grid))} configurations finds {number(percent(worst), 1)} %; {number(more)} find more than "
               "reading directly, on average.")
    shares = [percent(s.observed() / s.replay["instructions"]) for s in x.streams if s.way == way and s.row]
    if not way.startswith("live"):
        yield f"The samples have {span(min(shares), max(shares), 2)} % of the executed instructions."


def all_ranks(x):
    """For each sampling configuration with three or more ranked configurations on five or more games: mean ranks, games, number of ranked ones, chi-square."""
    for way in sorted({s.way for s in x.streams if s.variant == "" and s.results}):
        ranks, n, k, ties = ranking(x, x.hot, way, "similarity")
        square = friedman(ranks, n, k, ties) if n >= 5 and 3 <= k <= 20 else None
        if square is not None:
            yield ranks, n, k, square


def find_ranks(x):
    """The captions of the diagrams of ranks."""
    for _, n, k, square in all_ranks(x):
        p = chi_square_tail(square, k - 1)
        chance = "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"
        yield (f"Mean ranks over {n} {kinds(x, [s for s in x.streams if s.variant == '' and s.results])}, by similarity. Friedman's test: "
               f"chi-square {number(square, 2)}, {k - 1} degrees of freedom, {chance}. Bars join those whose ranks differ by less than the "
               "critical difference at 5 % (Nemenyi).")


def drawn_ranks(x):
    """The data above the captions: the critical difference and the mean ranks."""
    for ranks, n, k, _ in all_ranks(x):
        yield nemenyi(k) * (k * (k + 1) / (6 * n)) ** 0.5, sorted(ranks.values())
