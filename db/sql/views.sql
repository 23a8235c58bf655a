-- Views hold no data and belong to the program. Each has the experiment as a column. `variant`
-- distinguishes the streams of one game (samplings, movies, replicates) and is empty for the first
-- or only one.
--
-- Rankings: equal configurations share a place, and the column `shared` is their number. Where a
-- list needs an order among them, `position`, it is by similarity without busy-waits, f1 without
-- busy-waits, and number. A metric over an empty set comes last. Percentages are rounded here and
-- nowhere else.
--
-- Each row is about one experiment, one hot share (hot_permille), one way of sampling and, if it
-- ranks or averages configurations, one technique; columns name them. Configurations of different
-- techniques, shares or ways are never ranked or averaged together.

-- Samplings. `way` is a sampling without the parameters in which replicates differ, seed and phase,
-- and without the hash of another input.
-- The sampling of streams from files is unknown; it counts as one way.
CREATE VIEW sampling_way AS
SELECT *, iif(method = 'file', 'file', replace(replace(replace(key, coalesce(' seed=' || seed, ''), ''),
    coalesce(' phase_cycles=' || phase_cycles, ''), ''), coalesce(' from=' || other_input, ''), '')) AS way
FROM sampling;

-- What an experiment asks for, and how much of it exists. A result exists if all its qualities do:
-- at the stream's end for each hot share, and for a labelled configuration also at each mark before
-- the end. Configurations that do not fit the stream are counted as unfit, not as missing.
CREATE VIEW completeness AS
SELECT experiment, game, variant, sampled, configurations, results, unfit,
    configurations - results - unfit AS missing, experiment_id, game_id, stream_id, way
FROM (SELECT x.name AS experiment, g.name AS game, xs.variant, s.stream_id IS NOT NULL AS sampled,
        n.configurations, x.experiment_id, g.game_id, xs.stream_id, w.way,
        (SELECT count(*) FROM experiment_configuration xc
            JOIN result r ON r.stream_id = xs.stream_id AND r.configuration_id = xc.configuration_id
            WHERE xc.experiment_id = x.experiment_id
                AND NOT EXISTS (SELECT 1 FROM experiment_hot xh
                    WHERE xh.experiment_id = xc.experiment_id
                        AND NOT EXISTS (SELECT 1 FROM quality q WHERE q.stream_id = r.stream_id
                            AND q.configuration_id = r.configuration_id AND q.part = 'first'
                            AND q.batches = s.batches AND q.hot_permille = xh.hot_permille))
                AND (xc.label IS NULL OR NOT EXISTS (SELECT 1 FROM experiment_hot xh
                    JOIN experiment_mark m USING (experiment_id)
                    WHERE xh.experiment_id = xc.experiment_id AND m.batches < s.batches
                        AND NOT EXISTS (SELECT 1 FROM quality q WHERE q.stream_id = r.stream_id
                            AND q.configuration_id = r.configuration_id
                            AND q.part = iif(p.kind IS 'program', 'strata', 'first')
                            AND q.batches = m.batches AND q.hot_permille = xh.hot_permille))))
            AS results,
        (SELECT count(*) FROM unfit u JOIN experiment_configuration USING (experiment_id, configuration_id)
            WHERE u.experiment_id = x.experiment_id AND u.stream_id = xs.stream_id
                AND NOT EXISTS (SELECT 1 FROM result r WHERE r.stream_id = u.stream_id
                    AND r.configuration_id = u.configuration_id)) AS unfit
    FROM experiment x
        JOIN (SELECT experiment_id, count(*) AS configurations FROM experiment_configuration
            GROUP BY experiment_id) n USING (experiment_id)
        JOIN experiment_stream xs USING (experiment_id)
        JOIN game g USING (game_id)
        JOIN sampling_way w ON w.sampling_id = xs.sampling_id
        LEFT JOIN stream s ON s.stream_id = xs.stream_id
        LEFT JOIN replay p ON p.replay_id = s.replay_id)
ORDER BY experiment, game, variant;

-- One row for each stream, configuration and hot share, with everything by name. number is NULL for
-- configurations that are only compared with. `parameters` has all parameters of any technique.
CREATE VIEW results AS
SELECT x.name AS experiment, g.name AS game, g.title, g.untested, g.paper_game, xs.variant,
    xc.number, xc.baseline, xc.label, c.technique,
    substr(c.key, length(c.technique) + 2) AS parameters,
    v1.value AS bin_size, v2.value AS stdev_threshold, v3.value AS window_size,
    v4.value AS recurrent_threshold, v5.value AS builder, q.hot_permille,
    r.bins, r.low, r.high, r.blocks, r.edges, q.common_edges, q.hot_edges,
    q.similarity, q.precision, q.f1, q.coverage, q.overlap, q.block_overlap,
    q.edges_active, q.common_edges_active, q.hot_edges_active, q.similarity_active,
    q.precision_active, q.f1_active, q.coverage_active, q.overlap_active, q.block_overlap_active,
    q.hot_found, q.hot_common, q.hot_recall, q.hot_precision, q.hot_f1, q.hot_f1_10, q.fair_overlap, q.count_error,
    q.hot_found_active, q.hot_common_active, q.hot_recall_active, q.hot_precision_active,
    q.hot_f1_active, q.hot_f1_10_active, q.fair_overlap_active, q.count_error_active,
    h.hash AS graph_hash, r.records, r.probes, r.observed, r.steps, r.structure, r.seconds,
    sa.key AS sampling, sa.way, sa.interval_us, sa.stride, s.batch_length, sa.jitter_us, sa.seed,
    sa.phase_cycles, m.file AS movie, p.frames,
    r.run_id, s.replay_id, x.experiment_id, xs.stream_id, r.configuration_id, r.graph_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN sampling_way sa ON sa.sampling_id = s.sampling_id
    JOIN replay p ON p.replay_id = s.replay_id
    LEFT JOIN movie m ON m.movie_id = p.movie_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN result r ON r.stream_id = xs.stream_id AND r.configuration_id = c.configuration_id
    JOIN experiment_hot xh USING (experiment_id)
    JOIN quality q ON q.stream_id = xs.stream_id AND q.configuration_id = c.configuration_id
        AND q.part = 'first' AND q.batches = s.batches AND q.hot_permille = xh.hot_permille
    JOIN graph h ON h.graph_id = r.graph_id
    LEFT JOIN configuration_value v1
        ON v1.configuration_id = c.configuration_id AND v1.name = 'bin_size'
    LEFT JOIN configuration_value v2
        ON v2.configuration_id = c.configuration_id AND v2.name = 'stdev_threshold'
    LEFT JOIN configuration_value v3
        ON v3.configuration_id = c.configuration_id AND v3.name = 'window_size'
    LEFT JOIN configuration_value v4
        ON v4.configuration_id = c.configuration_id AND v4.name = 'recurrent_threshold'
    LEFT JOIN configuration_value v5
        ON v5.configuration_id = c.configuration_id AND v5.name = 'builder';

CREATE VIEW baseline AS
SELECT * FROM results WHERE baseline = 1;

-- The grid's results with their places among those of the same stream, hot share and technique.
-- place counts from the best, place_from_worst from the worst; tied_place gives equal ones the mean
-- of their places; winner marks the best one and all that equal it. (All windows are parts of the
-- same partitions: only then does SQLite compute a single stream if a query wants one.)
CREATE VIEW ranked AS
SELECT *,
    rank() OVER best AS place,
    rank() OVER worst AS place_from_worst,
    count(*) OVER best_equals AS shared,
    row_number() OVER (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity DESC NULLS LAST, similarity_active DESC NULLS LAST,
        f1_active DESC NULLS LAST, number) AS position,
    row_number() OVER (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity NULLS LAST, similarity_active NULLS LAST, f1_active NULLS LAST, number)
        AS position_from_worst,
    rank() OVER best + (count(*) OVER best_equals - 1) / 2.0 AS tied_place,
    rank() OVER best = 1 AS winner,
    rank() OVER best_active AS place_active,
    count(*) OVER best_active_equals AS shared_active,
    rank() OVER best_active + (count(*) OVER best_active_equals - 1) / 2.0 AS tied_place_active
FROM results WHERE number IS NOT NULL
WINDOW best AS (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity DESC NULLS LAST),
    best_equals AS (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND CURRENT ROW),
    worst AS (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity NULLS LAST),
    best_active AS (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity_active DESC NULLS LAST),
    best_active_equals AS (PARTITION BY experiment_id, game, stream_id, hot_permille, technique
        ORDER BY similarity_active DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND CURRENT ROW);

-- The paper's tables 3 and 4, each list in our order; printed_place is the paper's.
CREATE VIEW paper_ranked AS
SELECT *,
    row_number() OVER (PARTITION BY paper_game, list ORDER BY
        CASE list WHEN 'best' THEN -similarity_percent ELSE similarity_percent END, printed_place)
        AS place
FROM paper_result;

-- The paper's hot share, and the parameter values of its 144 configurations.
CREATE VIEW paper_value AS
SELECT column1 AS name, column2 AS value FROM (VALUES ('hot_permille', 900), ('bin_size', 8),
    ('bin_size', 10), ('bin_size', 13), ('bin_size', 16), ('stdev_threshold', 8),
    ('stdev_threshold', 10), ('stdev_threshold', 12), ('stdev_threshold', 15), ('window_size', 6),
    ('window_size', 10), ('window_size', 13), ('recurrent_threshold', 5),
    ('recurrent_threshold', 8), ('recurrent_threshold', 12), ('builder', 0));

