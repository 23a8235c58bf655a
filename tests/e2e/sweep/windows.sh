# Windows of games: if this fails, the graphs of windows are not those of what was executed in them, or depend
# on the engine, the number of threads, shards, or on whether the sweep was interrupted.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# config FILE WINDOWS: 300 frames are a window of 5 s, and 2.5 of 2 s, whose rest is a window.
config() {
    cat >"$1" <<END_OF_CONFIG
name = "windowed";
frames = 300;
sampling = ( { interval_ms = 1; batch = 10; weighting = "cycles"; }, { by = "transfers"; every = 50; }, { by = "lbr"; interval_ms = 5; stack = 8; },
    { by = "live"; } );
grid = ( { technique = "gaussian"; window_size = 6; bin_size = 8; stdev_threshold = 8; recurrent_threshold = 5; },
    { technique = "flow"; costs = "poisson"; }, { technique = "exact"; }, { technique = "net"; } );
$2
@include "$source/configs/games.cfg"
END_OF_CONFIG
}
all='windows = { seconds = [1, 2, 5]; };'
config windowed.cfg "$all"
sweep windowed.cfg --db windowed.db --games umbel,brindle --jobs 2
expected=$digest

# zero QUERY MESSAGE: the query finds nothing.
zero() {
    test "$(ask windowed.db "SELECT count(*) FROM ($1)")" = 0 || fail "$2: $(ask windowed.db "$1")"
}
test "$(ask windowed.db 'SELECT span, count(*), min(frames), max(frames), sum(frames) FROM replay_window GROUP BY span')" = \
    "1|10|60|60|600
2|6|60|120|600
5|2|300|300|600" || fail "windows: $(ask windowed.db 'SELECT * FROM replay_window')"
# The sweep itself checks that the windows add up, pair by pair. Blocks are those of each window, so a window has
# fewer edges along which blocks run on than the whole. One that is the whole replay is the whole graph.
zero "SELECT w.replay_id, span FROM replay_window w JOIN replay p USING (replay_id) GROUP BY w.replay_id, span
    HAVING sum(w.weight) NOT BETWEEN 0.9 * p.weight AND p.weight OR max(w.edges) > p.edges" "weights"
zero "SELECT span, hash, exact_hash FROM replay_window JOIN replay USING (replay_id) WHERE span = 5 AND hash <> exact_hash" "the whole"
zero "SELECT q.span, sum(q.batches), s.batches FROM window_quality q JOIN stream s USING (stream_id)
    GROUP BY q.stream_id, q.configuration_id, q.span HAVING sum(q.batches) <> s.batches" "batches"
# What is found in that window is the result.
zero "SELECT w.* FROM window_quality w JOIN quality q USING (stream_id, configuration_id, hot_permille) WHERE w.span = 5
    AND (w.overlap IS NOT q.fair_overlap OR w.hot_f1 IS NOT q.hot_f1 OR w.hot_recall IS NOT q.hot_recall OR w.edges <> q.edges
    OR w.overlap_active IS NOT q.fair_overlap_active OR w.hot_precision_active IS NOT q.hot_precision_active)" "a whole window"
# 6 configurations of 3 samplings and 2 of the live one, 9 windows, 2 games.
test "$(ask windowed.db 'SELECT count(*) FROM window_quality')" = "$(ask windowed.db \
    "SELECT 9 * count(*) FROM result")" || fail "rows: $(ask windowed.db 'SELECT count(*) FROM window_quality')"
# Techniques started anew: exact watches by itself, and agrees but where it was attached in the midst of a block.
zero "SELECT overlap FROM window_quality JOIN configuration USING (configuration_id) WHERE technique = 'exact'
    AND (overlap < 0.9 OR hot_recall_active < 0.9 OR span = 5 AND overlap <> 1)" "exact"
zero "SELECT * FROM window_quality JOIN configuration USING (configuration_id) WHERE technique <> 'net'
    AND (overlap IS NULL OR overlap_active NOT BETWEEN 0 AND 1)" "overlaps"

