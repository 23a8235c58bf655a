# Sweeps of other samplings and techniques: if this fails, the database does not have what the
# configuration asks for, or its results differ from the expected digests.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"
export HOTGRAPH_GAMES="$source/configs/games.cfg"

# config FILE SAMPLING GRID
config() {
    printf 'name = "%s";\nframes = 300;\nsampling = { %s };\ngrid = { %s };\n@include "%s"\n' \
        "${1%.cfg}" "$2" "$3" "$source/configs/games.cfg" >"$1"
}
config golden.cfg 'by = "active"; every = 90; place = "golden"; seed = 3;' \
    'technique = "flow"; costs = ["poisson", "profi"];'
sweep golden.cfg --db golden.db --games umbel,mazewisp --jobs 2
expected=$digest
test "$(ask golden.db 'SELECT key, method, stride, batch_length, seed, weighting IS NULL FROM sampling')" = \
    'active every=90 place=golden seed=3|golden|90|2|3|1' || fail "sampling: $(ask golden.db 'SELECT * FROM sampling')"
test "$(ask golden.db 'SELECT count(*) FROM stream WHERE observed = batches AND samples = 2 * batches')" = 2 ||
    fail "a transfer is one observed instruction"
test "$(ask golden.db "SELECT technique, sum(structure), count(*) FROM results GROUP BY technique")" = \
    "flow|4|4
observed|0|2" || fail "who was given the structure: $(ask golden.db "SELECT technique, structure FROM results")"
test "$(ask golden.db "SELECT DISTINCT value FROM configuration_value WHERE name = 'costs' ORDER BY 1")" = \
    "poisson
profi" || fail "values are words"
# Repair improves every metric.
test "$(ask golden.db "SELECT count(*) FROM results f JOIN baseline b USING (game)
    WHERE f.parameters LIKE 'costs=poisson %' AND f.fair_overlap_active > b.fair_overlap_active + 0.02
    AND f.hot_f1_10 > b.hot_f1_10 AND f.hot_f1_10_active > b.hot_f1_10_active
    AND f.observed = b.observed")" = 2 || fail "repaired no better than raw"

# The same by hand, step by step.
"$hotgraph" structure umbel --frames 300 --out umbel.structure >/dev/null
"$hotgraph" sample umbel --frames 300 --by active --every 90 --place golden --seed 3 \
    --structure umbel.structure --out umbel.isampling >/dev/null
"$hotgraph" build umbel.isampling --technique flow --costs poisson --structure umbel.structure \
    --out umbel.graph >built
"$hotgraph" exact umbel --frames 300 --out umbel.exact.graph >/dev/null
"$hotgraph" compare umbel.graph umbel.exact.graph --json >compared
ask golden.db "SELECT r.edges, r.observed, hot_f1_10, fair_overlap, hot_f1_10_active,
    fair_overlap_active FROM results r WHERE game = 'umbel' AND parameters LIKE 'costs=poisson %'" >row
