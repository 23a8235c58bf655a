# The report's page: if this fails, it shows a number that is not in the database, needs the network, runs code from a
# foreign database, or differs between runs on the same results.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
tests=$source/tests/e2e/report
command -v python3 >/dev/null || skip "no python3"

# page FOLDER DATABASE: index.html is complete, self-contained, and agrees with the answers of
# its queries.
page() {
    wrong=$(python3 "$tests/report_page.py" "$1/index.html" "$2") || fail "$1: the page cannot be read"
    test -z "$wrong" || fail "$1: $wrong"
}

# plain ARGS...: without gnuplot, which takes long to draw the other pictures.
mkdir bin
plain() {
    PATH=$work/bin "$hotgraph" report "$@" >out 2>errors || fail "report $*: $(cat errors)"
}
drawn() {
    "$hotgraph" report "$@" >out 2>errors || fail "report $*: $(cat errors)"
}

sweep experiment.cfg --db x.db
"$hotgraph" report x.db --out a >out 2>errors || fail "report: $(cat errors)"
test "$(tail -1 out)" = a/index.html || fail "the last line does not name the page: $(cat out)"
"$hotgraph" report x.db --out b >out || fail "report again"
diff -r a b >/dev/null || fail "two reports on one database differ: $(diff -rq a b)"
page a x.db
# The paper has nothing to compare with these pairs, so its columns are left out of the page.
! grep -q '>paper&#39;s\|^<p.*The paper.s columns' a/index.html || fail "empty columns of the paper"
grep -q "$digest" a/index.html || fail "the page lacks the digest"
for name in one two three; do
    test -s "a/figures/batches-$name.svg" || fail "no figure of $name: $(ls a/figures)"
done
wrong=$(python3 "$tests/palette.py" a/index.html) || fail "no palette: $wrong"
test -z "$wrong" || fail "colours: $wrong"

