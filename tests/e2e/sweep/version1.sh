# What would break: a database of version 1 that is swept further has other results than a new one,
# loses results, or computes them again.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# The pair of the file, byte by byte: graphs did not say their kind then.
stream=$source/tests/data/gfcgaussiano/synthetic-b.isampling.gz
"$hotgraph" build "$stream" --technique observed --out built.graph >/dev/null
grep -v '^# kind' built.graph >pair.graph
config() { # NAME WINDOWS: the experiment of the file, without its game
    cat <<END
name = "$1";
frames = 240;
sampling = { interval_ms = 3; batch = 25; };
grid = { technique = "gaussian"; recurrent_threshold = [5]; window_size = [$2]; stdev_threshold = [8, 15]; bin_size = [8]; };
convergence = { batches = [10, 30, 100, 300]; configurations = (
    { label = "wide"; recurrent_threshold = 5; window_size = 13; stdev_threshold = 15; bin_size = 8; } ); };
games = ( { name = "foreign"; title = "A pair"; untested = true; stream = "$stream"; graph = "pair.graph"; instructions = 1000000; } );
END
}
config first '6, 13' >first.cfg
config second '10, 13' >second.cfg
config second '6, 8, 10, 13' >more.cfg
gzip -dc "$source/tests/data/db/version1.db.gz" >old.db
cp old.db untouched.db
known="SELECT c.key || ' of ' || s.hash || ': ' || r.blocks || ' ' || r.edges || ' ' || r.bins FROM result r
    JOIN configuration c USING (configuration_id) JOIN stream s USING (stream_id) ORDER BY 1"
ask old.db "$known" >before
test "$(wc -l <before)" = 14 || fail "the file of version 1 has $(wc -l <before) results"

# A dry run reports what version 1 did not store, and changes nothing.
"$hotgraph" sweep second.cfg --db old.db --dry-run >plan || fail "--dry-run: $(cat plan)"
cmp old.db untouched.db || fail "--dry-run changes the file"
grep -q '^foreign: .*5 results missing' plan || fail "what is missing: $(cat plan)"
for name in second first more; do
    sweep $name.cfg --db new-$name.db
    expected=$digest
    sweep $name.cfg --db old.db
    test "$digest" = "$expected" || fail "$name: digest $digest of the older file, $expected of a new one"
    sweep $name.cfg --db old.db
    grep -q '^nothing to do' out || fail "$name: a second sweep of the older file does something: $(cat out)"
done
test "$(ask old.db 'PRAGMA user_version')" = 2 || fail "version $(ask old.db 'PRAGMA user_version')"

# The rows of the file are kept, including those of the game that is missing here. Two
# configurations were added.
ask old.db "$known" >after
test "$(LC_ALL=C comm -23 before after)" = "" || fail "results are lost: $(LC_ALL=C comm -23 before after)"
test "$(wc -l <after)" = 16 || fail "$(wc -l <after) results after all sweeps"
ask old.db 'PRAGMA foreign_key_check' | grep . && fail "rows point nowhere"
exit 0
