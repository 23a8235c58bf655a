# A sweep in shards without Slurm, on bad days: killed, doubled, damaged and contradictory parts, and a
# shared folder that is slow or away for a while. If this fails, a cluster's results differ from those
# of one machine, or files must be cleaned up by hand.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
. "$(dirname "$0")/../cluster_lib.sh"
export TMPDIR="$work" HOTGRAPH_PATIENCE=60
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT SLURM_CPUS_ON_NODE
sweep experiment.cfg --db one.db
expected=$digest

# begin FOLDER: as `submit` does.
begin() {
    mkdir -p "$1/parts" "$1/run/done" "$1/run/failed" "$1/run/running" "$1/run/logs"
    echo run >"$1/newest"
    printf 'shards=3\nstarted=%s\nconfig=%s\n' "$(date +%s)" "$work/experiment.cfg" >"$1/run/plan"
}
task() { # I FOLDER
    "$slurm/task" "$work/experiment.cfg" "$1" 3 "$work/$2" run
}
join() { # FOLDER
    "$slurm/join" "$work/experiment.cfg" "$work/$1" run
}
parts() { find "$1/parts" -name "$2-of-3.*.db"; }

# ---- killed with -9 in the middle: what was published is not computed again ----
begin shared
# Finds one game's results, then hangs. $6 is the task's database.
cat >stuck <<END
#!/bin/sh
case " \$* " in *" --shard 1/1 "*) "$real" sweep experiment.cfg --games one --db "\$6" && sleep 1000 ;; esac
exec "$real" "\$@"
END
chmod +x stuck
HOTGRAPH=$work/stuck setsid "$slurm/task" "$work/experiment.cfg" 1 1 "$work/shared" run >killed.log 2>&1 &
id=$!
found() { test "$(ask "$(find shared/parts -name '1-of-1.*.db')" 'SELECT count(*) FROM result')" = 145; }
until_true found
kill -9 -$id
wait $id 2>/dev/null || :
status=0
"$slurm/status" shared >out || status=$?
test $status = 1 && grep -q ': 3 shards: 0 done, 0 running, 2 waiting, 0 failed, 1 lost$' out &&
    grep -q '^shard 1 lost: its task is gone' out || fail "status $status: $(cat out)"
"$slurm/task" "$work/experiment.cfg" 1 1 "$work/shared" run >log 2>&1 || fail "the second attempt: $(cat log)"
part=$(find shared/parts -name '*.db')
test "$(echo "$part" | wc -l)" = 1 || fail "an attempt whose results are in another is left: $part"
test "$(ask "$part" "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM result GROUP BY run_id ORDER BY 1)")" = 145,290 ||
    fail "what was published is computed again: $(ask "$part" 'SELECT run_id, count(*) FROM result GROUP BY 1')"
test -z "$(find . -maxdepth 1 -name 'hotgraph-*')" || fail "the attempt that was killed has left its folder: $(ls)"
rm -r shared
begin shared
task 1 shared >log 2>&1 || fail "a shard: $(cat log)"

# ---- the shared folder is away when a task begins, slow, and away when it ends ----
touch held-2
task 2 shared >log 2>&1 &
id=$!
until_true test -e at-2
mv shared away
rm held-2
until_true grep -q 'waiting: does not work now: publish' log
mv away shared
wait $id || fail "with a folder that was away: $(cat log)"
test "$(parts shared 2 | wc -l)" = 1 || fail "no part of shard 2: $(cat log)"
mkdir bin
cat >bin/cp <<END
#!/bin/sh
sleep 1.5
test -e $work/once || { touch $work/once; exit 1; } # and fails once without writing
exec /bin/cp "\$@"
END
chmod +x bin/cp
mv shared away
PATH=$work/bin:$PATH task 3 shared >log 2>&1 &
id=$!
until_true grep -q 'waiting: does not work now: is_there' log
mv away shared
# ---- and the same shard a second time meanwhile ----
task 3 shared >second.log 2>&1 || fail "beside another: $(cat second.log)"
wait $id || fail "with a slow folder: $(cat log)"
test -e once && test "$(parts shared 3 | wc -l)" -ge 1 || fail "no part of shard 3"
"$slurm/status" shared >out || test $? = 3 || fail "$(cat out)"
grep -q ': 3 done, 0 running, 0 waiting, 0 failed$' out || fail "$(cat out)"

