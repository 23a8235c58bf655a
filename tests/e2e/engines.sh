# Two engines, one outcome, and the translator lets itself be looked into: if this fails, results
# depend on the engine, or nobody can see what it has made of a program.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$work"
rom="$source/games/burrow.nes" movie="$source/movies/burrow.fm2"
if ! "$hotgraph" replay "$rom" --frames 1 --engine dbt >/dev/null 2>none; then
    grep -q 'x86-64' none || fail "no translator, and no word why"
    exit 77
fi

# The same states, frame by frame; code in RAM that is patched included.
for engine in interp dbt auto; do
    "$hotgraph" replay "$rom" --movie "$movie" --frames 1500 --engine $engine --json \
        --ram-hash $engine.hash --save-state $engine.state >$engine.json
    sed 's/"engine".*//; s/"skipped": [0-9]*//; /"translation"/d' $engine.json >$engine.outcome
done
same interp.hash dbt.hash
same interp.state dbt.state
same interp.outcome dbt.outcome
same interp.hash auto.hash
grep -q '"engine": "dbt"' dbt.json || fail "another engine ran"
grep -q '"translation": {"blocks": [1-9]' dbt.json || fail "no statistics of translation"
! grep -q '"translation"' interp.json || fail "the interpreter translates"

# A state goes from one engine to the other.
"$hotgraph" replay "$rom" --movie "$movie" --frames 1600 --load-state dbt.state --engine interp --ram-hash a >/dev/null
"$hotgraph" replay "$rom" --movie "$movie" --frames 1600 --load-state interp.state --engine dbt --ram-hash b >/dev/null
same a b

# The exact graph and the stream do not tell which engine ran.
for engine in interp dbt; do
    "$hotgraph" exact "$rom" --movie "$movie" --frames 1500 --engine $engine --out $engine.graph >/dev/null
    "$hotgraph" sample "$rom" --movie "$movie" --frames 1500 --engine $engine --out $engine.isampling >/dev/null
done
same interp.graph dbt.graph
same interp.isampling dbt.isampling

# Blocks: guest and host code, counts, chains; as JSON that others can read.
"$hotgraph" blocks "$rom" --movie "$movie" --frames 600 --top 5 >blocks
test "$(grep -c '^#' blocks)" = 5 || fail "--top 5 lists other than five blocks"
grep -q 'exits chained (to ' blocks || fail "no chains"
grep -Eq '^    [0-9a-f]{6}  [0-9a-f]{2} .* [A-Z]{3}' blocks || fail "no guest code"
grep -Eq '^        [0-9a-f]{12}  (mov|movzx|lea|cmp) ' blocks || fail "no host code"
"$hotgraph" blocks "$rom" --movie "$movie" --frames 600 --top 5 --no-host --json >blocks.json
entries=$(sqlite3 :memory: "SELECT group_concat(value->>'entries') FROM json_each(readfile('blocks.json'), '\$.blocks')" 2>/dev/null) ||
    entries=$(sed -n 's/.*"entries": \([0-9]*\).*/\1/p' blocks.json | paste -sd,)
listed=$(sed -n 's/^#.*  \([0-9]*\) entries.*/\1/p' blocks | paste -sd,)
test "$entries" = "$listed" || fail "JSON says $entries, text $listed"
refuses 2 'translates no blocks' blocks "$rom" --engine interp

# For perf(1): a line a block, named by guest address.
"$hotgraph" replay "$rom" --movie "$movie" --frames 60 --engine dbt --perf-map >/dev/null &
pid=$!
wait $pid
map=/tmp/perf-$pid.map
test -s "$map" || fail "no $map"
! grep -Evq '^[0-9a-f]+ [0-9a-f]+ guest_[0-9a-f]{6}$' "$map" || fail "$map has other lines"
rm -f "$map"
if perf record -q -o perf.data "$hotgraph" replay "$rom" --movie "$movie" --engine dbt --perf-map >/dev/null 2>&1; then
    perf report -i perf.data --stdio --sort sym 2>/dev/null >report
    rm -f $(perf script -i perf.data -F pid 2>/dev/null | sort -u | sed 's|^ *\([0-9]*\) *$|/tmp/perf-\1.map|')
    test "$(grep -c ' guest_[0-9a-f]' report)" -gt 20 || fail "perf does not know the blocks: $(head -n 20 report)"
fi

# Translated code under valgrind, which has to be told that code changes.
if command -v valgrind >/dev/null && ! grep -q __asan_init "$hotgraph"; then
    valgrind -q --error-exitcode=9 --smc-check=all "$hotgraph" replay "$rom" --movie "$movie" --frames 40 \
        --engine dbt --ram-hash valgrind.hash >/dev/null 2>errors || fail "valgrind: $(cat errors)"
    head -n 40 interp.hash >first.hash
    same valgrind.hash first.hash
fi

# Stopped by a signal in translated code: says so, and leaves no half-written file.
"$hotgraph" replay "$rom" --movie "$movie" --frames 100000 --engine dbt --ram-hash cut.hash >out 2>errors &
pid=$!
sleep 0.3
kill -TERM $pid
if wait $pid; then fail "a stopped replay succeeds"; fi
grep -q 'stopped by signal 15' errors || fail "no word of the signal: $(cat errors)"
test ! -e cut.hash || fail "cut.hash was left"
