-- What a profile costs: host instructions that it adds to the translator (the table cost, filled by
-- `hotgraph costs`), beside what it finds. Empty where nothing was counted.

-- One row for each replay and watcher. ..._added_percent: over the same replay that nobody watches,
-- in the whole counted run and in the steady state. Numbers a frame are those of the steady state.
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
    k.replay_id
FROM cost k
    JOIN cost b ON b.replay_id = k.replay_id AND b.frames = k.frames AND b.steady_from = k.steady_from
        AND b.watcher = 'nobody'
    JOIN replay p ON p.replay_id = k.replay_id
    JOIN (SELECT s.replay_id, min(g.name) AS name FROM stream s
        JOIN experiment_stream USING (stream_id) JOIN game g USING (game_id)
        GROUP BY s.replay_id) g ON g.replay_id = k.replay_id
ORDER BY g.name, k.watcher;

-- Every technique with what it costs and what it finds: means over the games whose costs were
-- counted, and the worst of them. cost_percent is what all its replays add: where the structure is
-- given, the recording of it, too (`replays` is 2 then; that the program has to run once more is
-- not in it). told: what it knew of this very run beforehand. exact has its row.
CREATE VIEW technique_frontier AS
WITH c AS MATERIALIZED (SELECT * FROM profiler_cost),
    k AS MATERIALIZED (SELECT c.*, w.way FROM c LEFT JOIN sampling s ON s.key = c.watcher
        LEFT JOIN sampling_way w USING (sampling_id)),
    q AS MATERIALIZED (SELECT q.frames, q.technique, q.parameters, w.way AS sampling, q.structure,
            q.replay_id, avg(q.overlap_active) AS overlap_active, avg(q.overlap) AS overlap,
            avg(r.benefit) AS benefit, avg(q.observed_share) AS observed_share, sa.method,
            min(k.added_percent) AS added, min(k.steady_added_percent) AS steady_added,
            min(k.probes_a_frame) AS probes, min(k.handlers_a_frame) AS handlers,
            min(k.samples_a_frame) AS samples, min(k.share_of_active) AS share_of_active
        FROM technique_quality q
            JOIN sampling_way w USING (sampling_id)
            JOIN sampling sa USING (sampling_id)
            JOIN configuration f ON f.configuration_id = q.configuration_id
            JOIN result r ON r.stream_id = q.stream_id AND r.configuration_id = q.configuration_id
            JOIN k ON k.replay_id = q.replay_id
                AND iif(sa.method = 'live', k.watcher = f.key, k.way = w.way)
        WHERE q.hot_permille = 900 AND q.technique <> 'exact'
        GROUP BY q.frames, q.configuration_id, w.way, q.structure, q.replay_id)
SELECT q.technique, q.parameters, q.sampling,
    iif(q.structure, 'structure, exact wait counts', iif(q.method IN ('golden', 'active'),
        'busy-waits, number of active transfers', iif(q.method = 'transfers', 'number of transfers',
        'nothing'))) AS told,
    1 + (q.structure OR q.method IN ('golden', 'active', 'transfers')) AS replays,
    count(*) AS games,
    avg(q.added + iif(q.structure OR q.method IN ('golden', 'active'), s.added_percent, 0)) AS cost_percent,
    avg(q.steady_added + iif(q.structure OR q.method IN ('golden', 'active'), s.steady_added_percent, 0))
        AS steady_cost_percent,
    max(q.added + iif(q.structure OR q.method IN ('golden', 'active'), s.added_percent, 0))
        AS cost_percent_worst,
    avg(q.added) AS sampling_percent, avg(q.steady_added) AS steady_sampling_percent,
    avg(q.probes) AS probes_a_frame, avg(q.handlers) AS handlers_a_frame,
    avg(q.samples) AS samples_a_frame, 100 * avg(q.observed_share) AS observed_percent,
    iif(q.method IN ('golden', 'active', 'transfers'), 100 * avg(q.share_of_active), NULL)
        AS of_active_percent,
    avg(q.overlap_active) AS overlap_active, min(q.overlap_active) AS overlap_active_worst,
    avg(q.overlap) AS overlap, avg(q.benefit) AS benefit
FROM q LEFT JOIN c s ON s.replay_id = q.replay_id AND s.watcher = 'structure'
GROUP BY q.frames, q.technique, q.parameters, q.sampling, q.structure
UNION ALL
SELECT 'exact', '', '', 'nothing', 1, count(*), avg(added_percent), avg(steady_added_percent),
    max(added_percent), avg(added_percent), avg(steady_added_percent), avg(probes_a_frame),
    avg(handlers_a_frame), 0, NULL, NULL, 1, 1, 1, 1
FROM c WHERE watcher = 'exact' HAVING count(*) > 0
ORDER BY steady_cost_percent;

-- Of these, what no other beats in cost, overlap and benefit, being told no more. A benefit above 1
-- is luck of the layout's heuristic, and counts as 1.
CREATE VIEW frontier AS
WITH t AS MATERIALIZED (SELECT *, told <> 'nothing' AS knows, told LIKE 'structure%' AS knows_all,
        min(coalesce(benefit, 0), 1) AS gain FROM technique_frontier WHERE overlap_active IS NOT NULL)
SELECT technique, parameters, sampling, told, replays, games, cost_percent, steady_cost_percent,
    cost_percent_worst, samples_a_frame, observed_percent, of_active_percent, overlap_active,
    overlap_active_worst, overlap, benefit
FROM t
WHERE games = (SELECT max(games) FROM t) AND NOT EXISTS (SELECT 1 FROM t o
    WHERE o.games = t.games AND o.knows <= t.knows AND o.knows_all <= t.knows_all
        AND o.steady_cost_percent <= t.steady_cost_percent AND o.overlap_active >= t.overlap_active
        AND o.gain >= t.gain
        AND (o.steady_cost_percent < t.steady_cost_percent OR o.overlap_active > t.overlap_active
            OR o.gain > t.gain))
ORDER BY steady_cost_percent;
