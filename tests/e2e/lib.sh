# Shared by the end-to-end tests; each is run as: sh NAME.sh HOTGRAPH SOURCE_FOLDER
hotgraph=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'cleanup; rm -rf "$work" "$work.source" "$work.build"' EXIT
# Tests write these paths into commands, patterns and other files. If one has a blank or a quote, a link stands for it;
# what hotgraph does with such paths, tests try with paths of their own.
case $source in *[!A-Za-z0-9_./+-]*) ln -s "$source" "$work.source" && source=$work.source ;; esac
case $hotgraph in *[!A-Za-z0-9_./+-]*) ln -s "$(dirname "$hotgraph")" "$work.build" && hotgraph=$work.build/hotgraph ;; esac
cleanup() { :; }

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# skip REASON: ends a test that cannot run here.
skip() {
    echo "skipped: $*"
    exit 77
}

# sanitized: true in a build with sanitizers, where long runs take many times as long.
sanitized() { grep -q __asan_init "$hotgraph"; }

# refuses STATUS TEXT ARGS...: hotgraph ARGS must end with STATUS, and its standard error
# must contain TEXT.
refuses() {
    want=$1 text=$2
    shift 2
    status=0
    "$hotgraph" "$@" >"$work/.stdout" 2>"$work/.stderr" || status=$?
    test "$status" = "$want" ||
        fail "exit status $status, not $want: hotgraph $*: $(cat "$work/.stderr")"
    grep -qF -e "$text" "$work/.stderr" ||
        fail "hotgraph $* does not say \"$text\" but: $(cat "$work/.stderr")"
    grep -q '^hotgraph' "$work/.stderr" || fail "hotgraph $*: the message does not say whose it is"
}

# begun COMMAND...: waits until the command succeeds, while process $id, which writes to out and errors, is running.
begun() {
    tries=0
    until "$@"; do
        kill -0 $id 2>/dev/null || fail "it ends by itself: $(cat out errors)"
        tries=$((tries + 1))
        test $tries -lt 6000 || fail "never: $*"
        sleep 0.05
    done
}

# gone PID...: waits until none of the processes runs; zombies count as ended.
gone() {
    for pid in "$@"; do
        tries=0
        while grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$pid/status" 2>/dev/null; do
            tries=$((tries + 1))
            test $tries -lt 6000 || fail "process $pid goes on: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
            sleep 0.05
        done
    done
}

# stopped_by SIGNAL:STATUS DB: the signal must stop the sweep $id, which ends with the status and names its database.
stopped_by() {
    kill "-${1%:*}" $id
    tries=0
    while kill -0 $id 2>/dev/null; do # at most, in seconds, on any machine
        tries=$((tries + 1))
        test $tries -lt 6000 || fail "SIG${1%:*} does not stop it"
        sleep 0.05
    done
    status=0
    wait $id || status=$?
    test $status = "${1#*:}" || fail "SIG${1%:*} ends it with $status: $(cat errors)"
    grep -q "stopped; finished results are in $2" errors || fail "$(cat errors)"
}

# same A B: two files must be equal.
same() {
    cmp "$1" "$2" || fail "$1 and $2 differ"
}