# texts FOLDER: every text in its drawings is inside, apart from the others and readable, in light and
# dark mode.
texts() {
    wrong=$(python3 "$tests/figure_texts.py" "$1"/figures/*.svg) || fail "$1: drawings that cannot be read: $wrong"
    test -z "$wrong" || fail "$wrong"
}
texts a
# Colours have one source.
! grep -n "'#[0-9a-fA-F]*'\|0x[0-9a-fA-F]\{6\}\|'white'" "$source"/plots/*.gp "$source"/plots/*/*.gp || fail "a gnuplot script with colours of its own"

# Each parameter that a row names is explained.
"$hotgraph" techniques --json >techniques.json || fail "techniques"
python3 - techniques.json a/index.html >unexplained <<'END'
import json, re, sys
explained = re.findall(r"<dt>(\w+)</dt>", open(sys.argv[2], encoding="utf-8").read())
known = [p["name"] for t in json.load(open(sys.argv[1])) if t["name"] == "gaussian" for p in t["parameters"]]
if sorted(known) != sorted(explained):
    print(f"gaussian has {known}, the page explains {explained}")
END
test ! -s unexplained || fail "$(cat unexplained)"

# Tables for a page on the web: a line of cells as wide as its head, and what the paper's columns are.
for n in 1 2 3 4; do
    awk -F'|' '/^\|/ { if (n && NF != n) exit 1; n = NF } END { exit !n }' "a/table$n.md" ||
        fail "table$n.md: $(head -5 "a/table$n.md")"
    grep -q "^The paper's columns" "a/table$n.md" || fail "table$n.md does not say what differs from the paper"
done

# Figures that combine results agree with the views.
ask x.db "select iif(tau is null, printf('%s and %s: nothing to compare', other, game),
        printf('%s and %s: tau %.2f', other, game, tau)) from rank_agreement where scope = 'whole' and hot_permille = 900
    union all select printf('%s with %s: %.2f %%; without busy-waits %.2f %%', w.factor, w.other, w.percent, a.percent)
        from variance_share w join variance_share a using (technique, factor, other, hot_permille)
        where w.scope = 'whole' and a.scope = 'active' and w.hot_permille = 900" >together
test "$(wc -l <together)" = 13 || fail "not three pairs of games and ten of factors: $(cat together)"
grep -q 'tau 0.21' together || fail "no two games have a rank agreement: $(cat together)"
while read -r line; do
    grep -qF ">$line<" a/index.html || fail "not in the page: $line"
done <together

# A second sampling of the same games does not change the statements about the first: each has its own.
cp x.db ways.db
sqlite3 ways.db "insert into sampling(sampling_id, key, method, interval_us) values (900, 'time interval_us=9', 'time', 9);
    create temp table s as select * from stream;
    create temp table r as select * from result;
    create temp table q as select * from quality;
    update s set stream_id = stream_id + 1000, sampling_id = 900;
    update r set stream_id = stream_id + 1000;
    update q set stream_id = stream_id + 1000, similarity = 1 - similarity * similarity;
    insert into stream select * from s;
    insert into result select * from r;
    insert into quality select * from q;
    insert into experiment_stream(experiment_id, game_id, stream_id, sampling_id, variant)
        select experiment_id, game_id, stream_id + 1000, 900, 'other' from experiment_stream"
drawn ways.db --out ways
page ways ways.db
for figure in effects interactions agreement; do
    cmp -s "a/figures/$figure.svg" "ways/figures/$figure.svg" || fail "figure $figure mixes two ways to sample"
done
for finding in 'On average over 3 games' 'parameter of gaussian that matters most' 'one that matters least'; do
    sed -n "s/<[^>]*>//g; s/ query.*//; /$finding/p" a/index.html >one-way
    sed -n "s/<[^>]*>//g; s/ query.*//; /$finding/p" ways/index.html >two-ways
    test "$(wc -l <one-way)$(wc -l <two-ways)" = 12 || fail "not one sentence for each way to sample: $(cat one-way two-ways)"
    sed -n 1p two-ways | cmp -s one-way - || fail "two ways to sample are mixed: $(cat one-way two-ways)"
done

# The time of replays appears once it was measured, only for this experiment's
# games.
! grep -q 'No replays\|were timed\|How fast is a replay' a/index.html || fail "no timings, and yet a place for them"
cp x.db timed.db
sqlite3 timed.db "insert into bench(run_id, game, configuration, engine, mode, round, frames, seconds, base_seconds)
    select run_id, column1, 'tracer', 'fast', 'inline', column2, 1800, column3, 1.5 from (select min(run_id) as run_id from run),
    (values ('one', 1, 1.8), ('one', 2, 1.95), ('one', 3, 2.4), ('elsewhere', 1, 3))"
plain timed.db --out timed
page timed timed.db
row=$(sed -n "/id='bench'/,/<\/table>/p" timed/index.html | sed -n 's/<[^>]*>/ /g; /tracer/p')
# shellcheck disable=SC2116 # one blank for several
test "$(echo $row)" = 'one fast tracer inline 1,800 3 1,200 1.3 1.2 1.6 –' || fail "not what was timed: $row"

# For paper: every figure as PDF, a column or a page wide, with its fonts in it, and no date of its own. Text of 14 pixels has 7 pt there.
for svg in a/figures/*.svg; do
    pdf=${svg%.svg}.pdf
    test -s "$pdf" || fail "$pdf is not there"
    grep -aqE 'CreationDate \((D:)?20000101000000' "$pdf" || fail "$pdf carries a date"
    least=$(grep -o "font-size='[0-9.]*\|font-size=\"[0-9.]*" "$svg" | tr -dc '0-9.\n' | sort -n | head -1)
    awk "BEGIN { exit !(${least:-14} >= 13.34) }" || fail "$svg: type of $least pixels"
    command -v pdfinfo >/dev/null || continue
    pdfinfo "$pdf" | grep -Eq '^Page size: *(252|516)(\.[0-9]*)? x' || fail "$pdf: $(pdfinfo "$pdf")"
    test "$(pdffonts "$pdf" | awk 'NR > 2 && $(NF - 4) != "yes"')" = '' || fail "$pdf: $(pdffonts "$pdf")"
done

# To restyle a figure one edits its script: drawn again, in any folder and at any time, it has the same bytes.
if command -v gnuplot >/dev/null; then
    mkdir moved-folder
    cp -r a "moved-folder/it's here"
    moved="$work/moved-folder/it's here"
    rm "$moved"/figures/*.pdf
    for script in a/figures/*.gp; do
        name=$(basename "$script" .gp)
        test "$name" != style || continue
        rm "$moved/figures/$name.svg"
        (cd "$moved" && TZ=UTC0 gnuplot "figures/$name.gp") >errors 2>&1 || fail "gnuplot figures/$name.gp: $(cat errors)"
        for ending in svg pdf; do
            cmp "a/figures/$name.$ending" "$moved/figures/$name.$ending" || fail "$name.$ending is drawn otherwise"
        done
    done
    for figure in agreement distribution effects interactions precision-one precision-two precision-three \
        batches-one batches-two batches-three heatmap-one; do
        test -s "$moved/figures/$figure.pdf" || fail "no figure $figure: $(ls "$moved/figures")"
    done
    # A changed colour in the shared style changes the figure, on paper and on a dark screen.
    sed -i 's/^ink_s0 = 0x[0-9a-f]* # dark [0-9a-f]*/ink_s0 = 0x123456 # dark 654321/; s/^ink_found = .*//' "$moved/figures/style.gp"
    (cd "$moved" && gnuplot figures/precision-one.gp) || fail "another colour"
    grep -q "class='f-s0' fill='#123456'" "$moved/figures/precision-one.svg" && grep -q 'f-s0{fill:#654321}' "$moved/figures/precision-one.svg" ||
        fail "a colour of figures/style.gp is not that of the figure"
    # Values are shown as tooltips, and drawings contain no code.
    test "$(grep -c '<title>#' a/figures/precision-one.svg)" = "$(ask x.db "select count(*) from results where game = 'one'
        and number is not null and hot_permille = 900 and similarity is not null and precision is not null")" ||
        fail "not a hint for each configuration"
    test "$(grep -c '<title>.* % and more after ' a/figures/batches-one.svg)" = "$(ask x.db "select count(distinct label || batches) from (
        select label, min(batches) as batches from convergence_curve join (select 50 as level union select 80 union select 95 union select 99)
        on 100 * similarity >= level where experiment = 'paper' and game = 'one' and variant = '' and hot_permille = 900
        group by label, number, level)")" || fail "not a hint where each curve first reaches 50, 80, 95 and 99 %"
    # A heatmap: one tooltip per cell, in both halves if busy-waits make a difference, and the best of each half
    # framed.
    for name in one two three; do
        test "$(grep -c '<title>#' a/figures/heatmap-$name.svg)" = "$(ask x.db "select count(similarity)
            + iif(max(similarity_active is not similarity), count(similarity_active), 0)
            from results where game = '$name' and number is not null and hot_permille = 900")" || fail "not a hint for each cell of $name"
    done
    sed -n 's/^best_x\[1\] = \([0-9]*\); best_y\[1\] = \([0-9]*\)$/\1,\2,/p' a/figures/heatmap-one.gp >best
    test "$(grep -f best a/figures/heatmap-one.csv | cut -d, -f3 | sort -n | tail -1)" = \
        "$(ask x.db "select round(100 * max(similarity), 3) from results where game = 'one' and number is not null and hot_permille = 900" |
        sed 's/[.]0$//')" || fail "the framed cell is not the best: $(cat best)"
    # The headline's picture: a point with its hint and a bar for each mean that has an interval.
    means=$(grep -c ': [0-9.]* %, 95 % interval' a/figures/means.csv || :)
    test "$means" -gt 2 && test "$(grep -c '<title>.*95 % interval' a/figures/means.svg)" = "$means" || fail "not $means means with hints"
    test "$(sed -n "s/<path d='\([^']*\)'.* stroke-width='3'.*/\1/p" a/figures/means.svg | grep -o M | wc -l)" = \
        "$(grep -o '95 % interval.*' a/figures/means.csv | grep -vc 'interval \([0-9.]*\) to \1 %')" || fail "an interval is not drawn: $(cat a/figures/means.svg)"
    ! grep -il '<script\|onmouse\|gnuplot_' a/figures/*.svg || fail "a drawing with a program in it"
    # The paper's size, type of 7 pt or more.
    if command -v pdfinfo >/dev/null; then
        pdfinfo a/figures/precision-one.pdf >info || fail "no PDF"
        grep -q '^Page size: *252 x' info || fail "not a column wide: $(cat info)"
        grep -q '^CreationDate: *.*2000' info || fail "it carries a date: $(cat info)"
    fi
    if command -v pdftotext >/dev/null; then
        pdftotext -bbox a/figures/precision-one.pdf words.xml
        least=$(sed -n 's/.*yMin="\([0-9.]*\)".*yMax="\([0-9.]*\)".*/\1 \2/p' words.xml |
            awk '{ s = ($2 - $1) / 1.164; if (!n++ || s < l) l = s } END { print l + 0 }')
        awk "BEGIN { exit !($least >= 7) }" || fail "type of $least pt"
    fi
