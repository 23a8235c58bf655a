# Reports in folders of any name: if this fails, tables or pictures are missing where a name has a blank or a quote in it, or a
# part of the name is run by a shell or by gnuplot, or somebody's other files are overwritten.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
sweep experiment.cfg --db x.db --games one,three
"$hotgraph" report x.db --out plain >/dev/null 2>errors || fail "report: $(cat errors)"
has_pictures=$(find plain -name '*.svg' | wc -l)
! command -v gnuplot >/dev/null || test "$has_pictures" -ge 5 || fail "$has_pictures pictures"
mkdir tmp bystanders
export TMPDIR="$work/tmp"
# Characters that are special to shells, gnuplot, printf and the page's
# addresses.
odd="-r a 'b' \"c\" \$(touch hacked) \`touch hacked\` * ? [x] {1..2} ~ # & ; touch hacked | %s%n \\n <x>
 second line"
# The words and patterns in that name are files that must stay untouched.
cd bystanders
for name in ./-r a b c second line hacked.not; do echo mine >"$name"; done
all() { find . -path "./-r a *" -prune -o -type f -print0 | sort -z | xargs -0 sha1sum; }
all >../before
# shown FOLDER HOW: the same report is there, and nothing else.
shown() {
    diff -r "$work/plain" "$1" >"$work/differs" || fail "$2: $(head -5 "$work/differs")"
    all | cmp - ../before || fail "$2: other files: $(all | diff ../before -)"
    test -z "$(find "$work" -name hacked)" || fail "$2: a part of the name was run"
    test -z "$(ls "$work/tmp")" || fail "$2: left in \$TMPDIR: $(ls "$work/tmp")"
}
"$hotgraph" report ../x.db --out="$odd" >../out 2>../errors || fail "report: $(cat ../errors)"
shown "./$odd" "--out=NAME"
rm -r "./$odd"
"$hotgraph" report ../x.db --out "$work/bystanders/$odd" >../out 2>../errors || fail "report: $(cat ../errors)"
shown "./$odd" "the whole path"
# The database has such a name as well; and a report from a sweep.
mv "./$odd" "$work/elsewhere"
cp ../x.db "$work/elsewhere/x.db"
mv "$work/elsewhere" "./$odd"
"$hotgraph" report "./$odd/x.db" --out="./$odd/in it" >../out 2>../errors || fail "report: $(cat ../errors)"
rm "./$odd/x.db"
mv "./$odd/in it" "$work/in it"
shown "$work/in it" "a database of such a name"
shown "./$odd" "beside it"
# The scripts there draw their figures again.
if command -v gnuplot >/dev/null; then
    script=$(cd "./$odd" && find figures -name '*.gp' | head -n 1)
    rm "./$odd/${script%.gp}.svg"
    (cd "./$odd" && gnuplot "$script" >"$work/out" 2>&1) || fail "gnuplot $script: $(cat "$work/out")"
    test -s "./$odd/${script%.gp}.svg" || fail "$script draws nothing"
fi
