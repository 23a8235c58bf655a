-- Answers that the results give together; docs/questions.md has the questions. Everything comes in
-- two scopes, 'whole' and 'active', as separate rows. Streams of one game that are sampled in the
-- same way are its replicates. The observed baseline's results stand beside the grid's.

-- The similarity of every configuration and of the baseline (number is NULL) on every stream.
CREATE VIEW stream_quality AS
SELECT x.name AS experiment, q.hot_permille, w.way, c.technique, g.name AS game, xs.variant,
    o.scope, xc.number, xc.baseline, iif(o.scope = 'whole', q.similarity, q.similarity_active) AS quality,
    x.experiment_id, xs.stream_id, xc.configuration_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN sampling_way w ON w.sampling_id = s.sampling_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN result r ON r.stream_id = xs.stream_id AND r.configuration_id = c.configuration_id
    JOIN experiment_hot xh ON xh.experiment_id = x.experiment_id
    JOIN quality q ON q.stream_id = xs.stream_id AND q.configuration_id = c.configuration_id
        AND q.part = 'first' AND q.batches = s.batches AND q.hot_permille = xh.hot_permille
    JOIN (SELECT column1 AS scope FROM (VALUES ('whole'), ('active'))) o
WHERE iif(o.scope = 'whole', q.similarity, q.similarity_active) IS NOT NULL;

-- The same for each game: the mean of its replicates, and their range.
CREATE VIEW game_quality AS
SELECT experiment, hot_permille, way, technique, game, scope, number, baseline,
    avg(quality) AS quality, count(*) AS replicates, min(quality) AS least, max(quality) AS most,
    experiment_id, configuration_id
FROM stream_quality
GROUP BY experiment_id, hot_permille, way, game, scope, configuration_id;

-- The quality of the observed baseline beside each technique of the grid: the mean over the games
-- on which the technique has results, and the range over all their streams.
CREATE VIEW baseline_quality AS
SELECT b.experiment_id, b.hot_permille, b.way, t.technique, b.scope, avg(b.quality) AS quality,
    min(b.least) AS least, max(b.most) AS most, count(*) AS games
FROM game_quality b
    JOIN (SELECT DISTINCT experiment_id, hot_permille, way, technique, game, scope
        FROM game_quality WHERE number IS NOT NULL) t
        USING (experiment_id, hot_permille, way, game, scope)
WHERE b.baseline = 1
GROUP BY b.experiment_id, b.hot_permille, b.way, t.technique, b.scope;

-- The parameters of one technique that have several values in a grid, and their value in each
-- configuration.
CREATE VIEW grid_factor AS
WITH value AS MATERIALIZED (SELECT xc.experiment_id, c.technique, v.name, v.value,
        c.configuration_id
    FROM experiment_configuration xc
        JOIN configuration c USING (configuration_id)
        JOIN configuration_value v USING (configuration_id)
    WHERE xc.number IS NOT NULL)
SELECT experiment_id, technique, name AS factor, value, configuration_id
FROM value
    JOIN (SELECT experiment_id, technique, name FROM value
        GROUP BY experiment_id, technique, name HAVING count(DISTINCT value) > 1)
        USING (experiment_id, technique, name);

-- Each pair of parameters of the configurations that compete, in both directions. balanced is 1 if
-- their values are combined in proportion: of N configurations, a with one value and b with the
-- other, a * b / N have both. Then neither parameter predicts the other.
CREATE VIEW grid_pair AS
WITH level AS MATERIALIZED (SELECT c.experiment_id, c.hot_permille, c.way, c.technique, f.factor,
        f.value, c.configuration_id
    FROM contender c JOIN grid_factor f USING (experiment_id, technique, configuration_id)
    WHERE c.competes),
alone AS MATERIALIZED (SELECT experiment_id, hot_permille, way, technique, factor, value,
        count(*) AS size, sum(count(*)) OVER w AS of, count(*) OVER w AS levels
    FROM level GROUP BY experiment_id, hot_permille, way, technique, factor, value
    WINDOW w AS (PARTITION BY experiment_id, hot_permille, way, technique, factor)),
