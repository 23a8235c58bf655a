# The report's tables in LaTeX: if this fails, they do not compile, or run over the edge of the page.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
command -v pdflatex >/dev/null || skip "no pdflatex"
sed 's/name = "one"/name = "the-longest-name-that-a-game-may-have-is"/; s/untested = true;/untested = true; paper_game = "Super Mario Bros";/' \
    experiment.cfg >wide.cfg
sweep wide.cfg --db x.db --report tables
ls tables/*.tex >files || fail "no tables"
{
    printf '\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs}\n\\begin{document}\n'
    sed 's/.*/\\input{&}\\clearpage/' files
    printf '\\end{document}\n'
} >all.tex
pdflatex -interaction=nonstopmode all.tex >out 2>&1 || fail "pdflatex: $(grep -A3 '^!' out)"
! grep -E 'Overfull|Float too large' all.log >wide || fail "too wide or too high: $(cat wide)"
grep -q 'Output written on all.pdf' all.log || fail "$(tail -5 all.log)"
for n in 1 2 3 4; do
    test "$(tr '\n' ' ' <"tables/table$n.tex" | grep -o "The paper's columns are of its own games, other programs with other input" |
        wc -l)" = 1 || fail "table$n.tex does not say once what differs from the paper"
    grep -q toprule "tables/table$n.tex" && ! grep -q hline "tables/table$n.tex" || fail "table$n.tex is not booktabs'"
done
# Every column of the CSV is in one of the parts.
for file in tables/table*.csv; do
    columns=$(head -1 "$file" | tr ',' '\n' | wc -l)
    heads=$(grep -o 'shortstack\[.\]{[^}]*}' "${file%.csv}.tex" | sort -u | wc -l)
    test "$heads" -ge $((columns - 3)) || fail "$file has $columns columns, its .tex has $heads heads"
done
