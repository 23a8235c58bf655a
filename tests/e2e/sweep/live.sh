# Live techniques in sweeps: if this fails, their graphs or counters in the database are wrong, or depend
# on the engine or the number of threads.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

# config FILE SAMPLING GRID
config() {
    printf 'name = "%s";\nframes = 200;\nsampling = { %s };\ngrid = ( %s );\n@include "%s"\n' \
        "${1%.cfg}" "$2" "$3" "$source/configs/games.cfg" >"$1"
}
config live.cfg 'by = "live";' '{ technique = "fifo"; cycles = [4, 30]; },
    { technique = "fifo"; result = "pairs"; when_full = "stall"; cycles = 30; },
    { technique = "entries"; share = [900, 990]; }, { technique = "exact"; }'
sweep live.cfg --db live.db --games umbel,mazewisp --jobs 2
expected=$digest
test "$(ask live.db 'SELECT key, method, batch_length IS NULL FROM sampling')" = 'live|live|1' || fail "sampling"
test "$(ask live.db 'SELECT DISTINCT batches, samples, overruns FROM stream')" = '0|0|0' || fail "stream"
test "$(ask live.db 'SELECT technique, count(*), sum(structure) FROM results GROUP BY technique')" = \
    "entries|4|4
exact|2|0
fifo|6|6" || fail "results: $(ask live.db 'SELECT technique, structure FROM results')"
test "$(ask live.db "SELECT count(*) FROM technique_quality WHERE technique = 'exact' AND overlap = 1
    AND overlap_active = 1 AND observed_share = 0")" = 2 || fail "exact is not exact"
test "$(ask live.db "SELECT count(*) FROM technique_quality WHERE technique = 'entries' AND overlap IS NULL")" = 4 ||
    fail "a set has an overlap"
test "$(ask live.db "SELECT count(*) FROM technique_quality WHERE technique = 'fifo' AND overlap_active > 0.99
    AND (parameters LIKE '% cycles=4 %' OR parameters LIKE '%result=pairs%')")" = 4 ||
    fail "fifo: $(ask live.db 'SELECT technique, parameters, overlap_active FROM technique_quality')"
# Of equally many offered entries an engine drops some, or stalls the processor,
# or keeps up.
test "$(ask live.db "SELECT count(DISTINCT game || value), count(*) FROM technique_count WHERE name = 'offered'")" = \
    '2|6' || fail "offered: $(ask live.db 'SELECT * FROM technique_count')"
test "$(ask live.db "SELECT count(*) FROM technique_count WHERE value > 0 AND (name = 'dropped'
    AND parameters LIKE '%cycles=30 when_full=drop%' OR name = 'stall_cycles' AND parameters LIKE '%stall%')")" = 4 ||
    fail "dropped, stalled: $(ask live.db 'SELECT * FROM technique_count')"
test "$(ask live.db "SELECT count(*) FROM technique_count a JOIN technique_count b
    USING (stream_id, configuration_id) JOIN technique_count o USING (stream_id, configuration_id)
    WHERE o.name = 'offered' AND a.name = 'accepted' AND b.name = 'dropped' AND o.value = a.value + b.value")" = 6 ||
    fail "offered is not accepted and dropped"

# The same by hand.
"$hotgraph" profile umbel --frames 200 --technique fifo --cycles 30 --out umbel.graph >said
"$hotgraph" exact umbel --frames 200 --out umbel.exact.graph >/dev/null
"$hotgraph" compare umbel.graph umbel.exact.graph --json >compared
ask live.db "SELECT fair_overlap_active, (SELECT value FROM technique_count n WHERE n.name = 'dropped'
    AND n.stream_id = r.stream_id AND n.configuration_id = r.configuration_id)
    FROM results r WHERE game = 'umbel' AND parameters LIKE '%cycles=30 when_full=drop%'" >row
python3 - <<'END' || fail "by hand: $(cat row said)"
import json, re
overlap, dropped = open("row").read().split("|")
assert abs(float(overlap) - json.load(open("compared"))["active"]["fair"]["overlap"]) < 1e-12
assert int(dropped) == int(re.search(r"dropped (\d+)", open("said").read())[1]) > 0
END

