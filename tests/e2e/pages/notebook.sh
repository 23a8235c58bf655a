# docs/notebook.py and docs/notebook.ipynb: if this fails, they differ, or no longer work on a database, or say something else
# than its tables. Make the notebook again with: tests/support/notebook.py docs/notebook.py >docs/notebook.ipynb
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
command -v python3 >/dev/null || skip "no python3"
python3 "$source/tests/support/notebook.py" "$source/docs/notebook.py" | cmp - "$source/docs/notebook.ipynb" ||
    fail "the notebook is not the script: see the head of this test"
python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import pandas, matplotlib' 2>/dev/null && python=$one && break
done
test -n "$python" || { echo "no pandas or matplotlib: the script is not run" && exit 0; }

export HOTGRAPH_GAMES="$source/configs/games.cfg" HOTGRAPH_DB=two.db MPLBACKEND=Agg MPLCONFIGDIR="$work" PYTHONDONTWRITEBYTECODE=1
sed 's/^frames.*/frames = 300;/' "$source/configs/quick.cfg" | sed "s,^@include \",&$source/configs/," >two.cfg
sweep two.cfg --db two.db --games umbel,mazewisp
"$python" "$source/docs/notebook.py" >said 2>errors || fail "the script: $(tail -3 errors)"
test -s frontier.svg || fail "no figure"
for game in umbel mazewisp; do
    ask two.db "SELECT printf('%s %d %d', game, batches, instructions) FROM table1 WHERE game = '$game'" >row
    grep -q "^ *$(sed 's/ / */g' row) " said || fail "table 1: $(cat row said)"
    best=$(ask two.db "SELECT round(100 * max(similarity), 1) FROM results WHERE game = '$game' AND baseline = 0 AND hot_permille = 900")
    grep -q "^$game  *$best " said || fail "the best of $game is $best: $(cat said)"
done
grep -q '^ *observed ' said || fail "the baseline looks at as much as the others and finds more, and is not on the frontier: $(cat said)"

command -v jupyter-nbconvert >/dev/null || { echo "no jupyter-nbconvert: the notebook itself is not run" && exit 0; }
cp "$source/docs/notebook.ipynb" copy.ipynb # it runs in its folder, where it finds the database and leaves its figure
env -u MPLBACKEND HOME="$work" jupyter-nbconvert --to notebook --execute copy.ipynb --output ran.ipynb >nb 2>&1 || fail "the notebook: $(tail -3 nb)"
grep -q 'image/png' ran.ipynb || fail "the notebook shows no figure"
