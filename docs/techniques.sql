-- The lines of docs/techniques.md's tables, asked of docs/techniques.csv and docs/bias.csv as the tables techniques and bias.

-- name: budget: the best technique at each budget: of all, of those that are not told the structure, of GFCGaussiano
WITH budgets(budget) AS (VALUES ('0.0006'), ('0.002'), ('0.006'), ('0.02'), ('0.06'), ('0.2'), ('0.6'), ('1.5')),
    named AS (SELECT *, (CASE WHEN sampling LIKE 'active%calls' THEN 'golden, calls' WHEN sampling LIKE 'active%golden' THEN 'golden, NMIs'
    WHEN sampling LIKE 'active%' THEN 'active transfers, stratified' WHEN sampling LIKE 'transfers%' THEN 'transfers, stratified'
    WHEN sampling LIKE '%batch=1 %' THEN 'single instructions, stratified' WHEN sampling LIKE 'instr%' THEN 'batches by instructions'
    ELSE printf('batches every %g ms%s', CAST(substr(sampling, 18) AS INTEGER) / 1000.0, iif(sampling LIKE '%weight%', ', weighted', '')) END) AS samples, technique || iif(technique = 'flow', ', ' || substr(parameters, 7, instr(parameters, ' ') - 7), '')
        AS name FROM techniques WHERE frames = 18000 AND hot_permille = 900),
    able AS (SELECT b.budget, c.class, n.*, row_number() OVER (PARTITION BY b.budget, c.class ORDER BY overlap_active DESC, hot_f1_10_active DESC)
            AS line FROM budgets b JOIN named n ON n.observed_percent <= CAST(b.budget AS REAL) + 5e-5
            JOIN (SELECT column1 AS class FROM (VALUES ('told'), ('alone'), ('paper'))) c
            ON class = 'told' OR class = 'alone' AND structure = 0 OR class = 'paper' AND technique = 'gaussian'),
    best AS (SELECT budget, class, printf('%.3f (%.3f)', overlap_active, overlap_active_least) AS overlap,
        name || ' on ' || samples || iif(observed_percent < 0.9 * CAST(budget AS REAL), printf(', %g %%', round(observed_percent, 2)), '') AS what
        FROM able WHERE line = 1)
SELECT printf('| %s | %s | %s | %s | %s | %s |', b.budget, t.what, t.overlap, a.what, a.overlap, coalesce(p.overlap, ''))
FROM budgets b JOIN best t ON t.budget = b.budget AND t.class = 'told' JOIN best a ON a.budget = b.budget AND a.class = 'alone'
    LEFT JOIN best p ON p.budget = b.budget AND p.class = 'paper';

-- name: samples: three techniques on each sampling configuration
SELECT printf('| %.4f | %s | %s | %.3f | %s |', min(observed_percent), CASE WHEN sampling LIKE 'active%calls' THEN 'golden, calls' WHEN sampling LIKE 'active%golden' THEN 'golden, NMIs'
    WHEN sampling LIKE 'active%' THEN 'active transfers, stratified' WHEN sampling LIKE 'transfers%' THEN 'transfers, stratified'
    WHEN sampling LIKE '%batch=1 %' THEN 'single instructions, stratified' WHEN sampling LIKE 'instr%' THEN 'batches by instructions'
    ELSE printf('batches every %g ms%s', CAST(substr(sampling, 18) AS INTEGER) / 1000.0, iif(sampling LIKE '%weight%', ', weighted', '')) END,
    iif(max(technique = 'observed'), printf('%.3f', max(iif(technique = 'observed', overlap_active, 0))), ''), max(iif(parameters LIKE 'costs=poisson%', overlap_active, NULL)),
    iif(max(technique = 'gaussian'), printf('%.3f', max(iif(technique = 'gaussian', overlap_active, 0))), ''))
FROM techniques WHERE frames = 18000 AND hot_permille = 900 GROUP BY sampling ORDER BY round(min(observed_percent), 2), max(iif(parameters LIKE 'costs=poisson%', overlap_active, NULL));

-- name: bias
WITH s AS (SELECT *, CAST(substr(sampling, instr(sampling, 'interval_us=') + 12) AS INTEGER) AS us,
    CAST(substr(sampling, instr(sampling, 'jitter_us=') + 10) AS INTEGER) AS jitter FROM bias)