# Engines and threads make no difference, and existing results are not computed
# again.
sweep live.cfg --db other.db --games mazewisp,umbel --jobs 1 --engine interp
test "$digest" = "$expected" || fail "interpreted: $digest, not $expected"
before=$(sha1sum live.db)
sweep live.cfg --db live.db --games umbel,mazewisp
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
test "$(sha1sum live.db)" = "$before" || fail "a second sweep writes"
sqlite3 live.db 'UPDATE counter SET value = value + 1'
sweep live.cfg --db live.db --games umbel,mazewisp
test "$digest" != "$expected" || fail "counts are not in the digest"
"$hotgraph" report other.db --out report >/dev/null || fail "no report of an experiment without samples"

# The results are those in the tree; skipped under sanitizers, where that takes
# many minutes.
sanitized || {
    sweep "$source/configs/live.cfg" --db shipped.db --games mazewisp
    grep -q '^reproduced: ' out || fail "live.cfg: $(tail -3 out)"
    sweep "$source/configs/decay.cfg" --db decay.db --games mazewisp
    grep -q '^reproduced: ' out || fail "decay.cfg: $(tail -3 out)"
    sweep "$source/configs/net.cfg" --db net.db --games mazewisp
    grep -q '^reproduced: ' out || fail "net.cfg: $(tail -3 out)"
    # Lower thresholds find traces sooner, and more of what is executed is in them. `profile` says the same.
    test "$(ask net.db "SELECT technique FROM technique_trace WHERE completed < 1 AND inside > inside_active
        GROUP BY technique HAVING count(*) = 3 AND max(inside_active) - min(inside_active) > 0.05
        AND min(inside_active) > 0.8 AND min(first_seconds) > 0 AND min(ninety_seconds - first_seconds) > 0" | tr '\n' ' ')" = \
        'lei net ' || fail "traces: $(ask net.db 'SELECT * FROM technique_trace')"
    "$hotgraph" profile mazewisp --technique net --frames 1800 --out net.graph >said
    ask net.db "SELECT 'traces ' || traces || ' trace_bytes ' || trace_bytes FROM technique_trace
        WHERE parameters = 'threshold=50 length=128'" >row
    grep -qF "$(cat row)" said || fail "by hand: $(cat row said)"
    sweep "$source/configs/trace.cfg" --db trace.db --games mazewisp
    grep -q '^reproduced: ' out || fail "trace.cfg: $(tail -3 out)"
    # A larger ring loses less. `profile` says the same.
    test "$(ask trace.db "SELECT group_concat(parameters, ';') FROM (SELECT substr(parameters, 1, instr(parameters, ' ') - 1) AS parameters
        FROM technique_packets WHERE errors = 0 AND parameters LIKE '%interval=1000 psb=2 tnt=short returns=compressed' ORDER BY lost DESC)")" = \
        'buffer=1;buffer=4;buffer=16;buffer=0' || fail "rings: $(ask trace.db 'SELECT * FROM technique_packets')"
    "$hotgraph" profile mazewisp --technique trace --buffer 4 --frames 1800 --out trace.graph >said
    ask trace.db "SELECT 'trace_bytes_written ' || bytes FROM technique_packets WHERE parameters LIKE 'buffer=4 interval=1000 %'" >row
    grep -qF "$(cat row)" said || fail "by hand: $(cat row said)"
    # More samples find more of the hot paths; edges alone do not tell all of them.
    sweep "$source/configs/paths.cfg" --db paths.db --games mazewisp
    grep -q '^reproduced: ' out || fail "paths.cfg: $(tail -3 out)"
    test "$(ask paths.db "SELECT technique || ' ' || count(*) FROM technique_path WHERE paths > hot_paths AND hot_share > 0.8
        AND fixed BETWEEN 0.3 AND 0.99 AND edges_overlap BETWEEN 0.5 AND 1
        GROUP BY technique HAVING max(hot_overlap) IS NULL OR max(hot_overlap) - min(hot_overlap) > 0.02" | tr '\n' ',')" = \
        'paths 1,pep 3,' || fail "paths: $(ask paths.db 'SELECT * FROM technique_path')"
    sweep "$source/configs/path_knowledge.cfg" --db told.db --games mazewisp
    grep -q '^reproduced: ' out || fail "path_knowledge.cfg: $(tail -3 out)"
    sweep "$source/configs/bursts.cfg" --db bursts.db --games mazewisp
    grep -q '^reproduced: ' out || fail "bursts.cfg: $(tail -3 out)"
    # All counts are exact, or the rare ones; the more are counted, the less is wrong.
    sweep "$source/configs/hybrid.cfg" --db hybrid.db --games mazewisp
    grep -q '^reproduced: ' out || fail "hybrid.cfg: $(tail -3 out)"
    test "$(ask hybrid.db "SELECT group_concat(technique || iif(technique = 'hybrid', substr(parameters, 10, 9), ''), ';') FROM (SELECT technique, parameters
        FROM technique_quality WHERE parameters LIKE '%first=600' OR parameters LIKE '%interval_us=4700 %' ORDER BY overlap_active DESC)")" = \
        'exact_tree;hybrid rate=100;hybrid rate=10 ;hybrid rate=1 i' || fail "hybrid: $(ask hybrid.db 'SELECT * FROM technique_quality')"
}

