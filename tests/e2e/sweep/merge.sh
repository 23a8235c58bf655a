# hotgraph merge and hotgraph diff: if this fails, merged parts differ from a single sweep, or a broken
# part spoils the merged database.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# Two halves of the bundled games.
quick=$source/configs/quick.cfg
sweep "$quick" --db whole.db
expected=$digest
sweep "$quick" --db half1.db --games airmail,burrow,mazewisp,starling
sweep "$quick" --db half2.db --games brindle,fresnel,rumpus,umbel
test "$digest" != "$expected" || fail "half the games have the digest of all"
"$hotgraph" merge merged.db half1.db half2.db >out || fail "merge"
before=$(sha1sum <merged.db)
"$hotgraph" diff merged.db whole.db >out || fail "parts are not the whole: $(cat out)"
sweep "$quick" --db merged.db
grep -q '^nothing to do' out || fail "there is something to do: $(cat out)"
grep -q '^reproduced: ' out || fail "not reproduced: $(cat out)"
test "$digest" = "$expected" || fail "digest $digest, not $expected"
test "$(sha1sum <merged.db)" = "$before" || fail "a sweep with nothing to do writes"
"$hotgraph" report whole.db >whole.txt
"$hotgraph" report merged.db >merged.txt
same whole.txt merged.txt

# A copy has the same rows, replaces no file, and leaves nothing behind if it fails.
"$hotgraph" merge --copy copy.db half1.db >out || fail "a copy"
"$hotgraph" diff copy.db half1.db >out || fail "a copy has other rows: $(cat out)"
before_copy=$(sha1sum <copy.db)
refuses 1 'copy.db: is there already' merge --copy copy.db half2.db
test "$(sha1sum <copy.db)" = "$before_copy" || fail "a copy took a file's place"
refuses 2 '--copy takes a single IN.db' merge --copy other.db half1.db half2.db
refuses 1 'nothing.db: there is no such file' merge --copy other.db nothing.db
refuses 1 'missing/other.db' merge --copy missing/other.db half1.db
head -c 20000 half1.db >cut.db
refuses 1 'cut.db' merge --copy other.db cut.db
test ! -e other.db || fail "half a copy is left"
# While a sweep writes: a copy at any moment is consistent.
for i in 1 2 3 4 5 6; do
    rm -f "moment$i.db"
    test -s busy.db && "$hotgraph" merge --copy "moment$i.db" busy.db && test "$(sqlite3 "moment$i.db" 'PRAGMA integrity_check')" != ok && fail "a copy is damaged"
    test "$i" != 1 || "$hotgraph" sweep "$quick" --db busy.db >/dev/null 2>&1 &
    sleep 0.1
done
wait

# In another order, with a part twice, step by step, and repeated: the same bytes.
# Parts do not change.
halves=$(cat half1.db half2.db | sha1sum)
"$hotgraph" merge shuffled.db half2.db half1.db half2.db half2.db >out
same shuffled.db merged.db
cp half2.db steps.db
"$hotgraph" merge steps.db half1.db >out
grep -q 'what it already had' out || fail "says nothing of the file that was there: $(cat out)"
same steps.db merged.db
"$hotgraph" merge steps.db steps.db half1.db half2.db >out
grep -q 'unchanged' out || fail "merging again changes something: $(cat out)"
test "$(cat half1.db half2.db | sha1sum)" = "$halves" || fail "merging changes its parts"

# Slices of each game's grid: roles that depend on the whole grid (best, median, worst) are
# determined again.
"$hotgraph" merge at-once.db whole.db >out
for slice in 0 1; do
    cp whole.db slice$slice.db
    sqlite3 slice$slice.db "DELETE FROM role; DELETE FROM graph_edge;
        DELETE FROM counter WHERE configuration_id % 2 = $slice;
        DELETE FROM quality WHERE configuration_id % 2 = $slice;
        DELETE FROM result WHERE configuration_id % 2 = $slice;
        DELETE FROM graph WHERE graph_id NOT IN (SELECT graph_id FROM result)
            AND graph_id NOT IN (SELECT graph_id FROM replay WHERE graph_id NOT NULL)"
    "$hotgraph" diff slice$slice.db whole.db >out && fail "a slice is the whole"