-- The studies that are comparable with the paper: of gaussian, only with configurations among the
-- paper's 144, with the paper's hot share.
CREATE VIEW paper_study AS
SELECT experiment_id, 'gaussian' AS technique, hot_permille
FROM (SELECT xc.experiment_id
        FROM experiment_configuration xc
            JOIN configuration c USING (configuration_id)
            LEFT JOIN configuration_value v USING (configuration_id)
        WHERE xc.number IS NOT NULL AND c.technique = 'gaussian'
        GROUP BY xc.experiment_id
        HAVING min((v.name, v.value) IN (SELECT name, value FROM paper_value)))
    JOIN experiment_hot USING (experiment_id)
WHERE hot_permille IN (SELECT value FROM paper_value WHERE name = 'hot_permille');

-- In tables 1 to 4, untested is 1 if nobody has seen the game's movie play. Of the results that the
-- experiment lists (asked), results is the number that exist and missing the number that do not
-- (yet).

-- Table 1: how much was sampled, and the baseline; a row for each stream and hot share. The paper's
-- columns stand beside comparable results, here and below.
CREATE VIEW table1 AS
SELECT k.experiment, k.game, k.variant, s.batches, p.instructions,
    round(100.0 * coalesce(s.observed, s.samples) / p.instructions, 2) AS sampled_percent,
    xh.hot_permille,
    round(100 * b.similarity, 1) AS baseline_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    round(100 * b.precision, 1) AS baseline_precision_percent,
    round(100 * b.coverage, 1) AS baseline_coverage_percent,
    round(100 * b.overlap, 1) AS baseline_overlap_percent,
    pg.paper_game, pg.batches AS paper_batches, pg.instructions AS paper_instructions,
    pg.sampled_percent AS paper_sampled_percent, g.untested, k.missing, k.way,
    k.results, k.configurations AS asked
FROM completeness k
    JOIN game g USING (game_id)
    JOIN experiment_hot xh ON xh.experiment_id = k.experiment_id
    LEFT JOIN stream s ON s.stream_id = k.stream_id
    LEFT JOIN replay p USING (replay_id)
    LEFT JOIN baseline b ON b.experiment_id = k.experiment_id AND b.stream_id = k.stream_id
        AND b.game = k.game AND b.hot_permille = xh.hot_permille
    LEFT JOIN paper_study ps ON ps.experiment_id = k.experiment_id
        AND ps.hot_permille = xh.hot_permille
    LEFT JOIN paper_game pg ON pg.paper_game = g.paper_game AND ps.technique IS NOT NULL
ORDER BY k.experiment, k.game, k.variant, xh.hot_permille;

-- Table 2: the best and the worst results of a technique's configurations in the grid, each column
-- by itself, and the baseline's.
CREATE VIEW table2 AS
SELECT k.experiment, k.game, k.variant, xh.hot_permille, t.technique, r.configurations, r.hot_edges,
    round(100 * r.best, 1) AS best_percent,
    round(100 * r.worst, 1) AS worst_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    r.hot_edges_active,
    round(100 * r.best_active, 1) AS best_active_percent,
    round(100 * r.worst_active, 1) AS worst_active_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    round(100 * r.best_precision, 1) AS best_precision_percent,
    round(100 * b.precision, 1) AS baseline_precision_percent,
    round(100 * r.best_overlap, 1) AS best_overlap_percent,
    round(100 * b.overlap, 1) AS baseline_overlap_percent,
    pg.paper_game, pg.best_percent AS paper_best_percent, pg.worst_percent AS paper_worst_percent,
    g.untested, k.missing, k.way,
    k.results, k.configurations AS asked
FROM completeness k
    JOIN game g USING (game_id)
    JOIN experiment_hot xh ON xh.experiment_id = k.experiment_id
    JOIN (SELECT DISTINCT xc.experiment_id, c.technique FROM experiment_configuration xc
        JOIN configuration c USING (configuration_id) WHERE xc.number IS NOT NULL) t
        ON t.experiment_id = k.experiment_id
    LEFT JOIN (SELECT experiment_id, game, stream_id, hot_permille, technique,
            count(*) AS configurations, max(hot_edges) AS hot_edges,
            max(hot_edges_active) AS hot_edges_active, max(similarity) AS best,
            min(similarity) AS worst, max(similarity_active) AS best_active,
            min(similarity_active) AS worst_active, max(precision) AS best_precision,
            max(overlap) AS best_overlap
        FROM results WHERE number IS NOT NULL
        GROUP BY experiment_id, game, stream_id, hot_permille, technique) r
        ON r.experiment_id = k.experiment_id AND r.stream_id = k.stream_id AND r.game = k.game
        AND r.hot_permille = xh.hot_permille AND r.technique = t.technique
    LEFT JOIN baseline b ON b.experiment_id = k.experiment_id AND b.stream_id = k.stream_id
        AND b.game = k.game AND b.hot_permille = xh.hot_permille
    LEFT JOIN paper_study ps ON ps.experiment_id = k.experiment_id
        AND ps.hot_permille = xh.hot_permille AND ps.technique = t.technique
    LEFT JOIN paper_game pg ON pg.paper_game = g.paper_game AND ps.technique IS NOT NULL
ORDER BY k.experiment, k.game, k.variant, xh.hot_permille, t.technique;

-- The three best and the three worst configurations of each technique on each game, each list from its
-- own end, beside the baseline and the paper's.
CREATE VIEW best_and_worst AS
SELECT r.experiment, r.game, r.variant, r.hot_permille, l.list,
    iif(l.list = 'best', r.place, r.place_from_worst) AS place, r.shared,
    iif(l.list = 'best', r.position, r.position_from_worst) AS position, r.number,
    r.technique, r.parameters, r.bin_size, r.stdev_threshold, r.window_size,
    r.recurrent_threshold, r.bins,
    round(100 * r.similarity, 1) AS similarity_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    round(100 * r.similarity_active, 1) AS similarity_active_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    round(100 * r.precision, 1) AS precision_percent,
    round(100 * b.precision, 1) AS baseline_precision_percent,
    round(100 * r.coverage, 1) AS coverage_percent,
    round(100 * b.coverage, 1) AS baseline_coverage_percent,
    round(100 * r.overlap, 1) AS overlap_percent,
    round(100 * b.overlap, 1) AS baseline_overlap_percent,
    q.paper_game, q.bin_size AS paper_bin_size, q.stdev_threshold AS paper_stdev_threshold,
    q.window_size AS paper_window_size, q.recurrent_threshold AS paper_recurrent_threshold,
    q.bins AS paper_bins, q.similarity_percent AS paper_similarity_percent, r.untested, k.missing,
    r.way, k.results, k.configurations AS asked, r.configuration_id
FROM (SELECT column1 AS list FROM (VALUES ('best'), ('worst'))) l
    CROSS JOIN ranked r
    JOIN completeness k ON k.experiment_id = r.experiment_id AND k.stream_id = r.stream_id
        AND k.game = r.game
    LEFT JOIN baseline b ON b.experiment_id = r.experiment_id AND b.stream_id = r.stream_id
        AND b.game = r.game AND b.hot_permille = r.hot_permille
    LEFT JOIN paper_study ps ON ps.experiment_id = r.experiment_id
        AND ps.hot_permille = r.hot_permille AND ps.technique = r.technique
    LEFT JOIN paper_ranked q ON q.paper_game = r.paper_game AND q.list = l.list
        AND q.place = iif(l.list = 'best', r.position, r.position_from_worst)
        AND ps.technique IS NOT NULL
WHERE iif(l.list = 'best', r.position, r.position_from_worst) <= 3;

-- Table 3: the three best.
CREATE VIEW table3 AS
SELECT experiment, game, variant, hot_permille, place, shared, position, number, technique, parameters,
    bin_size, stdev_threshold, window_size, recurrent_threshold, bins, similarity_percent,
    baseline_percent, similarity_active_percent, baseline_active_percent, precision_percent,
    baseline_precision_percent, coverage_percent, baseline_coverage_percent, overlap_percent,
    baseline_overlap_percent, paper_game, paper_bin_size, paper_stdev_threshold, paper_window_size,
    paper_recurrent_threshold, paper_bins, paper_similarity_percent, untested, missing, way, results,
    asked, configuration_id
FROM best_and_worst WHERE list = 'best'
ORDER BY experiment, game, variant, hot_permille, technique, position;

-- Table 4: the three worst, the worst first; its columns are those of table 3.
CREATE VIEW table4 AS
SELECT experiment, game, variant, hot_permille, place, shared, position, number, technique, parameters,
    bin_size, stdev_threshold, window_size, recurrent_threshold, bins, similarity_percent,
    baseline_percent, similarity_active_percent, baseline_active_percent, precision_percent,
    baseline_precision_percent, coverage_percent, baseline_coverage_percent, overlap_percent,
    baseline_overlap_percent, paper_game, paper_bin_size, paper_stdev_threshold, paper_window_size,
    paper_recurrent_threshold, paper_bins, paper_similarity_percent, untested, missing, way, results,
    asked, configuration_id
FROM best_and_worst WHERE list = 'worst'
ORDER BY experiment, game, variant, hot_permille, technique, position;

-- The configurations of the grid that compete: those with results on every stream on which any
-- configuration of the same technique, hot share and way of sampling has results. So a
-- configuration with few results (a sweep that was stopped, or partly merged) cannot win on an easy
-- game alone. of_streams and of_games are the numbers of streams and games to have results on.
CREATE VIEW contender AS
WITH r AS MATERIALIZED (SELECT experiment_id, experiment, hot_permille, way, technique, game,
        stream_id, configuration_id, number, parameters
    FROM results WHERE number IS NOT NULL)
SELECT r.experiment, r.hot_permille, r.way, r.technique, r.number, r.parameters,
    count(*) AS streams, count(DISTINCT r.game) AS games, o.of_streams, o.of_games,
    count(*) = o.of_streams AS competes, r.experiment_id, r.configuration_id
