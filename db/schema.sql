-- Version 1 of the database: what was replayed, what was sampled, what each configuration found.
--
-- Rows hang on what determines them: a replay on ROM, movie and frames; a stream on its replay and
-- sampling; a result on its stream and configuration. Their `key` columns spell that out, so an
-- experiment that changes keeps every row that still stands, and databases can be merged by key.
-- Numbers in columns named `seconds` are the only ones that differ from run to run.

CREATE TABLE run ( -- one row a sweep that had something to compute
    run_id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    source_commit TEXT NOT NULL,
    host TEXT NOT NULL,
    compiler TEXT NOT NULL,
    configuration_file TEXT NOT NULL,
    definition_hash TEXT NOT NULL, -- of the experiment, as in `experiment`
    jobs INTEGER NOT NULL,
    started TEXT NOT NULL, -- UTC, ISO 8601
    finished TEXT -- NULL: stopped before its end
) STRICT;

CREATE TABLE paper_game ( -- Napoli 2015, tables 1 and 2; percentages truncated there
    paper_game TEXT PRIMARY KEY,
    batches INTEGER NOT NULL,
    instructions INTEGER NOT NULL,
    sampled_percent REAL NOT NULL,
    best_percent INTEGER NOT NULL,
    worst_percent INTEGER NOT NULL
) STRICT;

CREATE TABLE paper_result ( -- Napoli 2015, tables 3 (best) and 4 (worst)
    paper_game TEXT NOT NULL REFERENCES paper_game,
    list TEXT NOT NULL CHECK (list IN ('best', 'worst')),
    printed_place INTEGER NOT NULL,
    bin_size INTEGER NOT NULL,
    stdev_threshold INTEGER NOT NULL,
    window_size INTEGER NOT NULL,
    recurrent_threshold INTEGER NOT NULL,
    bins INTEGER NOT NULL,
    similarity_percent INTEGER NOT NULL,
    PRIMARY KEY (paper_game, list, printed_place)
) STRICT, WITHOUT ROWID;

CREATE TABLE game (
    game_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    untested INTEGER NOT NULL CHECK (untested IN (0, 1)), -- its movie has never been seen to play
    paper_game TEXT REFERENCES paper_game -- the paper's game of the same kind, or the same one
) STRICT;

CREATE TABLE movie (
    movie_id INTEGER PRIMARY KEY,
    sha1 TEXT NOT NULL UNIQUE,
    file TEXT NOT NULL, -- its name when it was first met
    lines INTEGER NOT NULL
) STRICT;

CREATE TABLE replay ( -- a game played once, or the exact graph of a foreign pair
    replay_id INTEGER PRIMARY KEY,
    game_id INTEGER NOT NULL REFERENCES game,
    key TEXT NOT NULL,
    rom_sha1 TEXT, -- this and the columns up to frames_hash: NULL for a foreign pair
    movie_id INTEGER REFERENCES movie,
    frames INTEGER,
    instructions INTEGER, -- of a foreign pair: NULL where its configuration does not say
    cycles INTEGER,
    ram_hash TEXT, -- FNV-1a of the 2 KiB of RAM after the last frame
    frames_hash TEXT, -- xxh3-128 over that of each frame
    engine TEXT,
    blocks INTEGER NOT NULL, -- of the exact graph, like everything down to exact_hash
    edges INTEGER NOT NULL,
    busy_edges INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    busy_weight INTEGER NOT NULL,
    hot_edges INTEGER NOT NULL,
    hot_edges_active INTEGER NOT NULL,
    exact_hash TEXT NOT NULL,
    exact_records INTEGER, -- costs of the instrumentation; NULL for a foreign pair
    exact_probes INTEGER,
    exact_observed INTEGER,
    exact_steps INTEGER,
    seconds REAL, -- processor time of the replay with sampler and exact profiler
    run_id INTEGER NOT NULL REFERENCES run,
    UNIQUE (game_id, key)
) STRICT;

