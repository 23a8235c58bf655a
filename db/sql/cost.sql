-- What a profile costs: host instructions that it adds to the translator (the table cost, filled by
-- `hotgraph costs`), beside what it finds. Empty where nothing was counted.

-- One row for each replay and watcher. ..._added_percent: over the same replay without observers,
-- in the whole counted run and in the steady state. Numbers a frame are those of the steady state.
-- added_kib: KiB of memory, at most, samples and translated code included.
CREATE VIEW profiler_cost AS
SELECT g.name AS game, k.watcher, k.frames, k.steady_from,
    1.0 * b.host / k.frames AS bare_a_frame,
    1.0 * b.host_steady / (k.frames - k.steady_from) AS bare_a_steady_frame,
    1.0 * (k.host - b.host) / k.frames AS added_a_frame,
    1.0 * (k.host_steady - b.host_steady) / (k.frames - k.steady_from) AS added_a_steady_frame,
    100.0 * (k.host - b.host) / b.host AS added_percent,
    100.0 * (k.host_steady - b.host_steady) / b.host_steady AS steady_added_percent,
    1.0 * k.probes_steady / (k.frames - k.steady_from) AS probes_a_frame,
    1.0 * k.handlers_steady / (k.frames - k.steady_from) AS handlers_a_frame,
    1.0 * k.samples_steady / (k.frames - k.steady_from) AS samples_a_frame,
    1.0 * k.samples / (p.weight - p.busy_weight) * p.frames / k.frames AS share_of_active,
    (k.memory - b.memory) / 1024.0 AS added_kib,
    k.replay_id
FROM cost k
    JOIN cost b ON b.replay_id = k.replay_id AND b.frames = k.frames AND b.steady_from = k.steady_from
        AND b.watcher = 'nobody'
    JOIN replay p ON p.replay_id = k.replay_id
    JOIN (SELECT s.replay_id, min(g.name) AS name FROM stream s
        JOIN experiment_stream USING (stream_id) JOIN game g USING (game_id)
        GROUP BY s.replay_id) g ON g.replay_id = k.replay_id
ORDER BY g.name, k.watcher;

-- What each result costs: one row for each replay, way of sampling, technique and structure. told:
-- what it knew of this very run beforehand: one in N taken branches (lbr_taken) needs no number, as a
-- processor counts them. cost_... and added_... are of all replays that it needs,
-- the recording of the structure included where it is given (`replays` is 2 then; that the program
-- has to run once more is not in it); sampling_...: of the sampler's replay alone; added_kib: of the
-- replay that takes more memory. NULL: not counted,
-- as on machines without the translator, of programs, and of what watched another input or not all
-- of this one. Of several lengths that were counted, the longest.
CREATE VIEW result_cost AS
WITH c AS MATERIALIZED (SELECT * FROM profiler_cost WHERE frames =
            (SELECT max(frames) FROM cost WHERE cost.replay_id = profiler_cost.replay_id)),
    k AS MATERIALIZED (SELECT c.*, coalesce(w.way, c.watcher) AS way FROM c
        LEFT JOIN sampling s ON s.key = c.watcher LEFT JOIN sampling_way w USING (sampling_id)),
    r AS MATERIALIZED (SELECT s.replay_id, w.way, w.method, r.configuration_id,
            coalesce(r.structure, 0) AS structure, f.technique, w.other_input,
            coalesce(r.structure, 0) OR w.method IN ('golden', 'active') AS recorded,
            w.method = 'transfers' AND w.way NOT LIKE 'lbr%' AS single,
            iif(w.method <> 'live', w.way, iif(w.other_input IS NULL AND w.first_seconds IS NULL,
                f.key, NULL)) AS watcher
        FROM result r JOIN stream s USING (stream_id) JOIN sampling_way w USING (sampling_id)
            JOIN configuration f USING (configuration_id)
        GROUP BY s.replay_id, w.way, r.configuration_id, coalesce(r.structure, 0))