cell AS (SELECT a.experiment_id, a.hot_permille, a.way, a.technique, a.factor, b.factor AS other,
        a.value, b.value AS other_value, count(*) AS size
    FROM level a JOIN level b ON b.experiment_id = a.experiment_id
        AND b.hot_permille = a.hot_permille AND b.way = a.way AND b.technique = a.technique
        AND b.configuration_id = a.configuration_id AND b.factor <> a.factor
    GROUP BY a.experiment_id, a.hot_permille, a.way, a.technique, a.factor, b.factor, a.value,
        b.value)
SELECT c.experiment_id, c.hot_permille, c.way, c.technique, c.factor, c.other,
    min(c.size * a.of = a.size * b.size) AND count(*) = min(a.levels) * min(b.levels) AS balanced
FROM cell c
    JOIN alone a ON a.experiment_id = c.experiment_id AND a.hot_permille = c.hot_permille
        AND a.way = c.way AND a.technique = c.technique AND a.factor = c.factor
        AND a.value = c.value
    JOIN alone b ON b.experiment_id = c.experiment_id AND b.hot_permille = c.hot_permille
        AND b.way = c.way AND b.technique = c.technique AND b.factor = c.other
        AND b.value = c.other_value
GROUP BY c.experiment_id, c.hot_permille, c.way, c.technique, c.factor, c.other;

-- Analysis of variance over the configurations that compete: the share of the sum of squares that
-- the means of each factor's values explain, and what each two factors explain together beyond that
-- (factor and other; other is NULL for a single factor). One analysis for each stream (with game
-- and variant), and one over the means of all games, in which the game is a factor, too. The joint
-- share of two factors is defined if their values are combined in proportion (grid_pair), and NULL
-- otherwise, as with `zip` and `exclude`. complete is 1 for such a pair, and for a factor that is
-- so combined with all others: its share then adds to theirs. If complete is 0, the share is that
-- of the factor alone, and overlaps with that of others.
CREATE VIEW variance_term AS
WITH unbalanced AS MATERIALIZED (SELECT experiment_id, hot_permille, way, technique, factor, other
    FROM grid_pair WHERE NOT balanced),
y AS MATERIALIZED (
    SELECT row_number() OVER () AS id,
        dense_rank() OVER (ORDER BY experiment_id, hot_permille, way, technique, scope, game, variant)
            AS study, *
    FROM (SELECT experiment_id, hot_permille, way, technique, scope, game, variant, quality,
            NULL AS block, configuration_id
        FROM stream_quality WHERE number IS NOT NULL
        UNION ALL
        SELECT experiment_id, hot_permille, way, technique, scope, NULL, NULL, quality, game,
            configuration_id
        FROM game_quality WHERE number IS NOT NULL)
        CROSS JOIN (SELECT experiment_id, hot_permille, way, technique, configuration_id
            FROM contender WHERE competes) USING (experiment_id, hot_permille, way, technique, configuration_id)),
study AS MATERIALIZED (
    SELECT study, experiment_id, hot_permille, way, technique, scope, game, variant,
        avg(quality) AS mean
    FROM y GROUP BY study),
-- About the mean, which keeps rounding errors small.
about AS MATERIALIZED (SELECT y.id, y.study, y.block, y.configuration_id, y.experiment_id,
        y.technique, y.quality - s.mean AS off
    FROM y JOIN study s USING (study)),
whole AS MATERIALIZED (SELECT study, sum(off * off) AS variation FROM about GROUP BY study),
level AS MATERIALIZED (
    SELECT y.id, y.study, f.factor, f.value, y.off
    FROM about y JOIN grid_factor f USING (experiment_id, technique, configuration_id)
    UNION ALL
    SELECT y.id, y.study, 'game', y.block, y.off FROM about y
    WHERE study IN (SELECT study FROM about GROUP BY study HAVING count(DISTINCT block) > 1)),
alone AS MATERIALIZED (
    SELECT study, factor, sum(total * total / size) AS explained
    FROM (SELECT study, factor, sum(off) AS total, count(*) AS size FROM level
        GROUP BY study, factor, value)
    GROUP BY study, factor),
pair AS MATERIALIZED (
    SELECT study, factor, other, sum(total * total / size) AS explained
    FROM (SELECT a.study, a.factor, b.factor AS other, sum(a.off) AS total, count(*) AS size
        FROM level a JOIN level b ON b.id = a.id
            AND (b.factor = 'game', b.factor) > (a.factor = 'game', a.factor)
        GROUP BY a.study, a.factor, b.factor, a.value, b.value)
    GROUP BY study, factor, other)
