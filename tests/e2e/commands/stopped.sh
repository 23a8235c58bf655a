# Commands that play are stopped by a signal: if this fails, Ctrl-C has no effect for minutes, a script takes a stopped
# command for a finished one, no message names the signal, or files are left behind.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
mkdir scratch
export TMPDIR=$work/scratch
id=
cleanup() { test -z "$id" || kill -9 "$id" 2>/dev/null || :; }
rom="$source/games/burrow.nes"

# playing: true if it has used a tenth of a second of the processor since it caught signals; opening a machine takes
# less.
playing() {
    grep -q '^SigCgt:.*[2367abef]$' /proc/$id/status && [ "$(awk '{print $14 + $15}' /proc/$id/stat)" -ge 10 ]
}
starts() { # ARGS...
    env --default-signal=INT,HUP "$hotgraph" "$@" >out 2>errors &
    id=$!
    begun playing
}
# Each would run for hours, cycle by cycle.
stops() { # TEXT ARGS...
    text=$1
    shift
    for signal in INT:130 TERM:143 HUP:129; do
        starts "$@"
        kill -"${signal%:*}" $id
        gone $id
        status=0
        wait $id || status=$?
        id=
        test $status = "${signal#*:}" || fail "SIG${signal%:*}: exit status $status: hotgraph $*: $(cat errors)"
        grep -q "$text: stopped by signal $((${signal#*:} - 128)) in frame [0-9]*$" errors || fail "hotgraph $*: $(cat errors)"
        test "$(grep -vc '^hotgraph: warning: ' errors)" = 1 || fail "more than one line: hotgraph $*: $(cat errors)"
        test -z "$(ls scratch)" || fail "left in \$TMPDIR: $(ls scratch)"
        test ! -e g.graph || fail "a graph of what was stopped"
    done
    starts "$@"
    kill -9 $id
    wait $id 2>/dev/null || :
    id=
    test -z "$(ls scratch)" || fail "SIGKILL: left in \$TMPDIR: $(ls scratch)"
}
stops "$rom" lockstep "$rom" --random 1 --frames 100000000 --no-fast --way interp --way dbt+profiled
stops "$rom" lockstep "$rom" --random 1 --frames 100000000 --no-fast --way interp --json
stops "$rom" testrom "$rom" --frames 1000000 --no-fast
stops "$rom" testrom "$rom" --frames 1000000 --no-fast --ways
"$hotgraph" movie make --seed 1 --frames 3 --out short.fm2 >/dev/null
stops burrow.nes exact "$rom" --movie short.fm2 --frames 100000000 --no-fast --out g.graph

