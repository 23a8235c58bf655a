-- What docs/optimised.csv holds, asked of a database of configs/optimise.cfg (`make optimise`): one row for each layout by BOLT. Misses of
-- the instruction cache are left out: they depend on the host's processor.
SELECT program, kind,
    CASE WHEN technique LIKE 'flow %' THEN 'flow, ' || substr(technique, 12, instr(substr(technique, 12), ' ') - 1)
        WHEN technique LIKE 'gaussian %' THEN 'GFCGaussiano 45' ELSE technique END AS technique,
    sampling, inferred, round(100 * observed_share, 4) AS observed_percent,
    round(benefit_predicted, 4) AS predicted, round(benefit_measured, 4) AS measured, round(overlap, 4) AS overlap,
    taken, jumps, instructions, bytes, stale
FROM optimised ORDER BY program, kind, technique, inferred, observed_percent DESC, sampling;