SELECT x.name AS experiment, s.hot_permille, s.way, s.technique, s.scope, s.game, s.variant,
    t.factor, t.other, iif(t.complete OR t.other IS NULL, t.explained, NULL) AS explained,
    w.variation,
    iif(t.complete OR t.other IS NULL, t.explained / nullif(w.variation, 0), NULL) AS share,
    t.complete, s.mean, s.experiment_id
FROM (SELECT a.study, a.factor, NULL AS other, a.explained,
        NOT EXISTS (SELECT 1 FROM study s JOIN unbalanced p USING (experiment_id, hot_permille, way,
                technique)
            WHERE s.study = a.study AND p.factor = a.factor) AS complete
    FROM alone a
    UNION ALL
    SELECT p.study, p.factor, p.other, p.explained - a.explained - b.explained,
        NOT EXISTS (SELECT 1 FROM study s JOIN unbalanced g USING (experiment_id, hot_permille, way,
                technique)
            WHERE s.study = p.study AND g.factor = p.factor AND g.other = p.other)
    FROM pair p
        JOIN alone a ON a.study = p.study AND a.factor = p.factor
        JOIN alone b ON b.study = p.study AND b.factor = p.other) t
    JOIN study s USING (study)
    JOIN whole w USING (study)
    JOIN experiment x USING (experiment_id);

-- Which parameters matter, which only in combination, and which depend on the game. percent is the
-- share of all variation, percent_within_games that of the variation left after each game's mean is
-- subtracted; least and most are its range over single streams.
CREATE VIEW variance_share AS
WITH term AS MATERIALIZED (SELECT * FROM variance_term)
SELECT t.experiment, t.hot_permille, t.way, t.technique, t.scope, t.factor, t.other,
    round(100 * t.share, 2) AS percent,
    iif(t.factor = 'game' AND t.other IS NULL, NULL,
        round(100 * t.explained / nullif(t.variation - coalesce(g.explained, 0), 0), 2))
        AS percent_within_games,
    round(100 * r.least, 2) AS least_percent, round(100 * r.most, 2) AS most_percent, r.streams,
    t.complete, round(100 * t.mean, 2) AS mean_percent,
    round(100 * b.quality, 2) AS baseline_mean_percent, t.experiment_id
FROM term t
    LEFT JOIN term g ON g.experiment_id = t.experiment_id AND g.hot_permille = t.hot_permille
        AND g.way = t.way AND g.technique = t.technique AND g.scope = t.scope AND g.game IS NULL
        AND g.factor = 'game' AND g.other IS NULL
    LEFT JOIN (SELECT experiment_id, hot_permille, way, technique, scope, factor, other,
            min(share) AS least, max(share) AS most, count(*) AS streams
        FROM term WHERE game IS NOT NULL
        GROUP BY experiment_id, hot_permille, way, technique, scope, factor, other) r
        ON r.experiment_id = t.experiment_id AND r.hot_permille = t.hot_permille
        AND r.way = t.way AND r.technique = t.technique AND r.scope = t.scope
        AND r.factor = t.factor AND r.other IS t.other
    LEFT JOIN baseline_quality b ON b.experiment_id = t.experiment_id
        AND b.hot_permille = t.hot_permille AND b.way = t.way AND b.technique = t.technique
        AND b.scope = t.scope
WHERE t.game IS NULL
ORDER BY t.experiment, t.hot_permille, t.way, t.technique, t.scope DESC, t.share DESC;

-- Do games agree on which configurations are better? Kendall's tau-b (1945) over all pairs of the
-- grid's configurations: 1 if both games have the same order, 0 if the orders are unrelated, -1 if
-- they are opposite. Pairs that are equal in a game count in neither direction, and its denominator
-- leaves them out. One row for each technique and two games: the mean over replicates with the same
-- variant in both, and their range. The number of pairs grows with the square, so of more than 500
-- configurations only each second, third, ... is compared, at most 500.
CREATE VIEW rank_agreement AS
WITH chosen AS MATERIALIZED (
    SELECT experiment_id, configuration_id FROM (
        SELECT experiment_id, configuration_id,
            row_number() OVER (PARTITION BY experiment_id, technique ORDER BY number) - 1 AS place,
            (count(*) OVER (PARTITION BY experiment_id, technique) + 499) / 500 AS step
        FROM experiment_configuration JOIN configuration USING (configuration_id)
        WHERE number IS NOT NULL)
    WHERE place % step = 0),
