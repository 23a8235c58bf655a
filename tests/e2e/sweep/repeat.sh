# Repeated replays of the bundled games, with and without pictures: if this fails, results depend on the
# run, or on whether pictures are drawn.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$source"

# outcome GAME FRAMES ARGS...: the summary without times, and a hash of RAM after every frame.
outcome() {
    game=$1 frames=$2
    shift 2
    "$hotgraph" replay "$game" --frames "$frames" --json --ram-hash "$work/hashes" "$@" |
        sed 's/"seconds".*//'
    cat "$work/hashes"
}

for game in $(ls games/*.nes | sed "s|games/||; s|.nes||"); do
    outcome "$game" 600 >"$work/first"
    test "$(wc -l <"$work/first")" -gt 600 || fail "$game: no hash a frame"
    for i in 1 2 3; do
        outcome "$game" 600 >"$work/again"
        same "$work/first" "$work/again"
    done
    # Pictures are computed for all frames once one is wanted.
    outcome "$game" 1500 >"$work/first"
    outcome "$game" 1500 --screenshot 1499:"$work/end.png" >"$work/pictures"
    same "$work/first" "$work/pictures"
    outcome "$game" 60 >"$work/first"
    outcome "$game" 60 --video "$work/film" >"$work/pictures"
    same "$work/first" "$work/pictures"
    test "$(ls "$work/film" | wc -l)" = 60 || fail "$game: $(ls "$work/film" | wc -l) pictures"
done
