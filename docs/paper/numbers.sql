-- Where the numbers and tables of paper.tex come from; paper.py reads this file.
--
--     -- number NAME DATABASE    the one value of the query; \val{NAME} in the paper
--     -- table NAME DATABASE     the rows of the query; \rows{NAME} in the paper
--
-- DATABASE is the name of a file in the folder of results, without its ending. A query without an answer fails the build.

-- number Games hotgraph
SELECT CASE count(DISTINCT game) WHEN 8 THEN 'eight' END FROM ranked;
-- number Configurations hotgraph
SELECT count(*) / count(DISTINCT game) FROM ranked;
-- number Results hotgraph
SELECT printf('%,d', count(*)) FROM ranked;
-- number Instructions hotgraph
SELECT printf('%.2f', sum(instructions) / 1e9) FROM replay;
-- number Batches hotgraph
SELECT printf('%,d', max(batches)) FROM table1;
-- number SampledMean hotgraph
SELECT printf('%.2f', avg(sampled_percent)) FROM table1;
-- number PaperSampledMean hotgraph
SELECT printf('%.2f', avg(sampled_percent)) FROM paper_game;
-- number EdgesLeast hotgraph
SELECT printf('%,d', min(edges)) FROM replay;
-- number EdgesMost hotgraph
SELECT printf('%,d', max(edges)) FROM replay;
-- number HotLeast hotgraph
SELECT min(hot_edges_active) FROM table2;
-- number HotMost hotgraph
SELECT max(hot_edges_active) FROM table2;
-- number BusyShare hotgraph
SELECT printf('%.0f', 100 * avg(1.0 * busy_weight / weight)) FROM replay;

-- number GaussianLeast hotgraph
SELECT printf('%.0f', min(100 * similarity)) FROM ranked;
-- number GaussianMost hotgraph
SELECT printf('%.0f', max(100 * similarity)) FROM ranked;
-- number GaussianActiveLeast hotgraph
SELECT printf('%.0f', min(100 * similarity_active)) FROM ranked;
-- number GaussianActiveMost hotgraph
SELECT printf('%.0f', max(100 * similarity_active)) FROM ranked;
-- number BaselineLeast hotgraph
SELECT printf('%.1f', min(100 * similarity)) FROM baseline;
-- number BaselineMost hotgraph
SELECT printf('%.0f', max(100 * similarity)) FROM baseline;
-- number BaselineComplete hotgraph
SELECT CASE sum(similarity = 1) WHEN 8 THEN 'all eight' WHEN 7 THEN 'seven' WHEN 6 THEN 'six' ELSE sum(similarity = 1) END FROM baseline;
-- number AsGood hotgraph
SELECT CASE sum(r.similarity >= b.similarity OR r.similarity_active >= b.similarity_active) WHEN 0 THEN 'none' END
FROM ranked r JOIN baseline b USING (experiment, game, variant, hot_permille);
-- number OverlapFortyFive hotgraph
SELECT printf('%.3f', avg(fair_overlap_active)) FROM results WHERE number = 45;
-- number OverlapBaseline hotgraph
SELECT printf('%.3f', avg(fair_overlap_active)) FROM results WHERE baseline;
-- number HotFortyFive hotgraph
SELECT printf('%.3f', avg(hot_f1_active)) FROM results WHERE number = 45;
-- number HotBaseline hotgraph
SELECT printf('%.3f', avg(hot_f1_active)) FROM results WHERE baseline;
-- number BaselinePrecision hotgraph
SELECT printf('%.1f', avg(baseline_precision_percent)) FROM table1;
-- number BudgetEighty hotgraph
SELECT printf('%,d', batches) FROM budget_to_reach WHERE game IS NULL AND scope = 'whole' AND label LIKE 'often best%' AND target_percent = 80;
-- number BudgetEightyBaseline hotgraph
SELECT printf('%,d', baseline_batches) FROM budget_to_reach WHERE game IS NULL AND scope = 'whole' AND label LIKE 'often best%' AND target_percent = 80;
-- number BudgetNinetyNineBaseline hotgraph
SELECT printf('%,d', baseline_batches) FROM budget_to_reach WHERE game IS NULL AND scope = 'whole' AND label LIKE 'often best%' AND target_percent = 99;
-- number WindowShare hotgraph
SELECT printf('%.0f', percent_within_games) FROM variance_share WHERE scope = 'whole' AND factor = 'window_size' AND other IS NULL;
-- number DeviationShare hotgraph
SELECT printf('%.0f', percent_within_games) FROM variance_share WHERE scope = 'whole' AND factor = 'stdev_threshold' AND other IS NULL;
-- number BothShare hotgraph
SELECT printf('%.0f', percent_within_games) FROM variance_share WHERE scope = 'whole' AND factor = 'stdev_threshold' AND other = 'window_size';
-- number BinShare hotgraph
SELECT printf('%.0f', coalesce(max(percent_within_games), 0)) FROM variance_share WHERE scope = 'whole' AND factor = 'bin_size' AND (other IS NULL OR other = 'game');
-- number BestOverall hotgraph
SELECT printf('%d/%d/%d/%d', bin_size, stdev_threshold, window_size, recurrent_threshold) FROM best_configuration LIMIT 1;
-- number BestOverallMean hotgraph
SELECT printf('%.1f', mean_percent) FROM best_configuration LIMIT 1;
-- number BaselineMean hotgraph
SELECT printf('%.1f', baseline_mean_percent) FROM best_configuration LIMIT 1;
-- number ChosenWorstPlace hotgraph
SELECT max(place) FROM left_out WHERE scope = 'whole' AND left_out IS NOT NULL;
-- number AboveGames hotgraph
WITH a AS (SELECT sum(100 * r.similarity > t.paper_best_percent) * 2 > count(*) AS above
    FROM results r JOIN table2 t USING (experiment, game, variant, hot_permille) WHERE r.number IS NOT NULL GROUP BY t.game)
