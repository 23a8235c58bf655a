# Every picture of a report and of docs, in a viewer other than a browser: if this fails, an editor, a file manager or a
# paper shows a black rectangle instead.
set -eu
. "$(dirname "$0")/../lib.sh"
colours=$(realpath "$3")
. "$(dirname "$0")/../sweep_lib.sh"
command -v rsvg-convert >/dev/null || skip "no rsvg-convert"
command -v python3 >/dev/null || skip "no python3"

# looks SVG: its picture has all its colours, and most of it is not black.
looks() {
    rsvg-convert --zoom 2 "$1" -o picture.png 2>errors || fail "$1: $(cat errors)"
    "$colours" picture.png >colours.txt || fail "$1: no picture"
    wrong=$(python3 "$source/tests/e2e/report/pictures.py" "$1" colours.txt) || fail "$1 cannot be read"
    test -z "$wrong" || fail "$1: $wrong"
}

for svg in "$source"/docs/*.svg; do
    looks "$svg"
done
sweep "$source/configs/paper.cfg" --games mazewisp --db x.db --report report
test "$(find report -name '*.svg' | wc -l)" -gt 20 || fail "hardly a drawing: $(find report -name '*.svg')"
for svg in $(find report -name '*.svg'); do
    looks "$svg"
done
# The check itself notices a drawing whose colours are variables.
sed "s/ fill='#[0-9a-f]*'//g; s/stroke='#[0-9a-f]*'//g" report/figures/distribution.svg >black.svg
if (looks black.svg) 2>/dev/null; then
    fail "a drawing without plain colours passes"
fi
