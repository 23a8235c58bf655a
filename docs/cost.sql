-- The lines of tables of docs/cost.md and docs/techniques.md, asked of docs/frontier.csv as the table frontier.

-- name: watchers: what each watcher adds, steady state: mean, least and most of the games
WITH w AS (SELECT substr(technique, 6) AS game, sampling, steady_cost_percent AS added, samples_a_frame AS samples, added_a_steady_frame
        AS host, added_kib AS kib FROM frontier WHERE technique LIKE 'game %')
SELECT printf('| %s | %.1f | %.1f (%s) | %.1f (%s) | %s | %,d |', name, avg(added), min(added), (SELECT game FROM w l WHERE l.sampling = w.sampling
        ORDER BY added, game LIMIT 1), max(added), (SELECT game FROM w l WHERE l.sampling = w.sampling ORDER BY added DESC, game LIMIT 1),
    iif(w.sampling IN ('exact', 'exact_tree first=600', 'structure', 'entries share=900') OR w.sampling LIKE 'bursts %' OR w.sampling LIKE 'decay %', '', printf('%.2f', avg(samples))), CAST(round(avg(kib)) AS INTEGER))
FROM w JOIN (SELECT 'exact' AS sampling, 'exact edge counts' AS name
    UNION SELECT 'exact_tree first=600', 'exact edge counts, counters chosen after ten seconds (exact_tree)'
    UNION SELECT 'hybrid first=1800 rate=10 interval_us=4700 next=1 seed=1', 'hybrid, edges above 1 a frame, every 4.7 ms'
    UNION SELECT 'hybrid first=1800 rate=100 interval_us=47000 next=1 seed=1', 'hybrid, edges above 10 a frame, every 47 ms'
    UNION SELECT 'hybrid first=1800 rate=300 interval_us=157000 next=1 seed=1', 'hybrid, edges above 30 a frame, every 157 ms'
    UNION SELECT 'structure', 'recording the structure'
    UNION SELECT 'time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0', 'the paper''s sampler, 25 instructions every 3 ms'
    UNION SELECT 'time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0 weighting=cycles', 'the paper''s sampler, weighted'
    UNION SELECT 'time interval_us=3000 batch=2 jitter_us=0 phase_cycles=0', 'two instructions every 3 ms'
    UNION SELECT 'time interval_us=75000 batch=25 jitter_us=0 phase_cycles=0', '25 instructions every 75 ms'
    UNION SELECT 'active per_million=600 place=golden seed=1', 'golden, NMIs, 600 per million'
    UNION SELECT 'active per_million=600 place=calls seed=1', 'golden, calls, 600 per million'
    UNION SELECT 'active per_million=60 place=calls seed=1', 'golden, calls, 60 per million'
    UNION SELECT 'transfers per_million=600 place=stratified seed=1', 'transfers, stratified, 600 per million'
    UNION SELECT 'bursts interval=101 burst=1 phase=0', 'bursts, one check in 101'
    UNION SELECT 'bursts interval=307 burst=1 phase=0', 'bursts, one check in 307'
    UNION SELECT 'bursts interval=1009 burst=1 phase=0', 'bursts, one check in 1,009'
    UNION SELECT 'bursts interval=1009 burst=16 phase=0', 'bursts, 16 checks in 1,009'
    UNION SELECT 'decay threshold=10000 period=1000', 'counters of methods and loops that are halved (decay)'
    UNION SELECT 'lbr_taken every=5000 stack=16 skip=0 place=stratified seed=1', 'the last 16 taken branches, after one in 5,000'
    UNION SELECT 'lbr interval_us=30000 stack=16 skip=0 jitter_us=15000 seed=1 phase_cycles=0', 'the last 16 taken branches, every 30 ms'
    UNION SELECT 'clock interval_us=1600 next=1 seed=1', 'by the clock, every 1.6 ms, the first transfer'
    UNION SELECT 'clock interval_us=4700 next=1 seed=1', 'by the clock, every 4.7 ms, the first transfer'
    UNION SELECT 'clock interval_us=4700 window=16 seed=1', 'by the clock, every 4.7 ms, windows of 16 cycles'
    UNION SELECT 'clock interval_us=15700 next=1 seed=1', 'by the clock, every 15.7 ms, the first transfer'
    UNION SELECT 'clock interval_us=15700 window=64 seed=1', 'by the clock, every 15.7 ms, windows of 64 cycles') n USING (sampling)
