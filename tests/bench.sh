#!/bin/sh
# How fast the bundled games, and programs that switch banks or change their code (banked.py), replay
# without pictures, and how fast graphs are built of their streams:
# bench.sh HOTGRAPH [RUNS]. The ways of running a game take turns, so that a machine that slows down slows all of them;
# medians, and ratios of runs of the same turn, are what to quote.
# Never fails a build.
# BENCH_WITH='COMMAND' is another emulator to take turns with: it is called with ROM, movie and number of frames, and prints
# the seconds that they took (`0.93`, or `"seconds": 0.93`).
hotgraph=${1:?usage: bench.sh HOTGRAPH [RUNS]} runs=${2:-5}
cd "$(dirname "$0")/.." || exit 0
frames=18000 count_from=300 games=
# Whether all of it works, in seconds; what it prints says little.
[ -z "$QUICK" ] || frames=300 count_from=20 runs=1 games=mazewisp
work=$(mktemp -d) banked=$(mktemp -d)
trap 'rm -rf "$work" "$banked"' EXIT
python3 tests/banked.py "$banked" || exit 0
[ -z "$QUICK" ] || rm "$banked"/*.nes

# movie ROM: its own, or one in which nothing is pressed
movie() {
    movie=movies/$(basename "$1" .nes).fm2
    [ -f "$movie" ] || { movie=$banked/nothing.fm2; echo 'version 3' >"$movie"; }
    echo "$movie"
}
# seconds WAY ROM: what the replay itself took, without loading files
seconds() {
    case $1 in
    interp) options="--engine interp" ;;
    interp-no-skip) options="--engine interp --no-skip" ;;
    dbt) options="--engine dbt" ;;
    dbt-no-skip) options="--engine dbt --no-skip" ;;
    cycles) options=--no-fast ;;
    other)
        $BENCH_WITH "$2" "$(movie "$2")" $frames | sed -n 's/^\(.*"seconds": \)\{0,1\}\([0-9.]*\).*/\2/p'
        return
        ;;
    esac
    "$hotgraph" replay "$2" --movie "$(movie "$2")" --frames $frames --json $options |
        sed -n 's/.*"seconds": \([0-9.]*\), "frames.*/\1/p'
}
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
# ratio SLOW FAST: how many times as fast, from runs of the same turn
ratio() { paste "$work/$1" "$work/$2" | awk '{print $1 / $2}' | median; }

