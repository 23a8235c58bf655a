-- What docs/programs.csv holds, asked of a database of configs/programs.cfg (`make programs`): games and programs side by side.
-- Busy-waits are left out. Percentages are of hot edges found, except overlaps, which are of all counts; benefits are docs/metrics.md's.
SELECT h.game, h.kind, h.edges, h.hot_edges, h.low_percent, h.gaussian_best_percent, h.gaussian_worst_percent,
    h.baseline_percent, h.baseline_overlap, h.structured_best_overlap AS flow_overlap,
    printf('%.3f', min(w.benefit) FILTER (WHERE w.technique = 'gaussian')) AS gaussian_least_benefit,
    printf('%.3f', avg(w.benefit) FILTER (WHERE w.technique = 'gaussian')) AS gaussian_mean_benefit,
    printf('%.3f', max(w.benefit) FILTER (WHERE w.technique = 'gaussian')) AS gaussian_most_benefit,
    printf('%.3f', max(w.benefit) FILTER (WHERE w.baseline)) AS baseline_benefit,
    printf('%.3f', max(w.benefit) FILTER (WHERE w.technique = 'flow')) AS flow_benefit
FROM hot_set h JOIN worth w USING (experiment, game, variant)
GROUP BY h.kind, h.game ORDER BY h.kind, h.game;