SELECT r.replay_id, r.way AS sampling, r.method, r.technique, r.configuration_id, r.structure,
    CASE WHEN r.other_input IS NOT NULL THEN 'nothing of this run'
        WHEN r.structure THEN 'structure, exact wait counts'
        WHEN r.method IN ('golden', 'active') THEN 'busy-waits, number of active transfers'
        WHEN r.single THEN 'number of transfers' ELSE 'nothing' END AS told,
    1 + (r.recorded OR r.single) AS replays,
    min(k.added_percent) + iif(r.recorded, min(s.added_percent), 0) AS cost_percent,
    min(k.steady_added_percent) + iif(r.recorded, min(s.steady_added_percent), 0)
        AS steady_cost_percent,
    min(k.added_a_frame) + iif(r.recorded, min(s.added_a_frame), 0) AS added_a_frame,
    min(k.added_a_steady_frame) + iif(r.recorded, min(s.added_a_steady_frame), 0)
        AS added_a_steady_frame,
    min(k.added_percent) AS sampling_percent, min(k.steady_added_percent) AS steady_sampling_percent,
    min(k.probes_a_frame) AS probes_a_frame, min(k.handlers_a_frame) AS handlers_a_frame,
    min(k.samples_a_frame) AS samples_a_frame,
    iif(r.single OR r.method IN ('golden', 'active'), min(k.share_of_active), NULL)
        AS share_of_active,
    max(min(k.added_kib), iif(r.recorded, min(s.added_kib), 0)) AS added_kib
FROM r LEFT JOIN k ON k.replay_id = r.replay_id AND k.way = r.watcher
    LEFT JOIN c s ON s.replay_id = r.replay_id AND s.watcher = 'structure'
GROUP BY r.replay_id, r.way, r.configuration_id, r.structure;

-- The same, means over the replays of equal length: NULL unless all of them were counted.
CREATE VIEW technique_host AS
SELECT p.frames, r.sampling, r.configuration_id, r.structure, min(r.told) AS told,
    max(r.replays) AS replays, count(*) AS games,
    iif(count(*) = count(r.cost_percent), avg(r.cost_percent), NULL) AS cost_percent,
    iif(count(*) = count(r.cost_percent), avg(r.steady_cost_percent), NULL) AS steady_cost_percent,
    iif(count(*) = count(r.cost_percent), max(r.cost_percent), NULL) AS cost_percent_worst,
    iif(count(*) = count(r.cost_percent), avg(r.added_a_frame), NULL) AS added_a_frame,
    iif(count(*) = count(r.cost_percent), avg(r.added_a_steady_frame), NULL)
        AS added_a_steady_frame,
    iif(count(*) = count(r.cost_percent), avg(r.sampling_percent), NULL) AS sampling_percent,
    iif(count(*) = count(r.cost_percent), avg(r.steady_sampling_percent), NULL)
        AS steady_sampling_percent,
    iif(count(*) = count(r.cost_percent), avg(r.probes_a_frame), NULL) AS probes_a_frame,
    iif(count(*) = count(r.cost_percent), avg(r.handlers_a_frame), NULL) AS handlers_a_frame,
    iif(count(*) = count(r.cost_percent), avg(r.samples_a_frame), NULL) AS samples_a_frame,
    100 * avg(r.share_of_active) AS of_active_percent,
    iif(count(*) = count(r.cost_percent), avg(r.added_kib), NULL) AS added_kib
FROM result_cost r JOIN replay p USING (replay_id)
GROUP BY p.frames, r.sampling, r.configuration_id, r.structure;

-- Every technique with what it costs and what it finds: means over the games of equal length, each
-- with the mean of its replicates, and the worst of them. Programs have no frames. exact has its
-- row, and another one where it watched another movie of each game. observed_percent: of all
-- instructions; of_active_percent: of the transfers outside of busy-waits.
CREATE VIEW technique_frontier AS
WITH q AS MATERIALIZED (SELECT q.frames, q.technique, q.parameters, w.way AS sampling, q.structure,
            q.replay_id, q.configuration_id, avg(q.overlap_active) AS overlap_active,
            avg(q.overlap) AS overlap, avg(r.benefit) AS benefit,
            avg(q.observed_share) AS observed_share
        FROM technique_quality q
            JOIN sampling_way w USING (sampling_id)
            JOIN result r ON r.stream_id = q.stream_id AND r.configuration_id = q.configuration_id
        WHERE q.hot_permille = (SELECT min(h.hot_permille) FROM experiment_hot h
                WHERE h.experiment_id = q.experiment_id)
            AND (q.technique <> 'exact' OR w.other_input IS NOT NULL)
        GROUP BY q.frames, q.configuration_id, w.way, q.structure, q.replay_id),
    m AS MATERIALIZED (SELECT frames, technique, parameters, sampling, structure, configuration_id,
            count(*) AS games, 100 * avg(observed_share) AS observed_percent,
            avg(overlap_active) AS overlap_active, min(overlap_active) AS overlap_active_worst,
            avg(overlap) AS overlap, avg(benefit) AS benefit
        FROM q GROUP BY frames, configuration_id, sampling, structure),
    c AS MATERIALIZED (SELECT * FROM profiler_cost WHERE watcher = 'exact' AND frames =
            (SELECT max(frames) FROM cost WHERE cost.replay_id = profiler_cost.replay_id))