FROM r JOIN (SELECT experiment_id, hot_permille, way, technique, count(*) AS of_streams,
            count(DISTINCT game) AS of_games
        FROM (SELECT DISTINCT experiment_id, hot_permille, way, technique, game, stream_id FROM r)
        GROUP BY experiment_id, hot_permille, way, technique) o
        USING (experiment_id, hot_permille, way, technique)
GROUP BY r.experiment_id, r.hot_permille, r.way, r.technique, r.configuration_id;

-- Those that do not compete, each with the games of which it lacks streams.
CREATE VIEW not_competing AS
SELECT c.experiment, c.hot_permille, c.way, c.technique, c.number, c.parameters, c.streams,
    c.of_streams,
    (SELECT group_concat(game, ' ') FROM (SELECT DISTINCT o.game FROM results o
        WHERE o.experiment_id = c.experiment_id AND o.hot_permille = c.hot_permille
            AND o.way = c.way AND o.technique = c.technique AND o.number IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM results h WHERE h.experiment_id = c.experiment_id
                AND h.stream_id = o.stream_id AND h.game = o.game
                AND h.configuration_id = c.configuration_id AND h.hot_permille = c.hot_permille)
        ORDER BY o.game)) AS lacks, c.experiment_id, c.configuration_id
FROM contender c
WHERE NOT c.competes
ORDER BY c.experiment, c.hot_permille, c.way, c.technique, c.number;

-- Means of the configurations that compete, over all streams that are sampled in one way.
-- mean_place is the mean of their tied places among each other; games_won counts the streams on
-- which none of the others is better. (Means that differ only by the order of additions are equal.
-- CROSS JOIN, here and below, keeps SQLite from visiting all streams for each contender.)
CREATE VIEW configuration_mean AS
SELECT experiment_id, experiment, hot_permille, way, configuration_id, number, technique,
    parameters, bin_size, stdev_threshold, window_size, recurrent_threshold,
    count(DISTINCT game) AS games, count(*) AS streams,
    round(avg(similarity), 12) AS mean, round(avg(similarity_active), 12) AS mean_active,
    round(avg(f1_active), 12) AS mean_f1_active,
    avg(place + (shared - 1) / 2.0) AS mean_place,
    avg(place_active + (shared_active - 1) / 2.0) AS mean_place_active,
    sum(place = 1) AS games_won
FROM (SELECT r.experiment_id, r.experiment, r.hot_permille, r.way, r.technique, r.configuration_id,
        r.number, r.parameters, r.bin_size, r.stdev_threshold, r.window_size, r.recurrent_threshold,
        r.game, r.similarity, r.similarity_active, r.f1_active,
        rank() OVER best AS place, count(*) OVER best_equals AS shared,
        rank() OVER best_active AS place_active, count(*) OVER best_active_equals AS shared_active
    FROM results r CROSS JOIN contender c USING (experiment_id, hot_permille, way, technique,
        configuration_id)
    WHERE r.number IS NOT NULL AND c.competes
    WINDOW best AS (PARTITION BY r.experiment, r.hot_permille, r.way, r.technique, r.game,
            r.stream_id ORDER BY r.similarity DESC NULLS LAST),
        best_equals AS (PARTITION BY r.experiment, r.hot_permille, r.way, r.technique, r.game,
                r.stream_id
            ORDER BY r.similarity DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND CURRENT ROW),
        best_active AS (PARTITION BY r.experiment, r.hot_permille, r.way, r.technique, r.game,
            r.stream_id ORDER BY r.similarity_active DESC NULLS LAST),
        best_active_equals AS (PARTITION BY r.experiment, r.hot_permille, r.way, r.technique, r.game,
                r.stream_id
            ORDER BY r.similarity_active DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND CURRENT ROW))
GROUP BY experiment, hot_permille, way, technique, configuration_id;

-- The baseline's mean over the streams on which a technique has results; no row if it lacks one of
-- them.
CREATE VIEW baseline_mean AS
SELECT t.experiment_id, t.hot_permille, t.way, t.technique, avg(b.similarity) AS mean,
    avg(b.similarity_active) AS mean_active, avg(b.precision) AS mean_precision,
    avg(b.coverage) AS mean_coverage, avg(b.overlap) AS mean_overlap, count(*) AS streams
FROM (SELECT DISTINCT experiment_id, hot_permille, way, technique, game, stream_id
        FROM results WHERE number IS NOT NULL) t
    LEFT JOIN (SELECT experiment_id, hot_permille, game, stream_id, similarity, similarity_active,
            precision, coverage, overlap
        FROM baseline) b USING (experiment_id, hot_permille, game, stream_id)
GROUP BY t.experiment_id, t.hot_permille, t.way, t.technique
HAVING count(b.stream_id) = count(*);

-- The ranking over games, for each technique and way of sampling: by mean similarity, which a game
-- with many ties cannot distort.
CREATE VIEW best_configuration AS
SELECT c.experiment, c.hot_permille, c.way,
    rank() OVER (w ORDER BY c.mean DESC NULLS LAST) AS place,
    count(*) OVER (PARTITION BY c.experiment_id, c.hot_permille, c.way, c.technique, c.mean)
        AS shared,
    row_number() OVER (w ORDER BY c.mean DESC NULLS LAST, c.mean_active DESC NULLS LAST,
        c.mean_f1_active DESC NULLS LAST, c.number) AS position,
    c.number, c.technique, c.parameters, c.bin_size, c.stdev_threshold, c.window_size,
    c.recurrent_threshold, c.games, c.streams,
    round(100 * c.mean, 2) AS mean_percent,
    round(100 * c.mean_active, 2) AS mean_active_percent,
    round(c.mean_place, 2) AS mean_place,
    round(c.mean_place_active, 2) AS mean_place_active, c.games_won,
    round(100 * b.mean, 2) AS baseline_mean_percent,
    round(100 * b.mean_active, 2) AS baseline_mean_active_percent, c.configuration_id
FROM configuration_mean c
    LEFT JOIN baseline_mean b USING (experiment_id, hot_permille, way, technique)
WINDOW w AS (PARTITION BY c.experiment_id, c.hot_permille, c.way, c.technique)
ORDER BY c.experiment, c.hot_permille, c.way, c.technique, position;

-- The same from the worst end.
CREATE VIEW worst_configuration AS
SELECT c.experiment, c.hot_permille, c.way,
    rank() OVER (w ORDER BY c.mean NULLS LAST) AS place,
    count(*) OVER (PARTITION BY c.experiment_id, c.hot_permille, c.way, c.technique, c.mean)
        AS shared,
    row_number() OVER (w ORDER BY c.mean NULLS LAST, c.mean_active NULLS LAST,
        c.mean_f1_active NULLS LAST, c.number) AS position,
    c.number, c.technique, c.parameters, c.bin_size, c.stdev_threshold, c.window_size,
    c.recurrent_threshold, c.games, c.streams,
    round(100 * c.mean, 2) AS mean_percent,
    round(100 * c.mean_active, 2) AS mean_active_percent,
    round(c.mean_place, 2) AS mean_place,
    round(c.mean_place_active, 2) AS mean_place_active, c.games_won,
    round(100 * b.mean, 2) AS baseline_mean_percent,
    round(100 * b.mean_active, 2) AS baseline_mean_active_percent, c.configuration_id
FROM configuration_mean c
    LEFT JOIN baseline_mean b USING (experiment_id, hot_permille, way, technique)
WINDOW w AS (PARTITION BY c.experiment_id, c.hot_permille, c.way, c.technique)
ORDER BY c.experiment, c.hot_permille, c.way, c.technique, position;

-- Means and ranges over replicates: the streams of one game that are sampled in one way, which
-- differ in seed, phase and movie. A row for each configuration; missing results are left out, and
-- `replicates` counts the others.
CREATE VIEW replicated AS
SELECT experiment, game, way, hot_permille, number, baseline, label, technique, parameters,
    count(*) AS replicates,
    avg(bins) AS bins, min(bins) AS bins_least,
    max(bins) AS bins_most,
    avg(edges) AS edges, min(edges) AS edges_least,
    max(edges) AS edges_most,
    avg(similarity) AS similarity, min(similarity) AS similarity_least,
    max(similarity) AS similarity_most,
    avg(similarity_active) AS similarity_active, min(similarity_active) AS similarity_active_least,
    max(similarity_active) AS similarity_active_most,
    avg(precision) AS precision, min(precision) AS precision_least,
    max(precision) AS precision_most,
    avg(coverage) AS coverage, min(coverage) AS coverage_least,
    max(coverage) AS coverage_most,
    avg(overlap) AS overlap, min(overlap) AS overlap_least,
    max(overlap) AS overlap_most,
    avg(hot_f1) AS hot_f1, min(hot_f1) AS hot_f1_least,
    max(hot_f1) AS hot_f1_most,
    avg(hot_f1_active) AS hot_f1_active, min(hot_f1_active) AS hot_f1_active_least,
    max(hot_f1_active) AS hot_f1_active_most,
    avg(fair_overlap) AS fair_overlap, min(fair_overlap) AS fair_overlap_least,
    max(fair_overlap) AS fair_overlap_most,
    avg(fair_overlap_active) AS fair_overlap_active, min(fair_overlap_active) AS fair_overlap_active_least,
    max(fair_overlap_active) AS fair_overlap_active_most,
    experiment_id, configuration_id
FROM results
GROUP BY experiment_id, game, way, hot_permille, configuration_id
ORDER BY experiment, game, way, hot_permille, number;

