-- What is found in windows of a replay, and how soon after a phase began.

-- What each configuration finds in windows of one length on one stream: mean and worst over the windows,
-- and how many of them had no samples. unit: of span; 'seconds' of games, 'instructions' of programs.
CREATE VIEW window_summary AS
SELECT x.name AS experiment, g.name AS game, xs.variant, w.way, q.hot_permille, c.technique, c.key AS configuration,
    xc.number, xc.baseline, q.span, coalesce(xw.unit, 'seconds') AS unit, count(*) AS windows,
    sum(q.batches = 0 AND sa.method <> 'live') AS without_samples,
    avg(q.overlap_active) AS overlap_active, min(q.overlap_active) AS overlap_active_worst,
    avg(q.hot_f1_active) AS hot_f1_active, min(q.hot_f1_active) AS hot_f1_active_worst,
    avg(q.hot_recall_active) AS hot_recall_active, min(q.hot_recall_active) AS hot_recall_active_worst,
    avg(q.overlap) AS overlap, min(q.overlap) AS overlap_worst,
    avg(q.hot_f1) AS hot_f1, min(q.hot_f1) AS hot_f1_worst,
    x.experiment_id, xs.stream_id, c.configuration_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s ON s.stream_id = xs.stream_id
    JOIN replay p USING (replay_id)
    JOIN sampling sa ON sa.sampling_id = xs.sampling_id
    JOIN sampling_way w ON w.sampling_id = xs.sampling_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN experiment_hot xh USING (experiment_id)
    JOIN experiment_window xw ON xw.experiment_id = x.experiment_id AND xw.unit IS iif(p.kind = 'program', 'instructions', NULL)
    JOIN window_quality q ON q.stream_id = xs.stream_id AND q.configuration_id = xc.configuration_id
        AND q.hot_permille = xh.hot_permille AND q.span = xw.span
GROUP BY x.experiment_id, xs.stream_id, c.configuration_id, q.hot_permille, q.span
ORDER BY x.name, g.name, xs.variant, q.hot_permille, xc.number NULLS FIRST, q.span;

-- The same over games: means of means, and the worst window of all.
CREATE VIEW technique_window AS
SELECT experiment, hot_permille, way, technique, configuration, number, baseline, span, unit,
    count(DISTINCT game) AS games, sum(windows) AS windows, sum(without_samples) AS without_samples,
    avg(overlap_active) AS overlap_active, min(overlap_active_worst) AS overlap_active_worst,
    avg(hot_f1_active) AS hot_f1_active, min(hot_f1_active_worst) AS hot_f1_active_worst,
    avg(hot_recall_active) AS hot_recall_active, min(hot_recall_active_worst) AS hot_recall_active_worst,
    avg(overlap) AS overlap, min(overlap_worst) AS overlap_worst, avg(hot_f1) AS hot_f1,
    min(hot_f1_worst) AS hot_f1_worst, experiment_id, configuration_id
FROM window_summary
GROUP BY experiment_id, hot_permille, way, configuration_id, unit, span
ORDER BY experiment, hot_permille, way, number NULLS FIRST, span;

-- The phases of each game of an experiment: those that a change began, up to the next change. A change in the
-- midst of a window makes it differ from both neighbours, so it is a phase of one window: a transition. unit: of
-- span; of a program first_frame is the number of instructions before it.
CREATE VIEW phase AS
SELECT x.name AS experiment, g.name AS game, w.span, coalesce(xw.unit, 'seconds') AS unit, w.number, w.first_frame, w.overlap_before,
    coalesce(lead(w.number) OVER o, n.windows) - w.number AS lasts,
    x.experiment_id, w.replay_id
FROM experiment x
    JOIN (SELECT DISTINCT m.experiment_id, m.game_id, s.replay_id FROM experiment_stream m
        JOIN stream s USING (stream_id)) xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN replay p ON p.replay_id = xs.replay_id
    JOIN (SELECT experiment_id, unit, min(span) AS span FROM experiment_window GROUP BY experiment_id, unit) xw
        ON xw.experiment_id = x.experiment_id AND xw.unit IS iif(p.kind = 'program', 'instructions', NULL)
    JOIN replay_window w ON w.replay_id = xs.replay_id AND w.span = xw.span
    JOIN (SELECT replay_id, span, count(*) AS windows FROM replay_window GROUP BY replay_id, span) n
        ON n.replay_id = w.replay_id AND n.span = w.span
WHERE w.change = 1
WINDOW o AS (PARTITION BY x.experiment_id, w.replay_id ORDER BY w.number)
ORDER BY x.name, g.name, w.number;

-- How long after a phase began its hot set is found, of phases that are no transitions (view `phase`): by the graph
-- of the samples of the last `kept` seconds or instructions (unit), or of all (0). never: share of phases that end before;
-- median_seconds: over all phases, NULL if half of them are never found. A program's clock has 10^9 instructions a second.
CREATE VIEW technique_phase AS
WITH f AS MATERIALIZED (SELECT x.name AS experiment, w.way, c.technique, c.key AS configuration, xc.number,
        xc.baseline, f.kept, f.span, coalesce(xw.unit, 'seconds') AS unit, f.found_after, x.experiment_id, c.configuration_id,
        row_number() OVER (PARTITION BY x.experiment_id, w.way, c.configuration_id, xw.unit, f.kept
            ORDER BY f.found_after IS NULL, f.found_after) AS place,
        count(*) OVER (PARTITION BY x.experiment_id, w.way, c.configuration_id, xw.unit, f.kept) AS phases
    FROM experiment x
        JOIN experiment_stream xs USING (experiment_id)
        JOIN sampling_way w ON w.sampling_id = xs.sampling_id
        JOIN experiment_configuration xc USING (experiment_id)
        JOIN configuration c USING (configuration_id)
        JOIN stream s ON s.stream_id = xs.stream_id
        JOIN replay p USING (replay_id)
        JOIN (SELECT experiment_id, unit, min(span) AS span FROM experiment_window GROUP BY experiment_id, unit) xw
            ON xw.experiment_id = x.experiment_id AND xw.unit IS iif(p.kind = 'program', 'instructions', NULL)
        JOIN phase_found f ON f.stream_id = xs.stream_id AND f.configuration_id = xc.configuration_id
            AND f.span = xw.span
    WHERE f.lasts > 1
        AND (f.kept = 0 OR f.kept IN (SELECT span FROM experiment_window e
            WHERE e.experiment_id = x.experiment_id)))
SELECT experiment, way, technique, configuration, number, baseline, kept, unit, phases,
    max(iif(place = (phases + 1) / 2, iif(unit = 'seconds', found_after * span, found_after * span / 1e9), NULL))
        AS median_seconds,
    avg(found_after IS NULL) AS never, experiment_id, configuration_id
FROM f
GROUP BY experiment_id, way, configuration_id, unit, kept
ORDER BY experiment, way, number NULLS FIRST, kept;
