# shellcheck shell=sh
# What the scripts of this folder share. A sweep on a cluster keeps in FOLDER, which all nodes see:
#
#     parts/I-of-N.ATTEMPT.db   what one attempt at shard I of N has found so far; ATTEMPT is its own
#     all.db                    all that was merged
#     RUN/                      one submission: plan, done/I, failed/I, running/I, logs/I.log, merge.log
#     newest                    the name of the newest RUN
#
# SQLite never opens a file in FOLDER: shared file systems may have no usable locks. Files are copied
# to the node's own disk, and what comes back is written under a name that nobody reads, synced and
# renamed. Nothing is ever written in place, and no two attempts write one file, so a task that runs
# twice, even unnoticed, does no harm.
# Paths may contain anything but a newline at their end. Variables with several words are marked.
# shellcheck disable=SC2034 # variables are for the scripts that read this
here=$(dirname -- "$(realpath -- "$0")")
# The named program; or this source tree's; or the one installed with these scripts,
# as PREFIX/share/hotgraph/slurm is with PREFIX/bin/hotgraph.
in_tree() { test -e "$here/../../meson.build"; }
if test -n "${HOTGRAPH:-}"; then
    hotgraph=$HOTGRAPH
elif in_tree; then
    hotgraph=$here/../../build/hotgraph
else
    hotgraph=$here/../../../bin/hotgraph
fi
options=${HOTGRAPH_SWEEP:-} # words
host=$(uname -n)
newline='
'
export LC_ALL=C

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2; }
die() {
    say "$*"
    exit 1
}
# The comment at the top of the script is its manual.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit "$1"
}
# Words for a shell.
quote() {
    for word in "$@"; do printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"; done
}

# patiently COMMAND...: retries until it succeeds, since shared folders come back. Gives up after
# HOTGRAPH_PATIENCE seconds (an hour).
patiently() {
    waited=0 pause=1
    until "$@"; do
        test "$waited" -lt "${HOTGRAPH_PATIENCE:-3600}" || return 1
        test "$waited" -gt 0 || say "waiting: does not work now: $*"
        sleep "$pause"
        waited=$((waited + pause))
        test "$pause" -ge 30 || pause=$((pause * 2))
    done
}
# publish FROM TO: TO appears complete or not at all, and is synced to the disk.
publish() {
    hidden=$(dirname -- "$2")/.$(basename -- "$2").$host.$$
    if cp -- "$1" "$hidden" && sync -- "$hidden" && mv -T -- "$hidden" "$2"; then
        sync -- "$(dirname -- "$2")" 2>/dev/null || : # some file systems cannot sync folders
        return 0
    fi
    rm -f -- "$hidden"
    return 1
}
# fetch FROM TO: succeeds even if FROM does not exist, provided that its folder does.
fetch() {
    test -d "$(dirname -- "$1")" && { ! test -e "$1" || cp -- "$1" "$2"; }
}
# mark FILE TEXT
mark() {
    printf '%s\n' "$2" >"$local/mark" && publish "$local/mark" "$1"
}

# Asks a child of these scripts to stop when its parent ends, even by kill -9. Words.
with_parent=
! setpriv --pdeathsig TERM true 2>/dev/null || with_parent='setpriv --pdeathsig TERM'
# sweep ARGS...: `hotgraph sweep` with the run's options, in place of this shell: for ( ) and &.
sweep() {
    set -f # options are words, and no patterns
    # shellcheck disable=SC2086 # words
    exec $with_parent "$hotgraph" sweep "$config" $options "$@"
}
# renew DB: updates it to the current configuration, so that it can be merged with others.
renew() {
    (sweep --shard 0/1 --db "$1" >/dev/null)
}

# Creates a folder on this node's own disk, $local, removed at the end. Its user holds its lock, a file
# with the number of its process, and so do all that it starts.
place=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}
case $place in -*) place=./$place ;; esac
make_local() {
    local=$(mktemp -d -- "$place/hotgraph-XXXXXX") || die "$place: no place on the local disk"
    exec 9>"$local/lock"
    echo $$ >&9
    ! command -v flock >/dev/null || flock 9
}
# rescue FOLDER: FOLDER was left behind by a task that was killed together with its supervisor, or
# could not publish. Publishes its results.
rescue() {
    if test -s "$1/part.db" && test -s "$1/own" && ! test -e "$(cat "$1/done")"; then
        test -d "$(dirname -- "$(cat "$1/own")")" || return 1 # not mounted now
        rm -f -- "$1/next.db"
        if "$hotgraph" merge --copy "$1/next.db" "$1/part.db" >/dev/null 2>&1; then
            publish "$1/next.db" "$(cat "$1/own")" || return 1
            say "what was left in $1 is published"
        fi
    fi
    rm -rf -- "$1"
}
clear_up() {
    command -v flock >/dev/null || return 0
    for left in "$place"/hotgraph-??????; do
        test ! -L "$left" && test -O "$left" && test -f "$left/lock" || continue
        # The children of a killed task end a moment after it.
        wait=0
        kill -0 "$(cat "$left/lock")" 2>/dev/null || wait=10
        (exec 8<"$left/lock" && flock -w "$wait" 8 && rescue "$left") || : # at work, or to be left as it is
    done
}
