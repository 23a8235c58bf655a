# Part of an experiment, and a sweep that fails at once: if this fails, different results have equal
# digests of parts, or a mistyped call leaves an empty database behind.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# part WHAT DB ARGS...: the digest is labelled as that of this part.
part() {
    what=$1 db=$2
    shift 2
    sweep experiment.cfg --db "$db" "$@"
    grep -qxF "digest of this part ($what): $digest" out || fail "$*: not named as a part: $(grep digest out)"
    ! grep -q '^digest [0-9a-f]' out || fail "$*: looks like a digest of the whole: $(cat out)"
}
part '--where bin_size=8' narrow.db --where bin_size=8
narrow=$digest
part '--where bin_size=10' other.db --where bin_size=10
test "$digest" != "$narrow" || fail "different parts have one digest"
part '--games two --where bin_size=8' two.db --games two --where bin_size=8
test "$digest" != "$narrow" || fail "a part of a part has its digest"
two=$digest
part '--games one' one.db --games one
one=$digest
# Equal digests, whatever else the database has, such as the graphs of the best, which only whole
# games have.
sweep experiment.cfg --db whole.db
grep -qx "digest $digest" out || fail "$(cat out)"
part '--where bin_size=8' whole.db --where bin_size=8
test "$digest" = "$narrow" || fail "in a whole database: $digest, not $narrow"
part '--games two --where bin_size=8' narrow.db --games two --where bin_size=8
test "$digest" = "$two" || fail "in a larger part: $digest, not $two"
part '--games one' whole.db --games one
test "$digest" = "$one" || fail "a game in a whole database: $digest, not $one"
# A different result changes the digest.
sqlite3 narrow.db "UPDATE quality SET similarity = similarity / 2 WHERE configuration_id =
    (SELECT min(configuration_id) FROM configuration WHERE key LIKE '%bin_size=8%')"
part '--where bin_size=8' narrow.db --where bin_size=8
test "$digest" != "$narrow" || fail "a changed result is not in the digest"
# With --json.
"$hotgraph" sweep experiment.cfg --db whole.db --json --where bin_size=8 >out
grep -q "\"digest\": \"$narrow\", \"digest_of\": \"--where bin_size=8\"" out || fail "$(cat out)"
"$hotgraph" sweep experiment.cfg --db whole.db --json >out
grep -q '"digest_of": null' out || fail "$(cat out)"

# Games that fail are left out of the digest, with a message; if all fail, there is no digest.
gzip -dc "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" | sed '7s/0x/zz/' >bad.isampling
sed "s#\"[^\"]*overlap-a.isampling.gz\"#\"bad.isampling\"#" experiment.cfg >bad.cfg
refuses 1 'bad.isampling:7: ' sweep bad.cfg --db failed.db
grep -q '^digest of this part (the complete games): ' .stdout || fail "$(cat .stdout)"
refuses 1 'bad.isampling:7: ' sweep bad.cfg --db failed.db --games one
grep -qx 'no digest: there are no results' .stdout || fail "$(cat .stdout)"

# leaves_nothing STATUS TEXT ARGS...: the sweep fails, and creates no file or folder.
leaves_nothing() {
    ls -A >before
    refuses "$@"
    ls -A >after
    cmp -s before after || fail "$* leaves $(diff before after)"
}
touch before after .stdout .stderr
sed '/^games/,$d' experiment.cfg >gone.cfg
echo 'games = ({ name = "gone"; sha1 = "0000000000000000000000000000000000000000"; movie = "none.fm2"; });' >>gone.cfg
sed '/^games/,$d' experiment.cfg >norom.cfg
echo 'games = ({ name = "gone"; rom = "gone.nes"; movie = "none.fm2"; });' >>norom.cfg
leaves_nothing 1 'none of its games can be swept' sweep gone.cfg --db no.db
leaves_nothing 1 'none of its games can be swept' sweep gone.cfg --db no.db --report no
leaves_nothing 1 'none of its games can be swept' sweep gone.cfg # into results/
leaves_nothing 1 'none of its games can be swept' sweep gone.cfg --db no.db --json
leaves_nothing 1 'gone.nes: there is no such file' sweep norom.cfg --db no.db
leaves_nothing 1 "no game named 'four'" sweep experiment.cfg --db no.db --games four
leaves_nothing 1 "nothing in it has a 'colour'" sweep experiment.cfg --db no.db --where colour=3
leaves_nothing 1 'known.db: there is no such file' sweep experiment.cfg --db no.db --shard 1/2 --known known.db
leaves_nothing 1 'before is not a folder' sweep experiment.cfg --db no.db --report before/folder
mkdir results
leaves_nothing 1 'none of its games can be swept' sweep gone.cfg
test -d results || fail "a folder of somebody else's is removed"
# Existing files stay.
cp whole.db kept.db
refuses 1 'none of its games can be swept' sweep gone.cfg --db kept.db
same whole.db kept.db
: >empty.db
refuses 1 'none of its games can be swept' sweep gone.cfg --db empty.db
test -e empty.db || fail "a file of somebody else's is removed"
# Other commands that make databases.
leaves_nothing 1 "no game named 'four'" bench experiment.cfg --db no.db --games four