y AS MATERIALIZED (
    SELECT q.experiment_id, q.hot_permille, q.way, q.technique, q.scope, q.variant, q.game,
        dense_rank() OVER (ORDER BY q.experiment_id, q.hot_permille, q.way, q.technique, q.scope,
            q.variant) AS study,
        q.configuration_id, q.quality
    FROM stream_quality q JOIN chosen USING (experiment_id, configuration_id)),
-- Each two games, and the result of each configuration on both.
both AS MATERIALIZED (
    SELECT dense_rank() OVER (ORDER BY a.study, a.game, b.game) AS games, row_number() OVER () AS id,
        a.study, a.game, b.game AS other, a.quality AS x, b.quality AS y
    FROM y a JOIN y b USING (study, configuration_id) WHERE b.game > a.game),
-- The number of these pairs that differ in each of the two games: all except those within groups of
-- equals. Configurations with results on only one of the games form no pairs.
differing AS MATERIALIZED (
    SELECT games, sum(size) * (sum(size) - 1) / 2 - sum(size * (size - 1) / 2) AS pairs
    FROM (SELECT games, count(*) AS size FROM both GROUP BY games, x) GROUP BY games),
differing_other AS MATERIALIZED (
    SELECT games, sum(size) * (sum(size) - 1) / 2 - sum(size * (size - 1) / 2) AS pairs
    FROM (SELECT games, count(*) AS size FROM both GROUP BY games, y) GROUP BY games),
-- Pairs that differ in the same direction in both games, less those that differ in opposite
-- directions.
agreeing AS MATERIALIZED (
    SELECT a.games, a.study, a.game, a.other, sum(sign((a.x - b.x) * (a.y - b.y))) AS pairs
    FROM both a JOIN both b ON b.games = a.games AND b.id > a.id
    GROUP BY a.games)
SELECT x.name AS experiment, s.hot_permille, s.way, s.technique, s.scope, g.game, g.other,
    avg(g.pairs / nullif(sqrt(1.0 * a.pairs * b.pairs), 0)) AS tau,
    min(g.pairs / nullif(sqrt(1.0 * a.pairs * b.pairs), 0)) AS least,
    max(g.pairs / nullif(sqrt(1.0 * a.pairs * b.pairs), 0)) AS most,
    count(*) AS replicates, s.experiment_id
FROM agreeing g
    JOIN differing a ON a.games = g.games
    JOIN differing_other b ON b.games = g.games
    JOIN (SELECT DISTINCT study, experiment_id, hot_permille, way, technique, scope FROM y) s
        ON s.study = g.study
    JOIN experiment x USING (experiment_id)
GROUP BY s.experiment_id, s.hot_permille, s.way, s.technique, s.scope, g.game, g.other
ORDER BY x.name, s.hot_permille, s.way, s.technique, s.scope DESC, g.game, g.other;

-- Which configuration of each technique is best on average, and is it also best for a game that was
-- not used to choose it? If left_out is NULL: the best by the means of all games. Else the best by
-- the means of the other games (mean_percent), and its result on the game left out: percent, with
-- the range of its replicates, its rank there, and the results of the best one there and of the
-- baseline. shared is the number of configurations with that mean; the one with the lowest number
-- is shown. Only configurations that compete take part.
CREATE VIEW left_out AS
WITH whole AS MATERIALIZED (
    SELECT *, sum(quality) OVER own AS total, count(*) OVER own AS games,
        rank() OVER (PARTITION BY experiment_id, hot_permille, way, technique, scope, game
            ORDER BY quality DESC) AS place,
        max(quality) OVER (PARTITION BY experiment_id, hot_permille, way, technique, scope, game)
            AS best
    FROM game_quality CROSS JOIN (SELECT experiment_id, hot_permille, way, technique, configuration_id
            FROM contender WHERE competes)
        USING (experiment_id, hot_permille, way, technique, configuration_id)
    WINDOW own AS (PARTITION BY experiment_id, hot_permille, way, technique, scope,
        configuration_id)),
candidate AS (
    SELECT experiment_id, hot_permille, way, technique, scope, game AS left_out, configuration_id, number,
        games - 1 AS games, round((total - quality) / (games - 1), 12) AS mean, quality, least, most,
        place, best
    FROM whole WHERE games > 1
    UNION ALL
    SELECT experiment_id, hot_permille, way, technique, scope, NULL, configuration_id, number, games,
        round(avg(quality), 12), NULL, NULL, NULL, NULL, NULL
    FROM whole GROUP BY experiment_id, hot_permille, way, technique, scope, configuration_id),