SELECT printf('| %s | %s | %.3f, %.3f to %.3f | %.3f | %.3f |', iif(sampling LIKE 'time%', printf('every %g ms', us / 1000.0)
        || iif(jitter, printf(', jitter %.0f %%', 100.0 * jitter / us), '') || iif(sampling LIKE '%weight%', ', weighted', ''),
        'by instructions, ' || substr(sampling, 26, instr(sampling, ' batch') - 26) || ' per million'), iif(sampling LIKE 'time%', printf('%.2f', us / 16639.267), ''),
    max(iif(technique = 'observed', overlap_active, 0)), max(iif(technique = 'observed', overlap_active_lowest, 0)),
    max(iif(technique = 'observed', overlap_active_highest, 0)),
    max(iif(technique = 'flow', overlap_active, 0)), max(iif(technique = 'gaussian', overlap_active, 0)))
FROM s GROUP BY sampling ORDER BY sampling LIKE 'instr%', us, jitter, sampling;

-- name: clock
SELECT printf('| %s ms | %s | %.4f | %.3f (%.3f) |', interval, taken, observed_percent, overlap_active, overlap_active_least)
FROM (SELECT *, substr(sampling, 19, instr(substr(sampling, 19), ' ') - 1) / 1000.0 AS interval,
        substr(sampling, 19 + instr(substr(sampling, 19), ' ')) AS taken
    FROM clock WHERE technique = 'flow')
ORDER BY interval, taken LIKE 'window%', length(taken), taken;

-- name: lbr
SELECT printf('| %s | %s%s | %.4f | %s | %s | %s |', taken, stack, iif(skip = '0', '', ', newest ' || skip || ' skipped'), min(observed_percent),
    max(iif(technique = 'observed', both, '')), max(iif(parameters LIKE 'costs=profi%', both, '')), max(iif(parameters LIKE 'costs=poisson%', both, '')))
FROM (SELECT *, printf('%.3f (%.3f)', overlap_active, overlap_active_least) AS both,
        iif(sampling LIKE 'lbr_taken%', 'branches, one in ' || substr(sampling, 17, instr(sampling, ' stack') - 17), 'cycles, every 30 ms') AS taken,
        substr(sampling, instr(sampling, 'stack=') + 6, instr(sampling, ' skip') - instr(sampling, 'stack=') - 6) AS stack,
        substr(sampling, instr(sampling, 'skip=') + 5, 1) AS skip
    FROM lbr)
GROUP BY sampling ORDER BY taken, CAST(stack AS INTEGER), skip;

-- name: traces
SELECT printf('| `%s` | %d | %d | %d | %.3f (%.3f) | %.2f | %.2f | %.1f | %.2f | %.2f | %.2f |', technique, threshold, round(avg(traces)),
    round(avg(trace_bytes)), avg(inside_active), min(inside_active), avg(completed), avg(first_seconds), avg(ninety_seconds),
    avg(similarity_active), avg(hot_precision_active), avg(coverage_active))
FROM traces GROUP BY technique, threshold ORDER BY technique DESC, threshold;

-- name: trace_effort
SELECT printf('`net` increments a counter at %.2f %% of the transfers, and records %.3f %% of them. It has %d counters a game',
    100.0 * sum(increments) / sum(transfers), 100.0 * sum(recorded) / sum(transfers), round(avg(counters)))
FROM traces WHERE technique = 'net' AND threshold = 50;
SELECT printf('increments at %.2f %% and has %d counters, but writes %.2f %% of the transfers',
    100.0 * sum(increments) / sum(transfers), round(avg(counters)), 100.0 * sum(recorded) / sum(transfers))
FROM traces WHERE technique = 'lei' AND threshold = 35;

-- name: packets
SELECT printf('| %s | %s | %s | %s | %.3f (%.3f) | %.1f | %.2f | %.2f | %.3f | %.1f | %.1f |', iif(buffer = '0', 'all', buffer), interval, tnt, returns,
    avg(bytes_instruction), max(bytes_instruction), avg(tnt_packets), avg(tip_packets), avg(fup_packets), avg(psb_packets), 100 * avg(lost),
    avg(instructions_byte))
FROM packets GROUP BY buffer, interval, tnt, returns ORDER BY CAST(buffer AS INTEGER), CAST(interval AS INTEGER) DESC, tnt DESC, returns;

