# Sweeps: if this fails, results depend on the number of threads, the order of runs or earlier sweeps, or
# are computed twice or not at all.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# Results do not depend on the number of threads.
sweep experiment.cfg --db one.db --jobs 1
cp errors one.errors
expected=$digest
test -n "$expected" || fail "no digest"
for jobs in 2 7; do
    sweep experiment.cfg --db "jobs$jobs.db" --jobs $jobs
    test "$digest" = "$expected" || fail "with $jobs threads: $digest, not $expected"
done
# At most one stream per thread is in memory: the next one is read when no work of the earlier ones is
# waiting.
for jobs in 1 2; do
    rm -f "jobs$jobs.db"
    sweep experiment.cfg --db "jobs$jobs.db" --jobs $jobs --direct
    held=$(awk '/: read, / { if (++held > most) most = held } /: done$/ { held-- } END { print most + 0, NR }' errors)
    test "${held% *}" -ge 1 && test "${held% *}" -le $jobs || fail "with $jobs threads, streams held: $held: $(cat errors)"
done
# The default number of threads: OpenMP's variable, or the number of available processors.
jobs_of() { # DB
    ask "$1" 'SELECT jobs FROM run'
}
OMP_NUM_THREADS=3 "$hotgraph" sweep experiment.cfg --db variable.db --games one >out 2>errors || fail "$(cat errors)"
test "$(jobs_of variable.db)" = 3 || fail "OMP_NUM_THREADS=3: $(jobs_of variable.db) threads"
processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
env -u OMP_NUM_THREADS taskset -c "$processor" "$hotgraph" sweep experiment.cfg --db bound.db --games one >out 2>errors ||
    fail "$(cat errors)"
test "$(jobs_of bound.db)" = 1 || fail "bound to one processor: $(jobs_of bound.db) threads"
OMP_PROC_BIND=true OMP_PLACES=cores "$hotgraph" sweep experiment.cfg --db places.db --jobs 2 >out 2>errors ||
    fail "$(cat errors)"
grep -q "^digest $expected" out || fail "threads that are bound to places find others: $(cat out)"
# Configurations computed separately give the same; steps are not part of the
# digest.
sweep experiment.cfg --db direct.db --direct
test "$digest" = "$expected" || fail "directly: $digest, not $expected"
steps='SELECT sum(steps), count(*) FROM result'
test "$(ask direct.db "$steps")" = "$(ask one.db "$steps")" || fail "directly, other steps"
for options in "" --direct; do
    "$hotgraph" build "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" $options \
        --out "built$options.graph" >/dev/null || fail "build $options"
done
cmp built.graph built--direct.graph || fail "directly, another graph"
test "$(ask one.db 'SELECT count(*) FROM result')" = $((3 * 145)) || fail "rows of results"
test "$(ask one.db 'SELECT count(*) FROM table3')" = 9 || fail "rows of table 3"
test "$(ask one.db "SELECT count(*) FROM convergence_curve WHERE batches IN (10, 100)")" = \
    $((3 * 4 * 2)) || fail "points of the curves"

# The ends of the curves are the results.
test "$(ask one.db "SELECT count(*) FROM convergence_curve v JOIN results r USING (stream_id,
    configuration_id) WHERE v.batches = (SELECT batches FROM stream s WHERE s.stream_id = v.stream_id)
    AND v.similarity = r.similarity AND v.overlap_active = r.overlap_active AND v.edges = r.edges")" \
    = 12 || fail "curves that do not end in the results"

# Graphs of best, median, worst and baseline are stored completely.
test "$(ask one.db 'SELECT count(*) FROM kept_graph')" = 12 || fail "roles"
test "$(ask one.db 'SELECT count(*) FROM kept_graph JOIN result r USING (stream_id, configuration_id)
    WHERE r.edges <> (SELECT count(*) FROM graph_edge g WHERE g.graph_id = r.graph_id)')" = 0 ||
    fail "kept graphs lack edges"
