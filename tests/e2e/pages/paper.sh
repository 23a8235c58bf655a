# The paper (docs/paper): if this fails, `make paper` does not build it, or a number can stand in it that comes from no database.
#
# With databases of short runs the macros are written, and each that is used exists. Where LaTeX and gnuplot are installed, the whole is
# typeset, with ?? for what such runs have no answer to.
set -eu
. "$(dirname "$0")/../lib.sh"
! sanitized || skip "a build with sanitizers; each command has a test of its own there"
command -v python3 >/dev/null && command -v sqlite3 >/dev/null || skip "no python3, or no sqlite3"
cd "$work"
mkdir configs results
ln -s "$source/games" "$source/movies" .
cp -r "$source/docs/paper" paper
for name in "$source"/configs/*.cfg; do sed 's/^frames = .*/frames = 300;/' "$name" >"configs/${name##*/}"; done
# sweep CONFIG DB OPTION...
sweep() {
    config=configs/$1.cfg db=results/$2.db
    shift 2
    "$hotgraph" sweep "$config" --db "$db" "$@" >said 2>errors || fail "$config: $(tail -3 errors)"
}
paper() { python3 paper/paper.py "$@" results out >said 2>errors; }

# Nothing is computed for a wrong text.
refused() {
    cp "$source"/docs/paper/* paper/
    sed -i "$1" "paper/$2"
    ! paper --check || fail "it takes $1 in $2"
    grep -qF -e "$3" errors || fail "$1 in $2: it says $(cat errors)"
    cp "$source"/docs/paper/* paper/
}
# shellcheck disable=SC2016
refused 's/^A profile is worth what/A profile is worth 52 of what/' paper.tex 'no query gives the digits of these lines'
refused 's/\\val{GaussianLeast}/\\val{GaussianLess}/' paper.tex 'no query of numbers.sql gives the number GaussianLess'
refused 's/\\rows{Ranking}//' paper.tex 'does not use the table Ranking'
refused 's/^-- number OtherBenefit .*//' numbers.sql 'gives the number OtherBenefit'
refused 's/^-- number Games hotgraph/-- number Games elsewhere/' numbers.sql 'no database is called elsewhere'
! paper --check || fail "it does without databases"
grep -q 'hotgraph.db: there is no such database' errors || fail "$(cat errors)"

sweep paper hotgraph
sweep golden golden
sweep techniques worth --where seed=1 --where by=active --where place=calls
sweep worth worth-live --where by=live
sweep live live
sweep frontier frontier --games mazewisp,umbel
"$hotgraph" costs configs/frontier.cfg --db results/frontier.db --games mazewisp,umbel --frames 300 --from 200 >said 2>costs || {
    grep -q x86-64 costs || fail "costs: $(cat costs)"
    skip "no translator, so costs have no answer"
}
# In so short a run a configuration may equal the baseline, a target may be out of reach, and thirty seconds may exceed the run.
! paper --check || fail "it takes short runs for an answer to everything"
sed -n 's/^numbers.sql: no answer to //p' errors | tr ',' '\n' | sed 's/^ *//; s/ .*//' | sort >missing
printf '%s\n' AsGood BudgetEighty BudgetEightyBaseline BudgetNinetyNineBaseline FirstHalfMinute FirstTen >may
test -s missing && test -z "$(grep -vxF -f may missing)" || fail "no answer to $(cat missing) $(cat errors)"
paper --check --draft || fail "$(cat errors)"
grep -o 'val{[A-Za-z]*}' paper/paper.tex | sort -u | sed 's/val{\(.*\)}/\1/' >used
test "$(wc -l <used)" -ge 60 || fail "the paper uses $(wc -l <used) numbers"
while read -r name; do grep -q "csname val@$name.endcsname" out/numbers.tex || fail "$name is not written"; done <used
grep -o 'rows{[A-Za-z]*}' paper/paper.tex | grep -v 1 | sed 's/rows{\(.*\)}/\1/' | while read -r name; do
    test -s "out/rows-$name.tex" || fail "the rows of $name are not written"
done
test "$(grep -c '' out/rows-Ranking.tex)" = 24 || fail "three configurations of each game: $(cat out/rows-Ranking.tex)"
# A number is that of its database.
least=$(sqlite3 -readonly results/hotgraph.db "SELECT printf('%.0f', min(100 * similarity)) FROM ranked")
grep -qF "val@GaussianLeast\\endcsname{$least}" out/numbers.tex || fail "GaussianLeast is not $least"

command -v pdflatex >/dev/null && command -v gnuplot >/dev/null && test -x "$(dirname "$hotgraph")/sweep/report/hotgraph-pdf" || exit 0
for name in hotgraph worth frontier; do
    to=results/$name
    test "$name" != hotgraph || to=results
    "$hotgraph" report "results/$name.db" --out "$to" >said 2>errors || fail "report of $name: $(cat errors)"
done
paper --draft || fail "$(cat errors)"
test "$(cat said)" = out/paper.pdf && test -s out/paper.pdf || fail "$(cat said)"
