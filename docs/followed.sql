-- What techniques find that follow programs' traces, a program a row: docs/followed.csv, asked of the database of configs/followed.cfg.
WITH
    packets AS (SELECT game, CAST(substr(parameters, 8, instr(parameters, ' ') - 8) AS INTEGER) AS buffer, k.*
        FROM technique_packets k WHERE experiment = 'followed'),
    found AS (SELECT game, technique, parameters, overlap FROM technique_quality WHERE experiment = 'followed' AND sampling = 'live'),
    kept AS (SELECT packets.*, overlap FROM packets JOIN found USING (game, technique, parameters)),
    traces AS (SELECT * FROM technique_trace WHERE experiment = 'followed'),
    paths AS (SELECT * FROM technique_path WHERE experiment = 'followed'),
    counts AS (SELECT game, technique, parameters, max(iif(name IN ('hot_routines', 'hot_heads'), value, NULL)) AS heads,
            max(iif(name = 'checks', value, NULL)) AS checks, max(iif(name = 'offered', value, NULL)) AS offered,
            max(iif(name = 'dropped', value, NULL)) + max(iif(name = 'lost', value, NULL)) AS missed
        FROM technique_count WHERE experiment = 'followed' GROUP BY game, technique, parameters),
    counted AS (SELECT q.*, heads, checks, 1.0 * missed / nullif(offered, 0) AS missed, benefit
        FROM technique_quality q JOIN counts USING (game, technique, parameters)
            LEFT JOIN worth w USING (stream_id, configuration_id)
        WHERE q.experiment = 'followed' AND q.sampling = 'live')
SELECT w.game, r.instructions, w.bytes, round(w.bytes_instruction, 4) AS bytes_instruction, round(w.tnt, 2) AS tnt, round(w.tip, 2) AS tip,
    w.errors, w.overlap, round(a.lost, 4) AS lost_4, round(a.overlap, 4) AS overlap_4, round(b.lost, 4) AS lost_64, round(b.overlap, 4) AS overlap_64,
    n.traces AS net_traces, n.trace_bytes AS net_bytes, round(n.inside, 4) AS net_inside, round(n.completed, 4) AS net_completed,
    round(1000 * n.ninety_seconds, 3) AS net_ninety_ms, l.traces AS lei_traces, l.trace_bytes AS lei_bytes, round(l.inside, 4) AS lei_inside,
    round(l.completed, 4) AS lei_completed, round(1000 * l.ninety_seconds, 3) AS lei_ninety_ms, p.paths, p.hot_paths,
    round(p.fixed, 4) AS fixed, round(p.edges_overlap, 4) AS edges_overlap, e.sampled_paths, round(e.hot_overlap, 4) AS hot_overlap,
    c.heads AS routines, round(c.hot_recall, 4) AS routines_recall, round(c.hot_precision, 4) AS routines_precision, round(c.benefit, 4) AS routines_benefit,
    d.heads AS heads, round(d.hot_recall, 4) AS heads_recall, round(d.hot_precision, 4) AS heads_precision, round(d.benefit, 4) AS heads_benefit,
    h.heads AS halved, round(h.hot_recall, 4) AS halved_recall, round(h.hot_precision, 4) AS halved_precision, round(h.benefit, 4) AS halved_benefit,
    round(1.0 * f.checks / r.instructions, 4) AS checks, round(f.overlap, 4) AS overlap_101, round(f.benefit, 4) AS benefit_101,
    round(g.overlap, 4) AS overlap_1009, round(g.benefit, 4) AS benefit_1009, round(i.missed, 4) AS missed_11, round(i.overlap, 4) AS overlap_11,
    round(i.benefit, 4) AS benefit_11, round(j.missed, 4) AS missed_16, round(j.overlap, 4) AS overlap_16, round(j.benefit, 4) AS benefit_16
FROM kept w
    JOIN stream USING (stream_id)
    JOIN replay r USING (replay_id)
    JOIN kept a ON a.game = w.game AND a.buffer = 4
    JOIN kept b ON b.game = w.game AND b.buffer = 64
    JOIN traces n ON n.game = w.game AND n.technique = 'net'
    JOIN traces l ON l.game = w.game AND l.technique = 'lei'
    JOIN paths p ON p.game = w.game AND p.technique = 'paths'
    JOIN paths e ON e.game = w.game AND e.technique = 'pep'
    JOIN counted c ON c.game = w.game AND c.technique = 'entries'
    JOIN counted d ON d.game = w.game AND d.parameters = 'threshold=1000 period=0'
    JOIN counted h ON h.game = w.game AND h.parameters = 'threshold=1000 period=10'
    JOIN counted f ON f.game = w.game AND f.parameters LIKE 'interval=101 %'
    JOIN counted g ON g.game = w.game AND g.parameters LIKE 'interval=1009 %'
    JOIN counted i ON i.game = w.game AND i.parameters LIKE 'slot_bits=11 %'
    JOIN counted j ON j.game = w.game AND j.parameters LIKE 'slot_bits=16 %'
WHERE w.buffer = 0
ORDER BY r.instructions;
