# Tables on a terminal: if this fails, their lines are longer than it is wide and break, a column that is shown is another's,
# what is left out is not named, or output that goes to a file has lost columns.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
"$hotgraph" sweep experiment.cfg --db a.db >/dev/null 2>&1 || fail "sweep"
"$hotgraph" sweep experiment.cfg --db b.db --games one,two >/dev/null 2>&1 || fail "sweep of a part"
sqlite3 a.db "UPDATE run SET load = 0.5, spread = 0.9" || fail "no run to change"
python3 "$source/tests/e2e/report/wide.py" "$hotgraph" || fail "tables on a terminal"
