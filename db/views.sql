-- Views over the experiment that was swept last. They hold no data and are made anew whenever the
-- database's version rises.
--
-- Rankings: by the metric, then by configuration number; a metric over an empty set comes last.
-- Percentages are rounded here and nowhere else.

CREATE VIEW current_experiment AS
SELECT * FROM experiment ORDER BY chosen DESC LIMIT 1;

-- One row a game and configuration, with everything by name. number is NULL for the baseline.
CREATE VIEW results AS
SELECT g.name AS game, g.title, g.untested, g.paper_game,
    xc.number, xc.label, c.technique, c.bin_size, c.stdev_threshold, c.window_size,
    c.recurrent_threshold, c.builder, r.*
FROM current_experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN configuration c USING (configuration_id)
    JOIN result r ON r.stream_id = xs.stream_id AND r.configuration_id = c.configuration_id;

CREATE VIEW baseline AS
SELECT * FROM results WHERE number IS NULL;

-- The grid's results with their places in the game. place counts from the best, place_from_worst
-- from the worst, tied_place gives equals the mean of the places they share, and winner marks the
-- best with all its equals.
CREATE VIEW ranked AS
SELECT *,
    row_number() OVER (PARTITION BY game ORDER BY similarity DESC NULLS LAST, number) AS place,
    row_number() OVER (PARTITION BY game ORDER BY similarity NULLS LAST, number)
        AS place_from_worst,
    rank() OVER (PARTITION BY game ORDER BY similarity DESC NULLS LAST)
        + (count(*) OVER (PARTITION BY game, similarity) - 1) / 2.0 AS tied_place,
    rank() OVER (PARTITION BY game ORDER BY similarity DESC NULLS LAST) = 1 AS winner,
    row_number() OVER (PARTITION BY game ORDER BY similarity_active DESC NULLS LAST, number)
        AS place_active,
    row_number() OVER (PARTITION BY game ORDER BY similarity_active NULLS LAST, number)
        AS place_active_from_worst,
    rank() OVER (PARTITION BY game ORDER BY similarity_active DESC NULLS LAST)
        + (count(*) OVER (PARTITION BY game, similarity_active) - 1) / 2.0 AS tied_place_active
FROM results WHERE number IS NOT NULL;

-- The paper's tables 3 and 4, each list put in our order; printed_place is the paper's.
CREATE VIEW paper_ranked AS
SELECT *,
    row_number() OVER (PARTITION BY paper_game, list ORDER BY
        CASE list WHEN 'best' THEN -similarity_percent ELSE similarity_percent END, printed_place)
        AS place
FROM paper_result;

-- In tables 1 to 4, untested is 1 where nobody has seen the game's movie play.

-- Table 1: how much was sampled.
CREATE VIEW table1 AS
SELECT g.name AS game, s.batches, p.instructions,
    round(100.0 * s.samples / p.instructions, 2) AS sampled_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    pg.paper_game, pg.batches AS paper_batches, pg.instructions AS paper_instructions,
    pg.sampled_percent AS paper_sampled_percent, g.untested
FROM current_experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN replay p USING (replay_id)
    LEFT JOIN baseline b ON b.game = g.name
    LEFT JOIN paper_game pg ON pg.paper_game = g.paper_game
ORDER BY g.name;

-- Table 2: the best and the worst similarity that the grid reaches, and the baseline's.
CREATE VIEW table2 AS
SELECT r.game, p.hot_edges,
    round(100 * max(r.similarity), 1) AS best_percent,
    round(100 * min(r.similarity), 1) AS worst_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    p.hot_edges_active,
    round(100 * max(r.similarity_active), 1) AS best_active_percent,
    round(100 * min(r.similarity_active), 1) AS worst_active_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    r.paper_game, pg.best_percent AS paper_best_percent, pg.worst_percent AS paper_worst_percent,
    r.untested
FROM ranked r
    JOIN stream s USING (stream_id)
    JOIN replay p USING (replay_id)
    LEFT JOIN baseline b USING (game)
    LEFT JOIN paper_game pg ON pg.paper_game = r.paper_game
GROUP BY r.game ORDER BY r.game;

-- Table 3: the three best configurations of each game.
CREATE VIEW table3 AS
SELECT r.game, r.place, r.number, r.bin_size, r.stdev_threshold, r.window_size,
    r.recurrent_threshold, r.bins,
    round(100 * r.similarity, 1) AS similarity_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    round(100 * r.similarity_active, 1) AS similarity_active_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    q.paper_game, q.bin_size AS paper_bin_size, q.stdev_threshold AS paper_stdev_threshold,
    q.window_size AS paper_window_size, q.recurrent_threshold AS paper_recurrent_threshold,
    q.bins AS paper_bins, q.similarity_percent AS paper_similarity_percent, r.untested
FROM ranked r
    LEFT JOIN baseline b USING (game)
    LEFT JOIN paper_ranked q
        ON q.paper_game = r.paper_game AND q.list = 'best' AND q.place = r.place
WHERE r.place <= 3 ORDER BY r.game, r.place;

-- Table 4: the three worst, the worst first.
CREATE VIEW table4 AS
SELECT r.game, r.place_from_worst AS place, r.number, r.bin_size, r.stdev_threshold,
    r.window_size, r.recurrent_threshold, r.bins,
    round(100 * r.similarity, 1) AS similarity_percent,
    round(100 * b.similarity, 1) AS baseline_percent,
    round(100 * r.similarity_active, 1) AS similarity_active_percent,
    round(100 * b.similarity_active, 1) AS baseline_active_percent,
    q.paper_game, q.bin_size AS paper_bin_size, q.stdev_threshold AS paper_stdev_threshold,
    q.window_size AS paper_window_size, q.recurrent_threshold AS paper_recurrent_threshold,
    q.bins AS paper_bins, q.similarity_percent AS paper_similarity_percent, r.untested
