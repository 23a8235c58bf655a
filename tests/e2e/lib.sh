# What the end-to-end tests share; each is run as: sh NAME.sh HOTGRAPH SOURCE_FOLDER
hotgraph=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'cleanup; rm -rf "$work"' EXIT
cleanup() { :; }

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# skip REASON: the test cannot be done here.
skip() {
    echo "skipped: $*"
    exit 77
}

# sanitized: whether this is a build with sanitizers, in which long runs take many times as long.
sanitized() { grep -q __asan_init "$hotgraph"; }

# refuses STATUS TEXT ARGS...: hotgraph ARGS must end with STATUS, and what it says on standard error
# must have TEXT in it.
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

# same A B: two files must be equal.
same() {
    cmp "$1" "$2" || fail "$1 and $2 differ"
}
