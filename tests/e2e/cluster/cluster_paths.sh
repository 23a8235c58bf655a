# Shards in folders of any name: a whole sweep under GNU parallel, tasks done twice, and merging. If this
# fails, other files of the user are deleted, or a folder's name is run as a program.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
! sanitized || skip "a build with sanitizers; the cluster test has its shards"
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT SLURM_CPUS_ON_NODE
sweep experiment.cfg --db one.db
expected=$digest
slurm=$source/sweep/slurm

# ---- a folder whose name has every character that is special to a shell, make, parallel or sbatch
# ----
odd="$work/a -r * b \$(touch hacked)\`touch hacked\` 'c' \"d\" {} {.} {#} {= 1 =} %a ; touch hacked # \\
 line"
mkdir -p "$odd/tmp" "$odd/bin"
cp experiment.cfg "$odd/-x {} *.cfg"
cp -- *.graph "$odd"
ln -s "$hotgraph" "$odd/bin/hot graph"
cd "$odd"
export TMPDIR="$odd/tmp" HOTGRAPH="$odd/bin/hot graph" HOTGRAPH_PATIENCE=5
# The words and patterns in that name are files that must stay untouched.
for bystander in "$work/a" b c d "'c'" a.db line parts results; do
    echo mine >"$bystander"
done
all() { find "$work" "$odd/.." -maxdepth 2 -name hacked -o -path '*/-out' -prune -o -path '*/tmp/*' -prune -o -type f -print0 | sort -uz | xargs -0 sha1sum; }
all >"$work/../$(basename "$work").before"
mv "$work/../$(basename "$work").before" "$odd/tmp/before"
unharmed() {
    all >"$odd/tmp/after"
    cmp "$odd/tmp/before" "$odd/tmp/after" || fail "$1: files that are nobody's business: $(diff "$odd/tmp/before" "$odd/tmp/after")"
    test -z "$(find "$work" -name hacked)" || fail "$1: a part of a name was run"
    test -z "$(find "$odd/tmp" -name 'hotgraph-*')" || fail "$1: left behind: $(ls "$odd/tmp")"
}
if command -v parallel >/dev/null; then
    "$slurm/parallel" '-x {} *.cfg' 2 -out >"$odd/tmp/log" 2>&1 || fail "parallel: $(cat "$odd/tmp/log" ./-out/run-*/logs/*)"
    grep -q "^digest $expected\$" "$odd/tmp/log" || fail "$(cat "$odd/tmp/log")"
    unharmed parallel
    "$slurm/status" -out >"$odd/tmp/out" || fail "status: $(cat "$odd/tmp/out")"
    grep -q ": 2 done, 0 running, 0 waiting, 0 failed" "$odd/tmp/out" && grep -q "merged into ./-out/all.db: digest $expected" "$odd/tmp/out" ||
        fail "$(cat "$odd/tmp/out")"
    rm -r ./-out
fi

# ---- the same shard twice: the second attempt removes what the first one left, and nothing
# else ----
run="$odd/-out/run"
mkdir -p "$odd/-out/parts" "$run/done" "$run/failed" "$run/running" "$run/logs"
echo run >"$odd/-out/newest"
printf 'shards=3\nstarted=1\nconfig=%s\n' "$odd/-x {} *.cfg" >"$run/plan"
for shard in 1 2 3; do
    for attempt in first second; do
        "$slurm/task" "$odd/-x {} *.cfg" $shard 3 "$odd/-out" run >"$odd/tmp/log" 2>&1 || fail "$attempt task $shard: $(cat "$odd/tmp/log")"
        unharmed "$attempt task $shard"
        test "$(find ./-out/parts -name "$shard-of-3.*.db" | wc -l)" = 1 || fail "$attempt task $shard: $(ls ./-out/parts)"
    done