FROM ranked r
    LEFT JOIN baseline b USING (game)
    LEFT JOIN paper_ranked q
        ON q.paper_game = r.paper_game AND q.list = 'worst' AND q.place = r.place_from_worst
WHERE r.place_from_worst <= 3 ORDER BY r.game, r.place_from_worst;

-- The ranking over games: by mean similarity, which no game with many ties can distort, then by
-- number. mean_place is the mean of the tied places; games_won counts the games in which no other
-- configuration is better.
CREATE VIEW best_configuration AS
SELECT row_number() OVER (ORDER BY avg(similarity) DESC NULLS LAST, number) AS place,
    number, bin_size, stdev_threshold, window_size, recurrent_threshold, count(*) AS games,
    round(100 * avg(similarity), 2) AS mean_percent,
    round(100 * avg(similarity_active), 2) AS mean_active_percent,
    round(avg(tied_place), 2) AS mean_place,
    round(avg(tied_place_active), 2) AS mean_place_active,
    sum(winner) AS games_won,
    (SELECT round(100 * avg(similarity), 2) FROM baseline) AS baseline_mean_percent,
    (SELECT round(100 * avg(similarity_active), 2) FROM baseline) AS baseline_mean_active_percent
FROM ranked GROUP BY number ORDER BY 1;

-- The same from the other end.
CREATE VIEW worst_configuration AS
SELECT row_number() OVER (ORDER BY avg(similarity) NULLS LAST, number) AS place,
    number, bin_size, stdev_threshold, window_size, recurrent_threshold, count(*) AS games,
    round(100 * avg(similarity), 2) AS mean_percent,
    round(100 * avg(similarity_active), 2) AS mean_active_percent,
    round(avg(tied_place), 2) AS mean_place,
    round(avg(tied_place_active), 2) AS mean_place_active,
    (SELECT round(100 * avg(similarity), 2) FROM baseline) AS baseline_mean_percent,
    (SELECT round(100 * avg(similarity_active), 2) FROM baseline) AS baseline_mean_active_percent
FROM ranked GROUP BY number ORDER BY 1;

-- Main effects: the mean over all games and all values of the other parameters, and how far, in
-- percentage points, that is from the mean of everything.
CREATE VIEW parameter_effect AS
WITH long AS (
    SELECT 'bin_size' AS parameter, bin_size AS value, * FROM ranked
    UNION ALL SELECT 'stdev_threshold', stdev_threshold, * FROM ranked
    UNION ALL SELECT 'window_size', window_size, * FROM ranked
    UNION ALL SELECT 'recurrent_threshold', recurrent_threshold, * FROM ranked
    UNION ALL SELECT 'builder', builder, * FROM ranked)
SELECT parameter, value, count(*) AS results,
    round(100 * avg(similarity), 2) AS mean_percent,
    round(100 * (avg(similarity) - (SELECT avg(similarity) FROM ranked)), 2) AS effect_points,
    round(100 * avg(similarity_active), 2) AS mean_active_percent,
    round(100 * (avg(similarity_active) - (SELECT avg(similarity_active) FROM ranked)), 2)
        AS effect_active_points
FROM long WHERE value IS NOT NULL GROUP BY parameter, value ORDER BY parameter, value;

-- How quickly the baseline and the named configurations find what they find.
CREATE VIEW convergence_curve AS
SELECT g.name AS game, xc.label, xc.number, v.*
FROM current_experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN experiment_configuration xc USING (experiment_id)
    JOIN convergence v ON v.stream_id = xs.stream_id AND v.configuration_id = xc.configuration_id
WHERE xc.label IS NOT NULL
ORDER BY g.name, xc.number NULLS FIRST, v.batches;

-- Which configurations of a game have their graphs in graph_edge, and why.
CREATE VIEW kept_graph AS
SELECT game, stream_id, configuration_id, number, 'best' AS role FROM ranked WHERE place = 1
UNION ALL
SELECT game, stream_id, configuration_id, number, 'median' FROM (
    SELECT *, count(*) OVER (PARTITION BY game) AS places FROM ranked) WHERE place = (places + 1) / 2
UNION ALL
SELECT game, stream_id, configuration_id, number, 'worst' FROM ranked WHERE place_from_worst = 1
UNION ALL
SELECT game, stream_id, configuration_id, NULL, 'baseline' FROM baseline;

-- Every edge of the hot graphs, and who found it (1) or not (0).
CREATE VIEW hot_edge AS
SELECT g.name AS game, printf('%04x', h.source) AS source, printf('%04x', h.target) AS target,
    h.count, h.busy, h.hot, h.hot_active,
    max(k.role = 'best' AND e.source IS NOT NULL) AS in_best,
    max(k.role = 'median' AND e.source IS NOT NULL) AS in_median,
    max(k.role = 'worst' AND e.source IS NOT NULL) AS in_worst,
    max(k.role = 'baseline' AND e.source IS NOT NULL) AS in_baseline
FROM current_experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN exact_edge h USING (replay_id)
    LEFT JOIN kept_graph k ON k.game = g.name
    LEFT JOIN graph_edge e ON e.stream_id = k.stream_id
        AND e.configuration_id = k.configuration_id AND e.source = h.source AND e.target = h.target
WHERE h.hot = 1 OR h.hot_active = 1
GROUP BY g.name, h.source, h.target ORDER BY g.name, h.count DESC, h.source, h.target;