fi

# The drawings of the method show what happened: numbers of the configuration's own result, and what was sampled.
grep -q 'id=.paths-one' a/index.html && grep -q 'id=.windows-one' a/index.html || fail "figures of the method are missing"
test -z "$(ask x.db "select * from (select stream_id, configuration_id, max(iif(path = 'batches', count, 0)) b,
        max(iif(path = 'low', count, 0)) l, max(iif(path = 'high', count, 0)) h, max(iif(path = 'new bin', count, 0)) n
        from path_count group by 1, 2) join result using (stream_id, configuration_id)
    where l <> low or h <> high or n <> bins or b <> low + high")" || fail "paths that are not the result's"
test "$(ask x.db "select count(*) from path_count where path = 'batches'")" = 3 || fail "paths are not of each game"
test -z "$(ask x.db "select * from bin_history where event = 'new' and moment = 'after' group by stream_id
    having sum(address = mean and count = 1 and centroid = mean) <> 1")" || fail "a new bin that is not where its mean is"
sweep "$source/configs/paper.cfg" --games mazewisp --db game.db
test "$(ask game.db "select group_concat(n || ' ' || batch, ';') from (select batch, count(*) n from excerpt
    where figure = 'intervals' and batch is not null group by batch)")" = '25 16639;25 16640;25 16641' ||
    fail "not the three batches after frame 3,000"
