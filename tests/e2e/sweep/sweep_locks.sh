# A database that another process holds, or left half written: if this fails, an open notebook ruins a
# night's sweep, a crash loses earlier results, or two sweeps mix their results.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# A crash in the middle of a transaction leaves a journal: the next program, even one that only reads, rolls the
# transaction back.
sweep experiment.cfg --db x.db
expected=$digest
"$hotgraph" report x.db >tables
sqlite3 x.db >/dev/null <<'END'
PRAGMA cache_size = 5;
BEGIN;
UPDATE quality SET similarity = 0.123;
.shell cp x.db hot.db; cp x.db-journal hot.db-journal
ROLLBACK;
END
test -s hot.db-journal || fail "no journal to test with"
cmp -s x.db hot.db && fail "nothing was half written"
cp hot.db dry.db && cp hot.db-journal dry.db-journal
"$hotgraph" report hot.db >again 2>errors || fail "report after a crash: $(cat errors)"
same tables again
"$hotgraph" sweep experiment.cfg --db dry.db --dry-run >plan 2>errors || fail "plan after a crash: $(cat errors)"
test "$(grep -c 'nothing to do' plan)" = 3 || fail "$(cat plan)"

# Somebody holds a lock for longer than ten seconds: the sweep says so, waits and goes on.
{
    echo "BEGIN EXCLUSIVE;"
    echo ".shell touch locked; sleep 12"
    echo "ROLLBACK;"
} >hold.sql
cp x.db held.db
sqlite3 held.db "DELETE FROM result"
sqlite3 held.db <hold.sql &
id=$!
begun test -e locked
sweep experiment.cfg --db held.db
wait $id
grep -q 'waiting for another program that holds held.db' errors || fail "$(cat errors)"
test "$digest" = "$expected" || fail "after waiting: $digest, not $expected"

# A second sweep of the same file waits for the first one.
rm -f locked
cp x.db two.db
sqlite3 two.db "DELETE FROM result"
python3 - two.db <<'END' &
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[1], os.O_RDWR)
# F_OFD_SETLK, on the byte that db/open_database.c takes
fcntl.fcntl(fd, 37, struct.pack("hhqqixxxx", fcntl.F_WRLCK, os.SEEK_SET, 1 << 60, 1, 0))
open("locked", "w").close()
time.sleep(3.5)
END
id=$!
begun test -e locked
sweep experiment.cfg --db two.db
wait $id || fail "the lock could not be held"
grep -q 'waiting for another program that holds two.db' errors || fail "$(cat errors)"
test "$digest" = "$expected" || fail "the second of two: $digest, not $expected"

# An exact graph that differs from the one behind the results.
cp x.db graph.db
sqlite3 graph.db "UPDATE replay SET exact_hash = 'other'; DELETE FROM result"
refuses 1 "exact graph differs from the one behind the database's results" \
    sweep experiment.cfg --db graph.db
# A result of version 1, of which only the graph's hash is known, and which is now
# different.
cp x.db other.db
sqlite3 other.db "UPDATE graph SET data = NULL, hash = 'other' WHERE graph_id = (SELECT graph_id FROM result
    WHERE configuration_id = (SELECT configuration_id FROM experiment_configuration WHERE number = 7) LIMIT 1)"
refuses 1 "a graph differs from the one behind the database" sweep experiment.cfg --db other.db

# No file at all.
refuses 1 "/dev/null: is a device" sweep experiment.cfg --db /dev/null
refuses 1 "':memory:' cannot be the name of a database" sweep experiment.cfg --db :memory:
