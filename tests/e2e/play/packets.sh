# The trace of technique `trace`, decoded by a program that shares nothing with ours, and read by Intel's own library. If this fails, what
# we call a trace is not what processors write, or our decoder only understands our own mistakes.
set -eu
. "$(dirname "$0")/../lib.sh"
write_packets=$(realpath "$3")
command -v python3 >/dev/null || skip "no python3"
cd "$work"
for game in mazewisp umbel; do
    "$write_packets" "$source/games/$game.nes" 200 trace
    "$hotgraph" exact "$source/games/$game.nes" --frames 200 --out exact.graph >none
    python3 "$source/tests/e2e/play/packets.py" "$source/games/$game.nes" trace exact.graph >said 2>&1 || fail "$game: $(cat said)"
    cat said
    # A wrong bit is found.
    printf '\126' | dd of=trace bs=1 seek=3000 conv=notrunc 2>none
    ! python3 "$source/tests/e2e/play/packets.py" "$source/games/$game.nes" trace exact.graph >said 2>&1 || fail "$game: a wrong packet is not found"
done
