# Other emulators play the same game from the same movie: if this fails, the machine here or its
# movies are wrong, and what is measured is no NES game. Needs fceux or libretro-nestopia.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$work"

for rom in "$source"/games/*.nes; do
    name=$(basename "$rom" .nes)
    echo "$name:"
    status=0
    sh "$source/tests/compare/run.sh" "$hotgraph" "$rom" "$source/movies/$name.fm2" 2000 || status=$?
    test "$status" != 77 || skip "no other emulator is installed"
    test "$status" = 0 || fail "$name plays differently elsewhere"
done

# Resets: soft, hard, two in a row, and one before the first frame.
awk '/^\|/ {n++; if (n == 1 || n == 60) sub(/^\|0/, "|1"); if (n == 301 || n == 302) sub(/^\|0/, "|2")}
     n <= 600 {print}' "$source/movies/mazewisp.fm2" >resets.fm2
status=0
sh "$source/tests/compare/run.sh" "$hotgraph" "$source/games/mazewisp.nes" resets.fm2 || status=$?
test "$status" = 0 || test "$status" = 77 || fail "resets are played differently elsewhere"
