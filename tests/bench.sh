#!/bin/sh
# How fast the bundled games replay, without pictures: bench.sh HOTGRAPH [RUNS]. The variants of a game take turns, so that
# a machine that slows down slows all of them; medians and ratios of the rounds are what to quote. Never fails a build.
hotgraph=${1:?usage: bench.sh HOTGRAPH [RUNS]} runs=${2:-5}
cd "$(dirname "$0")/.." || exit 0
frames=6000

seconds() { # seconds ARGS...: wall-clock of one replay
    start=$(date +%s.%N)
    "$hotgraph" replay "$@" --frames $frames >/dev/null || return 1
    date +%s.%N | awk -v s="$start" '{printf "%.4f\n", $1 - s}'
}
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

printf '%-12s %14s %14s %20s\n' game 'frames/s' 'cycle by cycle' 'ratio (median pair)'
for rom in games/*.nes; do
    game=$(basename "$rom" .nes)
    fast=$(mktemp) slow=$(mktemp) ratio=$(mktemp)
    i=0
    while [ $i -lt "$runs" ]; do
        a=$(seconds "$rom" --movie "movies/$game.fm2") && b=$(seconds "$rom" --movie "movies/$game.fm2" --no-fast) || exit 0
        echo "$a" >>"$fast"; echo "$b" >>"$slow"
        echo "$a $b" | awk '{print $2 / $1}' >>"$ratio"
        i=$((i + 1))
    done
    awk -v g="$game" -v n=$frames -v a="$(median <"$fast")" -v b="$(median <"$slow")" -v r="$(median <"$ratio")" \
        'BEGIN {printf "%-12s %14.0f %14.0f %20.2f\n", g, n / a, n / b, r}'
    rm -f "$fast" "$slow" "$ratio"
done
exit 0
