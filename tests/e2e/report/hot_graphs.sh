# How hot graphs are laid out: if this fails, a card of the whole page's width is mostly blank, or a graph that the whole width would
# shorten fills a column of the page.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
command -v sqlite3 >/dev/null || skip "no sqlite3"
dot=$(command -v dot) || skip "no dot"
sweep experiment.cfg --db x.db
mkdir bin
ln -s "$dot" bin/dot

# chains NAME CHAINS: replaces the exact graph of a game by chains of these numbers of blocks, all of them hot, and a few cold edges.
chains() {
    replay=$(ask x.db "SELECT replay_id FROM completeness JOIN stream USING (stream_id) WHERE game = '$1' LIMIT 1")
    echo "DELETE FROM exact_edge WHERE replay_id = $replay;"
    at=32768 edges=0
    for blocks in $2; do
        while blocks=$((blocks - 1)) && [ $blocks -gt 0 ]; do
            echo "INSERT INTO exact_edge VALUES ($replay, $at, $((at + 16)), 1000, 0, 1, 1);"
            at=$((at + 16)) edges=$((edges + 1))
        done
        at=$((at + 16))
    done
    for cold in 0 1 2; do
        echo "INSERT INTO exact_edge VALUES ($replay, $cold, $((cold + 16)), $((edges * 30)), 0, 0, 0);"
    done
    echo "UPDATE replay SET weight = $((edges * 1090)), busy_weight = 0 WHERE replay_id = $replay;"
}
{
    chains one "3 3 3"                    # short
    chains two "6 6 6 6 6 6"              # long in a column, short across the page
    chains three "21 2 2 2 2 2 2 2 2 2 2" # long in both: most of the page beside the long chain would be blank
    echo "DELETE FROM graph_edge;"
} >chains.sql
sqlite3 x.db <chains.sql || fail "the database cannot be changed"
PATH=$work/bin "$hotgraph" report x.db --out r >out 2>errors || fail "report: $(cat errors)"

# size NAME WIDTH LEAST MOST: of the game's drawing, in pixels; its height is between both.
size() {
    svg=r/figures/hot-best-$1.svg
    width=$(sed -n "1s/.*<svg [^>]* width='\([0-9]*\)'.*/\1/p" "$svg")
    height=$(sed -n "1s/.*<svg [^>]* height='\([0-9]*\)'.*/\1/p" "$svg")
    test "$width" = "$2" || fail "$svg is $width pixels wide, not $2: $(head -1 "$svg" | cut -c1-300)"
    test "$height" -gt "$3" && test "$height" -lt "$4" || fail "$svg is $height pixels high, not $3 to $4"
}
size one 480 100 640
size two 980 100 640
size three 480 1000 3000
