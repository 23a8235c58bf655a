# Tables on a terminal: if this fails, lines are wider than the terminal and wrap, a heading stands above the wrong column,
# omitted columns are not named, or output to a file lacks columns.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
"$hotgraph" sweep experiment.cfg --db a.db >/dev/null 2>&1 || fail "sweep"
"$hotgraph" sweep experiment.cfg --db b.db --games one,two >/dev/null 2>&1 || fail "sweep of a part"
sqlite3 a.db "UPDATE run SET load = 0.5, spread = 0.9" || fail "no run to change"
python3 "$source/tests/e2e/report/wide.py" "$hotgraph" || fail "tables on a terminal"
