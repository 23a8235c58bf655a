# The expected digest, the plan, and refused calls: if this fails, a wrong result counts as reproduced,
# or a mistake is not reported before the work begins.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# A plan touches nothing.
"$hotgraph" sweep experiment.cfg --db plan.db --dry-run >plan.txt
grep -q '^one: stream .*one reading, 150 things' plan.txt || fail "the plan: $(cat plan.txt)"
test ! -e plan.db && test ! -e results || fail "--dry-run makes files"

# The expected file: written, met, and missed in each of the three ways.
sweep experiment.cfg --db x.db
grep -q '^not compared: there is no experiment.digest' out || fail "$(cat out)"
sweep experiment.cfg --db x.db --update-digest
sweep experiment.cfg --db x.db
grep -q '^reproduced: 3 games' out || fail "not reproduced: $(cat out)"
sweep experiment.cfg --db x.db --games two
grep -q '^reproduced: 1 game ' out || fail "a part is not reproduced: $(cat out)"
cp experiment.digest whole.digest
sed 's#^\(two/result/0045\t\).#\1x#; s#\tx#\t0#' whole.digest >experiment.digest
cmp -s whole.digest experiment.digest &&
    sed 's#^\(two/result/0045\t\).#\11#' whole.digest >experiment.digest
refuses 1 'not reproduced: two/result/0045 differs from the expected result' sweep experiment.cfg --db x.db
grep -v '^one/stream' whole.digest >experiment.digest
refuses 1 'not reproduced: one/stream is not expected' sweep experiment.cfg --db x.db
printf 'one/zzz\t%032d\n' 0 | cat whole.digest - >experiment.digest
refuses 1 'not reproduced: one/zzz is expected' sweep experiment.cfg --db x.db
grep -v '^one/' whole.digest >experiment.digest
sweep experiment.cfg --db x.db
grep -q '^not compared: 1 game that it does not have' out || fail "$(cat out)"
echo "nonsense" >>experiment.digest
refuses 1 'experiment.digest:' sweep experiment.cfg --db x.db
cp whole.digest experiment.digest
sed 's/interval_ms = 3;/interval_ms = 4;/' experiment.cfg >other.cfg
cp whole.digest other.digest
sweep other.cfg --db x.db --games one
grep -q '^not compared: other.digest belongs to another definition' out || fail "$(cat out)"

# --json prints all of it, and nothing else is on standard output. json FILE
# EXPRESSION: of the object in FILE, o.
json() {
    python3 -c 'import json, sys; o = json.load(open(sys.argv[1])); sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" ||
        fail "$1: not $2: $(cat "$1")"
}
sweep experiment.cfg --db plan.db --dry-run --json
json out 'o["dry_run"] and o["configurations"] == 144 and o["present"] == 3 and o["digest"] is None'
json out '[(g["name"], g["source"], g["state"], g["missing"]) for g in o["games"]][0] == ("one", "stream", "missing", 150)'
test ! -e plan.db || fail "--dry-run --json makes a file"
sweep experiment.cfg --db json.db --report json --json
json out '{g["state"] for g in o["games"]} == {"computed"} and o["missing_before"] == 450 and o["missing"] == 0'
json out 'o["failed"] == 0 and o["error"] is None and not o["stopped"] and o["report"] == "json"'
json out 'o["verdict"] == "reproduced" and o["compared"] == 3 and o["digest_file"] == "experiment.digest"'
grep -q "\"digest\": \"$("$hotgraph" sweep experiment.cfg --db x.db | sed -n 's/^digest //p')\"" out ||
    fail "another digest: $(cat out)"
test -s json/table1.txt || fail "--json writes no report"
sweep experiment.cfg --db json.db --json --games two
json out '[g["state"] for g in o["games"]] == ["there already"] and o["missing_before"] == 0 and o["compared"] == 1'
sed 's#^\(two/result/0045\t\).#\1x#; s#\tx#\t0#' whole.digest >experiment.digest
cmp -s whole.digest experiment.digest && sed 's#^\(two/result/0045\t\).#\11#' whole.digest >experiment.digest
"$hotgraph" sweep experiment.cfg --db json.db --json >out 2>errors && fail "not reproduced, and status 0"
json out 'o["verdict"] == "not reproduced" and "two/result/0045" in o["error"]'
cp whole.digest experiment.digest
{
    sed '/^games/,$d' experiment.cfg
    echo 'games = ({ name = "gone"; sha1 = "0000000000000000000000000000000000000000"; movie = "none.fm2"; });'
} >gone.cfg
"$hotgraph" sweep gone.cfg --db json.db --json >out 2>errors && fail "nothing to sweep, and status 0"
json out 'o["present"] == 0 and o["games"][0]["state"] == "skipped" and o["games"][0]["why_skipped"] == "no ROM found"'