test -z "$(ask game.db "select * from excerpt e join excerpt f on f.figure = 'intervals' and f.place = e.place + 1
    and f.batch = e.batch where e.figure = 'intervals' and f.cycle - e.cycle not between 2 and 520")" ||
    fail "sampled instructions that do not follow each other"
"$hotgraph" report game.db --out game >out || fail "report of a game"
page game game.db
grep -q '>paper&#39;s bins<' game/index.html || fail "the paper's columns are missing"
texts game
if command -v gnuplot >/dev/null; then
    test "$(grep -c '% sampled, overlap' game/figures/cost.svg)" = "$(ask game.db "select count(*) from technique_mean
        where hot_permille = 900 and games = of_games and observed_share > 0 and overlap_active is not null")" || fail "not a point a technique"
    test "$(grep -c '<rect x.*f-text' game/figures/intervals-mazewisp.svg)" = "$(ask game.db "select count(*) from excerpt
        where figure = 'intervals' and batch is not null")" || fail "not a mark for each sampled instruction"
fi
for figure in calls bins intervals windows bin-moved bin-new paths; do
    grep -q "<figure id='$figure-mazewisp'>" game/index.html && test -s "game/figures/$figure-mazewisp.pdf" ||
        fail "no figure $figure: $(ls game/figures)"
done
# The loop with a call was executed: its call goes at least 512 bytes away, as often as in the graph.
test -z "$(ask game.db "select * from exact_edge e where not exists (select 1 from instruction i
        where i.replay_id = e.replay_id and i.address = e.source) and source % 65536 >= 32768")" || fail "a block without instructions"
test "$(ask game.db "select count(*) from instruction i where kind in ('plain', 'call') and not exists (select 1 from instruction n
        where n.address = i.address + i.size)")" = 0 || fail "code that leads nowhere"
ask game.db "select printf('%04X JSR \$%04X', i.address, e.target) from exact_edge e join instruction i using (replay_id)
    where kind = 'call' and i.text = printf('JSR \$%04X', e.target) and abs(e.target - i.address) >= 512
    and i.address >= e.source and not exists (select 1 from exact_edge o where o.source > e.source and o.source <= i.address)" >far
