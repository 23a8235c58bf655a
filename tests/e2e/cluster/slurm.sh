# A sweep on a Slurm cluster of two nodes, one of which dies: if this fails, a cluster's results
# differ from those of one machine, or a lost node costs more than its last second.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
! sanitized || skip "a build with sanitizers; the cluster test has its shards"
for program in slurmctld slurmd munged sbatch squeue scontrol scancel setsid; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no Slurm here ($program): packages slurmctld slurmd slurm-client munge"
done
test "$(id -u)" = 0 || skip "Slurm's daemons are started as root"
PATH=$PATH:/usr/sbin
. "$(dirname "$0")/../cluster_lib.sh"

# ---- a cluster of two nodes on this machine ----
# Its time limits are those of a machine that is busy with other tests: a node that does not answer for a few seconds
# would otherwise be given up, or a task started too late be sent back to the queue, and counts below would differ.
dir=$work/slurm
mkdir -p "$dir/munge" "$dir/log" "$dir/state" "$dir/spool.n1" "$dir/spool.n2" "$dir/spool.n3"
chmod 700 "$dir/munge"
chmod 755 "$work"
port=$((20000 + $$ % 20000))
host=$(hostname -s)
head -c 128 /dev/urandom >"$dir/munge/key"
chmod 400 "$dir/munge/key"
cat >"$dir/slurm.conf" <<END
ClusterName=ci
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=$dir/munge/sock,cred_expire=20
SlurmctldPort=$port
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/log/slurmctld.log
StateSaveLocation=$dir/state
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmdLogFile=$dir/log/slurmd.%n.log
SlurmdSpoolDir=$dir/spool.%n
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=2
JobCompType=jobcomp/none
KillWait=2
SlurmdTimeout=20
MessageTimeout=30
BatchStartTimeout=60
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=200
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=200
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 3)) CPUs=2 RealMemory=200
PartitionName=ci Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=n3 MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf" TMPDIR="$work"
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT SLURM_CPUS_ON_NODE

# ours: processes of this cluster: daemons know its folder, and their children have its SLURM_CONF.
ours() {
    for process in /proc/[0-9]*; do
        test "${process#/proc/}" != $$ || continue
        { tr '\0' '\n' <"$process/environ" | grep -qxF "SLURM_CONF=$dir/slurm.conf"; } 2>/dev/null &&
            grep -q . "$process/cmdline" 2>/dev/null && echo "${process#/proc/}"
    done
}
situation() {
    squeue --array
    sinfo --Node --long
    tail -n 30 "$dir/log/slurmctld.log"
}
cleanup() {
    rm -f "$work"/held-*
    for pid in "$dir"/*.pid "$dir/munge/pid"; do
        test ! -s "$pid" || kill -9 "$(cat "$pid")" 2>/dev/null || :
    done
    for attempt in 1 2 3; do
        for pid in $(ours); do kill -9 "$pid" 2>/dev/null || :; done
    done
}
trap 'exit 1' INT TERM HUP
munged --force --key-file="$dir/munge/key" --socket="$dir/munge/sock" --pid-file="$dir/munge/pid" \
    --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" || skip "munged does not start here"
slurmctld -c || skip "slurmctld does not start here: $(tail -3 "$dir/log/slurmctld.log")"
slurmd -N n1 && slurmd -N n2 && slurmd -N n3 || skip "slurmd does not start here"
until_true sh -c 'test "$(sinfo --noheader --format=%T | sort -u)" = idle'
on() { squeue --noheader --array --format="%K %N %T" | grep -q "^$1 $2 RUNNING"; } # SHARD NODE

merged() { test -e "${1:-shared}/$(cat "${1:-shared}/newest")/merged"; }

# ---- a task that exceeds its time limit, the shortest possible one, beside everything below ----
# Finds one game's results, then hangs. $6 is the task's database.
cat >endless <<END
#!/bin/sh
case " \$* " in *" --dry-run "*) ;; *" --shard 1/1 "*)
    "$real" sweep experiment.cfg --games one --db "\$6" && touch $work/at-limit && sleep 1000
    exit 1 ;;
esac
exec "$real" "\$@"
END
chmod +x endless
mkdir limited
HOTGRAPH=$work/endless "$slurm/submit" experiment.cfg 1 limited --partition=short --time=1 --signal=CONT@1 >limited.out 2>&1 ||
    fail "submit: $(cat limited.out)"
limited=$(sed -n 's/^job \([0-9]*\): 1 shards.*/\1/p' limited.out)
until_true test -e at-limit
# ---- a node dies with two shards on it ----
sweep experiment.cfg --db one.db
expected=$digest
mkdir shared
for shard in 1 2 3 4; do touch held-$shard; done
"$slurm/submit" experiment.cfg 5 shared >out 2>&1 || fail "submit: $(cat out)"
grep -q '^job [0-9]*: 5 shards of ' out && grep -q '^job [0-9]*: merges them' out || fail "$(cat out)"
array=$(sed -n 's/^job \([0-9]*\): 5 shards.*/\1/p' out)
for shard in 1 2 3 4; do until_true test -e at-$shard; done
"$slurm/status" shared >out || test $? = 3 || fail "status: $(cat out)"
grep -q "(job $array): 0 done, 4 running, 1 waiting, 0 failed" out || fail "$(cat out)"
dead=
for shard in 1 2 3 4; do ! on $shard n2 || dead="$dead $shard"; done
set -- $dead
test $# = 2 || fail "not two shards on n2: $(squeue --array)"
kill -9 "$(cat "$dir/slurmd.n2.pid")"
# One of its two tasks is killed with its supervisor; the other one runs on, unknown to Slurm,
# beside its rerun.
job=$(squeue --noheader --array --jobs="$array" --format="%K %A" | sed -n "s/^$1 //p")
for pid in $(ours); do
    { tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "^slurmstepd: \[$job\." ||
        tr '\0' ' ' <"/proc/$pid/environ" | grep -q "SLURM_ARRAY_TASK_ID=$1 "; } 2>/dev/null && kill -STOP "$pid" && echo "$pid"
done >victims
test "$(wc -l <victims)" -ge 3 || fail "shard $1 has no watcher, task and program: $(cat victims)"
for pid in $(cat victims); do kill -9 "$pid" || :; done

# Meanwhile one of the others gets the signal that its time is nearly over: another attempt
# continues it.
for shard in 1 2 3 4; do
    case " $dead " in *" $shard "*) ;; *) early=$shard ;; esac
