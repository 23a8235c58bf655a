#!/bin/sh
# How fast the bundled games replay, without pictures: bench.sh HOTGRAPH [RUNS]. The ways of running a game take turns, so
# that a machine that slows down slows all of them; medians, and ratios of runs of the same turn, are what to quote.
# Never fails a build.
# BENCH_OPTIONS='--engine interp' goes to each replay. BENCH_WITH='COMMAND' is another emulator to take turns with: it is
# called with ROM, movie and number of frames, and prints the seconds that they took (`0.93`, or `"seconds": 0.93`); the two
# last columns then say how many times as fast the replays are.
hotgraph=${1:?usage: bench.sh HOTGRAPH [RUNS]} runs=${2:-5}
cd "$(dirname "$0")/.." || exit 0
frames=18000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds GAME OPTION...: what the replay itself took, without loading files
seconds() {
    game=$1
    shift
    "$hotgraph" replay "games/$game.nes" --movie "movies/$game.fm2" --frames $frames --json $BENCH_OPTIONS "$@" |
        sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p'
}
# the same of the other emulator
other() { $BENCH_WITH "games/$1.nes" "movies/$1.fm2" $frames | sed -n 's/^\(.*"seconds": \)\{0,1\}\([0-9.]*\).*/\2/p'; }
ratio() { echo "$1 $2" | awk '{print $2 / $1}'; }
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

printf '%-12s %10s %10s %16s %9s %9s' 'frames/s' '' --no-skip 'cycle by cycle' ratio ratio
[ -z "$BENCH_WITH" ] || printf ' %10s %9s %9s' other ratio --no-skip
echo
for rom in games/*.nes; do
    game=$(basename "$rom" .nes)
    rm -f "$work"/*
    turn=0
    while [ $turn -lt "$runs" ]; do
        a=$(seconds "$game") b=$(seconds "$game" --no-skip) c=$(seconds "$game" --no-fast)
        [ -n "$a" ] && [ -n "$b" ] && [ -n "$c" ] || exit 0
        echo "$a" >>"$work/a"
        echo "$b" >>"$work/b"
        echo "$c" >>"$work/c"
        ratio "$a" "$b" >>"$work/ab"
        ratio "$a" "$c" >>"$work/ac"
        if [ -n "$BENCH_WITH" ]; then
            d=$(other "$game")
            [ -n "$d" ] || exit 0
            echo "$d" >>"$work/d"
            ratio "$a" "$d" >>"$work/ad"
            ratio "$b" "$d" >>"$work/bd"
        fi
        turn=$((turn + 1))
    done
    awk -v g="$game" -v n=$frames -v a="$(median <"$work/a")" -v b="$(median <"$work/b")" -v c="$(median <"$work/c")" \
        -v ab="$(median <"$work/ab")" -v ac="$(median <"$work/ac")" \
        'BEGIN {printf "%-12s %10.0f %10.0f %16.0f %9.2f %9.2f", g, n / a, n / b, n / c, ab, ac}'
    [ -z "$BENCH_WITH" ] || awk -v n=$frames -v d="$(median <"$work/d")" -v a="$(median <"$work/ad")" \
        -v b="$(median <"$work/bd")" 'BEGIN {printf " %10.0f %9.2f %9.2f", n / d, a, b}'
    echo
done
exit 0
