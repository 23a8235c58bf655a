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
# twice, also unknown to everybody, does no harm.
here=$(dirname "$(realpath "$0")")
hotgraph=${HOTGRAPH:-$here/../../build/hotgraph}
options=${HOTGRAPH_SWEEP:-}
export LC_ALL=C

say() { echo "$(basename "$0"): $*" >&2; }
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

# patiently COMMAND...: again and again until it works: shared folders come back. Gives up after
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
# publish FROM TO: TO appears whole, or not at all, and is on the disk then.
publish() {
    hidden=$(dirname "$2")/.$(basename "$2").$(hostname).$$
    if cp "$1" "$hidden" && sync "$hidden" && mv -T "$hidden" "$2"; then
        sync "$(dirname "$2")" 2>/dev/null || : # some file systems cannot sync folders
        return 0
    fi
    rm -f "$hidden"
    return 1
}
# fetch FROM TO: succeeds where FROM is not there, as long as its folder is.
fetch() {
    test -d "$(dirname "$1")" && { ! test -e "$1" || cp "$1" "$2"; }
}
# mark FILE TEXT
mark() {
    echo "$2" >"$local/mark" && publish "$local/mark" "$1"
}
# renew DB: makes it one of the configuration as it is now, so that it can be merged with others.
renew() {
    # shellcheck disable=SC2086 # options are words
    "$hotgraph" sweep "$config" $options --shard 0/1 --db "$1" >/dev/null
}
# A folder on this node's own disk, in $local; gone at the end.
make_local() {
    local=$(mktemp -d "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/hotgraph-XXXXXX") || die "no place on the local disk"
}
