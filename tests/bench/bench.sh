#!/bin/sh
# How fast the bundled games, and programs that switch banks or change their code (banked.py), replay without pictures, how
# long opening a game takes, and how fast graphs are built of their streams: bench.sh HOTGRAPH [RUNS]. The modes of running
# a game take turns, so that changes in the machine's speed affect all of them. Times are the processor's, of the whole
# program, loading and translation included; medians, and ratios of runs of the same turn, are what to quote. Never fails a
# build. REFERENCE='COMMAND' is another emulator to take turns with: it is called with ROM, movie and number of frames, and
# prints the seconds that they took (`0.93`, or `"seconds": 0.93`).
hotgraph=${1:?usage: bench.sh HOTGRAPH [RUNS]} runs=${2:-5}
cd "$(dirname "$0")/../.." || exit 0
frames=18000 count_from=300 games= unrepeated='4000 20000' threads='1 2'
# A quick check that everything works; its numbers mean little.
[ -z "$QUICK" ] || frames=300 count_from=20 runs=1 games=mazewisp unrepeated=1000 threads=2
work=$(mktemp -d) banked=$(mktemp -d)
trap 'rm -rf "$work" "$banked"' EXIT
python3 tests/bench/banked.py "$banked" || exit 0
[ -z "$QUICK" ] || rm "$banked"/*.nes

# movie ROM: the game's own, or one in which nothing is pressed
movie() {
    movie=movies/$(basename "$1" .nes).fm2
    [ -f "$movie" ] || { movie=$banked/nothing.fm2; echo 'version 3' >"$movie"; }
    echo "$movie"
}
# seconds WAY ROM
seconds() {
    case $1 in
    interp) set -- "$2" replay --engine interp ;;
    interp-no-skip) set -- "$2" replay --engine interp --no-skip ;;
    dbt) set -- "$2" replay --engine dbt ;;
    dbt-no-skip) set -- "$2" replay --engine dbt --no-skip ;;
    exact) set -- "$2" exact --engine dbt --out "$work/timed.graph" ;;
    sampler) set -- "$2" sample --engine dbt --out "$work/timed.hgstream" ;;
    cycles) set -- "$2" replay --engine interp --no-fast ;;
    reference)
        $REFERENCE "$2" "$(movie "$2")" $frames | sed -n 's/^\(.*"seconds": \)\{0,1\}\([0-9.][0-9.]*\).*/\2/p'
        return
        ;;
    esac
    rom=$1
    shift
    python3 tests/bench/cpu_seconds.py "$hotgraph" "$@" "$rom" --movie "$(movie "$rom")" --frames $frames
}
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
# ratio SLOW FAST: the ratio of runs of the same turn
ratio() { paste "$work/$1" "$work/$2" | awk '{print $1 / $2}' | median; }

