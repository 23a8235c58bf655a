# The report's page in use: if this fails, a link shows another game or other rows than its sender saw, or a filter for bin_size=1
# finds bin_size=16.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
tests=$source/tests/e2e/report
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
        --disable-component-update --disable-sync --user-data-dir="$work/profile" --virtual-time-budget=5000 --window-size=1300,900 \
        --dump-dom "file://$work/$1" >dom.html 2>errors || fail "$browser: $(tail -3 errors)"
    grep -q '</html>' dom.html || fail "no page: $(tail -3 errors)"
}
command -v sqlite3 >/dev/null || skip "no sqlite3"
sweep experiment.cfg --db x.db
mkdir bin
PATH=$work/bin "$hotgraph" report x.db --out r >out 2>errors || fail "report: $(cat errors)"

# Goes to addresses, then uses the controls as a reader does, and notes each time what is shown: games with figures, games of
# the table's rows, and the text about the rows. Ends with the page as it was opened.
sed '/<\/body>/d' r/index.html >r/used.html
cat >>r/used.html <<'END'
<script>
const said = [];
function look(what) {
  const shown = [...document.querySelectorAll('[data-game]')].filter(part => !part.hidden).map(part => part.dataset.game);
  const rows = [...document.getElementById('all-t').tBodies[0].rows].filter(row => !row.hidden);
  const games = new Set(rows.map(row => row.cells[0].textContent));
  said.push([what, shown.join(), [...games].sort().join(), document.getElementById('all-t-n').textContent].join('|'));
}
async function go(what, address) {
  const gone = new Promise(done => addEventListener('hashchange', () => setTimeout(done), {once: true}));
  location.hash = address;
  await gone;
  look(what);
}
function change(id, value) {
  const control = document.getElementById(id);
  control.value = value;
  control.dispatchEvent(new Event('change'));
}
(async () => {
  look('opened');
  await go('address', '#game=two&tables=1&filter.all-t=bin_size%3D8+edges%3E0');
  await go('whole', '#game=all&filter.all-t=bin_size%3D1');
  await go('nowhere', '#game=nowhere');
  change('game', 'three');
  change('graph', 'worst');
  const filter = document.querySelector('[data-table="all-t"]');
  filter.value = 'bin_size=16 edges>=1';
  filter.dispatchEvent(new Event('input'));
  document.querySelector('nav a[href="#tables"]').click();
  look('chosen');
  const address = location.hash;
  await go('elsewhere', '#games');
  await go('again', address);
  // The head of a column is clicked twice: the smallest first, then the largest.
  const played = document.getElementById('played-t'), heads = [...played.tHead.rows[0].cells];
  const at = heads.findIndex(head => head.textContent === 'instructions');
  for (const way of ['up', 'down']) {
    heads[at].querySelector('button').click();
    said.push(way + '|' + [...played.tBodies[0].rows].map(row => row.cells[at].textContent).join(' '));
  }
  said.push('address|' + address);
  // Cards of these heights, on the screen and as printed: no card has a blank beside it.
  const figures = document.createElement('div');
  figures.className = 'figures';
  figures.innerHTML = [400, 0, 300, 310, 320, 0, 350, 360].map(height => height ?
    `<figure><h3>card</h3><div class="pan" style="height:${height}px"></div><figcaption>text</figcaption></figure>` :
    '<figure class="wide"><h3>wide</h3></figure>').join('');
  document.querySelector('h1').after(figures);
  change('game', 'two');
  const beside = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > (a.bottom - a.top) / 2;
  const cards = () => {
    const places = [...figures.children].map(card => card.getBoundingClientRect());
    return places.map((place, i) => place.width > 0.9 * figures.clientWidth ? 'alone' :
      places.some((other, k) => k !== i && beside(place, other)) ? 'pair' : 'blank').join(' ');
  };
  said.push('screen|' + cards());
  for (const style of document.querySelectorAll('head style'))
    style.textContent = style.textContent.replaceAll('@media screen{', '@media not all{').replaceAll('@media print{', '@media all{');
  said.push('print|' + cards());
  const pre = document.createElement('pre');
  pre.id = 'said';
  pre.textContent = said.join('\n');
  document.body.append(pre);
})();
</script></body></html>
END
dump 'r/used.html#game=three'
sed -n '/<pre id="said">/,/<\/pre>/p' dom.html | sed 's/<[^>]*>//g; s/&amp;/\&/g; s/&gt;/>/g' >said
# said WHAT TEXT: checks what was noted.
said() {
    grep -qxF "$1|$2" said || fail "$1 is not '$2': $(cat said)"
}
# rows CONDITION: the number of such rows in the table.
rows() { ask x.db "select count(*) from results where hot_permille = 900 and $1"; }
all=$(rows true)
said opened "three|one,three,two|$all of $all rows"
eight=$(rows "game = 'two' and parameters like 'bin_size=8 %' and edges > 0")
said address "two|two|$eight of $all rows, of two alone"
said whole "one,three,two||0 of $all rows"
said nowhere "one|one,three,two|$all of $all rows"
sixteen=$(rows "game = 'three' and parameters like 'bin_size=16 %' and edges >= 1")
test "$eight" -gt 10 && test "$sixteen" -gt 10 || fail "hardly a row: $eight, $sixteen"
said chosen "three|three|$sixteen of $all rows, of three alone"
said elsewhere "one|one,three,two|$all of $all rows"
said again "three|three|$sixteen of $all rows, of three alone"
# Sorted as numbers, though they are written with commas.
ask x.db "select printf('%,d', instructions) from completeness join stream using (stream_id) join replay using (replay_id)
    order by instructions" >sorted
said up "$(tr '\n' ' ' <sorted | sed 's/ $//')"
said down "$(tac sorted | tr '\n' ' ' | sed 's/ $//')"
tr -d , <sorted | sort | cmp -s - sorted && fail "words would be in the same order as numbers: $(cat sorted)"
for part in game=three graph=worst tables=1 at=tables filter.all-t=bin_size; do
    grep -q "^address|.*$part" said || fail "the address lacks $part: $(tail -1 said)"
done
said screen "alone alone pair pair alone alone pair pair"
said print "alone alone pair pair alone alone pair pair"