-- Every entry of tables 1 and 2 over replicates.
CREATE VIEW table1_replicated AS
SELECT experiment, game, way, hot_permille, count(*) AS replicates,
    round(avg(batches), 2) AS batches, min(batches) AS batches_least,
    max(batches) AS batches_most,
    round(avg(instructions), 2) AS instructions, min(instructions) AS instructions_least,
    max(instructions) AS instructions_most,
    round(avg(sampled_percent), 2) AS sampled_percent, min(sampled_percent) AS sampled_percent_least,
    max(sampled_percent) AS sampled_percent_most,
    round(avg(baseline_percent), 2) AS baseline_percent, min(baseline_percent) AS baseline_percent_least,
    max(baseline_percent) AS baseline_percent_most,
    round(avg(baseline_active_percent), 2) AS baseline_active_percent, min(baseline_active_percent) AS baseline_active_percent_least,
    max(baseline_active_percent) AS baseline_active_percent_most,
    round(avg(baseline_precision_percent), 2) AS baseline_precision_percent, min(baseline_precision_percent) AS baseline_precision_percent_least,
    max(baseline_precision_percent) AS baseline_precision_percent_most,
    round(avg(baseline_coverage_percent), 2) AS baseline_coverage_percent, min(baseline_coverage_percent) AS baseline_coverage_percent_least,
    max(baseline_coverage_percent) AS baseline_coverage_percent_most,
    round(avg(baseline_overlap_percent), 2) AS baseline_overlap_percent, min(baseline_overlap_percent) AS baseline_overlap_percent_least,
    max(baseline_overlap_percent) AS baseline_overlap_percent_most
FROM table1 GROUP BY experiment, game, way, hot_permille
ORDER BY experiment, game, way, hot_permille;

CREATE VIEW table2_replicated AS
SELECT experiment, game, way, hot_permille, technique, count(*) AS replicates,
    round(avg(hot_edges), 2) AS hot_edges, min(hot_edges) AS hot_edges_least,
    max(hot_edges) AS hot_edges_most,
    round(avg(best_percent), 2) AS best_percent, min(best_percent) AS best_percent_least,
    max(best_percent) AS best_percent_most,
    round(avg(worst_percent), 2) AS worst_percent, min(worst_percent) AS worst_percent_least,
    max(worst_percent) AS worst_percent_most,
    round(avg(baseline_percent), 2) AS baseline_percent, min(baseline_percent) AS baseline_percent_least,
    max(baseline_percent) AS baseline_percent_most,
    round(avg(hot_edges_active), 2) AS hot_edges_active, min(hot_edges_active) AS hot_edges_active_least,
    max(hot_edges_active) AS hot_edges_active_most,
    round(avg(best_active_percent), 2) AS best_active_percent, min(best_active_percent) AS best_active_percent_least,
    max(best_active_percent) AS best_active_percent_most,
    round(avg(worst_active_percent), 2) AS worst_active_percent, min(worst_active_percent) AS worst_active_percent_least,
    max(worst_active_percent) AS worst_active_percent_most,
    round(avg(baseline_active_percent), 2) AS baseline_active_percent, min(baseline_active_percent) AS baseline_active_percent_least,
    max(baseline_active_percent) AS baseline_active_percent_most
FROM table2 GROUP BY experiment, game, way, hot_permille, technique
ORDER BY experiment, game, way, hot_permille, technique;

-- Tables 3 and 4 over replicates: the configurations of a game by their means, from the best
-- (position) and from the worst, with ranges; spread is the range of the replicates' similarities.
CREATE VIEW ranked_replicated AS
SELECT experiment, game, way, hot_permille,
    rank() OVER same AS place,
    row_number() OVER (PARTITION BY experiment, game, way, hot_permille, technique
        ORDER BY similarity DESC NULLS LAST, similarity_active DESC NULLS LAST, number) AS position,
    row_number() OVER (PARTITION BY experiment, game, way, hot_permille, technique
        ORDER BY similarity NULLS LAST, similarity_active NULLS LAST, number)
        AS position_from_worst,
    number, technique, parameters, replicates, similarity, similarity_least, similarity_most,
    similarity_most - similarity_least AS spread, similarity_active, similarity_active_least,
    similarity_active_most, bins, bins_least, bins_most, configuration_id
FROM replicated WHERE number IS NOT NULL
WINDOW same AS (PARTITION BY experiment, game, way, hot_permille, technique
    ORDER BY similarity DESC NULLS LAST)
ORDER BY experiment, game, way, hot_permille, technique, position;

-- Main effects for each technique and way of sampling: the mean over all games and all values of
-- the other parameters, and its distance, in percentage points, from the overall mean. Only
-- configurations that compete count. balanced is 1 if the parameter's values are combined with
-- those of each other parameter equally often (the view grid_pair). If it is 0, as with `zip` and
-- `exclude`, the difference is not due to the parameter alone.
CREATE VIEW parameter_effect AS
WITH r AS MATERIALIZED (SELECT r.experiment, experiment_id, hot_permille, way, technique,
        configuration_id, r.similarity, r.similarity_active
    FROM results r
        CROSS JOIN contender c USING (experiment_id, hot_permille, way, technique, configuration_id)
    WHERE r.number IS NOT NULL AND c.competes)
SELECT r.experiment, r.hot_permille, r.way, r.technique, v.name AS parameter, v.value,
    count(*) AS results,
    round(100 * avg(r.similarity), 2) AS mean_percent,
    round(100 * (avg(r.similarity) - a.mean), 2) AS effect_points,
    round(100 * avg(r.similarity_active), 2) AS mean_active_percent,
    round(100 * (avg(r.similarity_active) - a.mean_active), 2) AS effect_active_points,
    round(100 * b.mean, 2) AS baseline_mean_percent,
    round(100 * b.mean_active, 2) AS baseline_mean_active_percent,
    coalesce(g.balanced, 1) AS balanced, r.experiment_id
FROM r
    JOIN configuration_value v USING (configuration_id)
    JOIN (SELECT experiment_id, hot_permille, way, technique, avg(similarity) AS mean,
            avg(similarity_active) AS mean_active
        FROM r GROUP BY experiment_id, hot_permille, way, technique) a
        USING (experiment_id, hot_permille, way, technique)
    LEFT JOIN baseline_mean b USING (experiment_id, hot_permille, way, technique)
    LEFT JOIN (SELECT experiment_id, hot_permille, way, technique, factor,
            min(balanced) AS balanced
        FROM grid_pair GROUP BY experiment_id, hot_permille, way, technique, factor) g
        ON g.experiment_id = r.experiment_id AND g.hot_permille = r.hot_permille
        AND g.way = r.way AND g.technique = r.technique AND g.factor = v.name
GROUP BY r.experiment_id, r.hot_permille, r.way, r.technique, v.name, v.value
ORDER BY r.experiment, r.hot_permille, r.way, r.technique, v.name, v.value;

-- How quickly the baseline and the labelled configurations find edges: after each of the
-- experiment's marks, and at the stream's end. Programs have phases, so their marks are not the
-- first batches but as many from all over the stream (part is 'strata').
CREATE VIEW convergence_curve AS
SELECT x.name AS experiment, g.name AS game, xs.variant, w.way, xc.label, xc.number, xc.baseline, q.*
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN sampling_way w ON w.sampling_id = s.sampling_id
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN experiment_hot xh USING (experiment_id)
    JOIN quality q ON q.stream_id = xs.stream_id AND q.configuration_id = xc.configuration_id
        AND q.part = iif(q.batches < s.batches AND EXISTS (SELECT 1 FROM replay p
            WHERE p.replay_id = s.replay_id AND p.kind = 'program'), 'strata', 'first')
        AND q.hot_permille = xh.hot_permille
WHERE xc.label IS NOT NULL AND (q.batches = s.batches OR EXISTS (SELECT 1 FROM experiment_mark m
    WHERE m.experiment_id = x.experiment_id AND m.batches = q.batches))
ORDER BY x.name, g.name, xs.variant, q.hot_permille, xc.number NULLS FIRST, q.batches;

-- The configurations of a stream whose graphs are in graph_edge, and why: the best, median and
-- worst for a hot share, of all techniques in the grid.
CREATE VIEW kept_graph AS
SELECT x.name AS experiment, g.name AS game, xs.variant, r.hot_permille, r.role, xc.number,
    c.technique, f.graph_id, r.experiment_id, r.stream_id, r.configuration_id
FROM role r
    JOIN experiment x USING (experiment_id)
    JOIN experiment_stream xs ON +xs.experiment_id = r.experiment_id
        AND xs.stream_id = r.stream_id
    JOIN game g USING (game_id)
    JOIN experiment_configuration xc ON xc.experiment_id = r.experiment_id
        AND xc.configuration_id = r.configuration_id
    JOIN configuration c ON c.configuration_id = r.configuration_id
    JOIN result f ON f.stream_id = r.stream_id AND f.configuration_id = r.configuration_id;

-- The exact graphs, heaviest edges first, with the weight before each edge: an edge is in the hot
-- set of a share of P permille if 1000 * before < P * weight; likewise for ..._active, which is
-- NULL for edges of busy-waits.
CREATE VIEW exact_rank AS
SELECT e.replay_id, e.source, e.target, e.count, e.busy, p.weight,
    sum(e.count) OVER heaviest - e.count AS before,
    p.weight - p.busy_weight AS weight_active,
    iif(e.busy, NULL, sum(iif(e.busy, 0, e.count)) OVER heaviest - e.count) AS before_active
FROM exact_edge e JOIN replay p USING (replay_id)
WINDOW heaviest AS (PARTITION BY e.replay_id ORDER BY e.count DESC, e.source, e.target
    ROWS UNBOUNDED PRECEDING);

-- Every edge of the hot graphs of each hot share of the experiment, and which of them found it (1)
-- or not (0).
CREATE VIEW hot_edge AS
WITH h AS MATERIALIZED (SELECT replay_id, source, target, count, busy, hot_permille,
        1000 * before < hot_permille * weight AS hot,
        coalesce(1000 * before_active < hot_permille * weight_active, 0) AS hot_active
    FROM exact_rank JOIN (SELECT DISTINCT hot_permille FROM experiment_hot)
    WHERE 1000 * before < hot_permille * weight
        OR 1000 * before_active < hot_permille * weight_active)
