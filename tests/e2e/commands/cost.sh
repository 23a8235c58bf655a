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

# Against callgrind: translated code to the instruction, all of it within 3 %.
command -v valgrind >/dev/null && ! sanitized || exit 0
cd "$source"
COSTS_FRAMES="300 600" COSTS_WAYS="replay exact" python3 tests/costs.py check "$hotgraph" mazewisp umbel >"$work/check" 2>&1 ||
    fail "$(cat "$work/check")"