test "$(grep -cFf far game/figures/calls-mazewisp.svg)" -gt 0 || fail "no far call in the loop that calls"
# If a game waits, there is a second figure without busy-waits; else it would equal the first.
test -s game/figures/distribution-active.svg && ! test -e a/figures/distribution-active.svg || fail "figures with and without busy-waits"
# Bins over time end with those of the result, and none disappears.
test "$(ask game.db "select count(*) from bin_history where event = 'mark' and batch = (select max(batches) from stream)")" = \
    "$(ask game.db "select bins from result join configuration using (configuration_id)
        where key like 'gaussian bin_size=10 stdev_threshold=15 window_size=13 recurrent_threshold=5%'")" ||
    fail "the last mark has other bins than the result"
test -z "$(ask game.db "select address from bin_history where event = 'mark' and batch = 1000 except
    select address from bin_history where event = 'mark' and batch = 3000")" || fail "a bin that went away"
if command -v dot >/dev/null; then
    for role in best median worst baseline; do
        test -s "game/figures/hot-$role-mazewisp.svg" || fail "no graph of the $role"
    done
    ask game.db "select printf('%04X', source) from graph_edge union select printf('%04X', target) from graph_edge
        union select upper(source) from hot_edge union select upper(target) from hot_edge" >names
    wrong=$(python3 "$tests/graph_boxes.py" names game/figures/hot-*.svg) || fail "no hot graphs"
    test -z "$wrong" || fail "$wrong"
    # A box's tooltip shows the code at its block's start, unless the code is in RAM.
    ask game.db "select printf('%04X: %s', address, text) from instruction where address in (select source from exact_edge
        where hot)" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' >begins
    shown=$(grep -oFf begins game/figures/hot-best-mazewisp.svg | sort -u | wc -l)
    test "$shown" -gt 0 && test "$shown" = "$(sort -u begins | wc -l)" || fail "$shown of the hot blocks say what they do"
    found=$(ask game.db "select sum(in_best) || ' of ' || count(*) from hot_edge where hot")
    grep -q "the best configuration: $found hot edges found" game/index.html || fail "not $found in the drawing's caption"
fi

# The input, and the program that computed the results: one line each.
test "$(grep -c "<td>mazewisp.fm2</td><td class='r'>18,000</td><td>never</td>" game/index.html)" = 1 || fail "no movie in the page"
sqlite3 game.db "update movie set lines = 17000"
plain game.db --out pressed
grep -q '<td>from frame 17000 on</td>' pressed/index.html || fail "frames after the movie's end are not told"
test "$(ask game.db "select group_concat(distinct differs) || count(*) from provenance_summary where runs = 1 and results = 145")" = 014 ||
    fail "$(ask game.db 'select * from provenance_summary')"
sqlite3 game.db "create temp table r as select * from run; update r set run_id = run_id + 1, uuid = 'another', host = 'elsewhere';
    insert into run select * from r; update result set run_id = run_id + 1 where result.configuration_id % 2"
test "$(ask game.db "select group_concat(distinct what) from provenance_summary where differs")" = host &&
    test "$(ask game.db "select count(*) = 2 and sum(results) = 145 from provenance_summary where what = 'host'")" = 1 ||
    fail "$(ask game.db 'select * from provenance_summary')"

# Several hot shares, samplings and movies in one experiment: the figures show one, the tables name each.
cat >several.cfg <<END
name = "several"; frames = 300; hot_permille = [800, 900];
sampling = { interval_ms = [3, 5]; batch = 25; };
grid = { technique = "gaussian"; recurrent_threshold = [5, 12]; window_size = 13; stdev_threshold = [8, 15]; bin_size = [8, 10]; };
games = ( { name = "mazewisp"; rom = "$source/games/mazewisp.nes";
        movie = ["$source/movies/mazewisp.fm2", "$source/movies/mazewisp-2.fm2"]; },
    { name = "airmail"; rom = "$source/games/airmail.nes"; movie = "$source/movies/airmail.fm2"; } );
END
sweep several.cfg --db several.db
drawn several.db --out several
page several several.db
grep -q "<td>mazewisp (movie=mazewisp-2 interval_ms=5)</td><td class='r'>80</td>" several/index.html || fail "rows of several shares look the same"
for share in 80 90; do
    test "$(grep -c "What is hot: edges that make up $share %" several/index.html)" = 2 || fail "not both ways of the share $share"
done