test "$(ask one.db 'SELECT count(*) FROM result JOIN graph USING (graph_id) WHERE data IS NULL')" = 0 ||
    fail "graphs that are not kept"

# The sweep's graph is the golden graph of the prototype.
golden() { # FILE GAME BIN STDEV WINDOW RECURRENT
    want=$(grep -vc '^#' "$source/tests/data/gfcgaussiano/$1")
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

# A part of it, then the rest: exactly the missing results are computed.
sweep experiment.cfg --db parts.db --games two
test "$(ask parts.db 'SELECT count(*) FROM stream')" = 1 || fail "--games plays others"
grep -q '^one (0 of 145 results)' out || fail "table 1 does not say that games are missing: $(cat out)"
# made_by ARGUMENT: the number of results by runs with that argument.
made_by() {
    ask parts.db "SELECT count(*) FROM result JOIN run USING (run_id) WHERE arguments LIKE '%$1%'"
}
sweep experiment.cfg --db parts.db --games two,one
test "$(made_by 'two,one')" = 145 || fail "done twice"
sweep experiment.cfg --db parts.db
test "$digest" = "$expected" || fail "in three parts: $digest"

# Missing rows are computed again, and no others.
sqlite3 parts.db "DELETE FROM result WHERE configuration_id % 10 = 3; DELETE FROM graph_edge;
    DELETE FROM quality WHERE batches = 100 AND stream_id = (SELECT min(stream_id) FROM stream);
    DELETE FROM exact_edge WHERE source % 7 = 3;
    UPDATE graph SET data = NULL WHERE graph_id IN (SELECT graph_id FROM role JOIN result
        USING (stream_id, configuration_id) WHERE role = 'worst')"
gone=$((435 - $(ask parts.db 'SELECT count(*) FROM result')))
test "$gone" -gt 9 || fail "nothing is gone"
sweep experiment.cfg --db parts.db --jobs 3
test "$digest" = "$expected" || fail "after repair: $digest"
test "$(made_by '--jobs 3')" = "$gone" || fail "repair computed more than what was missing"
test "$(ask parts.db 'SELECT count(*) FROM graph WHERE data IS NULL')" = 0 || fail "a graph without its edges"

# A plan says what would be computed, and why: new, changed or missing. plans
# CONFIG DB LINE...: checks the plan for the games one, three and two.
plans() {
    "$hotgraph" sweep "$1" --db "$2" --dry-run >plan 2>errors || fail "plan: $(cat errors)"
    shift 2
    for game in one three two; do
        grep -q "^$game: .*: $1\$" plan || fail "the plan does not say '$game: $1': $(cat plan)"
        shift
    done
}
all='one reading, 150 things to compute'
plans experiment.cfg one.db 'nothing to do' 'nothing to do' 'nothing to do'
plans experiment.cfg none.db "$all (new)" "$all (new)" "$all (new)"
sed '/name = "one"/s/instructions = 1000000/instructions = 1000001/' experiment.cfg >longer.cfg
plans longer.cfg one.db "$all (changed: instructions)" 'nothing to do' 'nothing to do'
cp "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" other.isampling.gz
gzip -dc other.isampling.gz | sed '$d' | gzip >fewer.isampling.gz
cp synthetic-a.graph fewer.graph
sed "/name = \"one\"/s#stream = \"[^\"]*\"; graph = \"[^\"]*\"#stream = \"fewer.isampling.gz\"; graph = \"fewer.graph\"#" experiment.cfg >pair.cfg
plans pair.cfg one.db "$all (changed: graph, stream)" 'nothing to do' 'nothing to do'
sed 's/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10, 11]/' experiment.cfg >value.cfg
new='one reading, 36 things to compute (36 configurations new)'
plans value.cfg one.db "$new" "$new" "$new"
cp one.db holes.db
stream="(SELECT stream_id FROM experiment_stream JOIN game USING (game_id) WHERE name ="
sqlite3 holes.db "DELETE FROM result WHERE stream_id = $stream 'three') AND configuration_id IN
        (SELECT configuration_id FROM experiment_configuration WHERE number IN (1, 2));
    DELETE FROM quality WHERE batches = 100 AND stream_id = $stream 'two');
    DELETE FROM exact_edge WHERE replay_id = (SELECT replay_id FROM stream WHERE stream_id = $stream 'one'))"
