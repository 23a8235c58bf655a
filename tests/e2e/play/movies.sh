# The bundled movies: if this fails, it cannot be reproduced how they were made.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"

# seeded NAME SEED TITLE MD5: the paper's games, made without their ROMs.
seeded() {
    "$hotgraph" movie make --out made.fm2 --seed "$2" --name "$3" --md5 "$4" >/dev/null
    same made.fm2 "$source/movies/$1.fm2"
}
seeded 1942 1942 '1942 (Japan, USA) (En)' 0b66fdf88964235c434daff62837af60
seeded balloon-fight 2 'Balloon Fight (USA)' 70c309cb6b9ead20c06d554cf48b3993
seeded dig-dug 3 'Dig Dug (Japan) (En)' 6e5a474e52813c353a78d93630c27730
seeded donkey-kong 4 'Donkey Kong (World) (Rev 1)' 6d4a94c344463e562344249e18e9b99f
seeded mario-bros 5 'Mario Bros. (World)' b51085d9ab4267746a9ed6fc609a98d0
seeded pac-man 6 'Pac-Man (USA) (Namco)' ca606bd8a875a396d52735c3bb84fa67
seeded popeye 7 'Popeye (World) (Rev 1)' c910907266b762500c7993a7cce2c63d
seeded super-mario-bros 8 'Super Mario Bros. (World)' 8e3630186e35d477231bf8fd50e54cdd

# The bundled games' movies were made with their ROMs, and last the experiment's five minutes. With sanitizers one game is enough.
set -- "$source"/games/*.nes
! sanitized || set -- "$source/games/mazewisp.nes"
for rom in "$@"; do
    name=$(basename "$rom" .nes)
    "$hotgraph" movie info "$source/movies/$name.fm2" "$rom" >info || fail "$name: $(cat info)"
    grep -q 'is the ROM with which it was made' info || fail "$name: $(cat info)"
    # Its own README says how.
    command=$(grep -oh 'hotgraph movie make games/[^`]*' "$source/games/$name/README.md") ||
        fail "$name: its README does not say how its movie is made"
    command=${command%% --out *} # must not overwrite the movie with which it is compared
    # shellcheck disable=SC2086 # words of the command
    (cd "$source" && "$hotgraph" ${command#hotgraph } --out "$work/made.fm2") >made || fail "$name: $(cat made)"
    grep -q '^verdict *plays$' made || fail "$name: $(cat made)"
    same made.fm2 "$source/movies/$name.fm2"
    test "$(sed -n 's/^frames *\([0-9]*\).*/\1/p' info)" -ge 18000 || fail "$name: $(cat info)"
done

# The verdict on a movie is printed, and is the exit status; likewise for frames after its end.
rom="$source/games/mazewisp.nes"
"$hotgraph" movie check "$rom" --movie "$source/movies/mazewisp.fm2" --frames 1500 --json >check.json ||
    fail "$(cat check.json)"
grep -q '"verdict": "plays"' check.json || fail "$(cat check.json)"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(sys.stdin)["longest_standstill"]["frames"]' <check.json || fail "$(cat check.json)"
fi
status=0
"$hotgraph" movie check "$rom" --frames 700 >check || status=$?
test "$status" = 1 || fail "nothing pressed, and status $status: $(cat check)"
grep -q '^verdict *stands still$' check || fail "$(cat check)"
"$hotgraph" movie make "$rom" --out seeded.fm2 --seed 7 --frames 1500 >made || fail "$(cat made)"
grep -q '^verdict *plays$' made || fail "$(cat made)"
"$hotgraph" movie make "$rom" --out seeded-again.fm2 --seed 7 --frames 1500 --json >made.json || fail "$(cat made.json)"
same seeded.fm2 seeded-again.fm2
grep -q '"verdict": "plays"' made.json || fail "$(cat made.json)"
"$hotgraph" replay "$rom" --movie seeded.fm2 --frames 1500 >/dev/null 2>warned
test ! -s warned || fail "$(cat warned)"
"$hotgraph" replay "$rom" --movie seeded.fm2 --frames 1510 >/dev/null 2>warned
grep -q 'warning: seeded.fm2: the movie has 1500 frames' warned || fail "no word of the movie's end: $(cat warned)"

# A player plays its own game, and another one only if forced to.
HOTGRAPH_GAMES="$source/configs/games.cfg"
export HOTGRAPH_GAMES
refuses 1 'the player umbel only knows the game' movie make "$rom" --player umbel --out other.fm2 --frames 60
test ! -e other.fm2 || fail "a movie by another game's player"
"$hotgraph" movie make "$rom" --player umbel --out other.fm2 --frames 60 --force >/dev/null || fail "--force"
