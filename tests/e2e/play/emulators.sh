# Other emulators play the same game from the same movie: if this fails, our machine or our movies are
# wrong, and we do not measure an NES game. Needs fceux or libretro-nestopia.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
# Most of the time goes to the other emulators; other tests run the same code of ours under sanitizers.
! sanitized || skip "a build with sanitizers; the other build compares"

# Each game in the mode that suits it; a game that is not in the table fails.
for rom in "$source"/games/*.nes; do
    name=$(basename "$rom" .nes)
    mode=$(awk -v name="$name" '$1 == name {print $2, $3}' "$source/tests/compare/modes.txt")
    test -n "$mode" || fail "$name is not in tests/compare/modes.txt"
    echo "$name, $mode:"
    set -- ${mode#* }
    test "${mode% *}" = frames || set -- "$@" --checkpoint "${mode% *}"
    status=0
    sh "$source/tests/compare/run.sh" "$hotgraph" "$rom" "$source/movies/$name.fm2" "$@" || status=$?
    test "$status" != 77 || skip "no other emulator is installed"
    test "$status" = 0 || fail "$name plays differently elsewhere"
done

# Pictures, apart from the palette: a screenshot shows the right frame, with the same content as on
# a console.
for name in mazewisp starling; do
    sh "$source/tests/compare/run.sh" "$hotgraph" "$source/games/$name.nes" "$source/movies/$name.fm2" 300 \
        --pictures || fail "$name looks different elsewhere"
done
# A picture that is one frame late, and a pixel of another colour, are noticed.
"$hotgraph" replay "$source/games/mazewisp.nes" --movie "$source/movies/mazewisp.fm2" --frames 300 \
    --dump-pictures ours.pictures >/dev/null
python3 - <<'END'
from array import array
pixels = array("H", open("ours.pictures", "rb").read())
theirs = array("I", (0xFF000000 + value * 259 for value in pixels))
frame = 256 * 240
open("same.pictures", "wb").write(theirs.tobytes())
open("late.pictures", "wb").write(theirs[:frame].tobytes() + theirs[:-frame].tobytes())
theirs[frame * 50 + 1234] ^= 1
open("pixel.pictures", "wb").write(theirs.tobytes())
END
diff_pictures() { python3 "$source/tests/compare/picturediff.py" ours.pictures "$1.pictures" "$1"; }
diff_pictures same || fail "equal pictures differ"
! diff_pictures late || fail "pictures that are a frame late are not noticed"
! diff_pictures pixel || fail "a pixel of another colour is not noticed"
rm -f ./*.pictures

# The comparison can fail: one byte of one checkpoint changed.
"$hotgraph" replay "$source/games/burrow.nes" --movie "$source/movies/burrow.fm2" --frames 600 \
    --dump-ram-at 0:ours >/dev/null
diff_checkpoints() { python3 "$source/tests/compare/ramdiff.py" ours "$1" "$1" --checkpoints; }
cp ours theirs
diff_checkpoints theirs || fail "equal checkpoints differ"
{ head -c 204801 ours; printf '\125'; tail -c +204803 ours; } >changed
! diff_checkpoints changed || fail "a byte that differs at one checkpoint is not noticed"
head -c -2048 ours >shorter
diff_checkpoints shorter || fail "the last checkpoint may be missing on one side"
head -c -4096 ours >much-shorter
! diff_checkpoints much-shorter || fail "missing checkpoints are not noticed"

# Resets: soft, hard, two in a row, and one before the first frame.
awk '/^\|/ {n++; if (n == 1 || n == 60) sub(/^\|0/, "|1"); if (n == 301 || n == 302) sub(/^\|0/, "|2")}
     n <= 600 {print}' "$source/movies/mazewisp.fm2" >resets.fm2
status=0
sh "$source/tests/compare/run.sh" "$hotgraph" "$source/games/mazewisp.nes" resets.fm2 || status=$?
test "$status" = 0 || test "$status" = 77 || fail "resets are played differently elsewhere"