SELECT x.name AS experiment, g.name AS game, xs.variant, printf('%04x', h.source) AS source,
    printf('%04x', h.target) AS target, h.count, h.busy, h.hot, h.hot_active,
    max(k.role = 'best' AND e.source IS NOT NULL) AS in_best,
    max(k.role = 'median' AND e.source IS NOT NULL) AS in_median,
    max(k.role = 'worst' AND e.source IS NOT NULL) AS in_worst,
    max(k.role = 'baseline' AND e.source IS NOT NULL) AS in_baseline, h.hot_permille
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN experiment_hot xh USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN h ON h.replay_id = s.replay_id AND h.hot_permille = xh.hot_permille
    LEFT JOIN kept_graph k ON k.experiment_id = x.experiment_id AND k.stream_id = xs.stream_id
        AND k.game = g.name AND k.hot_permille = xh.hot_permille
    LEFT JOIN graph_edge e ON e.graph_id = k.graph_id AND e.source = h.source
        AND e.target = h.target
GROUP BY x.name, g.name, xs.variant, xs.stream_id, xh.hot_permille, h.source, h.target
ORDER BY x.name, g.name, xs.variant, xh.hot_permille, h.count DESC, h.source, h.target;

-- The run that made a result, with its program and time.
CREATE VIEW provenance AS
SELECT r.experiment, r.game, r.variant, r.number, r.technique, r.parameters, n.uuid, n.version,
    n.source_commit, n.host, n.cpu, n.system, n.compiler, n.flags, n.libraries, n.arguments,
    p.engine, p.engine_options, p.console, p.key AS replay, sa.key AS sampling,
    n.configuration_file,
    n.configuration_hash, n.started, n.finished, r.stream_id, r.configuration_id, r.hot_permille
FROM results r
    JOIN run n USING (run_id)
    JOIN stream s USING (stream_id)
    JOIN replay p ON p.replay_id = s.replay_id
    JOIN sampling sa USING (sampling_id);

-- How the results of an experiment were made, in summary: the number of runs, and of their results,
-- with each value. If differs is 0, all have that value.
CREATE VIEW provenance_summary AS
WITH made AS (
    SELECT x.name AS experiment, r.run_id, count(*) AS results
    FROM experiment x JOIN experiment_stream xs USING (experiment_id)
        JOIN experiment_configuration xc USING (experiment_id)
        JOIN result r USING (stream_id, configuration_id)
    GROUP BY x.experiment_id, r.run_id),
said(experiment, run_id, results, place, what, value) AS (
    SELECT m.experiment, m.run_id, m.results, column1, column2,
        CASE column1 WHEN 1 THEN n.version || ' ' || n.source_commit
            WHEN 2 THEN n.compiler || coalesce(' ' || n.flags, '') WHEN 3 THEN n.libraries
            WHEN 4 THEN n.system WHEN 5 THEN n.host WHEN 6 THEN n.cpu WHEN 7 THEN n.cores
            WHEN 8 THEN n.jobs WHEN 9 THEN n.engine WHEN 10 THEN n.configuration_file
            WHEN 11 THEN n.arguments WHEN 12 THEN n.started
            WHEN 13 THEN coalesce(n.finished, 'stopped before its end')
            ELSE coalesce(n.warning, 'nothing speaks against them') END
    FROM made m JOIN run n USING (run_id), (VALUES (1, 'program'), (2, 'compiler'),
        (3, 'libraries'), (4, 'system'), (5, 'host'), (6, 'processor'), (7, 'cores'), (8, 'threads'),
        (9, 'engine'), (10, 'configuration'), (11, 'typed'), (12, 'started'), (13, 'finished'),
        (14, 'timings')))
SELECT experiment, what, coalesce(value, 'not known') AS value, count(*) AS runs,
    sum(results) AS results,
    count(*) OVER (PARTITION BY experiment, what) > 1 AS differs
FROM said
GROUP BY experiment, place, what, value
ORDER BY experiment, place, results DESC, value;

-- Every run with all that is known of it. load and spread are those of its machine; warning says
-- why its timings are not reliable; inputs are its games with the hashes of their ROMs and movies.
CREATE VIEW runs AS
SELECT n.started, n.finished, n.uuid, n.host, n.cpu, n.cores, n.jobs, n.system, n.version,
    n.source_commit, n.compiler, n.flags, n.libraries, n.arguments, n.engine, n.experiment, n.shard,
    n.slurm_job, n.slurm_task, n.configuration_file, n.configuration_hash, n.definition_hash,
    (SELECT count(*) FROM replay p WHERE p.run_id = n.run_id) AS replays,
    (SELECT count(*) FROM result r WHERE r.run_id = n.run_id) AS results,
    (SELECT sum(r.seconds) FROM result r WHERE r.run_id = n.run_id) AS seconds,
    n.spread, n.load, n.warning,
    (SELECT group_concat(i.game || iif(i.variant = '', '', '@' || i.variant) || ' ' || i.replay, '; ')
        FROM (SELECT * FROM run_input u WHERE u.run_id = n.run_id ORDER BY u.game, u.variant) i) AS inputs
FROM run n
ORDER BY n.started, n.uuid;

-- Every result by the fair metrics, with its sampling and its costs. observed_share is the share of
-- executed instructions that were observed one by one (NULL if the number of executed ones is
-- unknown); structure says whether the technique was given the program's edges. overlap and
-- count_error name edges by branch and target, as the other metrics do.
CREATE VIEW technique_quality AS
SELECT r.experiment, r.game, r.variant, sa.key AS sampling, r.technique, r.parameters,
    r.hot_permille, 1.0 * r.observed / p.instructions AS observed_share,
    coalesce(r.structure, 0) AS structure,
    r.hot_recall, r.hot_precision, r.hot_f1, r.hot_f1_10, r.fair_overlap AS overlap, r.count_error,
    r.hot_recall_active, r.hot_precision_active, r.hot_f1_active, r.hot_f1_10_active,
    r.fair_overlap_active AS overlap_active, r.count_error_active,
    r.observed, r.records, r.probes, r.steps, r.seconds, p.frames, p.instructions,
    r.experiment_id, r.stream_id, r.configuration_id, s.sampling_id, s.replay_id
FROM results r
    JOIN stream s USING (stream_id)
    JOIN replay p ON p.replay_id = s.replay_id
    JOIN sampling sa USING (sampling_id);

-- A technique with its parameters on one sampling (with its seed and phase): means over the games
-- that were played for the same number of frames, each counted once in however many experiments it
-- is.
CREATE VIEW technique_replicate AS
SELECT q.frames, q.hot_permille, w.way AS sampling, q.technique, q.parameters, q.structure,
    count(*) AS games, avg(q.observed_share) AS observed_share,
    max(q.observed_share) AS observed_share_most, avg(q.overlap_active) AS overlap_active,
    min(q.overlap_active) AS overlap_active_least, avg(q.hot_f1_active) AS hot_f1_active,
    avg(q.hot_f1_10_active) AS hot_f1_10_active, avg(q.count_error_active) AS count_error_active,
    avg(q.overlap) AS overlap, avg(q.hot_f1) AS hot_f1, avg(q.hot_f1_10) AS hot_f1_10,
    avg(q.count_error) AS count_error, q.sampling_id, q.configuration_id
FROM (SELECT * FROM technique_quality WHERE observed_share IS NOT NULL AND frames IS NOT NULL
        GROUP BY stream_id, configuration_id, hot_permille) q
    JOIN sampling_way w USING (sampling_id)
GROUP BY q.frames, q.hot_permille, q.sampling_id, q.configuration_id, q.structure;

-- The same over replicates: samplings that differ only in seed or phase. ..._lowest and ..._highest
-- are the means over the games of the worst and the best replicate, overlap_active_least is the
-- worst of all games and replicates. games is the number of replays in each replicate, of_games the
-- number on which any technique has results: means can be compared only if both are equal.
-- Replicates that lack games which others have are not part of the mean, and are counted in
-- replicates_left_out. Programs have no frames, and no rows.
CREATE VIEW technique_mean AS
SELECT frames, hot_permille, sampling, technique, parameters, structure, games, of_games,
    count(*) AS replicates, all_replicates - count(*) AS replicates_left_out,
    avg(observed_share) AS observed_share,
    max(observed_share_most) AS observed_share_most, avg(overlap_active) AS overlap_active,
    min(overlap_active) AS overlap_active_lowest, max(overlap_active) AS overlap_active_highest,
    min(overlap_active_least) AS overlap_active_least, avg(hot_f1_active) AS hot_f1_active,
    avg(hot_f1_10_active) AS hot_f1_10_active,
    min(hot_f1_10_active) AS hot_f1_10_active_lowest,
    max(hot_f1_10_active) AS hot_f1_10_active_highest,
    avg(count_error_active) AS count_error_active, avg(overlap) AS overlap,
    min(overlap) AS overlap_lowest, max(overlap) AS overlap_highest, avg(hot_f1) AS hot_f1,
    avg(hot_f1_10) AS hot_f1_10, avg(count_error) AS count_error, configuration_id
FROM (SELECT r.*, o.of_games, max(games) OVER w AS most_games, count(*) OVER w AS all_replicates
    FROM technique_replicate r
        JOIN (SELECT frames, hot_permille, count(DISTINCT replay_id) AS of_games
            FROM technique_quality WHERE observed_share IS NOT NULL AND frames IS NOT NULL
            GROUP BY frames, hot_permille) o USING (frames, hot_permille)
    WINDOW w AS (PARTITION BY frames, hot_permille, sampling, configuration_id, structure))
