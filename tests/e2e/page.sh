# The report's page in use: if this fails, somebody sends a link that shows another game or other rows than were seen, or a filter
# finds bin_size=16 where 1 was asked for.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sweep_lib.sh"
tests=$source/tests/e2e
tried=0
if command -v node >/dev/null; then
    wrong=$(node "$tests/page.js" "$source/plots/page.js" 2>&1) || fail "page.js: $wrong"
    test -z "$wrong" || fail "page.js: $wrong"
    tried=1
fi
browser=$(command -v chromium || command -v chromium-browser || :)
test -n "$browser" || { test $tried = 1 && exit 0; skip "neither node nor chromium"; }

# dump PAGE#ADDRESS: the page as it is once its script has run, into dom.html.
dump() {
    "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/profile" --virtual-time-budget=5000 \
        --dump-dom "file://$work/$1" >dom.html 2>errors || fail "$browser: $(tail -3 errors)"
    grep -q '</html>' dom.html || fail "no page: $(tail -3 errors)"
}
# What is seen: games whose figures are shown, the graphs, rows of a table and their games.
looks() {
    python3 - dom.html <<'END'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
hidden = lambda tag: re.search(r"\shidden(=|\s|>)", tag + ">") is not None
games = [re.search(r'data-game="([^"]*)"', tag)[1] for tag in re.findall(r"<div [^>]*data-game=[^>]*>", page) if not hidden(tag)]
table = page.split('id="all-t"', 1)[1].split("</table>", 1)[0]
rows = [row for row in re.findall(r"<tr([^>]*)>\s*<td[^>]*>([^<]*)", table) if not hidden(row[0])]
count = re.search(r'id="all-t-n">([^<]*)', page)[1]
print(",".join(games), ",".join(sorted({name for _, name in rows})), len(rows), count)
END
}
command -v python3 >/dev/null || skip "no python3"
sweep experiment.cfg --db x.db
mkdir bin
PATH=$work/bin "$hotgraph" report x.db --out r >out 2>errors || fail "report: $(cat errors)"

dump r/index.html
test "$(looks)" = 'one one,three,two 435 435 of 435 rows' || fail "at first: $(looks)"
dump 'r/index.html#game=two&tables=1&filter.all-t=bin_size%3D8+similarity%3E0'
all=$(sqlite3 x.db "select count(*) from results where game = 'two' and hot_permille = 900
    and parameters like 'bin_size=8 %' and round(100 * similarity, 1) > 0")
test "$all" -gt 10 && test "$(looks)" = "two two $all $all of 435 rows, of two alone" || fail "by its address: $(looks), not $all"
dump 'r/index.html#game=all&filter.all-t=bin_size%3D1'
test "$(looks)" = 'one,three,two  0 0 of 435 rows' || fail "a filter finds what it should not: $(looks)"
dump 'r/index.html#game=nowhere'
test "$(looks | cut -d' ' -f1)" = one || fail "a game that is not there: $(looks)"

# The address keeps what is chosen: somebody chooses, and then the page's own address shows the same again.
sed '/<\/body>/d' r/index.html >r/chosen.html
cat >>r/chosen.html <<'END'
<script>
const change = (id, value) => {
  const control = document.getElementById(id);
  control.value = value;
  control.dispatchEvent(new Event('change'));
};
change('game', 'three');
change('graph', 'worst');
const filter = document.querySelector('[data-table="all-t"]');
filter.value = 'bin_size=16 edges>=1';
filter.dispatchEvent(new Event('input'));
document.querySelector('nav a[href="#tables"]').click();
document.body.dataset.address = location.hash;
</script></body></html>
END
dump r/chosen.html
chosen=$(looks)
address=$(grep -o 'data-address="[^"]*"' dom.html | sed 's/data-address="//; s/"$//; s/&amp;/\&/g')
case $address in
*game=three*graph=worst*tables=1*at=tables*) ;;
*) fail "the address is '$address'" ;;
esac
dump "r/index.html$address"
test "$(looks)" = "$chosen" || fail "'$address' shows '$(looks)', not '$chosen'"
test "$(echo "$chosen" | cut -d' ' -f1,2)" = 'three three' || fail "chosen: $chosen"
