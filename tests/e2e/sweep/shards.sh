# hotgraph sweep --shard: if this fails, a sweep on several machines lacks results, or has other results
# than the same sweep on one machine.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
! sanitized || skip "a build with sanitizers; the cluster test has its shards"

# small FILE NAME STREAM...: 16 configurations and the baseline on pairs.
small() {
    file=$1 between=
    shift
    {
        sed '/^@include/d' "$source/configs/quick.cfg"
        echo "games = ("
        while test $# -gt 0; do
            echo "$between"
            pair "$1" "$2"
            between=,
            shift 2
        done
        echo ");"
    } >"$file"
}
# Two of the three are one stream.
small small.cfg one synthetic-a two synthetic-b same synthetic-b
sweep small.cfg --db whole.db
expected=$digest
"$hotgraph" merge normal.db whole.db >/dev/null

# parts N: all parts of N, in part-N-I.db; merged into merged.db, which must be the whole.
parts() {
    i=1
    while test $i -le "$1"; do
        "$hotgraph" sweep small.cfg --shard "$i/$1" --db "part-$1-$i.db" >"part-$i.out" 2>errors || fail "part $i of $1: $(cat errors)"
        i=$((i + 1))
    done
}
results() { # DB...
    for db in "$@"; do ask "$db" 'SELECT stream_id, configuration_id FROM result'; done
}
whole=$(results whole.db | sort)
for n in 1 2 7; do
    parts $n
    test "$(results part-$n-*.db | sort)" = "$whole" || fail "$n parts are not the whole, or overlap"
    rm -f merged.db
    "$hotgraph" merge merged.db part-$n-*.db >out || fail "merging $n parts"
    "$hotgraph" diff whole.db merged.db >out || fail "$n parts: $(cat out)"
    sweep small.cfg --db merged.db
    grep -q '^nothing to do' out || fail "$n parts lack something: $(cat out)"
    test "$digest" = "$expected" || fail "$n parts: digest $digest, not $expected"
done
test "$(ask part-7-3.db 'SELECT shard FROM run')" = 3/7 || fail "the run does not say which shard it was"
test "$(ask part-2-1.db 'SELECT count(*) FROM result')" = 17 || fail "two games of one size in two parts"
for i in 1 2 3 4 5 6 7; do
    n=$(ask part-7-$i.db 'SELECT count(*) FROM result')
    test "$n" -ge 4 -a "$n" -le 6 || fail "34 results in 7 parts: $n in part $i"
done

# The division is by content: games in another order and under other names are divided alike.
small turned.cfg two synthetic-b uno synthetic-a
"$hotgraph" sweep turned.cfg --shard 2/7 --db turned.db >out 2>errors || fail "$(cat errors)"
test "$(results turned.db)" = "$(results part-7-2.db)" || fail "the order of games divides them"
# A repeated part has nothing to do, also if its database has the other parts' results.
"$hotgraph" sweep small.cfg --shard 2/7 --db part-7-2.db >out || fail "again"
grep -q '^nothing to do: all results of this shard' out || fail "$(cat out)"
"$hotgraph" sweep small.cfg --shard 2/7 --db whole.db >out || fail "whole"
grep -q '^nothing to do: all results of this shard' out || fail "$(cat out)"
"$hotgraph" sweep small.cfg --shard 1/2 --db dry.db --dry-run >out || fail "dry run"
test "$(grep -c 'things to compute' out)" = 1 && test ! -e dry.db || fail "the plan of a part: $(cat out)"

# Results known from other databases are left out; only those of a new value remain.
for i in 1 2 3; do
    "$hotgraph" sweep small.cfg --shard $i/3 --known whole.db --db known-$i.db >out 2>errors || fail "$(cat errors)"
    grep -q '^nothing to do' out || fail "what is known is computed again: $(cat out)"