WHERE games = most_games
GROUP BY frames, hot_permille, sampling, configuration_id, structure;

-- technique_mean in printed form (docs/techniques.csv is this view of configs/techniques.cfg).
CREATE VIEW technique_table AS
SELECT frames, hot_permille, printf('%.4f', 100 * observed_share) AS observed_percent, sampling,
    technique, parameters, structure, games, replicates,
    printf('%.6f', overlap_active) AS overlap_active,
    printf('%.6f', overlap_active_lowest) AS overlap_active_lowest,
    printf('%.6f', overlap_active_highest) AS overlap_active_highest,
    printf('%.6f', overlap_active_least) AS overlap_active_least,
    printf('%.6f', hot_f1_10_active) AS hot_f1_10_active, printf('%.6f', overlap) AS overlap
FROM technique_mean WHERE games = of_games AND overlap_active IS NOT NULL
ORDER BY frames, hot_permille, round(observed_share, 6), sampling, technique, parameters;

-- Why techniques and their replicates cannot be compared: a row for each game that others were
-- tried on and this one was not.
CREATE VIEW technique_missing AS
WITH q AS MATERIALIZED (SELECT frames, hot_permille, replay_id, min(game) AS game, sampling_id,
        sampling, configuration_id, technique, parameters
    FROM technique_quality WHERE observed_share IS NOT NULL AND frames IS NOT NULL
    GROUP BY stream_id, configuration_id, hot_permille)
SELECT t.frames, t.hot_permille, t.sampling, t.technique, t.parameters, g.game, t.games
FROM (SELECT frames, hot_permille, sampling_id, min(sampling) AS sampling, configuration_id,
        min(technique) AS technique, min(parameters) AS parameters, count(*) AS games
        FROM q GROUP BY frames, hot_permille, sampling_id, configuration_id) t
    JOIN (SELECT DISTINCT frames, hot_permille, replay_id, game FROM q) g USING (frames, hot_permille)
    LEFT JOIN q there ON there.replay_id = g.replay_id AND there.hot_permille = t.hot_permille
        AND there.sampling_id = t.sampling_id AND there.configuration_id = t.configuration_id
WHERE there.game IS NULL
ORDER BY t.frames, t.hot_permille, t.sampling, t.technique, t.parameters, g.game;

-- The cost of observing, beside what is found: for a million executed instructions, means over the
-- games and replicates of technique_mean; steps are as the technique counts them, for the whole
-- run. Seconds are those of the analysis alone, on the computers that it ran on. From told on: what
-- the observed program pays (technique_host); NULL where that was not counted.
CREATE VIEW technique_effort AS
SELECT q.frames, q.hot_permille, w.way AS sampling, q.technique, q.parameters, q.structure,
    count(DISTINCT q.replay_id) AS games, count(DISTINCT q.sampling_id) AS replicates,
    avg(1e6 * q.observed / q.instructions) AS observed_per_million,
    avg(1e6 * q.records / q.instructions) AS records_per_million,
    avg(1e6 * q.probes / q.instructions) AS probes_per_million,
    avg(q.steps) AS steps, avg(q.seconds) AS seconds, min(h.told) AS told,
    min(h.cost_percent) AS cost_percent, min(h.steady_cost_percent) AS steady_cost_percent,
    min(h.added_a_frame) AS added_a_frame, min(h.added_a_steady_frame) AS added_a_steady_frame,
    min(h.probes_a_frame) AS probes_a_frame, min(h.handlers_a_frame) AS handlers_a_frame,
    min(h.samples_a_frame) AS samples_a_frame, min(h.of_active_percent) AS of_active_percent,
    q.configuration_id
FROM (SELECT * FROM technique_quality GROUP BY stream_id, configuration_id, hot_permille) q
    JOIN sampling_way w USING (sampling_id)
    LEFT JOIN technique_host h ON h.frames IS q.frames AND h.sampling = w.way
        AND h.configuration_id = q.configuration_id AND h.structure = q.structure
GROUP BY q.frames, q.hot_permille, w.way, q.configuration_id, q.structure;

-- Which technique is best for a given budget of observed instructions, in the mean over all games:
-- by overlap without busy-waits, then by hot_f1_10. structure_allowed: 0, only techniques that are
-- not given the program's edges; 1, all. A budget limits what is observed, not what that costs:
-- cost_percent (technique_host, NULL where nothing was counted) says it. Equals share place 1. not_compared counts those within the
-- budget that lack games (see technique_missing); if there are no others, no technique is named.
CREATE VIEW technique_at_budget AS
SELECT frames, hot_permille, budget, 100 * budget AS budget_percent, structure_allowed,
    iif(complete, sampling, NULL) AS sampling, iif(complete, technique, NULL) AS technique,
    iif(complete, parameters, NULL) AS parameters, iif(complete, structure, NULL) AS structure,
    iif(complete, games, NULL) AS games, of_games, not_compared,
    iif(complete, replicates, NULL) AS replicates,
    iif(complete, observed_share, NULL) AS observed_share,
    iif(complete, observed_share_most, NULL) AS observed_share_most,
    iif(complete, overlap_active, NULL) AS overlap_active,
    iif(complete, overlap_active_lowest, NULL) AS overlap_active_lowest,
    iif(complete, overlap_active_highest, NULL) AS overlap_active_highest,
    iif(complete, overlap_active_least, NULL) AS overlap_active_least,
    iif(complete, hot_f1_active, NULL) AS hot_f1_active,
    iif(complete, hot_f1_10_active, NULL) AS hot_f1_10_active,
    iif(complete, overlap, NULL) AS overlap, iif(complete, hot_f1, NULL) AS hot_f1,
    iif(complete, hot_f1_10, NULL) AS hot_f1_10, iif(complete, told, NULL) AS told,
    iif(complete, cost_percent, NULL) AS cost_percent,
    iif(complete, steady_cost_percent, NULL) AS steady_cost_percent,
    iif(complete, of_active_percent, NULL) AS of_active_percent, place
FROM (SELECT m.*, h.told, h.cost_percent, h.steady_cost_percent, h.of_active_percent, b.budget, a.structure_allowed, m.games = m.of_games AS complete,
        sum(m.games < m.of_games) OVER w AS not_compared, max(m.games = m.of_games) OVER w AS some,
        rank() OVER (w ORDER BY m.games = m.of_games DESC,
            iif(m.games = m.of_games, m.overlap_active, 0) DESC,
            iif(m.games = m.of_games, m.hot_f1_10_active, 0) DESC) AS place,
        row_number() OVER (w ORDER BY m.sampling, m.configuration_id) AS line
    FROM technique_mean m
        JOIN (SELECT column1 AS budget FROM (VALUES (0.000006), (0.00002), (0.00006), (0.0002),
            (0.0006), (0.002), (0.006), (0.015), (1.0))) b ON m.observed_share <= b.budget
        JOIN (SELECT column1 AS structure_allowed FROM (VALUES (0), (1))) a
            ON m.structure <= a.structure_allowed
        LEFT JOIN technique_host h ON h.frames = m.frames AND h.sampling = m.sampling
            AND h.configuration_id = m.configuration_id AND h.structure = m.structure
    WHERE m.overlap_active IS NOT NULL
    WINDOW w AS (PARTITION BY m.frames, m.hot_permille, b.budget, a.structure_allowed))
WHERE complete AND place = 1 OR NOT some AND line = 1
ORDER BY frames, hot_permille, structure_allowed, budget, sampling, technique, parameters;

-- Techniques that no other dominates: no other observes at most as much and overlaps at least as
-- much, one of them strictly, unless it is given the structure and this one is not. What is cheap in
-- samples may be dear in instructions: `frontier` asks for cost.
CREATE VIEW pareto AS
WITH m AS MATERIALIZED (SELECT * FROM technique_mean
    WHERE games = of_games AND overlap_active IS NOT NULL ORDER BY observed_share, overlap_active DESC)
SELECT m.*, h.told, h.cost_percent, h.steady_cost_percent, h.of_active_percent
FROM m LEFT JOIN technique_host h ON h.frames = m.frames AND h.sampling = m.sampling
    AND h.configuration_id = m.configuration_id AND h.structure = m.structure
WHERE NOT EXISTS (SELECT 1 FROM m o
    WHERE o.frames = m.frames AND o.hot_permille = m.hot_permille
        AND o.structure <= m.structure AND o.observed_share <= m.observed_share
        AND o.overlap_active >= m.overlap_active
        AND (o.observed_share < m.observed_share OR o.overlap_active > m.overlap_active))
ORDER BY m.frames, m.hot_permille, m.observed_share, m.overlap_active;

-- Counts of a technique other than its costs, by name: entries that a profiling engine was offered,
-- accepted, dropped, lost, cycles of stalls. They do not depend on the hot share.
CREATE VIEW technique_count AS
SELECT x.name AS experiment, g.name AS game, xs.variant, c.technique,
    substr(c.key, length(c.technique) + 2) AS parameters, n.name, n.value,
    x.experiment_id, xs.stream_id, xc.configuration_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN configuration c USING (configuration_id)
    JOIN counter n ON n.stream_id = xs.stream_id AND n.configuration_id = xc.configuration_id
ORDER BY x.name, g.name, xs.variant, c.technique, c.key, n.name;

