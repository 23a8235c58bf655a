# A full disk or a read-only folder: if this fails, a user loses results without an error message, or
# keeps half a file that looks complete.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
rom="$source/games/mazewisp.nes"

# Standard output first: it needs no rights.
for command in "replay $rom --frames 5" "replay $rom --frames 5 --trace 0:5" techniques --help; do
    # shellcheck disable=SC2086 # words of the command
    status=0; "$hotgraph" $command >/dev/full 2>errors || status=$?
    test "$status" = 1 || fail "hotgraph $command >/dev/full ends with $status"
    grep -q 'standard output: cannot be written: No space left' errors || fail "$(cat errors)"
done

mkdir small
mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || skip "mounting a small tmpfs is not allowed"
cleanup() { umount "$work/small" 2>/dev/null || :; }

# writes ARGS... FILE: a command that writes more than there is room for.
writes() {
    for file; do :; done
    refuses 1 "$file: cannot be written: No space left" "$@"
    test -z "$(ls small)" || fail "left behind on the full disk: $(ls small)"
}
writes replay "$rom" --frames 100 --dump-ram small/out
writes movie make --out small/out
writes sample "$rom" --frames 300 --out small/out.isampling
head -c 65536 /dev/zero >small/filler 2>/dev/null || :
refuses 1 'small/out: cannot be written' exact "$rom" --frames 30 --out small/out
refuses 1 'small/shot.png: cannot be written' replay "$rom" --frames 3 --screenshot 2:small/shot.png
refuses 1 'small/state: cannot be written' replay "$rom" --frames 3 --save-state small/state
test "$(ls small)" = filler || fail "left behind on the full disk: $(ls small)"
rm small/filler

mount -o remount,ro small
refuses 1 'small/out: cannot be written: Read-only' replay "$rom" --frames 3 --ram-hash small/out
refuses 1 'small/dir' replay "$rom" --frames 3 --video small/dir
