# Pairs of a stream and a graph whose files or titles change: if this fails, results for one graph are
# shown beside those for another, or a table has outdated names.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# A game's title may change without computing anything.
sweep experiment.cfg --db x.db
test "$(ask x.db "SELECT title FROM game WHERE name = 'one'")" = one || fail "the title"
sed 's/name = "one";/name = "one"; title = "The First";/' experiment.cfg >titled.cfg
sweep titled.cfg --db x.db
test "$(ask x.db "SELECT title FROM game WHERE name = 'one'")" = "The First" || fail "a title is never updated"

# Another exact graph, or another stream, under the old name: results of the old one are not used.
first=$digest
for file in graph stream; do
    if test $file = graph; then
        cp overlap-a.graph saved
        awk -F '\t' 'BEGIN {OFS = FS} !/^#/ && !done {$3++; done = 1} {print}' saved >overlap-a.graph
    else
        gzip -dc "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" | sed '$d' >own.isampling
        sed "s#\"[^\"]*overlap-a.isampling.gz\"#\"own.isampling\"#" experiment.cfg >own.cfg
    fi
    config=experiment.cfg
    test $file = graph || config=own.cfg
    sweep $config --db x.db --games one
    ! grep -q '^nothing to do' out || fail "another $file is not noticed"
    sweep $config --db x.db
    test "$digest" != "$first" || fail "another $file has the old digest"
    test $file != graph || cp saved overlap-a.graph
    sweep experiment.cfg --db x.db
    grep -q '^nothing to do' out || fail "going back to the first $file computes again"
    test "$digest" = "$first" || fail "going back to the first $file: $digest"
done

# A window that is larger than the batches of one stream: those configurations are left out of it and
# named, everything else goes on, and nothing is computed again for their sake.
gzip -dc "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" |
    awk 'BEGIN { OFS = FS = "\t" } NR == 1 || n[$5]++ < 10' >short.isampling
"$hotgraph" build short.isampling --technique observed --out short.graph >/dev/null
sed '/^games/,$d; s/window_size = \[[^]]*\]/window_size = [6, 10, 13]/' experiment.cfg >short.cfg
{
    echo 'games = ( { name = "short"; stream = "short.isampling"; graph = "short.graph"; },'
    pair two synthetic-b
    echo ');'
} >>short.cfg
sweep short.cfg --db short.db
unfit="SELECT count(*) FROM experiment_configuration JOIN configuration_value USING (configuration_id)
    WHERE number IS NOT NULL AND name = 'window_size' AND value = 13"
test "$(ask short.db "$unfit")" = 48 || fail "the grid has $(ask short.db "$unfit") wide windows"
test "$(ask short.db "SELECT group_concat(game || n) FROM (SELECT game, count(*) AS n FROM results
    GROUP BY game ORDER BY game)")" = short97,two145 || fail "what fits was not computed: $(cat out)"
test "$(grep -c '^left out: short: #.*window_size of 13 is larger' out)" = 1 || fail "what is left out: $(cat out)"
test "$(grep '^left out' out | tr -cd '#' | wc -c)" = 48 || fail "not all that is left out: $(cat out)"
grep -q '^short .*of 145 results' out && fail "the table calls missing what does not fit: $(cat out)"
test "$(ask short.db "SELECT results || ' ' || unfit || ' ' || missing FROM completeness WHERE game = 'short'")" = "97 48 0" ||
    fail "what does not fit is not counted: $(ask short.db 'SELECT * FROM completeness')"
sweep short.cfg --db short.db --dry-run
grep -q '^short: .*: nothing to do' out || fail "what cannot be built is to be computed: $(cat out)"
sweep short.cfg --db short.db
grep -q '^nothing to do' out && grep -q '^left out: short' out || fail "the second time: $(cat out)"

# Two names for one pair: it is read once, and both names have the results.
{
    sed '/^games/,$d' experiment.cfg
    echo "games = ("
    pair one overlap-a && echo ,
    pair twin overlap-a && echo ,
    pair two synthetic-b
    echo ");"
} >twins.cfg
sweep twins.cfg --db twins.db --jobs 2
test "$(grep -c ': read, ' errors)" = 2 || fail "one stream is read twice: $(cat errors)"
test "$(ask twins.db 'SELECT count(*) FROM result')" = 290 || fail "one stream's rows are there twice"
test "$(ask twins.db "SELECT group_concat(game || missing) FROM (SELECT game, missing FROM table1
    ORDER BY game)")" = one0,twin0,two0 || fail "twins: $(ask twins.db 'SELECT game, missing FROM table1')"
"$hotgraph" sweep twins.cfg --db twins.db --update-digest >/dev/null 2>&1 || fail "digest of twins"
grep -q '^twin/result/0045' twins.digest || fail "a twin has no digest"
sweep twins.cfg --db alone.db --games twin
grep -q '^reproduced: 1 game' out || fail "a twin by itself: $(cat out)"