-- What traces are worth that techniques select: share of executed transfers that belong to
-- instructions in traces, whole and without busy-waits; share of entries into traces that reach their
-- end; seconds of emulated time until the first trace was there, and those in which nine tenths of what traces
-- execute is executed; of a program, its clock has 10^9 instructions a second. The last three leave out traces that are nothing but a busy-wait.
CREATE VIEW technique_trace AS
SELECT experiment, game, variant, technique, parameters, traces, trace_bytes,
    1.0 * inside / nullif(transfers, 0) AS inside,
    1.0 * inside_active / nullif(transfers_active, 0) AS inside_active,
    1.0 * completed / nullif(entered, 0) AS completed,
    iif(cycles IS NULL, first_cycle / 1e9, first_cycle * 22 / 39375000.0) AS first_seconds,
    iif(cycles IS NULL, ninety_cycle / 1e9, ninety_cycle * 22 / 39375000.0) AS ninety_seconds,
    experiment_id, stream_id, configuration_id
FROM (SELECT *, max(iif(name = 'traces', value, NULL)) AS traces,
        max(iif(name = 'trace_bytes', value, NULL)) AS trace_bytes,
        max(iif(name = 'entered', value, NULL)) AS entered,
        max(iif(name = 'completed', value, NULL)) AS completed,
        max(iif(name = 'transfers', value, NULL)) AS transfers,
        max(iif(name = 'inside', value, NULL)) AS inside,
        max(iif(name = 'transfers_active', value, NULL)) AS transfers_active,
        max(iif(name = 'inside_active', value, NULL)) AS inside_active,
        max(iif(name = 'first_trace_cycle', value, NULL)) AS first_cycle,
        max(iif(name = 'ninety_percent_cycle', value, NULL)) AS ninety_cycle
    FROM technique_count GROUP BY experiment_id, stream_id, configuration_id)
    JOIN stream USING (stream_id)
    JOIN replay USING (replay_id)
WHERE traces IS NOT NULL
ORDER BY experiment, game, variant, technique, configuration_id;

-- Traces of a processor's control flow: bytes written for each executed instruction, packets of each kind for a
-- thousand instructions, the share of bytes that were not decoded, and of instructions that were; the decoder's
-- instructions for each byte that it reads.
CREATE VIEW technique_packets AS
SELECT t.experiment, t.game, t.variant, t.technique, t.parameters, t.written AS bytes,
    1.0 * t.written / p.instructions AS bytes_instruction,
    1000.0 * t.tnt / p.instructions AS tnt, 1000.0 * t.tip / p.instructions AS tip,
    1000.0 * t.fup / p.instructions AS fup, 1000.0 * t.psb / p.instructions AS psb,
    t.samples, 1.0 * t.lost / nullif(t.written, 0) AS lost, 1.0 * t.decoded / p.instructions AS decoded,
    1.0 * t.decoded / nullif(t.written - t.lost, 0) AS instructions_byte, t.changes, t.errors,
    t.experiment_id, t.stream_id, t.configuration_id
FROM (SELECT *, max(iif(name = 'trace_bytes_written', value, NULL)) AS written,
        max(iif(name = 'trace_bytes_lost', value, NULL)) AS lost,
        max(iif(name = 'tnt_packets', value, NULL)) AS tnt,
        max(iif(name = 'tip_packets', value, NULL)) AS tip,
        max(iif(name = 'fup_packets', value, NULL)) AS fup,
        max(iif(name = 'psb_packets', value, NULL)) AS psb,
        max(iif(name = 'trace_samples', value, NULL)) AS samples,
        max(iif(name = 'decoded_instructions', value, NULL)) AS decoded,
        max(iif(name = 'code_changes', value, NULL)) AS changes,
        max(iif(name = 'decoding_errors', value, NULL)) AS errors
    FROM technique_count GROUP BY experiment_id, stream_id, configuration_id) t
    JOIN stream USING (stream_id)
    JOIN replay p USING (replay_id)
WHERE t.written IS NOT NULL
ORDER BY t.experiment, t.game, t.variant, t.technique, t.configuration_id;
-- Acyclic paths: those with flow (decisions that were made on them), the hot ones among them, and the
-- hot ones' share of all flow. Of hot paths' flow: what samples say that is true of each path
-- (hot_overlap), the share of those that samples rank among the hottest (hot_matched), and the same
-- if paths are estimated from the counts of edges (edges_overlap, edges_matched). fixed: the share of all
-- flow that the counts of edges determine.
CREATE VIEW technique_path AS
SELECT experiment, game, variant, technique, parameters, paths, hot_paths, sampled_paths,
    1.0 * hot_path_flow / nullif(path_flow, 0) AS hot_share,
    1.0 * hot_overlap / nullif(hot_path_flow, 0) AS hot_overlap,
    1.0 * hot_matched / nullif(hot_path_flow, 0) AS hot_matched,
    1.0 * fixed_flow / nullif(path_flow, 0) AS fixed,
    1.0 * edges_overlap / nullif(hot_path_flow, 0) AS edges_overlap,
    1.0 * edges_matched / nullif(hot_path_flow, 0) AS edges_matched,
    experiment_id, stream_id, configuration_id
FROM (SELECT *, max(iif(name = 'paths', value, NULL)) AS paths,
        max(iif(name = 'hot_paths', value, NULL)) AS hot_paths,
        max(iif(name = 'path_flow', value, NULL)) AS path_flow,
        max(iif(name = 'hot_path_flow', value, NULL)) AS hot_path_flow,
        max(iif(name = 'sampled_paths', value, NULL)) AS sampled_paths,
        max(iif(name = 'hot_overlap', value, NULL)) AS hot_overlap,
        max(iif(name = 'hot_matched', value, NULL)) AS hot_matched,
        max(iif(name = 'fixed_flow', value, NULL)) AS fixed_flow,
        max(iif(name = 'edges_overlap', value, NULL)) AS edges_overlap,
        max(iif(name = 'edges_matched', value, NULL)) AS edges_matched
    FROM technique_count GROUP BY experiment_id, stream_id, configuration_id)
WHERE hot_paths IS NOT NULL
ORDER BY experiment, game, variant, technique, configuration_id;

-- How much slower games replay with a technique inside: multiples of the time of a replay without,
-- measured next to it; the median over rounds and the range. us_batch is the technique's time on
-- its thread for a batch of samples, growth how much longer a batch takes in the last quarter of
-- the run than in the first.
CREATE VIEW technique_cost AS
SELECT game, configuration, engine, mode, frames, count(*) AS rounds,
    round(avg(iif(place IN ((of + 1) / 2, (of + 2) / 2), slowdown, NULL)), 4) AS slowdown,
    round(min(slowdown), 4) AS slowdown_least, round(max(slowdown), 4) AS slowdown_most,
    round(1e6 * avg(technique_seconds / nullif(batches, 0)), 3) AS us_batch,
    round(avg(last_us / nullif(first_us, 0)), 2) AS growth,
    max(queue_longest) AS queue_longest, sum(held) AS held
FROM (SELECT *, seconds / base_seconds AS slowdown,
        row_number() OVER (w ORDER BY seconds / base_seconds) AS place, count(*) OVER w AS of
    FROM bench
    WINDOW w AS (PARTITION BY game, configuration, engine, mode, frames))
GROUP BY game, configuration, engine, mode, frames
ORDER BY configuration, engine, mode, game;

-- ---- probes in native programs: see docs/native.md ----

-- The percentage of a program's sites that got a probe which is reached by jumps alone.
CREATE VIEW native_fast_share AS
SELECT p.name AS program, s.kind, s.assignment, s.sites,
    round(100.0 * (over_one + over_several + padding + coalesce(reachable, 0) + constrained) / sites, 2)
        AS fast_percent,
    round(100.0 * over_one / sites, 2) AS over_one_percent,
    round(100.0 * over_several / sites, 2) AS over_several_percent,
    round(100.0 * padding / sites, 2) AS padding_percent,
    round(100.0 * coalesce(reachable, 0) / sites, 2) AS reachable_percent,
    round(100.0 * constrained / sites, 2) AS constrained_percent,
    s.trap, s.trapped, s.refused, s.unproven, p.command, p.native_program_id
FROM native_share s JOIN native_program p USING (native_program_id)
WHERE s.sites > 0
ORDER BY p.name, p.command, s.kind, s.assignment;

-- The costs of probes, as medians of all rounds. For the whole program, `ratio` is the median of
-- each round's time over that of the adjacent run without probes, and `work_ratio` the same of what
-- the work adds to the time of a run with nothing to do; for a hit, `added_ns` is the additional time.
CREATE VIEW native_cost AS
SELECT p.name AS program, c.what, c.strategy, c.threads, c.probes, c.rounds, c.seconds,
    c.base_seconds, round(c.ratio, 3) AS ratio,
    CASE c.what WHEN 'hit' THEN round(1e9 * c.added, 3) END AS added_ns,
    CASE WHEN c.what IN ('insertion', 'removal') THEN round(1e6 * c.seconds, 3) END AS us_a_probe,
    round(c.work_ratio, 3) AS work_ratio,
    p.command, r.uuid AS run, c.native_program_id, c.run_id
FROM (SELECT run_id, native_program_id, what, strategy, threads, probes, max(n) AS rounds,
        avg(CASE WHEN by_seconds IN ((n + 1) / 2, (n + 2) / 2) THEN seconds END) AS seconds,
        avg(CASE WHEN by_base IN ((n + 1) / 2, (n + 2) / 2) THEN base_seconds END) AS base_seconds,
        avg(CASE WHEN by_ratio IN ((n + 1) / 2, (n + 2) / 2) THEN seconds / base_seconds END) AS ratio,
        avg(CASE WHEN by_work IN ((n + 1) / 2, (n + 2) / 2) THEN work END) AS work_ratio,
        avg(CASE WHEN by_added IN ((n + 1) / 2, (n + 2) / 2) THEN seconds - base_seconds END) AS added
    FROM (SELECT *, count(*) OVER w AS n, row_number() OVER (w ORDER BY seconds) AS by_seconds,
            row_number() OVER (w ORDER BY base_seconds) AS by_base,
            row_number() OVER (w ORDER BY seconds / base_seconds) AS by_ratio,
            row_number() OVER (w ORDER BY work) AS by_work,
            row_number() OVER (w ORDER BY seconds - base_seconds) AS by_added
        FROM (SELECT *, (seconds - start_seconds) / (base_seconds - base_start_seconds) AS work FROM native_time)
        WINDOW w AS (PARTITION BY run_id, native_program_id, what, strategy, threads, probes))
    GROUP BY run_id, native_program_id, what, strategy, threads, probes) c
    JOIN native_program p USING (native_program_id)
    JOIN run r USING (run_id)
