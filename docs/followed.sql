-- What techniques find that follow programs' traces, a program a row: docs/followed.csv, asked of the database of configs/followed.cfg.
WITH
    packets AS (SELECT game, CAST(substr(parameters, 8, instr(parameters, ' ') - 8) AS INTEGER) AS buffer, k.*
        FROM technique_packets k WHERE experiment = 'followed'),
    found AS (SELECT game, technique, parameters, overlap FROM technique_quality WHERE experiment = 'followed' AND sampling = 'live'),
    kept AS (SELECT packets.*, overlap FROM packets JOIN found USING (game, technique, parameters)),
    traces AS (SELECT * FROM technique_trace WHERE experiment = 'followed'),
    paths AS (SELECT * FROM technique_path WHERE experiment = 'followed')
SELECT w.game, r.instructions, w.bytes, round(w.bytes_instruction, 4) AS bytes_instruction, round(w.tnt, 2) AS tnt, round(w.tip, 2) AS tip,
    w.errors, w.overlap, round(a.lost, 4) AS lost_4, round(a.overlap, 4) AS overlap_4, round(b.lost, 4) AS lost_64, round(b.overlap, 4) AS overlap_64,
    n.traces AS net_traces, n.trace_bytes AS net_bytes, round(n.inside, 4) AS net_inside, round(n.completed, 4) AS net_completed,
    round(1000 * n.ninety_seconds, 3) AS net_ninety_ms, l.traces AS lei_traces, l.trace_bytes AS lei_bytes, round(l.inside, 4) AS lei_inside,
    round(l.completed, 4) AS lei_completed, round(1000 * l.ninety_seconds, 3) AS lei_ninety_ms, p.paths, p.hot_paths,
    round(p.fixed, 4) AS fixed, round(p.edges_overlap, 4) AS edges_overlap, e.sampled_paths, round(e.hot_overlap, 4) AS hot_overlap
FROM kept w
    JOIN stream USING (stream_id)
    JOIN replay r USING (replay_id)
    JOIN kept a ON a.game = w.game AND a.buffer = 4
    JOIN kept b ON b.game = w.game AND b.buffer = 64
    JOIN traces n ON n.game = w.game AND n.technique = 'net'
    JOIN traces l ON l.game = w.game AND l.technique = 'lei'
    JOIN paths p ON p.game = w.game AND p.technique = 'paths'
    JOIN paths e ON e.game = w.game AND e.technique = 'pep'
WHERE w.buffer = 0
ORDER BY r.instructions;