# A hot share other than the paper's: the page does not say 90 %, no game is compared with the paper, and edges are found.
sed 's/hot_permille = .800, 900./hot_permille = [950]/; s/name = "several"/name = "other"/' several.cfg >other.cfg
sweep other.cfg --db other.db --games airmail
plain other.db --out other
page other other.db
! grep -q 'make up 90 %\|Hot: 90 %' other/index.html || fail "another share is called 90 %"
grep -q 'edges that make up 95 % of what was executed' other/index.html || fail "the share is not named"
! grep -q "Compared with the paper's game" other/index.html || fail "another share is compared with the paper"
test "$(ask other.db "select count(*) > 0 and sum(in_best) > 0 and min(hot_permille) = 950 from hot_edge where hot")" = 1 ||
    fail "nobody finds hot edges: $(ask other.db 'select * from hot_edge' | head -5)"
test "$(ask other.db "select count(*) from hot_edge where hot and variant = ''")" = "$(ask other.db "select max(hot_edges) from results where variant = ''")" ||
    fail "not the hot edges of that share"
test "$(grep -c '<rect' several/figures/distribution.svg)" -le 20 || fail "more than eight configurations of two games are drawn"

# Several experiments in one database: a page for each, and one with links to
# them.
sed 's/name = "paper"/name = "second"/' experiment.cfg >second.cfg
cp x.db two.db
sweep second.cfg --db two.db
plain two.db --out two
test "$(tail -1 out)" = two/index.html || fail "the last line does not name the page: $(cat out)"
for name in paper second; do
    grep -q "<a href='$name/index.html'>$name</a></td><td class='r'>3</td>" two/index.html || fail "no link to $name"
    page "two/$name" two.db
    grep -q "<a href='../index.html'>All experiments</a>" "two/$name/index.html" || fail "no way back from $name"
done
grep -q "$digest" two/index.html || fail "the contents lack a digest: $(cat two/index.html)"

# A report that cannot be completed is not begun: no folder with only the first experiment, or with tables without figures, is
# left.
cp two.db bad.db
sqlite3 bad.db "update experiment set name = 'z/z <b>' where name = 'second'"
plain bad.db --out odd
odd=$(sed -n "s/.*<a href='\(_z-z[^']*\)\/index.html'>z\/z &lt;b&gt;<.*/\1/p" odd/index.html)
test -n "$odd" && test -s "odd/$odd/index.html" && test -s odd/paper/index.html || fail "an older experiment's name: $(find odd -name index.html)"
rm -r odd
refuses 1 "no experiment 'nosuch'" report two.db --experiment nosuch --out bad
cp x.db bad-game.db
sqlite3 bad-game.db "update game set name = 'two two' where name = 'two'"
refuses 1 "cannot be a file's, 'two two'" report bad-game.db --out bad
test ! -e bad || fail "half a report: $(find bad)"

# A foreign database: nothing in it becomes markup, script or SQL.
cp x.db hostile.db
sqlite3 hostile.db "
    update game set title = '</option><script>alert(1)</script>', paper_game = null;
    update experiment_configuration set label = '\"><img src=x onerror=alert(1)>' where label is not null;
    update run set host = '<script src=//example.org/x.js>', arguments = '</pre></script><b onclick=x()>';
    update experiment set name = 'a''b <i>';"
plain hostile.db --out hostile
page hostile hostile.db

# Half of the results, and none: reported, not drawn.
cp x.db half.db
sqlite3 half.db "delete from quality where configuration_id % 2; delete from result where configuration_id % 2;"
drawn half.db --out half
page half half.db
grep -q 'results of this experiment are missing' half/index.html || fail "half a database passes for a whole one"
for id in interactions agreement; do
    grep -q "<figure id='$id'>" half/index.html || fail "no figure $id of what is there"
done