ways="interp interp-no-skip dbt dbt-no-skip exact sampler cycles${REFERENCE:+ reference}"
ratios="interp:dbt interp-no-skip:dbt-no-skip exact:dbt sampler:dbt"
[ -z "$REFERENCE" ] || ratios="$ratios reference:dbt reference:dbt-no-skip reference:exact reference:sampler"
"$hotgraph" replay games/mazewisp.nes --frames 1 --engine dbt >/dev/null 2>&1 || ways="interp interp-no-skip cycles" ratios=interp-no-skip:interp
printf '%-10s' frames/s
for way in $ways; do printf ' %14s' "$way"; done
echo
for rom in games/${games:-*}.nes "$banked"/*.nes; do
    [ -f "$rom" ] || continue
    game=$(basename "$rom" .nes)
    for way in $ways; do rm -f "$work/$way"; done
    turn=0
    while [ $turn -lt "$runs" ]; do
        for way in $ways; do
            took=$(seconds "$way" "$rom")
            case $way:$took in
            reference:) took=nan ;; # refused by it
            *:) exit 0 ;;
            esac
            echo "$took" >>"$work/$way"
        done
        turn=$((turn + 1))
    done
    printf '%-10s' "$game"
    for way in $ways; do median <"$work/$way" | awk -v n=$frames '{printf " %14.0f", n / $1}'; done
    echo
    for pair in $ratios; do echo "$game $pair $(ratio "${pair%:*}" "${pair#*:}")" >>"$work/ratios"; done
done
# Of the seconds, and what all games make of each.
awk -v pairs="$ratios" '
    BEGIN {
        n = split(pairs, pair, " ")
        printf "\n%-10s", "seconds"
        for (i = 1; i <= n; i++) printf " %26s", pair[i]
    }
    {
        if ($1 != game) printf "\n%-10s", game = $1
        printf " %26.2f", $3
        if ($3 > 0) {
            count[$2]++
            sum[$2] += log($3)
            if (!($2 in least) || $3 < least[$2]) least[$2] = $3
        }
    }
    END {
        printf "\n%-10s", "mean"
        for (i = 1; i <= n; i++) printf " %26.2f", count[pair[i]] ? exp(sum[pair[i]] / count[pair[i]]) : 0
        printf "\n%-10s", "least"
        for (i = 1; i <= n; i++) printf " %26.2f", least[pair[i]]
        print ""
    }' "$work/ratios"

# Until a machine is there, and until it has played its first frame.
printf '\n%-10s %14s %14s %14s %14s\n' 'opening, ms' 'interp' 'first frame' 'dbt' 'first frame'
for rom in games/${games:-*}.nes "$banked"/*.nes; do
    [ -f "$rom" ] || continue
    printf '%-10s%s\n' "$(basename "$rom" .nes)" "$("$(dirname "$hotgraph")/tests/bench_open" "$rom" "$(movie "$rom")" "$((20 * runs))")"
done

# The paper's 144 configurations over each game's stream: built together in one pass, and each directly.
builds=$(dirname "$hotgraph")/tests/bench_builds
printf '\n%-10s %8s %8s %12s %12s %12s\n' '144 builds' batches distinct 'together, s' 'direct, s' ratio
for rom in games/${games:-*}.nes; do
    game=$(basename "$rom" .nes)
    "$hotgraph" sample "$rom" --movie "movies/$game.fm2" --frames $frames --out "$work/stream.isampling" >/dev/null || exit 0
    printf '%-10s ' "$game"
    "$builds" "$work/stream.isampling" "$(((runs + 1) / 2))"
done
# Without repetition building together gains nothing, but it must not cost more
# either.
for batches in $unrepeated; do
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
# counted OPTIONS COMMAND...: the number of instructions
counted() { valgrind --tool=callgrind --smc-check=all --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'; }
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
    # What is read and written before and after playing does not count.
    counted --toggle-collect=play_run "$hotgraph" "$@" "$rom" --movie "$(movie "$rom")" --frames "$frames"
}
# Per frame, over the frames 300 to 599, when most code has been translated: for the translator, and for the interpreter; and for
# a whole run of one frame.
ways='interp dbt no-skip exact sampler'
printf '\n%-10s' 'a frame'
for way in $ways; do printf ' %10s' "$way"; done
printf ' %14s %14s %14s\n' 'exact : dbt' 'sampler : dbt' 'the first'
for rom in games/${games:-*}.nes "$banked"/*.nes; do
    [ -f "$rom" ] || continue
    {
        for way in $ways; do echo "$(instructions "$way" "$rom" $count_from) $(instructions "$way" "$rom" $((2 * count_from)))"; done
        counted "$hotgraph" replay "$rom" --movie "$(movie "$rom")" --frames 1 --engine dbt
    } |
        awk -v game="$(basename "$rom" .nes)" -v frames=$count_from '{a[NR] = ($2 - $1) / frames}
            END {printf "%-10s %10.0f %10.0f %10.0f %10.0f %10.0f %14.2f %14.2f %14.0f\n",
                 game, a[1], a[2], a[3], a[4], a[5], a[2] ? a[4] / a[2] : 0, a[2] ? a[5] / a[2] : 0, $1}'
done

# For a whole sweep: a second thread must not add any.
printf '\n%-10s %16s %16s\n' threads instructions 'a result'
for threads in $threads; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hotgraph" sweep configs/quick.cfg --engine interp ${games:+--games $games} \
        --db "$work/$threads.db" --jobs $threads >/dev/null 2>"$work/counted" || exit 0
    results=$(sqlite3 "$work/$threads.db" 'SELECT count(*) FROM result') || exit 0
    sed -n 's/.*Collected : //p' "$work/counted" |
        awk -v threads=$threads -v results="$results" '{printf "%-10d %16.0f %16.0f\n", threads, $1, $1 / results}'
done
exit 0
