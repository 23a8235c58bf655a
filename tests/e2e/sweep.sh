# Sweeps: if this fails, results depend on threads, on the order of runs or on what was swept before,
# or are computed again or not at all.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sweep_lib.sh"

# Any number of threads finds the same.
sweep experiment.cfg --db one.db --jobs 1
expected=$digest
test -n "$expected" || fail "no digest"
for jobs in 2 7; do
    sweep experiment.cfg --db "jobs$jobs.db" --jobs $jobs
    test "$digest" = "$expected" || fail "with $jobs threads: $digest, not $expected"
done
test "$(ask one.db 'SELECT count(*) FROM result')" = $((3 * 145)) || fail "rows of results"
test "$(ask one.db 'SELECT count(*) FROM table3')" = 9 || fail "rows of table 3"
test "$(ask one.db "SELECT count(*) FROM convergence_curve WHERE batches IN (10, 100)")" = \
    $((3 * 4 * 2)) || fail "points of the curves"

# The ends of the curves are the results.
test "$(ask one.db "SELECT count(*) FROM convergence_curve v JOIN results r USING (stream_id,
    configuration_id) WHERE v.batches = (SELECT batches FROM stream s WHERE s.stream_id = v.stream_id)
    AND v.similarity = r.similarity AND v.overlap_active = r.overlap_active AND v.edges = r.edges")" \
    = 12 || fail "curves that do not end in the results"

# Graphs of best, median, worst and baseline are there, whole.
test "$(ask one.db 'SELECT count(*) FROM kept_graph')" = 12 || fail "roles"
test "$(ask one.db 'SELECT count(*) FROM kept_graph JOIN result r USING (stream_id, configuration_id)
    WHERE r.edges <> (SELECT count(*) FROM graph_edge g WHERE g.stream_id = r.stream_id
        AND g.configuration_id = r.configuration_id)')" = 0 || fail "kept graphs lack edges"

# The golden graph of the prototype is what the sweep found.
golden() { # FILE GAME BIN STDEV WINDOW RECURRENT
    want=$(grep -v '^#' "$source/tests/data/gfcgaussiano/$1" | wc -l)
    got=$(ask one.db "SELECT edges FROM results WHERE game = '$2' AND bin_size = $3 AND
        stdev_threshold = $4 AND window_size = $5 AND recurrent_threshold = $6")
    test "$want" = "$got" || fail "$1 has $want edges, the sweep found $got"
}
golden overlap-a.8-12-10-5.txt one 8 12 10 5
golden synthetic-a.8-8-6-12.txt three 8 8 6 12
golden synthetic-b.10-15-13-5.txt two 10 15 13 5

# Again: nothing to do, nothing written.
before=$(sha1sum one.db)
sweep experiment.cfg --db one.db
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
test "$digest" = "$expected" || fail "a second sweep has another digest"
test "$(sha1sum one.db)" = "$before" || fail "a second sweep writes"

# A part of it, then the rest: exactly what was missing.
sweep experiment.cfg --db parts.db --games two
test "$(ask parts.db 'SELECT count(*) FROM game')" = 1 || fail "--games plays others"
sweep experiment.cfg --db parts.db --games two,one
test "$(ask parts.db 'SELECT count(*) FROM result WHERE run_id = 2')" = 145 || fail "done twice"
sweep experiment.cfg --db parts.db
test "$digest" = "$expected" || fail "in three parts: $digest"

# Rows that went missing are found again, and only they.
sqlite3 parts.db "DELETE FROM result WHERE configuration_id % 10 = 3;
    DELETE FROM convergence WHERE batches = 100 AND stream_id = 1; DELETE FROM graph_edge"
gone=$((435 - $(ask parts.db 'SELECT count(*) FROM result')))
sweep experiment.cfg --db parts.db
test "$digest" = "$expected" || fail "after repair: $digest"
test "$(ask parts.db 'SELECT count(*) FROM result WHERE run_id = 4')" = "$gone" ||
    fail "repair computed more than what was missing"

# A grid that changes keeps what it can and shows only its own; going back costs nothing.
sed 's/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10, 11]/' experiment.cfg >changed.cfg
sweep changed.cfg --db parts.db --games one
test "$(ask parts.db 'SELECT count(*) FROM result WHERE run_id = 5')" = 36 || fail "a new value"
test "$(ask parts.db 'SELECT count(DISTINCT number) FROM ranked')" = 108 || fail "the new grid"
test "$(ask parts.db 'SELECT count(DISTINCT bin_size) FROM ranked')" = 3 || fail "a stale value"
sweep experiment.cfg --db parts.db
grep -q '^nothing to do' out || fail "going back computes again"
test "$digest" = "$expected" || fail "going back: $digest"
