# A game swept from its ROM, and the same game exported by `sample` and `exact` and swept as a foreign
# pair: if this fails, one of the two is imported wrongly.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

mkdir -p roms/deep
cp "$source/games/mazewisp.nes" roms/deep/some-name.NES
head -c 100 "$source/games/mazewisp.nes" >roms/broken.nes
sha1=$(tail -c +17 "$source/games/mazewisp.nes" | sha1sum | cut -d' ' -f1)
cp "$source/movies/mazewisp.fm2" m.fm2
"$hotgraph" sample roms/deep/some-name.NES --movie m.fm2 --frames 400 --out m.isampling.gz >/dev/null
"$hotgraph" exact roms/deep/some-name.NES --movie m.fm2 --frames 400 --out m.graph >/dev/null
cat >replay.cfg <<END
frames = 400;
grid = { stdev_threshold = [8, 15]; window_size = [6, 13]; };
convergence = { batches = [100, 1000]; configurations = (
    { label = "one"; stdev_threshold = 15; window_size = 13; }); };
games = ( { name = "played"; sha1 = "$sha1"; movie = "m.fm2"; },
          { name = "foreign"; stream = "m.isampling.gz"; graph = "m.graph"; } );
END
export HOTGRAPH_ROMS="$work/roms"
sweep replay.cfg --db one.db --jobs 1
expected=$digest
sweep replay.cfg --db two.db --jobs 2
test "$digest" = "$expected" || fail "with two threads: $digest, not $expected"

columns='number, bins, low, high, blocks, edges, common_edges, similarity, precision, f1, coverage,
    overlap, block_overlap, edges_active, similarity_active, precision_active, f1_active,
    coverage_active, overlap_active, block_overlap_active, graph_hash, records, steps'
ask one.db "SELECT $columns FROM results WHERE game = 'played'" >played
ask one.db "SELECT $columns FROM results WHERE game = 'foreign'" >foreign
test "$(wc -l <played)" = 5 || fail "five results"
same played foreign
test "$(ask one.db 'SELECT count(DISTINCT exact_hash) FROM replay')" = 1 || fail "exact graphs"
test "$(ask one.db "SELECT sum(count) FROM exact_edge JOIN replay USING (replay_id)
    WHERE rom_sha1 = '$sha1'")" = "$(grep -v '^#' m.graph | awk '{ n += $3 } END { print n }')" ||
    fail "counts of the exact graph"

# The sweep's replay equals that of `replay`.
"$hotgraph" replay roms/deep/some-name.NES --movie m.fm2 --frames 400 --ram-hash hashes >/dev/null
test "$(ask one.db 'SELECT ram_hash FROM replay WHERE frames = 400')" = \
    "$(tail -1 hashes | cut -d' ' -f2)" || fail "RAM at the end"

# Another movie or number of frames is another replay; the old rows stay.
sed 's/frames = 400/frames = 200/' replay.cfg >short.cfg
sweep short.cfg --db one.db --games played
test "$(ask one.db 'SELECT count(*) FROM replay')" = 3 || fail "replays"
test "$(ask one.db 'SELECT batches FROM table1')" != "" || fail "table 1"
sed 's/|0|/|1|/' m.fm2 | sed '20!s/|1|/|0|/' >reset.fm2
cmp -s m.fm2 reset.fm2 && fail "the movie is the same"
sed 's/m.fm2/reset.fm2/' replay.cfg >reset.cfg
sweep reset.cfg --db one.db --games played
test "$(ask one.db 'SELECT count(*) FROM replay')" = 4 || fail "a changed movie is not replayed"

# If the program's results have changed, they must not be mixed with older ones.
sqlite3 two.db "UPDATE stream SET hash = 'other'; DELETE FROM result"
refuses 1 "sample stream differs from the one behind the database's results" \
    sweep replay.cfg --db two.db

# The wrong ROM, and a movie of another one.
sed 's/sha1 = "[0-9a-f]*"/&; rom = "wrong.nes"/' replay.cfg >wrong.cfg
head -c 16400 "$source/games/mazewisp.nes" >short.nes
{ head -c 30 "$source/games/mazewisp.nes"; printf 'X'; tail -c +32 "$source/games/mazewisp.nes"; } \
    >wrong.nes
refuses 1 'wrong.nes: is not the ROM that wrong.cfg:5 wants' sweep wrong.cfg --db z.db
sed 's/wrong.nes/short.nes/' wrong.cfg >short.cfg
refuses 1 'played: short.nes' sweep short.cfg --db z.db
sed 's/m.fm2/no.fm2/' replay.cfg >nomovie.cfg
refuses 1 'played: no.fm2: there is no such file (nomovie.cfg:' sweep nomovie.cfg --db z.db

# Without its ROM a game keeps its rows, but not beside another number of frames.
sweep replay.cfg --db absent.db --games played
HOTGRAPH_ROMS=$work/nowhere
sweep replay.cfg --db absent.db
test "$(ask absent.db "SELECT missing FROM table1 WHERE game = 'played'")" = 0 || fail "rows of an absent game are lost"
sed 's/frames = 400/frames = 200/' replay.cfg >other.cfg
sed -i '1i name = "replay";' other.cfg
sweep other.cfg --db absent.db
test "$(ask absent.db "SELECT missing FROM table1 WHERE game = 'played'")" = 5 ||
    fail "400 frames stand beside a configuration of 200: $(cat out)"
sweep replay.cfg --db absent.db
test "$(ask absent.db "SELECT missing FROM table1 WHERE game = 'played'")" = 0 || fail "going back without the ROM"
# A game that was never played is not in the tables.
sweep replay.cfg --db never.db
test "$(ask never.db 'SELECT group_concat(game) FROM table1')" = foreign || fail "a game that nobody played"
HOTGRAPH_ROMS=$work/roms
