# What would break: for profiles of other input, or of the first seconds, the database differs from the commands;
# it mixes inputs up, computes existing results again, or keeps results of an input that has changed.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

cp "$source/games/airmail.nes" "$source/games/mazewisp.nes" .
export HOTGRAPH_GAMES="$source/configs/games.cfg"
for game in airmail mazewisp; do
    "$hotgraph" movie make $game --seed 7 --frames 900 --out $game-other.fm2 >step || true
    head -n 1000 "$source/movies/$game.fm2" >$game.fm2
done

# config FILE SAMPLING GRID [GAMES]
config() {
    {
        printf 'name = "inputs-test";\nframes = 900;\nsampling = ( %s );\ngrid = ( %s );\n' "$2" "$3"
        cat "${4:-games}"
    } >"$1"
}
cat >games <<'END'
games = ( { name = "airmail"; rom = "airmail.nes"; movie = "airmail.fm2"; other = "airmail-other.fm2"; },
          { name = "mazewisp"; rom = "mazewisp.nes"; movie = "mazewisp.fm2"; other = "mazewisp-other.fm2"; } );
END
all='{ by = "active"; per_million = 600; place = "golden"; }, { by = "live"; input = ["same", "other"]; }, { by = "live"; input = ["other", "same"]; seconds = [2, 10]; }'
techniques='{ technique = "flow"; }, { technique = "exact"; }, { technique = "entries"; share = 900; }'
config inputs.cfg "$all" "$techniques"
sweep inputs.cfg --db inputs.db --jobs 2
expected=$digest
grep -q 'left out' out && fail "what watches by itself cannot be fed samples, and that needs no line: $(grep 'left out' out)"
test "$(ask inputs.db 'SELECT sum(missing), sum(results), sum(unfit) FROM completeness')" = "0|28|28" ||
    fail "complete: $(ask inputs.db 'SELECT * FROM completeness')"
test "$(ask inputs.db "SELECT group_concat(way, ',') FROM (SELECT DISTINCT way FROM sampling_way ORDER BY way)")" = \
    "active per_million=600 place=golden,live,live input=other,live input=other seconds=10,live input=other seconds=2,live seconds=10,live seconds=2" ||
    fail "ways: $(ask inputs.db 'SELECT * FROM sampling_way')"

# The same by hand: exact graphs of either movie, of 2 s (120 frames) and of 10 s (600).
for game in airmail mazewisp; do
    "$hotgraph" exact $game.nes --movie $game.fm2 --frames 900 --out h.graph >step
    "$hotgraph" structure $game.nes --movie $game.fm2 --frames 900 --out h.structure >step
    for of in "$game.fm2 900 live" "$game-other.fm2 900 live input=other" "$game.fm2 120 live seconds=2" \
        "$game.fm2 600 live seconds=10" "$game-other.fm2 120 live input=other seconds=2"; do
        set -- $of
        movie=$1 frames=$2
        shift 2
        "$hotgraph" exact $game.nes --movie "$movie" --frames "$frames" --out g.graph >step
        "$hotgraph" compare g.graph h.graph --structure h.structure --json >"$game $*.json"
    done
done
sqlite3 -readonly -json inputs.db "SELECT * FROM worth WHERE technique = 'exact'" >rows.json
python3 - <<'END' || fail "the database and compare differ"
import json, math, os
rows = {f"{row['game']} {row['sampling']}": row for row in json.load(open("rows.json"))}
assert len(rows) == 12, rows.keys()
checked = 0
for name, row in rows.items():
    if not os.path.exists(name + ".json"):
        continue
    by_hand = json.load(open(name + ".json"))
    worth = by_hand["worth"]
    pairs = [(row["overlap_active"], by_hand["active"]["fair"]["overlap"]), (row["similarity_active"], by_hand["active"]["similarity"]),
             (row["benefit"], worth["as_found"]["benefit"]), (row["benefit_inferred"], worth["inferred"]["benefit"]), (row["lost"], worth["lost"])]
    for ours, theirs in pairs:
        assert math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12), (name, ours, theirs)
    whole = name.endswith(" live")
    assert (row["overlap_active"] == 1) == whole and (row["benefit"] == 1) == whole, (name, row)
    checked += 1
assert checked == 10, checked
END

