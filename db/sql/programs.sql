-- Real programs: names for their addresses, and comparisons with games.

-- Every edge of a recorded program's exact graph, by the names of its blocks: function+offset, or
-- file and offset if no function is known. As in `record --dot`, of several functions that contain
-- an address the one that begins last is named, and of several names of one function the first.
-- Each edge has a row for each hot share of the experiment; hot is about the share in hot_permille.
CREATE VIEW named_edge AS
SELECT x.name AS experiment, g.name AS game, xs.variant, e.source, e.target,
    coalesce((SELECT iif(f.size = 0 OR e.source - i.base < f.offset + f.size,
                f.name || printf('+0x%x', e.source - i.base - f.offset), NULL)
            FROM symbol f WHERE f.image_id = i.image_id AND f.offset <= e.source - i.base
            ORDER BY f.offset DESC, f.name LIMIT 1),
        m.name || printf('+0x%x', e.source - i.base)) AS source_name,
    coalesce((SELECT iif(f.size = 0 OR e.target - k.base < f.offset + f.size,
                f.name || printf('+0x%x', e.target - k.base - f.offset), NULL)
            FROM symbol f WHERE f.image_id = k.image_id AND f.offset <= e.target - k.base
            ORDER BY f.offset DESC, f.name LIMIT 1),
        n.name || printf('+0x%x', e.target - k.base)) AS target_name,
    m.name AS source_image, n.name AS target_image, e.count,
    1000 * e.before < xh.hot_permille * e.weight AS hot, e.replay_id, xh.hot_permille
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN experiment_hot xh USING (experiment_id)
    JOIN exact_rank e ON e.replay_id = s.replay_id
    JOIN replay_image i ON i.replay_id = e.replay_id AND i.base = (SELECT max(base)
        FROM replay_image b WHERE b.replay_id = e.replay_id AND b.base <= e.source)
    JOIN image m ON m.image_id = i.image_id
    JOIN replay_image k ON k.replay_id = e.replay_id AND k.base = (SELECT max(base)
        FROM replay_image b WHERE b.replay_id = e.replay_id AND b.base <= e.target)
    JOIN image n ON n.image_id = k.image_id
ORDER BY x.name, g.name, xs.variant, xh.hot_permille, e.count DESC, e.source, e.target;

-- Games and programs side by side: the size of the hot set, the number of low batches (the mean
-- over the grid), and what the grid, the baseline and techniques that know the program's structure
-- find. Busy-waits are left out, because programs have none. NULL: no such technique was tried.
CREATE VIEW hot_set AS
SELECT r.experiment, p.kind, r.game, r.variant, r.way, p.target, r.hot_permille, p.instructions,
    round(100.0 * s.samples / p.instructions, 2) AS sampled_percent,
    p.edges - p.busy_edges AS edges, r.hot_edges_active AS hot_edges,
    round(100.0 * r.hot_edges_active / (p.edges - p.busy_edges), 1) AS hot_percent,
    round(100 * avg(iif(r.technique = 'gaussian', 1.0 * r.low / (r.low + r.high), NULL)), 1) AS low_percent,
    round(100 * max(iif(r.technique = 'gaussian', r.similarity_active, NULL)), 1) AS gaussian_best_percent,
    round(100 * min(iif(r.technique = 'gaussian', r.similarity_active, NULL)), 1) AS gaussian_worst_percent,
    round(100 * max(iif(r.baseline, r.similarity_active, NULL)), 1) AS baseline_percent,
    round(100 * max(iif(r.technique = 'gaussian', r.overlap_active, NULL)), 1) AS gaussian_best_overlap,
    round(100 * max(iif(r.baseline, r.overlap_active, NULL)), 1) AS baseline_overlap,
    round(100 * max(iif(r.structure = 1, r.overlap_active, NULL)), 1) AS structured_best_overlap
FROM results r
    JOIN replay p ON p.replay_id = r.replay_id
    JOIN stream s ON s.stream_id = r.stream_id
GROUP BY r.experiment_id, r.game, r.stream_id, r.hot_permille
ORDER BY r.experiment, p.kind, r.game, r.variant, r.hot_permille;
