-- Copies the rows of version 1, whose tables have been renamed version1_..., into this version's
-- tables. Ids become the names that rows have by their content; values that version 1 did not store
-- stay NULL.

CREATE TEMP TABLE run_of AS
SELECT run_id AS old, row_id('version1', host, started, configuration_file, definition_hash, run_id)
    AS seed FROM version1_run;
ALTER TABLE run_of ADD COLUMN uuid TEXT;
ALTER TABLE run_of ADD COLUMN id INTEGER;
UPDATE run_of SET uuid = printf('%08x-%04x-8%03x-8%03x-%012x', seed >> 32, (seed >> 16) & 0xFFFF,
    (seed >> 4) & 0xFFF, seed & 0xFFF, seed & 0xFFFFFFFFFFFF);
UPDATE run_of SET id = row_id('run', uuid);

INSERT INTO run (run_id, uuid, version, source_commit, host, compiler, configuration_file,
    definition_hash, jobs, started, finished)
SELECT id, uuid, version, source_commit, host, compiler, configuration_file, definition_hash, jobs,
    started, finished
FROM version1_run JOIN run_of ON old = run_id;

INSERT INTO game (game_id, name, title, untested, paper_game)
SELECT row_id('game', name), name, title, untested, paper_game FROM version1_game;

INSERT INTO movie (movie_id, sha1, file, lines)
SELECT row_id('movie', sha1), sha1, file, lines FROM version1_movie;

CREATE TEMP TABLE replay_of AS
SELECT replay_id AS old, row_id('replay', key) AS id FROM version1_replay;

-- A ROM with two names was played twice: equal rows become one.
INSERT INTO replay (replay_id, key, kind, rom_sha1, movie_id, frames, cycles, ram_hash, frames_hash,
    instructions, engine, blocks, edges, busy_edges, weight, busy_weight, hot_edges,
    hot_edges_active, exact_hash, exact_records, exact_probes, exact_observed, exact_steps, seconds,
    run_id)
SELECT ro.id, p.key, iif(rom_sha1 IS NULL, 'pair', 'game'), rom_sha1,
    iif(m.sha1 IS NULL, NULL, row_id('movie', m.sha1)),
    frames, cycles, ram_hash, frames_hash, instructions, engine, blocks, edges, busy_edges, weight,
    busy_weight, hot_edges, hot_edges_active, exact_hash, exact_records, exact_probes,
    exact_observed, exact_steps, seconds, run_of.id
FROM version1_replay p
    JOIN replay_of ro ON ro.old = p.replay_id
    JOIN run_of ON run_of.old = p.run_id
    LEFT JOIN version1_movie m USING (movie_id)
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO exact_edge (replay_id, source, target, count, busy, hot, hot_active)
SELECT ro.id, source, target, count, busy, hot, hot_active
FROM version1_exact_edge JOIN replay_of ro ON ro.old = replay_id
WHERE true ON CONFLICT DO NOTHING;

-- The seed is part of a sampling only if there is jitter.
CREATE TEMP TABLE stream_of AS
SELECT stream_id AS old, ro.id AS replay_id, s.run_id, iif(interval_us IS NULL, s.key,
    printf('time interval_us=%d batch=%d jitter_us=%d', interval_us, batch_length, jitter_us)
    || iif(jitter_us > 0, printf(' seed=%d', seed), '')
    || printf(' phase_cycles=%d', phase_cycles)) AS key
FROM version1_stream s JOIN replay_of ro ON ro.old = s.replay_id;
ALTER TABLE stream_of ADD COLUMN sampling_id INTEGER;
ALTER TABLE stream_of ADD COLUMN id INTEGER;
UPDATE stream_of SET sampling_id = row_id('sampling', key);
UPDATE stream_of SET id = row_id('stream', replay_id, sampling_id);

INSERT INTO sampling (sampling_id, key, method, interval_us, batch_length, jitter_us, seed,
    phase_cycles)
SELECT sampling_id, so.key, iif(interval_us IS NULL, 'file', 'time'), interval_us,
    iif(interval_us IS NULL, NULL, batch_length), jitter_us, iif(jitter_us > 0, seed, NULL),
    phase_cycles
FROM stream_of so JOIN version1_stream s ON s.stream_id = so.old
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO stream (stream_id, replay_id, sampling_id, batch_length, batches, samples, overruns,
    hash, run_id)
SELECT so.id, so.replay_id, so.sampling_id, batch_length, batches, samples, overruns, hash,
    run_of.id
FROM stream_of so JOIN version1_stream s ON s.stream_id = so.old
    JOIN run_of ON run_of.old = s.run_id
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO configuration (configuration_id, key, technique)
SELECT row_id('configuration', key), key, technique FROM version1_configuration;
INSERT INTO configuration_value (configuration_id, name, value)
WITH long AS (
    SELECT key, 'bin_size' AS name, bin_size AS value FROM version1_configuration
    UNION ALL SELECT key, 'stdev_threshold', stdev_threshold FROM version1_configuration
    UNION ALL SELECT key, 'window_size', window_size FROM version1_configuration
    UNION ALL SELECT key, 'recurrent_threshold', recurrent_threshold FROM version1_configuration
    UNION ALL SELECT key, 'builder', builder FROM version1_configuration)
