-- What the edges of each result tell of the acyclic paths that its game executed, of experiments that ask for it.
-- fixed: the share of the paths' flow that they determine; overlap: the part of the hot paths' flow that they predict
-- path by path, if each branch is taken as independent of those before it; matched: the share of the hot paths'
-- flow on paths that are also among the hottest by this prediction.
CREATE VIEW path_knowledge AS
SELECT x.name AS experiment, g.name AS game, xs.variant, w.way, c.technique,
    substr(c.key, length(c.technique) + 2) AS parameters, xc.number, xc.baseline, p.paths, p.hot_paths,
    p.path_flow, p.hot_path_flow, r.fixed_flow, r.edges_overlap, r.edges_matched,
    1.0 * r.fixed_flow / nullif(p.path_flow, 0) AS fixed,
    1.0 * r.edges_overlap / nullif(p.hot_path_flow, 0) AS overlap,
    1.0 * r.edges_matched / nullif(p.hot_path_flow, 0) AS matched,
    x.experiment_id, xs.stream_id, c.configuration_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN replay p USING (replay_id)
    JOIN sampling_way w ON w.sampling_id = xs.sampling_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN result r ON r.stream_id = xs.stream_id AND r.configuration_id = xc.configuration_id
WHERE x.judges_paths = 1 AND r.fixed_flow IS NOT NULL
ORDER BY x.name, g.name, xs.variant, xc.number NULLS FIRST;

-- The same over games: means, and the worst game.
CREATE VIEW technique_path_knowledge AS
SELECT experiment, way, technique, parameters, number, baseline, count(DISTINCT game) AS games,
    avg(fixed) AS fixed, min(fixed) AS fixed_worst, avg(overlap) AS overlap, min(overlap) AS overlap_worst,
    avg(matched) AS matched, min(matched) AS matched_worst, experiment_id, configuration_id
FROM path_knowledge
GROUP BY experiment_id, way, configuration_id
ORDER BY experiment, overlap DESC, way, number NULLS FIRST;