# empty PAGE: fails if PAGE has empty sections, lists of figures or tables, or links without a target.
empty() {
    ! grep -n "<figure[^>]*></figure>\|<div class='figures'></div>\|<tbody></tbody>\|without data\|(no rows)" "$1" ||
        fail "$1: a place for nothing"
    tr '\n' ' ' <"$1" | grep -o "<section id='[a-z-]*'> *<h2>[^<]*</h2> *</section>\|<div class='figures'> *</div>\|<tbody> *</tbody>" &&
        fail "$1: an empty part"
    sed -n '/^<nav>/s/<\/a>/\n/gp' "$1" | sed -n "s/.*href='#\([a-z-]*\)'.*/\1/p" >linked
    sed -n "s/^<section id='\([a-z-]*\)'>.*/\1/p" "$1" | grep -vx short | cmp -s - linked || fail "$1: links to $(cat linked)"
}
empty a/index.html
empty half/index.html
cp x.db none.db
sqlite3 none.db "delete from role; delete from quality; delete from result;"
plain none.db --out none
grep -q 'has no results yet' none/index.html || fail "no results, and the page does not say so"
! grep -q '<svg' none/index.html || fail "figures of nothing"
empty none/index.html
test "$(cat linked)" = provenance || fail "parts of what has no results: $(cat linked)"
sqlite3 empty.db 'pragma user_version = 2; pragma application_id = 1752134759'
refuses 1 empty.db report empty.db --out empty
head -c 20000 x.db >cut.db
refuses 1 cut.db report cut.db --out cut
! test -e cut/index.html || fail "a page of a damaged database"

# Probes in native programs are drawn from the last measurements in the
# database.
! grep -q 'native-programs' a/index.html || fail "native programs that nobody has measured"
if "$hotgraph" help measured >/dev/null 2>&1; then
    cp x.db native.db
    while read -r run program tool seconds base; do
        "$hotgraph" measured --db native.db --run "$run" --what whole --tool "$tool" --seconds "$seconds" \
            --base-seconds "$base" -- sh "$program" || fail "measured"
        sqlite3 native.db "UPDATE run SET started = '2001-02-03T04:05:06Z' WHERE uuid = 'before'"
    done <<ROWS
