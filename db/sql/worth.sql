-- The benefit of results for code layout (core/graph/layout/layout.h, docs/metrics.md): 0 for the
-- code as it is and 1 for the layout by the exact graph. ..._inferred: the same if a block that
-- ends without a transfer passes its inflow on to the next one.

-- One row for each result; falls_give is what inferring adds. fall_share_original and
-- fall_share_best are those of the code as it is and of the layout by the exact graph.
CREATE VIEW worth AS
SELECT q.experiment, q.game, q.variant, q.way AS sampling, q.number, q.baseline, q.technique, q.parameters,
    coalesce(r.structure, 0) AS structure, 1.0 * r.observed / p.instructions AS observed_share,
    r.benefit, r.benefit_inferred, r.benefit_inferred - r.benefit AS falls_give,
    r.fall_share, r.fall_share_inferred, p.fall_share_original, p.fall_share_best,
    r.hot_bytes, r.hot_bytes_inferred, r.successor, r.successor_inferred, r.lost, r.placed,
    q.similarity_active, q.fair_overlap_active AS overlap_active, p.kind, p.frames,
    q.experiment_id, q.stream_id, q.configuration_id, q.replay_id, s.sampling_id
FROM results q
    JOIN result r ON r.stream_id = q.stream_id AND r.configuration_id = q.configuration_id
    JOIN stream s ON s.stream_id = q.stream_id
    JOIN replay p ON p.replay_id = q.replay_id
WHERE r.placed IS NOT NULL AND q.hot_permille =
    (SELECT min(hot_permille) FROM experiment_hot h WHERE h.experiment_id = q.experiment_id);

-- A technique with its parameters on one way of sampling: means over the games (and replicates)
-- that were played for the same number of frames, each counted once in however many experiments it
-- is, and the least of them.
CREATE VIEW technique_worth AS
SELECT kind, frames, sampling, technique, parameters, structure,
    count(DISTINCT replay_id) AS games, count(*) AS streams,
    avg(observed_share) AS observed_share,
    avg(benefit) AS benefit, min(benefit) AS benefit_least,
    avg(benefit_inferred) AS benefit_inferred, min(benefit_inferred) AS benefit_inferred_least,
    avg(falls_give) AS falls_give, avg(fall_share) AS fall_share,
    avg(fall_share_inferred) AS fall_share_inferred,
    avg(fall_share_original) AS fall_share_original, avg(fall_share_best) AS fall_share_best,
    avg(hot_bytes) AS hot_bytes, avg(successor) AS successor,
    avg(successor_inferred) AS successor_inferred, avg(lost) AS lost,
    avg(overlap_active) AS overlap_active, configuration_id
FROM (SELECT * FROM worth GROUP BY stream_id, configuration_id)
GROUP BY kind, frames, sampling, configuration_id, structure
ORDER BY kind, frames, sampling, technique, configuration_id;

-- The configurations of a grid by their mean benefit over the games, beside the observed baseline's on
-- the same streams. Means have 12 places, on which the order does not show in which they are added.
CREATE VIEW grid_worth AS
SELECT g.experiment, g.sampling,
    rank() OVER (PARTITION BY g.experiment_id, g.sampling ORDER BY g.benefit DESC NULLS LAST) AS place,
    g.number, g.technique, g.parameters, g.games, g.benefit, g.benefit_least, g.benefit_inferred,
    g.benefit_inferred_least, g.overlap_active, b.benefit AS baseline_benefit,
    b.benefit_inferred AS baseline_benefit_inferred, g.configuration_id
FROM (SELECT experiment_id, min(experiment) AS experiment, sampling, number, technique, parameters,
        count(DISTINCT game) AS games, round(avg(benefit), 12) AS benefit,
        min(benefit) AS benefit_least, round(avg(benefit_inferred), 12) AS benefit_inferred,
        min(benefit_inferred) AS benefit_inferred_least, round(avg(overlap_active), 12) AS overlap_active,
        configuration_id
    FROM worth WHERE number IS NOT NULL GROUP BY experiment_id, sampling, configuration_id) g
    LEFT JOIN (SELECT experiment_id, sampling, round(avg(benefit), 12) AS benefit,
        round(avg(benefit_inferred), 12) AS benefit_inferred
    FROM worth WHERE baseline = 1 GROUP BY experiment_id, sampling) b USING (experiment_id, sampling)
ORDER BY g.experiment, g.sampling, place, g.number;