done
sed 's/bin_size = \[8, 16\]/bin_size = [8, 11, 16]/' small.cfg >more.cfg
sweep more.cfg --db more.db
for i in 1 2 3; do
    "$hotgraph" sweep more.cfg --shard $i/3 --known whole.db --known quick-none.db --db known-$i.db >out 2>errors && fail "a database that is not there"
    grep -q 'quick-none.db: there is no such file' errors || fail "$(cat errors)"
    "$hotgraph" sweep more.cfg --shard $i/3 --known whole.db --db known-$i.db >out 2>errors || fail "$(cat errors)"
done
test "$(results known-?.db | sort | uniq | wc -l)" = 16 && test "$(results known-?.db | wc -l)" = 16 ||
    fail "not the new value alone: $(results known-?.db | sort)"
# Merged parts need the same definition; part 0 updates it without computing anything.
refuses 1 'contradict each other' merge merged-more.db whole.db known-?.db
cp whole.db renewed.db
"$hotgraph" sweep more.cfg --shard 0/3 --db renewed.db >out 2>errors || fail "$(cat errors)"
grep -q '^nothing to do' out && test "$(results renewed.db)" = "$(results whole.db)" || fail "$(cat out)"
"$hotgraph" merge merged-more.db renewed.db known-?.db >out
"$hotgraph" sweep more.cfg --db merged-more.db >out 2>errors || fail "$(cat errors)"
grep -q '^nothing to do' out && grep -q "^digest $digest\$" out || fail "known and new are not the whole: $(cat out)"
refuses 2 '--known needs --shard' sweep small.cfg --known whole.db

# A thousand parts: those beyond 34 are empty, and their files are equal.
i=1
while test $i -le 36; do
    "$hotgraph" sweep small.cfg --shard $i/1000 --db part-1000-$i.db --jobs 1 >out 2>errors || fail "part $i of 1000: $(cat errors)"
    i=$((i + 1))
done
"$hotgraph" sweep small.cfg --shard 1000/1000 --db part-1000-1000.db >out 2>errors || fail "part 1000 of 1000"
grep -q '^shard 1000 of 1000: 0 games, 0 of 51 results' out || fail "$(cat out)"
test "$(ask part-1000-35.db 'SELECT count(*) FROM result')" = 0 || fail "part 35 has results"
same part-1000-35.db part-1000-1000.db
while test $i -lt 1000; do
    cp part-1000-1000.db part-1000-$i.db
    i=$((i + 1))
done
rm -f merged.db
"$hotgraph" merge merged.db part-1000-*.db >out 2>errors || fail "merging a thousand: $(cat errors)"
"$hotgraph" diff whole.db merged.db >out || fail "a thousand parts: $(cat out)"
sweep small.cfg --db merged.db
test "$digest" = "$expected" || fail "a thousand parts: digest $digest, not $expected"

# Bundled games, in parts of whole games and of slices.
sweep "$source/configs/quick.cfg" --db quick.db
for n in 3 11; do
    i=1
    rm -f merged.db
    while test $i -le $n; do
        "$hotgraph" sweep "$source/configs/quick.cfg" --shard $i/$n --db quick-$n-$i.db >out 2>errors || fail "part $i of $n: $(cat errors)"
        i=$((i + 1))
    done
    "$hotgraph" merge merged.db quick-$n-*.db >out
    "$hotgraph" diff quick.db merged.db >out || fail "$n parts of quick.cfg: $(cat out)"
    sweep "$source/configs/quick.cfg" --db merged.db
    grep -q '^nothing to do' out && grep -q '^reproduced: ' out || fail "$n parts of quick.cfg: $(cat out)"
done

refuses 2 "takes I/N, part I of N, with I from 1 to N (0: none)" sweep small.cfg --shard 8/7
refuses 2 "takes I/N" sweep small.cfg --shard 3
refuses 2 '--report needs all results' sweep small.cfg --shard 1/2 --report x
refuses 2 '--update-digest needs all results' sweep small.cfg --shard 1/2 --update-digest
refuses 1 'none of its games can be swept' sweep "$source/configs/paper.cfg" --games dig-dug --shard 1/2 --db none.db