winner AS MATERIALIZED (
    SELECT *, count(*) OVER (PARTITION BY experiment_id, hot_permille, way, technique, scope,
            left_out, mean) AS shared,
        row_number() OVER (PARTITION BY experiment_id, hot_permille, way, technique, scope, left_out
            ORDER BY mean DESC, number) AS position
    FROM candidate)
SELECT x.name AS experiment, w.hot_permille, w.way, w.scope, w.left_out, w.number, c.technique,
    substr(c.key, length(c.technique) + 2) AS parameters, w.shared, w.games,
    round(100 * w.mean, 2) AS mean_percent, round(100 * w.quality, 2) AS percent,
    round(100 * w.least, 2) AS least_percent, round(100 * w.most, 2) AS most_percent, w.place,
    round(100 * w.best, 2) AS best_percent,
    round(100 * coalesce(b.quality, m.quality), 2) AS baseline_percent,
    w.experiment_id, w.configuration_id
FROM winner w
    JOIN experiment x USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    LEFT JOIN game_quality b ON b.baseline = 1 AND b.experiment_id = w.experiment_id
        AND b.hot_permille = w.hot_permille AND b.way = w.way AND b.scope = w.scope
        AND b.game = w.left_out
    LEFT JOIN baseline_quality m ON w.left_out IS NULL AND m.experiment_id = w.experiment_id
        AND m.hot_permille = w.hot_permille AND m.way = w.way AND m.technique = w.technique
        AND m.scope = w.scope
WHERE w.position = 1
ORDER BY x.name, w.hot_permille, w.way, w.technique, w.scope DESC, w.left_out NULLS FIRST;

-- Results of the baseline and the labelled configurations after each mark, for each game, as the
-- mean of its replicates. The stream's end counts as one more mark, `ends`.
CREATE VIEW curve_point AS
SELECT x.name AS experiment, q.hot_permille, w.way, c.technique, g.name AS game, o.scope, xc.label,
    xc.number, xc.baseline, q.batches = s.batches AS ends, max(q.batches) AS batches,
    avg(iif(o.scope = 'whole', q.similarity, q.similarity_active)) AS quality,
    min(iif(o.scope = 'whole', q.similarity, q.similarity_active)) AS least,
    max(iif(o.scope = 'whole', q.similarity, q.similarity_active)) AS most,
    count(*) AS replicates, x.experiment_id, xc.configuration_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN sampling_way w ON w.sampling_id = s.sampling_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN experiment_hot xh ON xh.experiment_id = x.experiment_id
    JOIN quality q ON q.stream_id = xs.stream_id AND q.configuration_id = xc.configuration_id
        AND q.part = iif(q.batches < s.batches AND EXISTS (SELECT 1 FROM replay p
            WHERE p.replay_id = s.replay_id AND p.kind = 'program'), 'strata', 'first')
        AND q.hot_permille = xh.hot_permille
    JOIN (SELECT column1 AS scope FROM (VALUES ('whole'), ('active'))) o
WHERE xc.label IS NOT NULL AND (q.batches = s.batches OR EXISTS (SELECT 1 FROM experiment_mark m
        WHERE m.experiment_id = x.experiment_id AND m.batches = q.batches))
    AND iif(o.scope = 'whole', q.similarity, q.similarity_active) IS NOT NULL
GROUP BY x.experiment_id, q.hot_permille, w.way, o.scope, g.game_id, xc.configuration_id, ends,
    iif(q.batches = s.batches, 0, q.batches);

-- After how many batches is a share of the hot graph found and, up to the end of the curve, not
-- lost again? The first such mark; NULL if there is none. One row for each game, and one with game
-- NULL for the mean over all games at the marks common to all (none if a configuration lacks a game
-- that others have). least_batches and most_batches answer the same for the best and for the worst
-- replicate (or, over games, game).
CREATE VIEW budget_to_reach AS
WITH point AS MATERIALIZED (
    SELECT experiment_id, hot_permille, way, scope, game, configuration_id, ends, batches, quality,
        least, most
    FROM curve_point
    UNION ALL
    SELECT experiment_id, hot_permille, way, scope, NULL, configuration_id, ends, max(batches),
        avg(quality), min(least), max(most)
    FROM curve_point p
    GROUP BY experiment_id, hot_permille, way, scope, configuration_id, ends, iif(ends, 0, batches)
    HAVING count(*) = (SELECT count(DISTINCT n.game) FROM curve_point n WHERE n.ends
        AND n.experiment_id = p.experiment_id AND n.hot_permille = p.hot_permille AND n.way = p.way
        AND n.scope = p.scope)),
