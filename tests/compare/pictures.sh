#!/bin/sh
# pictures.sh HOTGRAPH FOLDER...: runs every .nes file in the folders without pictures, with them, and
# cycle by cycle, and compares the whole state of the console after every frame. Prints what differs
# and how many runs agree; ROMs that cannot run here are left out. Exit status 0 when none differs.
set -eu
hotgraph=$1
shift
results=$(mktemp)
trap 'rm -f "$results"' EXIT
"$hotgraph" testrom --ways --as-listed --frames 600 "$@" >"$results" || :
grep '^differs' "$results" || :
tail -n 1 "$results" | grep 'in the same state'