# Engines and threads make no difference; nothing is computed twice; parts add up to the whole.
sweep inputs.cfg --db other.db --jobs 1 --engine interp
test "$digest" = "$expected" || fail "interpreted: $digest, not $expected"
before=$(sha1sum inputs.db)
sweep inputs.cfg --db inputs.db
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
test "$(sha1sum inputs.db)" = "$before" || fail "a second sweep writes"
sweep inputs.cfg --db parts.db --where input=other
test "$(ask parts.db "SELECT count(*), min(way LIKE 'live input=other%') FROM results")" = "12|1" || fail "a part"
sweep inputs.cfg --db parts.db
test "$digest" = "$expected" || fail "in parts: $digest, not $expected"
"$hotgraph" sweep inputs.cfg --db one.db --shard 1/2 >out
"$hotgraph" sweep inputs.cfg --db two.db --shard 2/2 >out
"$hotgraph" merge shards.db one.db two.db >out
sweep inputs.cfg --db shards.db
grep -q '^nothing to do' out && test "$digest" = "$expected" || fail "in shards: $(tail -3 out)"

# Another movie is another input, whatever the file's name; nothing else is computed again.
mv mazewisp-other.fm2 first.fm2
"$hotgraph" movie make mazewisp --seed 8 --frames 900 --out mazewisp-other.fm2 >step || true
"$hotgraph" sweep inputs.cfg --db inputs.db --dry-run >out
grep -q '^in all: 6 results' out || fail "of a changed movie: $(cat out)"
sweep inputs.cfg --db inputs.db
test "$digest" != "$expected" || fail "another movie has the same digest"
gzip -n <first.fm2 >mazewisp-other.fm2
sweep inputs.cfg --db gz.db
test "$digest" = "$expected" || fail "a compressed movie plays otherwise"
"$hotgraph" report gz.db --out report >step || fail "no report of an experiment with and without samples"

sed 's/ other = "mazewisp-other.fm2";//' games >without
config wrong.cfg "$all" "$techniques" without
refuses 1 "'mazewisp' has no other movie, which input = \"other\" needs" sweep wrong.cfg
sed 's/mazewisp-other.fm2/mazewisp.fm2/' games >twice
config wrong.cfg "$all" "$techniques" twice
refuses 1 "mazewisp.fm2 and the other movie" sweep wrong.cfg
config wrong.cfg '{ by = "live"; input = "else"; }' '{ technique = "exact"; }'
refuses 1 'wrong.cfg:3: input' sweep wrong.cfg
config wrong.cfg '{ by = "live"; seconds = 0; }' '{ technique = "exact"; }'
refuses 1 'wrong.cfg:3: seconds' sweep wrong.cfg
config wrong.cfg '{ by = "live"; }, { by = "live"; input = "same"; }' '{ technique = "exact"; }'
refuses 1 'the same sampling is here twice: live' sweep wrong.cfg
config wrong.cfg '{ by = "live"; }' '{ technique = "flow"; }'
refuses 1 "there is no technique 'flow' that watches by itself" sweep wrong.cfg
{ echo "games = ("; pair one overlap-a 'other = "airmail-other.fm2";'; echo ");"; } >foreign
config wrong.cfg '{ interval_ms = 3; }' '{ technique = "gaussian"; }' foreign
refuses 1 "only games that are played have an other movie" sweep wrong.cfg

# The first seconds cost less than the whole, also in a plan's estimate.
about() { "$hotgraph" sweep "$source/configs/worth.cfg" --where "$1" --db new.db --dry-run | sed -n 's/.* about \([0-9]*\) s of one .*/\1/p'; }
first=$(about seconds=1) more=$(about seconds=100) all=$(about input=other)
test "$first" -lt "$more" && test "$more" -lt "$all" || fail "planned are $first s for a second, $more s for 100, $all s for all"

# Estimates: techniques that count in translated code take hardly longer than the replay, a model of hardware
# sixteen times as long.
test "$(about by=live)" = "$(awk 'BEGIN { printf "%.0f", 8 * (18000 * 8e-6 + 2 * (2 * 18000 + 144 * 60.0988) * 8e-6 + 14 * .001) }')" ||
    fail "planned are $(about by=live) s"
"$hotgraph" sweep "$source/configs/live.cfg" --games mazewisp --db new.db --dry-run >out
grep -q "about $(awk 'BEGIN { printf "%.0f", 4 * 18000 * 8e-6 + 7 * 18000 * 1.3e-4 + 10 * .001 }') s of one processor" out || fail "$(tail -1 out)"

# The results are those in the tree; skipped under sanitizers, where that takes
# minutes.
sanitized || {
    sweep "$source/configs/worth.cfg" --db shipped.db --games mazewisp --where by=live
    grep -q '^reproduced: ' out || fail "worth.cfg: $(tail -3 out)"
}
