#!/bin/bash
# What a profile saves in the translator: thousands of host instructions and of taken host branches
# a frame, counted by valgrind's callgrind, so that they are the same on every machine.
#
#     tests/bench/adapt.sh HOTGRAPH [FRAMES [GAME...]]
#
# One line per profile: in all (profile read or found, and code translated, included); in the steady
# state, which is the second half of twice as many frames; in that the taken branches: conditional
# ones, jumps and calls; and superblocks. observed-thin has a batch every 225 ms instead of 3.
set -eu
hotgraph=$(realpath "$1")
frames=${2:-3000}
shift $(($# < 2 ? $# : 2))
games=${*:-burrow airmail}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null || { echo "bench-adapt: valgrind is missing: apt-get install valgrind" >&2; exit 1; }

# count FRAMES ARGUMENT...: host instructions, taken branches and superblocks of a replay.
count() {
    local frames=$1 taken
    shift
    valgrind --tool=callgrind --smc-check=all --collect-jumps=yes --dump-instr=yes --callgrind-out-file="$work/counts" \
        "$hotgraph" replay "$game" --engine dbt --frames "$frames" "$@" --json >"$work/json" 2>"$work/log"
    taken=$(awk '/^(jump|jcnd|calls)=/ { sub(/^[a-z]*=/, ""); sub(/[\/ ].*/, ""); n += $0 } END { printf "%d", n }' "$work/counts")
    echo "$(sed -n 's/.*Collected : //p' "$work/log") $taken $(sed -n 's/.*"superblocks": \([0-9]*\).*/\1/p' "$work/json")"
}

# line NAME ARGUMENT...
line() {
    local once twice name=$1
    shift
    once=$(count "$frames" "$@")
    twice=$(count $((2 * frames)) "$@")
    echo "$once $twice" | awk -v n="$frames" -v game="$game" -v name="$name" '
        { printf "%-10s %-16s %8.2f %8.2f %8.3f %6d\n", game, name, $1 / n / 1000, ($4 - $1) / n / 1000, ($5 - $2) / n / 1000, $6 }'
}

printf '%-10s %-16s %8s %8s %8s %6s\n' game profile all steady taken blocks
for game in $games; do
    movie=$work/$game.fm2
    # Its status says whether the game was played; a movie that leaves the game early is other input, too.
    "$hotgraph" movie make "$game" --seed 7 --frames 6000 --out "$movie" >/dev/null 2>&1 || test -s "$movie"
    "$hotgraph" exact "$game" --frames 6000 --out "$work/exact.graph" >/dev/null 2>&1
    "$hotgraph" exact "$game" --movie "$movie" --frames 6000 --out "$work/other.graph" >/dev/null 2>&1
    for technique in observed gaussian flow; do
        "$hotgraph" profile "$game" --frames 6000 --technique $technique --out "$work/$technique.graph" >/dev/null 2>&1
    done
    "$hotgraph" profile "$game" --frames 6000 --technique observed --interval-ms 225 --out "$work/observed-thin.graph" >/dev/null 2>&1
    awk '/^# kind/ { next } /^#/ { print; next } { edge[++n] = $1 "\t" $2; count[n] = $3 }
        END { for (i = 1; i <= n; i++) print edge[i] "\t" count[i * 7 % n + 1] }' "$work/exact.graph" >"$work/shuffled.graph"
    line none
    for profile in exact other observed observed-thin flow gaussian shuffled; do
        line "$profile" --profile "$work/$profile.graph"
    done
    for technique in observed flow gaussian exact; do
        line "adapt-$technique" --adapt $technique
    done
done