# Of phases only changes are searched for, in all samples, and in those of the last seconds.
zero "SELECT * FROM phase_found f LEFT JOIN stream s USING (stream_id) LEFT JOIN replay_window w ON w.replay_id = s.replay_id
    AND w.span = 1 AND w.number = f.number WHERE w.change IS NOT 1 OR f.found_after NOT BETWEEN 1 AND f.lasts" "phases"
test "$(ask windowed.db "SELECT count(*) > 0 FROM phase_found")" = 1 || fail "no phase"
zero "SELECT f.stream_id FROM phase_found f GROUP BY f.stream_id, f.configuration_id, f.number
    HAVING group_concat(kept) <> iif(f.stream_id IN (SELECT stream_id FROM stream WHERE batches = 0), '0,1', '0,1,2,5')" "what is kept"
# Who watches a phase of one window anew has its exact graph; who has watched since the start, at least what was executed.
zero "SELECT f.* FROM phase_found f JOIN configuration USING (configuration_id) WHERE technique = 'exact' AND kept = 1 AND lasts = 1
    AND found_after IS NOT 1" "exact in a phase of one window"
test "$(ask windowed.db "SELECT count(*) > 0 AND min(found_after IS NOT NULL) FROM phase_found JOIN configuration USING (configuration_id)
    WHERE technique = 'net' AND kept = 0")" = 1 || fail "traces of all time do not find phases"
zero "SELECT number FROM replay_window WHERE change <> (span = 1 AND ifnull(overlap_before, 1) < 0.5)" "changes"
# Within the first second nothing else was sampled, so a second and everything are the same.
zero "SELECT a.* FROM phase_found a JOIN phase_found b USING (stream_id, configuration_id, number) WHERE a.kept = 0 AND b.kept = 5
    AND a.found_after IS NOT b.found_after" "all samples, and those of five seconds"

# The questions have answers.
for name in windows phases phases_found; do
    "$hotgraph" sql windowed.db $name --csv | sed 1d | grep -q . || fail "sql $name: nothing"
done

# curves DATABASE: the figure of windows in its report has the values of the base tables, and no others: of each technique the
# configuration and sampling with the largest mean.
curves() {
    rm -rf report
    "$hotgraph" report "$1" --out report >out 2>errors || fail "report of $1: $(cat errors)"
    test -s report/figures/windowed.svg && test -s report/figures/windowed.pdf || fail "no figure of windows of $1"
    grep -q "<figure id='windowed'" report/index.html || fail "no figure of windows on the page of $1"
    ask "$1" "WITH s AS (SELECT technique, w.way, configuration.key, q.span, avg(hot_f1_active) AS f1, min(hot_f1_active) AS worst
            FROM window_quality q JOIN experiment_window USING (span) JOIN experiment_configuration USING (configuration_id)
            JOIN configuration USING (configuration_id) JOIN stream USING (stream_id) JOIN sampling_way w USING (sampling_id)
            WHERE hot_permille = 900 GROUP BY stream_id, configuration_id, q.span),
        m AS (SELECT technique, way, key, span, avg(f1) AS f1, min(worst) AS worst FROM s GROUP BY way, key, span),
        c AS (SELECT technique, way, key, avg(f1) AS mean FROM m GROUP BY way, key),
        b AS (SELECT technique, way, key, row_number() OVER (PARTITION BY technique ORDER BY round(mean, 12) DESC) AS place FROM c)
        SELECT technique, span, printf('%.2f', 100 * f1), printf('%.2f', 100 * worst), way FROM m JOIN b USING (technique, way, key)
        WHERE place = 1 ORDER BY technique, span" >expected
    python3 -c 'import csv
