# Losses in a sweep in shards, and their messages: killed programs and tasks, a full shared folder, GNU
# parallel that has ended. If this fails, somebody waits for a sweep that has stopped, or results that a
# node still has are computed again.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
. "$(dirname "$0")/../cluster_lib.sh"
! sanitized || skip "a build with sanitizers; the cluster test has its shards"
mkdir local
export TMPDIR="$work/local" HOTGRAPH_PATIENCE=60
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT SLURM_CPUS_ON_NODE
sweep experiment.cfg --db one.db
expected=$digest

begin() { # FOLDER: as `submit` does.
    mkdir -p "$1/parts" "$1/run/done" "$1/run/failed" "$1/run/running" "$1/run/logs"
    echo run >"$1/newest"
    printf 'shards=3\nstarted=%s\nconfig=%s\n' "$(date +%s)" "$work/experiment.cfg" >"$1/run/plan"
}
says() { # STATUS TEXT FOLDER: the exit status and a text that `status` must give
    status=0
    "$slurm/status" "$3" >out 2>&1 || status=$?
    test $status = "$1" && grep -q -e "$2" out || fail "status ends with $status and says: $(cat out)"
}
nothing_left() { test -z "$(ls local)"; }
ended() { ! kill -0 "$1" 2>/dev/null; }
# program SHELL...: runs before the program in shard 1.
program() {
    printf '#!/bin/sh\ncase " $* " in *" --dry-run "*) ;; *" --shard 1/3 "*) %s ;; esac\nexec "%s" "$@"\n' "$*" "$real" >hotgraph
}

# ---- the program is killed: once more, with one thread; then the signal is named ----
begin killed
program 'echo "$*" >>starts; kill -9 $$'
status=0
HOTGRAPH_JOBS=2 "$slurm/task" "$work/experiment.cfg" 1 3 "$work/killed" run >log 2>&1 || status=$?
test $status = 1 && test "$(wc -l <starts)" = 2 && sed -n 1p starts | grep -q 'jobs 2$' && sed -n 2p starts | grep -q 'jobs 1$' ||
    fail "status $status, starts: $(cat starts)"
says 1 'shard 1 failed: the program was ended by signal 9 (KILL): out of memory? (on .*, twice)' killed
program 'kill -SEGV $$'
! "$slurm/task" "$work/experiment.cfg" 1 3 "$work/killed" run >log 2>&1 || fail "a crash"
says 1 'shard 1 failed: the program was ended by signal 11 (SEGV)' killed
program 'exit 3'
! "$slurm/task" "$work/experiment.cfg" 1 3 "$work/killed" run >log 2>&1 || fail "status 3"
says 1 'shard 1 failed: the program ended with status 3 and said nothing' killed
program 'test -e once || { touch once; kill -9 $$; }'
"$slurm/task" "$work/experiment.cfg" 1 3 "$work/killed" run >log 2>&1 || fail "killed once: $(cat log)"
says 3 ': 1 done, 0 running, 2 waiting, 0 failed$' killed # nothing runs, so the remaining time is unknown

# ---- a killed task is started again, and its program ends with it ----
begin kept
program 'touch begun; echo $$ >>ids; exec sleep 1000'
"$slurm/keep" "$work/experiment.cfg" 1 3 "$work/kept" run >log 2>&1 &
id=$!
until_true test -s ids
orphan=$(cat ids)
program ''
kill -9 "$(ps -o pid= --ppid $id)"
until_true ended "$orphan"
wait $id || fail "a task that was killed: $(cat log)"
grep -q 'the task of shard 1 was killed with signal 9: it is begun again' log || fail "$(cat log)"
says 3 ': 1 done' kept
nothing_left || fail "left behind: $(ls local)"
# Without its supervisor it stops; its results are published.
begin gone
rm ids
program 'echo $$ >ids; exec sleep 1000'
"$slurm/keep" "$work/experiment.cfg" 1 3 "$work/gone" run >log 2>&1 &
id=$!
until_true test -s ids
kill -9 $id
until_true ended "$(cat ids)"
until_true nothing_left
says 3 ': 0 done, 0 running, 3 waiting' gone