GROUP BY sampling ORDER BY avg(added);

-- name: frontier: what techniques cost and find
WITH n(sampling, name, line) AS (VALUES ('', '', 1), ('live input=other', 'another movie', 2), ('live', '', 3),
    ('time interval_us=3000 batch=25 jitter_us=0', '25 instructions every 3 ms', 4), ('time interval_us=3000 batch=2 jitter_us=0',
    '2 instructions every 3 ms', 5), ('time interval_us=3000 batch=25 jitter_us=0 weighting=cycles',
    '25 instructions every 3 ms, weighted', 14), ('time interval_us=75000 batch=25 jitter_us=0', '25 instructions every 75 ms', 6),
    ('clock interval_us=4700 next=1', 'clock, 4.7 ms, first transfer', 7),
    ('clock interval_us=15700 next=1', 'clock, 15.7 ms, first transfer', 8),
    ('clock interval_us=15700 window=64', 'clock, 15.7 ms, windows of 64', 9),
    ('transfers per_million=600 place=stratified', 'transfers, stratified', 10),
    ('lbr_taken every=5000 stack=16 skip=0 place=stratified', '16 last branches, one in 5,000', 15),
    ('lbr interval_us=30000 stack=16 skip=0 jitter_us=15000', '16 last branches, 30 ms', 16),
    ('active per_million=600 place=golden', 'golden, NMIs', 11), ('active per_million=60 place=calls', 'golden, calls', 12),
    ('active per_million=600 place=calls', 'golden, calls', 13))
SELECT printf('| %s | %s | %s | %s | %s | %s | %s | %s |', technique, iif(technique = 'bursts', substr(parameters, instr(parameters, 'burst=')
    + 6, instr(parameters, ' phase') - instr(parameters, 'burst=') - 6) || ' in ' || printf('%,d', substr(parameters, 10, instr(parameters, ' ') - 10))
    || ' checks', iif(technique = 'hybrid', 'edges above ' || (CAST(substr(parameters, instr(parameters, 'rate=') + 5) AS INTEGER) / 10) ||
    ' a frame, every ' || printf('%g', CAST(substr(parameters, instr(parameters, 'interval_us=') + 12) AS INTEGER) / 1000.0) || ' ms', name)), told, printf('%.1f', steady_cost_percent),
    iif(observed_percent > 0, printf(iif(observed_percent < 0.001, '%.4f', '%.3f'), observed_percent), ''), iif(of_active_percent > 0, printf('%.2f', of_active_percent), ''),
    iif(overlap_active IS NULL, '', printf('%.3f (%.3f)', overlap_active, overlap_active_worst)), printf('%.3f', benefit))
FROM frontier f JOIN n ON n.sampling = coalesce(f.sampling, '') WHERE steady_cost_percent IS NOT NULL
    AND technique IN ('exact', 'exact_tree', 'hybrid', 'observed', 'flow', 'gaussian', 'bursts') ORDER BY CAST(steady_cost_percent AS REAL), technique, line;

-- name: other
SELECT printf('active overlap %.3f (worst game %.3f)', overlap_active, overlap_active_worst) FROM frontier
WHERE technique = 'exact' AND sampling = 'live input=other';

-- name: chosen: counters that are chosen while the program runs
SELECT printf('| %s | %s | %s | %.1f | %.1f | %.3f (%.3f) |', technique,
    iif(technique = 'hybrid', CAST(substr(parameters, instr(parameters, 'rate=') + 5) AS INTEGER) / 10, ''),
    iif(technique = 'hybrid', printf('%g', CAST(substr(parameters, instr(parameters, 'interval_us=') + 12) AS INTEGER) / 1000.0), ''),
    steady_cost_percent, cost_percent, overlap_active, overlap_active_worst)
FROM frontier WHERE technique IN ('exact', 'exact_tree', 'hybrid') AND coalesce(sampling, '') IN ('', 'live') ORDER BY CAST(steady_cost_percent AS REAL);