SELECT CASE sum(above) WHEN 8 THEN 'all eight' WHEN 7 THEN 'seven' WHEN 6 THEN 'six' ELSE sum(above) END FROM a;

-- number WorthFew worth
SELECT printf('%.3f', 100 * observed_share) FROM technique_worth
WHERE parameters LIKE 'costs=poisson%' AND observed_share BETWEEN 0.00005 AND 0.0001;
-- number WorthFewBenefit worth
SELECT printf('%.1f', 100 * benefit) FROM technique_worth WHERE parameters LIKE 'costs=poisson%' AND observed_share BETWEEN 0.00005 AND 0.0001;
-- number WorthFewest worth
SELECT printf('%.4f', 100 * observed_share) FROM technique_worth WHERE parameters LIKE 'costs=poisson%' ORDER BY observed_share LIMIT 1;
-- number WorthFewestBenefit worth
SELECT printf('%.1f', 100 * benefit) FROM technique_worth WHERE parameters LIKE 'costs=poisson%' ORDER BY observed_share LIMIT 1;
-- number OtherBenefit worth-live
SELECT printf('%.1f', 100 * benefit) FROM technique_worth WHERE technique = 'exact' AND sampling = 'live input=other';
-- number OtherOverlap worth-live
SELECT printf('%.3f', overlap_active) FROM technique_worth WHERE technique = 'exact' AND sampling = 'live input=other';
-- number FirstHalfMinute worth-live
SELECT printf('%.1f', 100 * benefit) FROM technique_worth WHERE technique = 'exact' AND sampling = 'live seconds=30';
-- number FirstTen worth-live
SELECT printf('%.1f', 100 * benefit) FROM technique_worth WHERE technique = 'exact' AND sampling = 'live seconds=10';
-- number GridBest hotgraph
SELECT printf('%.3f', benefit) FROM grid_worth WHERE place = 1 LIMIT 1;
-- number GridFortyFive hotgraph
SELECT printf('%.3f', benefit) FROM grid_worth WHERE number = 45;
-- number GridWorst hotgraph
SELECT printf('%.3f', benefit) FROM grid_worth ORDER BY place DESC LIMIT 1;
-- number GridBaseline hotgraph
SELECT printf('%.3f', baseline_benefit) FROM grid_worth LIMIT 1;
-- number FallBefore hotgraph
SELECT printf('%.0f', 100 * avg(fall_share_original)) FROM replay;
-- number FallBest hotgraph
SELECT printf('%.0f', 100 * avg(fall_share_best)) FROM replay;

-- number GoldenObserved golden
SELECT printf('%.2f', 100 * observed_share) FROM technique_mean WHERE technique = 'flow' AND parameters LIKE 'costs=poisson%';
-- number GoldenOverlap golden
SELECT printf('%.3f', overlap_active) FROM technique_mean WHERE technique = 'flow' AND parameters LIKE 'costs=poisson%';
-- number GoldenWorst golden
SELECT printf('%.3f', overlap_active_least) FROM technique_mean WHERE technique = 'flow' AND parameters LIKE 'costs=poisson%';
-- number GoldenBaseline golden
SELECT printf('%.3f', overlap_active) FROM technique_mean WHERE technique = 'observed';

