# What would break: a new user's first commands. `doctor` does not see what is missing, or names the wrong package; `init`
# writes a configuration that cannot be swept.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$source"

# doctor: the same findings as text and as JSON; nothing is broken where the other tests run.
"$hotgraph" doctor >"$work/text" || fail "doctor: $(cat "$work/text")"
"$hotgraph" doctor --json >"$work/json"
python3 - "$work/text" "$work/json" <<'END' || fail "doctor's text and JSON differ: $(cat "$work/text")"
import json, re, sys
text, found = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
names = re.findall(r"(?m)^  (?:ok|missing|broken|note) +(\S+)", text)
assert names == [f["name"] for f in found], names
assert {"gnuplot", "dot", "qemu-x86_64", "interpreter", "hotgraph-qemu.so", "quiet"} <= set(names), names
assert all(f["needed_for"] and f["detail"] for f in found)
assert all(f["package"] for f in found if f["group"] == "tools")
END
# Without tools: each is missing, and its package is in the command, once.
mkdir "$work/bin"
PATH=$work/bin "$hotgraph" doctor >"$work/text" || fail "without tools a sweep still works"
for package in gnuplot-nox graphviz qemu-user sqlite3 bolt-19 valgrind slurm-client; do
    test "$(grep -c "^  apt-get install.* $package\( \|$\)" "$work/text")" = 1 || fail "no $package in $(cat "$work/text")"
done
test "$(grep -o ' qemu-user' "$work/text" | wc -l)" = 1 || fail "qemu-user is named more than once"
printf '#!/bin/sh\n' >"$work/bin/dot" && chmod +x "$work/bin/dot"
PATH=$work/bin "$hotgraph" doctor >"$work/text"
grep -q "^  ok  *dot  *$work/bin/dot$" "$work/text" || fail "dot is there: $(cat "$work/text")"
! grep "apt-get install" "$work/text" | grep -q graphviz || fail "graphviz is to be installed though it is there"
# BOLT's program has a version in its name or none; optimise takes both.
printf '#!/bin/sh\n' >"$work/bin/llvm-bolt" && chmod +x "$work/bin/llvm-bolt"
PATH=$work/bin "$hotgraph" doctor >"$work/text"
grep -q "^  ok  *llvm-bolt-19  *$work/bin/llvm-bolt$" "$work/text" || fail "llvm-bolt is there: $(cat "$work/text")"
HOTGRAPH_QEMU_PLUGIN=$work/none "$hotgraph" doctor | grep -q "missing  *hotgraph-qemu.so .*names $work/none" || fail "a plugin that is not there"
# A copy without its files says what is missing, and does not fail.
mkdir "$work/far" && cp "$hotgraph" "$work/far/hotgraph"
(cd "$work/far" && ./hotgraph doctor) >"$work/text" || fail "a copy by itself: $(cat "$work/text")"
grep -q 'missing  *games/mazewisp.nes' "$work/text" && grep -q 'note  *interpreter' "$work/text" &&
    grep -q '^hotgraph sweep was not tried: there is no game\. ' "$work/text" || fail "a copy by itself: $(cat "$work/text")"

# init: names with every character that is special to a shell or to libconfig.
folder="$work/my \"games\" & 'more'\\"
mkdir -p "$folder/roms"
cp "$source/games/umbel.nes" "$folder/roms/Um Bel (U) [!].nes"
cp "$source/games/airmail.nes" "$folder/roms/Um-Bel U.nes"
cp "$source/movies/airmail.fm2" "$folder/roms/Um-Bel U.fm2"
cp "$source/movies/umbel.fm2" "$folder/other.fm2"
cd "$folder"
"$hotgraph" init --name mine --game "roms/Um Bel (U) [!].nes=other.fm2" --game "roms/Um-Bel U.nes" --out my.cfg >out
test ! -s err || fail "$(cat err)"
sed -i 's/^frames = .*/frames = 200;/' my.cfg
cd "$work"
"$hotgraph" sweep "$folder/my.cfg" --db my.db >out 2>&1 || fail "the configuration cannot be swept: $(cat out)"
test "$(sqlite3 my.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM game ORDER BY name)")" = "um-bel-u um-bel-u-2" ||
    fail "names: $(sqlite3 my.db 'SELECT name FROM game')"
test "$(sqlite3 my.db "SELECT count(DISTINCT technique) FROM results")" = 3 || fail "techniques: $(sqlite3 my.db 'SELECT DISTINCT technique FROM results')"
# A game without a movie: the command that is printed makes it, where the configuration looks for it.
cd "$folder"
mv roms/Um-Bel\ U.fm2 elsewhere.fm2
"$hotgraph" init --game "roms/Um-Bel U.nes" --out two.cfg >out 2>err
grep -q "two.cfg is written. Make the movies first" out || fail "$(cat out)"
sed -n 's/^  hotgraph/"$hotgraph"/p' err | sed 's/$/ --frames 200/' >command.sh
test -s command.sh || fail "no command: $(cat err)"
. ./command.sh >/dev/null 2>&1 || : # random input may not play the game
sed -i 's/^frames = .*/frames = 200;/' two.cfg
"$hotgraph" sweep two.cfg --db two.db --dry-run >out 2>&1 || fail "$(cat out)"
grep -q '^um-bel-u: ROM' out || fail "$(cat out)"
# Programs: words as a shell splits them.
if "$hotgraph" init --program "sh -c 'echo \"a b\" \\\\c' \"d\\\"e\" f\\ g" --out three.cfg >out 2>err; then
    grep -qF 'command = ("/' three.cfg || fail "no path: $(cat three.cfg)"
    grep -qF '"-c", "echo \"a b\" \\\\c", "d\"e", "f g");' three.cfg || fail "words: $(grep command three.cfg)"
    "$hotgraph" sweep three.cfg --db three.db --dry-run >out 2>&1 || fail "$(cat out)"
else
    grep -q 'is not installed' err || fail "$(cat err)"
fi
refuses 1 'my.cfg: exists already' init --game other.fm2 --out my.cfg
refuses 2 'name at least one --game ROM' init --out four.cfg
refuses 2 '--out FILE is missing' init --game x.nes
refuses 1 'none.nes: there is no such file' init --game none.nes --out four.cfg
refuses 1 'other.fm2' init --game other.fm2 --out four.cfg
refuses 1 "no program 'no-such-program'" init --program 'no-such-program 1' --out four.cfg
refuses 1 'open quotation mark' init --program "sh -c 'x" --out four.cfg
refuses 2 'letters, digits, dashes' init --game x.nes --name 'a b' --out four.cfg
test ! -e four.cfg || fail "a half configuration is left"