kept AS MATERIALIZED (
    SELECT *, min(quality) OVER rest AS quality_kept, min(least) OVER rest AS least_kept,
        min(most) OVER rest AS most_kept
    FROM point
    WINDOW rest AS (PARTITION BY experiment_id, hot_permille, way, scope, game, configuration_id
        ORDER BY batches ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)),
reached AS MATERIALIZED (
    SELECT experiment_id, hot_permille, way, scope, game, configuration_id, t.target,
        min(iif(quality_kept >= t.target, batches, NULL)) AS batches,
        min(iif(most_kept >= t.target, batches, NULL)) AS least_batches,
        min(iif(least_kept >= t.target, batches, NULL)) AS most_batches
    FROM kept JOIN (SELECT column1 AS target FROM (VALUES (0.5), (0.8), (0.95), (0.99))) t
    GROUP BY experiment_id, hot_permille, way, scope, game, configuration_id, t.target)
SELECT x.name AS experiment, r.hot_permille, r.way, r.scope, r.game, c.technique, xc.label,
    xc.number, xc.baseline, CAST(round(100 * r.target) AS INTEGER) AS target_percent, r.batches,
    r.least_batches, r.most_batches, b.batches AS baseline_batches, r.experiment_id,
    r.configuration_id
FROM reached r
    JOIN experiment x USING (experiment_id)
    JOIN experiment_configuration xc USING (experiment_id, configuration_id)
    JOIN configuration c USING (configuration_id)
    LEFT JOIN reached b ON b.experiment_id = r.experiment_id AND b.hot_permille = r.hot_permille
        AND b.way = r.way AND b.scope = r.scope AND b.game IS r.game AND b.target = r.target
        AND b.configuration_id = (SELECT configuration_id FROM experiment_configuration n
            WHERE n.experiment_id = r.experiment_id AND n.baseline = 1)
ORDER BY x.name, r.hot_permille, r.way, r.scope DESC, r.game NULLS FIRST, r.target, xc.baseline DESC,
    xc.number;

-- The same for techniques that were sampled at many rates: the smallest share of executed
-- instructions that suffices to find a given share of the exact graph's weight (overlap) in the
-- mean over all games, with the sampling and parameters that do so, and what the observed baseline
-- needs. Games that were played for the same number of frames are compared, as in technique_mean.
CREATE VIEW share_to_reach AS
WITH reached AS MATERIALIZED (
    SELECT m.frames, m.hot_permille, o.scope, m.technique, m.structure, t.target, m.games,
        m.observed_share, m.sampling, m.parameters,
        row_number() OVER (PARTITION BY m.frames, m.hot_permille, o.scope, m.technique, m.structure,
                t.target
            ORDER BY m.observed_share, iif(o.scope = 'whole', m.overlap, m.overlap_active) DESC,
                m.sampling, m.parameters) AS position
    FROM technique_mean m
        JOIN (SELECT column1 AS scope FROM (VALUES ('whole'), ('active'))) o
        JOIN (SELECT column1 AS target FROM (VALUES (0.5), (0.8), (0.95), (0.99))) t
            ON iif(o.scope = 'whole', m.overlap, m.overlap_active) >= t.target
    WHERE m.games = m.of_games)
SELECT r.frames, r.hot_permille, r.scope, r.technique, r.structure,
    CAST(round(100 * r.target) AS INTEGER) AS target_percent,
    100 * r.observed_share AS observed_percent, 100 * b.observed_share AS baseline_observed_percent,
    r.games, r.sampling, r.parameters
FROM reached r
    LEFT JOIN reached b ON b.position = 1 AND b.technique = 'observed' AND b.structure = 0
        AND b.frames = r.frames AND b.hot_permille = r.hot_permille AND b.scope = r.scope
        AND b.target = r.target
WHERE r.position = 1
ORDER BY r.frames, r.hot_permille, r.scope DESC, r.target, r.observed_share;