done
scancel --signal=USR1 --batch "${array}_$early"
until_true grep -q 'goes on in another attempt' "shared/$(cat shared/newest)/logs/$early.log"
rm -f held-*
until_true merged
"$slurm/status" shared >out || fail "status: $(cat out)"
grep -q ": 5 done, 0 running, 0 waiting, 0 failed" out && grep -q "merged into .*digest $expected" out || fail "$(cat out)"
whole shared/all.db
"$hotgraph" diff one.db shared/all.db >out || fail "$(cat out)"
test "$(ask shared/all.db "SELECT count(*) FROM run WHERE slurm_job = '$array' AND shard = slurm_task || '/5'")" -ge 5 ||
    fail "runs without their jobs: $(ask shared/all.db 'SELECT slurm_job, slurm_task, shard FROM run')"
grep -q '^nothing to do' shared/run-*/merge.log || fail "$(cat shared/run-*/merge.log)"

# ---- a shard that fails: nothing is merged, and the reason is shown ----
sed -i "s#^exec#case \" \$* \" in *' --shard 2/3 '*) echo 'hotgraph: broken on purpose' >\&2; exit 1 ;; esac; exec#" hotgraph
before=$(sha1sum shared/all.db)
sed 's/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10, 11]/' experiment.cfg >changed.cfg
"$slurm/submit" changed.cfg 3 shared >out 2>&1 || fail "submit: $(cat out)"
until_true sh -c '! squeue --noheader --partition=ci | grep -q .'
status=0
"$slurm/status" shared >out || status=$?
test $status = 1 && grep -q 'shard 2 failed: hotgraph: broken on purpose' out || fail "status $status: $(cat out)"
test "$(sha1sum shared/all.db)" = "$before" || fail "something was merged"
# Mended: the same command continues; results of the others are not computed
# again.
cat >hotgraph <<END
#!/bin/sh
exec "$real" "\$@"
END
"$slurm/submit" changed.cfg 3 shared >out 2>&1 || fail "submit: $(cat out)"
until_true merged
sweep changed.cfg --db fresh.db
test "$(sed -n 's/^digest //p' "shared/$(cat shared/newest)/merge.log")" = "$digest" || fail "after mending, another digest"
# Only the value that was new has been computed, on each of the three pairs, and once.
test "$(ask shared/all.db "SELECT count(*) FROM result JOIN run USING (run_id) WHERE slurm_job <> '$array'")" = 108 ||
    fail "computed again: $(ask shared/all.db "SELECT slurm_job, slurm_task, count(*) FROM result JOIN run USING (run_id) GROUP BY run_id")"

# ---- over its limit: its results are published, nothing is merged, and the next run continues
# ----
until_true sh -c "! squeue --noheader --partition=short | grep -q ."
grep -q 'DUE TO TIME LIMIT' limited/run-*/logs/1.log || fail "not its time limit: $(cat limited/run-*/logs/1.log)"
status=0
"$slurm/status" limited >out || status=$?
test $status = 1 && grep -q "(job $limited): 0 done, 0 running, 0 waiting, .*" out && test ! -e limited/all.db ||
    fail "status $status: $(cat out)"
"$slurm/submit" experiment.cfg 1 limited --partition=short >out 2>&1 || fail "submit: $(cat out)"
until_true merged limited
grep -q "^digest $expected\$" "limited/$(cat limited/newest)/merge.log" || fail "after a time limit: $(cat limited/run-*/merge.log)"
test "$(ask limited/all.db "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM result GROUP BY run_id ORDER BY 1)")" = 145,290 ||
    fail "what was published before the limit is computed again: $(ask limited/all.db 'SELECT run_id, count(*) FROM result GROUP BY 1')"
