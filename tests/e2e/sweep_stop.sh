# Work that would never end is stopped: if this fails, Ctrl-C, or a cluster's time limit, waits for a
# program that is being recorded, and what runs under it stays behind.
set -eu
. "$(dirname "$0")/lib.sh"
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
    tries=0
    until below $id; do
        kill -0 $id 2>/dev/null || fail "it ends by itself: $(cat out errors)"
        tries=$((tries + 1))
        test $tries -lt 1200 || fail "nothing is recorded"
        sleep 0.05
    done
    kill "-${signal%:*}" $id
    tries=0
    while kill -0 $id 2>/dev/null; do # seconds at most, on whatever machine
        tries=$((tries + 1))
        test $tries -lt 1200 || fail "SIG${signal%:*} does not stop it"
        sleep 0.05
    done
    status=0
    wait $id || status=$?
    test $status = "${signal#*:}" || fail "SIG${signal%:*} ends it with $status: $(cat errors)"
    grep -q 'stopped; what was finished is in x.db' errors || fail "$(cat errors)"
    kill -0 "$(cat child)" 2>/dev/null && fail "the program goes on"
    id=
    rm child
done
