# A report's tables and findings, computed again by a script from the database's base tables alone: if this fails, the
# report shows a number that does not follow from the measurements.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
command -v python3 >/dev/null || skip "no python3"

# values NAME KEYS: the head of an experiment that takes a second.
values() {
    echo "name = \"$1\"; frames = 400; $2"
    cat <<'END'
grid = {
    technique = "gaussian";
    recurrent_threshold = [5, 12];
    window_size = [6, 13];
    stdev_threshold = [8, 15];
    bin_size = [8, 16];
};
convergence = {
    batches = [10, 30, 100, 300, 1000, 3000];
    configurations = (
        { label = "wide and eager"; recurrent_threshold = 5; window_size = 13; stdev_threshold = 15; bin_size = 16; },
        { label = "narrow and shy"; recurrent_threshold = 12; window_size = 6; stdev_threshold = 8; bin_size = 8; }
    );
};
END
}

# game NAME KEYS
game() {
    printf '{ name = "%s"; title = "%s"; rom = "%s/games/%s.nes"; movie = "%s/movies/%s.fm2"; %s }' \
        "$1" "$1" "$source" "$1" "$source" "$1" "${2:-}"
}
games() {
    echo "games = ("
    game airmail 'paper_game = "Popeye";' && echo ,
    game brindle 'paper_game = "Super Mario Bros"; untested = true;' && echo ,
    game mazewisp
    echo ");"
}

# holds DATABASE EXPERIMENT: the report has the numbers that the script
# computes.
holds() {
    rm -rf report
    "$hotgraph" report "$1" --out report >out 2>errors || fail "report $1: $(cat errors)"
    wrong=$(python3 "$source/tests/e2e/values/report_values.py" "$1" report "$2") || fail "$1: the script failed"
    test -z "$wrong" || fail "$1: $wrong"
}

{
    values ways 'sampling = ( { interval_ms = 3; phase_cycles = [0, 1342]; }, { interval_ms = 1; } );
        windows = { seconds = [1, 3]; }; paths = true;'
    games
} >ways.cfg
"$hotgraph" sweep ways.cfg --db ways.db >out 2>errors || fail "sweep: $(cat errors)"
holds ways.db ways
wrong=$(python3 "$source/tests/e2e/values/views_values.py" ways.db ways) || fail "the script of the views failed"
test -z "$wrong" || fail "views: $wrong"

# Rare cases: without busy-waits, a configuration that finds as much as reading directly, one that finds more, one without a
# value, and values that decide the order of equal ones.
cp ways.db crafted.db
sqlite3 crafted.db "create temp table is_number as
        select configuration_id, number from experiment_configuration where number is not null;
    create temp table is_direct as select q.* from quality q join experiment_configuration x using (configuration_id)
        where x.baseline = 1;
    update quality set similarity_active = (select similarity_active from is_direct d where d.stream_id = quality.stream_id
            and d.batches = quality.batches and d.hot_permille = quality.hot_permille),
        similarity = (select similarity from is_direct d where d.stream_id = quality.stream_id
            and d.batches = quality.batches and d.hot_permille = quality.hot_permille)
        where part = 'first' and configuration_id in (select configuration_id from is_number where number in (3, 9));
    update quality set similarity = 0.5, similarity_active = 1.0, f1_active = 0.25
        where configuration_id in (select configuration_id from is_number where number in (5, 6));
    update quality set similarity = null, similarity_active = null
        where configuration_id in (select configuration_id from is_number where number = 12);
    update quality set similarity = 0.01, similarity_active = 0.02 + f1_active
        where configuration_id in (select configuration_id from is_number where number in (13, 14, 15));"
holds crafted.db ways

# Half of the results: a configuration that lacks results on a game is not in averages over games, even if it would be the best.
cp ways.db half.db
sqlite3 half.db "create temp table lost as select stream_id, configuration_id from experiment_configuration join experiment_stream
        using (experiment_id) join game using (game_id) where number in (3, 7) and game.name <> 'mazewisp'
        or number = 8 and game.name = 'brindle';
    delete from quality where (stream_id, configuration_id) in (select * from lost);
    delete from result where (stream_id, configuration_id) in (select * from lost);
    update quality set similarity = 1 where configuration_id in (select configuration_id from lost)"
holds half.db ways
test "$(sqlite3 half.db "select count(*), group_concat(distinct lacks) from not_competing where number <> 8")" = '4|airmail brindle' ||
    fail "who does not compete: $(sqlite3 half.db 'select * from not_competing')"

