# The report's page: if this fails, somebody is shown a number that the database does not have, a page that needs the network or
# runs what a stranger's database holds, or two runs over the same results that differ.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sweep_lib.sh"
tests=$source/tests/e2e
command -v python3 >/dev/null || skip "no python3"

# page FOLDER DATABASE: index.html is whole, self-contained, and says what its queries answer.
page() {
    wrong=$(python3 "$tests/report_page.py" "$1/index.html" "$2") || fail "$1: the page cannot be read"
    test -z "$wrong" || fail "$1: $wrong"
}

# plain ARGS...: without gnuplot, which draws the other pictures, for a long time.
mkdir bin
plain() {
    PATH=$work/bin "$hotgraph" report "$@" >out 2>errors || fail "report $*: $(cat errors)"
}

sweep experiment.cfg --db x.db
"$hotgraph" report x.db --out a >out 2>errors || fail "report: $(cat errors)"
test "$(tail -1 out)" = a/index.html || fail "the last line does not name the page: $(cat out)"
"$hotgraph" report x.db --out b >out || fail "report again"
diff -r a b >/dev/null || fail "two reports on one database differ: $(diff -rq a b)"
page a x.db
grep -q "$digest" a/index.html || fail "the page lacks the digest"
for name in one two three; do
    test -s "a/figures/batches-$name.svg" || fail "no figure of $name: $(ls a/figures)"
done
wrong=$(python3 "$tests/palette.py" a/index.html) || fail "no palette: $wrong"
test -z "$wrong" || fail "colours: $wrong"

# Tables for a page on the web: a line of cells as wide as its head, and what the paper's columns are.
for n in 1 2 3 4; do
    awk -F'|' '/^\|/ { if (n && NF != n) exit 1; n = NF } END { exit !n }' "a/table$n.md" ||
        fail "table$n.md: $(head -5 "a/table$n.md")"
    grep -q "^The paper's columns" "a/table$n.md" || fail "table$n.md does not say what differs from the paper"
done

# For paper: type of 7 pt or more, a column's or a page's width, no date.
for eps in a/figures/*.eps; do
    least=$(grep -o '^.* /[A-Za-z]* F ' "$eps" | awk '{ s = $(NF - 2); if (!n++ || s < l) l = s } END { print l + 0 }')
    awk "BEGIN { exit !($least >= 7) }" || fail "$eps: type of $least pt"
    grep -Eq '^%%BoundingBox: 0 0 (252|516) ' "$eps" || fail "$eps: $(grep Bounding "$eps")"
    ! grep -q 'CreationDate' "$eps" || fail "$eps carries a date"
done
if command -v gs >/dev/null; then
    gs -q -dBATCH -dNOPAUSE -sDEVICE=nullpage a/figures/*.eps >errors 2>&1 || fail "gs: $(cat errors)"
fi

# A stranger's database: nothing in it becomes markup, script or a way out of a query.
cp x.db hostile.db
sqlite3 hostile.db "
    update game set title = '</option><script>alert(1)</script>', paper_game = null;
    update experiment_configuration set label = '\"><img src=x onerror=alert(1)>' where label is not null;
    update run set host = '<script src=//example.org/x.js>', arguments = '</pre></script><b onclick=x()>';
    update experiment set name = 'a''b <i>';"
plain hostile.db --out hostile
page hostile hostile.db

# Half of it, and nothing of it: said, not drawn.
cp x.db half.db
sqlite3 half.db "delete from quality where configuration_id % 2; delete from result where configuration_id % 2;"
plain half.db --out half
page half half.db
grep -q 'results that the experiment asks for are missing' half/index.html || fail "half a database passes for a whole one"
grep -q 'Fewer than two configurations have results on all games\|Would one game have told' half/index.html || fail "no figure, no reason"
cp x.db none.db
sqlite3 none.db "delete from role; delete from quality; delete from result;"
plain none.db --out none
grep -q 'has no results yet' none/index.html || fail "no results, and the page does not say so"
! grep -q '<svg' none/index.html || fail "figures of nothing"
sqlite3 empty.db 'pragma user_version = 2; pragma application_id = 1752134759'
refuses 1 empty.db report empty.db --out empty
head -c 20000 x.db >cut.db
refuses 1 cut.db report cut.db --out cut
! test -e cut/index.html || fail "a page of a damaged database"

# One game, and twenty.
sweep experiment.cfg --db one.db --games one
plain one.db --out one --experiment paper
page one one.db
grep -q 'nothing to agree with' one/index.html || fail "one game agrees with itself"
{
    sed '/^@include/d' "$source/configs/paper.cfg"
    echo "games = ("
    for i in $(seq 1 20); do
        test "$i" = 1 || echo ,
        pair "game$i" synthetic-a
    done
    echo ");"
} >twenty.cfg
sweep twenty.cfg --db twenty.db
plain twenty.db --out twenty
page twenty twenty.db
test "$(grep -c '<option value=.game' twenty/index.html)" -gt 0 || fail "no chooser"

# Games that are no longer in the experiment leave no figures behind; without gnuplot there still is a page.
plain one.db --out a
! test -e a/figures/batches-two.svg || fail "a figure of a game that is gone"
plain x.db --out plain
grep -q 'gnuplot is not installed' errors || fail "nothing is said of gnuplot: $(cat errors)"
page plain x.db