# ---- GNU parallel ----
if command -v parallel >/dev/null; then
    program 'touch begun; echo $$ >ids; exec sleep 1000'
    rm -f ids
    setsid "$slurm/parallel" experiment.cfg 3 shards --jobs 3 >log 2>&1 &
    id=$!
    until_true test -s ids
    until_true sh -c 'test "$(find shards/run-*/done -type f | wc -l)" = 2'
    says 3 ': 2 done, 1 running, 0 waiting, 0 failed, about ' shards
    kill -9 -$id
    wait $id 2>/dev/null || :
    says 3 ': 2 done, 1 running, 0 waiting, 0 failed, about ' shards # its task continues
    until_true sh -c "pgrep -s $id | xargs -r kill -9; ! pgrep -s $id"
    says 1 ': 2 done, 0 running, 0 waiting, 0 failed, 1 lost$' shards
    grep -q '^shard 1 lost: ' out && grep -q '^GNU parallel is gone: nothing runs now' out || fail "$(cat out)"
    # A machine is lost after a shard has begun there: ssh's exit status is in the job log.
    printf '#!/bin/sh\nfor run in "%s"/unreachable/run-*; do echo "gone 1 1" >"$run/running/1"; done\nexit 255\n' "$work" >ssh
    chmod +x ssh
    ! PARALLEL_SSH=$work/ssh "$slurm/parallel" experiment.cfg 2 unreachable --sshlogin 2/gone >log 2>&1 || fail "nobody did it: $(cat log)"
    says 1 ': 0 done, 0 running, 0 waiting, 0 failed, 2 lost$' unreachable
    for shard in 1 2; do
        grep -q "^shard $shard lost: the machine gone is not to be reached (ssh ends with 255)" out || fail "$(cat out)"
    done
    # A command line that it refuses does not change the newest run.
    was=$(cat shards/newest)
    ! "$slurm/parallel" experiment.cfg 3 shards --no-such-option >log 2>&1 || fail "no such option"
    grep -q 'GNU parallel refuses: Unknown option' log && test "$(cat shards/newest)" = "$was" || fail "the run before is out of sight: $(cat log)"
    program ''
    "$slurm/parallel" experiment.cfg 3 shards >log 2>&1 || fail "gone on with: $(cat log shards/run-*/joblog shards/run-*/logs/*)"
    says 0 "merged into shards/all.db: digest $expected" shards
    whole shards/all.db
fi

# ---- a full shared folder: reported, and nothing is lost ----
mkdir full
if mount -t tmpfs -o size=400k tmpfs full 2>/dev/null; then
    cleanup() { umount "$work/full" 2>/dev/null || :; }
    begin full
    program 'head -c 9999999 /dev/zero >full/filler 2>/dev/null'
    status=0
    HOTGRAPH_PATIENCE=1 "$slurm/task" "$work/experiment.cfg" 1 3 "$work/full" run >log 2>&1 || status=$?
    test $status = 1 && grep -q 'cannot be written: no room?; what was found stays on ' log || fail "status $status: $(cat log)"
    says 1 'shard 1 failed: .*cannot be written: no room?; what was found stays on ' full
    grep -q '^full: 0 kB are left on its disk' out || fail "$(cat out)"
    kept=$(find local -name part.db)
    test "$(ask "$kept" 'SELECT count(*) > 0 FROM result')" = 1 || fail "what was found is lost: $(find local)"
    rm full/filler
    mount -o remount,size=50m full
    program ''
    "$slurm/task" "$work/experiment.cfg" 2 3 "$work/full" run >log 2>&1 || fail "another task: $(cat log)"
    grep -q 'what was left in .* is published' log && nothing_left || fail "$(cat log; find local)"
    "$slurm/task" "$work/experiment.cfg" 1 3 "$work/full" run >log 2>&1 || fail "the same task: $(cat log)"
    grep -q '^nothing to do' log || fail "what was kept is computed again: $(cat log)"
else
    echo "not tested: mounting a small disk is not allowed"
fi