done
"$hotgraph" merge slices.db slice1.db slice0.db >out
same slices.db at-once.db

# Two experiments, merged into an existing file.
sweep experiment.cfg --db pairs.db
pairs=$digest
"$hotgraph" merge two.db pairs.db merged.db >out
"$hotgraph" merge owt.db merged.db pairs.db >out
same two.db owt.db
sweep experiment.cfg --db two.db
test "$digest" = "$pairs" || fail "beside another experiment: $digest, not $pairs"
sweep "$quick" --db two.db
test "$digest" = "$expected" || fail "beside another experiment: $digest, not $expected"

# diff.
"$hotgraph" diff half1.db merged.db --most 2 >out && fail "half is the whole"
test "$(sed -n '/^result:/,/differ/p' out | grep -c 'only in merged.db')" = 2 || fail "not two of a table: $(cat out)"
grep -q '^result:' out && grep -qE 'of game (brindle|fresnel|rumpus|umbel) ' out || fail "diff: $(cat out)"
cp whole.db other.db
sqlite3 other.db "UPDATE result SET edges = edges + 1 WHERE (stream_id, configuration_id) =
    (SELECT stream_id, configuration_id FROM result ORDER BY 1, 2 LIMIT 1)"
status=0
"$hotgraph" diff whole.db other.db --json >out.json || status=$?
test $status = 1 || fail "diff ends with $status"
python3 - <<'END' || fail "diff --json: $(cat out.json)"
import json
d = json.load(open("out.json"))
assert d["equal"] is False and d["differ"] == 1, d
(table,) = d["tables"]
assert table["name"] == "result" and table["differ"] == 1, table
(row,) = table["first"]
assert row["column"] == "edges" and int(row["values"][1]) == int(row["values"][0]) + 1, row
assert all(r.startswith("run ") for r in row["runs"]), row
END
"$hotgraph" diff whole.db merged.db --json | grep -q '"equal": true' || fail "diff --json of equals"

# If databases cannot be merged, the reason is shown, and the existing file
# stays.
refuses 1 'whole.db and other.db contradict each other' merge merged.db whole.db other.db
head -c 100000 half1.db >cut.db
refuses 1 'cut.db: is damaged' merge merged.db half2.db cut.db
{ head -c 200000 half1.db; head -c 4096 /dev/urandom; tail -c +204097 half1.db; } >scribbled.db
refuses 1 'scribbled.db: ' merge merged.db half2.db scribbled.db
: >empty.db
refuses 1 'empty.db: is empty' merge merged.db half1.db empty.db
sqlite3 foreign.db 'CREATE TABLE t (x)'
refuses 1 "foreign.db: is an SQLite database, but not one of hotgraph's" merge merged.db half1.db foreign.db
refuses 1 "foreign.db: is an SQLite database, but not one of hotgraph's" merge foreign.db half1.db
refuses 1 'experiment.cfg: is not a database' merge merged.db experiment.cfg
refuses 1 'none.db: there is no such file' merge merged.db none.db
refuses 1 '.: is a folder' merge merged.db .
refuses 1 'none/out.db: no file can be made beside it' merge none/out.db half1.db
refuses 2 'none.db: there is no such file' diff merged.db none.db
refuses 2 'cut.db: ' diff cut.db merged.db
refuses 2 'the command takes' merge merged.db
refuses 2 'the command takes' diff merged.db
test "$(sha1sum <merged.db)" = "$before" || fail "a refused merge writes"

# Killed at any moment: the file is complete or unchanged. (Without --foreground, timeout signals
# twice, and the second signal ends us at once.)
for moment in 0.02 0.05 0.1 0.2 0.4; do
    for signal in TERM KILL; do
        timeout --foreground -s $signal $moment "$hotgraph" merge killed.db half1.db half2.db >out 2>errors || :
        test ! -e killed.db || same killed.db merged.db
        test $signal = KILL || test -z "$(find . -name '*.merge-*')" || fail "$moment: left behind"
        rm -rf killed.db ./*.merge-*
    done
done
