-- The lines of the table in docs/programs.md, asked of docs/programs.csv as the table programs.

-- name: lines
WITH named AS (SELECT *, CASE WHEN kind = 'game' THEN 'the bundled games' WHEN game LIKE 'kernels%' THEN 'kernels, three processors'
    WHEN game = 'lua' THEN 'lua5.4' ELSE game END AS name FROM programs),
    spans AS (SELECT name, iif(min(kind) = 'game', 0, 1) AS kind, min(hot_edges) AS least_hot, max(edges) AS most,
        printf('%,d', min(edges)) AS e1, printf('%,d', max(edges)) AS e2, printf('%,d', min(hot_edges)) AS h1, printf('%,d', max(hot_edges)) AS h2,
        printf('%.1f', min(low_percent)) AS l1, printf('%.1f', max(low_percent)) AS l2,
        printf('%.1f', min(gaussian_best_percent)) AS b1, printf('%.1f', max(gaussian_best_percent)) AS b2,
        printf('%.1f', min(gaussian_worst_percent)) AS w1, printf('%.1f', max(gaussian_worst_percent)) AS w2,
        printf('%.1f', min(baseline_percent)) AS o1, printf('%.1f', max(baseline_percent)) AS o2,
        printf('%.1f', min(baseline_overlap)) AS v1, printf('%.1f', max(baseline_overlap)) AS v2,
        printf('%.1f', min(flow_overlap)) AS f1, printf('%.1f', max(flow_overlap)) AS f2
    FROM named GROUP BY name)
SELECT printf('| %s | %s | %s | %s | %s | %s | %s | %s | %s |', name, iif(e1 = e2, e1, e1 || ' to ' || e2), iif(h1 = h2, h1, h1 || ' to ' || h2),
    iif(l1 = l2, l1, l1 || ' to ' || l2), iif(b1 = b2, b1, b1 || ' to ' || b2), iif(w1 = w2, w1, w1 || ' to ' || w2),
    iif(o1 = o2, o1, o1 || ' to ' || o2), iif(v1 = v2, v1, v1 || ' to ' || v2), iif(f1 = f2, f1, f1 || ' to ' || f2))
FROM spans ORDER BY kind, name NOT LIKE 'kernels%', most;

-- name: followed
SELECT printf('| %s | %,d | %.3f | %.1f | %.3f | %,d | %.3f | %.2f | %,d | %.3f | %.2f | %,d | %.2f | %.2f |', iif(game = 'lua', 'lua5.4', game),
    round(instructions / 1e6), bytes_instruction, 100 * lost_4, overlap_4, net_traces, net_inside, net_completed, lei_traces, lei_inside, lei_completed,
    hot_paths, fixed, hot_overlap)
FROM followed ORDER BY game NOT LIKE 'kernels%', CAST(paths AS INTEGER);

-- name: followed_found
SELECT printf('%.2f to %.2f bits an instruction', 8 * min(bytes_instruction), 8 * max(bytes_instruction)) FROM followed;
SELECT printf('%.0f to %.0f %% of the flow', 100 * min(fixed), 100 * max(fixed)) FROM followed;

-- name: counted
SELECT printf('| %s | %,d | %.2f | %.2f | %,d | %.2f | %.2f | %,d | %.2f | %.0f | %.3f | %.3f | %.3f | %.3f |', iif(game = 'lua', 'lua5.4', game),
    routines, routines_recall, routines_precision, heads, heads_recall, heads_precision, halved, halved_precision, 1000 * checks,
    overlap_101, overlap_1009, overlap_16, overlap_11)
FROM followed ORDER BY game NOT LIKE 'kernels%', CAST(paths AS INTEGER);

-- name: counted_found
SELECT printf('%.2f of the hot edges', avg(routines_recall)) FROM followed;
SELECT printf('at least %.2f of them', min(heads_recall)) FROM followed;
SELECT printf('only %.2f of the edges', avg(heads_precision)) FROM followed;
SELECT printf('%.3f to %.3f of what the exact counts gain', min(benefit_101), max(benefit_101)) FROM followed;
SELECT printf('%.3f to %.3f with one in 1,009', min(benefit_1009), max(benefit_1009)) FROM followed;
SELECT printf('%.1f %% of all entries', 100 * avg(missed_11)) FROM followed WHERE game NOT LIKE 'kernels%';
SELECT printf('%.1f %% of cc1''s', 100 * missed_16) FROM followed WHERE game = 'cc1';
SELECT printf('between %.1f and %.2f', min(min(routines_benefit, heads_benefit, halved_benefit)), max(max(routines_benefit, heads_benefit, halved_benefit))) FROM followed;