# Five games are enough for a test of ranks, for both sampling configurations: the numbers of the test
# and of the diagram.
{
    values ranks 'sampling = ( { interval_ms = 3; }, { interval_ms = 1; } );'
    echo "games = ("
    for name in airmail brindle burrow fresnel rumpus; do
        game "$name" && echo ,
    done
    game mazewisp
    echo ");"
} >ranks.cfg
"$hotgraph" sweep ranks.cfg --db ranks.db >out 2>errors || fail "sweep: $(cat errors)"
holds ranks.db ranks
test "$(grep -c "<figure id='ranks" report/index.html)" = 1 || fail "no diagram of ranks"

# Two techniques, two hot shares other than the paper's, and values that are not combined equally often.
cat >mixed.cfg <<END
name = "mixed"; frames = 400; hot_permille = [800, 950];
sampling = { interval_ms = [3, 5]; };
grid = ( { technique = "gaussian"; recurrent_threshold = 5; zip = { window_size = [6, 13]; stdev_threshold = [8, 15]; };
        bin_size = [8, 16]; exclude = ( { window_size = 13; bin_size = 8; } ); },
    { technique = "flow"; costs = ["profi", "poisson"]; } );
convergence = { batches = [100, 1000]; configurations = ( { label = "fourth"; technique = "gaussian"; recurrent_threshold = 5;
    window_size = 6; stdev_threshold = 8; bin_size = 16; } ); };
$(games)
END
"$hotgraph" sweep mixed.cfg --db mixed.db >out 2>errors || fail "sweep: $(cat errors)"
holds mixed.db mixed
test "$(sqlite3 mixed.db "select count(*) > 0, min(percent) >= 0, max(percent) <= 100 from variance_share")" = '1|1|1' ||
    fail "shares: $(sqlite3 mixed.db 'select * from variance_share')"

# Missing rows: a result, a configuration on all games but one, the quality for one share, a curve, a stream. The others compete.
cp ways.db holes.db
sqlite3 holes.db "create temp table gone as select x.stream_id, c.configuration_id, c.number, g.name, x.variant
        from experiment_stream x join game g using (game_id), experiment_configuration c where c.number is not null;
    create temp table lost as select stream_id, configuration_id from gone where name = 'airmail' and variant = '' and number = 7
        or name <> 'mazewisp' and number = 1 or name = 'brindle' and number in (9, 10, 11, 12, 13, 14) and variant <> '';
    delete from quality where (stream_id, configuration_id) in lost;
    delete from result where (stream_id, configuration_id) in lost;
    delete from quality where (stream_id, configuration_id) in (select stream_id, configuration_id from gone where name = 'airmail'
        and number = 4) or batches = 100 and stream_id = (select min(stream_id) from gone where name = 'mazewisp')"
holds holes.db ways

# A game that counts as a program: its curves are made from all over the stream, so this has none.
cp mixed.db programs.db
sqlite3 programs.db "update replay set kind = 'program' where replay_id = (select replay_id from stream join experiment_stream
    using (stream_id) join game using (game_id) where name = 'mazewisp')"
holds programs.db mixed
grep -q 'Games beside programs' report/index.html || fail "games and programs are not compared with each other"
sqlite3 programs.db "update replay set kind = 'program'"
"$hotgraph" report programs.db --out alone >out 2>errors || fail "programs alone: $(cat errors)"
for folder in report alone; do
    test ! -e $folder/figures/interactions.csv || grep -q "with $(test $folder = report && echo game || echo program)\\b" \
        $folder/figures/interactions.csv || fail "$folder: what is meant is not named: $(cat $folder/figures/interactions.csv)"
done

# Beside another run the smallest move counts: 0.04 points of the best configuration of one stream, whose place stays.
cp ways.db moved.db
sqlite3 moved.db "update quality set similarity = similarity + 0.0004 where part = 'first'
    and (stream_id, configuration_id) = (select stream_id, configuration_id from ranked where game = 'airmail'
        and variant = '' and place = 1 and shared = 1)
    and batches = (select batches from stream s where s.stream_id = quality.stream_id)"
"$hotgraph" report --compare ways.db moved.db >out || fail "compare"
grep -q '^[0-9]* results in both, 1 of them differ; 0 only in A, 0 only in B' out || fail "not one moved: $(sed -n 3p out)"
grep -q '+0.04' out || fail "not by 0.04 points: $(cat out)"