for r in sorted(csv.DictReader(open("report/figures/windowed.csv")), key=lambda r: (r["technique"], int(r["seconds"]))):
    print(r["technique"], r["seconds"], "%.2f" % float(r["mean"]), "%.2f" % float(r["worst"]), r["mean_hint"].split("; ")[-1], sep="|")' >drawn
    same expected drawn
}
# told WORDS: how many sentences of the page have them.
told() {
    grep -o "<li>$1[^<]*<" report/index.html | wc -l
}
if command -v gnuplot >/dev/null; then
    curves windowed.db
    test "$(cut -d'|' -f1 drawn | sort -u | wc -l)" = 5 || fail "curves: $(cat drawn)"
    test "$(sed -n 2p report/figures/windowed.csv | cut -d, -f1,5)" = 1,observed || fail "the baseline is not the first curve"

    told_windows='In windows of ' told_phases='Reading edges directly off all samples from the start'
    # Three samplings: the shortest and the longest windows, and phases; live techniques have no baseline.
    test "$(told "$told_windows") $(told "$told_phases")" = "6 3" || fail "sentences: $(told "$told_windows") $(told "$told_phases")"
    # What is missing is neither drawn nor said: without phases, with one technique and one length only.
    cp windowed.db part.db
    sqlite3 part.db "DELETE FROM phase_found; DELETE FROM experiment_window WHERE span <> 5;
        DELETE FROM window_quality WHERE configuration_id IN (SELECT configuration_id FROM configuration WHERE technique <> 'flow')"
    curves part.db
    test "$(cut -d'|' -f1,2 drawn)" = "flow|5" || fail "one technique: $(cat drawn)"
    test "$(told "$told_windows") $(told "$told_phases")" = "0 0" || fail "sentences without the baseline and phases"
    # A configuration that lacks a game is not beside those that have all.
    cp windowed.db part.db
    sqlite3 part.db "DELETE FROM window_quality WHERE configuration_id IN (SELECT configuration_id FROM configuration WHERE technique = 'net')
        AND stream_id IN (SELECT stream_id FROM experiment_stream JOIN game USING (game_id) WHERE name = 'umbel')"
    "$hotgraph" report part.db --out report >out 2>errors || fail "report of half: $(cat errors)"
    ! grep -q ',net,' report/figures/windowed.csv && grep -q ',flow,' report/figures/windowed.csv || fail "half: $(cat report/figures/windowed.csv)"
    # A report without windows has nothing of all this.
    sqlite3 part.db "DELETE FROM experiment_window"
    rm -rf report && "$hotgraph" report part.db --out report >out 2>errors || fail "report without windows: $(cat errors)"
    test ! -e report/figures/windowed.gp && test "$(told "$told_windows") $(told "$told_phases")" = "0 0" || fail "windows in a report without"
    rm part.db
fi

# Engines and threads make no difference, nothing is done twice, and lost rows come back.
sweep windowed.cfg --db other.db --games brindle,umbel --jobs 1 --engine interp
test "$digest" = "$expected" || fail "interpreted: $digest, not $expected"
sweep windowed.cfg --db windowed.db --games umbel,brindle
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
sqlite3 other.db "DELETE FROM window_quality WHERE number = 3; DELETE FROM phase_found; DELETE FROM replay_window"
sweep windowed.cfg --db other.db --games umbel,brindle
test "$digest" = "$expected" || fail "after a loss: $digest, not $expected"

# An experiment gets windows afterwards, in a file of a version without them.
config windowed.cfg ''
sweep windowed.cfg --db old.db --games umbel,brindle
plain=$digest
test "$plain" != "$expected" || fail "windows are not part of the digest"
for table in replay_window window_quality phase_found experiment_window; do sqlite3 old.db "DROP TABLE $table"; done
config windowed.cfg "$all"
"$hotgraph" sweep windowed.cfg --db old.db --games umbel,brindle --dry-run >plan
grep -q 'without windows' plan || fail "--dry-run: $(cat plan)"
sweep windowed.cfg --db old.db --games umbel,brindle
test "$digest" = "$expected" || fail "added to an older file: $digest, not $expected"
# And loses them again.
config windowed.cfg ''
sweep windowed.cfg --db old.db --games umbel,brindle
test "$digest" = "$plain" || fail "without windows again: $digest, not $plain"

# Shards.
config windowed.cfg "$all"
for i in 1 2 3; do "$hotgraph" sweep windowed.cfg --games umbel,brindle --shard $i/3 --db part$i.db >/dev/null; done
"$hotgraph" merge merged.db part1.db part2.db part3.db >/dev/null
sweep windowed.cfg --db merged.db --games umbel,brindle
grep -q '^nothing to do' out || fail "the merged parts lack something: $(cat out)"
test "$digest" = "$expected" || fail "of shards: $digest, not $expected"
exit 0