# A game that fails halfway has no digest: its remaining rows are not compared, and never
# expected.
cp x.db half.db
one="(SELECT stream_id FROM experiment_stream JOIN game USING (game_id) WHERE game.name = 'one')"
sqlite3 half.db "UPDATE stream SET hash = 'other' WHERE stream_id = $one;
    DELETE FROM result WHERE configuration_id % 2 AND stream_id = $one"
"$hotgraph" sweep experiment.cfg --db half.db --json >out 2>errors && fail "half a game, and status 0"
json out 'o["failed"] == 1 and [g["state"] for g in o["games"] if g["name"] == "one"] == ["incomplete"]'
cp x.db half.db
sqlite3 half.db "UPDATE stream SET hash = 'other' WHERE stream_id = $one;
    DELETE FROM result WHERE configuration_id % 2 AND stream_id = $one"
refuses 1 'sample stream differs from' sweep experiment.cfg --db half.db
grep -q '^reproduced: 2 games' .stdout || fail "half a game is compared: $(cat .stdout)"
refuses 1 'not written: one lacks results' sweep experiment.cfg --db half.db --update-digest
cmp -s whole.digest experiment.digest || fail "half an experiment is what is expected from now on"

# The report is written once, until results, titles or labels change.
sweep experiment.cfg --db x.db --report tables
test -s tables/table1.txt || fail "no table 1"
grep -q '^three (untested) ' tables/table1.txt || fail "untested games are not marked"
rm tables/table1.txt
sweep experiment.cfg --db x.db --report tables
test ! -e tables/table1.txt || fail "the report is written though nothing has changed"
rm tables/stamp.txt
sweep experiment.cfg --db x.db --report tables
test -s tables/table1.txt || fail "the report is not repaired"
rm tables/table1.txt
sed 's/label = "often best/label = "seldom best/' experiment.cfg >label.cfg
cp experiment.digest label.digest
sweep label.cfg --db x.db --report tables
test -s tables/table1.txt || fail "the report is not renewed when a label changes"
grep -q 'seldom best' tables/figures/batches-one.csv || fail "the old label stays in a picture"
grep -q '^reproduced' out || fail "a label changes a result"
{
    sed '/^games/,$d' experiment.cfg
    echo "games = (" "$(pair two synthetic-b)" ");"
} >two.cfg
sweep two.cfg --db x.db --report tables
test -e tables/figures/heatmap-two.svg || fail "no picture of a game that stays"
test ! -e tables/figures/heatmap-one.svg && test ! -e tables/figures/batches-one.csv || fail "pictures of a game that left stay"
sweep experiment.cfg --db x.db

# What cannot be swept.
refuses 1 'nowhere.cfg: there is no such file' sweep nowhere.cfg
refuses 1 "no game named 'four'" sweep experiment.cfg --db x.db --games one,four
echo 'frames = 10; fraems = 3;' >typo.cfg
refuses 1 "typo.cfg:1: unknown key 'fraems'" sweep typo.cfg --db y.db
echo 'frames = 10;' >empty.cfg
refuses 1 'empty.cfg: has no grid' sweep empty.cfg --db y.db
cat >absent.cfg <<'END'
grid = { bin_size = [8, 10]; };
games = ( { name = "lost"; sha1 = "0123456789012345678901234567890123456789"; movie = "lost.fm2"; },
          { name = "gone"; sha1 = "1123456789012345678901234567890123456789"; movie = "gone.fm2"; } );
END
refuses 1 'absent.cfg: none of its games can be swept' sweep absent.cfg --db y.db
grep -q '^skipped, no ROM found: lost, gone (' .stdout || fail "$(cat .stdout)"
sed 's/sha1 = "1[0-9]*"/rom = "gone.nes"/' absent.cfg >norom.cfg
refuses 1 'gone: gone.nes: there is no such file (norom.cfg:' sweep norom.cfg --db y.db
gzip -dc "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" | sed '7s/0x/zz/' >bad.isampling
sed "s#\"[^\"]*overlap-a.isampling.gz\"#\"bad.isampling\"#" experiment.cfg >bad.cfg
refuses 1 'bad.isampling:7: ' sweep bad.cfg --db y.db
test "$(ask y.db 'SELECT count(*) FROM table1 WHERE missing = 0')" = 2 || fail "the good games went down with the bad"
refuses 2 'all games' sweep experiment.cfg --update-digest --games one

# Foreign databases, and read-only ones.
seq 1000 >text.db
refuses 1 'text.db: is not a database' sweep experiment.cfg --db text.db
seq 1000 | cmp - text.db || fail "a foreign file was changed"
sqlite3 foreign.db 'CREATE TABLE t (x)'
refuses 1 "foreign.db: is an SQLite database, but not one of hotgraph's" sweep experiment.cfg \
    --db foreign.db
sqlite3 x.db 'PRAGMA user_version = 99'
refuses 1 'x.db: was written by a newer hotgraph' sweep experiment.cfg --db x.db