ways="interp interp-no-skip dbt dbt-no-skip cycles${BENCH_WITH:+ other}"
ratios="interp-no-skip:interp interp:dbt interp-no-skip:dbt-no-skip${BENCH_WITH:+ other:interp other:interp-no-skip}"
"$hotgraph" replay games/mazewisp.nes --frames 1 --engine dbt >/dev/null 2>&1 ||
    { ways=$(echo "$ways" | sed 's/ dbt[a-z-]*//g'); ratios=$(echo "$ratios" | sed 's/ [a-z-]*:dbt[a-z-]*//g'); }
{
    printf '%-10s' frames/s
    for way in $ways; do printf ' %14s' "$way"; done
    for pair in $ratios; do printf ' %24s' "${pair#*:} : ${pair%:*}"; done
    echo
} | sed 's/interp-no-skip/no-skip/g; s/dbt-no-skip/dbt no-skip/g'
for rom in games/${games:-*}.nes "$banked"/*.nes; do
    [ -f "$rom" ] || continue
    game=$(basename "$rom" .nes)
    rm -f "$work"/*
    turn=0
    while [ $turn -lt "$runs" ]; do
        for way in $ways; do
            took=$(seconds "$way" "$rom")
            [ -n "$took" ] || exit 0
            echo "$took" >>"$work/$way"
        done
        turn=$((turn + 1))
    done
    printf '%-10s' "$game"
    for way in $ways; do median <"$work/$way" | awk -v n=$frames '{printf " %14.0f", n / $1}'; done
    for pair in $ratios; do ratio "${pair%:*}" "${pair#*:}" | awk '{printf " %24.2f", $1}'; done
    echo
done

# The paper's 144 configurations over each game's stream: built together in one pass, and each directly.
builds=$(dirname "$hotgraph")/tests/bench_builds
[ -x "$builds" ] || exit 0
printf '\n%-10s %8s %8s %12s %12s %12s\n' '144 builds' batches distinct 'together, s' 'direct, s' ratio
for rom in games/${games:-*}.nes; do
    game=$(basename "$rom" .nes)
    "$hotgraph" sample "$rom" --movie "movies/$game.fm2" --frames $frames --out "$work/stream.isampling" >/dev/null || exit 0
    printf '%-10s ' "$game"
    "$builds" "$work/stream.isampling" "$(((runs + 1) / 2))"
done
# Where nothing repeats there is nothing to gain; it must not cost more, either.
for batches in 4000 20000; do
    awk -v batches=$batches 'BEGIN {
    srand(7)
    print "sequence\tpc\tsize\ttype\tbatch\ttext\timage"
    for (b = 0; b < batches; b++)
        for (i = left = 0; i < 25; i++) {
            if (left-- == 0) { pc = 32768 + 4 * int(rand() * rand() * 8000); left = int(rand() * 8) }
            kind = left == 0 ? "BRANCHORCALL INDIRECT INCOND" : "GENERIC"
            printf "%d\t0x%x\t4\t%s\t%d\tnop\tsynthetic\n", b * 100 + i, pc, kind, b
            pc += 4
        }
    }' >"$work/stream.isampling"
    printf '%-10s ' 'no repeats'
    "$builds" "$work/stream.isampling" "$(((runs + 1) / 2))"
done

# Host instructions, counted, so that a busy machine is no excuse.
command -v valgrind >/dev/null || exit 0
# counted COMMAND...: how many it takes to play; what is read and written before and after does not count
counted() { valgrind --tool=callgrind --toggle-collect=play_run --smc-check=all --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'; }
# instructions WAY ROM FRAMES
instructions() {
    case $1 in
    interp | dbt) set -- "$2" "$3" replay --engine "$1" ;;
    no-skip) set -- "$2" "$3" replay --engine dbt --no-skip ;;
    exact) set -- "$2" "$3" exact --engine dbt --out "$work/counted.graph" ;;
    sampler) set -- "$2" "$3" sample --engine dbt --out "$work/counted.hgstream" ;;
    esac
    rom=$1 frames=$2
    shift 2
    counted "$hotgraph" "$@" "$rom" --movie "$(movie "$rom")" --frames "$frames"
}
# Of a frame: the frames 300 to 599, in which most has been translated. By the translator; beside it the interpreter.
ways='interp dbt no-skip exact sampler'
printf '\n%-10s' 'a frame'
for way in $ways; do printf ' %10s' "$way"; done
printf ' %14s %14s\n' 'exact : dbt' 'sampler : dbt'
for rom in games/${games:-*}.nes "$banked"/*.nes; do
    [ -f "$rom" ] || continue
    for way in $ways; do echo "$(instructions "$way" "$rom" $count_from) $(instructions "$way" "$rom" $((2 * count_from)))"; done |
        awk -v game="$(basename "$rom" .nes)" -v frames=$count_from '{a[NR] = ($2 - $1) / frames}
            END {printf "%-10s %10.0f %10.0f %10.0f %10.0f %10.0f %14.2f %14.2f\n",
                 game, a[1], a[2], a[3], a[4], a[5], a[2] ? a[4] / a[2] : 0, a[2] ? a[5] / a[2] : 0}'
done

# Of a whole sweep: a second thread must not cost any.
printf '\n%-10s %16s %16s\n' threads instructions 'a result'
for threads in 1 2; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hotgraph" sweep configs/quick.cfg --engine interp ${games:+--games $games} \
        --db "$work/$threads.db" --jobs $threads >/dev/null 2>"$work/counted" || exit 0
    results=$(sqlite3 "$work/$threads.db" 'SELECT count(*) FROM result') || exit 0
    sed -n 's/.*Collected : //p' "$work/counted" |
        awk -v threads=$threads -v results="$results" '{printf "%-10d %16.0f %16.0f\n", threads, $1, $1 / results}'
done
exit 0
