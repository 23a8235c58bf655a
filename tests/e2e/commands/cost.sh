# What a profile costs: host instructions, counted in the translator without valgrind, the same everywhere. If this
# fails, the bench names techniques cheap that are not, or what it counts is not what runs.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
# The list of prices belongs to the machine's functions: it names each that a replay calls.
if ! "$hotgraph" cost "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --from 200 --json >cost.json 2>none; then
    grep -q 'x86-64' none || fail "no translator, and no word why: $(cat none)"
    exit 77
fi

# Counting disturbs no guest, and gives the same numbers again.
"$hotgraph" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --json >replay.json
hash=$(sed -n 's/.*"ram_hash": "\([0-9a-f]*\)", "state.*/\1/p' replay.json)
test "$(grep -o "\"ram_hash\": \"$hash\"" cost.json | wc -l)" = 2 || fail "the counted game is another one: $(cat cost.json)"
"$hotgraph" cost "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 --from 200 --json >again.json
same cost.json again.json
grep -q '"unpriced": 0,' cost.json || fail "functions without a price: run tests/costs.py measure: $(cat cost.json)"

# Beside what was found: the table, once for all seeds, in the digest, and not counted again.
cat >c.cfg <<END
name = "c";
frames = 300;
sampling = ( { by = "active"; per_million = 600; place = "calls"; seed = [1, 2]; }, { by = "time"; interval_ms = 3; } );
grid = ( { technique = "flow"; costs = ["poisson"]; } );
games = ( { name = "mazewisp"; rom = "$source/games/mazewisp.nes"; movie = "$source/movies/mazewisp.fm2"; } );
END
refuses 1 'sweep c.cfg --db c.db' costs c.cfg --db c.db --frames 300 --from 200
"$hotgraph" sweep c.cfg --db c.db >before 2>/dev/null
"$hotgraph" costs c.cfg --db c.db --frames 300 --from 200 >rows
test "$(wc -l <rows)" = 5 || fail "nobody, structure, exact and two samplings: $(cat rows)"
"$hotgraph" costs c.cfg --db c.db --frames 300 --from 200 >rows
test ! -s rows || fail "counted again: $(cat rows)"
"$hotgraph" sweep c.cfg --db c.db >after 2>/dev/null
! test "$(grep '^digest' before)" = "$(grep '^digest' after)" || fail "costs are not in the digest"
sqlite3 -csv -header c.db "SELECT technique, sampling, told, cost_percent FROM technique_frontier" >frontier.csv
test "$(grep -c . frontier.csv)" = 6 || fail "exact, and two techniques on two samplings: $(cat frontier.csv)"
test "$(sqlite3 c.db "SELECT count(*) FROM frontier WHERE technique = 'exact'")" = 1 || fail "exact counting is beaten"

# Against callgrind: translated code to the instruction, all of it within 3 %.
command -v valgrind >/dev/null && ! sanitized || exit 0
cd "$source"
COSTS_FRAMES="300 600" COSTS_WAYS="replay exact" python3 tests/costs.py check "$hotgraph" mazewisp umbel >"$work/check" 2>&1 ||
    fail "$(cat "$work/check")"
