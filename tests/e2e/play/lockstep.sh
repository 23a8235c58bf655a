# Games in all modes side by side: if this fails, results depend on the mode, a difference goes
# unnoticed, or a script cannot read the outcome.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
rom="$source/games/burrow.nes" movie="$source/movies/burrow.fm2"

# All default modes, with the game's own movie and with seeded input; includes code in RAM that is
# patched.
"$hotgraph" lockstep "$rom" --movie "$movie" --frames 120 >all || fail "$(cat all)"
ways=$(grep -c '^  equal ' all)
test "$ways" -ge 3 || fail "no ways: $(cat all)"
! grep -q differs all || fail "$(cat all)"
grep -q "^1 game, $ways runs of $((ways * 120)) frames in all: all equal\$" all || fail "no sum: $(cat all)"
"$hotgraph" lockstep "$rom" "$source/games/umbel.nes" --random 3 --frames 200 --no-fast \
    --way interp --way interp+followed --way interp+no-fast+pictures >seeded || fail "$(cat seeded)"
test "$(grep -c '^  equal .* 200 frames ' seeded)" = 6 || fail "two games are not run in three ways: $(cat seeded)"
grep -q 'seeded input 3$' seeded || fail "no word of the input"

# Few frames are compared with a machine without fast paths, many with the usual interpreter.
grep -q '^  compared with interp+no-skip+no-fast$' all || fail "another reference: $(cat all)"
"$hotgraph" lockstep "$rom" --frames 20 --way dbt --fast >fast || fail "$(cat fast)"
grep -q '^  compared with interp$' fast || fail "another reference: $(cat fast)"
"$hotgraph" lockstep "$rom" --frames 3001 --way interp >many || fail "$(cat many)"
grep -q '^  compared with interp$' many || fail "another reference: $(cat many)"
refuses 2 'give either --fast or --no-fast' lockstep "$rom" --fast --no-fast

# --random is the input that 'movie make' makes without a ROM.
"$hotgraph" movie make --seed 3 --frames 200 --out seeded.fm2 >/dev/null
"$hotgraph" replay "$rom" --movie seeded.fm2 --frames 200 --json >replay.json
instructions=$(sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' replay.json | head -n 1)
test -n "$instructions" || fail "replay says no instructions: $(cat replay.json)"
grep -q "  equal    interp  .* $instructions instructions" seeded || fail "another input: $instructions: $(cat seeded)"

# From a saved state, and for programs.
"$hotgraph" replay "$rom" --movie "$movie" --frames 100 --save-state half >/dev/null
"$hotgraph" lockstep "$rom" --movie "$movie" --load-state half --frames 160 --way interp+no-skip --json >json ||
    fail "$(cat json)"
grep -q '"reference": "interp+no-skip+no-fast", ' json || fail "$(cat json)"
grep -q '"way": "interp+no-skip", "equal": true, "frames": 60, ' json || fail "$(cat json)"
grep -q '"runs": 1, "differ": 0, "refused": 0, "frames": 60}' json || fail "$(cat json)"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(sys.stdin)' <json || fail "no JSON: $(cat json)"
fi

# A cartridge that is not emulated does not count, and comparing nothing is no
# success.
{ printf 'NES\032\001\001\360\360'; head -c 24584 /dev/zero; } >foreign.nes
"$hotgraph" lockstep foreign.nes "$rom" --frames 20 --way interp+no-skip >mixed || fail "$(cat mixed)"
grep -q '^refused: .*foreign.nes' mixed || fail "$(cat mixed)"
grep -q '1 refused$' mixed || fail "$(cat mixed)"
status=0
"$hotgraph" lockstep foreign.nes --way interp >none 2>&1 || status=$?
test $status = 1 || fail "nothing was compared, and the exit status is $status"

# A JAM ends the comparison, and says so.
{ printf 'NES\032\001\001\000\000'; head -c 8 /dev/zero; printf '\350\320\375\002'; head -c 16376 /dev/zero
    printf '\000\300\000\300'; head -c 8192 /dev/zero; } >jam.nes # INX, BNE back to it, JAM
"$hotgraph" lockstep jam.nes --frames 50 --way interp+no-fast --way interp+followed >jam || fail "$(cat jam)"
test "$(grep -c '^  equal .* a JAM ends it$' jam)" = 2 || fail "no word of the JAM: $(cat jam)"

refuses 2 'takes one of interp, dbt, auto' lockstep "$rom" --way usual
refuses 2 'is not a modifier' lockstep "$rom" --way interp+skip
refuses 2 'give either --random or --movie' lockstep "$rom" --random 1 --movie "$movie"
refuses 2 'the command takes' lockstep
refuses 1 'no.nes' lockstep no.nes
refuses 1 'nothing to play' lockstep "$rom" --load-state half --frames 100
echo 'version 2' >bad.fm2
refuses 1 'bad.fm2' lockstep "$rom" --movie bad.fm2