-- name: packets_found
SELECT printf('- A whole trace has %.2f bits an instruction (%.2f to %.2f)', 8 * avg(bytes_instruction), 8 * min(bytes_instruction), 8 * max(bytes_instruction))
FROM packets WHERE buffer = '0' AND tnt = 'short' AND returns = 'compressed';
SELECT printf('whole returns make it %.2f', 8 * avg(bytes_instruction)) FROM packets WHERE returns = 'whole';

-- name: packets_kept
SELECT printf('| %s KiB every %s ms | %.1f | %.3f (%.3f) | %.3f (%.3f) |', buffer, interval, 100 * avg(lost), avg(overlap_active), min(overlap_active),
    avg(benefit), min(benefit))
FROM packets WHERE buffer > '0' GROUP BY buffer, interval ORDER BY avg(lost) DESC;
-- name: paths
SELECT printf('| `%s` | %s | %s | %s | %s | %.3f (%.3f) | %.3f (%.3f) | %.3f (%.3f) |', technique, samples,
    iif(technique = 'pep', printf('%d', round(avg(sampled_paths))), ''),
    iif(technique = 'pep', printf('%.3f (%.3f)', avg(hot_overlap), min(CAST(hot_overlap AS REAL))), ''),
    iif(technique = 'pep', printf('%.3f (%.3f)', avg(hot_matched), min(CAST(hot_matched AS REAL))), ''),
    avg(fixed), min(CAST(fixed AS REAL)), avg(edges_overlap), min(CAST(edges_overlap AS REAL)), avg(overlap_active), min(CAST(overlap_active AS REAL)))
FROM paths GROUP BY technique, samples ORDER BY technique, CAST(samples AS INTEGER);

-- name: path_effort
SELECT printf('A game has %d paths with decisions, of which %d are hot', round(avg(paths)), round(avg(hot_paths)))
FROM paths WHERE technique = 'paths';
SELECT printf('these have %.1f %% of the flow', 100 * avg(hot_share)) FROM paths WHERE technique = 'paths';
SELECT printf('determine %.0f %% of the paths'' flow (%.0f to %.0f %%)', 100 * avg(fixed), 100 * min(CAST(fixed AS REAL)), 100 * max(CAST(fixed AS REAL)))
FROM paths WHERE technique = 'paths';
SELECT printf('the hottest paths by edges have %.0f %% of the hot paths'' flow', 100 * avg(edges_matched)) FROM paths WHERE technique = 'paths';
SELECT printf('With %d samples a tick, %.1f %% of all paths are sampled', samples, 100.0 * sum(observed) / (SELECT sum(path_ends) FROM paths WHERE technique = 'paths'))
FROM paths WHERE samples = '64' GROUP BY samples;

-- name: path_knowledge
SELECT printf('| `%s` | %.1f (%.1f) | %.3f (%.3f) | %.3f (%.3f) |', technique, 100 * avg(fixed_flow * 1.0 / path_flow), 100 * min(fixed_flow * 1.0 / path_flow),
    avg(edges_overlap * 1.0 / hot_path_flow), min(edges_overlap * 1.0 / hot_path_flow),
    avg(edges_matched * 1.0 / hot_path_flow), min(edges_matched * 1.0 / hot_path_flow))
FROM path_knowledge GROUP BY technique ORDER BY avg(edges_overlap * 1.0 / hot_path_flow) DESC;

-- name: path_knowledge_said
SELECT printf('The best that samples do is %.0f %% of the flow (`flow`), %.0f %% without repair (`observed`), of the %.0f %% that exact counts of edges fix',
    max(iif(technique = 'flow', fixed, 0)), max(iif(technique = 'observed', fixed, 0)), max(iif(technique = 'exact', fixed, 0)))
FROM (SELECT technique, 100 * avg(fixed_flow * 1.0 / path_flow) AS fixed FROM path_knowledge GROUP BY technique);
SELECT printf('Hot paths are found by nearly all profiles with counts: at least %.0f %% of their flow', 100 * min(matched))
FROM (SELECT avg(edges_matched * 1.0 / hot_path_flow) AS matched FROM path_knowledge WHERE technique IN ('exact', 'fifo', 'bursts 101', 'bursts 1009', 'flow', 'pep', 'observed') GROUP BY technique);
SELECT printf('Sets fix next to nothing: at most %.1f %%', 100 * max(fixed))
FROM (SELECT avg(fixed_flow * 1.0 / path_flow) AS fixed FROM path_knowledge WHERE technique IN ('net', 'lei', 'decay', 'entries') GROUP BY technique);