# ---- stopped by signals: results are published, and the next attempt continues
# from them ----
begin stopped
touch held-1
"$slurm/task" "$work/experiment.cfg" 1 3 "$work/stopped" run >log 2>&1 &
id=$!
until_true test -e at-1
kill -USR1 $id
status=0
wait $id || status=$?
test $status = 75 || fail "SIGUSR1 ends it with $status: $(cat log)"
grep -q 'goes on in another attempt' log || fail "$(cat log)"
rm held-1
test -z "$(find . -maxdepth 1 -name 'hotgraph-*')" || fail "left behind: $(ls)"

# ---- already queued again three times without a result: it uses its whole time ----
begin vain
cat >slow <<END
#!/bin/sh
case " \$* " in *" --shard 1/3 "*) touch $work/at-slow; while test -e $work/held-slow; do sleep 0.1; done ;; esac
exec "$real" "\$@"
END
chmod +x slow
touch held-slow
SLURM_RESTART_COUNT=3 HOTGRAPH=$work/slow "$slurm/task" "$work/experiment.cfg" 1 3 "$work/vain" run >log 2>&1 &
id=$!
until_true test -e at-slow
kill -USR1 $id
until_true grep -q 'nothing new was found in it: shard 1 goes on to its limit' log
rm held-slow
wait $id || fail "told in vain that its time is over: $(cat log)"
test "$(ask "$(parts vain 1)" 'SELECT count(*) > 0 FROM result')" = 1 || fail "nothing found to the end"

# ---- merging: contradictory, damaged, and whole ----
cp -r shared contradictory
sqlite3 "$(parts contradictory 2)" 'UPDATE result SET edges = edges + 1'
cp "$(parts shared 2)" contradictory/parts/2-of-3.other.db
! join contradictory >log 2>&1 || fail "contradictory parts are merged: $(cat log)"
grep -q 'contradict each other' log && test ! -e contradictory/all.db || fail "$(cat log)"
test "$(find contradictory/parts -name '*.db' | wc -l)" -ge 4 || fail "parts are gone: $(ls contradictory/parts)"

cp -r shared damaged
damaged=$(parts damaged 2)
head -c 100000 "$damaged" >part.cut && mv part.cut "$damaged"
: >damaged/parts/3-of-3.empty.db # like an interrupted copy without the final rename
join damaged >log 2>&1 || fail "damaged parts: $(cat log)"
test "$(grep -c 'left out: .*is damaged' log)" = 1 || fail "$(cat log)"
whole damaged/all.db

join shared >log 2>&1 || fail "merging: $(cat log)"
grep -q '^nothing to do' log && grep -q "^digest $expected\$" log || fail "$(cat log)"
test -z "$(find shared/parts -type f)" || fail "parts stay: $(ls -A shared/parts)"
whole shared/all.db
"$slurm/status" shared >out || fail "$(cat out)"
grep -q 'merged into shared/all.db' out || fail "$(cat out)"

# ---- GNU parallel ----
if command -v parallel >/dev/null; then
    run() { # N
        status=0
        "$slurm/parallel" experiment.cfg "$1" "with blanks" >log 2>&1 || status=$?
        run="with blanks/$(cat "with blanks/newest")"
        return $status
    }
    printf '#!/bin/sh\ncase " $* " in *" --shard 2/4 "*) exit 1 ;; esac; exec "%s" "$@"\n' "$real" >hotgraph
    ! run 4 || fail "a failed shard is none: $(cat log)"
    grep -q 'shards have failed' log && test ! -e "with blanks/all.db" || fail "$(cat log)"
    test "$(sed 1d "$run/joblog" | wc -l)" = 4 || fail "the job log: $(cat "$run/joblog")"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" >hotgraph
    # In another number of shards: results of the four are not computed again.
    run 2 || fail "parallel: $(cat log)"
    grep -q "^digest $expected\$" log || fail "$(cat log)"
    whole "with blanks/all.db"
    test "$(ask "with blanks/all.db" "SELECT count(*) FROM result JOIN run USING (run_id) WHERE shard LIKE '%/4'")" -ge 290 ||
        fail "computed again: $(ask "with blanks/all.db" 'SELECT shard, count(*) FROM result JOIN run USING (run_id) GROUP BY 1')"
else
    echo "not tested: there is no GNU parallel"
fi
for script in submit parallel status; do
    "$slurm/$script" --help | grep -q "^Usage: $script" || fail "$script has no help"
done
! "$slurm/status" nowhere 2>errors || fail "status of nothing"
! "$slurm/parallel" none.cfg 3 x >out 2>errors || fail "no configuration"
grep -q 'none.cfg: there is no such configuration' errors || fail "$(cat errors)"
