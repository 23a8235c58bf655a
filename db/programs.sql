-- Real programs: what their addresses are called, and how they stand beside games.

-- Every edge of a recorded program's exact graph by the names of its blocks: function+offset, where no
-- function is known the file and the offset in it. As in `record --dot`, of several functions the one
-- that begins last counts, and of several names of one function the first.
CREATE VIEW named_edge AS
SELECT x.name AS experiment, g.name AS game, xs.variant, e.source, e.target,
    coalesce((SELECT iif(f.size = 0 OR e.source - i.base < f.offset + f.size,
                f.name || printf('+0x%x', e.source - i.base - f.offset), NULL)
            FROM symbol f WHERE f.image_id = i.image_id AND f.offset <= e.source - i.base
            ORDER BY f.offset DESC, f.name LIMIT 1),
        m.name || printf('+0x%x', e.source - i.base)) AS source_name,
    coalesce((SELECT iif(f.size = 0 OR e.target - k.base < f.offset + f.size,
                f.name || printf('+0x%x', e.target - k.base - f.offset), NULL)
            FROM symbol f WHERE f.image_id = k.image_id AND f.offset <= e.target - k.base
            ORDER BY f.offset DESC, f.name LIMIT 1),
        n.name || printf('+0x%x', e.target - k.base)) AS target_name,
    m.name AS source_image, n.name AS target_image, e.count, e.hot, e.replay_id
FROM experiment x
    JOIN experiment_stream xs USING (experiment_id)
    JOIN game g USING (game_id)
    JOIN stream s USING (stream_id)
    JOIN exact_edge e USING (replay_id)
    JOIN replay_image i ON i.replay_id = e.replay_id AND i.base = (SELECT max(base)
        FROM replay_image b WHERE b.replay_id = e.replay_id AND b.base <= e.source)
    JOIN image m ON m.image_id = i.image_id
    JOIN replay_image k ON k.replay_id = e.replay_id AND k.base = (SELECT max(base)
        FROM replay_image b WHERE b.replay_id = e.replay_id AND b.base <= e.target)
    JOIN image n ON n.image_id = k.image_id
ORDER BY x.name, g.name, xs.variant, e.count DESC, e.source, e.target;

