-- How certain are results over several games? Intervals of means, and tests whether games rank
-- configurations alike at all. A game counts once, with the mean of its replicates (game_quality).
-- docs/questions.md defines both.

-- Means over games with 95 % intervals: mean -+ t * s / sqrt(games), where s is the standard
-- deviation between games and t Student's quantile for games - 1 (or the next lower listed one),
-- cut at 0 and 100. gain is what a configuration finds beyond the baseline on the same game. Of the
-- grid, configurations that compete; the baseline (number is NULL) is over all games that it has.
CREATE VIEW quality_interval AS
WITH student(freedom, t) AS (VALUES (1, 12.706205), (2, 4.302653), (3, 3.182446), (4, 2.776445),
    (5, 2.570582), (6, 2.446912), (7, 2.364624), (8, 2.306004), (9, 2.262157), (10, 2.228139),
    (11, 2.200985), (12, 2.178813), (13, 2.160369), (14, 2.144787), (15, 2.131450), (16, 2.119905),
    (17, 2.109816), (18, 2.100922), (19, 2.093024), (20, 2.085963), (21, 2.079614), (22, 2.073873),
    (23, 2.068658), (24, 2.063899), (25, 2.059539), (26, 2.055529), (27, 2.051831), (28, 2.048407),
    (29, 2.045230), (30, 2.042272), (40, 2.021075), (60, 2.000298), (120, 1.979930)),
rival AS MATERIALIZED (SELECT experiment_id, hot_permille, way, technique, configuration_id
    FROM contender WHERE competes),
base AS MATERIALIZED (SELECT experiment_id, hot_permille, way, scope, game, quality
    FROM game_quality WHERE baseline = 1),
pair AS (SELECT g.experiment, g.hot_permille, g.way, g.technique, g.scope, g.number, g.baseline,
        g.quality, g.quality - b.quality AS gain, avg(g.quality) OVER own AS mean,
        avg(g.quality - b.quality) OVER own AS mean_gain, g.experiment_id, g.configuration_id
    FROM game_quality g
        LEFT JOIN base b ON b.experiment_id = g.experiment_id AND b.hot_permille = g.hot_permille
            AND b.way = g.way AND b.scope = g.scope AND b.game = g.game
    WHERE g.number IS NULL OR (g.experiment_id, g.hot_permille, g.way, g.technique,
        g.configuration_id) IN (SELECT * FROM rival)
    WINDOW own AS (PARTITION BY g.experiment_id, g.hot_permille, g.way, g.scope, g.configuration_id)),
spread AS (SELECT experiment, hot_permille, way, technique, scope, number, baseline,
        count(*) AS games, count(gain) AS pairs, max(mean) AS mean, max(mean_gain) AS gain,
        sqrt(sum((quality - mean) * (quality - mean)) / nullif(count(*) - 1, 0)) AS deviation,
        sqrt(sum((gain - mean_gain) * (gain - mean_gain)) / nullif(count(gain) - 1, 0))
            AS gain_deviation, experiment_id, configuration_id
    FROM pair GROUP BY experiment_id, hot_permille, way, scope, configuration_id)
SELECT s.experiment, s.hot_permille, s.way, s.technique, s.scope, s.number, s.baseline, s.games,
    round(100 * s.mean, 2) AS mean_percent,
    round(100 * max(0.0, s.mean - a.t * s.deviation / sqrt(s.games)), 2) AS low_percent,
    round(100 * min(1.0, s.mean + a.t * s.deviation / sqrt(s.games)), 2) AS high_percent,
    iif(s.number IS NULL, NULL, round(100 * s.gain, 2)) AS gain_points,
    iif(s.number IS NULL, NULL, round(100 * (s.gain - b.t * s.gain_deviation / sqrt(s.pairs)), 2))
        AS gain_low, iif(s.number IS NULL, NULL,
        round(100 * (s.gain + b.t * s.gain_deviation / sqrt(s.pairs)), 2)) AS gain_high,
    s.experiment_id, s.configuration_id
FROM spread s
    LEFT JOIN student a ON a.freedom = (SELECT max(freedom) FROM student WHERE freedom < s.games)
    LEFT JOIN student b ON b.freedom = (SELECT max(freedom) FROM student WHERE freedom < s.pairs)
ORDER BY s.experiment, s.hot_permille, s.way, s.scope DESC, s.number NULLS FIRST;