config wrong.cfg 'by = "live"; every = 5;' '{ technique = "fifo"; }'
refuses 1 'wrong.cfg:3: every is for samples, and nothing is sampled here' sweep wrong.cfg
config wrong.cfg 'by = "live";' '{ technique = "gaussian"; }'
refuses 1 "there is no technique 'gaussian' that watches by itself" sweep wrong.cfg
config wrong.cfg 'by = "time";' '{ technique = "fifo"; }'
refuses 1 "there is no technique 'fifo' that works on streams" sweep wrong.cfg
config wrong.cfg 'by = "live";' '{ technique = "fifo"; }'
sed -i '/^@include/d' wrong.cfg
printf 'games = ( %s );\n' "$(pair one overlap-a)" >>wrong.cfg
refuses 1 "fifo watches a replay, and only games with a movie have one; 'one' has none" sweep wrong.cfg

# Techniques on samples, inside the running machine: the same results as from the recorded
# stream.
"$hotgraph" sample umbel --frames 400 --out s.hgstream >/dev/null
"$hotgraph" structure umbel --frames 400 --out s.structure >/dev/null
for technique in observed gaussian flow; do
    "$hotgraph" build s.hgstream --technique $technique --structure s.structure --out $technique.graph >/dev/null
    grep -v '^#' $technique.graph >$technique.edges
    for engine in interp dbt; do
        "$hotgraph" profile umbel --frames 400 --technique $technique --engine $engine --out inline.graph >said
        grep -q '^inline: [0-9]* batches, ' said || fail "$(cat said)"
        "$hotgraph" profile umbel --frames 400 --technique $technique --engine $engine --where thread --queue 2 \
            --out thread.graph >said
        grep -q '^thread: .* in the queue' said || fail "$(cat said)"
        same inline.graph thread.graph
        grep -v '^#' inline.graph >edges
        same edges $technique.edges
    done
done
grep -q 'built 7 times, [0-9.]* ms each' said || fail "flow is not solved each second: $(cat said)"
"$hotgraph" sample umbel --frames 400 --by active --every 50 --place golden --structure s.structure --out g.isampling >/dev/null
"$hotgraph" build g.isampling --technique flow --structure s.structure --out golden.graph >/dev/null
"$hotgraph" profile umbel --frames 400 --technique flow --by active --every 50 --place golden \
    --structure s.structure --where thread --out live.graph >/dev/null
grep -v '^#' golden.graph >edges
grep -v '^#' live.graph >live.edges
same edges live.edges
grep -q '^# active every=50 place=golden seed=1' live.graph || fail "how it was sampled: $(head -3 live.graph)"
refuses 2 'every' profile umbel --technique exact --every 5 --out x.graph
refuses 2 '--by active needs --structure' profile umbel --technique flow --by active --every 5 --out x.graph
refuses 1 'a window_size of 13 is larger' profile umbel --technique gaussian --batch 5 --out x.graph
