# Several samplings, hot shares and movies in one experiment: if this fails, streams differ from those of
# separate experiments, need more than one replay, or are computed again when one is added.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# study FILE SAMPLING [HOT [MOVIES]]: the same experiment with other dimensions.
grid='technique = "gaussian"; bin_size = [8, 16]; window_size = [2, 13];'
study() {
    cat >"$1" <<END
name = "study";
frames = 300;
sampling = $2;
hot_permille = ${3:-900};
grid = { $grid };
convergence = { batches = [10, 100];
    configurations = ( { label = "wide"; bin_size = 16; window_size = 13; } ); };
games = ( { name = "mazewisp"; rom = "$source/games/mazewisp.nes"; movie = "$source/movies/mazewisp.fm2"; },
    { name = "umbel"; rom = "$source/games/umbel.nes"; movie = ${4:-\"$source/movies/umbel.fm2\"}; } );
END
}
HOTGRAPH_GAMES="$source/configs/games.cfg" "$hotgraph" movie make umbel --player umbel --seed 2 --frames 300 \
    --out second.fm2 >/dev/null || fail "a second movie"
both="[\"$source/movies/umbel.fm2\", \"$work/second.fm2\"]"
ways='( { interval_ms = (3, 0.5, 10); batch = [25, 10]; }, { by = "transfers"; every = 90; place = ["regular", "golden"]; },
    { interval_ms = 3; jitter_ms = 1; seed = [4, 5]; } )'

study whole.cfg "$ways" "[900, 800]" "$both"
sweep whole.cfg --db whole.db
expected=$digest
test "$(ask whole.db 'SELECT count(*), count(DISTINCT sampling_id), count(DISTINCT replay_id) FROM stream')" = \
    '30|10|3' || fail "streams: $(ask whole.db 'SELECT count(*) FROM stream')"
test "$(grep -c ': replayed, .* batches in 10 streams' errors)" = 3 || fail "one replay each: $(cat errors)"
test "$(ask whole.db "SELECT group_concat(variant, ';') FROM (SELECT variant FROM experiment_stream
    JOIN game USING (game_id) WHERE name = 'umbel' ORDER BY variant LIMIT 11)")" = \
    ";batch=10;by=transfers every=90 place=golden seed=1;by=transfers every=90 place=regular seed=1;interval_ms=0.5;interval_ms=0.5 batch=10;interval_ms=10;interval_ms=10 batch=10;jitter_ms=1 seed=4;jitter_ms=1 seed=5;movie=second" ||
    fail "variants: $(ask whole.db 'SELECT DISTINCT variant FROM experiment_stream ORDER BY 1')"

# Configurations that do not fit are left out and named: windows of 13 in batches of 10, and all
# windows in single transfers.
test "$(ask whole.db "SELECT count(*) FROM results WHERE hot_permille = 800")" = \
    $((3 * (5 * 5 + 5 * 3))) || fail "results: $(ask whole.db 'SELECT variant, count(*) FROM results GROUP BY 1')"
grep -q '^left out: .*umbel movie=second batch=10.*: #.*window_size of 13 is larger' out ||
    fail "what is left out: $(grep 'left out' out)"
# It is not missing: the two configurations with windows of 13, on five of each replay's ten streams.
counts() { ask "$1" 'SELECT sum(configurations), sum(results), sum(unfit), sum(missing) FROM completeness'; }
test "$(counts whole.db)" = '150|120|30|0' || fail "complete: $(counts whole.db)"
test "$(ask whole.db "SELECT count(*) FROM unfit JOIN stream USING (stream_id)
    JOIN configuration_value USING (configuration_id) WHERE name = 'window_size' AND value > batch_length")" = 30 ||
    fail "what fits is called unfit"
grep -q '^umbel.* of 5 results' out && fail "a whole sweep lacks something: $(cat out)"
PATH=$work/none "$hotgraph" report whole.db --out said >/dev/null 2>errors || fail "report: $(cat errors)"
sed 's/<[^>]*>//g' said/index.html >words
grep -q '120 results; 0 that the experiment lists are missing; 30 more do not fit their streams' words ||
    fail "the report: $(grep 'the experiment lists' words)"
# A database of an earlier version counts them as missing until it is swept again.
cp whole.db before.db
sqlite3 before.db 'DROP VIEW completeness; DROP TABLE unfit' || fail "sqlite3"
"$hotgraph" results before.db >/dev/null || fail "a database from before: results"
test "$("$hotgraph" diff before.db whole.db | head -n 1)" = "$("$hotgraph" diff whole.db whole.db | head -n 1)" || fail "a database from before: diff"
sweep whole.cfg --db before.db
grep -q '^nothing to do' out && test "$(counts before.db)" = '150|120|30|0' || fail "a database from before: $(counts before.db)"

# Each stream, and each result, is the same as in an experiment of its own.
alone() { # FILE SAMPLING VARIANT
    study "$1.cfg" "{ $2 }" 900
    sed -i '/convergence/,/} ); };/d; s/window_size = \[2, 13\]/window_size = 2/' "$1.cfg"
    sweep "$1.cfg" --db "$1.db"
    for sql in "SELECT game, s.hash, s.batches, s.overruns FROM stream s JOIN results USING (stream_id)" \
        "SELECT game, parameters, graph_hash, similarity, fair_overlap_active, steps, records FROM results"; do
        ask whole.db "$sql WHERE variant = '$3' AND hot_permille = 900 AND window_size = 2 ORDER BY 1, 2, 3" >in_study
        ask "$1.db" "$sql WHERE window_size = 2 ORDER BY 1, 2, 3" >alone
        test -s alone || fail "$1: nothing"
        cmp in_study alone || fail "$1: $(cat in_study alone)"
    done
}
alone usual 'interval_ms = 3; batch = 25;' ''
alone short 'interval_ms = 0.5; batch = 10;' 'interval_ms=0.5 batch=10'
alone golden 'by = "transfers"; every = 90; place = "golden";' 'by=transfers every=90 place=golden seed=1'
alone uneven 'jitter_ms = 1; seed = 5;' 'jitter_ms=1 seed=5'

# An added value costs only its own results; threads and engine make no
# difference.
study few.cfg '{ interval_ms = (3, 0.5); }'
sweep few.cfg --db grown.db --jobs 1
study grown.cfg '{ interval_ms = (3, 0.5); batch = [25, 10]; }'
sweep grown.cfg --db grown.db
made_by() { # ARGUMENT TABLE
    ask grown.db "SELECT count(*) FROM $2 JOIN run USING (run_id) WHERE arguments LIKE '%$1%'"
}
test "$(made_by grown.cfg result) $(made_by grown.cfg stream) $(made_by grown.cfg replay)" = '12 4 0' ||
    fail "a new batch: $(made_by grown.cfg result) results, $(made_by grown.cfg stream) streams"
study shares.cfg '{ interval_ms = (3, 0.5); batch = [25, 10]; }' '[900, 800]'
sweep shares.cfg --db grown.db
test "$(made_by shares.cfg result) $(made_by shares.cfg quality)" = "0 $((32 + 8 * 2 + 4 * 2))" ||
    fail "a new share: $(made_by shares.cfg result) results, $(made_by shares.cfg quality) rows of quality"
test "$(ask grown.db 'SELECT count(*) FROM role WHERE hot_permille = 800')" = 32 || fail "roles of a share"
study more.cfg '{ interval_ms = (3, 0.5); batch = [25, 10]; }' '[900, 800]' "$both"
sweep more.cfg --db grown.db
test "$(made_by more.cfg replay) $(made_by more.cfg result)" = '1 16' || fail "a new movie"
sweep whole.cfg --db grown.db --engine interp
test "$digest" = "$expected" || fail "grown: $digest, not $expected"
sweep whole.cfg --db grown.db
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
"$hotgraph" diff grown.db whole.db | grep -q '^equal results' || fail "$("$hotgraph" diff grown.db whole.db)"

# Parts selected by --where add up to the whole.
sweep whole.cfg --db a.db --where interval_ms=3,0.5 --where movie=umbel,mazewisp
sweep whole.cfg --db b.db --where interval_ms=10
sweep whole.cfg --db c.db --where by=transfers
sweep whole.cfg --db d.db --games umbel --where movie=second
"$hotgraph" merge all.db d.db b.db a.db c.db >/dev/null || fail merge
"$hotgraph" diff all.db whole.db >out || fail "merged: $(cat out)"
test "$(counts all.db)" = '150|120|30|0' || fail "merged: $(counts all.db)"
sweep whole.cfg --db all.db
grep -q '^nothing to do' out && test "$digest" = "$expected" || fail "merged: $(cat out)"

# Complete streams are compared with the expected results, even if their games are incomplete.
sweep whole.cfg --db all.db --update-digest
sweep whole.cfg --db b.db --where interval_ms=10
grep -q "^reproduced: $(ask b.db 'SELECT count(*) FROM stream') streams as in whole.digest" out || fail "a part: $(cat out)"
sweep whole.cfg --db x.db --where interval_ms=10 --where bin_size=8
grep -q '^not compared: whole.digest has none of these' out || fail "what is not complete is compared: $(cat out)"
cp whole.digest right.digest
sed '/interval_ms=10.*\/result\/baseline\/hot800/ { s/\t./\tx/; s/\tx/\t0/ }' right.digest >whole.digest
! cmp -s right.digest whole.digest || sed '/interval_ms=10.*\/result\/baseline\/hot800/ s/\t./\t1/' right.digest >whole.digest
refuses 1 '/hot800 differs from the expected result' sweep whole.cfg --db b.db --where interval_ms=10
rm whole.digest x.db

# Configurations selected by parameter and technique; the baseline is always included. A part has no
# digest yet.
sweep whole.cfg --db part.db --where window_size=2 --where bin_size=8 --where phase_cycles=0 --where batch=25
test "$(ask part.db 'SELECT count(*), count(DISTINCT configuration_id), count(DISTINCT stream_id) FROM result')" = \
    '30|2|15' || fail "parts: $(ask part.db 'SELECT count(*) FROM result')"
test "$(ask part.db 'SELECT count(*) FROM role')" = 0 || fail "roles of what is not whole"
grep -q '^umbel (2 of 5 results)' out || fail "what is missing: $(cat out)"
sweep whole.cfg --db part.db --techniques gaussian
sweep whole.cfg --db part.db
grep -q '^nothing to do' out && test "$digest" = "$expected" || fail "a technique: $(cat out)"
refuses 1 "nothing in it has a 'colour'" sweep whole.cfg --db x.db --where colour=3
refuses 1 'nothing in it has window_size=7' sweep whole.cfg --db x.db --where window_size=7
refuses 2 'takes NAME=VALUE' sweep whole.cfg --db x.db --where window_size
refuses 1 "no technique 'flow'" sweep whole.cfg --db x.db --techniques flow
refuses 2 'omit --games, --techniques and --where' sweep whole.cfg --db x.db --update-digest --where batch=25

# Means are over one sampling configuration; only seeds and phases are its replicates.
test "$(ask whole.db "SELECT count(DISTINCT way), min(n), max(n) FROM (SELECT way, count(*) AS n FROM
    best_configuration WHERE hot_permille = 900 GROUP BY way)")" = '9|2|4' || fail "ways: $(ask whole.db 'SELECT DISTINCT way FROM results')"
test "$(ask whole.db "SELECT DISTINCT streams FROM configuration_mean WHERE way LIKE '%jitter_us=1000%'")" = 6 ||
    fail "replicates"
"$hotgraph" results whole.db --view best_configuration >view.csv && grep -q '^study,900,time interval_us=3000 batch=25' view.csv ||
    fail "$(head -3 view.csv)"
"$hotgraph" results whole.db | head -1 | grep -q ',variant,.*,sampling,way,interval_us,.*,movie,' || fail "columns of results"

test "$(ask whole.db 'SELECT count(*), sum(graph_hash = hash) FROM results JOIN graph USING (graph_id)')" = '240|240' ||
    fail "hashes of graphs in the results"

# Movies are told apart by name and content.
study twins.cfg '{ batch = 25; }' 900 "[\"$source/movies/umbel.fm2\", \"$work/umbel.fm2\"]"
cp "$source/movies/umbel.fm2" umbel.fm2
refuses 1 'are the same movie' sweep twins.cfg --db x.db

# The console variant belongs to a game: it is in the replay's key and row, and applies when the
# game is played by its name.
sed "s#{ name = \"umbel\";#{ name = \"odd\"; console = \"warmup=off,alignment=7\"; rom = \"$source/games/umbel.nes\"; movie = \"$source/movies/umbel.fm2\"; }, &#" \
    usual.cfg >console.cfg
sweep console.cfg --db usual.db
test "$(ask usual.db "SELECT game || ':' || coalesce(console, '') || ':' || (key LIKE '% console=warmup=off,alignment=7')
    FROM results JOIN replay USING (replay_id) WHERE number IS NULL ORDER BY 1")" = \
    "$(printf 'mazewisp::0\nodd:warmup=off,alignment=7:1\numbel::0')" || fail "consoles: $(ask usual.db 'SELECT key, console FROM replay')"
HOTGRAPH_GAMES=console.cfg "$hotgraph" replay odd --frames 300 --json >played
"$hotgraph" replay "$source/games/umbel.nes" --movie "$source/movies/umbel.fm2" --frames 300 --console warmup=off,alignment=7 --json >given
HOTGRAPH_GAMES=console.cfg "$hotgraph" replay odd --console warmup=on --frames 300 --json >usual
for file in played given usual; do
    tr -d '\n' <$file | sed 's/.*"instructions": \([0-9]*\).*"state_hash": "\([^"]*\)".*"console": "\([^"]*\)".*/\1 \2 \3/' >$file.facts
done
cmp played.facts given.facts || fail "a game's console: $(cat played.facts given.facts)"
grep -q 'warmup=on,alignment=0' usual.facts || fail "--console does not go before the game's: $(cat usual.facts)"
test "$(cut -d ' ' -f 1 played.facts)" = "$(ask usual.db "SELECT instructions FROM replay WHERE console IS NOT NULL")" ||
    fail "a sweep plays on another console than replay"
! cmp -s played.facts usual.facts || fail "consoles make no difference"
sed 's/alignment=7/alignment=700/' console.cfg >bad.cfg
refuses 1 'console' sweep bad.cfg --db x.db

# Means and ranges over replicates are those of the results.
"$hotgraph" results whole.db --view replicated --json >replicated.json
"$hotgraph" results whole.db --json >results.json
"$hotgraph" results whole.db --view table2_replicated --json >table2.json
python3 - <<'END' || fail "replicates"
import json
rows, results, table2 = (json.load(open(f + ".json")) for f in ("replicated", "results", "table2"))
seen = 0
for r in rows:
    of = [x for x in results if all(x[k] == r[k] for k in ("game", "way", "hot_permille", "parameters", "technique"))]
    assert len(of) == r["replicates"], r
    for name in "similarity", "similarity_active", "bins", "fair_overlap":
        values = [x[name] for x in of if x[name] is not None]
        if not values:
            assert r[name] is None
            continue
        assert abs(sum(values) / len(values) - r[name]) < 1e-9, (r, values)
        assert (min(values), max(values)) == (r[name + "_least"], r[name + "_most"]), (r, values)
    seen += len(of)
    if r["game"] == "umbel" and "jitter_us=1000" in r["way"]:
        assert r["replicates"] == 4, r
assert seen == len(results) > 200
for t in table2:
    best = [r["similarity_most"] for r in rows if r["number"] is not None and r["similarity_most"] is not None
            and all(r[k] == t[k] for k in ("game", "way", "hot_permille"))]
    assert abs(round(100 * max(best), 1) - t["best_percent_most"]) < 1e-9, t
END

# The studies in the tree can be planned, and their plans are what their files say.
cd "$source"
for study in sampling:192 jitter:104 replicates:128 wide:2 golden:8 techniques:1216 worth:184; do
    "$hotgraph" sweep "configs/${study%:*}.cfg" --db "$work/none.db" --dry-run >"$work/plan" || fail "$study: $(cat "$work/plan")"
    grep -q "^in all: .* from ${study#*:} streams .* about [0-9]* s of one processor" "$work/plan" || fail "$study: $(grep '^in all' "$work/plan")"
done

# The stored results of the studies belong to these files, and a part of each is
# reproduced.
set -- "sampling --where interval_ms=30" "jitter --where jitter_ms=1" "replicates --where movie=mazewisp-2 --where phase_cycles=671"
for part; do
    # shellcheck disable=SC2086
    "$hotgraph" sweep "configs/${part%% *}.cfg" --games mazewisp ${part#* } --db "$work/part-${part%% *}.db" >"$work/part" || fail "$part: $(tail -1 "$work/part")"
    grep -q "^reproduced: [1-9][0-9]* streams\? as in configs/${part%% *}.digest" "$work/part" || fail "$part: $(tail -1 "$work/part")"
done
