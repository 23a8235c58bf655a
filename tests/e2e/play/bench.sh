# hotgraph bench, which measures what techniques cost: if this fails, a technique is not measured, or on one engine only,
# or `make bench` does not print all rows.
set -eu
. "$(dirname "$0")/../lib.sh"
cd "$work"
export HOTGRAPH_GAMES="$source/configs/games.cfg"
ask() { sqlite3 -readonly "$1" "$2"; }

# config FILE SAMPLING GRID
config() {
    printf 'name = "%s";\nframes = 200;\nsampling = { %s };\ngrid = ( %s );\n@include "%s"\n' \
        "${1%.cfg}" "$2" "$3" "$source/configs/games.cfg" >"$1"
}

# Each technique on both engines, inline and in a thread, in each round.
config timed.cfg 'by = "live";' '{ technique = "exact"; }, { technique = "entries"; }'
"$hotgraph" bench timed.cfg --games umbel --frames 20 --rounds 2 --db bench.db >said
config timed2.cfg 'interval_ms = 3;' '{ technique = "flow"; }'
"$hotgraph" bench timed2.cfg --games umbel --frames 20 --rounds 2 --db bench.db >>said
engines=$("$hotgraph" replay umbel --frames 1 --engine dbt >/dev/null 2>&1 && echo 2 || echo 1)
test "$(ask bench.db 'SELECT count(*) FROM bench WHERE seconds > 0 AND base_seconds > 0')" = $((engines * 2 * 6)) ||
    fail "rows: $(ask bench.db 'SELECT * FROM bench') $(cat said)"
test "$(ask bench.db 'SELECT count(*) FROM technique_cost WHERE rounds = 2
    AND slowdown BETWEEN slowdown_least AND slowdown_most')" = $((engines * 6)) ||
    fail "costs: $(ask bench.db 'SELECT * FROM technique_cost')"
test "$(ask bench.db "SELECT DISTINCT mode, us_batch > 0, queue_longest > 0 FROM technique_cost ORDER BY 1, 2")" = \
    "inline||
inline|1|
thread|1|1" || fail "costs: $(ask bench.db 'SELECT * FROM technique_cost')"
test "$(ask bench.db 'SELECT count(*) FROM run')" = 2 || fail "runs"
# make bench measures every technique in its configurations, the baseline beside those on samples, and no others.
for config in bench_live bench; do
    "$hotgraph" bench "$source/configs/$config.cfg" --games umbel --frames 20 --rounds 1 --db all.db >said || fail "$(cat said)"
done
{
    echo observed
    sed -n 's/#.*//; s/.*technique = "\([a-z_]*\)".*/\1/p' "$source/configs/bench_live.cfg" "$source/configs/bench.cfg"
} | sort >named
ask all.db "SELECT DISTINCT configuration FROM bench" | sed 's|[^a-z_].*||' | sort -u >measured
test "$(wc -l <named)" -ge 7 || fail "configurations for make bench name $(cat named)"
cmp named measured || fail "make bench measures $(cat measured), its configurations name $(cat named)"
refuses 2 '--db FILE is missing' bench timed.cfg
refuses 1 'no game named' bench timed.cfg --games nothing --db x.db
test ! -e x.db || fail "a wrong call left a database"
