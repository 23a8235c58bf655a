# Endless work is stopped: if this fails, Ctrl-C, or a cluster's time limit, waits for the recorded
# program, or its children stay behind.
set -eu
. "$(dirname "$0")/../lib.sh"
command -v qemu-x86_64 >/dev/null && test "$(uname -m)" = x86_64 || skip "no qemu-x86_64"
test -x /usr/bin/yes || skip "no yes"
cd "$work"
cat >endless.cfg <<'END'
grid = { technique = "gaussian"; bin_size = [10]; stdev_threshold = [15]; window_size = [13]; recurrent_threshold = [5]; };
programs = ( { name = "endless"; command = ("/usr/bin/yes", "never ending"); } );
END
# below PID: is a process of it under QEMU?
below() { pgrep -P "$1" -f 'qemu-x86_64.*yes' >child; }
cleanup() {
    for pid in ${id:-} $(cat child 2>/dev/null); do kill -9 "$pid" 2>/dev/null || :; done
}
for signal in INT:130 TERM:143; do
    env --default-signal=INT "$hotgraph" sweep endless.cfg --db x.db --jobs 2 >out 2>errors &
    id=$!
    begun below $id
    stopped_by $signal x.db
    kill -0 "$(cat child)" 2>/dev/null && fail "the program goes on"
    id=
    rm child
done