plans experiment.cfg holes.db 'one reading, 1 things to compute (the exact graph missing)' \
    'one reading, 2 things to compute (2 results missing)' 'one reading, 4 things to compute (4 curves missing)'
# If a configuration's result is missing, its curve counts as part of the
# result.
cp one.db result.db
sqlite3 result.db "CREATE TEMP TABLE gone AS SELECT configuration_id FROM experiment_configuration WHERE number IS NOT NULL
        AND label IS NOT NULL LIMIT 1;
    DELETE FROM result WHERE stream_id = $stream 'three') AND configuration_id IN gone;
    DELETE FROM quality WHERE stream_id = $stream 'three') AND configuration_id IN gone"
plans experiment.cfg result.db 'nothing to do' 'one reading, 2 things to compute (1 result missing)' 'nothing to do'
# Only the game whose input has changed is computed again.
cp one.db changed.db
sweep longer.cfg --db changed.db
test "$(ask changed.db "SELECT group_concat(DISTINCT name) || count(*) FROM result JOIN run USING (run_id)
    JOIN experiment_stream USING (stream_id) JOIN game USING (game_id) WHERE arguments LIKE '%longer.cfg%'")" = one145 ||
    fail "a change of one game costs more than that game"

# A changed grid reuses results and shows only its own; changing it back costs nothing.
sed 's/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10, 11]/' experiment.cfg >changed.cfg
sweep changed.cfg --db parts.db --games one
test "$(made_by changed.cfg)" = 36 || fail "a new value"
test "$(ask parts.db 'SELECT count(DISTINCT number) FROM ranked')" = 108 || fail "the new grid"
test "$(ask parts.db 'SELECT count(DISTINCT bin_size) FROM ranked')" = 3 || fail "a stale value"
sweep experiment.cfg --db parts.db
grep -q '^nothing to do' out || fail "going back computes again"
test "$digest" = "$expected" || fail "going back: $digest"

# Changed marks: results at the old marks disappear, and the digest equals that of a new database.
sed 's/batches = \[[^]]*\]/batches = [10, 100, 1000]/' experiment.cfg >marks.cfg
sweep marks.cfg --db parts.db
changed=$digest
test "$(ask parts.db "SELECT group_concat(batches) FROM (SELECT DISTINCT v.batches FROM convergence_curve v
    JOIN stream s USING (stream_id) WHERE game = 'one' AND v.batches <> s.batches ORDER BY 1)")" = 10,100 ||
    fail "marks that were given up"
sweep marks.cfg --db fresh.db
test "$digest" = "$changed" || fail "with other marks: $changed, in a new database $digest"

# Two experiments in one database, at the same time: each ends with its own tables and digest.
sed 's/name = "paper"/name = "other"/; s/bin_size = \[8, 10, 13, 16\]/bin_size = [8, 10]/' experiment.cfg >other.cfg
sweep other.cfg --db alone.db
other=$digest
"$hotgraph" sweep other.cfg --db both.db >other.out 2>other.errors &
id=$!
sweep experiment.cfg --db both.db
wait $id || fail "two at once: $(cat other.errors)"
test "$digest" = "$expected" || fail "beside another: $digest, not $expected"
grep -q "^digest $other\$" other.out || fail "the other one: $(grep ^digest other.out), not $other"
test "$(ask both.db 'SELECT count(DISTINCT experiment) FROM table3')" = 2 || fail "experiments"
"$hotgraph" report both.db >out || fail "report of two experiments"
grep -q '^Experiment other' out && grep -q '^Experiment paper' out || fail "$(cat out)"
refuses 1 'choose one with --experiment: other, paper' report --compare both.db both.db
"$hotgraph" report both.db --out both --experiment other || fail "report of one of two"
test "$(wc -l <both/figures/heatmap-one.csv)" = 73 || fail "the figures of another experiment"