ORDER BY c.run_id, c.what, p.name, p.command, c.strategy, c.threads, c.probes;

-- Calls by function as counted by tools, beside the counts of probes.
CREATE VIEW native_calls AS
SELECT p.name AS program, t.tool, count(*) AS functions, sum(t.calls = h.calls) AS equal,
    round(100.0 * sum(t.calls = h.calls) / count(*), 2) AS equal_percent, p.command,
    p.native_program_id
FROM native_routine h
    JOIN native_routine t USING (native_program_id, address)
    JOIN native_program p USING (native_program_id)
WHERE h.tool = 'hotgraph' AND t.tool <> 'hotgraph'
GROUP BY p.native_program_id, t.tool
ORDER BY p.name, p.command, t.tool;

-- Published figures, as far as they are public, and ours.
CREATE VIEW native_published AS
WITH published(paper, figure, unit, least, most) AS (VALUES
    ('NOProbe, thesis (Balboul 2020)', 'insertion over a uprobe''s, fewer than 16 threads', 'ratio',
        NULL, 0.1667),
    ('NOProbe, article (2025)', 'fast share of sites', '%', 97.0, 99.0),
    ('DIBE', 'insertion alone', 'us', 3.0, 4.0)),
ours(figure, least, most, of) AS (
    SELECT 'fast share of sites', min(fast_percent), max(fast_percent), count(DISTINCT program)
    FROM native_fast_share WHERE assignment = 'local'
    UNION ALL
    SELECT 'insertion alone', min(us_a_probe), max(us_a_probe), count(*)
    FROM native_cost WHERE what = 'insertion' AND probes = 1 AND strategy = 'hotprobe'
    UNION ALL
    SELECT 'insertion over a uprobe''s, fewer than 16 threads', round(min(o.seconds / u.seconds), 4),
        round(max(o.seconds / u.seconds), 4), count(*)
    FROM native_cost o JOIN native_cost u USING (run_id, native_program_id, what, threads, probes)
    WHERE what = 'insertion' AND o.strategy = 'hotprobe' AND u.strategy = 'uprobe' AND threads < 16)
SELECT p.paper, p.figure, p.unit, p.least AS published_least, p.most AS published_most,
    o.least AS least_here, o.most AS most_here, o.of AS measured
FROM published p LEFT JOIN ours o USING (figure)
ORDER BY p.paper, p.figure;

-- libdynprof's table: whole programs with all functions counted, beside other methods of counting,
-- as multiples of the time without (slow tools with less work). Its own figures are not public.
CREATE VIEW native_whole AS
SELECT program, max(CASE strategy WHEN 'functions' THEN ratio END) AS functions,
    max(CASE strategy WHEN 'functions, threshold' THEN ratio END) AS with_threshold,
    max(CASE strategy WHEN 'functions, per thread' THEN ratio END) AS per_thread,
    max(CASE strategy WHEN 'blocks' THEN ratio END) AS blocks,
    max(CASE strategy WHEN 'libraries' THEN ratio END) AS libraries,
    max(CASE strategy WHEN 'perf' THEN ratio END) AS perf,
    max(CASE strategy WHEN '-pg' THEN ratio END) AS pg,
    max(CASE strategy WHEN 'uftrace' THEN ratio END) AS uftrace,
    max(CASE strategy WHEN 'callgrind' THEN ratio END) AS callgrind,
    max(CASE strategy WHEN 'uprobe' THEN ratio END) AS uprobe,
    round(1000 * max(base_seconds), 1) AS longest_ms, run, run_id
FROM native_cost WHERE what = 'whole' AND work_ratio IS NULL
GROUP BY run_id, program
ORDER BY run_id, program;

-- The same over programs. Programs that end within 20 ms are left out: most of that is start-up.
CREATE VIEW native_mean AS
SELECT strategy, count(*) AS programs, round(exp(avg(ln(ratio))), 3) AS geometric_mean,
    min(ratio) AS least, max(ratio) AS most, run, run_id
FROM native_cost WHERE what = 'whole' AND work_ratio IS NULL AND base_seconds >= 0.02 AND ratio > 0
GROUP BY run_id, strategy
ORDER BY run_id, strategy;

-- Tools that count edges of native programs: a line for each program and tool. `ratio` is processor
-- time over that of the program alone, `work_ratio` without the start of both. Edges are those in the
-- program's own code.
CREATE VIEW native_peers AS
SELECT c.program, c.strategy AS tool, c.rounds, round(1000 * c.base_seconds) AS alone_ms, c.ratio,
    c.work_ratio, x.edges, x.equal, x.wrong, round(100.0 * x.equal / x.edges, 2) AS equal_percent,
    c.command, c.run, c.run_id
FROM native_cost c
    LEFT JOIN (SELECT e.run_id, p.name, e.tool, max(e.edges) AS edges, e.equal, e.wrong
        FROM native_edges e JOIN native_program p USING (native_program_id)
        GROUP BY e.run_id, p.name, e.tool) x
        ON x.run_id = c.run_id AND x.name = c.program AND x.tool = c.strategy
WHERE c.what = 'whole' AND c.work_ratio IS NOT NULL
ORDER BY c.run_id, c.program, c.strategy, c.command;

-- The same over programs.
CREATE VIEW native_peers_mean AS
SELECT tool, count(*) AS programs, round(exp(avg(ln(ratio))), 2) AS ratio,
    round(exp(avg(ln(work_ratio))), 2) AS work_ratio, sum(edges) AS edges, sum(equal) AS equal,
    sum(wrong) AS wrong, run, run_id
FROM native_peers WHERE work_ratio > 0
GROUP BY run_id, tool
ORDER BY run_id, tool;

-- Programs with how = "native": processor time alone, with the probes that count their exact graph, and
-- of QEMU, which records their samples; multiples of the first; executions of probes, and of those that are traps.
CREATE VIEW program_time AS
WITH run_of AS (SELECT DISTINCT run_id, replay, game FROM run_input)
SELECT n.game, max(CASE r.how WHEN 'native' THEN r.seconds END) AS native_seconds,
    max(CASE r.how WHEN 'probes' THEN r.seconds END) AS probes_seconds,
    max(CASE r.how WHEN 'recorded' THEN r.seconds END) AS recorded_seconds,
    round(max(CASE r.how WHEN 'probes' THEN r.seconds END)
        / max(CASE r.how WHEN 'native' THEN r.seconds END), 2) AS probes_ratio,
    round(max(CASE r.how WHEN 'recorded' THEN r.seconds END)
        / max(CASE r.how WHEN 'native' THEN r.seconds END), 2) AS recorded_ratio,
    max(r.probed) AS probed, max(r.traps) AS traps, r.run_id
FROM program_run r JOIN replay p USING (replay_id)
    JOIN run_of n ON n.run_id = r.run_id AND n.replay = p.key
GROUP BY r.run_id, r.replay_id
ORDER BY n.game, r.run_id;

-- How sampling by time biases results: the interval and the jitter in frames of an NTSC console
-- (16.639267 ms), beside samplings without such a bias. Replicates are phases and seeds.
CREATE VIEW sampling_bias AS
SELECT m.frames, m.hot_permille, m.technique, m.parameters, s.method, m.sampling,
    s.interval_us / 1000.0 AS interval_ms, s.interval_us / 16639.267 AS interval_frames,
    100.0 * s.jitter_us / s.interval_us AS jitter_percent, s.weighting, m.replicates, m.games,
    m.observed_share, m.overlap_active, m.overlap_active_lowest, m.overlap_active_highest,
    m.overlap_active_least, m.hot_f1_10_active, m.overlap, m.overlap_lowest, m.overlap_highest
FROM technique_mean m
    JOIN (SELECT way, min(method) AS method, min(interval_us) AS interval_us,
            min(jitter_us) AS jitter_us, min(weighting) AS weighting
        FROM sampling_way GROUP BY way) s ON s.way = m.sampling
WHERE m.games = m.of_games AND s.method IN ('time', 'instructions')
ORDER BY m.frames, m.hot_permille, m.technique, m.parameters, s.method DESC, s.interval_us,
    s.jitter_us, s.weighting;

-- Papers' figures about their techniques, beside what `make bench` found for ours in the same unit:
-- overhead, in percent of the time without the technique; share_of_time, in percent of the time
-- with it.
CREATE VIEW paper_beside AS
SELECT f.technique, f.paper, f.subject, f.measure, f.percent AS published_percent,
    f.percent_to AS published_percent_to, f.remark,
    o.engine, o.mode, o.configuration, o.rounds,
    round(CASE f.measure WHEN 'overhead' THEN 100 * (o.slowdown - 1)
        WHEN 'share_of_time' THEN 100 * (1 - 1 / o.slowdown) END, 1) AS our_percent
FROM paper_figure f
    LEFT JOIN (SELECT iif(instr(configuration, ' ') = 0, configuration,
            substr(configuration, 1, instr(configuration, ' ') - 1)) AS technique, configuration,
            engine, mode, count(*) AS rounds, sum(seconds) / sum(base_seconds) AS slowdown
        FROM bench GROUP BY configuration, engine, mode) o USING (technique)
ORDER BY f.technique, f.paper, f.subject, o.engine, o.mode, o.configuration;
