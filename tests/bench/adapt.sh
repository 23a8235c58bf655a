#!/bin/bash
# What a profile saves in the translator: host instructions and taken host branches a frame, counted
# by valgrind's callgrind, so that they are the same on every machine.
#
#     tests/bench/adapt.sh HOTGRAPH [FRAMES [GAME...]] >docs/adapted.csv
#
# One row per game and profile, for the first FRAMES frames (default: 18000, the whole movie). Taken
# branches: conditional ones that are taken, jumps and calls. all: everything, also reading or finding
# the profile and translating. steady: the second half of the frames. A picture marks the middle; it
# is not counted. The budget is the share of the instructions that the samples hold, in percent:
# observed-3 has a batch every 3 ms. PROFILES="none exact ..." measures these alone.
set -eu
hotgraph=$(realpath "$1")
frames=${2:-18000}
shift $(($# < 2 ? $# : 2))
games=${*:-airmail brindle burrow fresnel mazewisp rumpus starling umbel}
profiles=${PROFILES:-none exact other random observed-3 observed-300 observed-3000 flow-3 flow-300 flow-3000 gaussian-3 gaussian-30
    gaussian-300 adapt-exact adapt-observed adapt-flow adapt-gaussian}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null || { echo "bench-adapt: valgrind is missing: apt-get install valgrind" >&2; exit 1; }

# counted FILE: instructions and taken branches of a part of callgrind's counts.
counted() {
    awk '/^(jump|jcnd|calls)=/ { sub(/^[a-z]*=/, ""); sub(/[\/ ].*/, ""); n += $0 } /^summary:|^totals:/ { ir = $2 } END { printf "%d %d\n", ir, n }' "$1"
}

# line NAME BUDGET ARGUMENT...
line() {
    local name=$1 budget=$2
    shift 2
    rm -f "$work"/counts*
    valgrind --tool=callgrind --smc-check=all --collect-jumps=yes --dump-instr=yes --callgrind-out-file="$work/counts" \
        --dump-before=picture_write --dump-after=picture_write \
        "$hotgraph" replay "$game" --engine dbt --frames "$frames" --screenshot $((frames / 2)):"$work/picture.png" "$@" \
        --json >"$work/json" 2>"$work/log"
    # The parts: the first half, the picture, and the second half.
    { counted "$work/counts.1"; counted "$work/counts"; } | awk -v n="$frames" -v row="$game,$name,$budget" \
        -v blocks="$(sed -n 's/.*"superblocks": \([0-9]*\).*/\1/p' "$work/json")" '
        { all += $1; taken += $2 }
        END { printf "%s,%.0f,%.0f,%.0f,%.0f,%d\n", row, all / n, $1 / (n / 2), taken / n, $2 / (n / 2), blocks }'
}

# found TECHNIQUE INTERVAL
found() {
    "$hotgraph" profile "$game" --frames "$frames" --technique "$1" --interval-ms "$2" --out "$work/found.graph" >/dev/null 2>&1
    line "$1" "$(awk -v ms="$2" 'BEGIN { printf "%.3g", 4.5 / ms }')" --profile "$work/found.graph"
}

exact() { "$hotgraph" exact "$game" --frames "$frames" "$@" --out "$work/exact.graph" >/dev/null 2>&1; }

measure() { # PROFILE
    case $1 in
    none) line none '' ;;
    exact) exact && line exact '' --profile "$work/exact.graph" ;;
    other)
        # Its status says whether the game was played; a movie that leaves the game early is other input, too.
        "$hotgraph" movie make "$game" --seed 7 --frames "$frames" --out "$work/other.fm2" >/dev/null 2>&1 || test -s "$work/other.fm2"
        exact --movie "$work/other.fm2" && line other '' --profile "$work/exact.graph"
        ;;
    random)
        exact
        awk '/^# kind/ { next } /^#/ { print; next } { edge[++n] = $1 "\t" $2; count[n] = $3 }
            END { for (i = 1; i <= n; i++) print edge[i] "\t" count[i * 7 % n + 1] }' "$work/exact.graph" >"$work/random.graph"
        line random '' --profile "$work/random.graph"
        ;;
    adapt-*) line "$1" '' --adapt "${1#adapt-}" ;;
    *-*) found "${1%-*}" "${1##*-}" ;;
    *) echo "bench-adapt: no profile is called $1" >&2 && exit 2 ;;
    esac
}

echo game,profile,budget_percent,instructions_all,instructions_steady,taken_all,taken_steady,superblocks
for game in $games; do
    for profile in $profiles; do
        measure "$profile"
    done
done