-- number FifoFour live
SELECT printf('%.1f', 100.0 * sum(d.value) / sum(o.value)) FROM technique_quality q
    JOIN technique_count d ON d.stream_id = q.stream_id AND d.configuration_id = q.configuration_id AND d.name = 'dropped'
    JOIN technique_count o ON o.stream_id = q.stream_id AND o.configuration_id = q.configuration_id AND o.name = 'offered'
WHERE q.parameters LIKE 'slot_bits=11 %' AND q.parameters LIKE '%result=flow%' AND q.parameters LIKE '% cycles=4 %';
-- number FifoEight live
SELECT printf('%.1f', 100.0 * sum(d.value) / sum(o.value)) FROM technique_quality q
    JOIN technique_count d ON d.stream_id = q.stream_id AND d.configuration_id = q.configuration_id AND d.name = 'dropped'
    JOIN technique_count o ON o.stream_id = q.stream_id AND o.configuration_id = q.configuration_id AND o.name = 'offered'
WHERE q.parameters LIKE 'slot_bits=11 %' AND q.parameters LIKE '%result=flow%' AND q.parameters LIKE '% cycles=8 %';
-- number FifoSixteen live
SELECT printf('%.1f', 100.0 * sum(d.value) / sum(o.value)) FROM technique_quality q
    JOIN technique_count d ON d.stream_id = q.stream_id AND d.configuration_id = q.configuration_id AND d.name = 'dropped'
    JOIN technique_count o ON o.stream_id = q.stream_id AND o.configuration_id = q.configuration_id AND o.name = 'offered'
WHERE q.parameters LIKE 'slot_bits=11 %' AND q.parameters LIKE '%result=flow%' AND q.parameters LIKE '% cycles=16 %';
-- number FifoOverlapEight live
SELECT printf('%.3f', avg(q.overlap_active)) FROM technique_quality q
    JOIN technique_count d ON d.stream_id = q.stream_id AND d.configuration_id = q.configuration_id AND d.name = 'dropped'
    JOIN technique_count o ON o.stream_id = q.stream_id AND o.configuration_id = q.configuration_id AND o.name = 'offered'
WHERE q.parameters LIKE 'slot_bits=11 %' AND q.parameters LIKE '%result=flow%' AND q.parameters LIKE '% cycles=8 %';
-- number FifoOverlapSixteen live
SELECT printf('%.3f', avg(q.overlap_active)) FROM technique_quality q
    JOIN technique_count d ON d.stream_id = q.stream_id AND d.configuration_id = q.configuration_id AND d.name = 'dropped'
    JOIN technique_count o ON o.stream_id = q.stream_id AND o.configuration_id = q.configuration_id AND o.name = 'offered'
WHERE q.parameters LIKE 'slot_bits=11 %' AND q.parameters LIKE '%result=flow%' AND q.parameters LIKE '% cycles=16 %';

