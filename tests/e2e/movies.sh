# Movies that come with the project: if this fails, nobody can tell how one was made, or make it again.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$work"

# seeded NAME SEED TITLE MD5: the paper's games, made without their ROMs.
seeded() {
    "$hotgraph" movie make --out made.fm2 --seed "$2" --name "$3" --md5 "$4"
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

# The bundled games' movies were made with their ROMs, and last the experiment's five minutes.
for rom in "$source"/games/*.nes; do
    name=$(basename "$rom" .nes)
    "$hotgraph" movie info "$source/movies/$name.fm2" "$rom" >info || fail "$name: $(cat info)"
    grep -q 'is the ROM it was made with' info || fail "$name: $(cat info)"
    # Its own README says how.
    command=$(grep -oh 'hotgraph movie make games/[^`]*' "$source/games/$name/README.md") ||
        fail "$name: its README does not say how its movie is made"
    # shellcheck disable=SC2086 # words of the command
    (cd "$source" && "$hotgraph" ${command#hotgraph } --out "$work/made.fm2")
    same made.fm2 "$source/movies/$name.fm2"
    test "$(sed -n 's/^frames *\([0-9]*\).*/\1/p' info)" -ge 18000 || fail "$name: $(cat info)"
done