python3 - <<'END' || fail "by hand: $(cat row built compared)"
import json
compared = json.load(open("compared"))
row = [float(v) for v in open("row").read().split("|")]
expected = [compared["whole"]["edges"], sum(1 for _ in open("umbel.isampling")) // 2]
for scope in "whole", "active":
    expected += [compared[scope]["fair"]["hot_f1_10"], compared[scope]["fair"]["overlap"]]
assert all(abs(a - b) < 1e-12 for a, b in zip(row, expected, strict=True)), (row, expected)
END

# N per million instructions means the least stride that observes at most N: of active transfers, of
# all, and of batches; by hand and in a sweep.
read_stride() { # active|all
    python3 - "$1" <<'END'
import sys
executed = transfers = busy = 0
falls, edges = set(), []
for line in open("umbel.structure"):
    words = line.split()
    if words[0] == "#executed": executed = int(words[1])
    elif words[0] == "#transfers": transfers = int(words[1])
    elif words[0] == "#falls": falls.add((words[1], words[2]))
    elif not line.startswith("#") and words[3] == "1": edges.append(words)
if sys.argv[1] == "active":
    transfers -= sum(int(w[2]) for w in edges if (w[0], w[1]) not in falls)
print(-(-transfers * 1000000 // (700 * executed)))
END
}
by_hand() { # BY STRIDE [OPTION...]
    by=$1 every=$2
    shift 2
    "$hotgraph" sample umbel --frames 300 --by "$by" --every "$every" "$@" --seed 3 --out stride.isampling >/dev/null
    "$hotgraph" sample umbel --frames 300 --by "$by" --per-million 700 "$@" --seed 3 --out share.isampling >said
    cmp stride.isampling share.isampling || fail "$by: 700 per million are not one in $every"
}
by_hand transfers "$(read_stride all)" --structure umbel.structure --place stratified
by_hand instructions $(((25 * 1000000 + 699) / 700))
# A small stride is odd, unless positions are stratified.
by_hand active "$(($(read_stride active) | 1))" --structure umbel.structure --place golden
config share.cfg 'by = "active"; per_million = 700; place = "golden"; seed = 3;' 'technique = "flow";'
sweep share.cfg --db share.db --games umbel,mazewisp
test "$(ask share.db "SELECT s.key, s.stride IS NULL, sum(observed_share BETWEEN 0.00065 AND 0.0007005)
    FROM technique_quality JOIN sampling s USING (sampling_id)")" = 'active per_million=700 place=golden seed=3|1|4' ||
    fail "shares: $(ask share.db 'SELECT game, observed_share FROM technique_quality')"
test "$(ask share.db "SELECT batches FROM stream JOIN experiment_stream USING (stream_id) JOIN game USING (game_id)
    WHERE name = 'umbel'")" = $(($(wc -l <share.isampling) / 2)) || fail "the sweep's stream is another than that by hand"
config share.cfg 'by = "transfers"; per_million = 700; place = "stratified"; seed = 3;' 'technique = "flow";'
sweep share.cfg --db all.db --games umbel
test "$(ask all.db 'SELECT min(observed_share) > 0.00069 AND max(observed_share) <= 0.0007 FROM technique_quality')" = 1 ||
    fail "transfers: $(ask all.db 'SELECT observed_share FROM technique_quality')"
grep -v '^#executed\|^#transfers' umbel.structure >uncounted.structure
refuses 1 'needs a structure with the number' sample umbel --frames 10 --by active --per-million 700 \
    --structure uncounted.structure --out no.isampling
refuses 2 'needs --every N, or --per-million N' sample umbel --by transfers --every 5 --per-million 7 --out no.isampling

# Threads and engines make no difference, and existing results are not computed
# again.
sweep golden.cfg --db other.db --games mazewisp,umbel --jobs 1 --engine interp
test "$digest" = "$expected" || fail "interpreted: $digest, not $expected"
before=$(sha1sum golden.db)
sweep golden.cfg --db golden.db --games umbel,mazewisp
grep -q '^nothing to do' out || fail "a second sweep does something: $(cat out)"
test "$(sha1sum golden.db)" = "$before" || fail "a second sweep writes"

# Other samplings of the same replay are other streams; the structure comes from that replay.
config batches.cfg 'weighting = "cycles";' 'technique = "flow";'
config transfers.cfg 'by = "transfers"; every = 90; place = "stratified";' 'technique = "flow"; solver = ["klein", "simplex"];'
config instructions.cfg 'by = "instructions"; every = 400; batch = 1;' 'technique = "flow";'
for name in batches transfers instructions; do
    sweep $name.cfg --db golden.db --games umbel
done
test "$(ask golden.db "SELECT count(*) FROM replay WHERE rom_sha1 = (SELECT rom_sha1 FROM replay JOIN stream
    USING (replay_id) JOIN experiment_stream USING (stream_id) JOIN game USING (game_id) WHERE name = 'umbel')")" = 1 ||
    fail "more than one replay of a game"
test "$(ask golden.db "SELECT method || coalesce(' ' || weighting, '') FROM sampling ORDER BY 1")" = \
    "golden
instructions
time cycles
transfers" || fail "samplings: $(ask golden.db 'SELECT * FROM sampling')"
test "$(ask golden.db "SELECT count(*) FROM results WHERE technique = 'flow' AND structure = 1
    AND fair_overlap > 0.8 AND experiment <> 'golden'")" = 4 ||
    fail "flow: $(ask golden.db "SELECT experiment, fair_overlap, structure FROM results WHERE technique = 'flow'")"

# One SELECT tells the best technique, with and without the structure.
test "$(ask golden.db "SELECT DISTINCT structure_allowed, technique, substr(parameters, 1, 13)
    FROM technique_at_budget WHERE budget_percent = 0.2 AND sampling LIKE 'active %' ORDER BY 1")" = \
    "0|observed|
1|flow|costs=poisson" || fail "best: $(ask golden.db 'SELECT * FROM technique_at_budget')"
test "$(ask golden.db "SELECT count(*) FROM technique_quality WHERE observed_share BETWEEN 1e-6 AND 0.2")" = \
    "$(ask golden.db "SELECT count(*) FROM results")" || fail "shares observed"

# The results are those in the tree.
sweep "$source/configs/golden.cfg" --db shipped.db --games mazewisp
grep -q '^reproduced: ' out || fail "golden.cfg: $(tail -3 out)"
test "$(ask shipped.db "SELECT observed_share <= 0.0006 AND overlap_active > 0.99 AND hot_f1_10_active > 0.998
    AND overlap > 0.997 FROM technique_quality WHERE parameters LIKE 'costs=poisson %'")" = 1 ||
    fail "golden.cfg: $(ask shipped.db 'SELECT parameters, observed_share, overlap_active, hot_f1_10_active, overlap FROM technique_quality')"
sweep "$source/configs/clock.cfg" --db clock.db --games fresnel --where interval_ms=4.7
grep -q '^reproduced: ' out || fail "clock.cfg: $(tail -3 out)"
test "$(ask clock.db "SELECT count(*) FROM technique_quality WHERE technique = 'flow' AND probes > 0
    AND overlap_active > iif(sampling LIKE '%window=256%', 0.985, 0.96)")" = 6 ||
    fail "clock.cfg: $(ask clock.db "SELECT sampling, overlap_active, probes FROM technique_quality WHERE technique = 'flow'")"
# The last taken branches: without GFCGaussiano, whose windows need batches of one length; not handed over batch by batch.
sweep "$source/configs/lbr.cfg" --db lbr.db --games mazewisp --where stack=16
grep -q '^reproduced: ' out || fail "lbr.cfg: $(tail -3 out)"
test "$(ask lbr.db "SELECT count(*), sum(overlap_active > iif(sampling LIKE 'lbr_taken every=5000 %', 0.9, 0.6)), count(DISTINCT sampling)
    FROM technique_quality")" = '15|15|5' || fail "lbr.cfg: $(ask lbr.db 'SELECT sampling, technique, overlap_active FROM technique_quality')"
"$hotgraph" sample mazewisp --frames 300 --by lbr --stack 8 --out branches.hgstream >out || fail "--by lbr"
grep -Eq '^branches.hgstream: [0-9]+ batches of [0-9.]+ in the mean, 0 overruns, ' out || fail "--by lbr: $(cat out)"
"$hotgraph" sample mazewisp --frames 300 --by lbr_taken --every 500 --json --out branches.isampling.gz >out || fail "--by lbr_taken"
grep -q '"of": "branches"' out || fail "--by lbr_taken: $(cat out)"
"$hotgraph" build branches.isampling.gz --technique observed --out branches.graph >/dev/null || fail "observed on branches"
refuse_with() { # MESSAGE COMMAND...
    message=$1
    shift
    ! "$hotgraph" "$@" >/dev/null 2>errors || fail "$*: accepted"
    grep -q -- "$message" errors || fail "$*: $(cat errors)"
}
refuse_with 'windows need batches of one length' build branches.hgstream --technique gaussian --out x.graph
refuse_with 'record them' profile mazewisp --frames 60 --technique observed --by lbr --out x.graph
refuse_with 'needs --by lbr or lbr_taken' sample mazewisp --stack 8 --out x.hgstream
refuse_with 'at least 2 of 8 entries must not be skipped' sample mazewisp --by lbr --stack 8 --skip 7 --out x.hgstream
refuse_with 'needs --every N' sample mazewisp --by lbr_taken --per-million 60 --out x.hgstream
refuse_with 'needs --by time, clock or lbr' sample mazewisp --by lbr_taken --every 60 --interval-ms 3 --out x.hgstream
for file in techniques bias; do
    "$hotgraph" sweep "$source/configs/$file.cfg" --db studies.db --dry-run >out || fail "$file.cfg"
    grep -q '^mazewisp: .* things to compute' out || fail "$file.cfg: $(cat out)"
    # Sweeps with budgets are estimated, too: these take minutes, and only the order of magnitude is certain.
    seconds=$(sed -n 's/^in all: .* about \([0-9]*\) s of one processor.*$/\1/p' out)
    test "${seconds:-0}" -gt 10 -a "${seconds:-0}" -lt 10000 || fail "$file.cfg: $(grep '^in all' out)"
done
test "$(ask shipped.db "SELECT structure_allowed, technique, substr(parameters, 1, 13)
    FROM technique_at_budget WHERE budget_percent = 0.06")" = "0|observed|
1|flow|costs=poisson" || fail "best at 0.06 %: $(ask shipped.db 'SELECT * FROM technique_at_budget')"
for view in mean table at_budget effort; do
    "$hotgraph" results shipped.db --view technique_$view >view.csv || fail "technique_$view"
    test "$(wc -l <view.csv)" -gt 3 || fail "technique_$view: $(cat view.csv)"
done
test "$(ask shipped.db 'SELECT DISTINCT technique FROM pareto WHERE structure = 1')" = flow || fail "pareto"

# Figures in the tree: docs.sh compares pages with docs/*.csv; here these files are compared with this program: streams of two
# games match configs/*.digest, and one replicate of a technique lies within the range of all.
command -v python3 >/dev/null || skip "no python3"
python3 - "$source/docs/techniques.csv" "$source/docs/bias.csv" <<'END' || fail "docs/*.csv is not of whole databases"
import csv, sys
for name in sys.argv[1:]:
    for r in csv.DictReader(open(name)):
        low, mean, high = (float(r["overlap_active" + k]) for k in ("_lowest", "", "_highest"))
        assert float(r["overlap_active_least"]) <= low <= mean <= high <= 1 and r["games"] == r["replicates"] == "8", r
END
sanitized || {
    sweep "$source/configs/techniques.cfg" --db whole.db --where seed=1 --where per_million=60 --where by=active
    grep -q '^reproduced: 8 streams as in ' out || fail "techniques.cfg: $(tail -3 out)"
    sweep "$source/configs/bias.cfg" --db bias.db --where phase_cycles=3723 --where interval_ms=3.328 --games umbel
    grep -q '^reproduced: 2 streams as in ' out || fail "bias.cfg: $(tail -3 out)"
    "$hotgraph" results whole.db --view technique_table >replicate.csv
    python3 - "$source/docs/techniques.csv" <<'END' || fail "no replicate of what docs/techniques.csv says: $(cat replicate.csv)"
import csv, sys
def by_name(file):
    return {(r["sampling"], r["technique"], r["parameters"]): r for r in csv.DictReader(open(file))}
known, replicate = by_name(sys.argv[1]), by_name("replicate.csv")
assert len(replicate) == 4, len(replicate)
for name, r in replicate.items():
    k = known[name]
    assert r["games"] == k["games"] == "8" and r["replicates"] == "1" and k["replicates"] == "8"
    assert float(k["overlap_active_lowest"]) <= float(r["overlap_active"]) <= float(k["overlap_active_highest"]), (r, k)
    assert float(k["overlap_active_least"]) <= float(r["overlap_active_least"]), (r, k)
END
    # With several techniques, the report says which one is best within each sampling budget.
    "$hotgraph" report whole.db --out page >/dev/null || fail "report"
    sed -n "/id='budgets'/,/<\/table>/p" page/index.html | sed 's/<[^>]*>/ /g; s/  */ /g' >budgets
    ask whole.db "SELECT printf(' %s %s %s', iif(structure_allowed, 'yes', 'no'), technique, parameters)
        FROM technique_at_budget WHERE technique IS NOT NULL" >best
    test -s best || fail "nothing is best: $(ask whole.db 'SELECT * FROM technique_at_budget')"
    while read -r line; do
        grep -qF "$line" budgets || fail "not in the report: $line: $(cat budgets)"
    done <best
}

config wrong.cfg 'every = 5;' 'technique = "flow";'
refuses 1 'every means nothing in sampling by time' sweep wrong.cfg
