# The bundled games and the expected digest that is in the tree: if this fails, the machine, the
# sampler, a technique or a metric gives other results than before. If that is intended, raise
# CONFIG_METHOD in sweep/config/config.h and write the .digest files anew with --update-digest.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
"$hotgraph" sweep "$source/configs/quick.cfg" --db quick.db >out 2>errors || fail "$(cat out errors)"
grep -q '^reproduced: ' out || fail "$(tail -3 out)"
before=$(sha1sum quick.db)
"$hotgraph" sweep "$source/configs/quick.cfg" --db quick.db >out 2>errors || fail "$(cat out errors)"
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
test "$(sha1sum quick.db)" = "$before" || fail "a second sweep writes"

# Results do not depend on the engine.
"$hotgraph" sweep "$source/configs/quick.cfg" --db quick.db --engine interp >out 2>errors || fail "$(cat out errors)"
grep -q '^nothing to do' out || fail "another engine does something: $(cat out)"
"$hotgraph" sweep "$source/configs/quick.cfg" --db interp.db --engine interp >out 2>errors || fail "$(cat out errors)"
grep -q '^reproduced: ' out || fail "interpreted: $(tail -3 out)"
test "$(sqlite3 -readonly interp.db 'SELECT DISTINCT engine FROM replay')" = interp || fail "another engine ran"

# README's questions.
if command -v python3 >/dev/null; then
    python3 "$source/tests/e2e/pages/docs.py" "$source" sql README.md >questions
    test -s questions || fail "questions: $(cat questions)"
    while read -r sql; do
        sqlite3 -readonly -bail quick.db "$sql" >answer || fail "the README asks what cannot be asked: $sql"
        test -s answer || fail "no answer to $sql"
    done <questions
fi

# The progress bar uses the times of earlier replays and configurations. If replays were slow, the first
# configuration comes near the end of the bar; if they were quick, near its beginning.
sed 's/^name = .*/name = "short";/; s/^frames = .*/frames = 60;/' "$source/configs/quick.cfg" |
    sed "s|@include \"|@include \"$source/configs/|" >short.cfg
first_share() { # SQL: changes to the database before the sweep
    cp quick.db rates.db
    sqlite3 rates.db "$1"
    script -qec "'$hotgraph' sweep short.cfg --db rates.db --games burrow --jobs 1" /dev/null >bar </dev/null 2>&1
    tr '\r' '\n' <bar | sed -n '/burrow: replayed/,$s/^.*\] *\([0-9]*\) %.*/\1/p' | head -1
}
slow=$(first_share 'UPDATE replay SET seconds = seconds * 1e6')
quick=$(first_share 'UPDATE replay SET seconds = seconds / 1e6')
test "${slow:-0}" -ge 99 || fail "slow replays: the first configuration comes at '$slow' %: $(cat bar)"
test "${quick:-100}" -le 60 || fail "quick replays: the first configuration comes at '$quick' %: $(cat bar)"

# The estimate of a plan: 60 frames of burrow at 2 s, and again for its sampler, and 17 results from 60 / 60.0988 s of
# batches, one each 3 ms, at .5 s; a thousandth for each result on top.
cp quick.db rates.db
sqlite3 rates.db 'UPDATE replay SET seconds = frames * 4;
    UPDATE result SET seconds = (SELECT batches * 0.5 FROM stream s WHERE s.stream_id = result.stream_id)'
"$hotgraph" sweep short.cfg --db rates.db --games burrow --dry-run >plan || fail "$(cat plan)"
grep -q "about $(awk 'BEGIN {printf "%.0f", 60 * 2 * 2 + 17 * (60 / 60.0988 / .003 * .5 + .001)}') s of one processor" plan ||
    fail "not by what replays and results took before: $(tail -1 plan)"