-- number StructureCost frontier
SELECT printf('%.1f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher = 'structure';
-- number ExactCost frontier
SELECT printf('%.1f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher = 'exact';
-- number ExactCostLeast frontier
SELECT printf('%.1f', min(steady_added_percent)) FROM profiler_cost WHERE watcher = 'exact';
-- number ExactCostMost frontier
SELECT printf('%.1f', max(steady_added_percent)) FROM profiler_cost WHERE watcher = 'exact';
-- number SamplerCost frontier
SELECT printf('%.1f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher = 'time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0';
-- number SparseCost frontier
SELECT printf('%.1f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher = 'time interval_us=75000 batch=25 jitter_us=0 phase_cycles=0';
-- number SparseOverlap frontier
SELECT printf('%.3f', overlap_active) FROM technique_frontier WHERE technique = 'observed' AND sampling = 'time interval_us=75000 batch=25 jitter_us=0';
-- number GoldenCost frontier
SELECT printf('%.0f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher LIKE 'active per\_million=600 place=calls%' ESCAPE '\';
-- number WeightedCost frontier
SELECT printf('%,.0f', avg(steady_added_percent)) FROM profiler_cost WHERE watcher LIKE '%weighting=cycles%';
-- number PaperCost hotgraph
SELECT printf('%.0f', published_percent) FROM paper_beside WHERE technique = 'exact' AND measure = 'share_of_time' LIMIT 1;

-- table Sampled hotgraph
SELECT game, paper_game, printf('%.1f', batches / 1e3), printf('%.1f', paper_batches / 1e3), printf('%.0f', instructions / 1e6),
    printf('%.0f', paper_instructions / 1e6), printf('%.2f', sampled_percent), printf('%.2f', paper_sampled_percent) FROM table1;
-- table Similarity hotgraph
SELECT game, hot_edges, printf('%.1f', worst_percent), printf('%.1f', best_percent), printf('%.1f', baseline_percent), paper_game,
    paper_worst_percent, paper_best_percent FROM table2;
-- table Ranking hotgraph
SELECT iif(position = 1, b.game, ''), printf('%d/%d/%d/%d', b.bin_size, b.stdev_threshold, b.window_size, b.recurrent_threshold), b.bins,
    printf('%.1f', b.similarity_percent), printf('%d/%d/%d/%d', b.paper_bin_size, b.paper_stdev_threshold, b.paper_window_size,
    b.paper_recurrent_threshold), b.paper_bins, b.paper_similarity_percent,
    printf('%d/%d/%d/%d', w.bin_size, w.stdev_threshold, w.window_size, w.recurrent_threshold), w.bins, printf('%.1f', w.similarity_percent),
    printf('%d/%d/%d/%d', w.paper_bin_size, w.paper_stdev_threshold, w.paper_window_size, w.paper_recurrent_threshold), w.paper_bins,
    w.paper_similarity_percent, iif(position = 1, b.paper_game, '')
FROM table3 b JOIN table4 w USING (game, position) ORDER BY game, position;
-- table Effects hotgraph
SELECT replace(parameter, '_', ' '), value, printf('%.1f', mean_percent), printf('%+.1f', effect_points) FROM parameter_effect WHERE parameter <> 'builder';
-- table Budgets worth
SELECT printf('%.4f', 100 * observed_share), technique || iif(technique = 'flow', ', poisson', ''), printf('%.3f', benefit), printf('%.3f', benefit_least),
    printf('%.3f', overlap_active) FROM technique_worth WHERE technique = 'observed' OR parameters LIKE 'costs=poisson%'
ORDER BY observed_share, technique DESC;
-- table Prefixes worth-live
SELECT CASE sampling WHEN 'live' THEN 'the whole movie' WHEN 'live input=other' THEN 'another movie'
    ELSE 'the first ' || substr(sampling, 14) || ' s' END, printf('%.3f', benefit), printf('%.3f', benefit_least), printf('%.3f', overlap_active)
FROM technique_worth WHERE technique = 'exact' ORDER BY benefit;
-- table Costs frontier
WITH n(watcher, name) AS (VALUES ('exact', 'exact edge counts'), ('structure', 'recording the structure'),
    ('time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0', 'batches every 3 ms (the paper)'),
    ('time interval_us=75000 batch=25 jitter_us=0 phase_cycles=0', 'batches every 75 ms'),
    ('time interval_us=3000 batch=2 jitter_us=0 phase_cycles=0', 'two instructions every 3 ms'),
    ('time interval_us=3000 batch=25 jitter_us=0 phase_cycles=0 weighting=cycles', 'batches every 3 ms, weighted'),
    ('active per_million=600 place=golden seed=1', 'golden, NMIs, 600 per million'),
    ('active per_million=600 place=calls seed=1', 'golden, calls, 600 per million'),
    ('active per_million=60 place=calls seed=1', 'golden, calls, 60 per million'),
    ('transfers per_million=600 place=stratified seed=1', 'transfers, stratified, 600 per million'),
    ('clock interval_us=15700 next=1 seed=1', 'clock, every 15.7 ms, one transfer'),
    ('clock interval_us=4700 window=16 seed=1', 'clock, every 4.7 ms, 16 cycles'),
    ('clock interval_us=1600 next=1 seed=1', 'clock, every 1.6 ms, one transfer'))
SELECT name, printf('%,.1f', avg(steady_added_percent)), printf('%,.1f', min(steady_added_percent)), printf('%,.1f', max(steady_added_percent))
FROM profiler_cost JOIN n USING (watcher) GROUP BY watcher ORDER BY avg(steady_added_percent);
-- table Frontier frontier
SELECT technique, CASE WHEN sampling IS NULL OR sampling = '' THEN 'every transfer' WHEN sampling LIKE 'time interval_us=3000 batch=25 jitter_us=0'
    THEN 'batches, 3 ms' WHEN sampling LIKE 'time interval_us=75000%' THEN 'batches, 75 ms' WHEN sampling = 'clock interval_us=4700 window=16'
    THEN 'clock, 4.7 ms' ELSE 'golden, calls' END, printf('%.1f', steady_cost_percent), printf('%.3f', overlap_active),
    printf('%.3f', overlap_active_worst), printf('%.3f', benefit)
FROM technique_frontier WHERE steady_cost_percent IS NOT NULL AND technique <> 'entries' AND (sampling IS NULL OR sampling IN ('',
    'time interval_us=3000 batch=25 jitter_us=0', 'time interval_us=75000 batch=25 jitter_us=0', 'clock interval_us=4700 window=16',
    'active per_million=600 place=calls')) ORDER BY steady_cost_percent, technique DESC;
