# A sweep whose shards run on other machines over SSH; servers on this machine stand for them. If this
# fails, several machines without Slurm cannot be used.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
! sanitized || skip "a build with sanitizers; the cluster test has its shards"
for program in parallel ssh sshd ssh-keygen; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no $program: packages parallel, openssh-server"
done
test "$(id -u)" = 0 || skip "the server is started as root"
unset SLURM_JOB_ID SLURM_RESTART_COUNT SLURM_CPUS_ON_NODE
export TMPDIR="$work"

# ---- a server with new keys ----
for name in host key; do ssh-keygen -q -t ed25519 -N '' -f $name; done
mkdir -p /run/sshd # sshd's folder; only root may create it
port=$((40000 + $$ % 20000))
cat >sshd_config <<END
Port $port
ListenAddress 127.0.0.1
HostKey $work/host
AuthorizedKeysFile $work/key.pub
PidFile $work/pid
StrictModes no
PasswordAuthentication no
UsePAM no
END
cleanup() { test ! -s "$work/pid" || kill "$(cat "$work/pid")" || :; }
/usr/sbin/sshd -f "$work/sshd_config" -E "$work/sshd.log" || skip "sshd does not start here: $(cat sshd.log)"
cat >ssh <<END
#!/bin/sh
case " \$* " in *" gone "*) exit 255 ;; esac # as for a machine that is switched off
exec $(command -v ssh) -p $port -i "$work/key" -o IdentitiesOnly=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile="$work/known" -o LogLevel=ERROR "\$@"
END
chmod +x ssh
tries=0
until ./ssh 127.0.0.1 true 2>ssh.log; do
    tries=$((tries + 1))
    test $tries -lt 50 || skip "nobody may log in here: $(cat ssh.log sshd.log)"
    sleep 0.1
done

# ---- two shards at once there, and a machine that cannot be reached ----
sweep experiment.cfg --db one.db
expected=$digest
PARALLEL_SSH=$work/ssh HOTGRAPH=$hotgraph "$source/sweep/slurm/parallel" experiment.cfg 4 "with blanks" \
    --sshlogin 1/gone,2/127.0.0.1 >log 2>&1 || fail "over SSH: $(cat log "with blanks"/run-*/logs/* "with blanks"/run-*/joblog)"
grep -q "^digest $expected\$" log || fail "another digest: $(cat log)"
sed 1d "with blanks"/run-*/joblog >joblog
test "$(awk '$7 == 0 { print $1 }' joblog | sort -u | wc -l)" = 4 || fail "not four shards: $(cat joblog)"
test "$(awk '$7 == 0 { print $2 }' joblog | sort -u)" = 127.0.0.1 || fail "not over SSH: $(cat joblog)"
"$hotgraph" diff one.db "with blanks/all.db" >out || fail "$(cat out)"
