# Every technique is measured against the exact graph. Another program computes the same graph from a
# full trace, straight from the definition. A third one computes all paths from it.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"

# check NAME FROM TO ARGS...: ARGS play the frames FROM to TO-1.
check() {
    name=$1 from=$2 to=$3
    shift 3
    "$hotgraph" replay "$@" --frames "$to" --trace "$from:$to" >trace
    python3 "$source/tests/e2e/play/exact_from_trace.py" <trace >expected
    "$hotgraph" exact "$@" --frames "$to" --out graph >/dev/null
    grep -v '^#' graph | cut -f1-3 >found
    test -s expected || fail "$name: an empty graph"
    same expected found
    "$hotgraph" profile "$@" --frames "$to" --technique paths --out paths.graph >said
    python3 "$source/tests/e2e/play/paths_from_trace.py" graph <trace >paths
    while read -r count value; do
        grep -qE "[; ]$count $value( |\$|;)" said || fail "$name: not $count $value: $(cat said)"
    done <paths
    # Counts of edges follow from those of paths.
    grep -v '^#' paths.graph | cut -f1-3 >found
    same expected found
    echo "$name: $(wc -l <found) edges, $(wc -l <trace) lines of trace"
}

for rom in "$source"/games/*.nes; do
    game=$(basename "$rom" .nes)
    "$hotgraph" movie make "$rom" --out m.fm2 --seed 1 --frames 500 >/dev/null
    # From power-on, and a reset that ends all threads.
    awk '/^\|/ && ++n == 30 {sub(/^\|0/, "|1")} {print}' m.fm2 >reset.fm2
    check "$game with a reset" 0 40 "$rom" --movie reset.fm2
    # In the middle of play.
    "$hotgraph" replay "$rom" --movie m.fm2 --frames 450 --save-state state >/dev/null
    check "$game in play" 450 480 "$rom" --movie m.fm2 --load-state state
done
