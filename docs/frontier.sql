-- docs/frontier.csv, of a database of configs/frontier.cfg whose costs were counted (make frontier): a row for each technique and
-- way of sampling, then one for each game and watcher.
SELECT technique, iif(technique = 'flow', 'costs=poisson', parameters) AS parameters, sampling, told, replays, games,
    round(steady_cost_percent, 2) AS steady_cost_percent, round(cost_percent, 2) AS cost_percent,
    round(cost_percent_worst, 2) AS cost_percent_worst, round(steady_sampling_percent, 2) AS steady_sampling_percent,
    round(added_a_steady_frame, 0) AS added_a_steady_frame, round(added_a_frame, 0) AS added_a_frame,
    round(probes_a_frame, 1) AS probes_a_frame, round(handlers_a_frame, 1) AS handlers_a_frame,
    round(samples_a_frame, 2) AS samples_a_frame, round(observed_percent, 4) AS observed_percent,
    round(of_active_percent, 3) AS of_active_percent, round(added_kib, 1) AS added_kib, round(overlap_active, 4) AS overlap_active,
    round(overlap_active_worst, 4) AS overlap_active_worst, round(overlap, 4) AS overlap,
    round(benefit, 4) AS benefit
FROM technique_frontier
UNION ALL
-- By game: what the exact counters, the recording of the structure and each sampling add.
SELECT 'game ' || game, '', watcher, NULL, NULL, 1, round(steady_added_percent, 2), round(added_percent, 2), NULL, NULL,
    round(added_a_steady_frame, 0), round(added_a_frame, 0), round(probes_a_frame, 1),
    round(handlers_a_frame, 1), round(samples_a_frame, 2), NULL, NULL, round(added_kib, 1), NULL, NULL, NULL, NULL
FROM profiler_cost WHERE watcher <> 'nobody';