CREATE TABLE exact_edge (
    replay_id INTEGER NOT NULL REFERENCES replay,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    count INTEGER NOT NULL,
    busy INTEGER NOT NULL CHECK (busy IN (0, 1)), -- part of a busy-wait
    hot INTEGER NOT NULL CHECK (hot IN (0, 1)), -- of the 90 % hot graph
    hot_active INTEGER NOT NULL CHECK (hot_active IN (0, 1)), -- of that without busy-waits
    PRIMARY KEY (replay_id, source, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE stream (
    stream_id INTEGER PRIMARY KEY,
    replay_id INTEGER NOT NULL REFERENCES replay,
    key TEXT NOT NULL,
    interval_us INTEGER, -- this and the next three: NULL for a foreign stream
    jitter_us INTEGER,
    seed INTEGER,
    phase_cycles INTEGER,
    batch_length INTEGER NOT NULL,
    batches INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    overruns INTEGER NOT NULL,
    hash TEXT NOT NULL, -- of everything a technique sees in it
    run_id INTEGER NOT NULL REFERENCES run,
    UNIQUE (replay_id, key)
) STRICT;

CREATE TABLE configuration ( -- a technique with values for its parameters
    configuration_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    technique TEXT NOT NULL,
    bin_size INTEGER, -- NULL: the technique has no such parameter
    stdev_threshold INTEGER,
    window_size INTEGER,
    recurrent_threshold INTEGER,
    builder INTEGER
) STRICT;

CREATE TABLE result ( -- what a configuration found in a whole stream
    stream_id INTEGER NOT NULL REFERENCES stream,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    bins INTEGER NOT NULL,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    edges INTEGER NOT NULL,
    common_edges INTEGER NOT NULL, -- also in the exact graph
    similarity REAL, -- metrics: NULL over an empty set
    precision REAL,
    f1 REAL,
    coverage REAL,
    overlap REAL,
    block_overlap REAL,
    edges_active INTEGER NOT NULL, -- the same with busy-waits left out of both graphs
    common_edges_active INTEGER NOT NULL,
    similarity_active REAL,
    precision_active REAL,
    f1_active REAL,
    coverage_active REAL,
    overlap_active REAL,
    block_overlap_active REAL,
    graph_hash TEXT NOT NULL,
    records INTEGER NOT NULL, -- costs, deterministic
    probes INTEGER NOT NULL,
    observed INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    seconds REAL NOT NULL, -- processor time
    run_id INTEGER NOT NULL REFERENCES run,
    PRIMARY KEY (stream_id, configuration_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE convergence ( -- what it had found after the first batches
    stream_id INTEGER NOT NULL REFERENCES stream,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    batches INTEGER NOT NULL,
    bins INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    edges INTEGER NOT NULL,
    similarity REAL,
    precision REAL,
    f1 REAL,
    coverage REAL,
    overlap REAL,
    block_overlap REAL,
    similarity_active REAL,
    precision_active REAL,
    f1_active REAL,
    coverage_active REAL,
    overlap_active REAL,
    block_overlap_active REAL,
    run_id INTEGER NOT NULL REFERENCES run,
    PRIMARY KEY (stream_id, configuration_id, batches)
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_edge ( -- graphs of the best, median and worst configuration and the baseline
    stream_id INTEGER NOT NULL REFERENCES stream,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (stream_id, configuration_id, source, target)
) STRICT, WITHOUT ROWID;

-- An experiment is what a configuration file asks for. Its three tables say which rows the views
-- show: those of the experiment with the highest `chosen`, the one that was swept last.

CREATE TABLE experiment (
    experiment_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition_hash TEXT NOT NULL, -- of sampling, configurations and marks; games have their keys
    chosen INTEGER NOT NULL
) STRICT;

CREATE TABLE experiment_configuration (
    experiment_id INTEGER NOT NULL REFERENCES experiment,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    number INTEGER, -- place in the grid, counted from 0; NULL for the baseline
    label TEXT, -- NULL unless the configuration has a convergence curve
    PRIMARY KEY (experiment_id, configuration_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE experiment_stream (
    experiment_id INTEGER NOT NULL REFERENCES experiment,
    game_id INTEGER NOT NULL REFERENCES game,
    stream_id INTEGER NOT NULL REFERENCES stream,
    PRIMARY KEY (experiment_id, game_id)
) STRICT, WITHOUT ROWID;

INSERT INTO paper_game VALUES
    ('1942', 100678, 206669737, 1.21, 28, 16),
    ('Balloon Fight', 96043, 206182658, 1.16, 80, 39),
    ('Dig Dug', 94325, 187979198, 1.25, 77, 28),
    ('Donkey Kong', 87918, 153165705, 1.43, 68, 43),
    ('Mario Bros', 129890, 163787250, 1.98, 83, 53),
    ('Pac-Man', 92582, 184049378, 1.25, 69, 28),
    ('Popeye', 151572, 165474083, 2.28, 83, 66),
    ('Super Mario Bros', 85050, 181871018, 1.16, 64, 26);

INSERT INTO paper_result VALUES
    ('1942', 'best', 1, 10, 15, 13, 5, 252, 28),
    ('1942', 'best', 2, 13, 15, 13, 5, 208, 28),
    ('1942', 'best', 3, 10, 15, 13, 8, 252, 28),
    ('Balloon Fight', 'best', 1, 13, 8, 13, 5, 57, 80),
    ('Balloon Fight', 'best', 2, 16, 8, 13, 5, 47, 80),
    ('Balloon Fight', 'best', 3, 16, 8, 13, 8, 47, 80),
    ('Dig Dug', 'best', 1, 13, 15, 13, 5, 279, 75),
    ('Dig Dug', 'best', 2, 8, 15, 13, 5, 238, 76),
    ('Dig Dug', 'best', 3, 10, 15, 13, 5, 192, 77),
    ('Donkey Kong', 'best', 1, 16, 10, 13, 12, 56, 67),
    ('Donkey Kong', 'best', 2, 16, 15, 13, 5, 84, 68),
    ('Donkey Kong', 'best', 3, 16, 15, 13, 8, 84, 68),
    ('Mario Bros', 'best', 1, 16, 10, 10, 12, 54, 83),
    ('Mario Bros', 'best', 2, 16, 10, 10, 8, 54, 83),
    ('Mario Bros', 'best', 3, 16, 12, 10, 8, 61, 83),
    ('Pac-Man', 'best', 1, 8, 15, 13, 5, 211, 69),
    ('Pac-Man', 'best', 2, 10, 15, 13, 5, 186, 69),
    ('Pac-Man', 'best', 3, 16, 15, 13, 8, 129, 69),
    ('Popeye', 'best', 1, 16, 12, 10, 5, 79, 83),
    ('Popeye', 'best', 2, 16, 15, 10, 5, 95, 83),
    ('Popeye', 'best', 3, 10, 15, 13, 5, 145, 83),
    ('Super Mario Bros', 'best', 1, 10, 15, 13, 5, 165, 63),
    ('Super Mario Bros', 'best', 2, 13, 15, 13, 5, 228, 63),
    ('Super Mario Bros', 'best', 3, 13, 12, 13, 5, 186, 64),
    ('1942', 'worst', 1, 8, 8, 6, 12, 83, 16),
    ('1942', 'worst', 2, 8, 8, 6, 12, 83, 16), -- printed twice there
    ('1942', 'worst', 3, 10, 8, 6, 12, 73, 16),
    ('Balloon Fight', 'worst', 1, 8, 12, 10, 12, 79, 39),
    ('Balloon Fight', 'worst', 2, 8, 15, 10, 12, 127, 45),
    ('Balloon Fight', 'worst', 3, 8, 10, 10, 12, 162, 46),
    ('Dig Dug', 'worst', 1, 8, 8, 6, 12, 85, 28),
    ('Dig Dug', 'worst', 2, 8, 8, 6, 12, 85, 28), -- printed twice there
    ('Dig Dug', 'worst', 3, 8, 8, 6, 8, 85, 29),
    ('Donkey Kong', 'worst', 1, 10, 8, 6, 5, 47, 43),
    ('Donkey Kong', 'worst', 2, 13, 8, 6, 5, 41, 43),
    ('Donkey Kong', 'worst', 3, 13, 8, 6, 8, 41, 43),
    ('Mario Bros', 'worst', 1, 8, 8, 6, 8, 29, 53),
    ('Mario Bros', 'worst', 2, 10, 8, 6, 8, 26, 53),
    ('Mario Bros', 'worst', 3, 13, 8, 6, 8, 23, 53),
    ('Pac-Man', 'worst', 1, 10, 8, 6, 8, 70, 28),
    ('Pac-Man', 'worst', 2, 10, 8, 6, 12, 70, 28),
    ('Pac-Man', 'worst', 3, 10, 8, 6, 5, 70, 30),
    ('Popeye', 'worst', 1, 8, 15, 6, 12, 116, 66),
    ('Popeye', 'worst', 2, 8, 12, 10, 12, 122, 68),
    ('Popeye', 'worst', 3, 8, 15, 10, 12, 150, 69),
    ('Super Mario Bros', 'worst', 1, 8, 8, 10, 12, 72, 26),
    ('Super Mario Bros', 'worst', 2, 8, 10, 10, 12, 100, 26),
    ('Super Mario Bros', 'worst', 3, 8, 8, 6, 5, 143, 30);
