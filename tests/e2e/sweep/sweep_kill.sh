# Killed at twenty random moments and stopped politely: if this fails, a crash of the machine or an
# impatient user costs finished results, or leaves some twice.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# The same streams under many names, built directly: several seconds of work.
{
    sed -n '1,/^games/p' experiment.cfg
    for i in 1 2 3; do
        pair "a$i" synthetic-b && echo ,
        pair "b$i" overlap-a && echo ,
    done
    pair z synthetic-a
    echo ");"
} | awk '{ sub("instructions = 1000000", "instructions = " 1000000 + NR); print }' >long.cfg
sweep long.cfg --db straight.db
expected=$digest rows=$(ask straight.db 'SELECT count(*) FROM result')

finished() {
    test -s killed.db || { echo 0; return; }
    # As the next sweep would: a leftover rollback journal is played back.
    sqlite3 killed.db 'SELECT count(*) FROM result' 2>/dev/null || echo 0
}
last=0 kills=0
while test $kills -lt 20; do
    # 0.00 to 1.49 seconds
    pause=$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%.2f", $1 % 150 / 100 }')
    "$hotgraph" sweep long.cfg --db killed.db --direct >/dev/null 2>errors &
    id=$!
    sleep "$pause"
    kill -9 $id 2>/dev/null || :
    wait $id 2>/dev/null || :
    kills=$((kills + 1))
    now=$(finished)
    test "$now" -ge "$last" || fail "after $pause s: $last results became $now"
    last=$now
    # Finished early: begin again, so that all twenty hit something.
    if test "$now" = "$rows"; then
        sweep long.cfg --db killed.db
        test "$digest" = "$expected" || fail "killed and resumed: $digest, not $expected"
        rm killed.db
        last=0
    fi
done
sweep long.cfg --db killed.db
test "$digest" = "$expected" || fail "killed and resumed: $digest, not $expected"
test "$(finished)" = "$rows" || fail "rows lost or doubled"
test "$(ask killed.db 'PRAGMA integrity_check')" = ok || fail "integrity"
test -z "$(ask killed.db 'PRAGMA foreign_key_check')" || fail "foreign keys"

# Asked to stop: it says how to continue, and keeps finished results. On a busy machine it may
# finish before the signal comes: then the test tries again.
stopped() { # SIGNAL; leaves the exit status in $status
    rm -f stopped.db
    : >errors # an earlier sweep's output must not be mistaken for this one's
    # A background job of a script ignores SIGINT unless told otherwise.
    env --default-signal=INT "$hotgraph" sweep long.cfg --db stopped.db --direct --jobs 1 \
        >/dev/null 2>errors &
    id=$!
    tries=0
    until grep -q ': done' errors 2>/dev/null; do
        sleep 0.05
        tries=$((tries + 1))
        test $tries -lt 6000 || fail "no game is ever done"
    done
    kill "-$1" $id 2>/dev/null || :
    status=0
    wait $id || status=$?
}
for signal in INT:130 TERM:143; do
    for attempt in 1 2 3 4 5 6; do
        stopped "${signal%:*}"
        test $status != 0 || continue
        break
    done
    test $status = "${signal#*:}" || fail "SIG${signal%:*} ends it with $status: $(cat errors)"
    grep -q 'stopped; finished results are in stopped.db' errors || fail "$(cat errors)"
    kept=$(ask stopped.db 'SELECT count(*) FROM result')
    test "$kept" -ge 145 -a "$kept" -lt "$rows" || fail "$kept results when stopped"
    sweep long.cfg --db stopped.db
    test "$digest" = "$expected" || fail "stopped and resumed: $digest, not $expected"
    test "$(ask stopped.db "SELECT count(*) FROM result JOIN run USING (run_id) WHERE finished IS NULL")" = "$kept" ||
        fail "what was kept is computed again"
done