SELECT m.frames, m.technique, m.parameters, m.sampling, h.told, h.replays, m.games, h.cost_percent,
    h.steady_cost_percent, h.cost_percent_worst, h.added_a_frame, h.added_a_steady_frame,
    h.sampling_percent, h.steady_sampling_percent, h.probes_a_frame, h.handlers_a_frame,
    h.samples_a_frame, iif(m.technique = 'exact', NULL, m.observed_percent) AS observed_percent,
    h.of_active_percent, h.added_kib, m.overlap_active, m.overlap_active_worst, m.overlap, m.benefit
FROM m JOIN technique_host h ON h.frames IS m.frames AND h.sampling = m.sampling
    AND h.configuration_id = m.configuration_id AND h.structure = m.structure
UNION ALL
SELECT p.frames, 'exact', '', '', 'nothing', 1, count(*),
    iif(count(*) = count(c.added_percent), avg(c.added_percent), NULL),
    iif(count(*) = count(c.added_percent), avg(c.steady_added_percent), NULL),
    iif(count(*) = count(c.added_percent), max(c.added_percent), NULL),
    iif(count(*) = count(c.added_percent), avg(c.added_a_frame), NULL),
    iif(count(*) = count(c.added_percent), avg(c.added_a_steady_frame), NULL),
    iif(count(*) = count(c.added_percent), avg(c.added_percent), NULL),
    iif(count(*) = count(c.added_percent), avg(c.steady_added_percent), NULL),
    iif(count(*) = count(c.added_percent), avg(c.probes_a_frame), NULL),
    iif(count(*) = count(c.added_percent), avg(c.handlers_a_frame), NULL), 0, NULL, NULL,
    iif(count(*) = count(c.added_percent), avg(c.added_kib), NULL), 1, 1, 1, 1
FROM (SELECT DISTINCT frames, replay_id FROM q) p LEFT JOIN c USING (replay_id)
GROUP BY p.frames
ORDER BY 1, 9, 2, 3, 4;

-- Of these, what no other beats in cost, overlap and benefit, being told no more. A benefit above 1
-- is luck of the layout's heuristic, and counts as 1.
CREATE VIEW frontier AS
WITH t AS MATERIALIZED (SELECT *, told <> 'nothing' AS knows, told LIKE 'structure%' AS knows_all,
        min(coalesce(benefit, 0), 1) AS gain, max(games) OVER (PARTITION BY frames) AS of_games
    FROM technique_frontier WHERE overlap_active IS NOT NULL AND steady_cost_percent IS NOT NULL)
SELECT frames, technique, parameters, sampling, told, replays, games, cost_percent,
    steady_cost_percent, cost_percent_worst, added_a_frame, added_a_steady_frame, samples_a_frame,
    observed_percent, of_active_percent, added_kib, overlap_active, overlap_active_worst, overlap,
    benefit
FROM t
WHERE games = of_games AND NOT EXISTS (SELECT 1 FROM t o
    WHERE o.frames = t.frames AND o.games = t.games AND o.knows <= t.knows
        AND o.knows_all <= t.knows_all
        AND o.steady_cost_percent <= t.steady_cost_percent AND o.overlap_active >= t.overlap_active
        AND o.gain >= t.gain
        AND (o.steady_cost_percent < t.steady_cost_percent OR o.overlap_active > t.overlap_active
            OR o.gain > t.gain))
ORDER BY frames, steady_cost_percent;