-- Ranks of a few configurations on each game: 1 for the one that finds most; equal ones get the
-- mean of their ranks. These are the baseline and the labelled configurations, and in a grid of at
-- most twelve configurations all of them; so the experiment's file selects them, not their results.
-- Only games on which all of them have results count.
CREATE VIEW game_rank AS
WITH few AS (SELECT experiment_id, configuration_id, label
    FROM experiment_configuration
        JOIN (SELECT experiment_id, count(number) AS size FROM experiment_configuration
            GROUP BY experiment_id) USING (experiment_id)
    WHERE baseline = 1 OR label IS NOT NULL OR number IS NOT NULL AND size <= 12),
y AS MATERIALIZED (SELECT q.experiment, q.hot_permille, q.way, q.scope, q.game, q.technique,
        q.number, q.baseline, f.label, round(q.quality, 12) AS quality, q.experiment_id,
        q.configuration_id, count(*) OVER (PARTITION BY q.experiment_id, q.hot_permille, q.way,
            q.scope, q.game) AS treatments
    FROM game_quality q JOIN few f USING (experiment_id, configuration_id)),
whole AS (SELECT experiment_id, hot_permille, way, scope,
        count(DISTINCT configuration_id) AS treatments
    FROM y GROUP BY experiment_id, hot_permille, way, scope)
SELECT y.*, rank() OVER best + (count(*) OVER equals - 1) / 2.0 AS rank,
    count(*) OVER equals AS shared
FROM y JOIN whole USING (experiment_id, hot_permille, way, scope, treatments)
WINDOW best AS (PARTITION BY y.experiment_id, y.hot_permille, y.way, y.scope, y.game
        ORDER BY y.quality DESC),
    equals AS (PARTITION BY y.experiment_id, y.hot_permille, y.way, y.scope, y.game, y.quality);

CREATE VIEW mean_rank AS
SELECT r.experiment, r.hot_permille, r.way, r.scope, r.technique,
    substr(c.key, length(c.technique) + 2) AS parameters, r.number, r.baseline, r.label,
    count(*) AS games, r.treatments, avg(r.rank) AS mean_rank, r.experiment_id, r.configuration_id
FROM game_rank r JOIN configuration c USING (configuration_id)
GROUP BY r.experiment_id, r.hot_permille, r.way, r.scope, r.configuration_id
ORDER BY r.experiment, r.hot_permille, r.way, r.scope DESC, mean_rank, r.number;

-- Friedman's test (1937) of these ranks, corrected for ties. chi_square has treatments - 1 degrees
-- of freedom if games have no common order, and is NULL if all are equal everywhere. Two treatments
-- whose mean ranks differ by less than critical_difference cannot be distinguished at 5 % (Nemenyi
-- 1963; Demsar 2006): q * sqrt(k (k + 1) / (6 N)), for up to 20.
CREATE VIEW friedman AS
WITH nemenyi(treatments, q) AS (VALUES (2, 1.960), (3, 2.344), (4, 2.569), (5, 2.728), (6, 2.850),
    (7, 2.948), (8, 3.031), (9, 3.102), (10, 3.164), (11, 3.219), (12, 3.268), (13, 3.313),
    (14, 3.354), (15, 3.391), (16, 3.426), (17, 3.458), (18, 3.489), (19, 3.517), (20, 3.544)),
r AS (SELECT experiment, experiment_id, hot_permille, way, scope, treatments AS k,
        count(DISTINCT game) AS n, sum(shared * shared - 1) AS ties
    FROM game_rank GROUP BY experiment_id, hot_permille, way, scope),
s AS (SELECT experiment_id, hot_permille, way, scope,
        sum((mean_rank - (treatments + 1) / 2.0) * (mean_rank - (treatments + 1) / 2.0)) AS spread
    FROM mean_rank GROUP BY experiment_id, hot_permille, way, scope)
SELECT r.experiment, r.hot_permille, r.way, r.scope, r.n AS games, r.k AS treatments,
    12.0 * r.n / (r.k * (r.k + 1)) * s.spread
        / nullif(1 - 1.0 * r.ties / (r.n * r.k * (r.k * r.k - 1)), 0) AS chi_square,
    q.q * sqrt(r.k * (r.k + 1) / (6.0 * r.n)) AS critical_difference, r.experiment_id
FROM r JOIN s USING (experiment_id, hot_permille, way, scope)
    LEFT JOIN nemenyi q ON q.treatments = r.k
WHERE r.k > 1
ORDER BY r.experiment, r.hot_permille, r.way, r.scope DESC;
