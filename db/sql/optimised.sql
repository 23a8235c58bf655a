-- What BOLT made of profiles: taken branches and jumps of each new program, counted exactly.

-- One row for each layout. benefit_measured: 0 for the program as it was built and 1 for the layout by
-- the exact profile; NULL if that one saves nothing. benefit_predicted: the same of the layout that the
-- graph alone gives (see `worth`). ..._saved: share of what the program executes as it was built.
CREATE VIEW optimised AS
SELECT p.name AS program, l.kind, l.technique, l.sampling, l.inferred,
    1.0 * l.observed / p.instructions AS observed_share,
    l.predicted AS benefit_predicted,
    1.0 * (o.taken + o.jumps - l.taken - l.jumps) / nullif(max(o.taken + o.jumps - x.taken - x.jumps, 0), 0)
        AS benefit_measured,
    l.overlap, l.taken, l.jumps, 1 - 1.0 * (l.taken + l.jumps) / (o.taken + o.jumps) AS taken_saved,
    l.instructions, 1 - 1.0 * l.instructions / o.instructions AS instructions_saved, l.bytes, l.i1_misses,
    l.lines, l.stale, p.bolt, p.bolt_program_id
FROM bolt_layout l JOIN bolt_program p USING (bolt_program_id)
    LEFT JOIN bolt_layout o ON o.bolt_program_id = l.bolt_program_id AND o.kind = 'original'
    LEFT JOIN bolt_layout x ON x.bolt_program_id = l.bolt_program_id AND x.kind = 'exact'
ORDER BY p.name, p.bolt_program_id, l.kind, l.technique, l.inferred, l.sampling;

-- Means over the programs, for each technique and sampling. distance: mean of |predicted - measured|.
CREATE VIEW technique_optimised AS
SELECT kind, technique, sampling, inferred, count(DISTINCT program) AS programs,
    avg(observed_share) AS observed_share, avg(overlap) AS overlap,
    avg(benefit_predicted) AS benefit_predicted, avg(benefit_measured) AS benefit_measured,
    min(benefit_measured) AS benefit_least, avg(abs(benefit_predicted - benefit_measured)) AS distance,
    avg(taken_saved) AS taken_saved, avg(instructions_saved) AS instructions_saved
FROM optimised GROUP BY kind, technique, sampling, inferred
ORDER BY kind, technique, inferred, observed_share;