before one functions 7.31 1
now one functions 1.25 1
now two functions 5 1
now one uftrace 41 1
now one callgrind 1 0.001
ROWS
    # Tools that count edges are in tables of their own, with the last run's edges.
    for run in peersbefore peers; do
        "$hotgraph" measured --db native.db --run $run --what whole --tool graph --seconds $((${#run} * 3)) --base-seconds 4 --start-seconds 1 \
            --base-start-seconds 0 -- sh one || fail "measured"
        "$hotgraph" measured --db native.db --run $run --tool graph --edges 9${#run}99:9${#run}98:6 -- sh one || fail "measured --edges"
        sqlite3 native.db "UPDATE run SET started = '2001-02-03T04:05:06Z' WHERE uuid = 'peersbefore'"
    done
    drawn native.db --out native
    page native native.db
    test -s native/figures/native.svg || fail "no figure of native programs"
    grep -q 'functions: 2.5 over programs' native/index.html || fail "no mean of native programs"
    grep -q 'sh, uftrace: 41<' native/index.html || fail "no uftrace"
    grep -q '>9,*598<' native/index.html || fail "no tools that count edges"
    ! grep -q '>91,*198<' native/index.html || fail "an earlier run's tools that count edges"
    ! grep -q "functions: 7.31" native/index.html || fail "an earlier run's native programs"
    ! grep -q 'callgrind: ' native/index.html || fail "the start of a program that ends at once"
fi

# One game, and twenty.
sweep experiment.cfg --db one.db --games one
drawn one.db --out one --experiment paper
page one one.db
! grep -q "id='agreement'\|id='ranks'" one/index.html || fail "one game agrees with itself"
empty one/index.html

# The tooltip of a hot edge tells its fate, that of a block its code. A program's code comes from its file (here a game stands
# for it); if the file has changed, only names remain.
shown() { sed 's/<title>/\n<title>/g' one/figures/hot-best-one.svg | grep -c "<title>[^<]*$1"; }
test "$(shown ': found, [0-9,]* times')" -gt 0 || fail "no found edge is told of where the pointer rests"
python3 -c "open('program', 'wb').write(b'\x7fELF\2'.ljust(18, b'\0') + b'\x3e\0' + b'\x90' * 65536)"
cp one.db program.db
hash=f68fdc9e658d9e3e64578b6328bbcd25 # its xxh3-128
sqlite3 program.db "delete from instruction;
    insert into image(image_id, hash, name, size) values (77, '$hash', 'program', 65556);
    insert into replay_image(replay_id, place, image_id, base, path) select replay_id, 0, 77, 0, '$work/program' from replay"
drawn program.db --out one
test "$(shown 'program+0x[0-9a-f]*: nop')" -gt 0 || fail "no code of a program: $(grep -o '<title>[^<]*' one/figures/hot-best-one.svg | head -3)"
echo >>program
drawn program.db --out one
test "$(shown 'program+0x[0-9a-f]*: nop')" = 0 || fail "code of another file"
test "$(shown 'program+0x')" -gt 0 || fail "names went with the code"
{
    sed '/^@include/d' "$source/configs/paper.cfg"
    echo "games = ("
    for i in $(seq 1 20); do
        test "$i" = 1 || echo ,
        pair "a-program-of-a-long-name-$i" synthetic-a
    done
    echo ");"
} >twenty.cfg
sweep twenty.cfg --db twenty.db
drawn twenty.db --out twenty
page twenty twenty.db
texts twenty
test "$(grep -c '<option value=.a-program' twenty/index.html)" -gt 0 || fail "no chooser"

# Games that are no longer in the experiment leave no figures behind; without gnuplot there is still a page.
plain one.db --out a
! test -e a/figures/batches-two.svg || fail "a figure of a game that is gone"
plain x.db --out plain
test "$(grep -c 'because Graphviz, which lays them out, is not installed' plain/index.html)" = 1 || fail "what is said of Graphviz"
test "$(grep -c 'because gnuplot, which draws them, is not installed' plain/index.html)" = 1 && ! test -e plain/figures/precision-one.gp ||
    fail "what is said of gnuplot"
empty plain/index.html
grep -q 'gnuplot is not installed' errors || fail "nothing is said of gnuplot: $(cat errors)"
page plain x.db

# Two runs side by side: equal runs have no moves; differences are listed with their distances, and so are
# changed ranks.
"$hotgraph" report --compare x.db b.db >out 2>errors && fail "a database that is not there"
"$hotgraph" report --compare x.db x.db >out || fail "compare"
grep -q '^435 results in both, 0 of them differ; 0 only in A, 0 only in B' out ||
    fail "a run differs from itself: $(sed -n 3p out)"
cp x.db moved.db
sqlite3 moved.db "update quality set similarity = similarity - 0.125 where part = 'first' and configuration_id =
    (select configuration_id from best_configuration where position = 1)"
best=$(ask x.db "select number from best_configuration where position = 1")
"$hotgraph" report --compare x.db moved.db --out moved >out || fail "compare --out"
grep -q -- "^[a-z]* *gaussian .* $best .* -12.50 " out || fail "nothing of #$best: $(cat out)"
test "$(sed -n '/^Configurations whose rank/,$p' out | awk -v n="$best" '$1 == n { print $8; exit }')" = \
    "$(ask x.db "select place from best_configuration where position = 1")" || fail "no place of #$best: $(cat out)"
grep -q -- '-12.50' moved/compare.html || fail "compare.html lacks it"
"$hotgraph" report --compare x.db one.db >out || fail "compare with less"
grep -q "^145 results in both, 0 of them differ; 290 only in A, 0 only in B" out || fail "$(sed -n 3p out)"
grep -qx 'not compared, only in A: three, two' out || fail "games that are not compared are not named: $(cat out)"
# Ranks are over the common games: over one game they are equal, although A's over three games differ.
test "$(sed -n '/^Configurations whose rank/,$p' out | grep -c gaussian)" = 0 || fail "means over different games: $(cat out)"
grep -q '^one  *145  *0  *0  *+0.00  *-  *-  ' out || fail "what did not move is said to: $(cat out)"
settings() { sed '1,/^Settings that differ/d; /^How far/,$d; s/  */ /g; s/ $//'  out; }
compared() { ask $1.db "select group_concat(game, ' ') from (select distinct game from completeness where results > 0)"; }
settings | grep -qx "games $(compared x) $(compared one)" ||
    fail "that one run has fewer games: $(settings)"
"$hotgraph" report --compare x.db x.db >out || fail "compare"
test "$(settings | tr -d '\n')" = '(no rows)' || fail "a run has settings that differ from its own: $(settings)"
refuses 2 'needs two databases' report --compare x.db
refuses 2 'with two databases, --compare is required' report x.db one.db
refuses 1 empty.db report --compare x.db empty.db