done
"$slurm/join" "$odd/-x {} *.cfg" "$odd/-out" run >"$odd/tmp/log" 2>&1 || fail "join: $(cat "$odd/tmp/log")"
grep -q '^nothing to do' "$odd/tmp/log" && grep -q "^digest $expected\$" "$odd/tmp/log" || fail "join: $(cat "$odd/tmp/log")"
test -z "$(ls -A ./-out/parts)" || fail "parts stay: $(ls -A ./-out/parts)"
unharmed join
"$slurm/status" -out >"$odd/tmp/out" || fail "status: $(cat "$odd/tmp/out")"
grep -q "merged into ./-out/all.db: digest $expected" "$odd/tmp/out" || fail "$(cat "$odd/tmp/out")"

# ---- invalid operands are refused ----
! "$slurm/parallel" '-x {} *.cfg' 2 "ends with a newline
" >"$odd/tmp/log" 2>&1 || fail "a newline at the end of a name"
grep -q 'ends with a newline is not taken' "$odd/tmp/log" || fail "$(cat "$odd/tmp/log")"
printf '#!/bin/sh\ntouch "%s/tmp/submitted"\n' "$odd" >"$odd/bin/sbatch"
chmod +x "$odd/bin/sbatch"
mkdir "$work/bin"
cp "$odd/bin/sbatch" "$work/bin"
for folder in 'back\slash' 'new
line'; do
    ! PATH="$work/bin:$PATH" "$slurm/submit" "$work/experiment.cfg" 2 "$work/$folder" >"$odd/tmp/log" 2>&1 || fail "submitted: $folder"
    grep -q 'sbatch takes no backslash or newline' "$odd/tmp/log" && test ! -e "$odd/tmp/submitted" || fail "$(cat "$odd/tmp/log")"
done

# ---- refused by Slurm: its reason is shown, and the newest run stays the newest ----
cd "$work"
cat >"$work/bin/sbatch" <<END
#!/bin/sh
printf '%s\\n' "\$@" >>"$work/asked"
test ! -e "$work/refuse" || { echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1; }
echo 4711
END
printf '#!/bin/sh\necho "MaxArraySize            = 11"\n' >"$work/bin/scontrol"
printf '#!/bin/sh\n' >"$work/bin/scancel"
chmod +x "$work/bin/"*
submit() { PATH="$work/bin:$PATH" HOTGRAPH_PATIENCE=77 "$slurm/submit" experiment.cfg "$@" >"$odd/tmp/log" 2>&1; }
submit 10 refused || fail "submit: $(cat "$odd/tmp/log")"
newest=$(cat refused/newest)
grep -q -e '^--mem-per-cpu=[0-9]*M$' asked || fail "no memory is asked for: $(cat asked)"
test "$(grep -c "'HOTGRAPH_PATIENCE=77'" asked)" = 2 || fail "HOTGRAPH_PATIENCE is not handed on: $(cat asked)"
touch refuse
! submit 10 refused || fail "what sbatch refuses is submitted"
grep -q QOSMaxSubmitJobPerUserLimit "$odd/tmp/log" && grep -q 'sbatch refuses the array of 10 jobs' "$odd/tmp/log" &&
    test "$(cat refused/newest)" = "$newest" && test "$(find refused -maxdepth 1 -name 'run-*' | wc -l)" = 1 ||
    fail "refused, it is the newest: $(cat refused/newest "$odd/tmp/log")"
! submit 11 refused || fail "more shards than an array has"
grep -q '11 shards: a job array of this cluster has 10 at most (its MaxArraySize is 11)' "$odd/tmp/log" &&
    test "$(cat refused/newest)" = "$newest" || fail "$(cat "$odd/tmp/log")"

# ---- gnuplot runs a name that begins with "|" ----
cd "$work"
"$HOTGRAPH" report one.db --out '|touch hacked; cat >x' >"$odd/tmp/log" 2>&1 || fail "report: $(cat "$odd/tmp/log")"
test ! -e hacked && test -s '|touch hacked; cat >x/index.html' || fail "a part of a name was run: $(ls)"
