-- The paper's results (Napoli 2015), for comparison with those found here.

CREATE TABLE IF NOT EXISTS paper_game ( -- Napoli 2015, tables 1 and 2; percentages truncated there
    paper_game TEXT PRIMARY KEY,
    batches INTEGER NOT NULL,
    instructions INTEGER NOT NULL,
    sampled_percent REAL NOT NULL,
    best_percent INTEGER NOT NULL,
    worst_percent INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS paper_result ( -- Napoli 2015, tables 3 (best) and 4 (worst)
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

INSERT OR IGNORE INTO paper_game VALUES
    ('1942', 100678, 206669737, 1.21, 28, 16),
    ('Balloon Fight', 96043, 206182658, 1.16, 80, 39),
    ('Dig Dug', 94325, 187979198, 1.25, 77, 28),
    ('Donkey Kong', 87918, 153165705, 1.43, 68, 43),
    ('Mario Bros', 129890, 163787250, 1.98, 83, 53),
    ('Pac-Man', 92582, 184049378, 1.25, 69, 28),
    ('Popeye', 151572, 165474083, 2.28, 83, 66),
    ('Super Mario Bros', 85050, 181871018, 1.16, 64, 26);

INSERT OR IGNORE INTO paper_result VALUES
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

-- Figures that papers published about their techniques, for comparison with ours.
CREATE TABLE IF NOT EXISTS paper_figure (
    technique TEXT NOT NULL, -- what it is called here
    paper TEXT NOT NULL,
    subject TEXT NOT NULL, -- what was run
    measure TEXT NOT NULL CHECK (measure IN ('overhead', 'share_of_time', 'unknown')),
    percent REAL NOT NULL,
    percent_to REAL, -- of a range
    remark TEXT NOT NULL,
    PRIMARY KEY (technique, paper, subject)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO paper_figure VALUES
    ('fifo', 'Yang, Guan, Liang 2010', 'mcf', 'overhead', 3.0, NULL, 'PowerPC 405, engine in an FPGA'),
    ('fifo', 'Yang, Guan, Liang 2010', 'gzip', 'overhead', 1.3, NULL, 'PowerPC 405, engine in an FPGA'),
    ('fifo', 'Yang, Guan, Liang 2010', 'bzip2', 'overhead', 5.7, NULL, 'it was swapping'),
    ('fifo', 'Yang, Guan, Liang 2010', 'twolf', 'overhead', 3.0, NULL, 'PowerPC 405, engine in an FPGA'),
    ('fifo', 'Yang, Guan, Liang 2010', 'parser', 'overhead', 0.8, NULL, 'PowerPC 405, engine in an FPGA'),
    ('fifo', 'Yang, Guan, Liang 2010', 'crafty', 'overhead', 2.5, NULL, 'PowerPC 405, engine in an FPGA'),
    ('fifo', 'Yang, Guan, Liang 2010', 'mean', 'overhead', 2.7, NULL, 'of the six'),
    ('flow', 'Levin, Newman, Haber 2008', 'training runs', 'overhead', 2, 3, 'sampling in an optimizer'),
    ('flow', 'Avetisyan, Dolgorukova, Kurmangaleev 2011', 'all', 'unknown', 2, 8,
        'quoted from others, who do not say of what'),
    ('exact', 'Yang, Guan, Liang 2010', 'software counters', 'overhead', 30, NULL, 'in each block; about'),
    ('exact', 'Napoli 2015', 'Jrynes', 'share_of_time', 49, NULL, 'instrumentation in an emulator');