SELECT row_id('configuration', key), name, value FROM long WHERE value IS NOT NULL;

INSERT INTO graph (graph_id, hash, edges, blocks)
SELECT row_id('graph', graph_hash), graph_hash, edges, blocks FROM version1_result
WHERE true ON CONFLICT DO NOTHING;
INSERT INTO graph_edge (graph_id, source, target, count)
SELECT row_id('graph', graph_hash), source, target, count
FROM version1_graph_edge JOIN version1_result USING (stream_id, configuration_id)
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO result (stream_id, configuration_id, bins, low, high, blocks, edges, graph_id, records,
    probes, observed, steps, seconds, run_id)
SELECT so.id, row_id('configuration', c.key), bins, low, high, blocks, edges,
    row_id('graph', graph_hash), records, probes, observed, steps, seconds, run_of.id
FROM version1_result r
    JOIN stream_of so ON so.old = r.stream_id
    JOIN version1_configuration c USING (configuration_id)
    JOIN run_of ON run_of.old = r.run_id
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO quality (stream_id, configuration_id, part, batches, hot_permille, bins, blocks, edges,
    common_edges, hot_edges, similarity, precision, f1, coverage, overlap, block_overlap,
    edges_active, common_edges_active, hot_edges_active, similarity_active, precision_active,
    f1_active, coverage_active, overlap_active, block_overlap_active, run_id)
SELECT so.id, row_id('configuration', c.key), 'first', s.batches, 900, bins, r.blocks, r.edges,
    common_edges, p.hot_edges, similarity, precision, f1, coverage, overlap, block_overlap,
    edges_active, common_edges_active, p.hot_edges_active, similarity_active, precision_active,
    f1_active, coverage_active, overlap_active, block_overlap_active, run_of.id
FROM version1_result r
    JOIN version1_stream s USING (stream_id)
    JOIN version1_replay p ON p.replay_id = s.replay_id
    JOIN stream_of so ON so.old = r.stream_id
    JOIN version1_configuration c USING (configuration_id)
    JOIN run_of ON run_of.old = r.run_id
WHERE true ON CONFLICT DO NOTHING;

-- The last point of a curve is the result itself.
INSERT INTO quality (stream_id, configuration_id, part, batches, hot_permille, bins, blocks, edges,
    similarity, precision, f1, coverage, overlap, block_overlap, similarity_active,
    precision_active, f1_active, coverage_active, overlap_active, block_overlap_active, run_id)
SELECT so.id, row_id('configuration', c.key), 'first', batches, 900, bins, blocks, edges,
    similarity, precision, f1, coverage, overlap, block_overlap, similarity_active,
    precision_active, f1_active, coverage_active, overlap_active, block_overlap_active, run_of.id
FROM version1_convergence v
    JOIN stream_of so ON so.old = v.stream_id
    JOIN version1_configuration c USING (configuration_id)
    JOIN run_of ON run_of.old = v.run_id
WHERE true ON CONFLICT DO NOTHING;

INSERT INTO experiment (experiment_id, name, definition_hash)
SELECT row_id('experiment', name), name, definition_hash FROM version1_experiment;
INSERT INTO experiment_configuration (experiment_id, configuration_id, number, baseline, label)
SELECT row_id('experiment', x.name), row_id('configuration', c.key), number, number IS NULL, label
FROM version1_experiment_configuration JOIN version1_experiment x USING (experiment_id)
    JOIN version1_configuration c USING (configuration_id);
INSERT INTO experiment_stream (experiment_id, game_id, stream_id, sampling_id, variant)
SELECT row_id('experiment', x.name), row_id('game', g.name), so.id, so.sampling_id, ''
FROM version1_experiment_stream xs JOIN version1_experiment x USING (experiment_id)
    JOIN version1_game g USING (game_id)
    JOIN stream_of so ON so.old = xs.stream_id;
-- Version 1 did not store an experiment's marks: these are the marks at which its labelled
-- configurations have results. The next sweep stores the right ones.
INSERT INTO experiment_mark (experiment_id, batches)
SELECT DISTINCT row_id('experiment', x.name), v.batches
FROM version1_experiment x JOIN version1_experiment_stream xs USING (experiment_id)
    JOIN version1_experiment_configuration xc USING (experiment_id)
    JOIN version1_convergence v ON v.stream_id = xs.stream_id
        AND v.configuration_id = xc.configuration_id
    JOIN version1_stream s ON s.stream_id = v.stream_id
WHERE xc.label IS NOT NULL AND v.batches < s.batches;
INSERT INTO experiment_hot (experiment_id, hot_permille)
SELECT experiment_id, 900 FROM experiment;

DROP TABLE version1_experiment_stream;
DROP TABLE version1_experiment_configuration;
DROP TABLE version1_experiment;
DROP TABLE version1_graph_edge;
DROP TABLE version1_convergence;
DROP TABLE version1_result;
DROP TABLE version1_stream;
DROP TABLE version1_exact_edge;
DROP TABLE version1_replay;
DROP TABLE version1_movie;
DROP TABLE version1_game;
DROP TABLE version1_configuration;
DROP TABLE version1_run;
DROP TABLE run_of;
DROP TABLE replay_of;
DROP TABLE stream_of;
