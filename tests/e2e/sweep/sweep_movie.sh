# A game's movie is edited in place: if this fails, a sweep keeps rows of the old input, or repeats
# games that did not change.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
mkdir games movies configs
cp "$source"/games/*.nes games/
cp "$source"/movies/*.fm2 movies/
cp "$source"/configs/quick.* "$source"/configs/games.cfg configs/
two="configs/quick.cfg --games mazewisp,burrow"
"$hotgraph" sweep $two --db x.db >first 2>&1
rows() { sqlite3 x.db "SELECT stream_id, configuration_id, run_id FROM result" | sort; }
rows >before
# One button more, in the ninetieth frame.
awk '/^\|/ && ++n == 90 {sub(/\.\.\.\.\.\.\.\./, "R.......")} {print}' movies/mazewisp.fm2 >edited
cmp -s edited movies/mazewisp.fm2 && fail "the movie is as it was"
mv edited movies/mazewisp.fm2
"$hotgraph" sweep $two --db x.db --dry-run >plan
grep -q '^burrow:.*: nothing to do$' plan || fail "$(cat plan)"
grep -q '^mazewisp:.*: one replay, .*(changed: movie)$' plan || fail "$(cat plan)"
"$hotgraph" sweep $two --db x.db >second 2>errors || : # it is not the expected digest
grep -q "^mazewisp: replayed" errors || fail "it is not replayed: $(cat errors)"
grep -q "^burrow:" errors && fail "burrow is done again: $(cat errors)"
grep -q 'not reproduced: mazewisp' errors || fail "$(cat errors)"
rows >after
test -z "$(comm -23 before after)" || fail "rows of before are gone"
test "$(wc -l <after)" -gt "$(wc -l <before)" || fail "there are no new rows"
# Its tables and digest are those of a database that never saw the other movie.
"$hotgraph" sweep $two --db fresh.db >fresh 2>&1 || :
test "$(grep '^digest' second)" = "$(grep '^digest' fresh)" || fail "old rows are in the digest"