# The sampling changes, but only one game is swept again: the others are not shown with the old
# sampling.
sed 's/instructions = 1000000/instructions = 1000001/' experiment.cfg >longer.cfg
sweep longer.cfg --db parts.db --games one
test "$(ask parts.db "SELECT group_concat(game || missing) FROM table1")" = one0,three145,two145 ||
    fail "what is missing: $(ask parts.db 'SELECT game, missing FROM table1')"

# The runs: one line each, and everything as JSON.
"$hotgraph" runs one.db >runs || fail "runs"
test "$(grep -c '^20[0-9T:-]*Z  *20[0-9T:-]*Z ' runs)" -ge 1 && grep -q ' results ' runs && grep -q ' 435 ' runs || fail "$(cat runs)"
"$hotgraph" runs one.db --json >runs.json || fail "runs --json"
python3 - "$("$hotgraph" --version)" <<'END' || fail "runs --json: $(cat runs.json)"
import json, re, sys
(run,) = json.load(open("runs.json"))
version, commit = re.match(r"hotgraph (\S+) \(commit (\S+)\)", sys.argv[1]).groups()
assert run["version"] == version and run["source_commit"] == commit, run
assert run["results"] == 435 and run["replays"] == 3 and run["jobs"] == 1, run
for name in "host cpu cores system compiler flags libraries arguments engine started finished".split():
    assert run[name], name
for name in "configuration_hash definition_hash".split():
    assert re.fullmatch("[0-9a-f]{32}", run[name]), run[name]
assert run["shard"] is None and run["slurm_job"] is None, run
assert run["spread"] >= 0 and (run["load"] is None or 0 <= run["load"] <= 1), run
assert re.match("one graph=[0-9a-f]{32} instructions=1000000 method=1; three ", run["inputs"]), run["inputs"]
# A warning for exactly those runs that printed one, and that have the numbers
# for it.
said = "are unreliable" in open("one.errors").read()
assert said == (run["warning"] is not None), run
assert said or run["spread"] <= 0.2501, run
END
SLURM_ARRAY_JOB_ID=77 SLURM_JOB_ID=78 SLURM_ARRAY_TASK_ID=3 "$hotgraph" sweep experiment.cfg --shard 1/3 --db slurm.db >out 2>errors || fail "$(cat errors)"
"$hotgraph" runs slurm.db | grep -q ' 1/3 .* 77_3 ' || fail "$("$hotgraph" runs slurm.db)"
# Inputs are named by their ROM and movie.
"$hotgraph" sweep "$source/configs/quick.cfg" --games umbel --db played.db >out 2>errors || fail "$(cat errors)"
test "$(ask played.db "SELECT count(*) FROM run_input JOIN replay ON key = run_input.replay JOIN movie USING (movie_id)
    WHERE game = 'umbel' AND run_input.rom_sha1 = replay.rom_sha1 AND movie_sha1 = movie.sha1")" = 1 || fail "inputs of a run"

# A run's row tells everything that one may want to know a year later.
test "$(ask one.db "SELECT count(*) FROM run WHERE length(uuid) = 36 AND cpu IS NOT NULL AND flags LIKE '%-O%'
    AND libraries GLOB 'glibc [0-9]*, SQLite [0-9]*, Zydis [0-9]*, libconfig [0-9]*, xxHash [0-9]*, zlib [0-9]*, libpng [0-9]*' AND arguments LIKE '%experiment.cfg --db one.db%' AND engine = 'auto'
    AND finished IS NOT NULL")" = 1 || fail "provenance: $(ask one.db 'SELECT * FROM run')"
test "$(ask one.db 'SELECT content FROM run_file JOIN text USING (text_id) WHERE place = 0')" = \
    "$(cat experiment.cfg)" || fail "the configuration in the database"
test "$(ask one.db 'SELECT count(*) FROM provenance')" = 435 || fail "results without provenance"
